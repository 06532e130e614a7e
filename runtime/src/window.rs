//! What a tier's fast path is given, and how far it came.

use crate::fault::Outcome;

/// Where a batch reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// First value.
    pub input: *const u8,
    /// End of the input.
    pub end: *const u8,
    /// End of what may be read: the end, or padding behind it.
    pub limit: *const u8,
    /// Where the output goes.
    pub output: *mut u8,
    /// End of what may be written.
    pub capacity: *mut u8,
}

/// How far a batch came: whole values only.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Why it ended.
    pub outcome: Outcome,
    /// Values done.
    pub done: u64,
    /// Behind the last value read.
    pub input: *const u8,
    /// Behind the last value written.
    pub output: *mut u8,
}
