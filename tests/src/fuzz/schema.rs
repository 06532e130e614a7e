//! The schema parser: what it accepts can be printed, and what is printed says the same; the naive parser, which shares
//! nothing with it, accepts the same texts.

use super::text;
use crate::naive;
use reschema::Schema;
use reschema::schema::avro::{Names, Parser};
use reschema::schema::model::{ListType, MapType, Shape, Type, TypeId};
use reschema::schema::{Json, SchemaError};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Types of a schema: what a text of a few kilobytes may need.
const MAX_TYPES: usize = 5_000;
/// Deepest nesting that every parser here takes, `serde_json`'s values among them.
const COMMON_NESTING: usize = 100;

/// Bytes as schema texts: one, or several separated by bytes 0.
///
/// # Panics
/// On a finding.
pub fn schema(data: &[u8]) {
    let Some(texts) = text::several(data) else { return };
    texts.iter().for_each(|t| json(t));
    match texts.as_slice() {
        [text] => single(text),
        texts => several(texts),
    }
}

fn parser(names: Names) -> Parser {
    Parser::new().names(names).max_types(MAX_TYPES)
}

fn single(text: &str) {
    let strict = parser(Names::Strict).parse(text);
    let lenient = parser(Names::Lenient).parse(text);
    faults(&strict, "$");
    faults(&lenient, "$");
    if nesting(text) < COMMON_NESTING && !limited(&strict) {
        let plain = text.trim_start_matches('\u{feff}');
        assert_eq!(strict.is_ok(), naive::is_schema(plain), "the naive parser does not agree: {strict:?}\n{text}");
    }
    if let Ok(strict) = &strict {
        let lenient = lenient.as_ref().unwrap_or_else(|e| panic!("strict accepts what lenient does not: {e}"));
        same(strict, lenient);
        assert_eq!(strict.warnings(), lenient.warnings());
        accepted(strict, Names::Strict);
    }
    if let Ok(lenient) = &lenient {
        accepted(lenient, Names::Lenient);
    }
}

fn several(texts: &[String]) {
    let names: Vec<String> = (0..texts.len()).map(|i| format!("file{i}")).collect();
    let named: Vec<(&str, &str)> = names.iter().zip(texts).map(|(n, t)| (n.as_str(), t.as_str())).collect();
    for rule in [Names::Strict, Names::Lenient] {
        let parsed = parser(rule).parse_many(&named);
        faults(&parsed, "file");
        let Ok(schemas) = parsed else { continue };
        assert_eq!(schemas.len(), texts.len());
        schemas.iter().for_each(|s| accepted(s, rule));
        if rule == Names::Lenient {
            // A bare name may mean another file's type.
            continue;
        }
        // A text that needs no other says among others what it says alone.
        for (schema, text) in schemas.iter().zip(texts) {
            if let Ok(alone) = parser(rule).parse(text) {
                same(schema, &alone);
            }
        }
    }
}

/// A refusal names at least one fault, each with its place.
fn faults<T>(parsed: &Result<T, SchemaError>, root: &str) {
    let Err(e) = parsed else { return };
    assert!(!e.faults.is_empty() && !e.to_string().is_empty());
    for fault in &e.faults {
        assert!(fault.path.starts_with(root) && !fault.message.is_empty(), "{fault:?}");
    }
}

/// Refused for its size, of which other parsers know nothing.
fn limited<T>(parsed: &Result<T, SchemaError>) -> bool {
    let limit = format!("more than {MAX_TYPES} types");
    parsed.as_ref().err().is_some_and(|e| e.faults.iter().any(|f| f.message == limit))
}

/// A schema that was accepted: printing it and parsing that is no change.
pub(super) fn accepted(schema: &Schema, names: Names) {
    let printed = schema.to_avro_string().expect("what was parsed can be printed");
    let again = parser(names).parse(&printed).unwrap_or_else(|e| panic!("printed, and refused: {e}\n{printed}"));
    same(schema, &again);
    assert_eq!(again.to_avro_string().as_ref(), Ok(&printed), "printing again is no change");
    assert!(*schema == again);
    let json = schema.to_avro_json().expect("printable");
    assert_eq!(Json::parse(&json.pretty()).as_ref(), Ok(&json), "indented text says the same");
    canonical(schema, &again, names);
    schema.types().iter().for_each(|t| inside(schema, t));
}

/// Ids are indices.
fn inside(schema: &Schema, ty: &Type) {
    let (_, parts) = apart(&ty.shape);
    assert!(parts.iter().all(|id| (id.0 as usize) < schema.types().len()));
}

