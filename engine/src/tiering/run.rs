//! A call, on whichever tier has the transform now. Calls of many values are cut into slices, so that the tier may change
//! between two of them: never within a value.

use super::hotness::{MANY, Ran, Sampler, Timed};
use super::state::TierState;
use crate::native::Native;
use reschema_interp::{Batch, Environment, Failure, Interpreter, Request};
use reschema_runtime::{Outcome, Output};
use std::sync::Arc;

/// Bytes of input of a slice.
const SLICE_BYTES: f64 = 65536.0;
/// Values of a slice, if they take few bytes or none.
const SLICE_VALUES: f64 = 65536.0;

/// A run that ended early, and what the slices before the one that failed have done.
pub(crate) struct Stopped {
    pub(crate) failure: Failure,
    pub(crate) before: Batch,
}

/// What a thread brings along.
pub(crate) struct Thread<'e> {
    pub(crate) environment: &'e mut Environment,
    pub(crate) sampler: &'e mut Sampler,
}

impl TierState {
    /// Runs a request on the tier of the moment.
    #[inline]
    pub(crate) fn run(
        self: &Arc<TierState>,
        interpreter: &Interpreter,
        thread: &mut Thread<'_>,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Stopped> {
        if request.count >= MANY && self.cuts() {
            return self.slices(interpreter, thread, request, output);
        }
        let first = |failure| Stopped { failure, before: Batch::default() };
        self.once(interpreter, thread, request, output, request.count).map_err(first)
    }

    /// Without a change of tier. `left`: values that are known to come, these included.
    #[inline]
    fn once(
        self: &Arc<TierState>,
        interpreter: &Interpreter,
        thread: &mut Thread<'_>,
        request: &Request<'_>,
        output: &mut Output<'_>,
        left: u64,
    ) -> Result<Batch, Failure> {
        let Thread { environment, sampler } = thread;
        let timed = Timed::begin(sampler, request.count);
        let code = self.code(timed.as_ref().map(Timed::class));
        let (ran, result) = match code.as_deref() {
            Some(Some(native)) => (Ran::Native, self.native_run(native, interpreter, environment, request, output)),
            _ => (Ran::Interpreted, interpreter.run(environment, request, output)),
        };
        let batch = match &result {
            Ok(batch) => batch,
            Err(failure) => &failure.done,
        };
        self.counters.add(sampler, ran, batch);
        if let Some(timed) = timed {
            let sample = timed.end(ran, batch.consumed);
            let behind = request.input.bytes().len().saturating_sub(batch.consumed) as u64;
            self.timed(&sample, batch.values, left.saturating_sub(batch.values), behind);
        }
        result
    }

    /// On native code.
    #[inline]
    pub(crate) fn native_run(
        &self,
        native: &Native,
        interpreter: &Interpreter,
        environment: &mut Environment,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Failure> {
        let run = |window, count| {
            // SAFETY: `run_on` gives windows that are what native code asks for.
            let progress = unsafe { native.run(window, count, request.limits, request.users) };
            if progress.outcome != Outcome::Done {
                self.exited(progress.outcome);
            }
            progress
        };
        interpreter.run_on(run, environment, request, output)
    }

    fn slices(
        self: &Arc<TierState>,
        interpreter: &Interpreter,
        thread: &mut Thread<'_>,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Stopped> {
        let start = output.bytes();
        let mut done = Batch::default();
        while done.values < request.count {
            let made = output.bytes() - start;
            if done.values > 0 && made >= request.enough {
                break;
            }
            let left = request.count - done.values;
            let input = request.input.behind(done.consumed);
            let slice = Request { input, count: left.min(self.slice()), enough: request.enough - made, ..*request };
            match self.once(interpreter, thread, &slice, output, left) {
                Ok(batch) => done.add(&batch),
                Err(failure) => return Err(Stopped { failure, before: done }),
            }
        }
        Ok(done)
    }

    /// Values of the next slice.
    fn slice(&self) -> u64 {
        self.mean().map_or(MANY, |mean| ((SLICE_BYTES / mean).min(SLICE_VALUES) as u64).max(MANY))
    }
}
