//! Varints and copies through raw cursors.
//!
//! Every function here touches at most what [`reschema_ir::cost`] says of the op it serves.

pub use crate::num::unzigzag;
use reschema_ir::Num;

const STOP: u64 = 0x8080_8080_8080_8080;

/// Loads eight bytes, least significant first.
///
/// # Safety
/// `p` must be readable for 8 bytes.
#[inline(always)]
pub unsafe fn load8(p: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    u64::from_le(unsafe { p.cast::<u64>().read_unaligned() })
}

/// Stores eight bytes.
///
/// # Safety
/// `o` must be writable for 8 bytes.
#[inline(always)]
pub unsafe fn store8(o: *mut u8, v: u64) {
    // SAFETY: the caller's promise.
    unsafe { o.cast::<u64>().write_unaligned(v.to_le()) }
}

/// Bytes of the varint in the low bytes of `word`, or 9 if it does not end there.
#[inline(always)]
pub fn varint_len(word: u64) -> usize {
    let stops = !word & STOP;
    if stops == 0 { 9 } else { (stops.trailing_zeros() as usize >> 3) + 1 }
}

/// The value of a varint of `len` ≤ 8 bytes in the low bytes of `word`.
#[inline(always)]
pub fn varint_value(word: u64, len: usize) -> u64 {
    let x = word & (u64::MAX >> (64 - 8 * len)) & !STOP;
    let x = (x & 0x007f_007f_007f_007f) | ((x & 0x7f00_7f00_7f00_7f00) >> 1);
    let x = (x & 0x0000_3fff_0000_3fff) | ((x & 0x3fff_0000_3fff_0000) >> 2);
    (x & 0x0fff_ffff) | ((x & 0x0fff_ffff_0000_0000) >> 4)
}

/// True when the last byte of a varint of `len` in 2..=8 bytes is not zero.
#[inline(always)]
pub fn is_minimal(word: u64, len: usize) -> bool {
    word >> (8 * (len - 1)) & 0x7f != 0
}

/// Reads any varint: value and length; `None` for more than 10 bytes or 64 bits.
///
/// # Safety
/// `p` must be readable for 10 bytes.
#[cold]
#[inline(never)]
pub unsafe fn varint_slow(p: *const u8) -> Option<(u64, usize)> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(p, 10) };
    crate::num::varint(bytes).ok()
}

/// Reads a varint.
///
/// # Safety
/// `p` must be readable for 10 bytes.
#[inline(always)]
pub unsafe fn varint(p: *const u8) -> Option<(u64, usize)> {
    // SAFETY: the caller's promise covers 8 and 10 bytes.
    unsafe {
        let word = load8(p);
        if word & 0x80 == 0 {
            return Some((word & 0x7f, 1));
        }
        let len = varint_len(word);
        if len <= 8 { Some((varint_value(word, len), len)) } else { varint_slow(p) }
    }
}

/// Writes a minimal varint and returns its length.
///
/// # Safety
/// `o` must be writable for 10 bytes.
#[inline(always)]
pub unsafe fn write_varint(o: *mut u8, mut v: u64) -> usize {
    let mut n = 0;
    while v >= 0x80 {
        // SAFETY: at most 9 bytes precede the last one.
        unsafe { o.add(n).write(v as u8 | 0x80) };
        v >>= 7;
        n += 1;
    }
    // SAFETY: as above.
    unsafe { o.add(n).write(v as u8) };
    n + 1
}

