//! Adaptive tiering: when code is made, by whom, how often, what happens when that fails, and that nobody sees a difference
//! in what comes out. Nothing here goes by a clock, but for waiting.
#![cfg(feature = "jit")]

use reschema::stats::{Tier, TransformStats};
use reschema::{Adaptive, Endpoint, Engine, Fault, Schema, Tiering, Transform};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

fn engine(tiering: impl Into<Tiering>) -> Engine {
    Engine::builder().tiering(tiering).build().expect("an engine")
}

/// Endpoints of a pair that differs from others by its number: an int and a string, the int wanted as a long behind it.
fn pair(n: usize) -> (Endpoint, Endpoint) {
    let schema = |fields: &str| {
        let text = format!(r#"{{"type":"record","name":"R{n}","fields":[{fields}]}}"#);
        Endpoint::avro(&Schema::parse(&text).expect("a schema"))
    };
    (
        schema(r#"{"name":"a","type":"int"},{"name":"s","type":"string"}"#),
        schema(r#"{"name":"s","type":"string"},{"name":"a","type":"long"}"#),
    )
}

fn transform(engine: &Engine, n: usize) -> Transform {
    let (writer, reader) = pair(n);
    engine.transform(writer, reader).expect("resolves")
}

/// Values of such a pair back to back, and what they become.
fn values(count: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    for i in 0..count {
        let (a, text) = ((i % 60) as u8 * 2, format!("value {i}"));
        let s = [&[text.len() as u8 * 2][..], text.as_bytes()].concat();
        input.extend([&[a][..], &s].concat());
        output.extend([&s[..], &[a]].concat());
    }
    (input, output)
}

/// Runs them, and compares; returns values by native code.
fn run(t: &Transform, count: usize) -> u64 {
    let (input, want) = values(count);
    let mut out = Vec::new();
    let done = t.run_many(&input, count as u64, &mut out).expect("good values");
    assert_eq!((done.records, done.consumed), (count as u64, input.len()));
    assert!(out == want);
    done.tiers.compiled
}

/// Runs until something holds of its statistics.
fn run_until(t: &Transform, what: &str, holds: impl Fn(&TransformStats) -> bool) -> TransformStats {
    let start = Instant::now();
    loop {
        run(t, 200);
        let stats = t.stats();
        if holds(&stats) {
            return stats;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "never {what}: {stats:?}");
        std::thread::yield_now();
    }
}

fn at_once() -> Adaptive {
    // A loaded machine, or a sanitizer, may take long to compile.
    Tiering::adaptive().threshold(1).without_comparison().compile_time(Duration::from_secs(120))
}

#[test]
fn inline_in_the_middle_of_a_batch() {
    let (input, _) = values(1000);
    let engine = engine(Tiering::adaptive().threshold(input.len() as u64 / 2).inline().without_comparison());
    let t = transform(&engine, 0);
    let native = run(&t, 1000);
    // The first slice told how long values are; what was known to come decided.
    assert_eq!(native, 1000 - 64);
    let stats = t.stats();
    assert_eq!((stats.tier, stats.compiles.done, stats.why_not_native.as_deref()), (Tier::Native, 1, None));
    assert_eq!((stats.interpreted.records, stats.native.records, stats.checked_records), (64, 936, 0));
    assert_eq!(stats.interpreted.bytes + stats.native.bytes, input.len() as u64);
    assert!(stats.interpreted.ns_per_byte > Some(0.0) && stats.native.ns_per_byte > Some(0.0));
    assert_eq!(run(&t, 1000), 1000);
}

#[test]
fn what_is_cold_is_interpreted() {
    let engine = engine(Tiering::adaptive().threshold(1 << 40));
    let t = transform(&engine, 0);
    assert_eq!(run(&t, 10_000), 0);
    let stats = t.stats();
    assert_eq!((stats.tier, stats.why_not_native.as_deref()), (Tier::Interpreter, Some("below the floor")));
    assert!(t.native().is_none());
    assert_eq!(engine.stats().compiles.done, 0);
}

#[test]
fn single_messages_become_hot() {
    let (input, _) = values(1);
    let engine = engine(Tiering::adaptive().threshold(1000 * input.len() as u64).inline());
    let t = transform(&engine, 0);
    let mut calls = 0;
    while t.stats().tier != Tier::Native {
        run(&t, 1);
        calls += 1;
        assert!(calls < 5000);
    }
    // Only a call that is timed decides: one in 255 at least.
    assert!((1000..=1255).contains(&calls), "{calls}");
}

/// A few of them cost as much as many small ones: each is counted at once.
#[test]
fn large_messages_become_hot_at_once() {
    let engine = engine(Tiering::adaptive().threshold(1 << 20).inline());
    let t = transform(&engine, 0);
    let text = vec![b'x'; 100_000];
    // Lengths are zigzag varints of seven bits a byte.
    let message = [&[2, 0xc0, 0x9a, 0x0c][..], &text].concat();
    let calls = (1..100).find(|_| {
        assert_eq!(t.run(&message, &mut Vec::new()).expect("a good value"), message.len());
        t.stats().tier == Tier::Native
    });
    assert_eq!(calls, Some(11));
}

#[test]
fn a_hint_decides_before_the_first_value() {
    let inline = || Tiering::adaptive().threshold(1000).inline();
    let t = transform(&engine(inline().expected_bytes(1000)), 0);
    assert_eq!(t.stats().tier, Tier::Native);
    let t = transform(&engine(inline().expected_bytes(999)), 0);
    assert_eq!(t.stats().tier, Tier::Interpreter);
    t.expect(1000);
    assert_eq!((t.stats().tier, run(&t, 1)), (Tier::Native, 1));
}

#[test]
fn prepared_pairs_are_native_from_the_first_value() {
    let engine = engine(Tiering::adaptive());
    let prepared = engine.prepare((0..10).map(pair)).expect("resolve");
    assert_eq!(engine.stats().compiles.done, 10);
    for (n, t) in prepared.iter().enumerate() {
        assert_eq!((run(t, 1), run(&transform(&engine, n), 1)), (1, 1));
    }
    assert_eq!(engine.stats().transforms_made, 10);
    let interpreted = self::engine(Tiering::interpreter());
    assert_eq!(run(&interpreted.prepare([pair(0)]).expect("resolves")[0], 1), 0);
}

/// Threads ask for one new pair, and run it hot, at once.
#[test]
fn one_pair_is_made_and_compiled_once() {
    for tiering in [at_once().into(), at_once().inline().into(), Tiering::eager()] {
        let engine = engine(tiering);
        let barrier = Barrier::new(32);
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    let (writer, reader) = pair(7);
                    barrier.wait();
                    let t = engine.transform(writer, reader).expect("resolves");
                    run_until(&t, "native", |s| s.tier == Tier::Native);
                    assert_eq!(run(&t, 100), 100);
                });
            }
        });
        let stats = engine.stats();
        assert_eq!((stats.transforms_made, stats.compiles.done, stats.compiles.failed), (1, 1, 0), "{stats:?}");
        assert_eq!(stats.code_bytes, stats.transforms[0].code_bytes);
    }
}

