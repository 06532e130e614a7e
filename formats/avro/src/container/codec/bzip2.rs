//! bzip2 (Avro 1.12, "bzip2"). The library starts anew with each stream.

use super::pump::{Step, pump};
use super::{Compress, Decompress, Fault};
use bzip2::{Action, Compression, Status};

pub(super) struct Bzip2(Compression);

impl Bzip2 {
    pub(super) fn new(level: u32) -> Bzip2 {
        Bzip2(Compression::new(level.clamp(1, 9)))
    }
}

impl Compress for Bzip2 {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut stream = bzip2::Compress::new(self.0, 0);
        pump(data, out, u64::MAX, |rest, out| {
            let before = stream.total_in();
            let status = stream.compress_vec(rest, out, Action::Finish).map_err(Fault::bad)?;
            Ok(Step { read: (stream.total_in() - before) as usize, ended: status == Status::StreamEnd })
        })
    }
}

pub(super) struct Bunzip2;

impl Decompress for Bunzip2 {
    fn decompress(&mut self, data: &[u8], out: &mut Vec<u8>, limit: u64) -> Result<(), Fault> {
        let mut stream = bzip2::Decompress::new(false);
        pump(data, out, limit, |rest, out| {
            let before = stream.total_in();
            let status = stream.decompress_vec(rest, out).map_err(Fault::bad)?;
            Ok(Step { read: (stream.total_in() - before) as usize, ended: status == Status::StreamEnd })
        })
    }
}
