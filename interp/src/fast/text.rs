//! Ops of text on the fast path: out of line, because each is a loop of its own.

use super::machine::FastProgram;
use super::translate::Layout;
use reschema_ir::{Op, SeqOut};
use reschema_runtime::raw::sequence::span_at;
use reschema_runtime::raw::text::{self, Record, TextState};
use reschema_runtime::text::{Rules, is_special, lookup};
use reschema_runtime::{Limits, Outcome};

/// An op of text (without its arms), and where its function keeps registers.
pub(super) struct TextInsn {
    pub(super) op: Op,
    pub(super) layout: Layout,
}

/// What an op of text works on.
pub(super) struct Place<'a> {
    pub(super) p: *const u8,
    pub(super) o: *mut u8,
    pub(super) end: *const u8,
    pub(super) capacity: *mut u8,
    /// Slots of the function.
    pub(super) fp: *mut u64,
    /// Level of the function.
    pub(super) level: u32,
    pub(super) limits: &'a Limits,
    pub(super) state: &'a mut TextState,
}

impl Place<'_> {
    /// # Safety
    /// The slot belongs to the function.
    unsafe fn slot(&mut self, at: u32) -> &mut u64 {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.fp.add(at as usize) }
    }

    fn levels(&self, level: u32) -> u32 {
        self.limits.brackets(self.level + level)
    }
}

impl FastProgram {
    /// Runs an op of text; false: arm 1.
    ///
    /// # Safety
    /// As for the machine: the input from `p` to `end` is readable if there is any, what a `check` has promised of the output
    /// is there, slots were laid out by the translator.
    #[inline(never)]
    pub(super) unsafe fn text(&self, insn: &TextInsn, at: &mut Place<'_>) -> Result<bool, Outcome> {
        let Layout { nums, spans, .. } = insn.layout;
        let span = |register: u32| spans + 2 * register;
        // SAFETY: see above, for every arm.
        unsafe {
            match &insn.op {
                Op::ReadText { dst, from } => {
                    let (raw, p) = text::read_num(at.p, at.end, *from)?;
                    *at.slot(nums + dst.0) = raw as u64;
                    at.p = p;
                }
                Op::WriteText { src, to } => {
                    let raw = *at.slot(nums + src.0) as i64;
                    at.o = at.o.add(text::write_num(at.o, raw, *to));
                }
                Op::ReadQuoted { dst, from } => {
                    let (start, len, p) = text::read_quoted(at.p, at.end, *from, at.state)?;
                    *at.slot(span(dst.0)) = start as u64;
                    *at.slot(span(dst.0) + 1) = len as u64;
                    at.p = p;
                }
                Op::WriteQuoted { src, to } => {
                    let bytes = span_at(*at.slot(span(src.0)), *at.slot(span(src.0) + 1));
                    at.o = at.o.add(text::write_quoted(at.o, at.capacity, bytes, *to, at.state)?);
                }
                Op::ReadDecimal { dst, precision, scale, size } => {
                    let how = (*precision, *scale, *size);
                    let (start, len, p) = text::read_decimal(at.p, at.end, how, at.state)?;
                    *at.slot(span(dst.0)) = start as u64;
                    *at.slot(span(dst.0) + 1) = len as u64;
                    at.p = p;
                }
                Op::WriteDecimal { src, precision, scale, to } => {
                    let bytes = span_at(*at.slot(span(src.0)), *at.slot(span(src.0) + 1));
                    let how = (*precision, *scale, *to);
                    at.o = at.o.add(text::write_decimal(at.o, at.capacity, bytes, how, at.state)?);
                }
                Op::CheckFinite { src, wide } => {
                    if is_special(*at.slot(nums + src.0) as i64, wide.is()) {
                        return Err(Outcome::Reject);
                    }
                }
                Op::CheckSize { src, size } => {
                    if *at.slot(span(src.0) + 1) != *size {
                        return Err(Outcome::Reject);
                    }
                }
                Op::Lookup { dst, src, names } => {
                    let name = span_at(*at.slot(span(src.0)), *at.slot(span(src.0) + 1));
                    let entry = lookup(&self.names.tables().names(*names), name).ok_or(Outcome::Reject)?;
                    *at.slot(nums + dst.0) = entry as u64;
                }
                Op::Expect { text: word } => at.p = text::expect(at.p, at.end, self.names.program().constant(*word))?,
                Op::Separate { state, byte } => {
                    if std::mem::replace(at.slot(nums + state.0), 1) != 0 {
                        *at.o = *byte as u8;
                        at.o = at.o.add(1);
                    }
                }
                Op::SkipTree { level, .. } => at.p = text::skip(at.p, at.end, at.levels(*level))?,
                Op::OpenObject { start, state, .. } => {
                    at.p = text::open(at.p, at.end)?;
                    *at.slot(start.0) = at.p as u64;
                    *at.slot(nums + state.0) = 0;
                }
                Op::FindField { start, state, names, wanted, place, twice, unknown, level, .. } => {
                    let levels = at.levels(*level);
                    let rules = Rules { wanted: *wanted, twice: *twice, unknown: *unknown, levels };
                    let start = at.p.with_addr(*at.slot(start.0) as usize);
                    let record = Record { start, end: at.end, names: self.names.tables().names(*names), rules };
                    let before = *at.slot(nums + state.0);
                    let (found, after) = record.find(at.p, *place, before, at.state)?;
                    *at.slot(nums + state.0) = after;
                    let Some(p) = found else { return Ok(false) };
                    at.p = p;
                }
                Op::CloseObject { start, state, names, wanted, twice, unknown, level, .. } => {
                    let levels = at.levels(*level);
                    let rules = Rules { wanted: *wanted, twice: *twice, unknown: *unknown, levels };
                    let start = at.p.with_addr(*at.slot(start.0) as usize);
                    let record = Record { start, end: at.end, names: self.names.tables().names(*names), rules };
                    let state = *at.slot(nums + state.0);
                    at.p = record.close(at.p, state, at.state)?;
                }
                Op::Choose { dst, rows, level, .. } => {
                    let row = text::choose(at.p, at.end, self.names.tables(), *rows, at.levels(*level))?;
                    *at.slot(nums + dst.0) = row as u64;
                }
                Op::ReadTag { dst, names, null, .. } => {
                    let (entry, p) = text::read_tag(at.p, at.end, &self.names.tables().names(*names), *null)?;
                    *at.slot(nums + dst.0) = entry as u64;
                    at.p = p;
                }
                _ => return Err(Outcome::Reject),
            }
        }
        Ok(true)
    }

