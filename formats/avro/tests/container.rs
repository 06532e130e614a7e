//! Container files: what is written is read, and damage is told apart.

use reschema_avro::container::{
    Block, Codec, ContainerError, ContainerErrorKind as Kind, Limits, Reader, ReaderOptions, Writer, WriterOptions,
    schema_of,
};
use reschema_schema::Schema;

fn schema() -> Schema {
    Schema::parse(r#"{"type":"record","name":"R","fields":[{"name":"a","type":"long","doc":"kept"}]}"#).expect("schema")
}

const SYNC: [u8; 16] = *b"0123456789abcdef";

fn options(codec: Codec) -> WriterOptions {
    WriterOptions {
        codec,
        metadata: vec![("owner".into(), b"us".to_vec()), ("empty".into(), Vec::new())],
        sync: Some(SYNC),
        block_bytes: 10,
        ..WriterOptions::default()
    }
}

/// Values 0 to 25, some to a block.
fn file(codec: Codec) -> Vec<u8> {
    let mut w = Writer::new(Vec::new(), &schema(), options(codec)).expect("a header");
    for v in 0..25u8 {
        w.append_value(&[v << 1]).expect("a value");
    }
    w.append_block(0, &[]).expect("an empty block");
    w.finish().expect("the end")
}

fn read(bytes: &[u8], limits: Limits) -> Result<(u64, Vec<u8>), ContainerError> {
    let mut r = Reader::with_options(bytes, ReaderOptions { limits, ..ReaderOptions::default() })?;
    let (mut block, mut count, mut data) = (Block::new(), 0, Vec::new());
    while r.next_block(&mut block)? {
        count += block.count();
        data.extend_from_slice(block.data());
        assert!(block.input().padding() >= 512);
    }
    Ok((count, data))
}

#[test]
fn round_trip() {
    for codec in [Codec::Null, Codec::Deflate(0), Codec::Deflate(9)] {
        let bytes = file(codec);
        let (count, data) = read(&bytes, Limits::default()).expect("reads");
        assert_eq!((count, data), (25, (0..25u8).map(|v| v << 1).collect()));
        let r = Reader::new(bytes.as_slice()).expect("a header");
        assert_eq!(r.schema(), &schema());
        assert_eq!(r.codec().name(), codec.name());
        let own: Vec<&str> = r.metadata().iter().map(|(k, _)| k.as_str()).collect();
        assert_eq!(own, ["avro.schema", "avro.codec", "owner", "empty"]);
    }
}

#[test]
fn every_truncation_is_told() {
    for codec in [Codec::Null, Codec::Deflate(6)] {
        let bytes = file(codec);
        let mut whole = 0;
        for end in 0..bytes.len() {
            match read(&bytes[..end], Limits::default()) {
                Ok(_) => whole += 1,
                Err(e) => {
                    assert!(matches!(e.kind(), Kind::Truncated | Kind::NotContainer), "{end}: {e}");
                    assert!(e.offset() <= end as u64, "{end}: {e}");
                }
            }
        }
        // Between two blocks a file ends as it should.
        assert_eq!(whole, 4, "the ends of the header and of the blocks before the last");
    }
}

#[test]
fn every_corruption_is_clean() {
    for codec in [Codec::Null, Codec::Deflate(6)] {
        let bytes = file(codec);
        for at in 0..bytes.len() {
            for bad in [0, 1, 2, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] = bad;
                if let Ok((_, data)) = read(&damaged, Limits::default()) {
                    assert!(data.len() < 1000);
                }
            }
        }
    }
}

fn kind(bytes: &[u8], limits: Limits) -> Kind {
    read(bytes, limits).expect_err("an error").kind()
}

