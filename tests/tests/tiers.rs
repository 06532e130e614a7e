//! Both tiers agree: the interpreter and compiled code give equal bytes, take equal numbers of bytes, and have equal errors
//! (class, place, paths, words), for every conformance case and for random pairs and inputs, as single values, as batches
//! that change tiers in the middle, in windows, and with each pass off.
//!
//! `RESCHEMA_TIER_CASES` sets the number of random cases, `RESCHEMA_SEED` the first seed. The long run:
//!
//! ```sh
//! RESCHEMA_TIER_CASES=2100000 cargo test --release -p reschema-tests --test tiers random_pairs -- --nocapture
//! ```

use reschema::{Endpoint, Engine, Input, Limits, PassSet, ResolutionRules, Schema, Tiering, Transform, UnionMatch};
use reschema_ir::OpCounts;
use reschema_jit::{Compiler, Options};
use reschema_tests::cases;
use reschema_tests::random::{CaseSet, Rng, case_set};
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

const INPUTS: usize = 50;
const DEFAULT_CASES: usize = 30_000;
/// Random pairs of which one counts the ops that its code executes.
const COUNTED: u64 = 8;

fn env(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// What a call gives, errors in full.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Done(Vec<u8>, u64, usize),
    Failed {
        class: &'static str,
        place: Option<u64>,
        paths: [Option<String>; 2],
        words: String,
        done: (u64, u64),
        out: Vec<u8>,
    },
}

/// Values by the tier that did them.
#[derive(Clone, Copy, Debug, Default)]
struct Tiers {
    fast: u64,
    checked: u64,
    compiled: u64,
}

fn run(t: &Transform, input: Input<'_>, count: u64, tiers: &mut Tiers) -> Answer {
    let mut out = Vec::new();
    match t.run_many(input, count, &mut out) {
        Ok(done) => {
            tiers.fast += done.tiers.fast;
            tiers.checked += done.tiers.checked;
            tiers.compiled += done.tiers.compiled;
            Answer::Done(out, done.records, done.consumed)
        }
        Err(e) => Answer::Failed {
            class: e.kind().as_str(),
            place: e.offset(),
            paths: [e.source_path(), e.target_path()].map(|p| p.map(String::from)),
            words: e.message().into(),
            done: (e.records_done(), e.bytes_consumed()),
            out,
        },
    }
}

/// One pair on both tiers.
struct Pair {
    interpreted: Transform,
    compiled: Transform,
    /// The writer's schema to itself: values in canonical form.
    canonical: Transform,
}

fn pair(writer: &str, reader: &str, limits: Limits, first_match: bool, passes: PassSet) -> Option<Pair> {
    pair_with(writer, reader, limits, first_match, passes, None)
}

fn pair_with(
    writer: &str,
    reader: &str,
    limits: Limits,
    first_match: bool,
    passes: PassSet,
    counts: Option<Arc<OpCounts>>,
) -> Option<Pair> {
    let (writer, reader) = (Schema::parse(writer).ok()?, Schema::parse(reader).ok()?);
    let union = if first_match { UnionMatch::FirstMatch } else { UnionMatch::ExactFirst };
    let make = |tiering| {
        let rules = ResolutionRules::default().union_match(union);
        let mut engine = Engine::builder().limits(limits.clone()).rules(rules).passes(passes).tiering(tiering);
        if let Some(counts) = &counts {
            engine = engine.counts(counts.clone());
        }
        engine.build().expect("an engine").transform(Endpoint::avro(&writer), Endpoint::avro(&reader)).ok()
    };
    let (interpreted, compiled) = (make(Tiering::interpreter())?, make(Tiering::eager())?);
    assert!(interpreted.native().is_none());
    let native = compiled.native().expect("asked for");
    if let Err(why) = native {
        panic!("not compiled: {why}\n{writer:?}\n{reader:?}");
    }
    let canonical = Engine::builder().limits(limits.clone()).build().expect("an engine");
    let canonical = canonical.transform(Endpoint::avro(&writer), Endpoint::avro(&writer)).ok()?;
    Some(Pair { interpreted, compiled, canonical })
}

