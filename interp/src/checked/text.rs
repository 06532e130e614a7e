//! Ops of text (ADR 0017). Keyed records are always indexed, so their syntax is judged before their values.

use super::{Count, Frame, Machine, Result, Span, Target, count_form};
use reschema_ir::{Body, DecimalText, FaultKind, Op, Quote, SeqIn, SeqOut, TextNum};
use reschema_runtime::text::{self, Bad, Items, Keys, Piece, Rules, Tables, Text};

/// Whether a sequence stands in brackets, and if so whether they are those of an object.
pub(super) fn brackets(from: SeqIn) -> Option<bool> {
    match from {
        SeqIn::Array => Some(false),
        SeqIn::Object => Some(true),
        SeqIn::Blocks | SeqIn::U16 | SeqIn::U32 => None,
    }
}

impl Machine<'_, '_> {
    fn text(&self) -> Text<'_> {
        Text { bytes: self.run.input, complete: self.run.complete }
    }

    fn good<T>(&self, result: text::Result<T>) -> Result<T> {
        result.or_else(|bad| self.bad(bad, None))
    }

    #[cold]
    fn bad<T>(&self, bad: Bad, expected: Option<&str>) -> Result<T> {
        let Bad { kind, at, expected: usual } = bad;
        let expected = expected.unwrap_or(usual);
        let Some(kind) = kind else { return self.ends(at, expected) };
        self.fault(kind, at, format!("expected {expected}, found {}", text::found(self.run.input, at)))
    }

    /// Brackets that a value may have which stands `level` levels deep.
    fn levels(&self, level: u32) -> u32 {
        self.run.limits.brackets(level)
    }

    pub(super) fn text_op(&mut self, op: &Op, frame: &mut Frame, verbatim: bool) -> Result {
        let program = self.run.program;
        let tables = Tables::plain(program);
        match op {
            Op::ReadText { dst, from } => {
                let (raw, end) = self.good(text::read_num(self.text(), self.pos, *from))?;
                (frame.nums[dst.0 as usize], self.pos) = (raw, end);
            }
            Op::WriteText { src, to } => self.write_text(frame.nums[src.0 as usize], *to)?,
            Op::ReadQuoted { dst, from } => {
                let (piece, end) = self.good(text::read_quoted(self.text(), self.pos, *from))?;
                (frame.spans[dst.0 as usize], self.pos) = (self.keep(piece), end);
            }
            Op::WriteQuoted { src, to } => self.write_quoted(frame.spans[src.0 as usize], *to)?,
            Op::ReadDecimal { dst, precision, scale, size } => {
                let (bytes, end) = self.good(text::read_decimal(self.text(), self.pos, *precision, *scale, *size))?;
                (frame.spans[dst.0 as usize], self.pos) = (self.keep(Piece::Own(bytes)), end);
            }
            Op::WriteDecimal { src, precision, scale, to } => {
                self.write_decimal(frame.spans[src.0 as usize], *precision, *scale, *to)?;
            }
            Op::CheckFinite { src, wide } => {
                let (raw, wide) = (frame.nums[src.0 as usize], wide.is());
                if text::is_special(raw, wide) {
                    let found = if wide { f64::from_bits(raw as u64) } else { f32::from_bits(raw as u32).into() };
                    return self.fault(FaultKind::Range, self.pos, format!("expected a finite number, found {found}"));
                }
            }
            Op::CheckSize { src, size } => {
                let found = self.bytes(frame.spans[src.0 as usize]).len();
                if found as u64 != *size {
                    return self.fault(FaultKind::Length, self.pos, format!("expected {size} bytes, found {found}"));
                }
            }
            Op::Lookup { dst, src, names } => {
                let name = self.bytes(frame.spans[src.0 as usize]);
                match text::lookup(&tables.names(*names), name) {
                    Some(entry) => frame.nums[dst.0 as usize] = entry,
                    None => {
                        let shown: String = String::from_utf8_lossy(name).chars().take(40).collect();
                        let message = format!("expected a symbol of the enum, found {shown:?}");
                        return self.fault(FaultKind::Enum, self.pos, message);
                    }
                }
            }
            Op::Expect { text } => {
                let word = program.constant(*text);
                match self.text().literal(self.pos, word, "") {
                    Ok(end) => self.pos = end,
                    Err(bad) => return self.bad(bad, Some(&format!("`{}`", String::from_utf8_lossy(word)))),
                }
            }
            Op::Separate { state, byte } => {
                let state = &mut frame.nums[state.0 as usize];
                let first = std::mem::replace(state, 1) == 0;
                if let (false, Target::Bytes(out)) = (first, &mut self.target) {
                    out.push(*byte as u8);
                }
                self.limit_output()?;
            }
            Op::SkipTree { level, .. } => {
                let levels = self.levels(frame.level + level);
                self.pos = self.good(self.text().skip(self.pos, levels))?;
            }
            Op::OpenObject { start, state, .. } => {
                let (items, end) = self.good(self.text().open(self.pos, true))?;
                // An empty one ends behind its bracket.
                self.pos = if items == Items::End { end - 1 } else { end };
                frame.marks[start.0 as usize] = Some(self.pos);
                frame.nums[state.0 as usize] = 0;
            }
            Op::FindField { start, state, names, wanted, place, twice, unknown, level, arms, .. } => {
                let rules = Rules {
                    wanted: *wanted,
                    twice: *twice,
                    unknown: *unknown,
                    levels: self.levels(frame.level + level),
                };
                let keys = Keys { names: tables.names(*names), rules };
                let state = &mut frame.nums[state.0 as usize];
                self.indexed(state, frame.marks[start.0 as usize], &keys)?;
                let value = text::indexed(&self.index, *state as u64, *place);
                if let Some(at) = value {
                    self.pos = at;
                }
                if let Some(arm) = arms.0.get(usize::from(value.is_none())) {
                    self.body(arm, frame, verbatim)?;
                }
            }
            Op::CloseObject { start, state, names, wanted, twice, unknown, level, .. } => {
                let rules = Rules {
                    wanted: *wanted,
                    twice: *twice,
                    unknown: *unknown,
                    levels: self.levels(frame.level + level),
                };
                let keys = Keys { names: tables.names(*names), rules };
                let state = &mut frame.nums[state.0 as usize];
                self.indexed(state, frame.marks[start.0 as usize], &keys)?;
                let base = (*state as usize).saturating_sub(1);
                self.pos = self.index.get(base).copied().unwrap_or(0) as usize;
                self.index.truncate(base);
            }
            Op::Choose { dst, rows, level, .. } => {
                let levels = self.levels(frame.level + level);
                match self.good(text::choose(self.text(), self.pos, tables, *rows, levels))? {
                    Some(row) => frame.nums[dst.0 as usize] = row as i64,
                    None => {
                        let at = self.text().space(self.pos);
                        let found = text::found(self.run.input, at);
                        let message = format!("expected a value of a variant of the union, found {found}");
                        return self.fault(FaultKind::Union, at, message);
                    }
                }
            }
            Op::ReadTag { dst, names, null, .. } => {
                let tag = text::read_tag(self.text(), self.pos, &tables.names(*names), *null);
                let (entry, end) = self.good(tag)?;
                (frame.nums[dst.0 as usize], self.pos) = (entry, end);
            }
            _ => {}
        }
        Ok(())
    }

    fn keep(&mut self, piece: Piece) -> Span {
        match piece {
            Piece::Here { start, len } => Span::Input { start, len },
            Piece::Own(bytes) => {
                let start = self.own.len();
                self.own.extend_from_slice(&bytes);
                Span::Own { start, len: bytes.len() }
            }
        }
    }

    /// Indexes a record that is not indexed yet.
    fn indexed(&mut self, state: &mut i64, start: Option<usize>, keys: &Keys<'_>) -> Result {
        if *state == 0 {
            let mut index = std::mem::take(&mut self.index);
            let made = text::index(self.text(), start.unwrap_or(self.pos), keys, &mut index);
            self.index = index;
            *state = self.good(made)? as i64;
        }
        Ok(())
    }

    fn write_text(&mut self, raw: i64, to: TextNum) -> Result {
        if let Target::Bytes(out) = &mut self.target {
            text::write_num(raw, to, |text| out.extend_from_slice(text));
        }
        self.limit_output()
    }

    fn write_quoted(&mut self, span: Span, to: Quote) -> Result {
        let mut text = Vec::new();
        text::write_quoted(&mut text, self.bytes(span), to);
        if let Target::Bytes(out) = &mut self.target {
            out.append(&mut text);
        }
        self.limit_output()
    }

    fn write_decimal(&mut self, span: Span, precision: u64, scale: u64, to: DecimalText) -> Result {
        let mut text = Vec::new();
        if text::write_decimal(&mut text, self.bytes(span), precision, scale, to).is_none() {
            let message = format!("expected a decimal of {precision} digits, found one of more");
            return self.fault(FaultKind::Range, self.pos, message);
        }
        if let Target::Bytes(out) = &mut self.target {
            out.append(&mut text);
        }
        self.limit_output()
    }

    /// The items between brackets: their number is known behind them.
    pub(super) fn items(&mut self, object: bool, to: SeqOut, item: &Body, frame: &mut Frame) -> Result {
        let site = self.site;
        let (mut more, end) = self.good(self.text().open(self.pos, object))?;
        self.pos = end;
        let mut written = Count::default();
        while more == Items::More {
            if written.total == 0 && count_form(to).is_some() {
                // A place for the count, to be patched.
                self.open(to, 1, &mut written)?;
            } else {
                written.total += 1;
            }
            self.body(item, frame, false)?;
            self.site = site;
            (more, self.pos) = self.good(self.text().next(self.pos, object))?;
        }
        self.close(to, &written)
    }
}
