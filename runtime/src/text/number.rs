//! Numbers that are written as text.

use super::digits::{self, Eight, TENS};
use super::float::{self, BINARY32, BINARY64};
use super::{Bad, Result, Text, quote, time};
use reschema_ir::{FaultKind, TextNum};

/// Reads a number: the raw bits of a register, and where it ends.
pub fn read_num(text: Text<'_>, at: usize, form: TextNum) -> Result<(i64, usize)> {
    let at = text.space(at);
    match form {
        TextNum::Bool => match text.byte(at) {
            Some(b't') => Ok((1, text.literal(at, b"true", "true or false")?)),
            Some(b'f') => Ok((0, text.literal(at, b"false", "true or false")?)),
            _ => Err(text.other(at, "true or false")),
        },
        TextNum::Int32 => integer(text, at, i32::MIN.into()..=i32::MAX.into(), "an integer of 32 bits"),
        TextNum::Int64 => integer(text, at, i64::MIN..=i64::MAX, "an integer of 64 bits"),
        TextNum::F32 | TextNum::FiniteF32 | TextNum::NullF32 => match usual_float(text, at, &BINARY32) {
            Some((bits, negative, end)) => Ok((bits as i64 | i64::from(negative) << 31, end)),
            None => float(text, at, form, "a number of binary32", |t| {
                t.parse().ok().map(|v: f32| (v.to_bits().into(), v.is_finite()))
            }),
        },
        TextNum::F64 | TextNum::FiniteF64 | TextNum::NullF64 => match usual_float(text, at, &BINARY64) {
            Some((bits, negative, end)) => Ok((bits as i64 | i64::from(negative) << 63, end)),
            None => float(text, at, form, "a number of binary64", |t| {
                t.parse().ok().map(|v: f64| (v.to_bits() as i64, v.is_finite()))
            }),
        },
        _ => moment(text, at, form),
    }
}

#[inline(always)]
fn integer(
    text: Text<'_>,
    at: usize,
    range: std::ops::RangeInclusive<i64>,
    expected: &'static str,
) -> Result<(i64, usize)> {
    match usual_integer(text, at) {
        Some((value, end)) if range.contains(&value) => Ok((value, end)),
        _ => any_integer(text, at, range, expected),
    }
}

/// An integer of up to 15 digits with something behind it, as they usually are; `None`: look closely.
#[inline(always)]
fn usual_integer(text: Text<'_>, at: usize) -> Option<(i64, usize)> {
    let negative = text.byte(at)? == b'-';
    let start = at + usize::from(negative);
    let first = Eight::at(text.bytes, start)?;
    let mut n = first.count();
    if n == 0 || (n > 1 && text.bytes[start] == b'0') {
        return None;
    }
    let mut value = first.value(n);
    if n == 8 {
        let more = Eight::at(text.bytes, start + 8)?;
        match more.count() {
            0 => {}
            8 => return None,
            k => {
                value = value * TENS[k] + more.value(k);
                n += k;
            }
        }
    }
    let end = start + n;
    matches!(text.byte(end)?, b',' | b'}' | b']' | b'\n').then_some(())?;
    Some((if negative { -(value as i64) } else { value as i64 }, end))
}

/// A number of up to 19 digits with something behind it and an exponent that is not far out: the bits without a sign,
/// whether it has one, and where it ends. `None`: look closely.
#[inline(always)]
fn usual_float(text: Text<'_>, at: usize, form: &float::Form) -> Option<(u64, bool, usize)> {
    let bytes = text.bytes;
    let negative = text.byte(at)? == b'-';
    let start = at + usize::from(negative);
    let (mut value, mut end) = digits::run(bytes, start, 0);
    let mut count = end - start;
    if count == 0 || (count > 1 && bytes[start] == b'0') {
        return None;
    }
    let mut exponent = 0;
    if *bytes.get(end)? == b'.' {
        let fraction = end + 1;
        (value, end) = digits::run(bytes, fraction, value);
        let n = end - fraction;
        if n == 0 {
            return None;
        }
        count += n;
        exponent = -(i32::try_from(n).ok()?);
    }
    // So many digits fit into a word, zeros in front counted or not.
    if count > 19 {
        return None;
    }
    if matches!(*bytes.get(end)?, b'e' | b'E') {
        let down = *bytes.get(end + 1)? == b'-';
        let digits = end + 1 + usize::from(down || bytes[end + 1] == b'+');
        let power;
        (power, end) = digits::run(bytes, digits, 0);
        if end == digits || end > digits + 4 {
            return None;
        }
        exponent += if down { -(power as i32) } else { power as i32 };
    }
    matches!(*bytes.get(end)?, b',' | b'}' | b']' | b'\n').then_some(())?;
    Some((float::nearest(value, exponent, form)?, negative, end))
}

