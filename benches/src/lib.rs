//! Benches: workloads, the hand-written bounds, and how candidates are measured. The peers stand in the bench itself, so
//! that they are built for benches only.

pub mod data;
pub mod hand;
pub mod hand_unsafe;
pub mod measure;
