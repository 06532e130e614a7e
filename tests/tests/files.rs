//! Container files through the engine: any number of threads gives the same bytes and the same error, and damage costs
//! no more than it must.

use reschema::container::{Block, Codec, Reader, Writer, WriterOptions};
use reschema::convert::{ConvertError, Converter, Damage, DeadLetters, Lost, OnDamage, Report, Watch};
use reschema::{Engine, Schema};
use reschema_tests::engines::{assert_tier, both};
use std::io::{self, Write};

const SYNC: [u8; 16] = *b"0123456789abcdef";
const OLD: &str = r#"{"type":"record","name":"R","fields":[
    {"name":"id","type":"long"},
    {"name":"e","type":{"type":"enum","name":"E","symbols":["A","B","C"]}},
    {"name":"s","type":"string"}]}"#;
/// Without the symbol C and without a default for it.
const NEW: &str = r#"{"type":"record","name":"R","fields":[
    {"name":"s","type":"string"},
    {"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}},
    {"name":"n","type":"int","default":7}]}"#;

fn schema(text: &str) -> Schema {
    Schema::parse(text).expect("a schema")
}

fn value(id: i64, symbol: u8, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for word in [(id << 1) as u64, u64::from(symbol) << 1, (text.len() as u64) << 1] {
        let mut w = word;
        while w >= 0x80 {
            out.push(w as u8 | 0x80);
            w >>= 7;
        }
        out.push(w as u8);
    }
    out.extend_from_slice(text.as_bytes());
    out
}

/// What `value` becomes.
fn wanted(symbol: u8, text: &str) -> Vec<u8> {
    [&value(0, 0, text)[2..], &[symbol << 1, 14]].concat()
}

fn options(codec: &str) -> WriterOptions {
    let codec = Codec::by_name(codec).expect("a codec");
    WriterOptions { codec, sync: Some(SYNC), ..WriterOptions::default() }
}

/// A block: the count that its header tells, and its bytes.
type Written = (u64, Vec<u8>);

fn file(codec: &str, blocks: &[Written]) -> Vec<u8> {
    let mut w = Writer::new(Vec::new(), &schema(OLD), options(codec)).expect("a header");
    for (count, data) in blocks {
        w.append_block(*count, data).expect("a block");
    }
    w.finish().expect("the end")
}

/// What, number of the first value, values, bytes, words.
type Left = (Lost, u64, Option<u64>, Vec<u8>, String);

/// Remembers what is told.
#[derive(Default)]
struct Told {
    damages: Vec<Left>,
    last: u64,
}

impl Watch for Told {
    fn damage(&mut self, d: &Damage) -> io::Result<()> {
        assert!(d.lost == Lost::Gap || d.len == d.bytes.len() as u64, "{d}");
        self.damages.push((d.lost, d.record, d.records, d.bytes.clone(), d.to_string()));
        Ok(())
    }
    fn progress(&mut self, report: &Report) {
        assert!(report.bytes_read >= self.last, "backwards");
        self.last = report.bytes_read;
    }
    fn wants_bytes(&self) -> bool {
        true
    }
}

struct Outcome {
    result: Result<Report, String>,
    bytes: Vec<u8>,
    told: Told,
}

fn run(bytes: &[u8], reader: &str, threads: usize, on_damage: OnDamage, codec: &str) -> Outcome {
    // One thread interprets, several run compiled code: the tiers are compared with the numbers of threads.
    let tier = usize::from(threads > 1);
    let engine = &both()[tier];
    let reader = schema(reader);
    let mut output = Writer::new(Vec::new(), &reader, options(codec)).expect("a header");
    let mut told = Told::default();
    let converter = Converter::new(engine, &reader).threads(threads).on_damage(on_damage);
    let input = Reader::new(bytes).expect("a header");
    assert_tier(tier, &converter.transform(input.schema()).expect("resolves"));
    let result = converter.run(input, &mut output, &mut told);
    Outcome { result: result.map_err(|e| e.to_string()), bytes: output.finish().expect("the end"), told }
}

