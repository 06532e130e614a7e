//! Driving a codec that works in steps, between a slice and a vector.

use super::Fault;

/// What a step has done.
pub(super) struct Step {
    /// Bytes of the input taken.
    pub(super) read: usize,
    /// The stream has come to its end.
    pub(super) ended: bool,
}

/// Least room that a step gets.
const ROOM: usize = 8 << 10;
/// Most room that is made before there is any output.
const FIRST: usize = 1 << 20;

/// Takes steps until the stream ends; each may fill the room that `out` has. The room follows what the stream has given
/// so far, so that no length that it claims is believed. Bytes behind the end of the stream are passed over: some writers
/// leave them, and all readers do so.
pub(super) fn pump(
    data: &[u8],
    out: &mut Vec<u8>,
    limit: u64,
    mut step: impl FnMut(&[u8], &mut Vec<u8>) -> Result<Step, Fault>,
) -> Result<(), Fault> {
    let start = out.len();
    let mut at = 0;
    loop {
        let have = out.len() - start;
        if have as u64 > limit {
            return Err(Fault::TooLarge);
        }
        if out.capacity() - out.len() < ROOM {
            out.reserve(have.max(data.len().saturating_mul(4).min(FIRST)).max(ROOM));
        }
        let before = out.len();
        let done = step(&data[at..], out)?;
        at += done.read;
        if done.ended {
            return Ok(());
        }
        if done.read == 0 && out.len() == before {
            return Err(Fault::Bad("the compressed bytes end before their stream does".into()));
        }
    }
}
