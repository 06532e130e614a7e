//! How many bytes an op may touch before it looks at the bounds itself.
//!
//! A tier's fast path reads and writes without asking, as long as a [`crate::Op::Check`] before has promised enough
//! bytes on both sides. This file is that contract, and so a memory-safety boundary: the pass that places checks and
//! the verifier that re-derives them both read it, and a tier must never touch more than it says.

use crate::op::Op;
use crate::operand::{Body, FuncId, Num, SeqIn, SeqOut};
use crate::program::Program;
use std::collections::BTreeSet;

/// Fixed-size copies and skips up to this size are unchecked; longer ones check themselves.
pub const STATIC_FIXED: u64 = 64;
/// Constants up to this size are stored with one unchecked 16-byte store; longer ones check themselves.
pub const STATIC_EMIT: usize = 16;
/// Largest promise a check makes, so that the slack a Program needs stays small.
pub const MAX_CHECK: u32 = 256;
/// Bytes of padding after the input with which no check can fail before the input's end.
///
/// A check promises at most [`MAX_CHECK`] plus one op's overreach, and a self-checking op reaches
/// [`SPAN_SLACK`] bytes past what it was told.
pub const PADDING: usize = 512;
/// What a self-checking copy may touch beyond the length it has checked.
pub const SPAN_SLACK: usize = 32;

/// What one op needs and does on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Bytes it may touch, from the cursor at its start.
    pub touch: u32,
    /// Bytes it moves the cursor at most.
    pub advance: u32,
    /// It moves the cursor by an amount known only at run time (and has checked that itself): nothing is promised
    /// afterwards.
    pub open_ended: bool,
}

impl Side {
    const NOTHING: Side = Side { touch: 0, advance: 0, open_ended: false };
    const OPEN: Side = Side { touch: 0, advance: 0, open_ended: true };

    const fn exact(n: u32) -> Side {
        Side { touch: n, advance: n, open_ended: false }
    }

    const fn wild(touch: u32, advance: u32) -> Side {
        Side { touch, advance, open_ended: false }
    }
}

/// What one op needs and does, without its nested bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// On the input.
    pub input: Side,
    /// On the output.
    pub output: Side,
}

/// Reading a number.
fn read_num(form: Num) -> Side {
    match form {
        Num::Zigzag32 | Num::Zigzag64 => Side::exact(10),
        Num::Bool | Num::U8 => Side::exact(1),
        Num::U16 => Side::exact(2),
        Num::F32 | Num::I32 => Side::exact(4),
        Num::F64 | Num::I64 => Side::exact(8),
    }
}

/// Writing a number. Varints are stored eight bytes at a time.
fn write_num(form: Num) -> Side {
    match form {
        // A register may hold any 64 bits, whatever the form says.
        Num::Zigzag32 | Num::Zigzag64 => Side::wild(16, 10),
        Num::Bool | Num::U8 => Side::exact(1),
        Num::U16 => Side::exact(2),
        Num::F32 | Num::I32 => Side::exact(4),
        Num::F64 | Num::I64 => Side::exact(8),
    }
}

fn fixed(size: u64) -> Side {
    match u32::try_from(size) {
        Ok(n) if size <= STATIC_FIXED => Side::wild(n.max(1).next_multiple_of(8), n),
        _ => Side::OPEN,
    }
}

fn emit(len: usize) -> Side {
    if len <= STATIC_EMIT { Side::wild(STATIC_EMIT as u32, len as u32) } else { Side::OPEN }
}

/// Bytes that a number takes as text, at most: a time stamp with nanoseconds and quotes takes 32.
pub const TEXT_NUM: u32 = 40;

/// Reading a length; what follows is checked by the op.
const LENGTH: Side = Side { touch: 10, advance: 10, open_ended: true };

