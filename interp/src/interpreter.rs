//! The driver of the tier: the fast path for as long as it goes, the checking interpreter for single values.

use crate::checked::{self, Run, Target};
use crate::fast::{FastProgram, Machine, Untranslatable};
use reschema_ir::{Program, cost::PADDING};
use reschema_runtime::{Columns, Input, Limits, Outcome, Output, Progress, Scratch, Stop, UserFn, Window};
use std::sync::Arc;

/// A pair's Program, ready to be interpreted.
pub struct Interpreter {
    plain: Arc<Program>,
    fast: Result<FastProgram, Untranslatable>,
}

/// What a run needs besides the Program; reusable, one a thread.
#[derive(Default)]
pub struct Environment {
    machine: Machine,
    scratch: Scratch,
}

/// How far a run came, in whole values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Values done.
    pub values: u64,
    /// Bytes of input they took.
    pub consumed: usize,
    /// Values done on the fast path.
    pub fast: u64,
    /// Values done by the checking interpreter.
    pub checked: u64,
    /// Values done on the fast path of another tier.
    pub compiled: u64,
}

/// A run that ended early. The output holds the values done, and nothing of the one it stopped in.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Why.
    pub stop: Stop,
    /// What was done before.
    pub done: Batch,
}

/// What a run is to do.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// What is read.
    pub input: Input<'a>,
    /// Values.
    pub count: u64,
    /// Bytes of output of the run behind which no other value is begun.
    pub enough: usize,
    /// Limits.
    pub limits: &'a Limits,
    /// User conversions by index.
    pub users: &'a [UserFn],
}

/// What a run goes by.
struct Job<'a> {
    bytes: &'a [u8],
    /// The bytes, and padding behind them.
    readable: &'a [u8],
    complete: bool,
    count: u64,
    /// Length of the output from which no other value is begun.
    enough: usize,
    limits: &'a Limits,
    users: &'a [UserFn],
}

impl<'a> Job<'a> {
    fn new(request: &Request<'a>, output: &Output<'_>) -> Job<'a> {
        let Request { input, count, enough, limits, users } = *request;
        let before = if let Output::Bytes(out) = output { out.len() } else { 0 };
        Job {
            bytes: input.bytes(),
            readable: input.readable(),
            complete: input.is_complete(),
            count,
            enough: before.saturating_add(enough),
            limits,
            users,
        }
    }

    fn is_padded(&self) -> bool {
        self.readable.len() - self.bytes.len() >= PADDING
    }
}

impl Interpreter {
    /// Takes the unoptimised Program, which decides what is right, and the optimised one, which is fast.
    pub fn new(plain: Arc<Program>, optimised: Arc<Program>) -> Interpreter {
        Interpreter { plain, fast: FastProgram::new(optimised) }
    }

    /// Why there is no fast path, if there is none.
    pub fn not_fast(&self) -> Option<Untranslatable> {
        self.fast.as_ref().err().copied()
    }

    /// Number of flat instructions of the fast path.
    pub fn fast_len(&self) -> usize {
        self.fast.as_ref().map_or(0, FastProgram::len)
    }

