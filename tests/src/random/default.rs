//! Defaults for a type, as JSON text.

use super::Rng;
use super::types::{Field, Names, Type};

/// A default, sometimes a wrong one; none where there is none to be had.
pub(super) fn default(rng: &mut Rng, names: &Names<'_>, ty: &Type, deep: usize) -> Option<String> {
    if deep > 5 {
        return None;
    }
    if rng.one_in(60) {
        return Some(
            rng.pick(&["{\"no\":1}", "1.0", "[3]", "\"?\"", "null", "99999999999999999999", "1e999"]).to_string(),
        );
    }
    Some(match ty {
        Type::Prim(p) | Type::Logical(p, _) => primitive(rng, p).to_string(),
        Type::Array(item) => {
            let items: Option<Vec<String>> = (0..rng.below(3)).map(|_| default(rng, names, item, deep + 1)).collect();
            format!("[{}]", items?.join(","))
        }
        Type::Map(item) => {
            let entry = |i| Some(format!("\"k{}\":{}", 5 - i, default(rng, names, item, deep + 1)?));
            let entries: Option<Vec<String>> = (0..deep % 3).map(entry).collect();
            format!("{{{}}}", entries?.join(","))
        }
        Type::Union(list) => {
            let chosen = if deep > 3 { list.first()? } else { list.get(rng.below(list.len()))? };
            default(rng, names, chosen, deep + 1)?
        }
        Type::Enum(_, symbols, _) => format!("\"{}\"", rng.pick(symbols)),
        Type::Fixed(_, size, _) => format!("\"{}\"", "\\u00fe".repeat(*size)),
        Type::Record(_, fields) => {
            let entries: Option<Vec<Option<String>>> = fields.iter().map(|f| entry(rng, names, f, deep)).collect();
            format!("{{{}}}", entries?.into_iter().flatten().collect::<Vec<_>>().join(","))
        }
        Type::Ref(name) => default(rng, names, names.get(name)?, deep + 1)?,
    })
}

/// A field of a record's default. Where it has a default of its own it may be left out.
fn entry(rng: &mut Rng, names: &Names<'_>, f: &Field, deep: usize) -> Option<Option<String>> {
    if f.default.is_some() && rng.one_in(2) {
        return Some(None);
    }
    Some(Some(format!("\"{}\":{}", f.name, default(rng, names, &f.ty, deep + 1)?)))
}

fn primitive(rng: &mut Rng, p: &str) -> &'static str {
    match p {
        "null" => "null",
        "boolean" => rng.pick::<&'static str>(&["true", "false"]),
        "int" => rng.pick::<&'static str>(&["7", "-1", "0", "64", "2147483647", "-2147483648", "12345", "2147483648"]),
        "long" => rng.pick::<&'static str>(&["7", "9007199254740993", "-9223372036854775808", "0", "-65"]),
        "float" => rng.pick::<&'static str>(&["1", "1.5", "\"NaN\"", "16777217", "0.1", "-2.5E-3", "3e38"]),
        "double" => rng.pick::<&'static str>(&["1", "-1.5e300", "\"-Infinity\"", "9007199254740993", "0.1", "5e-324"]),
        "bytes" => rng.pick::<&'static str>(&["\"\\u00ff\\u0000\"", "\"abc\"", "\"\"", "\"é\""]),
        _ => {
            rng.pick::<&'static str>(&["\"\"", "\"a much longer default text\"", "\"\\u00e9\"", "\"\\ud834\\udd1e日\""])
        }
    }
}
