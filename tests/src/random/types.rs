//! Schemas as plain trees, and the making of random ones.

use super::Rng;
use reschema::schema::json::quoted;
use std::collections::{HashMap, HashSet};

/// A type. Names are full names; a record that is being defined around may be referred to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Prim(&'static str),
    /// Primitive and logical type, with further attributes.
    Logical(&'static str, String),
    Record(String, Vec<String>, Vec<Field>),
    Enum(String, Vec<String>, Option<String>),
    /// Name, size, attributes.
    Fixed(String, usize, String),
    Array(Box<Type>),
    Map(Box<Type>),
    Union(Vec<Type>),
    Ref(String),
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

fn names(list: &[String]) -> String {
    list.iter().map(|s| quoted(s)).collect::<Vec<_>>().join(",")
}

impl Type {
    /// Schema text. A name is defined where it first occurs; edits may have moved or dropped its definition, then that
    /// of `other` serves.
    pub(super) fn text(&self, other: &Type) -> String {
        let mut names = HashMap::new();
        collect(other, &mut names);
        collect(self, &mut names);
        Printer { names, printed: HashSet::new() }.text(self)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Type::Record(n, ..) | Type::Enum(n, ..) | Type::Fixed(n, ..) | Type::Ref(n) => Some(n),
            _ => None,
        }
    }

    /// What makes two variants of a union the same.
    pub(super) fn label(&self) -> String {
        match self {
            Type::Prim(p) | Type::Logical(p, _) => (*p).to_string(),
            Type::Array(_) => "array".into(),
            Type::Map(_) => "map".into(),
            Type::Union(_) => "union".into(),
            named => named.name().unwrap_or("").to_string(),
        }
    }
}

/// Types by name.
pub(super) fn collect<'a>(ty: &'a Type, names: &mut HashMap<String, &'a Type>) {
    if let Some(name) = ty.name()
        && !matches!(ty, Type::Ref(_))
    {
        names.insert(name.to_string(), ty);
    }
    match ty {
        Type::Array(t) | Type::Map(t) => collect(t, names),
        Type::Union(list) => list.iter().for_each(|t| collect(t, names)),
        Type::Record(_, _, fields) => fields.iter().for_each(|f| collect(&f.ty, names)),
        _ => {}
    }
}

struct Printer<'a> {
    names: HashMap<String, &'a Type>,
    printed: HashSet<String>,
}

impl Printer<'_> {
    fn text(&mut self, ty: &Type) -> String {
        if let Some(name) = ty.name() {
            if !self.printed.insert(name.to_string()) {
                return quoted(name);
            }
            if let (Type::Ref(_), Some(definition)) = (ty, self.names.get(name).copied()) {
                return self.definition(definition);
            }
        }
        self.definition(ty)
    }

    fn definition(&mut self, ty: &Type) -> String {
        match ty {
            Type::Prim(p) => format!("\"{p}\""),
            Type::Logical(p, attributes) => format!("{{\"type\":\"{p}\",{attributes}}}"),
            Type::Ref(name) => quoted(name),
            Type::Array(item) => format!("{{\"type\":\"array\",\"items\":{}}}", self.text(item)),
            Type::Map(item) => format!("{{\"type\":\"map\",\"values\":{}}}", self.text(item)),
            Type::Union(list) => format!("[{}]", list.iter().map(|t| self.text(t)).collect::<Vec<_>>().join(",")),
            Type::Fixed(name, size, attributes) => {
                format!("{{\"type\":\"fixed\",\"name\":\"{name}\",\"namespace\":\"\",\"size\":{size}{attributes}}}")
            }
            Type::Enum(name, symbols, default) => {
                let default = default.as_ref().map_or(String::new(), |d| format!(",\"default\":\"{d}\""));
                let symbols = names(symbols);
                format!("{{\"type\":\"enum\",\"name\":\"{name}\",\"namespace\":\"\",\"symbols\":[{symbols}]{default}}}")
            }
            Type::Record(name, aliases, fields) => {
                let aliases = names(aliases);
                let fields: Vec<String> = fields.iter().map(|f| self.field(f)).collect();
                let fields = fields.join(",");
                format!(
                    "{{\"type\":\"record\",\"name\":\"{name}\",\"namespace\":\"\",\"aliases\":[{aliases}],\"fields\":[{fields}]}}"
                )
            }
        }
    }

    fn field(&mut self, f: &Field) -> String {
        let Field { name, aliases, ty, default } = f;
        let default = default.as_ref().map_or(String::new(), |d| format!(",\"default\":{d}"));
        format!("{{\"name\":\"{name}\",\"type\":{},\"aliases\":[{}]{default}}}", self.text(ty), names(aliases))
    }
}

