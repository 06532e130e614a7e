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

/// An enum of many symbols in many places: the places share what its symbols become.
#[test]
fn a_large_enum_in_many_places() {
    let text = |letter: &str| {
        let symbols: Vec<String> = (0..20_000).map(|i| format!(r#""{letter}{i}""#)).collect();
        let symbols = format!(r#"{{"type":"enum","name":"E","symbols":[{}]}}"#, symbols.join(","));
        let mut fields = vec![field("f", &symbols, None)];
        fields.extend((0..20_000).map(|i| field(&format!("f{i}"), r#""E""#, None)));
        record("T", &fields)
    };
    let plan = resolve_soon(&text("A"), &text("B")).unwrap();
    let tables =
        plan.nodes.iter().filter_map(|n| if let Node::Enum { symbols, .. } = n { Some(symbols) } else { None });
    let tables: Vec<_> = tables.collect();
    assert_eq!(tables.len(), 20_001);
    assert!(tables.iter().all(|t| std::sync::Arc::ptr_eq(t, tables[0])));
    let found = compatibility(&plan.writer, &plan.reader, &ResolutionRules::default());
    assert_eq!(found.differences.len(), 1_000);
    assert!(found.differences[0].message.ends_with("A49, … and 19950 more"), "{}", found.differences[0].message);
}

/// Circles of records, each of which holds its neighbours: every one relies on one that is under way, and the failure at
/// the end comes to light last.
#[test]
fn failures_that_spread_through_circles() {
    const LONG: usize = 390;
    let chain = |g: usize, leaf: &str| {
        let record = |i: usize| {
            let next = (i + 1 < LONG).then(|| field("a", &format!(r#""R{g}_{}""#, i + 1), None));
            let last = match (i, g) {
                (0, 0) => field("v", leaf, None),
                (0, _) => field("v", &format!(r#""R{}_{}""#, g - 1, LONG - 1), None),
                _ => field("b", &format!(r#""R{g}_{}""#, i - 1), None),
            };
            record(&format!("R{g}_{i}"), &next.into_iter().chain([last]).collect::<Vec<_>>())
        };
        (0..LONG).map(record).collect::<Vec<_>>().join(",")
    };
    let schema = |leaf: &str| {
        let chains: Vec<String> = (0..10).map(|g| chain(g, leaf)).collect();
        let root: Vec<String> = (0..10).rev().flat_map(|g| (0..LONG).map(move |i| format!(r#""R{g}_{i}""#))).collect();
        let (root, types) = (format!("[{}]", root.join(",")), format!("[{}]", chains.join(",")));
        let texts = [("root", root.as_str()), ("types", types.as_str())];
        reschema_schema::avro::Parser::new().parse_many(&texts).unwrap().remove(0)
    };
    let (writer, reader) = (schema(r#""int""#), schema(r#""string""#));
    let start = Instant::now();
    let plan = resolve(&writer, &reader, &ResolutionRules::default()).unwrap();
    assert!(start.elapsed() < Duration::from_secs(10), "took {:?}", start.elapsed());
    assert_eq!(fails(&plan), 10 * LONG);
}

fn words(n: usize, prefix: &str) -> String {
    (0..n).map(|i| format!(r#""{prefix}{i}""#)).collect::<Vec<_>>().join(",")
}

#[test]
fn many_aliases_of_a_type() {
    let aliases = words(20_000, "R");
    let reader = format!(r#"{{"type":"record","name":"T","aliases":[{aliases}],"fields":[]}}"#);
    let plan = resolve_soon(&records(20_000, |_| Vec::new()), &reader).unwrap();
    assert_eq!(fails(&plan), 1);
    let plan = resolve_soon(&records(20_000, |_| Vec::new()), &format!("[{reader},\"null\"]")).unwrap();
    assert_eq!(fails(&plan), 0);
}

#[test]
fn many_aliases_of_fields() {
    let fields =
        |prefix: &str| (0..30_000).map(|i| field(&format!("{prefix}{i}"), r#""int""#, None)).collect::<Vec<_>>();
    let writer = record("T", &fields("a"));
    let each = (0..30_000).map(|i| format!(r#"{{"name":"b{i}","type":"int","aliases":["a{i}"]}}"#)).collect::<Vec<_>>();
    assert!(resolve_soon(&writer, &record("T", &each)).is_ok());
    let one = format!(r#"{{"name":"b","type":"int","aliases":[{}]}}"#, words(30_000, "a"));
    let error = resolve_soon(&writer, &record("T", &[one])).unwrap_err();
    assert_eq!(error.mismatches[0].kind, MismatchKind::AmbiguousAlias);
    assert!(error.mismatches[0].message.ends_with("a15, … and 29984 more"));
    let same = (0..30_000).map(|i| format!(r#"{{"name":"b{i}","type":"int","aliases":["a7"]}}"#)).collect::<Vec<_>>();
    assert!(resolve_soon(&writer, &record("T", &same)).unwrap_err().to_string().contains("and 29984 more"));
}

/// A path with a long name in it is not copied to each place below.
#[test]
fn long_names_in_paths() {
    let text = |ty: &str| {
        let fields: Vec<String> = (0..20_000).map(|i| field(&format!("f{i}"), &format!("[{ty}]"), None)).collect();
        record("T", &[field(&"n".repeat(300_000), &record("U", &fields), None)])
    };
    let plan = resolve_soon(&text(r#""int""#), &text(r#""string""#)).unwrap();
    assert_eq!(fails(&plan), 20_000);
    let found = compatibility(&plan.writer, &plan.reader, &ResolutionRules::default());
    assert_eq!(found.differences.len(), 1_000);
    assert!(found.differences.iter().all(|d| d.reader_path.len() < 1_100 && d.reader_path.starts_with("$.nnn")));
}

/// Variants that lack a field for each of many items: what is looked at is paid, whether or not a value comes of it.
#[test]
fn defaults_that_fail_again_and_again() {
    let wide: Vec<String> = (0..10_000).map(|i| field(&format!("f{i}"), r#""int""#, None)).collect();
    let items = format!(r#"{{"type":"array","items":[{},{{"type":"map","values":"int"}}]}}"#, record("W", &wide));
    let default = format!("[{}]", ["{}"; 20_000].join(","));
    let error = resolve_soon(&record("T", &[]), &record("T", &[field("d", &items, Some(&default))])).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

#[test]
fn integers_of_every_width() {
    use reschema_schema::default::literal;
    use reschema_schema::json::Json;
    use reschema_schema::model::{IntType, Shape, Type, TypeId};
    let fits = |bits, signed, text: &str| {
        let schema = Schema::from_parts(vec![Type::plain(Shape::Int(IntType { bits, signed }))], TypeId(0), Vec::new());
        literal(&schema, TypeId(0), &Json::Number(text.into())).is_ok()
    };
    assert!(fits(8, true, "-128") && !fits(8, true, "128") && !fits(8, false, "-1") && fits(8, false, "255"));
    assert!(fits(64, false, "18446744073709551615") && !fits(64, false, "18446744073709551616"));
    let (least, most) = (i128::MIN.to_string(), i128::MAX.to_string());
    assert!(fits(128, true, &least) && fits(128, true, &most) && fits(128, false, &most) && !fits(128, false, "-1"));
}
