//! Reading a container file block by block, in memory that does not grow with the file.

use super::block::{Block, StoredBlock, Unpacker};
use super::codec::Codec;
use super::error::{ContainerError, ContainerErrorKind};
use super::header::{self, Metadata};
use super::stream::Counted;
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
    /// The last block was no block: [`Reader::resync`] may look for the next.
    lost: bool,
}

/// Bytes of a file that were passed over to find the next block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// First byte.
    pub from: u64,
    /// Byte behind the last, where reading goes on.
    pub to: u64,
    /// A sync marker was found, and reading goes on behind it; otherwise the file has come to its end.
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
        let (blocks, stored, unpacker, marker, lost) = (0, StoredBlock::new(), None, Vec::new(), false);
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
            lost,
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

    /// Reads the next block as it is stored; false at the end of the file.
    ///
    /// # Errors
    /// The block is malformed, cut off, or does not end in the file's sync marker; [`Reader::resync`] finds the next.
    pub fn next_stored(&mut self, stored: &mut StoredBlock) -> Result<bool> {
        (stored.count, stored.index) = (0, self.blocks);
        stored.len = 0;
        self.stream.mark();
        match self.block(stored) {
            Ok(false) => Ok(false),
            Ok(true) => {
                self.blocks += 1;
                Ok(true)
            }
            Err(e) => {
                let index = self.blocks;
                self.blocks += 1;
                self.lost = e.kind() != ContainerErrorKind::Io;
                Err(e.in_block(index))
            }
        }
    }

    /// Reads the header of a block, its bytes and the sync marker. The marker comes before anything else is judged:
    /// where it is missing, the size was wrong, and what the codec would say about the bytes in between is no help.
    fn block(&mut self, stored: &mut StoredBlock) -> Result<bool> {
        let start = self.stream.at;
        let (count, size) = match self.block_header(start) {
            Ok(Some(header)) => header,
            Ok(None) => return Ok(false),
            Err(e) => {
                self.stream.give_back(self.stream.marked().to_vec());
                return Err(e);
            }
        };
        (stored.count, stored.offset, stored.body) = (count, start, self.stream.at);
        stored.len = self.stream.fill(size, &mut stored.data)?;
        if (stored.len as u64) < size {
            let e = self.stream.truncated("a block");
            self.no_block(stored, &[]);
            return Err(e);
        }
        let at = self.stream.at;
        let have = self.stream.fill(SYNC_SIZE as u64, &mut self.marker)?;
        if self.marker[..have] == self.sync {
            return Ok(true);
        }
        let e = if have < SYNC_SIZE {
            self.stream.truncated("the sync marker of a block")
        } else {
            let found = &self.marker[..have];
            let message = format!("expected the sync marker {:02x?} behind the block, found {found:02x?}", self.sync);
            ContainerError::new(ContainerErrorKind::Sync, at, message)
        };
        let marker = self.marker[..have].to_vec();
        self.no_block(stored, &marker);
        Err(e)
    }

    /// Gives back the bytes of what was no block.
    fn no_block(&mut self, stored: &mut StoredBlock, marker: &[u8]) {
        let mut bytes = std::mem::take(&mut stored.data);
        bytes.truncate(stored.len);
        stored.len = 0;
        bytes.splice(0..0, self.stream.marked().iter().copied());
        bytes.extend_from_slice(marker);
        self.stream.give_back(bytes);
    }

    /// Count and size of a block; `None` at the end of the file.
    fn block_header(&mut self, start: u64) -> Result<Option<(u64, u64)>> {
        let Some(count) = self.stream.long("the count of a block")? else { return Ok(None) };
        let size = self.stream.long("the size of a block")?.ok_or_else(|| self.stream.truncated("a block header"))?;
        let (Ok(count), Ok(size)) = (u64::try_from(count), u64::try_from(size)) else {
            let message = format!("expected a block, found a count of {count} and a size of {size}");
            return Err(ContainerError::new(ContainerErrorKind::Block, start, message));
        };
        if size > self.options.limits.block_bytes {
            let message = format!("a block of {size} bytes; the limit is {}", self.options.limits.block_bytes);
            return Err(ContainerError::new(ContainerErrorKind::Limit, start, message));
        }
        Ok(Some((count, size)))
    }

    /// After [`Reader::next_stored`] failed: passes over bytes up to the next sync marker, beginning with those of the
    /// block that was none, so that reading can go on. `lost` gets the bytes, the marker not among them. `None` if
    /// there is nothing to be passed over.
    ///
    /// # Errors
    /// A failure of the stream.
    pub fn resync(&mut self, mut lost: impl FnMut(&[u8])) -> Result<Option<Gap>> {
        const WINDOW: usize = 64 << 10;
        if !std::mem::take(&mut self.lost) {
            return Ok(None);
        }
        let from = self.stream.at;
        let mut window = Vec::with_capacity(WINDOW + SYNC_SIZE);
        let mut chunk = vec![0; WINDOW];
        loop {
            let read = self.stream.some(&mut chunk)?;
            window.extend_from_slice(&chunk[..read]);
            if let Some(at) = window.windows(SYNC_SIZE).position(|w| w == self.sync) {
                lost(&window[..at]);
                self.stream.give_back(window.split_off(at + SYNC_SIZE));
                return Ok(Some(Gap { from, to: self.stream.at, found: true }));
            }
            if read == 0 {
                lost(&window);
                return Ok(Some(Gap { from, to: self.stream.at, found: false }));
            }
            // A marker may begin in the last bytes.
            let done = window.len().saturating_sub(SYNC_SIZE - 1);
            lost(&window[..done]);
            window.drain(..done);
        }
    }
}

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
    let schema = Parser::new()
        .names(names)
        .parse(&text)
        .map_err(|e| in_metadata(ContainerErrorKind::Schema, format!("the schema of the file is not valid: {e}")))?;
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
