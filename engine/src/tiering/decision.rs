//! The rule: whether to compile, whether code is worth keeping. Pure functions of what was measured, so that tests can ask
//! them anything.
//!
//! Whether more data will come is not known, as with skis that one may rent or buy. Who rents until the rent comes to the
//! price, and then buys, pays at most twice what was best: so a transform is compiled when interpreting it has taken as
//! long as compiling is predicted to take. A call that brings many values at once is not uncertain, and is decided at once.

use super::Adaptive;

/// What a decision goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    /// Nanoseconds of interpreting since the transform began, or began anew, to earn its compile.
    pub(crate) spent: f64,
    /// Bytes of input in that time.
    pub(crate) bytes: u64,
    /// Bytes of input that are known to come.
    pub(crate) ahead: u64,
    /// Nanoseconds that compiling is predicted to take.
    pub(crate) compile: f64,
    /// Instructions of the code generator's IR, estimated.
    pub(crate) instructions: usize,
    /// Nanoseconds a byte on the interpreter.
    pub(crate) interpreted: f64,
    /// The same for native code, predicted.
    pub(crate) native: f64,
    /// Transforms that wait to be compiled, for each thread.
    pub(crate) waiting: f64,
    /// Times that this transform has lost its code or failed to get it; each doubles what must be earned.
    pub(crate) penalties: u32,
}

/// What is decided, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Interpret: the routine would be larger than allowed.
    TooLarge,
    /// Interpret: there are hardly any data.
    BelowFloor,
    /// Interpret: it has not cost as much as compiling would.
    NotYet,
    /// Compile: interpreting has cost as much as compiling will.
    WorkPays,
    /// Compile: what is known to come pays for it.
    BatchPays,
    /// Compile: there are so many bytes that nothing else counts.
    AtCeiling,
}

impl Verdict {
    pub(crate) fn compiles(self) -> bool {
        matches!(self, Verdict::WorkPays | Verdict::BatchPays | Verdict::AtCeiling)
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Verdict::TooLarge => "too large",
            Verdict::BelowFloor => "below the floor",
            Verdict::NotYet => "not yet",
            Verdict::WorkPays => "work pays",
            Verdict::BatchPays => "batch pays",
            Verdict::AtCeiling => "at the ceiling",
        }
    }
}

/// Penalties beyond which more cost nothing more.
const MOST_PENALTIES: u32 = 10;
/// Waiting transforms, a thread, that double what must be earned: what waits long gains less.
const CROWD: f64 = 16.0;
/// An estimate of a size may be wrong by this factor; the code generator itself stops at the limit.
const DOUBT: usize = 2;

/// Whether to compile a transform.
pub(crate) fn decide(knobs: &Adaptive, facts: &Facts) -> Verdict {
    let penalty = f64::from(1u32 << facts.penalties.min(MOST_PENALTIES));
    let at_least = |limit: u64| facts.bytes.saturating_add(facts.ahead) as f64 >= limit as f64 * penalty;
    if facts.instructions / DOUBT > knobs.largest {
        Verdict::TooLarge
    } else if !at_least(knobs.floor) {
        Verdict::BelowFloor
    } else if at_least(knobs.ceiling) {
        Verdict::AtCeiling
    } else {
        let price = knobs.factor * facts.compile * penalty * (1.0 + facts.waiting / CROWD);
        let saved = facts.ahead as f64 * (facts.interpreted - facts.native);
        match (facts.spent >= price, saved >= price) {
            (true, _) => Verdict::WorkPays,
            (false, true) => Verdict::BatchPays,
            (false, false) => Verdict::NotYet,
        }
    }
}

/// What a comparison of both tiers says of native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worth {
    /// Too little was measured.
    Unknown,
    /// It stays.
    Keeps,
    /// Its average is worse than the interpreter's was, which may be due to other data: both are to be measured in turns.
    Doubtful,
    /// Measured in turns with the interpreter, it is slower.
    Slower,
}

/// Turns of each tier in a comparison.
pub(crate) const TURNS: usize = 15;
/// Measurements behind an average of native code that is believed.
pub(crate) const BELIEVED: u32 = 16;
/// The same for the interpreter, which native code is compared with.
pub(crate) const FEWEST: u32 = 4;

/// By averages: nanoseconds a byte, and measurements behind them.
pub(crate) fn doubt(interpreted: (f64, u32), native: (f64, u32)) -> Worth {
    match (interpreted, native) {
        ((_, 0..FEWEST), _) | (_, (_, 0..BELIEVED)) => Worth::Unknown,
        ((i, _), (n, _)) if n > i => Worth::Doubtful,
        _ => Worth::Keeps,
    }
}

/// By measurements in turns: medians, so that what else the machine does at the time does not decide.
pub(crate) fn compare(interpreted: &[f64], native: &[f64]) -> Worth {
    if interpreted.len() < TURNS || native.len() < TURNS {
        Worth::Unknown
    } else if median(native) > median(interpreted) {
        Worth::Slower
    } else {
        Worth::Keeps
    }
}

/// What native code of a crowd takes, at most, for each nanosecond on the interpreter: if it gains less, the interpreter leaves
/// the caches to others.
const CROWD_GAINS: f64 = 0.95;

