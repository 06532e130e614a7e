//! The threads that compile, and what waits for them.
//!
//! A thread begins when there is something to compile, and ends when there has been nothing for a while. Nothing watches
//! over it but those who wait for code: a call of a transform that is not compiled yet looks, when it is timed, whether a
//! compile has taken too long. Then its thread is given up, and another takes over; at the third, none does.

use super::state::TierState;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long a thread waits for work before it ends.
const IDLE: Duration = Duration::from_secs(1);
/// Compiles that may be given up before there are no more.
const MOST_ABANDONED: u32 = 2;
/// Stack of a thread: the code generator follows the nesting of a Program, as callers' threads do with what they have.
const STACK: usize = 8 << 20;
/// How much lower the priority is, as of `nice`, than that of whoever wants the data.
#[cfg(target_os = "linux")]
const NICE: i32 = 5;

pub(crate) struct CompileThreads(Arc<Shared>);

struct Shared {
    most: usize,
    most_waiting: usize,
    limit: Duration,
    pool: Mutex<Pool>,
    wake: Condvar,
}

#[derive(Default)]
struct Pool {
    waiting: Vec<Weak<TierState>>,
    threads: Vec<Thread>,
    idle: usize,
    next: u64,
    abandoned: u32,
    stale: u64,
    closed: bool,
}

struct Thread {
    id: u64,
    job: Option<Job>,
}

/// What a thread compiles: of whom, which of its compiles, since when.
struct Job {
    state: Weak<TierState>,
    ticket: u64,
    since: Instant,
}

/// What became of something that was to wait.
pub(crate) enum Queued {
    Waits,
    /// There is no room; this one, or another that is less hot, has to become hotter first.
    Full(Weak<TierState>),
    /// No thread compiles any more.
    Off,
}

/// A compile that was given up.
pub(crate) struct Abandoned {
    pub(crate) state: Weak<TierState>,
    pub(crate) ticket: u64,
    /// The last: there will be no more, and these wait for nothing.
    pub(crate) off: Option<Vec<Weak<TierState>>>,
}

impl CompileThreads {
    pub(crate) fn new(most: usize, most_waiting: usize, limit: Duration) -> CompileThreads {
        CompileThreads(Arc::new(Shared { most, most_waiting, limit, pool: Mutex::default(), wake: Condvar::new() }))
    }

    pub(crate) fn waiting(&self) -> usize {
        self.0.pool().waiting.len()
    }

    pub(crate) fn stale(&self) -> u64 {
        self.0.pool().stale
    }

    /// Puts a transform in the queue.
    pub(crate) fn push(&self, state: &Arc<TierState>) -> Queued {
        // Nothing that is upgraded may go under the lock.
        let mut alive = Vec::new();
        let mut pool = self.0.pool();
        if pool.abandoned > MOST_ABANDONED {
            return Queued::Off;
        }
        let mut full = None;
        if pool.waiting.len() >= self.0.most_waiting {
            let least = least_hot(&pool.waiting, &mut alive);
            match least {
                Some((at, value)) if value < state.urgency() => full = Some(pool.waiting.swap_remove(at)),
                _ => full = Some(Arc::downgrade(state)),
            }
        }
        if !full.as_ref().is_some_and(|f| std::ptr::eq(f.as_ptr(), Arc::as_ptr(state))) {
            pool.waiting.push(Arc::downgrade(state));
            self.0.wake(&mut pool);
        }
        drop(pool);
        drop(alive);
        full.map_or(Queued::Waits, Queued::Full)
    }

    /// Gives up a compile that has taken too long, if there is one; and sees to it that what waits has a thread, if none
    /// could be had when it came.
    pub(crate) fn watch(&self) -> Option<Abandoned> {
        let mut pool = self.0.pool();
        if pool.threads.is_empty() && !pool.waiting.is_empty() {
            self.0.wake(&mut pool);
        }
        let hangs = |t: &Thread| t.job.as_ref().is_some_and(|j| j.since.elapsed() > self.0.limit);
        let at = pool.threads.iter().position(hangs)?;
        let Job { state, ticket, .. } = pool.threads.swap_remove(at).job?;
        pool.abandoned += 1;
        let off = (pool.abandoned > MOST_ABANDONED).then(|| std::mem::take(&mut pool.waiting));
        if off.is_none() && !pool.waiting.is_empty() {
            self.0.wake(&mut pool);
        }
        Some(Abandoned { state, ticket, off })
    }

