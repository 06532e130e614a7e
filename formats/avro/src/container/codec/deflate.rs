//! Deflate: RFC 1951 without the header and checksum of zlib (Avro 1.12, "deflate").

use super::pump::{Step, pump};
use super::{Compress, Decompress, Fault};
use flate2::{Compression, FlushCompress, FlushDecompress, Status};

pub(super) struct Deflate(flate2::Compress);

impl Deflate {
    pub(super) fn new(level: u32) -> Deflate {
        Deflate(flate2::Compress::new(Compression::new(level.min(9)), false))
    }
}

impl Compress for Deflate {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        self.0.reset();
        pump(data, out, u64::MAX, |rest, out| {
            let before = self.0.total_in();
            let status = self.0.compress_vec(rest, out, FlushCompress::Finish).map_err(Fault::bad)?;
            Ok(Step { read: (self.0.total_in() - before) as usize, ended: status == Status::StreamEnd })
        })
    }
}

pub(super) struct Inflate(flate2::Decompress);

impl Inflate {
    pub(super) fn new() -> Inflate {
        Inflate(flate2::Decompress::new(false))
    }
}

impl Decompress for Inflate {
    fn decompress(&mut self, data: &[u8], out: &mut Vec<u8>, limit: u64) -> Result<(), Fault> {
        self.0.reset(false);
        pump(data, out, limit, |rest, out| {
            let before = self.0.total_in();
            let status = self.0.decompress_vec(rest, out, FlushDecompress::None).map_err(Fault::bad)?;
            Ok(Step { read: (self.0.total_in() - before) as usize, ended: status == Status::StreamEnd })
        })
    }
}
