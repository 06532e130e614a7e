//! Schema texts out of bytes: the text itself, or, behind a byte 1, a generated one and edits of its tokens. Text that
//! is damaged byte by byte seldom stays JSON; edits keep its brackets.

use super::Choices;
use crate::random::case_set;

/// What marks a generated text; no JSON begins with it.
pub(super) const GENERATED: u8 = 1;
/// Edits that are made at most.
const EDITS: usize = 12;

/// Tokens that mean something, and some that are wrong in a telling way.
const WORDS: &[&str] = &[
    "\"null\"",
    "\"boolean\"",
    "\"int\"",
    "\"long\"",
    "\"float\"",
    "\"double\"",
    "\"bytes\"",
    "\"string\"",
    "\"record\"",
    "\"error\"",
    "\"enum\"",
    "\"fixed\"",
    "\"array\"",
    "\"map\"",
    "\"type\"",
    "\"name\"",
    "\"namespace\"",
    "\"aliases\"",
    "\"doc\"",
    "\"fields\"",
    "\"symbols\"",
    "\"items\"",
    "\"values\"",
    "\"size\"",
    "\"default\"",
    "\"order\"",
    "\"logicalType\"",
    "\"precision\"",
    "\"scale\"",
    "\"decimal\"",
    "\"uuid\"",
    "\"date\"",
    "\"duration\"",
    "\"timestamp-millis\"",
    "\"time-micros\"",
    "\"descending\"",
    "\"ignore\"",
    "\"\"",
    "\"a.b\"",
    "\".a\"",
    "\"a.\"",
    "\"f0\"",
    "\"f1\"",
    "\"S0\"",
    "\"S1\"",
    "\"é\"",
    "\"\\u0000\"",
    "\"NaN\"",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1",
    "2",
    "12",
    "16",
    "1e3",
    "1.5",
    "-0",
    "2147483648",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "1e400",
    "{}",
    "[]",
    "[\"null\",\"int\"]",
    "{\"a\":1}",
    "{\"type\":\"int\"}",
    "[\"a\"]",
];

/// Two texts, separated by a byte 0, or a generated pair. `None`: not text.
pub(super) fn pair(data: &[u8]) -> Option<(String, String, &[u8])> {
    if data.first() == Some(&GENERATED) {
        let mut choices = Choices(&data[1..]);
        let set = case_set(choices.number() as u64, 0);
        let (first, rest) = halves(choices.rest());
        return Some((edited(&set.writer, first), edited(&set.reader, rest), rest));
    }
    let mut parts = data.splitn(3, |b| *b == 0);
    let (writer, reader) = (parts.next()?, parts.next()?);
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(String::from);
    Some((text(writer)?, text(reader)?, parts.next().unwrap_or(&[])))
}

/// Several texts, separated by bytes 0, or one that is generated.
pub(super) fn several(data: &[u8]) -> Option<Vec<String>> {
    if data.first() == Some(&GENERATED) {
        let mut choices = Choices(&data[1..]);
        let set = case_set(choices.number() as u64, 0);
        return Some(vec![edited(&set.writer, choices.rest())]);
    }
    data.split(|b| *b == 0).map(|t| std::str::from_utf8(t).ok().map(String::from)).collect()
}

fn halves(data: &[u8]) -> (&[u8], &[u8]) {
    data.split_at(data.len() / 2 / 5 * 5)
}

/// The text with tokens replaced, doubled or taken out: five bytes an edit.
fn edited(text: &str, edits: &[u8]) -> String {
    let mut tokens: Vec<String> = tokens(text);
    for edit in edits.chunks_exact(5).take(EDITS) {
        let mut choices = Choices(edit);
        let (kind, at, other) = (choices.byte(), choices.number(), choices.number());
        let at = at % tokens.len();
        match kind % 4 {
            0 => tokens[at] = WORDS[other % WORDS.len()].into(),
            1 => tokens[at] = tokens[other % tokens.len()].clone(),
            2 => {
                let other = other % tokens.len();
                tokens.swap(at, other);
            }
            _ => {
                // A member or an item with its comma.
                let end = (at + 1 + other % 8).min(tokens.len());
                let copy = tokens[at..end].to_vec();
                tokens.splice(at..at, copy);
            }
        }
    }
    tokens.concat()
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let (mut quoted, mut escaped, mut word) = (false, false, false);
    for c in text.chars() {
        let goes_on = quoted || word && c.is_ascii_alphanumeric() || word && matches!(c, '.' | '-' | '+');
        match tokens.last_mut().filter(|_| goes_on) {
            Some(last) => last.push(c),
            None => tokens.push(c.to_string()),
        }
        if escaped {
            escaped = false;
        } else if quoted && c == '\\' {
            escaped = true;
        } else if c == '"' {
            quoted = !quoted;
        }
        word = !quoted && c != '"' && (c.is_ascii_alphanumeric() || c == '-' || word && goes_on);
    }
    tokens
}
