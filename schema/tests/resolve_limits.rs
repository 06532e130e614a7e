//! Schemas made to be large, deep or endless: resolution ends soon, on a small stack, with a clear answer.

use std::fmt::Write;
use std::time::{Duration, Instant};

use reschema_schema::Schema;
use reschema_schema::plan::{Node, Plan};
use reschema_schema::resolve::{MismatchKind, ResolutionRules, ResolveError, compatibility, resolve};

fn parse(text: &str) -> Schema {
    Schema::parse(text).unwrap_or_else(|e| panic!("{e}: {}", text.chars().take(300).collect::<String>()))
}

/// Resolves on the stack of an ordinary thread, within a time that no honest case comes near.
fn resolve_soon(writer: &str, reader: &str) -> Result<Plan, ResolveError> {
    let (writer, reader) = (parse(writer), parse(reader));
    let work = move || {
        let start = Instant::now();
        let result = resolve(&writer, &reader, &ResolutionRules::default());
        let compatible = compatibility(&writer, &reader, &ResolutionRules::default()).is_compatible();
        assert!(result.is_ok() || !compatible);
        (result, start.elapsed())
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap();
    let (result, time) = thread.join().unwrap();
    assert!(time < Duration::from_secs(10), "took {time:?}");
    result
}

fn field(name: &str, ty: &str, default: Option<&str>) -> String {
    let default = default.map_or_else(String::new, |d| format!(r#","default":{d}"#));
    format!(r#"{{"name":"{name}","type":{ty}{default}}}"#)
}

fn record(name: &str, fields: &[String]) -> String {
    format!(r#"{{"type":"record","name":"{name}","fields":[{}]}}"#, fields.join(","))
}

/// A union of null and the records R0, R1 … with the fields that `fields` gives them.
fn records(n: usize, fields: impl Fn(usize) -> Vec<String>) -> String {
    let mut text = String::from(r#"["null""#);
    (0..n).for_each(|i| write!(text, ",{}", record(&format!("R{i}"), &fields(i))).unwrap());
    text + "]"
}

/// Ri holds R(i−1), by name: deep without nesting in the text.
fn chain(n: usize, last: &str) -> String {
    records(n, |i| match i {
        0 => vec![field("v", last, None)],
        _ => vec![field("r", &format!(r#""R{}""#, i - 1), None)],
    })
}

fn fails(plan: &Plan) -> usize {
    plan.nodes.iter().filter(|n| matches!(n, Node::Fail { .. })).count()
}

#[test]
fn records_chained_through_names() {
    let plan = resolve_soon(&chain(4_000, r#""int""#), &chain(4_000, r#""long""#)).unwrap();
    assert_eq!(fails(&plan), 0);
}

#[test]
fn a_failure_at_the_end_of_a_chain() {
    let plan = resolve_soon(&chain(3_000, r#""string""#), &chain(3_000, r#""long""#)).unwrap();
    assert_eq!(fails(&plan), 3_000);
}

/// The last record of the chain is the first that is met, so that a walk in depth goes through all of it.
#[test]
fn a_chain_met_from_its_top() {
    let text = |n: usize, unused: &str, leaf: &str| {
        let unused = field(unused, &chain(n, leaf), Some("null"));
        record("T", &[unused, field("top", &format!(r#""R{}""#, n - 1), None)])
    };
    let resolve_chain = |n| resolve_soon(&text(n, "a", r#""int""#), &text(n, "b", r#""long""#));
    assert!(resolve_chain(300).is_ok());
    if let Err(e) = resolve_chain(4_000) {
        assert!(e.to_string().contains("nested deeper"), "{e}");
    }
}

/// Each R holds two of the one before by default: 2^40 values, and five hundred fields want them.
#[test]
fn defaults_that_double() {
    let both = |i: usize| ["a", "b"].map(|name| field(name, &format!(r#""R{}""#, i - 1), Some("{}"))).to_vec();
    let union = records(40, |i| if i == 0 { vec![field("v", r#""int""#, Some("0"))] } else { both(i) });
    let mut fields = vec![field("defs", &union, Some("null"))];
    fields.extend((0..500).map(|i| field(&format!("d{i}"), r#""R39""#, Some("{}"))));
    let error = resolve_soon(&record("T", &[]), &record("T", &fields)).unwrap_err();
    assert_eq!(error.mismatches[0].kind, MismatchKind::InvalidDefault);
    assert!(error.to_string().contains("too large"), "{error}");
}

/// A limit does not choose a branch: the record is valid for the default, only too deep.
#[test]
fn a_default_too_deep_for_its_branch() {
    let deep = records(1_000, |i| match i {
        0 => vec![field("v", r#""int""#, Some("0"))],
        _ => vec![field("r", &format!(r#""R{}""#, i - 1), Some("{}"))],
    });
    let fields =
        [field("defs", &deep, Some("null")), field("d", r#"["R999",{"type":"map","values":"int"}]"#, Some("{}"))];
    let error = resolve_soon(&record("T", &[]), &record("T", &fields)).unwrap_err();
    assert!(error.to_string().contains("nested too deep"), "{error}");
}

/// One broken record below ten thousand branches: the reasons are not copied ten million times.
#[test]
fn a_broken_record_in_many_places() {
    let text = |missing: usize| {
        let missing: Vec<String> = (0..missing).map(|i| field(&format!("m{i}"), r#""int""#, None)).collect();
        records(10_001, |i| if i == 0 { missing.clone() } else { vec![field("b", r#""R0""#, None)] })
    };
    let plan = resolve_soon(&text(0), &text(1_000)).unwrap();
    assert_eq!(fails(&plan), 10_001);
    let listed = plan.nodes.iter().map(|n| if let Node::Fail { mismatches, .. } = n { mismatches.len() } else { 0 });
    assert!((10_001..250_000).contains(&listed.sum::<usize>()));
}

/// Every branch of the writer meets a union of as many branches, and none matches.
#[test]
fn unions_without_a_common_branch() {
    let ints = records(10_000, |_| Vec::new());
    let plan = resolve_soon(&ints, &ints.replace(r#""name":"R"#, r#""name":"S"#)).unwrap();
    assert_eq!(fails(&plan), 10_000);
}
