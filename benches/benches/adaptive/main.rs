//! `cargo bench --bench adaptive [-- --rounds N] [--svg FILE] [--filter curve|pairs] [--smoke]`
//!
//! Adaptive tiering against both of its ends: total time by number of records (*curve*, drawn with `--svg`), and 64 pairs in
//! turns, message by message (*pairs*). `--message TIER --calls N --count N` only runs messages: see benches/README.md.

mod curve;
mod message;
mod pairs;
mod plot;

use reschema::{Endpoint, Engine, Schema, Tiering, Transform};
use reschema_benches::data::{self, Data};

/// Data under a writer's schema, wanted under a reader's.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) data: Data,
    pub(crate) reader: String,
}

pub(crate) fn workloads(records: usize) -> [Workload; 3] {
    let mut orders = data::r1(records);
    orders.schema = data::r1raw();
    let of = |name, data, reader: String| Workload { name, data, reader };
    [
        of("six-field int to long", data::gt(records), data::GT_PROMO.into()),
        of("order event evolved", orders, data::r1eraw()),
        of("200 nullable to 10", data::r2(records / 2), data::r2p()),
    ]
}

pub(crate) fn engine(tiering: Tiering) -> Engine {
    Engine::builder().tiering(tiering).build().expect("an engine")
}

pub(crate) fn transform(engine: &Engine, writer: &str, reader: &str) -> Transform {
    let parse = |text: &str| Schema::parse(text).expect("a schema");
    engine.transform(Endpoint::avro(&parse(writer)), Endpoint::avro(&parse(reader))).expect("resolves")
}

pub(crate) struct Options {
    rounds: usize,
    svg: Option<String>,
    smoke: bool,
}

fn main() {
    let mut o = Options { rounds: 7, svg: None, smoke: false };
    let (mut filter, mut message, mut calls, mut count) = (String::new(), None, 100_000, 1);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} takes a value"));
        match arg.as_str() {
            "--rounds" => o.rounds = value().parse().expect("a number"),
            "--svg" => o.svg = Some(value()),
            "--filter" => filter = value(),
            "--message" => message = Some(value()),
            "--count" => count = value().parse().expect("a number"),
            "--calls" => calls = value().parse().expect("a number"),
            "--smoke" => o = Options { rounds: 1, smoke: true, ..o },
            // What cargo passes.
            "--bench" | "--test" => {}
            other => panic!("unknown option {other}"),
        }
    }
    if let Some(tier) = message {
        return message::run(&tier, calls, count);
    }
    let wanted = |name: &str| filter.is_empty() || name == filter;
    if wanted("curve") {
        let curves = curve::measure(&o);
        if let Some(path) = &o.svg {
            // Cargo runs benches in the folder of their package.
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
            plot::draw(&path, &curves).expect("a picture");
        }
    }
    if wanted("pairs") {
        pairs::measure(&o);
    }
}
