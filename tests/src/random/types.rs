//! Schemas as plain trees.

use std::collections::HashMap;

/// A type. Names are full names; a record that is being defined around may be referred to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Prim(&'static str),
    /// Primitive, and the attributes of its logical type.
    Logical(&'static str, String),
    Record(Naming, Vec<Field>),
    /// Symbols and default.
    Enum(Naming, Vec<String>, Option<String>),
    /// Size, and the attributes of a logical type.
    Fixed(Naming, usize, String),
    Array(Box<Type>),
    Map(Box<Type>),
    Union(Vec<Type>),
    Ref(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Naming {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) ty: Type,
    /// JSON text.
    pub(super) default: Option<String>,
}

pub(super) const PRIMS: [&str; 8] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];

impl Naming {
    pub(super) fn new(name: String) -> Naming {
        Naming { name, aliases: vec![] }
    }

    pub(super) fn short(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or("")
    }
}

impl Type {
    pub(super) fn naming(&self) -> Option<&Naming> {
        match self {
            Type::Record(n, ..) | Type::Enum(n, ..) | Type::Fixed(n, ..) => Some(n),
            _ => None,
        }
    }

    pub(super) fn naming_mut(&mut self) -> Option<&mut Naming> {
        match self {
            Type::Record(n, ..) | Type::Enum(n, ..) | Type::Fixed(n, ..) => Some(n),
            _ => None,
        }
    }

    /// What makes two variants of a union the same.
    pub(super) fn label(&self) -> &str {
        match self {
            Type::Prim(p) | Type::Logical(p, _) => p,
            Type::Array(_) => "array",
            Type::Map(_) => "map",
            Type::Union(_) => "union",
            Type::Ref(name) => name,
            Type::Record(n, ..) | Type::Enum(n, ..) | Type::Fixed(n, ..) => &n.name,
        }
    }

    pub(super) fn children(&self) -> Vec<&Type> {
        match self {
            Type::Array(t) | Type::Map(t) => vec![t],
            Type::Union(list) => list.iter().collect(),
            Type::Record(_, fields) => fields.iter().map(|f| &f.ty).collect(),
            _ => vec![],
        }
    }

    pub(super) fn children_mut(&mut self) -> Vec<&mut Type> {
        match self {
            Type::Array(t) | Type::Map(t) => vec![t],
            Type::Union(list) => list.iter_mut().collect(),
            Type::Record(_, fields) => fields.iter_mut().map(|f| &mut f.ty).collect(),
            _ => vec![],
        }
    }
}

/// Named types by name.
pub(super) type Names<'a> = HashMap<String, &'a Type>;

pub(super) fn collect<'a>(ty: &'a Type, names: &mut Names<'a>) {
    if let Some(naming) = ty.naming() {
        names.insert(naming.name.clone(), ty);
    }
    ty.children().into_iter().for_each(|t| collect(t, names));
}
