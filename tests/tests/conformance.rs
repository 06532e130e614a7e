//! Every conformance case through the engine: exact bytes and consumed count, or phase and class of the error.

use reschema::{Endpoint, Engine, Error, Limits, PassSet, ResolutionRules, Schema, UnionMatch};
use reschema_tests::cases::{self, Case, hex};
use serde_json::Value;

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

fn answer(case: &Case, passes: PassSet, many: bool) -> Result<(String, usize), Error> {
    let writer = Schema::parse(case.text("writer"))?;
    let reader = Schema::parse(case.text("reader"))?;
    let transform = engine(&case.json, passes).transform(Endpoint::avro(&writer), Endpoint::avro(&reader))?;
    let input = case.input();
    let mut out = b"kept".to_vec();
    let consumed = if many {
        transform.run_many(&input, 1, &mut out).map(|d| d.consumed)
    } else {
        transform.run(&input, &mut out)
    };
    assert!(out.starts_with(b"kept"));
    if consumed.is_err() {
        assert_eq!(out, b"kept", "{}: an error leaves the output as it was", case.id);
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
    let cases = cases::all();
    let mut wrong = Vec::new();
    for case in &cases {
        if let Some(why) = judge(&case.json, &answer(case, passes, many)) {
            wrong.push(format!("{} ({}): {why}", case.id, case.text("title")));
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
