//! Text through raw cursors: what the fast paths of both tiers call. The work is done by [`crate::text`], which is safe
//! code; here pointers become slices and back.
//!
//! Text is taken to go on behind its end, so whatever touches the end leaves: the checking interpreter knows.

use super::arena::Arena;
use super::scalar::write_varint;
use super::sequence::distance;
use crate::fault::Outcome;
use crate::text::{self, Items, Keys, Names, Piece, Rules, Tables, Text};
use reschema_ir::cost::SPAN_SLACK;
use reschema_ir::{DecimalText, Quote, SeqOut, TableId, TextNum};

/// What text ops of a run share: decoded strings, the index of records, and a place to write to. Reused from run to run.
#[derive(Default)]
pub struct TextState {
    own: Arena,
    index: Vec<u64>,
    out: Vec<u8>,
}

impl TextState {
    /// Forgets what belongs to the value before.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.own.clear();
        self.index.clear();
    }

    /// Whether something was decoded for the value.
    #[inline(always)]
    pub fn keeps(&self) -> bool {
        !self.own.is_empty()
    }

    /// Copies bytes to where they stay until the value is done, with [`SPAN_SLACK`] readable bytes behind them.
    pub fn keep(&mut self, bytes: &[u8]) -> (*const u8, usize) {
        (self.own.keep(bytes), bytes.len())
    }
}

/// What is between two cursors.
///
/// # Safety
/// If `p` ≤ `end`, the bytes between are readable for as long as the result is used.
#[inline(always)]
unsafe fn between<'a>(p: *const u8, end: *const u8) -> Result<Text<'a>, Outcome> {
    let len = usize::try_from(distance(p, end)).map_err(|_| Outcome::NeedInput)?;
    // SAFETY: the caller's promise.
    Ok(Text { bytes: unsafe { std::slice::from_raw_parts(p, len) }, complete: false })
}

fn leave(_: text::Bad) -> Outcome {
    Outcome::Reject
}

/// Reads a number: its raw bits, and where it ends.
///
/// # Safety
/// The bytes from `p` to `end` are readable, if there are any.
pub unsafe fn read_num(p: *const u8, end: *const u8, form: TextNum) -> Result<(i64, *const u8), Outcome> {
    // SAFETY: the caller's promise; what was read ends before `end`.
    unsafe {
        let (raw, n) = text::read_num(between(p, end)?, 0, form).map_err(leave)?;
        Ok((raw, p.add(n)))
    }
}

/// Writes a number and returns its length.
///
/// # Safety
/// `o` must be writable for [`TEXT_NUM`](reschema_ir::cost::TEXT_NUM) bytes.
pub unsafe fn write_num(o: *mut u8, raw: i64, form: TextNum) -> usize {
    text::write_num(raw, form, |text| {
        // SAFETY: no number has more bytes than the caller promises.
        unsafe { copy_short(text, o) };
        text.len()
    })
}

/// Copies bytes, short ones without a call.
///
/// # Safety
/// `o` must be writable for so many bytes as there are.
#[inline(always)]
unsafe fn copy_short(bytes: &[u8], o: *mut u8) {
    // Two words that overlap cover all sizes between one and two words.
    macro_rules! words {
        ($n:literal) => {
            if let (Some(first), Some(last)) = (bytes.first_chunk::<$n>(), bytes.last_chunk::<$n>()) {
                // SAFETY: both lie inside the bytes.
                unsafe {
                    o.cast::<[u8; $n]>().write_unaligned(*first);
                    o.add(bytes.len() - $n).cast::<[u8; $n]>().write_unaligned(*last);
                }
                return;
            }
        };
    }
    if bytes.len() <= 32 {
        words!(16);
        words!(8);
        words!(4);
        words!(2);
    }
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), o, bytes.len()) };
}

/// Reads a string: where its bytes are and how many, and where it ends.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn read_quoted(
    p: *const u8,
    end: *const u8,
    form: Quote,
    state: &mut TextState,
) -> Result<(*const u8, usize, *const u8), Outcome> {
    // SAFETY: the caller's promise; what was read ends before `end`.
    unsafe {
        let (piece, n) = text::read_quoted(between(p, end)?, 0, form).map_err(leave)?;
        let (start, len) = match piece {
            Piece::Here { start, len } => (p.add(start), len),
            Piece::Own(own) => state.keep(&own),
        };
        Ok((start, len, p.add(n)))
    }
}

/// Copies bytes to the output, if there is room for them and what may be touched behind.
///
/// # Safety
/// `o` must be writable up to `capacity`.
unsafe fn put(o: *mut u8, capacity: *mut u8, bytes: &[u8]) -> Result<usize, Outcome> {
    if distance(o, capacity) < (bytes.len() + SPAN_SLACK) as isize {
        return Err(Outcome::OutputFull);
    }
    // SAFETY: there is room; the output overlaps nothing that is read.
    unsafe { copy_short(bytes, o) };
    Ok(bytes.len())
}

