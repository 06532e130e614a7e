//! Places the checks: the fewest that keep every access covered, each promising exactly what its region needs.
//!
//! A region opens with a `check` in front of the first op that is not covered, grows over the ops behind it, through
//! the arms of switches, and ends where a cursor moves by an amount known only at run time, or at [`MAX_CHECK`].

use crate::cost::{Cost, MAX_CHECK, Side, cost};
use crate::op::Op;
use crate::operand::{Body, Inst};
use crate::program::Program;

/// Bytes a check has to promise on each side; its index stands in the placeholder until the end.
#[derive(Default)]
struct Region {
    input: u32,
    output: u32,
}

/// Where the walk stands in a region, per side; `None`: nothing is promised.
#[derive(Clone, Copy, PartialEq)]
struct Open {
    region: usize,
    used: u32,
}

#[derive(Clone, Copy, PartialEq, Default)]
struct Cursor {
    input: Option<Open>,
    output: Option<Open>,
    /// Behind a `fail`: nothing comes here.
    dead: bool,
}

pub(super) fn run(program: &mut Program) {
    for i in 0..program.funcs.len() {
        let body = std::mem::take(&mut program.funcs[i].body);
        let mut placer = Placer { program, regions: Vec::new() };
        let (mut body, _) = placer.body(body, Cursor::default(), false);
        let regions = placer.regions;
        fill(&mut body, &regions);
        program.funcs[i].body = body;
    }
}

struct Placer<'a> {
    program: &'a Program,
    regions: Vec<Region>,
}

impl Placer<'_> {
    fn body(&mut self, body: Body, mut at: Cursor, verbatim: bool) -> (Body, Cursor) {
        let mut out = Vec::with_capacity(body.0.len() + 1);
        for inst in body.0 {
            if matches!(inst.op, Op::Check { .. }) {
                continue;
            }
            self.inst(inst, &mut at, verbatim, &mut out);
        }
        (Body(out), at)
    }

    fn inst(&mut self, mut inst: Inst, at: &mut Cursor, verbatim: bool, out: &mut Vec<Inst>) {
        let const_len = || if let Op::Emit { value } = &inst.op { self.program.constant(*value).len() } else { 0 };
        let mut cost = cost(&inst.op, const_len);
        if verbatim {
            cost.output = Side::default();
        }
        if !self.covered(*at, cost) {
            let region = self.regions.len();
            self.regions.push(Region::default());
            // The placeholder names its region; `fill` replaces it.
            out.push(Inst { op: Op::Check { input: region as u32, output: 0 }, site: inst.site });
            let open = Some(Open { region, used: 0 });
            *at = Cursor { input: open, output: open, ..*at };
        }
        at.input = self.take(at.input, cost.input, |r| &mut r.input);
        at.output = self.take(at.output, cost.output, |r| &mut r.output);
        *at = self.nested(&mut inst.op, *at, verbatim);
        out.push(inst);
    }

    fn covered(&self, at: Cursor, cost: Cost) -> bool {
        let fits =
            |open: Option<Open>, side: Side| side.touch == 0 || open.is_some_and(|o| o.used + side.touch <= MAX_CHECK);
        fits(at.input, cost.input) && fits(at.output, cost.output)
    }

    fn take(&mut self, open: Option<Open>, side: Side, of: fn(&mut Region) -> &mut u32) -> Option<Open> {
        let mut open = open?;
        if side.touch > 0 {
            let need = of(&mut self.regions[open.region]);
            *need = (*need).max(open.used + side.touch);
            open.used += side.advance;
        }
        (!side.open_ended).then_some(open)
    }

    fn nested(&mut self, op: &mut Op, at: Cursor, verbatim: bool) -> Cursor {
        let closed = Cursor::default();
        match op {
            Op::Loop { item, .. } => {
                *item = self.body(std::mem::take(item), closed, verbatim).0;
                Cursor { dead: at.dead, ..closed }
            }
            Op::ColList { body, .. } => {
                let (placed, end) = self.body(std::mem::take(body), Cursor { dead: at.dead, ..closed }, verbatim);
                *body = placed;
                Cursor { dead: end.dead, ..closed }
            }
            Op::Verbatim { scan } => {
                let (body, end) = self.body(std::mem::take(scan), at, true);
                *scan = body;
                Cursor { output: None, ..end }
            }
            Op::Call { .. } => Cursor { dead: at.dead, ..closed },
            Op::Fail { .. } => Cursor { dead: true, ..at },
            _ => self.arms(op, at, verbatim),
        }
    }

    fn arms(&mut self, op: &mut Op, at: Cursor, verbatim: bool) -> Cursor {
        let mut met: Option<Cursor> = None;
        for arm in op.bodies_mut() {
            let (body, end) = self.body(std::mem::take(arm), at, verbatim);
            *arm = body;
            if !end.dead {
                met = Some(met.map_or(end, |m| meet(m, end)));
            }
        }
        // No arm comes out, or there are none.
        let dead = at.dead || !op.bodies().is_empty();
        met.unwrap_or(Cursor { dead, ..at })
    }
}

fn meet(a: Cursor, b: Cursor) -> Cursor {
    let side = |a: Option<Open>, b: Option<Open>| match (a, b) {
        (Some(x), Some(y)) if x.region == y.region => Some(Open { region: x.region, used: x.used.max(y.used) }),
        _ => None,
    };
    Cursor { input: side(a.input, b.input), output: side(a.output, b.output), dead: false }
}

/// Replaces the placeholders by what their regions need.
fn fill(body: &mut Body, regions: &[Region]) {
    for inst in &mut body.0 {
        if let Op::Check { input, output } = &mut inst.op {
            let Some(r) = regions.get(*input as usize) else { continue };
            (*input, *output) = (r.input, r.output);
        }
        inst.op.bodies_mut().iter_mut().for_each(|b| fill(b, regions));
    }
}
