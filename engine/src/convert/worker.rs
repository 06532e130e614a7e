//! Converting blocks: unpack, transform, and say when a block of the output is full.

use super::{Cause, Damage, KEPT_BYTES, Lost, OnDamage};
use crate::container::{Block, ContainerError, StoredBlock, Unpacker};
use crate::transform::Transform;
use std::io;

/// Where full blocks go, and what is left out.
pub(super) trait Out {
    fn block(&mut self, count: u64, values: &[u8]) -> Result<(), Halt>;
    fn damage(&mut self, damage: Damage) -> Result<(), Halt>;
}

/// Why a block does not end well.
pub(super) enum Halt {
    /// Damage, where that ends the conversion.
    Damage(Box<Damage>),
    /// The output.
    Output(ContainerError),
    /// The watch.
    Watch(io::Error),
    /// Another thread has met an error before.
    Stopped,
}

/// Converts blocks of one file.
pub(super) struct Worker<'t> {
    transform: &'t Transform,
    unpacker: Unpacker,
    block: Block,
    /// Values converted and not yet a block.
    pending: Vec<u8>,
    count: u64,
    /// Bytes from which `pending` is a block.
    block_bytes: usize,
    /// Values converted at a time.
    batch: u64,
    on_damage: OnDamage,
    keep_bytes: bool,
    /// Values converted since the last [`Worker::records`].
    records: u64,
}

/// Values converted at a time before anything is known of their size.
const FIRST_BATCH: u64 = 16;
/// Values converted at a time, if they are small or take no bytes.
const MOST_BATCH: u64 = 16 << 10;

