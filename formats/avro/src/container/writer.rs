//! Writing a container file.

use super::codec::{self, Codec, Compressor};
use super::error::{ContainerError, ContainerErrorKind};
use super::reader::{Reader, ReaderOptions};
use super::{MAGIC, RESERVED, SYNC_SIZE};
use reschema_runtime::num::{write_varint, zigzag};
use reschema_schema::Schema;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Seek, SeekFrom, Write};

/// How a file is written.
#[derive(Clone, Debug)]
pub struct WriterOptions {
    /// Codec.
    pub codec: Codec,
    /// Metadata of the user; keys that begin with `avro.` are refused.
    pub metadata: Vec<(String, Vec<u8>)>,
    /// Sync marker; random if not given.
    pub sync: Option<[u8; SYNC_SIZE]>,
    /// Bytes of values, before compression, from which a block is written. Default 64 KiB.
    pub block_bytes: usize,
    /// Text of the schema to store; printed from the schema if not given.
    pub schema_text: Option<String>,
}

impl Default for WriterOptions {
    fn default() -> WriterOptions {
        WriterOptions { codec: Codec::Null, metadata: Vec::new(), sync: None, block_bytes: 64 << 10, schema_text: None }
    }
}

/// A container file that is being written. Call [`Writer::finish`]: a writer that is dropped has lost its last block.
pub struct Writer<W> {
    stream: W,
    schema: Schema,
    packer: Packer,
    block_bytes: usize,
    pending: Vec<u8>,
    count: u64,
    written: u64,
    /// A part of a block may be written: what comes behind would not be read.
    failed: bool,
}

/// Blocks that a [`Packer`] has made.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    bytes: Vec<u8>,
    /// Of the file that they are for.
    sync: [u8; SYNC_SIZE],
}

/// Makes blocks for a file as the file stores them; several may work side by side.
pub struct Packer {
    codec: Codec,
    compressor: Compressor,
    sync: [u8; SYNC_SIZE],
    stored: Vec<u8>,
}

type Result<T> = std::result::Result<T, ContainerError>;

impl Packer {
    fn new(codec: Codec, sync: [u8; SYNC_SIZE]) -> Result<Packer> {
        let compressor = Compressor::new(codec).map_err(|fault| codec::failed(fault, codec, 0, 0))?;
        Ok(Packer { codec, compressor, sync, stored: Vec::new() })
    }

    /// Appends `count` encoded values as one block.
    ///
    /// # Errors
    /// A count that no block can have, a failure of the codec's library, or blocks of another file; `out` is as it was.
    pub fn pack(&mut self, count: u64, values: &[u8], out: &mut Packed) -> Result<()> {
        if out.bytes.is_empty() {
            out.sync = self.sync;
        } else if out.sync != self.sync {
            return Err(ContainerError::new(ContainerErrorKind::Usage, 0, "blocks of two files do not go together"));
        }
        let before = out.bytes.len();
        let done = self.parts(count, values, |part| {
            out.bytes.extend_from_slice(part);
            Ok(())
        });
        done.inspect_err(|_| out.bytes.truncate(before))
    }

    /// The parts of a block, one behind the other: values that are not compressed are not copied.
    fn parts(&mut self, count: u64, values: &[u8], mut put: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let Some(count) = i64::try_from(count).ok().filter(|c| *c > 0 || values.is_empty()) else {
            let message = format!("a block of {count} values in {} bytes cannot be written", values.len());
            return Err(ContainerError::new(ContainerErrorKind::Usage, 0, message));
        };
        let body = if self.codec == Codec::Null {
            values
        } else {
            self.stored.clear();
            let done = self.compressor.compress(values, &mut self.stored);
            done.map_err(|fault| codec::failed(fault, self.codec, 0, 0))?;
            self.stored.as_slice()
        };
        let mut head = Vec::with_capacity(20);
        write_varint(&mut head, zigzag(count));
        write_varint(&mut head, zigzag(body.len() as i64));
        put(&head)?;
        put(body)?;
        put(&self.sync)
    }
}

