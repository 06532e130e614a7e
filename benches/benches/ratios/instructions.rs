//! Instructions a record: the bench runs itself under callgrind with one candidate, which collects inside one function
//! only. So what comes before, which hashes at random, does not count.

use crate::candidates::Prepared;
use crate::workloads::{Workload, workloads};
use reschema_benches::measure::Candidate;
use std::process::{Command, Stdio};

/// Records of a workload: run once uncounted, so that buffers have grown, then counted.
pub(crate) const RECORDS: usize = 1000;

/// Runs the candidate.
pub(crate) fn counted(workload: &str, candidate: &str) {
    let list = workloads(RECORDS);
    let workload = list.iter().find(|w| w.name == workload).expect("a workload");
    let prepared = Prepared::new(workload);
    let mut candidates = prepared.candidates();
    let candidate = candidates.iter_mut().find(|c| c.name == candidate).expect("a candidate");
    (candidate.run)(0, workload.data.n);
    collected_run(candidate, workload.data.n);
}

/// Callgrind finds it by its name.
#[inline(never)]
fn collected_run(candidate: &mut Candidate<'_>, records: usize) {
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
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*collected_run*"]);
    command.arg(std::env::current_exe().expect("this program"));
    command.args(["--counted", workload.name, candidate]);
    let out = command.output().expect("valgrind");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{}, {candidate}: {text}", workload.name);
    let line = text.lines().find_map(|line| line.split_once("Collected :")).expect("callgrind tells what it collected");
    let total: f64 = line.1.trim().parse().expect("a number of instructions");
    assert!(total > 0.0, "{}, {candidate}: nothing was collected", workload.name);
    total / workload.data.n as f64
}
