//! Instruction tree → flat code.

use super::code::{Code, Form, Insn, flag};
use super::machine::{FastProgram, FuncInfo};
use super::text::TextInsn;
use reschema_ir::{Bodies, Body, Flag, Inst, Len, Num, Op, Program, SeqIn, SeqOut, TableId};
use reschema_runtime::text::Indexed;
use std::fmt;
use std::sync::Arc;

/// Why a Program has no fast path. It runs on the checking interpreter instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untranslatable {
    /// It writes columns.
    Columns,
    /// It has more registers, marks or loops than an instruction can name.
    TooLarge,
    /// The verifier refuses it.
    Unverified,
}

impl fmt::Display for Untranslatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Untranslatable::Columns => "writes columns",
            Untranslatable::TooLarge => "more slots than an instruction can name",
            Untranslatable::Unverified => "refused by the verifier",
        })
    }
}

type Result<T = ()> = std::result::Result<T, Untranslatable>;

impl FastProgram {
    /// Translates an optimised Program with its checks. The verifier runs here, so that no unverified Program can
    /// reach the unchecked machine.
    pub fn new(program: Arc<Program>) -> Result<FastProgram> {
        reschema_ir::verify::verify(&program, reschema_ir::verify::Bounds::Checked)
            .map_err(|_| Untranslatable::Unverified)?;
        let mut t = Translator {
            program: &program,
            code: Vec::new(),
            jumps: Vec::new(),
            pool: Vec::new(),
            funcs: Vec::new(),
            texts: Vec::new(),
            slots: 0,
            layout: Layout::default(),
        };
        for func in &program.funcs {
            let slots = u64::from(func.marks) + u64::from(func.nums) + 2 * u64::from(func.spans);
            if slots > MAX_SLOTS {
                return Err(Untranslatable::TooLarge);
            }
            t.layout = Layout {
                nums: func.marks,
                spans: func.marks + func.nums,
                temps: func.marks + func.nums + 2 * func.spans,
            };
            t.slots = t.layout.temps;
            let entry = t.here();
            let first = t.funcs.is_empty();
            t.body(&func.body, false)?;
            t.push(Insn::new(if first { Code::End } else { Code::Return }));
            // A callee's slots begin behind its caller's.
            let slots = t.slots;
            let calls = t.code[entry as usize..].iter_mut().filter(|i| i.code == Code::Call);
            calls.for_each(|i| i.c = slots.into());
            t.funcs.push(FuncInfo { entry, slots, depth: func.depth });
        }
        if t.pool.len() > MAX_POOL {
            return Err(Untranslatable::TooLarge);
        }
        // Wide loads from the pool stay inside it.
        t.pool.extend_from_slice(&[0; 64]);
        let Translator { code, jumps, pool, funcs, texts, .. } = t;
        let names = Indexed::new(program.clone());
        Ok(FastProgram { code, jumps, pool, funcs, texts, program, names })
    }
}

/// Registers and marks of a function: so many that every level of the deepest recursion has its own in 32 bits.
const MAX_SLOTS: u64 = 1 << 20;
/// Bytes of constants, each use copied: offsets are 32 bits.
const MAX_POOL: usize = 1 << 30;

/// Where a function's marks (from 0), registers and temporaries stand among its slots.
#[derive(Clone, Copy, Default)]
pub(super) struct Layout {
    pub(super) nums: u32,
    pub(super) spans: u32,
    temps: u32,
}

struct Translator<'a> {
    program: &'a Program,
    code: Vec<Insn>,
    jumps: Vec<u32>,
    pool: Vec<u8>,
    funcs: Vec<FuncInfo>,
    texts: Vec<TextInsn>,
    slots: u32,
    layout: Layout,
}