#[test]
fn damage_is_told_apart() {
    let bytes = file(Codec::Null);
    let limits = Limits::default();
    assert_eq!(kind(b"", limits), Kind::NotContainer);
    assert_eq!(kind(b"PAR1....", limits), Kind::NotContainer);
    let mut sync = bytes.clone();
    *sync.last_mut().expect("a byte") ^= 1;
    assert_eq!(kind(&sync, limits), Kind::Sync);
    let text = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).expect("there");
        let mut changed = bytes.clone();
        changed[at..at + to.len()].copy_from_slice(to.as_bytes());
        changed
    };
    assert_eq!(kind(&text("\x08null", "\x08zero"), limits), Kind::Codec);
    assert_eq!(kind(&text("avro.schema", "avro.scheme"), limits), Kind::Header);
    assert_eq!(kind(&text("\"long\"", "\"lung\""), limits), Kind::Schema);
    assert_eq!(kind(&bytes, Limits { header_bytes: 20, ..limits }), Kind::Limit);
    assert_eq!(kind(&bytes, Limits { block_bytes: 5, ..limits }), Kind::Limit);
}

/// The header's map of four entries, cut into blocks behind the first entry.
#[test]
fn metadata_in_blocks() {
    let bytes = file(Codec::Null);
    let second = bytes.windows(11).position(|w| w == b"\x14avro.codec").expect("the second entry");
    // One block with a size, whatever the size says; and a block of one, then one of three with a size.
    let sized = [&bytes[..4], &[7, 0x80, 1], &bytes[5..]].concat();
    let several = [&bytes[..4], &[2], &bytes[5..second], &[5, 0], &bytes[second..]].concat();
    for changed in [sized, several] {
        let r = Reader::new(changed.as_slice()).expect("a header");
        assert_eq!(r.metadata(), Reader::new(bytes.as_slice()).expect("a header").metadata());
        assert_eq!(read(&changed, Limits::default()).expect("reads").0, 25);
    }
    let negative = [&bytes[..4], &[7, 1], &bytes[5..]].concat();
    assert_eq!(kind(&negative, Limits::default()), Kind::Header);
    let key = [&bytes[..4], b"\x02\x02\xff\x00\x00", &SYNC[..]].concat();
    assert_eq!(kind(&key, Limits::default()), Kind::Header);
}

