//! Text on the wire: the one definition of how JSON is read and written, for both tiers and the checking interpreter.
//!
//! Everything here is safe code over slices. What reads passes over white space first and says where it ends; what it does
//! not like is a [`Bad`], which the fast paths only leave on.

mod choose;
mod decimal;
mod digits;
mod float;
mod marks;
mod names;
mod number;
mod object;
mod quote;
mod scan;
mod time;
mod usual_decimal;
mod write;

pub use choose::choose;
pub use decimal::{read_decimal, write_decimal};
pub use names::{Indexed, Names, Tables, lookup};
pub use number::{is_special, read_num};
pub use object::{Keys, Rules, State, close, find, index, indexed, read_tag};
pub use quote::{Piece, read_quoted};
pub(crate) use scan::is_plain;
pub use scan::{Items, Space};
pub use usual_decimal::{Unscaled, usual_decimal, usual_decimal_text};
pub use write::{write_num, write_quoted};

use reschema_ir::FaultKind;

/// Text to read from.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// What is there.
    pub bytes: &'a [u8],
    /// False when more may follow: what touches the end may go on behind it.
    pub complete: bool,
}

/// Why text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Class; `None`: the text ends.
    pub kind: Option<FaultKind>,
    /// Where.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// What was read, and where it ends.
pub type Result<T> = std::result::Result<T, Bad>;

impl Bad {
    #[cold]
    pub(crate) fn new(kind: FaultKind, at: usize, expected: &'static str) -> Bad {
        Bad { kind: Some(kind), at, expected }
    }
}

/// What stands at a place, for messages: the start of it, on one line.
pub fn found(bytes: &[u8], at: usize) -> String {
    let rest = bytes.get(at..).unwrap_or(&[]);
    let Some(first) = rest.first() else { return "the end".into() };
    let is_word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_');
    let len = match first {
        b'"' => {
            let n = 1 + rest[1..].iter().take(40).take_while(|b| !matches!(b, b'"' | b'\n' | b'\r')).count();
            n + usize::from(rest.get(n) == Some(&b'"'))
        }
        b if is_word(&b) => rest.iter().take(40).take_while(is_word).count(),
        b if *b < 0x20 || *b == 0x7f => return format!("the control character {first:#04x}"),
        0x80.. => String::from_utf8_lossy(&rest[..rest.len().min(4)]).chars().next().map_or(1, char::len_utf8),
        _ => 1,
    };
    let part = String::from_utf8_lossy(&rest[..len.min(rest.len())]);
    let part: String = part.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    match first {
        b'"' => format!("the string {part}{}", if part.len() > 1 && part.ends_with('"') { "" } else { "…" }),
        b if is_word(&b) => part,
        _ => format!("`{part}`"),
    }
}

/// Line and column of a place, both from 1. A column counts characters.
pub fn line_and_column(bytes: &[u8], at: usize) -> (u64, u64) {
    let before = &bytes[..at.min(bytes.len())];
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let lines = before.iter().filter(|b| **b == b'\n').count() as u64;
    let columns = before[start..].iter().filter(|b| **b & 0xc0 != 0x80).count() as u64;
    (lines + 1, columns + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_short_and_on_one_line() {
        for (text, want) in [
            ("", "the end"),
            ("\"a b\", 1", "the string \"a b\""),
            ("\"a\nb", "the string \"a…"),
            ("tru}", "tru"),
            ("-12.5e3,", "-12.5e3"),
            ("}", "`}`"),
            ("é", "`é`"),
            ("\u{1}", "the control character 0x01"),
        ] {
            assert_eq!(found(text.as_bytes(), 0), want);
        }
        assert_eq!(line_and_column("a\nbé×".as_bytes(), 6), (2, 4));
        assert_eq!(line_and_column(b"", 9), (1, 1));
    }
}