#[derive(Default)]
struct Tally {
    pairs: usize,
    /// Hashes of the pairs and their policies: those that are the same count once.
    distinct: HashSet<u64>,
    cases: usize,
    valid: usize,
    classes: BTreeMap<&'static str, usize>,
    interpreted: Tiers,
    compiled: Tiers,
    /// Values whose interpreter's fast path went through, and compiled code left.
    left: u64,
    /// How often compiled code has executed ops.
    ops: BTreeMap<&'static str, u64>,
}

impl Tally {
    fn case(&mut self, pair: &Pair, input: Input<'_>, show: &dyn Fn() -> String) {
        let (mut a, mut b) = (Tiers::default(), Tiers::default());
        let want = run(&pair.interpreted, input, 1, &mut a);
        let got = run(&pair.compiled, input, 1, &mut b);
        assert_eq!(got, want, "compiled and interpreted differ: {}", show());
        assert_eq!((a.compiled, b.fast), (0, 0));
        self.cases += 1;
        match want {
            Answer::Done(..) => self.valid += 1,
            Answer::Failed { class, .. } => *self.classes.entry(class).or_default() += 1,
        }
        self.left += u64::from(a.fast > b.compiled && leaves_canonical(pair, input));
        for (sum, more) in [(&mut self.interpreted, a), (&mut self.compiled, b)] {
            sum.fast += more.fast;
            sum.checked += more.checked;
            sum.compiled += more.compiled;
        }
    }

    fn add(&mut self, other: Tally) {
        self.pairs += other.pairs;
        self.distinct.extend(other.distinct);
        self.cases += other.cases;
        self.valid += other.valid;
        self.left += other.left;
        for (class, n) in other.classes {
            *self.classes.entry(class).or_default() += n;
        }
        for (op, n) in other.ops {
            *self.ops.entry(op).or_default() += n;
        }
        for (sum, more) in [(&mut self.interpreted, other.interpreted), (&mut self.compiled, other.compiled)] {
            sum.fast += more.fast;
            sum.checked += more.checked;
            sum.compiled += more.compiled;
        }
    }
}

/// Compiled code leaves varints that are not minimal, and several blocks, to the interpreter. Whether it leaves the value
/// in canonical form too, which the interpreter's fast path does not.
fn leaves_canonical(pair: &Pair, input: Input<'_>) -> bool {
    let mut value = Vec::new();
    if pair.canonical.run(input, &mut value).is_err() {
        return false;
    }
    let (mut a, mut b) = (Tiers::default(), Tiers::default());
    run(&pair.interpreted, Input::Bytes(&value), 1, &mut a);
    run(&pair.compiled, Input::Bytes(&value), 1, &mut b);
    a.fast > b.compiled
}

fn limits(case: &serde_json::Value) -> Limits {
    let policy = &case["policy"];
    let mut limits = Limits::default();
    if let Some(depth) = policy["max_depth"].as_u64() {
        limits = limits.depth(depth as u32);
    }
    if let Some(cap) = policy["zero_cap"].as_u64() {
        limits = limits.zero_size_items(cap);
    }
    limits
}

#[test]
fn conformance_cases() {
    let mut tally = Tally::default();
    for case in cases::all() {
        let first = case.json["policy"]["union"] == "first";
        for passes in [PassSet::all(), PassSet::none()] {
            let Some(pair) = pair(case.text("writer"), case.text("reader"), limits(&case.json), first, passes) else {
                continue;
            };
            tally.pairs += 1;
            let input = case.input();
            let show = || format!("{} {:?}", case.id, case.json);
            // Every truncation, as the whole input and as a window; and the whole.
            for end in 0..=input.len() {
                tally.case(&pair, Input::Bytes(&input[..end]), &show);
                tally.case(&pair, Input::Window(&input[..end]), &show);
            }
        }
    }
    println!(
        "{} pairs, {} cases, {} valid, {:?}, interpreter {:?}, compiled {:?}",
        tally.pairs, tally.cases, tally.valid, tally.classes, tally.interpreted, tally.compiled
    );
    assert!(tally.pairs > 2000 && tally.compiled.compiled > 5000);
    assert!(tally.left * 1000 <= tally.interpreted.fast, "{} left", tally.left);
}

