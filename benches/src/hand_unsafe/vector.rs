//! Steps of 32 bytes: copies, and whether text is ASCII.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256i, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_setzero_si256};

/// Bytes that a step may touch too many.
pub(super) const STEP: usize = 32;

/// True when no byte has its high bit set.
///
/// # Safety
/// `len` + [`STEP`] bytes are readable, and the machine is supported.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn is_ascii(p: *const u8, len: usize) -> bool {
    // SAFETY: every load begins before `len`; the machine has AVX2.
    unsafe {
        let load = |at: usize| _mm256_loadu_si256(p.add(at).cast::<__m256i>());
        let (mut seen, mut at) = (_mm256_setzero_si256(), 0);
        while at + STEP < len {
            seen = _mm256_or_si256(seen, load(at));
            at += STEP;
        }
        let last = _mm256_movemask_epi8(load(at)) as u32 as u64 & ((1 << (len - at)) - 1);
        _mm256_movemask_epi8(seen) as u32 as u64 | last == 0
    }
}

/// No machine without the instructions is supported.
///
/// # Safety
/// `len` bytes are readable.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) unsafe fn is_ascii(p: *const u8, len: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(p, len) }.is_ascii()
}

/// A bit for each of 16 bytes.
#[derive(Clone, Copy)]
pub(super) struct Masks {
    /// Its top bit is set: more bytes of a varint follow.
    pub(super) more: u32,
    /// It is 0.
    pub(super) zero: u32,
    /// It is above 15, and its top bit is clear.
    pub(super) large: u32,
}

/// What 16 bytes are.
///
/// # Safety
/// They are readable, and the machine is supported.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn masks(p: *const u8) -> Masks {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8, _mm_setzero_si128,
    };
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = _mm_loadu_si128(p.cast::<__m128i>());
        let mask = |bytes| _mm_movemask_epi8(bytes) as u32;
        Masks {
            more: mask(bytes),
            zero: mask(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())),
            large: mask(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(15))),
        }
    }
}

/// # Safety
/// 16 bytes are readable.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) unsafe fn masks(p: *const u8) -> Masks {
    // SAFETY: the caller's promise.
    let bytes = unsafe { p.cast::<[u8; 16]>().read_unaligned() };
    let mask = |is: fn(u8) -> bool| (0..16).map(|i| u32::from(is(bytes[i])) << i).sum();
    Masks { more: mask(|b| b >= 0x80), zero: mask(|b| b == 0), large: mask(|b| b > 15 && b < 0x80) }
}

/// Copies `N` bytes.
///
/// # Safety
/// They are readable and writable.
#[inline(always)]
pub(super) unsafe fn put<const N: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { to.cast::<[u8; N]>().write_unaligned(from.cast::<[u8; N]>().read_unaligned()) }
}

/// Copies in steps.
///
/// # Safety
/// `len` + [`STEP`] bytes are readable and writable.
#[inline(always)]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    let mut at = 0;
    loop {
        // SAFETY: `at` is at most `len`.
        unsafe { put::<STEP>(from.add(at), to.add(at)) };
        at += STEP;
        if at >= len {
            break;
        }
    }
}
