//! Parsing canonical form (Avro 1.12, "Parsing Canonical Form for Schemas").

use super::print::NotAvro;
use super::words::shape_word;
use crate::json::quoted;
use crate::model::{Schema, Shape, TypeId};
use std::collections::HashSet;

impl Schema {
    /// The parsing canonical form. It drops defaults, aliases and logical types, so it is no key for a pair of
    /// schemas: see [`Schema::content_key`].
    pub fn canonical_form(&self) -> Result<String, NotAvro> {
        let mut out = String::new();
        write(self, self.root(), &mut HashSet::new(), &mut out)?;
        Ok(out)
    }
}

fn write(schema: &Schema, id: TypeId, seen: &mut HashSet<TypeId>, out: &mut String) -> Result<(), NotAvro> {
    let shape = &schema.get(id).shape;
    super::print::check(shape)?;
    if let Some(naming) = shape.naming()
        && !seen.insert(id)
    {
        out.push_str(&quoted(&naming.name.to_string()));
        return Ok(());
    }
    let name = shape.naming().map(|n| quoted(&n.name.to_string())).unwrap_or_default();
    match shape {
        Shape::Record(t) => {
            out.push_str(&format!("{{\"name\":{name},\"type\":\"record\",\"fields\":["));
            for (i, field) in t.fields.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                out.push_str(&format!("{{\"name\":{},\"type\":", quoted(&field.name)));
                write(schema, field.ty, seen, out)?;
                out.push('}');
            }
            out.push_str("]}");
        }
        Shape::Enum(t) => {
            let symbols: Vec<String> = t.symbols.iter().map(|s| quoted(&s.name)).collect();
            out.push_str(&format!("{{\"name\":{name},\"type\":\"enum\",\"symbols\":[{}]}}", symbols.join(",")));
        }
        Shape::Fixed(t) => out.push_str(&format!("{{\"name\":{name},\"type\":\"fixed\",\"size\":{}}}", t.size)),
        Shape::List(t) => {
            out.push_str("{\"type\":\"array\",\"items\":");
            write(schema, t.item, seen, out)?;
            out.push('}');
        }
        Shape::Map(t) => {
            out.push_str("{\"type\":\"map\",\"values\":");
            write(schema, t.value, seen, out)?;
            out.push('}');
        }
        Shape::Union(t) => {
            out.push('[');
            for (i, v) in t.variants.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write(schema, v.ty, seen, out)?;
            }
            out.push(']');
        }
        other => out.push_str(&quoted(shape_word(other))),
    }
    Ok(())
}
