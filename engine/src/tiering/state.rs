//! What has become of one transform: its code, or why it has none, and what it has earned.
//!
//! A run takes a guard on the code, once; all else is behind a lock that only timed calls and compiles take. Each compile
//! has a ticket. Whoever takes code away, or gives a compile up, draws another, and what comes under the old one is dropped.

use super::broker::{Broker, Done};
use super::crowd::{Found, Meeting, Member};
use super::decision::{self, Facts, TURNS, Verdict, Worth};
use super::hotness::{Class, Counters, LARGE, Ran, Sample, Times};
use super::recent::{Held, Recent, publication};
use crate::events::{Event, emit};
use crate::native::{Native, NativeStats, NotCompiled};
use crate::stats::{CompileStats, Exits, Tier, TransformStats};
use arc_swap::ArcSwapOption;
use reschema_ir::Program;
use reschema_runtime::Outcome;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) struct TierState {
    id: u64,
    /// For profilers and operators.
    name: String,
    program: Arc<Program>,
    broker: Arc<Broker>,
    /// Both tiers run, and are compared.
    pub(crate) verifies: bool,
    /// Number of the publication of the code; 0 if there is none.
    publication: AtomicU64,
    /// The same, as small calls see it.
    shown: AtomicU64,
    code: ArcSwapOption<Native>,
    /// Every call is looked at: both tiers run, values are large, or there was no call yet.
    watched: AtomicBool,
    /// The class of calls of which the next that is timed runs on the interpreter, for comparison; 0: none.
    probe: AtomicU8,
    /// Nothing will be decided any more.
    settled: AtomicBool,
    pub(crate) counters: Counters,
    exits: [AtomicU64; 3],
    /// Bytes of a value, as a float's bits: a guess for slices.
    mean: AtomicU64,
    /// How many times its price it has earned, as a float's bits.
    urgency: AtomicU64,
    /// Nanoseconds that code saves for a byte, as a float's bits.
    saved: AtomicU64,
    slow: Mutex<Slow>,
    /// A compile has ended.
    ended: Condvar,
}

struct Slow {
    phase: Phase,
    ticket: u64,
    times: Times,
    /// Time and bytes on the interpreter when it began to earn its compile.
    since: (f64, u64),
    penalties: u32,
    expected: u64,
    instructions: usize,
    verdict: Option<Verdict>,
    /// Why it has no code, if there was more than a verdict.
    why: Option<String>,
    turns: Option<Turns>,
    /// Measurements before code is doubted again.
    patience: u32,
    compiles: CompileStats,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Interpreted,
    Queued,
    Compiling,
    Native,
    /// Interpreted for ever.
    Never,
}

/// Both tiers measured in turns, on calls of one class: nanoseconds a byte.
struct Turns {
    class: Class,
    interpreted: Vec<f64>,
    native: Vec<f64>,
}

/// Failures, and losses to the interpreter, after which a transform is interpreted for ever.
const MOST_FAILURES: u64 = 4;
/// What a failure, and code that was slower, add to the penalties; an eviction adds one.
const FAILED: u32 = 3;
const PATIENCE: u32 = decision::BELIEVED;
/// How often those who wait for a compile look whether it takes too long.
const LOOK: Duration = Duration::from_millis(50);
/// Measurements of native code after one of which the interpreter is measured too: where that was not, and for small calls,
/// whose time depends on what else is in the caches as much as on the data; one in two thousand pays for it.
const PROBE_EACH: u32 = 16;
/// The same for others: data change.
const REFRESH_EACH: u32 = 512;

const EVICTED: &str = "its code has made room for other code";

