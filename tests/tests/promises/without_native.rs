//! The compiled tier is not there: Miri cannot run what it makes.

use reschema_ir::{OpCounts, Program};
use reschema_runtime::{Limits, Progress, UserFn, Window};
use std::convert::Infallible;
use std::sync::Arc;

pub(crate) struct Compiler(Infallible);
pub(crate) struct Routine(Infallible);

pub(crate) fn compiler(_counts: Option<Arc<OpCounts>>) -> Option<Compiler> {
    None
}

impl Compiler {
    pub fn compile(&self, _program: &Arc<Program>) -> Result<Routine, Infallible> {
        match self.0 {}
    }
}

impl Routine {
    /// # Safety
    /// There is none to run.
    pub unsafe fn run(&self, _at: Window, _count: u64, _limits: &Limits, _users: &[UserFn]) -> Progress {
        match self.0 {}
    }
}
