//! What the transforms of an engine share: who compiles, how much code there may be, what was learned, what was done.

use super::code::Code;
use super::crowd::Crowd;
use super::decision::Facts;
use super::hotness::{Ran, Sum};
use super::prediction::Prediction;
use super::state::TierState;
use super::threads::{Abandoned, CompileThreads, Queued};
use super::{Adaptive, Kind, Tiering};
use crate::events::{Event, emit};
use crate::native::{Generator, GeneratorOptions};
use crate::stats::{CompileStats, EngineStats, Exits, TierStats};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

pub(crate) struct Broker {
    pub(crate) tiering: Tiering,
    pub(crate) generator: Generator,
    pub(crate) code: Code,
    pub(crate) crowd: Crowd,
    threads: Option<CompileThreads>,
    prediction: Mutex<Prediction>,
    transforms: Mutex<Transforms>,
    /// Why nothing is compiled any more.
    off: OnceLock<String>,
    next: AtomicU64,
}

#[derive(Default)]
struct Transforms {
    alive: HashMap<u64, Weak<TierState>>,
    gone: Done,
}

/// What transforms have done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) sum: Sum,
    /// Nanoseconds and the bytes they stand for, by tier.
    pub(crate) spent: [f64; 2],
    pub(crate) exits: Exits,
    pub(crate) compiles: CompileStats,
}

impl Done {
    pub(crate) fn add(&mut self, other: &Done) {
        self.sum += other.sum;
        self.exits += other.exits;
        self.compiles += other.compiles;
        self.spent.iter_mut().zip(other.spent).for_each(|(a, b)| *a += b);
    }

    pub(crate) fn interpreted(&self) -> TierStats {
        let Sum { fast, interpreted_bytes, .. } = self.sum;
        tier_stats(fast, interpreted_bytes, self.spent[Ran::Interpreted as usize])
    }

    pub(crate) fn native(&self) -> TierStats {
        let Sum { native, native_bytes, .. } = self.sum;
        tier_stats(native, native_bytes, self.spent[Ran::Native as usize])
    }
}

