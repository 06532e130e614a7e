//! JSON defaults → [`Literal`] (Avro 1.12, "Complex Types", the table of field default values).
//!
//! The work is bounded: missing inner fields take their own defaults, so a schema of a few lines can ask for 2^n values.

use crate::json::Json;
use crate::literal::Literal;
use crate::model::{
    EnumType, Field, FloatType, IntType, ListType, MapType, RecordType, Schema, Shape, TypeId, UnionType,
};
use std::collections::HashMap;

/// A JSON value that is not a value of the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultMismatch(pub String);

/// Literal nodes tried before a default is called too large: unions inside unions could try for ever. Sixteen bytes of
/// text, or symbols looked through, count as a node.
const BUDGET: u64 = 1_000_000;
/// Nesting of a default, its inner defaults included.
const MAX_DEPTH: u32 = 200;

/// The literal that a JSON default stands for. In a union it belongs to the first variant that it is a valid value
/// of, ranges, symbols and lengths included (Avro 1.12, "Unions").
///
/// # Errors
/// The default is not a value of the type, contains itself, or expands to more than about a million values.
pub fn literal(schema: &Schema, ty: TypeId, json: &Json) -> Result<Literal, DefaultMismatch> {
    Ok(Literals::new(schema, &mut Budget::default(), Vec::new()).value(ty, json)?)
}

/// The literal of a field's default. A default that contains itself has no finite value.
pub fn field_default(schema: &Schema, record: TypeId, field: usize) -> Option<Result<Literal, DefaultMismatch>> {
    field_default_within(schema, record, field, &mut Budget::default())
}

/// As [`field_default`], with a budget that many defaults share.
pub(crate) fn field_default_within(
    schema: &Schema,
    record: TypeId,
    field: usize,
    budget: &mut Budget,
) -> Option<Result<Literal, DefaultMismatch>> {
    let Shape::Record(t) = &schema.get(record).shape else { return None };
    let f = t.fields.get(field)?;
    let json = f.default.as_ref()?;
    let value = Literals::new(schema, budget, vec![(record, field)]).value(f.ty, json);
    Some(value.map_err(DefaultMismatch::from))
}

/// Work left for defaults.
pub(crate) struct Budget(u64);

impl Default for Budget {
    fn default() -> Budget {
        Budget(BUDGET)
    }
}

impl Budget {
    fn take(&mut self, units: usize) -> Result<(), No> {
        self.0 = self.0.checked_sub(1 + units as u64 / 16).ok_or(No::Exhausted)?;
        Ok(())
    }
}

/// Why there is no literal.
enum No {
    /// Not a value of the type; another variant of a union may take it.
    Value(String),
    /// Too large or too deep: nothing more is tried, since a limit must not decide which variant is chosen.
    Exhausted,
}

impl From<No> for DefaultMismatch {
    fn from(no: No) -> DefaultMismatch {
        DefaultMismatch(match no {
            No::Value(why) => why,
            No::Exhausted => "the default is too large or nested too deep".into(),
        })
    }
}

struct Literals<'a> {
    schema: &'a Schema,
    budget: &'a mut Budget,
    depth: u32,
    /// Fields whose defaults are being filled in around here.
    busy: Vec<(TypeId, usize)>,
}

type Result1<T = Literal> = Result<T, No>;

fn no(json: &Json, what: &str) -> No {
    No::Value(format!("expected {what}, found {}", json.describe()))
}

