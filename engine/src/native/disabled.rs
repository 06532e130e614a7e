//! Without the feature `jit`: there is never any native code.

use super::{NativeListing, NativeStats};
use reschema_ir::Program;
use reschema_runtime::{Limits, Progress, UserFn, Window};
use std::convert::Infallible;
use std::sync::Arc;

/// Native code of a Program: none.
pub(crate) struct Native(Infallible);

const WHY: &str = "built without the feature `jit`";

impl Native {
    pub(crate) fn compile(_: &Arc<Program>, _: &str) -> Result<Native, String> {
        Err(WHY.into())
    }

    pub(crate) fn list(_: &Arc<Program>) -> Result<NativeListing, String> {
        Err(WHY.into())
    }

    pub(crate) fn stats(&self) -> NativeStats {
        match self.0 {}
    }

    /// # Safety
    /// None: it cannot be called.
    pub(crate) unsafe fn run(&self, _: Window, _: u64, _: &Limits, _: &[UserFn]) -> Progress {
        match self.0 {}
    }
}
