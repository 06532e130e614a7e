//! Helpers of text. They leave with a reason in the context, and give what they have found there too.

use super::{Helper, code};
use crate::context::Context;
use reschema_ir::{Op, Quote, SeqOut, TableId, TextNum};
use reschema_runtime::raw::sequence::span_at;
use reschema_runtime::raw::text::{self, Record};
use reschema_runtime::text::{Indexed, Rules, lookup};
use reschema_runtime::{Limits, Outcome};

/// What `find_field` gives for a key that is not there: no address.
pub(crate) const ABSENT: i64 = 1;

/// The number of what was found, or 0 with the reason in the context.
fn told(ctx: &mut Context, result: Result<u64, Outcome>) -> u64 {
    result.unwrap_or_else(|outcome| {
        ctx.outcome = code(outcome);
        0
    })
}

fn record<'a>(ctx: &Context, op: &Op, program: &'a Indexed, start: *const u8, level: u64) -> Option<(Record<'a>, u32)> {
    let (Op::FindField { names, wanted, twice, unknown, level: below, .. }
    | Op::CloseObject { names, wanted, twice, unknown, level: below, .. }) = op
    else {
        return None;
    };
    let levels = levels(ctx, level, *below);
    let rules = Rules { wanted: *wanted, twice: *twice, unknown: *unknown, levels };
    let place = if let Op::FindField { place, .. } = op { *place } else { 0 };
    Some((Record { start, end: ctx.end, names: program.tables().names(*names), rules }, place))
}

fn levels(ctx: &Context, level: u64, below: u32) -> u32 {
    Limits::default().depth(ctx.depth as u32).brackets(level as u32 + below)
}

