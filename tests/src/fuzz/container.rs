//! Container files: any bytes, and files whose frame is right around any stored bytes, of every codec.

use super::Choices;
use super::resolve::identity;
use reschema::Input;
use reschema::container::{
    Block, Codec, ContainerError, ContainerErrorKind, Limits, MAGIC, RESERVED, Reader, ReaderOptions, Writer,
    WriterOptions, schema_of,
};
use reschema::schema::Schema;
use std::io::{ErrorKind, Read};

/// First byte of a file that stands as it is.
const WHOLE: u8 = MAGIC[0];
/// Blocks that are read.
const MAX_BLOCKS: usize = 40;
/// Bytes of all blocks together, decompressed.
const MAX_BYTES: usize = 1 << 20;
/// Prefixes tried.
const PREFIXES: usize = 12;
const LIMITS: Limits =
    Limits { header_bytes: 1 << 16, block_bytes: 1 << 16, decompressed_bytes: 1 << 18, zero_size_values: 500 };
const SYNC: [u8; 16] = *b"0123456789abcdef";

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
    blocks: Vec<(u64, Vec<u8>, u64)>,
    wrong: Option<Wrong>,
    /// Not read to its end.
    left: bool,
    position: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct Header {
    schema: Schema,
    text: String,
    codec: Codec,
    metadata: Vec<(String, Vec<u8>)>,
    sync: [u8; 16],
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

fn options() -> ReaderOptions {
    ReaderOptions { limits: LIMITS, ..ReaderOptions::default() }
}

fn read(stream: impl Read, options: ReaderOptions) -> Seen {
    let mut seen = Seen::default();
    let mut reader = match Reader::with_options(stream, options) {
        Ok(reader) => reader,
        Err(e) => {
            assert_eq!(e.block(), None);
            seen.wrong = Some(e.into());
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
    blocks(&mut reader, &mut seen);
    seen.position = reader.position();
    seen
}

fn blocks(reader: &mut Reader<impl Read>, seen: &mut Seen) {
    let mut block = Block::new();
    let mut bytes = 0;
    loop {
        let before = reader.position();
        match reader.next_block(&mut block) {
            Ok(true) => {}
            Ok(false) => {
                assert_eq!((block.count(), block.data().len(), reader.position()), (0, 0, before));
                assert!(reader.next_block(&mut block).is_ok_and(|more| !more), "the end stays the end");
                return;
            }
            Err(e) => {
                assert_eq!((block.count(), block.data().len()), (0, 0), "nothing of a bad block stays");
                assert_eq!(e.block(), Some(seen.blocks.len() as u64));
                assert!(e.offset() >= before && e.offset() <= reader.position(), "{e}: {before}");
                seen.wrong = Some(e.into());
                return;
            }
        }
        let (count, data) = (block.count(), block.data());
        assert_eq!((block.offset(), block.index()), (before, seen.blocks.len() as u64));
        assert!(
            data.len() as u64 <= LIMITS.decompressed_bytes && reader.position() - before <= 40 + LIMITS.block_bytes
        );
        assert!(count <= data.len() as u64 + LIMITS.zero_size_values);
        bytes += data.len();
        seen.blocks.push((count, data.to_vec(), before));
        if let Some(transform) =
            seen.header.as_ref().filter(|_| seen.blocks.len() == 1).and_then(|h| identity(&h.schema))
        {
            let (mut fast, mut plain) = (Vec::new(), Vec::new());
            let a = transform.run_many(block.input(), count, &mut fast).map_err(|e| e.to_string());
            let b = transform.run_many(Input::Bytes(data), count, &mut plain).map_err(|e| e.to_string());
            assert_eq!((a.map(|d| d.consumed), fast), (b.map(|d| d.consumed), plain), "with and without padding");
        }
        if seen.blocks.len() >= MAX_BLOCKS || bytes >= MAX_BYTES {
            seen.left = true;
            return;
        }
    }
}

fn file(data: &[u8]) {
    let seen = read(data, options());
    assert_eq!(read(Dribble { data, step: 1 }, options()), seen, "in small pieces");
    let schema = schema_of(data, options());
    match (&seen.header, schema) {
        (Some(header), Ok(schema)) => assert!(header.schema == schema),
        (Some(_), Err(e)) => panic!("the reader has a schema: {e}"),
        (None, Ok(_)) => assert_eq!(seen.wrong.as_ref().map(|w| w.kind), Some(ContainerErrorKind::Codec)),
        (None, Err(e)) => assert_eq!(Some(Wrong::from(e)), seen.wrong),
    }
    prefixes(data, &seen);
    if let Some(header) = &seen.header {
        copied(header, &seen);
    }
}

/// A file that is cut off gives the same blocks up to there.
fn prefixes(data: &[u8], whole: &Seen) {
    for len in (0..data.len()).rev().step_by(data.len() / PREFIXES + 1) {
        let cut = read(&data[..len], options());
        if cut.header.is_some() {
            assert_eq!(cut.header, whole.header);
        }
        assert!(whole.blocks.starts_with(&cut.blocks), "the first {len} bytes");
        match &cut.wrong {
            Some(e) if Some(e) == whole.wrong.as_ref() => {}
            Some(e) if len < MAGIC.len() => assert_eq!(e.kind, ContainerErrorKind::NotContainer),
            Some(e) => assert_eq!((e.kind, e.offset), (ContainerErrorKind::Truncated, len as u64), "{e:?}"),
            None => assert!(cut.left || cut.position == len as u64, "the first {len} bytes end well"),
        }
    }
}

/// The same blocks, written and read again.
fn copied(header: &Header, seen: &Seen) {
    let metadata: Vec<_> = header.metadata.iter().filter(|(k, _)| !k.starts_with(RESERVED)).cloned().collect();
    let written = WriterOptions {
        codec: header.codec,
        metadata: metadata.clone(),
        sync: Some(header.sync),
        schema_text: Some(header.text.clone()),
        ..WriterOptions::default()
    };
    let mut writer = Writer::new(Vec::new(), &header.schema, written).expect("memory takes everything");
    let mut blocks = Vec::new();
    for (count, data, _) in &seen.blocks {
        match writer.append_block(*count, data) {
            Ok(()) => blocks.push((*count, data)),
            Err(e) => assert!(*count == 0 && !data.is_empty() && e.kind() == ContainerErrorKind::Usage, "{e}"),
        }
    }
    let written = writer.written();
    let file = writer.finish().expect("memory takes everything");
    assert_eq!(file.len() as u64, written);
    // Compressing may add a little.
    let limits = Limits { header_bytes: 1 << 17, block_bytes: 1 << 19, ..LIMITS };
    let again = read(file.as_slice(), ReaderOptions { limits, ..ReaderOptions::default() });
    assert_eq!(again.wrong, None);
    let copy = again.header.expect("a header");
    let user =
        |m: &[(String, Vec<u8>)]| m.iter().filter(|(k, _)| !k.starts_with(RESERVED)).cloned().collect::<Vec<_>>();
    assert_eq!(user(&copy.metadata), metadata);
    assert_eq!((copy.text, copy.codec, copy.sync), (header.text.clone(), header.codec, header.sync));
    let found: Vec<_> = again.blocks.iter().map(|(count, data, _)| (*count, data)).collect();
    assert!(found == blocks, "blocks are what was written");
}

/// A file with a right frame. For each block: whether its bytes are compressed first and then damaged, its count, and
/// its length.
fn made(mut choices: Choices<'_>) -> Vec<u8> {
    let name = Codec::NAMES[usize::from(choices.byte()) % Codec::NAMES.len()];
    let codec = Codec::by_name(name).expect("a codec knows its name");
    let schema = Schema::parse(SCHEMAS[usize::from(choices.byte()) % SCHEMAS.len()]).expect("a schema");
    let written = |block: Option<&[u8]>| {
        let options = WriterOptions { codec, sync: Some(SYNC), ..WriterOptions::default() };
        let mut writer = Writer::new(Vec::new(), &schema, options).expect("memory takes everything");
        block.iter().for_each(|data| writer.append_block(1, data).expect("memory takes everything"));
        writer.finish().expect("memory takes everything")
    };
    let mut file = written(None);
    let header = file.len();
    while !choices.is_empty() && file.len() < MAX_BYTES / 4 {
        let (kind, count) = (choices.byte(), choices.byte());
        let len = match choices.byte() {
            255 => usize::MAX,
            n => usize::from(n),
        };
        let damage = (choices.number(), choices.byte());
        let bytes = choices.bytes(len).repeat(1 + usize::from(kind >> 2));
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
