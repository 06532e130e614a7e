//! Eight digits at a time, in one word.

/// Eight bytes less `'0'` each: of digits their values. The first is the lowest.
#[derive(Clone, Copy)]
pub(super) struct Eight(u64);

impl Eight {
    /// Those at a place, if eight are there.
    #[inline(always)]
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Eight> {
        let chunk = bytes.get(at..)?.first_chunk::<8>()?;
        Some(Eight(u64::from_le_bytes(*chunk) ^ 0x3030_3030_3030_3030))
    }

    /// How many of them are digits, from the first.
    #[inline(always)]
    pub(super) fn count(self) -> usize {
        // A byte of 10 and more gets its top bit; what it carries only touches bytes behind.
        let over = self.0 | self.0.wrapping_add(0x7676_7676_7676_7676);
        ((over & 0x8080_8080_8080_8080).trailing_zeros() / 8) as usize
    }

    /// The number that the first `n` make, which are digits; `n` is not 0.
    #[inline(always)]
    pub(super) fn value(self, n: usize) -> u64 {
        // Digits go to the end, zeros come before.
        let digits = self.0 << (64 - 8 * n as u32);
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
        let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
        let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
        low.wrapping_add(high) >> 32
    }
}

/// Powers of ten that a word holds.
pub(super) const TENS: [u64; 20] = {
    let mut tens = [1; 20];
    let mut i = 1;
    while i < 20 {
        tens[i] = tens[i - 1] * 10;
        i += 1;
    }
    tens
};

/// Reads digits from `at`: the number that they make, as long as there are no more than 19, how many, and where they end.
#[inline(always)]
pub(super) fn run(bytes: &[u8], mut at: usize, mut value: u64) -> (u64, usize) {
    while let Some(eight) = Eight::at(bytes, at) {
        let n = eight.count();
        if n == 8 {
            value = value.wrapping_mul(100_000_000).wrapping_add(eight.value(8));
            at += 8;
            continue;
        }
        if n > 0 {
            value = value.wrapping_mul(TENS[n]).wrapping_add(eight.value(n));
        }
        return (value, at + n);
    }
    while let Some(b @ b'0'..=b'9') = bytes.get(at) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(b - b'0'));
        at += 1;
    }
    (value, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_values() {
        for text in ["1", "12", "90817263", "0000000", "123456789", "12345678901234567", "1844674407370955161"] {
            for tail in ["", ",", ".5e", "\u{ff}\u{ff}\u{ff}", ":::::::::", "//////////", "         "] {
                let line = format!("x{text}{tail}");
                let (value, end) = run(line.as_bytes(), 1, 0);
                assert_eq!((value, end), (text.parse().unwrap_or(0), text.len() + 1), "{line}");
            }
        }
    }

    #[test]
    fn every_byte_behind_digits_ends_them() {
        for b in 0..=255u8 {
            for n in 0..8 {
                let mut bytes = [b; 8];
                bytes[..n].fill(b'7');
                let eight = Eight::at(&bytes, 0).expect("eight bytes");
                let more = if b.is_ascii_digit() { 8 } else { n };
                assert_eq!(eight.count(), more, "{b} behind {n}");
            }
        }
    }
}
