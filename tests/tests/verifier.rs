//! Bounds checks are a memory-safety boundary: a Program any of whose checks promises one byte less is refused.

use reschema::{Endpoint, Engine, Schema};
use reschema_ir::verify::{Bounds, verify};
use reschema_ir::{Body, Op, Program};
use reschema_tests::cases;
use std::collections::HashSet;

/// Programs of the conformance pairs that resolve, as they run.
fn programs() -> Vec<Program> {
    let engine = Engine::default();
    let mut seen = HashSet::new();
    let mut programs = Vec::new();
    for case in cases::all() {
        let parse = |key| Schema::parse(case.text(key));
        let (Ok(writer), Ok(reader)) = (parse("writer"), parse("reader")) else { continue };
        let Ok(t) = engine.transform(Endpoint::avro(&writer), Endpoint::avro(&reader)) else { continue };
        if seen.insert(t.program().to_string()) {
            programs.push(t.program().clone());
        }
    }
    programs
}

/// Calls `f` with each nonzero promise of a body, in turn lowered by one.
fn lower_each(program: &Program, mut f: impl FnMut(&Program)) -> usize {
    let mut mutants = 0;
    for nth in 0.. {
        let mut mutant = program.clone();
        let mut left = nth;
        let found = mutant.funcs.iter_mut().any(|func| lower_nth(&mut func.body, &mut left));
        if !found {
            break;
        }
        mutants += 1;
        f(&mutant);
    }
    mutants
}

fn lower_nth(body: &mut Body, left: &mut usize) -> bool {
    for inst in &mut body.0 {
        if let Op::Check { input, output } = &mut inst.op {
            for side in [input, output].into_iter().filter(|s| **s > 0) {
                if *left == 0 {
                    *side -= 1;
                    return true;
                }
                *left -= 1;
            }
        }
        if inst.op.bodies_mut().iter_mut().any(|b| lower_nth(b, left)) {
            return true;
        }
    }
    false
}

#[test]
fn lowering_any_check_by_one_byte_is_refused() {
    let programs = programs();
    let with_checks = programs.iter().filter(|p| p.to_string().contains("check input")).count();
    assert!(with_checks >= 1000, "only {with_checks} distinct Programs with checks");
    let mut mutants = 0;
    for program in &programs {
        verify(program, Bounds::Checked).expect("the Program itself is fine");
        mutants += lower_each(program, |mutant| {
            assert!(verify(mutant, Bounds::Checked).is_err(), "accepted:\n{mutant}");
        });
    }
    println!("{} Programs, {mutants} checks lowered, all refused", programs.len());
    assert!(mutants > programs.len());
}

#[test]
fn programs_print_and_parse_back() {
    for program in programs() {
        let text = program.to_string();
        let back: Program = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(back, program);
    }
}
