//! The binary form of a JSON default.

use super::json::Json;
use super::schema::{Kind, Schema};

/// Not a value of the type.
pub(super) struct No;

pub(super) fn long(n: i64) -> Vec<u8> {
    let mut u = ((n << 1) ^ (n >> 63)) as u64;
    let mut out = vec![];
    while u > 0x7f {
        out.push((u & 0x7f) as u8 | 0x80);
        u >>= 7;
    }
    out.push(u as u8);
    out
}

pub(super) fn bytes(b: &[u8]) -> Vec<u8> {
    [long(b.len() as i64), b.to_vec()].concat()
}

pub(super) fn encode(s: &Schema, ty: usize, v: &Json, busy: &mut Vec<(usize, usize)>) -> Result<Vec<u8>, No> {
    let t = &s.types[ty];
    match (t.kind, v) {
        (Kind::Union, _) => {
            for (i, variant) in t.variants.iter().enumerate() {
                if let Ok(body) = encode(s, *variant, v, busy) {
                    return Ok([long(i as i64), body].concat());
                }
            }
            Err(No)
        }
        (Kind::Null, Json::Null) => Ok(vec![]),
        (Kind::Boolean, Json::Bool(b)) => Ok(vec![u8::from(*b)]),
        (Kind::Int, _) => {
            let n = v.integer().and_then(|n| i32::try_from(n).ok()).ok_or(No)?;
            Ok(long(n.into()))
        }
        (Kind::Long, _) => Ok(long(v.integer().and_then(|n| i64::try_from(n).ok()).ok_or(No)?)),
        (Kind::Float | Kind::Double, _) => float(t.kind, v),
        (Kind::String, Json::String(text)) => Ok(bytes(text.as_bytes())),
        (Kind::Bytes, Json::String(text)) => Ok(bytes(&latin1(text)?)),
        (Kind::Fixed, Json::String(text)) => {
            latin1(text).and_then(|b| if b.len() as u64 == t.size { Ok(b) } else { Err(No) })
        }
        (Kind::Enum, Json::String(text)) => {
            let i = t.symbols.iter().position(|x| x == text).ok_or(No)?;
            Ok(long(i as i64))
        }
        (Kind::Array, Json::Array(items)) => {
            let mut out = if items.is_empty() { vec![] } else { long(items.len() as i64) };
            for item in items {
                out.extend(encode(s, t.item, item, busy)?);
            }
            out.push(0);
            Ok(out)
        }
        (Kind::Map, Json::Object(entries)) => {
            let mut out = if entries.is_empty() { vec![] } else { long(entries.len() as i64) };
            for (key, value) in entries {
                out.extend(bytes(key.as_bytes()));
                out.extend(encode(s, t.item, value, busy)?);
            }
            out.push(0);
            Ok(out)
        }
        (Kind::Record, Json::Object(entries)) => {
            if entries.iter().any(|(k, _)| !t.fields.iter().any(|f| f.name == *k)) {
                return Err(No);
            }
            let mut out = vec![];
            for (i, f) in t.fields.iter().enumerate() {
                match (v.get(&f.name), &f.default) {
                    (Some(given), _) => out.extend(encode(s, f.ty, given, busy)?),
                    (None, Some(default)) if !busy.contains(&(ty, i)) => {
                        busy.push((ty, i));
                        let body = encode(s, f.ty, default, busy);
                        busy.pop();
                        out.extend(body?);
                    }
                    _ => return Err(No),
                }
            }
            Ok(out)
        }
        _ => Err(No),
    }
}

fn float(kind: Kind, v: &Json) -> Result<Vec<u8>, No> {
    let special = match v.as_str() {
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        _ => None,
    };
    let double = match special {
        Some(d) => d,
        None => v.as_f64().filter(|d| d.is_finite()).ok_or(No)?,
    };
    if kind == Kind::Double {
        return Ok(double.to_le_bytes().to_vec());
    }
    let single = match v.integer() {
        Some(n) => n as f32,
        None => double as f32,
    };
    if special.is_none() && !single.is_finite() {
        return Err(No);
    }
    Ok(single.to_le_bytes().to_vec())
}

fn latin1(text: &str) -> Result<Vec<u8>, No> {
    text.chars().map(|c| u8::try_from(c as u32).map_err(|_| No)).collect()
}
