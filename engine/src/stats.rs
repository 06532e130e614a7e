//! What an operator sees: of a transform, and of an engine.
//!
//! Counts are exact, and current as of the last call that has returned; those of a transform that is going at the moment
//! may be missing for as long as that takes. Times are measured for calls of 16 KiB and more, and estimated from one in
//! about 128 of the others. Bytes belong to the tier that a call ran on; values that its fast path
//! has left are counted as checked.

use serde::Serialize;

/// Work of a tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TierStats {
    /// Values.
    pub records: u64,
    /// Bytes of input.
    pub bytes: u64,
    /// Nanoseconds a byte of input, a mean over all that was timed; `None` before anything was.
    pub ns_per_byte: Option<f64>,
}

/// How often native code has come back before its values were done. What it leaves at its start is read again: by native
/// code with more room or input, or by the checking interpreter. Code keeps no record of the op that left; what is never
/// compiled inline stands in [`NativeStats::left`](crate::NativeStats::left).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Exits {
    /// The end of the readable input was too near.
    pub need_input: u64,
    /// The output had too little room.
    pub output_full: u64,
    /// The value is bad, or unusual.
    pub reject: u64,
}

/// Compiles, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CompileStats {
    /// Compiles that gave code.
    pub done: u64,
    /// Compiles that gave none.
    pub failed: u64,
    /// Compiles that have taken too long and were given up; they count as failed too.
    pub abandoned: u64,
    /// Microseconds of all that gave code.
    pub micros: u64,
    /// Times that code has made room for other code.
    pub evictions: u64,
    /// Times that code was given back because it measured slower than the interpreter.
    pub steps_back: u64,
}

/// Small calls of many transforms in turns, which are compared together: so much code costs each its place in the
/// processor's caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CrowdStats {
    /// Comparisons that have ended.
    pub comparisons: u64,
    /// Whether such calls are interpreted, though their transforms have native code: it was slower.
    pub interpreted: bool,
    /// Time on native code for each nanosecond on the interpreter, as found last.
    pub native_to_interpreted: Option<f64>,
}

/// Which tier a transform is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Tier {
    /// Interpreted.
    Interpreter,
    /// Interpreted, and waiting to be compiled.
    Queued,
    /// Interpreted, and being compiled.
    Compiling,
    /// Native code.
    Native,
}

/// What a transform has done, and how it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TransformStats {
    /// Its number among those that its engine has made: names are not unique.
    pub id: u64,
    /// Formats and names of the two schemas.
    pub name: String,
    /// Where new calls run.
    pub tier: Tier,
    /// Why it is not native: a failure, an eviction, a measurement, or the last decision; `None` if it is.
    pub why_not_native: Option<String>,
    /// On the interpreter.
    pub interpreted: TierStats,
    /// On native code.
    pub native: TierStats,
    /// Values done one by one by the checking interpreter, whichever tier had left them.
    pub checked_records: u64,
    /// Times that native code has come back early.
    pub exits: Exits,
    /// Compiles.
    pub compiles: CompileStats,
    /// Microseconds that compiling is predicted to take, with what the engine has learned so far.
    pub predicted_micros: u64,
    /// Bytes of machine code that it has now.
    pub code_bytes: usize,
}

/// What an engine has done, transforms that are gone included, and how it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EngineStats {
    /// Its tiering: `interpreter`, `eager`, `verify` or `adaptive`.
    pub tiering: &'static str,
    /// Transforms made. Passing over bad values is a transform too.
    pub transforms_made: u64,
    /// Transforms that are there.
    pub transforms: Vec<TransformStats>,
    /// On the interpreter.
    pub interpreted: TierStats,
    /// On native code.
    pub native: TierStats,
    /// Values done one by one by the checking interpreter.
    pub checked_records: u64,
    /// Times that native code has come back early.
    pub exits: Exits,
    /// Compiles.
    pub compiles: CompileStats,
    /// Small calls of transforms in turns.
    pub crowd: CrowdStats,
    /// Transforms that wait to be compiled.
    pub queued: usize,
    /// Waiting transforms that were gone when their turn came.
    pub stale: u64,
    /// Bytes of machine code that transforms have.
    pub code_bytes: usize,
    /// Bytes of machine code that they may have.
    pub code_bytes_limit: usize,
    /// Microseconds of compiling for each estimated instruction of the code generator's IR, as learned.
    pub micros_per_instruction: f64,
    /// Why the engine compiles nothing, if it does not.
    pub off: Option<String>,
}

impl std::ops::AddAssign for Exits {
    fn add_assign(&mut self, other: Exits) {
        self.need_input += other.need_input;
        self.output_full += other.output_full;
        self.reject += other.reject;
    }
}

impl std::ops::AddAssign for CompileStats {
    fn add_assign(&mut self, other: CompileStats) {
        self.done += other.done;
        self.failed += other.failed;
        self.abandoned += other.abandoned;
        self.micros += other.micros;
        self.evictions += other.evictions;
        self.steps_back += other.steps_back;
    }
}