/// Copies text for as long as it needs no escapes. True if all of it is copied.
///
/// # Safety
/// `o` must be writable for the bytes and 16 more.
#[inline(always)]
unsafe fn copy_plain(bytes: &[u8], o: *mut u8) -> bool {
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        // SAFETY: the caller's promise.
        unsafe { o.add(at).cast::<[u8; 16]>().write_unaligned(*chunk) };
        if !text::is_plain(chunk) {
            return false;
        }
        at += 16;
    }
    // The last bytes as a chunk of its own, filled up with what is plain.
    let mut chunk = [b' '; 16];
    let rest = &bytes[at..];
    if let Some(last) = bytes.last_chunk::<16>() {
        // SAFETY: these are the last of the bytes.
        unsafe { o.add(bytes.len() - 16).cast::<[u8; 16]>().write_unaligned(*last) };
        return text::is_plain(last);
    }
    // SAFETY: there are fewer than 16, and there is room for them.
    unsafe {
        copy_short(rest, chunk.as_mut_ptr());
        o.add(at).cast::<[u8; 16]>().write_unaligned(chunk);
    }
    text::is_plain(&chunk)
}

/// Writes a quoted string and returns its length.
///
/// # Safety
/// `o` must be writable up to `capacity`.
pub unsafe fn write_quoted(
    o: *mut u8,
    capacity: *mut u8,
    bytes: &[u8],
    form: Quote,
    state: &mut TextState,
) -> Result<usize, Outcome> {
    if form == Quote::Text {
        if distance(o, capacity) < (bytes.len() + 2 + SPAN_SLACK) as isize {
            return Err(Outcome::OutputFull);
        }
        // SAFETY: there is room for the bytes and two quotes.
        unsafe {
            if copy_plain(bytes, o.add(1)) {
                *o = b'"';
                *o.add(bytes.len() + 1) = b'"';
                return Ok(bytes.len() + 2);
            }
        }
    }
    state.out.clear();
    text::write_quoted(&mut state.out, bytes, form);
    // SAFETY: the caller's promise.
    unsafe { put(o, capacity, &state.out) }
}

/// Reads a decimal.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn read_decimal(
    p: *const u8,
    end: *const u8,
    (precision, scale, size): (u64, u64, u64),
    state: &mut TextState,
) -> Result<(*const u8, usize, *const u8), Outcome> {
    // SAFETY: the caller's promise; what was read ends before `end`.
    unsafe {
        let text = between(p, end)?;
        if let Some((bytes, n)) = text::usual_decimal(text, precision, scale, size) {
            let (start, len) = state.keep(bytes.as_slice());
            return Ok((start, len, p.add(n)));
        }
        let (bytes, n) = text::read_decimal(text, 0, precision, scale, size).map_err(leave)?;
        let (start, len) = state.keep(&bytes);
        Ok((start, len, p.add(n)))
    }
}

/// Writes a decimal and returns its length.
///
/// # Safety
/// As [`write_quoted`].
pub unsafe fn write_decimal(
    o: *mut u8,
    capacity: *mut u8,
    bytes: &[u8],
    (precision, scale, to): (u64, u64, DecimalText),
    state: &mut TextState,
) -> Result<usize, Outcome> {
    if let Some(written) = text::usual_decimal_text(bytes, precision, scale, to, |text| {
        // SAFETY: the caller's promise.
        unsafe { put(o, capacity, text) }
    }) {
        return written;
    }
    state.out.clear();
    text::write_decimal(&mut state.out, bytes, precision, scale, to).ok_or(Outcome::Reject)?;
    // SAFETY: the caller's promise.
    unsafe { put(o, capacity, &state.out) }
}

/// Reads what must be there.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn expect(p: *const u8, end: *const u8, word: &[u8]) -> Result<*const u8, Outcome> {
    // SAFETY: the caller's promise; what was read ends before `end`.
    unsafe { Ok(p.add(between(p, end)?.literal(0, word, "").map_err(leave)?)) }
}

/// Passes over a value.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn skip(p: *const u8, end: *const u8, levels: u32) -> Result<*const u8, Outcome> {
    // SAFETY: as above.
    unsafe { Ok(p.add(between(p, end)?.skip(0, levels).map_err(leave)?)) }
}

/// Reads what opens a keyed record: where its first key, or its end, may be.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn open(p: *const u8, end: *const u8) -> Result<*const u8, Outcome> {
    // SAFETY: as above; what opens is one byte.
    unsafe {
        let text = between(p, end)?;
        let at = text.space(0);
        if text.bytes.get(at) == Some(&b'{') { Ok(p.add(at + 1)) } else { Err(Outcome::Reject) }
    }
}

/// A keyed record that is being read.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// Behind what opens it.
    pub start: *const u8,
    /// End of the input.
    pub end: *const u8,
    /// The names.
    pub names: Names<'a>,
    /// What keys are judged by.
    pub rules: Rules,
}

