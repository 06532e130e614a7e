//! What operators may want to be told when it happens: as events of `tracing`, and counted by the facade `metrics`; each is
//! a feature. None of it is on a path that a value takes.

#[cfg(feature = "tracing")]
mod log;
#[cfg(feature = "metrics")]
mod meter;
#[cfg(not(all(feature = "tracing", feature = "metrics")))]
mod silent;

#[cfg(not(feature = "tracing"))]
use silent as log;
#[cfg(not(feature = "metrics"))]
use silent as meter;
use std::time::Duration;

/// Something has happened to a transform (its name is given), or to the engine.
#[cfg_attr(not(feature = "tracing"), allow(dead_code, reason = "only words need all of it"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'a> {
    /// It waits to be compiled, and why.
    Queued { name: &'a str, why: &'static str },
    /// It has native code.
    Compiled { name: &'a str, time: Duration, code_bytes: usize },
    /// It has none, and why.
    NotCompiled { name: &'a str, why: &'a str },
    /// Its code has made room for other code.
    Evicted { name: &'a str, code_bytes: usize },
    /// Its code was slower than the interpreter: nanoseconds a byte.
    SteppedBack { name: &'a str, interpreted: f64, native: f64 },
    /// Who runs small calls of many transforms in turns from now on, and what native code takes for each nanosecond on the
    /// interpreter.
    Crowd { interprets: bool, ratio: f64 },
    /// A compile has taken too long.
    Abandoned { name: &'a str, after: Duration },
    /// The engine compiles no more, and why.
    Off { why: &'a str },
    /// A variable of the environment is not understood.
    BadSwitch { why: &'a str },
}

pub(crate) fn emit(event: Event<'_>) {
    log::note(event);
    meter::note(event);
}
