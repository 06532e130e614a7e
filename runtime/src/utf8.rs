//! UTF-8: the ASCII case in a few wide steps, everything else by the standard library.

/// Bytes that may be read behind the text by [`is_utf8_wild`].
pub const OVERREAD: usize = 32;

/// True for valid UTF-8.
pub fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

#[cold]
#[inline(never)]
fn slow(bytes: &[u8]) -> bool {
    is_utf8(bytes)
}

/// True for valid UTF-8.
///
/// # Safety
/// `text` must be readable for `len` + [`OVERREAD`] bytes.
#[inline(always)]
pub unsafe fn is_utf8_wild(text: *const u8, len: usize) -> bool {
    // SAFETY: the caller's promise is the callee's.
    if unsafe { ascii_wild(text, len) } {
        return true;
    }
    // SAFETY: `len` bytes are readable.
    slow(unsafe { std::slice::from_raw_parts(text, len) })
}

/// True when no byte has its high bit set.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn ascii_wild(text: *const u8, len: usize) -> bool {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128};
    let load = |at: usize| {
        // SAFETY: every `at` below is less than `len` + 17, and `len` + 32 bytes are readable.
        unsafe { _mm_loadu_si128(text.add(at).cast::<__m128i>()) }
    };
    let mut at = 0;
    // SAFETY: SSE2 is part of every x86-64.
    unsafe {
        while at + 32 <= len {
            if _mm_movemask_epi8(_mm_or_si128(load(at), load(at + 16))) != 0 {
                return false;
            }
            at += 32;
        }
        let low = _mm_movemask_epi8(load(at)) as u32;
        let high = _mm_movemask_epi8(load(at + 16)) as u32;
        (low | high << 16) & ((1u32 << (len - at)) - 1) == 0
    }
}

/// True when no byte has its high bit set.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn ascii_wild(text: *const u8, len: usize) -> bool {
    // SAFETY: `len` bytes are readable.
    unsafe { std::slice::from_raw_parts(text, len) }.is_ascii()
}
