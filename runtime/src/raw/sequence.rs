//! Lengths, counts and runs through raw cursors: what precedes bytes and items on the wire.
//!
//! Every function here touches at most what its `Safety` section says; the machine has checked that much before.

use super::scalar::{load8, put, unzigzag, varint, varint_len, varint_slow, write_varint};
use crate::fault::Outcome;
use reschema_ir::{Len, SeqIn, SeqOut};

/// How long a byte string is, and where it starts; `Err` leaves the value.
///
/// # Safety
/// `p` must be readable for 10 bytes.
#[inline(always)]
pub unsafe fn length(p: *const u8) -> Result<(usize, usize), Outcome> {
    // SAFETY: the caller's promise.
    let (raw, n) = unsafe { varint(p) }.ok_or(Outcome::Reject)?;
    // A negative length, or one so large that arithmetic on it could wrap.
    if raw & 1 != 0 || n > 8 {
        return Err(Outcome::Reject);
    }
    Ok(((raw >> 1) as usize, n))
}

/// Bytes from one address to another; negative if the other is before.
#[inline(always)]
pub fn distance(from: *const u8, to: *const u8) -> isize {
    (to as isize).wrapping_sub(from as isize)
}

/// Passes over a run. Out of line: it is a loop of its own, and would take registers from the machine's.
///
/// # Safety
/// `p` ≤ `limit`, all of it readable; `count` entries of [`reschema_ir::skip_run`] are readable at `entries`.
#[inline(never)]
pub unsafe fn skip_run(
    mut p: *const u8,
    end: *const u8,
    limit: *const u8,
    entries: *const [u8; 2],
    count: usize,
) -> Result<*const u8, Outcome> {
    /// An index, and either 255 bytes or a varint.
    const ENTRY: isize = 1 + 255;
    for i in 0..count {
        // SAFETY: the caller's promise for `entries`; each access at `p` is within `ENTRY` bytes, and a byte string
        // is tested against the end.
        unsafe {
            let [kind, size] = entries.add(i).read();
            if distance(p, limit) < ENTRY {
                return Err(Outcome::NeedInput);
            }
            // Without branches where that can be: whether a field is there is a coin toss.
            let mut here = true;
            if kind & 0x30 != 0 {
                let index = *p;
                if index & !2 != 0 {
                    return Err(Outcome::Reject);
                }
                here = (index == 2) == (kind & 0x10 != 0);
                p = p.add(1);
            }
            match kind & 15 {
                0 => p = p.add(usize::from(size) * usize::from(here)),
                1 => {
                    let n = varint_len(load8(p));
                    if n > 8 && here {
                        p = p.add(varint_slow(p).ok_or(Outcome::Reject)?.1);
                    } else {
                        p = p.add(n * usize::from(here));
                    }
                }
                _ if here => {
                    let (len, head) = length(p)?;
                    p = p.add(head);
                    if len as isize > distance(p, end) {
                        return Err(Outcome::NeedInput);
                    }
                    p = p.add(len);
                }
                _ => {}
            }
        }
    }
    Ok(p)
}

/// The bytes of a span register.
///
/// # Safety
/// The register was set by `ReadSpan`, `ReadFixed` or `ConstSpan` in this run.
pub unsafe fn span_at<'a>(address: u64, len: u64) -> &'a [u8] {
    // SAFETY: those instructions have checked that the bytes are readable.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), len as usize) }
}

/// # Safety
/// `p` must be readable for 10 bytes.
pub unsafe fn length_in(p: *const u8, form: Len) -> Result<(usize, usize), Outcome> {
    // SAFETY: the caller's promise.
    unsafe {
        match form {
            Len::Zigzag => length(p),
            Len::U32 => Ok((u32::from_le_bytes(p.cast::<[u8; 4]>().read_unaligned()) as usize, 4)),
        }
    }
}

/// # Safety
/// `o` must be writable for 10 bytes.
pub unsafe fn write_len(o: *mut u8, len: usize, form: Len) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        match form {
            Len::Zigzag => write_varint(o, (len as u64) << 1),
            Len::U32 => put(o, (len as u32).to_le_bytes()),
        }
    }
}

/// A length as part of a scan: its own bytes must be canonical too.
///
/// # Safety
/// `p` must be readable for 10 bytes.
#[inline(always)]
pub unsafe fn scan_length(p: *const u8) -> Result<(usize, usize), Outcome> {
    // SAFETY: the caller's promise.
    let (len, head) = unsafe { length(p) }?;
    // SAFETY: as above; the last byte of the length.
    if head > 1 && unsafe { *p.add(head - 1) } == 0 {
        return Err(Outcome::Reject);
    }
    Ok((len, head))
}

/// Count, length of the header, and the byte size if there is one.
///
/// # Safety
/// `p` must be readable for 20 bytes.
#[inline(always)]
pub unsafe fn sized_header(p: *const u8) -> Result<(u64, usize, Option<usize>), Outcome> {
    // SAFETY: the caller's promise.
    unsafe {
        let (raw, n) = varint(p).ok_or(Outcome::Reject)?;
        if raw & 1 == 0 {
            return Ok((raw >> 1, n, None));
        }
        let count = unzigzag(raw).checked_neg().ok_or(Outcome::Reject)? as u64;
        let (size, m) = length(p.add(n))?;
        Ok((count, n + m, Some(size)))
    }
}

/// # Safety
/// `p` must be readable for 20 bytes.
#[inline(always)]
pub unsafe fn block_header(p: *const u8) -> Result<(u64, usize), Outcome> {
    // SAFETY: the caller's promise.
    let (n, len, _) = unsafe { sized_header(p) }?;
    Ok((n, len))
}

/// # Safety
/// `p` must be readable for 20 bytes.
pub unsafe fn count_in(p: *const u8, form: SeqIn) -> Result<(u64, usize), Outcome> {
    // SAFETY: the caller's promise.
    unsafe {
        match form {
            SeqIn::Blocks => block_header(p),
            SeqIn::U16 => Ok((u16::from_le_bytes(p.cast::<[u8; 2]>().read_unaligned()).into(), 2)),
            SeqIn::U32 => Ok((u32::from_le_bytes(p.cast::<[u8; 4]>().read_unaligned()).into(), 4)),
            // Their number is not told.
            SeqIn::Array | SeqIn::Object => Err(Outcome::Reject),
        }
    }
}

/// # Safety
/// `o` must be writable for 10 bytes.
pub unsafe fn write_count(o: *mut u8, n: u64, form: SeqOut) -> Option<usize> {
    // SAFETY: the caller's promise.
    unsafe {
        match form {
            SeqOut::None => Some(0),
            SeqOut::Block => Some(write_varint(o, n << 1)),
            SeqOut::U16 => u16::try_from(n).ok().map(|n| put(o, n.to_le_bytes())),
            SeqOut::U32 => u32::try_from(n).ok().map(|n| put(o, n.to_le_bytes())),
        }
    }
}
