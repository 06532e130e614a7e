//! The compiled tier, if it is there.

#[cfg(feature = "jit")]
mod enabled;
#[cfg(feature = "jit")]
pub(crate) use enabled::{Generator, Native};

#[cfg(not(feature = "jit"))]
mod disabled;
#[cfg(not(feature = "jit"))]
pub(crate) use disabled::{Generator, Native};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What native code of a transform is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NativeStats {
    /// Instructions of the code generator's IR.
    pub clif: usize,
    /// Bytes of machine code.
    pub code_bytes: usize,
    /// Time from the Program to executable code.
    pub time: std::time::Duration,
    /// What is left to helpers or to the interpreter, and how often it stands in the code.
    pub left: Vec<(&'static str, u32)>,
}

/// The text of native code, for people.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NativeListing {
    /// The code generator's IR.
    pub clif: String,
    /// Machine instructions.
    pub assembly: String,
}

/// What the code generator goes by.
#[cfg_attr(not(feature = "jit"), allow(dead_code, reason = "there is none"))]
#[derive(Clone, Debug, Default)]
pub(crate) struct GeneratorOptions {
    /// Instructions of its IR that a routine may have; `None`: its default.
    pub(crate) largest: Option<usize>,
    /// Ops behind which code leaves.
    pub(crate) max_op: Option<u32>,
    pub(crate) fault: Option<Fault>,
    pub(crate) counts: Option<Arc<reschema_ir::OpCounts>>,
}

/// Why there is no native code.
#[derive(Clone, Debug)]
pub(crate) struct NotCompiled {
    pub(crate) why: String,
    /// Trying again would end as it did.
    pub(crate) lasting: bool,
}

/// A failure of the code generator on demand, for tests.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Fault {
    /// It panics.
    Panic,
    /// It returns an error.
    Error,
    /// It does not return until this is true.
    Hang(Arc<AtomicBool>),
    /// Memory cannot be made executable.
    NotExecutable,
}
