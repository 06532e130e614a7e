//! Lists and maps, runs, and scans that are copied.

use super::{Emitter, Exit};
use crate::context::offset;
use crate::helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use reschema_ir::cost::SPAN_SLACK;
use reschema_ir::{Body, SeqIn, SeqOut};

/// Bytes that a chunk's header may take, and that the count of a chunk and its end may take.
const HEADER: (u32, u32) = (20, 32);

/// The header of a block.
struct Header {
    byte: Value,
    /// It has more bytes.
    many: Block,
    /// The items begin, `n` of them.
    begun: Block,
    n: Value,
}

impl Emitter<'_, '_> {
    pub(super) fn repeat(&mut self, (from, to): (SeqIn, SeqOut), zero: bool, trust: bool, item: &Body) {
        // Items that do nothing are not run one by one.
        let idle = reschema_ir::cost::is_idle(self.shared.program, zero, to, item);
        let left = self.b.declare_var(types::I64);
        let done = self.b.create_block();
        match (from, to) {
            (SeqIn::Blocks, SeqOut::Block) => self.blocks(left, zero, idle, item, done),
            (SeqIn::Blocks, SeqOut::None) => self.skip_blocks(left, zero, trust, idle, item, done),
            _ => self.counted((from, to), left, zero, idle, item, done),
        }
        self.b.switch_to_block(done);
    }

