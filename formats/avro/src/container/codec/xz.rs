//! xz (Avro 1.12, "xz"). The library starts anew with each stream.

use super::pump::{Step, pump};
use super::{Compress, Decompress, Fault};
use liblzma::stream::{Action, Check, Filters, LzmaOptions, Status, Stream};

/// Memory that a stream may ask for; the highest level asks for a quarter of it.
const MEMORY: u64 = 256 << 20;
/// Smallest dictionary that the format has.
const DICTIONARY: usize = 4096;

pub(super) struct Xz(u32);

impl Xz {
    pub(super) fn new(level: u32) -> Xz {
        Xz(level.min(9))
    }

    /// A dictionary larger than the block would be allocated and never used.
    fn stream(&self, len: usize) -> Result<Stream, liblzma::stream::Error> {
        let mut options = LzmaOptions::new_preset(self.0)?;
        let usual: u32 = match self.0 {
            0 => 256 << 10,
            1 => 1 << 20,
            2 => 2 << 20,
            3 | 4 => 4 << 20,
            5 | 6 => 8 << 20,
            7 => 16 << 20,
            8 => 32 << 20,
            _ => 64 << 20,
        };
        let needed = u32::try_from(len.max(DICTIONARY).next_power_of_two()).unwrap_or(u32::MAX);
        options.dict_size(needed.min(usual));
        Stream::new_stream_encoder(Filters::new().lzma2(&options), Check::Crc64)
    }
}

impl Compress for Xz {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut stream = self.stream(data.len()).map_err(Fault::bad)?;
        pump(data, out, u64::MAX, |rest, out| step(&mut stream, rest, out))
    }
}

pub(super) struct Unxz;

impl Decompress for Unxz {
    fn decompress(&mut self, data: &[u8], out: &mut Vec<u8>, limit: u64) -> Result<(), Fault> {
        let mut stream = Stream::new_stream_decoder(MEMORY, 0).map_err(Fault::bad)?;
        pump(data, out, limit, |rest, out| step(&mut stream, rest, out))
    }
}

fn step(stream: &mut Stream, rest: &[u8], out: &mut Vec<u8>) -> Result<Step, Fault> {
    let before = stream.total_in();
    let status = stream.process_vec(rest, out, Action::Finish).map_err(Fault::bad)?;
    Ok(Step { read: (stream.total_in() - before) as usize, ended: status == Status::StreamEnd })
}