/// What is to be done once the lock is free.
enum Then {
    Nothing,
    Queue(&'static str),
    Compile(u64),
    Watch,
}

impl TierState {
    pub(crate) fn new(program: Arc<Program>, name: String, broker: Arc<Broker>) -> Arc<TierState> {
        let adaptive = broker.adapts();
        let never = adaptive.is_some() && broker.off().is_some();
        let slow = Slow {
            phase: if never { Phase::Never } else { Phase::Interpreted },
            ticket: 0,
            times: Times::default(),
            since: (0.0, 0),
            penalties: 0,
            expected: adaptive.map_or(0, |a| a.expected),
            instructions: if adaptive.is_some() { broker.generator.estimate(&program) } else { 0 },
            verdict: None,
            why: broker.off().filter(|_| never).map(String::from),
            turns: None,
            patience: PATIENCE,
            compiles: CompileStats::default(),
        };
        let state = Arc::new(TierState {
            id: broker.enter(),
            name,
            program,
            verifies: broker.verifies(),
            publication: AtomicU64::new(0),
            shown: AtomicU64::new(0),
            code: ArcSwapOption::empty(),
            watched: AtomicBool::new(true),
            probe: AtomicU8::new(0),
            settled: AtomicBool::new(never || adaptive.is_none()),
            counters: Counters::default(),
            exits: Default::default(),
            mean: AtomicU64::new(0),
            urgency: AtomicU64::new(0),
            saved: AtomicU64::new(0),
            slow: Mutex::new(slow),
            ended: Condvar::new(),
            broker,
        });
        state.broker.register(state.id, &state);
        if state.broker.is_eager() {
            // What cannot be compiled is interpreted; why is remembered.
            let _ = state.compile();
        } else {
            state.expect(0);
        }
        state
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(crate) fn broker(&self) -> &Broker {
        &self.broker
    }

    fn slow(&self) -> MutexGuard<'_, Slow> {
        // Nothing that may panic runs under the lock.
        self.slow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether every call is to be looked at.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Whether nothing will be decided any more.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled.load(Ordering::Relaxed)
    }

    /// Bytes of a value, if that is known.
    pub(crate) fn mean(&self) -> Option<f64> {
        Some(f64::from_bits(self.mean.load(Ordering::Relaxed))).filter(|m| *m > 0.0)
    }

    /// Number of the publication of its code; 0 if there is none.
    #[inline]
    pub(crate) fn publication(&self) -> u64 {
        self.publication.load(Ordering::Acquire)
    }

    /// The same for a small call, which sees none while its crowd is interpreted.
    #[inline]
    pub(crate) fn shown(&self) -> u64 {
        self.shown.load(Ordering::Acquire)
    }

    /// A small call is timed; whether it is one of a crowd.
    pub(crate) fn is_in_crowd(&self, member: &mut Member) -> bool {
        let takes_turns = member.takes_turns(std::ptr::from_ref(self).addr());
        takes_turns && self.publication() != 0 && self.broker.adapts().is_some_and(|a| a.compares)
    }

