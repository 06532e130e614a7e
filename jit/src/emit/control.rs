//! Switches, calls and marks.

use super::{Emitter, Exit};
use crate::context::offset;
use crate::helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockCall, InstBuilder, JumpTableData, Value, types};
use reschema_ir::{Bodies, Num, TableId};

/// Arms up to which a switch compares one after the other.
const CHAIN: usize = 8;
/// Arms that an index of one byte can name.
const ONE_BYTE: usize = 64;

impl Emitter<'_, '_> {
    pub(super) fn if_marked(&mut self, mark: u32, arms: &Bodies) {
        let mark = self.b.use_var(self.marks[mark as usize]);
        let (then, other, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().brif(mark, then, [], other, []);
        for (block, arm) in [then, other].into_iter().zip(&arms.0) {
            self.b.switch_to_block(block);
            self.body(arm);
            self.b.ins().jump(done, []);
        }
        self.b.switch_to_block(done);
    }

    pub(super) fn switch(&mut self, src: u32, arms: &Bodies) {
        let index = self.b.use_var(self.nums[src as usize]);
        let over = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, index, arms.0.len() as i64);
        self.leave_if(over, Exit::Reject);
        self.arms(index, arms);
    }

    pub(super) fn switch_read(&mut self, from: Num, arms: &Bodies) {
        let small = matches!(from, Num::Zigzag32 | Num::Zigzag64) && arms.0.len() <= ONE_BYTE;
        let index = if small { self.small_index(arms.0.len()) } else { self.any_index(from, arms.0.len()) };
        self.arms(index, arms);
    }

    /// An index in any form, in range.
    fn any_index(&mut self, from: Num, count: usize) -> Value {
        if self.scan {
            return self.scanned_index(from, count);
        }
        let index = self.number(from);
        let over = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, index, count as i64);
        self.leave_if(over, Exit::Reject);
        index
    }

    /// As [`Emitter::any_index`], in a scan: its bytes are canonical too.
    pub(super) fn scanned_index(&mut self, from: Num, count: usize) -> Value {
        let p = self.input();
        let index = self.number(from);
        let behind = self.input();
        if matches!(from, Num::Zigzag32 | Num::Zigzag64) {
            let n = self.call(helpers::scan_varint64(), &[p]);
            self.leave_if_zero(n);
        }
        self.set_input(behind);
        let over = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, index, count as i64);
        self.leave_if(over, Exit::Reject);
        index
    }

    pub(super) fn match_arms(&mut self, src: u32, table: TableId, arms: &Bodies) {
        self.note("match: look-up by a helper");
        let value = self.b.use_var(self.nums[src as usize]);
        let table = self.table(table);
        let place = self.call(helpers::place(), &[table, value]);
        self.arms(place, arms);
    }

    /// Runs the arm of an index that is in range.
    fn arms(&mut self, index: Value, arms: &Bodies) {
        let done = self.b.create_block();
        let blocks: Vec<Block> = arms.0.iter().map(|_| self.b.create_block()).collect();
        match blocks.as_slice() {
            [] => return self.leave(Exit::Reject),
            [only] => drop(self.b.ins().jump(*only, [])),
            few if few.len() <= CHAIN => self.chain(index, few),
            many => self.jump_table(index, many),
        }
        for (block, arm) in blocks.into_iter().zip(&arms.0) {
            self.b.switch_to_block(block);
            self.body(arm);
            self.b.ins().jump(done, []);
        }
        self.b.switch_to_block(done);
    }

    fn chain(&mut self, index: Value, blocks: &[Block]) {
        let last = blocks.len() - 1;
        for (i, block) in blocks[..last].iter().enumerate() {
            let next = if i + 1 == last { blocks[last] } else { self.b.create_block() };
            let here = self.b.ins().icmp_imm_u(IntCC::Equal, index, i as i64);
            self.b.ins().brif(here, *block, [], next, []);
            if i + 1 < last {
                self.b.switch_to_block(next);
            }
        }
    }

    pub(super) fn jump_table(&mut self, index: Value, blocks: &[Block]) {
        let other = self.exit(Exit::Reject);
        let pool = &mut self.b.func.dfg.value_lists;
        let mut call = |block: Block| BlockCall::new(block, [], pool);
        let other = call(other);
        let targets: Vec<BlockCall> = blocks.iter().map(|b| call(*b)).collect();
        let table = self.b.create_jump_table(JumpTableData::new(other, &targets));
        let index = self.b.ins().ireduce(types::I32, index);
        self.b.ins().br_table(index, table);
    }

    /// Calls another function, if its levels are within the limit.
    pub(super) fn call_function(&mut self, func: usize, level: u32) {
        let depth = self.shared.program.funcs[func].depth;
        let here = match self.level {
            Some(base) => self.b.ins().iadd_imm_s(base, i64::from(level)),
            None => self.constant(level.into()),
        };
        let deepest = self.b.ins().iadd_imm_s(here, i64::from(depth));
        let most = self.context(offset::DEPTH);
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, deepest, most);
        self.leave_if(over, Exit::Reject);
        let (p, o) = (self.input(), self.output());
        let call = self.b.ins().call(self.callees[func], &[self.ctx, p, o, here]);
        let (p, o) = (self.b.inst_results(call)[0], self.b.inst_results(call)[1]);
        self.go_on_at(p, o);
        self.set_output(o);
    }

    /// Behind a call: the input goes on at `p`, or if that is 0 code leaves with the second result.
    pub(super) fn go_on_at(&mut self, p: Value, code: Value) {
        let (failed, next) = (self.cold(), self.b.create_block());
        self.b.ins().brif(p, next, [], failed, []);
        self.b.switch_to_block(failed);
        self.leave_with(code);
        self.b.switch_to_block(next);
        self.set_input(p);
    }
}
