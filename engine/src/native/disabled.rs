//! Without the feature `jit`: there is never any native code.

use super::{GeneratorOptions, NativeListing, NativeStats, NotCompiled};
use reschema_ir::Program;
use reschema_runtime::{Limits, Progress, UserFn, Window};
use std::convert::Infallible;
use std::sync::Arc;

/// Native code of a Program: none.
pub(crate) struct Native(Infallible);

/// Makes none.
pub(crate) struct Generator;

const WHY: &str = "built without the feature `jit`";

impl Generator {
    pub(crate) fn new(_: GeneratorOptions) -> Generator {
        Generator
    }

    /// Why it never makes code, if that is so.
    pub(crate) fn never(&self) -> Option<&'static str> {
        Some(WHY)
    }

    pub(crate) fn compile(&self, _: &Arc<Program>, _: &str) -> Result<Native, NotCompiled> {
        Err(NotCompiled { why: WHY.into(), lasting: true })
    }

    pub(crate) fn list(&self, _: &Arc<Program>) -> Result<NativeListing, String> {
        Err(WHY.into())
    }

    pub(crate) fn estimate(&self, _: &Program) -> usize {
        0
    }
}

impl Native {
    pub(crate) fn stats(&self) -> NativeStats {
        match self.0 {}
    }

    pub(crate) fn code_bytes(&self) -> usize {
        match self.0 {}
    }

    /// # Safety
    /// None: it cannot be called.
    pub(crate) unsafe fn run(&self, _: Window, _: u64, _: &Limits, _: &[UserFn]) -> Progress {
        match self.0 {}
    }
}
