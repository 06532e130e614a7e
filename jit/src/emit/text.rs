//! Text: keys that come as expected and separators inline, the rest by helpers.

use super::{Emitter, Exit, arg, memory};
use crate::context::offset;
use crate::helpers::text as helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use reschema_ir::{Bodies, Body, ConstId, Op, Program};
use reschema_runtime::text::Indexed;

/// Keys up to this size are compared inline.
const INLINE_KEY: usize = 64;

fn place<T: PartialEq>(all: &[T], one: &T) -> i64 {
    all.iter().position(|x| x == one).unwrap_or(0) as i64
}

impl Emitter<'_, '_> {
    /// The Program and its tables of names.
    pub(super) fn program(&mut self) -> Value {
        let names: *const Indexed = self.shared.names;
        self.constant(names.expose_provenance() as i64)
    }

    /// The op itself, which the Program keeps where it is.
    pub(super) fn op_address(&mut self, op: &Op) -> Value {
        self.constant(std::ptr::from_ref(op).expose_provenance() as i64)
    }

    /// The level of the function, or `more` below.
    pub(super) fn level_below(&mut self, more: u32) -> Value {
        match self.level {
            Some(level) => self.b.ins().iadd_imm_s(level, i64::from(more)),
            None => self.constant(more.into()),
        }
    }

    /// Goes on where a helper says, or leaves as it says.
    pub(super) fn go_on(&mut self, p: Value) {
        self.leave_as_told(p);
        self.set_input(p);
    }

    pub(super) fn text_op(&mut self, op: &Op) {
        match op {
            Op::ReadText { dst, from } => self.read_text(dst.0, *from),
            Op::WriteText { src, to } => {
                self.note("write.text: helper");
                let raw = self.b.use_var(self.nums[src.0 as usize]);
                let (o, form) = (self.output(), self.constant(place(reschema_ir::TextNum::ALL, to)));
                let n = self.call(helpers::write_text(), &[o, raw, form]);
                let o = self.b.ins().iadd(o, n);
                self.set_output(o);
            }
            Op::ReadQuoted { dst, from } => self.read_quoted(dst.0, *from),
            Op::WriteQuoted { src, to } => {
                self.note("write.quoted: helper");
                let (start, len) = self.spans[src.0 as usize];
                let (start, len) = (self.b.use_var(start), self.b.use_var(len));
                let (o, form) = (self.output(), self.constant(place(reschema_ir::Quote::ALL, to)));
                let o = self.call(helpers::write_quoted(), &[self.ctx, o, start, len, form]);
                self.leave_as_told(o);
                self.set_output(o);
            }
            Op::ReadDecimal { dst, .. } => {
                self.note("read.decimal: helper");
                let (p, how) = (self.input(), self.op_address(op));
                let p = self.call(helpers::read_decimal(), &[self.ctx, p, how]);
                self.go_on(p);
                self.found_span(dst.0);
            }
            Op::WriteDecimal { src, .. } => {
                self.note("write.decimal: helper");
                let (start, len) = self.spans[src.0 as usize];
                let (start, len) = (self.b.use_var(start), self.b.use_var(len));
                let (o, how) = (self.output(), self.op_address(op));
                let o = self.call(helpers::write_decimal(), &[self.ctx, o, start, len, how]);
                self.leave_as_told(o);
                self.set_output(o);
            }
            Op::CheckFinite { src, wide } => {
                // An exponent of ones only.
                let ones = if wide.is() { 0x7ff << 52 } else { 0xff << 23 };
                let (raw, ones) = (self.b.use_var(self.nums[src.0 as usize]), self.constant(ones));
                let exponent = self.b.ins().band(raw, ones);
                let special = self.b.ins().icmp(IntCC::Equal, exponent, ones);
                self.leave_if(special, Exit::Reject);
            }
            Op::CheckSize { src, size } => {
                let (_, len) = self.spans[src.0 as usize];
                let len = self.b.use_var(len);
                let other = self.b.ins().icmp_imm_s(IntCC::NotEqual, len, *size as i64);
                self.leave_if(other, Exit::Reject);
            }
            Op::Lookup { dst, src, names } => {
                self.note("lookup: helper");
                let (start, len) = self.spans[src.0 as usize];
                let (start, len) = (self.b.use_var(start), self.b.use_var(len));
                let (program, table) = (self.program(), self.constant(names.0.into()));
                let found = self.call(helpers::lookup_name(), &[self.ctx, start, len, program, table]);
                self.leave_if_zero(found);
                self.found(dst.0);
            }
            Op::Expect { text } => self.expect(*text),
            Op::Separate { state, byte } => {
                let variable = self.nums[state.0 as usize];
                let state = self.b.use_var(variable);
                let (o, byte) = (self.output(), self.constant((*byte).into()));
                // Where it is the first, the byte is written and does not count.
                self.store_byte(byte, o);
                let state = self.b.ins().icmp_imm_u(IntCC::NotEqual, state, 0);
                let state = self.b.ins().uextend(types::I64, state);
                let o = self.b.ins().iadd(o, state);
                self.set_output(o);
                let one = self.constant(1);
                self.b.def_var(variable, one);
            }
            Op::SkipTree { level, .. } => {
                self.note("skip.tree: helper");
                let (p, level) = (self.input(), self.level_below(*level));
                let p = self.call(helpers::skip_tree(), &[self.ctx, p, level]);
                self.go_on(p);
            }
            Op::OpenObject { start, state, .. } => {
                self.punctuation(b'{', |e, p| e.call(helpers::open_object(), &[e.ctx, p]));
                let p = self.input();
                self.b.def_var(self.marks[start.0 as usize], p);
                let zero = self.constant(0);
                self.b.def_var(self.nums[state.0 as usize], zero);
            }
            Op::FindField { arms, .. } => self.find_field(op, arms),
            Op::CloseObject { start, state, .. } => self.close_object(op, start.0, state.0),
            Op::Choose { dst, rows, level, .. } => self.choose(dst.0, *rows, *level),
            Op::ReadTag { dst, names, null, .. } => {
                self.note("read.tag: helper");
                let (p, program) = (self.input(), self.program());
                let (names, null) = (self.constant(names.0.into()), self.constant(*null));
                let p = self.call(helpers::read_tag(), &[self.ctx, p, program, names, null]);
                self.go_on(p);
                self.found(dst.0);
            }
            // All ops of other families have been met before.
            _ => self.leave(Exit::Reject),
        }
    }