/// Copies a zigzag varint in canonical form: bytes read and written, `None` if it is malformed or out of range.
///
/// # Safety
/// `p` must be readable for 10 bytes and `o` writable for 16.
#[inline(always)]
pub unsafe fn move_varint<const BITS: u32>(p: *const u8, o: *mut u8) -> Option<(usize, usize)> {
    // SAFETY: the caller's promise covers every access below.
    unsafe {
        let word = load8(p);
        if word & 0x80 == 0 {
            o.write(word as u8);
            return Some((1, 1));
        }
        let len = varint_len(word);
        let in_range = BITS == 64 || len < 5 || (len == 5 && word >> 32 & 0x7f <= 0x0f);
        if len <= 8 && is_minimal(word, len) && in_range {
            store8(o, word);
            return Some((len, len));
        }
        let (value, len) = varint_slow(p)?;
        if BITS == 32 && value > u64::from(u32::MAX) {
            return None;
        }
        Some((len, write_varint(o, value)))
    }
}

/// The length of a canonical zigzag varint in range; `None` for any other.
///
/// # Safety
/// `p` must be readable for 10 bytes.
#[inline(always)]
pub unsafe fn scan_varint<const BITS: u32>(p: *const u8) -> Option<usize> {
    // SAFETY: the caller's promise.
    let word = unsafe { load8(p) };
    if word & 0x80 == 0 {
        return Some(1);
    }
    let len = varint_len(word);
    if len <= 8 && is_minimal(word, len) {
        let in_range = BITS == 64 || len < 5 || (len == 5 && word >> 32 & 0x7f <= 0x0f);
        return in_range.then_some(len);
    }
    if BITS == 32 {
        return None;
    }
    // SAFETY: the caller's promise.
    let (value, len) = unsafe { varint_slow(p) }?;
    (value >> (7 * (len - 1)) != 0).then_some(len)
}

/// Copies `len` bytes in 32-byte steps.
///
/// # Safety
/// `p` must be readable and `o` writable for `len` + 32 bytes, and they must not overlap.
#[inline(always)]
pub unsafe fn copy_wild(p: *const u8, o: *mut u8, len: usize) {
    let mut at = 0;
    loop {
        // SAFETY: `at` ≤ `len`, and 32 bytes more are in bounds.
        unsafe { o.add(at).cast::<[u8; 32]>().write_unaligned(p.add(at).cast::<[u8; 32]>().read_unaligned()) };
        at += 32;
        if at >= len {
            break;
        }
    }
}

/// Reads a number of any form: raw value and length; `None` if it is malformed or out of range.
///
/// # Safety
/// `p` must be readable for what [`reschema_ir::cost`] says of the form.
#[inline(never)]
pub unsafe fn read_num(p: *const u8, form: Num) -> Option<(i64, usize)> {
    let size = match form {
        Num::Zigzag32 | Num::Zigzag64 => 10,
        Num::Bool | Num::U8 => 1,
        Num::U16 => 2,
        Num::F32 | Num::I32 => 4,
        Num::F64 | Num::I64 => 8,
    };
    // SAFETY: `size` is what the cost table says.
    let bytes = unsafe { std::slice::from_raw_parts(p, size) };
    crate::num::read(bytes, form).ok()
}

/// Writes a number of any form and returns its length.
///
/// # Safety
/// `o` must be writable for what [`reschema_ir::cost`] says of the form.
#[inline(never)]
pub unsafe fn write_num(o: *mut u8, raw: i64, form: Num) -> usize {
    // SAFETY: each arm writes no more than the cost table says.
    unsafe {
        match form {
            Num::Zigzag32 | Num::Zigzag64 => write_varint(o, crate::num::zigzag(raw)),
            Num::Bool | Num::U8 => put(o, [raw as u8]),
            Num::U16 => put(o, (raw as u16).to_le_bytes()),
            Num::F32 | Num::I32 => put(o, (raw as u32).to_le_bytes()),
            Num::F64 | Num::I64 => put(o, raw.to_le_bytes()),
        }
    }
}

/// Stores `N` bytes.
///
/// # Safety
/// `o` must be writable for `N` bytes.
#[inline(always)]
pub unsafe fn put<const N: usize>(o: *mut u8, bytes: [u8; N]) -> usize {
    // SAFETY: the caller's promise.
    unsafe { o.cast::<[u8; N]>().write_unaligned(bytes) };
    N
}
