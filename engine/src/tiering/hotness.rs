//! What a transform has done: counters that every call adds to, and a clock that some calls read.
//!
//! A call adds to counters of its thread's own. A clock is read for calls of many bytes, for a transform's first, and for
//! one in about 128 of the others, chosen at random: transforms that take turns are all met, and what one such call took
//! stands for 128.

use reschema_interp::Batch;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Values from which what is around them hardly counts.
pub(crate) const MANY: u64 = 64;
/// Bytes from which a call is timed: a clock costs nothing beside them, and some hundred of them may cost as much as
/// compiling.
pub(crate) const LARGE: f64 = 16384.0;
/// Smaller calls of which one is timed, on average.
pub(crate) const EACH: u32 = 128;
/// Weight of the last measurement in an average.
const NEW: f64 = 0.125;
/// A measurement counts at most as many times the average: others are interruptions.
const MOST: f64 = 4.0;

/// Chooses calls to be timed. One a thread.
pub(crate) struct Sampler {
    /// Calls until one is timed.
    left: u32,
    /// Calls up to that one.
    calls: u64,
    random: u32,
}

impl Default for Sampler {
    fn default() -> Sampler {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        // Any number but 0 will do; threads differ.
        let random = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9) | 1;
        let mut sampler = Sampler { left: 1, calls: 0, random };
        sampler.again();
        sampler
    }
}

impl Sampler {
    /// Whether a small call is timed.
    #[inline]
    pub(crate) fn strikes(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.again()
    }

    /// Calls so far, if one is timed now.
    pub(crate) fn calls(&self) -> u64 {
        self.calls - u64::from(self.left)
    }

    #[cold]
    fn again(&mut self) -> bool {
        // Xorshift: an even pace would meet only some of those who take turns.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.left = 1 + self.random % (2 * EACH - 1);
        self.calls += u64::from(self.left);
        true
    }
}

/// Which tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    Interpreted,
    Native,
}

/// A call that is timed.
pub(crate) struct Timed {
    start: Instant,
    /// Calls that it stands for.
    weight: f64,
    class: Class,
}

/// Calls of few values spend much of their time around them: they are compared with their like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Few,
    Many,
}

impl Timed {
    /// A call of so many values begins, of a size that is known or not, and stands for so many calls.
    pub(crate) fn begin(count: u64, mean: Option<f64>, calls: u32) -> Timed {
        let many = count >= MANY || mean.is_some_and(|m| m >= LARGE);
        let class = if many { Class::Many } else { Class::Few };
        Timed { start: Instant::now(), weight: f64::from(calls), class }
    }

    pub(crate) fn class(&self) -> Class {
        self.class
    }

    pub(crate) fn end(&self, ran: Ran, bytes: usize) -> Sample {
        let nanoseconds = self.start.elapsed().as_nanos() as u64 as f64;
        Sample { ran, class: self.class, weight: self.weight, bytes: bytes.max(1) as f64, nanoseconds }
    }
}

/// A call that was timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) ran: Ran,
    pub(crate) class: Class,
    pub(crate) weight: f64,
    /// At least one.
    pub(crate) bytes: f64,
    pub(crate) nanoseconds: f64,
}

/// Nanoseconds a byte, as they were last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rate {
    pub(crate) average: f64,
    pub(crate) samples: u32,
}

impl Rate {
    fn add(&mut self, nanoseconds: f64) -> f64 {
        // If it was the average that was interrupted, it does not stand for long.
        self.average = if self.samples == 0 { nanoseconds } else { self.average.min(nanoseconds * MOST) };
        let counted = nanoseconds.min(self.average * MOST);
        self.average += NEW * (counted - self.average);
        self.samples = self.samples.saturating_add(1);
        counted
    }

    pub(crate) fn pair(&self) -> (f64, u32) {
        (self.average, self.samples)
    }
}

/// What was timed, by tier.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    rates: [[Rate; 2]; 2],
    /// Nanoseconds in all, as far as they were measured or stand for others.
    spent: [f64; 2],
}

impl Times {
    /// Takes a sample, and returns its nanoseconds a byte.
    pub(crate) fn add(&mut self, sample: &Sample) -> f64 {
        let rate = &mut self.rates[sample.ran as usize][sample.class as usize];
        // The first may be what an interruption or a cold cache took: it does not stand for others.
        let weight = if rate.samples == 0 { 1.0 } else { sample.weight };
        let counted = rate.add(sample.nanoseconds / sample.bytes);
        self.spent[sample.ran as usize] += counted * sample.bytes * weight;
        counted
    }

    pub(crate) fn spent(&self, ran: Ran) -> f64 {
        self.spent[ran as usize]
    }

    pub(crate) fn rate(&self, ran: Ran, class: Class) -> Rate {
        self.rates[ran as usize][class as usize]
    }

    /// Of the class that was measured more often.
    pub(crate) fn usual(&self, ran: Ran) -> Option<f64> {
        let best = self.rates[ran as usize].iter().max_by_key(|r| r.samples)?;
        (best.samples > 0).then_some(best.average)
    }

    /// Forgets how fast native code was: there will be other code, or other data.
    pub(crate) fn forget_native(&mut self) {
        self.rates[Ran::Native as usize] = Default::default();
    }

    /// Goes by what the interpreter takes now, and waits for more before code is doubted again.
    pub(crate) fn restart(&mut self, class: Class, interpreted: &[f64]) {
        let average = super::decision::median(interpreted);
        let samples = interpreted.len() as u32;
        self.rates[Ran::Interpreted as usize][class as usize] = Rate { average, samples };
        self.rates[Ran::Native as usize][class as usize].samples = 0;
    }
}

