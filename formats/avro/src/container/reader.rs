//! Reading a container file block by block, in memory that does not grow with the file.

use super::codec::{self, Codec};
use super::error::{ContainerError, ContainerErrorKind};
use super::header::{self, Metadata};
use super::varint::Counted;
use super::{MAGIC, SYNC_SIZE};
use reschema_ir::cost::PADDING;
use reschema_runtime::Input;
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
    stored: Vec<u8>,
}

/// A block: `count` values back to back. Reused from block to block.
#[derive(Debug, Default)]
pub struct Block {
    count: u64,
    data: Vec<u8>,
    len: usize,
    offset: u64,
    index: u64,
}

impl Block {
    /// An empty block, to be filled by [`Reader::next_block`].
    pub fn new() -> Block {
        Block::default()
    }

    /// Values in the block.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The values, decompressed.
    pub fn data(&self) -> &[u8] {
        self.data.get(..self.len).unwrap_or(&[])
    }

    /// The values with padding behind them, so that all of them run on the fast path.
    pub fn input(&self) -> Input<'_> {
        self.input_from(0)
    }

    /// The values from a byte on, with the padding.
    pub fn input_from(&self, byte: usize) -> Input<'_> {
        let byte = byte.min(self.len);
        Input::Padded { buffer: self.data.get(byte..).unwrap_or(&[]), len: self.len - byte }
    }

    /// Byte of the file where the block begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// 0-based number of the block.
    pub fn index(&self) -> u64 {
        self.index
    }
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
        let mut stream = Counted { inner: stream, at: 0 };
        let header::Header { metadata, sync } = header::read(&mut stream, options.limits.header_bytes)?;
        let (schema_text, schema) = schema(&metadata, options.names)?;
        let name = String::from_utf8_lossy(find(&metadata, "avro.codec").unwrap_or(b"null"));
        let codec = Codec::by_name(&name).ok_or_else(|| {
            let known = Codec::NAMES.join(", ");
            in_metadata(ContainerErrorKind::Codec, format!("unknown codec {name:?}; known are {known}"))
        })?;
        Ok(Reader { stream, options, metadata, schema_text, schema, codec, sync, blocks: 0, stored: Vec::new() })
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

    /// Reads the next block; false at the end of the file.
    ///
    /// # Errors
    /// The block is malformed, cut off, or does not end in the file's sync marker.
    pub fn next_block(&mut self, block: &mut Block) -> Result<bool> {
        // Whatever happens, nothing of an earlier block stays.
        (block.count, block.len) = (0, 0);
        block.data.clear();
        let index = self.blocks;
        self.block(block).map_err(|e| e.in_block(index))
    }

    fn block(&mut self, block: &mut Block) -> Result<bool> {
        let start = self.stream.at;
        let Some(count) = self.stream.long("the count of a block")? else { return Ok(false) };
        let size = self.stream.long("the size of a block")?.ok_or_else(|| self.stream.truncated("a block header"))?;
        let (Ok(count), Ok(size)) = (u64::try_from(count), u64::try_from(size)) else {
            let message = format!("expected a block, found a count of {count} and a size of {size}");
            return Err(ContainerError::new(ContainerErrorKind::Block, start, message));
        };
        if size > self.options.limits.block_bytes {
            let message = format!("a block of {size} bytes; the limit is {}", self.options.limits.block_bytes);
            return Err(ContainerError::new(ContainerErrorKind::Limit, start, message));
        }
        self.fill(block, size)?;
        let most = (block.data.len() as u64).saturating_add(self.options.limits.zero_size_values);
        if count > most {
            let message = format!("a block of {count} values in {} bytes; the limit is {most}", block.data.len());
            return Err(ContainerError::new(ContainerErrorKind::Limit, start, message));
        }
        block.len = block.data.len();
        block.data.resize(block.len + PADDING, 0);
        (block.count, block.offset, block.index) = (count, start, self.blocks);
        self.blocks += 1;
        Ok(true)
    }

    /// Reads the stored bytes and the sync marker. The marker comes first in judging: where it is missing, the size was
    /// wrong, and what the codec would say about the bytes in between is no help.
    fn fill(&mut self, block: &mut Block, size: u64) -> Result<()> {
        let at = self.stream.at;
        let limit = self.options.limits.decompressed_bytes;
        if self.codec == Codec::Null {
            if size > limit {
                return Err(codec::too_large(limit, at));
            }
            self.stream.append(size, &mut block.data, "a block")?;
            return self.marker();
        }
        self.stored.clear();
        self.stream.append(size, &mut self.stored, "a block")?;
        self.marker()?;
        self.codec.decompress(&self.stored, &mut block.data, limit, at)
    }

    fn marker(&mut self) -> Result<()> {
        let at = self.stream.at;
        let found: [u8; SYNC_SIZE] = self.stream.array("the sync marker of a block")?;
        if found == self.sync {
            return Ok(());
        }
        let message = format!("expected the sync marker {:02x?} behind the block, found {found:02x?}", self.sync);
        Err(ContainerError::new(ContainerErrorKind::Sync, at, message))
    }
}

/// Only the schema of a container file: its blocks are not read, and its codec need not be known.
///
/// # Errors
/// Not a container file, a schema that is not one, or a failure of the stream.
pub fn schema_of<R: Read>(stream: R, options: ReaderOptions) -> Result<Schema> {
    let header = header::read(&mut Counted { inner: stream, at: 0 }, options.limits.header_bytes)?;
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
