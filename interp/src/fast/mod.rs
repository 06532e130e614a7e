//! The fast path: the optimised Program as a flat array of fused instructions in one loop, both cursors in registers.
//!
//! It has no bounds checks besides the Program's `check` ops and those of self-checking ops, and no record of errors:
//! whatever it does not like ends the batch at the start of the value. What it relies on is the verifier
//! ([`reschema_ir::verify`]) with [`Bounds::Checked`](reschema_ir::verify::Bounds::Checked).

mod code;
mod machine;
mod text;
mod translate;

pub use machine::{FastProgram, Machine};
pub use translate::Untranslatable;
