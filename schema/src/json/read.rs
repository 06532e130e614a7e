//! JSON text → [`Json`], in one pass (RFC 8259).
//!
//! Own code, because numbers keep their spelling and objects their order, and an error tells the path besides the line.

use super::{Json, start};
use std::collections::HashMap;
use std::fmt;

/// A text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Expected and found.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// The innermost value around the place, `$.fields[2]` style.
    pub path: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)?;
        if self.path != "$" { write!(f, ", in {}", self.path) } else { Ok(()) }
    }
}

impl std::error::Error for JsonError {}

/// The value of a whole text; a byte order mark before it is passed over.
pub(super) fn read(text: &str) -> Result<Json, JsonError> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, level: 0 };
    reader.whole().map_err(|stop| stop.error(text))
}

/// An error on its way out; each level around it adds its step.
struct Stop {
    message: String,
    at: usize,
    /// Innermost first.
    steps: Vec<String>,
}

impl Stop {
    fn error(self, text: &str) -> JsonError {
        let before = text.get(..self.at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        JsonError {
            message: self.message,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1,
            path: self.steps.iter().rev().fold("$".to_string(), |path, step| path + step),
        }
    }

    fn inside(mut self: Box<Stop>, step: String) -> Box<Stop> {
        self.steps.push(step);
        self
    }
}

/// `.key`, or `["a key"]` where that would be unclear; of long keys the start.
fn step(key: &str) -> String {
    let plain =
        !key.is_empty() && key.len() <= 60 && key.bytes().all(|c| c.is_ascii_alphanumeric() || b"_-".contains(&c));
    if plain { format!(".{key}") } else { format!("[{}]", start(&Json::String(key.into()))) }
}

type Result1<T> = Result<T, Box<Stop>>;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    level: usize,
}

impl Reader<'_> {
    fn whole(&mut self) -> Result1<Json> {
        let value = self.value()?;
        self.space();
        if self.peek().is_some() { self.expected("the end") } else { Ok(value) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn stop<T>(&self, message: String) -> Result1<T> {
        Err(Box::new(Stop { message, at: self.at, steps: Vec::new() }))
    }

    fn expected<T>(&self, what: &str) -> Result1<T> {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => self.stop(format!("expected {what}, found {c:?}")),
            None => self.stop(format!("expected {what}, found the end")),
        }
    }

    /// Passes over a byte, and the space before it.
    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self) -> Result1<Json> {
        self.space();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.word("null", Json::Null),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            _ => self.expected("a value"),
        }
    }

    /// What stands in brackets. Recursion is bounded here.
    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Result1<Json>) -> Result1<Json> {
        if self.level == Json::MAX_NESTING {
            return self.stop(format!("nested deeper than {} levels", Json::MAX_NESTING));
        }
        self.at += 1;
        self.level += 1;
        let value = inner(self)?;
        self.level -= 1;
        Ok(value)
    }

    fn word(&mut self, word: &str, value: Json) -> Result1<Json> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(value)
        } else {
            self.expected("a value")
        }
    }

    fn array(&mut self) -> Result1<Json> {
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value().map_err(|e| e.inside(format!("[{}]", items.len())))?);
            if self.take(b']') {
                // Growth leaves up to half of it empty, of small ones most.
                items.shrink_to_fit();
                return Ok(Json::Array(items));
            }
            if !self.take(b',') {
                return self.expected("',' or ']'");
            }
        }
    }

    fn object(&mut self) -> Result1<Json> {
        let mut entries = Vec::new();
        if self.take(b'}') {
            return Ok(Json::Object(entries));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return self.expected("a key");
            }
            let key = self.string()?;
            if !self.take(b':') {
                return self.expected("':'");
            }
            let value = self.value().map_err(|e| e.inside(step(&key)))?;
            entries.push((key, value));
            if self.take(b'}') {
                let mut entries = unique(entries);
                entries.shrink_to_fit();
                return Ok(Json::Object(entries));
            }
            if !self.take(b',') {
                return self.expected("',' or '}'");
            }
        }
    }

    /// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`, kept as it is written.
    fn number(&mut self) -> Result1<Json> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(Json::Number(self.text[start..self.at].to_string()))
    }

    fn digits(&mut self) -> Result1<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { self.expected("a digit") } else { Ok(()) }
    }

    /// A string, from its opening quote.
    fn string(&mut self) -> Result1<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while matches!(self.peek(), Some(c) if c >= b' ' && c != b'"' && c != b'\\') {
                self.at += 1;
            }
            out.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return self.expected("no control character in a string"),
                None => return self.expected("the end of a string"),
            }
        }
    }

    fn escape(&mut self) -> Result1<char> {
        self.at += 1;
        let c = match self.peek() {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return self.expected("an escape"),
        };
        self.at += 1;
        Ok(c)
    }

    /// `uXXXX`, or two of them that make one character.
    fn unicode(&mut self) -> Result1<char> {
        let start = self.at;
        let first = self.hex()?;
        let code = match first {
            0xd800..=0xdbff if self.text[self.at..].starts_with("\\u") => {
                self.at += 1;
                match self.hex()? {
                    second @ 0xdc00..=0xdfff => 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                    _ => first,
                }
            }
            _ => first,
        };
        match char::from_u32(code) {
            Some(c) => Ok(c),
            None => {
                self.at = start;
                self.stop("half of a surrogate pair".into())
            }
        }
    }

    /// Four digits behind a `u`.
    fn hex(&mut self) -> Result1<u32> {
        self.at += 1;
        let mut code = 0;
        for _ in 0..4 {
            match self.peek().and_then(|c| char::from(c).to_digit(16)) {
                Some(digit) => code = code * 16 + digit,
                None => return self.expected("a hexadecimal digit"),
            }
            self.at += 1;
        }
        Ok(code)
    }
}

/// Of duplicate keys the last value, at the place of the first.
fn unique(mut entries: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let Some(firsts) = duplicates(&entries) else { return entries };
    for (i, first) in firsts.iter().enumerate() {
        if *first != i {
            entries[*first].1 = std::mem::replace(&mut entries[i].1, Json::Null);
        }
    }
    let kept = entries.into_iter().zip(firsts).enumerate().filter(|(i, (_, first))| i == first);
    kept.map(|(_, (entry, _))| entry).collect()
}

/// Entries that are compared with each other rather than put into a table.
const FEW: usize = 12;

/// For each entry the first of the same key; `None` where all keys differ.
fn duplicates(entries: &[(String, Json)]) -> Option<Vec<usize>> {
    if entries.len() <= FEW {
        let same = |(i, (key, _)): (usize, &(String, Json))| entries[..i].iter().any(|(k, _)| k == key);
        if !entries.iter().enumerate().any(same) {
            return None;
        }
    }
    let mut places = HashMap::with_capacity(entries.len());
    let firsts: Vec<usize> =
        entries.iter().enumerate().map(|(i, (key, _))| *places.entry(key.as_str()).or_insert(i)).collect();
    (places.len() < entries.len()).then_some(firsts)
}