impl Packed {
    /// None.
    pub fn new() -> Packed {
        Packed::default()
    }

    /// Bytes of the blocks.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Forgets the blocks.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// Values of a block at most: a reader with the usual limits takes no more of those that have no bytes.
const MOST_VALUES: u64 = 1 << 20;
/// Bytes of a block, before compression, that values are not added to: a reader with the usual limits takes 256 MiB.
const MOST_BYTES: usize = 64 << 20;

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// A schema that Avro cannot say, reserved metadata keys, or a failure of the stream.
    pub fn new(stream: W, schema: &Schema, options: WriterOptions) -> Result<Writer<W>> {
        let usage = |message: String| ContainerError::new(ContainerErrorKind::Usage, 0, message);
        if let Some((key, _)) = options.metadata.iter().find(|(k, _)| k.starts_with(RESERVED)) {
            return Err(usage(format!("metadata key {key:?} belongs to the format")));
        }
        let text = match options.schema_text {
            Some(text) => text,
            None => schema.to_avro_string().map_err(|e| usage(e.to_string()))?,
        };
        let own = [
            ("avro.schema".to_string(), text.into_bytes()),
            ("avro.codec".to_string(), options.codec.name().as_bytes().to_vec()),
        ];
        let sync = options.sync.unwrap_or_else(random_sync);
        let mut header = MAGIC.to_vec();
        write_varint(&mut header, zigzag((own.len() + options.metadata.len()) as i64));
        for (key, value) in own.iter().chain(&options.metadata) {
            for bytes in [key.as_bytes(), value] {
                write_varint(&mut header, zigzag(bytes.len() as i64));
                header.extend_from_slice(bytes);
            }
        }
        header.push(0);
        header.extend_from_slice(&sync);
        let packer = Packer::new(options.codec, sync)?;
        let mut writer = Writer::around(stream, schema.clone(), packer, options.block_bytes, 0);
        put(&mut writer.stream, &mut writer.written, &header)?;
        Ok(writer)
    }

    fn around(stream: W, schema: Schema, packer: Packer, block_bytes: usize, written: u64) -> Writer<W> {
        let (pending, count, failed) = (Vec::new(), 0, false);
        Writer { stream, schema, packer, block_bytes: block_bytes.max(1), pending, count, written, failed }
    }

    /// The schema of the file.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Bytes of values, before compression, from which a block is written.
    pub fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    /// Something that makes blocks for this file, for [`Writer::append_packed`].
    ///
    /// # Errors
    /// The codec's library does not start.
    pub fn packer(&self) -> Result<Packer> {
        Packer::new(self.packer.codec, self.packer.sync)
    }

    /// Appends an encoded value; blocks are written as they fill.
    pub fn append_value(&mut self, value: &[u8]) -> Result<()> {
        self.append_values(1, value)
    }

    /// Appends `count` encoded values that stand back to back.
    pub fn append_values(&mut self, count: u64, values: &[u8]) -> Result<()> {
        if count == 0 && !values.is_empty() {
            let message = format!("{} bytes cannot be no value", values.len());
            return Err(ContainerError::new(ContainerErrorKind::Usage, self.written, message));
        }
        let full = self.count.saturating_add(count) > MOST_VALUES || self.pending.len() + values.len() > MOST_BYTES;
        if full {
            self.flush_block()?;
        }
        self.pending.extend_from_slice(values);
        self.count = self.count.saturating_add(count);
        if self.pending.len() >= self.block_bytes { self.flush_block() } else { Ok(()) }
    }

    /// Writes the pending values as a block.
    pub fn flush_block(&mut self) -> Result<()> {
        if self.count == 0 && self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        let result = self.block(self.count, &pending);
        self.pending = pending;
        self.pending.clear();
        self.count = 0;
        result
    }

