//! Hand-written, specialised, unchecked codecs: the bound that compiled code is held to.
//!
//! They refuse what the engine refuses and write what it writes, byte for byte: UTF-8 of what is kept, ranges of ints,
//! indexes of unions and enums, booleans, framing, and the canonical form of whatever is written. Each has two halves:
//! a fast one on raw pointers that looks at bounds once a record where it can, and hands back any record that it does
//! not understand at a glance; and a careful one that takes such records field by field.
//!
//! Whoever writes by hand knows how much output a record can give, so room is reserved once a call. The code uses what
//! [`is_supported`] asks for, as native code of the engine does on such a machine.

mod careful;
mod change;
mod cursors;
mod order;
mod order_evolved;
mod run;
mod six;
mod vector;
mod wide;

pub use careful::{Careful, Refused, Res};
pub use change::ChangeEvolved;
pub use order::OrderSame;
pub use order_evolved::OrderEvolved;
pub use run::{Bound, Runner, is_supported};
pub use six::{SixDefaults, SixFloats, SixReordered, SixSame};
pub use wide::{WideBranchy, WideSelect};