/// On one thread and on several, interpreted and compiled: the same in everything.
fn same(bytes: &[u8], reader: &str, on_damage: OnDamage, codec: &str) -> Outcome {
    let one = run(bytes, reader, 1, on_damage, codec);
    for threads in [2, 3, 7] {
        let several = run(bytes, reader, threads, on_damage, codec);
        assert_eq!(several.result, one.result, "{threads} threads");
        assert_eq!(several.told.damages, one.told.damages, "{threads} threads");
        // After an error the block that was begun may end elsewhere; the values are the same.
        assert_eq!(values(&several.bytes), values(&one.bytes), "{threads} threads");
        assert!(several.result.is_err() || several.bytes == one.bytes, "{threads} threads");
    }
    one
}

fn values(bytes: &[u8]) -> (u64, Vec<u8>) {
    let mut r = Reader::new(bytes).expect("a header");
    let (mut block, mut count, mut data) = (Block::new(), 0, Vec::new());
    while r.next_block(&mut block).expect("a block") {
        count += block.count();
        data.extend_from_slice(block.data());
    }
    (count, data)
}

/// Many blocks of all sizes, some megabytes: several stretches.
fn large(seed: u64) -> Vec<Written> {
    let mut state = seed;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut id = 0;
    (0..120)
        .map(|_| {
            let count = random(10) * random(10) * random(60);
            let data = (0..count).flat_map(|_| {
                id += 1;
                value(id, (id % 2) as u8, &"x".repeat(random(40) as usize))
            });
            (count, data.collect())
        })
        .collect()
}

#[test]
fn threads_give_the_same_bytes() {
    for (i, codec) in Codec::NAMES.iter().enumerate() {
        let mut blocks = large(i as u64);
        if matches!(*codec, "xz" | "bzip2") {
            // Slow, and no different.
            blocks.truncate(20);
        }
        let bytes = file(codec, &blocks);
        let one = same(&bytes, NEW, OnDamage::Fail, codec);
        let report = one.result.expect("no damage");
        let records: u64 = blocks.iter().map(|b| b.0).sum();
        assert_eq!((report.records, report.bytes_read, report.damages), (records, bytes.len() as u64, 0));
        assert_eq!(values(&one.bytes).0, records);
        // The identity keeps every byte of the values.
        let kept = same(&bytes, OLD, OnDamage::Fail, codec);
        assert_eq!(values(&kept.bytes), values(&bytes));
    }
}

#[test]
fn the_first_error_counts() {
    let mut blocks = large(7);
    // Errors in several stretches, the later ones met earlier: they are in small blocks.
    let before: u64 = blocks[..40].iter().map(|b| b.0).sum();
    for at in [40, 41, 80, 100, 119] {
        blocks[at] = (2, [value(1, 0, "good"), value(2, 2, "bad")].concat());
    }
    for codec in ["null", "deflate"] {
        let one = same(&file(codec, &blocks), NEW, OnDamage::Fail, codec);
        let words = one.result.expect_err("an error");
        assert!(words.starts_with(&format!("record {}, block 40 at byte ", before + 1)), "{words}");
        assert!(words.contains("field $.e") && words.contains("symbol 2"), "{words}");
        assert_eq!(values(&one.bytes).0, before + 1);
    }
}

fn skip(bytes: &[u8]) -> Outcome {
    same(bytes, NEW, OnDamage::Skip, "null")
}

#[test]
fn a_bad_value_among_sound_ones_costs_itself() {
    let data = [value(1, 0, "a"), value(2, 2, "bcd"), value(3, 1, "e"), value(4, 2, ""), value(5, 1, "f")];
    let bytes = file("deflate", &[(5, data.concat()), (1, value(6, 0, "g"))]);
    let o = skip(&bytes);
    let report = o.result.expect("goes on");
    assert_eq!((report.records, report.damages, report.records_lost), (4, 2, 2));
    assert_eq!(report.bytes_lost, (data[1].len() + data[3].len()) as u64);
    let lost: Vec<_> = o.told.damages.iter().map(|d| (d.0, d.1, d.2, d.3.clone())).collect();
    assert_eq!(lost, [(Lost::Record, 1, Some(1), data[1].clone()), (Lost::Record, 3, Some(1), data[3].clone())]);
    assert_eq!(values(&o.bytes), (4, [wanted(0, "a"), wanted(1, "e"), wanted(1, "f"), wanted(0, "g")].concat()));
}

