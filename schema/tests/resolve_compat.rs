//! Each kind of difference, each rule and each warning, one small pair of schemas at a time.

use reschema_schema::Schema;
use reschema_schema::default::literal;
use reschema_schema::json::Json;
use reschema_schema::literal::Literal;
use reschema_schema::plan::{FieldSource, Node, Plan};
use reschema_schema::resolve::{
    Compatibility, DecimalRule, LogicalRule, ResolutionRules, TypeNames, UnionMatch, compatibility, resolve,
};

fn parse(text: &str) -> Schema {
    Schema::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn compare_by(writer: &str, reader: &str, rules: &ResolutionRules) -> Compatibility {
    compatibility(&parse(writer), &parse(reader), rules)
}

fn plan(writer: &str, reader: &str, rules: &ResolutionRules) -> Plan {
    resolve(&parse(writer), &parse(reader), rules).unwrap_or_else(|e| panic!("{e}"))
}

/// The differences as lines of kind, writer path and reader path.
fn check(writer: &str, reader: &str, expect: &[&str]) {
    let found = compare_by(writer, reader, &ResolutionRules::default());
    let lines: Vec<String> =
        found.differences.iter().map(|d| format!("{} {} {}", d.kind.as_str(), d.writer_path, d.reader_path)).collect();
    assert_eq!(lines, expect, "{found}");
    assert_eq!(found.is_compatible(), expect.is_empty());
}

/// A record R of one field f.
fn rec(ty: &str) -> String {
    format!(r#"{{"type":"record","name":"R","fields":[{{"name":"f","type":{ty}}}]}}"#)
}

fn decimal(precision: u32, scale: u32) -> String {
    format!(r#"{{"type":"bytes","logicalType":"decimal","precision":{precision},"scale":{scale}}}"#)
}

const MILLIS: &str = r#"{"type":"long","logicalType":"timestamp-millis"}"#;
const MICROS: &str = r#"{"type":"long","logicalType":"timestamp-micros"}"#;

#[test]
fn types_and_promotions() {
    check(&rec(r#""string""#), &rec(r#""int""#), &["TYPE_MISMATCH $.f $.f"]);
    check(&rec(r#""long""#), &rec(r#""int""#), &["TYPE_MISMATCH $.f $.f"]);
    check(&rec(r#""int""#), &rec(r#""double""#), &[]);
    check(&rec(r#""bytes""#), &rec(r#""string""#), &[]);
    let (list, map) = (r#"{"type":"array","items":"string"}"#, r#"{"type":"map","values":"int"}"#);
    check(list, map, &["TYPE_MISMATCH $ $"]);
    check(list, &list.replace("string", "int"), &["TYPE_MISMATCH $[] $[]"]);
    check(map, &map.replace("int", "null"), &["TYPE_MISMATCH ${} ${}"]);
}

#[test]
fn every_difference_is_listed() {
    let writer = r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":"string"}]}"#;
    let reader = r#"{"type":"record","name":"R","fields":[
        {"name":"c","type":"int"},{"name":"b","type":"null"},{"name":"a","type":"boolean"}]}"#;
    let expect = ["READER_FIELD_MISSING_DEFAULT_VALUE $ $.c", "TYPE_MISMATCH $.a $.a", "TYPE_MISMATCH $.b $.b"];
    check(writer, reader, &expect);
    let error = resolve(&parse(writer), &parse(reader), &ResolutionRules::default()).unwrap_err();
    assert_eq!(error.class(), "default");
    let text = error.to_string();
    assert!(text.contains("TYPE_MISMATCH at reader $.a, writer $.a: expected boolean, found int"), "{text}");
}

#[test]
fn names_of_types() {
    let named = |kind: &str, name: &str| match kind {
        "fixed" => format!(r#"{{"type":"fixed","name":"{name}","size":2}}"#),
        "enum" => format!(r#"{{"type":"enum","name":"{name}","symbols":["A"]}}"#),
        _ => format!(r#"{{"type":"record","name":"{name}","fields":[]}}"#),
    };
    for kind in ["fixed", "enum", "record"] {
        check(&named(kind, "X"), &named(kind, "Y"), &["NAME_MISMATCH $ $"]);
        check(&named(kind, "n.X"), &named(kind, "m.X"), &[]);
        let full = ResolutionRules::default().type_names(TypeNames::FullOrAlias);
        assert!(!compare_by(&named(kind, "n.X"), &named(kind, "m.X"), &full).is_compatible());
        let ignore = ResolutionRules::default().type_names(TypeNames::IgnoreRecordNames);
        assert_eq!(compare_by(&named(kind, "X"), &named(kind, "Y"), &ignore).is_compatible(), kind == "record");
    }
    let alias = r#"{"type":"record","name":"Y","aliases":["n.X"],"fields":[]}"#;
    check(&named("record", "n.X"), alias, &[]);
    check(&named("record", "m.X"), alias, &["NAME_MISMATCH $ $"]);
}

#[test]
fn sizes_of_fixed() {
    let fixed = |size: u32| format!(r#"{{"type":"fixed","name":"F","size":{size}}}"#);
    check(&fixed(4), &fixed(8), &["FIXED_SIZE_MISMATCH $ $"]);
}

#[test]
fn symbols_of_enums() {
    let writer = r#"{"type":"enum","name":"E","symbols":["A","B","C"]}"#;
    let reader = r#"{"type":"enum","name":"E","symbols":["C","D"]}"#;
    check(writer, reader, &["MISSING_ENUM_SYMBOLS $ $"]);
    let found = compare_by(writer, reader, &ResolutionRules::default());
    assert!(found.differences[0].message.contains("A, B"), "{found}");
    check(writer, r#"{"type":"enum","name":"E","symbols":["C","D"],"default":"D"}"#, &[]);
    let plan = plan(writer, reader, &ResolutionRules::default());
    assert!(matches!(plan.node(plan.root), Node::Enum { symbols, .. } if **symbols == [None, None, Some(0)]));
}

#[test]
fn branches_of_unions() {
    let taken = r#"["null","string"]"#;
    check(&rec(taken), &rec(r#""string""#), &["MISSING_UNION_BRANCH $.f<null> $.f", "TYPE_MISMATCH $.f<null> $.f"]);
    check(&rec(r#""int""#), &rec(taken), &["MISSING_UNION_BRANCH $.f $.f"]);
    check(&rec(r#"["null","int"]"#), &rec(taken), &["MISSING_UNION_BRANCH $.f<int> $.f"]);
    check(&rec(r#""string""#), &rec(taken), &[]);
    // A union resolves even when no branch does: the error belongs to the datum.
    let plan = plan(r#"["int"]"#, r#""string""#, &ResolutionRules::default());
    let Node::FromUnion { variants, .. } = plan.node(plan.root) else { panic!("{plan:?}") };
    assert!(matches!(plan.node(variants[0]), Node::Fail { mismatches, .. } if mismatches.len() == 1));
}

#[test]
fn choice_of_a_branch() {
    let chosen = |union_match| {
        let rules = ResolutionRules::default().union_match(union_match);
        let plan = plan(r#""int""#, r#"["long","int"]"#, &rules);
        let Node::IntoUnion { variant, .. } = plan.node(plan.root) else { panic!("{plan:?}") };
        *variant
    };
    assert_eq!(chosen(UnionMatch::ExactFirst), 1);
    assert_eq!(chosen(UnionMatch::FirstMatch), 0);
}

#[test]
fn a_full_name_wins_over_an_alias_and_an_alias_over_a_short_name() {
    let reader = |names: [&str; 3]| {
        let records = names.map(|n| format!(r#"{{"type":"record","fields":[],{n}}}"#));
        format!("[{}]", records.join(","))
    };
    let (short, alias, full) = (r#""name":"m.X""#, r#""name":"Y","aliases":["n.X"]"#, r#""name":"n.X""#);
    let chosen = |names| {
        let writer = r#"{"type":"record","name":"n.X","fields":[]}"#;
        let plan = plan(writer, &reader(names), &ResolutionRules::default());
        let Node::IntoUnion { variant, .. } = plan.node(plan.root) else { panic!("{plan:?}") };
        *variant
    };
    assert_eq!(chosen([short, alias, full]), 2);
    assert_eq!(chosen([short, alias, r#""name":"Z""#]), 1);
    assert_eq!(chosen([r#""name":"Z""#, short, r#""name":"ZZ""#]), 1);
}

#[test]
fn aliases_of_fields() {
    let writer = r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":"int"}]}"#;
    let reader = |fields: &str| format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#);
    check(writer, &reader(r#"{"name":"x","aliases":["a"],"type":"int"}"#), &[]);
    let two = r#"{"name":"x","aliases":["a","b"],"type":"int"}"#;
    check(writer, &reader(two), &["AMBIGUOUS_ALIAS $ $.x"]);
    let twice = r#"{"name":"x","aliases":["a"],"type":"int"},{"name":"y","aliases":["a"],"type":"int"}"#;
    check(writer, &reader(twice), &["AMBIGUOUS_ALIAS $ $"]);
    // The exact name wins: the alias has nothing left to name.
    let exact = r#"{"name":"a","type":"int"},{"name":"y","aliases":["a"],"type":"int","default":7}"#;
    let plan = plan(writer, &reader(exact), &ResolutionRules::default());
    let Node::Record { fields, .. } = plan.node(plan.root) else { panic!("{plan:?}") };
    assert!(matches!(fields[..], [FieldSource::Written { index: 0, .. }, FieldSource::Default(Literal::Int(7))]));
}

#[test]
fn defaults() {
    let writer = r#"{"type":"record","name":"R","fields":[]}"#;
    let reader = |ty: &str, default: &str| {
        format!(r#"{{"type":"record","name":"R","fields":[{{"name":"f","type":{ty},"default":{default}}}]}}"#)
    };
    check(writer, &rec(r#""int""#), &["READER_FIELD_MISSING_DEFAULT_VALUE $ $.f"]);
    check(writer, &reader(r#""int""#, "1"), &[]);
    check(writer, &reader(r#""int""#, r#""1""#), &["INVALID_DEFAULT $ $.f"]);
    // A default that is not needed is not judged.
    check(&rec(r#""int""#), &reader(r#""int""#, r#""1""#), &[]);
}

#[test]
fn literals_of_defaults() {
    let check = |ty: &str, json: &str, expect: Option<Literal>| {
        let schema = parse(ty);
        let found = literal(&schema, schema.root(), &Json::parse(json).unwrap());
        assert_eq!(found.ok(), expect, "{json} as {ty}");
    };
    let union = |i, value| Some(Literal::Union(i, Box::new(value)));
    check(r#"["int","long"]"#, "5000000000", union(1, Literal::Int(5_000_000_000)));
    check(r#"["int","double"]"#, "1.5", union(1, Literal::Float64(1.5f64.to_bits())));
    check(r#"[{"type":"enum","name":"E","symbols":["a"]},"string"]"#, r#""z""#, union(1, Literal::Text("z".into())));
    check(r#""long""#, "9007199254740993", Some(Literal::Int(9_007_199_254_740_993)));
    check(r#""int""#, "2147483648", None);
    check(r#""int""#, "1.0", None);
    check(r#""int""#, "1e3", None);
    // Half way between two floats, plus one that a double cannot hold: by way of a double it would round down.
    check(r#""float""#, "9007199791611905", Some(Literal::Float32(0x5a00_0001)));
    check(r#""float""#, "3.5e38", None);
    check(r#""float""#, r#""-Infinity""#, Some(Literal::Float32(0xff80_0000)));
    check(r#""double""#, r#""NaN""#, Some(Literal::Float64(0x7ff8_0000_0000_0000)));
    check(r#""double""#, "1e999", None);
    check(r#""bytes""#, r#""\u00ff\u0001""#, Some(Literal::Bytes(vec![0xff, 1])));
    check(r#""bytes""#, r#""\u0100""#, None);
    check(r#"{"type":"fixed","name":"F","size":2}"#, r#""a""#, None);
    check(&rec(r#""int""#), r#"{"f":1,"g":2}"#, None);
    check(&rec(r#""int""#), "{}", None);
    let endless = r#"{"type":"record","name":"R","fields":[{"name":"f","type":"R","default":{}}]}"#;
    check(endless, "{}", None);
    let entry = |k: &str, v| (Literal::Text(k.into()), Literal::Int(v));
    check(
        r#"{"type":"map","values":"int"}"#,
        r#"{"b":1,"a":2}"#,
        Some(Literal::Map(vec![entry("b", 1), entry("a", 2)])),
    );
}

#[test]
fn decimals() {
    check(&rec(&decimal(4, 2)), &rec(&decimal(9, 2)), &[]);
    check(&rec(&decimal(4, 2)), &rec(&decimal(9, 3)), &["DECIMAL_MISMATCH $.f $.f"]);
    check(&rec(&decimal(4, 2)), &rec(&decimal(3, 2)), &["DECIMAL_MISMATCH $.f $.f"]);
    check(&rec(&decimal(4, 2)), &rec(&format!(r#"["null",{}]"#, decimal(9, 3))), &["DECIMAL_MISMATCH $.f $.f"]);
    let raw = ResolutionRules::default().decimal(DecimalRule::Raw);
    let found = compare_by(&rec(&decimal(4, 2)), &rec(&decimal(9, 3)), &raw);
    assert!(found.is_compatible() && found.warnings.len() == 1, "{found}");
}

#[test]
fn the_rule_for_decimals_holds_where_other_logical_types_are_errors() {
    let rules = ResolutionRules::default().decimal(DecimalRule::Raw).logical(LogicalRule::Error);
    let found = compare_by(&rec(&decimal(4, 2)), &rec(&decimal(9, 3)), &rules);
    assert!(found.is_compatible() && found.warnings.len() == 1, "{found}");
}

#[test]
fn warnings_of_logical_types() {
    let warned = |writer: &str, reader: &str| {
        let found = compare_by(&rec(writer), &rec(reader), &ResolutionRules::default());
        assert!(found.is_compatible(), "{found}");
        found.warnings.iter().map(|w| format!("{} {}", w.writer_path, w.reader_path)).collect::<Vec<_>>()
    };
    assert_eq!(warned(MILLIS, MILLIS), [""; 0]);
    assert_eq!(warned(MILLIS, MICROS), ["$.f $.f"]);
    let text = compare_by(MILLIS, MICROS, &ResolutionRules::default()).to_string();
    assert!(text.contains("written as timestamp-millis, wanted as timestamp-micros"), "{text}");
    assert_eq!(warned(MILLIS, r#""long""#), ["$.f $.f"]);
    assert_eq!(warned(r#"{"type":"int","logicalType":"date"}"#, MILLIS), ["$.f $.f"]);
    assert_eq!(warned(&decimal(4, 2), r#""bytes""#), ["$.f $.f"]);
    assert_eq!(warned(&decimal(4, 2), &decimal(5, 2)), [""; 0]);
    assert_eq!(warned(&format!(r#"["null",{MILLIS}]"#), &format!(r#"["null",{MICROS}]"#)), ["$.f<long> $.f<long>"]);
}

#[test]
fn logical_types_may_be_errors() {
    let rules = ResolutionRules::default().logical(LogicalRule::Error);
    let found = compare_by(&rec(MILLIS), &rec(MICROS), &rules);
    assert_eq!(found.differences[0].kind.as_str(), "LOGICAL_TYPE_MISMATCH");
    assert!(found.warnings.is_empty(), "{found}");
    // Below a union that has no use for the value nothing is read raw, so nothing is warned of.
    let found = compare_by(&rec(&format!("[{MILLIS}]")), &rec(r#""string""#), &ResolutionRules::default());
    assert!(found.warnings.is_empty(), "{found}");
}

/// What fails is not read, so it gives no warning beside its error.
#[test]
fn no_warning_for_what_fails() {
    let two = |a: &str, b: &str| {
        format!(
            r#"["null",{{"type":"record","name":"R","fields":[{{"name":"a","type":{a}}},{{"name":"b","type":{b}}}]}}]"#
        )
    };
    let found = compare_by(&two(MILLIS, r#""string""#), &two(MICROS, r#""int""#), &ResolutionRules::default());
    assert!(!found.is_compatible());
    assert!(found.warnings.is_empty(), "{found}");
}

#[test]
fn recursion_resolves_and_fails() {
    let tree = |leaf: &str, next: &str| {
        format!(
            r#"{{"type":"record","name":"T","fields":[{{"name":"next","type":{next}}},{{"name":"v","type":{leaf}}}]}}"#
        )
    };
    let (list, nullable) = (r#"{"type":"array","items":"T"}"#, r#"["null","T"]"#);
    check(&tree(r#""int""#, nullable), &tree(r#""long""#, nullable), &[]);
    check(&tree(r#""int""#, list), &tree(r#""string""#, list), &["TYPE_MISMATCH $.v $.v"]);
    check(&tree(r#""int""#, nullable), &tree(r#""string""#, nullable), &["TYPE_MISMATCH $.v $.v"]);
}

/// B relies on A, which fails only after B was taken to resolve: B must fail too.
#[test]
fn a_pair_that_relied_on_one_that_fails() {
    let text = |leaf: &str| {
        format!(
            r#"["null",{{"type":"record","name":"A","fields":[
                {{"name":"b","type":["null",{{"type":"record","name":"B","fields":[{{"name":"a","type":"A"}}]}}]}},
                {{"name":"v","type":{leaf}}}]}},"B"]"#
        )
    };
    let plan = plan(&text(r#""int""#), &text(r#""string""#), &ResolutionRules::default());
    let Node::FromUnion { variants, .. } = plan.node(plan.root) else { panic!("{plan:?}") };
    let fails: Vec<bool> = variants.iter().map(|v| matches!(plan.node(*v), Node::Fail { .. })).collect();
    assert_eq!(fails, [false, true, true]);
}

#[test]
fn compatibility_for_people() {
    let found = compare_by(&rec(r#"["null","string"]"#), &rec(r#""string""#), &ResolutionRules::default());
    let text = found.to_string();
    assert!(text.starts_with("incompatible"), "{text}");
    assert!(text.contains("expected string, found null"), "{text}");
    let same = compare_by(&rec(r#""int""#), &rec(r#""int""#), &ResolutionRules::default());
    assert_eq!(same.to_string(), "compatible");
}
