//! Schemas made to be large, deep or endless: resolution ends soon, on a small stack, with a clear answer.

use std::fmt::Write;
use std::time::{Duration, Instant};

use reschema_schema::Schema;
use reschema_schema::resolve::{MismatchKind, ResolutionRules, ResolveError, compatibility, resolve};
use reschema_schema::plan::Plan;

fn parse(text: &str) -> Schema {
    Schema::parse(text).unwrap_or_else(|e| panic!("{e}: {}", text.chars().take(300).collect::<String>()))
}

/// Resolves on the stack of an ordinary thread, within a time that no honest case comes near.
fn resolve_soon(writer: &str, reader: &str) -> Result<Plan, ResolveError> {
    let (writer, reader) = (parse(writer), parse(reader));
    let work = move || {
        let start = Instant::now();
        let result = resolve(&writer, &reader, &ResolutionRules::default());
        let compatible = compatibility(&writer, &reader, &ResolutionRules::default());
        assert!(result.is_ok() || !compatible.is_compatible());
        (result, start.elapsed())
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap();
    let (result, time) = thread.join().unwrap();
    assert!(time < Duration::from_secs(20), "took {time:?}");
    eprintln!("took {time:?}");
    result
}

/// A union of records R0, R1 … each with the fields that `fields` gives it, as JSON.
fn records(n: usize, fields: impl Fn(usize) -> String) -> String {
    let mut text = String::from("[\"null\"");
    for i in 0..n {
        write!(text, ",{{\"type\":\"record\",\"name\":\"R{i}\",\"fields\":[{}]}}", fields(i)).unwrap();
    }
    text + "]"
}

fn field(name: &str, ty: &str, default: Option<&str>) -> String {
    let default = default.map_or_else(String::new, |d| format!(",\"default\":{d}"));
    format!("{{\"name\":\"{name}\",\"type\":{ty}{default}}}")
}

/// Ri holds R(i−1), by name: deep without nesting in the text.
fn chain(n: usize, last: &str) -> String {
    records(n, |i| match i {
        0 => field("v", last, None),
        _ => field("r", &format!("\"R{}\"", i - 1), None),
    })
}

#[test]
fn records_chained_through_names() {
    assert!(resolve_soon(&chain(20_000, "\"int\""), &chain(20_000, "\"long\"")).is_ok());
}

#[test]
fn a_failure_at_the_end_of_a_chain() {
    let plan = resolve_soon(&chain(3_000, "\"string\""), &chain(3_000, "\"long\"")).unwrap();
    let fails = plan.nodes.iter().filter(|n| matches!(n, reschema_schema::plan::Node::Fail { .. })).count();
    assert_eq!(fails, 3_000);
}

/// Types that all know each other, as in large standards (FHIR has some seven hundred): a walk in depth goes through
/// most of them before it comes back, though no datum need be deep.
#[test]
fn many_types_that_know_each_other() {
    let text = |leaf: &str| {
        let mut inner = String::from("\"null\"");
        for i in (0..100).rev() {
            let next = format!("{{\"type\":\"record\",\"name\":\"R{i}\",\"fields\":[{},{},{}]}}",
                field("self", &format!("[\"null\",\"R{i}\"]"), None),
                field("v", leaf, None),
                field("next", &inner, None));
            inner = if i % 40 == 0 { next } else { next };
        }
        inner
    };
    // Text nests at most 128 levels, so the chain is closed by names.
    let flat = |leaf: &str| {
        let mut fields = String::new();
        for i in 0..700usize {
            let known = if i == 0 { "\"null\"".into() } else { format!("[\"null\",\"R{}\"]", i - 1) };
            let ty = format!("{{\"type\":\"record\",\"name\":\"R{i}\",\"fields\":[{},{}]}}", field("v", leaf, None), field("r", &known, None));
            if i > 0 { fields.push(','); }
            fields += &field(&format!("f{i}"), &ty, None);
        }
        format!("{{\"type\":\"record\",\"name\":\"All\",\"fields\":[{fields}]}}")
    };
    let _ = text;
    let last_first = |leaf: &str| {
        // A first field that starts at the far end of the chain.
        let flat = flat(leaf);
        flat
    };
    assert!(resolve_soon(&last_first("\"int\""), &last_first("\"long\"")).is_ok());
    assert!(compatibility(&parse(&flat("\"int\"")), &parse(&flat("\"long\"")), &ResolutionRules::default()).is_compatible());
}

#[test]
fn a_cycle_of_many_types() {
    // Names may be used before the end of their definition only; the cycle closes through R0, which encloses all.
    let cycle = |leaf: &str| {
        let mut fields = field("v", leaf, None);
        for i in 1..700usize {
            let next = if i == 1 { "[\"null\",\"R0\"]".to_owned() } else { format!("[\"null\",\"R{}\"]", i - 1) };
            let ty = format!("{{\"type\":\"record\",\"name\":\"R{i}\",\"fields\":[{},{}]}}", field("v", leaf, None), field("r", &next, None));
            fields = format!("{fields},{}", field(&format!("f{i}"), &ty, None));
        }
        // Met last to first: a walk in depth goes down the whole chain.
        format!("{{\"type\":\"record\",\"name\":\"R0\",\"fields\":[{fields}]}}")
    };
    let reversed = |text: &str, leaf: &str| format!("[\"null\",{text},{{\"type\":\"record\",\"name\":\"Top\",\"fields\":[{}]}}]", field("t", &format!("[\"null\",\"R699\",{leaf}]"), None));
    let w = reversed(&cycle("\"int\""), "\"int\"");
    let r = reversed(&cycle("\"long\""), "\"long\"");
    assert!(resolve_soon(&w, &r).is_ok());
    assert!(compatibility(&parse(&w), &parse(&r), &ResolutionRules::default()).is_compatible());
}

#[test]
fn top_of_a_long_chain_of_nullables_resolves() {
    let text = |leaf: &str| {
        let mut inner = records(600, |i| match i {
            0 => field("v", leaf, None),
            _ => field("r", &format!("[\"null\",\"R{}\"]", i - 1), None),
        });
        inner.truncate(inner.len() - 1);
        format!("{inner},{{\"type\":\"record\",\"name\":\"Top\",\"fields\":[{}]}}]", field("t", "\"R599\"", None))
    };
    // The top is met first when the branches are walked from the last.
    let (w, r) = (text("\"int\""), text("\"long\""));
    assert!(compatibility(&parse(&w), &parse(&r), &ResolutionRules::default()).is_compatible());
    assert!(resolve_soon(&w, &r).is_ok());
}

#[test]
fn defaults_that_double() {
    let n = 40;
    let reader = records(n, |i| match i {
        0 => field("v", "\"int\"", Some("0")),
        _ => [field("a", &format!("\"R{}\"", i - 1), Some("{}")), field("b", &format!("\"R{}\"", i - 1), Some("{}"))].join(","),
    });
    let many: Vec<String> = (0..500).map(|i| field(&format!("d{i}"), &format!("\"R{}\"", n - 1), Some("{}"))).collect();
    let reader = reader.replacen("\"null\"", "\"null\"", 1);
    let reader = format!("{},{{\"type\":\"record\",\"name\":\"T\",\"fields\":[{}]}}]", reader.trim_end_matches(']').to_owned() + "]}", many.join(","))
        .replace("]}]}", "]}");
    let reader = fix(&reader);
    let plan = resolve_soon(r#"{"type":"record","name":"T","fields":[]}"#, &reader);
    assert_eq!(plan.unwrap_err().mismatches[0].kind, MismatchKind::InvalidDefault);
}

fn fix(text: &str) -> String {
    text.to_owned()
}
