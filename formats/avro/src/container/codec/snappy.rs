//! Snappy's block format with a big-endian CRC-32 of the uncompressed bytes behind it (Avro 1.12, "snappy").

use super::{Compress, Decompress, Fault};
use snap::raw::{Decoder, Encoder, decompress_len, max_compress_len};

const CHECKSUM: usize = 4;

/// No element of the format stands for more bytes than this for one of its own: a copy of 64 bytes takes 3.
const EXPANSION: usize = 32;

pub(super) struct Snappy(Encoder);

impl Snappy {
    pub(super) fn new() -> Snappy {
        Snappy(Encoder::new())
    }
}

impl Compress for Snappy {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let start = out.len();
        let most = max_compress_len(data.len());
        if most == 0 {
            return Err(Fault::Bad(format!("a block of {} bytes is more than snappy takes", data.len())));
        }
        out.resize(start + most, 0);
        let written = self.0.compress(data, &mut out[start..]).map_err(Fault::bad)?;
        out.truncate(start + written);
        out.extend_from_slice(&crc32fast::hash(data).to_be_bytes());
        Ok(())
    }
}

pub(super) struct Unsnappy(Decoder);

impl Unsnappy {
    pub(super) fn new() -> Unsnappy {
        Unsnappy(Decoder::new())
    }
}

impl Decompress for Unsnappy {
    fn decompress(&mut self, data: &[u8], out: &mut Vec<u8>, limit: u64) -> Result<(), Fault> {
        let Some((body, checksum)) = data.split_last_chunk::<CHECKSUM>() else {
            return Err(Fault::Bad(format!("{} bytes are no room for the checksum", data.len())));
        };
        let len = decompress_len(body).map_err(Fault::bad)?;
        if len as u64 > limit {
            return Err(Fault::TooLarge);
        }
        if len > body.len().saturating_mul(EXPANSION) {
            return Err(Fault::Bad(format!("{} bytes cannot stand for the {len} that they claim", body.len())));
        }
        let start = out.len();
        out.resize(start + len, 0);
        let done = self.0.decompress(body, &mut out[start..]).map_err(Fault::bad)?;
        out.truncate(start + done);
        let (found, stored) = (crc32fast::hash(&out[start..]), u32::from_be_bytes(*checksum));
        if found == stored {
            return Ok(());
        }
        Err(Fault::Bad(format!("the checksum is {stored:08x}, that of the values {found:08x}")))
    }
}