fn random(set: &CaseSet, passes: PassSet, tally: &mut Tally) {
    let limits = Limits::default().depth(set.policy.max_depth).zero_size_items(set.policy.zero_cap);
    let counts = set.seed.is_multiple_of(COUNTED).then(Arc::<OpCounts>::default);
    let first = set.policy.first_match;
    let Some(pair) = pair_with(&set.writer, &set.reader, limits, first, passes, counts.clone()) else { return };
    tally.pairs += 1;
    let mut hash = std::hash::DefaultHasher::new();
    (&set.writer, &set.reader, set.policy.max_depth, set.policy.zero_cap, first).hash(&mut hash);
    tally.distinct.insert(hash.finish());
    let show = |input: &[u8]| {
        let hex: String = input.iter().map(|b| format!("{b:02x}")).collect();
        format!("seed {}\nwriter {}\nreader {}\npolicy {:?}\ninput {hex}", set.seed, set.writer, set.reader, set.policy)
    };
    let mut good = Vec::new();
    for input in &set.inputs {
        tally.case(&pair, Input::Bytes(input), &|| show(input));
        if let Answer::Done(_, 1, consumed) = run(&pair.interpreted, Input::Bytes(input), 1, &mut Tiers::default()) {
            good.push(input[..consumed].to_vec());
        }
    }
    switch(&pair, &good, set.seed);
    for (op, n) in counts.iter().flat_map(|c| c.all()) {
        *tally.ops.entry(op).or_default() += n;
    }
}

/// A batch that changes tiers between two of its values is the batch.
fn switch(pair: &Pair, values: &[Vec<u8>], seed: u64) {
    let stream = values.concat();
    let count = values.len() as u64;
    let mut none = Tiers::default();
    let whole = run(&pair.compiled, Input::Bytes(&stream), count, &mut none);
    assert_eq!(whole, run(&pair.interpreted, Input::Bytes(&stream), count, &mut none), "seed {seed}");
    if values.is_empty() {
        return;
    }
    let at = Rng::new(seed).below(values.len());
    let before = values[..at].concat().len();
    let mut out = Vec::new();
    let mut consumed = 0;
    for (t, from, count) in [(&pair.interpreted, 0, at as u64), (&pair.compiled, before, count - at as u64)] {
        consumed += t.run_many(&stream[from..], count, &mut out).expect("good values").consumed;
    }
    assert_eq!(whole, Answer::Done(out, count, consumed), "seed {seed}");
}

