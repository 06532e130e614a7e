//! JSON at either end, by hand: what the mapping says, and what errors say.

use reschema::json::{BytesAs, DecimalsAs, JsonOptions, SpecialsAs, TimesAs, Twice, Unknown};
use reschema::{Endpoint, Engine, ErrorKind, Schema};
use reschema_tests::engines::{assert_tier, both};

fn schema(text: &str) -> Schema {
    Schema::parse(text).expect("a schema")
}

/// JSON to JSON on both tiers.
fn through(text: &str, from: (&str, JsonOptions), to: (&str, JsonOptions)) -> Result<String, reschema::Error> {
    let results = both().map(|engine: Engine| {
        let t = engine
            .transform(Endpoint::json(&schema(from.0), from.1), Endpoint::json(&schema(to.0), to.1))
            .expect("resolves");
        let mut out = Vec::new();
        t.run(text.as_bytes(), &mut out).map(|_| String::from_utf8(out).expect("UTF-8"))
    });
    let [a, b] = results;
    match (&a, &b) {
        (Ok(a), Ok(b)) => assert_eq!(a, b),
        (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
        _ => panic!("{a:?} {b:?}"),
    }
    a
}

fn same(text: &str, of: &str, options: JsonOptions) -> Result<String, reschema::Error> {
    through(text, (of, options), (of, options))
}

const ORDER: &str = r#"{"type":"record","name":"Order","namespace":"shop","fields":[
    {"name":"id","type":"long"},
    {"name":"name","type":["null","string"]},
    {"name":"total","type":{"type":"bytes","logicalType":"decimal","precision":12,"scale":2}},
    {"name":"at","type":{"type":"long","logicalType":"timestamp-micros"}},
    {"name":"tags","type":{"type":"array","items":"string"}},
    {"name":"counts","type":{"type":"map","values":"int"}},
    {"name":"level","type":{"type":"enum","name":"Level","symbols":["LOW","HIGH"]}},
    {"name":"raw","type":{"type":"fixed","name":"Raw","size":3}},
    {"name":"score","type":"double","default":0.5}]}"#;

const TEXT: &str = r#"{"id":9007199254740993,"name":"Zoë \"Q\"\n","total":"1662.65","at":"2023-11-14T22:13:20.123456Z","tags":["a","b"],"counts":{"x":1,"y":-2},"level":"HIGH","raw":"AP+A","score":1e-7}"#;

