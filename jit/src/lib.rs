//! The compiled tier: Program → native code with Cranelift.
//!
//! A [`Routine`] is the optimised, verified Program as one function that loops over values, both cursors in registers,
//! without bounds checks besides the Program's `check` ops and those of self-checking ops: the same contract as the
//! interpreter's fast path ([`reschema_ir::cost`]). It leaves at the start of a value that it does not like, and keeps no
//! record of errors.
//!
//! Nothing of the code generator reaches a caller but a reason: [`Compiler::compile`] catches its panics, and refuses what
//! is too large. Code is never writable and executable at once, and is freed with its [`Routine`].

// Addresses and lengths are 64 bits, and words are loaded as they stand.
#[cfg(not(all(target_pointer_width = "64", target_endian = "little")))]
compile_error!("the compiled tier needs a 64-bit little-endian target: build without it");

mod compile;
mod context;
mod emit;
mod estimate;
mod fault;
mod helpers;
mod perf;
mod pool;
mod routine;
mod runs;

pub use compile::{Compiler, Listing, Options, Refused};
pub use estimate::estimate;
#[doc(hidden)]
pub use fault::Fault;
pub use routine::{Routine, Stats};
