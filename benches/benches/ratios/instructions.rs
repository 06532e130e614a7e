//! Instructions a record: the bench runs itself under callgrind with one candidate, over few records and over many. What
//! both do cancels: the difference is what the records between them cost.

use crate::candidates::{Prepared, Workload, workloads};
use std::process::{Command, Stdio};

/// Records of a workload, all of which are run once before any is counted.
pub(crate) const RECORDS: usize = 1000;

/// The candidate, over the first `records` records.
pub(crate) fn counted(workload: &str, candidate: &str, records: usize) {
    let list = workloads(RECORDS);
    let workload = list.iter().find(|w| w.name == workload).expect("a workload");
    let prepared = Prepared::new(workload);
    let mut candidates = prepared.candidates();
    let candidate = candidates.iter_mut().find(|c| c.name == candidate).expect("a candidate");
    (candidate.run)(0, workload.data.n);
    (candidate.run)(0, records);
}

/// Whether instructions can be counted; if not, says so.
pub(crate) fn can_count() -> bool {
    let found = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        eprintln!("instructions are not counted: there is no valgrind");
    }
    found
}

/// Instructions a record.
pub(crate) fn count(workload: &Workload, candidate: &str) -> f64 {
    let (all, few) = (workload.data.n, workload.data.n / 10);
    let [many, base] = [all, few].map(|records| total(workload.name, candidate, records));
    (many - base) / (all - few) as f64
}

fn total(workload: &str, candidate: &str, records: usize) -> f64 {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(std::env::current_exe().expect("this program"));
    command.args(["--counted", workload, candidate, &records.to_string()]);
    let out = command.output().expect("valgrind");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{workload}, {candidate}: {text}");
    let line = text.lines().find_map(|line| line.split_once("Collected :")).expect("callgrind tells what it collected");
    line.1.trim().parse().expect("a number of instructions")
}
