//! Random pairs of schemas and inputs for them: the same seed gives the same case.

mod data;
mod default;
mod evolve;
mod make;
mod print;
mod types;

use crate::naive::Policy;
use data::Encoder;
use make::{Maker, Spaces};
use print::{Style, text};

/// A pair of schemas and inputs written under the first.
#[derive(Clone, Debug)]
pub struct CaseSet {
    /// Seed it came from.
    pub seed: u64,
    /// Writer's schema.
    pub writer: String,
    /// Reader's schema.
    pub reader: String,
    /// Choices.
    pub policy: Policy,
    /// Inputs: valid, cut off, damaged, with bytes behind.
    pub inputs: Vec<Vec<u8>>,
}

/// A small, fast, well-mixed generator (splitmix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// From a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`; 0 for 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.bits() % n as u64) as usize }
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Any order of a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

/// The case of a seed, with `inputs` inputs.
pub fn case_set(seed: u64, inputs: usize) -> CaseSet {
    let mut rng = Rng::new(seed);
    let spaces = if rng.one_in(3) { Spaces::Null } else { Spaces::Several };
    let writer = Maker::new(&mut rng, spaces).root();
    let mut reader = evolve::evolve(&mut rng, spaces, &writer);
    let mut other = writer.clone();
    if spaces == Spaces::Null && rng.one_in(6) {
        evolve::into_namespace(&mut reader);
        evolve::into_namespace(&mut other);
    }
    let mut style = || *rng.pick(&[Style::Full, Style::Relative]);
    let (writer_text, reader_text) = (text(&writer, &writer, style()), text(&reader, &other, style()));
    let policy = Policy {
        first_match: rng.one_in(8),
        max_depth: if rng.one_in(20) { 2 + rng.below(3) as u32 } else { 64 },
        // Never the default: with a long default in each item that would be gigabytes of output.
        zero_cap: if rng.one_in(10) { 10 } else { 5_000 },
    };
    let inputs = (0..inputs).map(|_| input(&mut rng, &writer)).collect();
    CaseSet { seed, writer: writer_text, reader: reader_text, policy, inputs }
}

fn input(rng: &mut Rng, writer: &types::Type) -> Vec<u8> {
    let mut out = Vec::new();
    Encoder::new(rng, writer).value(writer, &mut out, 0);
    match rng.below(20) {
        0..=2 => {
            let end = rng.below(out.len() + 1);
            out.truncate(end);
        }
        3..=7 => damage(rng, &mut out),
        8 | 9 => {
            for _ in 0..1 + rng.below(4) {
                out.push(rng.bits() as u8);
            }
        }
        _ => {}
    }
    out
}

fn damage(rng: &mut Rng, out: &mut Vec<u8>) {
    for _ in 0..1 + rng.below(3) {
        if out.is_empty() {
            return;
        }
        let at = rng.below(out.len());
        match rng.below(5) {
            0 => out[at] ^= 1 << rng.below(8),
            1 => out[at] = rng.bits() as u8,
            2 => out.insert(at, rng.bits() as u8),
            3 => {
                out.remove(at);
            }
            _ => {
                let long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, *rng.pick(&[0x01, 0x02, 0x7f, 0x81])];
                out.splice(at..=at, long[rng.below(9)..].iter().copied());
            }
        }
    }
}