    /// Writes `count` encoded values as one block of their own.
    pub fn append_block(&mut self, count: u64, values: &[u8]) -> Result<()> {
        self.flush_block()?;
        self.block(count, values)
    }

    /// Writes blocks that a [`Packer`] of this file has made.
    ///
    /// # Errors
    /// They are another file's, or the stream fails.
    pub fn append_packed(&mut self, blocks: &Packed) -> Result<()> {
        self.flush_block()?;
        if blocks.is_empty() {
            return Ok(());
        }
        if blocks.sync != self.packer.sync {
            let message = "the blocks were made for another file";
            return Err(ContainerError::new(ContainerErrorKind::Usage, self.written, message));
        }
        self.guarded(|w| put(&mut w.stream, &mut w.written, &blocks.bytes))
    }

    fn block(&mut self, count: u64, values: &[u8]) -> Result<()> {
        self.guarded(|w| {
            let Writer { packer, stream, written, .. } = w;
            packer.parts(count, values, |part| put(stream, written, part))
        })
    }

    /// After a failure nothing more is written.
    fn guarded(&mut self, f: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.failed {
            let message = "the output has failed before";
            return Err(ContainerError::new(ContainerErrorKind::Usage, self.written, message));
        }
        let before = self.written;
        let result = f(self);
        // What is refused before anything is written does no harm.
        self.failed = matches!(&result, Err(e) if e.kind() == ContainerErrorKind::Io || self.written != before);
        result
    }

    /// The stream as it is; values that are pending are lost.
    pub fn into_inner(self) -> W {
        self.stream
    }

    /// Bytes of the file so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes what is pending, flushes, and gives the stream back.
    pub fn finish(mut self) -> Result<W> {
        self.flush_block()?;
        self.stream.flush().map_err(|e| ContainerError::io(self.written, e))?;
        Ok(self.stream)
    }
}

impl<W: Read + Write + Seek> Writer<W> {
    /// Goes on with a file that is there: its schema, its codec, its marker. The stream may stand anywhere.
    ///
    /// # Errors
    /// Not a container file, or one that does not end behind a block: what stood behind would never be read.
    pub fn append_to(mut stream: W, options: ReaderOptions, block_bytes: usize) -> Result<Writer<W>> {
        let io = |e| ContainerError::io(0, e);
        stream.seek(SeekFrom::Start(0)).map_err(io)?;
        let file = Reader::with_options(&mut stream, options)?;
        let (schema, codec, sync) = (file.schema().clone(), file.codec(), *file.sync());
        let header = file.position();
        let end = stream.seek(SeekFrom::End(0)).map_err(io)?;
        // A header without blocks ends in the marker too.
        let mut last = [0; SYNC_SIZE];
        stream.seek(SeekFrom::Start(end.max(header) - SYNC_SIZE as u64)).map_err(io)?;
        stream.read_exact(&mut last).map_err(io)?;
        if last != sync {
            let message = format!("expected the file to end in its sync marker {sync:02x?}, found {last:02x?}");
            return Err(ContainerError::new(ContainerErrorKind::Sync, end, message));
        }
        stream.seek(SeekFrom::End(0)).map_err(io)?;
        Ok(Writer::around(stream, schema, Packer::new(codec, sync)?, block_bytes, end))
    }
}

fn put<W: Write>(stream: &mut W, written: &mut u64, bytes: &[u8]) -> Result<()> {
    stream.write_all(bytes).map_err(|e| ContainerError::io(*written, e))?;
    *written += bytes.len() as u64;
    Ok(())
}

/// Random enough to tell files apart: keys of the standard library's hash maps are seeded by the system.
fn random_sync() -> [u8; SYNC_SIZE] {
    let mut sync = [0; SYNC_SIZE];
    let (a, b) = sync.split_at_mut(8);
    a.copy_from_slice(&RandomState::new().hash_one(1).to_le_bytes());
    b.copy_from_slice(&RandomState::new().hash_one(2).to_le_bytes());
    sync
}
