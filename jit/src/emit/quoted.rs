//! Strings in quotes: ASCII without escapes inline, sixteen bytes at a time; others by helpers.

use super::{Emitter, arg};
use crate::helpers::text as helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use reschema_ir::Quote;

impl Emitter<'_, '_> {
    pub(super) fn read_quoted(&mut self, dst: u32, from: Quote) {
        if from != Quote::Text {
            self.note("read.quoted of bytes: helper");
            return self.read_quoted_by_helper(dst, from);
        }
        let (open, head) = (self.b.create_block(), self.b.create_block());
        let (look, stop) = (self.b.create_block(), self.b.create_block());
        let (other, done, plain) = (self.cold(), self.b.create_block(), self.b.create_block());
        let at = self.b.append_block_param(head, types::I64);
        let p = self.input();
        let near = self.near(1);
        self.b.ins().brif(near, open, [], other, []);

        self.b.switch_to_block(open);
        let start = self.b.ins().iadd_imm_s(p, 1);
        let quote = self.byte_is(p, b'"');
        self.b.ins().brif(quote, head, [&arg(start)], other, []);

        // A chunk that begins in front of `soft` can be read, and so can those that touch it.
        self.b.switch_to_block(head);
        let near = self.b.ins().icmp(IntCC::UnsignedLessThan, at, self.soft);
        self.b.ins().brif(near, look, [], other, []);

        self.b.switch_to_block(look);
        let chunk = self.load(types::I8X16, at, 0);
        let stops = self.stops(chunk);
        let behind = self.b.ins().iadd_imm_s(at, 16);
        self.b.ins().brif(stops, stop, [], head, [&arg(behind)]);

        self.b.switch_to_block(stop);
        let n = self.b.ins().ctz(stops);
        let n = self.b.ins().uextend(types::I64, n);
        let end = self.b.ins().iadd(at, n);
        let quote = self.byte_is(end, b'"');
        let near = self.b.ins().icmp(IntCC::UnsignedLessThan, end, self.soft);
        let both = self.b.ins().band(quote, near);
        self.b.ins().brif(both, plain, [], other, []);

        self.b.switch_to_block(plain);
        let len = self.b.ins().isub(end, start);
        let next = self.b.ins().iadd_imm_s(end, 1);
        let (first, count) = self.spans[dst as usize];
        self.b.def_var(first, start);
        self.b.def_var(count, len);
        self.set_input(next);
        self.b.ins().jump(done, []);

        self.b.switch_to_block(other);
        self.set_input(p);
        self.read_quoted_by_helper(dst, from);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(done);
    }

    fn read_quoted_by_helper(&mut self, dst: u32, from: Quote) {
        let form = Quote::ALL.iter().position(|q| *q == from).unwrap_or(0);
        let (p, form) = (self.input(), self.constant(form as i64));
        let p = self.call(helpers::read_quoted(), &[self.ctx, p, form]);
        self.go_on(p);
        self.found_span(dst);
    }

    /// Of sixteen bytes, a bit for each that is a quote, a backslash, a control, or not ASCII.
    fn stops(&mut self, chunk: Value) -> Value {
        let mut all = |byte: u8| {
            let byte = self.b.ins().iconst(types::I8, i64::from(byte));
            self.b.ins().splat(types::I8X16, byte)
        };
        let (quote, slash, space) = (all(b'"'), all(b'\\'), all(b' '));
        let quotes = self.b.ins().icmp(IntCC::Equal, chunk, quote);
        let slashes = self.b.ins().icmp(IntCC::Equal, chunk, slash);
        // As signed numbers, bytes that are not ASCII are below zero.
        let others = self.b.ins().icmp(IntCC::SignedLessThan, chunk, space);
        let stops = self.b.ins().bor(quotes, slashes);
        let stops = self.b.ins().bor(stops, others);
        self.b.ins().vhigh_bits(types::I32, stops)
    }
}
