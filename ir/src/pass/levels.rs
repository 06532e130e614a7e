//! Hoists the counting of nesting levels: a call tests the deepest level its callee enters once, so the `enter` ops
//! go. A tier that finds the test failing leaves the record to the unoptimised Program, which tells the exact place.

use super::rewrite;
use crate::op::Op;
use crate::program::Program;

pub(super) fn run(program: &mut Program) {
    rewrite(program, &mut |_, code| code.into_iter().filter(|i| !matches!(i.op, Op::Enter { .. })).collect());
}
