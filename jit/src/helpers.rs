//! What compiled code calls: the rare and the long. None of these unwinds.

use crate::context::{Context, exit};
use reschema_ir::{SeqIn, SeqOut, Table};
use reschema_runtime::Outcome;
use reschema_runtime::raw::scalar::{move_varint, scan_varint, varint, varint_slow, write_varint};
use reschema_runtime::raw::sequence::{block_header, count_in, distance, sized_header, skip_run, write_count};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A helper: its address, and how many arguments it takes. All arguments and the result are 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Helper {
    pub(crate) name: &'static str,
    pub(crate) address: usize,
    pub(crate) arguments: usize,
}

macro_rules! helpers {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) $body:block)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name() -> Helper {
            unsafe extern "C" fn helper($($arg: $ty),*) -> u64 $body
            let arguments = [$(stringify!($arg)),*].len();
            Helper { name: stringify!($name), address: helper as *const () as usize, arguments }
        }
    )*};
}

pub(crate) mod text;

fn code(outcome: Outcome) -> u64 {
    (match outcome {
        Outcome::Done => exit::DONE,
        Outcome::NeedInput => exit::NEED_INPUT,
        Outcome::OutputFull => exit::OUTPUT_FULL,
        Outcome::Reject => exit::REJECT,
    }) as u64
}

/// Bytes read and bytes written as one number; 0 is for failures.
fn both(read: usize, written: usize) -> u64 {
    (read as u64) | (written as u64) << 32
}

// SAFETY of all: compiled code passes the context of the run, and cursors that a `check` or the op itself has covered as
// the raw function asks.
helpers! {
    /// Moves any varint of 64 bits in canonical form: bytes read and written.
    move_varint64(p: *const u8, o: *mut u8) {
        // SAFETY: see above.
        unsafe { move_varint::<64>(p, o) }.map_or(0, |(read, written)| both(read, written))
    }
    /// The length of a canonical varint.
    scan_varint64(p: *const u8) {
        // SAFETY: see above.
        unsafe { scan_varint::<64>(p) }.map_or(0, |n| n as u64)
    }
    /// The length of any varint; its value goes to the context.
    varint_any(ctx: *mut Context, p: *const u8) {
        // SAFETY: see above.
        unsafe {
            match varint(p) {
                Some((value, n)) => {
                    (*ctx).value = value;
                    n as u64
                }
                None => 0,
            }
        }
    }
    /// The length of a varint of 9 or 10 bytes.
    varint_long(p: *const u8) {
        // SAFETY: see above.
        unsafe { varint_slow(p) }.map_or(0, |(_, n)| n as u64)
    }
    /// Writes a minimal varint: its length.
    put_varint(o: *mut u8, value: u64) {
        // SAFETY: see above.
        unsafe { write_varint(o, value) as u64 }
    }
    /// 1 for UTF-8.
    utf8(text: *const u8, len: u64) {
        // SAFETY: the bytes have been checked to lie inside the input, or are a constant.
        u64::from(std::str::from_utf8(unsafe { std::slice::from_raw_parts(text, len as usize) }).is_ok())
    }
    /// Copies.
    copy(from: *const u8, to: *mut u8, len: u64) {
        // SAFETY: both sides have been checked.
        unsafe { std::ptr::copy_nonoverlapping(from, to, len as usize) };
        0
    }
    /// Reads the header of a block and writes that of the block to come: bytes read and written. The count goes to the
    /// context.
    begin_block(ctx: *mut Context, p: *const u8, o: *mut u8) {
        // SAFETY: 20 bytes are readable, 32 writable.
        unsafe {
            match block_header(p) {
                Ok((n, read)) => {
                    (*ctx).value = n;
                    both(read, write_varint(o, n << 1))
                }
                Err(_) => 0,
            }
        }
    }
    /// Reads a count in any form and writes it in another: bytes read and written, and a bit so that it is never 0. The
    /// count goes to the context.
    begin_counted(ctx: *mut Context, p: *const u8, o: *mut u8, from: u64, to: u64) {
        // SAFETY: as above; the forms are indexes into the lists of forms.
        unsafe {
            let Ok((n, read)) = count_in(p, SeqIn::ALL[from as usize]) else { return 0 };
            let Some(written) = write_count(o, n, SeqOut::ALL[to as usize]) else { return 0 };
            (*ctx).value = n;
            both(read, written) | 1 << 63
        }
    }
    /// Passes over headers of blocks, and over blocks with a size if that is trusted: where the items begin, or 0. Their
    /// number goes to the context.
    skip_header(ctx: *mut Context, p: *const u8, trust: u64) {
        let mut p = p;
        // SAFETY: headers are read where 20 bytes are readable; a size must lie inside the input.
        unsafe {
            let ctx = &mut *ctx;
            loop {
                if distance(p, ctx.limit) < 20 {
                    ctx.outcome = exit::NEED_INPUT as u64;
                    return 0;
                }
                match sized_header(p) {
                    Ok((_, read, Some(size))) if trust != 0 => {
                        p = p.add(read);
                        if size as isize > distance(p, ctx.end) {
                            ctx.outcome = exit::NEED_INPUT as u64;
                            return 0;
                        }
                        p = p.add(size);
                    }
                    Ok((n, read, _)) => {
                        ctx.value = n;
                        return p.add(read) as u64;
                    }
                    Err(outcome) => {
                        ctx.outcome = code(outcome);
                        return 0;
                    }
                }
            }
        }
    }
    /// Passes over a run: where it ends, or 0.
    run(ctx: *mut Context, p: *const u8, entries: *const [u8; 2], count: u64) {
        // SAFETY: `p` is inside the limit; the pool holds the entries.
        unsafe {
            let ctx = &mut *ctx;
            match skip_run(p, ctx.end, ctx.limit, entries, count as usize) {
                Ok(p) => p as u64,
                Err(outcome) => {
                    ctx.outcome = code(outcome);
                    0
                }
            }
        }
    }
    /// Looks an index up: 1 if it is there; the entry goes to the context.
    lookup(ctx: *mut Context, table: *const Table, index: i64) {
        // SAFETY: the Program outlives its routine.
        unsafe {
            let entries = &(&*table).0;
            match usize::try_from(index).ok().and_then(|i| entries.get(i)).copied().flatten() {
                Some(value) => {
                    (*ctx).value = value as u64;
                    1
                }
                None => 0,
            }
        }
    }
    /// The place of a value in a table, or the table's length.
    place(table: *const Table, value: i64) {
        // SAFETY: as above.
        let entries = unsafe { &(&*table).0 };
        entries.iter().position(|e| *e == Some(value)).unwrap_or(entries.len()) as u64
    }
    /// Runs a user conversion: 1 if it takes the value; the result goes to the context.
    user(ctx: *mut Context, raw: i64, index: u64) {
        // SAFETY: the caller of the routine has given the conversions.
        unsafe {
            let ctx = &mut *ctx;
            let users = if ctx.users_len == 0 { &[] } else { std::slice::from_raw_parts(ctx.users, ctx.users_len) };
            let Some(f) = users.get(index as usize) else { return 0 };
            match catch_unwind(AssertUnwindSafe(|| f(raw))) {
                Ok(Ok(value)) => {
                    ctx.value = value as u64;
                    1
                }
                Ok(Err(_)) => 0,
                Err(panic) => {
                    ctx.panic = Some(panic);
                    0
                }
            }
        }
    }
}