/// Entries of two bytes take far more in memory: they count for it.
#[test]
fn empty_metadata_are_bounded() {
    let mut bytes = b"Obj\x01\x80\x80\x80\x01".to_vec();
    bytes.resize(bytes.len() + (2 << 20), 0);
    let limits = Limits { header_bytes: 4 << 20, ..Limits::default() };
    let e = read(&bytes, limits).expect_err("an error");
    assert_eq!(e.kind(), Kind::Limit);
    assert!(e.offset() < 200_000, "{e}");
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let mut w = Writer::new(Vec::new(), &schema(), options(Codec::Deflate(9))).expect("a header");
    w.append_block(1, &vec![0; 50 << 20]).expect("a block");
    let bytes = w.finish().expect("the end");
    assert!(bytes.len() < 200_000);
    let limits = Limits { decompressed_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(kind(&bytes, limits), Kind::Limit);
}

#[test]
fn values_without_bytes_are_bounded() {
    let null = Schema::parse("\"null\"").expect("a schema");
    let of = |count| {
        let mut w = Writer::new(Vec::new(), &null, WriterOptions::default()).expect("a header");
        w.append_block(count, &[]).expect("a block");
        w.finish().expect("the end")
    };
    assert_eq!(read(&of(1000), Limits::default()).expect("reads").0, 1000);
    assert_eq!(kind(&of(1 << 60), Limits::default()), Kind::Limit);
}

#[test]
fn what_cannot_be_written() {
    let bad = WriterOptions { metadata: vec![("avro.codec".into(), b"x".to_vec())], ..WriterOptions::default() };
    assert_eq!(Writer::new(Vec::new(), &schema(), bad).err().expect("refused").kind(), Kind::Usage);
    for (count, values) in [(0, &b"\x00"[..]), (u64::MAX, b"\x00")] {
        let mut w = Writer::new(Vec::new(), &schema(), WriterOptions::default()).expect("a header");
        assert_eq!(w.append_block(count, values).expect_err("refused").kind(), Kind::Usage);
    }
}

/// Each place where a file can end has its own words.
#[test]
fn where_the_file_ends() {
    let bytes = file(Codec::Null);
    let words = |cut: usize| {
        let e = read(&bytes[..bytes.len() - cut], Limits::default()).expect_err("an error");
        assert_eq!(e.kind(), Kind::Truncated, "{e}");
        assert_eq!(e.offset(), (bytes.len() - cut) as u64);
        (e.block(), e.to_string())
    };
    // From the end: the empty block (count, size, marker), then the marker and the five values of the third.
    let has = |cut, block, part: &str| {
        let (index, words) = words(cut);
        assert_eq!(index, block, "{words}");
        assert!(words.contains(part), "{part} in {words}");
    };
    has(1, Some(3), "the sync marker of a block (block 3, byte ");
    has(17, Some(3), "a block header");
    has(19, Some(2), "the sync marker of a block");
    has(35, Some(2), "inside a block (");
    has(bytes.len() - 10, None, "the metadata");
    let header = Reader::new(bytes.as_slice()).expect("a header").position() as usize;
    has(bytes.len() - header + 1, None, "the sync marker of the header");
}

/// A file whose only block stores `body`, which says that it is deflate.
fn deflated(body: &[u8]) -> Vec<u8> {
    let w = Writer::new(Vec::new(), &schema(), options(Codec::Deflate(6))).expect("a header");
    let mut bytes = w.finish().expect("the end");
    bytes.extend([2, u8::try_from(body.len() * 2).expect("short")]);
    bytes.extend(body);
    bytes.extend(SYNC);
    bytes
}

#[test]
fn deflate_streams() {
    // The value 7 in a stored block of deflate: last, one byte, its complement, the byte.
    let body = [1, 1, 0, 0xfe, 0xff, 0x0e];
    let limits = Limits::default();
    assert_eq!(read(&deflated(&body), limits).expect("reads"), (1, vec![0x0e]));
    // Bytes behind the stream, as fastavro leaves them.
    assert_eq!(read(&deflated(&[&body[..], b"xyz"].concat()), limits).expect("reads"), (1, vec![0x0e]));
    for bad in [&body[..5], &body[..0], &[0xff; 4]] {
        let e = read(&deflated(bad), limits).expect_err("an error");
        assert_eq!((e.kind(), e.block()), (Kind::Compression, Some(0)), "{e}");
    }
    // All data are there and the stream does not say that it ends.
    let open = [&[0], &body[1..]].concat();
    assert_eq!(kind(&deflated(&open), limits), Kind::Compression);
}

#[test]
fn values_are_bounded_with_every_codec() {
    for codec in [Codec::Null, Codec::Deflate(6)] {
        let bytes = file(codec);
        assert_eq!(kind(&bytes, Limits { decompressed_bytes: 9, ..Limits::default() }), Kind::Limit);
        assert!(read(&bytes, Limits { decompressed_bytes: 10, ..Limits::default() }).is_ok());
    }
}

#[test]
fn a_block_that_fails_is_empty() {
    let bytes = file(Codec::Null);
    let mut r = Reader::new(&bytes[..bytes.len() - 40]).expect("a header");
    let mut block = Block::new();
    while r.next_block(&mut block).is_ok() {
        assert!(block.count() > 0);
    }
    assert_eq!((block.count(), block.data(), block.input().bytes()), (0, &[][..], &[][..]));
}

#[test]
fn the_schema_alone_needs_no_codec() {
    let bytes = file(Codec::Null);
    let at = bytes.windows(5).position(|w| w == b"\x08null").expect("there");
    let unknown = [&bytes[..at], b"\x0csnappy", &bytes[at + 5..]].concat();
    assert_eq!(schema_of(unknown.as_slice(), ReaderOptions::default()).expect("a schema"), schema());
    let words = Reader::new(unknown.as_slice()).err().expect("refused").to_string();
    assert!(words.contains("\"snappy\"") && words.contains("null, deflate"), "{words}");
}