// SAFETY of all: compiled code passes the context of the run, cursors of its input and output, and ops and Programs that
// outlive it; forms are indexes into their lists.
helpers! {
    /// Reads a number: where it ends; the value goes to the context.
    read_text(ctx: *mut Context, p: *const u8, form: u64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let read = text::read_num(p, ctx.end, TextNum::ALL[form as usize]);
            let read = read.map(|(raw, p)| { ctx.value = raw as u64; p as u64 });
            told(ctx, read)
        }
    }
    /// Writes a number: its length.
    write_text(o: *mut u8, raw: i64, form: u64) {
        // SAFETY: a `check` has promised the room.
        unsafe { text::write_num(o, raw, TextNum::ALL[form as usize]) as u64 }
    }
    /// Reads a string: where it ends; where its bytes are goes to the context.
    read_quoted(ctx: *mut Context, p: *const u8, form: u64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let mut read = text::read_quoted(p, ctx.end, Quote::ALL[form as usize], &mut ctx.text);
            // Near the end of what is readable a copy would touch too much.
            if let Ok((start, len, _)) = &mut read && (p..ctx.end).contains(start) && start.add(*len) > ctx.soft {
                (*start, *len) = ctx.text.keep(span_at(*start as u64, *len as u64));
            }
            ctx.kept = u64::from(ctx.text.keeps());
            let read = read.map(|(start, len, p)| { (ctx.value, ctx.more) = (start as u64, len as u64); p as u64 });
            told(ctx, read)
        }
    }
    /// Writes a string: where the output goes on.
    write_quoted(ctx: *mut Context, o: *mut u8, start: u64, len: u64, form: u64) {
        // SAFETY: the span has been read, or is a constant.
        unsafe {
            let ctx = &mut *ctx;
            let bytes = span_at(start, len);
            let written = text::write_quoted(o, ctx.capacity.cast_mut(), bytes, Quote::ALL[form as usize], &mut ctx.text);
            told(ctx, written.map(|n| o.add(n) as u64))
        }
    }
    /// Reads a decimal, as `read_quoted` does.
    read_decimal(ctx: *mut Context, p: *const u8, op: *const Op) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let Op::ReadDecimal { precision, scale, size, .. } = &*op else { return told(ctx, Err(Outcome::Reject)) };
            let read = text::read_decimal(p, ctx.end, (*precision, *scale, *size), &mut ctx.text);
            ctx.kept = u64::from(ctx.text.keeps());
            let read = read.map(|(start, len, p)| { (ctx.value, ctx.more) = (start as u64, len as u64); p as u64 });
            told(ctx, read)
        }
    }
    /// Writes a decimal, as `write_quoted` does.
    write_decimal(ctx: *mut Context, o: *mut u8, start: u64, len: u64, op: *const Op) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let Op::WriteDecimal { precision, scale, to, .. } = &*op else { return told(ctx, Err(Outcome::Reject)) };
            let bytes = span_at(start, len);
            let written = text::write_decimal(o, ctx.capacity.cast_mut(), bytes, (*precision, *scale, *to), &mut ctx.text);
            told(ctx, written.map(|n| o.add(n) as u64))
        }
    }
    /// Looks a name up: 1 if it is there; its entry goes to the context.
    lookup_name(ctx: *mut Context, start: u64, len: u64, program: *const Indexed, table: u64) {
        // SAFETY: see above.
        unsafe {
            let names = (*program).tables().names(TableId(table as u32));
            match lookup(&names, span_at(start, len)) {
                Some(entry) => {
                    (*ctx).value = entry as u64;
                    1
                }
                None => 0,
            }
        }
    }
    /// Reads bytes that must be there: where they end.
    expect(ctx: *mut Context, p: *const u8, word: u64, len: u64) {
        // SAFETY: a constant of the pool.
        unsafe {
            let ctx = &mut *ctx;
            let read = text::expect(p, ctx.end, span_at(word, len));
            told(ctx, read.map(|p| p as u64))
        }
    }
    /// Passes over a value: where it ends.
    skip_tree(ctx: *mut Context, p: *const u8, level: u64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let read = text::skip(p, ctx.end, levels(ctx, level, 0));
            told(ctx, read.map(|p| p as u64))
        }
    }
    /// Reads what opens a record: where it ends.
    open_object(ctx: *mut Context, p: *const u8) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let read = text::open(p, ctx.end);
            told(ctx, read.map(|p| p as u64))
        }
    }
    /// Seeks a key: where its value begins, or `ABSENT`; the state goes to the context.
    find_field(ctx: *mut Context, p: *const u8, start: *const u8, state: u64, op: *const Op, program: *const Indexed, level: u64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let Some((record, place)) = record(ctx, &*op, &*program, start, level) else {
                return told(ctx, Err(Outcome::Reject));
            };
            let found = record.find(p, place, state, &mut ctx.text);
            let found = found.map(|(p, state)| { ctx.value = state; p.map_or(ABSENT as u64, |p| p as u64) });
            told(ctx, found)
        }
    }
    /// Goes behind a record.
    close_object(ctx: *mut Context, p: *const u8, start: *const u8, state: u64, op: *const Op, program: *const Indexed, level: u64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let Some((record, _)) = record(ctx, &*op, &*program, start, level) else {
                return told(ctx, Err(Outcome::Reject));
            };
            let end = record.close(p, state, &mut ctx.text);
            told(ctx, end.map(|p| p as u64))
        }
    }
    /// Which row of a table a value fits: one more than its number.
    choose(ctx: *mut Context, p: *const u8, program: *const Indexed, table: u64, level: u64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let row = text::choose(p, ctx.end, (*program).tables(), TableId(table as u32), levels(ctx, level, 0));
            told(ctx, row.map(|row| row as u64 + 1))
        }
    }
    /// Reads a tag: where the value begins; the entry goes to the context.
    read_tag(ctx: *mut Context, p: *const u8, program: *const Indexed, table: u64, null: i64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let read = text::read_tag(p, ctx.end, &(*program).tables().names(TableId(table as u32)), null);
            let read = read.map(|(entry, p)| { ctx.value = entry as u64; p as u64 });
            told(ctx, read)
        }
    }
    /// Opens a sequence: where it goes on; whether there is an item goes to the context.
    open_items(ctx: *mut Context, p: *const u8, object: u64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let read = text::open_items(p, ctx.end, object != 0);
            let read = read.map(|(more, p)| { ctx.value = more.into(); p as u64 });
            told(ctx, read)
        }
    }
    /// Behind an item: where it goes on; whether there is another goes to the context.
    next_item(ctx: *mut Context, p: *const u8, object: u64) {
        // SAFETY: see above.
        unsafe {
            let ctx = &mut *ctx;
            let read = text::next_item(p, ctx.end, object != 0);
            let read = read.map(|(more, p)| { ctx.value = more.into(); p as u64 });
            told(ctx, read)
        }
    }
    /// Closes a sequence: where the output goes on.
    close_items(ctx: *mut Context, start: *mut u8, o: *mut u8, n: u64, to: u64) {
        // SAFETY: `open_items` left room for the count.
        unsafe {
            let ctx = &mut *ctx;
            let closed = text::close_items(start, o, ctx.capacity.cast_mut(), n, SeqOut::ALL[to as usize]);
            told(ctx, closed.map(|o| o as u64))
        }
    }
    /// Forgets what was decoded for the value before.
    forget(ctx: *mut Context) {
        // SAFETY: see above.
        unsafe {
            (*ctx).text.clear();
            (*ctx).kept = 0;
        }
        0
    }
}
