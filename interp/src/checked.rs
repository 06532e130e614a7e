//! The checking interpreter: the reference. It walks the instruction tree and checks every access.

mod text;

use reschema_ir::cost::is_idle;
use reschema_ir::skip_run::{Entry, Item};
use reschema_ir::{
    Bodies, Body, Convert, FaultKind, Flag, Inst, Len, Num, Op, Program, SeqIn, SeqOut, Site, TableId, UserId,
};
use reschema_runtime::num::{self, NumFault};
use reschema_runtime::{Columns, Fault, Limits, Location, Stop, UserFn, utf8};

type Result<T = ()> = std::result::Result<T, Stop>;

/// What a run reads and what bounds it.
pub struct Run<'a> {
    /// Any Program; bounds checks in it are ignored.
    pub program: &'a Program,
    /// The window.
    pub input: &'a [u8],
    /// False when the input may go on behind the window.
    pub complete: bool,
    /// Limits.
    pub limits: &'a Limits,
    /// User conversions by index.
    pub users: &'a [UserFn],
}

/// Where the output goes.
pub enum Target<'a> {
    /// Appended bytes.
    Bytes(&'a mut Vec<u8>),
    /// Appended rows.
    Columns(&'a mut Columns),
}

/// Transforms the value at `start` and returns where it ends. After an error the target holds what was written so far;
/// the caller rolls back.
pub fn value(run: &Run<'_>, start: usize, target: Target<'_>) -> Result<usize> {
    let produced = match &target {
        Target::Bytes(out) => out.len(),
        Target::Columns(c) => c.bytes(),
    };
    let (own, index) = (Vec::new(), Vec::new());
    let mut machine = Machine { run, pos: start, target, produced, zero_items: 0, site: Site(0), own, index };
    let Some(func) = run.program.funcs.first() else { return Ok(start) };
    let mut frame = Frame::new(func.nums, func.spans, func.marks, 0);
    machine.body(&func.body, &mut frame, false)?;
    Ok(machine.pos)
}

#[derive(Clone, Copy)]
enum Span {
    Input {
        start: usize,
        len: usize,
    },
    Const(reschema_ir::ConstId),
    /// Decoded from text.
    Own {
        start: usize,
        len: usize,
    },
}

struct Frame {
    nums: Vec<i64>,
    spans: Vec<Span>,
    marks: Vec<Option<usize>>,
    level: u32,
}

impl Frame {
    fn new(nums: u32, spans: u32, marks: u32, level: u32) -> Frame {
        Frame {
            nums: vec![0; nums as usize],
            spans: vec![Span::Input { start: 0, len: 0 }; spans as usize],
            marks: vec![None; marks as usize],
            level,
        }
    }
}

struct Machine<'r, 'a> {
    run: &'r Run<'a>,
    pos: usize,
    target: Target<'r>,
    /// Size of the target when the value began.
    produced: usize,
    zero_items: u64,
    site: Site,
    /// What was decoded from text.
    own: Vec<u8>,
    /// Where the values of keyed records stand.
    index: Vec<u64>,
}

impl Machine<'_, '_> {
    fn body(&mut self, body: &Body, frame: &mut Frame, verbatim: bool) -> Result {
        for inst in &body.0 {
            self.site = inst.site;
            self.inst(inst, frame, verbatim)?;
        }
        Ok(())
    }

    fn inst(&mut self, inst: &Inst, frame: &mut Frame, verbatim: bool) -> Result {
        match &inst.op {
            Op::ReadNum { dst, from } => frame.nums[dst.0 as usize] = self.read_num(*from)?,
            Op::WriteNum { src, to } => self.write_num(frame.nums[src.0 as usize], *to)?,
            Op::ConstNum { dst, value } => frame.nums[dst.0 as usize] = *value,
            Op::ConvertNum { dst, src, conv } => {
                frame.nums[dst.0 as usize] = num::convert(frame.nums[src.0 as usize], *conv);
            }
            Op::UserNum { dst, src, user } => {
                frame.nums[dst.0 as usize] = self.user(frame.nums[src.0 as usize], *user)?;
            }
            Op::MapNum { dst, src, table } => {
                frame.nums[dst.0 as usize] = self.map(frame.nums[src.0 as usize], *table, self.pos)?;
            }
            Op::SkipNum { from } => self.skip_num(*from)?,
            Op::MoveNum { from, to } => {
                let raw = self.read_num(*from)?;
                self.write_num(num::conversion(*from, *to).map_or(raw, |c: Convert| num::convert(raw, c)), *to)?;
            }
            Op::MoveEnum { from, table, to } => {
                let at = self.pos;
                let raw = self.read_num(*from)?;
                let mapped = self.map(raw, *table, at)?;
                self.write_num(mapped, *to)?;
            }
            Op::ReadSpan { dst, from } => frame.spans[dst.0 as usize] = self.read_span(*from)?,
            Op::ReadFixed { dst, size } => frame.spans[dst.0 as usize] = self.take(*size)?,
            Op::ConstSpan { dst, value } => frame.spans[dst.0 as usize] = Span::Const(*value),
            Op::CheckUtf8 { src } => self.check_utf8(frame.spans[src.0 as usize])?,
            Op::WriteSpan { src, to } => self.write_span(frame.spans[src.0 as usize], *to)?,
            Op::WriteFixed { src } => self.write_bytes(frame.spans[src.0 as usize])?,
            Op::SkipSpan { from } => {
                self.read_span(*from)?;
            }
            Op::SkipFixed { size } => {
                self.take(*size)?;
            }
            Op::MoveSpan { from, to, utf8 } => {
                let span = self.read_span(*from)?;
                if utf8.is() {
                    self.check_utf8(span)?;
                }
                self.write_span(span, *to)?;
            }
            Op::MoveFixed { size } => {
                let span = self.take(*size)?;
                self.write_bytes(span)?;
            }
            Op::Emit { value } => self.write_bytes(Span::Const(*value))?,
            Op::Mark { mark } => frame.marks[mark.0 as usize] = Some(self.pos),
            Op::ClearMark { mark } => frame.marks[mark.0 as usize] = None,
            Op::Seek { mark } => self.pos = frame.marks[mark.0 as usize].unwrap_or(self.pos),
            Op::IfMarked { mark, arms } => {
                let arm = usize::from(frame.marks[mark.0 as usize].is_none());
                self.body(&arms.0[arm], frame, verbatim)?;
            }
            Op::Enter { level } => self.enter(frame.level + level)?,
            Op::Switch { src, arms } => self.switch(frame.nums[src.0 as usize], self.pos, arms, frame, verbatim)?,
            Op::SwitchRead { from, arms } => {
                let at = self.pos;
                let index = self.read_num(*from)?;
                if verbatim {
                    self.index(index, arms.0.len(), at)?;
                    self.write_num(index, *from)?;
                }
                self.switch(index, at, arms, frame, verbatim)?;
            }
            Op::Match { src, table, arms } => {
                let value = Some(frame.nums[src.0 as usize]);
                let table = self.run.program.table(*table);
                let arm = table.0.iter().position(|e| *e == value).unwrap_or(table.0.len());
                self.body(&arms.0[arm], frame, verbatim)?;
            }
            Op::Loop { from, to, zero, trust, item } => {
                self.repeat(Repeat { from: *from, to: *to, zero: *zero, trust: *trust }, item, frame, verbatim)?;
            }
            Op::Call { func, level } => self.call(func.0 as usize, frame.level + level)?,
            Op::Fail { kind, message } => {
                let text = String::from_utf8_lossy(self.run.program.constant(*message)).into_owned();
                return self.fault(*kind, self.pos, text);
            }
            Op::ColNum { col, src, to } => {
                if let Target::Columns(c) = &mut self.target {
                    c.push_num(*col, frame.nums[src.0 as usize], *to);
                }
                self.limit_output()?;
            }
            Op::ColSpan { col, src } => self.column_span(*col, frame.spans[src.0 as usize])?,
            Op::ColNull { col } => {
                if let Target::Columns(c) = &mut self.target {
                    c.push_null(*col);
                }
            }
            Op::ColList { col, child, body } => {
                self.body(body, frame, verbatim)?;
                if let Target::Columns(c) = &mut self.target {
                    c.push_list(*col, *child);
                }
            }
            Op::SkipRun { index, len, kinds } => self.skip_run(*index, *len, *kinds)?,
            Op::Verbatim { scan } => self.body(scan, frame, true)?,
            Op::Check { .. } => {}
            _ => self.text_op(&inst.op, frame, verbatim)?,
        }
        Ok(())
    }

    #[cold]
    fn fault<T>(&self, kind: FaultKind, at: usize, message: String) -> Result<T> {
        Err(Fault { kind, location: Location::Byte(at as u64), site: self.site, message }.into())
    }

    /// The window ends: more input, or a truncated value.
    #[cold]
    fn ends<T>(&self, at: usize, what: &str) -> Result<T> {
        if !self.run.complete {
            return Err(Stop::NeedInput);
        }
        self.fault(FaultKind::Truncated, at, format!("expected {what}, but the input ends"))
    }

    fn rest(&self) -> &[u8] {
        self.run.input.get(self.pos..).unwrap_or(&[])
    }

    fn read_num(&mut self, form: Num) -> Result<i64> {
        match num::read(self.rest(), form) {
            Ok((raw, n)) => {
                self.pos += n;
                Ok(raw)
            }
            Err(fault) => self.bad_num(fault, form),
        }
    }

    #[cold]
    fn bad_num<T>(&self, fault: NumFault, form: Num) -> Result<T> {
        match fault {
            NumFault::Ends => self.ends(self.pos, number_words(form)),
            NumFault::Bad(kind) => {
                let found = &self.rest()[..self.rest().len().min(10)];
                let message = match kind {
                    FaultKind::Range => {
                        let wide = num::read(self.rest(), Num::Zigzag64).map_or(0, |v| v.0);
                        format!("expected a 32-bit integer, found {wide}")
                    }
                    FaultKind::Bool => format!("expected a boolean byte 0 or 1, found {:#04x}", found[0]),
                    _ => "expected a varint of at most 10 bytes and 64 bits, found a longer one".to_string(),
                };
                self.fault(kind, self.pos, message)
            }
        }
    }

    /// Passing over a number looks at its framing only: a 32-bit varint may hold any 64 bits, a boolean any byte.
    fn skip_num(&mut self, form: Num) -> Result {
        let form = match form {
            Num::Zigzag32 => Num::Zigzag64,
            Num::Bool => Num::U8,
            other => other,
        };
        self.read_num(form).map(|_| ())
    }

    fn skip_run(&mut self, index: Num, len: Len, kinds: TableId) -> Result {
        let program = self.run.program;
        for entry in program.table(kinds).0.iter().flatten().filter_map(|c| Entry::from_code(*c)) {
            if let Some(absent) = entry.absent {
                let at = self.pos;
                let found = self.read_num(index)?;
                if self.index(found, 2, at)? == usize::from(absent) {
                    continue;
                }
            }
            match entry.item {
                Item::Fixed(n) => {
                    self.take(n.into())?;
                }
                Item::Varint => self.skip_num(Num::Zigzag64)?,
                Item::Span => {
                    self.read_span(len)?;
                }
            }
        }
        Ok(())
    }

    fn write_num(&mut self, raw: i64, form: Num) -> Result {
        if form == Num::Zigzag32 && i32::try_from(raw).is_err() {
            return self.fault(FaultKind::Range, self.pos, format!("expected a 32-bit integer to write, found {raw}"));
        }
        if let Target::Bytes(out) = &mut self.target {
            num::write(out, raw, form);
        }
        self.limit_output()
    }

    fn limit_output(&self) -> Result {
        let size = match &self.target {
            Target::Bytes(out) => out.len(),
            Target::Columns(c) => c.bytes(),
        };
        if (size - self.produced) as u64 > self.run.limits.output_bytes {
            let limit = self.run.limits.output_bytes;
            return self.fault(
                FaultKind::Limit,
                self.pos,
                format!("the value needs more than {limit} bytes of output"),
            );
        }
        Ok(())
    }

    fn user(&self, raw: i64, user: UserId) -> Result<i64> {
        match self.run.users.get(user.0 as usize).map(|f| f(raw)) {
            Some(Ok(v)) => Ok(v),
            Some(Err(why)) => self.fault(FaultKind::User, self.pos, why),
            None => self.fault(FaultKind::User, self.pos, "no such conversion".into()),
        }
    }

    fn index(&self, index: i64, count: usize, at: usize) -> Result<usize> {
        match usize::try_from(index) {
            Ok(i) if i < count => Ok(i),
            _ => self.fault(FaultKind::Index, at, format!("expected an index below {count}, found {index}")),
        }
    }

    fn map(&self, index: i64, table: TableId, at: usize) -> Result<i64> {
        let table = &self.run.program.table(table).0;
        match table[self.index(index, table.len(), at)?] {
            Some(v) => Ok(v),
            None => {
                let message =
                    format!("symbol {index} of the writer is not one of the reader's, and there is no default");
                self.fault(FaultKind::Enum, at, message)
            }
        }
    }

    fn switch(&mut self, index: i64, at: usize, arms: &Bodies, frame: &mut Frame, verbatim: bool) -> Result {
        let i = self.index(index, arms.0.len(), at)?;
        self.body(&arms.0[i], frame, verbatim)
    }

    fn take(&mut self, size: u64) -> Result<Span> {
        if size > self.rest().len() as u64 {
            return self.ends(self.pos, &format!("{size} bytes, {} are left", self.rest().len()));
        }
        let start = self.pos;
        self.pos += size as usize;
        Ok(Span::Input { start, len: size as usize })
    }

    fn read_span(&mut self, form: Len) -> Result<Span> {
        let at = self.pos;
        let len = match form {
            Len::Zigzag => self.read_num(Num::Zigzag64)?,
            Len::U32 => i64::from(self.read_num(Num::I32)? as u32),
        };
        let Ok(len) = u64::try_from(len) else {
            return self.fault(FaultKind::Length, at, format!("expected a length, found {len}"));
        };
        if len > self.rest().len() as u64 {
            let left = self.rest().len();
            return self.ends(at, &format!("{len} bytes after the length, {left} are left"));
        }
        self.take(len)
    }

    fn bytes(&self, span: Span) -> &[u8] {
        match span {
            Span::Input { start, len } => self.run.input.get(start..start + len).unwrap_or(&[]),
            Span::Const(id) => self.run.program.constant(id),
            Span::Own { start, len } => self.own.get(start..start + len).unwrap_or(&[]),
        }
    }

    fn check_utf8(&self, span: Span) -> Result {
        if utf8::is_utf8(self.bytes(span)) {
            return Ok(());
        }
        let (at, len) = match span {
            Span::Input { start, len } => (start, len),
            Span::Const(_) | Span::Own { .. } => (self.pos, 0),
        };
        let good = std::str::from_utf8(self.bytes(span)).err().map_or(0, |e| e.valid_up_to());
        self.fault(FaultKind::Utf8, at + good, format!("expected UTF-8, found other bytes at {good} of {len}"))
    }

    fn write_span(&mut self, span: Span, form: Len) -> Result {
        let len = self.bytes(span).len() as i64;
        self.write_num(len, if form == Len::Zigzag { Num::Zigzag64 } else { Num::I32 })?;
        self.write_bytes(span)
    }

    fn write_bytes(&mut self, span: Span) -> Result {
        let bytes = match span {
            Span::Input { start, len } => self.run.input.get(start..start + len).unwrap_or(&[]),
            Span::Const(id) => self.run.program.constant(id),
            Span::Own { start, len } => self.own.get(start..start + len).unwrap_or(&[]),
        };
        if let Target::Bytes(out) = &mut self.target {
            out.extend_from_slice(bytes);
        }
        self.limit_output()
    }

    fn column_span(&mut self, col: reschema_ir::Column, span: Span) -> Result {
        let bytes = match span {
            Span::Input { start, len } => self.run.input.get(start..start + len).unwrap_or(&[]),
            Span::Const(id) => self.run.program.constant(id),
            Span::Own { start, len } => self.own.get(start..start + len).unwrap_or(&[]),
        };
        if let Target::Columns(c) = &mut self.target {
            c.push_span(col, bytes);
        }
        self.limit_output()
    }

    fn enter(&self, level: u32) -> Result {
        if level > self.run.limits.depth {
            let limit = self.run.limits.depth;
            return self.fault(FaultKind::Limit, self.pos, format!("the value is nested deeper than {limit} levels"));
        }
        Ok(())
    }

    fn call(&mut self, func: usize, level: u32) -> Result {
        self.enter(level)?;
        let func = &self.run.program.funcs[func];
        let mut frame = Frame::new(func.nums, func.spans, func.marks, level);
        self.body(&func.body, &mut frame, false)
    }

    fn repeat(&mut self, how: Repeat, item: &Body, frame: &mut Frame, verbatim: bool) -> Result {
        let site = self.site;
        let idle = is_idle(self.run.program, how.zero.is(), how.to, item);
        let mut written = Count::default();
        if let Some(object) = text::brackets(how.from) {
            return self.items(object, how.to, item, frame);
        }
        loop {
            self.site = site;
            let Some(n) = self.header(how)? else { break };
            if how.zero.is() {
                self.count_zero(n)?;
            }
            self.open(how.to, n, &mut written)?;
            // Items that neither take nor give bytes are all alike: one is enough.
            for _ in 0..if idle { n.min(1) } else { n } {
                self.body(item, frame, verbatim)?;
            }
            if how.from != SeqIn::Blocks {
                break;
            }
        }
        self.site = site;
        self.close(how.to, &written)
    }

    /// The number of items of the next chunk; `None` at the end.
    fn header(&mut self, how: Repeat) -> Result<Option<u64>> {
        let at = self.pos;
        match how.from {
            SeqIn::U16 => return self.read_num(Num::U16).map(|n| Some(n as u64)),
            SeqIn::U32 => return self.read_num(Num::I32).map(|n| Some(u64::from(n as u32))),
            SeqIn::Blocks | SeqIn::Array | SeqIn::Object => {}
        }
        loop {
            let n = self.read_num(Num::Zigzag64)?;
            if n == 0 {
                return Ok(None);
            }
            if n < 0 {
                let size = self.block_size(n, at)?;
                if how.trust.is() {
                    self.take(size)?;
                    continue;
                }
            }
            return Ok(Some(n.unsigned_abs()));
        }
    }

    /// The byte size behind a negative count.
    fn block_size(&mut self, count: i64, at: usize) -> Result<u64> {
        if count == i64::MIN {
            return self.fault(FaultKind::Block, at, format!("block count {count} has no positive counterpart"));
        }
        let at = self.pos;
        let size = self.read_num(Num::Zigzag64)?;
        match u64::try_from(size) {
            Ok(size) => Ok(size),
            Err(_) => self.fault(FaultKind::Block, at, format!("expected the size of a block, found {size}")),
        }
    }

    fn count_zero(&mut self, n: u64) -> Result {
        self.zero_items = self.zero_items.saturating_add(n);
        if self.zero_items > self.run.limits.zero_size_items {
            let limit = self.run.limits.zero_size_items;
            let message = format!("more than {limit} list items that take no bytes");
            return self.fault(FaultKind::Limit, self.pos, message);
        }
        Ok(())
    }

    /// Writes the count of the first chunk in the hope that it is the only one.
    fn open(&mut self, to: SeqOut, n: u64, written: &mut Count) -> Result {
        if n == 0 {
            return Ok(());
        }
        if written.total == 0
            && let Some(form) = count_form(to)
            && let Target::Bytes(out) = &mut self.target
        {
            written.at = out.len();
            num::write(out, n as i64, form);
            written.len = out.len() - written.at;
            written.guess = n;
        }
        // A sum beyond 64 bits is never written: its items take bytes, or are limited.
        written.total = written.total.saturating_add(n);
        self.limit_output()
    }

    /// Patches the count if there were more chunks, and ends the sequence.
    fn close(&mut self, to: SeqOut, written: &Count) -> Result {
        if to == SeqOut::U16 && written.total > u64::from(u16::MAX) {
            let message = format!("{} items, and the target counts to {} only", written.total, u16::MAX);
            return self.fault(FaultKind::Limit, self.pos, message);
        }
        let (Some(form), Target::Bytes(out)) = (count_form(to), &mut self.target) else { return Ok(()) };
        if written.total != written.guess {
            let mut count = Vec::new();
            num::write(&mut count, written.total as i64, form);
            out.splice(written.at..written.at + written.len, count);
        }
        if to == SeqOut::Block {
            out.push(0);
        } else if written.len == 0 {
            num::write(out, 0, form);
        }
        self.limit_output()
    }
}

#[derive(Clone, Copy)]
struct Repeat {
    from: SeqIn,
    to: SeqOut,
    zero: Flag,
    trust: Flag,
}

/// The count as written so far: a patch point.
#[derive(Default)]
struct Count {
    at: usize,
    len: usize,
    guess: u64,
    total: u64,
}

fn count_form(to: SeqOut) -> Option<Num> {
    match to {
        SeqOut::None => None,
        SeqOut::Block => Some(Num::Zigzag64),
        SeqOut::U16 => Some(Num::U16),
        SeqOut::U32 => Some(Num::I32),
    }
}

fn number_words(form: Num) -> &'static str {
    match form {
        Num::Zigzag32 => "a 32-bit varint",
        Num::Zigzag64 => "a varint",
        Num::Bool => "a boolean byte",
        Num::F32 => "4 bytes of a float",
        Num::F64 => "8 bytes of a double",
        Num::U8 => "a byte",
        Num::U16 => "2 bytes",
        Num::I32 => "4 bytes",
        Num::I64 => "8 bytes",
    }
}
