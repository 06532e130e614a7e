//! Compiled code, for as long as anybody uses it.

use crate::context::{Context, SOFT, exit};
use crate::pool::Pool;
use cranelift_jit::JITModule;
use reschema_ir::OpCounts;
use reschema_runtime::raw::text::TextState;
use reschema_runtime::text::Indexed;
use reschema_runtime::{Limits, Outcome, Progress, UserFn, Window};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The code of a Program.
pub struct Routine {
    module: ManuallyDrop<Mutex<JITModule>>,
    entry: extern "C" fn(*mut Context, *const u8, *mut u8) -> i64,
    /// Levels of nesting that the first function enters itself.
    depth: u32,
    stats: Stats,
    _kept: Kept,
}

/// What code has addresses of.
pub(crate) type Kept = (Box<Indexed>, Pool, Option<Arc<OpCounts>>);

/// What a routine is made of, and what it cost.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Instructions of the code generator's IR.
    pub clif: usize,
    /// Bytes of machine code.
    pub code_bytes: usize,
    /// Time from the Program to executable code.
    pub time: Duration,
    /// What is left to helpers or to the interpreter, and how often it stands in the code.
    pub left: Vec<(&'static str, u32)>,
}

impl Routine {
    pub(crate) fn new(module: JITModule, entry: *const u8, kept: Kept, stats: Stats) -> Routine {
        // SAFETY: the first function has this signature in the target's C convention, and lives as long as the module.
        let entry =
            unsafe { std::mem::transmute::<*const u8, extern "C" fn(*mut Context, *const u8, *mut u8) -> i64>(entry) };
        let depth = kept.0.program().funcs.first().map_or(0, |f| f.depth);
        let module = ManuallyDrop::new(Mutex::new(module));
        Routine { module, entry, depth, stats, _kept: kept }
    }

    /// Size, cost, and what is left to others.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Transforms up to `count` values.
    ///
    /// # Safety
    /// In `at`: `input` ≤ `end` ≤ `limit`, all in one readable allocation; `output` ≤ `capacity` in one writable
    /// allocation that does not overlap the input.
    ///
    /// # Panics
    /// A user conversion has panicked.
    pub unsafe fn run(&self, at: Window, count: u64, limits: &Limits, users: &[UserFn]) -> Progress {
        let Window { input, end, limit, output, capacity } = at;
        if count == 0 || self.depth > limits.depth {
            let outcome = if count == 0 { Outcome::Done } else { Outcome::Reject };
            return Progress { outcome, done: 0, input, output };
        }
        let mut context = Context {
            end,
            limit,
            soft: end.min(limit.wrapping_sub(SOFT)),
            capacity,
            value_p: input,
            value_o: output,
            left: count,
            zero_left: limits.zero_size_items,
            zero_limit: limits.zero_size_items,
            output_bytes: limits.output_bytes,
            depth: limits.depth.into(),
            value: 0,
            outcome: 0,
            more: 0,
            kept: 0,
            text: TextState::default(),
            users: users.as_ptr(),
            users_len: users.len(),
            panic: None,
        };
        let code = (self.entry)(&mut context, input, output);
        if let Some(panic) = context.panic.take() {
            std::panic::resume_unwind(panic);
        }
        let outcome = match code {
            exit::DONE => Outcome::Done,
            exit::NEED_INPUT => Outcome::NeedInput,
            exit::OUTPUT_FULL => Outcome::OutputFull,
            _ => Outcome::Reject,
        };
        Progress { outcome, done: count - context.left, input: context.value_p, output: context.value_o }
    }
}

impl Drop for Routine {
    fn drop(&mut self) {
        // SAFETY: taken once, here.
        let module = unsafe { ManuallyDrop::take(&mut self.module) };
        let module = module.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: the last user of the code is gone; nobody keeps its address.
        unsafe { module.free_memory() };
    }
}
