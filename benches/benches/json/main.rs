//! `cargo bench --bench json [-- --rounds N] [--starts N] [--filter TEXT] [--smoke]`
//!
//! JSON at either end against serde: Avro to JSON, JSON to Avro with keys in the expected order and shuffled, JSON to JSON
//! with fields dropped, renamed and in another order. Every candidate's answer is compared as values before it is measured.

mod peers;
mod workloads;

use peers::Peer;
use reschema::{Endpoint, Engine, Tiering, Transform};
use reschema_benches::measure::{Candidate, median, rounds};
use workloads::{Workload, workloads};

const RECORDS: usize = 5000;
const INTERPRETER: &str = "interpreter";
const COMPILED: &str = "compiled";

struct Options {
    rounds: usize,
    starts: usize,
    filter: String,
    smoke: bool,
}

fn options() -> Options {
    let mut o = Options { rounds: 21, starts: 2, filter: String::new(), smoke: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} takes a value"));
        match arg.as_str() {
            "--rounds" => o.rounds = value().parse().expect("a number"),
            "--starts" => o.starts = value().parse().expect("a number"),
            "--filter" => o.filter = value(),
            "--smoke" => o = Options { rounds: 1, starts: 1, smoke: true, ..o },
            // What cargo passes.
            "--bench" | "--test" => {}
            other => panic!("unknown option {other}"),
        }
    }
    o
}

fn transform(w: &Workload, tiering: Tiering) -> Transform {
    let engine = Engine::builder().tiering(tiering).build().expect("an engine");
    let (from, to): (Endpoint, Endpoint) = (w.from.clone(), w.to.clone());
    engine.transform(from, to).expect("resolves")
}

/// Records `from..to` of a workload by the engine.
fn run(t: &Transform, w: &Workload, from: usize, to: usize, out: &mut Vec<u8>) {
    let input = &w.input[w.offsets[from]..w.offsets[to]];
    let done = t.run_many(input, (to - from) as u64, out).expect("the engine runs");
    assert_eq!(done.records, (to - from) as u64);
}

/// Compares what everyone makes of all records, as values.
fn check(w: &Workload, interpreted: &Transform, compiled: &Transform) {
    let mut want = Vec::new();
    run(interpreted, w, 0, w.len(), &mut want);
    let mut got = Vec::new();
    let done = compiled.run_many(&w.input, w.len() as u64, &mut got).expect("compiled code runs");
    assert_eq!(done.tiers.compiled, w.len() as u64, "{}: compiled code does all of it", w.name);
    assert!(got == want, "{}: the tiers differ", w.name);
    let want = (w.values)(&want, w.len());
    for peer in &w.peers {
        let mut got = Vec::new();
        (0..w.len()).for_each(|i| (peer.run)(w.record(i), &mut got));
        let got = (w.values)(&got, w.len());
        for (i, (a, b)) in want.iter().zip(&got).enumerate() {
            assert_eq!(a, b, "{}: {}: record {i}", w.name, peer.name);
        }
        assert_eq!(want.len(), got.len(), "{}: {}", w.name, peer.name);
    }
}

fn candidates<'w>(w: &'w Workload, interpreted: &'w Transform, compiled: &'w Transform) -> Vec<Candidate<'w>> {
    let engine = |name, t: &'w Transform| {
        let mut out = Vec::new();
        Candidate {
            name,
            run: Box::new(move |from, to| {
                out.clear();
                run(t, w, from, to, &mut out);
            }),
        }
    };
    let peer = |peer: &'w Peer| {
        let mut out = Vec::new();
        Candidate {
            name: peer.name,
            run: Box::new(move |from, to| {
                out.clear();
                (from..to).for_each(|i| (peer.run)(w.record(i), &mut out));
            }),
        }
    };
    let mut list = vec![engine(INTERPRETER, interpreted), engine(COMPILED, compiled)];
    list.extend(w.peers.iter().map(peer));
    list
}

fn main() {
    let o = options();
    let records = if o.smoke { 100 } else { RECORDS };
    for w in workloads(records).iter().filter(|w| w.name.contains(&o.filter)) {
        let (interpreted, compiled) = (transform(w, Tiering::interpreter()), transform(w, Tiering::eager()));
        check(w, &interpreted, &compiled);
        let names: Vec<&str> = candidates(w, &interpreted, &compiled).iter().map(|c| c.name).collect();
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
        for _ in 0..o.starts {
            // Fresh engines: where code and data lie is part of the noise.
            let (interpreted, compiled) = (transform(w, Tiering::interpreter()), transform(w, Tiering::eager()));
            let more = rounds(&mut candidates(w, &interpreted, &compiled), w.len(), o.rounds);
            times.iter_mut().zip(more).for_each(|(t, m)| t.extend(m));
        }
        tell(w, &names, &times);
    }
}

fn tell(w: &Workload, names: &[&str], times: &[Vec<f64>]) {
    println!("\n{} ({} bytes of input a record)", w.name, w.input.len() / w.len());
    let compiled = names.iter().position(|n| *n == COMPILED).expect("it is there");
    let ratio = |i: usize| median(times[i].iter().zip(&times[compiled]).map(|(a, b)| a / b).collect());
    for (i, name) in names.iter().enumerate() {
        println!("{name:>44} {:>9.1} ns {:>7.2} × the compiled time", median(times[i].clone()), ratio(i));
    }
    let best = (0..names.len()).filter(|i| *i > compiled).min_by(|a, b| ratio(*a).total_cmp(&ratio(*b)));
    let Some(best) = best else { return };
    let holds = if ratio(best) >= w.promised { "holds" } else { "MISSED" };
    println!(
        "{:>44} {:.2}, promised {:.1}: {holds}",
        format!("the best of the others, {},", names[best]),
        ratio(best),
        w.promised
    );
}
