//! The compiled tier.

use reschema_ir::OpCounts;
pub(crate) use reschema_jit::{Compiler, Routine};
use std::sync::Arc;

/// A compiler of code that counts the ops it executes, if that is wanted.
pub(crate) fn compiler(counts: Option<Arc<OpCounts>>) -> Option<Compiler> {
    let mut options = reschema_jit::Options::default();
    options.counts = counts;
    Some(Compiler::new(options).expect("a machine that code can be made for"))
}
