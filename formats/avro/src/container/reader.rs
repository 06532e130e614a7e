//! Reading a container file block by block, in memory that does not grow with the file.

use super::block::{Block, StoredBlock, Unpacker};
use super::codec::Codec;
use super::error::{ContainerError, ContainerErrorKind};
use super::header::{self, Metadata};
use super::stream::{Counted, Long, long, truncated};
use super::{MAGIC, SYNC_SIZE};
use reschema_schema::Schema;
use reschema_schema::avro::{Names, Parser};
use std::io::Read;

/// Limits of a container file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the header, with some more for each entry of the metadata. Default 64 MiB.
    pub header_bytes: u64,
    /// Bytes of a block as stored. Default 256 MiB.
    pub block_bytes: u64,
    /// Bytes of a block decompressed. Default 512 MiB.
    pub decompressed_bytes: u64,
    /// Values of a block beyond one a byte: values that take no bytes, which nothing else bounds. Default 16 Mi.
    pub zero_size_values: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            header_bytes: 64 << 20,
            block_bytes: 256 << 20,
            decompressed_bytes: 512 << 20,
            zero_size_values: 16 << 20,
        }
    }
}

/// How a file is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReaderOptions {
    /// Limits.
    pub limits: Limits,
    /// Which names the schema may use.
    pub names: Names,
}

/// A container file that is being read.
pub struct Reader<R> {
    stream: Counted<R>,
    options: ReaderOptions,
    metadata: Metadata,
    schema_text: String,
    schema: Schema,
    codec: Codec,
    sync: [u8; SYNC_SIZE],
    blocks: u64,
    stored: StoredBlock,
    unpacker: Option<Unpacker>,
    /// Room for a marker.
    marker: Vec<u8>,
    state: State,
    /// The next block is sound but for its marker.
    trusted: bool,
}

/// What the next call finds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A block, or the end.
    Sound,
    /// The last block was no block: [`Reader::resync`] may look for the next.
    Lost,
    /// Nothing: the file has come to its end, or the stream has failed.
    Ended,
}

/// What a block says of itself, and the bytes that say it.
struct Head {
    count: u64,
    size: u64,
    len: usize,
}

/// Bytes of a file that were passed over to find the next block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// First byte.
    pub from: u64,
    /// Byte behind the last, where reading goes on.
    pub to: u64,
    /// Bytes that are lost: those before the marker that was found, or the damaged marker alone.
    pub lost: u64,
    /// Reading goes on; otherwise the file has come to its end.
    pub found: bool,
}

