//! Reader schemas: the writer's after a few edits, most of them legal.

use super::Rng;
use super::default::default;
use super::make::{Maker, Spaces};
use super::types::{Field, Names, Naming, PRIMS, Type, collect};

/// The writer's schema after a few edits; sometimes none.
pub(super) fn evolve(rng: &mut Rng, spaces: Spaces, writer: &Type) -> Type {
    let mut reader = writer.clone();
    for step in 1..=rng.below(6) {
        let known = reader.clone();
        let mut names = Names::new();
        collect(writer, &mut names);
        collect(&known, &mut names);
        let mut closed: Vec<String> = names.keys().cloned().collect();
        closed.sort();
        let mut at = rng.below(count(&reader));
        Edit { rng, spaces, names, closed, step }.nth(&mut reader, &mut at);
    }
    if !rng.one_in(40) {
        flatten(&mut reader);
    }
    reader
}

/// Puts every name of a schema without namespaces into one.
pub(super) fn into_namespace(ty: &mut Type) {
    if let Some(naming) = ty.naming_mut() {
        naming.name = format!("later.{}", naming.name);
    }
    if let Type::Ref(name) = ty {
        *name = format!("later.{name}");
    }
    ty.children_mut().into_iter().for_each(into_namespace);
}

/// Edits may have put a union into a union, which no schema may have.
fn flatten(ty: &mut Type) {
    ty.children_mut().into_iter().for_each(flatten);
    let Type::Union(list) = ty else { return };
    let mut flat: Vec<Type> = Vec::new();
    for t in std::mem::take(list) {
        for t in if let Type::Union(inner) = t { inner } else { vec![t] } {
            if !flat.iter().any(|x| x.label() == t.label()) {
                flat.push(t);
            }
        }
    }
    *list = flat;
}

/// Leaves references where types are defined.
fn refer(ty: &mut Type) {
    match ty.naming() {
        Some(naming) => *ty = Type::Ref(naming.name.clone()),
        None => ty.children_mut().into_iter().for_each(refer),
    }
}

fn count(ty: &Type) -> usize {
    1 + ty.children().into_iter().map(count).sum::<usize>()
}

struct Edit<'a> {
    rng: &'a mut Rng,
    spaces: Spaces,
    /// The types known before this edit.
    names: Names<'a>,
    closed: Vec<String>,
    step: usize,
}

