//! With the feature `jit`.

use super::{NativeListing, NativeStats};
use reschema_ir::Program;
use reschema_jit::{Compiler, Options, Refused, Routine};
use reschema_runtime::{Limits, Progress, UserFn, Window};
use std::sync::{Arc, OnceLock};

/// Native code of a Program.
pub(crate) struct Native(Routine);

/// One for the process: which machine this is does not change.
fn compiler() -> Result<&'static Compiler, Refused> {
    static COMPILER: OnceLock<Result<Compiler, Refused>> = OnceLock::new();
    COMPILER.get_or_init(|| Compiler::new(Options::default())).as_ref().map_err(Refused::clone)
}

impl Native {
    /// Compiles an optimised Program; or says why not.
    pub(crate) fn compile(program: &Arc<Program>, name: &str) -> Result<Native, String> {
        compiler().and_then(|c| c.compile_named(program, name)).map(Native).map_err(|e| e.to_string())
    }

    pub(crate) fn list(program: &Arc<Program>) -> Result<NativeListing, String> {
        let listing = compiler().and_then(|c| c.list(program)).map_err(|e| e.to_string())?;
        Ok(NativeListing { clif: listing.clif, assembly: listing.assembly })
    }

    pub(crate) fn stats(&self) -> NativeStats {
        let s = self.0.stats();
        NativeStats { clif: s.clif, code_bytes: s.code_bytes, time: s.time, left: s.left.clone() }
    }

    /// Transforms up to `count` values.
    ///
    /// # Safety
    /// As [`Routine::run`].
    pub(crate) unsafe fn run(&self, at: Window, count: u64, limits: &Limits, users: &[UserFn]) -> Progress {
        // SAFETY: the caller's promise.
        unsafe { self.0.run(at, count, limits, users) }
    }
}