    /// What a helper has found goes to a register.
    pub(super) fn found(&mut self, dst: u32) {
        let value = self.context(offset::VALUE);
        self.b.def_var(self.nums[dst as usize], value);
    }

    pub(super) fn found_span(&mut self, dst: u32) {
        let (start, len) = self.spans[dst as usize];
        let (at, more) = (self.context(offset::VALUE), self.context(offset::MORE));
        self.b.def_var(start, at);
        self.b.def_var(len, more);
    }

    /// A key: compared with the one that is expected, in the order that is; any other is sought by a helper.
    fn find_field(&mut self, op: &Op, arms: &Bodies) {
        let Op::FindField { start, state, place, text, .. } = op else { return };
        let (there, absent, other) = (self.b.create_block(), self.b.create_block(), self.cold());
        let done = self.b.create_block();
        let value = self.b.append_block_param(there, types::I64);
        let variable = self.nums[state.0 as usize];
        let (p, state) = (self.input(), self.b.use_var(variable));
        let len = self.shared.program.constant(*text).len();
        if len <= INLINE_KEY {
            self.same_key(p, state, *place > 0, *text, there, other);
        } else {
            self.b.ins().jump(other, []);
        }
        self.b.switch_to_block(other);
        let start = self.b.use_var(self.marks[start.0 as usize]);
        let (op, program, level) = (self.op_address(op), self.program(), self.level_below(0));
        let found = self.call(helpers::find_field(), &[self.ctx, p, start, state, op, program, level]);
        self.leave_as_told(found);
        let state = self.context(offset::VALUE);
        self.b.def_var(variable, state);
        let none = self.b.ins().icmp_imm_u(IntCC::Equal, found, helpers::ABSENT);
        self.b.ins().brif(none, absent, [], there, [&arg(found)]);
        for (i, (block, arm)) in [there, absent].into_iter().zip(&arms.0).enumerate() {
            self.b.switch_to_block(block);
            self.set_input(if i == 0 { value } else { p });
            self.body(arm);
            self.b.ins().jump(done, []);
        }
        self.b.switch_to_block(done);
    }

    /// Goes to `there`, behind the key, if keys come in order and this one stands at `p`; else to `other`.
    fn same_key(
        &mut self,
        p: Value,
        state: Value,
        comma: bool,
        text: ConstId,
        there: cranelift_codegen::ir::Block,
        other: cranelift_codegen::ir::Block,
    ) {
        let len = self.shared.program.constant(text).len();
        let from = self.constant(self.shared.pool.constant(text));
        let shift = usize::from(comma);
        let look = self.b.create_block();
        let near = self.near(len + shift);
        let ordered = self.b.ins().icmp_imm_u(IntCC::Equal, state, 0);
        let both = self.b.ins().band(near, ordered);
        self.b.ins().brif(both, look, [], other, []);
        self.b.switch_to_block(look);
        let mut differs = self.constant(0);
        if comma {
            let byte = self.byte(p);
            differs = self.b.ins().bxor_imm_u(byte, i64::from(b','));
        }
        let mut at = 0;
        while at < len {
            let want = self.b.ins().load(types::I64, memory(), from, at as i32);
            let found = self.b.ins().load(types::I64, memory(), p, (at + shift) as i32);
            let mut part = self.b.ins().bxor(want, found);
            if len - at < 8 {
                // Of the last word the bytes that are the key's.
                part = self.b.ins().ishl_imm_u(part, 8 * (8 - (len - at)) as i64);
            }
            differs = self.b.ins().bor(differs, part);
            at += 8;
        }
        let behind = self.b.ins().iadd_imm_s(p, (len + shift) as i64);
        self.b.ins().brif(differs, other, [], there, [&arg(behind)]);
    }

    /// Behind a value: what was decoded for it is forgotten.
    pub(super) fn forget_text(&mut self) {
        let (some, none) = (self.cold(), self.b.create_block());
        let kept = self.context(offset::KEPT);
        self.b.ins().brif(kept, some, [], none, []);
        self.b.switch_to_block(some);
        self.call(helpers::forget(), &[self.ctx]);
        self.b.ins().jump(none, []);
        self.b.switch_to_block(none);
    }
}

/// Whether any text is decoded.
pub(super) fn decodes(program: &Program) -> bool {
    fn body(b: &Body) -> bool {
        b.0.iter()
            .any(|i| matches!(i.op, Op::ReadQuoted { .. } | Op::ReadDecimal { .. }) || i.op.bodies().iter().any(body))
    }
    program.funcs.iter().any(|f| body(&f.body))
}
