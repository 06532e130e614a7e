//! Merges neighbours: adjacent copies and skips of fixed size, and adjacent constants.

use super::rewrite;
use crate::cost::{STATIC_EMIT, STATIC_FIXED};
use crate::op::Op;
use crate::operand::{Inst, Num};
use crate::program::Program;

pub(super) fn run(program: &mut Program) {
    rewrite(program, &mut |program, code| {
        let mut out: Vec<Inst> = Vec::with_capacity(code.len());
        for inst in code {
            match out.last().and_then(|last| merged(program, &last.op, &inst.op)) {
                Some(op) => {
                    let site = out.pop().map_or(inst.site, |last| last.site);
                    out.push(Inst { op, site });
                }
                None => out.push(inst),
            }
        }
        out
    });
}

fn merged(program: &mut Program, a: &Op, b: &Op) -> Option<Op> {
    match (a, b) {
        (Op::MoveFixed { size: x }, Op::MoveFixed { size: y }) => joined(*x, *y).map(|size| Op::MoveFixed { size }),
        (Op::Emit { value: x }, Op::Emit { value: y }) => {
            let (x, y) = (program.constant(*x), program.constant(*y));
            // A long constant checks the output itself; growing a short one past the limit would cost a check.
            if x.len() + y.len() > STATIC_EMIT && x.len().min(y.len()) > 0 && x.len().max(y.len()) <= STATIC_EMIT {
                return None;
            }
            let bytes = [x, y].concat();
            Some(Op::Emit { value: program.intern(&bytes) })
        }
        _ => joined(skip_size(a)?, skip_size(b)?).map(|size| Op::SkipFixed { size }),
    }
}

/// Merging two unchecked sizes into a self-checking one would lose more than it gains.
fn joined(x: u64, y: u64) -> Option<u64> {
    let sum = x.checked_add(y)?;
    (sum <= STATIC_FIXED || x.max(y) > STATIC_FIXED).then_some(sum)
}

/// Size of a skip of known size. Skipping looks at framing only, so a boolean is any byte.
pub(crate) fn skip_size(op: &Op) -> Option<u64> {
    match op {
        Op::SkipFixed { size } => Some(*size),
        Op::SkipNum { from: Num::Bool | Num::U8 } => Some(1),
        Op::SkipNum { from: Num::U16 } => Some(2),
        Op::SkipNum { from: Num::F32 | Num::I32 } => Some(4),
        Op::SkipNum { from: Num::F64 | Num::I64 } => Some(8),
        _ => None,
    }
}
