//! Runs of skips: a function each that goes from value to value without branches where that can be. Whether a nullable
//! field is there is a coin toss, and what is not there has no bytes.

use super::{Emitter, Exit};
use crate::context::offset;
use crate::helpers;
use crate::runs::{Pattern, Place};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use reschema_ir::skip_run::{Entry, Item};
use reschema_ir::{Len, Num, TableId};

/// The top bit of each byte.
const STOP: i64 = 0x8080_8080_8080_8080_u64 as i64;
/// Bytes behind the input that are asked for at once, at most: less than the padding.
const REACH: u64 = 384;
/// What a load touches further.
const WORD: u64 = 8;

impl Emitter<'_, '_> {
    pub(super) fn skip_run(&mut self, index: Num, len: Len, kinds: TableId) {
        match (self.shared.runs.place(kinds), self.shared.pool.run(kinds)) {
            (Some(place), Some(_)) => self.call_run(place),
            (_, Some(entries)) if index == Num::Zigzag32 && len == Len::Zigzag => {
                self.note("skip.run of more than 64 fields, all different: helper");
                let count = self.shared.program.table(kinds).0.len();
                let p = self.input();
                self.helped(p, entries, count);
            }
            _ => {
                self.note("skip.run in other forms: interpreter");
                self.leave(Exit::Reject);
            }
        }
    }

    /// Passes over some entries by the helper.
    fn helped(&mut self, p: Value, entries: i64, count: usize) {
        let (entries, count) = (self.constant(entries), self.constant(count as i64));
        let q = self.call(helpers::run(), &[self.ctx, p, entries, count]);
        self.leave_as_told(q);
        self.set_input(q);
    }

    fn call_run(&mut self, place: Place) {
        let function = self.callees[self.shared.program.funcs.len() + place.pattern];
        let (p, phase, count) = (self.input(), self.constant(place.phase as i64), self.constant(place.count as i64));
        let call = self.b.ins().call(function, &[self.ctx, p, phase, count]);
        let (p, code) = (self.b.inst_results(call)[0], self.b.inst_results(call)[1]);
        self.go_on_at(p, code);
    }

    /// The function of a pattern: begins with entry `phase`, and passes over `count`.
    pub(super) fn run_function(&mut self, pattern: &Pattern, phase: Value, count: Value) {
        let (left, seen) = (self.b.declare_var(types::I64), self.b.declare_var(types::I64));
        self.b.def_var(left, count);
        let none = self.constant(0);
        self.b.def_var(seen, none);
        let reaches = reaches(&pattern.entries);
        let farthest = reaches.iter().flatten().max().copied().unwrap_or(0);
        let blocks: Vec<Block> = pattern.entries.iter().map(|_| self.b.create_block()).collect();
        let done = self.b.create_block();
        self.readable(farthest);
        match blocks.as_slice() {
            [only] => drop(self.b.ins().jump(*only, [])),
            many if pattern.cyclic => self.jump_table(phase, many),
            many => drop(self.b.ins().jump(many[0], [])),
        }
        for (i, entry) in pattern.entries.iter().enumerate() {
            self.b.switch_to_block(blocks[i]);
            let address = self.shared.pool.run(pattern.table).unwrap_or(0) + 2 * pattern.in_table(i) as i64;
            if let Some(index) = self.entry(entry, address, farthest) {
                let all = self.b.use_var(seen);
                let all = self.b.ins().bor(all, index);
                self.b.def_var(seen, all);
            }
            let next = (i + 1) % blocks.len();
            let last = next == 0 && !pattern.cyclic;
            if pattern.cyclic {
                let n = self.b.use_var(left);
                let n = self.b.ins().iadd_imm_s(n, -1);
                self.b.def_var(left, n);
                let on = self.b.create_block();
                self.b.ins().brif(n, on, [], done, []);
                self.b.switch_to_block(on);
            }
            if let Some(reach) = reaches[next].filter(|_| !last) {
                self.readable(reach);
            }
            self.b.ins().jump(if last { done } else { blocks[next] }, []);
        }
        self.b.switch_to_block(done);
        // An index of one of two variants is 0 or 2.
        let all = self.b.use_var(seen);
        let other = self.b.ins().band_imm_s(all, !2);
        self.leave_if(other, Exit::Reject);
        let (p, zero) = (self.input(), self.constant(0));
        self.b.ins().return_(&[p, zero]);
    }

