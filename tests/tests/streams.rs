//! Bare values from any `Read` to any `Write`: windows grow to the largest value and no further.

use reschema::{Endpoint, Engine, ErrorKind, Limits, Schema, StreamError, Transform};
use reschema_tests::engines::{assert_tier, both};
use std::io::{self, Read};

/// Gives as many bytes at a time as it is told, and says how large the buffers were.
struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
    largest: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.largest = self.largest.max(buffer.len());
        let n = self.bytes.len().min(self.size).min(buffer.len());
        buffer[..n].copy_from_slice(&self.bytes[..n]);
        self.bytes = &self.bytes[n..];
        Ok(n)
    }
}

fn transform(engine: &Engine, schema: &str) -> Transform {
    let schema = Schema::parse(schema).expect("a schema");
    engine.transform(Endpoint::avro(&schema), Endpoint::avro(&schema)).expect("resolves")
}

fn string(len: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut w = (len as u64) << 1;
    while w >= 0x80 {
        out.push(w as u8 | 0x80);
        w >>= 7;
    }
    out.push(w as u8);
    out.resize(out.len() + len, b'x');
    out
}

#[test]
fn any_pieces_give_the_same() {
    let transforms = both().map(|engine| transform(&engine, "\"string\""));
    let lengths = [0, 1, 300, 65_000, 3, 200_000, 0, 70_000, 64];
    let bytes: Vec<u8> = lengths.iter().flat_map(|l| string(*l)).collect();
    for (tier, t) in transforms.iter().enumerate() {
        assert_tier(tier, t);
        for size in [1, 7, 4096, 65_536, usize::MAX] {
            let mut out = Vec::new();
            let mut input = Pieces { bytes: &bytes, size, largest: 0 };
            let done = t.stream(&mut input, &mut out).unwrap_or_else(|e| panic!("{size}: {e}"));
            assert_eq!(
                (done.records, done.bytes_read, done.bytes_written),
                (9, bytes.len() as u64, bytes.len() as u64)
            );
            assert!(out == bytes, "pieces of {size}");
            assert!(input.largest <= 256 << 10, "{}", input.largest);
        }
        let mut out = Vec::new();
        assert_eq!(t.stream(&b""[..], &mut out).expect("nothing").records, 0);
    }
}

#[test]
fn the_window_has_a_limit() {
    let engine = Engine::builder().limits(Limits::default().input_bytes(100_000)).build().expect("an engine");
    let t = transform(&engine, "\"string\"");
    let bytes = [string(10), string(99_000), string(5), string(100_001)].concat();
    let mut out = Vec::new();
    let Err(StreamError::Value(e)) = t.stream(&bytes[..], &mut out) else { panic!("not a value") };
    assert_eq!((e.kind(), e.offset()), (ErrorKind::Limit, Some(99_020)), "{e}");
    assert_eq!(out.len(), 99_020);
}

#[test]
fn errors_count_from_the_start() {
    let t = transform(&Engine::default(), r#"{"type":"record","name":"R","fields":[{"name":"s","type":"string"}]}"#);
    let good: Vec<u8> = (0..5000).flat_map(|i| string(i % 50)).collect();
    for (bad, kind) in [(&[1u8][..], ErrorKind::Length), (&[20, b'x'], ErrorKind::Truncated)] {
        let bytes = [&good[..], bad].concat();
        for size in [100, usize::MAX] {
            let mut out = Vec::new();
            let input = Pieces { bytes: &bytes, size, largest: 0 };
            let Err(StreamError::Value(e)) = t.stream(input, &mut out) else { panic!("not a value") };
            assert_eq!((e.kind(), e.record(), e.records_done()), (kind, Some(5000), 5000), "{e}");
            assert!(e.offset().is_some_and(|at| at >= good.len() as u64), "{e}");
            assert!(out == good);
        }
    }
}

#[test]
fn values_without_bytes_make_no_stream() {
    let t = transform(&Engine::default(), r#"{"type":"record","name":"R","fields":[{"name":"n","type":"null"}]}"#);
    let Err(StreamError::Value(e)) = t.stream(&b""[..], Vec::new()) else { panic!("not refused") };
    assert_eq!(e.kind(), ErrorKind::Usage);
}

/// Small values that are large on the other side are written as they come.
struct Counts {
    largest: usize,
    total: usize,
}

impl io::Write for Counts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.largest = self.largest.max(bytes.len());
        self.total += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn output_does_not_pile_up() {
    let writer =
        Schema::parse(r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}"#).expect("a schema");
    let default = "x".repeat(10_000);
    let reader = format!(
        r#"{{"type":"record","name":"R","fields":[{{"name":"a","type":"int"}},{{"name":"s","type":"string","default":"{default}"}}]}}"#
    );
    let reader = Schema::parse(&reader).expect("a schema");
    let t = Engine::default().transform(Endpoint::avro(&writer), Endpoint::avro(&reader)).expect("resolves");
    let bytes = vec![2u8; 30_000];
    let mut out = Counts { largest: 0, total: 0 };
    let done = t.stream(&bytes[..], &mut out).expect("streams");
    assert_eq!((done.records, out.total), (30_000, 30_000 * 10_004));
    assert!(out.largest < 200_000, "{}", out.largest);
    // And so does one call that is told what is enough.
    let mut out = Vec::new();
    let done = t.run_some(&bytes, 30_000, 25_000, &mut out).expect("runs");
    assert_eq!((done.records, done.consumed, out.len()), (3, 3, 30_012));
    assert_eq!(t.run_some(&bytes, 30_000, 0, &mut out).expect("runs").records, 1);
    assert_eq!(t.run_some(&bytes, 30_000, usize::MAX, &mut out).expect("runs").records, 30_000);
}

/// A large value in small pieces is not read as often as there are pieces.
#[test]
fn large_values_in_small_pieces() {
    let t = transform(&Engine::default(), r#"{"type":"array","items":"int"}"#);
    const ITEMS: usize = 3 << 20;
    // The count as a varint, then the items, then the end.
    let mut bytes = vec![0x80, 0x80, 0x80, 0x03];
    bytes.resize(bytes.len() + ITEMS, 2);
    bytes.push(0);
    let mut out = Vec::new();
    let input = Pieces { bytes: &bytes, size: 512, largest: 0 };
    assert_eq!(t.stream(input, &mut out).expect("streams").records, 1);
    assert!(out == bytes);
}
