//! Benches: workloads, the hand-written bounds and the peers beside each figure.

pub mod candidates;
pub mod data;
pub mod hand;
pub mod measure;