type Result<T> = std::result::Result<T, ContainerError>;

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// Not a container file, a schema that is not one, an unknown codec, or a failure of the stream.
    pub fn new(stream: R) -> Result<Reader<R>> {
        Reader::with_options(stream, ReaderOptions::default())
    }

    /// As [`Reader::new`], with options.
    pub fn with_options(stream: R, options: ReaderOptions) -> Result<Reader<R>> {
        let mut stream = Counted::new(stream);
        let header::Header { metadata, sync } = header::read(&mut stream, options.limits.header_bytes)?;
        let (schema_text, schema) = schema(&metadata, options.names)?;
        let name = String::from_utf8_lossy(find(&metadata, "avro.codec").unwrap_or(b"null"));
        let codec = Codec::by_name(&name).ok_or_else(|| {
            let known = Codec::NAMES.join(", ");
            in_metadata(ContainerErrorKind::Codec, format!("unknown codec {name:?}; known are {known}"))
        })?;
        let (blocks, stored, unpacker, marker) = (0, StoredBlock::new(), None, Vec::new());
        Ok(Reader {
            stream,
            options,
            metadata,
            schema_text,
            schema,
            codec,
            sync,
            blocks,
            stored,
            unpacker,
            marker,
            state: State::Sound,
            trusted: false,
        })
    }

    /// The schema that the values were written with.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema as the file has it.
    pub fn schema_text(&self) -> &str {
        &self.schema_text
    }

    /// The metadata in the order of the file, the format's own keys included.
    pub fn metadata(&self) -> &[(String, Vec<u8>)] {
        &self.metadata
    }

    /// How blocks are compressed.
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// The sync marker.
    pub fn sync(&self) -> &[u8; SYNC_SIZE] {
        &self.sync
    }

    /// Bytes of the file read so far.
    pub fn position(&self) -> u64 {
        self.stream.at
    }

    /// Something that decompresses the blocks of this file; several may work side by side.
    ///
    /// # Errors
    /// The codec's library does not start.
    pub fn unpacker(&self) -> Result<Unpacker> {
        Unpacker::new(self.codec, self.options.limits)
    }

    /// Reads the next block; false at the end of the file.
    ///
    /// # Errors
    /// The block is malformed, cut off, does not end in the file's sync marker, or does not decompress.
    pub fn next_block(&mut self, block: &mut Block) -> Result<bool> {
        block.clear();
        let mut stored = std::mem::take(&mut self.stored);
        let result = self.unpacked(&mut stored, block);
        self.stored = stored;
        result
    }

    fn unpacked(&mut self, stored: &mut StoredBlock, block: &mut Block) -> Result<bool> {
        if !self.next_stored(stored)? {
            return Ok(false);
        }
        let unpacker = match &mut self.unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Unpacker::new(self.codec, self.options.limits)?),
        };
        unpacker.unpack(stored, block)?;
        Ok(true)
    }

    /// Reads the next block as it is stored; false at the end of the file. Behind an error there are no more blocks, unless
    /// [`Reader::resync`] finds one.
    ///
    /// # Errors
    /// The block is malformed, cut off, or does not end in the file's sync marker.
    pub fn next_stored(&mut self, stored: &mut StoredBlock) -> Result<bool> {
        (stored.count, stored.index, stored.len) = (0, self.blocks, 0);
        if self.state != State::Sound {
            return Ok(false);
        }
        let result = self.block(stored);
        match &result {
            Ok(true) => self.blocks += 1,
            Ok(false) => self.state = State::Ended,
            Err(e) => {
                self.blocks += 1;
                stored.len = 0;
                let io = e.kind() == ContainerErrorKind::Io;
                self.state = if io { State::Ended } else { State::Lost };
            }
        }
        result.map_err(|e| e.in_block(stored.index))
    }

    /// Reads the header of a block, its bytes and the sync marker. The marker comes before anything else is judged:
    /// where it is missing, the size was wrong, and what the codec would say about the bytes in between is no help.
    ///
    /// After an error the stream stands where the block began.
    fn block(&mut self, stored: &mut StoredBlock) -> Result<bool> {
        let start = self.stream.at;
        let Some(head) = self.head(start)? else { return Ok(false) };
        (stored.count, stored.offset, stored.body) = (head.count, start, start + head.len as u64);
        if self.stream.is_windowed() { self.looked_at(&head, stored) } else { self.taken(&head, stored) }
    }

    /// Count and size of a block, not taken; `None` at the end of the file.
    fn head(&mut self, start: u64) -> Result<Option<Head>> {
        let mut wanted = 1;
        loop {
            let there = self.stream.peek(wanted)?;
            if there == 0 {
                return Ok(None);
            }
            let bad = |at, what: &str| {
                let message = format!("expected {what}, found a varint of more than 64 bits");
                ContainerError::new(ContainerErrorKind::Block, start + at as u64, message)
            };
            let bytes = self.stream.ahead();
            match long(bytes) {
                Long::Is(count, n) => match long(&bytes[n..]) {
                    Long::Is(size, m) => return self.judged(start, count, size, n + m).map(Some),
                    Long::Short => {}
                    Long::Bad => return Err(bad(n, "the size of a block")),
                },
                Long::Short => {}
                Long::Bad => return Err(bad(0, "the count of a block")),
            }
            if there < wanted {
                return Err(truncated(start + there as u64, "a block header"));
            }
            wanted = there + 1;
        }
    }

    fn judged(&self, start: u64, count: i64, size: i64, len: usize) -> Result<Head> {
        let (Ok(count), Ok(size)) = (u64::try_from(count), u64::try_from(size)) else {
            let message = format!("expected a block, found a count of {count} and a size of {size}");
            return Err(ContainerError::new(ContainerErrorKind::Block, start, message));
        };
        if size > self.options.limits.block_bytes {
            let message = format!("a block of {size} bytes; the limit is {}", self.options.limits.block_bytes);
            return Err(ContainerError::new(ContainerErrorKind::Limit, start, message));
        }
        Ok(Head { count, size, len })
    }

    /// The usual way: the bytes go straight to where they are wanted.
    fn taken(&mut self, head: &Head, stored: &mut StoredBlock) -> Result<bool> {
        let bytes = self.stream.ahead();
        let first = bytes[..head.len.min(bytes.len())].to_vec();
        self.stream.take_ahead(head.len);
        stored.len = self.stream.fill(head.size, &mut stored.data)?;
        let at = self.stream.at;
        let found =
            if (stored.len as u64) < head.size { 0 } else { self.stream.fill(SYNC_SIZE as u64, &mut self.marker)? };
        if found == SYNC_SIZE && (self.marker[..found] == self.sync || std::mem::take(&mut self.trusted)) {
            return Ok(true);
        }
        let e = self.no_marker(head, stored.len as u64, at, &self.marker[..found]);
        let mut bytes = std::mem::take(&mut stored.data);
        bytes.truncate(stored.len);
        bytes.splice(0..0, first);
        bytes.extend_from_slice(&self.marker[..found]);
        self.stream.give_back(bytes);
        Err(e)
    }

    /// Behind damage: the marker is looked at before anything is moved, so that many sizes that are wrong cost no more than
    /// one.
    fn looked_at(&mut self, head: &Head, stored: &mut StoredBlock) -> Result<bool> {
        // Sizes are limited, and addresses have 64 bits.
        let end = head.len + head.size as usize;
        let there = self.stream.peek(end + SYNC_SIZE)?;
        let body = (there.min(end) - head.len) as u64;
        let marker = self.stream.ahead().get(end.min(there)..(end + SYNC_SIZE).min(there)).unwrap_or(&[]);
        if marker != self.sync && !(marker.len() == SYNC_SIZE && std::mem::take(&mut self.trusted)) {
            let at = self.stream.at + there.min(end) as u64;
            return Err(self.no_marker(head, body, at, marker));
        }
        self.stream.take_ahead(head.len);
        stored.len = self.stream.fill(head.size, &mut stored.data)?;
        self.stream.take_ahead(SYNC_SIZE);
        Ok(true)
    }

    /// What stands at byte `at`, where the marker should be.
    #[cold]
    fn no_marker(&self, head: &Head, body: u64, at: u64, found: &[u8]) -> ContainerError {
        if body < head.size {
            return truncated(at, "a block");
        }
        if found.len() < SYNC_SIZE {
            return truncated(at + found.len() as u64, "the sync marker of a block");
        }
        let message = format!("expected the sync marker {:02x?} behind the block, found {found:02x?}", self.sync);
        ContainerError::new(ContainerErrorKind::Sync, at, message)
    }

    /// After [`Reader::next_stored`] failed: makes reading go on. Where nothing but the marker of a block is damaged, that
    /// block comes next. Otherwise bytes are passed over up to the next marker, beginning with those of the block that was
    /// none. `lost` gets what is lost. `None` if there is nothing to be passed over.
    ///
    /// # Errors
    /// A failure of the stream.
    pub fn resync(&mut self, mut lost: impl FnMut(&[u8])) -> Result<Option<Gap>> {
        const WINDOW: usize = 64 << 10;
        if self.state != State::Lost {
            return Ok(None);
        }
        let from = self.stream.at;
        if let Some(end) = self.marker_alone().inspect_err(|_| self.state = State::Ended)? {
            lost(self.stream.ahead().get(end..end + SYNC_SIZE).unwrap_or(&[]));
            (self.state, self.trusted) = (State::Sound, true);
            self.blocks -= 1;
            let (from, size) = (from + end as u64, SYNC_SIZE as u64);
            return Ok(Some(Gap { from, to: from + size, lost: size, found: true }));
        }
        loop {
            let there = self.stream.peek(SYNC_SIZE).inspect_err(|_| self.state = State::Ended)?;
            let window = &self.stream.ahead()[..there.min(WINDOW)];
            if let Some(at) = window.windows(SYNC_SIZE).position(|w| w == self.sync) {
                lost(&window[..at]);
                self.stream.take_ahead(at + SYNC_SIZE);
                self.state = State::Sound;
                let to = self.stream.at;
                return Ok(Some(Gap { from, to, lost: to - from - SYNC_SIZE as u64, found: true }));
            }
            if there < SYNC_SIZE {
                lost(window);
                self.stream.take_ahead(there);
                self.state = State::Ended;
                let to = self.stream.at;
                return Ok(Some(Gap { from, to, lost: to - from, found: false }));
            }
            // A marker may begin in the last bytes.
            let done = window.len() - (SYNC_SIZE - 1);
            lost(&window[..done]);
            self.stream.take_ahead(done);
        }
    }
}

