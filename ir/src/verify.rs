//! The verifier. No tier sees a Program that has not passed it.
//!
//! It checks, and reports all it finds:
//! 1. every constant, table, function, column, register and mark index is in range;
//! 2. registers are written before they are read on every path;
//! 3. a mark is set, or tested by `if.marked`, on every path to a `seek`, `object.find` or `object.close`; it is at least cleared before `if.marked`;
//! 4. `if.marked` and `object.find` have two arms, `match` one more than its table has entries;
//! 5. `verbatim` holds only ops whose bytes are the same on both sides;
//! 6. the table of a `skip.run` holds entries of [`crate::skip_run`];
//! 7. a call goes at least one level deeper, so that the depth limit bounds recursion (function 0 is not called);
//! 8. with [`Bounds::Checked`]: on every path each op is covered by a `check` ([`crate::cost`]). The promise of a
//!    `check` is re-derived here and never taken on trust from the pass that placed it.

use crate::cost::{Cost, PADDING, Side, cost};
use crate::op::Op;
use crate::operand::{Body, Column, ConstId, FuncId, Inst, Num, TableId, UserId, Visit};
use crate::program::{Function, Program};
use std::fmt;

/// Whether byte bounds are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// Every access is covered by a `check`: what a tier without checks of its own needs.
    Checked,
    /// Not looked at: for Programs before the last pass, which only the checking interpreter runs.
    Ignored,
}

/// A fault found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Function.
    pub func: usize,
    /// The instruction, as text.
    pub inst: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}: `{}`: {}", self.func, self.inst, self.message)
    }
}

