//! Untagged unions: which variants look alike, as it is reported when a transform is built (ADR 0017).

use reschema::json::{BytesAs, DecimalsAs, JsonOptions, JsonSink, JsonSource, SpecialsAs, TimesAs};
use reschema::{Endpoint, Schema};
use reschema_lower::{Alike, Sink, Source, Typed};
use reschema_tests::engines::both;

const PLAIN: JsonOptions = JsonOptions::PLAIN;

fn pairs(found: Vec<Alike>) -> Vec<(usize, usize)> {
    found.into_iter().map(|a| (a.taken, a.lost)).collect()
}

/// Variants by their numbers.
type Pairs = Vec<(usize, usize)>;

/// Pairs of variants, the one that is taken first: of what is read, and of what is written.
fn alike(union: &str, options: JsonOptions) -> (Pairs, Pairs) {
    let schema = Schema::parse(union).expect("a schema");
    let of = Typed { schema: &schema, ty: schema.root() };
    (pairs(JsonSource::new(options).alike(of)), pairs(JsonSink::new(options).alike(of)))
}

const E: &str = r#"{"type":"enum","name":"E","symbols":["A","NULL"]}"#;
const E2: &str = r#"{"type":"enum","name":"E2","symbols":["B","NULL"]}"#;
const E3: &str = r#"{"type":"enum","name":"E3","symbols":["B","C"]}"#;
const F3: &str = r#"{"type":"fixed","name":"F3","size":3}"#;
const F4: &str = r#"{"type":"fixed","name":"F4","size":4}"#;
const F10: &str = r#"{"type":"fixed","name":"F10","size":10}"#;
const DATE: &str = r#"{"type":"int","logicalType":"date"}"#;
const MILLIS: &str = r#"{"type":"long","logicalType":"timestamp-millis"}"#;
const NANOS: &str = r#"{"type":"long","logicalType":"timestamp-nanos"}"#;
const LOCAL: &str = r#"{"type":"long","logicalType":"local-timestamp-millis"}"#;
const MONEY: &str = r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}"#;
const WHOLE: &str = r#"{"type":"fixed","name":"W","size":4,"logicalType":"decimal","precision":9}"#;
const UUID: &str = r#"{"type":"string","logicalType":"uuid"}"#;
const MAP: &str = r#"{"type":"map","values":"int"}"#;
/// Keys x; x and y; x and perhaps y; z; perhaps a.
const X: &str = r#"{"type":"record","name":"X","fields":[{"name":"x","type":"int"}]}"#;
const XY: &str = r#"{"type":"record","name":"XY","fields":[{"name":"x","type":"int"},{"name":"y","type":"int"}]}"#;
const XP: &str =
    r#"{"type":"record","name":"XP","fields":[{"name":"x","type":"int"},{"name":"y","type":["null","int"]}]}"#;
const Z: &str = r#"{"type":"record","name":"Z","fields":[{"name":"z","type":"int"}]}"#;
const P: &str = r#"{"type":"record","name":"P","fields":[{"name":"a","type":"int","default":0}]}"#;
const P2: &str = r#"{"type":"record","name":"P2","fields":[{"name":"b","type":"int","default":0}]}"#;

/// What two variants are to each other, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Are {
    /// No text is of both.
    Apart,
    /// A text of others may fit both; what is written reads back.
    AlikeRead,
    /// What is written as the second may be read back as the first.
    Alike,
}
use Are::{Alike as Same, AlikeRead, Apart};

