//! Measuring: candidates interleaved in short slices, thread CPU time, ratios within one run.
//!
//! The machines are shared and noisy: an absolute time says little, a ratio of neighbours in time a lot. Candidates
//! take turns of about [`SLICE`] each, in an order that is reversed every other round; a candidate's figure is the
//! median of its rounds, a ratio the median of the ratios of its rounds.

use std::time::Duration;

/// A turn of a candidate.
pub const SLICE: Duration = Duration::from_micros(1500);

/// Something to be measured: a name, and a function that transforms records `from..to` of its workload.
pub struct Candidate<'a> {
    /// For the table.
    pub name: &'static str,
    /// Runs over a range of records.
    pub run: Box<dyn FnMut(usize, usize) + 'a>,
}

/// CPU time of this thread.
pub fn cpu_time() -> Duration {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

/// Nanoseconds per record of each candidate, one figure a round.
pub fn rounds(candidates: &mut [Candidate<'_>], records: usize, rounds: usize) -> Vec<Vec<f64>> {
    let slices: Vec<usize> = candidates.iter_mut().map(|c| slice_of(c, records)).collect();
    let mut times = vec![Vec::with_capacity(rounds); candidates.len()];
    let mut positions = vec![0; candidates.len()];
    for round in 0..rounds {
        let order: Vec<usize> =
            if round % 2 == 0 { (0..candidates.len()).collect() } else { (0..candidates.len()).rev().collect() };
        for i in order {
            let n = slices[i];
            let from = if positions[i] + n > records { 0 } else { positions[i] };
            positions[i] = from + n;
            let start = cpu_time();
            (candidates[i].run)(from, from + n);
            times[i].push((cpu_time() - start).as_nanos() as f64 / n as f64);
        }
    }
    times
}

/// Records that take about a slice; warms the candidate up.
fn slice_of(candidate: &mut Candidate<'_>, records: usize) -> usize {
    let mut n = 16.min(records);
    loop {
        let start = cpu_time();
        (candidate.run)(0, n);
        let time = cpu_time() - start;
        if time >= SLICE || n == records {
            return n;
        }
        n = (n * 2).min(records);
    }
}

/// The middle of some figures.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
