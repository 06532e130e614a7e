//! The machine: one loop over the flat code, both cursors in registers.

use super::code::{Code, Form, Insn, flag};
use super::text::{Place, TextInsn};
use reschema_ir::{Convert, Len, Num, Program, SeqIn, SeqOut, cost::SPAN_SLACK};
use reschema_runtime::raw::scalar::{
    copy_wild, load8, move_varint, put, read_num, scan_varint, store8, unzigzag, varint, varint_len, varint_slow,
    write_num, write_varint,
};
use reschema_runtime::raw::sequence::{
    block_header, count_in, distance, length, length_in, scan_length, sized_header, skip_run, span_at, write_count,
    write_len,
};
use reschema_runtime::raw::text::TextState;
use reschema_runtime::text::Indexed;
use reschema_runtime::{Limits, Outcome, Progress, UserFn, Window, num, utf8};
use std::sync::Arc;

/// An optimised, verified Program as flat code.
pub struct FastProgram {
    pub(super) code: Vec<Insn>,
    pub(super) jumps: Vec<u32>,
    /// Constants, with 64 readable bytes behind them.
    pub(super) pool: Vec<u8>,
    pub(super) funcs: Vec<FuncInfo>,
    pub(super) texts: Vec<TextInsn>,
    pub(super) program: Arc<Program>,
    pub(super) names: Indexed,
}

pub(super) struct FuncInfo {
    pub(super) entry: u32,
    pub(super) slots: u32,
    pub(super) depth: u32,
}

/// The registers, marks and calls of a run; reused from batch to batch.
#[derive(Default)]
pub struct Machine {
    slots: Vec<u64>,
    calls: Vec<Call>,
    text: TextState,
}

struct Call {
    pc: u32,
    base: u32,
    level: u32,
}

