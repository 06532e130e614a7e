//! Which text a type becomes: the mapping table of ADR 0017.

use crate::options::{BytesAs, Encoding, JsonOptions, SpecialsAs};
use reschema_ir::{Quote, TextNum};
use reschema_lower::{Scalar, Typed, Unsupported};
use reschema_schema::model::{FloatType, IntType, Logical, Schema, Shape, TimeUnit, TypeId, ZoneKind};

pub(crate) fn unsupported(what: impl Into<String>) -> Unsupported {
    Unsupported { format: "JSON", what: what.into() }
}

/// The text of a scalar that is a number; `None` for null, text and bytes. Times are text where `times` says so.
pub(crate) fn num_form(
    options: &JsonOptions,
    of: Typed<'_>,
    scalar: Scalar,
    times: bool,
) -> Result<Option<TextNum>, Unsupported> {
    Ok(Some(match scalar {
        Scalar::Null | Scalar::Text | Scalar::Bytes => return Ok(None),
        Scalar::Boolean => TextNum::Bool,
        Scalar::Int(t @ (IntType::I32 | IntType::I64)) => {
            let plain = if t == IntType::I32 { TextNum::Int32 } else { TextNum::Int64 };
            let logical = of.schema.get(of.ty).logical.as_ref();
            let text = options.encoding == Encoding::Plain && times;
            logical.filter(|_| text).and_then(|l| time_form(l, t)).unwrap_or(plain)
        }
        Scalar::Float(FloatType::F32) => match options.specials {
            SpecialsAs::Text => TextNum::F32,
            SpecialsAs::Refuse => TextNum::FiniteF32,
            SpecialsAs::Null => TextNum::NullF32,
        },
        Scalar::Float(FloatType::F64) => match options.specials {
            SpecialsAs::Text => TextNum::F64,
            SpecialsAs::Refuse => TextNum::FiniteF64,
            SpecialsAs::Null => TextNum::NullF64,
        },
        Scalar::Int(t) => return Err(unsupported(format!("an integer of {} bits, signed: {}", t.bits, t.signed))),
        Scalar::Float(FloatType::F16) => return Err(unsupported("a float of 16 bits")),
    }))
}

fn time_form(logical: &Logical, ty: IntType) -> Option<TextNum> {
    let small = ty == IntType::I32;
    Some(match logical {
        Logical::Date if small => TextNum::Date,
        Logical::Time(TimeUnit::Milli) if small => TextNum::TimeMilli,
        Logical::Time(TimeUnit::Micro) if !small => TextNum::TimeMicro,
        Logical::Timestamp(unit, zone) if !small => match (unit, zone) {
            (TimeUnit::Milli, ZoneKind::Utc) => TextNum::StampMilli,
            (TimeUnit::Micro, ZoneKind::Utc) => TextNum::StampMicro,
            (TimeUnit::Nano, ZoneKind::Utc) => TextNum::StampNano,
            (TimeUnit::Milli, ZoneKind::Local) => TextNum::LocalMilli,
            (TimeUnit::Micro, ZoneKind::Local) => TextNum::LocalMicro,
            (TimeUnit::Nano, ZoneKind::Local) => TextNum::LocalNano,
            (TimeUnit::Second, _) => return None,
        },
        _ => return None,
    })
}

/// Precision and scale of bytes that are a decimal and written as one.
pub(crate) fn decimal(options: &JsonOptions, of: Typed<'_>) -> Option<(u64, u64)> {
    match of.schema.get(of.ty).logical {
        Some(Logical::Decimal { precision, scale }) if options.encoding == Encoding::Plain => Some((precision, scale)),
        _ => None,
    }
}

/// How bytes are quoted.
pub(crate) fn bytes_form(options: &JsonOptions) -> Quote {
    match options.bytes {
        BytesAs::Base64 => Quote::Base64,
        BytesAs::CodePoints => Quote::Latin,
    }
}

/// The name of a variant in Avro's encoding; null has none.
pub(crate) fn variant_name(schema: &Schema, ty: TypeId) -> Result<Option<String>, Unsupported> {
    let shape = &schema.get(ty).shape;
    if let Some(naming) = shape.naming() {
        return Ok(Some(naming.name.to_string()));
    }
    let word = match shape {
        Shape::Null => return Ok(None),
        Shape::Boolean => "boolean",
        Shape::Int(IntType::I32) => "int",
        Shape::Int(IntType::I64) => "long",
        Shape::Float(FloatType::F32) => "float",
        Shape::Float(FloatType::F64) => "double",
        Shape::Text => "string",
        Shape::Bytes => "bytes",
        Shape::List(_) => "array",
        Shape::Map(_) => "map",
        other => return Err(unsupported(format!("a variant of {other:?}"))),
    };
    Ok(Some(word.into()))
}

/// A string of JSON.
pub(crate) fn quoted(text: &str) -> Vec<u8> {
    let mut out = vec![b'"'];
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend([b'\\', c as u8]),
            c if u32::from(c) < 0x20 => out.extend(format!("\\u{:04x}", u32::from(c)).bytes()),
            c => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    out.push(b'"');
    out
}

/// A key and its colon.
pub(crate) fn key(name: &str) -> Vec<u8> {
    let mut out = quoted(name);
    out.push(b':');
    out
}