impl Translator<'_> {
    fn push(&mut self, insn: Insn) -> usize {
        self.code.push(insn);
        self.code.len() - 1
    }

    fn here(&self) -> u32 {
        self.code.len() as u32
    }

    fn num(&self, register: u32) -> u64 {
        u64::from(self.layout.nums + register)
    }

    fn span(&self, register: u32) -> u32 {
        self.layout.spans + 2 * register
    }

    fn temp(&mut self) -> Result<u16> {
        let slot = u16::try_from(self.slots).map_err(|_| Untranslatable::TooLarge)?;
        self.slots += 1;
        Ok(slot)
    }

    fn body(&mut self, body: &Body, scan: bool) -> Result {
        let mut code = body.0.iter().peekable();
        while let Some(inst) = code.next() {
            if let Op::Mark { mark } = inst.op
                && let Some(insn) = code.peek().and_then(|next| skip_behind_mark(&next.op))
            {
                code.next();
                self.push(insn.b(mark.0));
                continue;
            }
            let fusable = matches!(inst.op, Op::MoveSpan { .. } | Op::SkipSpan { .. } | Op::Seek { .. });
            let promise = match code.peek() {
                Some(Inst { op: Op::Check { input, output }, .. }) if fusable => {
                    code.next();
                    (*input, *output)
                }
                _ => (0, 0),
            };
            self.inst(&inst.op, promise, scan)?;
        }
        Ok(())
    }

    fn inst(&mut self, op: &Op, promise: (u32, u32), scan: bool) -> Result {
        if self.pool.len() > MAX_POOL || matches!(op, Op::UserNum { user, .. } if user.0 > u32::from(u16::MAX)) {
            return Err(Untranslatable::TooLarge);
        }
        match op {
            Op::SwitchRead { from, arms } => self.switch_read(*from, arms, scan),
            Op::Switch { src, arms } => self.jump_arms(Insn::new(Code::SwitchNum).c(self.num(src.0)), arms, scan),
            Op::Match { src, table, arms } => {
                let table = u16::try_from(table.0).map_err(|_| Untranslatable::TooLarge)?;
                self.jump_arms(Insn::new(Code::Match).c(self.num(src.0)).w(table), arms, scan)
            }
            Op::IfMarked { mark, arms } => self.if_marked(mark.0, arms, scan),
            Op::FindField { arms, .. } => self.text_arms(op, arms, scan),
            Op::Loop { from: SeqIn::Array, to, item, .. } => self.items(false, *to, item),
            Op::Loop { from: SeqIn::Object, to, item, .. } => self.items(true, *to, item),
            Op::Loop { from, to, zero, trust, item } => self.repeat((*from, *to), *zero, *trust, item),
            Op::Verbatim { scan } => self.verbatim(scan),
            Op::Call { func, level } => {
                let level = u16::try_from(*level).map_err(|_| Untranslatable::TooLarge)?;
                self.push(Insn::new(Code::Call).w(level).b(func.0));
                Ok(())
            }
            Op::ColNum { .. } | Op::ColSpan { .. } | Op::ColNull { .. } | Op::ColList { .. } => {
                Err(Untranslatable::Columns)
            }
            _ => {
                let insn = if scan { self.scanned(op, promise) } else { self.plain(op, promise) };
                self.push(insn);
                Ok(())
            }
        }
    }

    /// An op inside `verbatim`: advances the input only.
    fn scanned(&mut self, op: &Op, (input, _): (u32, u32)) -> Insn {
        match op {
            Op::MoveNum { from: Num::Zigzag32, .. } => Insn::new(Code::ScanVar32),
            Op::MoveNum { from: Num::Zigzag64, .. } => Insn::new(Code::ScanVar64),
            Op::MoveNum { from: Num::Bool, .. } => Insn::new(Code::ScanBool),
            Op::MoveNum { from, .. } => Insn::new(Code::Skip).k(width(*from)),
            Op::MoveEnum { from: Num::Zigzag32 | Num::Zigzag64, table, .. } => {
                match self.program.table(*table).0.len() {
                    n @ 0..=64 => Insn::new(Code::ScanSymbol).k(n as u8),
                    n => Insn::new(Code::ScanSwitch).b(u32::MAX).c(n as u64),
                }
            }
            Op::MoveSpan { from: Len::Zigzag, utf8, .. } => {
                Insn::new(if utf8.is() { Code::ScanText } else { Code::ScanBytes }).w(input as u16)
            }
            Op::MoveFixed { size } => skip(*size),
            Op::Check { input, .. } => Insn::new(Code::Check).w(*input as u16),
            // Anything else the verifier allows here is rare: the checking interpreter does it.
            _ => Insn::new(Code::Leave),
        }
    }

    fn plain(&mut self, op: &Op, (input, output): (u32, u32)) -> Insn {
        match op {
            Op::Check { input, output } => Insn::new(Code::Check).w(*input as u16).b(*output),
            Op::MoveNum { from, to } => move_num(*from, *to),
            Op::MoveEnum { from, table, to } => self.move_enum(*from, *table, *to),
            Op::MoveSpan { from: Len::Zigzag, to: Len::Zigzag, utf8 } => {
                let code = if utf8.is() { Code::MoveText } else { Code::MoveBytes };
                Insn::new(code).w(input as u16).b(output)
            }
            Op::MoveSpan { from, to, utf8 } => {
                let k = from.index() | to.index() << 2 | u8::from(utf8.is()) << 4;
                Insn::new(Code::MoveSpanForm).k(k).w(input as u16).b(output)
            }
            Op::MoveFixed { size } => move_fixed(*size),
            Op::SkipNum { from: Num::Zigzag32 | Num::Zigzag64 } => Insn::new(Code::SkipVar),
            Op::SkipNum { from } => Insn::new(Code::Skip).k(width(*from)),
            Op::SkipSpan { from: Len::Zigzag } => Insn::new(Code::SkipSpan).w(input as u16).b(output),
            Op::SkipSpan { from: Len::U32 } => Insn::new(Code::SkipSpanU32).w(input as u16).b(output),
            Op::SkipFixed { size } => skip(*size),
            Op::SkipRun { index: Num::Zigzag32, len: Len::Zigzag, kinds } => self.skip_run(*kinds),
            Op::Emit { value } => self.emit(*value),
            Op::Mark { mark } => Insn::new(Code::Mark).b(mark.0),
            Op::ClearMark { mark } => Insn::new(Code::ClearMark).b(mark.0),
            Op::Seek { mark } => Insn::new(Code::Seek).b(mark.0).w(input as u16).c(output.into()),
            Op::Enter { level } => Insn::new(Code::Enter).b(*level),
            Op::ReadNum { dst, from } => Insn::new(Code::ReadNum).k(from.index()).c(self.num(dst.0)),
            Op::WriteNum { src, to } => Insn::new(Code::WriteNum).k(to.index()).c(self.num(src.0)),
            Op::ConstNum { dst, value } => Insn::new(Code::ConstNum).b(self.num(dst.0) as u32).c(*value as u64),
            Op::ConvertNum { dst, src, conv } => {
                Insn::new(Code::ConvertNum).k(conv.index()).b(self.num(src.0) as u32).c(self.num(dst.0))
            }
            Op::UserNum { dst, src, user } => {
                Insn::new(Code::UserNum).w(user.0 as u16).b(self.num(src.0) as u32).c(self.num(dst.0))
            }
            Op::MapNum { dst, src, table } => {
                Insn::new(Code::MapNum).b(table.0).c(self.num(src.0) << 32 | self.num(dst.0))
            }
            Op::ReadSpan { dst, from } => Insn::new(Code::ReadSpan).k(from.index()).b(self.span(dst.0)),
            Op::ReadFixed { dst, size } => Insn::new(Code::ReadFixed).b(self.span(dst.0)).c(*size),
            Op::ConstSpan { dst, value } => {
                let at = self.intern(*value);
                let len = self.program.constant(*value).len() as u64;
                Insn::new(Code::ConstSpan).b(self.span(dst.0)).c(u64::from(at) << 32 | len)
            }
            Op::CheckUtf8 { src } => Insn::new(Code::CheckUtf8).b(self.span(src.0)),
            Op::WriteSpan { src, to } => Insn::new(Code::WriteSpan).k(to.index()).b(self.span(src.0)),
            Op::WriteFixed { src } => Insn::new(Code::WriteFixed).b(self.span(src.0)),
            op if is_text(op) => Insn::new(Code::Text).b(self.text(op.clone())),
            _ => Insn::new(Code::Leave),
        }
    }

    fn text(&mut self, op: Op) -> u32 {
        self.texts.push(TextInsn { op, layout: self.layout });
        self.texts.len() as u32 - 1
    }

    /// An op of text with two arms.
    fn text_arms(&mut self, op: &Op, arms: &Bodies, scan: bool) -> Result {
        let mut bare = op.clone();
        bare.bodies_mut().iter_mut().for_each(|b| b.0.clear());
        let text = self.text(bare);
        let head = self.push(Insn::new(Code::TextArms).b(text));
        let [there, absent] = arms.0.as_slice() else { return Err(Untranslatable::Unverified) };
        self.body(there, scan)?;
        let skip = self.push(Insn::new(Code::Jump));
        self.code[head].c = self.here().into();
        self.body(absent, scan)?;
        self.code[skip].b = self.here();
        Ok(())
    }

    /// A sequence in brackets.
    fn items(&mut self, object: bool, to: SeqOut, item: &Body) -> Result {
        let slot = self.temp()?;
        self.temp()?;
        let forms = u64::from(to.index());
        let at = self.push(Insn::new(Code::Items).w(slot).k(object.into()).c(forms));
        let start = self.here();
        self.body(item, false)?;
        self.push(Insn::new(Code::NextOf).w(slot).k(object.into()).b(start).c(forms));
        self.code[at].b = self.here();
        Ok(())
    }

    fn intern(&mut self, value: reschema_ir::ConstId) -> u32 {
        let at = self.pool.len() as u32;
        self.pool.extend_from_slice(self.program.constant(value));
        at
    }

    fn emit(&mut self, value: reschema_ir::ConstId) -> Insn {
        let bytes = self.program.constant(value);
        match bytes.len() {
            n @ 0..=8 => {
                let mut word = [0; 8];
                word[..n].copy_from_slice(bytes);
                Insn::new(Code::Emit8).k(n as u8).c(u64::from_le_bytes(word))
            }
            n @ 9..=16 => Insn::new(Code::Emit16).k(n as u8).b(self.intern(value)),
            n => Insn::new(Code::EmitBig).b(self.intern(value)).c(n as u64),
        }
    }

    /// Each entry as two bytes: what it is, and a size.
    fn skip_run(&mut self, kinds: TableId) -> Insn {
        let at = self.pool.len() as u32;
        let entries = &self.program.table(kinds).0;
        for entry in entries {
            let code = entry.unwrap_or_default();
            self.pool.extend([code as u8, (code >> 8) as u8]);
        }
        Insn::new(Code::SkipRun).b(at).c(entries.len() as u64)
    }

    fn move_enum(&mut self, from: Num, table: TableId, to: Num) -> Insn {
        let entries = &self.program.table(table).0;
        let small = entries.len() <= 64 && entries.iter().all(|e| e.is_none_or(|v| (0..64).contains(&v)));
        if small && is_zigzag(from) && is_zigzag(to) {
            let at = self.pool.len() as u64;
            self.pool.extend(entries.iter().map(|e| e.map_or(0xff, |v| (v as u8) << 1)));
            return Insn::new(Code::MoveSymbol).k(entries.len() as u8).c(at);
        }
        Insn::new(Code::MoveEnum).k(from.index()).w(to.index().into()).b(table.0)
    }

    fn switch_read(&mut self, from: Num, arms: &Bodies, scan: bool) -> Result {
        match (is_zigzag(from), arms.0.len()) {
            (true, 2) => self.option(arms, scan),
            (true, n @ 0..=64) => self.jump_arms(Insn::new(Code::SwitchByte).k(n as u8), arms, scan),
            (true, n) if scan => self.jump_arms(Insn::new(Code::ScanSwitch).c(n as u64), arms, scan),
            (_, n) => self.jump_arms(Insn::new(Code::SwitchAny).k(from.index()).c(n as u64), arms, scan),
        }
    }

    fn option(&mut self, arms: &Bodies, scan: bool) -> Result {
        let head = self.push(Insn::new(Code::Option));
        self.body(&arms.0[0], scan)?;
        let skip = self.push(Insn::new(Code::Jump));
        self.code[head].b = self.here();
        self.body(&arms.0[1], scan)?;
        self.code[skip].b = self.here();
        Ok(())
    }

    /// A switch by a jump table: one entry an arm.
    fn jump_arms(&mut self, head: Insn, arms: &Bodies, scan: bool) -> Result {
        let base = self.jumps.len();
        self.jumps.resize(base + arms.0.len(), 0);
        let mut head = head.b(base as u32);
        if head.code == Code::SwitchNum {
            head.c |= (arms.0.len() as u64) << 32;
        }
        self.push(head);
        let mut exits = Vec::with_capacity(arms.0.len());
        for (i, arm) in arms.0.iter().enumerate() {
            self.jumps[base + i] = self.here();
            self.body(arm, scan)?;
            exits.push(self.push(Insn::new(Code::Jump)));
        }
        let end = self.here();
        exits.into_iter().for_each(|e| self.code[e].b = end);
        Ok(())
    }

    fn if_marked(&mut self, mark: u32, arms: &Bodies, scan: bool) -> Result {
        let head = self.push(Insn::new(Code::IfMarked).b(mark));
        self.body(&arms.0[0], scan)?;
        let skip = self.push(Insn::new(Code::Jump));
        self.code[head].c = self.here().into();
        self.body(&arms.0[1], scan)?;
        self.code[skip].b = self.here();
        Ok(())
    }

    fn repeat(&mut self, (from, to): (SeqIn, SeqOut), zero: Flag, trust: Flag, item: &Body) -> Result {
        let slot = self.temp()?;
        let idle = reschema_ir::cost::is_idle(self.program, zero.is(), to, item);
        let mut flags = 0;
        flags |= if zero.is() { flag::ZERO } else { 0 };
        flags |= if trust.is() { flag::TRUST } else { 0 };
        flags |= if idle { flag::IDLE } else { 0 };
        let (head, next) = match (from, to) {
            (SeqIn::Blocks, SeqOut::Block) => (Code::Blocks, Code::NextItem),
            (SeqIn::Blocks, SeqOut::None) => (Code::SkipBlocks, Code::NextSkipped),
            _ => (Code::Counted, Code::NextCounted),
        };
        let forms = u64::from(from.index()) | u64::from(to.index()) << 8;
        let at = self.push(Insn::new(head).w(slot).k(flags).c(forms));
        let start = self.here();
        self.body(item, false)?;
        self.push(Insn::new(next).w(slot).k(flags).b(start).c(forms));
        self.code[at].b = self.here();
        Ok(())
    }

    fn verbatim(&mut self, scan: &Body) -> Result {
        let slot = self.temp()?;
        self.push(Insn::new(Code::ScanBegin).w(slot));
        self.body(scan, true)?;
        self.push(Insn::new(Code::ScanEnd).w(slot));
        Ok(())
    }
}

