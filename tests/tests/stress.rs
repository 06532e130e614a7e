//! Threads on one engine, over more pairs than it keeps, with less room for code than they need: transforms are made, dropped,
//! compiled, evicted and compiled again under those who run them, and what comes out is right.
//!
//! `RESCHEMA_STRESS_SECONDS` sets for how long, 2 by default. CONTRIBUTING tells how to run it under ThreadSanitizer.

use reschema::stats::EngineStats;
use reschema::{Endpoint, Engine, Schema, Tiering, Transform};
use reschema_tests::random::Rng;
use std::time::{Duration, Instant};

const PAIRS: usize = 50;
const THREADS: u64 = 8;

struct Pair {
    writer: Schema,
    reader: Schema,
    /// Values back to back, where each begins, and what they become.
    input: Vec<u8>,
    starts: Vec<usize>,
    output: Vec<u8>,
    ends: Vec<usize>,
}

/// A record whose strings and numbers come in another order; more of them the higher its number.
fn pair(n: usize, rng: &mut Rng) -> Pair {
    let field = |i: usize, long: &str| {
        let ty = if i.is_multiple_of(2) { "string" } else { long };
        format!(r#"{{"name":"f{i}","type":"{ty}"}}"#)
    };
    let count = 2 + n % 7;
    let record = |fields: Vec<String>| {
        let text = format!(r#"{{"type":"record","name":"R{n}","fields":[{}]}}"#, fields.join(","));
        Schema::parse(&text).expect("a schema")
    };
    let writer = record((0..count).map(|i| field(i, "int")).collect());
    let reader = record((0..count).rev().map(|i| field(i, "long")).collect());
    let (mut input, mut starts, mut output, mut ends) = (Vec::new(), vec![0], Vec::new(), vec![0]);
    for _ in 0..300 {
        let fields: Vec<Vec<u8>> = (0..count)
            .map(|i| match i % 2 {
                0 => {
                    let len = rng.below(60);
                    [vec![len as u8 * 2], vec![b'a' + (len % 26) as u8; len]].concat()
                }
                _ => vec![rng.below(128) as u8],
            })
            .collect();
        input.extend(fields.concat());
        output.extend(fields.iter().rev().flatten());
        starts.push(input.len());
        ends.push(output.len());
    }
    Pair { writer, reader, input, starts, output, ends }
}

/// A thread's doings until the time is over; values done.
fn work(engine: &Engine, pairs: &[Pair], seed: u64, until: Instant) -> u64 {
    let mut rng = Rng::new(seed);
    let mut held: Vec<Option<Transform>> = pairs.iter().map(|_| None).collect();
    let (mut out, mut done) = (Vec::new(), 0);
    while Instant::now() < until {
        let at = rng.below(PAIRS);
        let pair = &pairs[at];
        let fresh = || engine.transform(Endpoint::avro(&pair.writer), Endpoint::avro(&pair.reader)).expect("resolves");
        let t = held[at].get_or_insert_with(fresh);
        match rng.below(100) {
            0 => held[at] = None,
            1 => held.iter_mut().step_by(3).for_each(|h| *h = None),
            2 => drop(t.compile()),
            3 => drop(engine.stats()),
            4 => t.expect(rng.below(1 << 20) as u64),
            5 => drop(engine.prepare([(Endpoint::avro(&pair.writer), Endpoint::avro(&pair.reader))])),
            n if n < 50 => {
                out.clear();
                let from = rng.below(200);
                let count = 1 + rng.below(100);
                let run = t.run_many(&pair.input[pair.starts[from]..], count as u64, &mut out).expect("good values");
                assert_eq!(run.consumed, pair.starts[from + count] - pair.starts[from]);
                assert!(out == pair.output[pair.ends[from]..pair.ends[from + count]]);
                done += count as u64;
            }
            _ => {
                for i in 0..20 {
                    out.clear();
                    t.run(&pair.input[pair.starts[i]..pair.starts[i + 1]], &mut out).expect("a value");
                    assert!(out == pair.output[pair.ends[i]..pair.ends[i + 1]]);
                }
                done += 20;
            }
        }
    }
    done
}

#[test]
fn threads_that_switch_evict_and_drop() {
    let seconds = std::env::var("RESCHEMA_STRESS_SECONDS").ok().and_then(|v| v.parse().ok()).unwrap_or(2);
    let mut rng = Rng::new(1);
    let pairs: Vec<Pair> = (0..PAIRS).map(|n| pair(n, &mut rng)).collect();
    let tiering = Tiering::adaptive().threshold(20_000).background(2).code_bytes(24 << 10);
    let engine = Engine::builder().tiering(tiering).cached_pairs(20).build().expect("an engine");
    let until = Instant::now() + Duration::from_secs(seconds);
    let done: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|n| {
                let (engine, pairs) = (&engine, &pairs);
                scope.spawn(move || work(engine, pairs, n + 1, until))
            })
            .collect();
        threads.into_iter().map(|t| t.join().expect("a thread")).sum()
    });
    let counted = |s: &EngineStats| s.interpreted.records + s.native.records + s.checked_records;
    // A thread that compiles may be the last to hold a transform, whose counts are nowhere while it goes.
    let patience = Instant::now() + Duration::from_secs(60);
    while counted(&engine.stats()) != done && Instant::now() < patience {
        std::thread::yield_now();
    }
    let stats = engine.stats();
    println!(
        "{done} values, {} native; {} transforms made, {:?}, {} of {} bytes of code, {} stale",
        stats.native.records,
        stats.transforms_made,
        stats.compiles,
        stats.code_bytes,
        stats.code_bytes_limit,
        stats.stale
    );
    assert_eq!(counted(&stats), done);
    assert!(stats.code_bytes <= stats.code_bytes_limit);
    assert!(stats.transforms_made > PAIRS as u64);
    if cfg!(feature = "jit") {
        assert!(stats.native.records > 0 && stats.interpreted.records > 0);
        assert!(stats.compiles.evictions > 0 && stats.compiles.done > 50, "{:?}", stats.compiles);
    }
}
