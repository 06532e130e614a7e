//! 200 nullable fields of six kinds in turn, of which ten are wanted. Whether a field is there is a coin toss.
//!
//! Two bounds: one passes over fields without branches (a field that is not there has no bytes), the other asks.

use super::careful::{Careful, Res};
use super::cursors::{Cursors, STOP, int, long, mask, word};
use super::run::Bound;
use super::vector::{copy, is_ascii, put};
use crate::data::{R2N, R2P};

/// Kinds in turn: int, long, double, float, boolean, string.
const KINDS: usize = 6;

/// Six fields touch at most so much: sizes are multiplied by an index before it is looked at.
const REACH: usize = 4096;

/// Without branches.
pub struct WideSelect;

/// With a branch a field.
pub struct WideBranchy;

impl Bound for WideSelect {
    const REACH: usize = REACH;

    fn most(input: usize) -> usize {
        input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        // SAFETY: see Bound::fast.
        unsafe { project::<false>(c) }
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        careful(c, out)
    }
}

impl Bound for WideBranchy {
    const REACH: usize = REACH;

    fn most(input: usize) -> usize {
        input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        // SAFETY: see Bound::fast.
        unsafe { project::<true>(c) }
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        careful(c, out)
    }
}

#[inline(always)]
unsafe fn project<const BRANCHY: bool>(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        // 3, 24, 41, 62, 83, 100, 121, 143, 166, 197: written out, so that every kind is a constant.
        run::<BRANCHY>(c, 0, R2P[0])?;
        keep(c, R2P[0] % KINDS)?;
        run::<BRANCHY>(c, R2P[0] + 1, R2P[1])?;
        keep(c, R2P[1] % KINDS)?;
        run::<BRANCHY>(c, R2P[1] + 1, R2P[2])?;
        keep(c, R2P[2] % KINDS)?;
        run::<BRANCHY>(c, R2P[2] + 1, R2P[3])?;
        keep(c, R2P[3] % KINDS)?;
        run::<BRANCHY>(c, R2P[3] + 1, R2P[4])?;
        keep(c, R2P[4] % KINDS)?;
        run::<BRANCHY>(c, R2P[4] + 1, R2P[5])?;
        keep(c, R2P[5] % KINDS)?;
        run::<BRANCHY>(c, R2P[5] + 1, R2P[6])?;
        keep(c, R2P[6] % KINDS)?;
        run::<BRANCHY>(c, R2P[6] + 1, R2P[7])?;
        keep(c, R2P[7] % KINDS)?;
        run::<BRANCHY>(c, R2P[7] + 1, R2P[8])?;
        keep(c, R2P[8] % KINDS)?;
        run::<BRANCHY>(c, R2P[8] + 1, R2P[9])?;
        keep(c, R2P[9] % KINDS)?;
        run::<BRANCHY>(c, R2P[9] + 1, R2N)
    }
}

/// Passes over fields `from..to`.
#[inline(always)]
unsafe fn run<const BRANCHY: bool>(c: &mut Cursors, from: usize, to: usize) -> Option<()> {
    let mut at = from;
    // SAFETY: see Bound::fast; the reach covers six fields.
    unsafe {
        let mut indexes = 0;
        while at < to && !at.is_multiple_of(KINDS) {
            indexes |= pass::<BRANCHY>(c, at % KINDS)?;
            at += 1;
        }
        looked_at(c, indexes)?;
        while at + KINDS <= to {
            let mut indexes = 0;
            indexes |= pass::<BRANCHY>(c, 0)?;
            indexes |= pass::<BRANCHY>(c, 1)?;
            if BRANCHY {
                indexes |= pass::<BRANCHY>(c, 2)?;
                indexes |= pass::<BRANCHY>(c, 3)?;
                indexes |= pass::<BRANCHY>(c, 4)?;
            } else {
                indexes |= pass_three(c);
            }
            indexes |= pass::<BRANCHY>(c, 5)?;
            looked_at(c, indexes)?;
            at += KINDS;
        }
        let mut indexes = 0;
        while at < to {
            indexes |= pass::<BRANCHY>(c, at % KINDS)?;
            at += 1;
        }
        looked_at(c, indexes)
    }
}

/// Indexes are those of nullable fields, and the next six fields can be read.
#[inline(always)]
fn looked_at(c: &Cursors, indexes: u64) -> Option<()> {
    if indexes & !2 != 0 { None } else { c.in_reach() }
}

