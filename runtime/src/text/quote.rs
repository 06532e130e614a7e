//! What quoted strings hold.

use super::scan::Quoted;
use super::{Bad, Result, Text};
use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use reschema_ir::{FaultKind, Quote};

/// Base64 as it is written; padding may be missing where it is read.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Where the bytes of a string are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// In the text itself.
    Here {
        /// First byte.
        start: usize,
        /// Number of bytes.
        len: usize,
    },
    /// Decoded.
    Own(Vec<u8>),
}

/// Reads a string: what it holds, and where it ends.
pub fn read_quoted(text: Text<'_>, at: usize, form: Quote) -> Result<(Piece, usize)> {
    let at = text.space(at);
    let string = text.string(at, "a string")?;
    Ok((contents(text, string, form)?, string.end + 1))
}

/// Shows the text of a string to `f`; with what it gives, where the string ends.
pub(super) fn with_text<T>(
    text: Text<'_>,
    at: usize,
    expected: &'static str,
    f: impl FnOnce(&[u8]) -> T,
) -> Result<(T, usize)> {
    let string = text.string(at, expected)?;
    let shown = match contents(text, string, Quote::Text)? {
        Piece::Here { start, len } => f(&text.bytes[start..start + len]),
        Piece::Own(own) => f(&own),
    };
    Ok((shown, string.end + 1))
}

pub(super) fn contents(text: Text<'_>, string: Quoted, form: Quote) -> Result<Piece> {
    let Quoted { start, end, escapes } = string;
    let here = &text.bytes[start..end];
    let plain = match escapes {
        true => Piece::Own(unescape(here)),
        false => Piece::Here { start, len: end - start },
    };
    let bytes = match &plain {
        Piece::Here { .. } => here,
        Piece::Own(own) => own,
    };
    let at = start - 1;
    match form {
        Quote::Text => Ok(plain),
        Quote::Latin if bytes.is_ascii() => Ok(plain),
        Quote::Latin => match latin(bytes) {
            Some(own) => Ok(Piece::Own(own)),
            None => Err(Bad::new(FaultKind::Range, at, "a string of code points up to U+00FF, a byte each")),
        },
        Quote::Base64 => match BASE64.decode(bytes) {
            Ok(own) => Ok(Piece::Own(own)),
            Err(_) => Err(Bad::new(FaultKind::Type, at, "bytes in base64")),
        },
    }
}

/// The bytes that the code points of UTF-8 stand for, if all are below 256.
pub(super) fn latin(bytes: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(bytes).ok()?.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// Undoes the escapes of a string whose syntax has been checked.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|b| *b == b'\\') {
        out.extend_from_slice(&rest[..at]);
        let escape = rest.get(at + 1).copied().unwrap_or(b'\\');
        let mut len = 2;
        match escape {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let unit = |from: usize| -> u32 {
                    let digits = rest.get(from..from + 4).and_then(|d| std::str::from_utf8(d).ok());
                    digits.and_then(|d| u32::from_str_radix(d, 16).ok()).unwrap_or(0xfffd)
                };
                let mut code = unit(at + 2);
                len = 6;
                if (0xd800..0xdc00).contains(&code) {
                    code = 0x10000 + ((code - 0xd800) << 10) + (unit(at + 8).wrapping_sub(0xdc00) & 0x3ff);
                    len = 12;
                }
                let c = char::from_u32(code).unwrap_or('\u{fffd}');
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => out.push(other),
        }
        rest = rest.get(at + len..).unwrap_or(&[]);
    }
    out.extend_from_slice(rest);
    out
}
