//! Writing text. What is written here is read back by its counterparts.

use super::quote::BASE64;
use super::time;
use base64::Engine as _;
use reschema_ir::{Quote, TextNum};

/// Shows the text of a number to `put`.
#[inline(always)]
pub fn write_num<T>(raw: i64, form: TextNum, put: impl FnOnce(&[u8]) -> T) -> T {
    match form {
        TextNum::Int32 | TextNum::Int64 => put(itoa::Buffer::new().format(raw).as_bytes()),
        TextNum::F64 | TextNum::FiniteF64 | TextNum::NullF64 => {
            let v = f64::from_bits(raw as u64);
            match v.is_finite() {
                true => put(zmij::Buffer::new().format_finite(v).as_bytes()),
                false => put(special(form, v.is_nan(), v < 0.0)),
            }
        }
        TextNum::F32 | TextNum::FiniteF32 | TextNum::NullF32 => {
            let v = f32::from_bits(raw as u32);
            match v.is_finite() {
                true => put(zmij::Buffer::new().format_finite(v).as_bytes()),
                false => put(special(form, v.is_nan(), v < 0.0)),
            }
        }
        TextNum::Bool => put(if raw == 0 { b"false" } else { b"true" }),
        _ => {
            let mut text = [b'"'; 34];
            match text[1..].first_chunk_mut().and_then(|text| time::print(raw, form, text)) {
                Some(len) => {
                    text[len + 1] = b'"';
                    put(&text[..len + 2])
                }
                None => put(itoa::Buffer::new().format(raw).as_bytes()),
            }
        }
    }
}

fn special(form: TextNum, nan: bool, negative: bool) -> &'static [u8] {
    match (nan, negative) {
        _ if matches!(form, TextNum::NullF32 | TextNum::NullF64) => b"null",
        (true, _) => b"\"NaN\"",
        (false, true) => b"\"-Infinity\"",
        (false, false) => b"\"Infinity\"",
    }
}

/// Appends bytes as a quoted string.
pub fn write_quoted(out: &mut Vec<u8>, bytes: &[u8], form: Quote) {
    out.push(b'"');
    match form {
        Quote::Text => escaped(out, bytes, 0),
        // Bytes from 0x80 are code points of their own.
        Quote::Latin => escaped(out, bytes, 0x80),
        Quote::Base64 => {
            let start = out.len();
            out.resize(start + bytes.len().div_ceil(3) * 4, 0);
            let len = BASE64.encode_slice(bytes, &mut out[start..]).unwrap_or(0);
            out.truncate(start + len);
        }
    }
    out.push(b'"');
}

/// Appends text with the escapes that it needs (RFC 8259, 7), and with `latin` the bytes that have that bit as code points.
fn escaped(out: &mut Vec<u8>, bytes: &[u8], latin: u8) {
    let mut rest = bytes;
    let special = |b: &u8| *b < 0x20 || *b == b'"' || *b == b'\\' || *b & latin != 0;
    while let Some(at) = rest.iter().position(special) {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b @ (b'"' | b'\\') => out.extend([b'\\', b]),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            8 => out.extend(b"\\b"),
            12 => out.extend(b"\\f"),
            b @ 0x80.. => out.extend([0xc0 | b >> 6, 0x80 | b & 0x3f]),
            b => {
                let hex = |n: u8| b"0123456789abcdef"[usize::from(n & 15)];
                out.extend([b'\\', b'u', b'0', b'0', hex(b >> 4), hex(b)]);
            }
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}
