//! Formats that exist only in this package, through the real driver and the real tier: one test for each decision
//! that later formats depend on (see docs/adr).

use reschema::schema::model::{TimeUnit, ZoneKind};
use reschema::{Columns, Endpoint, Engine, ErrorKind, Input, Location, Logical, Schema};
use reschema_ir::Column;
use reschema_tests::formats::{columns::COLUMNS, keyed::KEYED};

fn schema(text: &str) -> Schema {
    Schema::parse(text).expect("a schema")
}

const EVENT: &str = r#"{"type":"record","name":"Event","fields":[
    {"name":"id","type":"int"},
    {"name":"name","type":["null","string"]},
    {"name":"scores","type":{"type":"array","items":"double"}},
    {"name":"level","type":{"type":"enum","name":"Level","symbols":["LOW","HIGH"]}}]}"#;

const EVOLVED: &str = r#"{"type":"record","name":"Event","fields":[
    {"name":"level","type":{"type":"enum","name":"Level","symbols":["HIGH","LOW"]}},
    {"name":"id","type":"long"},
    {"name":"scores","type":{"type":"array","items":"double"}},
    {"name":"origin","type":"string","default":"?"}]}"#;

/// id 7, name "bo", scores [1.5] in two blocks with 2.5, level HIGH.
fn event_avro() -> Vec<u8> {
    let mut v = vec![0x0e, 0x02, 0x04, b'b', b'o', 0x02];
    v.extend(1.5f64.to_le_bytes());
    v.push(0x02);
    v.extend(2.5f64.to_le_bytes());
    v.extend([0x00, 0x02]);
    v
}

/// The same under the evolved schema, in canonical form.
fn evolved_avro() -> Vec<u8> {
    let mut v = vec![0x00, 0x0e, 0x04];
    v.extend(1.5f64.to_le_bytes());
    v.extend(2.5f64.to_le_bytes());
    v.extend([0x00, 0x02, b'?']);
    v
}

fn entry(out: &mut Vec<u8>, key: u16, value: &[u8]) {
    out.extend(key.to_le_bytes());
    out.extend(value);
}

/// The event keyed, in an order of its own.
fn event_keyed() -> Vec<u8> {
    let mut v = 4u16.to_le_bytes().to_vec();
    entry(&mut v, 4, &1i32.to_le_bytes());
    let mut scores = 2u32.to_le_bytes().to_vec();
    scores.extend(1.5f64.to_le_bytes());
    scores.extend(2.5f64.to_le_bytes());
    entry(&mut v, 3, &scores);
    entry(&mut v, 1, &7i32.to_le_bytes());
    let mut name = 1i32.to_le_bytes().to_vec();
    name.extend(2u32.to_le_bytes());
    name.extend(b"bo");
    entry(&mut v, 2, &name);
    v
}

#[test]
fn keyed_source_to_avro() {
    let t = Engine::default().transform(Endpoint::new(KEYED, &schema(EVENT)), Endpoint::avro(&schema(EVOLVED)));
    let t = t.expect("resolves");
    let input = event_keyed();
    let mut out = Vec::new();
    let done = t.run_many(&input, 1, &mut out).expect("runs");
    assert_eq!(out, evolved_avro());
    assert_eq!(done.consumed, input.len());
    assert_eq!(done.tiers.fast, 1, "the fast path runs keyed sources too: {}", t.explain().tier());
}

#[test]
fn avro_to_keyed_and_back() {
    let engine = Engine::default();
    let event = schema(EVENT);
    let there = engine.transform(Endpoint::avro(&event), Endpoint::new(KEYED, &event)).expect("resolves");
    let back = engine.transform(Endpoint::new(KEYED, &event), Endpoint::avro(&schema(EVOLVED))).expect("resolves");
    let (mut keyed, mut avro) = (Vec::new(), Vec::new());
    there.run(&event_avro(), &mut keyed).expect("runs");
    back.run(&keyed, &mut avro).expect("runs");
    assert_eq!(avro, evolved_avro());
}

#[test]
fn keys_met_twice_or_unknown_or_missing_are_faults_with_a_path() {
    let t = Engine::default().transform(Endpoint::new(KEYED, &schema(EVENT)), Endpoint::avro(&schema(EVOLVED)));
    let t = t.expect("resolves");
    let mut twice = 2u16.to_le_bytes().to_vec();
    entry(&mut twice, 1, &7i32.to_le_bytes());
    entry(&mut twice, 1, &8i32.to_le_bytes());
    let mut unknown = 1u16.to_le_bytes().to_vec();
    entry(&mut unknown, 9, &[]);
    let missing = 0u16.to_le_bytes().to_vec();
    for input in [twice, unknown, missing] {
        let mut out = b"kept".to_vec();
        let e = t.run(&input, &mut out).expect_err("a fault");
        assert_eq!(e.kind(), ErrorKind::Key, "{e}");
        assert!(e.source_path().is_some_and(|p| p.starts_with('$')));
        assert_eq!(out, b"kept");
    }
}

