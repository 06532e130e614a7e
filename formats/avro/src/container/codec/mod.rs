//! Codecs of blocks, one file each. A new one is its file, a variant of [`Codec`], its name in [`Codec::NAMES`], and an
//! arm wherever the compiler then asks for one.

mod deflate;

use super::error::{ContainerError, ContainerErrorKind};

/// How blocks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Codec {
    /// Not at all.
    #[default]
    Null,
    /// Deflate (RFC 1951, no zlib header), level 0 to 9.
    Deflate(u32),
}

/// Why a codec could not decompress a block.
enum Fault {
    /// More bytes than allowed.
    TooLarge,
    /// The stored bytes are wrong, and how.
    Bad(String),
}

impl Codec {
    /// Names that [`Codec::by_name`] knows.
    pub const NAMES: &'static [&'static str] = &["null", "deflate"];

    /// The codec of a name, as `avro.codec` tells it.
    pub fn by_name(name: &str) -> Option<Codec> {
        match name {
            "null" => Some(Codec::Null),
            "deflate" => Some(Codec::Deflate(deflate::LEVEL)),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Null => "null",
            Codec::Deflate(_) => "deflate",
        }
    }

    /// With a level, where the codec has levels.
    pub fn level(self, level: u32) -> Codec {
        match self {
            Codec::Null => Codec::Null,
            Codec::Deflate(_) => Codec::Deflate(level.min(9)),
        }
    }

    /// Replaces `out` by the compressed bytes.
    pub(super) fn compress(self, data: &[u8], out: &mut Vec<u8>) {
        out.clear();
        match self {
            Codec::Null => out.extend_from_slice(data),
            Codec::Deflate(level) => deflate::compress(level, data, out),
        }
    }

    /// Appends the decompressed bytes, at most `limit` of them and one more. `at` is the byte of the file where `data`
    /// stand.
    pub(super) fn decompress(self, data: &[u8], out: &mut Vec<u8>, limit: u64, at: u64) -> Result<(), ContainerError> {
        let done = match self {
            Codec::Null if data.len() as u64 > limit => Err(Fault::TooLarge),
            Codec::Null => {
                out.extend_from_slice(data);
                Ok(())
            }
            Codec::Deflate(_) => deflate::decompress(data, out, limit),
        };
        done.map_err(|fault| match fault {
            Fault::TooLarge => too_large(limit, at),
            Fault::Bad(why) => {
                let message = format!("the block does not decompress as {}: {why}", self.name());
                ContainerError::new(ContainerErrorKind::Compression, at, message)
            }
        })
    }
}

/// The block holds more bytes of values than are allowed.
#[cold]
pub(super) fn too_large(limit: u64, at: u64) -> ContainerError {
    let message = format!("the values of the block are larger than the limit of {limit} bytes");
    ContainerError::new(ContainerErrorKind::Limit, at, message)
}
