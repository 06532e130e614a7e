//! What was promised of compiled code, and whether it is held.

use crate::candidates::{APACHE, BRANCHY, COMPILED, INTERPRETER, ONE_A_CALL, SERDE, UNSAFE, WORDS};
use crate::table::Table;

/// One promise: a ratio of two candidates on some workloads.
struct Promise {
    workloads: &'static [&'static str],
    over: &'static str,
    under: &'static str,
    bound: Bound,
}

enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

use Bound::{AtLeast, AtMost};

const SIX: &[&str] = &[
    "six-field same",
    "six-field reordered",
    "six-field int to long",
    "six-field two defaults",
    "six-field float to double",
];
const ORDER: &[&str] = &["order event same", "order event evolved"];
const EVOLVED: &[&str] = &["order event evolved"];
const WIDE: &[&str] = &["200 nullable to 10"];

const fn promise(workloads: &'static [&'static str], over: &'static str, under: &'static str, bound: Bound) -> Promise {
    Promise { workloads, over, under, bound }
}

const PROMISES: &[Promise] = &[
    promise(SIX, COMPILED, UNSAFE, AtMost(1.15)),
    promise(SIX, COMPILED, WORDS, AtMost(1.15)),
    promise(EVOLVED, COMPILED, UNSAFE, AtMost(1.2)),
    promise(WIDE, COMPILED, BRANCHY, AtMost(0.8)),
    promise(SIX, SERDE, COMPILED, AtLeast(15.0)),
    promise(SIX, APACHE, COMPILED, AtLeast(80.0)),
    promise(ORDER, SERDE, COMPILED, AtLeast(10.0)),
    promise(ORDER, APACHE, COMPILED, AtLeast(60.0)),
    promise(WIDE, SERDE, COMPILED, AtLeast(10.0)),
    promise(WIDE, APACHE, COMPILED, AtLeast(45.0)),
    promise(ORDER, INTERPRETER, COMPILED, AtMost(3.0)),
    promise(ORDER, ONE_A_CALL, COMPILED, AtMost(1.35)),
];

/// Prints each promise that was measured.
pub(crate) fn report(table: &Table) {
    println!("\n| workload | ratio | promised | found | |\n|---|---|---:|---:|---|");
    for Promise { workloads, over, under, bound } in PROMISES {
        for workload in *workloads {
            let Some(found) = table.ratio(workload, over, under) else { continue };
            let (text, held) = match bound {
                AtMost(most) => (format!("≤ {most}"), found <= *most),
                AtLeast(least) => (format!("≥ {least}"), found >= *least),
            };
            let held = if held { "held" } else { "**not held**" };
            println!("| {workload} | {over} ÷ {under} | {text} | {found:.2} | {held} |");
        }
    }
}