/// Verifies a Program.
pub fn verify(program: &Program, bounds: Bounds) -> Result<(), Vec<Violation>> {
    let mut found = Vec::new();
    if program.funcs.is_empty() {
        found.push(Violation { func: 0, inst: String::new(), message: "a Program has at least one function".into() });
    }
    for (i, func) in program.funcs.iter().enumerate() {
        let mut v = Verifier { program, func, index: i, bounds, found: &mut found, verbatim: false };
        v.body(&func.body, State::entry(func));
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MarkState {
    Unassigned,
    Maybe,
    Set,
}

/// What holds at a point of a function on every path to it.
#[derive(Clone, PartialEq)]
struct State {
    nums: Vec<bool>,
    spans: Vec<bool>,
    marks: Vec<MarkState>,
    input: u32,
    output: u32,
    /// False behind a `fail`: nothing comes here.
    reachable: bool,
}

impl State {
    fn entry(f: &Function) -> State {
        State {
            nums: vec![false; f.nums as usize],
            spans: vec![false; f.spans as usize],
            marks: vec![MarkState::Unassigned; f.marks as usize],
            input: 0,
            output: 0,
            reachable: true,
        }
    }

    fn meet(&mut self, other: &State) {
        if !other.reachable {
            return;
        }
        if !self.reachable {
            *self = other.clone();
            return;
        }
        self.nums.iter_mut().zip(&other.nums).for_each(|(a, b)| *a &= b);
        self.spans.iter_mut().zip(&other.spans).for_each(|(a, b)| *a &= b);
        self.marks.iter_mut().zip(&other.marks).for_each(|(a, b)| *a = (*a).min(*b));
        self.input = self.input.min(other.input);
        self.output = self.output.min(other.output);
    }
}

struct Verifier<'a> {
    program: &'a Program,
    func: &'a Function,
    index: usize,
    bounds: Bounds,
    found: &'a mut Vec<Violation>,
    verbatim: bool,
}

impl Verifier<'_> {
    fn report(&mut self, inst: &Inst, message: impl Into<String>) {
        let mut text = inst.op.info().name.to_string();
        inst.op.print_operands(&mut text);
        let v = Violation { func: self.index, inst: text, message: message.into() };
        if !self.found.contains(&v) {
            self.found.push(v);
        }
    }

    fn body(&mut self, body: &Body, mut state: State) -> State {
        for inst in &body.0 {
            self.inst(inst, &mut state);
        }
        state
    }

    fn inst(&mut self, inst: &Inst, state: &mut State) {
        self.indices(inst);
        self.uses(inst, state);
        if self.verbatim && !scannable(self.program, &inst.op) {
            self.report(inst, "not allowed in verbatim: its bytes may differ between the sides");
        }
        let cost = cost(&inst.op, || self.emitted(&inst.op));
        self.promise(inst, cost, state);
        self.control(inst, state);
        define(&inst.op, state);
    }

    fn emitted(&self, op: &Op) -> usize {
        if let Op::Emit { value } = op { self.program.constant(*value).len() } else { 0 }
    }

    /// Rule 8.
    fn promise(&mut self, inst: &Inst, cost: Cost, state: &mut State) {
        if self.bounds == Bounds::Ignored {
            return;
        }
        self.side(inst, "input", cost.input, |s| &mut s.input, state);
        if !self.verbatim {
            self.side(inst, "output", cost.output, |s| &mut s.output, state);
        }
        if let Op::Check { input, output } = inst.op {
            if input as usize + crate::cost::SPAN_SLACK > PADDING {
                self.report(inst, format!("promises more than the padding of {PADDING} bytes covers"));
            }
            state.input = input;
            state.output = output;
        }
    }

    fn side(&mut self, inst: &Inst, what: &str, side: Side, of: fn(&mut State) -> &mut u32, state: &mut State) {
        let have = *of(state);
        if side.touch > have {
            self.report(inst, format!("may touch {} bytes of {what}, {have} are promised", side.touch));
        }
        *of(state) = if side.open_ended { 0 } else { have.saturating_sub(side.advance) };
    }

    /// Rules 4, 6 and 7, and the nested bodies.
    fn control(&mut self, inst: &Inst, state: &mut State) {
        match &inst.op {
            Op::IfMarked { mark, arms } => {
                if arms.0.len() != 2 {
                    self.report(inst, format!("expected 2 arms, found {}", arms.0.len()));
                }
                let mut marked = state.clone();
                if let Some(m) = marked.marks.get_mut(mark.0 as usize) {
                    *m = MarkState::Set;
                }
                let starts = [marked, state.clone()];
                self.arms(arms.0.iter().zip(starts), state);
            }
            Op::FindField { arms, wanted, place, .. } => {
                if arms.0.len() != 2 {
                    self.report(inst, format!("expected 2 arms, found {}", arms.0.len()));
                }
                if place >= wanted {
                    self.report(inst, format!("place {place} of {wanted}"));
                }
                // Both arms stand behind a cursor that has moved.
                let start = State { input: 0, ..state.clone() };
                self.arms(arms.0.iter().map(|a| (a, start.clone())), state);
            }
            Op::Switch { arms, .. } | Op::SwitchRead { arms, .. } => {
                let start = state.clone();
                self.arms(arms.0.iter().map(|a| (a, start.clone())), state);
            }
            Op::Match { arms, table, .. } => {
                let want = self.program.table(*table).0.len() + 1;
                if arms.0.len() != want {
                    self.report(inst, format!("expected {want} arms, found {}", arms.0.len()));
                }
                let start = state.clone();
                self.arms(arms.0.iter().map(|a| (a, start.clone())), state);
            }
            Op::Loop { item, .. } => self.repeated(item, state),
            Op::ColList { body, .. } => {
                let start = State { input: 0, output: 0, ..state.clone() };
                *state = self.body(body, start);
                (state.input, state.output) = (0, 0);
            }
            Op::Verbatim { scan } => {
                let outer = std::mem::replace(&mut self.verbatim, true);
                *state = self.body(scan, state.clone());
                self.verbatim = outer;
                state.output = 0;
            }
            Op::SkipRun { kinds, .. } => {
                let known = |e: &Option<i64>| e.is_some_and(|c| crate::skip_run::Entry::from_code(c).is_some());
                if !self.program.table(*kinds).0.iter().all(known) {
                    self.report(inst, "the table holds something that is not an entry of a run");
                }
            }
            Op::Call { func: FuncId(0), .. } => self.report(inst, "function 0 is entered from outside only"),
            Op::Call { level: 0, .. } if self.index != 0 => self.report(inst, "a call goes at least one level deeper"),
            Op::Fail { .. } => state.reachable = false,
            _ => {}
        }
    }

    fn arms<'b>(&mut self, arms: impl Iterator<Item = (&'b Body, State)>, state: &mut State) {
        let mut out = State { reachable: false, ..state.clone() };
        for (arm, start) in arms {
            let end = self.body(arm, start);
            out.meet(&end);
        }
        *state = out;
    }

    /// A body that runs any number of times starts with nothing promised, and with what holds both at the first
    /// entry and at the back edge.
    fn repeated(&mut self, item: &Body, state: &mut State) {
        let mut start = State { input: 0, output: 0, ..state.clone() };
        // Each round can only lower the start, and every mark has two steps to fall.
        loop {
            let mut met = start.clone();
            met.meet(&self.body(item, start.clone()));
            met.input = 0;
            met.output = 0;
            if met == start {
                break;
            }
            start = met;
        }
        *state = start;
    }

    /// Rule 1.
    fn indices(&mut self, inst: &Inst) {
        let mut v = Indices { program: self.program, func: self.func, wrong: Vec::new() };
        inst.op.visit(&mut v);
        for message in v.wrong {
            self.report(inst, message);
        }
    }

    /// Rules 2 and 3.
    fn uses(&mut self, inst: &Inst, state: &State) {
        if !state.reachable {
            return;
        }
        let sought = matches!(inst.op, Op::Seek { .. } | Op::FindField { .. } | Op::CloseObject { .. });
        let needs = if sought { MarkState::Set } else { MarkState::Maybe };
        let mut v = Uses { state, needs, wrong: Vec::new() };
        inst.op.visit(&mut v);
        for message in v.wrong {
            self.report(inst, message);
        }
    }
}

