//! Reader schemas: the writer's after a few edits, most of them legal.

use super::Rng;
use super::types::{Field, Maker, Type};

/// The writer's schema after a few edits; sometimes none.
pub(super) fn evolve(rng: &mut Rng, writer: &Type) -> Type {
    let mut reader = writer.clone();
    for i in 0..rng.below(6) {
        let n = count(&reader);
        let mut at = rng.below(n);
        edit_nth(rng, &mut reader, &mut at, 1000 * (i + 1));
    }
    if !rng.one_in(30) {
        flatten(&mut reader);
    }
    reader
}

/// Edits may have put a union into a union, which no schema may have.
fn flatten(ty: &mut Type) {
    match ty {
        Type::Array(t) | Type::Map(t) => flatten(t),
        Type::Record(_, _, fields) => fields.iter_mut().for_each(|f| flatten(&mut f.ty)),
        Type::Union(list) => {
            let mut flat: Vec<Type> = Vec::new();
            for mut t in std::mem::take(list) {
                flatten(&mut t);
                let inner = if let Type::Union(inner) = t { inner } else { vec![t] };
                for t in inner {
                    if !flat.iter().any(|x| x.label() == t.label()) {
                        flat.push(t);
                    }
                }
            }
            *list = flat;
        }
        _ => {}
    }
}

fn count(ty: &Type) -> usize {
    1 + children(ty).map(count).sum::<usize>()
}

fn children(ty: &Type) -> Box<dyn Iterator<Item = &Type> + '_> {
    match ty {
        Type::Array(t) | Type::Map(t) => Box::new(std::iter::once(t.as_ref())),
        Type::Union(list) => Box::new(list.iter()),
        Type::Record(_, _, fields) => Box::new(fields.iter().map(|f| &f.ty)),
        _ => Box::new(std::iter::empty()),
    }
}

fn edit_nth(rng: &mut Rng, ty: &mut Type, at: &mut usize, names: usize) -> bool {
    if *at == 0 {
        edit(rng, ty, names);
        return true;
    }
    *at -= 1;
    match ty {
        Type::Array(t) | Type::Map(t) => edit_nth(rng, t, at, names),
        Type::Union(list) => list.iter_mut().any(|t| edit_nth(rng, t, at, names)),
        Type::Record(_, _, fields) => fields.iter_mut().any(|f| edit_nth(rng, &mut f.ty, at, names)),
        _ => false,
    }
}

fn edit(rng: &mut Rng, ty: &mut Type, names: usize) {
    match ty {
        Type::Record(name, aliases, fields) => match rng.below(10) {
            0..=6 => edit_fields(rng, fields, names),
            _ => rename(rng, name, Some(aliases)),
        },
        Type::Enum(name, symbols, default) => match rng.below(5) {
            0 => symbols.push("NEW".into()),
            1 if symbols.len() > 1 => {
                let gone = symbols.remove(rng.below(symbols.len()));
                if rng.one_in(2) || default.as_ref() == Some(&gone) {
                    *default = Some(rng.pick(symbols).clone());
                }
            }
            2 | 3 => symbols.reverse(),
            _ => rename(rng, name, None),
        },
        Type::Fixed(name, size, attributes) => match rng.below(6) {
            0 => *size += 1,
            1 => *attributes = ",\"logicalType\":\"decimal\",\"precision\":6,\"scale\":2".into(),
            2 => *attributes = ",\"logicalType\":\"decimal\",\"precision\":6,\"scale\":3".into(),
            _ => rename(rng, name, None),
        },
        Type::Union(list) => edit_union(rng, list, names),
        Type::Prim(p) => {
            let to = promotion(rng, p);
            match rng.below(4) {
                0 | 1 => *ty = Type::Prim(to),
                2 => *ty = wrapped(rng, Type::Prim(to)),
                _ => *ty = wrapped(rng, ty.clone()),
            }
        }
        Type::Logical(p, attributes) => match rng.below(4) {
            0 => *ty = Type::Prim(p),
            1 if *p == "bytes" => {
                *attributes = format!("\"logicalType\":\"decimal\",\"precision\":9,\"scale\":{}", rng.below(3));
            }
            _ => *ty = wrapped(rng, ty.clone()),
        },
        Type::Array(_) | Type::Map(_) | Type::Ref(_) => {
            if rng.one_in(8) {
                *ty = Type::Prim("string");
            } else {
                *ty = wrapped(rng, ty.clone());
            }
        }
    }
}

/// Mostly only the namespace, which matches; sometimes the name, with or without an alias.
fn rename(rng: &mut Rng, name: &mut String, aliases: Option<&mut Vec<String>>) {
    let old = name.clone();
    let short = old.rsplit('.').next().unwrap_or("").to_string();
    *name = match rng.below(4) {
        0..=2 => format!("moved.{short}"),
        _ => format!("moved.Other{short}"),
    };
    if let Some(aliases) = aliases
        && !rng.one_in(4)
    {
        aliases.push(old);
    }
}

