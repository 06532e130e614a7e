//! How many instructions of the code generator's IR a Program will have, from its ops alone: what compilation will cost is
//! asked far more often than it is paid. Weights are means over the conformance pairs and the bench's; what is left
//! of their error is the same for a machine and is taken up by the measured time for each estimated instruction.

use reschema_ir::{Body, Op, Program};

/// Instructions around the ops of a function.
const FUNCTION: usize = 30;

/// Estimated instructions of the code generator's IR.
pub fn estimate(program: &Program) -> usize {
    program.funcs.iter().map(|f| FUNCTION + body(&f.body)).sum()
}

fn body(body: &Body) -> usize {
    body.0.iter().map(|i| op(&i.op) + i.op.bodies().iter().map(self::body).sum::<usize>()).sum()
}

fn op(op: &Op) -> usize {
    match op {
        Op::Check { .. } => 4,
        Op::MoveNum { .. } | Op::MoveEnum { .. } | Op::SwitchRead { .. } => 40,
        Op::ReadNum { .. } | Op::WriteNum { .. } | Op::SkipNum { .. } => 20,
        Op::MoveSpan { .. } => 80,
        Op::ReadSpan { .. } | Op::WriteSpan { .. } | Op::SkipSpan { .. } => 40,
        Op::CheckUtf8 { .. } => 20,
        Op::SkipRun { .. } => 15,
        Op::Loop { .. } => 90,
        Op::Switch { arms, .. } | Op::Match { arms, .. } => 6 + 3 * arms.0.len(),
        _ => 6,
    }
}