impl FastProgram {
    /// Number of flat instructions.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Transforms up to `count` values.
    ///
    /// # Safety
    /// In `at`: `input` ≤ `end` ≤ `limit`, all in one readable allocation; `output` ≤ `capacity` in one writable
    /// allocation that does not overlap the input.
    #[allow(clippy::too_many_lines, reason = "one loop keeps the cursors in registers; each arm is a few lines")]
    pub unsafe fn run(
        &self,
        machine: &mut Machine,
        at: Window,
        count: u64,
        limits: &Limits,
        users: &[UserFn],
    ) -> Progress {
        let Window { input, end, limit, output, capacity } = at;
        let (mut p, mut o) = (input, output);
        let (mut value_p, mut value_o) = (p, o);
        let mut done = 0u64;
        let mut zero_left = limits.zero_size_items;
        let mut base = 0u32;
        let mut level = 0u32;
        let root_slots = self.funcs[0].slots as usize;
        machine.calls.clear();
        machine.text.clear();
        if machine.slots.len() < root_slots {
            machine.slots.resize(root_slots, 0);
        }
        let mut fp = machine.slots.as_mut_ptr();
        let code = self.code.as_ptr();
        let mut pc = code;

        macro_rules! leave {
            ($outcome:expr) => {
                return Progress { outcome: $outcome, done, input: value_p, output: value_o }
            };
        }
        macro_rules! or_leave {
            ($e:expr) => {
                match $e {
                    Some(v) => v,
                    None => leave!(Outcome::Reject),
                }
            };
        }
        macro_rules! need {
            ($input:expr, $output:expr) => {
                if distance(p, limit) < ($input) as isize {
                    leave!(Outcome::NeedInput);
                }
                if distance(o, capacity) < ($output) as isize {
                    leave!(Outcome::OutputFull);
                }
            };
        }
        // The bytes of a string must lie inside the input, and what is touched behind them inside the limit.
        macro_rules! span {
            ($q:expr, $len:expr, $insn:expr) => {
                if $len as isize > distance($q, end)
                    || ($len + SPAN_SLACK + $insn.w as usize) as isize > distance($q, limit)
                {
                    leave!(Outcome::NeedInput);
                }
            };
        }
        macro_rules! room {
            ($len:expr, $more:expr) => {
                if ($len + SPAN_SLACK + 10 + $more as usize) as isize > distance(o, capacity) {
                    leave!(Outcome::OutputFull);
                }
            };
        }
        macro_rules! ok {
            ($e:expr) => {
                match $e {
                    Ok(v) => v,
                    Err(outcome) => leave!(outcome),
                }
            };
        }
        // SAFETY (the whole loop): the verifier has re-derived that every access below is covered by a `check`, or the
        // instruction checks itself with `need!`, `span!` or `room!` before it touches anything; `cost` is the common
        // contract. Jump targets, slots, tables and pool offsets were made by the translator for this code.
        macro_rules! slot {
            ($i:expr) => {
                *fp.add($i as usize)
            };
        }
        macro_rules! jump {
            ($target:expr) => {{
                pc = code.add($target as usize);
                continue;
            }};
        }
        macro_rules! text {
            ($at:ident, $work:expr) => {{
                let state = &mut machine.text;
                let mut place = Place { p, o, end, capacity, fp, level, limits, state };
                let $at = &mut place;
                let more = ok!($work);
                (p, o) = (place.p, place.o);
                more
            }};
        }
        if self.funcs[0].depth > limits.depth {
            leave!(Outcome::Reject);
        }
        if count == 0 {
            leave!(Outcome::Done);
        }

        loop {
            // SAFETY: see above.
            let insn = unsafe { &*pc };
            // SAFETY: every body ends in a jump, a loop's next, `Return` or `End`.
            pc = unsafe { pc.add(1) };
            // SAFETY: see above, for every arm.
            unsafe {
                match insn.code {
                    Code::Check => {
                        need!(insn.w, insn.b);
                    }
                    Code::Move8 => {
                        store8(o, load8(p));
                        p = p.add(insn.k.into());
                        o = o.add(insn.k.into());
                    }
                    Code::Move16 => {
                        store8(o, load8(p));
                        store8(o.add(8), load8(p.add(8)));
                        p = p.add(insn.k.into());
                        o = o.add(insn.k.into());
                    }
                    Code::MoveWide => {
                        let mut i = 0;
                        while i < insn.k.into() {
                            store8(o.add(i), load8(p.add(i)));
                            i += 8;
                        }
                        p = p.add(insn.k.into());
                        o = o.add(insn.k.into());
                    }
                    Code::MoveBig => {
                        if insn.c > isize::MAX as u64 / 2 || insn.c as isize > distance(p, end) {
                            leave!(Outcome::NeedInput);
                        }
                        room!(insn.c as usize, 0u32);
                        std::ptr::copy_nonoverlapping(p, o, insn.c as usize);
                        p = p.add(insn.c as usize);
                        o = o.add(insn.c as usize);
                    }
                    Code::MoveVar32 => {
                        let (i, n) = or_leave!(move_varint::<32>(p, o));
                        p = p.add(i);
                        o = o.add(n);
                    }
                    Code::MoveVar64 => {
                        let (i, n) = or_leave!(move_varint::<64>(p, o));
                        p = p.add(i);
                        o = o.add(n);
                    }
                    Code::VarToF32 => {
                        let (raw, n) = or_leave!(varint(p));
                        if insn.k == 32 && raw > u32::MAX.into() {
                            leave!(Outcome::Reject);
                        }
                        o = o.add(put(o, (unzigzag(raw) as f32).to_le_bytes()));
                        p = p.add(n);
                    }
                    Code::VarToF64 => {
                        let (raw, n) = or_leave!(varint(p));
                        if insn.k == 32 && raw > u32::MAX.into() {
                            leave!(Outcome::Reject);
                        }
                        o = o.add(put(o, (unzigzag(raw) as f64).to_le_bytes()));
                        p = p.add(n);
                    }
                    Code::F32ToF64 => {
                        let raw = p.cast::<[u8; 4]>().read_unaligned();
                        let wide = num::convert(u32::from_le_bytes(raw).into(), Convert::F32ToF64);
                        o = o.add(put(o, wide.to_le_bytes()));
                        p = p.add(4);
                    }
                    Code::MoveBool => {
                        let b = *p;
                        if b > 1 {
                            leave!(Outcome::Reject);
                        }
                        *o = b;
                        p = p.add(1);
                        o = o.add(1);
                    }
                    Code::MoveNum => {
                        let (from, to) = (Num::from_index(insn.k), Num::from_index(insn.w as u8));
                        let (raw, n) = or_leave!(read_num(p, from));
                        let raw = num::conversion(from, to).map_or(raw, |c| num::convert(raw, c));
                        p = p.add(n);
                        o = o.add(write_num(o, raw, to));
                    }
                    Code::MoveSymbol => {
                        let index = *p >> 1;
                        if *p & 0x81 != 0 || index >= insn.k {
                            leave!(Outcome::Reject);
                        }
                        let byte = *self.pool.get_unchecked(insn.c as usize + index as usize);
                        if byte == 0xff {
                            leave!(Outcome::Reject);
                        }
                        *o = byte;
                        p = p.add(1);
                        o = o.add(1);
                    }
                    Code::MoveEnum => {
                        let (raw, n) = or_leave!(read_num(p, Num::from_index(insn.k)));
                        let raw = or_leave!(self.lookup(insn.b, raw));
                        p = p.add(n);
                        o = o.add(write_num(o, raw, Num::from_index(insn.w as u8)));
                    }
                    Code::MoveText => {
                        let (len, head) = ok!(length(p));
                        let q = p.add(head);
                        span!(q, len, insn);
                        room!(len, insn.b);
                        if !utf8::is_utf8_wild(q, len) {
                            leave!(Outcome::Reject);
                        }
                        o = o.add(write_varint(o, (len as u64) << 1));
                        copy_wild(q, o, len);
                        p = q.add(len);
                        o = o.add(len);
                    }
                    Code::MoveBytes => {
                        let (len, head) = ok!(length(p));
                        let q = p.add(head);
                        span!(q, len, insn);
                        room!(len, insn.b);
                        o = o.add(write_varint(o, (len as u64) << 1));
                        copy_wild(q, o, len);
                        p = q.add(len);
                        o = o.add(len);
                    }
                    Code::MoveSpanForm => {
                        let (len, head) = ok!(length_in(p, Len::from_index(insn.k & 3)));
                        let q = p.add(head);
                        span!(q, len, insn);
                        room!(len, insn.b);
                        if insn.k & 16 != 0 && !utf8::is_utf8_wild(q, len) {
                            leave!(Outcome::Reject);
                        }
                        o = o.add(write_len(o, len, Len::from_index(insn.k >> 2 & 3)));
                        copy_wild(q, o, len);
                        p = q.add(len);
                        o = o.add(len);
                    }
                    Code::SkipVar => {
                        let word = load8(p);
                        let n = varint_len(word);
                        let n = if n <= 8 { n } else { or_leave!(varint_slow(p)).1 };
                        p = p.add(n);
                    }
                    Code::SkipSpan => {
                        let (len, head) = ok!(length(p));
                        let q = p.add(head);
                        span!(q, len, insn);
                        p = q.add(len);
                        if distance(o, capacity) < insn.b as isize {
                            leave!(Outcome::OutputFull);
                        }
                    }
                    Code::SkipSpanU32 => {
                        let (len, head) = ok!(length_in(p, Len::U32));
                        let q = p.add(head);
                        span!(q, len, insn);
                        p = q.add(len);
                        if distance(o, capacity) < insn.b as isize {
                            leave!(Outcome::OutputFull);
                        }
                    }
                    Code::SkipRun => {
                        let entries = self.pool.as_ptr().add(insn.b as usize).cast::<[u8; 2]>();
                        p = ok!(skip_run(p, end, limit, entries, insn.c as usize));
                    }
                    Code::Skip => p = p.add(insn.k.into()),
                    Code::SkipBig => {
                        if insn.c > isize::MAX as u64 / 2 || insn.c as isize > distance(p, end) {
                            leave!(Outcome::NeedInput);
                        }
                        p = p.add(insn.c as usize);
                    }
                    Code::Emit8 => {
                        store8(o, insn.c);
                        o = o.add(insn.k.into());
                    }
                    Code::Emit16 => {
                        let from = self.pool.as_ptr().add(insn.b as usize);
                        store8(o, load8(from));
                        store8(o.add(8), load8(from.add(8)));
                        o = o.add(insn.k.into());
                    }
                    Code::EmitBig => {
                        room!(insn.c as usize, 0u32);
                        let from = self.pool.as_ptr().add(insn.b as usize);
                        std::ptr::copy_nonoverlapping(from, o, insn.c as usize);
                        o = o.add(insn.c as usize);
                    }
                    Code::Mark => slot!(insn.b) = p as u64,
                    Code::MarkSkip => {
                        slot!(insn.b) = p as u64;
                        p = p.add(insn.k.into());
                    }
                    Code::MarkSkipVar => {
                        slot!(insn.b) = p as u64;
                        let n = varint_len(load8(p));
                        let n = if n <= 8 { n } else { or_leave!(varint_slow(p)).1 };
                        p = p.add(n);
                    }
                    Code::ClearMark => slot!(insn.b) = 0,
                    Code::Seek => {
                        p = input.with_addr(slot!(insn.b) as usize);
                        need!(insn.w, insn.c);
                    }
                    Code::IfMarked => {
                        if slot!(insn.b) == 0 {
                            jump!(insn.c);
                        }
                    }
                    Code::Enter => {
                        if level + insn.b > limits.depth {
                            leave!(Outcome::Reject);
                        }
                    }
                    Code::Option => {
                        let index = *p;
                        p = p.add(1);
                        if index == 2 {
                            jump!(insn.b);
                        }
                        if index != 0 {
                            leave!(Outcome::Reject);
                        }
                    }
                    Code::SwitchByte => {
                        let index = *p >> 1;
                        if *p & 0x81 != 0 || index >= insn.k {
                            leave!(Outcome::Reject);
                        }
                        p = p.add(1);
                        jump!(*self.jumps.get_unchecked(insn.b as usize + index as usize));
                    }
                    Code::SwitchAny => {
                        let (raw, n) = or_leave!(read_num(p, Num::from_index(insn.k)));
                        if raw < 0 || raw as u64 >= insn.c {
                            leave!(Outcome::Reject);
                        }
                        p = p.add(n);
                        jump!(*self.jumps.get_unchecked(insn.b as usize + raw as usize));
                    }
                    Code::SwitchNum => {
                        let raw = slot!(insn.c as u32);
                        if raw >= insn.c >> 32 {
                            leave!(Outcome::Reject);
                        }
                        jump!(*self.jumps.get_unchecked(insn.b as usize + raw as usize));
                    }
                    Code::Match => {
                        let value = Some(slot!(insn.c as u32) as i64);
                        let table = &self.program.tables[insn.w as usize].0;
                        let arm = table.iter().position(|e| *e == value).unwrap_or(table.len());
                        jump!(*self.jumps.get_unchecked(insn.b as usize + arm));
                    }
                    Code::Jump => jump!(insn.b),
                    Code::Blocks => {
                        need!(20, 32);
                        let (n, len) = ok!(block_header(p));
                        p = p.add(len);
                        if n == 0 {
                            *o = 0;
                            o = o.add(1);
                            jump!(insn.b);
                        }
                        if insn.k & flag::ZERO != 0 {
                            zero_left = or_leave!(zero_left.checked_sub(n));
                        }
                        o = o.add(write_varint(o, n << 1));
                        slot!(insn.w) = if insn.k & flag::IDLE != 0 { 1 } else { n };
                    }
                    Code::NextItem => {
                        slot!(insn.w) -= 1;
                        if slot!(insn.w) != 0 {
                            jump!(insn.b);
                        }
                        need!(20, 32);
                        // A second block makes the count unknown: rare, and the checking interpreter patches it.
                        if *p != 0 {
                            leave!(Outcome::Reject);
                        }
                        *o = 0;
                        p = p.add(1);
                        o = o.add(1);
                    }
                    Code::SkipBlocks | Code::NextSkipped => {
                        let next = insn.code == Code::NextSkipped;
                        if next {
                            slot!(insn.w) -= 1;
                            if slot!(insn.w) != 0 {
                                jump!(insn.b);
                            }
                        }
                        let n = loop {
                            need!(20, 0);
                            let (n, len, size) = ok!(sized_header(p));
                            p = p.add(len);
                            match size {
                                Some(size) if insn.k & flag::TRUST != 0 => {
                                    if size as isize > distance(p, end) {
                                        leave!(Outcome::NeedInput);
                                    }
                                    p = p.add(size);
                                }
                                _ => break n,
                            }
                        };
                        if n == 0 {
                            if next {
                                continue;
                            }
                            jump!(insn.b);
                        }
                        if insn.k & flag::ZERO != 0 {
                            zero_left = or_leave!(zero_left.checked_sub(n));
                        }
                        slot!(insn.w) = if insn.k & flag::IDLE != 0 { 1 } else { n };
                        if next {
                            jump!(insn.b);
                        }
                    }
                    Code::Counted => {
                        need!(20, 32);
                        let (from, to) = forms(insn.c);
                        let (n, len) = ok!(count_in(p, from));
                        p = p.add(len);
                        if insn.k & flag::ZERO != 0 {
                            zero_left = or_leave!(zero_left.checked_sub(n));
                        }
                        o = o.add(or_leave!(write_count(o, n, to)));
                        if n == 0 {
                            jump!(insn.b);
                        }
                        slot!(insn.w) = if insn.k & flag::IDLE != 0 { 1 } else { n };
                    }
                    Code::NextCounted => {
                        slot!(insn.w) -= 1;
                        if slot!(insn.w) != 0 {
                            jump!(insn.b);
                        }
                        need!(20, 32);
                        let (from, to) = forms(insn.c);
                        if from == SeqIn::Blocks {
                            if *p != 0 {
                                leave!(Outcome::Reject);
                            }
                            p = p.add(1);
                        }
                        if to == SeqOut::Block {
                            *o = 0;
                            o = o.add(1);
                        }
                    }
                    Code::Call => {
                        let callee = self.funcs.get_unchecked(insn.b as usize);
                        let here = level + u32::from(insn.w);
                        if here + callee.depth > limits.depth {
                            leave!(Outcome::Reject);
                        }
                        machine.calls.push(Call { pc: pc.offset_from(code) as u32, base, level });
                        base += insn.c as u32;
                        level = here;
                        let top = base as usize + callee.slots as usize;
                        if machine.slots.len() < top {
                            machine.slots.resize(top, 0);
                        }
                        fp = machine.slots.as_mut_ptr().add(base as usize);
                        jump!(callee.entry);
                    }
                    Code::Return => {
                        let Some(call) = machine.calls.pop() else { leave!(Outcome::Reject) };
                        (base, level) = (call.base, call.level);
                        fp = machine.slots.as_mut_ptr().add(base as usize);
                        jump!(call.pc);
                    }
                    Code::ScanBegin => slot!(insn.w) = p as u64,
                    Code::ScanEnd => {
                        let start = input.with_addr(slot!(insn.w) as usize);
                        let len = distance(start, p) as usize;
                        room!(len, 0u32);
                        if distance(p, limit) < SPAN_SLACK as isize {
                            leave!(Outcome::NeedInput);
                        }
                        copy_wild(start, o, len);
                        o = o.add(len);
                    }
                    Code::ScanVar32 => p = p.add(or_leave!(scan_varint::<32>(p))),
                    Code::ScanVar64 => p = p.add(or_leave!(scan_varint::<64>(p))),
                    Code::ScanBool => {
                        if *p > 1 {
                            leave!(Outcome::Reject);
                        }
                        p = p.add(1);
                    }
                    Code::ScanSymbol => {
                        if *p & 0x81 != 0 || *p >> 1 >= insn.k {
                            leave!(Outcome::Reject);
                        }
                        p = p.add(1);
                    }
                    Code::ScanText => {
                        let (len, head) = ok!(scan_length(p));
                        let q = p.add(head);
                        span!(q, len, insn);
                        if !utf8::is_utf8_wild(q, len) {
                            leave!(Outcome::Reject);
                        }
                        p = q.add(len);
                    }
                    Code::ScanBytes => {
                        let (len, head) = ok!(scan_length(p));
                        let q = p.add(head);
                        span!(q, len, insn);
                        p = q.add(len);
                    }
                    Code::ScanSwitch => {
                        let n = or_leave!(scan_varint::<64>(p));
                        let raw = unzigzag(or_leave!(varint(p)).0);
                        if raw < 0 || raw as u64 >= insn.c {
                            leave!(Outcome::Reject);
                        }
                        p = p.add(n);
                        if insn.b != u32::MAX {
                            jump!(*self.jumps.get_unchecked(insn.b as usize + raw as usize));
                        }
                    }
                    Code::ReadNum => {
                        let (raw, n) = or_leave!(read_num(p, Num::from_index(insn.k)));
                        slot!(insn.c) = raw as u64;
                        p = p.add(n);
                    }
                    Code::WriteNum
                        if insn.k == Num::Zigzag32.index()
                            && slot!(insn.c) as i64 != i64::from(slot!(insn.c) as i32) =>
                    {
                        leave!(Outcome::Reject)
                    }
                    Code::WriteNum => o = o.add(write_num(o, slot!(insn.c) as i64, Num::from_index(insn.k))),
                    Code::ConstNum => slot!(insn.b) = insn.c,
                    Code::ConvertNum => {
                        slot!(insn.c) = num::convert(slot!(insn.b) as i64, Convert::from_index(insn.k)) as u64;
                    }
                    Code::UserNum => match users.get(insn.w as usize).map(|f| f(slot!(insn.b) as i64)) {
                        Some(Ok(v)) => slot!(insn.c) = v as u64,
                        _ => leave!(Outcome::Reject),
                    },
                    Code::MapNum => {
                        slot!(insn.c as u32) = or_leave!(self.lookup(insn.b, slot!(insn.c >> 32) as i64)) as u64;
                    }
                    Code::ReadSpan => {
                        let (len, head) = ok!(length_in(p, Len::from_index(insn.k)));
                        let q = p.add(head);
                        span!(q, len, insn);
                        slot!(insn.b) = q as u64;
                        slot!(insn.b + 1) = len as u64;
                        p = q.add(len);
                    }
                    Code::ReadFixed => {
                        let size = insn.c as usize;
                        if insn.c > 64
                            && (insn.c > isize::MAX as u64 / 2
                                || size as isize > distance(p, end)
                                || (size + SPAN_SLACK) as isize > distance(p, limit))
                        {
                            leave!(Outcome::NeedInput);
                        }
                        slot!(insn.b) = p as u64;
                        slot!(insn.b + 1) = insn.c;
                        p = p.add(size);
                    }
                    Code::ConstSpan => {
                        slot!(insn.b) = self.pool.as_ptr().add((insn.c >> 32) as usize) as u64;
                        slot!(insn.b + 1) = insn.c & u64::from(u32::MAX);
                    }
                    Code::CheckUtf8 => {
                        let text = span_at(slot!(insn.b), slot!(insn.b + 1));
                        if !utf8::is_utf8(text) {
                            leave!(Outcome::Reject);
                        }
                    }
                    Code::WriteSpan | Code::WriteFixed => {
                        let bytes = span_at(slot!(insn.b), slot!(insn.b + 1));
                        room!(bytes.len(), 0u32);
                        if insn.code == Code::WriteSpan {
                            o = o.add(write_len(o, bytes.len(), Len::from_index(insn.k)));
                        }
                        std::ptr::copy_nonoverlapping(bytes.as_ptr(), o, bytes.len());
                        o = o.add(bytes.len());
                    }
                    Code::Text => {
                        let text = self.texts.get_unchecked(insn.b as usize);
                        text!(at, self.text(text, at));
                    }
                    Code::TextArms => {
                        let text = self.texts.get_unchecked(insn.b as usize);
                        if !text!(at, self.text(text, at)) {
                            jump!(insn.c);
                        }
                    }
                    Code::Items => {
                        let to = SeqOut::from_index(insn.c as u8);
                        if !text!(at, self.open_items(at, insn.w.into(), insn.k != 0, to)) {
                            jump!(insn.b);
                        }
                    }
                    Code::NextOf => {
                        let to = SeqOut::from_index(insn.c as u8);
                        if text!(at, self.next_item(at, insn.w.into(), insn.k != 0, to)) {
                            jump!(insn.b);
                        }
                    }
                    Code::Leave => leave!(Outcome::Reject),
                    Code::End => {
                        // In padding the cursor may have passed the real end.
                        if p > end {
                            leave!(Outcome::NeedInput);
                        }
                        if distance(value_o, o) as u64 > limits.output_bytes {
                            leave!(Outcome::Reject);
                        }
                        done += 1;
                        (value_p, value_o) = (p, o);
                        if done == count {
                            leave!(Outcome::Done);
                        }
                        zero_left = limits.zero_size_items;
                        machine.text.clear();
                        pc = code;
                    }
                }
            }
        }
    }

    fn lookup(&self, table: u32, index: i64) -> Option<i64> {
        let table = self.program.tables.get(table as usize)?;
        table.0.get(usize::try_from(index).ok()?).copied().flatten()
    }
}

fn forms(c: u64) -> (SeqIn, SeqOut) {
    (SeqIn::from_index(c as u8), SeqOut::from_index((c >> 8) as u8))
}
