//! Decimals of up to 18 digits, in a word. What is not like that takes the way of [`super::decimal`], which says what is right.

use super::Text;
use super::digits::{self, TENS};
use reschema_ir::DecimalText;

/// The bytes of an unscaled value: two's complement, the highest first.
pub struct Unscaled {
    bytes: [u8; 16],
    start: usize,
}

impl Unscaled {
    /// Of so many bytes; 0: as few as there can be. `None`: the value needs more, or that is too many for here.
    fn new(value: i64, size: u64) -> Option<Unscaled> {
        let bytes = i128::from(value).to_be_bytes();
        // The sign takes a bit.
        let bits = 65 - (value ^ value >> 63).leading_zeros() as usize;
        let least = bits.div_ceil(8);
        let size = if size == 0 { least } else { usize::try_from(size).ok()? };
        (least..=16).contains(&size).then(|| Unscaled { bytes, start: 16 - size })
    }

    /// They.
    #[inline(always)]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Most digits that are dealt with here: whatever they are, 64 bits hold them.
const MOST: u64 = 18;

/// Reads a decimal at the start: its bytes, and where it ends.
pub fn usual_decimal(text: Text<'_>, precision: u64, scale: u64, size: u64) -> Option<(Unscaled, usize)> {
    let (bytes, at) = (text.bytes, text.space(0));
    let quoted = *bytes.get(at)? == b'"';
    let at = at + usize::from(quoted);
    let negative = *bytes.get(at)? == b'-';
    let start = at + usize::from(negative);
    let (mut value, mut end) = digits::run(bytes, start, 0);
    let mut count = (end - start) as u64;
    if count == 0 || (!quoted && count > 1 && bytes[start] == b'0') {
        return None;
    }
    let mut fraction = 0;
    if *bytes.get(end)? == b'.' {
        let from = end + 1;
        (value, end) = digits::run(bytes, from, value);
        fraction = (end - from) as u64;
        count += fraction;
        if fraction == 0 {
            return None;
        }
    }
    let zeros = scale.checked_sub(fraction)?;
    if count.checked_add(zeros)? > MOST {
        return None;
    }
    let value = value * TENS[zeros as usize];
    if precision < MOST && value >= TENS[precision as usize] {
        return None;
    }
    let last = *bytes.get(end)?;
    let ends = if quoted { last == b'"' } else { matches!(last, b',' | b'}' | b']' | b'\n') };
    let value = if negative { -(value as i64) } else { value as i64 };
    Some((Unscaled::new(value, size).filter(|_| ends)?, end + usize::from(quoted)))
}

/// Shows the text of a decimal to `put`. `None`: it is longer than what is dealt with here, or than its precision.
pub fn usual_decimal_text<T>(
    bytes: &[u8],
    precision: u64,
    scale: u64,
    to: DecimalText,
    put: impl FnOnce(&[u8]) -> T,
) -> Option<T> {
    let first = *bytes.first()?;
    if bytes.len() > 8 || scale > MOST {
        return None;
    }
    let sign = i64::from(first as i8 >> 7);
    let value = bytes.iter().fold(sign, |v, b| v << 8 | i64::from(*b));
    let magnitude = value.unsigned_abs();
    if magnitude >= TENS[precision.min(MOST) as usize] {
        return None;
    }
    // A quote, a sign, 18 digits, a zero in front, a point, a quote.
    let mut text = [b'"'; 24];
    let mut at = usize::from(to == DecimalText::Quoted);
    text[at] = b'-';
    at += usize::from(value < 0);
    let unit = TENS[scale as usize];
    let mut buffer = itoa::Buffer::new();
    let whole = buffer.format(magnitude / unit).as_bytes();
    text[at..at + whole.len()].copy_from_slice(whole);
    at += whole.len();
    if scale > 0 {
        text[at] = b'.';
        let mut fraction = magnitude % unit;
        at += 1 + scale as usize;
        for digit in text[at - scale as usize..at].iter_mut().rev() {
            *digit = b'0' + (fraction % 10) as u8;
            fraction /= 10;
        }
    }
    if to == DecimalText::Quoted {
        text[at] = b'"';
        at += 1;
    }
    Some(put(&text[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{read_decimal, write_decimal};

    #[test]
    fn what_is_usual_is_as_what_is_right() {
        let mut seed = 3u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 20
        };
        let (mut usual, mut read) = (0, 0);
        let rounds = if cfg!(miri) { 200 } else { 200_000 };
        for _ in 0..rounds {
            let (precision, scale) = (1 + next() % 20, next() % 20);
            let value = next() as i64 >> (next() % 44);
            let value = if next() % 2 == 0 { value } else { -value };
            let mut bytes = value.to_be_bytes()[(next() % 8) as usize..].to_vec();
            if next() % 9 == 0 {
                bytes.insert(0, 0);
            }
            let to = if next() % 2 == 0 { DecimalText::Quoted } else { DecimalText::Number };
            let mut right = Vec::new();
            let fits = write_decimal(&mut right, &bytes, precision, scale, to);
            if let Some(text) = usual_decimal_text(&bytes, precision, scale, to, <[u8]>::to_vec) {
                assert_eq!((fits, &text), (Some(()), &right));
                usual += 1;
            }
            // Read with the same or another scale, as it is or with a byte of it changed.
            let mut text = [&b" "[..usize::from(next() % 4 == 0)], &right, b",       "].concat();
            if next() % 4 == 0 {
                let at = next() as usize % text.len();
                text[at] = b"0123456789.-eE\", }"[next() as usize % 18];
            }
            let (scale, size) = (scale + next() % 2, [0, 0, 1, 3, 8, 16, 17][next() as usize % 7]);
            let text = Text { bytes: &text, complete: false };
            if let Some((bytes, end)) = usual_decimal(text, precision, scale, size) {
                assert_eq!(read_decimal(text, 0, precision, scale, size), Ok((bytes.as_slice().to_vec(), end)));
                read += 1;
            }
        }
        assert!(usual > rounds / 8 && read > rounds / 16, "{usual} and {read} of {rounds}");
    }
}