    /// Opens a sequence in brackets: slot `w` remembers where its count goes, the next one counts. False: it is empty.
    ///
    /// # Safety
    /// As [`FastProgram::text`].
    #[inline(never)]
    pub(super) unsafe fn open_items(
        &self,
        at: &mut Place<'_>,
        w: u32,
        object: bool,
        to: SeqOut,
    ) -> Result<bool, Outcome> {
        // SAFETY: `close_items` asks for room; before that only what is left for the count is passed over.
        unsafe {
            let (more, p) = text::open_items(at.p, at.end, object)?;
            at.p = p;
            let left = text::count_room(to);
            if (at.capacity as isize) - (at.o as isize) < left as isize {
                return Err(Outcome::OutputFull);
            }
            *at.slot(w) = at.o as u64;
            *at.slot(w + 1) = 0;
            at.o = at.o.add(left);
            if !more {
                at.o = text::close_items(at.o.sub(left), at.o, at.capacity, 0, to)?;
            }
            Ok(more)
        }
    }

    /// Behind an item. False: it was the last, and the sequence is closed.
    ///
    /// # Safety
    /// As [`FastProgram::open_items`].
    #[inline(never)]
    pub(super) unsafe fn next_item(
        &self,
        at: &mut Place<'_>,
        w: u32,
        object: bool,
        to: SeqOut,
    ) -> Result<bool, Outcome> {
        // SAFETY: as above.
        unsafe {
            let (more, p) = text::next_item(at.p, at.end, object)?;
            at.p = p;
            *at.slot(w + 1) += 1;
            if !more {
                let start = at.o.with_addr(*at.slot(w) as usize);
                at.o = text::close_items(start, at.o, at.capacity, *at.slot(w + 1), to)?;
            }
            Ok(more)
        }
    }
}
