//! Zstandard (Avro 1.12, "zstandard"): one frame a block is written, with a checksum; several are read.

use super::pump::{Step, pump};
use super::{Compress, Decompress, Fault};
use zstd::stream::raw::{CParameter, Decoder, InBuffer, Operation, OutBuffer};

pub(super) struct Zstandard(zstd::bulk::Compressor<'static>);

impl Zstandard {
    pub(super) fn new(level: i32) -> Result<Zstandard, Fault> {
        let mut c = zstd::bulk::Compressor::new(level.clamp(1, 22)).map_err(Fault::bad)?;
        c.set_parameter(CParameter::ChecksumFlag(true)).map_err(Fault::bad)?;
        Ok(Zstandard(c))
    }
}

impl Compress for Zstandard {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let start = out.len();
        let most = zstd::zstd_safe::compress_bound(data.len());
        out.resize(start + most, 0);
        let written = self.0.compress_to_buffer(data, &mut out[start..]).map_err(Fault::bad)?;
        out.truncate(start + written);
        Ok(())
    }
}

pub(super) struct Unzstandard(Decoder<'static>);

impl Unzstandard {
    pub(super) fn new() -> Result<Unzstandard, Fault> {
        Ok(Unzstandard(Decoder::new().map_err(Fault::bad)?))
    }
}

impl Decompress for Unzstandard {
    fn decompress(&mut self, data: &[u8], out: &mut Vec<u8>, limit: u64) -> Result<(), Fault> {
        self.0.reinit().map_err(Fault::bad)?;
        pump(data, out, limit, |rest, out| {
            let mut input = InBuffer::around(rest);
            let end = out.len();
            let mut output = OutBuffer::around_pos(out, end);
            let wanted = self.0.run(&mut input, &mut output).map_err(Fault::bad)?;
            // At the end of a frame nothing more is wanted; another frame may follow.
            let read = input.pos();
            Ok(Step { read, ended: wanted == 0 && read > 0 && read == rest.len() })
        })
    }
}