impl<'a> Literals<'a> {
    fn new(schema: &'a Schema, budget: &'a mut Budget, busy: Vec<(TypeId, usize)>) -> Literals<'a> {
        Literals { schema, budget, depth: 0, busy }
    }

    fn value(&mut self, ty: TypeId, json: &Json) -> Result1 {
        if self.depth >= MAX_DEPTH {
            return Err(No::Exhausted);
        }
        self.budget.take(json.as_str().map_or(0, str::len))?;
        self.depth += 1;
        let result = self.shape(ty, json);
        self.depth -= 1;
        result
    }

    fn shape(&mut self, ty: TypeId, json: &Json) -> Result1 {
        let schema = self.schema;
        match (&schema.get(ty).shape, json) {
            (Shape::Null, Json::Null) => Ok(Literal::Null),
            (Shape::Boolean, Json::Bool(b)) => Ok(Literal::Boolean(*b)),
            (Shape::Int(t), _) => int(*t, json),
            (Shape::Float(FloatType::F32), _) => float32(json),
            (Shape::Float(_), _) => float64(json),
            (Shape::Text | Shape::Symbol, Json::String(s)) => Ok(Literal::Text(s.clone())),
            (Shape::Bytes, _) => latin1(json).map(Literal::Bytes),
            (Shape::Fixed(t), _) => fixed(t.size, json),
            (Shape::Enum(t), _) => {
                self.budget.take(t.symbols.len())?;
                symbol(t, json)
            }
            (Shape::List(t), Json::Array(items)) => self.list(t, items, json),
            (Shape::Map(t), Json::Object(entries)) => self.map(t, entries),
            (Shape::Record(t), Json::Object(entries)) => self.record(ty, t, entries),
            (Shape::Union(t), _) => self.union(t, json),
            (shape, _) => Err(no(json, word(shape))),
        }
    }

    fn union(&mut self, t: &UnionType, json: &Json) -> Result1 {
        for (i, variant) in t.variants.iter().enumerate() {
            match self.value(variant.ty, json) {
                Ok(value) => return Ok(Literal::Union(i, Box::new(value))),
                Err(No::Exhausted) => return Err(No::Exhausted),
                Err(No::Value(_)) => {}
            }
        }
        Err(no(json, "a value of one of the union's variants"))
    }

    fn list(&mut self, t: &ListType, items: &[Json], json: &Json) -> Result1 {
        match t.length {
            Some(n) if n != items.len() as u64 => Err(no(json, &format!("{n} items"))),
            _ => items.iter().map(|i| self.value(t.item, i)).collect::<Result1<_>>().map(Literal::List),
        }
    }

    fn map(&mut self, t: &MapType, entries: &[(String, Json)]) -> Result1 {
        let mut literals = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let key = self.value(t.key, &Json::String(key.clone()))?;
            literals.push((key, self.value(t.value, value)?));
        }
        Ok(Literal::Map(literals))
    }

    fn record(&mut self, ty: TypeId, t: &RecordType, entries: &[(String, Json)]) -> Result1 {
        // All fields are looked at, even if the first has no value.
        self.budget.take(t.fields.len().saturating_add(entries.len()))?;
        let mut given: HashMap<&str, &Json> = entries.iter().map(|(k, v)| (k.as_str(), v)).collect();
        let values: Vec<Option<&Json>> = t.fields.iter().map(|f| given.remove(f.name.as_str())).collect();
        // In the order of the text, so that the message does not change from run to run.
        if let Some((key, _)) = entries.iter().find(|(k, _)| given.contains_key(k.as_str())) {
            return Err(No::Value(format!("{} has no field {key}", t.naming.name)));
        }
        let values = t.fields.iter().zip(values).enumerate().map(|(i, (field, json))| self.field(ty, i, field, json));
        Ok(Literal::Record(values.collect::<Result1<_>>()?))
    }

    fn field(&mut self, ty: TypeId, i: usize, field: &Field, json: Option<&Json>) -> Result1 {
        match (json, &field.default) {
            (Some(json), _) => self.value(field.ty, json),
            (None, None) => Err(No::Value(format!("no {} and no default for it", field.name))),
            (None, Some(_)) if self.busy.contains(&(ty, i)) => {
                Err(No::Value(format!("the default of {} contains itself", field.name)))
            }
            (None, Some(default)) => {
                self.busy.push((ty, i));
                let value = self.value(field.ty, default);
                self.busy.pop();
                value
            }
        }
    }
}

fn word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Null => "null",
        Shape::Boolean => "true or false",
        Shape::Text | Shape::Symbol => "a string",
        Shape::List(_) => "an array",
        Shape::Map(_) | Shape::Record(_) => "an object",
        _ => "another value",
    }
}

/// 1.0 and 1e3 are numbers, not integers.
fn int(t: IntType, json: &Json) -> Result1 {
    let (low, high) = match (t.signed, t.bits) {
        (true, 128..) => (i128::MIN, i128::MAX),
        (true, bits @ 1..) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        // A literal holds no more than this of 128 bits.
        (false, 127..) => (0, i128::MAX),
        (_, bits) => (0, (1i128 << bits) - 1),
    };
    match json.integer() {
        Some(n) if (low..=high).contains(&n) => Ok(Literal::Int(n)),
        _ => Err(no(json, &format!("an integer of {} bits", t.bits))),
    }
}

fn fixed(size: u64, json: &Json) -> Result1 {
    let bytes = latin1(json)?;
    if bytes.len() as u64 == size { Ok(Literal::Fixed(bytes)) } else { Err(no(json, &format!("{size} bytes"))) }
}

/// Three strings stand for what JSON numbers cannot say, as Java and Rust have it. Bits of binary32 and binary64: the
/// language leaves sign and payload of its own NaN open.
fn special(json: &Json) -> Option<(u32, u64)> {
    match json.as_str()? {
        "NaN" => Some((0x7fc0_0000, 0x7ff8_0000_0000_0000)),
        "Infinity" => Some((0x7f80_0000, 0x7ff0_0000_0000_0000)),
        "-Infinity" => Some((0xff80_0000, 0xfff0_0000_0000_0000)),
        _ => None,
    }
}

fn float64(json: &Json) -> Result1 {
    match (special(json), json.as_f64()) {
        (Some((_, bits)), _) => Ok(Literal::Float64(bits)),
        (None, Some(v)) if v.is_finite() => Ok(Literal::Float64(v.to_bits())),
        _ => Err(no(json, "a number in the range of a double")),
    }
}

/// An integer is rounded once, not by way of a double.
fn float32(json: &Json) -> Result1 {
    let value = match (special(json), json) {
        (Some((bits, _)), _) => return Ok(Literal::Float32(bits)),
        (None, Json::Number(text)) if !text.contains(['.', 'e', 'E']) => text.parse::<f32>().ok(),
        (None, _) => json.as_f64().map(|v| v as f32),
    };
    match value {
        Some(v) if v.is_finite() => Ok(Literal::Float32(v.to_bits())),
        _ => Err(no(json, "a number in the range of a float")),
    }
}

/// Code points 0–255 are the bytes.
fn latin1(json: &Json) -> Result1<Vec<u8>> {
    let bytes = json.as_str().and_then(|s| s.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect());
    bytes.ok_or_else(|| no(json, "a string of code points up to U+00FF"))
}

fn symbol(t: &EnumType, json: &Json) -> Result1 {
    let index = json.as_str().and_then(|s| t.symbols.iter().position(|x| x.name == s));
    index.map(Literal::Enum).ok_or_else(|| no(json, &format!("a symbol of {}", t.naming.name)))
}
