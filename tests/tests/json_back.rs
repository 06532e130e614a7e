//! What is written as JSON reads back, for every schema of the random generator and under all options: the same value of
//! the same variants, unless the transform has warned that variants look alike.
//!
//! `RESCHEMA_CASES` sets the number of cases, `RESCHEMA_SEED` the first seed.

use reschema::json::{BytesAs, DecimalsAs, JsonOptions, SpecialsAs, TimesAs, Twice, Unknown};
use reschema::{Endpoint, Engine, Schema, Tiering, Transform};
use reschema_tests::naive::text::{Specials, Style, Text};
use reschema_tests::random::{Rng, case_set};

const DEFAULT_CASES: usize = 20_000;

fn env(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[derive(Debug, Default)]
struct Tally {
    /// Of schemas that were not warned about.
    same: usize,
    /// Of schemas that were, all the same.
    warned_same: usize,
    /// Another variant, or an error.
    warned_other: usize,
    warned_error: usize,
    /// A decimal of too many digits, or a number that JSON lacks.
    not_written: usize,
    schemas: usize,
    warned_schemas: usize,
    /// Of those, ones of which some value did not come back.
    warned_rightly: usize,
}

impl Tally {
    fn cases(&self) -> usize {
        self.same + self.warned_same + self.warned_other + self.warned_error
    }
}

fn options(rng: &mut Rng) -> JsonOptions {
    let start = if rng.one_in(4) { JsonOptions::AVRO } else { JsonOptions::PLAIN };
    start
        .bytes(*rng.pick(&[BytesAs::Base64, BytesAs::CodePoints]))
        .decimals(*rng.pick(&[DecimalsAs::Text, DecimalsAs::Number]))
        .times(*rng.pick(&[TimesAs::Text, TimesAs::Number]))
        .specials(*rng.pick(&[SpecialsAs::Text, SpecialsAs::Null, SpecialsAs::Refuse]))
        .duplicate_keys(*rng.pick(&[Twice::Refuse, Twice::First, Twice::Last]))
        .unknown_keys(*rng.pick(&[Unknown::Skip, Unknown::Refuse]))
        .missing_is_null(rng.one_in(2))
}

/// There and back.
struct Ways {
    datum: Transform,
    there: Transform,
    back: Transform,
}

impl Ways {
    fn new(engine: &Engine, schema: &Schema, options: JsonOptions) -> Ways {
        let (avro, json) = (Endpoint::avro(schema), Endpoint::json(schema, options));
        let way = |from: &Endpoint, to: &Endpoint| engine.transform(from.clone(), to.clone()).expect("resolves");
        Ways { datum: way(&avro, &avro), there: way(&avro, &json), back: way(&json, &avro) }
    }
}

fn one(t: &Transform, input: &[u8]) -> Result<Vec<u8>, reschema::Error> {
    let mut out = Vec::new();
    t.run(input, &mut out).map(|_| out)
}

#[test]
fn own_output_reads_back() {
    let cases = env("RESCHEMA_CASES", DEFAULT_CASES);
    let mut seed = env("RESCHEMA_SEED", 1) as u64;
    let engines =
        [Tiering::interpreter(), Tiering::eager()].map(|t| Engine::builder().tiering(t).build().expect("an engine"));
    let mut tally = Tally::default();
    while tally.cases() < cases {
        run(&engines, seed, &mut tally);
        seed += 1;
    }
    println!("{} cases: {tally:?}", tally.cases());
    assert!(tally.same > tally.cases() / 2 && tally.warned_other + tally.warned_error > 0, "{tally:?}");
    assert!(tally.not_written < tally.cases(), "{tally:?}");
}

fn run(engines: &[Engine], seed: u64, tally: &mut Tally) {
    let set = case_set(seed, 12);
    // Some of the generator's schemas are meant to be none.
    let Ok(schema) = Schema::parse(&set.writer) else { return };
    let mut rng = Rng::new(seed ^ 0x6261_636b);
    let options = options(&mut rng);
    let ways: Vec<Ways> = engines.iter().map(|e| Ways::new(e, &schema, options)).collect();
    let warned = !ways[0].there.warnings().is_empty();
    // NaN and infinities look as they do in the text, where they may be one.
    let null = options == options.specials(SpecialsAs::Null);
    let specials = if null { Specials::Null } else { Specials::Text };
    let style = Style { specials, ..Style::AVRO };
    let told = Text::new(&set.writer, style, 64).expect("a schema");
    let mut lost = false;
    for (i, input) in set.inputs.iter().enumerate() {
        // Each tier half of the time; that they agree is shown elsewhere.
        let w = &ways[i % ways.len()];
        let Ok(datum) = one(&w.datum, input) else { continue };
        let Ok(text) = one(&w.there, &datum) else {
            tally.not_written += 1;
            continue;
        };
        let back = one(&w.back, &text);
        let same = back.as_ref().is_ok_and(|got| {
            // What a NaN carries is lost, and bytes of a decimal that its value does not need.
            *got == datum || told.meaning(got) == told.meaning(&datum)
        });
        assert!(
            same || warned,
            "seed {seed}, no warning, {options:?}\n{}\n{}\n{datum:?}\n{back:?}",
            set.writer,
            String::from_utf8_lossy(&text)
        );
        lost |= !same;
        *match (warned, same, back.is_ok()) {
            (false, ..) => &mut tally.same,
            (true, true, _) => &mut tally.warned_same,
            (true, false, true) => &mut tally.warned_other,
            (true, false, false) => &mut tally.warned_error,
        } += 1;
    }
    tally.schemas += 1;
    tally.warned_schemas += usize::from(warned);
    tally.warned_rightly += usize::from(lost);
}
