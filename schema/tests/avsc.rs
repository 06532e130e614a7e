//! The Avro schema language: what is refused with which words, what is kept, several files, canonical form.

use reschema_schema::avro::{Names, Parser};
use reschema_schema::model::{Logical, Shape, TimeUnit, ZoneKind};
use reschema_schema::{Schema, SchemaError};

fn faults(text: &str) -> Vec<(String, String)> {
    let e = Schema::parse(text).expect_err(text);
    e.faults.into_iter().map(|f| (f.path, f.message)).collect()
}

#[test]
fn every_fault_is_named_with_its_path() {
    let found = faults(
        r#"{"type":"record","name":"R","fields":[
            {"name":"a-b","type":"int"},
            {"name":"b","type":"Unknown"},
            {"name":"c","type":["null","null"]},
            {"name":"d","type":{"type":"fixed","name":"F","size":-1}},
            {"name":"e","type":{"type":"enum","name":"E","symbols":["X","X"]}},
            {"name":"e","type":{"type":"array"}},
            7]}"#,
    );
    let paths: Vec<&str> = found.iter().map(|(p, _)| p.as_str()).collect();
    assert_eq!(
        paths,
        [
            "$.fields[0]",
            "$.fields[1].type",
            "$.fields[2].type[1]",
            "$.fields[3].type",
            "$.fields[4].type",
            "$.fields[5]",
            "$.fields[5].type",
            "$.fields[6]"
        ],
        "{found:?}"
    );
    assert!(found[1].1.contains("unknown type Unknown"));
}

#[test]
fn what_is_not_json_says_where() {
    assert!(faults("{\"type\":").iter().any(|(_, m)| m.contains("line 1")));
    let deep = "[".repeat(100_000);
    assert_eq!(faults(&deep).len(), 1);
    let closed = format!("{}\"int\"{}", r#"{"type":"array","items":"#.repeat(50_000), "}".repeat(50_000));
    assert!(faults(&closed)[0].1.contains("256 levels"));
}

#[test]
fn everything_is_kept_and_printed_back() {
    let text = r#"{"type":"record","name":"R","namespace":"a.b","doc":"text","aliases":["Old","c.Other"],"fields":[{"name":"x","type":{"type":"long","logicalType":"timestamp-micros","unit":"µs"},"default":9007199254740993,"doc":"d","aliases":["y"],"order":"descending","x-id":1.50},{"name":"e","type":{"type":"enum","name":"E","namespace":"","symbols":["A","B"],"default":"B"}},{"name":"again","type":["null",{"type":"array","items":"R"}]}],"owner":{"b":1,"a":[2]}}"#;
    let schema = Schema::parse(text).expect("a schema");
    let printed = schema.to_avro_string().expect("Avro");
    for part in ["9007199254740993", "1.50", "µs", r#"{"b":1,"a":[2]}"#, r#""aliases":["Old","c.Other"]"#, "descending"]
    {
        assert!(printed.contains(part), "{part} in {printed}");
    }
    assert_eq!(Schema::parse(&printed).expect("a schema"), schema);
    assert_eq!(Schema::parse(&schema.to_avro_json().expect("Avro").pretty()).expect("a schema"), schema);
}

#[test]
fn namespaces() {
    let schema = Schema::parse(
        r#"{"type":"record","name":"R","namespace":"outer","fields":[
            {"name":"a","type":{"type":"fixed","name":"in.F","namespace":"ignored","size":1}},
            {"name":"b","type":{"type":"fixed","name":"G","size":1}},
            {"name":"c","type":{"type":"fixed","name":"H","namespace":"","size":1}}]}"#,
    )
    .expect("a schema");
    let names: Vec<String> =
        schema.types().iter().filter_map(|t| t.shape.naming()).map(|n| n.name.to_string()).collect();
    assert_eq!(names, ["outer.R", "in.F", "outer.G", "H"]);
}

fn logical(text: &str) -> (Option<Logical>, usize) {
    let schema = Schema::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    (schema.get(schema.root()).logical.clone(), schema.warnings().len())
}

