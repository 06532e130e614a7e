//! Makes spans: a run of fields whose bytes are the same on both sides is scanned as a whole and copied once.
//!
//! Worth it only where the run holds a byte string or at least four varints: short fields are cheaper one by one.

use super::rewrite;
use crate::op::Op;
use crate::operand::{Bodies, Body, Inst, Num};
use crate::program::Program;
use crate::verify::scannable;

/// Varints from which a span pays.
const ENOUGH_VARINTS: usize = 4;

pub(super) fn run(program: &mut Program) {
    rewrite(program, &mut |program, code| {
        let mut out = Vec::with_capacity(code.len());
        let mut run: Vec<(Inst, Inst)> = Vec::new();
        for inst in code {
            match as_scan(program, &inst) {
                Some(scan) => run.push((inst, scan)),
                None => {
                    flush(&mut run, &mut out);
                    out.push(inst);
                }
            }
        }
        flush(&mut run, &mut out);
        out
    });
}

/// Ends a run: as one span if that pays, else as it was. `run` pairs each instruction with its form in a scan.
fn flush(run: &mut Vec<(Inst, Inst)>, out: &mut Vec<Inst>) {
    let weight: usize = run.iter().map(|(_, scan)| weight(&scan.op)).sum();
    if run.len() >= 2 && weight >= ENOUGH_VARINTS {
        let site = run[0].0.site;
        let scan = Body(run.drain(..).flat_map(|(_, scan)| flatten(scan)).collect());
        out.push(Inst { op: Op::Verbatim { scan }, site });
    } else {
        out.extend(run.drain(..).map(|(inst, _)| inst));
    }
}

/// A span inside a span is just more of it.
fn flatten(scan: Inst) -> Vec<Inst> {
    match scan.op {
        Op::Verbatim { scan } => scan.0,
        _ => vec![scan],
    }
}

fn weight(op: &Op) -> usize {
    match op {
        Op::MoveSpan { .. } => ENOUGH_VARINTS,
        Op::MoveNum { from: Num::Zigzag32 | Num::Zigzag64, .. } | Op::MoveEnum { .. } => 1,
        Op::SwitchRead { arms, .. } => {
            1 + arms.0.iter().map(|a| a.0.iter().map(|i| weight(&i.op)).sum::<usize>()).max().unwrap_or(0)
        }
        Op::Verbatim { scan } => scan.0.iter().map(|i| weight(&i.op)).sum(),
        _ => 0,
    }
}

/// The instruction as part of a scan, if its bytes are the same on both sides.
fn as_scan(program: &Program, inst: &Inst) -> Option<Inst> {
    let op = match &inst.op {
        Op::SwitchRead { from, arms } => Op::SwitchRead { from: *from, arms: scan_arms(program, *from, arms)? },
        Op::Verbatim { .. } => inst.op.clone(),
        op if scannable(program, op) && !matches!(op, Op::Check { .. }) => op.clone(),
        _ => return None,
    };
    Some(Inst { op, site: inst.site })
}

/// The arms without the index they write, if each writes the index it was chosen by.
fn scan_arms(program: &Program, from: Num, arms: &Bodies) -> Option<Bodies> {
    let scanned = arms.0.iter().enumerate().map(|(i, arm)| {
        let mut code = arm.0.clone();
        let first = code.first_mut()?;
        if matches!(first.op, Op::Fail { .. }) {
            return None;
        }
        let Op::Emit { value } = first.op else { return None };
        let index = super::consts::encode(i as i64, from);
        if program.constant(value) != index.as_slice() {
            return None;
        }
        let rest: Option<Vec<Inst>> = code[1..].iter().map(|i| as_scan(program, i)).collect();
        Some(Body(rest?.into_iter().flat_map(flatten).collect()))
    });
    scanned.collect::<Option<Vec<Body>>>().map(Bodies)
}
