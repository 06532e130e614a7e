//! No compression.

use super::{Compress, Decompress, Fault};

pub(super) struct Null;

impl Compress for Null {
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        out.extend_from_slice(data);
        Ok(())
    }
}

impl Decompress for Null {
    fn decompress(&mut self, data: &[u8], out: &mut Vec<u8>, _: u64) -> Result<(), Fault> {
        out.extend_from_slice(data);
        Ok(())
    }
}
