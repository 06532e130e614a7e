//! Cursors of the fast halves, and what they pass over and check.

use super::vector::{copy, is_ascii, put};

/// The top bit of each byte.
pub(super) const STOP: u64 = 0x8080_8080_8080_8080;
/// Bits that a text's length of one byte does not have: more bytes follow, and a sign.
const NOT_SHORT: u64 = 0x81;
/// Bits that the index of a nullable field does not have.
const NOT_NULLABLE: u64 = !2;

/// Where fast code stands. It is passed by value where it is passed at all, so that it lives in registers.
#[derive(Clone, Copy)]
pub struct Cursors {
    pub(super) p: *const u8,
    pub(super) o: *mut u8,
    /// Up to here a bound's reach is readable.
    pub(super) last: *const u8,
}

/// Lengths and indexes that were passed over, looked at together.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen {
    lengths: u64,
    indexes: u64,
}

impl Seen {
    /// Lengths have one byte, indexes are those of nullable fields.
    #[inline(always)]
    pub(super) fn is_plain(self) -> bool {
        (self.lengths & NOT_SHORT) | (self.indexes & NOT_NULLABLE) == 0
    }
}

/// Eight bytes.
///
/// # Safety
/// They are readable.
#[inline(always)]
pub(super) unsafe fn word(p: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    u64::from_le(unsafe { p.cast::<u64>().read_unaligned() })
}

/// A byte.
///
/// # Safety
/// It is readable.
#[inline(always)]
pub(super) unsafe fn byte(p: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    u64::from(unsafe { p.read() })
}

/// All bits if a nullable field with this index is there.
#[inline(always)]
pub(super) fn mask(index: u64) -> u64 {
    (index >> 1).wrapping_neg()
}

/// A varint at the low end of a word.
#[derive(Clone, Copy)]
struct Varint {
    /// Bytes.
    len: u64,
    /// The top bit of the last one; 0 if it does not end in the word.
    stop: u64,
    /// All below that bit.
    value: u64,
}

#[inline(always)]
fn varint(word: u64) -> Varint {
    let stops = !word & STOP;
    let stop = stops & stops.wrapping_neg();
    Varint { len: u64::from(stops.trailing_zeros() >> 3) + 1, stop, value: word & stop.wrapping_sub(1) }
}

impl Varint {
    /// The last of several bytes is 0.
    #[inline(always)]
    fn is_padded(self) -> bool {
        self.value | 1 < self.stop >> 7
    }
}

/// The length of a varint of at most eight bytes, in any form.
#[inline(always)]
pub(super) fn any(word: u64) -> Option<u64> {
    let v = varint(word);
    (v.stop != 0).then_some(v.len)
}

/// The length of a canonical varint of at most eight bytes.
#[inline(always)]
pub(super) fn long(word: u64) -> Option<u64> {
    let v = varint(word);
    if v.stop == 0 || v.is_padded() { None } else { Some(v.len) }
}

/// The length of a canonical varint of 32 bits.
#[inline(always)]
pub(super) fn int(word: u64) -> Option<u64> {
    let v = varint(word);
    // Four bytes and four bits of the fifth; one that does not end in the word has more.
    if v.value >> 36 != 0 || v.is_padded() { None } else { Some(v.len) }
}

/// A length of more than one byte, canonical: the bytes of itself and those that it tells.
///
/// # Safety
/// Eight bytes are readable.
#[cold]
#[inline(never)]
unsafe fn told(p: *const u8) -> Option<(usize, usize)> {
    // SAFETY: the caller's promise.
    let word = unsafe { word(p) };
    let head = long(word)?;
    let value = (0..head).map(|i| (word >> (8 * i) & 0x7f) << (7 * i)).sum::<u64>();
    (value & 1 == 0).then_some((head as usize, (value >> 1) as usize))
}

