//! What is wrong with a part of a file, where, and what it costs.

use crate::container::ContainerError;
use crate::error::Error;
use std::fmt;

/// A part of a file that cannot be converted.
#[non_exhaustive]
#[derive(Debug)]
pub struct Damage {
    /// Which part.
    pub lost: Lost,
    /// Why.
    pub cause: Cause,
    /// 0-based number in the file of the first value that is lost, counting values as the blocks' headers do.
    pub record: u64,
    /// Values that are lost, if that is known.
    pub records: Option<u64>,
    /// 0-based number of the block.
    pub block: u64,
    /// Byte of the file where the block begins, or the bytes that are passed over.
    pub offset: u64,
    /// Bytes that are lost: of the values as decompressed, or of the file for [`Lost::Block`] and [`Lost::Gap`].
    pub len: u64,
    /// Those bytes, the first 16 MiB of them, if the [`Watch`](super::Watch) wants them.
    pub bytes: Vec<u8>,
}

/// Which part is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// One value; the others of its block are sound.
    Record,
    /// A value and everything behind it in its block: where it ends cannot be told.
    RestOfBlock,
    /// A block that does not decompress, or exceeds a limit.
    Block,
    /// Bytes of the file up to the next sync marker, or to its end.
    Gap,
    /// Bytes of a block behind its values.
    Leftover,
}

/// Why a part is lost.
#[non_exhaustive]
#[derive(Debug)]
pub enum Cause {
    /// A value is bad, or does not resolve. Offsets are those of the block's data.
    Value(Error),
    /// The file is damaged.
    Container(ContainerError),
    /// The block holds more bytes than its values take.
    Leftover,
}

impl Lost {
    /// A word.
    pub fn as_str(self) -> &'static str {
        match self {
            Lost::Record => "record",
            Lost::RestOfBlock => "rest of block",
            Lost::Block => "block",
            Lost::Gap => "gap",
            Lost::Leftover => "leftover",
        }
    }
}

impl Cause {
    /// Class, as a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Cause::Value(e) => e.kind().as_str(),
            Cause::Container(e) => e.kind().as_str(),
            Cause::Leftover => "leftover",
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage { record, block, offset, len, .. } = self;
        match &self.cause {
            Cause::Container(e) => write!(f, "record {record}: {e}"),
            Cause::Leftover => {
                let words = "bytes behind the last record of the block";
                write!(f, "record {record}, block {block} at byte {offset}: {len} {words}")
            }
            Cause::Value(e) => {
                write!(f, "record {record}, block {block} at byte {offset}, ")?;
                if let Some(at) = e.offset() {
                    write!(f, "byte {at} of its data, ")?;
                }
                match (e.source_path(), e.target_path()) {
                    (Some(from), Some(to)) if from != to && !to.is_empty() => {
                        write!(f, "field {from} (wanted as {to}): ")?;
                    }
                    (Some(from), _) => write!(f, "field {from}: ")?,
                    _ => {}
                }
                f.write_str(e.message())
            }
        }
    }
}