/// Rule 5: the same bytes on both sides, up to minimality, which a scan tests.
pub fn scannable(program: &Program, op: &Op) -> bool {
    match op {
        Op::MoveEnum { from, table, to } => same_bytes(*from, *to) && program.table(*table).is_identity(),
        Op::MoveNum { from, to } => same_bytes(*from, *to),
        Op::MoveSpan { from, to, .. } => from == to,
        Op::MoveFixed { .. } | Op::SwitchRead { .. } | Op::Check { .. } => true,
        _ => false,
    }
}

/// True when a number is the same bytes in both forms. A 32-bit zigzag varint is one of 64 bits.
pub fn same_bytes(from: Num, to: Num) -> bool {
    from == to || (from == Num::Zigzag32 && to == Num::Zigzag64)
}

struct Indices<'a> {
    program: &'a Program,
    func: &'a Function,
    wrong: Vec<String>,
}

impl Indices<'_> {
    fn check(&mut self, what: &str, index: usize, len: usize) {
        if index >= len {
            self.wrong.push(format!("{what} {index} of {len}"));
        }
    }
}

impl Visit for Indices<'_> {
    fn num_def(&mut self, r: u32) {
        self.check("number register", r as usize, self.func.nums as usize);
    }
    fn num_use(&mut self, r: u32) {
        self.num_def(r);
    }
    fn span_def(&mut self, r: u32) {
        self.check("span register", r as usize, self.func.spans as usize);
    }
    fn span_use(&mut self, r: u32) {
        self.span_def(r);
    }
    fn mark_def(&mut self, m: u32) {
        self.check("mark", m as usize, self.func.marks as usize);
    }
    fn mark_use(&mut self, m: u32) {
        self.mark_def(m);
    }
    fn constant(&mut self, c: ConstId) {
        self.check("constant", c.0 as usize, self.program.consts.len());
    }
    fn table(&mut self, t: TableId) {
        self.check("table", t.0 as usize, self.program.tables.len());
    }
    fn func(&mut self, f: FuncId) {
        self.check("function", f.0 as usize, self.program.funcs.len());
    }
    fn user(&mut self, u: UserId) {
        self.check("user conversion", u.0 as usize, self.program.users as usize);
    }
    fn column(&mut self, c: Column) {
        self.check("column", c.0 as usize, self.program.columns as usize);
    }
}

struct Uses<'a> {
    state: &'a State,
    needs: MarkState,
    wrong: Vec<String>,
}

impl Visit for Uses<'_> {
    fn num_use(&mut self, r: u32) {
        if self.state.nums.get(r as usize) == Some(&false) {
            self.wrong.push(format!("n{r} is read before it is written"));
        }
    }
    fn span_use(&mut self, r: u32) {
        if self.state.spans.get(r as usize) == Some(&false) {
            self.wrong.push(format!("s{r} is read before it is written"));
        }
    }
    fn mark_use(&mut self, m: u32) {
        if self.state.marks.get(m as usize).is_some_and(|have| *have < self.needs) {
            self.wrong.push(format!("m{m} may not be set here"));
        }
    }
}

/// Records what an op defines.
fn define(op: &Op, state: &mut State) {
    let mark = if matches!(op, Op::ClearMark { .. }) { MarkState::Maybe } else { MarkState::Set };
    op.visit(&mut Defs { state, mark });
}

struct Defs<'a> {
    state: &'a mut State,
    mark: MarkState,
}

impl Visit for Defs<'_> {
    fn num_def(&mut self, r: u32) {
        if let Some(d) = self.state.nums.get_mut(r as usize) {
            *d = true;
        }
    }
    fn span_def(&mut self, r: u32) {
        if let Some(d) = self.state.spans.get_mut(r as usize) {
            *d = true;
        }
    }
    fn mark_def(&mut self, m: u32) {
        if let Some(d) = self.state.marks.get_mut(m as usize) {
            *d = self.mark;
        }
    }
}
