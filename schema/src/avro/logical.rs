//! Logical types (Avro 1.12, "Logical Types"): which annotation is valid on which type.

use crate::json::Json;
use crate::model::{FloatType, IntType, Logical, Shape, TimeUnit, ZoneKind};

/// The logical type that an annotation gives a shape. `Err` says why it is ignored.
pub(super) fn logical(node: &Json, shape: &Shape) -> Result<Option<Logical>, String> {
    let name = match node.get("logicalType") {
        None => return Ok(None),
        Some(Json::String(name)) => name.as_str(),
        Some(other) => return Err(format!("logicalType is a string, found {}", other.describe())),
    };
    if name == "decimal" {
        return decimal(node, shape).map(Some);
    }
    let (logical, on) = simple(name).ok_or_else(|| format!("unknown logical type {name:?}"))?;
    if on.iter().any(|ok| ok(shape)) {
        Ok(Some(logical))
    } else {
        Err(format!("logical type {name} does not annotate {}", word(shape)))
    }
}

type Test = fn(&Shape) -> bool;

fn int(s: &Shape) -> bool {
    *s == Shape::Int(IntType::I32)
}
fn long(s: &Shape) -> bool {
    *s == Shape::Int(IntType::I64)
}
fn text(s: &Shape) -> bool {
    *s == Shape::Text
}
fn bytes(s: &Shape) -> bool {
    *s == Shape::Bytes
}
fn fixed16(s: &Shape) -> bool {
    matches!(s, Shape::Fixed(f) if f.size == 16)
}
fn fixed12(s: &Shape) -> bool {
    matches!(s, Shape::Fixed(f) if f.size == 12)
}

fn simple(name: &str) -> Option<(Logical, &'static [Test])> {
    const LONG: &[Test] = &[long];
    Some(match name {
        "big-decimal" => (Logical::BigDecimal, &[bytes]),
        "uuid" => (Logical::Uuid, &[text, fixed16]),
        "date" => (Logical::Date, &[int]),
        "time-millis" => (Logical::Time(TimeUnit::Milli), &[int]),
        "time-micros" => (Logical::Time(TimeUnit::Micro), LONG),
        "timestamp-millis" => (Logical::Timestamp(TimeUnit::Milli, ZoneKind::Utc), LONG),
        "timestamp-micros" => (Logical::Timestamp(TimeUnit::Micro, ZoneKind::Utc), LONG),
        "timestamp-nanos" => (Logical::Timestamp(TimeUnit::Nano, ZoneKind::Utc), LONG),
        "local-timestamp-millis" => (Logical::Timestamp(TimeUnit::Milli, ZoneKind::Local), LONG),
        "local-timestamp-micros" => (Logical::Timestamp(TimeUnit::Micro, ZoneKind::Local), LONG),
        "local-timestamp-nanos" => (Logical::Timestamp(TimeUnit::Nano, ZoneKind::Local), LONG),
        "duration" => (Logical::Duration, &[fixed12]),
        _ => return None,
    })
}

/// The name of a logical type, if it has a simple one.
pub(super) fn name(logical: &Logical) -> Option<&'static str> {
    const NAMES: &[&str] = &[
        "big-decimal",
        "uuid",
        "date",
        "time-millis",
        "time-micros",
        "timestamp-millis",
        "timestamp-micros",
        "timestamp-nanos",
        "local-timestamp-millis",
        "local-timestamp-micros",
        "local-timestamp-nanos",
        "duration",
    ];
    NAMES.iter().copied().find(|n| simple(n).is_some_and(|(l, _)| l == *logical))
}

fn decimal(node: &Json, shape: &Shape) -> Result<Logical, String> {
    let number = |key: &str, absent: Option<i128>| match node.get(key) {
        None => absent.ok_or_else(|| format!("decimal without {key}")),
        Some(v) => v.integer().ok_or_else(|| format!("{key} is an integer, found {}", v.describe())),
    };
    let (precision, scale) = (number("precision", None)?, number("scale", Some(0))?);
    if precision < 1 || scale < 0 || scale > precision || precision > i128::from(u64::MAX) {
        return Err(format!("decimal with precision {precision} and scale {scale}"));
    }
    let most = match shape {
        Shape::Bytes => u64::MAX,
        Shape::Fixed(f) => fixed_digits(f.size),
        other => return Err(format!("logical type decimal does not annotate {}", word(other))),
    };
    let (precision, scale) = (precision as u64, scale as u64);
    if precision > most {
        return Err(format!("decimal with precision {precision} on a fixed that holds {most} digits"));
    }
    Ok(Logical::Decimal { precision, scale })
}

/// Decimal digits that always fit a two's-complement integer of so many bytes: ⌊log₁₀(2^(8n−1) − 1)⌋.
fn fixed_digits(size: u64) -> u64 {
    if size == 0 {
        return 0;
    }
    // 2^(8n−1) is never a power of ten, so the floor of the logarithm is that of the integer part; in whole numbers
    // log₁₀ 2 = 0.301029995663981195213738894724493026768189881462108541310…
    let bits = u128::from(size) * 8 - 1;
    (bits * 301_029_995_663_981_195 / 1_000_000_000_000_000_000) as u64
}

fn word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Null => "null",
        Shape::Boolean => "boolean",
        Shape::Int(t) if t.bits <= 32 => "int",
        Shape::Int(_) => "long",
        Shape::Float(FloatType::F64) => "double",
        Shape::Float(_) => "float",
        Shape::Text | Shape::Symbol => "string",
        Shape::Bytes => "bytes",
        Shape::Fixed(_) => "a fixed of this size",
        Shape::Enum(_) => "enum",
        Shape::List(_) => "array",
        Shape::Map(_) => "map",
        Shape::Record(_) => "record",
        Shape::Union(_) => "union",
    }
}
