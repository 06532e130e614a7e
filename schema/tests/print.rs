//! Schema text out: what is printed reads back as an equal schema, and what Avro cannot say is refused.

use reschema_schema::Schema;
use reschema_schema::avro::{Names, Parser};
use reschema_schema::json::Json;
use reschema_schema::model::*;

const SEEDS: &[&str] = &[
    r#"{"type":"record","name":"R","namespace":"n.m","aliases":["S",".T","o.U"],"doc":"d","x":[1,{"y":null}],"fields":[
        {"name":"a","type":{"type":"fixed","name":"F","namespace":"","size":16,"logicalType":"uuid"},"default":"é","order":"ignore"},
        {"name":"b","type":["null",{"type":"enum","name":"E","symbols":["A","B"],"default":"B"},"R",".F"],"aliases":["c"]},
        {"name":"d","type":{"type":"map","values":{"type":"array","items":"n.m.E","p":1}},"default":{"k":[]}}]}"#,
    r#"[{"type":"fixed","name":"A","size":1},{"type":"fixed","name":"n.A","size":2},
        {"type":"record","name":"n.R","fields":[{"name":"a","type":"A"},{"name":"b","type":".A"},{"name":"c","type":"R"}]}]"#,
    r#"{"type":"error","name":"record","fields":[{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
        {"name":"b","type":{"type":"long","logicalType":"timestamp-micros","precision":3}},{"name":"c","type":"record"},
        {"name":"e","type":{"type":"int","logicalType":"decimal","precision":9,"scale":"2"}}]}"#,
    r#"{"type":"array","items":{"type":"map","values":["int",{"type":"array","items":{"type":"string","logicalType":"uuid"}}]},"logicalType":"x"}"#,
];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// A text with a few changes: characters, words taken from elsewhere in it, pieces doubled or taken out.
fn damaged(seed: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = seed.chars().collect();
    let words: Vec<&str> = seed.split('"').collect();
    for _ in 0..=random.below(3) {
        let (at, len) = (random.below(chars.len()), random.below(12));
        let end = (at + len).min(chars.len());
        match random.below(5) {
            0 => drop(chars.drain(at..end)),
            1 => {
                let piece = chars[at..end].to_vec();
                chars.splice(at..at, piece);
            }
            2 => chars[at] = ['.', '"', 'A', 'n', '[', '}', '1', ','][random.below(8)],
            _ => {
                let (from, to) = (words[random.below(words.len())], words[random.below(words.len())]);
                let text: String = chars.iter().collect();
                chars =
                    text.replacen(&format!("\"{from}\""), &format!("\"{to}\""), 1 + random.below(2)).chars().collect();
            }
        }
    }
    chars.into_iter().collect()
}

fn reads_back(text: &str, names: Names) -> bool {
    let parser = Parser::new().names(names);
    let Ok(schema) = parser.parse(text) else { return false };
    let printed = schema.to_avro_string().unwrap_or_else(|e| panic!("{e}: {text}"));
    let back = parser.parse(&printed).unwrap_or_else(|e| panic!("{e}\n{text}\n{printed}"));
    assert!(back == schema, "{text}\n{printed}");
    assert_eq!(back.content_key(), schema.content_key(), "{text}\n{printed}");
    assert_eq!(back.to_avro_string().unwrap(), printed);
    let canonical = schema.canonical_form().unwrap();
    assert_eq!(back.canonical_form().unwrap(), canonical);
    if names == Names::Strict {
        let of_canonical = Schema::parse(&canonical).unwrap_or_else(|e| panic!("{e}\n{canonical}"));
        assert_eq!(of_canonical.canonical_form().unwrap(), canonical);
    }
    true
}

#[test]
fn what_is_printed_reads_back() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut read = [0; 2];
    for seed in SEEDS {
        assert!(reads_back(seed, Names::Lenient), "{seed}");
        for _ in 0..ROUNDS {
            let text = damaged(seed, &mut random);
            read[0] += usize::from(reads_back(&text, Names::Strict));
            read[1] += usize::from(reads_back(&text, Names::Lenient));
        }
    }
    println!("{read:?} read of {}", ROUNDS * SEEDS.len());
    assert!(read[0] > ROUNDS / 20 && read[1] > read[0], "{read:?}");
}

const ROUNDS: usize = 3_000;

fn naming(name: &str) -> Naming {
    Naming { name: TypeName { namespace: "".into(), name: name.into() }, aliases: Vec::new(), doc: None }
}

fn fixed(name: &str, size: u64) -> Type {
    Type::plain(Shape::Fixed(FixedType { naming: naming(name), size }))
}

fn record(fields: Vec<Field>) -> Type {
    Type::plain(Shape::Record(RecordType { naming: naming("R"), fields, is_error: false }))
}

fn field(name: &str, ty: u32) -> Field {
    let (aliases, properties) = (Vec::new(), Vec::new());
    Field {
        name: name.into(),
        aliases,
        id: None,
        ty: TypeId(ty),
        default: None,
        doc: None,
        order: Order::default(),
        properties,
    }
}

fn union(types: &[u32]) -> Type {
    let variants = types.iter().map(|t| Variant { name: None, ty: TypeId(*t) }).collect();
    Type::plain(Shape::Union(UnionType { variants }))
}

fn text() -> Type {
    Type::plain(Shape::Text)
}