/// Canonical form and fingerprints do not depend on how the schema is written.
fn canonical(schema: &Schema, again: &Schema, names: Names) {
    let form = schema.canonical_form().expect("printable");
    assert_eq!(again.canonical_form().as_ref(), Ok(&form));
    assert_eq!(schema.fingerprint_rabin(), Ok(crc(form.as_bytes())));
    let sha: [u8; 32] = Sha256::digest(form.as_bytes()).into();
    assert_eq!(schema.fingerprint_sha256(), Ok(sha));
    assert_eq!(schema.fingerprint_md5(), again.fingerprint_md5());
    // The form has no way to say "no namespace" inside one: such a schema is not its own canonical form's.
    let spaces: Vec<bool> = names_of(schema).map(|n| n.namespace.is_empty()).collect();
    if spaces.windows(2).all(|w| w[0] == w[1]) {
        let reparsed = parser(names).parse(&form).unwrap_or_else(|e| panic!("canonical form refused: {e}\n{form}"));
        assert_eq!(reparsed.canonical_form(), Ok(form), "the canonical form is its own");
    }
}

fn names_of(schema: &Schema) -> impl Iterator<Item = &reschema::schema::model::TypeName> {
    schema.types().iter().filter_map(|t| t.shape.naming()).map(|n| &n.name)
}

/// CRC-64-AVRO bit by bit, as the specification defines it.
fn crc(bytes: &[u8]) -> u64 {
    const EMPTY: u64 = 0xc15d_213a_a4d7_a795;
    bytes.iter().fold(EMPTY, |fp, b| {
        let low = (0..8).fold((fp ^ u64::from(*b)) & 0xff, |t, _| if t & 1 == 1 { (t >> 1) ^ EMPTY } else { t >> 1 });
        (fp >> 8) ^ low
    })
}

/// Two schemas say the same, whatever their types are numbered.
pub(super) fn same(a: &Schema, b: &Schema) {
    let mut met: HashMap<TypeId, TypeId> = HashMap::new();
    let mut work = vec![(a.root(), b.root())];
    while let Some((x, y)) = work.pop() {
        if let Some(before) = met.insert(x, y) {
            assert!(before == y || a.get(x).shape.naming().is_none(), "one type has become two");
            continue;
        }
        let (s, t) = (a.get(x), b.get(y));
        let ((shape, parts), (other, others)) = (apart(&s.shape), apart(&t.shape));
        assert_eq!(shape, other);
        assert_eq!((&s.logical, &s.properties, &s.annotations), (&t.logical, &t.properties, &t.annotations));
        work.extend(parts.into_iter().zip(others));
    }
}

/// A shape without the types inside it, and those types.
fn apart(shape: &Shape) -> (Shape, Vec<TypeId>) {
    let none = TypeId(0);
    let mut shape = shape.clone();
    let parts = match &mut shape {
        Shape::List(ListType { item, .. }) => vec![std::mem::replace(item, none)],
        Shape::Map(MapType { key, value }) => vec![std::mem::replace(key, none), std::mem::replace(value, none)],
        Shape::Record(t) => t.fields.iter_mut().map(|f| std::mem::replace(&mut f.ty, none)).collect(),
        Shape::Union(t) => t.variants.iter_mut().map(|v| std::mem::replace(&mut v.ty, none)).collect(),
        _ => Vec::new(),
    };
    (shape, parts)
}

/// The JSON reader agrees with `serde_json` about what is JSON, and about what it says.
fn json(text: &str) {
    let ours = Json::parse(text);
    if let Ok(ours) = &ours {
        assert_eq!(Json::parse(&ours.to_string()).as_ref(), Ok(ours), "printed JSON says the same");
    }
    if nesting(text) >= COMMON_NESTING {
        return;
    }
    match (&ours, serde_json::from_str::<serde_json::Value>(text.trim_start_matches('\u{feff}'))) {
        (Ok(ours), Ok(theirs)) => {
            let ours: serde_json::Value = serde_json::from_str(&ours.to_string()).expect("JSON");
            assert_eq!(ours, theirs);
        }
        // Its numbers are doubles.
        (Ok(_), Err(e)) => assert!(e.to_string().contains("number out of range"), "{e}"),
        (Err(e), Ok(_)) => panic!("refused, and JSON: {e}"),
        (Err(_), Err(_)) => {}
    }
}

fn nesting(text: &str) -> usize {
    text.bytes().filter(|b| matches!(b, b'{' | b'[')).count()
}
