//! A little-endian format keyed by numbers.
//!
//! Numbers have their natural width, lengths and list counts are `u32`, indexes `i32`. A record is a `u16` number of
//! entries, each a `u16` key and a value, in any order. A key is the field's id, or its position plus one.

use reschema::Format;
use reschema::schema::model::{FloatType, Schema, Shape, TypeId};
use reschema_ir::{Builder, Len, Num, NumUse, Op, SeqIn, SeqOut, SpanUse};
use reschema_lower::{Access, Index, Order, Scalar, Sink, Source, Unsupported, Value};

/// The format.
pub const KEYED: Format = Format {
    name: "keyed",
    source: Some(|_| Box::new(Keyed)),
    sink: Some(|_| Box::new(Keyed)),
    options: 0,
    text: false,
};

struct Keyed;

fn form(scalar: Scalar) -> Result<Option<Num>, Unsupported> {
    Ok(Some(match scalar {
        Scalar::Null | Scalar::Text | Scalar::Bytes => return Ok(None),
        Scalar::Boolean => Num::Bool,
        Scalar::Int(t) if t.signed && t.bits == 32 => Num::I32,
        Scalar::Int(t) if t.signed && t.bits == 64 => Num::I64,
        Scalar::Float(FloatType::F32) => Num::F32,
        Scalar::Float(FloatType::F64) => Num::F64,
        other => return Err(Unsupported { format: "keyed", what: format!("{other:?}") }),
    }))
}

fn field_key(schema: &Schema, record: TypeId, field: usize) -> i64 {
    match &schema.get(record).shape {
        Shape::Record(t) => t.fields.get(field).and_then(|f| f.id).unwrap_or(field as i64 + 1),
        _ => field as i64 + 1,
    }
}

impl Source for Keyed {
    fn access(&self) -> Access {
        Access::Keyed
    }

    fn read(&mut self, b: &mut Builder, scalar: Scalar) -> Result<Value, Unsupported> {
        Ok(match (form(scalar)?, scalar) {
            (Some(from), _) => {
                let (dst, register) = b.num();
                b.op(Op::ReadNum { dst, from });
                Value::Num(register)
            }
            (None, Scalar::Null) => Value::Null,
            (None, _) => {
                let (dst, register) = b.span();
                b.op(Op::ReadSpan { dst, from: Len::U32 });
                Value::Span(register)
            }
        })
    }

    fn read_fixed(&mut self, b: &mut Builder, size: u64) -> Result<SpanUse, Unsupported> {
        let (dst, register) = b.span();
        b.op(Op::ReadFixed { dst, size });
        Ok(register)
    }

    fn read_index(&mut self, b: &mut Builder, _: Index) -> Result<NumUse, Unsupported> {
        let (dst, register) = b.num();
        b.op(Op::ReadNum { dst, from: Num::I32 });
        Ok(register)
    }

    fn skip(&mut self, b: &mut Builder, scalar: Scalar) -> Result<(), Unsupported> {
        match (form(scalar)?, scalar) {
            (Some(from), _) => b.op(Op::SkipNum { from }),
            (None, Scalar::Null) => {}
            (None, _) => b.op(Op::SkipSpan { from: Len::U32 }),
        }
        Ok(())
    }

    fn skip_fixed(&mut self, b: &mut Builder, size: u64) -> Result<(), Unsupported> {
        b.op(Op::SkipFixed { size });
        Ok(())
    }

    fn skip_symbol(&mut self, b: &mut Builder) -> Result<(), Unsupported> {
        b.op(Op::SkipNum { from: Num::I32 });
        Ok(())
    }

    fn sequence(&self) -> SeqIn {
        SeqIn::U32
    }

    fn takes_no_bytes(&self, schema: &Schema, ty: TypeId) -> bool {
        // A record has a count of entries, so only these two.
        match &schema.get(ty).shape {
            Shape::Null => true,
            Shape::Fixed(t) => t.size == 0,
            _ => false,
        }
    }

    fn entries(&self) -> SeqIn {
        SeqIn::U16
    }

    fn read_key(&mut self, b: &mut Builder) -> Result<NumUse, Unsupported> {
        let (dst, register) = b.num();
        b.op(Op::ReadNum { dst, from: Num::U16 });
        Ok(register)
    }

    fn key(&self, schema: &Schema, record: TypeId, field: usize) -> i64 {
        field_key(schema, record, field)
    }
}

impl Keyed {
    fn constant(b: &mut Builder, value: i64, to: Num) {
        let (dst, src) = b.num();
        b.op(Op::ConstNum { dst, value });
        b.op(Op::WriteNum { src, to });
    }
}

impl Sink for Keyed {
    fn order(&self) -> Order {
        Order::Any
    }

    fn write(&mut self, b: &mut Builder, scalar: Scalar, value: Value) -> Result<(), Unsupported> {
        match (form(scalar)?, value) {
            (Some(to), Value::Num(src)) => b.op(Op::WriteNum { src, to }),
            (_, Value::Span(src)) => b.op(Op::WriteSpan { src, to: Len::U32 }),
            _ => {}
        }
        Ok(())
    }

    fn write_fixed(&mut self, b: &mut Builder, src: SpanUse) -> Result<(), Unsupported> {
        b.op(Op::WriteFixed { src });
        Ok(())
    }

    fn write_index(&mut self, b: &mut Builder, _: Index, src: NumUse) -> Result<(), Unsupported> {
        b.op(Op::WriteNum { src, to: Num::I32 });
        Ok(())
    }

    fn sequence(&self) -> SeqOut {
        SeqOut::U32
    }

    fn begin_record(&mut self, b: &mut Builder, fields: usize) -> Result<(), Unsupported> {
        if fields > usize::from(u16::MAX) {
            return Err(Unsupported { format: "keyed", what: format!("a record of {fields} fields") });
        }
        Keyed::constant(b, fields as i64, Num::U16);
        Ok(())
    }

    fn begin_field(&mut self, b: &mut Builder, schema: &Schema, record: TypeId, field: usize) {
        Keyed::constant(b, field_key(schema, record, field), Num::U16);
    }
}
