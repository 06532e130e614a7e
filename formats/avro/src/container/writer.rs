//! Writing a container file.

use super::codec::Codec;
use super::error::{ContainerError, ContainerErrorKind};
use super::{MAGIC, RESERVED, SYNC_SIZE};
use reschema_runtime::num::{write_varint, zigzag};
use reschema_schema::Schema;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;

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
    codec: Codec,
    sync: [u8; SYNC_SIZE],
    block_bytes: usize,
    pending: Vec<u8>,
    count: u64,
    stored: Vec<u8>,
    written: u64,
}

type Result<T> = std::result::Result<T, ContainerError>;

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
        let mut writer = Writer {
            stream,
            codec: options.codec,
            sync,
            block_bytes: options.block_bytes.max(1),
            pending: Vec::new(),
            count: 0,
            stored: Vec::new(),
            written: 0,
        };
        writer.put(&header)?;
        Ok(writer)
    }

    /// Appends an encoded value; blocks are written as they fill.
    pub fn append_value(&mut self, value: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(value);
        self.added(1)
    }

    /// Appends `count` encoded values that stand back to back.
    pub fn append_values(&mut self, count: u64, values: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(values);
        self.added(count)
    }

    fn added(&mut self, count: u64) -> Result<()> {
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

    fn block(&mut self, count: u64, values: &[u8]) -> Result<()> {
        let stored_count = i64::try_from(count).ok().filter(|c| *c > 0 || values.is_empty());
        let Some(stored_count) = stored_count else {
            let message = format!("a block of {count} values in {} bytes cannot be written", values.len());
            return Err(ContainerError::new(ContainerErrorKind::Usage, self.written, message));
        };
        let mut stored = std::mem::take(&mut self.stored);
        let body = if self.codec == Codec::Null {
            values
        } else {
            self.codec.compress(values, &mut stored);
            stored.as_slice()
        };
        let mut head = Vec::with_capacity(20);
        write_varint(&mut head, zigzag(stored_count));
        write_varint(&mut head, zigzag(body.len() as i64));
        let result = self.put(&head).and_then(|()| self.put(body)).and_then(|()| {
            let sync = self.sync;
            self.put(&sync)
        });
        self.stored = stored;
        result
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes).map_err(|e| ContainerError::io(self.written, e))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Bytes written so far.
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

/// Random enough to tell files apart: keys of the standard library's hash maps are seeded by the system.
fn random_sync() -> [u8; SYNC_SIZE] {
    let mut sync = [0; SYNC_SIZE];
    let (a, b) = sync.split_at_mut(8);
    a.copy_from_slice(&RandomState::new().hash_one(1).to_le_bytes());
    b.copy_from_slice(&RandomState::new().hash_one(2).to_le_bytes());
    sync
}
