//! Reading Avro's binary encoding (Avro 1.12, "Binary Encoding").

use reschema_ir::{Builder, Len, Num, NumUse, Op, SeqIn, SpanUse};
use reschema_lower::{Access, Index, Scalar, Source, Unsupported, Value};
use reschema_schema::model::{FloatType, IntType, Schema, Shape, TypeId};

/// Avro's binary encoding as a source.
#[derive(Clone, Copy, Debug, Default)]
pub struct AvroSource;

pub(crate) fn unsupported(what: impl Into<String>) -> Unsupported {
    Unsupported { format: "Avro", what: what.into() }
}

/// The wire form of a scalar that is a number; `None` for null, text and bytes.
pub(crate) fn num_form(scalar: Scalar) -> Result<Option<Num>, Unsupported> {
    Ok(Some(match scalar {
        Scalar::Null | Scalar::Text | Scalar::Bytes => return Ok(None),
        Scalar::Boolean => Num::Bool,
        Scalar::Int(IntType::I32) => Num::Zigzag32,
        Scalar::Int(IntType::I64) => Num::Zigzag64,
        Scalar::Float(FloatType::F32) => Num::F32,
        Scalar::Float(FloatType::F64) => Num::F64,
        Scalar::Int(t) => return Err(unsupported(format!("an integer of {} bits, signed: {}", t.bits, t.signed))),
        Scalar::Float(FloatType::F16) => return Err(unsupported("a float of 16 bits")),
    }))
}

impl Source for AvroSource {
    fn access(&self) -> Access {
        Access::Ordered
    }

    fn read(&mut self, b: &mut Builder, scalar: Scalar) -> Result<Value, Unsupported> {
        match (num_form(scalar)?, scalar) {
            (Some(from), _) => {
                let (dst, register) = b.num();
                b.op(Op::ReadNum { dst, from });
                Ok(Value::Num(register))
            }
            (None, Scalar::Null) => Ok(Value::Null),
            (None, _) => {
                let (dst, register) = b.span();
                b.op(Op::ReadSpan { dst, from: Len::Zigzag });
                Ok(Value::Span(register))
            }
        }
    }

    fn read_fixed(&mut self, b: &mut Builder, size: u64) -> Result<SpanUse, Unsupported> {
        let (dst, register) = b.span();
        b.op(Op::ReadFixed { dst, size });
        Ok(register)
    }

    /// Enum and union indexes are `int`s (Avro 1.12, "Enums", "Unions").
    fn read_index(&mut self, b: &mut Builder, _: Index) -> Result<NumUse, Unsupported> {
        let (dst, register) = b.num();
        b.op(Op::ReadNum { dst, from: Num::Zigzag32 });
        Ok(register)
    }

    fn skip(&mut self, b: &mut Builder, scalar: Scalar) -> Result<(), Unsupported> {
        match (num_form(scalar)?, scalar) {
            (Some(from), _) => b.op(Op::SkipNum { from }),
            (None, Scalar::Null) => {}
            (None, _) => b.op(Op::SkipSpan { from: Len::Zigzag }),
        }
        Ok(())
    }

    fn skip_fixed(&mut self, b: &mut Builder, size: u64) -> Result<(), Unsupported> {
        b.op(Op::SkipFixed { size });
        Ok(())
    }

    fn skip_symbol(&mut self, b: &mut Builder) -> Result<(), Unsupported> {
        b.op(Op::SkipNum { from: Num::Zigzag32 });
        Ok(())
    }

    fn sequence(&self) -> SeqIn {
        SeqIn::Blocks
    }

    fn takes_no_bytes(&self, schema: &Schema, ty: TypeId) -> bool {
        no_bytes(schema, ty)
    }
}

/// Null, `fixed(0)`, and records of nothing else. A record that contains itself has no finite value, so it does not
/// matter what is said of it.
fn no_bytes(schema: &Schema, ty: TypeId) -> bool {
    let mut seen = std::collections::HashSet::from([ty]);
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match &schema.get(ty).shape {
            Shape::Null => {}
            Shape::Fixed(t) if t.size == 0 => {}
            Shape::Record(t) => work.extend(t.fields.iter().map(|f| f.ty).filter(|f| seen.insert(*f))),
            _ => return false,
        }
    }
    true
}