/// ADR: run(Input, &mut Output) over bytes and columns; ADR: the sequence-count protocol with no count at all.
#[test]
fn avro_to_columns() {
    let t = Engine::default().transform(Endpoint::avro(&schema(EVENT)), Endpoint::new(COLUMNS, &schema(EVENT)));
    let t = t.expect("resolves");
    let mut columns = t.columns();
    let input = [event_avro(), event_avro()].concat();
    let done = t.run_many(&input, 2, &mut columns).expect("runs");
    assert_eq!((done.records, done.consumed), (2, input.len()));
    let rows: Vec<u64> = (0..columns.len()).map(|i| columns.rows(Column(i as u32))).collect();
    assert_eq!(rows.iter().filter(|r| **r == 4).count(), 1, "the child of `scores` has four rows: {rows:?}");
    assert_eq!(rows.iter().filter(|r| **r == 2).count(), 4, "{rows:?}");
    let id = columns.get(Column(0)).expect("id");
    assert_eq!(id.values, [7i32.to_le_bytes(), 7i32.to_le_bytes()].concat());
    let name = columns.get(Column(1)).expect("name");
    assert_eq!((name.values.as_slice(), name.ends.as_slice()), (&b"bobo"[..], &[2, 4][..]));
}

/// ADR: checkpoint and rollback of everything a value changes, child columns included.
#[test]
fn a_bad_value_leaves_no_trace_in_columns() {
    let t = Engine::default().transform(Endpoint::avro(&schema(EVENT)), Endpoint::new(COLUMNS, &schema(EVENT)));
    let t = t.expect("resolves");
    let good = event_avro();
    for cut in 0..good.len() {
        let input = [good.as_slice(), &good[..cut]].concat();
        let mut columns = t.columns();
        let mut one = t.columns();
        t.run(&good, &mut one).expect("runs");
        let e = t.run_many(&input, 2, &mut columns).expect_err("cut off");
        assert_eq!(e.kind(), ErrorKind::Truncated, "{e}");
        assert_eq!(e.record(), Some(1));
        assert_eq!(e.bytes_consumed(), good.len() as u64);
        assert_eq!(columns, one, "cut at {cut}");
        assert!(matches!(e.location(), Some(Location::Byte(at)) if at <= input.len() as u64));
    }
    assert_ne!(t.columns(), Columns::default());
}

/// ADR: a window that ends inside a value is not a truncation.
#[test]
fn a_window_needs_input() {
    let t = Engine::default().transform(Endpoint::avro(&schema(EVENT)), Endpoint::avro(&schema(EVOLVED)));
    let t = t.expect("resolves");
    let stream = [event_avro(), event_avro(), event_avro()].concat();
    for end in 0..stream.len() {
        let mut out = Vec::new();
        let e = t.run_many(Input::Window(&stream[..end]), 3, &mut out).expect_err("the window ends");
        assert_eq!(e.kind(), ErrorKind::NeedInput);
        let done = e.records_done() as usize;
        assert_eq!(e.bytes_consumed() as usize, done * event_avro().len());
        assert_eq!(out, evolved_avro().repeat(done));
        let e = t.run_many(&stream[..end], 3, &mut Vec::new()).expect_err("the input ends");
        assert_eq!(e.kind(), ErrorKind::Truncated);
    }
}

/// ADR: user conversions for logical types, absent from Programs that do not use them.
#[test]
fn user_conversions() {
    let millis = schema(r#"{"type":"long","logicalType":"timestamp-millis"}"#);
    let micros = schema(r#"{"type":"long","logicalType":"timestamp-micros"}"#);
    let (ms, us) =
        (Logical::Timestamp(TimeUnit::Milli, ZoneKind::Utc), Logical::Timestamp(TimeUnit::Micro, ZoneKind::Utc));
    let engine = Engine::builder()
        .conversion(ms, us, |v| v.checked_mul(1000).ok_or_else(|| format!("{v} ms do not fit in µs")))
        .build()
        .expect("an engine");
    let t = engine.transform(Endpoint::avro(&millis), Endpoint::avro(&micros)).expect("resolves");
    let mut out = Vec::new();
    let done = t.run_many(&[0x02], 1, &mut out).expect("runs");
    assert_eq!((out.as_slice(), done.tiers.fast), (&[0xd0, 0x0f][..], 1));
    let max = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    assert_eq!(t.run(&max, &mut out).expect_err("overflows").kind(), ErrorKind::User);
    // A result that its type cannot hold: a fault, on the fast path too, never more bytes than were promised.
    let date = schema(r#"{"type":"array","items":{"type":"int","logicalType":"date"}}"#);
    let time = schema(r#"{"type":"array","items":{"type":"int","logicalType":"time-millis"}}"#);
    let wide = Engine::builder()
        .conversion(Logical::Date, Logical::Time(TimeUnit::Milli), |v| Ok(i64::MAX - v))
        .build()
        .expect("an engine");
    let wide = wide.transform(Endpoint::avro(&date), Endpoint::avro(&time)).expect("resolves");
    let mut ints = vec![0xd0, 0x0f];
    ints.extend([2; 1000]);
    ints.push(0);
    assert_eq!(wide.run(&ints, &mut Vec::new()).expect_err("too wide").kind(), ErrorKind::Range);
    let same = engine.transform(Endpoint::avro(&millis), Endpoint::avro(&millis)).expect("resolves");
    assert!(!same.explain().ir().contains("user.num"));
    assert!(t.explain().optimised_ir().contains("user.num"));
}
