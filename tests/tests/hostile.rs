//! Damaged input: every truncation and every corruption of a byte of 200 conformance inputs. Never a panic, and never
//! more memory than the input and the output justify.

use reschema::{Endpoint, Engine, Schema, Transform};
use reschema_tests::cases;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what the current thread holds, and what it has asked for in all.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn note(delta: isize) {
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + delta.max(0) as usize));
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

/// Longest input taken: everything is tried at every byte.
const LONGEST: usize = 20_000;
/// Up to here every other value of a byte is tried, beyond it only the telling ones.
const SHORT: usize = 400;
/// Ends and starts of varints, signs, lengths that are large, and single bits.
const TELLING: [u8; 12] = [0x00, 0x01, 0x02, 0x03, 0x04, 0x10, 0x40, 0x7e, 0x7f, 0x80, 0xfe, 0xff];

struct Case {
    id: String,
    transform: Transform,
    input: Vec<u8>,
}

/// Inputs of cases that succeed, of many kinds.
fn cases(count: usize) -> Vec<Case> {
    let mut found = Vec::new();
    for case in cases::all() {
        let input = case.input();
        if case.json["out"].is_null() || !case.json["policy"].is_null() || input.is_empty() || input.len() > LONGEST {
            continue;
        }
        let schema = |key: &str| Schema::parse(case.text(key)).expect("a schema");
        let pair = (Endpoint::avro(&schema("writer")), Endpoint::avro(&schema("reader")));
        let transform = Engine::default().transform(pair.0, pair.1).expect("resolves");
        found.push(Case { id: case.id, transform, input });
    }
    // The long ones, and of the others some of each kind: kinds stand one after the other.
    let (mut chosen, short): (Vec<Case>, Vec<Case>) = found.into_iter().partition(|c| c.input.len() > SHORT);
    let wanted = count - chosen.len();
    assert!(short.len() >= wanted, "only {} cases", short.len());
    let step = short.len() / wanted;
    chosen.extend(short.into_iter().step_by(step).take(wanted));
    chosen
}

#[derive(Default, Debug)]
struct Tally {
    runs: u64,
    accepted: u64,
    refused: u64,
    /// Most memory held, and most asked for in all, in bytes.
    peak: usize,
    asked: usize,
}

/// One run: clean, and within the memory allowed.
fn attempt(case: &Case, input: &[u8], tally: &mut Tally) {
    let before = LIVE.get();
    PEAK.set(before);
    ASKED.set(0);
    let mut out = Vec::new();
    let result = case.transform.run(input, &mut out);
    let (peak, asked) = ((PEAK.get() - before) as usize, ASKED.get());
    tally.runs += 1;
    tally.peak = tally.peak.max(peak);
    tally.asked = tally.asked.max(asked);
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
    assert!(
        peak <= allowed && asked <= 2 * allowed,
        "{}: {peak} bytes held, {asked} asked for, for {} in, {} out: {result:?}",
        case.id,
        input.len(),
        out.len()
    );
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
            let tried = |b: &u8| *b != good && (case.input.len() <= SHORT || TELLING.contains(b) || at % 64 == 0);
            for bad in (0..=255u8).filter(tried) {
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
