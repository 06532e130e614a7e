//! Container files: any bytes, and files whose frame is right around any stored bytes, of every codec.

use super::Choices;
use super::resolve::{engine, identity};
use reschema::container::{
    Block, Codec, ContainerError, ContainerErrorKind, Gap, Limits, MAGIC, Packed, RESERVED, Reader, ReaderOptions,
    SYNC_SIZE, Writer, WriterOptions, schema_of,
};
use reschema::convert::{ConvertError, Converter, Damage, Lost, OnDamage, Watch};
use reschema::schema::Schema;
use reschema::{Input, Transform};
use reschema_ir::cost::PADDING;
use std::io::{Cursor, ErrorKind, Read};

/// First byte of a file that stands as it is.
const WHOLE: u8 = MAGIC[0];
/// Blocks that are read.
const MAX_BLOCKS: u64 = 24;
/// Bytes of all blocks together, decompressed.
const MAX_BYTES: usize = 1 << 20;
/// Size from which a made file gets no more blocks.
const MADE: usize = 1 << 13;
/// Prefixes tried.
const PREFIXES: usize = 6;
const LIMITS: Limits =
    Limits { header_bytes: 1 << 16, block_bytes: 1 << 16, decompressed_bytes: 1 << 18, zero_size_values: 500 };
const SYNC: [u8; SYNC_SIZE] = *b"0123456789abcdef";

/// Schemas of the files that are made.
const SCHEMAS: [&str; 8] = [
    r#""null""#,
    r#""long""#,
    r#""string""#,
    r#"{"type":"array","items":"int"}"#,
    r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":["null","string"]}]}"#,
    r#"{"type":"record","name":"L","fields":[{"name":"v","type":"long"},{"name":"n","type":["null","L"]}]}"#,
    r#"{"type":"map","values":{"type":"fixed","name":"F","size":3}}"#,
    r#"{"type":"enum","name":"E","symbols":["A","B","C"]}"#,
];

/// Bytes as a file, if they begin as one, else as the parts of one.
///
/// # Panics
/// On a finding.
pub fn container(data: &[u8]) {
    match data.first() {
        Some(&WHOLE) => file(data),
        Some(_) => file(&made(Choices(data))),
        None => {}
    }
}

/// What a reader says about a file.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    header: Option<Header>,
    events: Vec<Event>,
    /// Not read to its end.
    left: bool,
    position: u64,
}

#[derive(Debug, PartialEq)]
enum Event {
    Block(Values),
    Wrong(Wrong),
    Gap(Gap, Vec<u8>),
}

