//! Inferred schemas: what becomes of what, and that JSON read under its inferred schema comes back.

use reschema::json::JsonOptions;
use reschema::json::infer::{InferErrorKind, InferOptions, Inference, Inferrer, TopArray, infer};
use reschema::{Endpoint, Schema};
use reschema_tests::corpus;
use reschema_tests::engines::both;
use serde_json::{Map, Value};

fn inferred(text: &str, options: InferOptions) -> Inference {
    infer(text.as_bytes(), &options).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn avsc(found: &Inference) -> String {
    found.schema.to_avro_json().expect("a schema of Avro's").to_string()
}

fn schema_of(text: &str) -> String {
    avsc(&inferred(text, InferOptions::default()))
}

/// Values as they compare: numbers as numbers, keys in order, null where a key is missing.
fn alike(a: &Value, b: &Value) -> bool {
    let null = &Value::Null;
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            _ => a.as_f64() == b.as_f64(),
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            let same = |key: &String| alike(a.get(key).unwrap_or(null), b.get(key).unwrap_or(null));
            a.keys().chain(b.keys()).all(same)
        }
        _ => a == b,
    }
}

/// Keys that are in one and not in the other.
fn keys(of: &Value) -> usize {
    match of {
        Value::Array(items) => items.iter().map(keys).sum(),
        Value::Object(entries) => entries.len() + entries.values().map(keys).sum::<usize>(),
        _ => 0,
    }
}

/// Reads values under a schema to Avro and back on both tiers; they must be the same. Returns what came back.
fn comes_back(text: &[u8], values: u64, schema: &Schema) -> Vec<Value> {
    let json = || Endpoint::json(schema, JsonOptions::PLAIN.ending(reschema::json::Ending::Newline));
    let mut results = both().map(|engine| {
        let there = engine.transform(json(), Endpoint::avro(schema)).expect("resolves");
        let back = engine.transform(Endpoint::avro(schema), json()).expect("resolves");
        let (mut avro, mut again) = (Vec::new(), Vec::new());
        there.run_many(text, values, &mut avro).unwrap_or_else(|e| panic!("{e}"));
        back.run_many(avro.as_slice(), values, &mut again).expect("runs");
        again
    });
    assert_eq!(results[0], results[1]);
    let again = std::mem::take(&mut results[0]);
    let parse = |text: &[u8]| -> Vec<Value> {
        serde_json::Deserializer::from_slice(text).into_iter().map(|v| v.expect("JSON")).collect()
    };
    let (before, after) = (parse(text), parse(&again));
    assert_eq!(before.len() as u64, values);
    assert_eq!(before.len(), after.len());
    for (a, b) in before.iter().zip(&after) {
        if !alike(a, b) {
            panic!("{}", difference(a, b, "$").unwrap_or_default());
        }
    }
    after
}

fn difference(a: &Value, b: &Value, path: &str) -> Option<String> {
    match (a, b) {
        _ if alike(a, b) => None,
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            x.iter().zip(y).find_map(|(x, y)| difference(x, y, &format!("{path}[]")))
        }
        (Value::Object(x), Value::Object(y)) => {
            let all: Map<String, Value> = x.clone().into_iter().chain(y.clone()).collect();
            all.keys().find_map(|k| {
                let (x, y) = (x.get(k).unwrap_or(&Value::Null), y.get(k).unwrap_or(&Value::Null));
                difference(x, y, &format!("{path}.{k}"))
            })
        }
        _ => Some(format!("{path}: {a} {b}")),
    }
}

