//! JSON defaults → [`Literal`] (Avro 1.12, "Complex Types", the table of field default values).

use crate::json::Json;
use crate::literal::Literal;
use crate::model::{EnumType, FloatType, IntType, RecordType, Schema, Shape, TypeId};

/// A JSON value that is not a value of the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultMismatch(pub String);

/// Literal nodes tried before a default is called too large: unions inside unions could try for ever.
const BUDGET: u32 = 1_000_000;
/// Nesting of a default, its inner defaults included.
const MAX_DEPTH: u32 = 200;

/// The literal that a JSON default stands for. In a union it belongs to the first variant that it is a valid value
/// of, ranges, symbols and lengths included (Avro 1.12, "Unions").
pub fn literal(schema: &Schema, ty: TypeId, json: &Json) -> Result<Literal, DefaultMismatch> {
    let mut l = Literals { schema, budget: BUDGET, depth: 0, busy: Vec::new() };
    l.value(ty, json)
}

/// The literal of a field's default. A default that contains itself has no finite value.
pub fn field_default(schema: &Schema, record: TypeId, field: usize) -> Option<Result<Literal, DefaultMismatch>> {
    let Shape::Record(t) = &schema.get(record).shape else { return None };
    let f = t.fields.get(field)?;
    let json = f.default.as_ref()?;
    let mut l = Literals { schema, budget: BUDGET, depth: 0, busy: vec![(record, field)] };
    Some(l.value(f.ty, json))
}

struct Literals<'a> {
    schema: &'a Schema,
    budget: u32,
    depth: u32,
    /// Fields whose defaults are being filled in around here.
    busy: Vec<(TypeId, usize)>,
}

type Result1 = Result<Literal, DefaultMismatch>;

fn no(json: &Json, what: &str) -> DefaultMismatch {
    DefaultMismatch(format!("expected {what}, found {}", json.describe()))
}

impl Literals<'_> {
    fn value(&mut self, ty: TypeId, json: &Json) -> Result1 {
        if self.budget == 0 || self.depth >= MAX_DEPTH {
            return Err(DefaultMismatch("the default is too large or nested too deep".into()));
        }
        self.budget -= 1;
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
            (Shape::Fixed(t), _) => {
                let bytes = latin1(json)?;
                if bytes.len() as u64 == t.size {
                    Ok(Literal::Fixed(bytes))
                } else {
                    Err(no(json, &format!("{} bytes", t.size)))
                }
            }
            (Shape::Enum(t), _) => symbol(t, json),
            (Shape::List(t), Json::Array(items)) => {
                items.iter().map(|i| self.value(t.item, i)).collect::<Result<_, _>>().map(Literal::List)
            }
            (Shape::Map(t), Json::Object(entries)) => {
                let entry = |(k, v): &(String, Json)| Ok((Literal::Text(k.clone()), self.value(t.value, v)?));
                entries.iter().map(entry).collect::<Result<_, _>>().map(Literal::Map)
            }
            (Shape::Record(t), Json::Object(entries)) => self.record(ty, t, entries, json),
            (Shape::Union(t), _) => {
                for (i, variant) in t.variants.iter().enumerate() {
                    if let Ok(value) = self.value(variant.ty, json) {
                        return Ok(Literal::Union(i, Box::new(value)));
                    }
                }
                Err(no(json, "a value of one of the union's variants"))
            }
            (shape, _) => Err(no(json, word(shape))),
        }
    }

    fn record(&mut self, ty: TypeId, t: &RecordType, entries: &[(String, Json)], json: &Json) -> Result1 {
        if let Some((key, _)) = entries.iter().find(|(k, _)| !t.fields.iter().any(|f| f.name == *k)) {
            return Err(DefaultMismatch(format!("{} has no field {key}", t.naming.name)));
        }
        let mut values = Vec::with_capacity(t.fields.len());
        for (i, field) in t.fields.iter().enumerate() {
            values.push(match (json.get(&field.name), &field.default) {
                (Some(v), _) => self.value(field.ty, v)?,
                (None, None) => return Err(DefaultMismatch(format!("no {} and no default for it", field.name))),
                (None, Some(_)) if self.busy.contains(&(ty, i)) => {
                    return Err(DefaultMismatch(format!("the default of {} contains itself", field.name)));
                }
                (None, Some(v)) => {
                    self.busy.push((ty, i));
                    let value = self.value(field.ty, v);
                    self.busy.pop();
                    value?
                }
            });
        }
        Ok(Literal::Record(values))
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
    let bits = u32::from(t.bits).min(127);
    let (low, high) = match (t.signed, bits) {
        (true, 1..=127) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        _ => (0, (1i128 << bits) - 1),
    };
    match json.integer() {
        Some(n) if (low..=high).contains(&n) => Ok(Literal::Int(n)),
        _ => Err(no(json, &format!("an integer of {} bits", t.bits))),
    }
}

/// Three strings stand for what JSON numbers cannot say, as Java and Rust have it.
fn special(json: &Json) -> Option<f64> {
    match json.as_str()? {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn float64(json: &Json) -> Result1 {
    match (special(json), json.as_f64()) {
        (Some(v), _) => Ok(Literal::Float64(v.to_bits())),
        (None, Some(v)) if v.is_finite() => Ok(Literal::Float64(v.to_bits())),
        _ => Err(no(json, "a number in the range of a double")),
    }
}

/// An integer is rounded once, not by way of a double.
fn float32(json: &Json) -> Result1 {
    let value = match (special(json), json) {
        (Some(v), _) => return Ok(Literal::Float32((v as f32).to_bits())),
        (None, Json::Number(text)) if json.integer().is_some() => text.parse::<f32>().ok(),
        (None, _) => json.as_f64().map(|v| v as f32),
    };
    match value {
        Some(v) if v.is_finite() => Ok(Literal::Float32(v.to_bits())),
        _ => Err(no(json, "a number in the range of a float")),
    }
}

/// Code points 0–255 are the bytes.
fn latin1(json: &Json) -> Result<Vec<u8>, DefaultMismatch> {
    let bytes = json.as_str().and_then(|s| s.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect());
    bytes.ok_or_else(|| no(json, "a string of code points up to U+00FF"))
}

fn symbol(t: &EnumType, json: &Json) -> Result1 {
    let index = json.as_str().and_then(|s| t.symbols.iter().position(|x| x.name == s));
    index.map(Literal::Enum).ok_or_else(|| no(json, &format!("a symbol of {}", t.naming.name)))
}
