//! What compiled code finds in memory while it runs.

use reschema_runtime::UserFn;
use reschema_runtime::raw::text::TextState;
use std::any::Any;

/// One for each run. Code is given its address; [`offset`] names its fields.
#[repr(C)]
pub(crate) struct Context {
    /// End of the input.
    pub(crate) end: *const u8,
    /// End of what may be read.
    pub(crate) limit: *const u8,
    /// Bytes up to here are behind a string with room for what may be touched behind it: the end, or less.
    pub(crate) soft: *const u8,
    /// End of what may be written.
    pub(crate) capacity: *const u8,
    /// Start of the value in the input.
    pub(crate) value_p: *const u8,
    /// Start of the value in the output.
    pub(crate) value_o: *mut u8,
    /// Values left.
    pub(crate) left: u64,
    /// Items without bytes that the value may still have.
    pub(crate) zero_left: u64,
    /// Those that each value may have.
    pub(crate) zero_limit: u64,
    /// Bytes of output that a value may make.
    pub(crate) output_bytes: u64,
    /// Deepest level.
    pub(crate) depth: u64,
    /// What a helper has found.
    pub(crate) value: u64,
    /// Why a helper has left.
    pub(crate) outcome: u64,
    /// More of it.
    pub(crate) more: u64,
    /// Whether text was decoded for this value.
    pub(crate) kept: u64,
    pub(crate) text: TextState,
    pub(crate) users: *const UserFn,
    pub(crate) users_len: usize,
    /// What a user conversion has thrown.
    pub(crate) panic: Option<Box<dyn Any + Send>>,
}

/// Where the fields stand.
pub(crate) mod offset {
    use super::Context;
    use std::mem::offset_of;

    macro_rules! offsets {
        ($($name:ident $field:ident)*) => { $(pub(crate) const $name: i32 = offset_of!(Context, $field) as i32;)* };
    }
    offsets! {
        END end LIMIT limit SOFT soft CAPACITY capacity VALUE_P value_p VALUE_O value_o LEFT left ZERO_LEFT zero_left
        ZERO_LIMIT zero_limit OUTPUT_BYTES output_bytes DEPTH depth VALUE value OUTCOME outcome MORE more KEPT kept
    }
}

/// What is behind `soft` at least: the largest promise that a `check` makes, and what a copy touches further.
pub(crate) const SOFT: usize = reschema_ir::cost::MAX_CHECK as usize + reschema_ir::cost::SPAN_SLACK;

/// How code ends, as a number.
pub(crate) mod exit {
    pub(crate) const DONE: i64 = 0;
    pub(crate) const NEED_INPUT: i64 = 1;
    pub(crate) const OUTPUT_FULL: i64 = 2;
    pub(crate) const REJECT: i64 = 3;
}
