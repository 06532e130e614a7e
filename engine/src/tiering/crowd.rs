//! Small calls of many transforms in turns, compared together.
//!
//! Native code of many transforms that take turns is more than a processor's caches hold, and each costs the others, and
//! whoever calls them, their place there. None of them sees that: a call that is interpreted among native ones finds the
//! interpreter cold, and loses against code that all would do better without. So an engine runs such calls in whole stretches
//! on one tier, and then on the other, and keeps the one that took less time a call. A thread's time counts, not what a
//! clock around the calls says: what they have pushed out of the caches is paid for outside.
//!
//! Of the crowd are small calls of transforms that have code, on a thread that runs others too. While the crowd is
//! interpreted, such transforms hide their code from small calls.

use super::decision::{self, Worth};
use crate::stats::CrowdStats;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Timed calls of a stretch, on one thread: some eight thousand calls.
const STRETCH: u32 = 64;
/// How many of them come first and do not count, since they find the other tier in the caches.
const COLD: u32 = 8;
/// Timed calls before the first comparison.
const EVIDENCE: u32 = 32;
/// Transforms that are a crowd, at least.
const FEWEST: u32 = 2;
/// Timed calls in a row of one transform that has its thread to itself: there is no crowd.
const ROW: u32 = 8;
/// Timed calls between the first two comparisons: some million calls. Each comparison that finds what the one before has
/// found doubles it, up to the other.
const PATIENCE: u32 = 8192;
const MOST_PATIENCE: u32 = 16 * PATIENCE;
/// Comparisons in a row that count for nothing, because code came or went meanwhile, before one counts all the same.
const MOST_DISTURBED: u32 = 3;

/// What an engine knows of its crowd.
#[derive(Default)]
pub(crate) struct Crowd {
    /// Whether calls of the crowd are interpreted now.
    interprets: AtomicBool,
    /// Number of the stretch.
    stretch: AtomicU32,
    /// Publications of code, and the ends of them.
    changes: AtomicU32,
    inner: Mutex<Inner>,
}

/// A comparison has ended: time on native code for each nanosecond on the interpreter, and who runs the crowd now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) interprets: bool,
    pub(crate) ratio: f64,
    /// Whether it is not what held before.
    pub(crate) is_new: bool,
}

/// What a timed call of the crowd means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meeting {
    /// Its transform may be judged by itself: the crowd rests on native code.
    Alone,
    /// It says nothing of its transform by itself.
    Compared,
    /// A stretch has ended, and perhaps a comparison: the crowd changes its tier.
    Ended(Option<Found>),
}

#[derive(Default)]
struct Inner {
    trial: Option<Trial>,
    /// Timed calls since the last comparison.
    rested: u32,
    /// Transforms among them, a bit each, several to a bit.
    seen: u64,
    patience: u32,
    disturbed: u32,
    comparisons: u64,
    found: Option<Found>,
}

/// A comparison: nanoseconds a call of each stretch.
struct Trial {
    interpreted: Vec<f64>,
    native: Vec<f64>,
    /// Of code, when it began.
    changes: u32,
}

/// What a thread knows of the crowds that it is in.
#[derive(Default)]
pub(crate) struct Member {
    /// Address of the transform that was timed last, and how many times in a row.
    last: usize,
    row: u32,
    /// The stretch, timed calls of it, and where it stood when they began to count.
    stretch: u32,
    calls: u32,
    begin: (u64, f64),
    /// Nanoseconds of large calls meanwhile.
    aside: f64,
}

impl Member {
    /// A small call of a transform is timed; whether the thread runs others too.
    pub(crate) fn takes_turns(&mut self, transform: usize) -> bool {
        self.row = if self.last == transform { self.row.saturating_add(1) } else { 1 };
        self.last = transform;
        self.row < ROW
    }

    /// A large call has taken so long.
    pub(crate) fn set_aside(&mut self, nanoseconds: f64) {
        self.aside += nanoseconds;
    }

