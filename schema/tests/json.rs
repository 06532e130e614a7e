//! JSON texts: what is kept as written, what is refused and where, and that the work is one pass.

use reschema_schema::json::{Json, quoted};

fn printed(text: &str) -> String {
    Json::parse(text).unwrap_or_else(|e| panic!("{e}: {text}")).to_string()
}

fn error(text: &str) -> String {
    Json::parse(text).expect_err(text).to_string()
}

#[test]
fn order_and_spelling_are_kept() {
    let text = r#"{"z":1.50,"a":[-0,1E+3,9007199254740993,1e999],"n":null,"t":true,"f":false,"":{}}"#;
    assert_eq!(printed(text), text);
    assert_eq!(printed("\u{feff} [ 1 , { } , [ ] ]\r\n\t"), "[1,{},[]]");
}

#[test]
fn of_duplicate_keys_the_last_value_counts_at_the_first_place() {
    assert_eq!(printed(r#"{"a":1,"b":2,"a":3,"\u0061":{"a":4}}"#), r#"{"a":{"a":4},"b":2}"#);
    let mut many: Vec<String> = (0..100).map(|i| format!(r#""k{i}":{i}"#)).collect();
    let expected = format!("{{{}}}", many.join(",")).replace(r#""k7":7,"#, r#""k7":"last","#);
    many.extend([r#""k7":0"#.into(), r#""k7":"last""#.into()]);
    assert_eq!(printed(&format!("{{{}}}", many.join(","))), expected);
}

#[test]
fn escapes() {
    let json = Json::parse(r#""\u00e9\ud834\udd1e\n\/\\\"\b\f\r\t€""#).unwrap();
    assert_eq!(json.as_str(), Some("é𝄞\n/\\\"\u{8}\u{c}\r\t€"));
    assert_eq!(quoted("\u{0}\u{1f}\"\\é"), "\"\\u0000\\u001f\\\"\\\\é\"");
    assert_eq!(Json::parse(&json.to_string()).unwrap(), json);
}

#[test]
fn errors_say_where() {
    assert_eq!(error("{\"type\":"), "expected a value, found the end at line 1 column 9, in $.type");
    assert_eq!(error("[1,\n é]"), "expected a value, found 'é' at line 2 column 2, in $[1]");
    assert_eq!(error(r#"{"a":[{"b c":nul}]}"#), r#"expected a value, found 'n' at line 1 column 14, in $.a[0]["b c"]"#);
    assert_eq!(error("[] 1"), "expected the end, found '1' at line 1 column 4");
    assert!(error(&"[".repeat(100_000)).starts_with("nested deeper than 256 levels at line 1 column 257, in $[0][0]"));
    let deepest = format!("{}{}", "[".repeat(256), "]".repeat(256));
    assert_eq!(printed(&deepest), deepest);
}

#[test]
fn what_is_no_json() {
    for text in [
        "",
        " ",
        "{",
        "}",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x1",
        "NaN",
        "tru",
        "nulls",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"\n\"",
        "\"\u{1}\"",
        "// a\n1",
        "\u{a0}1",
        "1\u{0}",
        "--1",
        "[1}",
        "{\"a\":1]",
    ] {
        assert!(Json::parse(text).is_err(), "{text:?}");
        assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text:?}");
    }
}

/// Damaged texts are taken and refused as `serde_json` does.
#[test]
fn agrees_with_another_parser() {
    let seed =
        r#"{"type":"record","name":"é\u00e9","fields":[{"a":-1.5e+3,"b":[true,false,null,0]}],"x":"\ud834\udd1e\n"}"#;
    let alphabet: Vec<char> = "{}[]\":,\\u0-+.eE1dntf \n\té\u{1}".chars().collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let mut accepted = 0;
    for _ in 0..40_000 {
        let mut chars: Vec<char> = seed.chars().collect();
        for _ in 0..=random(2) {
            let at = random(chars.len());
            match random(3) {
                0 => drop(chars.remove(at)),
                1 => chars.insert(at, alphabet[random(alphabet.len())]),
                _ => chars[at] = alphabet[random(alphabet.len())],
            }
        }
        let text: String = chars.into_iter().collect();
        match (Json::parse(&text), serde_json::from_str::<serde_json::Value>(&text)) {
            (Ok(ours), Ok(theirs)) => {
                accepted += 1;
                assert_eq!(serde_json::from_str::<serde_json::Value>(&ours.to_string()).unwrap(), theirs, "{text}");
            }
            (Ok(_), Err(e)) => assert!(e.to_string().contains("out of range"), "{text}: {e}"),
            (Err(_), Err(_)) => {}
            (Err(e), Ok(_)) => panic!("{text}: {e}"),
        }
    }
    assert!(accepted > 1_000, "{accepted} accepted");
}

/// A step of the reader is paid once, not once a level: a text ten times as large takes about ten times as long.
#[test]
fn deep_and_large_is_read_in_one_pass() {
    let text = |items: usize| format!("{}{}{}", "[".repeat(250), "1,".repeat(items) + "1", "]".repeat(250));
    let time = |text: String| {
        let start = std::time::Instant::now();
        Json::parse(&text).unwrap();
        start.elapsed()
    };
    let took = time(text(1 << 20));
    assert!(took < std::time::Duration::from_secs(5), "took {took:?}");
}
