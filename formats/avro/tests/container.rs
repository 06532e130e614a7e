//! Container files: what is written is read, and damage is told apart.

use reschema_avro::container::{
    Block, Codec, ContainerError, ContainerErrorKind as Kind, Limits, Packed, Reader, ReaderOptions, Writer,
    WriterOptions, schema_of,
};
use reschema_schema::Schema;
use std::io::Cursor;

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

fn codecs() -> Vec<Codec> {
    Codec::NAMES.iter().map(|n| Codec::by_name(n).expect("a codec")).collect()
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
    for codec in codecs().into_iter().flat_map(|c| {
        let levels = c.levels().map(|l| [*l.start(), *l.end()]);
        levels.map_or(vec![c], |l| l.into_iter().filter_map(|l| c.with_level(l)).chain([c]).collect())
    }) {
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
    for codec in codecs() {
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
    for codec in codecs() {
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

/// What is written value by value is read with the default limits.
#[test]
fn values_without_bytes_fill_blocks() {
    let nulls = Schema::parse("\"null\"").unwrap();
    let mut writer = Writer::new(Vec::new(), &nulls, options(Codec::Null)).unwrap();
    (0..20).for_each(|_| writer.append_values(1 << 20, &[]).unwrap());
    let (count, data) = read(&writer.finish().unwrap(), Limits::default()).unwrap();
    assert_eq!((count, data.len()), (20 << 20, 0));
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
    for codec in codecs() {
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
    let unknown = [&bytes[..at], b"\x0clz4raw", &bytes[at + 5..]].concat();
    assert_eq!(schema_of(unknown.as_slice(), ReaderOptions::default()).expect("a schema"), schema());
    let words = Reader::new(unknown.as_slice()).err().expect("refused").to_string();
    assert!(words.contains("\"lz4raw\"") && words.contains("null, deflate, snappy, bzip2, xz, zstandard"), "{words}");
}

/// A damaged block costs itself: reading goes on behind the next marker, and what was passed over is told.
#[test]
fn resync_finds_the_next_block() {
    let bytes = file(Codec::Null);
    let header = Reader::new(bytes.as_slice()).expect("a header").position() as usize;
    // Blocks of ten values: count, size, values, marker.
    let block = 2 + 10 + 16;
    type Damage = (&'static str, fn(&mut Vec<u8>, usize));
    let damages: [Damage; 6] = [
        ("a marker", |b, at| b[at + 12] ^= 1),
        ("a size that is larger", |b, at| b[at + 1] = 22),
        ("a size that reaches behind the end", |b, at| b[at + 1] = 0x7e),
        ("a size that is smaller", |b, at| b[at + 1] = 2),
        ("a negative count", |b, at| b[at] = 1),
        ("a varint without end", |b, at| b[at..at + 12].fill(0xff)),
    ];
    for (what, damage) in damages {
        let mut damaged = bytes.clone();
        damage(&mut damaged, header + block);
        let mut r = Reader::new(damaged.as_slice()).expect("a header");
        let (mut b, mut values, mut errors, mut lost) = (Block::new(), Vec::new(), 0, Vec::new());
        loop {
            match r.next_block(&mut b) {
                Ok(true) => values.extend_from_slice(b.data()),
                Ok(false) => break,
                Err(e) => {
                    errors += 1;
                    assert_eq!(e.block(), Some(1), "{what}: {e}");
                    let gap = r.resync(|part| lost.extend_from_slice(part)).expect("a slice").expect("a gap");
                    let from = if what == "a marker" { 2 * block - 16 } else { block };
                    assert_eq!((gap.from as usize, gap.to as usize), (header + from, header + 2 * block), "{what}");
                    assert!(gap.found, "{what}");
                    assert_eq!(gap.lost, lost.len() as u64, "{what}");
                }
            }
        }
        // Where only the marker is damaged, the block is there.
        let alone = what == "a marker";
        let want: Vec<u8> = (0..if alone { 20 } else { 10 }).chain(20..25).map(|v: u8| v << 1).collect();
        assert_eq!((values, errors), (want, 1), "{what}");
        let from = header + if alone { 2 * block - 16 } else { block };
        let until = header + if alone { 2 * block } else { 2 * block - 16 };
        assert_eq!(lost, damaged[from..until], "{what}");
        assert_eq!(r.resync(|_| ()).expect("a slice"), None);
    }
}

#[test]
fn resync_at_the_end() {
    let bytes = file(Codec::Deflate(6));
    let mut r = Reader::new(&bytes[..bytes.len() - 25]).expect("a header");
    let mut b = Block::new();
    let e = loop {
        match r.next_block(&mut b) {
            Ok(more) => assert!(more),
            Err(e) => break e,
        }
    };
    assert_eq!(e.kind(), Kind::Truncated);
    let mut lost = Vec::new();
    let gap = r.resync(|part| lost.extend_from_slice(part)).expect("a slice").expect("a gap");
    assert!(!gap.found);
    assert_eq!((gap.to as usize, lost.len() as u64), (bytes.len() - 25, gap.to - gap.from));
    assert!(!r.next_block(&mut b).expect("the end"));
}

#[test]
fn a_file_grows() {
    for codec in codecs() {
        let mut stream = Cursor::new(file(codec));
        for v in 25..27u8 {
            let mut w = Writer::append_to(&mut stream, ReaderOptions::default(), 100).expect("a file");
            assert_eq!(w.schema(), &schema());
            w.append_value(&[v << 1]).expect("a value");
            w.finish().expect("the end");
        }
        let bytes = stream.into_inner();
        assert_eq!(read(&bytes, Limits::default()).expect("reads"), (27, (0..27u8).map(|v| v << 1).collect()));
        // A file that is cut off does not grow: nobody would read what comes behind.
        for cut in [1, 10, 17] {
            let mut cut = Cursor::new(bytes[..bytes.len() - cut].to_vec());
            let e = Writer::append_to(&mut cut, ReaderOptions::default(), 100).err().expect("refused");
            assert_eq!(e.kind(), Kind::Sync, "{e}");
        }
        let header = Reader::new(bytes.as_slice()).expect("a header").position() as usize;
        let mut empty = Cursor::new(bytes[..header].to_vec());
        let mut w = Writer::append_to(&mut empty, ReaderOptions::default(), 100).expect("a file");
        w.append_value(&[2]).expect("a value");
        w.finish().expect("the end");
        assert_eq!(read(&empty.into_inner(), Limits::default()).expect("reads"), (1, vec![2]));
    }
}

/// Blocks made elsewhere are the blocks that the writer would have made.
#[test]
fn packed_blocks() {
    for codec in codecs() {
        let values: Vec<u8> = (0..25u8).map(|v| v << 1).collect();
        let mut w = Writer::new(Vec::new(), &schema(), options(codec)).expect("a header");
        let mut packer = w.packer().expect("a packer");
        let mut blocks = Packed::new();
        for part in values.chunks(10) {
            packer.pack(part.len() as u64, part, &mut blocks).expect("a block");
        }
        packer.pack(0, &[], &mut blocks).expect("an empty block");
        w.append_packed(&blocks).expect("blocks");
        assert_eq!(w.finish().expect("the end"), file(codec));
    }
}

/// What the bodies of blocks hold by the specification, and what is refused.
#[test]
fn bodies() {
    let stored = |codec: Codec, body: &[u8]| {
        let w = Writer::new(Vec::new(), &schema(), options(codec)).expect("a header");
        let mut bytes = w.finish().expect("the end");
        bytes.extend([2, u8::try_from(body.len() * 2).expect("short")]);
        bytes.extend(body);
        bytes.extend(SYNC);
        read(&bytes, Limits::default())
    };
    // One literal byte, then the CRC-32 of it, big-endian.
    let snappy = [1, 0, 0x0e, 0x35, 0xba, 0xc2, 0x8a];
    assert_eq!(stored(Codec::Snappy, &snappy).expect("reads"), (1, vec![0x0e]));
    let words = |codec, body: &[u8], part: &str| {
        let e = stored(codec, body).expect_err("an error");
        assert_eq!((e.kind(), e.block()), (Kind::Compression, Some(0)), "{e}");
        assert!(e.to_string().contains(part), "{part} in {e}");
    };
    words(Codec::Snappy, &[snappy.as_slice(), &[0]].concat(), "");
    words(Codec::Snappy, &[1, 0, 0x0e, 0, 0, 0, 0], "checksum is 00000000");
    words(Codec::Snappy, &[0, 0, 0], "no room for the checksum");
    words(Codec::Snappy, &[0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0], "claim");
    for codec in [Codec::Bzip2(9), Codec::Xz(6), Codec::Zstandard(3)] {
        words(codec, &[], "end before their stream does");
        words(codec, b"PK\x03\x04 is none of these", codec.name());
    }
    // Two frames of Zstandard are read as one block.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x01, 0x09, 0x00, 0x00, 0x0e];
    assert_eq!(stored(Codec::Zstandard(3), &frame).expect("reads"), (1, vec![0x0e]));
    assert_eq!(stored(Codec::Zstandard(3), &[frame, frame].concat()).expect("reads"), (1, vec![0x0e, 0x0e]));
    words(Codec::Zstandard(3), &[&frame[..], &frame[..7]].concat(), "end before their stream does");
}

/// Errors end a file, unless somebody looks for the next block.
#[test]
fn behind_an_error_there_is_nothing() {
    let mut bytes = file(Codec::Null);
    *bytes.last_mut().expect("a byte") ^= 1;
    let mut r = Reader::new(bytes.as_slice()).expect("a header");
    let (mut block, mut errors) = (Block::new(), 0);
    for _ in 0..10 {
        errors += usize::from(r.next_block(&mut block).is_err());
    }
    assert_eq!(errors, 1);
}

/// Sizes that reach far and are wrong, each of which begins at a marker: each byte is looked at a few times, not once for
/// every size.
#[test]
fn many_wrong_sizes_cost_no_more_than_one() {
    let header = Reader::new(file(Codec::Null).as_slice()).expect("a header").position() as usize;
    let mut bytes = file(Codec::Null)[..header].to_vec();
    const FALSE: usize = 200_000;
    for _ in 0..FALSE {
        // One value in 200 MiB, then a marker.
        bytes.extend_from_slice(&[2, 0x80, 0x80, 0x80, 0xc8, 0x01]);
        bytes.extend_from_slice(&SYNC);
    }
    let mut r = Reader::new(bytes.as_slice()).expect("a header");
    let (mut block, mut gaps) = (Block::new(), 0);
    loop {
        match r.next_block(&mut block) {
            Ok(more) => {
                assert!(!more);
                break;
            }
            Err(_) => gaps += usize::from(r.resync(|_| ()).expect("a slice").is_some()),
        }
    }
    assert_eq!(gaps, FALSE);
}

/// A stream that fails once.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            self.0 = usize::MAX;
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        let n = bytes.len().min(self.0);
        self.0 -= n;
        Ok(n)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn behind_a_failure_nothing_is_written() {
    let mut w = Writer::new(Full(200), &schema(), options(Codec::Null)).expect("a header");
    let mut errors = Vec::new();
    for v in 0..100u8 {
        errors.extend(w.append_value(&[v << 1]).err().map(|e| e.kind()));
    }
    assert_eq!(errors.first(), Some(&Kind::Io));
    assert!(errors.len() > 1 && errors[1..].iter().all(|k| *k == Kind::Usage), "{errors:?}");
    assert_eq!(w.into_inner().0, usize::MAX);
}

#[test]
fn blocks_of_another_file_are_refused() {
    let mut a = Writer::new(Vec::new(), &schema(), WriterOptions::default()).expect("a header");
    let b = Writer::new(Vec::new(), &schema(), WriterOptions::default()).expect("a header");
    let mut blocks = Packed::new();
    b.packer().expect("a packer").pack(1, &[2], &mut blocks).expect("a block");
    assert_eq!(a.append_packed(&blocks).expect_err("refused").kind(), Kind::Usage);
    assert_eq!(a.packer().expect("a packer").pack(1, &[2], &mut blocks).expect_err("refused").kind(), Kind::Usage);
    assert_eq!(a.append_values(0, &[1]).expect_err("refused").kind(), Kind::Usage);
    // A reader takes what a writer makes, also of values without bytes.
    let null = Schema::parse("\"null\"").expect("a schema");
    let mut w = Writer::new(Vec::new(), &null, WriterOptions::default()).expect("a header");
    for _ in 0..40 {
        w.append_values(1 << 19, &[]).expect("values");
    }
    assert_eq!(read(&w.finish().expect("the end"), Limits::default()).expect("reads").0, 20 << 20);
}