    /// One more timed call of a stretch; what a call took, if the stretch is over. `calls` counts those of the thread.
    fn advance(&mut self, stretch: u32, calls: u64) -> Option<f64> {
        if self.stretch != stretch {
            (self.stretch, self.calls) = (stretch, 0);
        }
        self.calls += 1;
        match self.calls {
            COLD => {
                self.aside = 0.0;
                self.begin = (calls, clock::nanoseconds());
                None
            }
            STRETCH => {
                self.calls = 0;
                let (from, begin) = self.begin;
                Some((clock::nanoseconds() - begin - self.aside) / calls.wrapping_sub(from).max(1) as f64)
            }
            _ => None,
        }
    }
}

impl Crowd {
    /// Whether calls of the crowd are to be interpreted.
    pub(crate) fn interprets(&self) -> bool {
        self.interprets.load(Ordering::Acquire)
    }

    /// A transform has code now, or has it no more.
    pub(crate) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// A call of the crowd was timed, of the transform of this number; the thread has made so many calls in all.
    pub(crate) fn met(&self, member: &mut Member, id: u64, calls: u64) -> Meeting {
        let stretch = self.stretch.load(Ordering::Acquire);
        // It is one of many: no thread waits for another.
        let Ok(mut inner) = self.inner.try_lock() else { return Meeting::Compared };
        if inner.trial.is_none() {
            if inner.rest(id) {
                inner.trial = Some(Trial::new(self.changes.load(Ordering::Relaxed)));
                self.stretch.fetch_add(1, Ordering::Release);
            }
            return if self.interprets() { Meeting::Compared } else { Meeting::Alone };
        }
        match member.advance(stretch, calls) {
            // Of two threads that end a stretch, one is late.
            Some(figure) if stretch == self.stretch.load(Ordering::Relaxed) => self.end(&mut inner, figure),
            _ => Meeting::Compared,
        }
    }

    /// A stretch has ended.
    fn end(&self, inner: &mut Inner, figure: f64) -> Meeting {
        let Some(trial) = &mut inner.trial else { return Meeting::Compared };
        let interprets = self.interprets();
        if interprets { &mut trial.interpreted } else { &mut trial.native }.push(figure);
        self.stretch.fetch_add(1, Ordering::Release);
        let worth = decision::compare_crowd(&trial.interpreted, &trial.native);
        if worth == Worth::Unknown {
            self.interprets.store(!interprets, Ordering::Release);
            return Meeting::Ended(None);
        }
        let ratio = decision::median(&trial.native) / decision::median(&trial.interpreted);
        let changes = self.changes.load(Ordering::Relaxed).wrapping_sub(trial.changes);
        let found = inner.conclude(worth == Worth::Slower, ratio, changes);
        self.interprets.store(inner.interprets(), Ordering::Release);
        Meeting::Ended(found)
    }

