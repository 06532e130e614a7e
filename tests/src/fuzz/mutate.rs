//! Damage for the short run on a stable toolchain: the same number gives the same input.

use crate::random::Rng;

const TELLING: [u8; 16] = [0, 1, 2, 3, 4, 0x10, 0x20, 0x7e, 0x7f, 0x80, 0xfe, 0xff, b'"', b'{', b',', b'.'];

/// One of the seeds with a few changes, some of them pieces of other seeds.
///
/// # Panics
/// When there are no seeds.
pub fn mutated(seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut rng = Rng::new(number);
    let mut out = rng.pick(seeds).clone();
    for _ in 0..1 + rng.below(4) {
        change(&mut rng, seeds, &mut out);
    }
    out
}

fn change(rng: &mut Rng, seeds: &[Vec<u8>], out: &mut Vec<u8>) {
    let at = rng.below(out.len() + 1);
    let to = (at + 1 + rng.below(16)).min(out.len());
    match rng.below(7) {
        0 if at < out.len() => out[at] ^= 1 << rng.below(8),
        1 if at < out.len() => out[at] = *rng.pick(&TELLING),
        2 => out.insert(at, *rng.pick(&TELLING)),
        3 => drop(out.drain(at..to)),
        4 => {
            let copy = out[at..to].to_vec();
            let to = rng.below(out.len() + 1);
            out.splice(to..to, copy);
        }
        5 => {
            let other = rng.pick(seeds);
            let from = rng.below(other.len() + 1);
            let end = (from + rng.below(40)).min(other.len());
            out.splice(at..to, other[from..end].iter().copied());
        }
        _ => out.truncate(at),
    }
}
