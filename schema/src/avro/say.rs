//! What Avro's schema language can say. All else is refused when a schema is printed, so that what is printed reads back
//! as an equal schema: nothing is dropped.

use super::logical::logical;
use super::words::{PRIMITIVES, attributes, shape_word};
use crate::json::Json;
use crate::model::{FloatType, Logical, Naming, Schema, Shape, Type, TypeId, TypeName, UnionType};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Something that Avro's schema language cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAvro(pub String);

impl fmt::Display for NotAvro {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Avro has no {}", self.0)
    }
}

impl std::error::Error for NotAvro {}

fn no<T>(what: impl Into<String>) -> Result<T, NotAvro> {
    Err(NotAvro(what.into()))
}

/// Refuses what says how the data look, and Avro does not have. The canonical form drops the rest.
pub(super) fn data(schema: &Schema, ty: &Type) -> Result<(), NotAvro> {
    if !ty.annotations.is_empty() {
        return no("annotations");
    }
    match &ty.shape {
        Shape::Int(t) if !(t.signed && (t.bits == 32 || t.bits == 64)) => {
            no(format!("integer of {} bits, signed: {}", t.bits, t.signed))
        }
        Shape::Float(FloatType::F16) => no("float of 16 bits"),
        Shape::Symbol => no("symbol"),
        Shape::List(t) if t.length.is_some() => no("list of fixed length"),
        Shape::Map(t) if *schema.get(t.key) != Type::plain(Shape::Text) => no("map with keys other than strings"),
        Shape::Fixed(t) if t.size > i64::MAX as u64 => no(format!("fixed of {} bytes", t.size)),
        Shape::Union(t) => union(schema, t),
        _ => Ok(()),
    }
}

fn union(schema: &Schema, t: &UnionType) -> Result<(), NotAvro> {
    let mut seen = HashSet::new();
    for variant in &t.variants {
        let shape = &schema.get(variant.ty).shape;
        if variant.name.is_some() {
            return no("names of variants");
        }
        if matches!(shape, Shape::Union(_)) {
            return no("union directly in a union");
        }
        if !seen.insert((shape.naming().map(|_| variant.ty), shape_word(shape))) {
            return no(format!("union with two variants {}", schema.type_label(variant.ty)));
        }
    }
    Ok(())
}

/// The names printed so far.
#[derive(Default)]
pub(super) struct Seen<'a>(HashMap<&'a TypeName, TypeId>);

impl<'a> Seen<'a> {
    /// Whether a type is met for the first time.
    pub(super) fn first(&mut self, id: TypeId, naming: &'a Naming) -> Result<bool, NotAvro> {
        let name = &naming.name;
        match self.0.insert(name, id) {
            Some(before) if before == id => Ok(false),
            Some(_) => no(format!("two types {name}")),
            None if name.name.contains('.') => no(format!("type called {:?}", name.name)),
            None if PRIMITIVES.contains(&name.name.as_str()) => no(format!("type called {}", name.name)),
            None => Ok(true),
        }
    }

    pub(super) fn contains(&self, name: &TypeName) -> bool {
        self.0.contains_key(name)
    }
}

/// Refuses what the canonical form drops, and Avro has no words for either: numbers of fields and symbols, logical
/// types and properties where a text could not hold them.
pub(super) fn text(ty: &Type) -> Result<(), NotAvro> {
    if ty.shape.naming().is_some_and(|n| n.aliases.iter().any(|a| a.name.contains('.'))) {
        return no("alias with a dot in its name");
    }
    match &ty.shape {
        Shape::Record(t) if t.fields.iter().any(|f| f.id.is_some()) => return no("numbers of fields"),
        Shape::Enum(t) if t.symbols.iter().any(|s| s.id.is_some()) => return no("numbers of symbols"),
        Shape::Enum(t) if t.default.is_some_and(|d| d >= t.symbols.len()) => {
            return no("default of an enum beyond its symbols");
        }
        Shape::Union(_) if ty.logical.is_some() => return no("logical type of a union"),
        Shape::Union(_) if !ty.properties.is_empty() => return no("properties of a union"),
        _ => {}
    }
    properties(&ty.properties, attributes(&ty.shape))
}

/// Refuses properties that would be read as something else, or are there twice.
pub(super) fn properties(properties: &[(String, Json)], taken: &[&str]) -> Result<(), NotAvro> {
    let mut seen = HashSet::with_capacity(properties.len());
    match properties.iter().find(|(key, _)| taken.contains(&key.as_str()) || !seen.insert(key.as_str())) {
        Some((key, _)) => no(format!("property called {key:?} in this place")),
        None => Ok(()),
    }
}

/// Refuses a logical type that the printed node would not be read with.
pub(super) fn annotation(node: &Json, shape: &Shape, wanted: Option<&Logical>) -> Result<(), NotAvro> {
    match logical(node, shape) {
        Ok(read) if read.as_ref() == wanted => Ok(()),
        Err(_) if wanted.is_none() => Ok(()),
        _ => no(format!("logical type {wanted:?} with these properties on {}", shape_word(shape))),
    }
}