/// Largest blocks of which it is tried whether nothing but the marker is damaged: they are held in memory for it.
const MARKER_ALONE: u64 = 16 << 20;

impl<R: Read> Reader<R> {
    /// Where the block ends that comes next, if nothing but its marker is wrong: behind it comes another that ends in the
    /// file's marker, or nothing at all.
    fn marker_alone(&mut self) -> Result<Option<usize>> {
        let Some(end) = self.end_of_block(0)? else { return Ok(None) };
        let next = end + SYNC_SIZE;
        match self.stream.peek(next + 1)? {
            there if there < next => Ok(None),
            there if there == next => Ok(Some(end)),
            _ => {
                let Some(last) = self.end_of_block(next)? else { return Ok(None) };
                self.stream.peek(last + SYNC_SIZE)?;
                let marker = self.stream.ahead().get(last..last + SYNC_SIZE);
                Ok((marker == Some(self.sync.as_slice())).then_some(end))
            }
        }
    }

    /// Where the bytes of a block end that begins some bytes ahead; `None` if none can begin there.
    fn end_of_block(&mut self, at: usize) -> Result<Option<usize>> {
        self.stream.peek(at + HEADER)?;
        let bytes = self.stream.ahead().get(at..).unwrap_or(&[]);
        let Long::Is(count, n) = long(bytes) else { return Ok(None) };
        let Long::Is(size, m) = long(&bytes[n..]) else { return Ok(None) };
        let size = u64::try_from(size).ok().filter(|s| count >= 0 && *s <= MARKER_ALONE);
        Ok(size.map(|s| at + n + m + s as usize))
    }
}

