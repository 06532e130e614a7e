//! Reading a container file block by block, in memory that does not grow with the file.

use super::SYNC_SIZE;
use super::codec::Codec;
use super::error::{ContainerError, ContainerErrorKind};
use super::header::{self, Metadata};
use super::varint::Counted;
use reschema_ir::cost::PADDING;
use reschema_runtime::Input;
use reschema_schema::Schema;
use reschema_schema::avro::{Names, Parser};
use std::io::Read;

/// Limits of a container file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the header. Default 64 MiB.
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
        let header = header::read(&mut stream, options.limits.header_bytes)?;
        let find = |key: &str| header.metadata.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.as_slice());
        let fail = |kind, message: String| ContainerError::new(kind, 4, message);
        let text = find("avro.schema")
            .ok_or_else(|| fail(ContainerErrorKind::Header, "the metadata have no avro.schema".into()))?;
        let text = String::from_utf8(text.to_vec())
            .map_err(|_| fail(ContainerErrorKind::Schema, "avro.schema is not UTF-8".into()))?;
        let schema = Parser::new()
            .names(options.names)
            .parse(&text)
            .map_err(|e| fail(ContainerErrorKind::Schema, format!("the schema of the file is not valid: {e}")))?;
        let name = String::from_utf8_lossy(find("avro.codec").unwrap_or(b"null")).into_owned();
        let codec = Codec::by_name(&name).ok_or_else(|| {
            let known = Codec::NAMES.join(", ");
            fail(ContainerErrorKind::Codec, format!("unknown codec {name:?}; known are {known}"))
        })?;
        let header::Header { metadata, sync } = header;
        Ok(Reader { stream, options, metadata, schema_text: text, schema, codec, sync, blocks: 0, stored: Vec::new() })
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
        let most = (block.len as u64).saturating_add(self.options.limits.zero_size_values);
        if count > most {
            let message = format!("a block of {count} values in {} bytes; the limit is {most}", block.len);
            return Err(ContainerError::new(ContainerErrorKind::Limit, start, message));
        }
        let found: [u8; SYNC_SIZE] = self.stream.array("the sync marker of a block")?;
        if found != self.sync {
            let at = self.stream.at - SYNC_SIZE as u64;
            let message = format!("expected the sync marker {:02x?} behind the block, found {found:02x?}", self.sync);
            return Err(ContainerError::new(ContainerErrorKind::Sync, at, message));
        }
        (block.count, block.offset, block.index) = (count, start, self.blocks);
        self.blocks += 1;
        Ok(true)
    }

    fn fill(&mut self, block: &mut Block, size: u64) -> Result<()> {
        let at = self.stream.at;
        block.data.clear();
        if self.codec == Codec::Null {
            self.stream.append(size, &mut block.data, "a block")?;
        } else {
            self.stored.clear();
            self.stream.append(size, &mut self.stored, "a block")?;
            let limit = self.options.limits.decompressed_bytes;
            self.codec.decompress(&self.stored, &mut block.data, limit, at)?;
        }
        block.len = block.data.len();
        block.data.resize(block.len + PADDING, 0);
        Ok(())
    }
}