#[test]
fn where_framing_is_broken_the_rest_of_the_block_goes() {
    let data = [value(1, 0, "a"), vec![0xff; 11], value(3, 1, "e")];
    let o = skip(&file("null", &[(3, data.concat()), (1, value(6, 0, "g"))]));
    let report = o.result.expect("goes on");
    assert_eq!((report.records, report.damages, report.records_lost), (2, 1, 2));
    assert_eq!(o.told.damages[0].0, Lost::RestOfBlock);
    assert_eq!(o.told.damages[0].3, data[1..].concat());
    assert_eq!(values(&o.bytes), (2, [wanted(0, "a"), wanted(0, "g")].concat()));
    // A value that does not resolve, and framing that breaks later: the value may not be what it seems.
    let data = [value(1, 0, "a"), value(2, 2, "b"), vec![0xff; 11]];
    let o = skip(&file("null", &[(3, data.concat())]));
    assert_eq!((o.told.damages[0].0, o.told.damages[0].2), (Lost::RestOfBlock, Some(2)));
    assert_eq!(values(&o.bytes).0, 1);
}

#[test]
fn wrong_counts() {
    let data = [value(1, 0, "a"), value(2, 1, "b"), value(3, 1, "c")].concat();
    // Fewer values than told, and more.
    let o = skip(&file("null", &[(5, data.clone()), (1, value(6, 0, "g"))]));
    let damage = &o.told.damages[0];
    assert_eq!((damage.0, damage.1, damage.2, damage.3.len()), (Lost::RestOfBlock, 3, Some(2), 0));
    assert_eq!(values(&o.bytes).0, 4);
    let o = skip(&file("null", &[(2, data.clone()), (1, value(6, 0, "g"))]));
    let damage = &o.told.damages[0];
    assert_eq!(
        (damage.0, damage.1, damage.2, damage.3.as_slice()),
        (Lost::Leftover, 2, Some(0), &value(3, 1, "c")[..])
    );
    assert!(damage.4.contains("4 bytes behind the last record"), "{}", damage.4);
    assert_eq!(values(&o.bytes).0, 3);
    for (count, words) in [(5, "record 3, block 0"), (2, "record 2, block 0")] {
        let failed = same(&file("null", &[(count, data.clone())]), NEW, OnDamage::Fail, "null");
        assert!(failed.result.expect_err("an error").contains(words));
        assert_eq!(values(&failed.bytes).0, count.min(3));
    }
}

#[test]
fn damaged_containers() {
    let block = |id| (1, value(id, 0, "abc"));
    let bytes = file("snappy", &[block(1), block(2), block(3)]);
    let header = Reader::new(bytes.as_slice()).expect("a header").position() as usize;
    let size = (bytes.len() - header) / 3;
    let second = header + size;
    // The checksum: the block goes.
    let mut damaged = bytes.clone();
    damaged[second + size - 17] ^= 1;
    let o = skip(&damaged);
    assert_eq!((o.told.damages[0].0, o.told.damages[0].1, o.told.damages[0].2), (Lost::Block, 1, Some(1)));
    assert_eq!(values(&o.bytes).0, 2);
    // The size: everything up to the next marker goes.
    let mut damaged = bytes.clone();
    damaged[second + 1] += 2;
    let o = skip(&damaged);
    let (lost, record, records, kept, _) = &o.told.damages[0];
    assert_eq!((*lost, *record, *records), (Lost::Gap, 1, None));
    assert_eq!(kept, &damaged[second..second + size - 16]);
    assert_eq!(values(&o.bytes).0, 2);
    // A marker, the last one too: nothing else is lost.
    for at in [second + size - 1, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x80;
        let o = skip(&damaged);
        let (lost, _, _, kept, _) = &o.told.damages[0];
        assert_eq!((o.told.damages.len(), *lost, kept.len()), (1, Lost::Gap, 16));
        assert_eq!(values(&o.bytes).0, 3);
    }
    // The end.
    let o = skip(&bytes[..bytes.len() - 1]);
    assert_eq!((o.told.damages.len(), o.told.damages[0].0), (1, Lost::Gap));
    assert_eq!(values(&o.bytes).0, 2);
    // Bytes behind the last marker.
    let o = skip(&[&bytes[..], b"\n"].concat());
    assert_eq!((o.told.damages.len(), o.told.damages[0].3.as_slice()), (1, &b"\n"[..]));
    assert_eq!(values(&o.bytes).0, 3);
}

