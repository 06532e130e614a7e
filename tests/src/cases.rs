//! The conformance cases: `tests/data/*.jsonl`, and further files named by `RESCHEMA_MORE_CASES`, separated by `:`.

use serde_json::Value;

/// The files of `tests/data`.
pub const FILES: [&str; 2] = ["visible.jsonl", "random_visible.jsonl"];

/// Of so many lines one is taken: Miri needs seconds for some of them.
const STEP: usize = if cfg!(miri) { 101 } else { 1 };

/// A case: schemas, policy, input, and the right answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// Kind and number.
    pub id: String,
    /// The line of the file.
    pub json: Value,
}

impl Case {
    /// A text of the case; empty if it has none of that name.
    pub fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap_or("")
    }

    /// The input.
    pub fn input(&self) -> Vec<u8> {
        unhex(self.text("in"))
    }
}

/// The cases of [`FILES`] alone.
///
/// # Panics
///
/// When a file is missing or a line is not a case.
pub fn own() -> Vec<Case> {
    paths().iter().flat_map(|p| file(p)).collect()
}

fn paths() -> Vec<String> {
    FILES.iter().map(|f| format!("{}/data/{f}", env!("CARGO_MANIFEST_DIR"))).collect()
}

/// Every case of every file.
///
/// # Panics
///
/// When a file is missing or a line is not a case.
pub fn all() -> Vec<Case> {
    let mut paths = paths();
    if let Ok(more) = std::env::var("RESCHEMA_MORE_CASES") {
        paths.extend(more.split(':').map(String::from));
    }
    let cases: Vec<Case> = paths.iter().flat_map(|p| file(p)).collect();
    assert!(cases.len() > 2500 / STEP, "only {} cases", cases.len());
    cases
}

fn file(path: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let case = |line: &str| {
        let json: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{path}: {e}"));
        Case { id: json["id"].as_str().expect("an id").to_string(), json }
    };
    text.lines().step_by(STEP).map(case).collect()
}

/// Bytes of hexadecimal text.
///
/// # Panics
///
/// When it is none.
pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hex")).collect()
}

/// Hexadecimal text of bytes.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
