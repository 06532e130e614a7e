//! Codecs of blocks. A new one is a variant here and an arm in each of the three functions.

use super::error::{ContainerError, ContainerErrorKind};
use flate2::{Compress, Compression, FlushCompress, Status};
use std::io::Read;

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

/// Level of deflate where none is asked for.
const DEFLATE_LEVEL: u32 = 6;

impl Codec {
    /// Names that [`Codec::by_name`] knows.
    pub const NAMES: &'static [&'static str] = &["null", "deflate"];

    /// The codec of a name, as `avro.codec` tells it.
    pub fn by_name(name: &str) -> Option<Codec> {
        match name {
            "null" => Some(Codec::Null),
            "deflate" => Some(Codec::Deflate(DEFLATE_LEVEL)),
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

    pub(super) fn compress(self, data: &[u8], out: &mut Vec<u8>) {
        out.clear();
        match self {
            Codec::Null => out.extend_from_slice(data),
            Codec::Deflate(level) => {
                let mut c = Compress::new(Compression::new(level), false);
                loop {
                    out.reserve(data.len() / 2 + 1024);
                    let read = c.total_in() as usize;
                    // Memory to memory into a vector with room: only `Ok` and `StreamEnd` come back.
                    if let Ok(Status::StreamEnd) = c.compress_vec(&data[read..], out, FlushCompress::Finish) {
                        break;
                    }
                }
            }
        }
    }

    /// Appends the decompressed bytes, at most `limit` of them.
    pub(super) fn decompress(self, data: &[u8], out: &mut Vec<u8>, limit: u64, at: u64) -> Result<(), ContainerError> {
        match self {
            Codec::Null => {
                out.extend_from_slice(data);
                Ok(())
            }
            Codec::Deflate(_) => {
                let mut decoder = flate2::read::DeflateDecoder::new(data);
                let taken = decoder.by_ref().take(limit.saturating_add(1)).read_to_end(out);
                let read = taken.map_err(|e| {
                    let message = format!("the block does not decompress as deflate: {e}");
                    ContainerError::new(ContainerErrorKind::Compression, at, message)
                })?;
                if read as u64 > limit {
                    let message = format!("the block decompresses to more than {limit} bytes");
                    return Err(ContainerError::new(ContainerErrorKind::Limit, at, message));
                }
                // Some writers leave bytes behind the end of the compressed stream; all readers pass over them.
                Ok(())
            }
        }
    }
}