    pub(crate) fn limit(&self) -> Duration {
        self.0.limit
    }
}

impl Drop for CompileThreads {
    fn drop(&mut self) {
        let waiting = {
            let mut pool = self.0.pool();
            pool.closed = true;
            std::mem::take(&mut pool.waiting)
        };
        drop(waiting);
        self.0.wake.notify_all();
    }
}

impl Shared {
    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that somebody looks at the queue.
    fn wake(self: &Arc<Shared>, pool: &mut Pool) {
        if pool.idle >= pool.waiting.len() || pool.threads.len() >= self.most {
            self.wake.notify_one();
            return;
        }
        let id = pool.next;
        pool.next += 1;
        let shared = self.clone();
        let run = move || {
            humble();
            shared.work(id);
        };
        // Where no thread can be had, the queue waits for the next who looks.
        let thread = std::thread::Builder::new().name("reschema-compile".into()).stack_size(STACK);
        if thread.spawn(run).is_ok() {
            pool.threads.push(Thread { id, job: None });
        }
    }

    fn work(&self, id: u64) {
        while let Some(state) = self.next(id) {
            let Some(ticket) = state.begin_queued() else { continue };
            let job = Job { state: Arc::downgrade(&state), ticket, since: Instant::now() };
            self.set(id, Some(job));
            // Whoever listens to events may panic, with all that had to be done behind it.
            let _ = catch_unwind(AssertUnwindSafe(|| state.generate(ticket)));
            // It may be the last to know the transform, and so the engine.
            drop(state);
            if !self.set(id, None) {
                return;
            }
        }
    }

    /// Notes what a thread does; false if it was given up.
    fn set(&self, id: u64, job: Option<Job>) -> bool {
        let mut pool = self.pool();
        let thread = pool.threads.iter_mut().find(|t| t.id == id);
        let before = thread.map(|t| std::mem::replace(&mut t.job, job));
        drop(pool);
        before.is_some()
    }

    /// The hottest that waits; `None` if the thread is to end.
    fn next(&self, id: u64) -> Option<Arc<TierState>> {
        let mut pool = self.pool();
        loop {
            let mut alive = Vec::new();
            let before = pool.waiting.len();
            pool.waiting.retain(|w| {
                let state = w.upgrade();
                let is_there = state.is_some();
                alive.extend(state);
                is_there
            });
            pool.stale += (before - pool.waiting.len()) as u64;
            let hottest = alive.iter().enumerate().max_by(|a, b| a.1.urgency().total_cmp(&b.1.urgency()));
            if let Some(at) = hottest.map(|(at, _)| at).filter(|_| !pool.closed) {
                pool.waiting.swap_remove(at);
                drop(pool);
                return Some(alive.swap_remove(at));
            }
            if !alive.is_empty() {
                drop(pool);
                drop(alive);
                pool = self.pool();
            }
            if !pool.closed && pool.waiting.is_empty() {
                pool.idle += 1;
                let (p, waited) = self.wake.wait_timeout(pool, IDLE).unwrap_or_else(PoisonError::into_inner);
                pool = p;
                pool.idle -= 1;
                if !waited.timed_out() || !pool.waiting.is_empty() {
                    continue;
                }
            }
            if pool.closed || pool.waiting.is_empty() {
                pool.threads.retain(|t| t.id != id);
                return None;
            }
        }
    }
}

fn least_hot(waiting: &[Weak<TierState>], alive: &mut Vec<Arc<TierState>>) -> Option<(usize, f64)> {
    let mut value = |w: &Weak<TierState>| {
        // Who is gone is the first to go.
        let Some(state) = w.upgrade() else { return -1.0 };
        let value = state.urgency();
        alive.push(state);
        value
    };
    waiting.iter().map(&mut value).enumerate().min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Lowers the priority of this thread.
#[cfg(target_os = "linux")]
fn humble() {
    use rustix::process::{getpriority_process, setpriority_process};
    // Of this thread, on Linux. Where it is not allowed, it competes like others.
    let _ = getpriority_process(None).and_then(|now| setpriority_process(None, now + NICE));
}

/// Threads have no priority of their own here.
#[cfg(not(target_os = "linux"))]
fn humble() {}
