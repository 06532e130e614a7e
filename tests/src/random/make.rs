//! The making of random types.

use super::Rng;
use super::types::{Field, Naming, PRIMS, Type};

/// Namespaces that the names of a schema come from. A bare name inside a namespace never means the null namespace, so
/// a schema has either all of its names there or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spaces {
    Null,
    Several,
}

impl Spaces {
    pub(super) fn qualify(self, rng: &mut Rng, short: &str) -> String {
        match self {
            Spaces::Null => short.to_string(),
            Spaces::Several => format!("{}{short}", rng.pick(&["n.", "n.", "a.", "b.c."])),
        }
    }
}

pub(super) struct Maker<'a> {
    rng: &'a mut Rng,
    spaces: Spaces,
    count: usize,
    budget: usize,
    open: Vec<String>,
    closed: Vec<String>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(rng: &'a mut Rng, spaces: Spaces) -> Maker<'a> {
        let budget = 3 + rng.below(25);
        Maker { rng, spaces, count: 0, budget, open: vec![], closed: vec![] }
    }

    /// A small one, with names that cannot meet those of another maker, and types that may be referred to.
    pub(super) fn apart(rng: &'a mut Rng, spaces: Spaces, from: usize, closed: &[String]) -> Maker<'a> {
        Maker { count: from, budget: 3, closed: closed.to_vec(), ..Maker::new(rng, spaces) }
    }

    pub(super) fn root(&mut self) -> Type {
        match self.rng.below(16) {
            0 | 1 => self.any(0),
            2 => self.wide(),
            3 => Type::Union(vec![Type::Prim("null"), self.record(0)]),
            _ => self.record(0),
        }
    }

    fn fresh(&mut self, prefix: &str) -> Naming {
        self.count += 1;
        let short = format!("{prefix}{}", self.count);
        Naming::new(self.spaces.qualify(self.rng, &short))
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
            11 if !self.open.is_empty() => self.recursion(),
            _ => self.leaf(),
        }
    }

    /// Something around, in a way that can end.
    fn recursion(&mut self) -> Type {
        let inner = Type::Ref(self.rng.pick(&self.open).clone());
        match self.rng.below(4) {
            0 => Type::Array(Box::new(inner)),
            1 => Type::Map(Box::new(inner)),
            2 => Type::Union(vec![inner, Type::Prim("string")]),
            _ => Type::Union(vec![Type::Prim("null"), inner]),
        }
    }

    fn leaf(&mut self) -> Type {
        match self.rng.below(14) {
            0..=8 => Type::Prim(self.rng.pick::<&'static str>(&PRIMS)),
            9 => self.logical(),
            10 => self.fixed(),
            _ => self.symbols(),
        }
    }

    fn fixed(&mut self) -> Type {
        let naming = self.fresh("F");
        let size = *self.rng.pick(&[0, 1, 2, 4, 8, 12, 16, 40, 100]);
        let decimal = size >= 4 && self.rng.one_in(3);
        let attributes = match (decimal, size) {
            (true, _) => ",\"logicalType\":\"decimal\",\"precision\":5,\"scale\":2",
            (_, 12) => ",\"logicalType\":\"duration\"",
            // Too many digits for the size: the annotation does not count.
            (_, 2) => ",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":0",
            _ => "",
        };
        self.closed.push(naming.name.clone());
        Type::Fixed(naming, size, attributes.into())
    }

    fn symbols(&mut self) -> Type {
        let naming = self.fresh("E");
        let symbols: Vec<String> = (0..1 + self.rng.below(5)).map(|i| format!("S{i}")).collect();
        let default = self.rng.one_in(3).then(|| self.rng.pick(&symbols).clone());
        self.closed.push(naming.name.clone());
        Type::Enum(naming, symbols, default)
    }

    fn logical(&mut self) -> Type {
        let of = |p, l: &str| Type::Logical(p, format!("\"logicalType\":\"{l}\""));
        match self.rng.below(9) {
            0 => of("int", self.rng.pick::<&str>(&["date", "time-millis"])),
            1 => of("long", self.rng.pick::<&str>(&["timestamp-millis", "timestamp-nanos", "local-timestamp-micros"])),
            2 => of("string", "uuid"),
            3 => of("long", "time-micros"),
            4 => of("bytes", self.rng.pick::<&str>(&["big-decimal", "unheard-of"])),
            _ => {
                let (p, s) = (3 + self.rng.below(4), self.rng.below(3));
                Type::Logical("bytes", format!("\"logicalType\":\"decimal\",\"precision\":{p},\"scale\":{s}"))
            }
        }
    }

    fn union(&mut self, deep: usize) -> Type {
        let mut list: Vec<Type> = if self.rng.one_in(2) { vec![Type::Prim("null")] } else { vec![] };
        // Now and then more variants than a chain of compares takes.
        let more = if self.rng.one_in(10) { 12 } else { 4 };
        for _ in 0..1 + self.rng.below(more) {
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
        let naming = self.fresh("R");
        self.open.push(naming.name.clone());
        let count = if self.rng.one_in(12) { 0 } else { 1 + self.rng.below(7) };
        let fields = (0..count).map(|i| field(i, self.any(deep + 1))).collect();
        self.open.pop();
        self.closed.push(naming.name.clone());
        Type::Record(naming, fields)
    }

    /// Many nullable primitives, runs of them alike.
    fn wide(&mut self) -> Type {
        let naming = self.fresh("W");
        let mut fields = Vec::new();
        while fields.len() < 12 + self.budget {
            let ty = match self.rng.below(8) {
                0 => self.leaf(),
                1 => Type::Prim(self.rng.pick::<&'static str>(&PRIMS)),
                n => {
                    let p = Type::Prim(self.rng.pick::<&'static str>(&PRIMS[1..]));
                    let null = Type::Prim("null");
                    Type::Union(if n == 2 { vec![p, null] } else { vec![null, p] })
                }
            };
            for _ in 0..1 + self.rng.below(4) {
                let alike = if ty.naming().is_some() { Type::Prim("long") } else { ty.clone() };
                fields.push(field(fields.len(), alike));
            }
        }
        self.closed.push(naming.name.clone());
        Type::Record(naming, fields)
    }
}

fn field(i: usize, ty: Type) -> Field {
    Field { name: format!("f{i}"), aliases: vec![], ty, default: None }
}
