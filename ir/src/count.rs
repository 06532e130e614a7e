//! How often ops were executed: for tests that must know whether a tier did the work itself.

use crate::op::{OPS, Op};
use std::sync::atomic::{AtomicU64, Ordering};

/// A counter for each row of the op table.
#[derive(Debug)]
pub struct OpCounts([AtomicU64; OPS.len()]);

impl Default for OpCounts {
    fn default() -> OpCounts {
        OpCounts([const { AtomicU64::new(0) }; OPS.len()])
    }
}

impl OpCounts {
    /// The counter of an op. Code that adds to it without an atomic instruction must be the only one that does.
    pub fn counter(&self, op: &Op) -> &AtomicU64 {
        &self.0[op.row()]
    }

    /// Names and counts, in the order of the table.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        OPS.iter().zip(&self.0).map(|(op, n)| (op.name, n.load(Ordering::Relaxed)))
    }
}