/// One routine fits, some of the time: others evict it while it runs.
#[test]
fn code_is_evicted_under_those_who_run_it() {
    let code_bytes = {
        let t = transform(&engine(Tiering::eager()), 0);
        t.stats().code_bytes
    };
    let cap = code_bytes * 5 / 2;
    let engine = engine(at_once().code_bytes(cap));
    let most = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (engine, most, stop) = (&engine, &most, &stop);
            scope.spawn(move || {
                let transforms: Vec<Transform> = (0..6).map(|n| transform(engine, n)).collect();
                for round in thread.. {
                    let t = &transforms[round % 6];
                    run(t, 500);
                    most.fetch_max(engine.stats().code_bytes, Ordering::Relaxed);
                    if engine.stats().compiles.evictions >= 20 {
                        stop.store(true, Ordering::Relaxed);
                    }
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
    });
    let stats = engine.stats();
    let most = most.into_inner();
    assert!(most <= cap && most >= code_bytes, "{most} bytes of code, {cap} allowed");
    assert!(stats.native.records > 0 && stats.compiles.evictions >= 20, "{:?}", stats.compiles);
    assert!(
        stats.transforms.iter().any(|t| t.why_not_native.as_deref() == Some("its code has made room for other code"))
    );
}

#[test]
fn code_larger_than_all_that_is_kept() {
    let small = Engine::builder().tiering(at_once().code_bytes(10).inline()).build().expect("an engine");
    let t = transform(&small, 0);
    run(&t, 1000);
    let why = t.stats().why_not_native.expect("a reason");
    assert!(why.contains("the limit for all is 10"), "{why}");
    assert_eq!((small.stats().code_bytes, small.stats().compiles.failed), (0, 1));
}

#[test]
fn what_is_dropped_is_gone_and_counted() {
    let engine = Engine::builder().tiering(at_once().inline()).cached_pairs(0).build().expect("an engine");
    let t = transform(&engine, 0);
    run(&t, 1000);
    assert!(engine.stats().code_bytes > 0);
    let before = engine.stats();
    drop(t);
    let after = engine.stats();
    assert_eq!((after.code_bytes, after.transforms.len()), (0, 0));
    assert_eq!((after.native.records, after.compiles), (before.native.records, before.compiles));
}

#[test]
fn what_is_gone_is_not_compiled() {
    let until = Arc::new(AtomicBool::new(false));
    let engine = Engine::builder().tiering(at_once()).cached_pairs(0).fault(Fault::Hang(until.clone()));
    let engine = engine.build().expect("an engine");
    // The first is being compiled, for as long as we like; the second waits, and goes.
    let first = transform(&engine, 0);
    run_until(&first, "compiling", |s| s.tier == Tier::Compiling);
    let second = transform(&engine, 1);
    run_until(&second, "queued", |s| s.tier == Tier::Queued);
    drop(second);
    until.store(true, Ordering::Release);
    run_until(&first, "native", |s| s.tier == Tier::Native);
    run_until(&first, "stale", |_| engine.stats().stale == 1);
    assert_eq!((engine.stats().compiles.done, engine.stats().queued), (1, 0));
}

#[test]
fn the_queue_is_bounded() {
    let until = Arc::new(AtomicBool::new(false));
    let engine = Engine::builder().tiering(at_once().queue(2)).fault(Fault::Hang(until.clone()));
    let engine = engine.build().expect("an engine");
    let transforms: Vec<Transform> = (0..10).map(|n| transform(&engine, n)).collect();
    run_until(&transforms[0], "compiling", |s| s.tier == Tier::Compiling);
    for t in &transforms[1..] {
        run(t, 200);
        assert!(engine.stats().queued <= 2);
    }
    assert_eq!(engine.stats().queued, 2);
    until.store(true, Ordering::Release);
    for t in &transforms {
        run_until(t, "native", |s| s.tier == Tier::Native);
    }
}

/// The code generator fails in every way: the same bytes, and the reason is told.
#[test]
fn failures_of_the_code_generator() {
    for (fault, why) in [
        (Fault::Panic, "the code generator panicked: a fault on demand"),
        (Fault::Error, "a fault on demand"),
        (Fault::NotExecutable, "the code cannot be made executable"),
    ] {
        let tierings = [at_once().into(), at_once().inline().into(), Tiering::eager(), Tiering::verify()];
        for tiering in tierings {
            let engine = Engine::builder().tiering(tiering).fault(fault.clone()).build().expect("an engine");
            let t = transform(&engine, 0);
            let stats = run_until(&t, "failed", |s| s.compiles.failed > 0);
            let told = stats.why_not_native.expect("a reason");
            assert!(told.contains(why), "{told}");
            assert_eq!((run(&t, 1000), stats.code_bytes, engine.stats().compiles.done), (0, 0, 0));
            assert!(t.compile().is_err_and(|e| e.message().contains(why)));
        }
    }
}

/// Failures are tried again, later each time, and not for ever.
#[test]
fn failures_have_a_growing_penalty() {
    let engine = Engine::builder().tiering(Tiering::adaptive().threshold(20_000).inline()).fault(Fault::Error);
    let engine = engine.build().expect("an engine");
    let t = transform(&engine, 0);
    let mut at = Vec::new();
    // Calls that are large enough to be looked at each time.
    for calls in 0..1000u32 {
        run(&t, 2000);
        if t.stats().compiles.failed > at.len() as u64 {
            at.push(calls);
        }
    }
    let between: Vec<u32> = at.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(at.len(), 4, "{at:?}");
    assert!(between.windows(2).all(|w| w[1] > 6 * w[0]), "{at:?}");
}

/// A code generator that does not return is given up, twice; then there is no more compiling.
#[test]
fn a_code_generator_that_hangs() {
    let until = Arc::new(AtomicBool::new(false));
    let tiering = at_once().compile_time(Duration::from_millis(30));
    let engine = Engine::builder().tiering(tiering).fault(Fault::Hang(until.clone())).build().expect("an engine");
    for n in 0..3 {
        let t = transform(&engine, n);
        let stats = run_until(&t, "abandoned", |s| s.compiles.abandoned == 1);
        assert_eq!((stats.native.records, stats.compiles.failed), (0, 1));
        assert!(stats.why_not_native.is_some_and(|why| why.contains("was given up")));
    }
    let stats = engine.stats();
    assert_eq!((stats.compiles.abandoned, stats.compiles.done), (3, 0));
    assert!(stats.off.is_some_and(|why| why.contains("not ended in time")));
    // Nor on request: that would hang as well.
    assert!(transform(&engine, 8).compile().is_err_and(|e| e.message().contains("not ended in time")));
    // They return at last: nobody wants what they bring.
    until.store(true, Ordering::Release);
    std::thread::sleep(Duration::from_millis(100));
    let last = transform(&engine, 9);
    assert_eq!((run(&last, 1000), engine.stats().compiles.done, engine.stats().code_bytes), (0, 0, 0));
    assert!(last.stats().why_not_native.is_some_and(|why| why.contains("not ended in time")));
}

/// Who asks for code that is being made gets what comes of it, and does not try the same again.
#[test]
fn who_waits_for_code_waits_no_longer_than_the_limit() {
    let until = Arc::new(AtomicBool::new(false));
    let tiering = at_once().compile_time(Duration::from_millis(30));
    let engine = Engine::builder().tiering(tiering).fault(Fault::Hang(until.clone())).build().expect("an engine");
    let t = transform(&engine, 0);
    run_until(&t, "compiling", |s| s.tier == Tier::Compiling);
    assert!(t.compile().is_err_and(|e| e.message().contains("was given up")));
    assert_eq!(t.stats().compiles.abandoned, 1);
    until.store(true, Ordering::Release);
}

/// What comes late, from a compile that was given up, is dropped; another thread goes on.
#[test]
fn another_thread_takes_over() {
    let until = Arc::new(AtomicBool::new(false));
    // Short, but enough for a compile that does not hang, on a machine that is busy and watched by a sanitizer.
    let tiering = at_once().compile_time(Duration::from_secs(2));
    let engine = Engine::builder().tiering(tiering).fault(Fault::Hang(until.clone())).build().expect("an engine");
    let first = transform(&engine, 0);
    run_until(&first, "abandoned", |s| s.compiles.abandoned == 1);
    until.store(true, Ordering::Release);
    let second = transform(&engine, 1);
    run_until(&second, "native", |s| s.tier == Tier::Native);
    assert_eq!(run(&second, 100), 100);
    // The first has a penalty, and then its turn.
    run_until(&first, "native", |s| s.tier == Tier::Native);
    assert_eq!(first.stats().compiles.done, 1);
}

#[test]
fn errors_behind_a_change_of_tier_are_where_they_are() {
    let (mut input, want) = values(500);
    let len = input.len();
    input.extend([2, 200]);
    let failed = |t: &Transform| {
        let mut out = Vec::new();
        let e = t.run_many(&input, 501, &mut out).expect_err("the last is cut off");
        assert!(out == want);
        (e.kind(), e.offset(), e.record(), e.records_done(), e.bytes_consumed(), e.to_string())
    };
    let expected = failed(&transform(&engine(Tiering::interpreter()), 0));
    assert_eq!((expected.3, expected.4), (500, len as u64));
    let adaptive = transform(&engine(at_once().inline()), 0);
    assert_eq!(failed(&adaptive), expected);
    assert_eq!(adaptive.stats().tier, Tier::Native);
    assert_eq!(failed(&adaptive), expected);
}

#[test]
fn enough_is_enough_in_slices_too() {
    let (input, _) = values(5000);
    for enough in [0, 1, 3000, 20_000] {
        let some = |t: &Transform| {
            let mut out = vec![7];
            let done = t.run_some(&input, 5000, enough, &mut out).expect("good values");
            (done.records, done.consumed, out)
        };
        let expected = some(&transform(&engine(Tiering::interpreter()), 0));
        let adaptive = transform(&engine(at_once().inline()), 0);
        assert!(some(&adaptive) == expected && some(&adaptive) == expected, "{enough}");
    }
}

#[test]
fn statistics_are_serialised() {
    let engine = engine(at_once().inline());
    run(&transform(&engine, 3), 1000);
    let json = serde_json::to_value(engine.stats()).expect("JSON");
    assert_eq!(json["tiering"], "adaptive");
    assert_eq!(json["transforms"][0]["tier"], "native");
    assert_eq!(json["transforms"][0]["name"], "avro→avro R3→R3");
    assert_eq!(json["native"]["records"], 936);
    assert_eq!(json["compiles"]["done"], 1);
    assert!(json["code_bytes"].as_u64() > Some(0) && json["off"].is_null());
}
