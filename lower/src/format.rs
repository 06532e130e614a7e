//! What a format implements: [`Source`] to be read, [`Sink`] to be written.

use crate::alike::Alike;
use reschema_ir::{Builder, Markup, NumUse, Op, SeqIn, SeqOut, SpanUse, Twice, Unknown};
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

/// A type of a schema, for formats whose encoding depends on more than the shape.
#[derive(Clone, Copy)]
pub struct Typed<'a> {
    /// The schema.
    pub schema: &'a Schema,
    /// The type.
    pub ty: TypeId,
}

/// What a sequence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// A list.
    List,
    /// A map: each item is a key and a value.
    Map,
}

/// How a source whose records are [`Access::Named`] judges keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRules {
    /// Language.
    pub form: Markup,
    /// Keys that come twice.
    pub twice: Twice,
    /// Keys that the schema does not have.
    pub unknown: Unknown,
    /// Whether a key without default that is not there is null, where the field may be null.
    pub missing_is_null: bool,
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
    /// By name, in any order, in a self-describing language: the source seeks them ([`Source::key_rules`]).
    Named,
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

    /// As [`Source::read`], for sources that look at the type.
    fn read_value(&mut self, b: &mut Builder, of: Typed<'_>, scalar: Scalar) -> Result<Value, Unsupported> {
        let _ = of;
        self.read(b, scalar)
    }

    /// As [`Source::read_fixed`], for sources that look at the type.
    fn read_fixed_value(&mut self, b: &mut Builder, of: Typed<'_>, size: u64) -> Result<SpanUse, Unsupported> {
        let _ = of;
        self.read_fixed(b, size)
    }

    /// Reads a symbol of an enum: its index.
    fn read_symbol(&mut self, b: &mut Builder, of: Typed<'_>) -> Result<NumUse, Unsupported> {
        let _ = of;
        self.read_index(b, Index::Symbol)
    }

    /// Reads which variant of a union follows; `level` is that of the value.
    fn read_variant(&mut self, b: &mut Builder, of: Typed<'_>, level: u32) -> Result<NumUse, Unsupported> {
        let _ = (of, level);
        self.read_index(b, Index::Variant)
    }

    /// Behind the value of a variant.
    fn end_variant(&mut self, b: &mut Builder, of: Typed<'_>, variant: usize) {
        let _ = (b, of, variant);
    }

    /// Whether what stands there says of every union which variant it is.
    fn tells_apart(&self) -> bool {
        true
    }

    /// Where it does not: the variants of a union that some value fits both of.
    fn alike(&self, of: Typed<'_>) -> Vec<Alike> {
        let _ = of;
        Vec::new()
    }

    /// How a list or a map tells its number of items, for sources where that differs.
    fn items(&self, of: Items) -> SeqIn {
        let _ = of;
        self.sequence()
    }

    /// Behind the key of a map's entry.
    fn end_key(&mut self, b: &mut Builder) {
        let _ = b;
    }

    /// Self-describing sources: passes over a value of any type, `level` levels deep. False: the type is needed.
    fn skip_any(&mut self, b: &mut Builder, level: u32) -> bool {
        let _ = (b, level);
        false
    }

    /// Sources whose records are [`Access::Named`]: how keys are judged.
    fn key_rules(&self) -> Option<KeyRules> {
        None
    }

    /// Sources whose records are [`Access::Named`]: a key as it is usually written, with what is in front of the value.
    fn key_text(&self, name: &str) -> Vec<u8> {
        name.into()
    }

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

    /// As [`Sink::write`], for sinks that look at the type.
    fn write_value(&mut self, b: &mut Builder, of: Typed<'_>, scalar: Scalar, value: Value) -> Result<(), Unsupported> {
        let _ = of;
        self.write(b, scalar, value)
    }

    /// As [`Sink::write_fixed`], for sinks that look at the type.
    fn write_fixed_value(&mut self, b: &mut Builder, of: Typed<'_>, value: SpanUse) -> Result<(), Unsupported> {
        let _ = of;
        self.write_fixed(b, value)
    }

    /// Writes a symbol of an enum by its index.
    fn write_symbol(&mut self, b: &mut Builder, of: Typed<'_>, value: NumUse) -> Result<(), Unsupported> {
        let _ = of;
        self.write_index(b, Index::Symbol, value)
    }

    /// Before the value of a variant of a union.
    fn begin_variant(&mut self, b: &mut Builder, of: Typed<'_>, variant: usize) -> Result<(), Unsupported> {
        let _ = of;
        let index = const_num(b, variant as i64);
        self.write_index(b, Index::Variant, index)
    }

    /// Behind the value of a variant.
    fn end_variant(&mut self, b: &mut Builder, of: Typed<'_>, variant: usize) {
        let _ = (b, of, variant);
    }

    /// Whether what is written says of every union which variant it is.
    fn tells_apart(&self) -> bool {
        true
    }

    /// Where it does not: the variants of a union of which a value may be written that is read back as the other.
    fn alike(&self, of: Typed<'_>) -> Vec<Alike> {
        let _ = of;
        Vec::new()
    }

    /// Before the items of a list or map. Registers taken here last until [`Sink::end_items`].
    fn begin_items(&mut self, b: &mut Builder, of: Items) {
        let _ = (b, of);
    }

    /// Before an item.
    fn begin_item(&mut self, b: &mut Builder) {
        let _ = b;
    }

    /// Behind the key of a map's entry.
    fn end_key(&mut self, b: &mut Builder) {
        let _ = b;
    }

    /// Behind the items of a list or map.
    fn end_items(&mut self, b: &mut Builder, of: Items) {
        let _ = (b, of);
    }

    /// Behind a whole value.
    fn end_datum(&mut self, b: &mut Builder) {
        let _ = b;
    }
}

/// Sets a register to a constant.
pub(crate) fn const_num(b: &mut Builder, value: i64) -> NumUse {
    let (dst, register) = b.num();
    b.op(Op::ConstNum { dst, value });
    register
}
