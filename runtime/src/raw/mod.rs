//! Reading and writing through raw cursors: what the fast paths of both tiers share.
//!
//! Nothing here checks a bound, but for those that a function's `Safety` section says: the caller has promised as much as
//! [`reschema_ir::cost`] says of the op that it serves.

mod arena;
pub mod scalar;
pub mod sequence;
pub mod text;
