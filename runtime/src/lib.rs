//! What both tiers share: limits, outcomes, inputs and outputs, and the numeric helpers.

pub mod fault;
pub mod input;
pub mod limits;
pub mod num;
pub mod output;
pub mod raw;
pub mod text;
pub mod user;
pub mod utf8;
mod window;

pub use fault::{Fault, Location, Outcome, Stop};
pub use input::{Input, Scratch};
pub use limits::Limits;
pub use output::{Checkpoint, Columns, Mark, Output};
pub use user::UserFn;
pub use window::{Progress, Window};
