//! The public corpus of JSON: what is JSON is accepted, what is none is refused, on both tiers.

use reschema::json::JsonOptions;
use reschema::{Endpoint, Engine, Schema, Transform};
use reschema_tests::corpus;
use reschema_tests::engines::both;
use std::path::PathBuf;

/// Transforms that pass over a value of any kind: a key that the schema does not have.
fn skips(engine: &Engine) -> Transform {
    let none = Schema::parse(r#"{"type":"record","name":"R","fields":[]}"#).expect("a schema");
    engine.transform(Endpoint::json(&none, JsonOptions::PLAIN), Endpoint::avro(&none)).expect("resolves")
}

fn accepts(t: &Transform, value: &[u8]) -> bool {
    let text = [b"{\"x\":".as_slice(), value, b"}"].concat();
    t.run(&text, &mut Vec::new()).is_ok_and(|n| n == text.len())
}

fn files(folder: PathBuf) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    let mut files: Vec<_> = entries
        .filter(|e| e.path().is_file())
        .map(|e| (e.file_name().to_string_lossy().into_owned(), std::fs::read(e.path()).expect("a file")))
        .collect();
    files.sort();
    files
}

#[test]
fn json_test_suite() {
    let Some(root) = corpus::root("json_test_suite") else { return };
    let tiers = both().map(|e| skips(&e));
    let (mut yes, mut no, mut either) = (0, 0, Vec::new());
    for (name, text) in files(root.join("json/JSONTestSuite/test_parsing")) {
        let answers = tiers.each_ref().map(|t| accepts(t, &text));
        assert_eq!(answers[0], answers[1], "{name}");
        match name.as_bytes().first() {
            Some(b'y') => {
                assert!(answers[0], "{name} is JSON");
                yes += 1;
            }
            Some(b'n') => {
                assert!(!answers[0], "{name} is no JSON");
                no += 1;
            }
            _ => either.push((name, answers[0])),
        }
    }
    println!("{yes} accepted, {no} refused; either:");
    for (name, accepted) in &either {
        println!("  {} {name}", if *accepted { "accepted" } else { "refused " });
    }
    assert!(yes >= 90 && no >= 180 && either.len() >= 30, "{yes} {no} {}", either.len());
}

#[test]
fn large_documents_are_json() {
    let Some(root) = corpus::root("large_documents_are_json") else { return };
    for t in both().map(|e| skips(&e)) {
        for name in ["citm_catalog.json", "canada.json", "eishay.json"] {
            assert!(accepts(&t, &std::fs::read(root.join("json").join(name)).expect("a file")), "{name}");
        }
    }
}

/// Roundtrip texts, as values of a type that holds them.
#[test]
fn roundtrip_texts() {
    let Some(root) = corpus::root("roundtrip_texts") else { return };
    let plain = r#"{"type":"array","items":["null","boolean","long","double","string",
        {"type":"array","items":["null","long"]},{"type":"map","values":["null","long","boolean",
        {"type":"map","values":["null","long"]},{"type":"array","items":"long"}]}]}"#;
    let schema = Schema::parse(plain).expect("a schema");
    let mut same = 0;
    let texts = files(root.join("json/roundtrip"));
    for engine in both() {
        let json = || Endpoint::json(&schema, JsonOptions::PLAIN);
        let there = engine.transform(json(), Endpoint::avro(&schema)).expect("resolves");
        let back = engine.transform(Endpoint::avro(&schema), json()).expect("resolves");
        for (name, text) in &texts {
            let (mut avro, mut again) = (Vec::new(), Vec::new());
            if there.run(text, &mut avro).is_err() {
                continue;
            }
            back.run(&avro, &mut again).expect("runs");
            let (a, b): (serde_json::Value, serde_json::Value) =
                (serde_json::from_slice(text).expect("JSON"), serde_json::from_slice(&again).expect("JSON"));
            assert_eq!(a, b, "{name}");
            same += 1;
        }
    }
    println!("{same} of {} texts on two tiers come back", 2 * texts.len());
    assert!(same >= 40, "{same}");
}
