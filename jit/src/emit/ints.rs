//! Integers of 32 bits that stand one behind the other: looked at together, in a vector, so that none waits for where the
//! one before it ends.

use super::{Emitter, Exit, memory};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use reschema_ir::{Inst, Num, Op};

/// As many as a vector of 16 bytes holds for sure.
const MOST: usize = 3;

/// What is done with one of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Move,
    Skip,
}

fn act(op: &Op) -> Option<Act> {
    match op {
        Op::MoveNum { from: Num::Zigzag32, to: Num::Zigzag32 | Num::Zigzag64 } => Some(Act::Move),
        Op::SkipNum { from: Num::Zigzag32 } => Some(Act::Skip),
        _ => None,
    }
}

/// Integers at the start of `code` that are emitted together: 2 or more, or none.
pub(super) fn together(code: &[Inst]) -> usize {
    let n = code.iter().take(MOST).take_while(|i| act(&i.op).is_some()).count();
    if n < 2 { 0 } else { n }
}

impl Emitter<'_, '_> {
    /// Emits ops of which [`together`] has told. Leaves if one is not minimal or out of range, skipped ones too.
    pub(super) fn ints(&mut self, code: &[Inst]) {
        let acts: Vec<Act> = code.iter().filter_map(|i| act(&i.op)).collect();
        let n = acts.len() as u32;
        let p = self.input();
        let (small, large, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        // All of one byte: there is nothing to measure.
        let word = self.load(if n == 2 { types::I16 } else { types::I32 }, p, 0);
        let tops = self.b.ins().band_imm_u(word, 0x0080_8080 >> (24 - 8 * n));
        self.b.ins().brif(tops, large, [], small, []);
        self.b.switch_to_block(small);
        let ends: Vec<Value> = (1..=n).map(|i| self.b.ins().iadd_imm_s(p, i64::from(i))).collect();
        self.put_ints(p, &ends, &acts);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(large);
        let ends = self.measured(p, n);
        self.put_ints(p, &ends, &acts);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(done);
    }

    /// Where each of several varints ends; leaves unless all are minimal and of 32 bits.
    fn measured(&mut self, p: Value, n: u32) -> Vec<Value> {
        let bytes = self.load(types::I8X16, p, 0);
        let more = self.mask(bytes);
        let none = self.vector_of(0);
        let zero = self.b.ins().icmp(IntCC::Equal, bytes, none);
        let zero = self.mask(zero);
        let fifteen = self.vector_of(15);
        let large = self.b.ins().icmp(IntCC::SignedGreaterThan, bytes, fifteen);
        let large = self.mask(large);
        // Last bytes: a bit each, those that lie behind the vector too. What is taken away one by one are the ends.
        let mut last = self.b.ins().bnot(more);
        let mut ends = Vec::new();
        for i in 1..=n {
            let end = self.b.ins().ctz(last);
            let end = self.b.ins().iadd(p, end);
            ends.push(self.b.ins().iadd_imm_s(end, 1));
            if i < n {
                let below = self.b.ins().iadd_imm_s(last, -1);
                last = self.b.ins().band(last, below);
            }
        }
        // Bytes up to the end of the last one.
        let below = self.b.ins().iadd_imm_s(last, -1);
        let within = self.b.ins().bxor(last, below);
        // A last byte of zero behind another; a fifth byte that is large, or not the last.
        let behind = self.b.ins().ishl_imm_u(more, 1);
        let padded = self.b.ins().band(zero, behind);
        let two = self.b.ins().band(more, behind);
        let four = self.b.ins().ishl_imm_u(two, 2);
        let four = self.b.ins().band(two, four);
        let fifth = self.b.ins().ishl_imm_u(four, 1);
        let over = self.b.ins().bor(large, more);
        let over = self.b.ins().band(over, fifth);
        let bad = self.b.ins().bor(padded, over);
        let bad = self.b.ins().band(bad, within);
        self.leave_if(bad, Exit::Reject);
        ends
    }

    fn vector_of(&mut self, byte: i64) -> Value {
        let byte = self.b.ins().iconst(types::I8, byte);
        self.b.ins().splat(types::I8X16, byte)
    }

    /// The top bits of 16 bytes.
    fn mask(&mut self, bytes: Value) -> Value {
        let bits = self.b.ins().vhigh_bits(types::I32, bytes);
        self.b.ins().uextend(types::I64, bits)
    }

    /// Copies what is moved, neighbours at once, and goes behind the last.
    fn put_ints(&mut self, p: Value, ends: &[Value], acts: &[Act]) {
        let mut i = 0;
        while i < acts.len() && !self.scan {
            let run = acts[i..].iter().take_while(|a| **a == Act::Move).count();
            if run == 0 {
                i += 1;
                continue;
            }
            let (start, end) = (if i == 0 { p } else { ends[i - 1] }, ends[i + run - 1]);
            let ty = if run == 1 { types::I64 } else { types::I8X16 };
            let word = self.b.ins().load(ty, memory(), start, 0);
            let o = self.output();
            self.store(word, o, 0);
            let len = self.b.ins().isub(end, start);
            let o = self.b.ins().iadd(o, len);
            self.set_output(o);
            i += run;
        }
        self.set_input(ends[acts.len() - 1]);
    }
}
