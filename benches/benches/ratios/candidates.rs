//! The candidates of each workload: the engine, the hand-written bound, the peers. Each is checked before it is
//! measured.
//!
//! serde_avro_fast has no reader schema: it decodes into the reader's struct under the writer's schema and encodes
//! that under the reader's. apache-avro resolves its own values. Both write maps in an order of their own, and
//! serde_avro_fast a block an item, so their answers are compared as values; the hand-written ones as bytes.

use crate::damage;
use crate::workloads::{Peer, Unsafe, Workload};
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::types::Value;
use apache_avro::writer::datum::GenericDatumWriter;
use reschema::{Endpoint, Engine, NativeStats, Schema, Tiering, Transform};
use reschema_benches::hand::Cur;
use reschema_benches::hand_unsafe::{self, Runner};
use reschema_benches::measure::Candidate;

// Names of candidates.
pub(crate) const INTERPRETER: &str = "interpreter";
pub(crate) const COMPILED: &str = "compiled";
/// One record a call.
pub(crate) const ONE_A_CALL: &str = "compiled, one a call";
pub(crate) const HAND: &str = "hand";
pub(crate) const UNSAFE: &str = "unsafe hand";
/// It reads one varint after the other.
pub(crate) const WORDS: &str = "unsafe hand, by words";
/// It asks of each nullable field whether it is there.
pub(crate) const BRANCHY: &str = "unsafe hand, branchy";
pub(crate) const SERDE: &str = "serde_avro_fast";
pub(crate) const APACHE: &str = "apache-avro";
/// Not a candidate, but in the table.
pub(crate) const PREPARATION: &str = "resolve and lower";

/// What a workload's candidates need, built once.
pub(crate) struct Prepared<'w> {
    workload: &'w Workload,
    transform: Transform,
    compiled: Transform,
    peer: Peer,
    apache: (apache_avro::Schema, apache_avro::Schema),
}