/// Bytes of a block's count and size at most.
const HEADER: usize = 20;

/// Only the schema of a container file: its blocks are not read, and its codec need not be known.
///
/// # Errors
/// Not a container file, a schema that is not one, or a failure of the stream.
pub fn schema_of<R: Read>(stream: R, options: ReaderOptions) -> Result<Schema> {
    let header = header::read(&mut Counted::new(stream), options.limits.header_bytes)?;
    schema(&header.metadata, options.names).map(|(_, schema)| schema)
}

/// The schema in the metadata, as text and parsed.
fn schema(metadata: &Metadata, names: Names) -> Result<(String, Schema)> {
    let text = find(metadata, "avro.schema")
        .ok_or_else(|| in_metadata(ContainerErrorKind::Header, "the metadata have no avro.schema".into()))?;
    let text = String::from_utf8(text.to_vec())
        .map_err(|_| in_metadata(ContainerErrorKind::Schema, "avro.schema is not UTF-8".into()))?;
    let schema = Parser::new().names(names).parse(&text).map_err(|e| {
        let lenient = names == Names::Strict && Parser::new().names(Names::Lenient).parse(&text).is_ok();
        let hint = if lenient { " (with lenient names it would be)" } else { "" };
        in_metadata(ContainerErrorKind::Schema, format!("the schema of the file is not valid{hint}: {e}"))
    })?;
    Ok((text, schema))
}

/// Where a key comes twice, the last counts, as in other maps.
fn find<'m>(metadata: &'m Metadata, key: &str) -> Option<&'m [u8]> {
    metadata.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.as_slice())
}

/// The metadata begin behind the magic.
#[cold]
fn in_metadata(kind: ContainerErrorKind, message: String) -> ContainerError {
    ContainerError::new(kind, MAGIC.len() as u64, message)
}
