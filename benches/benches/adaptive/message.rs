//! Messages one by one, or a few a call, on one tier, and nothing else: for `benches/instructions`, which has them counted by callgrind.
//! What adaptive tiering costs a message is the difference between its figure and that of an engine that never decides.

use super::{Workload, engine, transform, workloads};
use reschema::stats::Tier;
use reschema::{Tiering, Transform};

/// Makes so many calls of `count` messages of the first workload on `interpreter`, `eager`, or an adaptive engine that stays on the
/// interpreter (`adaptive-cold`) or has code (`adaptive-native`).
pub(crate) fn run(tier: &str, calls: usize, count: usize) {
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
    messages(&t, &w, calls, count);
    assert_eq!(t.stats().tier, expected);
}

fn messages(t: &Transform, w: &Workload, calls: usize, count: usize) {
    let mut out = Vec::with_capacity(1 << 16);
    let places = w.data.n / count;
    for i in 0..calls {
        out.clear();
        let (from, to) = (i % places * count, (i % places + 1) * count);
        let input = &w.data.buf[w.data.off[from]..w.data.off[to]];
        let consumed = match count {
            1 => t.run(input, &mut out).expect("a good message"),
            _ => t.run_many(input, count as u64, &mut out).expect("good messages").consumed,
        };
        assert_eq!(consumed, input.len());
    }
}
