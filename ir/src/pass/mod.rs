//! The passes: rewrites of a Program that keep its meaning.
//!
//! Output and acceptance do not depend on them: the suite also runs with each switched off. The order is fixed here.
//! Placing the checks is last and not optional, because a tier without checks of its own relies on it.

mod checks;
pub mod consts;
pub mod fuse;
mod levels;
pub(crate) mod merge;
mod runs;
mod spans;

use crate::operand::{Body, Inst};
use crate::program::Program;

/// A pass that can be switched off.
struct Pass {
    name: &'static str,
    run: fn(&mut Program),
}

const PASSES: &[Pass] = &[
    Pass { name: "consts", run: consts::run },
    Pass { name: "fuse", run: fuse::run },
    Pass { name: "levels", run: levels::run },
    Pass { name: "spans", run: spans::run },
    Pass { name: "merge", run: merge::run },
    Pass { name: "runs", run: runs::run },
];

/// Which passes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PassSet(u32);

impl PassSet {
    /// Names of the passes, in the order they run.
    pub const NAMES: &'static [&'static str] = &["consts", "fuse", "levels", "spans", "merge", "runs"];

    /// Every pass.
    pub const fn all() -> PassSet {
        PassSet((1 << PASSES.len()) - 1)
    }

    /// Only the placing of checks.
    pub const fn none() -> PassSet {
        PassSet(0)
    }

    /// Without the pass of this name; unknown names change nothing.
    pub fn without(self, name: &str) -> PassSet {
        match PASSES.iter().position(|p| p.name == name) {
            Some(i) => PassSet(self.0 & !(1 << i)),
            None => self,
        }
    }

    fn has(self, i: usize) -> bool {
        self.0 & (1 << i) != 0
    }
}

impl Default for PassSet {
    fn default() -> PassSet {
        PassSet::all()
    }
}

/// Runs the passes of the set, then places the checks.
pub fn optimise(program: &Program, set: PassSet) -> Program {
    let mut out = program.clone();
    for (i, pass) in PASSES.iter().enumerate() {
        if set.has(i) {
            (pass.run)(&mut out);
        }
    }
    checks::run(&mut out);
    out
}

/// Runs one pass by name (`checks` too), for tests of passes.
pub fn run_named(program: &mut Program, name: &str) -> bool {
    if name == "checks" {
        checks::run(program);
        return true;
    }
    match PASSES.iter().find(|p| p.name == name) {
        Some(p) => {
            (p.run)(program);
            true
        }
        None => false,
    }
}

/// Rewrites every body, innermost first.
fn rewrite(program: &mut Program, f: &mut dyn FnMut(&mut Program, Vec<Inst>) -> Vec<Inst>) {
    for i in 0..program.funcs.len() {
        let body = std::mem::take(&mut program.funcs[i].body);
        program.funcs[i].body = rewrite_body(program, body, f);
    }
}

fn rewrite_body(program: &mut Program, body: Body, f: &mut dyn FnMut(&mut Program, Vec<Inst>) -> Vec<Inst>) -> Body {
    let mut code = body.0;
    for inst in &mut code {
        for nested in inst.op.bodies_mut() {
            let taken = std::mem::take(nested);
            *nested = rewrite_body(program, taken, f);
        }
    }
    Body(f(program, code))
}
