//! Memory that just ends: Miri sees what is touched behind it.

const PAGE: usize = 4096;

/// Bytes that end where their allocation does.
pub(crate) struct Guarded {
    base: *mut u8,
    room: usize,
}

impl Guarded {
    pub(crate) fn new(pages: usize) -> Guarded {
        let room = pages * PAGE;
        Guarded { base: Box::leak(vec![0; room].into_boxed_slice()).as_mut_ptr(), room }
    }

    /// The last `len` bytes.
    pub(crate) fn end(&self, len: usize) -> *mut u8 {
        assert!(len <= self.room);
        // SAFETY: inside the allocation.
        unsafe { self.base.add(self.room - len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: leaked above.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.base, self.room)) });
    }
}
