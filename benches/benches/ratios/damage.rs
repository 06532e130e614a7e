//! The bounds refuse what the engine refuses: truncated and damaged records, one at a time.

use crate::workloads::{Unsafe, Workload};
use reschema::Transform;
use reschema_benches::data::Rng;
use reschema_benches::hand_unsafe::Runner;

/// Records that are damaged.
const RECORDS: usize = 12;
/// Damaged copies of each.
const COPIES: usize = 500;
/// Good bytes behind a damaged record, so that it is met far from the end too.
const BEHIND: usize = 8192;

/// Damages records and compares the bound with the engine: how many cases there were, and how many were refused.
///
/// # Panics
/// They differ.
pub(crate) fn check(workload: &Workload, bound: &Unsafe, engine: &Transform) -> (u64, u64) {
    let data = &workload.data;
    let mut rng = Rng::new(20_260_101);
    let mut cases = Cases { workload, bound, engine, runner: Runner::default(), done: 0, refused: 0 };
    for i in 0..RECORDS.min(data.n) {
        let record = data.rec(i);
        for len in 0..record.len() {
            cases.case(&record[..len]);
        }
        let follows = &data.buf[data.off[i + 1]..];
        let follows = &follows[..follows.len().min(BEHIND)];
        for _ in 0..COPIES {
            let mut bad = record.to_vec();
            for _ in 0..1 + rng.below(2) {
                damage(&mut bad, &mut rng);
            }
            cases.case(&bad);
            bad.extend_from_slice(follows);
            cases.case(&bad);
        }
    }
    (cases.done, cases.refused)
}

/// A byte changed, or a varint made longer than it need be, or a byte put in or taken out.
fn damage(record: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(record.len().max(1) as u64) as usize;
    let Some(byte) = record.get_mut(at) else { return };
    match rng.below(8) {
        0 => *byte = rng.u64() as u8,
        1 => *byte = *rng.pick(&[0, 1, 2, 3, 4, 0x7f, 0x80, 0x81, 0xff]),
        2 if *byte < 0x80 => {
            *byte |= 0x80;
            record.insert(at + 1, 0);
        }
        3 => record.insert(at, rng.u64() as u8),
        4 => drop(record.remove(at)),
        _ => *byte ^= 1 << rng.below(8),
    }
}

struct Cases<'a> {
    workload: &'a Workload,
    bound: &'a Unsafe,
    engine: &'a Transform,
    runner: Runner,
    done: u64,
    refused: u64,
}

impl Cases<'_> {
    fn case(&mut self, input: &[u8]) {
        let (mut want, mut got) = (Vec::new(), Vec::new());
        let by_engine = self.engine.run(input, &mut want).ok();
        let by_hand = (self.bound.run)(&mut self.runner, input, 1, &mut got).ok();
        let Workload { name, .. } = self.workload;
        let bound = self.bound.name;
        assert_eq!(by_hand, by_engine, "{name}: {bound} and the engine do not take the same of {input:02x?}");
        assert_eq!(got, want, "{name}: {bound} and the engine differ for {input:02x?}");
        self.done += 1;
        self.refused += u64::from(by_engine.is_none());
    }
}
