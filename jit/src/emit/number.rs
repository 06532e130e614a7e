//! Numbers and symbols.

use super::{Emitter, Exit, memory};
use crate::context::offset;
use crate::helpers;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use reschema_ir::{Convert, Num, TableId};
use reschema_runtime::num::conversion;

fn is_varint(form: Num) -> bool {
    matches!(form, Num::Zigzag32 | Num::Zigzag64)
}

/// Bytes of a number of fixed width.
pub(super) fn width(form: Num) -> u64 {
    match form {
        Num::Zigzag32 | Num::Zigzag64 => 0,
        Num::Bool | Num::U8 => 1,
        Num::U16 => 2,
        Num::F32 | Num::I32 => 4,
        Num::F64 | Num::I64 => 8,
    }
}

impl Emitter<'_, '_> {
    /// Reads a number as 64 bits.
    pub(super) fn number(&mut self, form: Num) -> Value {
        if is_varint(form) {
            let raw = self.read_varint();
            if form == Num::Zigzag32 {
                let high = self.b.ins().ushr_imm_u(raw, 32);
                self.leave_if(high, Exit::Reject);
            }
            return self.unzigzag(raw);
        }
        let p = self.input();
        let value = match form {
            Num::Bool | Num::U8 => self.byte(p),
            Num::U16 => self.b.ins().uload16(types::I64, memory(), p, 0),
            Num::F32 => self.b.ins().uload32(memory(), p, 0),
            Num::I32 => self.b.ins().sload32(memory(), p, 0),
            _ => self.load(types::I64, p, 0),
        };
        if form == Num::Bool {
            let bad = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, value, 1);
            self.leave_if(bad, Exit::Reject);
        }
        self.read(width(form));
        value
    }

    /// Writes 64 bits as a number.
    pub(super) fn put_number(&mut self, value: Value, form: Num) {
        if is_varint(form) {
            let raw = self.zigzag(value);
            self.put_varint(raw);
            return;
        }
        let o = self.output();
        let m = memory();
        match form {
            Num::Bool | Num::U8 => self.b.ins().istore8(m, value, o, 0),
            Num::U16 => self.b.ins().istore16(m, value, o, 0),
            Num::F32 | Num::I32 => self.b.ins().istore32(m, value, o, 0),
            _ => self.b.ins().store(m, value, o, 0),
        };
        self.wrote(width(form));
    }

    pub(super) fn read_num(&mut self, dst: u32, from: Num) {
        let value = self.number(from);
        self.b.def_var(self.nums[dst as usize], value);
    }

    pub(super) fn write_num(&mut self, src: u32, to: Num) {
        let value = self.b.use_var(self.nums[src as usize]);
        if to == Num::Zigzag32 {
            let low = self.b.ins().ireduce(types::I32, value);
            let low = self.b.ins().sextend(types::I64, low);
            let over = self.b.ins().icmp(IntCC::NotEqual, low, value);
            self.leave_if(over, Exit::Reject);
        }
        self.put_number(value, to);
    }

    pub(super) fn convert_num(&mut self, dst: u32, src: u32, conv: Convert) {
        let value = self.b.use_var(self.nums[src as usize]);
        let value = self.converted(value, conv);
        self.b.def_var(self.nums[dst as usize], value);
    }

    /// Converts raw bits.
    fn converted(&mut self, value: Value, conv: Convert) -> Value {
        let flags = MemFlagsData::new();
        match conv {
            Convert::IntToF32 => {
                let float = self.b.ins().fcvt_from_sint(types::F32, value);
                let bits = self.b.ins().bitcast(types::I32, flags, float);
                self.b.ins().uextend(types::I64, bits)
            }
            Convert::IntToF64 => {
                let float = self.b.ins().fcvt_from_sint(types::F64, value);
                self.b.ins().bitcast(types::I64, flags, float)
            }
            Convert::F32ToF64 => {
                let bits = self.b.ins().ireduce(types::I32, value);
                let float = self.b.ins().bitcast(types::F32, flags, bits);
                let wide = self.b.ins().fpromote(types::F64, float);
                self.b.ins().bitcast(types::I64, flags, wide)
            }
        }
    }

    pub(super) fn user_num(&mut self, dst: u32, src: u32, user: u32) {
        self.note("user.num: helper");
        let raw = self.b.use_var(self.nums[src as usize]);
        let user = self.constant(user.into());
        let taken = self.call(helpers::user(), &[self.ctx, raw, user]);
        self.leave_if_zero(taken);
        let value = self.context(offset::VALUE);
        self.b.def_var(self.nums[dst as usize], value);
    }

    pub(super) fn map_num(&mut self, dst: u32, src: u32, table: TableId) {
        self.note("map.num: helper");
        let index = self.b.use_var(self.nums[src as usize]);
        let value = self.looked_up(index, table);
        self.b.def_var(self.nums[dst as usize], value);
    }

    fn looked_up(&mut self, index: Value, table: TableId) -> Value {
        let address = self.table(table);
        let found = self.call(helpers::lookup(), &[self.ctx, address, index]);
        self.leave_if_zero(found);
        self.context(offset::VALUE)
    }

    /// The address of a table of the Program, which outlives the routine.
    pub(super) fn table(&mut self, id: TableId) -> Value {
        let table = self.shared.program.table(id);
        self.constant(std::ptr::from_ref(table).expose_provenance() as i64)
    }

    pub(super) fn skip_num(&mut self, from: Num) {
        if is_varint(from) { self.skip_varint() } else { self.read(width(from)) }
    }

    pub(super) fn move_num(&mut self, from: Num, to: Num) {
        match (from, to) {
            (Num::Zigzag32, Num::Zigzag32 | Num::Zigzag64) => self.move_varint(32),
            (Num::Zigzag64, Num::Zigzag64) => self.move_varint(64),
            _ if self.scan => {
                // In a scan both forms are the same.
                self.number(from);
            }
            _ => {
                let value = self.number(from);
                let value = conversion(from, to).map_or(value, |c| self.converted(value, c));
                self.put_number(value, to);
            }
        }
    }

    pub(super) fn move_enum(&mut self, from: Num, table: TableId, to: Num) {
        let entries = &self.shared.program.table(table).0;
        let symbols = self.shared.pool.symbols(table).filter(|_| is_varint(from) && is_varint(to));
        let Some(symbols) = symbols else { return self.any_enum(from, table, to) };
        let (identity, holes) = (self.shared.program.table(table).is_identity(), entries.contains(&None));
        let index = self.small_index(entries.len());
        if self.scan {
            return;
        }
        let o = self.output();
        if identity {
            let byte = self.b.ins().ishl_imm_u(index, 1);
            self.store_byte(byte, o);
        } else {
            let base = self.constant(symbols);
            let at = self.b.ins().iadd(base, index);
            let byte = self.byte(at);
            if holes {
                let none = self.b.ins().icmp_imm_u(IntCC::Equal, byte, i64::from(crate::pool::NONE));
                self.leave_if(none, Exit::Reject);
            }
            self.store_byte(byte, o);
        }
        self.wrote(1);
    }

    /// An enum of more symbols, or in other forms.
    fn any_enum(&mut self, from: Num, table: TableId, to: Num) {
        self.note("move.enum of more than 64 symbols: helper");
        if self.scan {
            let count = self.shared.program.table(table).0.len();
            self.scanned_index(from, count);
            return;
        }
        let index = self.number(from);
        let value = self.looked_up(index, table);
        self.put_number(value, to);
    }
}
