//! The interpreter tier.
//!
//! Two engines over one Program: [`fast`] runs the optimised, verified Program without bounds checks of its own and
//! without keeping track of errors; [`checked`] runs any Program with every check, and says exactly what is wrong and
//! where. The fast one leaves a value it does not like; the checked one then decides. [`Interpreter`] is both.

#![warn(missing_docs)]

pub mod checked;
pub mod fast;
mod interpreter;

pub use interpreter::{Batch, Environment, Failure, Interpreter};
