//! 64 pairs in turns, message by message: much code, little of it in the processor's caches, where native code gains least.
//! Adaptive tiering, warmed up, with room for all code and for a quarter of it, against the interpreter.

use super::{Options, Workload, engine, transform, workloads};
use reschema::stats::Tier;
use reschema::{Engine, Tiering, Transform};
use reschema_benches::measure::{Candidate, median, rounds};

const PAIRS: usize = 64;
/// Passes of the warm-up, where it does not come to rest.
const MOST_PASSES: usize = 60;

/// The same pairs on each engine.
struct Pairs<'w> {
    transforms: Vec<(Transform, &'w Workload)>,
    engine: Engine,
}

impl<'w> Pairs<'w> {
    fn new(workloads: &'w [Workload], tiering: Tiering) -> Pairs<'w> {
        let engine = engine(tiering);
        let transforms = (0..PAIRS).map(|n| {
            let w = &workloads[n % workloads.len()];
            // Another name, so that it is another pair.
            let alias = format!(r#""type":"record","aliases":["A{n}"]"#);
            let reader = w.reader.replacen(r#""type":"record""#, &alias, 1);
            (transform(&engine, &w.data.schema, &reader), w)
        });
        Pairs { transforms: transforms.collect(), engine }
    }

    /// Messages `from..to`, a pair each in turn.
    fn run(&self, from: usize, to: usize, out: &mut Vec<u8>) {
        for i in from..to {
            let (t, w) = &self.transforms[i % PAIRS];
            out.clear();
            t.run(w.data.rec(i / PAIRS % w.data.n), out).expect("a good message");
        }
    }

    /// Runs until nothing is compiled, evicted or given back any more while so many messages pass.
    fn settle(&self, messages: usize, out: &mut Vec<u8>) {
        let mut before = None;
        for _ in 0..MOST_PASSES {
            self.run(0, messages, out);
            let stats = self.engine.stats();
            let now = Some((stats.compiles, stats.crowd.comparisons.min(1)));
            if now == before && stats.queued == 0 {
                break;
            }
            before = now;
        }
    }

    fn tell(&self, name: &str, ratio: f64) {
        let stats = self.engine.stats();
        let native = stats.transforms.iter().filter(|t| t.tier == Tier::Native).count();
        println!(
            "{name:>28}: {ratio:.2} × as fast as the interpreter{}; {native} of {PAIRS} native, {} compiled, {} stepped back, {} evicted, {} of {} bytes of code; in turns {:?}",
            if name.starts_with("adaptive") && ratio < 0.995 { " (MISSED)" } else { "" },
            stats.compiles.done,
            stats.compiles.steps_back,
            stats.compiles.evictions,
            stats.code_bytes,
            stats.code_bytes_limit,
            stats.crowd
        );
        assert!(stats.code_bytes <= stats.code_bytes_limit);
    }
}

pub(crate) fn measure(o: &Options) {
    let mut sets: Vec<(&str, Vec<Workload>)> = vec![("all three workloads", workloads(1000).into())];
    for w in workloads(1000) {
        sets.push((w.name, vec![w]));
    }
    for (name, workloads) in &sets {
        println!("\n64 pairs in turns, {name}");
        set(workloads, o);
    }
}

fn set(workloads: &[Workload], o: &Options) {
    let all = Pairs::new(workloads, Tiering::eager());
    let cap = all.engine.stats().code_bytes / 4;
    let interpreted = Pairs::new(workloads, Tiering::interpreter());
    let adaptive = Pairs::new(workloads, Tiering::adaptive().into());
    let capped = Pairs::new(workloads, Tiering::adaptive().code_bytes(cap).into());
    let mut out = Vec::new();
    let warm = if o.smoke { 10 * PAIRS } else { 100_000 * PAIRS / 8 };
    for pairs in [&adaptive, &capped] {
        pairs.settle(warm, &mut out);
    }
    // Where memory lies counts too: what another engine of the same kind takes.
    let again = Pairs::new(workloads, Tiering::interpreter());
    let five = [
        ("interpreter", &interpreted),
        ("interpreter again", &again),
        ("eager", &all),
        ("adaptive", &adaptive),
        ("adaptive, a quarter", &capped),
    ];
    let mut candidates: Vec<Candidate<'_>> = five
        .iter()
        .map(|(name, pairs)| {
            let mut out = Vec::new();
            Candidate { name, run: Box::new(move |from, to| pairs.run(from, to, &mut out)) }
        })
        .collect();
    let times = rounds(&mut candidates, 64_000, if o.smoke { 2 } else { o.rounds * 20 });
    for (i, (name, pairs)) in five.iter().enumerate().skip(1) {
        let ratios = times[0].iter().zip(&times[i]).map(|(a, b)| a / b).collect();
        pairs.tell(name, median(ratios));
    }
}
