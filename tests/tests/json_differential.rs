//! Random pairs and data with JSON at either end: both tiers against the naive oracle.
//!
//! `RESCHEMA_CASES` sets the number of cases, `RESCHEMA_SEED` the first seed.

use reschema::json::{BytesAs, JsonOptions, SpecialsAs, TimesAs, Twice, Unknown};
use reschema::{Endpoint, Engine, Limits, ResolutionRules, Schema, Tiering, Transform, UnionMatch};
use reschema_ir::OpCounts;
use reschema_tests::naive::text::{self as naive, Specials, Style, Text, restyled, sorted};
use reschema_tests::naive::{Pair, Policy};
use reschema_tests::ops;
use reschema_tests::random::{CaseSet, Rng, case_set};
use std::collections::BTreeMap;
use std::sync::Arc;

const DEFAULT_CASES: usize = 60_000;

fn env(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[derive(Debug, Default)]
struct Tally {
    written: usize,
    too_long: usize,
    read_back: usize,
    alike: usize,
    restyled: usize,
    accepted: usize,
    refused: usize,
    no_json: usize,
    evolved: usize,
    fast: u64,
    compiled: u64,
    checked: u64,
    /// What is good and stands in brackets never needs the checking interpreter under these options: see `run_set`.
    fast_only: bool,
    stayed: usize,
    /// Faults by kind, those of what was damaged and those of what came from afar.
    errors: BTreeMap<String, usize>,
    /// How often compiled code has executed ops.
    ops: Arc<OpCounts>,
}

impl Tally {
    fn cases(&self) -> usize {
        self.written + self.too_long + self.read_back + self.restyled + self.evolved
    }
}

fn engine(policy: &Policy, tiering: Tiering, counts: &Arc<OpCounts>) -> Engine {
    let limits = Limits::default().depth(policy.max_depth).zero_size_items(policy.zero_cap);
    let union = if policy.first_match { UnionMatch::FirstMatch } else { UnionMatch::ExactFirst };
    let rules = ResolutionRules::default().union_match(union);
    Engine::builder().limits(limits).rules(rules).tiering(tiering).counts(counts.clone()).build().expect("an engine")
}

type Answer = Result<(Vec<u8>, usize), (String, Option<u64>, String)>;

/// What all tiers give, which must be the same.
fn run(tiers: &[Transform], input: &[u8], tally: &mut Tally, context: &dyn Fn() -> String) -> Answer {
    let one = |t: &Transform, tally: &mut Tally| {
        let mut out = Vec::new();
        match t.run_many(input, 1, &mut out) {
            Ok(done) => {
                tally.fast += done.tiers.fast;
                tally.compiled += done.tiers.compiled;
                tally.checked += done.tiers.checked;
                Ok((out, done.consumed))
            }
            Err(e) => {
                assert!(out.is_empty());
                Err((e.kind().as_str().to_string(), e.offset(), e.to_string()))
            }
        }
    };
    let first = one(&tiers[0], tally);
    if let Err((kind, ..)) = &first {
        *tally.errors.entry(kind.clone()).or_default() += 1;
    }
    for t in &tiers[1..] {
        assert_eq!(one(t, tally), first, "{}\n{}", context(), String::from_utf8_lossy(input));
    }
    first
}

/// A style, and the options that are the same.
fn style(rng: &mut Rng) -> (Style, JsonOptions) {
    let (mut style, mut options) = match rng.below(3) {
        0 => (Style::PLAIN, JsonOptions::PLAIN.times(TimesAs::Number)),
        1 => {
            let points = JsonOptions::PLAIN.times(TimesAs::Number).bytes(BytesAs::CodePoints);
            (Style { latin: true, ..Style::PLAIN }, points)
        }
        _ => (Style::AVRO, JsonOptions::AVRO),
    };
    if rng.one_in(3) {
        let (same, specials) = *rng.pick(&[(Specials::Null, SpecialsAs::Null), (Specials::Refuse, SpecialsAs::Refuse)]);
        (style.specials, options) = (same, options.specials(specials));
    }
    if rng.one_in(3) {
        let (same, twice) = *rng.pick(&[(naive::Twice::First, Twice::First), (naive::Twice::Last, Twice::Last)]);
        (style.twice, options) = (same, options.duplicate_keys(twice));
    }
    if rng.one_in(4) {
        (style.known_only, options) = (true, options.unknown_keys(Unknown::Refuse));
    }
    if rng.one_in(6) {
        (style.missing_is_null, options) = (!style.missing_is_null, options.missing_is_null(!style.missing_is_null));
    }
    (style, options)
}

fn run_set(set: &CaseSet, tally: &mut Tally) {
    let Ok(pair) = Pair::new(&set.writer, &set.reader, &set.policy) else { return };
    let (writer, reader) =
        (Schema::parse(&set.writer).expect("a schema"), Schema::parse(&set.reader).expect("a schema"));
    let mut rng = Rng::new(set.seed ^ 0x6a73_6f6e);
    let (style, options) = style(&mut rng);
    let engines = |policy: Policy| [Tiering::interpreter(), Tiering::eager()].map(|t| engine(&policy, t, &tally.ops));
    // Where the first match is taken, a schema does not always resolve to itself.
    let (own, exact) = (engines(set.policy.clone()), engines(Policy { first_match: false, ..set.policy }));
    let via = |engines: &[Engine], from: &Endpoint, to: &Endpoint| -> Vec<Transform> {
        engines.iter().map(|e| e.transform(from.clone(), to.clone()).expect("resolves")).collect()
    };
    let json = Endpoint::json(&reader, options);
    let there = via(&own, &Endpoint::avro(&writer), &json);
    let back = via(&exact, &json, &Endpoint::avro(&reader));
    let text = Text::new(&set.reader, style, set.policy.max_depth).expect("a schema");
    // The writer's data as text, and that under the reader's schema: as without the text.
    let whole = Pair::new(&set.writer, &set.writer, &set.policy).ok();
    let whole = whole.filter(|_| style.tagged && !set.policy.first_match);
    let json_of_writer = Endpoint::json(&writer, options);
    let told = via(&own, &Endpoint::avro(&writer), &json_of_writer);
    let evolved = via(&own, &json_of_writer, &Endpoint::avro(&reader));
    // A low limit of depth is checked where data are nested less, and a value may be made of the first of two keys.
    tally.fast_only = set.policy.max_depth == 64 && style.twice != naive::Twice::Last;
    let context = || format!("seed {} {style:?}\nwriter {}\nreader {}", set.seed, set.writer, set.reader);
    for input in &set.inputs {
        if whole.as_ref().is_some_and(|w| w.run(input).is_ok())
            && let Ok((json, _)) = run(&told, input, tally, &context)
        {
            let got = run(&evolved, &json, tally, &context);
            match (pair.run(input), got) {
                (Ok((want, _)), Ok((got, end))) => {
                    assert_eq!(end, json.len(), "{}", context());
                    // Only what a NaN carries is lost.
                    let alike = |a: &[u8]| text.write(a).map(|t| sorted(&t).expect("JSON"));
                    assert!(
                        got == want || alike(&got) == alike(&want),
                        "{}\n{want:?}\n{got:?}\n{}",
                        context(),
                        String::from_utf8_lossy(&json)
                    );
                }
                (Err(_), Err(_)) => {}
                (want, got) => panic!("{}\n{want:?}\n{got:?}\n{}", context(), String::from_utf8_lossy(&json)),
            }
            tally.evolved += 1;
        }
        let Ok((datum, _)) = pair.run(input) else { continue };
        let answer = run(&there, input, tally, &context);
        let Some(want) = text.write(&datum) else {
            assert_eq!(answer.expect_err("too many digits").0, "range", "{}", context());
            tally.too_long += 1;
            continue;
        };
        let (got, _) = answer.unwrap_or_else(|e| panic!("{}\n{e:?}\nwanted {want}", context()));
        // Fields are written in the order of the data.
        let got = String::from_utf8(got).expect("UTF-8");
        assert_eq!(sorted(&got).as_ref().expect("JSON"), &sorted(&want).expect("JSON"), "{}", context());
        let want = got;
        tally.written += 1;
        read(&back, &text, want.as_bytes(), tally, &context, Some(&datum).filter(|_| style.tagged));
        tally.read_back += 1;
        for _ in 0..2 {
            let mut other = restyled(&want, &mut rng).into_bytes();
            damage(&mut rng, &mut other);
            read(&back, &text, &other, tally, &context, None);
            tally.restyled += 1;
        }
    }
}

/// Reads a text on all tiers and by the oracle. Tagged text of our own is the datum that it was written from.
fn read(
    tiers: &[Transform],
    text: &Text,
    input: &[u8],
    tally: &mut Tally,
    context: &dyn Fn() -> String,
    datum: Option<&Vec<u8>>,
) {
    let checked = tally.checked;
    let answer = run(tiers, input, tally, context);
    let brackets = input.trim_ascii_start().first().is_some_and(|b| b"{[".contains(b));
    // A limit of depth is checked where a value might go deeper, which some do.
    let flat = input.iter().filter(|b| b"{[".contains(b)).count() < 50;
    if tally.fast_only && brackets && flat && answer.is_ok() {
        assert_eq!(tally.checked, checked, "{}\n{}", context(), String::from_utf8_lossy(input));
        tally.stayed += 1;
    }
    let shown = || format!("{}\ninput {}", context(), String::from_utf8_lossy(input));
    let Ok(valid) = std::str::from_utf8(input) else {
        // What stands in front of the bad bytes may be a whole value.
        if let Ok((_, end)) = &answer {
            assert!(std::str::from_utf8(&input[..*end]).is_ok(), "{}", shown());
        }
        return;
    };
    match (text.read(valid), answer) {
        (Ok(want), Ok(got)) => {
            assert_eq!(got, want, "{}", shown());
            tally.accepted += 1;
            if let Some(datum) = datum {
                // Only what a NaN carries is lost.
                let again = text.write(&got.0).expect("few digits");
                assert!(got.0 == *datum || sorted(&again) == sorted(valid), "{}", shown());
                tally.alike += usize::from(got.0 == *datum);
            }
        }
        (Err(Some(classes)), Err((class, ..))) if classes.contains(class.as_str()) => tally.refused += 1,
        (Err(None), Err(_)) => tally.no_json += 1,
        (want, got) => panic!("{}\nengine {got:?}\nnaive {want:?}", shown()),
    }
    assert!(datum.is_none() || tally.accepted > 0);
}

fn damage(rng: &mut Rng, out: &mut Vec<u8>) {
    if !rng.one_in(3) {
        return;
    }
    for _ in 0..1 + rng.below(2) {
        let at = rng.below(out.len());
        match rng.below(6) {
            0 => out.truncate(at + 1),
            1 => drop(out.remove(at)),
            2 => out.insert(at, *rng.pick(b"{}[],:\"\\0-. 1e\n")),
            3 => out[at] = *rng.pick(b"{}[],:\"\\0-. 1e\nx"),
            4 => {
                let word = *rng.pick(&["null", "3000000000", "1.5", "\"NaN\"", "99999999999999999999", "1e400"]);
                out.splice(at..at, word.bytes());
            }
            _ => out[at] ^= 1 << rng.below(8),
        }
        if out.is_empty() {
            return;
        }
    }
}

#[test]
fn json_at_either_end() {
    let cases = env("RESCHEMA_CASES", DEFAULT_CASES);
    let mut seed = env("RESCHEMA_SEED", 1) as u64;
    let mut total = Tally::default();
    while total.cases() < cases {
        run_set(&case_set(seed, 12), &mut total);
        seed += 1;
    }
    println!("{} cases: {total:?}", total.cases());
    assert!(total.accepted * 2 > total.restyled, "{total:?}");
    assert!(total.refused + total.no_json > total.restyled / 20, "{total:?}");
    // A fast path that always leaves would agree as well.
    assert!(total.compiled > total.fast / 2 && total.checked < total.fast, "{total:?}");
    assert!(total.stayed > total.accepted / 3, "{total:?}");
    for kind in ["enum", "key", "length", "limit", "range", "syntax", "truncated", "type", "union", "utf8"] {
        assert!(total.errors.get(kind).is_some_and(|n| *n >= 5), "{kind}: {total:?}");
    }
    for (op, n) in total.ops.all().filter(|(op, _)| ops::TEXT.contains(op)) {
        assert!(n >= 100, "{op}: executed {n} times by compiled code");
    }
}