fn promotion(rng: &mut Rng, p: &str) -> &'static str {
    match p {
        "int" => rng.pick::<&'static str>(&["long", "float", "double", "int", "string"]),
        "long" => rng.pick::<&'static str>(&["float", "double", "long", "int"]),
        "float" => rng.pick::<&'static str>(&["double", "double", "float", "long"]),
        "string" => rng.pick::<&'static str>(&["bytes", "bytes", "string"]),
        "bytes" => rng.pick::<&'static str>(&["string", "string", "bytes"]),
        "boolean" => rng.pick::<&'static str>(&["boolean", "boolean", "int"]),
        "double" => rng.pick::<&'static str>(&["double", "double", "float"]),
        _ => "null",
    }
}

fn wrapped(rng: &mut Rng, ty: Type) -> Type {
    if matches!(ty, Type::Union(_)) {
        return ty;
    }
    let others =
        [Type::Prim("null"), Type::Prim("string"), Type::Prim("double"), Type::Prim("long"), Type::Prim("bytes")];
    let mut list = vec![ty];
    for _ in 0..1 + rng.below(3) {
        let t = rng.pick(&others).clone();
        if !list.iter().any(|x| x.label() == t.label()) {
            let at = rng.below(list.len() + 1);
            list.insert(at, t);
        }
    }
    Type::Union(list)
}

fn edit_union(rng: &mut Rng, list: &mut Vec<Type>, names: usize) {
    match rng.below(5) {
        0 if list.len() > 1 => {
            list.remove(rng.below(list.len()));
        }
        1 => {
            let t = Maker::apart(rng, names).any(4);
            if t.label() != "union" && !list.iter().any(|x| x.label() == t.label()) {
                list.push(t);
            }
        }
        _ => {
            let at = rng.below(list.len());
            list.rotate_left(at);
        }
    }
}

fn edit_fields(rng: &mut Rng, fields: &mut Vec<Field>, names: usize) {
    match rng.below(8) {
        0 | 1 if fields.len() > 1 => {
            fields.remove(rng.below(fields.len()));
        }
        2 | 3 if fields.len() > 1 => {
            let (a, b) = (rng.below(fields.len()), rng.below(fields.len()));
            fields.swap(a, b);
        }
        4 if !fields.is_empty() => {
            let at = rng.below(fields.len());
            let old = std::mem::replace(&mut fields[at].name, format!("renamed{names}"));
            if !rng.one_in(6) {
                fields[at].aliases.push(old);
            }
        }
        5 if fields.len() > 2 => fields.reverse(),
        _ => {
            let ty = Maker::apart(rng, names).any(3);
            let default = if rng.one_in(8) { None } else { default(rng, &ty) };
            let at = rng.below(fields.len() + 1);
            fields.insert(at, Field { name: format!("added{names}"), aliases: vec![], ty, default });
        }
    }
}

/// A default, sometimes a wrong one; none where there is none to be had.
fn default(rng: &mut Rng, ty: &Type) -> Option<String> {
    if rng.one_in(20) {
        return Some("{\"no\":1}".into());
    }
    Some(match ty {
        Type::Prim(p) | Type::Logical(p, _) => match *p {
            "null" => "null".into(),
            "boolean" => "true".into(),
            "int" => rng.pick(&["7", "-1", "2147483647", "2147483648"]).to_string(),
            "long" => rng.pick(&["7", "9007199254740993", "-9223372036854775808"]).to_string(),
            "float" => rng.pick(&["1", "1.5", "\"NaN\"", "16777217"]).to_string(),
            "double" => rng.pick(&["1", "-1.5e300", "\"-Infinity\""]).to_string(),
            "bytes" => rng.pick(&["\"\\u00ff\\u0000\"", "\"abc\"", "\"\""]).to_string(),
            _ => rng.pick(&["\"\"", "\"a much longer default text\"", "\"\\u00e9\""]).to_string(),
        },
        Type::Array(item) => {
            let inner = default(rng, item)?;
            if rng.one_in(2) { "[]".into() } else { format!("[{inner},{inner}]") }
        }
        Type::Map(item) => {
            let inner = default(rng, item)?;
            if rng.one_in(2) { "{}".into() } else { format!("{{\"k\":{inner}}}") }
        }
        Type::Union(list) => {
            let chosen = rng.pick(list).clone();
            default(rng, &chosen)?
        }
        Type::Enum(_, symbols, _) => format!("\"{}\"", rng.pick(symbols)),
        Type::Fixed(_, size, _) => format!("\"{}\"", "x".repeat(*size)),
        Type::Record(_, _, fields) => {
            let parts: Option<Vec<String>> =
                fields.iter().map(|f| Some(format!("\"{}\":{}", f.name, default(rng, &f.ty)?))).collect();
            format!("{{{}}}", parts?.join(","))
        }
        Type::Ref(_) => return None,
    })
}
