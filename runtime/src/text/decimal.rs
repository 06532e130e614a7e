//! Decimals: digits to two's complement and back, exactly, of any size.

use super::{Bad, Result, Text, quote};
use reschema_ir::{DecimalText, FaultKind};

/// Digits that a decimal may have here.
const MOST_DIGITS: i64 = 1 << 16;

/// Appends a decimal; `None` if it has more digits than the precision.
pub fn write_decimal(out: &mut Vec<u8>, bytes: &[u8], precision: u64, scale: u64, to: DecimalText) -> Option<()> {
    let precision = precision.min(MOST_DIGITS as u64);
    let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
    let digits = magnitude(bytes, negative, precision)?;
    let scale = usize::try_from(scale).ok().filter(|s| *s <= MOST_DIGITS as usize)?;
    let quote = to == DecimalText::Quoted;
    out.extend(quote.then_some(b'"'));
    out.extend(negative.then_some(b'-'));
    let whole = digits.len().saturating_sub(scale);
    if whole == 0 {
        out.push(b'0');
    }
    out.extend_from_slice(&digits[..whole]);
    if scale > 0 {
        out.push(b'.');
        out.extend(std::iter::repeat_n(b'0', scale - (digits.len() - whole)));
        out.extend_from_slice(&digits[whole..]);
    }
    out.extend(quote.then_some(b'"'));
    Some(())
}