/// Everything that is left out stands in the file of dead letters, and any reader of Avro makes sense of it.
#[test]
fn dead_letters() {
    let data = [value(1, 0, "a"), value(2, 2, "bcd"), value(3, 1, "e")].concat();
    let bytes = [&file("null", &[(3, data)])[..], b"\x02trailing"].concat();
    let mut letters = DeadLetters::new(Vec::new()).expect("a header");
    let input = Reader::new(bytes.as_slice()).expect("a header");
    letters.input("in.avro", input.codec(), input.schema_text());
    let mut output = Writer::new(Vec::new(), &schema(NEW), options("null")).expect("a header");
    let converter = Converter::new(&Engine::default(), &schema(NEW)).on_damage(OnDamage::Skip);
    let report = converter.run(input, &mut output, &mut letters).expect("goes on");
    assert_eq!((report.records, report.damages), (2, 2));
    let written = letters.finish().expect("the end");
    // What matters of a letter, read under a schema of its own.
    let wanted = schema(
        r#"{"type":"record","name":"reschema.DeadLetter","fields":[
        {"name":"file","type":"string"},{"name":"kind","type":"string"},{"name":"source_path","type":["null","string"]},
        {"name":"record","type":"long"},{"name":"bytes","type":"bytes"}]}"#,
    );
    let mut short = Writer::new(Vec::new(), &wanted, options("null")).expect("a header");
    let reader = Reader::new(written.as_slice()).expect("a header");
    Converter::new(&Engine::default(), &wanted).run(reader, &mut short, &mut ()).expect("reads");
    let (count, found) = values(&short.finish().expect("the end"));
    assert_eq!(count, 2);
    let first = [&b"\x0ein.avro\x08enum\x02\x06$.e\x02\x0c"[..], &value(2, 2, "bcd")].concat();
    let second = b"\x0ein.avro\x12truncated\x00\x06\x12\x02trailing";
    assert_eq!(found, [&first[..], &second[..]].concat());
}

/// A stream that fails after some bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses the first damage.
struct Refuses;

impl Watch for Refuses {
    fn damage(&mut self, _: &Damage) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

#[test]
fn outputs_that_fail() {
    let mut blocks = large(3);
    let bytes = file("null", &blocks);
    blocks[20] = (1, value(2, 2, "bad"));
    let damaged = file("null", &blocks);
    for threads in [1, 2, 5] {
        let converter = Converter::new(&Engine::default(), &schema(NEW)).threads(threads).on_damage(OnDamage::Skip);
        let mut output = Writer::new(Full(100_000), &schema(NEW), options("null")).expect("a header");
        let e = converter.run(Reader::new(bytes.as_slice()).expect("a header"), &mut output, &mut ());
        assert!(matches!(e, Err(ConvertError::Output(_))), "{e:?}");
        let mut output = Writer::new(Vec::new(), &schema(NEW), options("null")).expect("a header");
        let e = converter.run(Reader::new(damaged.as_slice()).expect("a header"), &mut output, &mut Refuses);
        assert!(matches!(e, Err(ConvertError::Watch(_))), "{e:?}");
    }
}

/// An input that fails is not skipped over.
struct Breaks<'a>(&'a [u8]);

impl io::Read for Breaks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        io::Read::read(&mut self.0, buffer)
    }
}

