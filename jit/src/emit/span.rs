//! Bytes and text, of fixed and of told length.

use super::{Emitter, Exit, arg, memory};
use crate::helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use reschema_ir::cost::{SPAN_SLACK, STATIC_EMIT, STATIC_FIXED};
use reschema_ir::{ConstId, Len};

/// Constants up to this size are copied inline.
const INLINE_COPY: usize = 256;

/// Bytes that a length may have: what is longer than 128 MiB is left.
const LENGTH_BYTES: u32 = 4;

/// A length that has been read; the input stands where it did.
struct Told {
    len: Value,
    /// Bytes of the length itself.
    head: Value,
    /// The word that begins with them.
    word: Value,
}

/// How strictly a length is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Any,
    /// Its bytes are copied as they are.
    Canonical,
}

impl Emitter<'_, '_> {
    /// Reads a length. Negative ones, those of more than [`LENGTH_BYTES`] bytes, and where that matters those that are not minimal are
    /// left.
    fn told(&mut self, from: Len, form: Form) -> Told {
        let p = self.input();
        if from == Len::U32 {
            let len = self.b.ins().uload32(memory(), p, 0);
            let head = self.constant(4);
            return Told { len, head, word: len };
        }
        let word = self.load(types::I64, p, 0);
        let (one, many, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let (len, head) = (self.b.append_block_param(done, types::I64), self.b.append_block_param(done, types::I64));
        let more = self.b.ins().band_imm_u(word, 0x81);
        self.b.ins().brif(more, many, [], one, []);
        self.b.switch_to_block(one);
        let low = self.b.ins().band_imm_u(word, 0x7f);
        let low = self.b.ins().ushr_imm_u(low, 1);
        let single = self.constant(1);
        self.b.ins().jump(done, [&arg(low), &arg(single)]);
        self.b.switch_to_block(many);
        let odd = self.b.ins().band_imm_u(word, 1);
        self.leave_if(odd, Exit::Reject);
        let long = self.exit(Exit::Reject);
        let w = self.measure(word, LENGTH_BYTES, long);
        let value = self.value_of(&w, LENGTH_BYTES);
        if form == Form::Canonical {
            self.leave_if_padded(&w);
        }
        let value = self.b.ins().ushr_imm_u(value, 1);
        let n = self.bytes_of(&w);
        self.b.ins().jump(done, [&arg(value), &arg(n)]);
        self.b.switch_to_block(done);
        Told { len, head, word }
    }

    /// The bytes behind a length lie inside the input, and what may be touched behind them can be read.
    fn inside(&mut self, start: Value, len: Value) {
        let rest = self.b.ins().isub(self.soft, start);
        let short = self.b.ins().icmp(IntCC::SignedGreaterThan, len, rest);
        self.leave_if(short, Exit::NeedInput);
    }

    /// There is room for a length, its bytes, what a copy touches further, and what is promised behind.
    fn room(&mut self, len: Value, promised: u32) {
        let o = self.output();
        let rest = self.b.ins().isub(self.capacity, o);
        let needed = self.b.ins().iadd_imm_s(len, SPAN_SLACK as i64 + 10 + i64::from(promised));
        let short = self.b.ins().icmp(IntCC::SignedGreaterThan, needed, rest);
        self.leave_if(short, Exit::OutputFull);
    }

    pub(super) fn move_span(&mut self, from: Len, to: Len, utf8: bool, promised: u32) {
        let same = from == to;
        let told = self.told(from, if same { Form::Canonical } else { Form::Any });
        let p = self.input();
        let q = self.b.ins().iadd(p, told.head);
        self.inside(q, told.len);
        if self.scan {
            if utf8 {
                self.text(q, told.len, None);
            }
        } else {
            self.room(told.len, promised);
            if same {
                let o = self.output();
                self.store(told.word, o, 0);
                let o = self.b.ins().iadd(o, told.head);
                self.set_output(o);
            } else {
                self.put_length(told.len, to);
            }
            let o = self.output();
            if utf8 {
                self.text(q, told.len, Some(o))
            } else {
                self.copy(q, o, told.len)
            }
            let o = self.b.ins().iadd(o, told.len);
            self.set_output(o);
        }
        let end = self.b.ins().iadd(q, told.len);
        self.set_input(end);
    }

    fn put_length(&mut self, len: Value, to: Len) {
        match to {
            Len::Zigzag => {
                let raw = self.b.ins().ishl_imm_u(len, 1);
                self.put_varint(raw);
            }
            Len::U32 => {
                let o = self.output();
                self.b.ins().istore32(memory(), len, o, 0);
                self.wrote(4);
            }
        }
    }

    /// Copies in steps of 32 bytes, up to 32 bytes too many.
    pub(super) fn copy(&mut self, from: Value, to: Value, len: Value) {
        self.steps(from, Some(to), len, false);
    }

    /// Leaves unless the bytes are UTF-8; copies them on the way. ASCII is seen by the top bits, other text by a helper.
    fn text(&mut self, from: Value, len: Value, to: Option<Value>) {
        let tops = self.steps(from, to, len, true);
        let (other, done) = (self.cold(), self.b.create_block());
        self.b.ins().brif(tops, other, [], done, []);
        self.b.switch_to_block(other);
        let fine = self.call(helpers::utf8(), &[from, len]);
        self.leave_if_zero(fine);
        self.b.ins().jump(done, []);
        self.b.switch_to_block(done);
    }

    /// 32 bytes at a time: copied, and their top bits gathered.
    fn steps(&mut self, from: Value, to: Option<Value>, len: Value, gather: bool) -> Value {
        let (head, more, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let (at, seen) = (self.b.append_block_param(head, types::I64), self.b.append_block_param(head, types::I64));
        let zero = self.constant(0);
        self.b.ins().jump(head, [&arg(zero), &arg(zero)]);
        self.b.switch_to_block(head);
        let source = self.b.ins().iadd(from, at);
        let low = self.load(types::I8X16, source, 0);
        let high = self.load(types::I8X16, source, 16);
        if let Some(to) = to {
            let target = self.b.ins().iadd(to, at);
            self.store(low, target, 0);
            self.store(high, target, 16);
        }
        let rest = self.b.ins().isub(len, at);
        let tops = if gather { self.tops(low, high) } else { zero };
        let further = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, rest, 32);
        self.b.ins().brif(further, more, [], done, []);
        self.b.switch_to_block(more);
        let at = self.b.ins().iadd_imm_s(at, 32);
        let all = if gather { self.b.ins().bor(seen, tops) } else { seen };
        self.b.ins().jump(head, [&arg(at), &arg(all)]);
        self.b.switch_to_block(done);
        if !gather {
            return zero;
        }
        // Of the last step only the bytes that belong to the text.
        let one = self.constant(1);
        let mask = self.b.ins().ishl(one, rest);
        let mask = self.b.ins().iadd_imm_s(mask, -1);
        let last = self.b.ins().band(tops, mask);
        self.b.ins().bor(seen, last)
    }

    fn tops(&mut self, low: Value, high: Value) -> Value {
        let low = self.b.ins().vhigh_bits(types::I32, low);
        let high = self.b.ins().vhigh_bits(types::I32, high);
        let (low, high) = (self.b.ins().uextend(types::I64, low), self.b.ins().uextend(types::I64, high));
        let high = self.b.ins().ishl_imm_u(high, 16);
        self.b.ins().bor(low, high)
    }

    pub(super) fn skip_span(&mut self, from: Len, promised: u32) {
        let told = self.told(from, Form::Any);
        let p = self.input();
        let q = self.b.ins().iadd(p, told.head);
        self.inside(q, told.len);
        let end = self.b.ins().iadd(q, told.len);
        self.set_input(end);
        if !self.scan {
            self.check(0, promised);
        }
    }

    pub(super) fn read_span(&mut self, dst: u32, from: Len) {
        let told = self.told(from, Form::Any);
        let p = self.input();
        let q = self.b.ins().iadd(p, told.head);
        self.inside(q, told.len);
        let (start, len) = self.spans[dst as usize];
        self.b.def_var(start, q);
        self.b.def_var(len, told.len);
        let end = self.b.ins().iadd(q, told.len);
        self.set_input(end);
    }

    pub(super) fn read_fixed(&mut self, dst: u32, size: u64) {
        // Also where a `check` has promised it: a copy of the span touches more.
        if !self.big(size) {
            return;
        }
        let (start, len) = self.spans[dst as usize];
        let (p, n) = (self.input(), self.constant(size as i64));
        self.b.def_var(start, p);
        self.b.def_var(len, n);
        self.read(size);
    }

    /// A fixed number of bytes that no `check` has promised lies inside the input. False if no input is so large.
    fn big(&mut self, size: u64) -> bool {
        if size > (i64::MAX / 2) as u64 {
            self.leave(Exit::Reject);
            return false;
        }
        let (p, n) = (self.input(), self.constant(size as i64));
        self.inside(p, n);
        true
    }

    pub(super) fn const_span(&mut self, dst: u32, value: ConstId) {
        let (start, len) = self.spans[dst as usize];
        let address = self.constant(self.shared.pool.constant(value));
        let n = self.constant(self.shared.program.constant(value).len() as i64);
        self.b.def_var(start, address);
        self.b.def_var(len, n);
    }

    fn span(&mut self, src: u32) -> (Value, Value) {
        let (start, len) = self.spans[src as usize];
        (self.b.use_var(start), self.b.use_var(len))
    }

    pub(super) fn check_utf8(&mut self, src: u32) {
        self.note("check.utf8: helper");
        let (start, len) = self.span(src);
        let fine = self.call(helpers::utf8(), &[start, len]);
        self.leave_if_zero(fine);
    }

    pub(super) fn write_span(&mut self, src: u32, to: Option<Len>) {
        let (start, len) = self.span(src);
        self.room(len, 0);
        if let Some(to) = to {
            self.put_length(len, to);
        }
        let o = self.output();
        // Behind every span so many bytes can be read: of the input by `inside`, of what was decoded and of constants anyway.
        self.copy(start, o, len);
        let o = self.b.ins().iadd(o, len);
        self.set_output(o);
    }

    pub(super) fn skip_fixed(&mut self, size: u64) {
        if size <= STATIC_FIXED || self.big(size) {
            self.read(size);
        }
    }

    pub(super) fn move_fixed(&mut self, size: u64) {
        if self.scan {
            return self.skip_fixed(size);
        }
        if size > STATIC_FIXED {
            return self.move_big(size);
        }
        let (p, o) = (self.input(), self.output());
        self.move_words(p, o, size.max(1).next_multiple_of(8));
        self.read(size);
        self.wrote(size);
    }

    /// Copies a small multiple of eight bytes.
    fn move_words(&mut self, from: Value, to: Value, bytes: u64) {
        let mut at = 0;
        while at < bytes {
            let ty = if bytes - at >= 16 { types::I8X16 } else { types::I64 };
            let part = self.load(ty, from, at as i32);
            self.store(part, to, at as i32);
            at += u64::from(ty.bytes());
        }
    }

    fn move_big(&mut self, size: u64) {
        self.note("fixed of more than 64 bytes: copy by a helper");
        if !self.big(size) {
            return;
        }
        let n = self.constant(size as i64);
        self.room(n, 0);
        let (p, o) = (self.input(), self.output());
        self.call(helpers::copy(), &[p, o, n]);
        self.read(size);
        self.wrote(size);
    }

    pub(super) fn emit(&mut self, value: ConstId) {
        let len = self.shared.program.constant(value).len();
        let from = self.constant(self.shared.pool.constant(value));
        if len <= STATIC_EMIT {
            let o = self.output();
            self.move_words(from, o, (len as u64).max(1).next_multiple_of(8));
            return self.wrote(len as u64);
        }
        let n = self.constant(len as i64);
        self.room(n, 0);
        let o = self.output();
        if len <= INLINE_COPY {
            self.copy(from, o, n);
        } else {
            self.call(helpers::copy(), &[from, o, n]);
        }
        self.wrote(len as u64);
    }
}
