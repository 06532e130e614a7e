//! The third opinion is right itself: every conformance case, with the classes that the cases accept.

use reschema_tests::naive::{Pair, Policy, Refusal};
use serde_json::Value;

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hex")).collect()
}

fn answer(case: &Value) -> Result<(Vec<u8>, usize), Refusal> {
    let policy = Policy {
        first_match: case["policy"]["union"] == "first",
        max_depth: case["policy"]["max_depth"].as_u64().map_or(64, |n| n as u32),
        zero_cap: case["policy"]["zero_cap"].as_u64().unwrap_or(16 << 20),
    };
    let text = |key: &str| case[key].as_str().expect("text");
    Pair::new(text("writer"), text("reader"), &policy)?.run(&unhex(text("in")))
}

#[test]
fn conformance() {
    let mut cases = 0;
    for file in ["visible.jsonl", "random_visible.jsonl"] {
        let path = format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"));
        for line in std::fs::read_to_string(&path).expect("cases").lines() {
            let case: Value = serde_json::from_str(line).expect("a case");
            cases += 1;
            match answer(&case) {
                Ok((out, consumed)) => {
                    assert_eq!(Some(unhex(case["out"].as_str().unwrap_or("-"))), Some(out), "{}", case["id"]);
                    assert_eq!(case["consumed"].as_u64(), Some(consumed as u64), "{}", case["id"]);
                }
                Err(r) => {
                    let want = &case["error"];
                    assert_eq!(want["class"], r.class, "{}: {r:?}", case["id"]);
                    assert_eq!(want["phase"] == "resolve", r.resolve, "{}", case["id"]);
                }
            }
        }
    }
    assert!(cases > 2500);
}
