//! Memory of parsing is linear in the size of the text, whatever the text: counted by the allocator.

use reschema_schema::avro::Parser;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all work is the system allocator's; sizes are only counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes of memory at the peak of parsing, for each byte of text.
fn ratio(text: &str) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let result = Parser::new().parse(text);
    let most = MOST.load(Ordering::Relaxed) - before;
    drop(result);
    most / text.len()
}

fn many(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(",")
}

/// One test, so that nothing else is counted.
#[test]
fn memory_is_linear() {
    const N: usize = 20_000;
    let fixed = |i: usize| format!(r#"{{"type":"fixed","name":"A{i}","size":1}}"#);
    let field = |i: usize| format!(r#"{{"name":"{i}","type":[]}}"#);
    let record = |namespace: &str, fields: String| {
        format!(r#"{{"type":"record","name":"R","namespace":"{namespace}","fields":[{fields}]}}"#)
    };
    let deep = |text: String| format!("{}{text}{}", r#"{"type":"map","values":"#.repeat(200), "}".repeat(200));
    let long = "n".repeat(1000);
    let named = |i: usize| format!(r#"{{"name":"f{i}","type":{}}}"#, fixed(i));
    let cases = [
        ("namespace", record(&long, many(N, named))),
        ("namespace too long", record(&long.repeat(500), many(N, named))),
        ("union in a namespace", record(&long, format!(r#"{{"name":"u","type":[{}]}}"#, many(N, fixed)))),
        ("unknown names", record(&long.repeat(500), many(N, |i| format!(r#"{{"name":"f{i}","type":"X"}}"#)))),
        (
            "aliases",
            format!(r#"{{"type":"fixed","name":"{long}.F","size":1,"aliases":[{}]}}"#, many(N, |_| r#""""#.into())),
        ),
        ("faults", format!("[{}]", many(N, |_| "7".into()))),
        ("empty unions", deep(format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, many(N, field)))),
        (
            "warnings",
            deep(record("n", many(N, |i| format!(r#"{{"name":"f{i}","type":{{"type":"int","logicalType":""}}}}"#)))),
        ),
        ("symbols", format!(r#"{{"type":"enum","name":"E","symbols":[{}]}}"#, many(N, |i| format!(r#""S{i}""#)))),
        ("properties", format!(r#"{{"type":"int","p":[{}]}}"#, many(4 * N, |_| "1".into()))),
        ("keys", format!(r#"{{"type":"int",{}}}"#, many(N, |i| format!(r#""{i}":1"#)))),
        ("same keys", format!(r#"{{"type":"int",{}}}"#, many(4 * N, |_| r#""":1"#.into()))),
        ("defaults", record("n", many(N, |i| format!(r#"{{"name":"f{i}","type":"int","default":[[],[],[]]}}"#)))),
        ("brackets", "[[],".repeat(200) + &many(4 * N, |_| "[]".into()) + &"]".repeat(200)),
        ("type brackets", format!("[{}]", many(2 * N, |_| r#"{"type":[]}"#.into()))),
        ("array brackets", format!(r#"[{}]"#, many(2 * N, |_| r#"{"type":"array","items":[]}"#.into()))),
        ("no JSON", "[".repeat(N)),
    ];
    let found: Vec<(&str, usize)> = cases.iter().map(|(name, text)| (*name, ratio(text))).collect();
    println!("{found:?}");
    assert!(found.iter().all(|(_, ratio)| *ratio <= 64), "{found:?}");
}
