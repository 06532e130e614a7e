//! Running a bound over a batch: the fast half in a loop, the careful one for single records.

use super::careful::{Careful, Refused, Res};
use super::cursors::Cursors;

/// What fast code may write behind a record.
const BEHIND: usize = 512;

/// A codec by hand.
pub trait Bound {
    /// Bytes that fast code may touch from the start of a record, if it does not look at bounds in between.
    const REACH: usize;

    /// Most bytes of output that some bytes of input can give.
    fn most(input: usize) -> usize;

    /// Transforms a record, or gives it back.
    ///
    /// # Safety
    /// [`Bound::REACH`] bytes are readable, and there is room for what [`Bound::most`] tells; [`is_supported`] holds.
    unsafe fn fast(c: &mut Cursors) -> Option<()>;

    /// Transforms a record, whatever it is.
    ///
    /// # Errors
    /// The record is bad.
    fn careful(c: &mut Careful<'_>, out: &mut Vec<u8>) -> Res<()>;
}

/// Whether this machine runs the fast halves.
pub fn is_supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// What calls share: a padded copy of the last bytes of an input, so that they are fast as well.
#[derive(Default)]
pub struct Runner {
    tail: Vec<u8>,
}

/// How far fast code has come.
struct Done {
    records: usize,
    bytes: usize,
}

impl Runner {
    /// Transforms `count` records: bytes of input they took.
    ///
    /// # Errors
    /// A record is bad; `out` holds those before it.
    ///
    /// # Panics
    /// The machine is not supported.
    pub fn run<B: Bound>(&mut self, input: &[u8], count: usize, out: &mut Vec<u8>) -> Result<usize, Refused> {
        assert!(is_supported());
        let (mut at, mut left) = (0, count);
        while left > 0 {
            let done = self.fast::<B>(&input[at..], left, out);
            (at, left) = (at + done.bytes, left - done.records);
            if left == 0 {
                break;
            }
            let before = out.len();
            let mut c = Careful::new(&input[at..]);
            if B::careful(&mut c, out).is_err() {
                out.truncate(before);
                return Err(Refused);
            }
            (at, left) = (input.len() - c.left(), left - 1);
        }
        Ok(at)
    }

    /// Runs the fast half as far as it comes.
    fn fast<B: Bound>(&mut self, input: &[u8], count: usize, out: &mut Vec<u8>) -> Done {
        // Behind the last bytes fast code may run on into padding before it sees that.
        out.reserve(B::most(input.len() + B::REACH) + BEHIND);
        // SAFETY: all of it is readable, room was made, and `run` has looked at the machine.
        let mut done = unsafe { native::<B, false>(input, input.len(), count, out) };
        let rest = &input[done.bytes..];
        if done.records == count || rest.len() >= B::REACH {
            return done;
        }
        let padded = rest.len() + B::REACH;
        if self.tail.len() < padded {
            self.tail.resize(padded, 0);
        }
        self.tail[..rest.len()].copy_from_slice(rest);
        // SAFETY: as above; `rest` and the padding behind it are readable.
        let more = unsafe { native::<B, true>(&self.tail[..padded], rest.len(), count - done.records, out) };
        done.records += more.records;
        done.bytes += more.bytes;
        done
    }
}

/// # Safety
/// `len` bytes of the buffer are input, and the room for their output is there; the machine is supported.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt"))]
unsafe fn native<B: Bound, const PADDED: bool>(buffer: &[u8], len: usize, count: usize, out: &mut Vec<u8>) -> Done {
    let Some(last) = buffer.len().checked_sub(B::REACH) else { return Done { records: 0, bytes: 0 } };
    let range = buffer.as_ptr_range();
    // SAFETY: both are inside the buffer or at its end.
    let (last, end) = unsafe { (range.start.add(last), range.start.add(len)) };
    // SAFETY: the spare room of the output begins at its length.
    let o = unsafe { out.as_mut_ptr().add(out.len()) };
    let mut c = Cursors { p: range.start, o, last };
    let (mut p, mut o) = (c.p, c.o);
    let mut left = count;
    while left > 0 && c.p <= last {
        // SAFETY: the record begins where its reach is readable; the caller has made room.
        if unsafe { B::fast(&mut c) }.is_none() || (PADDED && c.p > end) {
            break;
        }
        (p, o) = (c.p, c.o);
        left -= 1;
    }
    // SAFETY: both pointers are inside the output's buffer, and what lies between is written.
    unsafe { out.set_len(o.offset_from(out.as_ptr()) as usize) };
    // SAFETY: both are inside the buffer.
    let bytes = unsafe { p.offset_from(range.start) } as usize;
    Done { records: count - left, bytes }
}
