//! A transform that is told what calls took: no clock decides here.

use super::*;
use crate::native::GeneratorOptions;
use crate::tiering::hotness::Lane;
use crate::tiering::{Adaptive, Tiering};
use crate::{Endpoint, Engine, Schema};
use reschema_interp::Batch;

/// Transforms of one engine.
fn states<const N: usize>(adaptive: Adaptive) -> [Arc<TierState>; N] {
    let schema = Schema::parse(r#"{"type":"record","name":"R","fields":[{"name":"a","type":"long"}]}"#);
    let end = Endpoint::avro(&schema.expect("a schema"));
    let interpreted = Engine::builder().tiering(Tiering::interpreter()).build().expect("an engine");
    let t = interpreted.transform(end.clone(), end).expect("resolves");
    let program = Arc::new(t.program().clone());
    let broker = Broker::new(adaptive.inline().into(), GeneratorOptions::default(), None);
    [(); N].map(|()| TierState::new(program.clone(), "R→R".into(), broker.clone()))
}

impl TierState {
    /// A call of 100 values and 1000 bytes has run where it had to, at so many nanoseconds a byte on either tier.
    fn call(self: &Arc<TierState>, interpreted: f64, native: f64) -> Ran {
        let (ran, ns) = match self.code(&mut Recent::default(), Some(Class::Many)).is_some() {
            true => (Ran::Native, native),
            false => (Ran::Interpreted, interpreted),
        };
        let batch = Batch { values: 100, consumed: 1000, fast: 100, ..Batch::default() };
        self.counters.add(&Lane::default(), ran, &batch);
        let sample = Sample { ran, class: Class::Many, weight: 1.0, bytes: 1000.0, nanoseconds: 1000.0 * ns };
        self.timed(&sample, 100, 0, 0);
        ran
    }

    /// Calls until native code is made; how many.
    fn until_native(self: &Arc<TierState>, ns: f64) -> usize {
        let calls = (1..1_000_000).find(|_| self.call(ns, ns) == Ran::Interpreted && self.publication() != 0);
        calls.expect("it becomes hot")
    }
}

#[test]
fn code_that_is_slower_is_given_back_and_has_to_earn_more() {
    let [state] = states(Tiering::adaptive());
    let mut earned = Vec::new();
    for back in 1..=MOST_FAILURES {
        earned.push(state.until_native(1.0));
        let calls = (0..1000).find(|_| {
            state.call(1.0, 1.5);
            state.publication() == 0
        });
        // Sixteen calls bring the doubt, fifteen turns of each the decision.
        assert!(calls.is_some_and(|n| (45..60).contains(&n)), "{calls:?}");
        let stats = state.stats();
        assert_eq!((stats.compiles.steps_back, stats.code_bytes, state.broker.code.bytes()), (back, 0, 0));
        let why = stats.why_not_native.expect("a reason");
        assert_eq!(why, "native code measured slower than the interpreter: 1.50 ns a byte, and 1.00");
    }
    assert!(earned.windows(2).all(|w| w[1] > 4 * w[0]), "{earned:?}");
    // Then it is left alone.
    assert!(state.is_settled());
    assert!((0..100_000).all(|_| state.call(1.0, 1.5) == Ran::Interpreted));
}

#[test]
fn code_that_becomes_slower_with_other_data_is_given_back() {
    let [state] = states(Tiering::adaptive());
    state.until_native(2.0);
    let back = || state.stats().compiles.steps_back > 0;
    (0..1000).for_each(|_| _ = state.call(2.0, 1.0));
    assert!(!back());
    // Cheap for the interpreter, which is not asked often any more.
    assert!((0..100_000).any(|_| {
        state.call(0.5, 1.0);
        back()
    }));
}

#[test]
fn code_that_is_faster_stays_whatever_one_call_took() {
    let [state] = states(Tiering::adaptive());
    state.until_native(2.0);
    for n in 0..10_000 {
        state.call(2.0, if n % 20 == 0 { 1000.0 } else { 1.0 });
    }
    assert_eq!((state.stats().compiles.done, state.stats().compiles.steps_back), (1, 0));
    // Most calls run on it: those that do not are there to compare.
    let stats = state.stats();
    assert!(stats.native.records > 800_000, "{stats:?}");
}

#[test]
fn data_that_have_become_dear_do_not_look_like_slow_code() {
    let [state] = states(Tiering::adaptive());
    state.until_native(2.0);
    (0..1000).for_each(|_| _ = state.call(2.0, 1.0));
    // Both tiers take longer than the interpreter did before.
    (0..10_000).for_each(|_| _ = state.call(20.0, 10.0));
    let stats = state.stats();
    assert_eq!((stats.compiles.steps_back, stats.tier), (0, Tier::Native), "{stats:?}");
}

#[test]
fn what_is_used_least_is_evicted() {
    let bytes = {
        let [state] = states(Tiering::adaptive());
        state.until_native(2.0);
        state.broker.code.bytes()
    };
    let [a, b, c, d] = states(Tiering::adaptive().code_bytes(3 * bytes).without_comparison());
    [&a, &b, &c].iter().for_each(|s| _ = s.until_native(2.0));
    for _ in 0..1000 {
        a.call(2.0, 1.0);
        c.call(2.0, 1.0);
    }
    d.until_native(2.0);
    let tiers = [&a, &b, &c, &d].map(|s| s.stats().tier);
    assert_eq!(tiers, [Tier::Native, Tier::Interpreter, Tier::Native, Tier::Native]);
    assert_eq!(a.broker.code.bytes(), 3 * bytes);
    let b = b.stats();
    assert_eq!((b.compiles.evictions, b.why_not_native.as_deref()), (1, Some(EVICTED)));
}

#[test]
fn a_compile_that_was_given_up_brings_nothing() {
    let [state] = states(Tiering::adaptive());
    let ticket = {
        let mut slow = state.slow();
        slow.phase = Phase::Compiling;
        slow.ticket += 1;
        slow.ticket
    };
    state.abandon(ticket, Duration::from_secs(1));
    state.abandon(ticket, Duration::from_secs(1));
    state.generate(ticket);
    let stats = state.stats();
    assert_eq!((stats.compiles.abandoned, stats.compiles.failed, stats.compiles.done), (1, 1, 0));
    assert_eq!((state.publication(), state.broker.code.bytes()), (0, 0));
}

#[test]
fn a_crowd_that_is_interpreted_hides_code_from_small_calls_alone() {
    let [a, b] = states(Tiering::adaptive());
    a.until_native(1.0);
    assert_eq!(a.shown(), a.publication());
    let crowd = |shown: bool| a.broker.show(shown);
    crowd(false);
    assert_eq!((a.shown(), a.publication() != 0), (0, true));
    assert_eq!(a.call(1.0, 0.5), Ran::Native, "a large call");
    assert_eq!(a.shown(), 0);
    // It has the thread to itself.
    let few = Sample { ran: Ran::Interpreted, class: Class::Few, weight: 1.0, bytes: 10.0, nanoseconds: 10.0 };
    a.timed(&few, 1, 0, 0);
    assert_eq!(a.shown(), a.publication());
    crowd(false);
    crowd(true);
    assert_eq!((a.shown(), b.shown()), (a.publication(), 0));
    crowd(false);
    let ticket = a.slow().ticket;
    assert!(a.evict(ticket).is_some());
    crowd(true);
    assert_eq!(a.shown(), 0, "code that is gone");
}
