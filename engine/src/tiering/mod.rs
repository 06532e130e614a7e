//! Which tier runs a transform, and when that changes.
//!
//! [`decision`] is the rule, and nothing else. [`hotness`] measures what it goes by; [`state`] keeps what has become of one
//! transform; [`broker`] is what transforms of an engine share: the queue and threads that compile ([`threads`]), the bytes
//! of code ([`code`]), what a compile costs ([`prediction`]), whether native code pays where many take turns ([`crowd`]). [`switches`] are the environment's.

pub(crate) mod broker;
mod code;
pub(crate) mod crowd;
pub(crate) mod decision;
pub(crate) mod hotness;
mod prediction;
mod recent;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod switches;
mod threads;

use std::time::Duration;

/// When native code is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiering(pub(crate) Kind);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Interpreter,
    Eager,
    Verify,
    Adaptive(Adaptive),
}

/// When a transform that has become hot is compiled: see [`Tiering::adaptive`].
///
/// ```
/// use reschema::{Engine, Tiering};
/// use std::time::Duration;
///
/// let tiering = Tiering::adaptive().factor(2.0).code_bytes(16 << 20).compile_time(Duration::from_secs(2));
/// let engine = Engine::builder().tiering(tiering).build()?;
/// # Ok::<(), reschema::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Adaptive {
    pub(crate) factor: f64,
    pub(crate) floor: u64,
    pub(crate) ceiling: u64,
    /// Threads that compile; 0: the caller's.
    pub(crate) threads: usize,
    pub(crate) largest: usize,
    pub(crate) code_bytes: usize,
    pub(crate) expected: u64,
    pub(crate) compile_time: Duration,
    pub(crate) queue: usize,
    pub(crate) compares: bool,
}

impl Tiering {
    /// Never, but for [`Transform::compile`](crate::Transform::compile).
    pub fn interpreter() -> Tiering {
        Tiering(Kind::Interpreter)
    }

    /// When the transform is made: that takes as long as some ten thousand records, and pays only where more come. What
    /// cannot be compiled runs on the interpreter.
    pub fn eager() -> Tiering {
        Tiering(Kind::Eager)
    }

    /// Everything runs on both tiers, and what they give is compared: for finding faults. A difference is an error of kind
    /// [`TiersDiffer`](crate::ErrorKind::TiersDiffer). What cannot be compiled runs on the interpreter.
    pub fn verify() -> Tiering {
        Tiering(Kind::Verify)
    }

    /// When a transform has been interpreted for as long as compiling it would take, or a call brings so many values that
    /// compiling pays; in the background. Code that measures slower than the interpreter is given back, and so is the
    /// least valuable where there is too much of it. Default of an engine.
    pub fn adaptive() -> Adaptive {
        Adaptive {
            factor: 1.0,
            floor: 64 << 10,
            ceiling: 1 << 30,
            threads: 1,
            largest: 60_000,
            code_bytes: 64 << 20,
            expected: 0,
            compile_time: Duration::from_secs(10),
            queue: 256,
            compares: true,
        }
    }
}

impl Adaptive {
    /// Compiles when the time spent interpreting is this many times the time that compiling is predicted to take. Default
    /// 1: at worst twice the time of the better of both. Less compiles earlier; negative values and NaN count as 0.
    pub fn factor(self, factor: f64) -> Adaptive {
        Adaptive { factor: factor.max(0.0), ..self }
    }

    /// Bytes of input below which nothing is compiled, however long they took or however many are promised. Default 64 KiB.
    pub fn floor(self, bytes: u64) -> Adaptive {
        Adaptive { floor: bytes, ..self }
    }

    /// Bytes of input, interpreted or promised, from which a transform is compiled whatever was measured. Default 1 GiB.
    pub fn ceiling(self, bytes: u64) -> Adaptive {
        Adaptive { ceiling: bytes, ..self }
    }

    /// Both [`Adaptive::floor`] and [`Adaptive::ceiling`]: only bytes count, and no clock.
    pub fn threshold(self, bytes: u64) -> Adaptive {
        self.floor(bytes).ceiling(bytes)
    }

    /// Compiles on the thread whose call made the transform hot, which waits for it. Nothing guards it against a code
    /// generator that does not return.
    pub fn inline(self) -> Adaptive {
        Adaptive { threads: 0, ..self }
    }

    /// Compiles on up to so many threads of the engine's own, of low priority, that begin when there is something to
    /// compile and end when there is not. Default 1; 0 counts as 1.
    pub fn background(self, threads: usize) -> Adaptive {
        Adaptive { threads: threads.max(1), ..self }
    }

    /// Instructions of the code generator's IR that a routine may have; larger transforms are interpreted. Default 60 000,
    /// some 200 ms of work.
    pub fn largest_routine(self, instructions: usize) -> Adaptive {
        Adaptive { largest: instructions, ..self }
    }

    /// Bytes of machine code that the engine keeps. Where more would be needed, the least valuable goes. Default 64 MiB.
    pub fn code_bytes(self, bytes: usize) -> Adaptive {
        Adaptive { code_bytes: bytes, ..self }
    }

    /// Bytes of input that a transform of this engine is expected to see. If compiling pays for so many, it begins when
    /// the transform is made. Default 0: nobody knows. [`Transform::expect`](crate::Transform::expect) says it of one.
    pub fn expected_bytes(self, bytes: u64) -> Adaptive {
        Adaptive { expected: bytes, ..self }
    }

    /// Time after which a compile in the background is given up: its result is dropped, and another thread takes over. At
    /// the third, the engine compiles no more. Default 10 s.
    pub fn compile_time(self, limit: Duration) -> Adaptive {
        Adaptive { compile_time: limit, ..self }
    }

    /// Keeps native code whatever it measures: no call is interpreted for the sake of a comparison, and nothing steps back to
    /// the interpreter because it is faster.
    pub fn without_comparison(self) -> Adaptive {
        Adaptive { compares: false, ..self }
    }

    /// Transforms that may wait to be compiled; beyond, the least hot waits until it is hotter. Default 256.
    pub fn queue(self, transforms: usize) -> Adaptive {
        Adaptive { queue: transforms.max(1), ..self }
    }
}

impl From<Adaptive> for Tiering {
    fn from(adaptive: Adaptive) -> Tiering {
        Tiering(Kind::Adaptive(adaptive))
    }
}

impl Default for Tiering {
    fn default() -> Tiering {
        Tiering::adaptive().into()
    }
}

impl Tiering {
    pub(crate) fn adapts(&self) -> Option<&Adaptive> {
        match &self.0 {
            Kind::Adaptive(a) => Some(a),
            _ => None,
        }
    }

    /// A word for statistics.
    pub(crate) fn word(&self) -> &'static str {
        match &self.0 {
            Kind::Interpreter => "interpreter",
            Kind::Eager => "eager",
            Kind::Verify => "verify",
            Kind::Adaptive(_) => "adaptive",
        }
    }
}
