//! The order event under its own schema: looked at as a whole, copied as a whole.

use super::careful::{Careful, Res};
use super::cursors::{Cursors, Seen};
use super::run::Bound;

/// Symbols of the writer's enum.
pub(super) const EVENTS: u8 = 6;

/// What fields touch between two looks at the reach: sixteen texts of at most 129 bytes, and numbers.
pub(super) const REACH: usize = 2560;

/// Nothing changes.
pub struct OrderSame;

impl Bound for OrderSame {
    const REACH: usize = REACH;

    fn most(input: usize) -> usize {
        input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        let start = c.p;
        // SAFETY: see Bound::fast.
        unsafe {
            ids(c)?;
            c.index(EVENTS)?;
            c.long()?;
            c.long()?;
            c.text()?;
            c.bytes()?;
            amounts(c)?;
            c.small_int()?;
            items(c)?;
            address(c)?;
            rest(c)?;
            c.put::<384>(start, c.p);
        }
        Some(())
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        for _ in 0..3 {
            c.move_text(out)?;
        }
        c.move_nullable(out, Careful::move_text)?;
        c.move_index(EVENTS.into(), out)?;
        c.move_long(out)?;
        c.move_long(out)?;
        c.move_text(out)?;
        c.move_bytes(out)?;
        c.move_nullable(out, Careful::move_bytes)?;
        c.move_nullable(out, |c, out| c.move_fixed(8, out))?;
        c.move_int(out)?;
        c.move_blocks(out, |c, out| {
            careful_item(c, out)?;
            c.move_nullable(out, |c, out| c.move_fixed(4, out))
        })?;
        careful_address(c, out)?;
        c.move_nullable(out, Careful::move_text)?;
        c.move_nullable(out, Careful::move_text)?;
        c.move_bool(out)?;
        c.move_int(out)?;
        c.move_text(out)?;
        careful_attributes(c, out)?;
        c.move_nullable(out, Careful::move_text)
    }
}

/// Three ids and the nullable one of the session.
#[inline(always)]
unsafe fn ids(c: &mut Cursors) -> Option<()> {
    #[inline(never)]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
    unsafe fn each(mut c: Cursors) -> Option<*const u8> {
        // SAFETY: the caller's promise.
        unsafe {
            c.texts::<3>()?;
            c.nullable_text()?;
        }
        Some(c.p)
    }
    let (start, mut seen) = (c.p, Seen::default());
    // SAFETY: see Bound::fast.
    unsafe {
        for _ in 0..3 {
            c.pass(&mut seen);
        }
        c.pass_nullable(&mut seen);
        if !c.is_plain::<2>(seen, start) {
            c.p = each(Cursors { p: start, ..*c })?;
        }
    }
    Some(())
}

/// Tax and discount.
#[inline(always)]
unsafe fn amounts(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        tax(c)?;
        c.nullable_fixed(8)
    }
}

/// A nullable decimal of few bytes.
#[inline(always)]
pub(super) unsafe fn tax(c: &mut Cursors) -> Option<()> {
    #[inline(never)]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
    unsafe fn long(mut c: Cursors) -> Option<*const u8> {
        // SAFETY: the caller's promise.
        unsafe {
            if c.is_some()? {
                c.bytes()?;
            }
        }
        Some(c.p)
    }
    let (start, mut seen) = (c.p, Seen::default());
    // SAFETY: see Bound::fast.
    unsafe {
        c.pass_nullable(&mut seen);
        if !seen.is_plain() {
            c.p = long(Cursors { p: start, ..*c })?;
        }
    }
    Some(())
}

/// Items; a second block is rare.
#[inline(always)]
unsafe fn items(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        let count = c.count()?;
        if count == 0 {
            return Some(());
        }
        for _ in 0..count {
            c.in_reach()?;
            item(c)?;
            c.nullable_fixed(4)?;
        }
        c.in_reach()?;
        c.end_of_blocks()
    }
}

/// An item up to its discount.
#[inline(always)]
pub(super) unsafe fn item(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        c.texts::<2>()?;
        c.small_int()?;
        c.long()
    }
}

/// The nullable address.
#[inline(always)]
pub(super) unsafe fn address(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe { if c.is_some()? { c.texts::<4>() } else { Some(()) } }
}

/// From the channel to the end.
#[inline(always)]
unsafe fn rest(c: &mut Cursors) -> Option<()> {
    let (start, mut seen) = (c.p, Seen::default());
    // SAFETY: see Bound::fast.
    unsafe {
        c.pass_likely(&mut seen);
        c.pass_likely(&mut seen);
        c.boolean()?;
        c.small_int()?;
        c.pass(&mut seen);
        attributes(c, &mut seen)?;
        c.pass_likely(&mut seen);
        if !c.is_plain::<3>(seen, start) {
            c.p = rest_by_field(Cursors { p: start, ..*c })?;
        }
    }
    Some(())
}

#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
unsafe fn rest_by_field(mut c: Cursors) -> Option<*const u8> {
    // SAFETY: the caller's promise.
    unsafe {
        c.nullable_text()?;
        c.nullable_text()?;
        c.boolean()?;
        c.small_int()?;
        c.text()?;
        attributes_by_field(&mut c)?;
        c.nullable_text()?;
    }
    Some(c.p)
}

/// Attributes, whose text is looked at later.
#[inline(always)]
pub(super) unsafe fn attributes(c: &mut Cursors, seen: &mut Seen) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        let count = c.count()?;
        if count == 0 {
            return Some(());
        }
        for _ in 0..count {
            c.in_reach()?;
            c.pass(seen);
            c.pass(seen);
        }
        c.in_reach()?;
        c.end_of_blocks()
    }
}

/// Attributes, with their text.
#[inline(always)]
pub(super) unsafe fn attributes_by_field(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        let count = c.count()?;
        if count == 0 {
            return Some(());
        }
        for _ in 0..count {
            c.in_reach()?;
            c.text()?;
            c.text()?;
        }
        c.in_reach()?;
        c.end_of_blocks()
    }
}

pub(super) fn careful_item(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
    c.move_text(out)?;
    c.move_text(out)?;
    c.move_int(out)?;
    c.move_long(out)
}

pub(super) fn careful_address(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
    c.move_nullable(out, |c, out| (0..4).try_for_each(|_| c.move_text(out)))
}

pub(super) fn careful_attributes(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
    c.move_blocks(out, |c, out| {
        c.move_text(out)?;
        c.move_text(out)
    })
}
