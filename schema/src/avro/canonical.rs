//! Parsing canonical form (Avro 1.12, "Parsing Canonical Form for Schemas").

use super::say::{self, NotAvro, Seen};
use super::words::shape_word;
use crate::json::quoted;
use crate::model::{Schema, Shape, TypeId};
use std::collections::HashSet;

impl Schema {
    /// The parsing canonical form. It drops defaults, aliases and logical types, so it is no key for a pair of
    /// schemas: see [`Schema::content_key`].
    ///
    /// # Errors
    /// Avro does not have data of this schema.
    pub fn canonical_form(&self) -> Result<String, NotAvro> {
        let (mut out, mut seen) = (String::new(), Seen::default());
        // A work list: types may be chained through as many texts as there are.
        let mut work = vec![Piece::Type(self.root())];
        // Unnamed types around the place: one that contains itself would have no end.
        let mut around = HashSet::new();
        while let Some(piece) = work.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Name(name) => out.push_str(&quoted(name)),
                Piece::End(id) => drop(around.remove(&id)),
                Piece::Type(id) => {
                    if self.get(id).shape.naming().is_none() {
                        if !around.insert(id) {
                            return Err(NotAvro("unnamed type that contains itself".into()));
                        }
                        work.push(Piece::End(id));
                    }
                    let from = work.len();
                    start(self, id, &mut seen, &mut out, &mut work)?;
                    work[from..].reverse();
                }
            }
        }
        Ok(out)
    }
}

/// What is still to be written.
enum Piece<'a> {
    Text(&'static str),
    Name(&'a str),
    Type(TypeId),
    End(TypeId),
}

/// Writes the start of a type; the rest goes to `work`, in its order.
fn start<'a>(
    schema: &'a Schema,
    id: TypeId,
    seen: &mut Seen<'a>,
    out: &mut String,
    work: &mut Vec<Piece<'a>>,
) -> Result<(), NotAvro> {
    let ty = schema.get(id);
    say::data(schema, ty)?;
    let name = ty.shape.naming().map(|n| quoted(&n.name.to_string())).unwrap_or_default();
    if let Some(naming) = ty.shape.naming()
        && !seen.first(id, naming)?
    {
        out.push_str(&name);
        return Ok(());
    }
    match &ty.shape {
        Shape::Record(t) => {
            out.push_str(&format!("{{\"name\":{name},\"type\":\"record\",\"fields\":["));
            for (i, field) in t.fields.iter().enumerate() {
                work.push(Piece::Text(if i > 0 { ",{\"name\":" } else { "{\"name\":" }));
                work.extend([
                    Piece::Name(&field.name),
                    Piece::Text(",\"type\":"),
                    Piece::Type(field.ty),
                    Piece::Text("}"),
                ]);
            }
            work.push(Piece::Text("]}"));
        }
        Shape::Enum(t) => {
            let symbols: Vec<String> = t.symbols.iter().map(|s| quoted(&s.name)).collect();
            out.push_str(&format!("{{\"name\":{name},\"type\":\"enum\",\"symbols\":[{}]}}", symbols.join(",")));
        }
        Shape::Fixed(t) => out.push_str(&format!("{{\"name\":{name},\"type\":\"fixed\",\"size\":{}}}", t.size)),
        Shape::List(t) => {
            out.push_str("{\"type\":\"array\",\"items\":");
            work.extend([Piece::Type(t.item), Piece::Text("}")]);
        }
        Shape::Map(t) => {
            out.push_str("{\"type\":\"map\",\"values\":");
            work.extend([Piece::Type(t.value), Piece::Text("}")]);
        }
        Shape::Union(t) => {
            out.push('[');
            for (i, variant) in t.variants.iter().enumerate() {
                work.extend([Piece::Text(if i > 0 { "," } else { "" }), Piece::Type(variant.ty)]);
            }
            work.push(Piece::Text("]"));
        }
        other => out.push_str(&quoted(shape_word(other))),
    }
    Ok(())
}
