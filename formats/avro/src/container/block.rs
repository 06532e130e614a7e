//! Blocks: as a file stores them, and as values.

use super::codec::{self, Codec, Decompressor};
use super::error::{ContainerError, ContainerErrorKind};
use super::reader::Limits;
use reschema_ir::cost::PADDING;
use reschema_runtime::Input;

type Result<T> = std::result::Result<T, ContainerError>;

/// A block: `count` values back to back. Reused from block to block.
#[derive(Debug, Default)]
pub struct Block {
    count: u64,
    /// The values, padding, and behind it what is left over from earlier blocks.
    data: Vec<u8>,
    len: usize,
    offset: u64,
    index: u64,
}

impl Block {
    /// An empty block, to be filled.
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

    /// Whatever happens next, nothing of an earlier block stays.
    pub(super) fn clear(&mut self) {
        (self.count, self.len) = (0, 0);
    }
}

/// A block as the file has it: compressed. Reading these is cheap, and [`Unpacker`]s may work on several at once.
#[derive(Debug, Default)]
pub struct StoredBlock {
    pub(super) count: u64,
    /// The bytes as stored, and behind them what is left over from earlier blocks.
    pub(super) data: Vec<u8>,
    pub(super) len: usize,
    pub(super) offset: u64,
    /// Byte of the file where `data` stand.
    pub(super) body: u64,
    pub(super) index: u64,
}

impl StoredBlock {
    /// An empty block, to be filled by [`Reader::next_stored`](super::Reader::next_stored).
    pub fn new() -> StoredBlock {
        StoredBlock::default()
    }

    /// Values in the block, as its header says.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The bytes as stored.
    pub fn data(&self) -> &[u8] {
        self.data.get(..self.len).unwrap_or(&[])
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

/// Decompresses the blocks of a file; keeps what the codec needs from block to block.
pub struct Unpacker {
    codec: Decompressor,
    limits: Limits,
}

impl Unpacker {
    /// For blocks of a codec.
    ///
    /// # Errors
    /// The codec's library does not start.
    pub fn new(codec: Codec, limits: Limits) -> Result<Unpacker> {
        let decompressor =
            Decompressor::new(codec).map_err(|fault| codec::failed(fault, codec, limits.decompressed_bytes, 0))?;
        Ok(Unpacker { codec: decompressor, limits })
    }

    /// Fills `block`. Where nothing is compressed, `stored` gives its bytes away.
    ///
    /// # Errors
    /// The bytes do not decompress, or a limit. `stored` is as it was.
    pub fn unpack(&mut self, stored: &mut StoredBlock, block: &mut Block) -> Result<()> {
        block.clear();
        self.fill(stored, block).map_err(|e| {
            block.clear();
            e.in_block(stored.index)
        })
    }

    fn fill(&mut self, stored: &mut StoredBlock, block: &mut Block) -> Result<()> {
        let limit = self.limits.decompressed_bytes;
        let null = self.codec.codec() == Codec::Null;
        if null && stored.len as u64 > limit {
            return Err(codec::failed(codec::Fault::TooLarge, Codec::Null, limit, stored.body));
        }
        if !null {
            block.data.clear();
            self.codec.decompress(stored.data(), &mut block.data, limit, stored.body)?;
        }
        let len = if null { stored.len } else { block.data.len() };
        let most = (len as u64).saturating_add(self.limits.zero_size_values);
        if stored.count > most {
            let message = format!("a block of {} values in {len} bytes; the limit is {most}", stored.count);
            return Err(ContainerError::new(ContainerErrorKind::Limit, stored.offset, message));
        }
        if null {
            std::mem::swap(&mut block.data, &mut stored.data);
            stored.len = 0;
        }
        block.len = len;
        if block.data.len() < len + PADDING {
            block.data.resize(len + PADDING, 0);
        }
        (block.count, block.offset, block.index) = (stored.count, stored.offset, stored.index);
        Ok(())
    }
}