fn is_text(op: &Op) -> bool {
    use Op::{
        CheckFinite, CheckSize, Choose, CloseObject, Expect, Lookup, OpenObject, ReadDecimal, ReadQuoted, ReadTag,
        ReadText, Separate, SkipTree, WriteDecimal, WriteQuoted, WriteText,
    };
    matches!(
        op,
        ReadText { .. }
            | WriteText { .. }
            | ReadQuoted { .. }
            | WriteQuoted { .. }
            | ReadDecimal { .. }
            | WriteDecimal { .. }
            | CheckFinite { .. }
            | CheckSize { .. }
            | Lookup { .. }
            | Expect { .. }
            | Separate { .. }
            | SkipTree { .. }
            | OpenObject { .. }
            | CloseObject { .. }
            | Choose { .. }
            | ReadTag { .. }
    )
}

/// A skip that can be one instruction with the mark in front of it.
fn skip_behind_mark(op: &Op) -> Option<Insn> {
    match op {
        Op::SkipNum { from: Num::Zigzag32 | Num::Zigzag64 } => Some(Insn::new(Code::MarkSkipVar)),
        Op::SkipNum { from } => Some(Insn::new(Code::MarkSkip).k(width(*from))),
        Op::SkipFixed { size: n @ 0..=64 } => Some(Insn::new(Code::MarkSkip).k(*n as u8)),
        _ => None,
    }
}

