//! The order event under an evolved schema: fields in another order, two dropped, two new, floats to doubles.

use super::careful::{Careful, Res};
use super::cursors::{Cursors, Seen};
use super::order::{
    EVENTS, REACH, address, attributes, attributes_by_field, careful_address, careful_attributes, careful_item, item,
    tax,
};
use super::run::Bound;

/// Another reader's schema.
pub struct OrderEvolved;

impl Bound for OrderEvolved {
    const REACH: usize = REACH;

    fn most(input: usize) -> usize {
        // An item of 9 bytes becomes one of 13.
        2 * input
    }

    #[inline(always)]
    unsafe fn fast(c: &mut Cursors) -> Option<()> {
        let ids = c.p;
        // SAFETY: see Bound::fast.
        unsafe {
            c.texts::<3>()?;
            let ids_end = c.p;
            unwanted_session(c)?;
            let event = c.p;
            c.index(EVENTS)?;
            c.long()?;
            let created = c.p;
            c.long()?;
            let currency = c.p;
            c.text()?;
            let total = c.p;
            c.bytes()?;
            tax(c)?;
            let discount = c.p;
            c.nullable_fixed(8)?;
            let count = c.p;
            c.small_int()?;
            c.put_short(event, created);
            c.put::<64>(ids, ids_end);
            c.put::<32>(total, discount);
            c.put::<32>(currency, total);
            c.put_short(count, c.p);
            items(c)?;
            let end = tail(c)?;
            c.put::<96>(end.attributes, end.notes);
            c.put::<96>(end.address, end.priority);
            c.put_short(discount, count);
            c.o.write(end.priority.read());
            c.wrote(1);
            c.put::<64>(end.trace, end.attributes);
            c.put_short(created, currency);
            c.put::<96>(end.notes, c.p);
            c.o.cast::<u16>().write_unaligned(0);
            c.wrote(2);
        }
        Some(())
    }

    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()> {
        let part = |f: &mut dyn FnMut(&mut Vec<u8>) -> Res<()>| {
            let mut made = Vec::new();
            f(&mut made).map(|()| made)
        };
        let ids = part(&mut |o| (0..3).try_for_each(|_| c.move_text(o)))?;
        c.skip_nullable(|c| c.bytes().map(|_| ()))?;
        c.move_index(EVENTS.into(), out)?;
        c.move_long(out)?;
        out.extend_from_slice(&ids);
        let created = part(&mut |o| c.move_long(o))?;
        let currency = part(&mut |o| c.move_text(o))?;
        c.move_bytes(out)?;
        c.move_nullable(out, Careful::move_bytes)?;
        out.extend_from_slice(&currency);
        let discount = part(&mut |o| c.move_nullable(o, |c, o| c.move_fixed(8, o)))?;
        c.move_int(out)?;
        c.move_blocks(out, |c, out| {
            careful_item(c, out)?;
            c.move_nullable(out, |c, out| {
                let float = c.take(4)?;
                let float = f32::from_le_bytes([float[0], float[1], float[2], float[3]]);
                out.extend_from_slice(&f64::from(float).to_le_bytes());
                Ok(())
            })
        })?;
        let address = part(&mut |o| {
            careful_address(c, o)?;
            c.move_nullable(o, Careful::move_text)?;
            c.move_nullable(o, Careful::move_text)
        })?;
        let priority = part(&mut |o| c.move_bool(o))?;
        c.varint()?;
        let trace = part(&mut |o| c.move_text(o))?;
        careful_attributes(c, out)?;
        for part in [address, discount, priority, trace, created] {
            out.extend_from_slice(&part);
        }
        c.move_nullable(out, Careful::move_text)?;
        out.extend_from_slice(&[0, 0]);
        Ok(())
    }
}

/// The session's id is dropped: its text is not looked at.
#[inline(always)]
unsafe fn unwanted_session(c: &mut Cursors) -> Option<()> {
    // As with the tax, its bytes do not matter.
    // SAFETY: see Bound::fast.
    unsafe { tax(c) }
}

/// Items; the discount becomes a double.
#[inline(always)]
unsafe fn items(c: &mut Cursors) -> Option<()> {
    // SAFETY: see Bound::fast.
    unsafe {
        let start = c.p;
        let count = c.count()?;
        c.o.write(start.read());
        c.wrote(1);
        if count == 0 {
            return Some(());
        }
        for _ in 0..count {
            c.in_reach()?;
            let start = c.p;
            item(c)?;
            let index = c.byte();
            if index & !2 != 0 {
                return None;
            }
            c.put::<64>(start, c.p.add(1));
            let float = f32::from_bits(u32::from_le(c.p.add(1).cast::<u32>().read_unaligned()));
            c.o.cast::<u64>().write_unaligned(f64::from(float).to_bits().to_le());
            c.wrote(4 * index);
            c.skip(1 + 2 * index);
        }
        c.in_reach()?;
        c.end_of_blocks()?;
        c.o.write(0);
        c.wrote(1);
    }
    Some(())
}

/// Where the fields behind the items begin.
#[derive(Clone, Copy)]
struct Tail {
    address: *const u8,
    priority: *const u8,
    trace: *const u8,
    attributes: *const u8,
    notes: *const u8,
}

#[inline(always)]
unsafe fn tail(c: &mut Cursors) -> Option<Tail> {
    // SAFETY: see Bound::fast.
    unsafe {
        let at_address = c.p;
        address(c)?;
        let (start, mut seen) = (c.p, Seen::default());
        c.pass_likely(&mut seen);
        c.pass_likely(&mut seen);
        let priority = c.p;
        c.boolean()?;
        c.unwanted()?;
        let trace = c.p;
        c.pass(&mut seen);
        let at_attributes = c.p;
        attributes(c, &mut seen)?;
        let notes = c.p;
        c.pass_likely(&mut seen);
        let tail = Tail { address: at_address, priority, trace, attributes: at_attributes, notes };
        if c.is_plain::<3>(seen, start) {
            return Some(tail);
        }
        let (p, tail) = tail_by_field(Cursors { p: start, ..*c }, at_address)?;
        c.p = p;
        Some(tail)
    }
}

#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
unsafe fn tail_by_field(mut c: Cursors, address: *const u8) -> Option<(*const u8, Tail)> {
    // SAFETY: the caller's promise.
    unsafe {
        c.nullable_text()?;
        c.nullable_text()?;
        let priority = c.p;
        c.boolean()?;
        c.unwanted()?;
        let trace = c.p;
        c.text()?;
        let attributes = c.p;
        attributes_by_field(&mut c)?;
        let notes = c.p;
        c.nullable_text()?;
        Some((c.p, Tail { address, priority, trace, attributes, notes }))
    }
}
