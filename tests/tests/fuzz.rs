//! The fuzz targets without a fuzzer: the seeds and every finding that was kept, and a short run of damaged seeds.
//!
//! `RESCHEMA_FUZZ_CASES` sets how many damaged seeds a target gets. `fuzz/README.md` tells how to run the fuzzer itself.

use reschema_tests::fuzz::{TARGETS, Target, mutate};
use std::path::PathBuf;

const CASES: u64 = 4_000;

/// The files of `tests/data/fuzz/<target>`, in the order of their names.
fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data/fuzz")).join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a readable seed");
        (path, bytes)
    };
    paths.into_iter().map(read).collect()
}

/// Says which input it was, since the panic only says what is wrong.
struct Trying<'a>(&'a str, &'a [u8]);

impl Drop for Trying<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("target and input: {}, {:?}", self.0, self.1.escape_ascii().to_string());
        }
    }
}

fn attempt((_, body): Target, name: &str, input: &[u8]) {
    let _trying = Trying(name, input);
    body(input);
}

/// As main threads have it: the naive oracle recurses.
fn with_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(work).expect("a thread");
    if let Err(e) = thread.join() {
        std::panic::resume_unwind(e);
    }
}

fn target(name: &'static str) {
    let target = *TARGETS.iter().find(|(n, _)| *n == name).expect("a target of this name");
    with_stack(move || {
        let seeds = seeds(name);
        assert!(seeds.len() >= 10, "only {} seeds", seeds.len());
        seeds.iter().for_each(|(path, input)| attempt(target, &path.display().to_string(), input));
        let inputs: Vec<Vec<u8>> = seeds.into_iter().map(|(_, input)| input).collect();
        let cases = std::env::var("RESCHEMA_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
        for number in 0..cases {
            attempt(target, name, &mutate::mutated(&inputs, number));
        }
    });
}

#[test]
fn container() {
    target("container");
}

#[test]
fn schema() {
    target("schema");
}

#[test]
fn resolve() {
    target("resolve");
}

#[test]
fn run() {
    target("run");
}
