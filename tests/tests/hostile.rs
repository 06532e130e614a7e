//! Damaged input: every truncation and every corruption of a byte of 200 conformance inputs. Never a panic, and never
//! more memory than the input and the output justify.

use reschema::{Endpoint, Engine, Schema, Transform};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what the current thread holds.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn note(delta: isize) {
    // The thread may be ending: then nobody measures.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + delta);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call goes to the system allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size as isize - layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Case {
    id: String,
    transform: Transform,
    input: Vec<u8>,
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hex")).collect()
}

/// Inputs of cases that succeed, of many kinds.
fn cases(count: usize) -> Vec<Case> {
    let mut found = Vec::new();
    for file in ["visible.jsonl", "random_visible.jsonl"] {
        let path = format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"));
        for line in std::fs::read_to_string(&path).expect("cases").lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("a case");
            let input = unhex(case["in"].as_str().expect("in"));
            if case["out"].is_null() || !case["policy"].is_null() || input.is_empty() || input.len() > 400 {
                continue;
            }
            let schema = |key: &str| Schema::parse(case[key].as_str().expect("text")).expect("a schema");
            let pair = (Endpoint::avro(&schema("writer")), Endpoint::avro(&schema("reader")));
            let transform = Engine::default().transform(pair.0, pair.1).expect("resolves");
            found.push(Case { id: case["id"].as_str().expect("id").into(), transform, input });
        }
    }
    // Spread over the kinds, which stand one after the other.
    let step = found.len() / count;
    assert!(step >= 1, "only {} cases", found.len());
    found.into_iter().step_by(step).take(count).collect()
}

#[derive(Default, Debug)]
struct Tally {
    runs: u64,
    accepted: u64,
    refused: u64,
}

/// One run: clean, and within the memory allowed.
fn attempt(case: &Case, input: &[u8], tally: &mut Tally) {
    let before = LIVE.get();
    PEAK.set(before);
    let mut out = Vec::new();
    let result = case.transform.run(input, &mut out);
    let peak = (PEAK.get() - before) as usize;
    tally.runs += 1;
    match &result {
        Ok(consumed) => {
            assert!(*consumed <= input.len(), "{}", case.id);
            tally.accepted += 1;
        }
        Err(e) => {
            assert!(!e.kind().is_resolve(), "{}: {e}", case.id);
            assert!(e.offset().is_some_and(|at| at <= input.len() as u64), "{}: {e}", case.id);
            assert!(e.source_path().is_some(), "{}: {e}", case.id);
            assert!(out.is_empty(), "{}", case.id);
            tally.refused += 1;
        }
    }
    let allowed = 16 * (input.len() + out.len()) + (64 << 10);
    assert!(peak <= allowed, "{}: {peak} bytes for {} in, {} out: {result:?}", case.id, input.len(), out.len());
}

#[test]
fn truncations() {
    let mut tally = Tally::default();
    for case in cases(200) {
        for end in 0..case.input.len() {
            attempt(&case, &case.input[..end], &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(tally.refused > tally.accepted);
}

#[test]
fn corruptions() {
    let mut tally = Tally::default();
    for case in cases(200) {
        let mut input = case.input.clone();
        for at in 0..input.len() {
            let good = input[at];
            for bad in (0..=255u8).filter(|b| *b != good) {
                input[at] = bad;
                attempt(&case, &input, &mut tally);
            }
            input[at] = good;
        }
    }
    println!("{tally:?}");
    assert!(tally.refused > 100_000 && tally.accepted > 100_000);
}

/// Input that ends right before memory that must not be touched: the fast path reads ahead only where it may.
#[cfg(target_os = "linux")]
#[test]
fn input_flush_against_an_unreadable_page() {
    const PAGE: usize = 4096;
    let pages = 18;
    // SAFETY: a fresh private mapping; the last page is made unreadable and never touched.
    let base = unsafe {
        let prot = libc::PROT_READ | libc::PROT_WRITE;
        let p = libc::mmap(std::ptr::null_mut(), pages * PAGE, prot, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        assert_ne!(p, libc::MAP_FAILED);
        let p = p.cast::<u8>();
        assert_eq!(libc::mprotect(p.add((pages - 1) * PAGE).cast(), PAGE, libc::PROT_NONE), 0);
        p
    };
    let room = (pages - 1) * PAGE;
    let mut runs = 0;
    for case in cases(200) {
        for copies in [1, 3, room / case.input.len()] {
            let input = case.input.repeat(copies);
            // SAFETY: the bytes lie inside the readable pages, and end where they end.
            let slice = unsafe {
                let start = base.add(room - input.len());
                start.copy_from_nonoverlapping(input.as_ptr(), input.len());
                std::slice::from_raw_parts(start, input.len())
            };
            let (mut flush, mut plain) = (Vec::new(), Vec::new());
            let a = case.transform.run_many(slice, copies as u64, &mut flush);
            let b = case.transform.run_many(&input, copies as u64, &mut plain);
            assert_eq!(a.is_ok(), b.is_ok(), "{}", case.id);
            assert_eq!(flush, plain, "{}", case.id);
            runs += 1;
        }
    }
    println!("{runs} runs");
    // SAFETY: the mapping made above; no slice of it lives.
    unsafe { libc::munmap(base.cast(), pages * PAGE) };
}
