//! Bytes that stay where they are until all are forgotten.

use reschema_ir::cost::SPAN_SLACK;
use std::mem::MaybeUninit;

/// Bytes of the chunk that is kept for the next value.
const CHUNK: usize = 16 * 1024;

/// Chunks, the last of which is being filled. Pointers into them are good until [`Arena::clear`].
#[derive(Default)]
pub(super) struct Arena {
    /// The chunks before the last, and their sizes.
    full: Vec<Chunk>,
    last: Chunk,
    used: usize,
}

/// Memory of its own; never borrowed as a whole, so that pointers into it stay good.
#[derive(Default)]
struct Chunk {
    memory: Option<std::ptr::NonNull<MaybeUninit<u8>>>,
    size: usize,
}

// SAFETY: a chunk owns its memory.
unsafe impl Send for Chunk {}

impl Chunk {
    fn new(size: usize) -> Chunk {
        // What lies behind spans is read, and should be something.
        let memory = Box::into_raw(vec![MaybeUninit::new(0u8); size].into_boxed_slice());
        Chunk { memory: std::ptr::NonNull::new(memory.cast()), size }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if let Some(memory) = self.memory {
            // SAFETY: it came from a box of that size.
            drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(memory.as_ptr(), self.size)) });
        }
    }
}

impl Arena {
    /// True if nothing is kept.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Forgets all bytes. Memory of usual size stays for the next.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.used = 0;
        if !self.full.is_empty() || self.last.size > CHUNK {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        self.full.clear();
        if self.last.size > CHUNK {
            self.last = Chunk::default();
        }
    }

    /// Copies bytes; behind them [`SPAN_SLACK`] bytes are readable.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> *const u8 {
        let needed = bytes.len() + SPAN_SLACK;
        if self.last.size - self.used < needed {
            self.grow(needed);
        }
        let Some(memory) = self.last.memory else { return bytes.as_ptr() };
        // SAFETY: the chunk has so much room behind what is used.
        let start = unsafe { memory.as_ptr().add(self.used) }.cast::<u8>();
        // SAFETY: as above; nobody else has a pointer behind what is used.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
        // Empty bytes are kept too: something was decoded.
        self.used += bytes.len().max(1);
        start
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        // No chunk is smaller than the one before, so that there are few.
        let size = needed.max(CHUNK).max(self.last.size.min(1 << 20));
        let before = std::mem::replace(&mut self.last, Chunk::new(size));
        if before.size > 0 {
            self.full.push(before);
        }
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_until_they_are_forgotten() {
        let mut arena = Arena::default();
        for round in 0..3 {
            assert!(arena.is_empty());
            let mut kept = Vec::new();
            for (i, len) in [0, 1, 31, 4000, 16 * 1024, 3, 100_000, 16_000, 9].into_iter().enumerate() {
                let bytes = vec![(i + round) as u8; len];
                kept.push((arena.keep(&bytes), bytes));
                assert!(!arena.is_empty());
            }
            for (at, bytes) in kept {
                // SAFETY: nothing was forgotten.
                assert_eq!(unsafe { std::slice::from_raw_parts(at, bytes.len()) }, bytes);
            }
            arena.clear();
        }
        assert!(arena.full.is_empty() && arena.last.size <= CHUNK);
    }
}
