//! A call, on whichever tier has the transform now. Calls of many values are cut into slices, so that the tier may change
//! between two of them: never within a value.

use super::crowd::Member;
use super::hotness::{Class, EACH, LARGE, Lane, MANY, Ran, Sampler, Timed};
use super::recent::{Held, Recent};
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
#[derive(Default)]
pub(crate) struct Thread {
    pub(crate) environment: Environment,
    sampler: Sampler,
    lane: Lane,
    recent: Recent,
    member: Member,
}

/// What was done, whether or not it ended well.
#[inline]
fn batch(result: &Result<Batch, Failure>) -> &Batch {
    result.as_ref().unwrap_or_else(|failure| &failure.done)
}

impl TierState {
    /// Whether a request is one that [`TierState::run_few`] is for: most are.
    #[inline]
    pub(crate) fn is_few(&self, thread: &mut Thread, count: u64) -> bool {
        count < MANY && !self.is_watched() && !thread.sampler.strikes()
    }

    /// For how many calls one of so many values stands, if it is to be timed; [`TierState::is_few`] has said no.
    pub(crate) fn stands_for(&self, thread: &mut Thread, count: u64) -> Option<u32> {
        let is_small = self.mean().is_some_and(|mean| mean * (count as f64) < LARGE);
        match count < MANY {
            // It is large, or the first; otherwise it was chosen.
            true => Some(if self.is_watched() { 1 } else { EACH }),
            false if is_small => thread.sampler.strikes().then_some(EACH),
            false => Some(1),
        }
    }

    /// Runs a request on the tier of the moment, and does not measure. Every instruction here is one for each message.
    #[inline]
    pub(crate) fn run_few(
        self: &Arc<TierState>,
        interpreter: &Interpreter,
        thread: &mut Thread,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Failure> {
        let Thread { environment, lane, recent, .. } = thread;
        let publication = self.shown();
        let (result, ran) = if publication == 0 {
            (interpreter.run(environment, request, output), Ran::Interpreted)
        } else if let Some(native) = recent.kept(publication) {
            (self.run_native::<true>(native, interpreter, environment, request, output), Ran::Native)
        } else {
            return self.run_guarded(interpreter, thread, request, output);
        };
        self.counters.add(lane, ran, batch(&result));
        result
    }

    /// On code that another transform's may be in the place of, for this thread.
    #[inline(never)]
    fn run_guarded(
        self: &Arc<TierState>,
        interpreter: &Interpreter,
        thread: &mut Thread,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Failure> {
        match self.run_native_alone(interpreter, thread, request, output) {
            Some(result) => result,
            None => self.run_interpreted(interpreter, thread, request, output),
        }
    }

    /// Runs a request on the tier of the moment, and measures. `left`: values that are known to come, the request's included;
    /// `calls`: how many it stands for.
    #[inline(never)]
    pub(crate) fn run_timed(
        self: &Arc<TierState>,
        interpreter: &Interpreter,
        thread: &mut Thread,
        request: &Request<'_>,
        output: &mut Output<'_>,
        left: u64,
        calls: u32,
    ) -> Result<Batch, Failure> {
        let Thread { environment, lane, recent, member, sampler } = thread;
        let timed = Timed::begin(request.count, self.mean(), calls);
        let is_in_crowd = timed.class() == Class::Few && self.is_in_crowd(member);
        let held = match is_in_crowd && self.broker().crowd.interprets() {
            true => None,
            false => self.code(recent, Some(timed.class())),
        };
        let (ran, result) = match held.as_ref().and_then(Held::native) {
            Some(native) => (Ran::Native, self.run_native::<false>(native, interpreter, environment, request, output)),
            None => (Ran::Interpreted, interpreter.run(environment, request, output)),
        };
        if ran == Ran::Interpreted {
            recent.forget();
        }
        let batch = batch(&result);
        self.counters.add(lane, ran, batch);
        let behind = request.input.bytes().len().saturating_sub(batch.consumed) as u64;
        let sample = timed.end(ran, batch.consumed);
        if timed.class() == Class::Many {
            member.set_aside(sample.nanoseconds);
        }
        if is_in_crowd {
            self.timed_in_crowd(&sample, batch.values, member, sampler.calls());
            return result;
        }
        self.timed(&sample, batch.values, left.saturating_sub(batch.values), behind);
        result
    }

    /// On native code. `FEW`: the driver is a copy for calls of few values alone, which the compiler puts where they are.
    #[inline]
    fn run_native<const FEW: bool>(
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

    /// On the interpreter, whatever there is.
    pub(crate) fn run_interpreted(
        &self,
        interpreter: &Interpreter,
        thread: &mut Thread,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Failure> {
        let result = interpreter.run(&mut thread.environment, request, output);
        self.counters.add(&thread.lane, Ran::Interpreted, batch(&result));
        result
    }

    /// On native code, if there is any.
    pub(crate) fn run_native_alone(
        &self,
        interpreter: &Interpreter,
        thread: &mut Thread,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Option<Result<Batch, Failure>> {
        let Thread { environment, lane, recent, .. } = thread;
        let held = self.code(recent, None)?;
        let result = self.run_native::<false>(held.native()?, interpreter, environment, request, output);
        self.counters.add(lane, Ran::Native, batch(&result));
        Some(result)
    }

    /// Runs many values, in slices.
    pub(crate) fn run_slices(
        self: &Arc<TierState>,
        interpreter: &Interpreter,
        thread: &mut Thread,
        request: &Request<'_>,
        output: &mut Output<'_>,
        calls: u32,
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
            match self.run_timed(interpreter, thread, &slice, output, left, calls) {
                Ok(batch) if batch.values == 0 => break,
                Ok(batch) => done.add(&batch),
                Err(failure) => return Err(Stopped { failure, before: done }),
            }
        }
        Ok(done)
    }

    /// Whether a request is to be run in slices.
    #[inline]
    pub(crate) fn cuts(&self, count: u64) -> bool {
        count >= MANY && !self.is_settled()
    }

    /// Values of the next slice.
    fn slice(&self) -> u64 {
        self.mean().map_or(MANY, |mean| ((SLICE_BYTES / mean).min(SLICE_VALUES) as u64).max(MANY))
    }
}