#[test]
fn what_is_written_is_read_back() {
    assert_eq!(same(TEXT, ORDER, JsonOptions::PLAIN).expect("runs"), TEXT);
    let avro = through(TEXT, (ORDER, JsonOptions::PLAIN), (ORDER, JsonOptions::AVRO)).expect("runs");
    assert_eq!(
        avro,
        "{\"id\":9007199254740993,\"name\":{\"string\":\"Zoë \\\"Q\\\"\\n\"},\"total\":\"\\u0002\u{89}y\",\
         \"at\":1700000000123456,\"tags\":[\"a\",\"b\"],\"counts\":{\"x\":1,\"y\":-2},\"level\":\"HIGH\",\
         \"raw\":\"\\u0000ÿ\u{80}\",\"score\":1e-7}"
    );
    assert_eq!(through(&avro, (ORDER, JsonOptions::AVRO), (ORDER, JsonOptions::PLAIN)).expect("runs"), TEXT);
    let numbers = JsonOptions::PLAIN.decimals(DecimalsAs::Number).times(TimesAs::Number).bytes(BytesAs::CodePoints);
    let text = through(TEXT, (ORDER, JsonOptions::PLAIN), (ORDER, numbers)).expect("runs");
    assert!(text.contains(r#""total":1662.65,"at":1700000000123456,"#), "{text}");
    assert_eq!(through(&text, (ORDER, numbers), (ORDER, JsonOptions::PLAIN)).expect("runs"), TEXT);
}

#[test]
fn through_avro_and_back() {
    for engine in both() {
        let order = schema(ORDER);
        let there =
            engine.transform(Endpoint::json(&order, JsonOptions::PLAIN), Endpoint::avro(&order)).expect("resolves");
        let back =
            engine.transform(Endpoint::avro(&order), Endpoint::json(&order, JsonOptions::PLAIN)).expect("resolves");
        let (mut avro, mut text) = (Vec::new(), Vec::new());
        there.run(TEXT.as_bytes(), &mut avro).expect("runs");
        assert_eq!(avro.last_chunk::<8>().map(|b| f64::from_le_bytes(*b)), Some(1e-7));
        back.run(&avro, &mut text).expect("runs");
        assert_eq!(String::from_utf8_lossy(&text), TEXT);
    }
}

#[test]
fn keys_come_in_any_order() {
    let shuffled = r#" { "score" : 1e-7 , "raw":"AP+A", "unknown": [{"a":[1,2,{"b":null}]}, "\u00e9"],
        "level":"HIGH","counts":{"x":1,"y":-2},"tags":["a","b"],"n\u0061me":"Zo\u00eb \"Q\"\n",
        "at":"2023-11-15T00:13:20.123456+02:00","total":1662.65,"id":9007199254740993 } "#;
    assert_eq!(same(shuffled, ORDER, JsonOptions::PLAIN).expect("runs"), TEXT);
    let refuse = JsonOptions::PLAIN.unknown_keys(Unknown::Refuse);
    assert_eq!(same(shuffled, ORDER, refuse).expect_err("unknown").kind(), ErrorKind::Key);
}

#[test]
fn keys_that_come_twice_or_not_at_all() {
    let of = r#"{"type":"record","name":"R","fields":[
        {"name":"a","type":"int"},{"name":"b","type":["null","int"]},{"name":"c","type":"int","default":7}]}"#;
    let text = r#"{"a":1,"b":2,"c":3,"a":4}"#;
    let plain = JsonOptions::PLAIN;
    assert_eq!(same(text, of, plain).expect_err("twice").kind(), ErrorKind::Key);
    assert_eq!(same(text, of, plain.duplicate_keys(Twice::First)).expect("runs"), r#"{"a":1,"b":2,"c":3}"#);
    assert_eq!(same(text, of, plain.duplicate_keys(Twice::Last)).expect("runs"), r#"{"a":4,"b":2,"c":3}"#);
    assert_eq!(same(r#"{"a":1}"#, of, plain).expect("runs"), r#"{"a":1,"b":null,"c":7}"#);
    assert_eq!(same(r#"{"a":1}"#, of, plain.missing_is_null(false)).expect_err("missing").kind(), ErrorKind::Key);
    assert_eq!(same(r#"{"b":1}"#, of, plain).expect_err("missing").kind(), ErrorKind::Key);
}

#[test]
fn untagged_unions_are_told_by_structure() {
    let of = r#"["null","int","long","double","boolean",{"type":"enum","name":"E","symbols":["A"]},"string",
        {"type":"array","items":"int"},
        {"type":"record","name":"P","fields":[{"name":"x","type":"int"}]},
        {"type":"record","name":"Q","fields":[{"name":"y","type":"int"},{"name":"z","type":"int","default":0}]},
        {"type":"map","values":"int"}]"#;
    for (text, tagged) in [
        ("null", "null"),
        ("1", r#"{"int":1}"#),
        ("3000000000", r#"{"long":3000000000}"#),
        ("1.0", r#"{"double":1.0}"#),
        ("10000000000000000000", r#"{"double":1e+19}"#),
        ("true", r#"{"boolean":true}"#),
        (r#""A""#, r#"{"E":"A"}"#),
        (r#""B""#, r#"{"string":"B"}"#),
        ("[1]", r#"{"array":[1]}"#),
        (r#"{"x":1}"#, r#"{"P":{"x":1}}"#),
        (r#"{"y":1}"#, r#"{"Q":{"y":1,"z":0}}"#),
        (r#"{"x":1,"y":2}"#, r#"{"map":{"x":1,"y":2}}"#),
    ] {
        let to = through(text, (of, JsonOptions::PLAIN), (of, JsonOptions::AVRO)).expect("runs");
        assert_eq!(to, tagged);
    }
    let e = through(r#"{"x":"s"}"#, (of, JsonOptions::PLAIN), (of, JsonOptions::AVRO)).expect_err("no int");
    assert_eq!(e.kind(), ErrorKind::Type, "{e}");
    let two = r#"["int",{"type":"array","items":"int"}]"#;
    assert_eq!(same(r#""s""#, two, JsonOptions::PLAIN).expect_err("neither").kind(), ErrorKind::Union);
}

#[test]
fn numbers_that_json_does_not_have() {
    let of = r#"{"type":"record","name":"R","fields":[
        {"name":"d","type":{"type":"array","items":"double"}},{"name":"f","type":["null","float"]}]}"#;
    let plain = JsonOptions::PLAIN;
    let (null, refuse) = (plain.specials(SpecialsAs::Null), plain.specials(SpecialsAs::Refuse));
    let text = r#"{"d":["NaN","Infinity","-Infinity",1.5],"f":"NaN"}"#;
    assert_eq!(same(text, of, plain).expect("runs"), text);
    let nulls = r#"{"d":[null,null,null,1.5],"f":null}"#;
    assert_eq!(through(text, (of, plain), (of, null)).expect("runs"), nulls);
    // Null of a type that has none is NaN.
    assert_eq!(through(nulls, (of, null), (of, plain)).expect("runs"), r#"{"d":["NaN","NaN","NaN",1.5],"f":null}"#);
    assert_eq!(same(r#"{"d":["NaN"]}"#, of, null).expect_err("a string").kind(), ErrorKind::Type);
    for (text, place) in [(r#"{"d":[1,"Infinity"]}"#, "$.d[]"), (r#"{"d":[],"f":"NaN"}"#, "$.f")] {
        let e = through(text, (of, plain), (of, refuse)).expect_err("none");
        assert_eq!((e.kind(), e.source_path()), (ErrorKind::Range, Some(place)), "{e}");
        assert!(e.to_string().contains("expected a finite number, found"), "{e}");
        assert_eq!(same(text, of, refuse).expect_err("a string").kind(), ErrorKind::Type);
    }
    assert_eq!(same(r#"{"d":[null]}"#, of, refuse).expect_err("null").kind(), ErrorKind::Type);
    // Where there is but one variant and it is no null, null is a number too.
    for (of, number) in [(r#"["double"]"#, "double"), (r#"["string","float"]"#, "float")] {
        let tagged = (of, JsonOptions::AVRO);
        assert_eq!(through("null", (of, null), tagged).expect("runs"), format!("{{\"{number}\":\"NaN\"}}"));
        assert_eq!(through(&format!("{{\"{number}\":\"NaN\"}}"), tagged, (of, null)).expect("runs"), "null");
    }
}

/// Fifteen kinds of bad JSON, each with line, column, path, what was expected and what was found.
#[test]
fn errors_say_where_and_what() {
    let of = r#"{"type":"record","name":"R","fields":[
        {"name":"a","type":"int"},{"name":"l","type":{"type":"array","items":"long"}},
        {"name":"e","type":{"type":"enum","name":"E","symbols":["A"]}},{"name":"b","type":"bytes"}]}"#;
    let whole = |part: &str| format!("{{\"a\":1,\n \"l\":[1],\n \"e\":\"A\",\n \"b\":\"AA==\"{part}\n}}");
    assert!(same(&whole(""), of, JsonOptions::PLAIN).is_ok());
    for (text, kind, place, path, expected, found) in [
        ("{\"a\":1,\n \"l\":[1,]}", ErrorKind::Syntax, (2, 9), "$", "a value", "`]`"),
        ("{\"a\":1,\n 'l':[1]}", ErrorKind::Syntax, (2, 2), "$", "a key in quotes", "`'`"),
        ("{\"a\" 1}", ErrorKind::Syntax, (1, 6), "$", "`:`", "1"),
        ("{\"a\":1 \"l\":2}", ErrorKind::Syntax, (1, 8), "$", "`,` or `}`", "the string \"l\""),
        ("{\"a\":01}", ErrorKind::Syntax, (1, 7), "$", "the end of the number", "1"),
        ("{\"a\":tru}", ErrorKind::Syntax, (1, 6), "$", "a value", "tru"),
        ("{\"a\":\"\u{1}\"}", ErrorKind::Syntax, (1, 7), "$", "no control characters", "0x01"),
        ("{\"a\":\"\\x\"}", ErrorKind::Syntax, (1, 7), "$", "an escape", "`\\`"),
        ("{\"a\":\"\\ud800\"}", ErrorKind::Utf8, (1, 7), "$", "a low surrogate", "`\\`"),
        ("{\"a\":1,\n\"l\":[1", ErrorKind::Truncated, (2, 7), "$", "`,` or `]`", "the input ends"),
        (
            "{\"a\":\"é\", \"l\":[], \"e\":\"A\", \"b\":\"\"}",
            ErrorKind::Type,
            (1, 6),
            "$.a",
            "an integer",
            "the string \"é\"",
        ),
        (
            "{\"a\":3000000000, \"l\":[], \"e\":\"A\", \"b\":\"\"}",
            ErrorKind::Range,
            (1, 6),
            "$.a",
            "32 bits",
            "3000000000",
        ),
        ("{\"a\":1, \"l\":[1,\n2.5], \"e\":\"A\", \"b\":\"\"}", ErrorKind::Type, (2, 1), "$.l[]", "an integer", "2.5"),
        ("{\"a\":1, \"l\":[], \"e\":\"X\", \"b\":\"\"}", ErrorKind::Enum, (1, 23), "$.e", "a symbol", "\"X\""),
        ("{\"a\":1, \"l\":[], \"e\":\"A\", \"b\":\"?\"}", ErrorKind::Type, (1, 30), "$.b", "base64", "\"?\""),
        ("{\"a\":1, \"l\":[], \"e\":\"A\"}", ErrorKind::Key, (1, 21), "$.b", "missing", ""),
        ("{\"a\":1, \"a\":2}", ErrorKind::Key, (1, 9), "$", "met before", "the string \"a\""),
    ] {
        let e = same(text, of, JsonOptions::PLAIN).expect_err(text);
        let message = e.to_string();
        assert_eq!(e.kind(), kind, "{text}: {message}");
        assert_eq!(e.source_path(), Some(path), "{text}: {message}");
        assert!(message.contains(expected) && message.contains(found), "{text}: {message}");
        if kind != ErrorKind::Enum && !message.contains("missing") {
            assert_eq!(e.line_and_column(), Some(place), "{text}: {message}");
        }
        assert!(message.contains(", line "), "{message}");
    }
}

#[test]
fn both_tiers_run() {
    for (i, engine) in both().into_iter().enumerate() {
        let order = schema(ORDER);
        let t = engine.transform(Endpoint::json(&order, JsonOptions::PLAIN), Endpoint::avro(&order)).expect("resolves");
        assert_tier(i, &t);
        let t = engine.transform(Endpoint::avro(&order), Endpoint::json(&order, JsonOptions::PLAIN)).expect("resolves");
        assert_tier(i, &t);
    }
}
