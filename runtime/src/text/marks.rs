//! Sixteen bytes at a time: where plain text ends.

/// Of sixteen bytes, a bit each.
#[derive(Clone, Copy)]
pub(super) struct Marks {
    /// What ends a run of plain text: quote, backslash, control. Bits above the lowest may be wrong.
    pub(super) stops: u32,
    /// What is not ASCII.
    pub(super) wide: u32,
}

impl Marks {
    /// Of bytes that are not ASCII those before what ends the run.
    #[inline(always)]
    pub(super) fn wide_before(self) -> u32 {
        // The bits below the lowest of `stops`; all if there is none.
        self.wide & self.stops.wrapping_sub(1) & !self.stops
    }
}

/// Looks at sixteen bytes.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub(super) fn marks(bytes: &[u8; 16]) -> Marks {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
    };
    let word = u128::from_le_bytes(*bytes);
    // SAFETY: every machine that this is compiled for has SSE2, and nothing here takes a pointer.
    unsafe {
        let text = _mm_set_epi64x((word >> 64) as i64, word as i64);
        // No control is above 0x1f.
        let controls = _mm_cmpeq_epi8(_mm_max_epu8(text, _mm_set1_epi8(0x1f)), _mm_set1_epi8(0x1f));
        let quotes = _mm_cmpeq_epi8(text, _mm_set1_epi8(b'"' as i8));
        let slashes = _mm_cmpeq_epi8(text, _mm_set1_epi8(b'\\' as i8));
        let stops = _mm_or_si128(_mm_or_si128(quotes, slashes), controls);
        Marks { stops: _mm_movemask_epi8(stops) as u32, wide: _mm_movemask_epi8(text) as u32 }
    }
}

/// Looks at sixteen bytes.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
pub(super) fn marks(bytes: &[u8; 16]) -> Marks {
    let word = u128::from_le_bytes(*bytes);
    let (low, high) = (of_word(word as u64), of_word((word >> 64) as u64));
    Marks { stops: low.stops | high.stops << 8, wide: low.wide | high.wide << 8 }
}

/// Of sixteen bytes, a bit for each that is no digit.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub(super) fn not_digits(bytes: &[u8; 16]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_max_epu8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8, _mm_xor_si128,
    };
    let word = u128::from_le_bytes(*bytes);
    // SAFETY: as in `marks`.
    unsafe {
        let text = _mm_set_epi64x((word >> 64) as i64, word as i64);
        // Digits become their values, all else something above.
        let values = _mm_xor_si128(text, _mm_set1_epi8(0x30));
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(values, _mm_set1_epi8(10)), values)) as u32
    }
}

/// Of sixteen bytes, a bit for each that is no digit.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
pub(super) fn not_digits(bytes: &[u8; 16]) -> u32 {
    let word = u128::from_le_bytes(*bytes);
    not_digits_of_word(word as u64) | not_digits_of_word((word >> 64) as u64) << 8
}

/// Of eight bytes in a word, a bit for each that is no digit.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "sse2"), allow(dead_code, reason = "for other machines"))]
#[inline(always)]
fn not_digits_of_word(word: u64) -> u32 {
    let values = word ^ 0x3030_3030_3030_3030;
    // The lower seven bits of a byte cannot carry into the next one.
    let over = (values & !TOPS).wrapping_add(0x7676_7676_7676_7676) | values;
    bits(over & TOPS)
}

const TOPS: u64 = 0x8080_8080_8080_8080;

/// The top bits of eight bytes, gathered.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "sse2"), allow(dead_code, reason = "for other machines"))]
#[inline(always)]
fn bits(tops: u64) -> u32 {
    ((tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

/// Looks at eight bytes in a word, the first the lowest.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "sse2"), allow(dead_code, reason = "for other machines"))]
#[inline(always)]
pub(super) fn of_word(word: u64) -> Marks {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let has_zero = |x: u64| x.wrapping_sub(ONES) & !x;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let stops = (has_zero(word ^ (ONES * 0x22)) | has_zero(word ^ (ONES * 0x5c)) | control) & TOPS;
    Marks { stops: bits(stops), wide: bits(word & TOPS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(bytes: &[u8]) -> (u32, u32) {
        let stop = |b: &u8| *b < 0x20 || *b == b'"' || *b == b'\\';
        let n = bytes.iter().position(stop).unwrap_or(bytes.len());
        let wide = bytes[..n].iter().enumerate().filter(|(_, b)| **b >= 0x80).map(|(i, _)| 1 << i).sum();
        (n as u32, wide)
    }

    #[test]
    fn both_ways_agree_with_a_plain_loop() {
        let mut seed = 1u64;
        for round in 0..200_000 {
            let mut bytes = [0u8; 16];
            for b in &mut bytes {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let any = (seed >> 33) as u8;
                *b = if round % 2 == 0 {
                    any
                } else {
                    [b'a', b'!', b'#', b'[', b']', 0x20, 0x7f, 0x80, 0xff, 0xa2, 0x22, b'/', b'0', b'9', b':']
                        [any as usize % 15]
                };
            }
            let m = marks(&bytes);
            assert_eq!((m.stops.trailing_zeros().min(16), m.wide_before() & 0xffff), naive(&bytes), "{bytes:?}");
            let digits =
                bytes.iter().enumerate().filter(|(_, b)| !b.is_ascii_digit()).map(|(i, _)| 1 << i).sum::<u32>();
            assert_eq!(not_digits(&bytes), digits, "{bytes:?}");
            assert_eq!(not_digits_of_word(u128::from_le_bytes(bytes) as u64), digits & 0xff, "{bytes:?}");
            let word = of_word(u64::from_le_bytes(*bytes.first_chunk().expect("eight")));
            assert_eq!(
                (word.stops.trailing_zeros().min(8), word.wide_before() & 0xff),
                naive(&bytes[..8]),
                "{bytes:?}"
            );
        }
    }
}