#[test]
fn what_becomes_of_what() {
    for (text, want) in [
        ("1", r#""long""#),
        ("1 2.5", r#""double""#),
        ("9007199254740993 2.5", r#"["long","double"]"#),
        ("18446744073709551615", r#""double""#),
        ("-9223372036854775808", r#""long""#),
        ("true null", r#"["null","boolean"]"#),
        ("null", r#""null""#),
        (r#""a""#, r#""string""#),
        ("[]", r#"{"type":"array","items":"null"}"#),
        ("[[]] [[1]]", r#"{"type":"array","items":{"type":"array","items":"long"}}"#),
        (r#"[1,"a",null] [true]"#, r#"{"type":"array","items":["null","boolean","long","string"]}"#),
        // The items of the one array are the values.
        ("[1,2,3]", r#""long""#),
        (r#"[{"a":1},{"a":2}]"#, r#"{"type":"record","name":"Record","fields":[{"name":"a","type":"long"}]}"#),
        ("{}", r#"{"type":"map","values":"null"}"#),
        (r#"{"1":true,"2":false}"#, r#"{"type":"map","values":"boolean"}"#),
        (r#"{"first-name":"a","x":1}"#, r#"{"type":"map","values":["long","string"]}"#),
        (
            r#"{"a":1} {"b":"x"}"#,
            r#"{"type":"record","name":"Record","fields":[{"name":"a","type":["null","long"],"default":null},{"name":"b","type":["null","string"],"default":null}]}"#,
        ),
        (
            r#"{"a":{"a":{"x":1}},"b_c":[{"a":{"y":2}}]}"#,
            concat!(
                r#"{"type":"record","name":"Record","fields":["#,
                r#"{"name":"a","type":{"type":"record","name":"A","fields":[{"name":"a","type":"#,
                r#"{"type":"record","name":"AA","fields":[{"name":"x","type":"long"}]}}]}},"#,
                r#"{"name":"b_c","type":{"type":"array","items":{"type":"record","name":"BCItem","fields":["#,
                r#"{"name":"a","type":{"type":"record","name":"BCItemA","fields":[{"name":"y","type":"long"}]}}]}}}]}"#
            ),
        ),
        (r#"{"a":1} 2"#, r#"["long",{"type":"record","name":"Record","fields":[{"name":"a","type":"long"}]}]"#),
    ] {
        assert_eq!(schema_of(text), want, "{text}");
    }
    let whole = InferOptions::default().top_array(TopArray::Value);
    assert_eq!(avsc(&inferred("[1]", whole)), r#"{"type":"array","items":"long"}"#);
}

#[test]
fn dictionaries_are_maps() {
    // Few of many keys in each object.
    let rows: String =
        (0..200).map(|i| format!(r#"{{"words":{{"w{}":{i},"w{}":1}}}}"#, i % 60, (i * 7) % 50)).collect();
    let found = inferred(&rows, InferOptions::default());
    assert!(avsc(&found).contains(r#"{"type":"map","values":"long"}"#), "{}", avsc(&found));
    assert!(found.certainty.to_string().contains("many keys of one kind: a map"), "{}", found.certainty);
    // All of them in each: columns.
    let row = format!("{{{}}}", (0..150).map(|i| format!(r#""c{i}":{i}"#)).collect::<Vec<_>>().join(","));
    assert!(schema_of(&row.repeat(3)).contains(r#""name":"c149""#));
    // Of several kinds: fields that are mostly missing.
    let rows: String = (0..200)
        .map(|i| match i % 2 {
            0 => format!(r#"{{"w{}":{i}}}"#, i % 60),
            _ => format!(r#"{{"w{}":"x"}}"#, i % 60),
        })
        .collect();
    assert!(schema_of(&rows).contains(r#""type":"record""#));
    // More keys than are kept apart, and than places.
    let many: String = (0..5000).map(|i| format!(r#"{{"k{i}":{{"x":{i},"y":[{i}]}}}}"#)).collect();
    let map = |o: InferOptions| avsc(&inferred(&many, o));
    for found in [map(InferOptions::default()), map(InferOptions::default().max_places(100).max_keys(1 << 20))] {
        assert!(found.starts_with(r#"{"type":"map","values":{"#) && found.len() < 300, "{found}");
    }
    comes_back(many.as_bytes(), 5000, &inferred(&many, InferOptions::default()).schema);
}

#[test]
fn names_are_unique_valid_and_stable() {
    let text = r#"{"x":{"item":{"a":1}},"y":{"item":{"b":1}},"Item":{"c":{"item":{"d":1}}},"xItem":{"e":1},
        "__":{"f":1},"ä":1}"#;
    let lenient = InferOptions::default().lenient_names(true).name("my data");
    let found = inferred(text, lenient.clone());
    assert_eq!(avsc(&found), avsc(&inferred(text, lenient)));
    let mut names: Vec<String> =
        found.schema.types().iter().filter_map(|t| t.shape.naming().map(|n| n.name.to_string())).collect();
    assert!(names.contains(&"MyData".to_string()) && names.len() == 10, "{names:?}");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 10, "{names:?}");
    comes_back(text.as_bytes(), 1, &found.schema);
}

#[test]
fn logical_types_by_option() {
    let row = |i: u32| {
        format!(
            r#"{{"day":"2024-02-{:02}","at":"2024-02-01T10:00:00.{i:03}Z","us":"2024-02-01T10:00:00.000{i:03}",
                "id":"123e4567-e89b-12d3-a456-42661417{i:04}","price":"{i}.50","mixed":"{}","level":"{}"}}"#,
            i % 28 + 1,
            if i.is_multiple_of(2) { "2024-02-01" } else { "x" },
            if i.is_multiple_of(2) { "LOW" } else { "HIGH" },
        )
    };
    let text: String = (0..50).map(row).collect();
    let plain = inferred(&text, InferOptions::default());
    assert!(!avsc(&plain).contains("logicalType"));
    let told = plain.certainty.to_string();
    for hint in
        ["dates", "time stamps:", "time stamps without zone", "UUIDs", "decimals", "perhaps an enum of HIGH, LOW"]
    {
        assert!(told.contains(hint), "{hint}: {told}");
    }
    let logical = inferred(&text, InferOptions::default().logical_types(true));
    for part in [
        r#"{"type":"int","logicalType":"date"}"#,
        r#"{"type":"long","logicalType":"timestamp-millis"}"#,
        r#"{"type":"long","logicalType":"local-timestamp-micros"}"#,
        r#"{"type":"string","logicalType":"uuid"}"#,
        r#"{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}"#,
        r#"{"name":"mixed","type":"string"}"#,
    ] {
        assert!(avsc(&logical).contains(part), "{part}: {}", avsc(&logical));
    }
    // These are spelled as we spell them.
    comes_back(text.as_bytes(), 50, &logical.schema);
    comes_back(text.as_bytes(), 50, &plain.schema);
}

#[test]
fn how_sure_it_is() {
    let text = r#"{"a":1,"b":null,"c":[]} {"a":3000000000,"b":1.5,"a":7} {"a":-1,"c":[1,2.5,"x"]}"#;
    let found = inferred(text, InferOptions::default());
    let place = |path: &str| found.certainty.place(path).unwrap_or_else(|| panic!("{path}"));
    let a = place("$.a");
    assert_eq!((a.seen, a.present, a.missing, a.integers, a.fits_int), (4, 3, 0, 4, false));
    assert_eq!(a.integer_range, Some((-1, 3_000_000_000)));
    let b = place("$.b");
    assert_eq!((b.nulls, b.missing, b.fractions, b.fraction_range), (1, 1, 1, Some((1.5, 1.5))));
    assert_eq!((place("$.c").arrays, place("$.c").missing), ((2, 1), 1));
    assert_eq!(place("$.c[]").kind, "double or string");
    assert!(place("$").hints[0].contains("keys come twice in an object"));
    let lines = found.certainty.to_string();
    assert!(
        lines.contains("$.b: null or double; 2 seen, missing in 1 of 3: 1 null, 1 fraction (1.5e0 to 1.5e0)"),
        "{lines}"
    );
    let json: Value = serde_json::from_str(&found.certainty.to_json()).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(5));
    assert_eq!(json[1]["integer_range"], serde_json::json!([-1, 3_000_000_000i64]));
}

#[test]
fn bad_input_is_told_with_its_place() {
    let infer = |text: &[u8], options: &InferOptions| infer(text, options).expect_err("bad");
    let plain = InferOptions::default();
    for (text, place) in [
        (&b"{\"a\":1}\n{\"a\":}"[..], (2, 6)),
        (b"{\"a\":1", (1, 6)),
        (b"[1,]", (1, 4)),
        (b"\"\xff\"", (1, 2)),
        (b"1e400", (1, 5)),
        (b"nul", (1, 3)),
        (b"1 }", (1, 3)),
    ] {
        let e = infer(text, &plain);
        assert_eq!((e.kind(), e.line_and_column()), (InferErrorKind::Data, Some(place)), "{text:?}: {e}");
        assert!(e.to_string().starts_with("line "), "{e}");
    }
    assert_eq!(infer(b" \n", &plain).kind(), InferErrorKind::Empty);
    let deep = [b"[".repeat(65), b"]".repeat(65)].concat();
    let e = infer(&deep, &plain);
    assert!(e.to_string().contains("more than 64 levels") && e.line_and_column().is_some(), "{e}");
    let very = b"[".repeat(1 << 20);
    assert_eq!(infer(&very, &plain.clone().max_depth(1000)).kind(), InferErrorKind::Data);
    // A schema takes several levels for one of the data.
    let text = [br#"{"a":"#.repeat(100), b"1".to_vec(), b"}".repeat(100)].concat();
    assert_eq!(infer(&text, &plain.clone().max_depth(120)).kind(), InferErrorKind::Schema);
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::ConnectionReset.into())
        }
    }
    let e = reschema::json::infer::infer(Broken, &plain).expect_err("broken");
    assert_eq!(e.kind(), InferErrorKind::Io);
}

#[test]
fn from_several_inputs() {
    let mut all = Inferrer::new(&InferOptions::default());
    for part in [r#"{"a":1}"#, "", r#"{"a":null}"#] {
        all.read(part.as_bytes()).expect("JSON");
    }
    let found = all.finish().expect("values");
    assert!(avsc(&found).contains(r#"{"name":"a","type":["null","long"],"default":null}"#));
}

#[test]
fn large_documents_come_back() {
    let Some(root) = corpus::root("large_documents_come_back") else { return };
    for (name, types) in [("citm_catalog.json", 7), ("canada.json", 4), ("eishay.json", 3)] {
        let text = std::fs::read(root.join("json").join(name)).expect("a file");
        let found = infer(text.as_slice(), &InferOptions::default()).expect("a schema");
        println!("{name}: {}\n{}", avsc(&found), found.certainty);
        let records = found.schema.types().iter().filter(|t| t.shape.naming().is_some()).count();
        assert_eq!(records, types, "{name}");
        let after = comes_back(&text, 1, &found.schema);
        // Keys that were missing are null now, and no others.
        let before: Value = serde_json::from_slice(&text).expect("JSON");
        let missing: u64 = found.certainty.places().iter().map(|p| p.missing).sum();
        assert_eq!(keys(&after[0]) as u64, keys(&before) as u64 + missing, "{name}");
    }
}
