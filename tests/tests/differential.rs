//! The engine against the naive oracle on random pairs and inputs.
//!
//! `RESCHEMA_CASES` sets the number of cases, `RESCHEMA_SEED` the first seed. A pair that is refused is one case, however
//! many inputs there would have been for it.

use reschema::{Endpoint, Engine, Limits, PassSet, ResolutionRules, Schema, Transform, UnionMatch};
use reschema_tests::naive::{Pair, Policy, Refusal};
use reschema_tests::random::{CaseSet, Rng, case_set};
use std::collections::{BTreeMap, HashSet};

const INPUTS: usize = 50;
const DEFAULT_CASES: usize = 220_000;

fn env(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

type Answer = Result<(Vec<u8>, usize), String>;

fn engine(policy: &Policy, passes: PassSet) -> Engine {
    let limits = Limits::default().depth(policy.max_depth).zero_size_items(policy.zero_cap);
    let union = if policy.first_match { UnionMatch::FirstMatch } else { UnionMatch::ExactFirst };
    let rules = ResolutionRules::default().union_match(union);
    Engine::builder().limits(limits).rules(rules).passes(passes).build().expect("an engine")
}

fn transform(set: &CaseSet, passes: PassSet) -> Result<Transform, String> {
    let class = |e: reschema::Error| e.kind().as_str().to_string();
    let writer = Schema::parse(&set.writer).map_err(|e| class(e.into()))?;
    let reader = Schema::parse(&set.reader).map_err(|e| class(e.into()))?;
    engine(&set.policy, passes).transform(Endpoint::avro(&writer), Endpoint::avro(&reader)).map_err(class)
}

fn agree(engine: &Answer, naive: &Result<(Vec<u8>, usize), Refusal>) -> bool {
    match (engine, naive) {
        (Ok(a), Ok(b)) => a == b,
        (Err(class), Err(refusal)) => refusal.accepts(class),
        _ => false,
    }
}

fn show(set: &CaseSet, input: &[u8], engine: &Answer, naive: &Result<(Vec<u8>, usize), Refusal>) -> String {
    let hex: String = input.iter().map(|b| format!("{b:02x}")).collect();
    format!(
        "seed {}\nwriter {}\nreader {}\npolicy {:?}\ninput {hex}\nengine {engine:?}\nnaive {naive:?}",
        set.seed, set.writer, set.reader, set.policy
    )
}

#[derive(Default)]
struct Tally {
    cases: usize,
    valid: usize,
    refused_pairs: usize,
    fast: u64,
    checked: u64,
    classes: BTreeMap<String, usize>,
    pairs: HashSet<(String, String)>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.cases += other.cases;
        self.valid += other.valid;
        self.refused_pairs += other.refused_pairs;
        self.fast += other.fast;
        self.checked += other.checked;
        for (class, n) in other.classes {
            *self.classes.entry(class).or_default() += n;
        }
        self.pairs.extend(other.pairs);
    }
}

fn run_set(set: &CaseSet, passes: PassSet, tally: &mut Tally) {
    let ours = transform(set, passes);
    let theirs = Pair::new(&set.writer, &set.reader, &set.policy);
    tally.pairs.insert((set.writer.clone(), set.reader.clone()));
    let (t, pair) = match (&ours, &theirs) {
        (Ok(t), Ok(pair)) => (t, pair),
        (Err(class), Err(refusal)) => {
            let answers = (Err(class.clone()), Err(refusal.clone()));
            assert!(refusal.accepts(class), "{}", show(set, &[], &answers.0, &answers.1));
            tally.cases += 1;
            tally.refused_pairs += 1;
            *tally.classes.entry(format!("resolve:{class}")).or_default() += 1;
            return;
        }
        (a, b) => panic!(
            "{}",
            show(
                set,
                &[],
                &a.as_ref().map(|_| (vec![], 0)).map_err(Clone::clone),
                &b.as_ref().map(|_| (vec![], 0)).map_err(Clone::clone)
            )
        ),
    };
    for input in &set.inputs {
        let mut out = Vec::new();
        let answer = match t.run_many(input, 1, &mut out) {
            Ok(done) => {
                tally.fast += done.tiers.fast;
                tally.checked += done.tiers.checked;
                Ok((out, done.consumed))
            }
            Err(e) => {
                assert!(out.is_empty(), "an error leaves the output as it was: seed {}", set.seed);
                Err(e.kind().as_str().to_string())
            }
        };
        let want = pair.run(input);
        assert!(agree(&answer, &want), "{}", show(set, input, &answer, &want));
        tally.cases += 1;
        match &answer {
            Ok(_) => tally.valid += 1,
            Err(class) => *tally.classes.entry(class.clone()).or_default() += 1,
        }
    }
}