fn any_integer(
    text: Text<'_>,
    at: usize,
    range: std::ops::RangeInclusive<i64>,
    expected: &'static str,
) -> Result<(i64, usize)> {
    let number = text.number(at, expected)?;
    if !number.integer {
        return Err(Bad::new(FaultKind::Type, at, expected));
    }
    let digits = &text.bytes[number.start..number.end];
    match parse_integer(digits) {
        Some(value) if range.contains(&value) => Ok((value, number.end)),
        _ => Err(Bad::new(FaultKind::Range, at, expected)),
    }
}

/// The value of an integer's text, if it has 64 bits.
fn parse_integer(text: &[u8]) -> Option<i64> {
    let (digits, negative) = match text {
        [b'-', rest @ ..] => (rest, true),
        rest => (rest, false),
    };
    let digit = |b: &u8| u64::from(b.wrapping_sub(b'0'));
    if digits.len() <= 18 {
        let value = digits.iter().fold(0, |v, b| v * 10 + digit(b)) as i64;
        return Some(if negative { -value } else { value });
    }
    let value = digits.iter().try_fold(0u64, |v, b| v.checked_mul(10)?.checked_add(digit(b)))?;
    match negative {
        true if value <= 1 << 63 => Some((value as i64).wrapping_neg()),
        false => i64::try_from(value).ok(),
        true => None,
    }
}

/// True for the raw bits of a NaN or an infinity.
pub fn is_special(raw: i64, wide: bool) -> bool {
    if wide { !f64::from_bits(raw as u64).is_finite() } else { !f32::from_bits(raw as u32).is_finite() }
}

/// NaN and infinities are strings, in Java's words and in others', or NaN is null, or there are none: as the form says.
fn float(
    text: Text<'_>,
    at: usize,
    form: TextNum,
    expected: &'static str,
    parse: impl Fn(&str) -> Option<(i64, bool)>,
) -> Result<(i64, usize)> {
    let (null, word) = match form {
        TextNum::F32 | TextNum::F64 => (false, true),
        TextNum::NullF32 | TextNum::NullF64 => (true, false),
        _ => (false, false),
    };
    if null && text.byte(at) == Some(b'n') {
        let end = text.literal(at, b"null", expected)?;
        let value = parse("NaN").ok_or_else(|| Bad::new(FaultKind::Type, at, expected))?;
        return Ok((value.0, end));
    }
    if word && text.byte(at) == Some(b'"') {
        let (word, end) = quote::with_text(text, at, expected, |bytes| match bytes {
            b"NaN" => Some("NaN"),
            b"Infinity" | b"INF" | b"+Infinity" | b"+INF" => Some("inf"),
            b"-Infinity" | b"-INF" => Some("-inf"),
            _ => None,
        })?;
        let value = word.and_then(parse).ok_or_else(|| Bad::new(FaultKind::Type, at, expected))?;
        return Ok((value.0, end));
    }
    let number = text.number(at, expected)?;
    let digits = std::str::from_utf8(&text.bytes[number.start..number.end]).unwrap_or_default();
    match parse(digits) {
        Some((raw, true)) => Ok((raw, number.end)),
        _ => Err(Bad::new(FaultKind::Range, at, expected)),
    }
}

/// Dates and times: a string, or the number itself.
fn moment(text: Text<'_>, at: usize, form: TextNum) -> Result<(i64, usize)> {
    let expected = time::expected(form);
    if text.byte(at) != Some(b'"') {
        return match form {
            TextNum::Date | TextNum::TimeMilli => integer(text, at, i32::MIN.into()..=i32::MAX.into(), expected),
            _ => integer(text, at, i64::MIN..=i64::MAX, expected),
        };
    }
    let (parsed, end) = quote::with_text(text, at, expected, |bytes| time::parse(bytes, form))?;
    match parsed {
        Ok(value) => Ok((value, end)),
        Err(kind) => Err(Bad::new(kind, at, expected)),
    }
}
