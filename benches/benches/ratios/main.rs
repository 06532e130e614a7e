//! `cargo bench --bench ratios [-- --starts N] [--rounds N] [--filter TEXT] [--smoke]`
//!
//! Ratios between the engine, hand-written code and peers: see benches/README.md.

mod candidates;

use candidates::{Prepared, RECORDS, Workload, workloads};
use reschema::{Endpoint, Engine, Schema};
use reschema_benches::measure::{cpu_time, median, rounds};
use std::collections::BTreeMap;
use std::process::Command;

struct Options {
    starts: usize,
    rounds: usize,
    filter: String,
    smoke: bool,
    child: bool,
}

fn options() -> Options {
    let mut o = Options { starts: 5, rounds: 31, filter: String::new(), smoke: false, child: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} takes a value"));
        match arg.as_str() {
            "--starts" => o.starts = value().parse().expect("a number"),
            "--rounds" => o.rounds = value().parse().expect("a number"),
            "--filter" => o.filter = value(),
            "--smoke" => (o.smoke, o.starts, o.rounds) = (true, 1, 3),
            "--child" => o.child = true,
            // What cargo passes.
            "--bench" | "--test" => {}
            other => panic!("unknown option {other}"),
        }
    }
    o
}

fn main() {
    let o = options();
    if o.child {
        measure(&o);
    } else {
        parent(&o);
    }
}

/// One process start: a line `workload TAB candidate TAB ns TAB ratio to the engine` each.
fn measure(o: &Options) {
    let records = if o.smoke { 1000 } else { RECORDS };
    for workload in workloads(records).iter().filter(|w| w.name.contains(&o.filter)) {
        let prepared = Prepared::new(workload);
        prepared.check();
        let mut candidates = prepared.candidates();
        let times = rounds(&mut candidates, workload.data.n, o.rounds);
        for (candidate, figures) in candidates.iter().zip(&times) {
            let ratios = figures.iter().zip(&times[0]).map(|(a, engine)| a / engine).collect();
            println!("{}\t{}\t{}\t{}", workload.name, candidate.name, median(figures.clone()), median(ratios));
        }
        let native = prepared.native();
        let (clif, bytes, time) = (native.clif, native.code_bytes, native.time.as_micros());
        eprintln!("{}: {clif} CLIF instructions, {bytes} bytes of code, compiled in {time} µs", workload.name);
        if workload.name == "order event evolved" {
            preparation(workload, &times[0]);
        }
    }
}

/// What resolving and lowering the pair costs, in records interpreted.
fn preparation(workload: &Workload, engine: &[f64]) {
    let writer = Schema::parse(&workload.data.schema).expect("a schema");
    let reader = Schema::parse(&workload.reader).expect("a schema");
    let costs = (0..200)
        .map(|_| {
            let fresh = Engine::default();
            let start = cpu_time();
            let t = fresh.transform(Endpoint::avro(&writer), Endpoint::avro(&reader)).expect("resolves");
            let cost = cpu_time() - start;
            drop(t);
            cost.as_nanos() as f64
        })
        .collect();
    let cost = median(costs);
    println!("{}\tresolve and lower\t{cost}\t{}", workload.name, cost / median(engine.to_vec()));
}

fn parent(o: &Options) {
    // Workload, in order; candidate, in order; figures of the starts.
    let mut order: Vec<(String, String)> = Vec::new();
    let mut figures: BTreeMap<(String, String), Vec<(f64, f64)>> = BTreeMap::new();
    for start in 0..o.starts {
        eprintln!("start {} of {}", start + 1, o.starts);
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--child", "--rounds", &o.rounds.to_string(), "--filter", &o.filter]);
        if o.smoke {
            command.arg("--smoke");
        }
        let out = command.stderr(std::process::Stdio::inherit()).output().expect("a child");
        assert!(out.status.success(), "a candidate failed");
        for line in String::from_utf8_lossy(&out.stdout).lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let [workload, candidate, ns, ratio] = cells[..] else { panic!("{line:?}") };
            let key = (workload.to_string(), candidate.to_string());
            if !figures.contains_key(&key) {
                order.push(key.clone());
            }
            let pair = (ns.parse().expect("a number"), ratio.parse().expect("a number"));
            figures.entry(key).or_default().push(pair);
        }
    }
    report(&order, &figures);
}

fn report(order: &[(String, String)], figures: &BTreeMap<(String, String), Vec<(f64, f64)>>) {
    println!("| workload | candidate | ns/record | × interpreter |\n|---|---|---:|---:|");
    let mut json = Vec::new();
    for key in order {
        let list = &figures[key];
        let ns = median(list.iter().map(|f| f.0).collect());
        let ratio = median(list.iter().map(|f| f.1).collect());
        let (workload, candidate) = key;
        println!("| {workload} | {candidate} | {ns:.1} | {ratio:.2} |");
        json.push(serde_json::json!({ "workload": workload, "candidate": candidate, "ns": ns, "ratio": ratio }));
    }
    println!("(resolve and lower: ns a pair, and records interpreted in that time)");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/ratios.json");
    if std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../target")).is_ok() {
        let text = serde_json::to_string_pretty(&json).expect("JSON");
        std::fs::write(path, text).expect("target/ratios.json");
    }
}
