//! Folds constants: a constant written through a sink's own instructions becomes the bytes it writes.

use super::rewrite;
use crate::op::Op;
use crate::operand::{Convert, Inst, Len, Num, NumUse, SpanUse};
use crate::program::Program;

pub(super) fn run(program: &mut Program) {
    rewrite(program, &mut |program, code| {
        let mut out: Vec<Inst> = Vec::with_capacity(code.len());
        for inst in code {
            match folded(program, out.last().map(|i| &i.op), &inst.op) {
                Some(op) => {
                    out.pop();
                    out.push(Inst { op, site: inst.site });
                }
                None => out.push(inst),
            }
        }
        out
    });
}

/// What a constant and the op behind it become. A register is read once: the driver writes each value one time.
fn folded(program: &mut Program, before: Option<&Op>, op: &Op) -> Option<Op> {
    match (before?, op) {
        (Op::ConstNum { dst, value }, Op::WriteNum { src, to }) if *src == NumUse(dst.0) => {
            let bytes = encode(*value, *to);
            Some(Op::Emit { value: program.intern(&bytes) })
        }
        (Op::ConstNum { dst, value }, Op::ConvertNum { dst: to, src, conv }) if *src == NumUse(dst.0) => {
            Some(Op::ConstNum { dst: *to, value: convert(*value, *conv) })
        }
        (Op::ConstSpan { dst, value }, Op::WriteSpan { src, to }) if *src == SpanUse(dst.0) => {
            let text = program.constant(*value).to_vec();
            let mut bytes = length(text.len(), *to);
            bytes.extend_from_slice(&text);
            Some(Op::Emit { value: program.intern(&bytes) })
        }
        (Op::ConstSpan { dst, value }, Op::WriteFixed { src }) if *src == SpanUse(dst.0) => {
            Some(Op::Emit { value: *value })
        }
        _ => None,
    }
}

fn length(len: usize, form: Len) -> Vec<u8> {
    match form {
        Len::Zigzag => encode(len as i64, Num::Zigzag64),
        Len::U32 => (len as u32).to_le_bytes().to_vec(),
    }
}

/// The bytes of a register in a form.
pub fn encode(value: i64, form: Num) -> Vec<u8> {
    match form {
        Num::Zigzag32 | Num::Zigzag64 => varint(((value << 1) ^ (value >> 63)) as u64),
        Num::Bool | Num::U8 => vec![value as u8],
        Num::U16 => (value as u16).to_le_bytes().to_vec(),
        Num::F32 | Num::I32 => (value as u32).to_le_bytes().to_vec(),
        Num::F64 | Num::I64 => value.to_le_bytes().to_vec(),
    }
}

fn varint(mut v: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
    out
}

/// A conversion of a register's raw bits; the tiers use the same function.
pub fn convert(raw: i64, conv: Convert) -> i64 {
    match conv {
        Convert::IntToF32 => i64::from((raw as f32).to_bits()),
        Convert::IntToF64 => (raw as f64).to_bits() as i64,
        Convert::F32ToF64 => widen(raw as u32) as i64,
    }
}

/// binary32 to binary64. A NaN keeps sign and payload and becomes quiet, as the conversion of IEEE 754 does; written
/// out because a language may leave NaN payloads open.
fn widen(bits: u32) -> u64 {
    if f32::from_bits(bits).is_nan() {
        let sign = u64::from(bits >> 31) << 63;
        let payload = u64::from(bits & 0x007f_ffff) << 29;
        return sign | 0x7ff8_0000_0000_0000 | payload;
    }
    f64::from(f32::from_bits(bits)).to_bits()
}
