//! Codecs of blocks, one file each. A new one is its file, a variant of [`Codec`], its name in [`Codec::NAMES`], and an
//! arm wherever the compiler then asks for one.

mod bzip2;
mod deflate;
mod null;
mod pump;
mod snappy;
mod xz;
mod zstandard;

use super::error::{ContainerError, ContainerErrorKind};
use std::ops::RangeInclusive;

/// How blocks are compressed (Avro 1.12, "Required Codecs", "Optional Codecs").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Codec {
    /// Not at all.
    #[default]
    Null,
    /// Deflate (RFC 1951, no zlib header), level 0 to 9.
    Deflate(u32),
    /// Snappy's block format, with a CRC-32 of the values behind it.
    Snappy,
    /// bzip2, level 1 to 9.
    Bzip2(u32),
    /// xz, level 0 to 9.
    Xz(u32),
    /// Zstandard, level 1 to 22.
    Zstandard(i32),
}

/// Why a codec could not do its work.
#[derive(Debug)]
pub(super) enum Fault {
    /// More bytes than allowed.
    TooLarge,
    /// The stored bytes are wrong, and how.
    Bad(String),
}

impl Fault {
    fn bad(e: impl std::fmt::Display) -> Fault {
        Fault::Bad(e.to_string())
    }
}

/// Compresses blocks; what the codec needs is kept from block to block.
trait Compress: Send {
    /// Appends the compressed form of `data`.
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Fault>;
}

/// Decompresses blocks; what the codec needs is kept from block to block.
trait Decompress: Send {
    /// Appends the values, at most `limit` bytes of them and some more. Memory grows with bytes that are there.
    fn decompress(&mut self, data: &[u8], out: &mut Vec<u8>, limit: u64) -> Result<(), Fault>;
}

impl Codec {
    /// Names that [`Codec::by_name`] knows.
    pub const NAMES: &'static [&'static str] = &["null", "deflate", "snappy", "bzip2", "xz", "zstandard"];

    /// The codec of a name, as `avro.codec` tells it, at its usual level.
    pub fn by_name(name: &str) -> Option<Codec> {
        match name {
            "null" => Some(Codec::Null),
            "deflate" => Some(Codec::Deflate(6)),
            "snappy" => Some(Codec::Snappy),
            "bzip2" => Some(Codec::Bzip2(9)),
            "xz" => Some(Codec::Xz(6)),
            "zstandard" => Some(Codec::Zstandard(3)),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Null => "null",
            Codec::Deflate(_) => "deflate",
            Codec::Snappy => "snappy",
            Codec::Bzip2(_) => "bzip2",
            Codec::Xz(_) => "xz",
            Codec::Zstandard(_) => "zstandard",
        }
    }

    /// The levels that the codec has, from fast to small, if it has levels.
    pub fn levels(self) -> Option<RangeInclusive<u32>> {
        match self {
            Codec::Null | Codec::Snappy => None,
            Codec::Deflate(_) | Codec::Xz(_) => Some(0..=9),
            Codec::Bzip2(_) => Some(1..=9),
            Codec::Zstandard(_) => Some(1..=22),
        }
    }

    /// With a level; `None` where [`Codec::levels`] does not have it.
    pub fn with_level(self, level: u32) -> Option<Codec> {
        self.levels().filter(|l| l.contains(&level))?;
        Some(match self {
            Codec::Null | Codec::Snappy => return None,
            Codec::Deflate(_) => Codec::Deflate(level),
            Codec::Bzip2(_) => Codec::Bzip2(level),
            Codec::Xz(_) => Codec::Xz(level),
            Codec::Zstandard(_) => Codec::Zstandard(level as i32),
        })
    }
}

/// A codec at work on blocks that are written.
pub(super) struct Compressor(Box<dyn Compress>);

impl Compressor {
    /// Levels outside the codec's range are taken as the nearest.
    pub(super) fn new(codec: Codec) -> Result<Compressor, Fault> {
        Ok(Compressor(match codec {
            Codec::Null => Box::new(null::Null),
            Codec::Deflate(level) => Box::new(deflate::Deflate::new(level)),
            Codec::Snappy => Box::new(snappy::Snappy::new()),
            Codec::Bzip2(level) => Box::new(bzip2::Bzip2::new(level)),
            Codec::Xz(level) => Box::new(xz::Xz::new(level)),
            Codec::Zstandard(level) => Box::new(zstandard::Zstandard::new(level)?),
        }))
    }

    /// Appends the compressed form of `data`.
    pub(super) fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        self.0.compress(data, out)
    }
}

/// A codec at work on blocks that are read.
pub(super) struct Decompressor {
    codec: Codec,
    state: Box<dyn Decompress>,
}

impl Decompressor {
    pub(super) fn new(codec: Codec) -> Result<Decompressor, Fault> {
        let state: Box<dyn Decompress> = match codec {
            Codec::Null => Box::new(null::Null),
            Codec::Deflate(_) => Box::new(deflate::Inflate::new()),
            Codec::Snappy => Box::new(snappy::Unsnappy::new()),
            Codec::Bzip2(_) => Box::new(bzip2::Bunzip2),
            Codec::Xz(_) => Box::new(xz::Unxz),
            Codec::Zstandard(_) => Box::new(zstandard::Unzstandard::new()?),
        };
        Ok(Decompressor { codec, state })
    }

    pub(super) fn codec(&self) -> Codec {
        self.codec
    }

    /// Appends the values. `at` is the byte of the file where `data` stand.
    pub(super) fn decompress(
        &mut self,
        data: &[u8],
        out: &mut Vec<u8>,
        limit: u64,
        at: u64,
    ) -> Result<(), ContainerError> {
        let before = out.len();
        let mut done = self.state.decompress(data, out, limit);
        if done.is_ok() && (out.len() - before) as u64 > limit {
            done = Err(Fault::TooLarge);
        }
        done.map_err(|fault| failed(fault, self.codec, limit, at))
    }
}

/// The error of a block that does not decompress.
#[cold]
pub(super) fn failed(fault: Fault, codec: Codec, limit: u64, at: u64) -> ContainerError {
    match fault {
        Fault::TooLarge => {
            let message = format!("the values of the block are larger than the limit of {limit} bytes");
            ContainerError::new(ContainerErrorKind::Limit, at, message)
        }
        Fault::Bad(why) => {
            let message = format!("the block does not decompress as {}: {why}", codec.name());
            ContainerError::new(ContainerErrorKind::Compression, at, message)
        }
    }
}