impl<'w> Prepared<'w> {
    /// Parses and resolves for everyone.
    pub(crate) fn new(workload: &'w Workload) -> Prepared<'w> {
        let (w, r) = (&workload.data.schema, &workload.reader);
        let parse = |text: &str| Schema::parse(text).expect("a schema");
        let make = |tiering| {
            let engine = Engine::builder().tiering(tiering).build().expect("an engine");
            engine.transform(Endpoint::avro(&parse(w)), Endpoint::avro(&parse(r))).expect("resolves")
        };
        let serde = |text: &str| text.parse::<serde_avro_fast::Schema>().expect("a schema");
        let apache = |text: &str| apache_avro::Schema::parse_str(text).expect("a schema");
        Prepared {
            workload,
            transform: make(Tiering::interpreter()),
            compiled: make(Tiering::eager()),
            peer: Peer { writer: serde(w), reader: serde(r) },
            apache: (apache(w), apache(r)),
        }
    }

    /// Runs every candidate over all records and compares the answers; the bounds without checks also over damage.
    ///
    /// # Panics
    /// A candidate is wrong.
    pub(crate) fn check(&self) {
        let data = &self.workload.data;
        for bound in self.unchecked() {
            let (mut want, mut got) = (Vec::new(), Vec::new());
            self.hand(0, data.n, &mut want);
            let taken = (bound.run)(&mut Runner::default(), &data.buf, data.n, &mut got);
            assert_eq!(taken, Ok(data.buf.len()), "{}", self.workload.name);
            assert!(got == want, "{}: {} and the checked bound differ", self.workload.name, bound.name);
            let (cases, refused) = damage::check(self.workload, bound, &self.transform);
            eprintln!("{}: {}: {cases} damaged records, {refused} refused", self.workload.name, bound.name);
        }
        self.check_others();
    }

    /// The bounds without checks, if the machine runs them.
    fn unchecked(&self) -> &[Unsafe] {
        if hand_unsafe::is_supported() {
            return &self.workload.unchecked;
        }
        eprintln!("{}: no bounds without checks: they need AVX2 and BMI", self.workload.name);
        &[]
    }

    fn check_others(&self) {
        let Workload { name, data, .. } = self.workload;
        let mut want = Vec::new();
        self.hand(0, data.n, &mut want);
        let mut got = Vec::new();
        let done = self.transform.run_many(&data.buf, data.n as u64, &mut got).expect("the engine runs");
        assert_eq!(done.consumed, data.buf.len(), "{name}");
        assert_eq!(done.tiers.fast, data.n as u64, "{name}: the fast path does all of it");
        assert!(got == want, "{name}: the engine and the bound differ");
        got.clear();
        let done = self.compiled.run_many(&data.buf, data.n as u64, &mut got).expect("compiled code runs");
        assert_eq!((done.consumed, done.tiers.compiled), (data.buf.len(), data.n as u64), "{name}");
        assert!(got == want, "{name}: compiled code and the bound differ");
        let few = data.n.min(300);
        let mut want = Vec::new();
        self.hand(0, few, &mut want);
        let want = self.values(&want, few);
        let mut got = Vec::new();
        self.apache(0, few, &mut got);
        assert_eq!(self.values(&got, few), want, "{name}: apache-avro and the bound differ");
        if let Some(serde) = self.workload.serde {
            let mut got = Vec::new();
            serde(&self.peer, data, 0, few, &mut got);
            assert_eq!(self.values(&got, few), want, "{name}: serde_avro_fast and the bound differ");
        }
    }

    /// What the compiled code is made of.
    pub(crate) fn native(&self) -> NativeStats {
        self.compiled.native().expect("asked for").expect("compiled")
    }

    /// Decoded under the reader's schema; NaN-free, so that values compare.
    fn values(&self, bytes: &[u8], count: usize) -> Vec<Value> {
        let reader = GenericDatumReader::builder(&self.apache.1).build().expect("a reader");
        let mut rest = bytes;
        let values = (0..count).map(|_| reader.read_value(&mut rest).expect("a value")).collect();
        assert!(rest.is_empty(), "{}: bytes left", self.workload.name);
        values
    }

    fn hand(&self, from: usize, to: usize, out: &mut Vec<u8>) {
        let data = &self.workload.data;
        let mut cursor = Cur::new(&data.buf[data.off[from]..]);
        for _ in from..to {
            (self.workload.hand)(&mut cursor, out).expect("the bound runs");
        }
    }

    fn apache(&self, from: usize, to: usize, out: &mut Vec<u8>) {
        let (w, r) = &self.apache;
        let reader = GenericDatumReader::builder(w).reader_schema(r).build().expect("a reader");
        let writer = GenericDatumWriter::builder(r).build().expect("a writer");
        for i in from..to {
            let value = reader.read_value(&mut self.workload.data.rec(i)).expect("apache-avro reads");
            writer.write_value_ref(out, &value).expect("apache-avro writes");
        }
    }

    /// The candidates, the engine first.
    pub(crate) fn candidates(&self) -> Vec<Candidate<'_>> {
        let data = &self.workload.data;
        let mut out = Vec::new();
        let engine = move |from: usize, to: usize| {
            out.clear();
            let input = &data.buf[data.off[from]..data.off[to]];
            self.transform.run_many(input, (to - from) as u64, &mut out).expect("the engine runs");
        };
        let mut list = vec![Candidate { name: INTERPRETER, run: Box::new(engine) }];
        let mut out = Vec::new();
        list.push(Candidate {
            name: COMPILED,
            run: Box::new(move |from, to| {
                out.clear();
                let input = &data.buf[data.off[from]..data.off[to]];
                self.compiled.run_many(input, (to - from) as u64, &mut out).expect("compiled code runs");
            }),
        });
        let mut out = Vec::new();
        list.push(Candidate {
            name: HAND,
            run: Box::new(move |from, to| {
                out.clear();
                self.hand(from, to, &mut out);
            }),
        });
        for Unsafe { name, run } in self.unchecked() {
            let (mut out, mut runner) = (Vec::new(), Runner::default());
            list.push(Candidate {
                name,
                run: Box::new(move |from, to| {
                    out.clear();
                    let input = &data.buf[data.off[from]..data.off[to]];
                    run(&mut runner, input, to - from, &mut out).expect("the bound runs");
                }),
            });
        }
        let mut out = Vec::new();
        list.push(Candidate {
            name: ONE_A_CALL,
            run: Box::new(move |from, to| {
                for i in from..to {
                    out.clear();
                    self.compiled.run(data.rec(i), &mut out).expect("compiled code runs");
                }
            }),
        });
        if let Some(serde) = self.workload.serde {
            let mut out = Vec::new();
            list.push(Candidate {
                name: SERDE,
                run: Box::new(move |from, to| {
                    out.clear();
                    serde(&self.peer, data, from, to, &mut out);
                }),
            });
        }
        let mut out = Vec::new();
        list.push(Candidate {
            name: APACHE,
            run: Box::new(move |from, to| {
                out.clear();
                self.apache(from, to, &mut out);
            }),
        });
        list
    }
}
