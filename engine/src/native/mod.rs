//! The compiled tier, if it is there.

#[cfg(feature = "jit")]
mod enabled;
#[cfg(feature = "jit")]
pub(crate) use enabled::Native;

#[cfg(not(feature = "jit"))]
mod disabled;
#[cfg(not(feature = "jit"))]
pub(crate) use disabled::Native;

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
