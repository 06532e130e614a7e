//! Every conformance case through the engine: exact bytes and consumed count, or phase and class of the error.

use reschema::{Endpoint, Engine, Error, Limits, PassSet, ResolutionRules, Schema, UnionMatch};
use serde_json::Value;

const FILES: &[&str] = &["visible.jsonl", "random_visible.jsonl"];

struct Case {
    id: String,
    json: Value,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut paths: Vec<String> = FILES.iter().map(|f| format!("{}/data/{f}", env!("CARGO_MANIFEST_DIR"))).collect();
    // Further case files, separated by `:`.
    if let Ok(more) = std::env::var("RESCHEMA_MORE_CASES") {
        paths.extend(more.split(':').map(String::from));
    }
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        for line in text.lines() {
            let json: Value = serde_json::from_str(line).expect("a case is JSON");
            cases.push(Case { id: json["id"].as_str().expect("id").to_string(), json });
        }
    }
    assert!(cases.len() > 2500, "only {} cases", cases.len());
    cases
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hex")).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn engine(case: &Value, passes: PassSet) -> Engine {
    let policy = &case["policy"];
    let mut limits = Limits::default();
    if let Some(depth) = policy["max_depth"].as_u64() {
        limits = limits.depth(depth as u32);
    }
    if let Some(cap) = policy["zero_cap"].as_u64() {
        limits = limits.zero_size_items(cap);
    }
    let rules = match policy["union"].as_str() {
        Some("first") => ResolutionRules::default().union_match(UnionMatch::FirstMatch),
        _ => ResolutionRules::default(),
    };
    Engine::builder().limits(limits).rules(rules).passes(passes).build().expect("an engine")
}

fn answer(case: &Value, passes: PassSet, many: bool) -> Result<(String, usize), Error> {
    let writer = Schema::parse(case["writer"].as_str().expect("writer"))?;
    let reader = Schema::parse(case["reader"].as_str().expect("reader"))?;
    let transform = engine(case, passes).transform(Endpoint::avro(&writer), Endpoint::avro(&reader))?;
    let input = unhex(case["in"].as_str().expect("in"));
    let mut out = b"kept".to_vec();
    let consumed = if many {
        transform.run_many(&input, 1, &mut out).map(|d| d.consumed)
    } else {
        transform.run(&input, &mut out)
    };
    assert!(out.starts_with(b"kept"));
    if consumed.is_err() {
        assert_eq!(out, b"kept", "{}: an error leaves the output as it was", case["id"]);
    }
    Ok((hex(&out[4..]), consumed?))
}

/// Why an answer is not the right one.
fn judge(case: &Value, got: &Result<(String, usize), Error>) -> Option<String> {
    match (got, case["out"].as_str(), &case["error"]) {
        (Ok((out, consumed)), Some(want), _) => {
            let right = out == want && Some(*consumed as u64) == case["consumed"].as_u64();
            (!right).then(|| format!("want {want} {}, got {out} {consumed}", case["consumed"]))
        }
        (Err(e), None, want) => {
            let phase = if e.kind().is_resolve() { "resolve" } else { "data" };
            let class = e.kind().as_str();
            let also = want["also"].as_array().is_some_and(|a| a.iter().any(|c| c == class));
            let right = want["phase"] == phase && (want["class"] == class || also);
            (!right).then(|| format!("want {want}, got {phase} {class}: {e}"))
        }
        (Ok(got), None, want) => Some(format!("want {want}, got {got:?}")),
        (Err(e), Some(want), _) => Some(format!("want {want}, got {e:?}")),
    }
}

fn run_all(passes: PassSet, many: bool) {
    let cases = cases();
    let mut wrong = Vec::new();
    for case in &cases {
        if let Some(why) = judge(&case.json, &answer(&case.json, passes, many)) {
            wrong.push(format!("{} ({}): {why}", case.id, case.json["title"].as_str().unwrap_or("")));
        }
    }
    println!("{} cases, {} wrong", cases.len(), wrong.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
}

#[test]
fn all_passes() {
    run_all(PassSet::all(), false);
}

#[test]
fn as_batches_of_one() {
    run_all(PassSet::all(), true);
}

#[test]
fn no_passes() {
    run_all(PassSet::none(), false);
}

#[test]
fn each_pass_off() {
    for name in PassSet::NAMES {
        println!("without {name}");
        run_all(PassSet::all().without(name), false);
    }
}
