//! Resolution against the conformance data: which pairs resolve, and the class of error of those that do not.
//!
//! The data come from an independent model of the specification, so this test knows nothing of how resolution works.

use std::path::PathBuf;

use reschema_schema::Schema;
use reschema_schema::resolve::{ResolutionRules, UnionMatch, resolve};
use serde_json::Value;

fn cases(file: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// "resolved", or the class of the error.
fn outcome(case: &Value) -> String {
    let schema = |key: &str| Schema::parse(case[key].as_str().unwrap());
    let (Ok(writer), Ok(reader)) = (schema("writer"), schema("reader")) else { return "schema".to_owned() };
    let union_match = match case["policy"]["union"].as_str() {
        Some("first") => UnionMatch::FirstMatch,
        _ => UnionMatch::ExactFirst,
    };
    match resolve(&writer, &reader, &ResolutionRules::default().union_match(union_match)) {
        Ok(_) => "resolved".to_owned(),
        Err(e) => e.class().to_owned(),
    }
}

fn acceptable(case: &Value) -> Vec<String> {
    let error = &case["error"];
    if error["phase"] != "resolve" {
        return vec!["resolved".to_owned()];
    }
    let also = error["also"].as_array().into_iter().flatten();
    also.chain([&error["class"]]).map(|c| c.as_str().unwrap().to_owned()).collect()
}

fn run(file: &str, least: usize) {
    let cases = cases(file);
    assert!(cases.len() >= least, "{file} holds {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let (got, want) = (outcome(case), acceptable(case));
        if !want.contains(&got) {
            wrong.push(format!("{}: expected {want:?}, found {got} ({})", case["id"], case["title"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn designed_cases() {
    run("visible.jsonl", 500);
}

#[test]
fn random_cases() {
    run("random_visible.jsonl", 1_500);
}