/// What calls have done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    /// Values on the fast path of the interpreter.
    pub(crate) fast: u64,
    /// Values by the checking interpreter.
    pub(crate) checked: u64,
    /// Values by native code.
    pub(crate) native: u64,
    /// Bytes of input of calls on the interpreter.
    pub(crate) interpreted_bytes: u64,
    /// Bytes of input of calls on native code.
    pub(crate) native_bytes: u64,
}

impl std::ops::AddAssign for Sum {
    fn add_assign(&mut self, other: Sum) {
        self.fast += other.fast;
        self.checked += other.checked;
        self.native += other.native;
        self.interpreted_bytes += other.interpreted_bytes;
        self.native_bytes += other.native_bytes;
    }
}

/// Counters of a thread, in a line of the cache.
#[derive(Default)]
#[repr(align(64))]
struct Shard {
    /// By tier.
    values: [AtomicU64; 2],
    bytes: [AtomicU64; 2],
    checked: AtomicU64,
}

/// Counters of all threads.
#[derive(Default)]
pub(crate) struct Counters {
    /// Each for who has its lane: nobody else writes to it, so that no instruction has to wait for other processors.
    own: [Shard; LANES],
    /// For those who have none.
    shared: Shard,
}

impl Counters {
    #[inline]
    pub(crate) fn add(&self, lane: &Lane, ran: Ran, batch: &Batch) {
        let Some(shard) = self.own.get(lane.0) else { return self.shared.add(ran, batch) };
        let add = |counter: &AtomicU64, n: u64| {
            counter.store(counter.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
        };
        add(&shard.values[ran as usize], batch.values - batch.checked);
        add(&shard.bytes[ran as usize], batch.consumed as u64);
        if batch.checked > 0 {
            add(&shard.checked, batch.checked);
        }
    }

    pub(crate) fn sum(&self) -> Sum {
        let mut sum = Sum::default();
        for shard in self.own.iter().chain([&self.shared]) {
            let get = |counters: &[AtomicU64; 2], ran| counters[ran as usize].load(Ordering::Relaxed);
            sum += Sum {
                fast: get(&shard.values, Ran::Interpreted),
                checked: shard.checked.load(Ordering::Relaxed),
                native: get(&shard.values, Ran::Native),
                interpreted_bytes: get(&shard.bytes, Ran::Interpreted),
                native_bytes: get(&shard.bytes, Ran::Native),
            };
        }
        sum
    }
}

impl Shard {
    #[cold]
    fn add(&self, ran: Ran, batch: &Batch) {
        self.values[ran as usize].fetch_add(batch.values - batch.checked, Ordering::Relaxed);
        self.bytes[ran as usize].fetch_add(batch.consumed as u64, Ordering::Relaxed);
        self.checked.fetch_add(batch.checked, Ordering::Relaxed);
    }
}

/// Threads that have counters of their own.
const LANES: usize = 16;
/// Those that are taken, a bit each.
static TAKEN: AtomicU32 = AtomicU32::new(0);

/// A place among the counters, of one thread at a time; or none, where others were faster.
pub(crate) struct Lane(usize);

impl Default for Lane {
    fn default() -> Lane {
        let take = |taken: u32| (taken.trailing_ones() < LANES as u32).then(|| taken | (taken + 1));
        // Acquired from who had it before: what that thread has added is seen.
        let before = TAKEN.fetch_update(Ordering::AcqRel, Ordering::Acquire, take);
        Lane(before.map_or(LANES, |taken| taken.trailing_ones() as usize))
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if self.0 < LANES {
            TAKEN.fetch_and(!(1 << self.0), Ordering::AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_take_turns_are_all_met() {
        let mut sampler = Sampler::default();
        let mut met = [0; 64];
        for call in 0..640_000 {
            met[call % 64] += u32::from(sampler.strikes());
        }
        let (least, most) = (met.iter().min(), met.iter().max());
        assert!(least >= Some(&40) && most <= Some(&130), "{met:?}");
    }

    #[test]
    fn counts_are_exact_on_any_number_of_threads() {
        let counters = Counters::default();
        let batch = Batch { values: 3, consumed: 7, fast: 2, checked: 1, compiled: 0 };
        for _ in 0..3 {
            std::thread::scope(|scope| {
                for _ in 0..2 * LANES {
                    scope.spawn(|| {
                        let lane = Lane::default();
                        (0..1000).for_each(|_| counters.add(&lane, Ran::Interpreted, &batch));
                    });
                }
            });
        }
        let (sum, calls) = (counters.sum(), 3 * 2 * LANES as u64 * 1000);
        assert_eq!((sum.fast, sum.checked, sum.interpreted_bytes), (2 * calls, calls, 7 * calls));
    }

    #[test]
    fn interruptions_count_little() {
        let mut times = Times::default();
        let sample =
            |nanoseconds| Sample { ran: Ran::Interpreted, class: Class::Many, weight: 1.0, bytes: 100.0, nanoseconds };
        (0..10).for_each(|_| assert_eq!(times.add(&sample(200.0)), 2.0));
        assert_eq!((times.usual(Ran::Interpreted), times.usual(Ran::Native)), (Some(2.0), None));
        times.add(&sample(1e9));
        assert_eq!(times.spent(Ran::Interpreted), 2000.0 + 800.0);
        assert!(times.usual(Ran::Interpreted) < Some(3.0));
        // Nor does the first, of few values, stand for all that were not timed.
        let mut times = Times::default();
        let few = |nanoseconds| Sample { class: Class::Few, weight: 128.0, ..sample(nanoseconds) };
        times.add(&few(1e9));
        assert_eq!(times.spent(Ran::Interpreted), 1e9);
        times.add(&few(100.0));
        assert!(times.usual(Ran::Interpreted) < Some(4.0));
    }
}