/// By stretches in turns, of many transforms together.
pub(crate) fn compare_crowd(interpreted: &[f64], native: &[f64]) -> Worth {
    match compare(interpreted, native) {
        Worth::Unknown => Worth::Unknown,
        _ if median(native) > median(interpreted) * CROWD_GAINS => Worth::Slower,
        _ => Worth::Keeps,
    }
}

pub(crate) fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiering::Tiering;

    /// 1 ns a byte, half of it native, a compile of 1 ms.
    fn facts(bytes: u64, ahead: u64) -> Facts {
        Facts {
            spent: bytes as f64,
            bytes,
            ahead,
            compile: 1e6,
            instructions: 300,
            interpreted: 1.0,
            native: 0.5,
            waiting: 0.0,
            penalties: 0,
        }
    }

    #[test]
    fn work_is_rent_until_it_is_the_price() {
        let knobs = Tiering::adaptive();
        for (bytes, want) in [
            (0, Verdict::BelowFloor),
            ((64 << 10) - 1, Verdict::BelowFloor),
            (64 << 10, Verdict::NotYet),
            (999_999, Verdict::NotYet),
            (1_000_000, Verdict::WorkPays),
            (1 << 30, Verdict::AtCeiling),
        ] {
            assert_eq!(decide(&knobs, &facts(bytes, 0)), want, "{bytes}");
        }
        let twice = knobs.factor(2.0);
        assert_eq!(decide(&twice, &facts(1_999_999, 0)), Verdict::NotYet);
        assert_eq!(decide(&twice, &facts(2_000_000, 0)), Verdict::WorkPays);
    }

    #[test]
    fn a_known_batch_decides_at_once() {
        let knobs = Tiering::adaptive();
        // It saves half a nanosecond a byte.
        assert_eq!(decide(&knobs, &facts(0, 1_999_999)), Verdict::NotYet);
        assert_eq!(decide(&knobs, &facts(0, 2_000_000)), Verdict::BatchPays);
        assert_eq!(decide(&knobs, &Facts { native: 1.0, ..facts(0, 1 << 29) }), Verdict::NotYet);
        assert_eq!(decide(&knobs, &facts(0, 1 << 30)), Verdict::AtCeiling);
    }

    #[test]
    fn a_threshold_needs_no_clock() {
        let knobs = Tiering::adaptive().threshold(1000);
        let slow = |bytes| Facts { spent: 1e12, ..facts(bytes, 0) };
        assert_eq!(decide(&knobs, &slow(999)), Verdict::BelowFloor);
        assert_eq!(decide(&knobs, &Facts { spent: 0.0, ..facts(1000, 0) }), Verdict::AtCeiling);
    }

    #[test]
    fn penalties_and_queues_raise_the_price() {
        let knobs = Tiering::adaptive();
        let with = |penalties, waiting, bytes| decide(&knobs, &Facts { penalties, waiting, ..facts(bytes, 0) });
        assert_eq!(with(3, 0.0, 7_999_999), Verdict::NotYet);
        assert_eq!(with(3, 0.0, 8_000_000), Verdict::WorkPays);
        assert_eq!(with(0, 16.0, 1_999_999), Verdict::NotYet);
        assert_eq!(with(0, 16.0, 2_000_000), Verdict::WorkPays);
        assert_eq!(with(1, 0.0, 100_000), Verdict::BelowFloor);
        assert_eq!(with(u32::MAX, 0.0, 1 << 20), Verdict::BelowFloor);
    }

    #[test]
    fn what_is_too_large_is_not_tried() {
        let knobs = Tiering::adaptive().largest_routine(1000);
        let of = |instructions| decide(&knobs, &Facts { instructions, ..facts(1 << 40, 0) });
        assert_eq!(of(2000), Verdict::AtCeiling, "an estimate may be wrong");
        assert_eq!(of(2002), Verdict::TooLarge);
    }

    #[test]
    fn code_is_doubted_by_averages_and_judged_in_turns() {
        assert_eq!(doubt((1.0, 3), (2.0, 100)), Worth::Unknown);
        assert_eq!(doubt((1.0, 4), (2.0, 15)), Worth::Unknown);
        assert_eq!(doubt((1.0, 4), (1.0, 16)), Worth::Keeps);
        assert_eq!(doubt((1.0, 4), (1.1, 16)), Worth::Doubtful);
        let of = |n: f64| vec![n; TURNS];
        assert_eq!(compare(&of(1.0)[1..], &of(2.0)), Worth::Unknown);
        assert_eq!(compare(&of(1.0), &of(1.1)), Worth::Slower);
        assert_eq!(compare(&of(1.1), &of(1.0)), Worth::Keeps);
        // A crowd has to gain something.
        assert_eq!(compare_crowd(&of(1.0)[1..], &of(0.1)), Worth::Unknown);
        assert_eq!(compare_crowd(&of(1.0), &of(0.96)), Worth::Slower);
        assert_eq!(compare_crowd(&of(1.0), &of(0.94)), Worth::Keeps);
        // One interruption does not decide.
        let mut native = of(0.9);
        native[3] = 1000.0;
        assert_eq!(compare(&of(1.0), &native), Worth::Keeps);
    }
}
