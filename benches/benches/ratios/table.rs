//! Figures of all process starts, and the tables made of them.

use crate::candidates::{APACHE, COMPILED, HAND, INTERPRETER, ONE_A_CALL, SERDE, UNSAFE};
use reschema_benches::measure::median;
use std::collections::BTreeMap;

/// What a process start says of a candidate.
struct Figure {
    ns: f64,
    /// To compiled code, in the same rounds.
    ratio: f64,
}

/// Figures by workload and candidate.
#[derive(Default)]
pub(crate) struct Table {
    order: Vec<(String, String)>,
    figures: BTreeMap<(String, String), Vec<Figure>>,
    instructions: BTreeMap<(String, String), f64>,
}

/// Columns of the table of ratios: what is divided by what.
const COLUMNS: &[(&str, &str)] = &[
    (COMPILED, UNSAFE),
    (COMPILED, HAND),
    (INTERPRETER, COMPILED),
    (ONE_A_CALL, COMPILED),
    (SERDE, COMPILED),
    (APACHE, COMPILED),
];

impl Table {
    /// Takes a line of a child: workload, candidate, ns a record, ratio to compiled code.
    pub(crate) fn add(&mut self, line: &str) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [workload, candidate, ns, ratio] = cells[..] else { panic!("{line:?}") };
        let key = (workload.to_string(), candidate.to_string());
        if !self.figures.contains_key(&key) {
            self.order.push(key.clone());
        }
        let number = |text: &str| text.parse().expect("a number");
        self.figures.entry(key).or_default().push(Figure { ns: number(ns), ratio: number(ratio) });
    }

    /// Takes a number of instructions.
    pub(crate) fn add_instructions(&mut self, workload: &str, candidate: &str, count: f64) {
        self.instructions.insert((workload.into(), candidate.into()), count);
    }

    /// Workloads and candidates, in order.
    pub(crate) fn keys(&self) -> Vec<(String, String)> {
        self.order.clone()
    }

    fn middle(&self, workload: &str, candidate: &str, what: fn(&Figure) -> f64) -> Option<f64> {
        let list = self.figures.get(&(workload.into(), candidate.into()))?;
        Some(median(list.iter().map(what).collect()))
    }

    /// The ratio of two candidates' times.
    pub(crate) fn ratio(&self, workload: &str, over: &str, under: &str) -> Option<f64> {
        let to_compiled = |candidate| self.middle(workload, candidate, |f| f.ratio);
        Some(to_compiled(over)? / to_compiled(under)?)
    }

    /// Prints all figures, then the ratios that matter.
    pub(crate) fn report(&self) {
        println!("| workload | candidate | ns/record | × compiled | instructions/record |\n|---|---|---:|---:|---:|");
        for (workload, candidate) in &self.order {
            let ns = self.middle(workload, candidate, |f| f.ns).unwrap_or(f64::NAN);
            let ratio = self.middle(workload, candidate, |f| f.ratio).unwrap_or(f64::NAN);
            let count = self.instructions.get(&(workload.clone(), candidate.clone()));
            let count = count.map_or(String::new(), |n| format!("{n:.0}"));
            println!("| {workload} | {candidate} | {ns:.1} | {ratio:.2} | {count} |");
        }
        println!("(resolve and lower: ns a pair, and records run by compiled code in that time)\n");
        self.report_ratios();
    }

    fn report_ratios(&self) {
        print!("| workload ");
        COLUMNS.iter().for_each(|(over, under)| print!("| {over} ÷ {under} "));
        println!("|\n|---{}|", "|---:".repeat(COLUMNS.len()));
        let mut workloads: Vec<&str> = self.order.iter().map(|(workload, _)| workload.as_str()).collect();
        workloads.dedup();
        for workload in workloads {
            print!("| {workload} ");
            for (over, under) in COLUMNS {
                let cell = self.ratio(workload, over, under).map_or(String::new(), |r| format!("{r:.2}"));
                print!("| {cell} ");
            }
            println!("|");
        }
    }

    /// For programs.
    pub(crate) fn json(&self) -> serde_json::Value {
        let row = |key: &(String, String)| {
            let (workload, candidate) = key;
            let ns = self.middle(workload, candidate, |f| f.ns);
            let ratio = self.middle(workload, candidate, |f| f.ratio);
            let instructions = self.instructions.get(key);
            serde_json::json!({
                "workload": workload, "candidate": candidate, "ns": ns, "ratio": ratio, "instructions": instructions,
            })
        };
        self.order.iter().map(row).collect()
    }
}