impl<'t> Worker<'t> {
    pub(super) fn new(
        transform: &'t Transform,
        unpacker: Unpacker,
        block_bytes: usize,
        on_damage: OnDamage,
        keep_bytes: bool,
    ) -> Worker<'t> {
        let (block, pending) = (Block::new(), Vec::new());
        let (count, batch, records) = (0, FIRST_BATCH, 0);
        Worker { transform, unpacker, block, pending, count, block_bytes, batch, on_damage, keep_bytes, records }
    }

    /// Values converted since the last call.
    pub(super) fn records(&mut self) -> u64 {
        std::mem::take(&mut self.records)
    }

    /// Converts a block whose first value has number `record` in the file.
    pub(super) fn block(&mut self, stored: &mut StoredBlock, record: u64, out: &mut impl Out) -> Result<(), Halt> {
        let mut block = std::mem::take(&mut self.block);
        let result = match self.unpacker.unpack(stored, &mut block) {
            Ok(()) => self.values(&block, record, out),
            Err(e) => {
                let damage = Damage {
                    lost: Lost::Block,
                    cause: Cause::Container(e),
                    record,
                    records: Some(stored.count()),
                    block: stored.index(),
                    offset: stored.offset(),
                    len: stored.data().len() as u64,
                    bytes: self.kept(stored.data()),
                };
                self.damaged(damage, out)
            }
        };
        self.block = block;
        result
    }

    /// Converts the values of a block, some at a time: neither a block of many small values nor one of few large ones
    /// needs more memory than it must.
    fn values(&mut self, block: &Block, record: u64, out: &mut impl Out) -> Result<(), Halt> {
        let (mut done, mut consumed) = (0, 0);
        // Whether all values behind the first bad one are well framed; asked when there is one.
        let mut framed = None;
        while done < block.count() {
            let count = (block.count() - done).min(self.batch);
            let before = self.pending.len();
            let error =
                match self.transform.run_some(block.input_from(consumed), count, self.block_bytes, &mut self.pending) {
                    Ok(d) => {
                        self.batch = next_batch(d.records, self.pending.len() - before, self.block_bytes);
                        (done, consumed) = (done + d.records, consumed + d.consumed);
                        self.add(d.records, out)?;
                        continue;
                    }
                    Err(e) => e.behind(consumed as u64, done),
                };
            let good = error.records_done() - done;
            (done, consumed) = (error.records_done(), error.bytes_consumed() as usize);
            self.add(good, out)?;
            let left = block.count() - done;
            let framed =
                *framed.get_or_insert_with(|| self.on_damage == OnDamage::Skip && self.framed(block, consumed, left));
            let len =
                if framed { self.transform.skip(block.input_from(consumed), 1).map(|d| d.consumed) } else { Ok(0) };
            let rest = block.data().get(consumed..).unwrap_or(&[]);
            let (lost, records, bytes) = match len {
                Ok(len) if framed => (Lost::Record, 1, rest.get(..len).unwrap_or(rest)),
                _ => (Lost::RestOfBlock, left, rest),
            };
            let at = record.saturating_add(done);
            self.lost(block, (lost, Cause::Value(error)), at, records, bytes, out)?;
            (done, consumed) = (done + records, consumed + bytes.len());
        }
        match block.data().get(consumed..) {
            None | Some([]) => Ok(()),
            Some(rest) => {
                let at = record.saturating_add(done);
                self.lost(block, (Lost::Leftover, Cause::Leftover), at, 0, rest, out)
            }
        }
    }

    /// Whether the rest of a block is as many well framed values as it should be. If not, a bad value has been read from
    /// a wrong place, or is not what its framing says, and nothing behind it can be trusted.
    fn framed(&self, block: &Block, consumed: usize, values: u64) -> bool {
        let rest = block.data().len() - consumed;
        self.transform.skip(block.input_from(consumed), values).is_ok_and(|d| d.consumed == rest)
    }

    fn lost(
        &mut self,
        block: &Block,
        (lost, cause): (Lost, Cause),
        record: u64,
        records: u64,
        bytes: &[u8],
        out: &mut impl Out,
    ) -> Result<(), Halt> {
        let (index, offset, len) = (block.index(), block.offset(), bytes.len() as u64);
        let bytes = self.kept(bytes);
        self.damaged(Damage { lost, cause, record, records: Some(records), block: index, offset, len, bytes }, out)
    }

    fn kept(&self, bytes: &[u8]) -> Vec<u8> {
        let kept = if self.keep_bytes { bytes.len().min(KEPT_BYTES) } else { 0 };
        bytes.get(..kept).unwrap_or(&[]).to_vec()
    }

    /// Ends the conversion, or takes note and goes on.
    pub(super) fn damaged(&mut self, damage: Damage, out: &mut impl Out) -> Result<(), Halt> {
        match self.on_damage {
            OnDamage::Fail => Err(Halt::Damage(Box::new(damage))),
            OnDamage::Skip => out.damage(damage),
        }
    }

    fn add(&mut self, records: u64, out: &mut impl Out) -> Result<(), Halt> {
        self.count += records;
        self.records += records;
        if self.pending.len() >= self.block_bytes || self.count >= MOST_IN_BLOCK {
            self.seal(out)?;
        }
        Ok(())
    }

    fn seal(&mut self, out: &mut impl Out) -> Result<(), Halt> {
        let count = std::mem::take(&mut self.count);
        let result = if count > 0 { out.block(count, &self.pending) } else { Ok(()) };
        self.pending.clear();
        result
    }

    /// Ends a stretch of the file: what is pending becomes a block. What comes next depends on nothing before, whichever
    /// worker converts it.
    pub(super) fn end(&mut self, out: &mut impl Out) -> Result<(), Halt> {
        self.batch = FIRST_BATCH;
        self.seal(out)
    }
}

/// Values of a block, where they take few bytes or none.
const MOST_IN_BLOCK: u64 = 1 << 20;

/// Values to convert at a time, after `values` of them made `bytes`: a quarter of a block.
fn next_batch(values: u64, bytes: usize, block_bytes: usize) -> u64 {
    let wanted = (block_bytes as u64 / 4).max(1);
    (values.saturating_mul(wanted) / (bytes as u64).max(1)).min(values.saturating_mul(8)).clamp(1, MOST_BATCH)
}
