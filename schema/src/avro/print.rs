//! [`Schema`] → Avro schema text, with everything it holds: docs, aliases, defaults, order, properties.

use super::words::shape_word;
use crate::json::Json;
use crate::model::{FloatType, Logical, Naming, Order, RecordType, Schema, Shape, Type, TypeId};
use std::collections::HashSet;
use std::fmt;

/// A shape that Avro's schema language cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAvro(pub String);

impl fmt::Display for NotAvro {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Avro has no {}", self.0)
    }
}

impl std::error::Error for NotAvro {}

/// Refuses shapes that Avro does not have.
pub(super) fn check(shape: &Shape) -> Result<(), NotAvro> {
    match shape {
        Shape::Int(t) if !(t.signed && (t.bits == 32 || t.bits == 64)) => {
            Err(NotAvro(format!("integer of {} bits, signed: {}", t.bits, t.signed)))
        }
        Shape::Float(FloatType::F16) => Err(NotAvro("float of 16 bits".into())),
        Shape::Symbol => Err(NotAvro("symbol".into())),
        Shape::List(t) if t.length.is_some() => Err(NotAvro("list of fixed length".into())),
        _ => Ok(()),
    }
}

impl Schema {
    /// The schema as JSON.
    pub fn to_avro_json(&self) -> Result<Json, NotAvro> {
        Printer { schema: self, seen: HashSet::new() }.ty(self.root(), "")
    }

    /// The schema as compact text.
    pub fn to_avro_string(&self) -> Result<String, NotAvro> {
        self.to_avro_json().map(|j| j.to_string())
    }

    /// Schema text, or what the schema holds where Avro cannot say it.
    fn description(&self) -> String {
        self.to_avro_string().unwrap_or_else(|_| self.content_key().to_string())
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.description())
    }
}

fn string(text: impl Into<String>) -> Json {
    Json::String(text.into())
}

type Object = Vec<(String, Json)>;

fn put(out: &mut Object, key: &str, value: Json) {
    out.push((key.to_string(), value));
}

struct Printer<'a> {
    schema: &'a Schema,
    seen: HashSet<TypeId>,
}

impl Printer<'_> {
    fn ty(&mut self, id: TypeId, namespace: &str) -> Result<Json, NotAvro> {
        let schema = self.schema;
        let ty = schema.get(id);
        check(&ty.shape)?;
        if let Some(naming) = ty.shape.naming()
            && !self.seen.insert(id)
        {
            return Ok(reference(naming, namespace));
        }
        let mut out = Object::new();
        match &ty.shape {
            Shape::Union(t) => {
                let variants = t.variants.iter().map(|v| self.ty(v.ty, namespace));
                return Ok(Json::Array(variants.collect::<Result<_, _>>()?));
            }
            Shape::Record(t) => self.record(t, namespace, &mut out)?,
            Shape::Enum(t) => {
                named(&mut out, "enum", &t.naming, namespace);
                put(&mut out, "symbols", Json::Array(t.symbols.iter().map(|s| string(&s.name)).collect()));
                if let Some(symbol) = t.default.and_then(|d| t.symbols.get(d)) {
                    put(&mut out, "default", string(&symbol.name));
                }
            }
            Shape::Fixed(t) => {
                named(&mut out, "fixed", &t.naming, namespace);
                put(&mut out, "size", Json::Number(t.size.to_string()));
            }
            Shape::List(t) => {
                put(&mut out, "type", string("array"));
                put(&mut out, "items", self.ty(t.item, namespace)?);
            }
            Shape::Map(t) => {
                put(&mut out, "type", string("map"));
                put(&mut out, "values", self.ty(t.value, namespace)?);
            }
            shape => put(&mut out, "type", string(shape_word(shape))),
        }
        annotations(&mut out, ty);
        match out.as_mut_slice() {
            [(key, word)] if key == "type" => Ok(word.clone()),
            _ => Ok(Json::Object(out)),
        }
    }

    fn record(&mut self, t: &RecordType, namespace: &str, out: &mut Object) -> Result<(), NotAvro> {
        named(out, if t.is_error { "error" } else { "record" }, &t.naming, namespace);
        let mut fields = Vec::with_capacity(t.fields.len());
        for field in &t.fields {
            let mut f = Object::new();
            put(&mut f, "name", string(&field.name));
            put(&mut f, "type", self.ty(field.ty, &t.naming.name.namespace)?);
            if let Some(default) = &field.default {
                put(&mut f, "default", default.clone());
            }
            if let Some(doc) = &field.doc {
                put(&mut f, "doc", string(doc));
            }
            if !field.aliases.is_empty() {
                put(&mut f, "aliases", Json::Array(field.aliases.iter().map(string).collect()));
            }
            match field.order {
                Order::Ascending => {}
                Order::Descending => put(&mut f, "order", string("descending")),
                Order::Ignore => put(&mut f, "order", string("ignore")),
            }
            f.extend(field.properties.iter().cloned());
            fields.push(Json::Object(f));
        }
        put(out, "fields", Json::Array(fields));
        Ok(())
    }
}

/// A name as it is written inside a namespace: bare where that finds the same type.
fn reference(naming: &Naming, namespace: &str) -> Json {
    if *naming.name.namespace == *namespace { string(&naming.name.name) } else { string(naming.name.to_string()) }
}

fn named(out: &mut Object, kind: &str, naming: &Naming, namespace: &str) {
    put(out, "type", string(kind));
    put(out, "name", string(&naming.name.name));
    if *naming.name.namespace != *namespace {
        put(out, "namespace", string(&*naming.name.namespace));
    }
    if let Some(doc) = &naming.doc {
        put(out, "doc", string(doc));
    }
    if !naming.aliases.is_empty() {
        let own = &naming.name.namespace;
        let alias = |a: &crate::model::TypeName| {
            if a.namespace == *own { string(&a.name) } else { string(a.to_string()) }
        };
        put(out, "aliases", Json::Array(naming.aliases.iter().map(alias).collect()));
    }
}

fn annotations(out: &mut Object, ty: &Type) {
    match &ty.logical {
        Some(Logical::Decimal { precision, scale }) => {
            put(out, "logicalType", string("decimal"));
            put(out, "precision", Json::Number(precision.to_string()));
            put(out, "scale", Json::Number(scale.to_string()));
        }
        Some(logical) => {
            if let Some(name) = super::logical::name(logical) {
                put(out, "logicalType", string(name));
            }
        }
        None => {}
    }
    out.extend(ty.properties.iter().cloned());
}
