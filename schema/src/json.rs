//! JSON with what a schema needs kept: the order of keys, and numbers as they were written.

mod read;

pub use read::JsonError;
use std::fmt::{self, Write};

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Json {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object in the order of the text. Of duplicate keys the last value counts, at the place of the first.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Deepest nesting that is parsed.
    pub const MAX_NESTING: usize = 256;

    /// Parses a text, in one pass. Nesting is limited to [`Json::MAX_NESTING`] levels.
    ///
    /// # Errors
    /// The text is no JSON, or nested too deep.
    pub fn parse(text: &str) -> Result<Json, JsonError> {
        read::read(text)
    }

    /// Levels of brackets.
    pub(crate) fn nesting(&self) -> usize {
        match self {
            Json::Array(items) => 1 + items.iter().map(Json::nesting).max().unwrap_or(0),
            Json::Object(entries) => 1 + entries.iter().map(|(_, v)| v.nesting()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(s) = self { Some(s) } else { None }
    }

    /// The integer that a number is, if it is written as one and fits.
    pub fn integer(&self) -> Option<i128> {
        match self {
            Json::Number(text) if !text.contains(['.', 'e', 'E']) => text.parse().ok(),
            _ => None,
        }
    }

    /// A number as binary64, rounded; infinite where it is too large.
    pub fn as_f64(&self) -> Option<f64> {
        if let Json::Number(text) = self { text.parse().ok() } else { None }
    }

    /// What it is, for messages: the start of its text.
    pub fn describe(&self) -> String {
        start(self)
    }

    /// Indented text.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        write_pretty(&mut out, self, 0);
        out
    }
}

/// Characters of a value that a message shows.
const SHOWN: usize = 60;

/// The start of a value's text. No more than that is written, however large the value: many messages may name it.
fn start(json: &Json) -> String {
    let mut start = Start { text: String::new(), room: SHOWN };
    // An error only says that the text goes on.
    match write!(start, "{json}") {
        Ok(()) => start.text,
        Err(_) => start.text + "…",
    }
}

struct Start {
    text: String,
    room: usize,
}

impl Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.room = self.room.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(c);
        }
        Ok(())
    }
}

/// A string in quotes, escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    let _ = write_quoted(&mut out, text);
    out
}

fn write_quoted(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut plain = 0;
    for (i, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.write_str(&text[plain..i])?;
        plain = i + 1;
        match byte {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            8 => out.write_str("\\b")?,
            12 => out.write_str("\\f")?,
            other => write!(out, "\\u{other:04x}")?,
        }
    }
    out.write_str(&text[plain..])?;
    out.write_char('"')
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(b) => write!(f, "{b}"),
            Json::Number(n) => f.write_str(n),
            Json::String(s) => write_quoted(f, s),
            Json::Array(items) => {
                f.write_char('[')?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { "," } else { "" })?;
                }
                f.write_char(']')
            }
            Json::Object(entries) => {
                f.write_char('{')?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if i > 0 { "," } else { "" })?;
                    write_quoted(f, key)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn write_pretty(out: &mut String, json: &Json, indent: usize) {
    let line = |out: &mut String, indent: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", indent));
    };
    match json {
        Json::Array(items) if !items.is_empty() => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                line(out, indent + 1);
                write_pretty(out, item, indent + 1);
            }
            line(out, indent);
            out.push(']');
        }
        Json::Object(entries) if !entries.is_empty() => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                line(out, indent + 1);
                out.push_str(&quoted(key));
                out.push_str(": ");
                write_pretty(out, value, indent + 1);
            }
            line(out, indent);
            out.push('}');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
