//! Total time against number of records, from two schemas to the last byte, in calls of 100 records: interpreted, compiled
//! at once, and adaptive with a thread in the background. Time that passes, since that thread works meanwhile; without the
//! time that this thread was ready and had no processor, which the machine's other work took.

use super::{Options, Workload, engine, transform, workloads};
use reschema::Tiering;
use std::time::Instant;

/// Records a call.
const CALL: usize = 100;
/// How many times the better of the others adaptive may take up to twice break-even, and beyond.
const LIMITS: [f64; 2] = [1.5, 1.3];

/// Figures of a workload.
pub(crate) struct Curve {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<Point>,
    /// Records from which compiling at once takes no longer than interpreting.
    pub(crate) break_even: Option<f64>,
}

/// Seconds for so many records.
pub(crate) struct Point {
    pub(crate) records: usize,
    /// Of interpreter, eager, adaptive.
    pub(crate) seconds: [f64; 3],
    /// Adaptive over the better of the others.
    pub(crate) ratio: f64,
}

pub(crate) fn measure(o: &Options) -> Vec<Curve> {
    let most = if o.smoke { 2_000 } else { 1_000_000 };
    workloads(10_000).iter().map(|w| curve(w, most, o.rounds)).collect()
}

fn curve(w: &Workload, most: usize, rounds: usize) -> Curve {
    check(w);
    let steps = [1, 2, 3, 5, 7].map(|s| s * CALL);
    let records = (0..5).flat_map(|e| steps.map(|s| s * 10usize.pow(e))).filter(|n| *n <= most);
    let points: Vec<Point> = records.map(|n| point(w, n, rounds)).collect();
    let curve = Curve { name: w.name, break_even: break_even(&points), points };
    print(&curve);
    curve
}

fn tierings() -> [Tiering; 3] {
    [Tiering::interpreter(), Tiering::eager(), Tiering::adaptive().into()]
}

/// The same bytes from all.
fn check(w: &Workload) {
    let outputs = tierings().map(|tiering| {
        let t = transform(&engine(tiering), &w.data.schema, &w.reader);
        let mut out = Vec::new();
        let done = t.run_many(&w.data.buf, w.data.n as u64, &mut out).expect("good records");
        assert_eq!(done.consumed, w.data.buf.len(), "{}", w.name);
        out
    });
    assert!(outputs[0] == outputs[1] && outputs[0] == outputs[2], "{}", w.name);
}

fn point(w: &Workload, records: usize, rounds: usize) -> Point {
    let tierings = tierings();
    let mut seconds = [(); 3].map(|()| Vec::new());
    for round in 0..rounds {
        for i in 0..3 {
            let i = if round % 2 == 0 { i } else { 2 - i };
            seconds[i].push(once(w, &tierings[i], records));
        }
    }
    let seconds = seconds.map(lower_quartile);
    Point { records, ratio: seconds[2] / seconds[0].min(seconds[1]), seconds }
}

/// Other work on the machine still delays the thread in the background, in some rounds much, and empties caches: the better
/// rounds tell what is measured, the best of all may be luck.
fn lower_quartile(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 4).copied().unwrap_or(f64::NAN)
}

fn once(w: &Workload, tiering: &Tiering, records: usize) -> f64 {
    let mut out = Vec::with_capacity(1 << 20);
    let (start, waited) = (Instant::now(), waited());
    let engine = engine(tiering.clone());
    let t = transform(&engine, &w.data.schema, &w.reader);
    for call in 0..records / CALL {
        let from = call * CALL % w.data.n;
        out.clear();
        t.run_many(&w.data.buf[w.data.off[from]..], CALL as u64, &mut out).expect("good records");
    }
    start.elapsed().as_secs_f64() - (self::waited() - waited)
}

/// Seconds that this thread has waited for a processor; 0 where the system does not tell.
fn waited() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').nth(1).and_then(|ns| ns.parse::<f64>().ok()).map_or(0.0, |ns| ns / 1e9)
}

/// Where the curves of both ends cross, between two points on a line.
fn break_even(points: &[Point]) -> Option<f64> {
    let ahead = |p: &Point| p.seconds[0] - p.seconds[1];
    points.windows(2).rev().find(|w| ahead(&w[0]) < 0.0 && ahead(&w[1]) >= 0.0).map(|w| {
        let (a, b) = (ahead(&w[0]), ahead(&w[1]));
        w[0].records as f64 + (w[1].records - w[0].records) as f64 * -a / (b - a)
    })
}

impl Curve {
    /// Where a point lies: up to twice break-even, or beyond.
    fn side(&self, point: &Point) -> usize {
        usize::from(self.break_even.is_some_and(|b| point.records as f64 > 2.0 * b))
    }

    /// The worst ratio of each side.
    fn worst(&self) -> [f64; 2] {
        [0, 1].map(|side| self.points.iter().filter(|p| self.side(p) == side).map(|p| p.ratio).fold(f64::NAN, f64::max))
    }
}

fn print(c: &Curve) {
    println!("\n{}: milliseconds, and adaptive over the better of the others", c.name);
    println!("{:>9} {:>12} {:>12} {:>12} {:>6} {:>6}", "records", "interpreter", "eager", "adaptive", "ratio", "limit");
    let mut missed = 0;
    for point in &c.points {
        let Point { records, seconds: [i, e, a], ratio } = point;
        let limit = LIMITS[c.side(point)];
        let word = if *ratio <= limit { "holds" } else { "MISSED" };
        missed += usize::from(*ratio > limit);
        println!("{records:>9} {:>12.3} {:>12.3} {:>12.3} {ratio:>6.2} {limit:>6} {word}", i * 1e3, e * 1e3, a * 1e3);
    }
    let [near, far] = c.worst();
    let at = c.break_even.map_or("nowhere".into(), |b| format!("{b:.0} records"));
    println!(
        "break-even at {at}; worst ratio {near:.2} up to twice that (limit {}), {far:.2} beyond ({}); {missed} of {} points missed",
        LIMITS[0],
        LIMITS[1],
        c.points.len()
    );
}