/// The decimal digits of an absolute value, without leading zeros; `None` if there are more than `most`.
fn magnitude(bytes: &[u8], negative: bool, most: u64) -> Option<Vec<u8>> {
    let sign = if negative { 0xff } else { 0 };
    let first = bytes.iter().position(|b| *b != sign).unwrap_or(bytes.len());
    let bytes = &bytes[first..];
    // A byte is at least 2.4 digits, so this many are too many digits: nobody waits for their division.
    if (bytes.len() as u64).saturating_sub(1).saturating_mul(2) > most {
        return None;
    }
    // Limbs of nine digits, the lowest first.
    let mut limbs: Vec<u32> = Vec::new();
    let mut push = |low: u32| {
        let mut carry = u64::from(low);
        for limb in &mut limbs {
            let v = u64::from(*limb) * 256 + carry;
            *limb = (v % 1_000_000_000) as u32;
            carry = v / 1_000_000_000;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
    };
    // Of a negative number the complement, and one more.
    bytes.iter().for_each(|b| push(u32::from(b ^ sign)));
    if negative {
        add_one(&mut limbs);
    }
    let mut digits = Vec::new();
    for (i, limb) in limbs.iter().rev().enumerate() {
        let text = if i == 0 { format!("{limb}") } else { format!("{limb:09}") };
        digits.extend_from_slice(text.as_bytes());
    }
    (digits.len() as u64 <= most).then_some(digits)
}

fn add_one(limbs: &mut Vec<u32>) {
    for limb in limbs.iter_mut() {
        *limb += 1;
        if *limb < 1_000_000_000 {
            return;
        }
        *limb = 0;
    }
    limbs.push(1);
}

/// Reads a decimal, as a string or a number: its bytes, and where it ends.
pub fn read_decimal(text: Text<'_>, at: usize, precision: u64, scale: u64, size: u64) -> Result<(Vec<u8>, usize)> {
    let expected = "a decimal, as a string or a number";
    let at = text.space(at);
    let read =
        |digits: &[u8]| parse(digits, precision, scale).and_then(|(negative, digits)| pack(negative, &digits, size));
    let (bytes, end) = if text.byte(at) == Some(b'"') {
        quote::with_text(text, at, expected, read)?
    } else {
        let number = text.number(at, expected)?;
        (read(&text.bytes[number.start..number.end]), number.end)
    };
    bytes.map(|b| (b, end)).map_err(|kind| {
        let expected =
            if kind == FaultKind::Range { "a decimal of the schema's precision, scale and size" } else { expected };
        Bad::new(kind, at, expected)
    })
}

/// Sign and digits of the unscaled value.
fn parse(text: &[u8], precision: u64, scale: u64) -> std::result::Result<(bool, Vec<u8>), FaultKind> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let number = |t: &[u8]| !t.is_empty() && t.iter().all(u8::is_ascii_digit);
    let (mantissa, exponent) = match rest.iter().position(|b| matches!(b, b'e' | b'E')) {
        Some(i) => {
            let digits = std::str::from_utf8(&rest[i + 1..]).unwrap_or_default();
            let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
            if !number(unsigned.as_bytes()) {
                return Err(FaultKind::Type);
            }
            // An exponent that does not fit is beyond all digits, in its direction.
            let far = if digits.starts_with('-') { -i64::from(i32::MAX) } else { i32::MAX.into() };
            (&rest[..i], digits.parse::<i32>().map_or(far, i64::from))
        }
        None => (rest, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|b| *b == b'.') {
        Some(i) if number(&mantissa[i + 1..]) => (&mantissa[..i], &mantissa[i + 1..]),
        Some(_) => return Err(FaultKind::Type),
        None => (mantissa, &mantissa[..0]),
    };
    if !number(whole) {
        return Err(FaultKind::Type);
    }
    let mut digits: Vec<u8> = whole.iter().chain(fraction).copied().skip_while(|b| *b == b'0').collect();
    // Zeros to append so that the last digit is the scale's, or to take away.
    let more = i64::try_from(scale).unwrap_or(i64::MAX).saturating_add(exponent) - fraction.len() as i64;
    if digits.is_empty() {
        return Ok((false, digits));
    }
    let length = (digits.len() as i64).saturating_add(more);
    // No text needs more digits than these, and an exponent must not make them.
    if length > i64::try_from(precision).unwrap_or(i64::MAX).min(MOST_DIGITS) {
        return Err(FaultKind::Range);
    }
    if more >= 0 {
        digits.extend(std::iter::repeat_n(b'0', more as usize));
        return Ok((negative, digits));
    }
    let keep = usize::try_from(length).unwrap_or(0);
    if digits[keep..].iter().any(|b| *b != b'0') {
        return Err(FaultKind::Range);
    }
    digits.truncate(keep);
    Ok((negative, digits))
}

/// Two's complement of `size` bytes, or of as few as there can be.
fn pack(negative: bool, digits: &[u8], size: u64) -> std::result::Result<Vec<u8>, FaultKind> {
    // Bytes, the lowest first.
    let mut bytes: Vec<u8> = Vec::new();
    for chunk in digits.chunks(4) {
        let scale = 10u32.pow(chunk.len() as u32);
        let mut carry = chunk.iter().fold(0u32, |v, b| v * 10 + u32::from(b - b'0'));
        for byte in &mut bytes {
            let v = u32::from(*byte) * scale + carry;
            *byte = v as u8;
            carry = v >> 8;
        }
        while carry > 0 {
            bytes.push(carry as u8);
            carry >>= 8;
        }
    }
    if negative {
        let mut carry = true;
        for byte in &mut bytes {
            let (v, over) = (!*byte).overflowing_add(u8::from(carry));
            (*byte, carry) = (v, over);
        }
    }
    let sign = if negative { 0xff } else { 0 };
    if bytes.last().is_none_or(|b| (b & 0x80 != 0) != negative) {
        bytes.push(sign);
    }
    // The complement may have made a byte of signs.
    while let [.., below, top] = bytes.as_slice()
        && *top == sign
        && (below & 0x80 != 0) == negative
    {
        bytes.pop();
    }
    let size = usize::try_from(size).map_err(|_| FaultKind::Range)?;
    if size > 0 {
        if bytes.len() > size {
            return Err(FaultKind::Range);
        }
        bytes.resize(size, sign);
    }
    bytes.reverse();
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], precision: u64, scale: u64) -> Option<String> {
        let mut out = Vec::new();
        write_decimal(&mut out, bytes, precision, scale, DecimalText::Number)?;
        Some(String::from_utf8_lossy(&out).into_owned())
    }

    fn bytes(text: &str, precision: u64, scale: u64, size: u64) -> std::result::Result<Vec<u8>, Option<FaultKind>> {
        let text = Text { bytes: text.as_bytes(), complete: true };
        read_decimal(text, 0, precision, scale, size).map(|v| v.0).map_err(|bad| bad.kind)
    }

    #[test]
    fn known_values() {
        for (raw, scale, shown) in [
            (&[0x02, 0x89, 0x79][..], 2, "1662.65"),
            (&[0], 0, "0"),
            (&[0], 2, "0.00"),
            (&[0xfb], 2, "-0.05"),
            (&[0x80], 0, "-128"),
            (&[0x00, 0x80], 0, "128"),
            (&[0xff, 0x7f], 0, "-129"),
            (&[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 0, "9223372036854775807"),
        ] {
            assert_eq!(text(raw, 30, scale).as_deref(), Some(shown));
            assert_eq!(bytes(shown, 30, scale, 0).as_deref(), Ok(raw), "{shown}");
        }
        assert_eq!(text(&[0xff, 0xff, 0xfb], 4, 2).as_deref(), Some("-0.05"));
        assert_eq!(text(&[], 4, 2).as_deref(), Some("0.00"));
        assert_eq!(text(&[100], 2, 0), None);
    }

    #[test]
    fn every_small_number_there_and_back() {
        for v in -70_000i32..70_000 {
            let shown = v.to_string();
            let raw = bytes(&shown, 9, 0, 0).expect("fits");
            let wide = bytes(&format!("\"{shown}e0\""), 9, 0, 4).expect("fits");
            assert_eq!(wide, v.to_be_bytes());
            assert!(raw.len() <= 4 && wide.ends_with(&raw));
            assert_eq!(text(&raw, 9, 0), Some(shown));
        }
    }

    #[test]
    fn what_is_refused() {
        let (range, kind) = (Err(Some(FaultKind::Range)), Err(Some(FaultKind::Type)));
        assert_eq!(bytes("1662.655", 10, 2, 0), range);
        assert_eq!(bytes("1662.650", 6, 2, 0), Ok(vec![0x02, 0x89, 0x79]));
        assert_eq!(bytes("166265e-2", 6, 2, 0), Ok(vec![0x02, 0x89, 0x79]));
        assert_eq!(bytes("1e9999999999", 6, 2, 0), range);
        assert_eq!(bytes("1e-9999999999", 6, 2, 0), range);
        assert_eq!(bytes("0e9999999999", 6, 2, 0), Ok(vec![0]));
        assert_eq!(bytes("12345", 4, 0, 0), range);
        assert_eq!(bytes("128", 4, 0, 1), range);
        assert_eq!(bytes("-128", 4, 0, 1), Ok(vec![0x80]));
        for bad in ["\"\"", "\"1.\"", "\".5\"", "\"1e\"", "\"--1\"", "\"1 \"", "\"0x1\"", "true"] {
            assert_eq!(bytes(bad, 9, 2, 0), kind, "{bad}");
        }
    }
}
