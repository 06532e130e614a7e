//! Messages one by one on one tier, and nothing else: for `benches/instructions`, which has them counted by callgrind.
//! What adaptive tiering costs a message is the difference between its figure and that of an engine that never decides.

use super::{Workload, engine, transform, workloads};
use reschema::stats::Tier;
use reschema::{Tiering, Transform};

/// Runs so many messages of the first workload on `interpreter`, `eager`, or an adaptive engine that stays on the
/// interpreter (`adaptive-cold`) or has code (`adaptive-native`).
pub(crate) fn run(tier: &str, calls: usize) {
    let [w, ..] = workloads(1000);
    let adaptive = Tiering::adaptive().without_comparison();
    let (tiering, expected) = match tier {
        "interpreter" => (Tiering::interpreter(), Tier::Interpreter),
        "eager" => (Tiering::eager(), Tier::Native),
        "adaptive-cold" => (adaptive.threshold(u64::MAX).into(), Tier::Interpreter),
        "adaptive-native" => (adaptive.expected_bytes(u64::MAX).inline().into(), Tier::Native),
        other => panic!("no tier {other}"),
    };
    let t = transform(&engine(tiering), &w.data.schema, &w.reader);
    messages(&t, &w, calls);
    assert_eq!(t.stats().tier, expected);
}

fn messages(t: &Transform, w: &Workload, calls: usize) {
    let mut out = Vec::with_capacity(4096);
    let mut consumed = 0;
    for i in 0..calls {
        out.clear();
        consumed += t.run(w.data.rec(i % w.data.n), &mut out).expect("a good message");
    }
    let all = |n: usize| (0..n).map(|i| w.data.rec(i).len()).sum::<usize>();
    assert_eq!(consumed, calls / w.data.n * all(w.data.n) + all(calls % w.data.n));
}
