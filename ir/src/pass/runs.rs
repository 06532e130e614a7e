//! Fuses runs of skips, nullable ones among them, into one table-driven op.
//!
//! A projection of a wide record passes over hundreds of nullable fields; as ops of their own each costs a dispatch and
//! a branch that nobody can predict.

use super::rewrite;
use crate::op::Op;
use crate::operand::{Inst, Len, Num};
use crate::program::{Program, Table};
use crate::skip_run::Entry;

/// Values from which a run pays.
const ENOUGH: usize = 4;

/// The forms that runs are looked for in.
const INDEX: Num = Num::Zigzag32;
const LEN: Len = Len::Zigzag;

pub(super) fn run(program: &mut Program) {
    rewrite(program, &mut |program, code| {
        let mut out = Vec::with_capacity(code.len());
        let mut run: Vec<(Inst, Entry)> = Vec::new();
        for inst in code {
            match Entry::of(&inst.op, INDEX, LEN) {
                Some(entry) => run.push((inst, entry)),
                None => {
                    flush(program, &mut run, &mut out);
                    out.push(inst);
                }
            }
        }
        flush(program, &mut run, &mut out);
        out
    });
}

fn flush(program: &mut Program, run: &mut Vec<(Inst, Entry)>, out: &mut Vec<Inst>) {
    let optional = run.iter().filter(|(_, e)| e.absent.is_some()).count();
    if run.len() < ENOUGH || optional < 2 {
        out.extend(run.drain(..).map(|(inst, _)| inst));
        return;
    }
    let site = run[0].0.site;
    let entries = run.drain(..).map(|(_, e)| Some(e.code())).collect();
    program.tables.push(Table(entries));
    let kinds = crate::operand::TableId(program.tables.len() as u32 - 1);
    out.push(Inst { op: Op::SkipRun { index: INDEX, len: LEN, kinds }, site });
}
