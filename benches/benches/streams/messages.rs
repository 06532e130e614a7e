//! Messages under 50 writer's schemas in turn, through one reader's schema, against messages of one writer's schema and
//! against one call for all values.

use super::Options;
use reschema::messages::{Framing, MemoryStore, MessageReader};
use reschema::{Endpoint, Engine, Schema, Transform};
use reschema_benches::data::{self, Data};
use reschema_benches::measure::{Candidate, median, rounds};
use std::sync::Arc;

const WRITERS: usize = 50;

/// Messages back to back.
struct Messages {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    reader: MessageReader,
}

impl Messages {
    /// Message `i` is written under schema `i % writers`: the workload's with a field more, of another name each.
    fn new(data: &Data, reader: &str, n: usize, writers: usize) -> Messages {
        let mut store = MemoryStore::new();
        let ids: Vec<_> = (0..writers)
            .map(|w| {
                let schema = Schema::parse(&with_field(&data.schema, w)).expect("a schema");
                store.insert_by_fingerprint(&schema).expect("Avro")
            })
            .collect();
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for i in 0..n {
            assert!(Framing::SingleObject.begin(ids[i % writers], &mut bytes));
            bytes.extend_from_slice(data.rec(i % data.n));
            bytes.push(2);
            ends.push(bytes.len());
        }
        let reader = Endpoint::avro(&Schema::parse(reader).expect("a schema"));
        let reader = MessageReader::new(&Engine::default(), Arc::new(store), reader, Framing::SingleObject);
        Messages { bytes, ends, reader }
    }

    fn run(&mut self, from: usize, to: usize, out: &mut Vec<u8>) {
        let mut start = from.checked_sub(1).map_or(0, |i| self.ends[i]);
        for i in from..to {
            let end = self.ends[i];
            self.reader.read(&self.bytes[start..end], out).expect("transforms");
            start = end;
        }
    }
}

/// The schema with a field behind the others.
fn with_field(schema: &str, n: usize) -> String {
    let end = schema.trim_end().strip_suffix("]}").expect("a record whose fields come last");
    format!("{end},{{\"name\":\"extra{n}\",\"type\":\"long\"}}]}}")
}

/// The values alone, under one schema, back to back.
fn batch(data: &Data, reader: &str, n: usize) -> (Transform, Vec<u8>, Vec<usize>) {
    let writer = Schema::parse(&with_field(&data.schema, 0)).expect("a schema");
    let reader = Schema::parse(reader).expect("a schema");
    let t = Engine::default().transform(Endpoint::avro(&writer), Endpoint::avro(&reader)).expect("resolves");
    let (mut bytes, mut ends) = (Vec::new(), vec![0]);
    for i in 0..n {
        bytes.extend_from_slice(data.rec(i % data.n));
        bytes.push(2);
        ends.push(bytes.len());
    }
    (t, bytes, ends)
}

pub(crate) fn measure(o: &Options) {
    println!("messages: time of a message of 50 schemas in turn / of one schema / in one call");
    let n = if o.smoke { 1000 } else { 100_000 };
    let mut orders = data::r1(10_000);
    orders.schema = data::r1raw();
    for (name, data, reader) in [
        ("order event evolved", orders, data::r1eraw()),
        ("six-field int to long", data::gt(10_000), data::GT_PROMO.to_string()),
    ] {
        let mut many = Messages::new(&data, &reader, n, WRITERS);
        let mut one = Messages::new(&data, &reader, n, 1);
        let (t, bytes, ends) = batch(&data, &reader, n);
        let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
        many.run(0, n, &mut a);
        one.run(0, n, &mut b);
        t.run_many(&bytes, n as u64, &mut c).expect("transforms");
        assert!(a == b && b == c, "{name}: the answers differ");
        let mut candidates = [
            Candidate {
                name: "50 schemas",
                run: Box::new(|from, to| {
                    a.clear();
                    many.run(from, to, &mut a);
                }),
            },
            Candidate {
                name: "one schema",
                run: Box::new(|from, to| {
                    b.clear();
                    one.run(from, to, &mut b);
                }),
            },
            Candidate {
                name: "one call",
                run: Box::new(|from, to| {
                    c.clear();
                    t.run_many(&bytes[ends[from]..ends[to]], (to - from) as u64, &mut c).expect("transforms");
                }),
            },
        ];
        let times = rounds(&mut candidates, n, o.rounds * 9);
        let ratio = |i: usize| median(times[0].iter().zip(&times[i]).map(|(x, y)| x / y).collect());
        println!(
            "  {name}: {:.2} of one schema, {:.2} of one call ({:.0} ns)",
            ratio(1),
            ratio(2),
            median(times[0].clone())
        );
    }
}
