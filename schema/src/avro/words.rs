//! The words of Avro's language for shapes.

use crate::model::{FloatType, IntType, Schema, Shape, TypeId};

/// The names of primitive types.
pub(super) const PRIMITIVES: &[&str] = &["null", "boolean", "int", "long", "float", "double", "bytes", "string"];

/// Attributes that have a meaning in the schema language, by kind of type; all others are custom properties.
pub(super) fn attributes(shape: &Shape) -> &'static [&'static str] {
    match shape {
        Shape::Record(_) => &["type", "name", "namespace", "aliases", "doc", "fields"],
        Shape::Enum(_) => &["type", "name", "namespace", "aliases", "doc", "symbols", "default"],
        Shape::Fixed(_) => &["type", "name", "namespace", "aliases", "doc", "size"],
        Shape::List(_) => &["type", "items"],
        Shape::Map(_) => &["type", "values"],
        _ => &["type"],
    }
}

/// The attributes of a field.
pub(super) const FIELD: &[&str] = &["name", "type", "aliases", "default", "doc", "order"];

/// The shape of a primitive type's name.
pub(super) fn primitive(name: &str) -> Option<Shape> {
    Some(match name {
        "null" => Shape::Null,
        "boolean" => Shape::Boolean,
        "int" => Shape::Int(IntType::I32),
        "long" => Shape::Int(IntType::I64),
        "float" => Shape::Float(FloatType::F32),
        "double" => Shape::Float(FloatType::F64),
        "bytes" => Shape::Bytes,
        "string" => Shape::Text,
        _ => return None,
    })
}

/// The word for an unnamed shape in Avro's language.
pub(super) fn shape_word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Null => "null",
        Shape::Boolean => "boolean",
        Shape::Int(IntType { bits: 64, .. }) => "long",
        Shape::Int(_) => "int",
        Shape::Float(FloatType::F64) => "double",
        Shape::Float(_) => "float",
        Shape::Text | Shape::Symbol => "string",
        Shape::Bytes => "bytes",
        Shape::Fixed(_) => "fixed",
        Shape::Enum(_) => "enum",
        Shape::List(_) => "array",
        Shape::Map(_) => "map",
        Shape::Record(_) => "record",
        Shape::Union(_) => "union",
    }
}

impl Schema {
    /// A type for people: its full name, or the word for an unnamed shape.
    pub fn type_label(&self, ty: TypeId) -> String {
        let shape = &self.get(ty).shape;
        shape.naming().map_or_else(|| shape_word(shape).to_string(), |n| n.name.to_string())
    }
}