fn is_zigzag(form: Num) -> bool {
    matches!(form, Num::Zigzag32 | Num::Zigzag64)
}

/// Bytes of a number of fixed width.
fn width(form: Num) -> u8 {
    match form {
        Num::Zigzag32 | Num::Zigzag64 => 0,
        Num::Bool | Num::U8 => 1,
        Num::U16 => 2,
        Num::F32 | Num::I32 => 4,
        Num::F64 | Num::I64 => 8,
    }
}

fn move_num(from: Num, to: Num) -> Insn {
    match (from, to) {
        (Num::Zigzag32, Num::Zigzag32 | Num::Zigzag64) => Insn::new(Code::MoveVar32),
        (Num::Zigzag64, Num::Zigzag64) => Insn::new(Code::MoveVar64),
        (Num::Zigzag32, Num::F32) => Insn::new(Code::VarToF32).k(32),
        (Num::Zigzag64, Num::F32) => Insn::new(Code::VarToF32).k(64),
        (Num::Zigzag32, Num::F64) => Insn::new(Code::VarToF64).k(32),
        (Num::Zigzag64, Num::F64) => Insn::new(Code::VarToF64).k(64),
        (Num::F32, Num::F64) => Insn::new(Code::F32ToF64),
        (Num::Bool, Num::Bool) => Insn::new(Code::MoveBool),
        _ => Insn::new(Code::MoveNum).k(from.index()).w(to.index().into()),
    }
}

fn move_fixed(size: u64) -> Insn {
    match size {
        0..=8 => Insn::new(Code::Move8).k(size as u8),
        9..=16 => Insn::new(Code::Move16).k(size as u8),
        17..=64 => Insn::new(Code::MoveWide).k(size as u8),
        _ => Insn::new(Code::MoveBig).c(size),
    }
}

fn skip(size: u64) -> Insn {
    match size {
        0..=64 => Insn::new(Code::Skip).k(size as u8),
        _ => Insn::new(Code::SkipBig).c(size),
    }
}
