//! Varints: one byte inline, up to eight by a word, a count of trailing zeros and three steps; longer ones by a helper.

use super::{Emitter, Exit, arg, memory};
use crate::context::offset;
use crate::helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

/// The top bit of each byte.
const STOP: i64 = 0x8080_8080_8080_8080_u64 as i64;

/// What a word that begins with a varint tells of it.
pub(super) struct Word {
    pub(super) word: Value,
    /// Trailing zeros up to the last byte's top bit: 8 × length − 1.
    pub(super) zeros: Value,
}

impl Emitter<'_, '_> {
    /// Where the varint in a word ends. Goes to `long` if it has more than `bytes` bytes.
    pub(super) fn measure(&mut self, word: Value, bytes: u32, long: Block) -> Word {
        let tops = STOP as u64 >> (64 - 8 * bytes);
        let tops = self.constant(tops as i64);
        let stops = self.b.ins().band_not(tops, word);
        let next = self.b.create_block();
        self.b.ins().brif(stops, next, [], long, []);
        self.b.switch_to_block(next);
        let zeros = self.b.ins().ctz(stops);
        Word { word, zeros }
    }

    /// Bytes of a measured varint.
    pub(super) fn bytes_of(&mut self, w: &Word) -> Value {
        let n = self.b.ins().ushr_imm_u(w.zeros, 3);
        self.b.ins().iadd_imm_s(n, 1)
    }

    /// The varint at the top of a word, nothing else in it; and the shift that brings it down.
    fn top_of(&mut self, w: &Word) -> (Value, Value) {
        // 63 − zeros: shifts look at six bits.
        let shift = self.b.ins().bnot(w.zeros);
        let top = self.b.ins().ishl(w.word, shift);
        (top, shift)
    }