impl<'a> Record<'a> {
    fn keys(&self) -> Keys<'a> {
        Keys { names: self.names, rules: self.rules }
    }

    /// Goes to the value of a key: where it is, or `None` if it is not there, with the state behind.
    ///
    /// # Safety
    /// The bytes from `start` to `end` are readable, and `p` is among them.
    pub unsafe fn find(
        &self,
        p: *const u8,
        place: u32,
        mut state: u64,
        aside: &mut TextState,
    ) -> Result<(Option<*const u8>, u64), Outcome> {
        // SAFETY: the caller's promise.
        let text = unsafe { between(self.start, self.end)? };
        let at = usize::try_from(distance(self.start, p)).unwrap_or(0);
        let found = text::find(text, at, 0, &self.keys(), place, &mut state, &mut aside.index).map_err(leave)?;
        // SAFETY: a value stands before the end.
        Ok((found.map(|at| unsafe { self.start.add(at.min(text.bytes.len())) }), state))
    }

    /// Goes behind the record.
    ///
    /// # Safety
    /// As [`Record::find`].
    pub unsafe fn close(&self, p: *const u8, state: u64, aside: &mut TextState) -> Result<*const u8, Outcome> {
        // SAFETY: the caller's promise.
        let text = unsafe { between(self.start, self.end)? };
        let at = usize::try_from(distance(self.start, p)).unwrap_or(0);
        let end = text::close(text, at, 0, &self.keys(), state, &mut aside.index).map_err(leave)?;
        // SAFETY: the record ends before the end.
        Ok(unsafe { self.start.add(end.min(text.bytes.len())) })
    }
}

/// Which row of a table the value in front fits.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn choose(
    p: *const u8,
    end: *const u8,
    tables: Tables<'_>,
    rows: TableId,
    levels: u32,
) -> Result<i64, Outcome> {
    // SAFETY: the caller's promise.
    let found = text::choose(unsafe { between(p, end)? }, 0, tables, rows, levels).map_err(leave)?;
    found.map(|i| i as i64).ok_or(Outcome::Reject)
}

/// Reads a tag: its entry, and where the value begins.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn read_tag(
    p: *const u8,
    end: *const u8,
    names: &Names<'_>,
    null: i64,
) -> Result<(i64, *const u8), Outcome> {
    // SAFETY: as above.
    unsafe {
        let (entry, n) = text::read_tag(between(p, end)?, 0, names, null).map_err(leave)?;
        Ok((entry, p.add(n)))
    }
}

/// Reads what opens an array or object: whether there is an item, and where.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn open_items(p: *const u8, end: *const u8, object: bool) -> Result<(bool, *const u8), Outcome> {
    // SAFETY: as above.
    unsafe {
        let (items, n) = between(p, end)?.open(0, object).map_err(leave)?;
        Ok((items == Items::More, p.add(n)))
    }
}

/// Reads what is behind an item: whether there is another.
///
/// # Safety
/// As [`read_num`].
pub unsafe fn next_item(p: *const u8, end: *const u8, object: bool) -> Result<(bool, *const u8), Outcome> {
    // SAFETY: as above.
    unsafe {
        let (items, n) = between(p, end)?.next(0, object).map_err(leave)?;
        Ok((items == Items::More, p.add(n)))
    }
}

/// Bytes that are left for a count that is not known yet.
pub fn count_room(to: SeqOut) -> usize {
    match to {
        SeqOut::None => 0,
        SeqOut::Block => 1,
        SeqOut::U16 => 2,
        SeqOut::U32 => 4,
    }
}

/// Writes the count of a sequence at `start`, where [`count_room`] bytes are left for it in front of the items, and what
/// ends the sequence behind them at `o`: where the output goes on.
///
/// # Safety
/// `start` ≤ `o`, all of it written or left; writable up to `capacity`.
pub unsafe fn close_items(
    start: *mut u8,
    o: *mut u8,
    capacity: *mut u8,
    n: u64,
    to: SeqOut,
) -> Result<*mut u8, Outcome> {
    if distance(o, capacity) < SPAN_SLACK as isize {
        return Err(Outcome::OutputFull);
    }
    // SAFETY: a count takes up to ten bytes, so the items move by up to nine, and one byte ends them.
    unsafe {
        match to {
            SeqOut::None => Ok(o),
            SeqOut::Block if n == 0 => {
                // What was left for the count is the end.
                *start = 0;
                Ok(start.add(1))
            }
            SeqOut::Block => {
                let mut count = [0; 16];
                let len = write_varint(count.as_mut_ptr(), n << 1);
                let items = start.add(1);
                let bytes = distance(items, o) as usize;
                std::ptr::copy(items, start.add(len), bytes);
                std::ptr::copy_nonoverlapping(count.as_ptr(), start, len);
                let o = start.add(len + bytes);
                *o = 0;
                Ok(o.add(1))
            }
            SeqOut::U16 => {
                let n = u16::try_from(n).map_err(|_| Outcome::Reject)?;
                start.cast::<[u8; 2]>().write_unaligned(n.to_le_bytes());
                Ok(o)
            }
            SeqOut::U32 => {
                let n = u32::try_from(n).map_err(|_| Outcome::Reject)?;
                start.cast::<[u8; 4]>().write_unaligned(n.to_le_bytes());
                Ok(o)
            }
        }
    }
}
