//! Writing text. What is written here is read back by its counterparts.

use super::quote::BASE64;
use super::time;
use base64::Engine as _;
use reschema_ir::{Quote, TextNum, cost::TEXT_NUM};

/// Writes a number at the start of `out`, and returns how many bytes it takes.
pub fn write_num(raw: i64, form: TextNum, out: &mut [u8; TEXT_NUM as usize]) -> usize {
    let mut put = |text: &[u8]| {
        out[..text.len()].copy_from_slice(text);
        text.len()
    };
    let special = |nan: bool, negative: bool| match (nan, negative) {
        _ if matches!(form, TextNum::NullF32 | TextNum::NullF64) => "null",
        (true, _) => "\"NaN\"",
        (false, true) => "\"-Infinity\"",
        (false, false) => "\"Infinity\"",
    };
    match form {
        TextNum::Bool => put(if raw == 0 { b"false" } else { b"true" }),
        TextNum::Int32 | TextNum::Int64 => put(itoa::Buffer::new().format(raw).as_bytes()),
        TextNum::F32 | TextNum::FiniteF32 | TextNum::NullF32 => {
            let v = f32::from_bits(raw as u32);
            match v.is_finite() {
                true => put(zmij::Buffer::new().format_finite(v).as_bytes()),
                false => put(special(v.is_nan(), v < 0.0).as_bytes()),
            }
        }
        TextNum::F64 | TextNum::FiniteF64 | TextNum::NullF64 => {
            let v = f64::from_bits(raw as u64);
            match v.is_finite() {
                true => put(zmij::Buffer::new().format_finite(v).as_bytes()),
                false => put(special(v.is_nan(), v < 0.0).as_bytes()),
            }
        }
        _ => {
            let mut text = [0; 32];
            let Some(len) = time::print(raw, form, &mut text) else {
                return put(itoa::Buffer::new().format(raw).as_bytes());
            };
            out[0] = b'"';
            out[1..=len].copy_from_slice(&text[..len]);
            out[len + 1] = b'"';
            len + 2
        }
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
