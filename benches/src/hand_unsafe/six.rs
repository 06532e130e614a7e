//! Records of three floating-point numbers and three ints: the same, in another order, with defaults, promoted.
//!
//! An int that is promoted to a long keeps its bytes.

use super::careful::{Careful, Res};
use super::cursors::{Cursors, int, word};
use super::run::Bound;
use super::vector::{self, Masks, put};

/// Three ints: where each ends. With vectors, or word by word.
///
/// # Safety
/// 24 bytes are readable, and the machine is supported.
#[inline(always)]
unsafe fn three_ints<const VECTORS: bool>(p: *const u8) -> Option<[usize; 3]> {
    // SAFETY: the caller's promise.
    unsafe { if VECTORS { ints_of(vector::masks(p)) } else { by_words(p) } }
}

/// # Safety
/// 24 bytes are readable.
#[inline(always)]
unsafe fn by_words(p: *const u8) -> Option<[usize; 3]> {
    // SAFETY: two ints before have at most 10 bytes.
    unsafe {
        let a = int(word(p))? as usize;
        let b = a + int(word(p.add(a)))? as usize;
        let c = b + int(word(p.add(b)))? as usize;
        Some([a, b, c])
    }
}

/// Three ints have at most 15 bytes: where they end, and whether they are canonical and in range, is seen by masks of one
/// bit a byte, so that the next record does not wait for three loads one behind the other.
#[inline(always)]
fn ints_of(masks: Masks) -> Option<[usize; 3]> {
    let Masks { more, zero, large } = masks;
    let first = !more & 0xffff;
    let second = first & first.wrapping_sub(1);
    let third = second & second.wrapping_sub(1);
    // Bytes behind four that are followed by more; all bytes, if three ints do not end here.
    let pairs = more & more << 1;
    let fifth = (pairs & pairs << 2) << 1;
    let within = third ^ third.wrapping_sub(1);
    // The last of several bytes is not 0; the fifth is the last, and holds four bits.
    let bad = (zero & more << 1) | ((large | more) & fifth);
    if bad & within != 0 {
        return None;
    }
    Some([first, second, third].map(|ends| ends.trailing_zeros() as usize + 1))
}

fn careful_ints(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
    (0..3).try_for_each(|_| c.move_int(out))
}

fn careful_same(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
    c.move_fixed(24, out)?;
    careful_ints(c, out)
}

/// Nothing changes, or ints become longs.
pub struct SixSame<const VECTORS: bool>;

impl<const VECTORS: bool> Bound for SixSame<VECTORS> {
    const REACH: usize = 64;

    fn most(input: usize) -> usize {
        input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        // SAFETY: see Bound::fast.
        unsafe {
            let ints = c.p.add(24);
            let [.., end] = three_ints::<VECTORS>(ints)?;
            put::<24>(c.p, c.o);
            put::<16>(ints, c.o.add(24));
            c.skip(24 + end as u64);
            c.wrote(24 + end as u64);
        }
        Some(())
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        careful_same(c, out)
    }
}

/// Fields 1, 3, 5, 2, 4, 6.
pub struct SixReordered<const VECTORS: bool>;

impl<const VECTORS: bool> Bound for SixReordered<VECTORS> {
    const REACH: usize = 64;

    fn most(input: usize) -> usize {
        input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        // SAFETY: see Bound::fast.
        unsafe {
            let (p, o) = (c.p, c.o);
            let ints = p.add(24);
            let [f5, f6, end] = three_ints::<VECTORS>(ints)?;
            put::<8>(p, o);
            put::<8>(p.add(16), o.add(8));
            put::<8>(ints.add(f5), o.add(16));
            let o = o.add(16 + f6 - f5);
            put::<8>(p.add(8), o);
            put::<8>(ints, o.add(8));
            put::<8>(ints.add(f6), o.add(8 + f5));
            c.skip(24 + end as u64);
            c.wrote(24 + end as u64);
        }
        Some(())
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        let (mut ints, mut f4) = (c.take(24)?, Vec::new());
        c.move_int(&mut f4)?;
        out.extend_from_slice(&ints[..8]);
        out.extend_from_slice(&ints[16..]);
        ints = &ints[8..16];
        c.move_int(out)?;
        out.extend_from_slice(ints);
        out.extend_from_slice(&f4);
        c.move_int(out)
    }
}

/// Two strings that the writer lacks.
pub struct SixDefaults<const VECTORS: bool>;

const DEFAULTS: &[u8; 20] = b"\x12undefined\x12undefined";

impl<const VECTORS: bool> Bound for SixDefaults<VECTORS> {
    const REACH: usize = 64;

    fn most(input: usize) -> usize {
        // A record has at least 27 bytes.
        2 * input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        // SAFETY: see Bound::fast.
        unsafe {
            SixSame::<VECTORS>::fast(c)?;
            put::<20>(DEFAULTS.as_ptr(), c.o);
            c.wrote(20);
        }
        Some(())
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        careful_same(c, out)?;
        out.extend_from_slice(DEFAULTS);
        Ok(())
    }
}

/// Floats become doubles, ints longs.
pub struct SixFloats<const VECTORS: bool>;

impl<const VECTORS: bool> Bound for SixFloats<VECTORS> {
    const REACH: usize = 64;

    fn most(input: usize) -> usize {
        2 * input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        // SAFETY: see Bound::fast.
        unsafe {
            let ints = c.p.add(12);
            let [.., end] = three_ints::<VECTORS>(ints)?;
            for i in 0..3 {
                let float = f32::from_bits(u32::from_le(c.p.cast::<u32>().add(i).read_unaligned()));
                c.o.cast::<u64>().add(i).write_unaligned(f64::from(float).to_bits().to_le());
            }
            put::<16>(ints, c.o.add(24));
            c.skip(12 + end as u64);
            c.wrote(24 + end as u64);
        }
        Some(())
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        for float in c.take(12)?.chunks_exact(4) {
            let float = f32::from_le_bytes([float[0], float[1], float[2], float[3]]);
            out.extend_from_slice(&f64::from(float).to_le_bytes());
        }
        careful_ints(c, out)
    }
}