    /// The code that a call runs on; held until it returns. `timed` is the class of a call that is timed.
    #[inline]
    pub(crate) fn code<'r>(&self, recent: &'r mut Recent, timed: Option<Class>) -> Option<Held<'r>> {
        let publication = self.publication();
        if publication == 0 || timed.is_some_and(|class| self.is_probe(class)) {
            return None;
        }
        Some(recent.hold(publication, &self.code))
    }

    #[cold]
    fn is_probe(&self, class: Class) -> bool {
        self.probe.compare_exchange(probe(class), 0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Native code has come back early.
    #[cold]
    pub(crate) fn exited(&self, outcome: Outcome) {
        let at = match outcome {
            Outcome::NeedInput => 0,
            Outcome::OutputFull => 1,
            _ => 2,
        };
        self.exits[at].fetch_add(1, Ordering::Relaxed);
    }

    /// A call was timed, which did so many values; so many more are known to come with it, in at most so many bytes.
    #[cold]
    pub(crate) fn timed(self: &Arc<TierState>, sample: &Sample, values: u64, left: u64, bytes: u64) {
        let mut ahead = 0;
        if values > 0 {
            ahead = bytes.min((self.size(sample.bytes / values as f64) * left as f64) as u64);
        }
        let mut slow = self.slow();
        if self.shown() != self.publication() && sample.class == Class::Few {
            // It has the thread to itself.
            self.show(true);
        }
        let per_byte = slow.times.add(sample);
        let Some(knobs) = self.broker.adapts() else { return };
        match slow.phase {
            Phase::Interpreted => {
                let then = self.consider(&mut slow, ahead);
                drop(slow);
                self.then(then);
            }
            Phase::Queued | Phase::Compiling => {
                drop(slow);
                self.then(Then::Watch);
            }
            Phase::Native if knobs.compares => self.judge(slow, sample, per_byte),
            Phase::Native | Phase::Never => {}
        }
    }

    /// Values have so many bytes now.
    fn size(&self, mean: f64) -> f64 {
        self.mean.store(mean.to_bits(), Ordering::Relaxed);
        self.watched.store(self.verifies || mean >= LARGE, Ordering::Relaxed);
        mean
    }

    /// A small call was timed that is one of a crowd; its thread has made so many in all.
    #[cold]
    pub(crate) fn timed_in_crowd(self: &Arc<TierState>, sample: &Sample, values: u64, member: &mut Member, calls: u64) {
        let crowd = &self.broker.crowd;
        let meeting = crowd.met(member, self.id, calls);
        if let Meeting::Ended(found) = meeting {
            self.broker.show(!crowd.interprets());
            if let Some(Found { interprets, ratio, is_new: true }) = found {
                emit(Event::Crowd { interprets, ratio });
            }
        }
        if meeting == Meeting::Alone {
            return self.timed(sample, values, 0, 0);
        }
        if values > 0 {
            self.size(sample.bytes / values as f64);
        }
        let mut slow = self.slow();
        slow.times.add(sample);
        let hidden = self.shown() == 0;
        if hidden != crowd.interprets() {
            self.show(hidden);
        }
    }

    /// Shows its code to small calls, or hides it; under the lock.
    fn show(&self, shown: bool) {
        let publication = if shown { self.publication() } else { 0 };
        self.shown.store(publication, Ordering::Release);
    }

    /// The same, of one of a crowd.
    pub(crate) fn show_to_crowd(&self, shown: bool) {
        let _slow = self.slow();
        self.show(shown);
    }

    /// So many bytes of input will come.
    pub(crate) fn expect(self: &Arc<TierState>, bytes: u64) {
        if self.broker.adapts().is_none() {
            return;
        }
        let mut slow = self.slow();
        slow.expected = slow.expected.max(self.counters.sum().interpreted_bytes.saturating_add(bytes));
        if slow.phase != Phase::Interpreted || slow.expected == 0 {
            return;
        }
        let then = self.consider(&mut slow, 0);
        drop(slow);
        self.then(then);
    }

    /// Whether it is to be compiled.
    fn consider(&self, slow: &mut Slow, ahead: u64) -> Then {
        let Some(knobs) = self.broker.adapts() else { return Then::Nothing };
        if let Some(why) = self.broker.off() {
            slow.why = Some(why.into());
            self.never(slow);
            return Then::Nothing;
        }
        let seen = self.counters.sum().interpreted_bytes;
        let facts = self.broker.facts(Facts {
            spent: slow.times.spent(Ran::Interpreted) - slow.since.0,
            bytes: seen - slow.since.1.min(seen),
            ahead: ahead.max(slow.expected.saturating_sub(seen)),
            instructions: slow.instructions,
            interpreted: slow.times.usual(Ran::Interpreted).unwrap_or(1.0),
            penalties: slow.penalties,
            compile: 0.0,
            native: 0.0,
            waiting: 0.0,
        });
        self.urgency.store((facts.spent / facts.compile.max(1.0)).to_bits(), Ordering::Relaxed);
        let verdict = decision::decide(knobs, &facts);
        slow.verdict = Some(verdict);
        if verdict == Verdict::TooLarge {
            self.never(slow);
        }
        if !verdict.compiles() {
            return Then::Nothing;
        }
        if self.broker.is_inline() {
            slow.phase = Phase::Compiling;
            slow.ticket += 1;
            return Then::Compile(slow.ticket);
        }
        slow.phase = Phase::Queued;
        Then::Queue(verdict.word())
    }

    fn never(&self, slow: &mut Slow) {
        slow.phase = Phase::Never;
        self.settled.store(true, Ordering::Relaxed);
    }

    fn then(self: &Arc<TierState>, then: Then) {
        match then {
            Then::Nothing => {}
            Then::Compile(ticket) => self.generate(ticket),
            Then::Watch => self.broker.watch(),
            Then::Queue(why) => {
                emit(Event::Queued { name: &self.name, why });
                if let Some(who) = self.broker.queue(self) {
                    who.unqueue();
                }
            }
        }
    }

    /// It need not wait any longer: it has to become hotter, or there is nobody to wait for.
    pub(crate) fn unqueue(&self) {
        let mut slow = self.slow();
        if slow.phase == Phase::Queued {
            slow.phase = Phase::Interpreted;
            self.begin_anew(&mut slow);
        }
    }

    /// Its turn has come: the ticket of its compile, if it is still wanted.
    pub(crate) fn begin_queued(&self) -> Option<u64> {
        let mut slow = self.slow();
        if slow.phase != Phase::Queued {
            return None;
        }
        slow.phase = Phase::Compiling;
        slow.ticket += 1;
        Some(slow.ticket)
    }

    /// Compiles, and publishes the code if the ticket is still good.
    pub(crate) fn generate(self: &Arc<TierState>, ticket: u64) {
        match self.broker.generator.compile(&self.program, &self.name) {
            Ok(native) => self.publish(ticket, native),
            Err(why) => self.failed(ticket, &why),
        }
        self.ended.notify_all();
    }

    fn publish(self: &Arc<TierState>, ticket: u64, native: Native) {
        let NativeStats { code_bytes, time, .. } = native.stats();
        let weak = Arc::downgrade(self);
        let limit = self.broker.code_limit();
        let mut slow = self.slow();
        if slow.ticket != ticket {
            return;
        }
        // Under this transform's lock: whoever takes the new code away comes behind its publication.
        let Some(victims) = self.broker.code.admit((self.id, &weak, ticket), code_bytes, limit) else {
            drop(slow);
            let why = format!("{code_bytes} bytes of code, the limit for all is {limit}");
            return self.failed(ticket, &NotCompiled { why, lasting: true });
        };
        slow.phase = Phase::Native;
        slow.why = None;
        slow.compiles.done += 1;
        slow.compiles.micros += time.as_micros() as u64;
        slow.times.forget_native();
        slow.patience = PATIENCE;
        let instructions = slow.instructions;
        self.save(slow.times.usual(Ran::Interpreted).unwrap_or(1.0) * (1.0 - self.broker.predict().ratio()));
        self.code.store(Some(Arc::new(native)));
        self.publication.store(publication(), Ordering::Release);
        self.show(!self.broker.crowd.interprets());
        self.broker.crowd.changed();
        self.settled.store(self.broker.adapts().is_none(), Ordering::Relaxed);
        drop(slow);
        if instructions > 0 {
            self.broker.learn(|p| p.compiled(instructions, time.as_nanos() as f64));
        }
        // Before anybody is told: what has lost its place is not counted any more.
        let evicted = victims.into_iter().filter_map(|(state, ticket)| {
            let state = state.upgrade()?;
            state.evict(ticket).map(|bytes| (state, bytes))
        });
        let evicted: Vec<_> = evicted.collect();
        emit(Event::Compiled { name: &self.name, time, code_bytes });
        for (state, code_bytes) in evicted {
            emit(Event::Evicted { name: &state.name, code_bytes });
        }
    }

    fn failed(&self, ticket: u64, why: &NotCompiled) {
        let mut slow = self.slow();
        if slow.ticket != ticket {
            return;
        }
        slow.ticket += 1;
        slow.phase = Phase::Interpreted;
        slow.compiles.failed += 1;
        slow.why = Some(why.why.clone());
        slow.penalties = slow.penalties.saturating_add(FAILED);
        self.begin_anew(&mut slow);
        if why.lasting || slow.compiles.failed >= MOST_FAILURES {
            self.never(&mut slow);
        }
        drop(slow);
        emit(Event::NotCompiled { name: &self.name, why: &why.why });
    }

    /// Its compile has taken too long.
    pub(crate) fn abandon(&self, ticket: u64, after: Duration) {
        {
            let mut slow = self.slow();
            if slow.ticket != ticket || slow.phase != Phase::Compiling {
                return;
            }
            slow.compiles.abandoned += 1;
        }
        emit(Event::Abandoned { name: &self.name, after });
        let why = format!("compiling took longer than {after:?} and was given up");
        self.failed(ticket, &NotCompiled { why, lasting: false });
        self.ended.notify_all();
    }

    /// Its code has made room for other code; how much, if it was still there.
    fn evict(&self, ticket: u64) -> Option<usize> {
        let mut slow = self.slow();
        if slow.ticket != ticket || slow.phase != Phase::Native {
            return None;
        }
        let code_bytes = self.take_code(&mut slow);
        slow.compiles.evictions += 1;
        slow.penalties = slow.penalties.saturating_add(1);
        slow.why = Some(EVICTED.into());
        Some(code_bytes)
    }

    /// Native code, and whether it is worth its place.
    fn judge(&self, mut slow: MutexGuard<'_, Slow>, sample: &Sample, per_byte: f64) {
        let class = sample.class;
        let Some(mut turns) = slow.turns.take_if(|t| t.class == class) else {
            return self.doubt(slow, sample);
        };
        match sample.ran {
            Ran::Interpreted => turns.interpreted.push(per_byte),
            Ran::Native => turns.native.push(per_byte),
        }
        match decision::compare(&turns.interpreted, &turns.native) {
            Worth::Unknown => {
                if turns.interpreted.len() <= turns.native.len() {
                    self.ask(class);
                }
                slow.turns = Some(turns);
            }
            Worth::Slower => self.step_back(slow, &turns),
            Worth::Keeps | Worth::Doubtful => {
                slow.patience = slow.patience.saturating_mul(2);
                slow.times.restart(class, &turns.interpreted);
            }
        }
    }

    /// Not in turns yet; perhaps it should be.
    fn doubt(&self, mut slow: MutexGuard<'_, Slow>, sample: &Sample) {
        let class = sample.class;
        let (interpreted, native) = (slow.times.rate(Ran::Interpreted, class), slow.times.rate(Ran::Native, class));
        match decision::doubt(interpreted.pair(), native.pair()) {
            Worth::Doubtful if native.samples >= slow.patience && slow.turns.is_none() => {
                let room = || Vec::with_capacity(TURNS + 1);
                slow.turns = Some(Turns { class, interpreted: room(), native: room() });
                self.ask(class);
            }
            Worth::Keeps if native.samples.is_power_of_two() => {
                self.save(interpreted.average - native.average);
                self.broker.learn(|p| p.measured(interpreted.average, native.average));
            }
            _ => {}
        }
        // Once for so many of native code, not once more for what was asked for.
        let often = class == Class::Few || interpreted.samples < decision::FEWEST;
        let each = if often { PROBE_EACH } else { REFRESH_EACH };
        if sample.ran == Ran::Native && native.samples % each == each - 1 {
            self.ask(class);
        }
    }

    /// The next call of this class that is timed is to be interpreted.
    fn ask(&self, class: Class) {
        self.probe.store(probe(class), Ordering::Relaxed);
    }

    fn step_back(&self, mut slow: MutexGuard<'_, Slow>, turns: &Turns) {
        let (i, n) = (decision::median(&turns.interpreted), decision::median(&turns.native));
        self.take_code(&mut slow);
        slow.compiles.steps_back += 1;
        slow.penalties = slow.penalties.saturating_add(FAILED);
        slow.why = Some(format!("native code measured slower than the interpreter: {n:.2} ns a byte, and {i:.2}"));
        if slow.compiles.steps_back >= MOST_FAILURES {
            self.never(&mut slow);
        }
        drop(slow);
        self.broker.learn(|p| p.measured(i, n));
        emit(Event::SteppedBack { name: &self.name, interpreted: i, native: n });
    }

    /// Back to the interpreter; returns the bytes of code that go when their last call returns.
    fn take_code(&self, slow: &mut Slow) -> usize {
        self.publication.store(0, Ordering::Release);
        self.show(false);
        self.broker.crowd.changed();
        let native = self.code.swap(None);
        self.broker.code.release(self.id);
        slow.ticket += 1;
        slow.phase = Phase::Interpreted;
        slow.turns = None;
        self.begin_anew(slow);
        native.map_or(0, |n| n.code_bytes())
    }

    /// What it has earned is spent.
    fn begin_anew(&self, slow: &mut Slow) {
        slow.since = (slow.times.spent(Ran::Interpreted), self.counters.sum().interpreted_bytes);
        slow.expected = 0;
    }

    fn save(&self, nanoseconds: f64) {
        self.saved.store(nanoseconds.max(0.01).to_bits(), Ordering::Relaxed);
    }

    /// Bytes that it has seen in all, and nanoseconds that code saves for each.
    pub(crate) fn use_of_code(&self) -> (u64, f64) {
        let sum = self.counters.sum();
        (sum.interpreted_bytes + sum.native_bytes, f64::from_bits(self.saved.load(Ordering::Relaxed)))
    }

    /// How many times its price it has earned.
    pub(crate) fn urgency(&self) -> f64 {
        f64::from_bits(self.urgency.load(Ordering::Relaxed))
    }

    /// Native code, made here and now if there is none; if somebody makes it already, that is waited for, and what comes
    /// of it holds.
    pub(crate) fn compile(self: &Arc<TierState>) -> Result<NativeStats, String> {
        let mut slow = self.slow();
        match (slow.phase, self.broker.off()) {
            (Phase::Native, _) => drop(slow),
            (Phase::Compiling, _) => self.wait(slow),
            (_, Some(off)) => {
                slow.why = Some(off.into());
                drop(slow);
            }
            (Phase::Interpreted | Phase::Queued | Phase::Never, None) => {
                slow.phase = Phase::Compiling;
                slow.ticket += 1;
                let ticket = slow.ticket;
                drop(slow);
                self.generate(ticket);
            }
        }
        self.native().unwrap_or_else(|| Err(EVICTED.into()))
    }

    /// Until a compile has ended, or was given up.
    fn wait<'a>(&'a self, mut slow: MutexGuard<'a, Slow>) {
        let ticket = slow.ticket;
        while slow.phase == Phase::Compiling && slow.ticket == ticket {
            let waited = self.ended.wait_timeout(slow, LOOK);
            let (again, result) = waited.unwrap_or_else(PoisonError::into_inner);
            slow = again;
            if result.timed_out() {
                drop(slow);
                self.broker.watch();
                slow = self.slow();
            }
        }
    }

    /// The code there is, or why there is none; `None` if nobody has asked for it.
    pub(crate) fn native(&self) -> Option<Result<NativeStats, String>> {
        // Under the lock, so that code and reason belong together.
        let slow = self.slow();
        match self.code.load_full() {
            Some(native) => Some(Ok(native.stats())),
            None => slow.why.clone().map(Err),
        }
    }

    fn exits(&self) -> Exits {
        let get = |at: usize| self.exits.get(at).map_or(0, |e| e.load(Ordering::Relaxed));
        Exits { need_input: get(0), output_full: get(1), reject: get(2) }
    }

    pub(crate) fn done(&self) -> Done {
        let slow = self.slow();
        let spent = [slow.times.spent(Ran::Interpreted), slow.times.spent(Ran::Native)];
        Done { sum: self.counters.sum(), spent, exits: self.exits(), compiles: slow.compiles }
    }

    pub(crate) fn stats(&self) -> TransformStats {
        let done = self.done();
        let slow = self.slow();
        let tier = match slow.phase {
            Phase::Interpreted | Phase::Never => Tier::Interpreter,
            Phase::Queued => Tier::Queued,
            Phase::Compiling => Tier::Compiling,
            Phase::Native => Tier::Native,
        };
        let why = slow.why.clone().or_else(|| slow.verdict.map(|v| v.word().into()));
        TransformStats {
            id: self.id,
            name: self.name.clone(),
            tier,
            why_not_native: why.filter(|_| tier != Tier::Native),
            interpreted: done.interpreted(),
            native: done.native(),
            checked_records: done.sum.checked,
            exits: done.exits,
            compiles: done.compiles,
            predicted_micros: (self.broker.predict().compile(slow.instructions) / 1e3) as u64,
            code_bytes: self.code.load().as_ref().map_or(0, |n| n.code_bytes()),
        }
    }
}

fn probe(class: Class) -> u8 {
    class as u8 + 1
}

impl Drop for TierState {
    fn drop(&mut self) {
        self.broker.leave(self.id, &self.done());
    }
}

#[cfg(all(test, feature = "jit"))]
mod tests;