fn run_seeds(first: u64, cases: usize, passes: PassSet) -> Tally {
    let worker = move |which: u64| {
        let mut tally = Tally::default();
        for seed in (first + which..).step_by(2) {
            random(&case_set(seed, INPUTS), passes, &mut tally);
            if tally.cases >= cases.div_ceil(2) {
                break;
            }
        }
        tally
    };
    let threads = [0, 1]
        .map(|which| std::thread::Builder::new().stack_size(64 << 20).spawn(move || worker(which)).expect("a thread"));
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
fn random_pairs() {
    let cases = env("RESCHEMA_TIER_CASES", DEFAULT_CASES);
    let total = run_seeds(env("RESCHEMA_SEED", 1) as u64, cases, PassSet::all());
    let percent = 100.0 * total.valid as f64 / total.cases as f64;
    println!(
        "{} cases over {} pairs, {} distinct; {percent:.1} % valid; errors {:?}; interpreter {:?}; compiled {:?}; \
         {} left by compiled code only; ops executed by one in {COUNTED} pairs: {:?}",
        total.cases,
        total.pairs,
        total.distinct.len(),
        total.classes,
        total.interpreted,
        total.compiled,
        total.left,
        total.ops
    );
    assert!((30.0..=80.0).contains(&percent), "{percent:.1} % valid");
    // Code that always leaves would agree as well.
    assert!(total.left * 1000 <= total.interpreted.fast, "{} left", total.left);
    assert!(total.compiled.compiled > 4 * total.compiled.checked, "{:?}", total.compiled);
}

#[test]
fn with_each_pass_off() {
    for (i, name) in PassSet::NAMES.iter().enumerate() {
        let total = run_seeds(3_000_000 * (i as u64 + 1), 1500, PassSet::all().without(name));
        assert!(total.compiled.compiled > 0, "without {name}");
    }
    run_seeds(90_000_000, 1500, PassSet::none());
}

/// Code is made for another machine too, so that nothing is this one's by accident. It is not run.
#[test]
fn code_for_another_machine() {
    let options = || Options::default();
    let other = Compiler::for_target("aarch64-unknown-linux-gnu", options()).expect("a machine");
    let mut made = 0;
    for case in cases::own().iter().step_by(3) {
        let Some(pair) = pair(case.text("writer"), case.text("reader"), Limits::default(), false, PassSet::all())
        else {
            continue;
        };
        let program = Arc::new(pair.interpreted.program().clone());
        let listing = other.list(&program).unwrap_or_else(|e| panic!("{}: {e}", case.id));
        assert!(listing.assembly.contains("ret"), "{}", case.id);
        made += 1;
    }
    println!("{made} Programs");
    assert!(made > 500);
}

/// What is too large is refused with a reason, in no time, and runs all the same.
#[test]
fn large_programs() {
    let fields: Vec<String> =
        (0..3000).map(|i| format!("{{\"name\":\"f{i}\",\"type\":[\"null\",\"string\"]}}")).collect();
    let wide = format!("{{\"type\":\"record\",\"name\":\"W\",\"fields\":[{}]}}", fields.join(","));
    let records: Vec<String> = (0..200)
        .map(|i| format!("{{\"type\":\"record\",\"name\":\"B{i}\",\"fields\":[{{\"name\":\"a\",\"type\":\"long\"}}]}}"))
        .collect();
    let union = format!("[{}]", records.join(","));
    for (text, value) in [(wide, vec![0; 3000]), (union, vec![0x8e, 0x03, 2])] {
        let schema = Schema::parse(&text).expect("a schema");
        let engine = Engine::builder().tiering(Tiering::eager()).build().expect("an engine");
        let t = engine.transform(Endpoint::avro(&schema), Endpoint::avro(&schema)).expect("resolves");
        match t.native().expect("asked for") {
            Ok(stats) => println!("{} instructions, {} bytes, {:?}", stats.clif, stats.code_bytes, stats.time),
            Err(why) => {
                println!("{why}");
                assert!(why.contains("instructions, the limit is"), "{why}");
            }
        }
        let mut out = Vec::new();
        let consumed = t.run(&value, &mut out).expect("a value");
        assert_eq!((consumed, out), (value.len(), value));
    }
}

/// A conversion of the user may panic, and that is the caller's panic, not the end of the process.
#[test]
fn a_conversion_that_panics() {
    use reschema::Logical;
    use reschema::schema::model::{TimeUnit, ZoneKind};
    let schema = |logical: &str| {
        Schema::parse(&format!("{{\"type\":\"long\",\"logicalType\":\"{logical}\"}}")).expect("a schema")
    };
    let (millis, micros) = (schema("timestamp-millis"), schema("timestamp-micros"));
    let of = |unit| Logical::Timestamp(unit, ZoneKind::Utc);
    let (from, to) = (of(TimeUnit::Milli), of(TimeUnit::Micro));
    let f = |v: i64| if v == 7 { panic!("seven") } else { v.checked_mul(1000).ok_or_else(|| "too large".to_string()) };
    let engine = Engine::builder().conversion(from, to, f).tiering(Tiering::eager()).build().expect("an engine");
    let t = engine.transform(Endpoint::avro(&millis), Endpoint::avro(&micros)).expect("resolves");
    assert!(t.native().expect("asked for").is_ok());
    let mut out = Vec::new();
    assert_eq!(t.run_many(&[2], 1, &mut out).expect("a value").tiers.compiled, 1);
    assert_eq!(out, [0xd0, 0x0f]);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| t.run(&[14], &mut Vec::new())));
    assert!(caught.is_err_and(|p| p.downcast_ref::<&str>() == Some(&"seven")));
    out.clear();
    assert_eq!(t.run(&[2], &mut out).expect("a value"), 1);
}