/// Runs seeds on two threads, each until it has its half of the cases.
fn run_seeds(first: u64, cases: usize, inputs: usize, passes: PassSet) -> Tally {
    let worker = move |which: u64| {
        let mut tally = Tally::default();
        for seed in (first + which..).step_by(2) {
            run_set(&case_set(seed, inputs), passes, &mut tally);
            if tally.cases >= cases.div_ceil(2) {
                break;
            }
        }
        tally
    };
    let threads = [0, 1].map(|which| {
        // The naive oracle recurses as deep as schemas and data do.
        std::thread::Builder::new().stack_size(64 << 20).spawn(move || worker(which)).expect("a thread")
    });
    let mut total = Tally::default();
    for thread in threads {
        match thread.join() {
            Ok(tally) => total.add(tally),
            Err(e) => std::panic::resume_unwind(e),
        }
    }
    total
}

#[test]
fn engine_and_naive_agree() {
    let cases = env("RESCHEMA_CASES", DEFAULT_CASES);
    let total = run_seeds(env("RESCHEMA_SEED", 1) as u64, cases, INPUTS, PassSet::all());
    let percent = 100.0 * total.valid as f64 / total.cases as f64;
    println!(
        "{} cases over {} distinct pairs, {} of them refused; {percent:.1} % valid; fast path {}, checking {}; errors {:?}",
        total.cases,
        total.pairs.len(),
        total.refused_pairs,
        total.fast,
        total.checked,
        total.classes
    );
    assert!((30.0..=70.0).contains(&percent), "{percent:.1} % valid");
    // 4 000 pairs in a run of the usual length; in longer ones small schemas come again.
    assert!(total.pairs.len() > cases.min(DEFAULT_CASES) / 55, "only {} distinct pairs", total.pairs.len());
    // A fast path that always leaves would agree as well.
    assert!(total.fast > 4 * total.checked, "fast {} checked {}", total.fast, total.checked);
}

#[test]
fn with_each_pass_off() {
    for (i, name) in PassSet::NAMES.iter().enumerate() {
        let total = run_seeds(1_000_000 * (i as u64 + 1), 6_000, 20, PassSet::all().without(name));
        println!("without {name}: {} cases, {} valid", total.cases, total.valid);
    }
    run_seeds(9_000_000, 6_000, 20, PassSet::none());
}

/// Batches: what single runs give, and on a bad value the ones before it.
#[test]
fn batches() {
    let (mut batches, mut bad_batches) = (0, 0);
    for seed in 50_000_000..50_000_600 {
        let set = case_set(seed, 30);
        let Ok(t) = transform(&set, PassSet::all()) else { continue };
        let mut rng = Rng::new(seed);
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for input in &set.inputs {
            let mut out = Vec::new();
            match t.run(input, &mut out) {
                Ok(consumed) => good.push((input[..consumed].to_vec(), out)),
                Err(e) => bad.push((input.clone(), e)),
            }
        }
        if good.len() < 2 {
            continue;
        }
        let stream: Vec<u8> = good.iter().flat_map(|(input, _)| input.clone()).collect();
        let want: Vec<u8> = good.iter().flat_map(|(_, out)| out.clone()).collect();
        let mut out = Vec::new();
        let done = t.run_many(&stream, good.len() as u64, &mut out).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!((done.records, done.consumed, &out), (good.len() as u64, stream.len(), &want), "seed {seed}");
        batches += 1;
        // A value that is bad whatever follows it.
        let Some((input, e)) = bad.iter().find(|(_, e)| e.kind().as_str() != "truncated") else { continue };
        let at = rng.below(good.len());
        let before: Vec<u8> = good[..at].iter().flat_map(|(input, _)| input.clone()).collect();
        let kept: Vec<u8> = good[..at].iter().flat_map(|(_, out)| out.clone()).collect();
        let stream = [before.clone(), input.clone(), good[at].0.clone()].concat();
        let mut out = Vec::new();
        let result = t.run_many(&stream, good.len() as u64 + 1, &mut out);
        let got = result.err().unwrap_or_else(|| panic!("seed {seed}: bad value {at} passes in a batch: {e}"));
        bad_batches += 1;
        assert_eq!(out, kept, "seed {seed}");
        assert_eq!(got.record(), Some(at as u64), "seed {seed}: {got} / {e}");
        assert_eq!((got.records_done(), got.bytes_consumed()), (at as u64, before.len() as u64), "seed {seed}");
        assert_eq!(got.kind(), e.kind(), "seed {seed}: {got} / {e}");
        assert_eq!(got.offset(), e.offset().map(|o| o + before.len() as u64), "seed {seed}");
        assert_eq!(got.source_path(), e.source_path(), "seed {seed}");
    }
    println!("{batches} batches, {bad_batches} more with a bad value");
    assert!(batches > 300 && bad_batches > 200, "only {batches} batches, {bad_batches} with a bad value");
}
