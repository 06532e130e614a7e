//! Steps of 32 bytes: copies, and whether text is ASCII.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256i, _bzhi_u64, _mm256_loadu_si256, _mm256_movemask_epi8};

/// Bytes that a step may touch too many.
pub(super) const STEP: usize = 32;

/// True when no byte has its high bit set. `FIRST` times 64 bytes are looked at without asking whether there are so many:
/// a length that nobody can foresee costs more than they do.
///
/// # Safety
/// `len` + [`STEP`] bytes and `FIRST` times 64 are readable, and the machine is supported.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn is_ascii<const FIRST: usize>(p: *const u8, len: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let tops = |at: usize| u64::from(_mm256_movemask_epi8(_mm256_loadu_si256(p.add(at).cast::<__m256i>())) as u32);
        let mut seen = 0;
        for i in 0..FIRST {
            let pair = tops(64 * i) | tops(64 * i + STEP) << 32;
            // More than all bits are all bits.
            seen |= _bzhi_u64(pair, len.saturating_sub(64 * i).min(64) as u32);
        }
        let mut at = 64 * FIRST;
        while at < len {
            seen |= _bzhi_u64(tops(at), (len - at).min(STEP) as u32);
            at += STEP;
        }
        seen == 0
    }
}

/// No machine without the instructions is supported.
///
/// # Safety
/// `len` bytes are readable.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) unsafe fn is_ascii<const FIRST: usize>(p: *const u8, len: usize) -> bool {
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

/// Copies in steps. `FIRST` bytes are copied without asking whether there are so many, as above.
///
/// # Safety
/// `len` + [`STEP`] bytes and `FIRST` are readable and writable.
#[inline(always)]
pub(super) unsafe fn copy<const FIRST: usize>(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { put::<FIRST>(from, to) };
    let mut at = FIRST;
    while at < len {
        // SAFETY: `at` is less than `len`.
        unsafe { put::<STEP>(from.add(at), to.add(at)) };
        at += STEP;
    }
}
