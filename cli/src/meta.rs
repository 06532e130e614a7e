//! `reschema meta`

use crate::args::{Form, Meta};
use crate::exit::{Exit, Failure, Result};
use crate::input::{self, FileHeader};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &Meta) -> Result {
    input::standard_once(&args.files)?;
    let mut out = std::io::stdout().lock();
    for path in &args.files {
        let header = input::header(path)?;
        let bytes = match (&args.key, args.format) {
            (Some(key), _) => value(&header, key, path)?,
            (None, Form::Text) => text(&header, path, args.files.len() > 1),
            (None, Form::Json) => format!("{}\n", in_json(&header, path)).into_bytes(),
        };
        out.write_all(&bytes).map_err(|e| Failure::io("standard output", &e))?;
    }
    out.flush().map_err(|e| Failure::io("standard output", &e))?;
    Ok(Exit::Ok)
}

/// The value of a key as it is. Where a key comes twice the last counts, as everywhere.
fn value(header: &FileHeader, key: &str, path: &Path) -> Result<Vec<u8>> {
    let found = header.metadata().iter().rev().find(|(k, _)| k == key);
    found
        .map(|(_, v)| v.clone())
        .ok_or_else(|| Failure::new(Exit::No, format!("{}: the metadata have no {key:?}", input::name(path))))
}

/// A line for each key; bytes that would not stand on a line are escaped.
fn text(header: &FileHeader, path: &Path, named: bool) -> Vec<u8> {
    let mut out = String::new();
    for (key, value) in header.metadata() {
        if named {
            out.push_str(&input::name(path));
            out.push('\t');
        }
        out.push_str(&escaped(key.as_bytes()));
        out.push('\t');
        out.push_str(&escaped(value));
        out.push('\n');
    }
    out.into_bytes()
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() || c == '\\' { out.extend(c.escape_default()) } else { out.push(c) }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

fn in_json(header: &FileHeader, path: &Path) -> Value {
    let metadata: Map<String, Value> = header.metadata().iter().map(|(k, v)| (k.clone(), in_text(v).into())).collect();
    let sync: String = header.sync().iter().map(|b| format!("{b:02x}")).collect();
    json!({"file": input::name(path), "metadata": metadata, "sync": sync})
}

/// Text, or bytes as the code points of the same number, as Avro's JSON encoding has bytes.
fn in_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}