pub(super) struct Maker<'a> {
    rng: &'a mut Rng,
    count: usize,
    budget: usize,
    open: Vec<String>,
    closed: Vec<String>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(rng: &'a mut Rng) -> Maker<'a> {
        let budget = 3 + rng.below(25);
        Maker { rng, count: 0, budget, open: vec![], closed: vec![] }
    }

    /// With names that cannot meet those of another maker.
    pub(super) fn apart(rng: &'a mut Rng, from: usize) -> Maker<'a> {
        Maker { count: from, budget: 3, ..Maker::new(rng) }
    }

    pub(super) fn root(&mut self) -> Type {
        if self.rng.one_in(8) { self.any(0) } else { self.record(0) }
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.count += 1;
        // A bare name inside a namespace never means the null namespace, so every name has one.
        let space = *self.rng.pick(&["n.", "n.", "a.", "b.c."]);
        format!("{space}{prefix}{}", self.count)
    }

    pub(super) fn any(&mut self, deep: usize) -> Type {
        self.budget = self.budget.saturating_sub(1);
        if deep > 5 || self.budget == 0 {
            return self.leaf();
        }
        match self.rng.below(12) {
            0..=4 => self.leaf(),
            5 => Type::Array(Box::new(self.any(deep + 1))),
            6 => Type::Map(Box::new(self.any(deep + 1))),
            7 | 8 => self.union(deep),
            9 => self.record(deep),
            10 if !self.closed.is_empty() => Type::Ref(self.rng.pick(&self.closed).clone()),
            11 if !self.open.is_empty() => {
                let inner = Type::Ref(self.rng.pick(&self.open).clone());
                if self.rng.one_in(2) {
                    Type::Union(vec![Type::Prim("null"), inner])
                } else {
                    Type::Array(Box::new(inner))
                }
            }
            _ => self.leaf(),
        }
    }

    fn leaf(&mut self) -> Type {
        match self.rng.below(14) {
            0..=8 => Type::Prim(self.rng.pick::<&'static str>(&PRIMS)),
            9 => self.logical(),
            10 => {
                let name = self.fresh("F");
                let size = *self.rng.pick(&[0, 1, 2, 4, 8, 12, 16, 40, 100]);
                let decimal = size >= 4 && self.rng.one_in(3);
                let attributes = if decimal { ",\"logicalType\":\"decimal\",\"precision\":5,\"scale\":2" } else { "" };
                self.closed.push(name.clone());
                Type::Fixed(name, size, attributes.into())
            }
            _ => {
                let name = self.fresh("E");
                let symbols: Vec<String> = (0..1 + self.rng.below(5)).map(|i| format!("S{i}")).collect();
                let default = self.rng.one_in(3).then(|| self.rng.pick(&symbols).clone());
                self.closed.push(name.clone());
                Type::Enum(name, symbols, default)
            }
        }
    }

    fn logical(&mut self) -> Type {
        let of = |p, l: &str| Type::Logical(p, format!("\"logicalType\":\"{l}\""));
        match self.rng.below(6) {
            0 => of("int", "date"),
            1 => of("long", "timestamp-millis"),
            2 => of("string", "uuid"),
            3 => of("long", "time-micros"),
            _ => {
                let (p, s) = (3 + self.rng.below(4), self.rng.below(3));
                Type::Logical("bytes", format!("\"logicalType\":\"decimal\",\"precision\":{p},\"scale\":{s}"))
            }
        }
    }

    fn union(&mut self, deep: usize) -> Type {
        let mut list: Vec<Type> = if self.rng.one_in(2) { vec![Type::Prim("null")] } else { vec![] };
        for _ in 0..1 + self.rng.below(4) {
            let t = self.any(deep + 1);
            if t.label() != "union" && !list.iter().any(|x| x.label() == t.label()) {
                list.push(t);
            }
        }
        if list.is_empty() {
            list.push(Type::Prim("int"));
        }
        if self.rng.one_in(3) {
            list.rotate_left(1);
        }
        Type::Union(list)
    }

    fn record(&mut self, deep: usize) -> Type {
        let name = self.fresh("R");
        self.open.push(name.clone());
        let count = if self.rng.one_in(12) { 0 } else { 1 + self.rng.below(7) };
        let fields = (0..count)
            .map(|i| Field { name: format!("f{i}"), aliases: vec![], ty: self.any(deep + 1), default: None })
            .collect();
        self.open.pop();
        self.closed.push(name.clone());
        Type::Record(name, vec![], fields)
    }
}