fn schema(types: Vec<Type>) -> Schema {
    Schema::from_parts(types, TypeId(0), Vec::new())
}

fn int(bits: u8, signed: bool) -> Type {
    Type::plain(Shape::Int(IntType { bits, signed }))
}

fn properties(keys: &[&str]) -> Vec<(String, Json)> {
    keys.iter().map(|k| (k.to_string(), Json::String("date".into()))).collect()
}

/// What says how the data look has no canonical form either.
#[test]
fn data_that_avro_does_not_have() {
    let variants = vec![Variant { name: Some("v".into()), ty: TypeId(1) }];
    let map = |key| Type::plain(Shape::Map(MapType { key: TypeId(key), value: TypeId(1) }));
    let cases = [
        ("annotations", vec![Type { annotations: vec!["a".into()], ..text() }]),
        ("names of variants", vec![Type::plain(Shape::Union(UnionType { variants })), text()]),
        ("map with keys", vec![map(1), Type::plain(Shape::Symbol)]),
        ("map with keys", vec![map(1), Type { logical: Some(Logical::Uuid), ..text() }]),
        ("integer of 64 bits", vec![int(64, false)]),
        ("integer of 16 bits", vec![int(16, true)]),
        ("float of 16", vec![Type::plain(Shape::Float(FloatType::F16))]),
        ("symbol", vec![Type::plain(Shape::Symbol)]),
        ("list of fixed", vec![Type::plain(Shape::List(ListType { item: TypeId(1), length: Some(2) })), text()]),
        ("fixed of 9223372036854775808", vec![fixed("F", 1 << 63)]),
        ("union directly", vec![union(&[1]), union(&[2]), text()]),
        ("two variants string", vec![union(&[1, 2]), text(), text()]),
        ("two types F", vec![union(&[1, 2]), fixed("F", 1), fixed("F", 2)]),
        ("type called \"a.b\"", vec![fixed("a.b", 1)]),
        ("type called int", vec![fixed("int", 1)]),
    ];
    for (words, types) in cases {
        let schema = schema(types);
        let e = schema.to_avro_string().expect_err(words).to_string();
        assert!(e.starts_with("Avro has no ") && e.contains(words), "{e}");
        assert_eq!(schema.canonical_form().expect_err(words).to_string(), e);
    }
}

/// The canonical form drops these as it drops aliases; text would have to drop them too, and does not.
#[test]
fn words_that_avro_does_not_have() {
    let symbols = |id| vec![EnumSymbol { name: "A".into(), id }];
    let enumeration =
        |id, default| Type::plain(Shape::Enum(EnumType { naming: naming("E"), symbols: symbols(id), default }));
    let date = Some(Logical::Date);
    let mut aliased = naming("F");
    aliased.aliases.push(TypeName { namespace: "".into(), name: "a.b".into() });
    let cases = [
        ("numbers of fields", vec![record(vec![Field { id: Some(1), ..field("a", 1) }]), text()]),
        ("numbers of symbols", vec![enumeration(Some(1), None)]),
        ("default of an enum", vec![enumeration(None, Some(1))]),
        ("logical type", vec![Type { logical: date.clone(), ..text() }]),
        ("logical type", vec![Type { logical: Some(Logical::Interval(TimeUnit::Nano)), ..int(64, true) }]),
        ("logical type", vec![Type { logical: Some(Logical::Decimal { precision: 1, scale: 2 }), ..fixed("F", 9) }]),
        ("logical type", vec![Type { properties: properties(&["logicalType"]), ..int(32, true) }]),
        ("logical type of a union", vec![Type { logical: date, ..union(&[]) }]),
        ("properties of a union", vec![Type { properties: properties(&["x"]), ..union(&[]) }]),
        ("property called \"size\"", vec![Type { properties: properties(&["size"]), ..fixed("F", 9) }]),
        ("property called \"x\"", vec![Type { properties: properties(&["x", "x"]), ..text() }]),
        (
            "property called \"order\"",
            vec![record(vec![Field { properties: properties(&["order"]), ..field("a", 1) }]), text()],
        ),
        ("alias with a dot", vec![Type::plain(Shape::Fixed(FixedType { naming: aliased, size: 1 }))]),
    ];
    for (words, types) in cases {
        let schema = schema(types);
        let e = schema.to_avro_string().expect_err(words).to_string();
        assert!(e.starts_with("Avro has no ") && e.contains(words), "{e}");
        assert!(schema.canonical_form().is_ok(), "{words}");
    }
}

/// Deeper than any text, and without an end: refused on the stack of an ordinary thread. Canonical forms are not parsed
/// as schemas, and have no such limit.
#[test]
fn deep_arenas() {
    let list = |item| Type::plain(Shape::List(ListType { item: TypeId(item), length: None }));
    let mut types: Vec<Type> = (1..=100_000).map(list).collect();
    types.push(text());
    let deep = schema(types);
    assert!(deep.to_avro_string().expect_err("deep").to_string().contains("nested deeper than 256 levels"));
    assert!(deep.canonical_form().expect("a form").len() > 2_000_000);
    assert!(format!("{deep:?}").len() > 1_000_000);
    let circle = schema(vec![list(1), list(0)]);
    assert!(circle.to_avro_string().is_err());
    assert!(circle.canonical_form().expect_err("endless").to_string().contains("contains itself"));
}