#[test]
fn pairs_of_variants() {
    let quoted = |word: &str| if word.starts_with('{') { word.to_string() } else { format!("{word:?}") };
    let points = PLAIN.bytes(BytesAs::CodePoints);
    let strict = PLAIN.missing_is_null(false);
    for (a, b, options, are) in [
        ("null", "string", PLAIN, Apart),
        ("boolean", "string", PLAIN, Apart),
        ("int", "string", PLAIN, Apart),
        ("int", "long", PLAIN, Same),
        ("long", "int", PLAIN, Same),
        // A float is written with a point; others may write it without.
        ("int", "double", PLAIN, AlikeRead),
        ("long", "float", PLAIN, AlikeRead),
        ("double", "long", PLAIN, Same),
        ("float", "double", PLAIN, Same),
        ("double", "float", PLAIN, Same),
        // "NaN" is a string.
        ("double", "string", PLAIN, Same),
        ("string", "double", PLAIN, Same),
        ("string", "double", PLAIN.specials(SpecialsAs::Refuse), Apart),
        ("string", "double", PLAIN.specials(SpecialsAs::Null), Apart),
        // NaN is written as null, which is null.
        ("double", "null", PLAIN.specials(SpecialsAs::Refuse), Apart),
        ("string", E, PLAIN, Same),
        (E, "string", PLAIN, Same),
        (E, E2, PLAIN, Same),
        (E, E3, PLAIN, Apart),
        ("string", "bytes", PLAIN, Same),
        ("bytes", "string", PLAIN, Same),
        // NULL is base64; A is not.
        (E, "bytes", PLAIN, Same),
        (E3, "bytes", PLAIN, AlikeRead),
        (E3, "bytes", points, Same),
        ("bytes", E3, PLAIN, Same),
        (F3, "bytes", PLAIN, Same),
        ("bytes", F3, PLAIN, Same),
        ("string", F3, PLAIN, Same),
        (F3, F4, PLAIN, Apart),
        (F3, F4, points, Apart),
        // NULL is three bytes in base64, and four code points.
        (F3, E, PLAIN, Same),
        (F4, E, PLAIN, Apart),
        (F4, E, points, Same),
        (F3, E, points, Apart),
        (DATE, "string", PLAIN, Same),
        ("string", DATE, PLAIN, Same),
        // What has no text is written as a number, and a number is read as a date.
        (DATE, "long", PLAIN, Same),
        ("long", DATE, PLAIN, Same),
        ("int", NANOS, PLAIN, AlikeRead),
        ("int", NANOS, PLAIN.times(TimesAs::Number), Same),
        (DATE, NANOS, PLAIN, AlikeRead),
        (DATE, MILLIS, PLAIN, Same),
        (NANOS, DATE, PLAIN, Same),
        (DATE, LOCAL, PLAIN.times(TimesAs::Number), Same),
        (DATE, F10, points, Same),
        (DATE, F3, points, Apart),
        (DATE, F3, PLAIN, Apart),
        (DATE, "bytes", PLAIN, AlikeRead),
        (DATE, "bytes", points, Same),
        (UUID, E, PLAIN, Same),
        (MONEY, "string", PLAIN, Same),
        (MONEY, "int", PLAIN, Same),
        (MONEY, "double", PLAIN, Same),
        ("long", MONEY, PLAIN, AlikeRead),
        ("double", MONEY, PLAIN, AlikeRead),
        ("double", MONEY, PLAIN.decimals(DecimalsAs::Number), Same),
        ("long", MONEY, PLAIN.decimals(DecimalsAs::Number), AlikeRead),
        ("long", WHOLE, PLAIN.decimals(DecimalsAs::Number), Same),
        (MONEY, WHOLE, PLAIN, Same),
        (MONEY, E, PLAIN, Apart),
        // "0000" is base64 of three bytes; a point is not.
        (WHOLE, F3, PLAIN, Same),
        (F3, WHOLE, PLAIN, Same),
        (F3, MONEY, PLAIN, AlikeRead),
        (F4, WHOLE, PLAIN, Apart),
        // Records by their keys.
        (X, Z, PLAIN, Apart),
        (X, XY, PLAIN, Apart),
        (X, XP, PLAIN, AlikeRead),
        (XP, X, PLAIN, Same),
        (XP, X, strict, Apart),
        (XY, XP, PLAIN, Same),
        (P, P2, PLAIN, AlikeRead),
        (X, MAP, PLAIN, Same),
        (MAP, X, PLAIN, Same),
        (r#"{"type":"array","items":"int"}"#, MAP, PLAIN, Apart),
        (r#"{"type":"array","items":"int"}"#, "string", PLAIN, Apart),
    ] {
        let union = format!("[{},{}]", quoted(a), quoted(b));
        let (read, written) = alike(&union, options);
        let one = vec![(0, 1)];
        let (want_read, want_written) = match are {
            Apart => (vec![], vec![]),
            AlikeRead => (one, vec![]),
            Same => (one.clone(), one),
        };
        // What only a number that JSON lacks would have in common is no affair of these pairs.
        assert_eq!((read, written), (want_read, want_written), "{union} {options:?}");
        assert_eq!(alike(&union, JsonOptions::AVRO), (vec![], vec![]), "{union}");
    }
}

#[test]
fn null_is_null_wherever_it_stands() {
    let null = PLAIN.specials(SpecialsAs::Null);
    for union in [r#"["null","double"]"#, r#"["double","null"]"#, r#"["double","null","string"]"#] {
        assert_eq!(
            alike(union, PLAIN),
            (
                if union.contains("string") { vec![(0, 2)] } else { vec![] },
                if union.contains("string") { vec![(0, 2)] } else { vec![] }
            )
        );
        let at = union.find("null") < union.find("double");
        assert_eq!(alike(union, null), (vec![], vec![if at { (0, 1) } else { (1, 0) }]), "{union}");
        let schema = Schema::parse(union).expect("a schema");
        for engine in both() {
            let (from, to) = (Endpoint::json(&schema, null), Endpoint::json(&schema, JsonOptions::AVRO));
            let mut out = Vec::new();
            engine.transform(from, to).expect("resolves").run(b"null", &mut out).expect("runs");
            assert_eq!(out, b"null", "{union}");
        }
    }
    let unions = [r#"["string","double"]"#, r#"["double","string"]"#];
    unions.iter().for_each(|u| assert_eq!(alike(u, null), (vec![], vec![]), "{u}"));
    // Two that may be null.
    assert_eq!(alike(r#"["float","double"]"#, null).1, [(0, 1)]);
}

/// For each pair that looks alike a text of both, which is read as the first.
#[test]
fn the_first_is_taken() {
    for (a, b, text, first, second) in [
        (r#""int""#, r#""long""#, "7", "int", "long"),
        (r#""long""#, r#""double""#, "7", "long", "double"),
        (r#""float""#, r#""double""#, "1.5", "float", "double"),
        (r#""string""#, E, r#""A""#, "string", "E"),
        (E, r#""bytes""#, r#""NULL""#, "E", "bytes"),
        (F3, r#""bytes""#, r#""AAAA""#, "F3", "bytes"),
        (F3, WHOLE, r#""0000""#, "F3", "W"),
        (r#""double""#, r#""string""#, r#""NaN""#, "double", "string"),
        (X, MAP, r#"{"x":1}"#, "X", "map"),
        (XP, X, r#"{"x":1}"#, "XP", "X"),
        (P, P2, "{}", "P", "P2"),
    ] {
        for (union, tag) in [(format!("[{a},{b}]"), first), (format!("[{b},{a}]"), second)] {
            let schema = Schema::parse(&union).expect("a schema");
            assert_eq!(alike(&union, PLAIN).0, [(0, 1)], "{union}");
            for engine in both() {
                let (from, to) = (Endpoint::json(&schema, PLAIN), Endpoint::json(&schema, JsonOptions::AVRO));
                let mut out = Vec::new();
                engine.transform(from, to).expect("resolves").run(text.as_bytes(), &mut out).expect("runs");
                let out = String::from_utf8(out).expect("UTF-8");
                assert!(out.starts_with(&format!("{{\"{tag}\":")), "{union}: {out}");
            }
        }
    }
}

#[test]
fn a_transform_warns() {
    let schema = |text: &str| Schema::parse(text).expect("a schema");
    let inner = format!(r#"["null","int","long",{E},"string"]"#);
    let of = schema(&format!(
        r#"{{"type":"record","name":"R","fields":[{{"name":"a","type":{{"type":"array","items":{inner}}}}},
            {{"name":"b","type":"int"}}]}}"#
    ));
    let without = schema(r#"{"type":"record","name":"R","fields":[{"name":"b","type":"int"}]}"#);
    let [engine, _] = both();
    let told = |from: Endpoint, to: Endpoint| {
        let t = engine.transform(from, to).expect("resolves");
        let shown = t.explain().to_string();
        for w in t.warnings() {
            assert!(shown.contains("== warnings") && shown.contains(&w.message), "{shown}");
        }
        t.warnings().iter().map(|w| format!("{} {} {}", w.writer_path, w.reader_path, w.message)).collect::<Vec<_>>()
    };
    let json = |s: &Schema| Endpoint::json(s, PLAIN);
    let read = "$.a[] $.a[] variants of the union look alike (int and long; E and string): \
                what fits both is read as the first of them";
    let written = "$.a[]<int> $.a[] variants of the union look alike (int and long; E and string): \
                   what fits both will be read back as the first of them";
    assert_eq!(told(json(&of), Endpoint::avro(&of)), [read]);
    let found = told(Endpoint::avro(&of), json(&of));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].split_once(' ').map(|f| f.1), written.split_once(' ').map(|f| f.1));
    assert_eq!(told(json(&of), json(&of)).len(), 2);
    assert!(told(Endpoint::avro(&of), Endpoint::avro(&of)).is_empty());
    assert!(told(Endpoint::json(&of, JsonOptions::AVRO), Endpoint::avro(&of)).is_empty());
    // What is not read needs no telling; what a default may write does.
    assert!(told(json(&of), Endpoint::avro(&without)).is_empty());
    let more = schema(
        r#"{"type":"record","name":"R","fields":[{"name":"b","type":"int"},
            {"name":"c","type":{"type":"map","values":["string","bytes"]},"default":{}}]}"#,
    );
    let found = told(Endpoint::avro(&without), json(&more));
    assert!(
        found.len() == 1 && found[0].contains("$.c variants of the union look alike (string and bytes)"),
        "{found:?}"
    );
}

/// Wide unions are compared in bounded time.
#[test]
fn wide_unions() {
    let fields: String = (0..300).map(|i| format!(r#",{{"name":"f{i}","type":"int"}}"#)).collect();
    let record =
        |i: usize| format!(r#"{{"type":"record","name":"R{i}","fields":[{{"name":"k{i}","type":"int"}}{fields}]}}"#);
    let union = format!("[{}]", (0..300).map(record).collect::<Vec<_>>().join(","));
    assert_eq!(alike(&union, PLAIN), (vec![], vec![]));
}
