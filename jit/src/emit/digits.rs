//! Integers written as digits: up to seven inline, in one word with what follows; others by a helper.

use super::Emitter;
use crate::helpers::text as helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use reschema_ir::TextNum;

/// Bytes that are looked at: a sign, and a word.
const LOOK: usize = 9;

impl Emitter<'_, '_> {
    pub(super) fn read_text(&mut self, dst: u32, from: TextNum) {
        if matches!(from, TextNum::Int32 | TextNum::Int64) {
            self.read_digits(dst, from);
        } else {
            self.note("read.text: helper");
            self.read_text_by_helper(dst, from);
        }
    }

    fn read_text_by_helper(&mut self, dst: u32, from: TextNum) {
        let form = TextNum::ALL.iter().position(|n| *n == from).unwrap_or(0);
        let (p, form) = (self.input(), self.constant(form as i64));
        let p = self.call(helpers::read_text(), &[self.ctx, p, form]);
        self.go_on(p);
        self.found(dst);
    }

    fn read_digits(&mut self, dst: u32, from: TextNum) {
        let (look, some, other) = (self.b.create_block(), self.b.create_block(), self.cold());
        let (fine, done) = (self.b.create_block(), self.b.create_block());
        let p = self.input();
        let near = self.near(LOOK);
        self.b.ins().brif(near, look, [], other, []);

        self.b.switch_to_block(look);
        let negative = self.byte_is(p, b'-');
        let sign = self.b.ins().uextend(types::I64, negative);
        let start = self.b.ins().iadd(p, sign);
        let word = self.load(types::I64, start, 0);
        // Of digits their values; a byte that is none gets a top bit below, and what that carries comes behind it.
        let values = self.b.ins().bxor_imm_u(word, 0x3030_3030_3030_3030);
        let limit = self.constant(0x7676_7676_7676_7676);
        let over = self.b.ins().iadd(values, limit);
        let over = self.b.ins().bor(over, values);
        let tops = self.constant(0x8080_8080_8080_8080_u64 as i64);
        let over = self.b.ins().band(over, tops);
        let bits = self.b.ins().ctz(over);
        // Eight times the number of digits; none and eight are not for here.
        let bits = self.b.ins().iadd_imm_s(bits, -7);
        let less = self.b.ins().iadd_imm_s(bits, -8);
        let usual = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, less, 56);
        self.b.ins().brif(usual, some, [], other, []);

        self.b.switch_to_block(some);
        let last = self.b.ins().ushr(word, bits);
        let last = self.b.ins().band_imm_u(last, 0xff);
        let ends = self.delimits(last);
        let first = self.b.ins().band_imm_u(word, 0xff);
        let zero = self.b.ins().icmp_imm_u(IntCC::NotEqual, first, i64::from(b'0'));
        let one = self.b.ins().icmp_imm_u(IntCC::Equal, bits, 8);
        let canonical = self.b.ins().bor(zero, one);
        let both = self.b.ins().band(ends, canonical);
        self.b.ins().brif(both, fine, [], other, []);

        self.b.switch_to_block(fine);
        let value = self.value_of_digits(values, bits);
        let minus = self.b.ins().ineg(value);
        let value = self.b.ins().select(negative, minus, value);
        self.b.def_var(self.nums[dst as usize], value);
        let digits = self.b.ins().ushr_imm_u(bits, 3);
        let end = self.b.ins().iadd(start, digits);
        self.set_input(end);
        self.b.ins().jump(done, []);

        self.b.switch_to_block(other);
        self.set_input(p);
        self.read_text_by_helper(dst, from);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(done);
    }

    /// The number of the lowest `bits` / 8 bytes, each a digit; they go to the end of a word, with zeros before.
    fn value_of_digits(&mut self, values: Value, bits: Value) -> Value {
        let free = self.b.ins().ineg(bits);
        let digits = self.b.ins().ishl(values, free);
        let tens = self.b.ins().imul_imm_s(digits, 10);
        let ones = self.b.ins().ushr_imm_u(digits, 8);
        let pairs = self.b.ins().iadd(tens, ones);
        let mask = self.constant(0x0000_00ff_0000_00ff);
        let low = self.b.ins().band(pairs, mask);
        let low = self.b.ins().imul_imm_s(low, 0x000f_4240_0000_0064);
        let high = self.b.ins().ushr_imm_u(pairs, 16);
        let high = self.b.ins().band(high, mask);
        let high = self.b.ins().imul_imm_s(high, 0x0000_2710_0000_0001);
        let sum = self.b.ins().iadd(low, high);
        self.b.ins().ushr_imm_u(sum, 32)
    }
}
