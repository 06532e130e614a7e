//! Memory with a page behind it that must not be touched.

const PAGE: usize = 4096;

/// Bytes that end right before a page that must not be touched.
pub(crate) struct Guarded {
    base: *mut u8,
    room: usize,
}

impl Guarded {
    pub(crate) fn new(pages: usize) -> Guarded {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh private mapping; its last page is made inaccessible.
        let base = unsafe {
            let p = libc::mmap(std::ptr::null_mut(), (pages + 1) * PAGE, prot, flags, -1, 0);
            assert_ne!(p, libc::MAP_FAILED);
            let p = p.cast::<u8>();
            assert_eq!(libc::mprotect(p.add(pages * PAGE).cast(), PAGE, libc::PROT_NONE), 0);
            p
        };
        Guarded { base, room: pages * PAGE }
    }

    /// The last `len` bytes.
    pub(crate) fn end(&self, len: usize) -> *mut u8 {
        assert!(len <= self.room);
        // SAFETY: inside the mapping.
        unsafe { self.base.add(self.room - len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made above.
        unsafe { libc::munmap(self.base.cast(), self.room + PAGE) };
    }
}