impl Edit<'_> {
    /// Edits the node of this number, in the order they are met.
    fn nth(&mut self, ty: &mut Type, at: &mut usize) -> bool {
        if *at == 0 {
            self.edit(ty);
            return true;
        }
        *at -= 1;
        ty.children_mut().into_iter().any(|t| self.nth(t, at))
    }

    fn edit(&mut self, ty: &mut Type) {
        if self.rng.one_in(40) {
            *ty = self.fresh(4);
            return;
        }
        match ty {
            Type::Record(naming, fields) => match self.rng.below(10) {
                0..=7 => self.fields(fields),
                _ => self.rename(naming),
            },
            Type::Enum(naming, symbols, default) => match self.rng.below(3) {
                0 => self.rename(naming),
                _ => self.symbols(symbols, default),
            },
            Type::Fixed(naming, size, attributes) => self.fixed(naming, size, attributes),
            Type::Union(_) => self.union(ty),
            Type::Prim(p) => match self.primitive(p) {
                Some(to) => *ty = Type::Prim(to),
                None => self.wrap(ty),
            },
            Type::Logical(p, attributes) => match self.rng.below(4) {
                0 => *ty = Type::Prim(p),
                1 if *p == "bytes" => {
                    *attributes =
                        format!("\"logicalType\":\"decimal\",\"precision\":9,\"scale\":{}", self.rng.below(3));
                }
                _ => self.wrap(ty),
            },
            Type::Array(item) if self.rng.one_in(12) => *ty = Type::Map(item.clone()),
            Type::Map(item) if self.rng.one_in(12) => *ty = Type::Array(item.clone()),
            Type::Array(_) | Type::Map(_) | Type::Ref(_) => self.wrap(ty),
        }
    }

    fn fresh(&mut self, deep: usize) -> Type {
        Maker::apart(self.rng, self.spaces, 1000 * self.step, &self.closed).any(deep)
    }

    /// Another namespace, which matches; another name, with or without an alias.
    fn rename(&mut self, naming: &mut Naming) {
        let old = naming.name.clone();
        let short = naming.short().to_string();
        let moved = self.spaces == Spaces::Several && !self.rng.one_in(3);
        let (space, short) = match self.spaces {
            Spaces::Several if moved => ("moved.", short),
            Spaces::Several => ("n.", format!("Other{short}")),
            Spaces::Null => ("", format!("Other{short}")),
        };
        naming.name = format!("{space}{short}");
        if !self.rng.one_in(5) {
            naming.aliases.push("some.where.Else".into());
            naming.aliases.push(old);
        }
    }

    fn symbols(&mut self, symbols: &mut Vec<String>, default: &mut Option<String>) {
        match self.rng.below(5) {
            0 => symbols.insert(self.rng.below(symbols.len() + 1), format!("NEW{}", self.step)),
            1 if symbols.len() > 1 => {
                let gone = symbols.remove(self.rng.below(symbols.len()));
                if !self.rng.one_in(3) || default.as_ref() == Some(&gone) {
                    *default = Some(self.rng.pick(symbols).clone());
                }
            }
            2 => *default = None,
            3 => *default = Some(self.rng.pick(symbols).clone()),
            _ => self.rng.shuffle(symbols),
        }
    }

    fn fixed(&mut self, naming: &mut Naming, size: &mut usize, attributes: &mut String) {
        match self.rng.below(6) {
            0 => *size += 1,
            1 => *attributes = ",\"logicalType\":\"decimal\",\"precision\":6,\"scale\":2".into(),
            2 => *attributes = ",\"logicalType\":\"decimal\",\"precision\":6,\"scale\":3".into(),
            3 => attributes.clear(),
            _ => self.rename(naming),
        }
    }

    /// Mostly a promotion; `None` where there is none.
    fn primitive(&mut self, p: &str) -> Option<&'static str> {
        let legal: &[&'static str] = match p {
            "int" => &["long", "float", "double"],
            "long" => &["float", "double"],
            "float" => &["double"],
            "string" => &["bytes"],
            "bytes" => &["string"],
            _ => &[],
        };
        if self.rng.one_in(16) {
            return Some(self.rng.pick::<&'static str>(&PRIMS));
        }
        (!legal.is_empty() && !self.rng.one_in(3)).then(|| *self.rng.pick(legal))
    }

    fn wrap(&mut self, ty: &mut Type) {
        let mut list = vec![ty.clone()];
        for _ in 0..1 + self.rng.below(4) {
            let t = if self.rng.one_in(6) { self.fresh(5) } else { Type::Prim(self.rng.pick::<&'static str>(&PRIMS)) };
            if !list.iter().any(|x| x.label() == t.label()) {
                list.insert(self.rng.below(list.len() + 1), t);
            }
        }
        // Promotion inside the union, or the type itself further on: the rule of choice decides.
        if self.rng.one_in(4)
            && let Type::Prim(p) = ty
            && let Some(p) = self.primitive(p)
        {
            list.retain(|t| t != ty && t.label() != p);
            list.push(Type::Prim(p));
        }
        *ty = Type::Union(list);
    }

    fn union(&mut self, ty: &mut Type) {
        let Type::Union(list) = ty else { return };
        match self.rng.below(7) {
            0 if list.len() > 1 => {
                list.remove(self.rng.below(list.len()));
            }
            1 => {
                let t = self.fresh(4);
                if t.label() != "union" && !list.iter().any(|x| x.label() == t.label()) {
                    list.insert(self.rng.below(list.len() + 1), t);
                }
            }
            2 if self.rng.one_in(2) => *ty = self.rng.pick(list).clone(),
            3 | 4 if self.spaces == Spaces::Several => self.rival(list),
            _ => self.rng.shuffle(list),
        }
    }

    /// A variant with the unqualified name of another, which itself may be found by an alias only.
    fn rival(&mut self, list: &mut Vec<Type>) {
        let named: Vec<usize> = (0..list.len()).filter(|i| list[*i].naming().is_some()).collect();
        let Some(at) = named.get(self.rng.below(named.len())).copied() else { return };
        let mut rival = list[at].clone();
        if let Some(naming) = rival.naming_mut() {
            *naming = Naming::new(format!("rival{}.{}", self.step, naming.short()));
        }
        // What is defined inside stays defined in one place.
        rival.children_mut().into_iter().for_each(refer);
        if let Some(naming) = list[at].naming_mut()
            && self.rng.one_in(2)
        {
            let old = std::mem::replace(&mut naming.name, format!("n.Aliased{}", self.step));
            naming.aliases.push(old);
        }
        list.insert(self.rng.below(list.len() + 1), rival);
    }

    fn fields(&mut self, fields: &mut Vec<Field>) {
        let n = fields.len();
        match self.rng.below(12) {
            0 | 1 if n > 1 => {
                fields.remove(self.rng.below(n));
            }
            2 if n > 2 => {
                fields.retain(|_| self.rng.one_in(3));
                self.rng.shuffle(fields);
            }
            3 | 4 if n > 1 => fields.swap(self.rng.below(n), self.rng.below(n)),
            5 | 6 if n > 0 => self.rename_field(fields),
            7 if n > 2 => fields.reverse(),
            8 if n > 1 && self.rng.one_in(2) => {
                // Names change places, types do not.
                let (a, b) = (self.rng.below(n), self.rng.below(n));
                let name = fields[a].name.clone();
                fields[a].name = std::mem::replace(&mut fields[b].name, name);
            }
            _ => self.add_field(fields),
        }
    }

    fn rename_field(&mut self, fields: &mut Vec<Field>) {
        let at = self.rng.below(fields.len());
        let other = self.rng.pick(fields).name.clone();
        let old = std::mem::replace(&mut fields[at].name, format!("renamed{}", self.step));
        match self.rng.below(12) {
            0 => fields[at].default = default(self.rng, &self.names, &fields[at].ty, 0),
            // Two names to choose from, where the other field is gone or is renamed as well.
            1 => fields[at].aliases.extend([old, other]),
            // Two fields that claim one.
            2 if self.rng.one_in(2) => {
                fields[at].aliases.push(old);
                let twin = Field { name: format!("twin{}", self.step), ..fields[at].clone() };
                fields.push(twin);
            }
            _ => fields[at].aliases.extend(["nothing".into(), old]),
        }
    }

    fn add_field(&mut self, fields: &mut Vec<Field>) {
        let ty = self.fresh(3);
        let default = if self.rng.one_in(20) { None } else { default(self.rng, &self.names, &ty, 0) };
        let claim = if self.rng.one_in(20) { fields.first().map(|f| f.name.clone()) } else { None };
        let field = Field { name: format!("added{}", self.step), aliases: claim.into_iter().collect(), ty, default };
        fields.insert(self.rng.below(fields.len() + 1), field);
    }
}