    /// True if the last of several bytes is zero: a varint that is not minimal. Its top bit is clear.
    fn is_padded(&mut self, top: Value) -> Value {
        self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, top, 1 << 56)
    }

    /// Leaves if a measured varint of several bytes is not minimal.
    pub(super) fn leave_if_padded(&mut self, w: &Word) {
        let (top, _) = self.top_of(w);
        let padded = self.is_padded(top);
        self.leave_if(padded, Exit::Reject);
    }

    /// The value of a varint that was measured among so many bytes.
    pub(super) fn value_of(&mut self, w: &Word, bytes: u32) -> Value {
        let (top, shift) = self.top_of(w);
        let word = self.b.ins().ushr(top, shift);
        let mut x = word;
        let steps = if bytes <= 4 { 2 } else { 3 };
        let all = [(0x007f_007f_007f_007f_i64, 1), (0x0000_3fff_0000_3fff, 2), (0x0000_0000_0fff_ffff, 4)];
        for (low, shift) in &all[..steps] {
            let mask = self.constant(*low);
            let high = self.constant(low << (8 * shift));
            let kept = self.b.ins().band(x, mask);
            let moved = self.b.ins().band(x, high);
            let moved = self.b.ins().ushr_imm_u(moved, *shift);
            x = self.b.ins().bor(kept, moved);
        }
        x
    }

    /// Moves a varint of 32 or 64 bits whose form is canonical; in a scan, passes over it.
    pub(super) fn move_varint(&mut self, bits: u32) {
        let p = self.input();
        let word = self.load(types::I64, p, 0);
        let (one, many, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let more = self.b.ins().band_imm_u(word, 0x80);
        self.b.ins().brif(more, many, [], one, []);
        self.b.switch_to_block(one);
        if !self.scan {
            let o = self.output();
            self.store_byte(word, o);
            self.wrote(1);
        }
        self.set_input(p);
        self.read(1);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(many);
        self.set_input(p);
        self.many_bytes(word, p, bits, done);
        self.b.switch_to_block(done);
    }

    fn many_bytes(&mut self, word: Value, p: Value, bits: u32, done: Block) {
        let before = self.output();
        let long = if bits == 64 { self.cold() } else { self.exit(Exit::Reject) };
        let w = self.measure(word, if bits == 64 { 8 } else { 5 }, long);
        let (top, shift) = self.top_of(&w);
        let mut bad = self.is_padded(top);
        if bits == 32 {
            let value = self.b.ins().ushr(top, shift);
            let over = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, value, 1 << 36);
            bad = self.b.ins().bor(bad, over);
        }
        self.leave_if(bad, Exit::Reject);
        let n = self.bytes_of(&w);
        if !self.scan {
            self.store(word, before, 0);
            let o = self.b.ins().iadd(before, n);
            self.set_output(o);
        }
        let p2 = self.b.ins().iadd(p, n);
        self.set_input(p2);
        self.b.ins().jump(done, []);
        if bits == 64 {
            self.b.switch_to_block(long);
            self.nine_bytes(p, before);
            self.b.ins().jump(done, []);
        }
    }

    fn nine_bytes(&mut self, p: Value, o: Value) {
        if self.scan {
            let n = self.call(helpers::scan_varint64(), &[p]);
            self.leave_if_zero(n);
            let p = self.b.ins().iadd(p, n);
            self.set_input(p);
            return;
        }
        let n = self.call(helpers::move_varint64(), &[p, o]);
        self.leave_if_zero(n);
        self.advance_both(p, o, n);
    }

    /// Moves both cursors on by what a helper says: bytes read below, bytes written above.
    pub(super) fn advance_both(&mut self, p: Value, o: Value, n: Value) {
        let read = self.b.ins().band_imm_u(n, 0xff);
        let p = self.b.ins().iadd(p, read);
        self.set_input(p);
        let written = self.b.ins().ushr_imm_u(n, 32);
        let written = self.b.ins().band_imm_u(written, 0xff);
        let o = self.b.ins().iadd(o, written);
        self.set_output(o);
    }

    pub(super) fn leave_if_zero(&mut self, value: Value) {
        let none = self.b.ins().icmp_imm_u(IntCC::Equal, value, 0);
        self.leave_if(none, Exit::Reject);
    }

    /// Reads any varint and moves the input on: the value, not unzigzagged.
    pub(super) fn read_varint(&mut self) -> Value {
        let p = self.input();
        let word = self.load(types::I64, p, 0);
        let (one, many, long) = (self.b.create_block(), self.b.create_block(), self.cold());
        let done = self.b.create_block();
        let value = self.b.append_block_param(done, types::I64);
        let more = self.b.ins().band_imm_u(word, 0x80);
        self.b.ins().brif(more, many, [], one, []);
        self.b.switch_to_block(one);
        let low = self.b.ins().band_imm_u(word, 0x7f);
        self.read(1);
        self.b.ins().jump(done, [&arg(low)]);
        self.b.switch_to_block(many);
        let w = self.measure(word, 8, long);
        let found = self.value_of(&w, 8);
        let n = self.bytes_of(&w);
        let p2 = self.b.ins().iadd(p, n);
        self.set_input(p2);
        self.b.ins().jump(done, [&arg(found)]);
        self.b.switch_to_block(long);
        let n = self.call(helpers::varint_any(), &[self.ctx, p]);
        self.leave_if_zero(n);
        let found = self.context(offset::VALUE);
        let p2 = self.b.ins().iadd(p, n);
        self.set_input(p2);
        self.b.ins().jump(done, [&arg(found)]);
        self.b.switch_to_block(done);
        value
    }

    /// Passes over any varint.
    pub(super) fn skip_varint(&mut self) {
        let p = self.input();
        let word = self.load(types::I64, p, 0);
        let (long, done) = (self.cold(), self.b.create_block());
        let w = self.measure(word, 8, long);
        let n = self.bytes_of(&w);
        let p2 = self.b.ins().iadd(p, n);
        self.set_input(p2);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(long);
        let n = self.call(helpers::varint_long(), &[p]);
        self.leave_if_zero(n);
        let p2 = self.b.ins().iadd(p, n);
        self.set_input(p2);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(done);
    }

    /// Writes a minimal varint.
    pub(super) fn put_varint(&mut self, value: Value) {
        let (one, many, done) = (self.b.create_block(), self.cold(), self.b.create_block());
        let o = self.output();
        let small = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, 0x80);
        self.b.ins().brif(small, one, [], many, []);
        self.b.switch_to_block(one);
        self.store_byte(value, o);
        self.wrote(1);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(many);
        let n = self.call(helpers::put_varint(), &[o, value]);
        let o2 = self.b.ins().iadd(o, n);
        self.set_output(o2);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(done);
    }

    pub(super) fn unzigzag(&mut self, raw: Value) -> Value {
        let half = self.b.ins().ushr_imm_u(raw, 1);
        let sign = self.b.ins().band_imm_u(raw, 1);
        let sign = self.b.ins().ineg(sign);
        self.b.ins().bxor(half, sign)
    }

    pub(super) fn zigzag(&mut self, value: Value) -> Value {
        let twice = self.b.ins().ishl_imm_u(value, 1);
        let sign = self.b.ins().sshr_imm_u(value, 63);
        self.b.ins().bxor(twice, sign)
    }

    /// A byte that is a zigzag index below `count` ≤ 64 in one byte: its double turned right by one, which is too large for
    /// any other byte.
    pub(super) fn small_index(&mut self, count: usize) -> Value {
        let p = self.input();
        let byte = self.b.ins().load(types::I8, memory(), p, 0);
        let index = self.b.ins().rotr_imm_u(byte, 1);
        let over = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, index, count as i64);
        self.leave_if(over, Exit::Reject);
        self.read(1);
        self.b.ins().uextend(types::I64, index)
    }
}