    /// So many bytes can be read.
    fn readable(&mut self, bytes: u64) {
        let p = self.input();
        let rest = self.b.ins().isub(self.limit, p);
        let short = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, rest, bytes as i64);
        self.leave_if(short, Exit::NeedInput);
    }

    /// Passes over an entry. What is rare goes to the helper, with the entry's address. An index is masked, and looked at
    /// at the end: it is returned.
    fn entry(&mut self, entry: &Entry, address: i64, farthest: u64) -> Option<Value> {
        let p = self.input();
        match (entry.item, entry.absent) {
            (Item::Fixed(n), None) => {
                self.read(n.into());
                None
            }
            (Item::Fixed(n), Some(absent)) => {
                let index = self.byte(p);
                let here = self.here(index, absent);
                let bytes = self.times(here, n);
                self.behind(p, bytes, 1);
                Some(index)
            }
            (Item::Varint, absent) => {
                let word = self.load(types::I64, p, 0);
                let stop = self.constant(STOP);
                let mut ends = self.b.ins().band_not(stop, word);
                if let Some(absent) = absent {
                    // The index is the last byte only if nothing is there.
                    let here = self.here(word, absent);
                    let end = self.b.ins().ishl_imm_u(here, 6);
                    ends = self.b.ins().bxor(ends, end);
                }
                let (slow, fast, next) = (self.cold(), self.b.create_block(), self.b.create_block());
                self.b.ins().brif(ends, fast, [], slow, []);
                self.b.switch_to_block(fast);
                let bytes = self.b.ins().ctz(ends);
                let bytes = self.b.ins().ushr_imm_u(bytes, 3);
                self.behind(p, bytes, 1);
                self.b.ins().jump(next, []);
                self.rare(slow, next, p, address, farthest);
                absent.map(|_| self.b.ins().band_imm_u(word, 0xff))
            }
            (Item::Span, absent) => {
                let index = absent.map(|absent| {
                    let index = self.byte(p);
                    (index, self.here(index, absent))
                });
                let mut told = self.b.ins().uload8(types::I64, super::memory(), p, i32::from(index.is_some()));
                if let Some((_, here)) = index {
                    // All ones, or nothing.
                    let there = self.b.ins().ushr_imm_u(here, 1);
                    let there = self.b.ins().ineg(there);
                    told = self.b.ins().band(told, there);
                }
                let (slow, fast, next) = (self.cold(), self.b.create_block(), self.b.create_block());
                let odd = self.b.ins().band_imm_u(told, 0x81);
                self.b.ins().brif(odd, slow, [], fast, []);
                self.b.switch_to_block(fast);
                let mut bytes = self.b.ins().ushr_imm_u(told, 1);
                if let Some((_, here)) = index {
                    let head = self.b.ins().ushr_imm_u(here, 1);
                    bytes = self.b.ins().iadd(bytes, head);
                }
                self.behind(p, bytes, 1);
                self.b.ins().jump(next, []);
                self.rare(slow, next, p, address, farthest);
                index.map(|(index, _)| index)
            }
        }
    }

    /// 2 if the index says that there is something, and 0 if not.
    fn here(&mut self, index: Value, absent: u8) -> Value {
        let bit = self.b.ins().band_imm_u(index, 2);
        if absent == 0 { bit } else { self.b.ins().bxor_imm_u(bit, 2) }
    }

    /// `n` for 2, and 0 for 0.
    fn times(&mut self, two: Value, n: u8) -> Value {
        match n {
            1 => self.b.ins().ushr_imm_u(two, 1),
            2 => two,
            n if n.is_power_of_two() => self.b.ins().ishl_imm_u(two, i64::from(n.trailing_zeros()) - 1),
            n => {
                let one = self.b.ins().ushr_imm_u(two, 1);
                self.b.ins().imul_imm_s(one, i64::from(n))
            }
        }
    }

    fn behind(&mut self, p: Value, bytes: Value, more: i64) {
        let p = self.b.ins().iadd(p, bytes);
        let p = self.b.ins().iadd_imm_s(p, more);
        self.set_input(p);
    }

    /// An entry by the helper; then code goes on in `next`.
    fn rare(&mut self, slow: Block, next: Block, p: Value, address: i64, farthest: u64) {
        self.b.switch_to_block(slow);
        self.helped(p, address, 1);
        self.readable(farthest);
        self.b.ins().jump(next, []);
        self.b.switch_to_block(next);
    }

    /// Leaves as a helper says, if it has given no address.
    pub(super) fn leave_as_told(&mut self, address: Value) {
        let (failed, next) = (self.cold(), self.b.create_block());
        self.b.ins().brif(address, next, [], failed, []);
        self.b.switch_to_block(failed);
        let code = self.context(offset::OUTCOME);
        self.leave_with(code);
        self.b.switch_to_block(next);
    }
}

/// In front of which entries bytes are asked for, and how many: those up to the next such entry.
fn reaches(entries: &[Entry]) -> Vec<Option<u64>> {
    let mut reaches = vec![None; entries.len()];
    let (mut from, mut sum) = (0, WORD);
    for (i, entry) in entries.iter().enumerate() {
        let more = Pattern::reach(entry);
        if sum + more > REACH {
            reaches[from] = Some(sum);
            (from, sum) = (i, WORD);
        }
        sum += more;
    }
    if !entries.is_empty() {
        reaches[from] = Some(sum);
    }
    reaches
}