/// Passes over a field: its index.
#[inline(always)]
unsafe fn pass<const BRANCHY: bool>(c: &mut Cursors, kind: usize) -> Option<u64> {
    // SAFETY: see Bound::fast.
    unsafe {
        let index = c.byte();
        if BRANCHY {
            c.skip(1);
            if index == 2 {
                match kind {
                    0 | 1 => c.unwanted()?,
                    2 => c.skip(8),
                    3 => c.skip(4),
                    4 => c.skip(1),
                    _ => c.bytes()?,
                }
            }
            return Some(index);
        }
        match kind {
            0 | 1 => nullable_varint(c)?,
            2 => c.skip(1 + 4 * index),
            3 => c.skip(1 + 2 * index),
            4 => c.skip(1 + (index >> 1)),
            _ => {
                let len = c.word() >> 8 & 0xff & mask(index);
                if len & 0x81 != 0 {
                    c.skip(1);
                    c.bytes()?;
                } else {
                    c.skip(1 + (index >> 1 & 1) + (len >> 1));
                }
            }
        }
        Some(index)
    }
}

/// Passes over a nullable varint: an index is a byte without a top bit, and where a value follows, not the last.
#[inline(always)]
unsafe fn nullable_varint(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        let word = c.word();
        let ends = (!word & STOP) ^ ((word & 2) << 6);
        if ends == 0 {
            c.skip(1);
            return c.unwanted();
        }
        c.skip(u64::from(ends.trailing_zeros() >> 3) + 1);
    }
    Some(())
}

/// Passes over a nullable double, float and boolean: their indexes. The words behind the double are loaded before it is
/// known where it ends; float and boolean lie within one.
#[inline(always)]
unsafe fn pass_three(c: &mut Cursors) -> u64 {
    // SAFETY: see Bound::fast.
    unsafe {
        let double = c.byte();
        let (behind_null, behind_value) = (word(c.p.add(1)), word(c.p.add(9)));
        let word = (behind_value & mask(double)) | (behind_null & !mask(double));
        let float = word & 0xff;
        // Other indexes than 0 and 2 are refused later: here they only must not lead astray.
        let boolean = word >> ((8 + 16 * float) & 63) & 0xff;
        c.skip(3 + 4 * double + 2 * float + (boolean >> 1));
        double | float | boolean
    }
}

/// Moves a field.
#[inline(always)]
unsafe fn keep(c: &mut Cursors, kind: usize) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        let index = c.byte();
        if index & !2 != 0 {
            return None;
        }
        let (value, here) = (word(c.p.add(1)), mask(index));
        let n = match kind {
            // What is not there is as good as 0.
            0 => int(value & here)? & here,
            1 => long(value & here)? & here,
            2 => 8 & here,
            3 => 4 & here,
            4 => {
                if value & here & 0xff > 1 {
                    return None;
                }
                1 & here
            }
            _ => return keep_text(c, value & here & 0xff),
        };
        put::<16>(c.p, c.o);
        c.skip(1 + n);
        c.wrote(1 + n);
        Some(())
    }
}

/// Moves a nullable text with this length, or 0.
#[inline(always)]
unsafe fn keep_text(c: &mut Cursors, len: u64) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        let n = 1 + (c.byte() >> 1) + (len >> 1);
        if len & 0x81 == 0 && is_ascii::<1>(c.p, n as usize) {
            copy::<32>(c.p, c.o, n as usize);
            c.skip(n);
            c.wrote(n);
            return Some(());
        }
        let start = c.p;
        c.p = text_by_field(*c)?;
        c.put::<32>(start, c.p);
        Some(())
    }
}

#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
unsafe fn text_by_field(mut c: Cursors) -> Option<*const u8> {
    // SAFETY: the caller's promise.
    unsafe { c.nullable_text() }?;
    Some(c.p)
}

fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
    for i in 0..R2N {
        if R2P.contains(&i) {
            c.move_nullable(out, |c, out| match i % KINDS {
                0 => c.move_int(out),
                1 => c.move_long(out),
                2 => c.move_fixed(8, out),
                3 => c.move_fixed(4, out),
                4 => c.move_bool(out),
                _ => c.move_text(out),
            })?;
        } else {
            c.skip_nullable(|c| match i % KINDS {
                0 | 1 => c.varint().map(|_| ()),
                2 => c.take(8).map(|_| ()),
                3 => c.take(4).map(|_| ()),
                4 => c.take(1).map(|_| ()),
                _ => c.bytes().map(|_| ()),
            })?;
        }
    }
    Ok(())
}
