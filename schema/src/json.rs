//! JSON with what a schema needs kept: the order of keys, and numbers as they were written.
//!
//! `serde_json` checks the syntax; its own value type would round large numbers, so values are taken apart level by
//! level from the raw text.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
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

/// Entries of an object whose values are still text.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry::<String, &'de RawValue>()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        d.deserialize_map(Visit)
    }
}

/// Levels of brackets outside strings. What is no JSON is found out later.
fn nesting(text: &str) -> usize {
    let (mut level, mut most, mut quoted, mut escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                level += 1;
                most = most.max(level);
            }
            b']' | b'}' if !quoted => level = level.saturating_sub(1),
            _ => {}
        }
    }
    most
}

impl Json {
    /// Deepest nesting that is parsed.
    pub const MAX_NESTING: usize = 256;

    /// Parses a text. Nesting is limited to [`Json::MAX_NESTING`] levels: each is scanned once for every level around
    /// it.
    pub fn parse(text: &str) -> Result<Json, String> {
        if nesting(text) > Json::MAX_NESTING {
            return Err(format!("nested deeper than {} levels", Json::MAX_NESTING));
        }
        let raw: &RawValue = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| e.to_string())?;
        Json::take(raw.get()).map_err(|e| e.to_string())
    }

    fn take(text: &str) -> serde_json::Result<Json> {
        Ok(match text.as_bytes().first() {
            Some(b'{') => Json::Object(unique(serde_json::from_str::<Entries<'_>>(text)?.0)?),
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                Json::Array(items.into_iter().map(|i| Json::take(i.get())).collect::<Result<_, _>>()?)
            }
            Some(b'"') => Json::String(serde_json::from_str(text)?),
            Some(b'n') => Json::Null,
            Some(b't') => Json::Bool(true),
            Some(b'f') => Json::Bool(false),
            _ => Json::Number(text.to_string()),
        })
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

    /// What it is, for messages: a word and the start of its text.
    pub fn describe(&self) -> String {
        let text = self.to_string();
        match text.char_indices().nth(60) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    }

    /// Indented text.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        write_pretty(&mut out, self, 0);
        out
    }
}

fn unique(entries: Vec<(String, &RawValue)>) -> serde_json::Result<Vec<(String, Json)>> {
    let mut places = std::collections::HashMap::with_capacity(entries.len());
    let mut out: Vec<(String, Json)> = Vec::with_capacity(entries.len());
    for (key, raw) in entries {
        let value = Json::take(raw.get())?;
        match places.get(&key) {
            Some(i) => {
                let entry: &mut (String, Json) = &mut out[*i];
                entry.1 = value;
            }
            None => {
                places.insert(key.clone(), out.len());
                out.push((key, value));
            }
        }
    }
    Ok(out)
}

/// A string in quotes, escaped.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(b) => write!(f, "{b}"),
            Json::Number(n) => f.write_str(n),
            Json::String(s) => f.write_str(&quoted(s)),
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
                    write!(f, "{}{}:{value}", if i > 0 { "," } else { "" }, quoted(key))?;
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
