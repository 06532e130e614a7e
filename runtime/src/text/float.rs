//! Binary floating point from digits and an exponent, where that takes a few steps: the algorithm of Lemire, "Number Parsing
//! at a Gigabyte per Second" (2021), section 5, for exponents whose powers of five are exact in 64 bits. The standard library
//! does the rest.

/// Largest exponent of ten, in either direction, that is dealt with.
const MOST: i32 = 27;

/// Powers of five from `-MOST` on: 128 bits with the top one set; those of negative exponents are rounded up.
const FIVES: [u128; 2 * MOST as usize + 1] = {
    let mut fives = [0; 2 * MOST as usize + 1];
    let mut power: u128 = 1;
    let mut i = 0;
    while i <= MOST as usize {
        fives[MOST as usize + i] = power << power.leading_zeros();
        if i > 0 {
            fives[MOST as usize - i] = reciprocal(power);
        }
        power *= 5;
        i += 1;
    }
    fives
};

/// The first 128 bits of 1 / `n`, rounded up; `n` has 64 bits and is no power of two.
const fn reciprocal(n: u128) -> u128 {
    // 2^(127 + bits of n) / n has 128 bits. It is divided bit by bit, so that no intermediate value is wider.
    let bits = 128 - n.leading_zeros();
    let (mut quotient, mut rest) = (0u128, 1u128);
    let mut i = 0;
    while i < 127 + bits {
        rest <<= 1;
        quotient <<= 1;
        if rest >= n {
            rest -= n;
            quotient |= 1;
        }
        i += 1;
    }
    quotient + 1
}

/// What a type of IEEE 754 is made of.
pub(super) struct Form {
    /// Bits of the mantissa that are stored.
    mantissa: u32,
    /// The exponent of 1, as it is stored.
    bias: i32,
    /// Exponents of ten in which half-way cases that are exact can be met.
    ties: std::ops::RangeInclusive<i32>,
    /// Exponents of ten with which any 64 bits are finite and normal.
    safe: std::ops::RangeInclusive<i32>,
}

pub(super) const BINARY32: Form = Form { mantissa: 23, bias: 127, ties: -17..=10, safe: -MOST..=18 };
pub(super) const BINARY64: Form = Form { mantissa: 52, bias: 1023, ties: -4..=23, safe: -MOST..=MOST };

/// The bits of the value of `form` nearest to `digits` × 10^`exponent`, ties to even; `None` where this way cannot tell.
pub(super) fn nearest(digits: u64, exponent: i32, form: &Form) -> Option<u64> {
    if !form.safe.contains(&exponent) {
        return None;
    }
    if digits == 0 {
        return Some(0);
    }
    let zeros = digits.leading_zeros();
    let digits = digits << zeros;
    let (low, high) = product(digits, FIVES[(exponent + MOST) as usize], form.mantissa + 3);
    let upper = (high >> 63) as u32;
    let shift = upper + 61 - form.mantissa;
    let mut mantissa = high >> shift;
    // floor(log2(5^exponent)) by a fraction.
    let power = (exponent.wrapping_mul(217_706) >> 16) + 63 + upper as i32 - zeros as i32;
    // A half-way case that is exact: the bits behind are none, so it goes to even.
    if low <= 1 && form.ties.contains(&exponent) && mantissa & 3 == 1 && mantissa << shift == high {
        mantissa &= !1;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    let mut power = power + form.bias;
    if mantissa >> (form.mantissa + 1) != 0 {
        mantissa = 1 << form.mantissa;
        power += 1;
    }
    Some(mantissa & !(1 << form.mantissa) | (power as u64) << form.mantissa)
}

/// The upper 128 bits of a product, or so many of them that `precision` bits are right.
#[inline(always)]
fn product(digits: u64, five: u128, precision: u32) -> (u64, u64) {
    let wide = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let mut first = wide(digits, (five >> 64) as u64);
    let mask = u64::MAX >> precision;
    if (first >> 64) as u64 & mask == mask {
        first += wide(digits, five as u64) >> 64;
    }
    (first as u64, (first >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(digits: u64, exponent: i32) {
        let text = format!("{digits}e{exponent}");
        if let Some(bits) = nearest(digits, exponent, &BINARY64) {
            assert_eq!(bits, text.parse::<f64>().expect("a number").to_bits(), "{text}");
        }
        if let Some(bits) = nearest(digits, exponent, &BINARY32) {
            assert_eq!(bits as u32, text.parse::<f32>().expect("a number").to_bits(), "{text}");
        }
    }

    #[test]
    fn as_the_standard_library() {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed ^ seed >> 29
        };
        let rounds = if cfg!(miri) { 200 } else { 300_000 };
        for _ in 0..rounds {
            let (digits, exponent) = (next(), (next() % 55) as i32 - 27);
            agrees(digits, exponent);
            agrees(digits >> (next() % 64), exponent);
            // Near what is half-way between two values.
            let (f, g) = (f64::from_bits(next()).abs(), f32::from_bits(next() as u32).abs());
            for v in [f % 1e17, f64::from(g) % 1e17] {
                let v = v.floor();
                let half = (v as u64).saturating_add(u64::from(next() % 2 == 0));
                agrees(half, 0);
            }
            let top = (1u64 << 53) + (next() >> 12);
            agrees(top, 0);
            agrees(top.wrapping_mul(5), -1);
            agrees(top | 1, exponent.clamp(-5, 5));
            let top = (1u64 << 24) + (next() >> 40);
            agrees(2 * top + 1, 0);
            agrees((2 * top + 1) * 5, -1);
            agrees((2 * top + 1) * 125, -3);
        }
        for digits in [0, 1, 2, 3, 5, 9_007_199_254_740_993, u64::MAX, u64::MAX - 1, 1 << 63] {
            (-MOST..=MOST).for_each(|exponent| agrees(digits, exponent));
        }
        assert_eq!(nearest(1, MOST + 1, &BINARY64), None);
    }
}
