//! The change-data envelope under an evolved schema: most of it is dropped, the rest is in another order.

use super::careful::{Careful, Res};
use super::cursors::{Cursors, Seen, long, mask, word};
use super::run::Bound;

/// Another reader's schema.
pub struct ChangeEvolved;

impl Bound for ChangeEvolved {
    const REACH: usize = 3072;

    fn most(input: usize) -> usize {
        2 * input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        // SAFETY: see Bound::fast.
        unsafe {
            if c.is_some()? {
                unwanted_value(c)?;
            }
            let is_after = c.is_some()?;
            let after =
                if is_after { value(c)? } else { After { start: c.p, end: c.p, updated: c.p, updated_end: c.p } };
            unwanted_source(c)?;
            let db = c.p;
            c.text()?;
            let schema = c.p;
            c.bytes()?;
            let table = c.p;
            c.text()?;
            let tx = c.p;
            unwanted_nullable_long(c)?;
            let lsn = c.p;
            nullable_long(c)?;
            let op = c.p;
            c.text()?;
            nullable_long(c)?;
            c.put::<32>(op, c.p);
            if is_after {
                c.o.write(2);
                c.wrote(1);
                c.put::<64>(after.start, after.end);
                c.put_short(after.updated, after.updated_end);
                c.o.write(0);
            } else {
                c.o.write(0);
            }
            c.wrote(1);
            c.put::<32>(db, schema);
            c.put::<32>(table, tx);
            c.put_short(lsn, op);
        }
        Some(())
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        c.skip_nullable(|c| {
            c.varint()?;
            c.bytes()?;
            c.bytes()?;
            c.skip_nullable(|c| c.bytes().map(|_| ()))?;
            c.skip_nullable(|c| c.take(8).map(|_| ()))?;
            c.varint().map(|_| ())
        })?;
        let (mut after, mut kept) = (Vec::new(), Vec::new());
        c.move_nullable(&mut after, |c, out| {
            c.move_int(out)?;
            c.move_text(out)?;
            c.move_text(out)?;
            c.move_nullable(out, Careful::move_text)?;
            c.skip_nullable(|c| c.take(8).map(|_| ()))?;
            c.move_long(out)?;
            out.push(0);
            Ok(())
        })?;
        for _ in 0..3 {
            c.bytes()?;
        }
        c.varint()?;
        c.skip_nullable(|c| c.bytes().map(|_| ()))?;
        c.move_text(&mut kept)?;
        c.bytes()?;
        c.move_text(&mut kept)?;
        c.skip_nullable(|c| c.varint().map(|_| ()))?;
        c.move_nullable(&mut kept, Careful::move_long)?;
        c.move_text(out)?;
        c.move_nullable(out, Careful::move_long)?;
        out.extend_from_slice(&after);
        out.extend_from_slice(&kept);
        Ok(())
    }
}

/// What is wanted of a row: up to the balance, and from behind it.
struct After {
    start: *const u8,
    end: *const u8,
    updated: *const u8,
    updated_end: *const u8,
}

#[inline(always)]
unsafe fn value(c: &mut Cursors) -> Option<After> {
    #[inline(never)]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
    unsafe fn each(mut c: Cursors) -> Option<*const u8> {
        // SAFETY: the caller's promise.
        unsafe {
            c.texts::<2>()?;
            c.nullable_text()?;
        }
        Some(c.p)
    }
    // SAFETY: see Bound::fast.
    unsafe {
        let start = c.p;
        c.small_int()?;
        let (names, mut seen) = (c.p, Seen::default());
        c.pass(&mut seen);
        c.pass(&mut seen);
        c.pass_nullable(&mut seen);
        if !c.is_plain::<1>(seen, names) {
            c.p = each(Cursors { p: names, ..*c })?;
        }
        let end = c.p;
        c.nullable_fixed(8)?;
        let updated = c.p;
        c.long()?;
        Some(After { start, end, updated, updated_end: c.p })
    }
}

#[inline(always)]
unsafe fn unwanted_value(c: &mut Cursors) -> Option<()> {
    #[inline(never)]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
    unsafe fn each(mut c: Cursors) -> Option<*const u8> {
        // SAFETY: the caller's promise.
        unsafe {
            c.bytes()?;
            c.bytes()?;
            if c.is_some()? {
                c.bytes()?;
            }
        }
        Some(c.p)
    }
    // SAFETY: see Bound::fast.
    unsafe {
        c.unwanted()?;
        let (names, mut seen) = (c.p, Seen::default());
        c.pass(&mut seen);
        c.pass(&mut seen);
        c.pass_nullable(&mut seen);
        if !seen.is_plain() {
            c.p = each(Cursors { p: names, ..*c })?;
        }
        c.nullable_fixed(8)?;
        c.unwanted()
    }
}

/// From the version to the snapshot.
#[inline(always)]
unsafe fn unwanted_source(c: &mut Cursors) -> Option<()> {
    #[inline(never)]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
    unsafe fn each(mut c: Cursors) -> Option<*const u8> {
        // SAFETY: the caller's promise.
        unsafe {
            for _ in 0..3 {
                c.bytes()?;
            }
            c.unwanted()?;
            if c.is_some()? {
                c.bytes()?;
            }
        }
        Some(c.p)
    }
    let (start, mut seen) = (c.p, Seen::default());
    // SAFETY: see Bound::fast.
    unsafe {
        for _ in 0..3 {
            c.pass(&mut seen);
        }
        c.unwanted()?;
        c.pass_nullable(&mut seen);
        if !seen.is_plain() {
            c.p = each(Cursors { p: start, ..*c })?;
        }
    }
    Some(())
}

/// Passes over a nullable long; one of more than eight bytes is rare.
#[inline(always)]
unsafe fn nullable_long(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        let index = c.byte();
        let here = mask(index);
        let n = long(word(c.p.add(1)) & here)?;
        c.skip(1 + (n & here));
        (index & !2 == 0).then_some(())
    }
}

#[inline(always)]
unsafe fn unwanted_nullable_long(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe { if c.is_some()? { c.unwanted() } else { Some(()) } }
}
