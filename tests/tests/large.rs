//! Large and deep schemas and data: handled within limits, or refused with a reason.

use reschema::{Endpoint, Engine, ErrorKind, Limits, Schema, Transform};

fn transform(engine: &Engine, writer: &str, reader: &str) -> Result<Transform, reschema::Error> {
    let (w, r) = (Schema::parse(writer)?, Schema::parse(reader)?);
    engine.transform(Endpoint::avro(&w), Endpoint::avro(&r))
}

fn record(name: &str, fields: impl Iterator<Item = String>) -> String {
    let fields: Vec<String> = fields.collect();
    format!(r#"{{"type":"record","name":"{name}","fields":[{}]}}"#, fields.join(","))
}

fn field(name: &str, ty: &str) -> String {
    format!(r#"{{"name":"{name}","type":{ty}}}"#)
}

#[test]
fn twenty_thousand_fields_in_reverse() {
    const N: usize = 20_000;
    let one = |i: usize| field(&format!("f{i}"), if i.is_multiple_of(2) { "\"int\"" } else { "\"string\"" });
    let writer = record("R", (0..N).map(one));
    let reader = record("R", (0..N).rev().map(one));
    let t = transform(&Engine::default(), &writer, &reader).expect("resolves");
    let value = |i: usize| -> Vec<u8> { if i.is_multiple_of(2) { vec![(i % 60) as u8 * 2] } else { vec![2, b'a'] } };
    let input: Vec<u8> = (0..N).flat_map(value).collect();
    let want: Vec<u8> = (0..N).rev().flat_map(value).collect();
    let mut out = Vec::new();
    let done = t.run_many(&input, 1, &mut out).expect("runs");
    assert_eq!(out, want);
    assert_eq!(done.tiers.fast, 1);
}

/// Types that share types: inlined without thought this is 3^28 instructions.
#[test]
fn shared_types_do_not_grow_without_bound() {
    const N: usize = 28;
    let mut inner = record(&format!("R{N}"), std::iter::once(field("x", "\"int\"")));
    for i in (0..N).rev() {
        // The first field defines the next type, the others refer to it.
        let first = field("a", &format!("[\"null\",{inner}]"));
        let again = |name| field(name, &format!("[\"null\",\"R{}\"]", i + 1));
        inner = record(&format!("R{i}"), [first, again("b"), again("c")].into_iter());
    }
    let t = transform(&Engine::default(), &inner, &inner).expect("resolves");
    assert!(t.program().size() < 100_000, "{} instructions", t.program().size());
    let mut out = Vec::new();
    assert_eq!(t.run(&[0, 0, 0], &mut out).expect("three nulls"), 3);
}

#[test]
fn a_union_of_two_thousand_records() {
    let variants: Vec<String> =
        (0..2000).map(|i| record(&format!("V{i}"), std::iter::once(field("x", "\"long\"")))).collect();
    let writer = format!("[{}]", variants.join(","));
    let reader = format!("[{}]", variants.iter().rev().cloned().collect::<Vec<_>>().join(","));
    let t = transform(&Engine::default(), &writer, &reader).expect("resolves");
    let mut out = Vec::new();
    // Variant 1999 (zigzag 3998) becomes variant 0, and 0 becomes 1999.
    t.run(&[0x9e, 0x1f, 0x02], &mut out).expect("runs");
    t.run(&[0x00, 0x02], &mut out).expect("runs");
    assert_eq!(out, [0x00, 0x02, 0x9e, 0x1f, 0x02]);
}

#[test]
fn too_large_a_program_is_refused() {
    let writer = record("R", (0..1000).map(|i| field(&format!("f{i}"), "[\"null\",\"string\",\"int\"]")));
    let engine = Engine::builder().limits(Limits::default().program_ops(500)).build().expect("an engine");
    let e = transform(&engine, &writer, &writer).expect_err("refused");
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    assert!(e.to_string().contains("500"), "{e}");
}

const LIST: &str =
    r#"{"type":"record","name":"L","fields":[{"name":"v","type":"string"},{"name":"next","type":["null","L"]}]}"#;
const TSIL: &str =
    r#"{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]},{"name":"v","type":"string"}]}"#;

/// A list of `n` records, the last value good or bad UTF-8.
fn list(n: usize, last: u8) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..n {
        out.extend([2, if i + 1 == n { last } else { b'a' }, if i + 1 == n { 0 } else { 2 }]);
    }
    out
}

/// The deepest data that can be configured, on both machines, on the stack that a test thread has.
#[test]
fn the_depth_limit_holds() {
    let engine = Engine::builder().limits(Limits::default().depth(100_000)).build().expect("an engine");
    let most = Limits::MAX_DEPTH as usize;
    for reader in [LIST, TSIL] {
        let t = transform(&engine, LIST, reader).expect("resolves");
        let mut out = Vec::new();
        t.run(&list(most - 5, b'a'), &mut out).expect("runs");
        assert_eq!(out.len(), 3 * (most - 5));
        assert_eq!(t.run(&list(most, 0xff), &mut out).expect_err("bad").kind(), ErrorKind::Utf8);
        assert_eq!(t.run(&list(most + 1, b'a'), &mut out).expect_err("deep").kind(), ErrorKind::Limit);
        assert_eq!(t.run(&list(100_000, b'a'), &mut out).expect_err("deep").kind(), ErrorKind::Limit);
    }
}

/// Values that take nothing on one side still move through machinery that stores whole words: at every fill of the
/// output nothing is written behind it.
#[test]
fn values_of_no_bytes_write_nothing() {
    let of =
        |ty: &str| record("R", [field("z", r#"{"type":"fixed","name":"Z","size":0}"#), field("x", ty)].into_iter());
    let t = transform(&Engine::default(), &of("\"float\""), &of("\"double\"")).expect("resolves");
    for n in (1..1100usize).step_by(7) {
        let input = 1.5f32.to_le_bytes().repeat(n);
        let mut out = Vec::new();
        let done = t.run_many(&input, n as u64, &mut out).expect("runs");
        assert_eq!((done.consumed, out), (input.len(), 1.5f64.to_le_bytes().repeat(n)));
        assert_eq!(done.tiers.fast, n as u64);
    }
    // The promise is there: without it the verifier refuses the Program.
    assert!(t.program().to_string().contains("check input=8"), "{}", t.program());
}
