//! Conversions of scalars: the one table from (written, wanted) to instructions.

use crate::format::{Scalar, Value};
use reschema_ir::{Builder, Convert, Op, UserId};
use reschema_schema::model::{FloatType, Logical, Schema, TypeId};

/// A conversion between logical types that the user supplies: lowering emits one `user.num` where it applies, and
/// nothing anywhere else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserConversion {
    /// Logical type written.
    pub from: Logical,
    /// Logical type wanted.
    pub to: Logical,
}

/// Converts a value of scalar `from` to scalar `to`; `None`: there is no such conversion.
pub(crate) fn convert(b: &mut Builder, value: Value, from: Scalar, to: Scalar) -> Option<Value> {
    match (from, to, value) {
        (Scalar::Null, Scalar::Null, v)
        | (Scalar::Boolean, Scalar::Boolean, v)
        | (_, Scalar::Bytes, v @ Value::Span(_)) => Some(v),
        (Scalar::Int(f), Scalar::Int(t), v) if f.signed == t.signed && f.bits <= t.bits && t.bits <= 64 => Some(v),
        (Scalar::Float(f), Scalar::Float(t), v) if f == t => Some(v),
        (Scalar::Int(_), Scalar::Float(FloatType::F32), v) => number(b, v, Convert::IntToF32),
        (Scalar::Int(_), Scalar::Float(FloatType::F64), v) => number(b, v, Convert::IntToF64),
        (Scalar::Float(FloatType::F32), Scalar::Float(FloatType::F64), v) => number(b, v, Convert::F32ToF64),
        (Scalar::Text | Scalar::Bytes, Scalar::Text, Value::Span(src)) => {
            b.op(Op::CheckUtf8 { src });
            Some(value)
        }
        _ => None,
    }
}

fn number(b: &mut Builder, value: Value, conv: Convert) -> Option<Value> {
    let Value::Num(src) = value else { return None };
    let (dst, register) = b.num();
    b.op(Op::ConvertNum { dst, src, conv });
    Some(Value::Num(register))
}

/// Applies the user's conversion between the logical types of a pair, if there is one.
pub(crate) fn apply_user(
    b: &mut Builder,
    value: Value,
    writer: (&Schema, TypeId),
    reader: (&Schema, TypeId),
    users: &[UserConversion],
) -> Value {
    let (Some(from), Some(to)) = (&writer.0.get(writer.1).logical, &reader.0.get(reader.1).logical) else {
        return value;
    };
    let found = users.iter().position(|u| u.from == *from && u.to == *to);
    match (found, value) {
        (Some(i), Value::Num(src)) => {
            let (dst, register) = b.num();
            b.op(Op::UserNum { dst, src, user: UserId(i as u32) });
            Value::Num(register)
        }
        _ => value,
    }
}
