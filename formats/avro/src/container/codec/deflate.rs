//! Deflate: RFC 1951 without the header and checksum of zlib (Avro 1.12, "deflate").

use super::Fault;
use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use std::io::Read;

/// Level where none is asked for.
pub(super) const LEVEL: u32 = 6;

pub(super) fn compress(level: u32, data: &[u8], out: &mut Vec<u8>) {
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

/// Some writers leave bytes behind the end of the compressed stream; all readers pass over them, and so does this.
pub(super) fn decompress(data: &[u8], out: &mut Vec<u8>, limit: u64) -> Result<(), Fault> {
    let mut decoder = DeflateDecoder::new(data).take(limit.saturating_add(1));
    let read = decoder.read_to_end(out).map_err(|e| Fault::Bad(e.to_string()))?;
    if read as u64 > limit { Err(Fault::TooLarge) } else { Ok(()) }
}
