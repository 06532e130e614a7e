//! What a format implements: [`Source`] to be read, [`Sink`] to be written.

use reschema_ir::{Builder, NumUse, Op, SeqIn, SeqOut, SpanUse};
use reschema_schema::model::{FloatType, IntType, Schema, Shape, TypeId};
use std::fmt;

/// A shape that is one value without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Null.
    Null,
    /// Boolean.
    Boolean,
    /// Integer.
    Int(IntType),
    /// Floating point.
    Float(FloatType),
    /// Text.
    Text,
    /// Bytes.
    Bytes,
}

impl Scalar {
    /// The scalar that a shape is, if it is one.
    pub fn of(shape: &Shape) -> Option<Scalar> {
        Some(match shape {
            Shape::Null => Scalar::Null,
            Shape::Boolean => Scalar::Boolean,
            Shape::Int(t) => Scalar::Int(*t),
            Shape::Float(t) => Scalar::Float(*t),
            Shape::Text | Shape::Symbol => Scalar::Text,
            Shape::Bytes => Scalar::Bytes,
            _ => return None,
        })
    }
}

/// Where a value stands between the source's instructions and the sink's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Null: nowhere.
    Null,
    /// In a number register: a signed integer, a boolean, or the raw bits of a float.
    Num(NumUse),
    /// In a span register.
    Span(SpanUse),
}

/// What an index chooses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// A symbol of an enum.
    Symbol,
    /// A variant of a union.
    Variant,
}

/// How a source reaches the fields of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// In the order of its schema, one behind the other.
    Ordered,
    /// A sequence of key and value, in any order.
    Keyed,
}

/// How a sink wants the fields of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In the order of its schema.
    Fixed,
    /// In any order; each is announced by [`Sink::begin_field`].
    Any,
}

/// A shape that a format cannot carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Format.
    pub format: &'static str,
    /// Shape, for people.
    pub what: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot carry {}", self.format, self.what)
    }
}

/// A format that can be read. Every method emits instructions that leave the cursor behind what they read.
pub trait Source {
    /// How fields of records are reached.
    fn access(&self) -> Access;

    /// Reads a scalar.
    fn read(&mut self, b: &mut Builder, scalar: Scalar) -> Result<Value, Unsupported>;

    /// Reads bytes of a known length.
    fn read_fixed(&mut self, b: &mut Builder, size: u64) -> Result<SpanUse, Unsupported>;

    /// Reads an index; its range is the driver's affair.
    fn read_index(&mut self, b: &mut Builder, of: Index) -> Result<NumUse, Unsupported>;

    /// Passes over a scalar. Only framing is checked.
    fn skip(&mut self, b: &mut Builder, scalar: Scalar) -> Result<(), Unsupported>;

    /// Passes over bytes of a known length.
    fn skip_fixed(&mut self, b: &mut Builder, size: u64) -> Result<(), Unsupported>;

    /// Passes over the index of a symbol.
    fn skip_symbol(&mut self, b: &mut Builder) -> Result<(), Unsupported>;

    /// How lists and maps tell their number of items.
    fn sequence(&self) -> SeqIn;

    /// True when every value of the type takes no bytes of input, so that input does not bound how many there are.
    fn takes_no_bytes(&self, schema: &Schema, ty: TypeId) -> bool;

    /// Keyed sources: how the entries of a record tell their number.
    fn entries(&self) -> SeqIn {
        self.sequence()
    }

    /// Keyed sources: reads the key of an entry.
    fn read_key(&mut self, b: &mut Builder) -> Result<NumUse, Unsupported> {
        let _ = b;
        Err(Unsupported { format: "this format", what: "keyed records".into() })
    }

    /// Keyed sources: the key of a field.
    fn key(&self, schema: &Schema, record: TypeId, field: usize) -> i64 {
        let _ = (schema, record);
        field as i64
    }
}

/// A format that can be written. The hooks around records, fields and items do nothing unless a format needs them.
pub trait Sink {
    /// Order of fields.
    fn order(&self) -> Order;

    /// Writes a scalar; the value is in the domain of `scalar`.
    fn write(&mut self, b: &mut Builder, scalar: Scalar, value: Value) -> Result<(), Unsupported>;

    /// Writes bytes of a known length.
    fn write_fixed(&mut self, b: &mut Builder, value: SpanUse) -> Result<(), Unsupported>;

    /// Writes an index.
    fn write_index(&mut self, b: &mut Builder, of: Index, value: NumUse) -> Result<(), Unsupported>;

    /// How lists and maps want their number of items.
    fn sequence(&self) -> SeqOut;

    /// Before the fields of a record of so many.
    fn begin_record(&mut self, b: &mut Builder, fields: usize) -> Result<(), Unsupported> {
        let _ = (b, fields);
        Ok(())
    }

    /// Behind the fields of a record.
    fn end_record(&mut self, b: &mut Builder) {
        let _ = b;
    }

    /// Before the value of a field.
    fn begin_field(&mut self, b: &mut Builder, schema: &Schema, record: TypeId, field: usize) {
        let _ = (b, schema, record, field);
    }

    /// Behind the value of a field.
    fn end_field(&mut self, b: &mut Builder) {
        let _ = b;
    }

    /// Before the items of a list or map.
    fn begin_items(&mut self, b: &mut Builder) {
        let _ = b;
    }

    /// Behind the items of a list or map.
    fn end_items(&mut self, b: &mut Builder) {
        let _ = b;
    }
}

/// Sets a register to a constant.
pub(crate) fn const_num(b: &mut Builder, value: i64) -> NumUse {
    let (dst, register) = b.num();
    b.op(Op::ConstNum { dst, value });
    register
}