/// The cost of an op. `const_len` tells the length of the constant an `emit` writes.
pub fn cost(op: &Op, const_len: impl FnOnce() -> usize) -> Cost {
    let (input, output) = match op {
        Op::ReadNum { from, .. } | Op::SkipNum { from } | Op::SwitchRead { from, .. } => {
            (read_num(*from), Side::NOTHING)
        }
        Op::WriteNum { to, .. } => (Side::NOTHING, write_num(*to)),
        Op::MoveNum { from, to } => (read_num(*from), write_num(*to)),
        Op::MoveEnum { from, to, .. } => (read_num(*from), write_num(*to)),
        Op::ReadSpan { .. } | Op::SkipSpan { .. } => (LENGTH, Side::NOTHING),
        Op::MoveSpan { .. } => (LENGTH, Side::OPEN),
        Op::ReadFixed { size, .. } | Op::SkipFixed { size } => (fixed(*size), Side::NOTHING),
        Op::MoveFixed { size } => (fixed(*size), fixed(*size)),
        Op::WriteSpan { .. } | Op::WriteFixed { .. } => (Side::NOTHING, Side::OPEN),
        Op::Emit { .. } => (Side::NOTHING, emit(const_len())),
        Op::Seek { .. } | Op::SkipRun { .. } => (Side::OPEN, Side::NOTHING),
        Op::Loop { .. } | Op::Call { .. } | Op::ColList { .. } => (Side::OPEN, Side::OPEN),
        Op::Verbatim { .. } => (Side::NOTHING, Side::OPEN),
        // Text has no bound, so what reads it looks at the end itself.
        Op::ReadText { .. }
        | Op::ReadQuoted { .. }
        | Op::ReadDecimal { .. }
        | Op::Expect { .. }
        | Op::SkipTree { .. }
        | Op::OpenObject { .. }
        | Op::FindField { .. }
        | Op::CloseObject { .. }
        | Op::ReadTag { .. } => (Side::OPEN, Side::NOTHING),
        Op::WriteText { .. } => (Side::NOTHING, Side::exact(TEXT_NUM)),
        Op::WriteQuoted { .. } | Op::WriteDecimal { .. } => (Side::NOTHING, Side::OPEN),
        Op::Separate { .. } => (Side::NOTHING, Side::exact(1)),
        Op::ConstNum { .. }
        | Op::ConvertNum { .. }
        | Op::UserNum { .. }
        | Op::MapNum { .. }
        | Op::ConstSpan { .. }
        | Op::CheckUtf8 { .. }
        | Op::CheckSize { .. }
        | Op::CheckFinite { .. }
        | Op::Lookup { .. }
        | Op::Choose { .. }
        | Op::Mark { .. }
        | Op::ClearMark { .. }
        | Op::IfMarked { .. }
        | Op::Enter { .. }
        | Op::Switch { .. }
        | Op::Match { .. }
        | Op::Fail { .. }
        | Op::ColNum { .. }
        | Op::ColSpan { .. }
        | Op::ColNull { .. }
        | Op::Check { .. } => (Side::NOTHING, Side::NOTHING),
    };
    Cost { input, output }
}

/// Bytes a chunk header may take: the loop op checks them itself before it reads them.
pub fn header(form: SeqIn) -> u32 {
    match form {
        SeqIn::Blocks => 20,
        SeqIn::U16 => 2,
        SeqIn::U32 => 4,
        // They look at the end themselves.
        SeqIn::Array | SeqIn::Object => 0,
    }
}

/// True when the items of a loop need not be run one by one: they do nothing, or take no input and write nothing.
pub fn is_idle(program: &Program, zero: bool, to: SeqOut, item: &Body) -> bool {
    item.0.is_empty() || (zero && to == SeqOut::None && !writes(program, item, &mut BTreeSet::new()))
}

/// Whether anything in a body writes.
fn writes(program: &Program, body: &Body, seen: &mut BTreeSet<FuncId>) -> bool {
    body.0.iter().any(|inst| match &inst.op {
        Op::ColNum { .. } | Op::ColSpan { .. } | Op::ColNull { .. } | Op::ColList { .. } => true,
        Op::Call { func, .. } => {
            seen.insert(*func) && program.func(*func).is_some_and(|f| writes(program, &f.body, seen))
        }
        Op::Loop { to, item, .. } => *to != SeqOut::None || writes(program, item, seen),
        op => cost(op, || 1).output != Side::NOTHING || op.bodies().iter().any(|b| writes(program, b, seen)),
    })
}