fn tier_stats(records: u64, bytes: u64, spent: f64) -> TierStats {
    let ns_per_byte = (spent > 0.0 && bytes > 0).then(|| spent / bytes as f64);
    TierStats { records, bytes, ns_per_byte }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that may panic runs under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Broker {
    /// `off`: why nothing is to be compiled, if somebody has said so.
    pub(crate) fn new(tiering: Tiering, mut options: GeneratorOptions, off: Option<&str>) -> Arc<Broker> {
        options.largest = tiering.adapts().map(|a| a.largest);
        let threads = tiering.adapts().filter(|a| a.threads > 0);
        Arc::new(Broker {
            threads: threads.map(|a| CompileThreads::new(a.threads, a.queue, a.compile_time)),
            tiering,
            generator: Generator::new(options),
            code: Code::default(),
            crowd: Crowd::default(),
            prediction: Mutex::default(),
            transforms: Mutex::default(),
            off: off.map_or_else(OnceLock::new, |why| OnceLock::from(String::from(why))),
            next: AtomicU64::new(0),
        })
    }

    pub(crate) fn adapts(&self) -> Option<&Adaptive> {
        self.tiering.adapts()
    }

    pub(crate) fn verifies(&self) -> bool {
        self.tiering.0 == Kind::Verify
    }

    /// Whether code is made as soon as there is a transform.
    pub(crate) fn is_eager(&self) -> bool {
        matches!(self.tiering.0, Kind::Eager | Kind::Verify)
    }

    pub(crate) fn code_limit(&self) -> usize {
        self.adapts().map_or(usize::MAX, |a| a.code_bytes)
    }

    /// Why nothing is compiled, if nothing is.
    pub(crate) fn off(&self) -> Option<&str> {
        self.generator.never().or(self.off.get().map(String::as_str))
    }

    /// Whether compiles are done by the caller.
    pub(crate) fn is_inline(&self) -> bool {
        self.threads.is_none()
    }

    /// A number for a new transform.
    pub(crate) fn enter(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn register(&self, id: u64, state: &Arc<TierState>) {
        lock(&self.transforms).alive.insert(id, Arc::downgrade(state));
    }

    /// A transform goes; what it has done stays in the sums.
    pub(crate) fn leave(&self, id: u64, done: &Done) {
        self.code.release(id);
        let mut transforms = lock(&self.transforms);
        transforms.alive.remove(&id);
        transforms.gone.add(done);
    }

    pub(crate) fn predict(&self) -> Prediction {
        *lock(&self.prediction)
    }

    pub(crate) fn learn(&self, f: impl FnOnce(&mut Prediction)) {
        f(&mut lock(&self.prediction));
    }

    /// Completes the facts that a transform knows of itself.
    pub(crate) fn facts(&self, mut facts: Facts) -> Facts {
        let prediction = self.predict();
        facts.compile = prediction.compile(facts.instructions);
        facts.native = facts.interpreted * prediction.ratio();
        let threads = self.adapts().map_or(1, |a| a.threads.max(1));
        facts.waiting = self.threads.as_ref().map_or(0.0, |t| t.waiting() as f64 / threads as f64);
        facts
    }

    /// Puts a transform in the queue; gives back whom there is no room for.
    pub(crate) fn queue(&self, state: &Arc<TierState>) -> Option<Arc<TierState>> {
        match self.threads.as_ref().map(|t| t.push(state)) {
            None | Some(Queued::Waits) => None,
            Some(Queued::Full(who)) => who.upgrade(),
            Some(Queued::Off) => Some(state.clone()),
        }
    }

    /// Looks whether a compile has taken too long.
    pub(crate) fn watch(&self) {
        let Some(threads) = &self.threads else { return };
        let Some(Abandoned { state, ticket, off }) = threads.watch() else { return };
        if let Some(state) = state.upgrade() {
            state.abandon(ticket, threads.limit());
        }
        let Some(waiting) = off else { return };
        let why = "compiles have not ended in time, so that there are no more";
        if self.off.set(why.into()).is_ok() {
            emit(Event::Off { why });
        }
        waiting.iter().filter_map(Weak::upgrade).for_each(|w| w.unqueue());
    }

    fn alive(&self) -> Vec<Arc<TierState>> {
        lock(&self.transforms).alive.values().filter_map(Weak::upgrade).collect()
    }

    /// Shows code to small calls, or hides it, of all transforms.
    pub(crate) fn show(&self, shown: bool) {
        self.alive().iter().for_each(|t| t.show_to_crowd(shown));
    }

    pub(crate) fn stats(&self) -> EngineStats {
        let (alive, mut done): (Vec<Arc<TierState>>, Done) = {
            let transforms = lock(&self.transforms);
            (transforms.alive.values().filter_map(Weak::upgrade).collect(), transforms.gone)
        };
        let mut transforms: Vec<_> = alive.iter().map(|t| (t.id(), t.stats(), t.done())).collect();
        transforms.sort_by_key(|t| t.0);
        transforms.iter().for_each(|(_, _, d)| done.add(d));
        EngineStats {
            tiering: self.tiering.word(),
            transforms_made: self.next.load(Ordering::Relaxed),
            transforms: transforms.into_iter().map(|(_, stats, _)| stats).collect(),
            interpreted: done.interpreted(),
            native: done.native(),
            checked_records: done.sum.checked,
            exits: done.exits,
            compiles: done.compiles,
            crowd: self.crowd.stats(),
            queued: self.threads.as_ref().map_or(0, CompileThreads::waiting),
            stale: self.threads.as_ref().map_or(0, CompileThreads::stale),
            code_bytes: self.code.bytes(),
            code_bytes_limit: self.code_limit(),
            micros_per_instruction: self.predict().per_instruction() / 1e3,
            off: self.off().map(String::from),
        }
    }
}
