//! Schema text of a tree, in the two ways names may be written.

use super::types::{Field, Names, Naming, Type, collect};
use std::collections::HashSet;

/// How names are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Full names; the namespace attribute says something else and must not count.
    Full,
    /// Short names wherever the enclosing namespace, or the attribute, completes them.
    Relative,
}

/// Schema text. A name is defined where it first occurs; edits may have moved or dropped its definition, then that of
/// `other` serves.
pub(super) fn text(ty: &Type, other: &Type, style: Style) -> String {
    let mut names = Names::new();
    collect(other, &mut names);
    collect(ty, &mut names);
    Printer { names, printed: HashSet::new(), style, space: String::new() }.text(ty)
}

struct Printer<'a> {
    names: Names<'a>,
    printed: HashSet<String>,
    style: Style,
    /// Namespace of the record around.
    space: String,
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn strings(items: &[String]) -> String {
    list(items.iter().map(|s| format!("\"{s}\"")))
}

impl Printer<'_> {
    fn text(&mut self, ty: &Type) -> String {
        let name = match (ty, ty.naming()) {
            (Type::Ref(name), _) => name,
            (_, Some(naming)) => &naming.name,
            _ => return self.definition(ty),
        };
        if !self.printed.insert(name.clone()) {
            return self.reference(name);
        }
        let definition = if matches!(ty, Type::Ref(_)) { self.names.get(name).copied() } else { None };
        self.definition(definition.unwrap_or(ty))
    }

    fn reference(&self, name: &str) -> String {
        let (space, short) = split(name);
        if self.style == Style::Relative && space == self.space {
            format!("\"{short}\"")
        } else {
            format!("\"{name}\"")
        }
    }

    /// Type, name, namespace and aliases of a named type.
    fn head(&self, kind: &str, naming: &Naming) -> String {
        let (space, short) = split(&naming.name);
        let alias = |a: &String| match split(a) {
            (s, short) if self.style == Style::Relative && s == space => format!("\"{short}\""),
            _ => format!("\"{a}\""),
        };
        let aliases = list(naming.aliases.iter().map(alias));
        let aliases = if naming.aliases.is_empty() { String::new() } else { format!(",\"aliases\":{aliases}") };
        let name = match self.style {
            Style::Full => format!("\"name\":\"{}\",\"namespace\":\"\"", naming.name),
            Style::Relative if space == self.space => format!("\"name\":\"{short}\""),
            Style::Relative => format!("\"namespace\":\"{space}\",\"doc\":\"é \\u00e9\",\"name\":\"{short}\""),
        };
        format!("\"type\":\"{kind}\",{name}{aliases}")
    }

    fn definition(&mut self, ty: &Type) -> String {
        match ty {
            Type::Prim(p) => format!("\"{p}\""),
            Type::Logical(p, attributes) => format!("{{\"type\":\"{p}\",{attributes}}}"),
            Type::Ref(name) => self.reference(name),
            Type::Array(item) => format!("{{\"type\":\"array\",\"items\":{}}}", self.text(item)),
            Type::Map(item) => format!("{{\"type\":\"map\",\"values\":{}}}", self.text(item)),
            Type::Union(variants) => list(variants.iter().map(|t| self.text(t))),
            Type::Fixed(naming, size, attributes) => {
                format!("{{{},\"size\":{size}{attributes}}}", self.head("fixed", naming))
            }
            Type::Enum(naming, symbols, default) => {
                let default = default.as_ref().map_or(String::new(), |d| format!(",\"default\":\"{d}\""));
                format!("{{{},\"symbols\":{}{default}}}", self.head("enum", naming), strings(symbols))
            }
            Type::Record(naming, fields) => {
                let head = self.head("record", naming);
                let around = std::mem::replace(&mut self.space, split(&naming.name).0.to_string());
                let fields = list(fields.iter().map(|f| self.field(f)));
                self.space = around;
                format!("{{{head},\"fields\":{fields}}}")
            }
        }
    }

    fn field(&mut self, f: &Field) -> String {
        let Field { name, aliases, ty, default } = f;
        let default = default.as_ref().map_or(String::new(), |d| format!(",\"default\":{d}"));
        let aliases = if aliases.is_empty() { String::new() } else { format!(",\"aliases\":{}", strings(aliases)) };
        format!("{{\"name\":\"{name}\",\"type\":{}{aliases}{default}}}", self.text(ty))
    }
}