/// # Safety
/// The bytes are readable.
#[cold]
#[inline(never)]
unsafe fn is_utf8(p: *const u8, len: usize) -> bool {
    // SAFETY: the caller's promise.
    std::str::from_utf8(unsafe { std::slice::from_raw_parts(p, len) }).is_ok()
}

// SAFETY of all below: the reach of the bound covers what its fields touch when lengths have one byte, and after
// longer ones the reach is looked at again; room for the output was made before.
impl Cursors {
    /// Moves the input on.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn skip(&mut self, n: u64) {
        // SAFETY: see above.
        self.p = unsafe { self.p.add(n as usize) };
    }

    /// Moves the output on.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn wrote(&mut self, n: u64) {
        // SAFETY: see above.
        self.o = unsafe { self.o.add(n as usize) };
    }

    /// Bytes since an earlier place.
    #[inline(always)]
    pub(super) fn since(&self, start: *const u8) -> usize {
        (self.p as usize) - (start as usize)
    }

    /// The byte here.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn byte(&self) -> u64 {
        // SAFETY: see above.
        unsafe { byte(self.p) }
    }

    /// The word here.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn word(&self) -> u64 {
        // SAFETY: see above.
        unsafe { word(self.p) }
    }

    /// Copies what lies between two places of the input, often up to `FIRST` bytes.
    ///
    /// # Safety
    /// See above; `from` ≤ `to`.
    #[inline(always)]
    pub(super) unsafe fn put<const FIRST: usize>(&mut self, from: *const u8, to: *const u8) {
        let len = (to as usize) - (from as usize);
        // SAFETY: see above.
        unsafe {
            copy::<FIRST>(from, self.o, len);
            self.wrote(len as u64);
        }
    }

    /// Copies a stretch of at most 16 bytes.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn put_short(&mut self, from: *const u8, to: *const u8) {
        // SAFETY: see above.
        unsafe {
            put::<16>(from, self.o);
            self.wrote((to as u64) - (from as u64));
        }
    }

    /// Passes over bytes of told length.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn bytes(&mut self) -> Option<()> {
        // SAFETY: see above.
        unsafe { self.span().map(|_| ()) }
    }

    /// Passes over bytes of told length, and says how many they are.
    #[inline(always)]
    unsafe fn span(&mut self) -> Option<usize> {
        // SAFETY: see above.
        unsafe {
            let len = self.byte();
            if len & NOT_SHORT == 0 {
                self.skip(1 + (len >> 1));
                return Some((len >> 1) as usize);
            }
            let (head, len) = told(self.p)?;
            // Behind the bytes, the reach is readable again.
            if len > (self.last as usize).checked_sub(self.p as usize + head)? {
                return None;
            }
            self.skip((head + len) as u64);
            Some(len)
        }
    }

    /// Passes over a text.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn text(&mut self) -> Option<()> {
        // SAFETY: see above.
        unsafe {
            let len = self.span()?;
            let start = self.p.sub(len);
            (is_ascii::<1>(start, len) || is_utf8(start, len)).then_some(())
        }
    }

    /// Passes over a nullable text.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn nullable_text(&mut self) -> Option<()> {
        // SAFETY: see above.
        unsafe { if self.is_some()? { self.text() } else { Some(()) } }
    }

    /// Whether a nullable field is there.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn is_some(&mut self) -> Option<bool> {
        // SAFETY: see above.
        unsafe {
            let index = self.byte();
            self.skip(1);
            (index & NOT_NULLABLE == 0).then_some(index != 0)
        }
    }

    /// Passes over some text; what was passed over is looked at later.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn pass(&mut self, seen: &mut Seen) {
        // SAFETY: see above.
        unsafe {
            let len = self.byte();
            seen.lengths |= len;
            self.skip(1 + (len >> 1));
        }
    }

    /// Passes over a nullable text without a branch.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn pass_nullable(&mut self, seen: &mut Seen) {
        // SAFETY: see above.
        unsafe {
            let word = self.word();
            let index = word & 0xff;
            let len = word >> 8 & 0xff & mask(index);
            seen.indexes |= index;
            seen.lengths |= len;
            self.skip(1 + (index >> 1 & 1) + (len >> 1));
        }
    }

    /// Passes over a nullable text that is mostly there, or mostly not: with a branch.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn pass_likely(&mut self, seen: &mut Seen) {
        // SAFETY: see above.
        unsafe {
            let index = self.byte();
            seen.indexes |= index;
            self.skip(1);
            if index == 2 {
                self.pass(seen);
            }
        }
    }

    /// True if all since an earlier place is plain and ASCII: then texts in it are UTF-8.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn is_plain<const FIRST: usize>(&self, seen: Seen, start: *const u8) -> bool {
        // SAFETY: see above.
        seen.is_plain() && unsafe { is_ascii::<FIRST>(start, self.since(start)) }
    }

    /// Passes over some texts: their lengths first, then all of their bytes at once.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn texts<const N: usize>(&mut self) -> Option<()> {
        /// One by one. As all functions that are not inlined it names the instructions itself: else vectors would be calls.
        #[inline(never)]
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
        unsafe fn each<const N: usize>(mut c: Cursors) -> Option<*const u8> {
            for _ in 0..N {
                // SAFETY: the caller's promise.
                unsafe { c.text() }?;
            }
            Some(c.p)
        }
        let (start, mut seen) = (self.p, Seen::default());
        // SAFETY: see above.
        unsafe {
            for _ in 0..N {
                self.pass(&mut seen);
            }
            if !self.is_plain::<1>(seen, start) {
                self.p = each::<N>(Cursors { p: start, ..*self })?;
            }
        }
        Some(())
    }

    /// Passes over a long that mostly has several bytes.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn long(&mut self) -> Option<()> {
        // SAFETY: see above.
        unsafe { self.skip(long(self.word())?) };
        Some(())
    }

    /// Passes over an int that mostly has one byte.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn small_int(&mut self) -> Option<()> {
        // SAFETY: see above.
        unsafe {
            let word = self.word();
            let n = if word & 0x80 == 0 { 1 } else { int(word)? };
            self.skip(n);
        }
        Some(())
    }

    /// Passes over a varint that is not wanted: only its framing counts.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn unwanted(&mut self) -> Option<()> {
        // SAFETY: see above.
        unsafe { self.skip(any(self.word())?) };
        Some(())
    }

    /// Passes over nullable bytes of fixed size, without a branch.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn nullable_fixed(&mut self, size: u64) -> Option<()> {
        // SAFETY: see above.
        unsafe {
            let index = self.byte();
            self.skip(1 + (mask(index) & size));
            (index & NOT_NULLABLE == 0).then_some(())
        }
    }

    /// Passes over an index of one byte.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn index(&mut self, count: u8) -> Option<()> {
        // SAFETY: see above.
        unsafe {
            // Odd ones are negative.
            let index = (self.byte() as u8).rotate_right(1);
            self.skip(1);
            (index < count).then_some(())
        }
    }

    /// Passes over a boolean.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn boolean(&mut self) -> Option<()> {
        // SAFETY: see above.
        unsafe {
            let value = self.byte();
            self.skip(1);
            (value <= 1).then_some(())
        }
    }

    /// The count of a block, one byte; others are rare.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn count(&mut self) -> Option<u64> {
        // SAFETY: see above.
        unsafe {
            let count = self.byte();
            self.skip(1);
            (count & NOT_SHORT == 0).then_some(count >> 1)
        }
    }

    /// The end of the only block.
    ///
    /// # Safety
    /// See above.
    #[inline(always)]
    pub(super) unsafe fn end_of_blocks(&mut self) -> Option<()> {
        // SAFETY: see above.
        unsafe {
            let end = self.byte();
            self.skip(1);
            (end == 0).then_some(())
        }
    }

    /// The reach of the bound is readable.
    #[inline(always)]
    pub(super) fn in_reach(&self) -> Option<()> {
        (self.p <= self.last).then_some(())
    }
}