#[test]
fn logical_types() {
    let of = |ty: &str, l: &str| logical(&format!(r#"{{"type":"{ty}","logicalType":"{l}"}}"#));
    let stamp = |u, z| (Some(Logical::Timestamp(u, z)), 0);
    assert_eq!(of("int", "date"), (Some(Logical::Date), 0));
    assert_eq!(of("int", "time-millis"), (Some(Logical::Time(TimeUnit::Milli)), 0));
    assert_eq!(of("long", "time-micros"), (Some(Logical::Time(TimeUnit::Micro)), 0));
    assert_eq!(of("long", "timestamp-nanos"), stamp(TimeUnit::Nano, ZoneKind::Utc));
    assert_eq!(of("long", "local-timestamp-millis"), stamp(TimeUnit::Milli, ZoneKind::Local));
    assert_eq!(of("string", "uuid"), (Some(Logical::Uuid), 0));
    assert_eq!(of("bytes", "big-decimal"), (Some(Logical::BigDecimal), 0));
    // Ill-placed, unknown, incomplete: ignored, and said so.
    assert_eq!(of("long", "date"), (None, 1));
    assert_eq!(of("int", "no-such-type"), (None, 1));
    assert_eq!(of("bytes", "decimal"), (None, 1));
    let fixed = |size: u32, rest: &str| logical(&format!(r#"{{"type":"fixed","name":"F","size":{size},{rest}}}"#));
    assert_eq!(fixed(16, r#""logicalType":"uuid""#).0, Some(Logical::Uuid));
    assert_eq!(fixed(12, r#""logicalType":"duration""#).0, Some(Logical::Duration));
    assert_eq!(fixed(11, r#""logicalType":"duration""#).0, None);
    let decimal = |size, p| fixed(size, &format!(r#""logicalType":"decimal","precision":{p},"scale":1"#)).0.is_some();
    assert!(decimal(4, 9) && !decimal(4, 10), "a fixed of 4 bytes holds 9 digits");
    assert!(decimal(16, 38) && !decimal(16, 39));
}

/// What is read but has no effect is told.
#[test]
fn what_is_dropped_is_told() {
    let schema = Schema::parse(
        r#"{"type":"record","name":"R","doc":7,"fields":[
            {"name":"a","type":{"type":{"type":"long"},"logicalType":"timestamp-millis"}},
            {"name":"b","type":["null",{"type":"R","doc":"d","x":1}],"doc":[],"order":"up"}]}"#,
    )
    .expect("a schema");
    let told: Vec<String> = schema.warnings().iter().map(|w| format!("{} {}", w.path, w.message)).collect();
    assert_eq!(
        told,
        [
            "$ doc ignored: 7",
            "$.fields[0].type ignored beside the type itself: logicalType",
            "$.fields[1].type[1] ignored beside the type itself: doc, x",
            r#"$.fields[1] order ignored: "up""#,
            "$.fields[1] doc ignored: []",
        ]
    );
}

#[test]
fn an_ignored_annotation_is_not_lost() {
    let text = r#"{"type":"bytes","logicalType":"decimal","precision":2,"scale":3}"#;
    let schema = Schema::parse(text).expect("a schema");
    assert_eq!(schema.to_avro_string().expect("Avro"), text);
}

#[test]
fn several_files() {
    let a = r#"{"type":"record","name":"n.A","fields":[{"name":"b","type":"B"},{"name":"all","type":{"type":"array","items":"n.C"}}]}"#;
    let b = r#"{"type":"enum","name":"n.B","symbols":["X"]}"#;
    let c = r#"{"type":"record","name":"n.C","fields":[{"name":"a","type":["null","A"]}]}"#;
    let schemas = Parser::new().parse_many(&[("a", a), ("b", b), ("c", c)]).expect("schemas");
    let whole = schemas[0].to_avro_string().expect("Avro");
    assert_eq!(Schema::parse(&whole).expect("stands alone").canonical_form(), schemas[0].canonical_form());
    let e = Parser::new().parse_many(&[("a", a), ("c", c)]).expect_err("B is missing");
    assert_eq!((e.faults.len(), e.faults[0].path.as_str()), (1, "a: $.fields[0].type"));
    assert!(e.faults[0].message.contains("n.B"));
}

fn lenient(text: &str) -> Result<Schema, SchemaError> {
    Parser::new().names(Names::Lenient).parse(text)
}

fn root_name(schema: &Schema) -> String {
    schema.get(schema.root()).shape.naming().expect("a named type").name.to_string()
}

#[test]
fn a_union_is_judged_when_all_its_types_are_known() {
    let a = r#"{"type":"record","name":"n.A","fields":[{"name":"u","type":["null","B",{"type":"array","items":"n.B"},"n.B"]}]}"#;
    let b = r#"{"type":"fixed","name":"n.B","size":1}"#;
    for texts in [[("a", a), ("b", b)], [("b", b), ("a", a)]] {
        let e = Parser::new().parse_many(&texts).expect_err("B twice");
        assert_eq!(e.to_string(), "a: $.fields[0].type[3]: two variants n.B in a union");
    }
    // What is unknown is told as that, and not as a union's fault too.
    let e = Parser::new().parse_many(&[("a", a), ("c", r#""int""#)]).expect_err("no B");
    assert_eq!(e.to_string(), "a: $.fields[0].type[1]: unknown type n.B");
}

/// Types, warnings and equality of a schema are those of what its own root reaches.
#[test]
fn each_of_several_schemas_holds_what_it_reaches() {
    let a = r#"{"type":"record","name":"A","fields":[{"name":"b","type":"B"},{"name":"x","type":{"type":"long","logicalType":"x"}}]}"#;
    let b = r#"{"type":"record","name":"B","fields":[{"name":"y","type":{"type":"int","logicalType":"y"}},{"name":"b","type":["null","B"]}]}"#;
    let c = r#"[{"type":"int","logicalType":"z"},"B"]"#;
    let all = Parser::new().parse_many(&[("a", a), ("b", b), ("c", c)]).expect("schemas");
    let places = |s: &Schema| s.warnings().iter().map(|w| w.path.clone()).collect::<Vec<_>>();
    assert_eq!(places(&all[0]), ["a: $.fields[1].type", "b: $.fields[0].type"]);
    assert_eq!(places(&all[1]), ["b: $.fields[0].type"]);
    assert_eq!(places(&all[2]), ["b: $.fields[0].type", "c: $[0]"]);
    let alone = Schema::parse(b).expect("a schema");
    assert_eq!(all[1], alone);
    assert_eq!(all[1].content_key(), alone.content_key());
    assert_eq!(all[1].types(), alone.types());
    assert!(all[1].lookup(all[0].get(all[0].root()).shape.naming().map(|n| &n.name).expect("A")).is_none());
}

/// With lenient names a bare name means its own namespace first, wherever that is defined.
#[test]
fn the_order_of_several_texts_does_not_count() {
    let user = r#"{"type":"record","name":"n.R","fields":[{"name":"a","type":"A"},{"name":"b","type":"B"}]}"#;
    let null = r#"[{"type":"fixed","name":"A","size":1},{"type":"fixed","name":"B","size":1}]"#;
    let own = r#"{"type":"fixed","name":"n.A","size":2}"#;
    let texts = [("user", user), ("null", null), ("own", own)];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let given = order.map(|i| texts[i]);
        let all = Parser::new().names(Names::Lenient).parse_many(&given).expect("schemas");
        let at = order.iter().position(|i| *i == 0).expect("the user");
        let names: Vec<String> =
            all[at].types().iter().filter_map(|t| t.shape.naming()).map(|n| n.name.to_string()).collect();
        assert_eq!(names, ["n.R", "n.A", "B"], "{order:?}");
        assert_eq!(all[at].warnings()[0].message, "n.B is not defined; B of the null namespace is taken");
        assert!(Parser::new().parse_many(&given).is_err());
    }
}

/// On the stack of an ordinary thread.
#[test]
fn a_chain_through_many_texts() {
    const MANY: usize = 5_000;
    let text = |i: usize| format!(r#"{{"type":"record","name":"R{i}","fields":[{{"name":"r","type":"R{}"}}]}}"#, i + 1);
    let mut chain: Vec<String> = (0..MANY).map(text).collect();
    let missing: Vec<(&str, &str)> = chain.iter().map(|t| ("x", t.as_str())).collect();
    let e = Parser::new().parse_many(&missing[MANY - 10..]).expect_err("the last");
    assert_eq!(e.faults.len(), 1);
    // One root, so that there are not five thousand schemas of up to five thousand types.
    let whole = format!(r#"[{},{{"type":"fixed","name":"R{MANY}","size":1}}]"#, chain[1..].join(","));
    chain.truncate(1);
    let schemas = Parser::new().parse_many(&[("a", &chain[0]), ("b", &whole)]).expect("schemas");
    assert_eq!(schemas[0].types().len(), MANY + 1);
}

/// A hostile text may have a fault in every few bytes.
#[test]
fn faults_are_capped() {
    let texts = [
        format!("[{}7]", "7,".repeat(200_000)),
        format!(r#"{{"type":"record","name":"R","fields":[{}7]}}"#, "7,".repeat(200_000)),
        format!(r#"{{"type":"enum","name":"E","symbols":[{}"-"]}}"#, r#""-","#.repeat(200_000)),
        format!(r#"[{}"int"]"#, r#""int","#.repeat(200_000)),
    ];
    for text in texts {
        let e = Schema::parse(&text).expect_err("faults");
        assert_eq!((e.faults.len(), e.more), (100, true), "{:.60}", text);
        assert!(e.to_string().ends_with("and at least 80 more"));
    }
    let e = Schema::parse(r#"[7]"#).expect_err("one fault");
    assert_eq!((e.faults.len(), e.more), (1, false));
    let texts = vec![("t", "{"); 1_000];
    assert_eq!(Parser::new().parse_many(&texts).expect_err("no JSON").faults.len(), 100);
}

#[test]
fn warnings_are_capped_and_messages_short() {
    let odd = r#"{"type":"map","values":"int","logicalType":"x"}"#;
    let fields: Vec<String> = (0..5_000).map(|i| format!(r#"{{"name":"f{i}","type":{odd}}}"#)).collect();
    let text = format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, fields.join(","));
    let schema = Schema::parse(&text).expect("a schema");
    assert_eq!(schema.warnings().len(), 1_001);
    assert!(schema.warnings()[1_000].message.contains("more warnings"));
    let long = format!(r#""{}""#, "x".repeat(1 << 20));
    assert!(faults(&long)[0].1.len() < 1_000);
}

#[test]
fn names_outside_the_specification() {
    let text = r#"{"type":"record","name":"R$x","fields":[{"name":"n-me","type":"int"},{"name":"a.b","type":"int"}]}"#;
    assert_eq!(faults(text).len(), 3);
    assert!(lenient(text).is_ok());
}

#[test]
fn names_are_limited_in_length() {
    let of = |n: usize| format!(r#"{{"type":"fixed","name":"{}.F","size":1}}"#, "n".repeat(n - 2));
    assert!(Schema::parse(&of(1024)).is_ok());
    assert!(faults(&of(1025))[0].1.starts_with("a name longer than 1024 bytes: nnn"));
    assert!(Parser::new().max_name(2000).parse(&of(1025)).is_ok());
}

/// Strictly a name has no empty part. Leniently the last dot ends the namespace, as in Java without validation.
#[test]
fn names_with_empty_parts() {
    for (name, means) in [(".A", "A"), ("a..B", "a..B"), ("A.", "A."), ("", ""), (".", ""), ("..A", "..A")] {
        let text = format!(r#"{{"type":"fixed","name":"{name}","size":1}}"#);
        assert_eq!(faults(&text), [("$".into(), format!("not a name: {name:?}"))]);
        assert_eq!(root_name(&lenient(&text).expect("lenient")), means);
    }
    for namespace in [".a", "a.", "a..b", "."] {
        let text = format!(r#"{{"type":"fixed","name":"F","namespace":"{namespace}","size":1}}"#);
        assert_eq!(faults(&text), [("$".into(), format!("not a namespace: {namespace:?}"))]);
        assert_eq!(root_name(&lenient(&text).expect("lenient")), format!("{namespace}.F"));
    }
    let text =
        r#"[{"type":"fixed","name":"A","size":1},{"type":"record","name":"n.R","fields":[{"name":"a","type":".A"}]}]"#;
    assert_eq!(faults(text), [("$[1].fields[0].type".into(), r#"not a name: ".A""#.into())]);
    assert_eq!(lenient(text).expect("lenient").warnings(), []);
}

/// "If a dot-containing name is given, the namespace is ignored" (Avro 1.12, "Names").
#[test]
fn the_namespace_beside_a_name_with_a_dot_is_not_judged() {
    for namespace in [r#""no name!""#, r#""a..b""#, "7", "null"] {
        let text = format!(r#"{{"type":"fixed","name":"n.F","namespace":{namespace},"size":1}}"#);
        assert_eq!(root_name(&Schema::parse(&text).expect("a schema")), "n.F");
        assert_eq!(faults(&text.replace("n.F", "F")).len(), 1);
    }
}

/// A bad namespace is told where it is written, not at each name inside it.
#[test]
fn a_bad_namespace_is_told_once() {
    let found = faults(
        r#"{"type":"record","name":"R","namespace":"a b","fields":[
            {"name":"x","type":{"type":"fixed","name":"F","size":1}},{"name":"y","type":"F"}]}"#,
    );
    assert_eq!(found, [("$".into(), r#"not a namespace: "a b""#.into())]);
}

#[test]
fn types_are_limited() {
    let union = format!(
        "[{}]",
        (0..50).map(|i| format!(r#"{{"type":"fixed","name":"F{i}","size":1}}"#)).collect::<Vec<_>>().join(",")
    );
    assert!(Parser::new().max_types(20).parse(&union).is_err());
    assert!(Parser::new().max_types(100).parse(&union).is_ok());
}

#[test]
fn records_that_contain_themselves_are_told() {
    let text = r#"{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}"#;
    let schema = Schema::parse(text).expect("legal where it does not occur");
    assert_eq!(schema.infinite_types(), [schema.root()]);
    assert!(schema.warnings()[0].message.contains("no finite value"));
    let list =
        Schema::parse(r#"{"type":"record","name":"R","fields":[{"name":"r","type":["null","R"]}]}"#).expect("a list");
    assert!(list.infinite_types().is_empty());
}

#[test]
fn canonical_form_and_fingerprints() {
    let cases = [
        (r#"{"type":"int","x":1}"#, r#""int""#),
        (r#"{"type":"array","items":{"type":"long","logicalType":"date"}}"#, r#"{"type":"array","items":"long"}"#),
        (
            r#"{"doc":"d","fields":[{"default":1,"type":{"type":"fixed","size": 4,"name":"F"},"name":"a","aliases":["z"]},{"name":"b","type":"F"}],"namespace":"n","type":"record","name":"R"}"#,
            r#"{"name":"n.R","type":"record","fields":[{"name":"a","type":{"name":"n.F","type":"fixed","size":4}},{"name":"b","type":"n.F"}]}"#,
        ),
        (
            r#"{"type":"enum","symbols":["A"],"default":"A","name":"E"}"#,
            r#"{"name":"E","type":"enum","symbols":["A"]}"#,
        ),
        (r#"{"type":"error","name":"X","fields":[]}"#, r#"{"name":"X","type":"record","fields":[]}"#),
    ];
    for (text, want) in cases {
        assert_eq!(Schema::parse(text).expect(text).canonical_form().expect("Avro"), want);
    }
    let int = Schema::parse("\"int\"").expect("a schema");
    assert_eq!(int.fingerprint_rabin().expect("Avro"), 0x7275_d51a_3f39_5c8f);
    let hex = |b: &[u8]| b.iter().map(|x| format!("{x:02x}")).collect::<String>();
    assert_eq!(hex(&int.fingerprint_md5().expect("Avro")), "ef524ea1b91e73173d938ade36c1db32");
    assert_eq!(
        hex(&int.fingerprint_sha256().expect("Avro")),
        "3f2b87a9fe7cc9b13835598c3981cd45e3e355309e5090aa0933d7becb6fba45"
    );
}

#[test]
fn keys_of_schemas_see_what_the_canonical_form_drops() {
    let of = |default: &str| {
        Schema::parse(&format!(
            r#"{{"type":"record","name":"R","fields":[{{"name":"a","type":"int","default":{default}}}]}}"#
        ))
        .expect("a schema")
    };
    assert_eq!(of("1").canonical_form(), of("2").canonical_form());
    assert_ne!(of("1").content_key(), of("2").content_key());
    assert!(matches!(of("1").get(of("1").root()).shape, Shape::Record(_)));
}
