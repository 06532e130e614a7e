//! `cargo bench --bench ratios [-- --starts N] [--rounds N] [--filter TEXT] [--smoke] [--instructions]`
//!
//! Ratios between the engine, hand-written code and peers: see benches/README.md.

mod candidates;
mod damage;
mod instructions;
mod options;
mod promises;
mod table;
mod workloads;

use candidates::{COMPILED, PREPARATION, Prepared};
use options::{Options, Role};
use reschema::{Endpoint, Engine, Schema};
use reschema_benches::measure::{cpu_time, median, rounds};
use std::process::{Command, Stdio};
use table::Table;
use workloads::{RECORDS, Workload, workloads};

fn main() {
    let o = Options::parse();
    match &o.role {
        Role::Parent => parent(&o),
        Role::Timed => measure(&o),
        Role::Counted { workload, candidate } => instructions::counted(workload, candidate),
    }
}

/// One process start: a line `workload TAB candidate TAB ns TAB ratio to compiled code` each.
fn measure(o: &Options) {
    let records = if o.smoke { 1000 } else { RECORDS };
    for workload in workloads(records).iter().filter(|w| w.name.contains(&o.filter)) {
        let prepared = Prepared::new(workload);
        prepared.check();
        let mut candidates = prepared.candidates();
        let times = rounds(&mut candidates, workload.data.n, o.rounds);
        let compiled = candidates.iter().position(|c| c.name == COMPILED).expect("it is measured");
        for (candidate, figures) in candidates.iter().zip(&times) {
            let ratios = figures.iter().zip(&times[compiled]).map(|(a, compiled)| a / compiled).collect();
            println!("{}\t{}\t{}\t{}", workload.name, candidate.name, median(figures.clone()), median(ratios));
        }
        let native = prepared.native();
        let (clif, bytes, time) = (native.clif, native.code_bytes, native.time.as_micros());
        eprintln!("{}: {clif} CLIF instructions, {bytes} bytes of code, compiled in {time} µs", workload.name);
        if workload.name == "order event evolved" {
            preparation(workload, &times[compiled]);
        }
    }
}

/// What resolving and lowering the pair costs, in records that compiled code does.
fn preparation(workload: &Workload, compiled: &[f64]) {
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
    println!("{}\t{PREPARATION}\t{cost}\t{}", workload.name, cost / median(compiled.to_vec()));
}

fn parent(o: &Options) {
    let mut table = Table::default();
    for start in 0..o.starts {
        eprintln!("start {} of {}", start + 1, o.starts);
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--child", "--rounds", &o.rounds.to_string(), "--filter", &o.filter]);
        if o.smoke {
            // Sets the rounds as well: so it comes last.
            command.arg("--smoke");
        }
        let out = command.stderr(Stdio::inherit()).output().expect("a child");
        assert!(out.status.success(), "a candidate failed");
        String::from_utf8_lossy(&out.stdout).lines().for_each(|line| table.add(line));
    }
    if o.instructions && instructions::can_count() {
        count(&mut table);
    }
    table.report();
    promises::report(&table);
    write(&table);
}

/// Counts the instructions of every candidate in the table.
fn count(table: &mut Table) {
    let list = workloads(instructions::RECORDS);
    for (workload, candidate) in table.keys() {
        let Some(found) = list.iter().find(|w| w.name == workload) else { continue };
        if candidate == PREPARATION {
            continue;
        }
        eprintln!("counting {workload}, {candidate}");
        table.add_instructions(&workload, &candidate, instructions::count(found, &candidate));
    }
}

fn write(table: &Table) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/ratios.json");
    if std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../target")).is_ok() {
        let text = serde_json::to_string_pretty(&table.json()).expect("JSON");
        std::fs::write(path, text).expect("target/ratios.json");
    }
}