    /// Transforms values, on the fast path where it goes.
    pub fn run(
        &self,
        environment: &mut Environment,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Failure> {
        let job = Job::new(request, output);
        let Environment { machine, scratch } = environment;
        match &self.fast {
            Ok(fast) => {
                // SAFETY: `drive` gives windows that are what the machine asks for.
                let run = |window, count| unsafe { fast.run(machine, window, count, job.limits, job.users) };
                self.drive(Some(run), scratch, &job, output)
            }
            Err(_) => self.drive(None::<fn(Window, u64) -> Progress>, scratch, &job, output),
        }
    }

    /// As [`Interpreter::run`], with a fast path of another tier. It is given windows as [`Window`] says: input up to
    /// the limit readable, output up to the capacity writable, apart from each other. What it leaves is done by the
    /// checking interpreter.
    pub fn run_on(
        &self,
        fast: impl FnMut(Window, u64) -> Progress,
        environment: &mut Environment,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Failure> {
        let job = Job::new(request, output);
        let compiled = |b: Batch| Batch { fast: 0, compiled: b.fast, ..b };
        match self.drive(Some(fast), &mut environment.scratch, &job, output) {
            Ok(batch) => Ok(compiled(batch)),
            Err(f) => Err(Failure { done: compiled(f.done), ..f }),
        }
    }

    fn drive(
        &self,
        fast: Option<impl FnMut(Window, u64) -> Progress>,
        scratch: &mut Scratch,
        job: &Job<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Failure> {
        match output {
            Output::Bytes(out) => self.to_bytes(fast, scratch, job, out),
            Output::Columns(columns) => self.to_columns(job, columns),
            _ => Ok(Batch::default()),
        }
    }

    fn to_columns(&self, job: &Job<'_>, columns: &mut Columns) -> Result<Batch, Failure> {
        let mut batch = Batch::default();
        let before = columns.bytes();
        while batch.values < job.count && (batch.values == 0 || columns.bytes() - before < job.enough) {
            let before = columns.checkpoint();
            match self.checked(job, batch.consumed, Target::Columns(columns)) {
                Ok(end) => batch.one_checked(end),
                Err(stop) => {
                    columns.rollback(&before);
                    return Err(Failure { stop, done: batch });
                }
            }
        }
        Ok(batch)
    }

    fn to_bytes(
        &self,
        mut fast: Option<impl FnMut(Window, u64) -> Progress>,
        scratch: &mut Scratch,
        job: &Job<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Batch, Failure> {
        let mut batch = Batch::default();
        while batch.values < job.count && (batch.values == 0 || out.len() < job.enough) {
            if let Some(fast) = &mut fast
                && fast_part(fast, scratch, job, out, &mut batch)
            {
                break;
            }
            self.one_value(job, out, &mut batch)?;
        }
        Ok(batch)
    }

    /// The value that the fast path stopped in.
    fn one_value(&self, job: &Job<'_>, out: &mut Vec<u8>, batch: &mut Batch) -> Result<(), Failure> {
        let before = out.len();
        match self.checked(job, batch.consumed, Target::Bytes(out)) {
            Ok(end) => {
                batch.one_checked(end);
                Ok(())
            }
            Err(stop) => {
                out.truncate(before);
                Err(Failure { stop, done: *batch })
            }
        }
    }

    fn checked(&self, job: &Job<'_>, start: usize, target: Target<'_>) -> Result<usize, Stop> {
        let run = Run {
            program: &self.plain,
            input: job.bytes,
            complete: job.complete,
            limits: job.limits,
            users: job.users,
        };
        checked::value(&run, start, target)
    }
}

impl Batch {
    /// Adds what came behind it.
    pub fn add(&mut self, next: &Batch) {
        self.values += next.values;
        self.consumed += next.consumed;
        self.fast += next.fast;
        self.checked += next.checked;
        self.compiled += next.compiled;
    }

    fn one_checked(&mut self, end: usize) {
        self.values += 1;
        self.checked += 1;
        self.consumed = end;
    }

    fn add_fast(&mut self, values: u64, bytes: usize) {
        self.values += values;
        self.fast += values;
        self.consumed += bytes;
    }
}

/// Bytes up to which an unpadded value that comes alone is copied at once.
const ALONE: usize = 16 << 10;

/// Runs the fast path as far as it goes; true when all values are done, or there is enough output.
fn fast_part(
    fast: &mut impl FnMut(Window, u64) -> Progress,
    scratch: &mut Scratch,
    job: &Job<'_>,
    out: &mut Vec<u8>,
    batch: &mut Batch,
) -> bool {
    let rest = job.bytes.get(batch.consumed..).unwrap_or(&[]);
    // One value, the last, is mostly all that is left: unpadded it would run to its end, and then again.
    let alone = job.count - batch.values == 1 && rest.len() <= ALONE;
    if !job.is_padded() && (rest.len() <= PADDING || alone) {
        // Nothing would run unpadded.
        return tail(fast, scratch, rest, job, out, batch) == Outcome::Done;
    }
    let readable = job.readable.get(batch.consumed..).unwrap_or(&[]);
    match stretch(fast, readable, rest.len(), job, out, batch) {
        Outcome::Done => true,
        Outcome::NeedInput if !job.is_padded() => {
            let rest = job.bytes.get(batch.consumed..).unwrap_or(&[]);
            rest.len() <= Scratch::MAX && tail(fast, scratch, rest, job, out, batch) == Outcome::Done
        }
        _ => false,
    }
}

/// The end of an unpadded input, copied and padded.
fn tail(
    fast: &mut impl FnMut(Window, u64) -> Progress,
    scratch: &mut Scratch,
    rest: &[u8],
    job: &Job<'_>,
    out: &mut Vec<u8>,
    batch: &mut Batch,
) -> Outcome {
    let padded = scratch.fill(rest);
    stretch(fast, padded.readable(), rest.len(), job, out, batch)
}

/// Runs values and grows the output as they need it. The input is the first `len` of the bytes that are readable. `Done`
/// too when there is enough output.
fn stretch(
    fast: &mut impl FnMut(Window, u64) -> Progress,
    readable: &[u8],
    len: usize,
    job: &Job<'_>,
    out: &mut Vec<u8>,
    batch: &mut Batch,
) -> Outcome {
    let mut at = 0;
    // Room beyond what is enough would be filled.
    let mut most = job.enough.saturating_sub(out.len()).saturating_add(PADDING);
    out.reserve(len.min(1 << 20).min(most) + PADDING);
    loop {
        let range = readable.as_ptr_range();
        let spare = out.spare_capacity_mut();
        let room = spare.len().min(most);
        let output = spare.as_mut_ptr().cast::<u8>();
        // SAFETY: `at` ≤ `len` ≤ the length of what is readable, and the pointers come from all of it; the spare capacity
        // is at least `room` writable bytes and does not overlap the input, which is borrowed apart.
        let progress = unsafe {
            let window = Window {
                input: range.start.add(at),
                end: range.start.add(len),
                limit: range.end,
                output,
                capacity: output.add(room),
            };
            fast(window, job.count - batch.values)
        };
        let read = progress.input as usize - range.start as usize - at;
        let written = progress.output as usize - output as usize;
        // SAFETY: the fast path has written `written` bytes of whole values, at most `room`.
        unsafe { out.set_len(out.len() + written) };
        at += read;
        batch.add_fast(progress.done, read);
        if progress.outcome != Outcome::OutputFull {
            return progress.outcome;
        }
        if batch.values > 0 && out.len() >= job.enough {
            return Outcome::Done;
        }
        if progress.done == 0 && room as u64 > job.limits.output_bytes.saturating_add(PADDING as u64) {
            // The value is larger than the limit: the checking interpreter says so.
            return Outcome::Reject;
        }
        // A value that does not fit gets twice the room; after others, only what is left of enough.
        let more = room.saturating_mul(2).max(4096);
        most = if progress.done > 0 { job.enough.saturating_sub(out.len()).saturating_add(PADDING) } else { more };
        out.reserve(more.min(most));
    }
}
