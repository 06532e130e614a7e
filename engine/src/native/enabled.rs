//! With the feature `jit`.

use super::{Fault, GeneratorOptions, NativeListing, NativeStats, NotCompiled};
use reschema_ir::Program;
use reschema_jit::{Compiler, Options, Refused, Routine};
use reschema_runtime::{Limits, Progress, UserFn, Window};
use std::sync::{Arc, OnceLock};

/// Native code of a Program.
pub(crate) struct Native(Routine);

/// Makes native code.
pub(crate) struct Generator {
    options: GeneratorOptions,
    /// Once somebody wants code: many engines never do.
    compiler: OnceLock<Result<Compiler, Refused>>,
}

impl From<Refused> for NotCompiled {
    fn from(refused: Refused) -> NotCompiled {
        NotCompiled { why: refused.to_string(), lasting: refused.is_lasting() }
    }
}

fn fault(fault: &Fault) -> reschema_jit::Fault {
    match fault {
        Fault::Panic => reschema_jit::Fault::Panic,
        Fault::Error => reschema_jit::Fault::Error,
        Fault::Hang(until) => reschema_jit::Fault::Hang(until.clone()),
        Fault::NotExecutable => reschema_jit::Fault::NotExecutable,
    }
}

impl Generator {
    pub(crate) fn new(options: GeneratorOptions) -> Generator {
        Generator { options, compiler: OnceLock::new() }
    }

    /// Why it never makes code, if that is so.
    pub(crate) fn never(&self) -> Option<&'static str> {
        None
    }

    fn compiler(&self) -> Result<&Compiler, Refused> {
        let make = || {
            let mut options = Options::default();
            options.max_clif = self.options.largest.unwrap_or(options.max_clif);
            options.max_op = self.options.max_op;
            options.fault = self.options.fault.as_ref().map(fault);
            options.counts = self.options.counts.clone();
            Compiler::new(options)
        };
        self.compiler.get_or_init(make).as_ref().map_err(Refused::clone)
    }

    /// Compiles an optimised Program; or says why not.
    pub(crate) fn compile(&self, program: &Arc<Program>, name: &str) -> Result<Native, NotCompiled> {
        Ok(Native(self.compiler()?.compile_named(program, name)?))
    }

    pub(crate) fn list(&self, program: &Arc<Program>) -> Result<NativeListing, String> {
        let listing = self.compiler().and_then(|c| c.list(program)).map_err(|e| e.to_string())?;
        Ok(NativeListing { clif: listing.clif, assembly: listing.assembly })
    }

    /// Instructions of its IR that a Program will have, about.
    pub(crate) fn estimate(&self, program: &Program) -> usize {
        reschema_jit::estimate(program)
    }
}

impl Native {
    pub(crate) fn stats(&self) -> NativeStats {
        let s = self.0.stats();
        NativeStats { clif: s.clif, code_bytes: s.code_bytes, time: s.time, left: s.left.clone() }
    }

    pub(crate) fn code_bytes(&self) -> usize {
        self.0.stats().code_bytes
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