#[test]
fn inputs_that_fail() {
    let bytes = file("null", &large(3));
    for threads in [1, 2, 5] {
        let converter = Converter::new(&Engine::default(), &schema(NEW)).threads(threads).on_damage(OnDamage::Skip);
        let mut output = Writer::new(Vec::new(), &schema(NEW), options("null")).expect("a header");
        let e = converter.run(Reader::new(Breaks(&bytes)).expect("a header"), &mut output, &mut ());
        let Err(ConvertError::Damage(d)) = e else { panic!("{e:?}") };
        assert!(matches!(&d.cause, reschema::convert::Cause::Container(e) if e.io_error().is_some()), "{d}");
    }
}

/// A file of nothing but damage is read in stretches like others, and what is told of it does not pile up.
#[test]
fn nothing_but_damage() {
    struct Most(usize, u64);
    impl Watch for Most {
        fn damage(&mut self, d: &Damage) -> io::Result<()> {
            self.0 = self.0.max(d.bytes.len());
            self.1 += 1;
            Ok(())
        }
        fn wants_bytes(&self) -> bool {
            true
        }
    }
    let header = file("null", &[]);
    // Gaps: blocks with a negative count.
    let mut gaps = header.clone();
    for _ in 0..20_000 {
        gaps.extend_from_slice(&[1, 2, 0]);
        gaps.extend_from_slice(&SYNC);
    }
    // Values that do not resolve, one byte of the schema's three each... and all in one block.
    let bad: Vec<u8> = (0..60_000).flat_map(|_| value(1, 2, "")).collect();
    let values_only = file("deflate", &[(60_000, bad)]);
    for (bytes, damages) in [(gaps, 20_000), (values_only, 60_000)] {
        for threads in [1, 3] {
            let mut output = Writer::new(Vec::new(), &schema(NEW), options("null")).expect("a header");
            let converter = Converter::new(&Engine::default(), &schema(NEW)).threads(threads).on_damage(OnDamage::Skip);
            let mut watch = Most(0, 0);
            let report = converter.run(Reader::new(bytes.as_slice()).expect("a header"), &mut output, &mut watch);
            let report = report.expect("goes on");
            assert_eq!((report.damages, watch.1, report.records), (damages, damages, 0));
            assert!(watch.0 < 10);
        }
    }
}

/// Counts that are as large as they can be.
#[test]
fn counts_without_bounds() {
    let mut bytes = file("null", &[]);
    for _ in 0..3 {
        // A count of i64::MAX in no bytes.
        bytes.extend_from_slice(&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0]);
        bytes.extend_from_slice(&SYNC);
    }
    let good = file("null", &[(2, [value(1, 0, "a"), value(2, 2, "b")].concat())]);
    let header = file("null", &[]).len();
    bytes.extend_from_slice(&good[header..]);
    let o = skip(&bytes);
    let report = o.result.expect("goes on");
    assert_eq!((report.records, report.damages, report.records_lost), (1, 4, u64::MAX));
}

/// Values that grow on this side: blocks stay as large as the writer wants them, on any number of threads.
#[test]
fn values_that_grow() {
    let default = "x".repeat(5000);
    let wide = NEW.replace(r#""type":"int","default":7"#, &format!(r#""type":"string","default":"{default}""#));
    let data: Vec<u8> = (0..4000).flat_map(|i| value(i, 1, "")).collect();
    let bytes = file("null", &[(4000, data)]);
    let one = same(&bytes, &wide, OnDamage::Fail, "null");
    assert_eq!(one.result.expect("no damage").records, 4000);
    let mut r = Reader::new(one.bytes.as_slice()).expect("a header");
    let (mut block, mut largest) = (Block::new(), 0);
    while r.next_block(&mut block).expect("a block") {
        largest = largest.max(block.data().len());
    }
    assert!(largest < 150_000, "{largest}");
}

#[test]
fn threads_without_bounds() {
    let bytes = file("null", &large(1));
    let one = run(&bytes, NEW, 1, OnDamage::Fail, "null");
    let many = run(&bytes, NEW, usize::MAX, OnDamage::Fail, "null");
    assert!(one.bytes == many.bytes);
}
