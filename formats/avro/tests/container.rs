//! Container files: what is written is read, and damage is told apart.

use reschema_avro::container::{
    Block, Codec, ContainerError, ContainerErrorKind as Kind, Limits, Reader, ReaderOptions, Writer, WriterOptions,
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

#[test]
fn metadata_in_blocks_with_sizes() {
    let bytes = file(Codec::Null);
    // The header's map of four entries as one block with a size, whatever it says.
    assert_eq!(bytes[4], 8);
    let mut sized = bytes[..4].to_vec();
    sized.extend([7, 0x80, 1]);
    sized.extend(&bytes[5..]);
    assert_eq!(read(&sized, Limits::default()).expect("reads").0, 25);
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
}
