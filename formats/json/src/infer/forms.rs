//! What strings look like: texts that are read as a date, a time stamp or a decimal, and UUIDs.

use reschema_ir::TextNum;
use reschema_runtime::text::{Text, read_num};

/// Digits of a decimal that is taken for one.
const DIGITS: usize = 38;

/// What a string looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    None,
    Date,
    /// A time stamp with a zone, and its digits behind the second.
    Instant(usize),
    /// One without.
    Local(usize),
    Uuid,
    /// Digits in front of the point and behind it.
    Decimal {
        whole: usize,
        scale: usize,
    },
}

pub(super) fn form(text: &str) -> Form {
    match text.len() {
        10 if is(text, TextNum::Date) => Form::Date,
        19.. if text.as_bytes().get(10).is_some_and(|b| b"Tt ".contains(b)) => {
            let fraction = text.get(19..).unwrap_or("").strip_prefix('.').unwrap_or("");
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if is(text, TextNum::LocalNano) {
                Form::Local(digits)
            } else if is(text, TextNum::StampNano) {
                Form::Instant(digits)
            } else {
                Form::None
            }
        }
        36 if is_uuid(text) => Form::Uuid,
        1..=40 => decimal(text),
        _ => Form::None,
    }
}

fn is(text: &str, form: TextNum) -> bool {
    let first = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let json = if first { format!("\"{text}\"") } else { return false };
    read_num(Text { bytes: json.as_bytes(), complete: true }, 0, form).is_ok_and(|(_, end)| end == json.len())
}

/// Digits in lower case, as values are compared: others would not be spelled the same.
fn is_uuid(text: &str) -> bool {
    let at = |i: usize, b: u8| match i {
        8 | 13 | 18 | 23 => b == b'-',
        _ => b.is_ascii_hexdigit(),
    };
    text.bytes().enumerate().all(|(i, b)| at(i, b))
}

/// Digits, perhaps with a sign and a point; without zeros in front, so that no code is taken for a number.
fn decimal(text: &str) -> Form {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let padded = whole.len() > 1 && whole.starts_with('0');
    let scale = if unsigned.contains('.') { fraction.len() } else { 0 };
    if !digits(whole) || !digits(fraction) || padded || whole.len() + scale > DIGITS {
        return Form::None;
    }
    Form::Decimal { whole: whole.len(), scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strings_look_like() {
        for (text, want) in [
            ("2024-02-29", Form::Date),
            ("2023-02-29", Form::None),
            ("2024-02-29T00:00:00Z", Form::Instant(0)),
            ("2024-02-29T00:00:00.123+01:00", Form::Instant(3)),
            ("2024-02-29 00:00:00.123456", Form::Local(6)),
            ("2024-02-29T", Form::None),
            ("2024-02-29T00:00:00é", Form::None),
            ("123e4567-e89b-12d3-a456-426614174000", Form::Uuid),
            ("123e4567-e89b-12d3-a456-42661417400g", Form::None),
            ("1662.65", Form::Decimal { whole: 4, scale: 2 }),
            ("-7", Form::Decimal { whole: 1, scale: 0 }),
            ("007", Form::None),
            ("0.50", Form::Decimal { whole: 1, scale: 2 }),
            ("1.", Form::None),
            (".5", Form::None),
            ("1e5", Form::None),
            ("", Form::None),
            ("é", Form::None),
        ] {
            assert_eq!(form(text), want, "{text}");
        }
    }
}
