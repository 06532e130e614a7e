//! Fuses reads with the writes that use them: read + write ⇒ move, read + switch ⇒ switch.read.
//!
//! A register is read once, by the instruction right behind its definition; the driver emits no other use. So the
//! fused op may drop the register.

use super::rewrite;
use crate::op::Op;
use crate::operand::{Convert, Flag, Inst, Num, NumUse, Quote, SpanUse};
use crate::program::Program;

pub(super) fn run(program: &mut Program) {
    rewrite(program, &mut |_, code| {
        let mut out: Vec<Inst> = Vec::with_capacity(code.len());
        for inst in code {
            out.push(inst);
            while let Some((taken, op)) = fused(&out) {
                let site = out[out.len() - taken].site;
                out.truncate(out.len() - taken);
                out.push(Inst { op, site });
            }
        }
        out
    });
}

/// The op that stands for the last `n` instructions.
fn fused(code: &[Inst]) -> Option<(usize, Op)> {
    let ops = |n: usize| code.len().checked_sub(n).map(|from| &code[from..]);
    if let Some([a, b]) = ops(2)
        && let Some(op) = pair(&a.op, &b.op)
    {
        return Some((2, op));
    }
    if let Some([a, b, c]) = ops(3)
        && let Some(op) = triple(&a.op, &b.op, &c.op)
    {
        return Some((3, op));
    }
    None
}

fn pair(a: &Op, b: &Op) -> Option<Op> {
    match (a, b) {
        (Op::ReadNum { dst, from }, Op::WriteNum { src, to }) if *src == NumUse(dst.0) && keeps_value(*from, *to) => {
            Some(match (from, to) {
                (Num::F32, Num::F32) => Op::MoveFixed { size: 4 },
                (Num::F64, Num::F64) | (Num::I64, Num::I64) => Op::MoveFixed { size: 8 },
                _ => Op::MoveNum { from: *from, to: *to },
            })
        }
        (Op::ReadNum { dst, from }, Op::Switch { src, arms }) if *src == NumUse(dst.0) => {
            Some(Op::SwitchRead { from: *from, arms: arms.clone() })
        }
        (Op::ReadSpan { dst, from }, Op::WriteSpan { src, to }) if *src == SpanUse(dst.0) => {
            Some(Op::MoveSpan { from: *from, to: *to, utf8: Flag::No })
        }
        // Text of a syntax is judged where it is read.
        (Op::ReadQuoted { dst, from: Quote::Text }, Op::CheckUtf8 { src }) if *src == SpanUse(dst.0) => Some(a.clone()),
        (Op::ReadFixed { dst, size }, Op::WriteFixed { src }) if *src == SpanUse(dst.0) => {
            Some(Op::MoveFixed { size: *size })
        }
        _ => None,
    }
}

fn triple(a: &Op, b: &Op, c: &Op) -> Option<Op> {
    match (a, b, c) {
        (Op::ReadNum { dst, from }, Op::ConvertNum { dst: mid, src, conv }, Op::WriteNum { src: last, to })
            if *src == NumUse(dst.0) && *last == NumUse(mid.0) && converts(*from, *conv, *to) =>
        {
            Some(Op::MoveNum { from: *from, to: *to })
        }
        (Op::ReadNum { dst, from }, Op::MapNum { dst: mid, src, table }, Op::WriteNum { src: last, to })
            if *src == NumUse(dst.0) && *last == NumUse(mid.0) =>
        {
            Some(Op::MoveEnum { from: *from, table: *table, to: *to })
        }
        (Op::ReadSpan { dst, from }, Op::CheckUtf8 { src }, Op::WriteSpan { src: last, to })
            if *src == SpanUse(dst.0) && *last == SpanUse(dst.0) =>
        {
            Some(Op::MoveSpan { from: *from, to: *to, utf8: Flag::Yes })
        }
        _ => None,
    }
}

/// True when `move.num` between these forms means "the same value": both integers, or both the same float.
fn keeps_value(from: Num, to: Num) -> bool {
    from == to || (!is_float(from) && !is_float(to))
}

fn is_float(form: Num) -> bool {
    matches!(form, Num::F32 | Num::F64)
}

/// True when `move.num` between these forms means this conversion.
fn converts(from: Num, conv: Convert, to: Num) -> bool {
    match conv {
        Convert::IntToF32 => !is_float(from) && to == Num::F32,
        Convert::IntToF64 => !is_float(from) && to == Num::F64,
        Convert::F32ToF64 => from == Num::F32 && to == Num::F64,
    }
}

/// The conversion that `move.num` between these forms means, if any.
pub fn conversion(from: Num, to: Num) -> Option<Convert> {
    match (is_float(from), to) {
        (false, Num::F32) => Some(Convert::IntToF32),
        (false, Num::F64) => Some(Convert::IntToF64),
        (true, Num::F64) if from == Num::F32 => Some(Convert::F32ToF64),
        _ => None,
    }
}
