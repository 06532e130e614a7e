//! The interpreter tier.
//!
//! Two engines over one Program: [`fast`] runs the optimised, verified Program without bounds checks of its own and
//! without keeping track of errors; [`checked`] runs any Program with every check, and says exactly what is wrong and
//! where. The fast one leaves a value it does not like; the checked one then decides. [`Interpreter`] is both.

#![warn(missing_docs)]

// Lengths of up to 55 bits are added to addresses.
#[cfg(not(target_pointer_width = "64"))]
compile_error!("the interpreter needs 64-bit addresses");

pub mod checked;
pub mod fast;
mod interpreter;

pub use interpreter::{Batch, Environment, Failure, Interpreter, Request};