    pub(crate) fn stats(&self) -> CrowdStats {
        let inner = self.inner();
        CrowdStats {
            comparisons: inner.comparisons,
            interpreted: inner.interprets(),
            native_to_interpreted: inner.found.map(|f| f.ratio),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Nothing that may panic runs under the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// What was found last.
    fn interprets(&self) -> bool {
        self.found.is_some_and(|f| f.interprets)
    }

    /// A call while nothing is compared; whether it is time to.
    fn rest(&mut self, id: u64) -> bool {
        self.rested += 1;
        self.seen |= 1 << (id % 64);
        self.rested >= self.patience.max(EVIDENCE) && self.seen.count_ones() >= FEWEST
    }

    /// A comparison has ended, in the course of which so much code came or went.
    fn conclude(&mut self, interprets: bool, ratio: f64, changes: u32) -> Option<Found> {
        self.trial = None;
        self.rested = 0;
        let disturbed = changes > self.seen.count_ones() / 8 && self.disturbed < MOST_DISTURBED;
        self.seen = 0;
        if disturbed {
            self.disturbed += 1;
            self.patience = EVIDENCE;
            return None;
        }
        let is_new = interprets != self.interprets();
        let confirmed = self.found.is_some() && !is_new;
        self.patience =
            if confirmed { self.patience.saturating_mul(2).clamp(PATIENCE, MOST_PATIENCE) } else { PATIENCE };
        self.disturbed = 0;
        self.comparisons += 1;
        self.found = Some(Found { interprets, ratio, is_new });
        self.found
    }
}

impl Trial {
    fn new(changes: u32) -> Trial {
        let room = || Vec::with_capacity(decision::TURNS + 1);
        Trial { interpreted: room(), native: room(), changes }
    }
}

/// What the thread has worked, not what it has waited for, where the system tells it.
mod clock {
    #[cfg(target_os = "linux")]
    pub(super) fn nanoseconds() -> f64 {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn nanoseconds() -> f64 {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Crowd {
        /// Timed calls of so many transforms until a comparison begins; how many.
        fn until_compared(&self, transforms: u64) -> u32 {
            let mut member = Member::default();
            let calls = (1..1_000_000).find(|n| {
                self.met(&mut member, u64::from(*n) % transforms, 0);
                self.inner().trial.is_some()
            });
            calls.expect("a comparison")
        }

        /// Stretches of so many nanoseconds a call, until a comparison ends.
        fn stretches(&self, interpreted: f64, native: f64) -> (u32, Option<Found>) {
            for n in 1..1000 {
                let figure = if self.interprets() { interpreted } else { native };
                let Meeting::Ended(found) = self.end(&mut self.inner(), figure) else { panic!("a stretch has ended") };
                if self.inner().trial.is_none() {
                    return (n, found);
                }
            }
            panic!("no end")
        }
    }

    #[test]
    fn a_crowd_that_loses_is_interpreted_and_asked_again_less_and_less() {
        let crowd = Crowd::default();
        assert_eq!(crowd.until_compared(64), EVIDENCE);
        let (stretches, found) = crowd.stretches(1.0, 1.2);
        assert_eq!((stretches, found), (30, Some(Found { interprets: true, ratio: 1.2, is_new: true })));
        assert!(crowd.interprets());
        let mut waited = Vec::new();
        for _ in 0..6 {
            waited.push(crowd.until_compared(64) / PATIENCE);
            let (_, found) = crowd.stretches(1.0, 1.2);
            assert_eq!(found, Some(Found { interprets: true, ratio: 1.2, is_new: false }));
        }
        assert_eq!(waited, [1, 2, 4, 8, 16, 16]);
        // Other data: native code wins.
        crowd.until_compared(64);
        assert_eq!(crowd.stretches(1.0, 0.5).1, Some(Found { interprets: false, ratio: 0.5, is_new: true }));
        assert!(!crowd.interprets());
        assert_eq!(crowd.until_compared(64), PATIENCE);
        assert_eq!(crowd.stats().comparisons, 8);
    }

    #[test]
    fn code_that_comes_or_goes_spoils_a_comparison_but_not_for_ever() {
        let crowd = Crowd::default();
        for _ in 0..MOST_DISTURBED {
            crowd.until_compared(64);
            (0..5).for_each(|_| crowd.changed());
            assert_eq!(crowd.stretches(1.0, 2.0).1, None);
            assert!(!crowd.interprets());
        }
        assert_eq!(crowd.until_compared(64), EVIDENCE);
        (0..5).for_each(|_| crowd.changed());
        assert!(crowd.stretches(1.0, 2.0).1.is_some_and(|f| f.interprets));
    }

    #[test]
    fn a_stretch_is_of_one_thread_and_tells_time_a_call() {
        let (mut one, mut other) = (Member::default(), Member::default());
        for n in 1..STRETCH {
            assert_eq!(one.advance(1, u64::from(n) * 100), None);
        }
        assert_eq!(other.advance(1, 7), None);
        let figure = one.advance(1, 6400).expect("an end");
        assert!(figure > 0.0 && figure < 1e6, "{figure}");
        // Another stretch begins anew, large calls do not count.
        for n in 1..STRETCH {
            assert_eq!(one.advance(2, u64::from(n)), None);
            one.set_aside(1e9);
        }
        assert!(one.advance(2, 64).is_some_and(|figure| figure < 0.0));
    }

    #[test]
    fn who_has_a_thread_alone_is_no_crowd() {
        let mut member = Member::default();
        assert!((0..100).all(|n| member.takes_turns(n % 2)));
        let in_turns = (0..100).filter(|_| member.takes_turns(7)).count();
        assert_eq!(in_turns, ROW as usize - 1);
        let crowd = Crowd::default();
        assert!((0..1000).all(|_| crowd.met(&mut member, 3, 0) == Meeting::Alone));
    }
}