#[derive(Debug, PartialEq)]
struct Values {
    count: u64,
    data: Vec<u8>,
    offset: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct Header {
    schema: Schema,
    text: String,
    codec: Codec,
    metadata: Vec<(String, Vec<u8>)>,
    sync: [u8; SYNC_SIZE],
}

#[derive(Clone, Debug, PartialEq)]
struct Wrong {
    kind: ContainerErrorKind,
    offset: u64,
    block: Option<u64>,
    message: String,
}

impl From<ContainerError> for Wrong {
    fn from(e: ContainerError) -> Wrong {
        assert!(!e.to_string().is_empty());
        Wrong { kind: e.kind(), offset: e.offset(), block: e.block(), message: e.to_string() }
    }
}

impl Seen {
    fn blocks(&self) -> impl Iterator<Item = &Values> {
        self.events.iter().filter_map(|e| if let Event::Block(values) = e { Some(values) } else { None })
    }
}

fn options() -> ReaderOptions {
    ReaderOptions { limits: LIMITS, ..ReaderOptions::default() }
}

fn read(stream: impl Read, options: ReaderOptions) -> Seen {
    let mut seen = Seen::default();
    let mut reader = match Reader::with_options(stream, options) {
        Ok(reader) => reader,
        Err(e) => {
            assert_eq!(e.block(), None);
            seen.events.push(Event::Wrong(e.into()));
            return seen;
        }
    };
    seen.header = Some(Header {
        schema: reader.schema().clone(),
        text: reader.schema_text().into(),
        codec: reader.codec(),
        metadata: reader.metadata().to_vec(),
        sync: *reader.sync(),
    });
    let (mut block, mut bytes, mut index) = (Block::new(), 0, 0);
    while next(&mut reader, &mut block, &mut seen, index, options.limits) {
        bytes += block.data().len();
        // A block of which only the marker is damaged comes again, and is this time taken.
        index += u64::from(!matches!(seen.events.last(), Some(Event::Gap(gap, _)) if is_marker(gap)));
        if index >= MAX_BLOCKS || bytes >= MAX_BYTES {
            seen.left = true;
            break;
        }
    }
    seen.position = reader.position();
    seen
}

/// Only a marker is passed over.
fn is_marker(gap: &Gap) -> bool {
    gap.found && gap.to - gap.from == SYNC_SIZE as u64 && gap.lost == SYNC_SIZE as u64
}

/// Reads a block; where there is none, what is wrong, and what is passed over. False at the end.
fn next(reader: &mut Reader<impl Read>, block: &mut Block, seen: &mut Seen, index: u64, limits: Limits) -> bool {
    let before = reader.position();
    match reader.next_block(block) {
        Ok(true) => {
            let (count, data) = (block.count(), block.data());
            assert_eq!((block.offset(), block.index()), (before, index));
            assert!(count <= data.len() as u64 + limits.zero_size_values);
            assert!(data.len() as u64 <= limits.decompressed_bytes);
            seen.events.push(Event::Block(Values { count, data: data.to_vec(), offset: before }));
            true
        }
        Ok(false) => {
            assert_eq!((block.count(), block.data().len(), reader.position()), (0, 0, before));
            assert!(reader.next_block(block).is_ok_and(|more| !more), "the end stays the end");
            false
        }
        Err(e) => {
            assert_eq!((block.count(), block.data().len()), (0, 0), "nothing of a bad block stays");
            assert_eq!(e.block(), Some(index));
            assert!(e.offset() >= before, "{e}: {before}");
            seen.events.push(Event::Wrong(e.into()));
            let mut lost = Vec::new();
            let gap = reader.resync(|bytes| lost.extend_from_slice(bytes)).expect("memory gives everything");
            // A block that is framed well and does not decompress is behind the reader.
            assert!(gap.is_some() || reader.position() > before);
            seen.events.extend(gap.map(|gap| Event::Gap(gap, lost)));
            gap.is_none_or(|gap| gap.found)
        }
    }
}

fn file(data: &[u8]) {
    let seen = read(data, options());
    let first = seen.events.first();
    match (&seen.header, schema_of(data, options())) {
        (Some(header), Ok(schema)) => assert!(header.schema == schema),
        (Some(_), Err(e)) => panic!("the reader has a schema: {e}"),
        (None, Ok(_)) => assert!(matches!(first, Some(Event::Wrong(e)) if e.kind == ContainerErrorKind::Codec)),
        (None, Err(e)) => assert_eq!(Some(&Event::Wrong(e.into())), first),
    }
    let Some(header) = &seen.header else {
        assert_eq!(read(Dribble { data, step: 1 }, options()), seen, "in small pieces");
        return;
    };
    gaps(data, header, &seen);
    // Codecs are slow where everything is watched: one of the dear checks an input.
    match data.iter().fold(0u8, |sum, b| sum.wrapping_add(*b)) % 4 {
        0 => assert_eq!(read(Dribble { data, step: 1 }, options()), seen, "in small pieces"),
        1 => prefixes(data, &seen),
        2 => copied(header, &seen),
        _ => {
            let Some(transform) = identity(&header.schema) else { return };
            padded(&transform, &seen);
            if !seen.left {
                converted(data, header, &seen, &transform);
            }
        }
    }
}

/// What is passed over is what stands there, up to the first marker.
fn gaps(data: &[u8], header: &Header, seen: &Seen) {
    for event in &seen.events {
        let Event::Gap(gap, lost) = event else { continue };
        let all = &data[gap.from as usize..gap.to as usize];
        assert_eq!(gap.lost, lost.len() as u64);
        if is_marker(gap) {
            assert!(lost.as_slice() == all && all != header.sync);
            continue;
        }
        let marker = if gap.found { header.sync.as_slice() } else { &[] };
        assert_eq!([lost, marker].concat(), all);
        let begins = all.windows(SYNC_SIZE).position(|w| w == header.sync);
        assert_eq!(begins, gap.found.then_some(lost.len()));
        assert!(gap.found || gap.to == data.len() as u64);
    }
}

/// A file that is cut off says the same up to there.
fn prefixes(data: &[u8], whole: &Seen) {
    for len in (0..data.len()).rev().step_by(data.len() / PREFIXES + 1) {
        let cut = read(&data[..len], options());
        if cut.header.is_some() {
            assert_eq!(cut.header, whole.header);
        }
        let common = cut.events.iter().zip(&whole.events).take_while(|(a, b)| a == b).count();
        match cut.events.get(common) {
            None => assert!(cut.left || cut.position == len as u64 || cut.header.is_none(), "{len} bytes end well"),
            Some(Event::Wrong(e)) if len < MAGIC.len() => assert_eq!(e.kind, ContainerErrorKind::NotContainer),
            Some(Event::Wrong(e)) => {
                assert_eq!((e.kind, e.offset), (ContainerErrorKind::Truncated, len as u64), "{e:?}");
            }
            Some(Event::Gap(gap, _)) => {
                assert_eq!(gap.to, len as u64);
                assert!(!gap.found || is_marker(gap), "{gap:?}");
            }
            Some(Event::Block(_)) => panic!("the first {len} bytes have a block that all have not"),
        }
    }
}

/// The fast path may look at the padding, and does not care.
fn padded(transform: &Transform, seen: &Seen) {
    for values in seen.blocks().take(4) {
        let mut buffer = values.data.clone();
        buffer.resize(buffer.len() + PADDING, 0xff);
        let input = Input::Padded { buffer: &buffer, len: values.data.len() };
        let (mut fast, mut plain) = (Vec::new(), Vec::new());
        let a = transform.run_many(input, values.count, &mut fast).map_err(|e| e.to_string());
        let b = transform.run_many(&values.data, values.count, &mut plain).map_err(|e| e.to_string());
        assert_eq!((a.map(|d| d.consumed), fast), (b.map(|d| d.consumed), plain), "with and without padding");
    }
}

/// The same blocks, written, some of them packed apart and the first once more behind all, and read again.
fn copied(header: &Header, seen: &Seen) {
    let user =
        |m: &[(String, Vec<u8>)]| m.iter().filter(|(k, _)| !k.starts_with(RESERVED)).cloned().collect::<Vec<_>>();
    let written = WriterOptions {
        codec: quick(header.codec),
        metadata: user(&header.metadata),
        sync: Some(header.sync),
        schema_text: Some(header.text.clone()),
        ..WriterOptions::default()
    };
    let mut writer = Writer::new(Vec::new(), &header.schema, written).expect("memory takes everything");
    let mut blocks = Vec::new();
    for (i, Values { count, data, .. }) in seen.blocks().enumerate() {
        let mut packed = Packed::new();
        let done = match i % 2 {
            0 => writer.append_block(*count, data),
            _ => writer.packer().and_then(|mut p| p.pack(*count, data, &mut packed)),
        };
        match done.and_then(|()| writer.append_packed(&packed)) {
            Ok(()) => blocks.push((*count, data)),
            Err(e) => assert!(*count == 0 && !data.is_empty() && e.kind() == ContainerErrorKind::Usage, "{e}"),
        }
    }
    let written = writer.written();
    let mut file = writer.finish().expect("memory takes everything");
    assert_eq!(file.len() as u64, written);
    if let Some((count, data)) = blocks.first().copied() {
        let mut more = Writer::append_to(Cursor::new(file), large(), 1 << 16).expect("a whole file");
        more.append_block(count, data).expect("memory takes everything");
        file = more.finish().expect("memory takes everything").into_inner();
        blocks.push((count, data));
    }
    let again = read(file.as_slice(), large());
    let copy = again.header.as_ref().expect("a header");
    assert_eq!(user(&copy.metadata), user(&header.metadata));
    assert_eq!((&copy.text, copy.codec, copy.sync), (&header.text, header.codec, header.sync));
    let found: Vec<_> = again.blocks().map(|v| (v.count, &v.data)).collect();
    assert!(again.left || again.events.len() == blocks.len() && found == blocks, "blocks are what was written");
}

/// For what was written here: headers tell all that is the default, and compressing may add a little.
fn large() -> ReaderOptions {
    let limits = Limits { header_bytes: 1 << 17, block_bytes: 1 << 19, ..LIMITS };
    ReaderOptions { limits, ..ReaderOptions::default() }
}

/// Hears of what is left out.
#[derive(Default)]
struct Heard(Vec<Left>);

/// A part that is left out.
#[derive(Debug, PartialEq)]
struct Left {
    lost: Lost,
    why: &'static str,
    record: u64,
    records: Option<u64>,
    block: u64,
    offset: u64,
}

impl From<&Damage> for Left {
    fn from(d: &Damage) -> Left {
        let Damage { lost, record, records, block, offset, .. } = *d;
        Left { lost, why: d.cause.kind(), record, records, block, offset }
    }
}

impl Watch for Heard {
    fn damage(&mut self, damage: &Damage) -> std::io::Result<()> {
        assert!(!damage.to_string().is_empty());
        self.0.push(damage.into());
        Ok(())
    }
}

/// Converting to the file's own schema loses what is damaged and nothing else, on any number of threads.
fn converted(data: &[u8], header: &Header, seen: &Seen, transform: &Transform) {
    let run = |threads: usize, on_damage: OnDamage| {
        let converter = Converter::new(&engine(), &header.schema).threads(threads).on_damage(on_damage);
        let options =
            WriterOptions { sync: Some(SYNC), schema_text: Some(header.text.clone()), ..WriterOptions::default() };
        let mut output = Writer::new(Vec::new(), &header.schema, options).expect("memory takes everything");
        let mut heard = Heard::default();
        let input = Reader::with_options(data, self::options()).expect("read before");
        let report = converter.run(input, &mut output, &mut heard);
        (report, heard.0, output.finish().expect("memory takes everything"))
    };
    let (report, damages, file) = run(1, OnDamage::Skip);
    let report = report.expect("damage is left out");
    assert_eq!((report.damages, report.bytes_read), (damages.len() as u64, data.len() as u64));
    let counted: u64 = seen.blocks().map(|v| v.count).sum();
    let of_values = damages.iter().filter(|d| matches!(d.lost, Lost::Record | Lost::RestOfBlock));
    let lost: u64 = of_values.map(|d| d.records.expect("as many as the block says")).sum();
    assert_eq!(report.records + lost, counted, "{damages:?}");
    let written = read(file.as_slice(), unbounded());
    assert!(written.blocks().map(|v| v.count).sum::<u64>() == report.records);
    for values in written.blocks() {
        let mut again = Vec::new();
        let done = transform.run_many(&values.data, values.count, &mut again).expect("what was written can be read");
        assert_eq!((done.consumed, &again), (values.data.len(), &values.data));
    }
    match run(1, OnDamage::Fail) {
        (Ok(whole), _, same) => assert_eq!((whole, damages.len(), same), (report, 0, file.clone())),
        // Only who goes on finds out how little is lost.
        (Err(ConvertError::Damage(first)), _, _) => {
            let skipped = damages.first().map(|d| (d.why, d.record, d.block));
            assert_eq!(Some((first.cause.kind(), first.record, first.block)), skipped);
        }
        (Err(e), ..) => panic!("{e}"),
    }
    if data.len().is_multiple_of(8) {
        let (other, heard, same) = run(2, OnDamage::Skip);
        assert_eq!((other.expect("as before"), heard, same), (report, damages, file), "on two threads");
    }
}

/// Output blocks gather what many blocks hold.
fn unbounded() -> ReaderOptions {
    let limits =
        Limits { header_bytes: 1 << 17, block_bytes: 1 << 24, decompressed_bytes: 1 << 24, zero_size_values: 1 << 20 };
    ReaderOptions { limits, ..ReaderOptions::default() }
}

/// A file with a right frame. For each block: whether its bytes are compressed first and then damaged, its count, and
/// its length.
fn made(mut choices: Choices<'_>) -> Vec<u8> {
    let name = Codec::NAMES[usize::from(choices.byte()) % Codec::NAMES.len()];
    let codec = quick(Codec::by_name(name).expect("a codec knows its name"));
    let schema = Schema::parse(SCHEMAS[usize::from(choices.byte()) % SCHEMAS.len()]).expect("a schema");
    let written = |block: Option<&[u8]>| {
        let options = WriterOptions { codec, sync: Some(SYNC), ..WriterOptions::default() };
        let mut writer = Writer::new(Vec::new(), &schema, options).expect("memory takes everything");
        block.iter().for_each(|data| writer.append_block(1, data).expect("memory takes everything"));
        writer.finish().expect("memory takes everything")
    };
    let mut file = written(None);
    let header = file.len();
    while !choices.is_empty() && file.len() < MADE {
        let (kind, count) = (choices.byte(), choices.byte());
        let len = match choices.byte() {
            255 => usize::MAX,
            n => usize::from(n),
        };
        let damage = (choices.number(), choices.byte());
        let bytes = choices.bytes(len).repeat(1 + usize::from(kind >> 5));
        let mut stored = if kind & 1 == 0 { bytes } else { stored(&written(Some(&bytes))[header..]) };
        if kind & 2 != 0 && !stored.is_empty() {
            let at = damage.0 % stored.len();
            stored[at] ^= damage.1;
        }
        varint(&mut file, u64::from(count) << 1);
        varint(&mut file, (stored.len() as u64) << 1);
        file.extend_from_slice(&stored);
        file.extend_from_slice(&SYNC);
    }
    file
}

/// At its lowest level: the usual ones make room for megabytes.
fn quick(codec: Codec) -> Codec {
    codec.levels().and_then(|levels| codec.with_level(*levels.start())).unwrap_or(codec)
}

/// The stored bytes of a block of one value.
fn stored(block: &[u8]) -> Vec<u8> {
    let size = 1 + block.iter().skip(1).take_while(|b| **b & 0x80 != 0).count() + 1;
    block[size..block.len() - SYNC.len()].to_vec()
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A stream that gives little at a time, and is interrupted now and then.
struct Dribble<'a> {
    data: &'a [u8],
    step: usize,
}

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.step = self.step * 5 % 101;
        if self.step % 7 == 3 {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = self.step.min(self.data.len()).min(buffer.len());
        buffer[..len].copy_from_slice(&self.data[..len]);
        self.data = &self.data[len..];
        Ok(len)
    }
}
