//! What stands between values in text: brackets, commas, literals. Where white space comes, a helper looks.

use super::{Emitter, arg, memory};
use crate::context::offset;
use crate::helpers::text as helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use reschema_ir::choose::Row;
use reschema_ir::{Body, ConstId, Op, SeqOut, TableId};
use reschema_runtime::raw::text::count_room;

/// Literals up to this size are compared inline, in a word with what follows.
const INLINE_WORD: usize = 7;

impl Emitter<'_, '_> {
    /// True where so many bytes, and what a compare touches further, lie inside the input.
    pub(super) fn near(&mut self, bytes: usize) -> Value {
        let p = self.input();
        let rest = self.b.ins().isub(self.soft, p);
        self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, rest, bytes as i64)
    }

    pub(super) fn byte_is(&mut self, address: Value, byte: u8) -> Value {
        let found = self.byte(address);
        self.b.ins().icmp_imm_u(IntCC::Equal, found, i64::from(byte))
    }

    /// True for a byte that ends a number or word inside an array or object, or a line.
    pub(super) fn delimits(&mut self, byte: Value) -> Value {
        let mut is = |b: u8| self.b.ins().icmp_imm_u(IntCC::Equal, byte, i64::from(b));
        let (comma, object, array, line) = (is(b','), is(b'}'), is(b']'), is(b'\n'));
        let some = self.b.ins().bor(comma, object);
        let more = self.b.ins().bor(array, line);
        self.b.ins().bor(some, more)
    }

    /// One byte that must be there; behind white space or at the end a helper looks.
    pub(super) fn punctuation(&mut self, byte: u8, helper: impl FnOnce(&mut Self, Value) -> Value) {
        let (look, other, done) = (self.b.create_block(), self.cold(), self.b.create_block());
        let next = self.b.append_block_param(done, types::I64);
        let p = self.input();
        let near = self.near(1);
        self.b.ins().brif(near, look, [], other, []);
        self.b.switch_to_block(look);
        let same = self.byte_is(p, byte);
        let behind = self.b.ins().iadd_imm_s(p, 1);
        self.b.ins().brif(same, done, [&arg(behind)], other, []);
        self.b.switch_to_block(other);
        let q = helper(self, p);
        self.leave_as_told(q);
        self.b.ins().jump(done, [&arg(q)]);
        self.b.switch_to_block(done);
        self.set_input(next);
    }

    /// Bytes that must be there.
    pub(super) fn expect(&mut self, text: ConstId) {
        let word = self.shared.program.constant(text);
        let (at, len) = (self.shared.pool.constant(text), word.len());
        let helper = |e: &mut Self, p: Value| {
            let (at, len) = (e.constant(at), e.constant(len as i64));
            e.call(helpers::expect(), &[e.ctx, p, at, len])
        };
        match word {
            [byte] if !byte.is_ascii_alphanumeric() => {
                let byte = *byte;
                self.punctuation(byte, helper);
            }
            word if word.is_empty() || len > INLINE_WORD || !word.iter().all(u8::is_ascii_lowercase) => {
                self.note("expect of a long word: helper");
                let p = self.input();
                let q = helper(self, p);
                self.go_on(q);
            }
            word => {
                let mut bytes = [0; 8];
                bytes[..len].copy_from_slice(word);
                self.short_word(u64::from_le_bytes(bytes), len, helper);
            }
        }
    }

    fn short_word(&mut self, word: u64, len: usize, helper: impl FnOnce(&mut Self, Value) -> Value) {
        let (look, other, done) = (self.b.create_block(), self.cold(), self.b.create_block());
        let next = self.b.append_block_param(done, types::I64);
        let p = self.input();
        // What follows is looked at too.
        let near = self.near(len + 1);
        self.b.ins().brif(near, look, [], other, []);
        self.b.switch_to_block(look);
        let found = self.load(types::I64, p, 0);
        let want = self.constant(word as i64);
        let differs = self.b.ins().bxor(found, want);
        let differs = self.b.ins().ishl_imm_u(differs, 8 * (8 - len) as i64);
        let same = self.b.ins().icmp_imm_u(IntCC::Equal, differs, 0);
        let last = self.b.ins().uload8(types::I64, memory(), p, len as i32);
        let ends = self.delimits(last);
        let both = self.b.ins().band(same, ends);
        let behind = self.b.ins().iadd_imm_s(p, len as i64);
        self.b.ins().brif(both, done, [&arg(behind)], other, []);
        self.b.switch_to_block(other);
        let q = helper(self, p);
        self.leave_as_told(q);
        self.b.ins().jump(done, [&arg(q)]);
        self.b.switch_to_block(done);
        self.set_input(next);
    }

    /// Which row of a table the value in front fits. Where null or anything is all that there is, its first byte tells.
    pub(super) fn choose(&mut self, dst: u32, rows: TableId, level: u32) {
        let list: Vec<_> = self.shared.program.table(rows).0.iter().map(|row| Row::from_code((*row)?)).collect();
        let place = |row: Row| list.iter().position(|r| *r == Some(row));
        let simple = list.iter().flatten().all(|row| matches!(row, Row::Null | Row::Any));
        let variable = self.nums[dst as usize];
        let helper = |e: &mut Self| {
            let (p, program) = (e.input(), e.program());
            let (rows, level) = (e.constant(rows.0.into()), e.level_below(level));
            let row = e.call(helpers::choose(), &[e.ctx, p, program, rows, level]);
            e.leave_as_told(row);
            let row = e.b.ins().iadd_imm_s(row, -1);
            e.b.def_var(variable, row);
        };
        let (true, Some(null), Some(any)) = (simple, place(Row::Null), place(Row::Any)) else {
            self.note("choose: helper");
            return helper(self);
        };
        let (look, told, other) = (self.b.create_block(), self.b.create_block(), self.cold());
        let done = self.b.create_block();
        let p = self.input();
        let near = self.near(1);
        self.b.ins().brif(near, look, [], other, []);
        self.b.switch_to_block(look);
        let byte = self.byte(p);
        let value = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, byte, i64::from(b' '));
        self.b.ins().brif(value, told, [], other, []);
        self.b.switch_to_block(told);
        let is_null = self.b.ins().icmp_imm_u(IntCC::Equal, byte, i64::from(b'n'));
        let (null, any) = (self.constant(null as i64), self.constant(any as i64));
        let row = self.b.ins().select(is_null, null, any);
        self.b.def_var(variable, row);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(other);
        helper(self);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(done);
    }

    /// Goes behind a keyed record: where its keys came in order and its end stands in front, there.
    pub(super) fn close_object(&mut self, op: &Op, start: u32, state: u32) {
        let (look, other, done) = (self.b.create_block(), self.cold(), self.b.create_block());
        let next = self.b.append_block_param(done, types::I64);
        let state = self.b.use_var(self.nums[state as usize]);
        let p = self.input();
        let near = self.near(1);
        let ordered = self.b.ins().icmp_imm_u(IntCC::Equal, state, 0);
        let both = self.b.ins().band(near, ordered);
        self.b.ins().brif(both, look, [], other, []);
        self.b.switch_to_block(look);
        let ends = self.byte_is(p, b'}');
        let behind = self.b.ins().iadd_imm_s(p, 1);
        self.b.ins().brif(ends, done, [&arg(behind)], other, []);
        self.b.switch_to_block(other);
        let start = self.b.use_var(self.marks[start as usize]);
        let (op, program, level) = (self.op_address(op), self.program(), self.level_below(0));
        let q = self.call(helpers::close_object(), &[self.ctx, p, start, state, op, program, level]);
        self.leave_as_told(q);
        self.b.ins().jump(done, [&arg(q)]);
        self.b.switch_to_block(done);
        self.set_input(next);
    }

    /// Items between brackets.
    pub(super) fn items_of(&mut self, object: bool, to: SeqOut, item: &Body) {
        let (head, last, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let (count, first) = (self.b.declare_var(types::I64), self.b.declare_var(types::I64));
        let left = count_room(to) as u32;
        self.check(0, left);
        let o = self.output();
        self.b.def_var(first, o);
        let zero = self.constant(0);
        self.b.def_var(count, zero);
        self.open_items(object, head, last, left);
        self.b.switch_to_block(head);
        self.body(item);
        let n = self.b.use_var(count);
        let n = self.b.ins().iadd_imm_s(n, 1);
        self.b.def_var(count, n);
        self.next_item(object, head, last);
        self.b.switch_to_block(last);
        if to != SeqOut::None {
            let (first, o, n) = (self.b.use_var(first), self.output(), self.b.use_var(count));
            let to = self.constant(SeqOut::ALL.iter().position(|t| *t == to).unwrap_or(0) as i64);
            let o = self.call(helpers::close_items(), &[self.ctx, first, o, n, to]);
            self.leave_as_told(o);
            self.set_output(o);
        }
        self.b.ins().jump(done, []);
        self.b.switch_to_block(done);
    }

    /// To `head` if an item stands behind the bracket, else to `last`; `left` bytes are left for the count.
    fn open_items(&mut self, object: bool, head: Block, last: Block, left: u32) {
        let (opens, ends) = if object { (b'{', b'}') } else { (b'[', b']') };
        let (look, behind, told) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let (some, other) = (self.b.create_block(), self.cold());
        let (more, at) = (self.b.append_block_param(told, types::I64), self.b.append_block_param(told, types::I64));
        let p = self.input();
        let near = self.near(2);
        self.b.ins().brif(near, look, [], other, []);
        self.b.switch_to_block(look);
        let open = self.byte_is(p, opens);
        self.b.ins().brif(open, behind, [], other, []);
        self.b.switch_to_block(behind);
        let byte = self.b.ins().uload8(types::I64, memory(), p, 1);
        let token = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, byte, i64::from(b' '));
        self.b.ins().brif(token, some, [], other, []);
        self.b.switch_to_block(some);
        let item = self.b.ins().icmp_imm_u(IntCC::NotEqual, byte, i64::from(ends));
        let item = self.b.ins().uextend(types::I64, item);
        let end = self.b.ins().iadd_imm_s(p, 2);
        let at_item = self.b.ins().isub(end, item);
        self.b.ins().jump(told, [&arg(item), &arg(at_item)]);
        self.b.switch_to_block(other);
        let kind = self.constant(object.into());
        let q = self.call(helpers::open_items(), &[self.ctx, p, kind]);
        self.leave_as_told(q);
        let found = self.context(offset::VALUE);
        self.b.ins().jump(told, [&arg(found), &arg(q)]);
        self.b.switch_to_block(told);
        self.set_input(at);
        self.wrote(left.into());
        self.b.ins().brif(more, head, [], last, []);
    }

    /// Behind an item: to `head` for another, else to `last`.
    fn next_item(&mut self, object: bool, head: Block, last: Block) {
        let ends = if object { b'}' } else { b']' };
        let (look, another, no_comma) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let (end, other) = (self.b.create_block(), self.cold());
        let p = self.input();
        let near = self.near(1);
        self.b.ins().brif(near, look, [], other, []);
        self.b.switch_to_block(look);
        let byte = self.byte(p);
        let comma = self.b.ins().icmp_imm_u(IntCC::Equal, byte, i64::from(b','));
        self.b.ins().brif(comma, another, [], no_comma, []);
        self.b.switch_to_block(no_comma);
        let closes = self.b.ins().icmp_imm_u(IntCC::Equal, byte, i64::from(ends));
        self.b.ins().brif(closes, end, [], other, []);
        for (block, to) in [(another, head), (end, last)] {
            self.b.switch_to_block(block);
            let behind = self.b.ins().iadd_imm_s(p, 1);
            self.set_input(behind);
            self.b.ins().jump(to, []);
        }
        self.b.switch_to_block(other);
        let kind = self.constant(object.into());
        let q = self.call(helpers::next_item(), &[self.ctx, p, kind]);
        self.go_on(q);
        let more = self.context(offset::VALUE);
        self.b.ins().brif(more, head, [], last, []);
    }
}
