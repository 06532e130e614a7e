//! The third opinion is right itself: every conformance case, with exactly the classes that the cases accept.

use reschema_tests::cases::{self, Case, hex};
use reschema_tests::naive::{Pair, Policy, Refusal};
use std::collections::BTreeSet;

fn answer(case: &Case) -> Result<(Vec<u8>, usize), Refusal> {
    let policy = &case.json["policy"];
    let policy = Policy {
        first_match: policy["union"] == "first",
        max_depth: policy["max_depth"].as_u64().map_or(64, |n| n as u32),
        zero_cap: policy["zero_cap"].as_u64().unwrap_or(16 << 20),
    };
    Pair::new(case.text("writer"), case.text("reader"), &policy)?.run(&case.input())
}

/// The answer as the file spells it.
fn spelled(answer: Result<(Vec<u8>, usize), Refusal>) -> String {
    match answer {
        Ok((out, consumed)) => format!("{consumed} {}", hex(&out)),
        Err(mut refusal) => {
            refusal.also.remove(refusal.class);
            let phase = if refusal.resolve { "resolve" } else { "data" };
            format!("{phase} {} {:?}", refusal.class, refusal.also)
        }
    }
}

fn expected(case: &Case) -> String {
    let error = &case.json["error"];
    if error.is_null() {
        return format!("{} {}", case.json["consumed"], case.text("out"));
    }
    let text = |key: &str| error[key].as_str().expect("text");
    let also: BTreeSet<&str> = error["also"].as_array().into_iter().flatten().filter_map(|a| a.as_str()).collect();
    format!("{} {} {also:?}", text("phase"), text("class"))
}

#[test]
fn conformance() {
    let cases = cases::all();
    let mut wrong = Vec::new();
    for case in &cases {
        let (want, got) = (expected(case), spelled(answer(case)));
        if want != got {
            wrong.push(format!("{}: want {want}, got {got}", case.id));
        }
    }
    println!("{} cases, {} wrong", cases.len(), wrong.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
}