    /// Counts items that take no input.
    fn count_zero(&mut self, n: Value) {
        let most = self.context(offset::ZERO_LEFT);
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, n, most);
        self.leave_if(over, Exit::Reject);
        let left = self.b.ins().isub(most, n);
        self.set_context(offset::ZERO_LEFT, left);
    }

    /// Runs the items; afterwards code goes on in the current block.
    fn items(&mut self, left: Variable, n: Value, idle: bool, item: &Body) {
        let start = if idle { self.constant(1) } else { n };
        self.b.def_var(left, start);
        let (head, behind) = (self.b.create_block(), self.b.create_block());
        self.b.ins().jump(head, []);
        self.b.switch_to_block(head);
        let scan = std::mem::replace(&mut self.scan, false);
        self.body(item);
        self.scan = scan;
        let n = self.b.use_var(left);
        let n = self.b.ins().iadd_imm_s(n, -1);
        self.b.def_var(left, n);
        self.b.ins().brif(n, head, [], behind, []);
        self.b.switch_to_block(behind);
    }

    /// Looks at the first byte of a block's header, and goes on where that is all of it.
    fn header(&mut self, p: Value) -> Header {
        let byte = self.byte(p);
        let (one, many, begun) = (self.b.create_block(), self.cold(), self.b.create_block());
        let n = self.b.append_block_param(begun, types::I64);
        let odd = self.b.ins().band_imm_u(byte, 0x81);
        self.b.ins().brif(odd, many, [], one, []);
        self.b.switch_to_block(one);
        Header { byte, many, begun, n }
    }

    /// Avro's blocks as one block. A second one makes the count unknown: rare, and the interpreter patches it.
    fn blocks(&mut self, left: Variable, zero: bool, idle: bool, item: &Body, done: Block) {
        self.check(HEADER.0, HEADER.1);
        let (p, o) = (self.input(), self.output());
        let Header { byte, many, begun, n } = self.header(p);
        self.store_byte(byte, o);
        self.read(1);
        self.wrote(1);
        let count = self.b.ins().ushr_imm_u(byte, 1);
        self.b.ins().jump(begun, [&super::arg(count)]);
        self.b.switch_to_block(many);
        let moved = self.call(helpers::begin_block(), &[self.ctx, p, o]);
        self.leave_if_zero(moved);
        self.advance_both(p, o, moved);
        let count = self.context(offset::VALUE);
        self.b.ins().jump(begun, [&super::arg(count)]);
        self.b.switch_to_block(begun);
        let some = self.b.create_block();
        self.b.ins().brif(n, some, [], done, []);
        self.b.switch_to_block(some);
        if zero {
            self.count_zero(n);
        }
        self.items(left, n, idle, item);
        self.check(HEADER.0, HEADER.1);
        let p = self.input();
        let byte = self.byte(p);
        self.leave_if(byte, Exit::Reject);
        let o = self.output();
        self.store_byte(byte, o);
        self.read(1);
        self.wrote(1);
        self.b.ins().jump(done, []);
    }

    /// Avro's blocks as nothing.
    fn skip_blocks(&mut self, left: Variable, zero: bool, trust: bool, idle: bool, item: &Body, done: Block) {
        let head = self.b.create_block();
        self.b.ins().jump(head, []);
        self.b.switch_to_block(head);
        self.check(HEADER.0, 0);
        let p = self.input();
        let Header { byte, many, begun, n } = self.header(p);
        self.read(1);
        let count = self.b.ins().ushr_imm_u(byte, 1);
        self.b.ins().jump(begun, [&super::arg(count)]);
        self.b.switch_to_block(many);
        let trust = self.constant(trust.into());
        let q = self.call(helpers::skip_header(), &[self.ctx, p, trust]);
        self.leave_as_told(q);
        self.set_input(q);
        let count = self.context(offset::VALUE);
        self.b.ins().jump(begun, [&super::arg(count)]);
        self.b.switch_to_block(begun);
        let some = self.b.create_block();
        self.b.ins().brif(n, some, [], done, []);
        self.b.switch_to_block(some);
        if zero {
            self.count_zero(n);
        }
        self.items(left, n, idle, item);
        self.b.ins().jump(head, []);
    }

    /// Counts in other forms.
    fn counted(
        &mut self,
        (from, to): (SeqIn, SeqOut),
        left: Variable,
        zero: bool,
        idle: bool,
        item: &Body,
        done: Block,
    ) {
        self.note("loop in other forms: counts by a helper");
        self.check(HEADER.0, HEADER.1);
        let (p, o) = (self.input(), self.output());
        let forms = (place(SeqIn::ALL, from), place(SeqOut::ALL, to));
        let forms = (self.constant(forms.0), self.constant(forms.1));
        let moved = self.call(helpers::begin_counted(), &[self.ctx, p, o, forms.0, forms.1]);
        self.leave_if_zero(moved);
        self.advance_both(p, o, moved);
        let n = self.context(offset::VALUE);
        if zero {
            self.count_zero(n);
        }
        let some = self.b.create_block();
        self.b.ins().brif(n, some, [], done, []);
        self.b.switch_to_block(some);
        self.items(left, n, idle, item);
        self.check(HEADER.0, HEADER.1);
        if from == SeqIn::Blocks {
            let p = self.input();
            let byte = self.byte(p);
            self.leave_if(byte, Exit::Reject);
            self.read(1);
        }
        if to == SeqOut::Block {
            let (o, none) = (self.output(), self.constant(0));
            self.store_byte(none, o);
            self.wrote(1);
        }
        self.b.ins().jump(done, []);
    }

    /// Moves whose bytes are the same on both sides: scanned, then copied at once.
    pub(super) fn verbatim(&mut self, scan: &Body) {
        let start = self.input();
        self.scan = true;
        self.body(scan);
        self.scan = false;
        let end = self.input();
        let len = self.b.ins().isub(end, start);
        let o = self.output();
        let rest = self.b.ins().isub(self.capacity, o);
        let needed = self.b.ins().iadd_imm_s(len, SPAN_SLACK as i64 + 10);
        let short = self.b.ins().icmp(IntCC::SignedGreaterThan, needed, rest);
        self.leave_if(short, Exit::OutputFull);
        self.check(SPAN_SLACK as u32, 0);
        self.copy(start, o, len);
        let o = self.b.ins().iadd(o, len);
        self.set_output(o);
    }
}

fn place<T: PartialEq>(all: &[T], form: T) -> i64 {
    all.iter().position(|f| *f == form).unwrap_or(0) as i64
}
