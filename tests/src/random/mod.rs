//! Random pairs of schemas and inputs for them: the same seed gives the same case.

mod data;
mod evolve;
mod types;

use crate::naive::Policy;
use data::Encoder;
use types::Maker;

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
}

/// The case of a seed, with `inputs` inputs.
pub fn case_set(seed: u64, inputs: usize) -> CaseSet {
    let mut rng = Rng::new(seed);
    let writer = Maker::new(&mut rng).root();
    let reader = evolve::evolve(&mut rng, &writer);
    let policy = Policy {
        first_match: rng.one_in(8),
        max_depth: if rng.one_in(20) { 3 } else { 64 },
        zero_cap: if rng.one_in(20) { 10 } else { 16 << 20 },
    };
    let inputs = (0..inputs).map(|_| input(&mut rng, &writer)).collect();
    CaseSet { seed, writer: writer.text(&writer), reader: reader.text(&writer), policy, inputs }
}

fn input(rng: &mut Rng, writer: &types::Type) -> Vec<u8> {
    let mut out = Vec::new();
    Encoder::new(rng, writer).value(writer, &mut out, 0);
    match rng.below(10) {
        0 => {
            let end = rng.below(out.len() + 1);
            out.truncate(end);
        }
        1 => damage(rng, &mut out),
        2 => {
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
