//! Several texts with references among them: names that are used before the text that defines them, and what each
//! schema reaches.

use super::parse::Names;
use super::place::{Place, Step, small};
use super::state::{Owner, State, short};
use super::words::shape_word;
use crate::model::{Schema, SchemaWarning, Shape, Type, TypeId, TypeName, Variant};
use std::collections::{HashMap, HashSet};

pub(super) const NESTED_UNION: &str = "a union directly in a union";

/// A reference to a type that no text has defined yet.
#[derive(PartialEq, Eq, Hash)]
struct Reference {
    name: TypeName,
    /// Written without a dot.
    bare: bool,
    owner: Owner,
}

/// References that wait for the other texts.
pub(super) struct Links {
    several: bool,
    /// The type that stands for each, and where the first one is.
    open: HashMap<Reference, (TypeId, Place)>,
    /// What stands for a type that is defined elsewhere, and that type once it is known.
    stands_for: HashMap<TypeId, Option<TypeId>>,
    /// Unions with a variant among them.
    unions: Vec<(TypeId, Place)>,
}

impl Links {
    pub(super) fn new(several: bool) -> Links {
        Links { several, open: HashMap::new(), stands_for: HashMap::new(), unions: Vec::new() }
    }

    fn target(&self, id: TypeId) -> TypeId {
        self.stands_for.get(&id).copied().flatten().unwrap_or(id)
    }
}

impl State<'_> {
    /// A type of this name, which is not defined so far.
    pub(super) fn undefined(&mut self, name: TypeName, bare: bool) -> TypeId {
        if self.links.several {
            return self.wait(name, bare);
        }
        match self.null_namespace(&name, bare) {
            Some(id) => {
                self.warn(told(&name));
                id
            }
            None => {
                self.fault(format!("unknown type {}", short(&name)));
                self.missing()
            }
        }
    }

    /// Leniently a bare name may mean the null namespace, as Java reads it.
    fn null_namespace(&self, name: &TypeName, bare: bool) -> Option<TypeId> {
        let in_null = || TypeName { namespace: "".into(), name: name.name.clone() };
        (bare && self.options.names == Names::Lenient).then(|| self.names.get(&in_null()).copied())?
    }

    fn wait(&mut self, name: TypeName, bare: bool) -> TypeId {
        let reference = Reference { name, bare, owner: self.owner };
        if let Some((id, _)) = self.links.open.get(&reference) {
            return *id;
        }
        let id = self.reserve();
        self.links.open.insert(reference, (id, self.place));
        self.links.stands_for.insert(id, None);
        id
    }

    /// All texts are read: finds what was referred to, wherever it is defined, and judges the unions that waited for it.
    pub(super) fn link(&mut self) {
        let mut open: Vec<_> = self.links.open.drain().collect();
        open.sort_by_key(|(_, (id, _))| *id);
        let mut unknown = HashSet::new();
        self.warned = self.warnings.len();
        for (Reference { name, bare, owner }, (id, place)) in open {
            let exact = self.names.get(&name).copied();
            let found = exact.or_else(|| self.null_namespace(&name, bare));
            self.links.stands_for.insert(id, found);
            if found.is_none() {
                self.broken.insert(id);
                if !unknown.contains(&name) {
                    self.fault_at(place, format!("unknown type {}", short(&name)));
                    unknown.insert(name);
                }
            } else if exact.is_none() {
                self.warn_at(place, owner, told(&name));
            }
        }
        for (id, place) in std::mem::take(&mut self.links.unions) {
            if let Some(Type { shape: Shape::Union(t), .. }) = self.types.get(id.0 as usize).cloned() {
                self.judge(&t.variants, place);
            }
        }
    }

    /// Judges the variants of a union, now or when all of them are known.
    pub(super) fn variants(&mut self, union: TypeId, variants: &[Variant]) {
        if variants.iter().any(|v| self.links.stands_for.contains_key(&v.ty)) {
            self.links.unions.push((union, self.place));
        } else {
            self.judge(variants, self.place);
        }
    }

    /// "Unions may not contain more than one schema with the same type, except for the named types", nor other unions
    /// (Avro 1.12, "Unions").
    fn judge(&mut self, variants: &[Variant], union: Place) {
        let mut seen = HashSet::new();
        for (i, variant) in variants.iter().enumerate() {
            let id = self.links.target(variant.ty);
            let Some(ty) = self.types.get(id.0 as usize).filter(|_| !self.broken.contains(&id)) else { continue };
            // A full name has one definition, so that its id stands for it.
            let (key, label) = match ty.shape.naming() {
                Some(naming) => ((Some(id), ""), short(&naming.name)),
                None => ((None, shape_word(&ty.shape)), shape_word(&ty.shape).into()),
            };
            let message = match ty.shape {
                Shape::Union(_) => NESTED_UNION.into(),
                _ if seen.insert(key) => continue,
                _ => format!("two variants {label} in a union"),
            };
            let place = self.places.within(union, Step::Variant(small(i)));
            self.fault_at(place, message);
        }
    }

    /// The schemas of the texts: each holds what its root reaches.
    pub(super) fn schemas(mut self, roots: &[TypeId]) -> Vec<Schema> {
        if let ([root], false) = (roots, self.links.several) {
            // One text is reached as a whole.
            let warnings = self.warnings.into_iter().map(|(_, warning)| warning).collect();
            return vec![schema(std::mem::take(&mut self.types), *root, warnings)];
        }
        roots.iter().enumerate().map(|(text, root)| self.reached(text, *root)).collect()
    }

    fn reached(&self, text: usize, root: TypeId) -> Schema {
        let (order, ids) = self.walk(root);
        let mut types = Vec::with_capacity(order.len());
        for old in order {
            let mut ty = self.types[old.0 as usize].clone();
            for part in ty.shape.parts_mut() {
                *part = ids[&self.links.target(*part)];
            }
            types.push(ty);
        }
        let mine = |owner: &Owner| match owner {
            Owner::Text(i) => *i == text,
            Owner::Type(id) => ids.contains_key(id),
        };
        let warnings = self.warnings.iter().filter(|(owner, _)| mine(owner)).map(|(_, w)| w.clone()).collect();
        schema(types, TypeId(0), warnings)
    }

    /// What a root reaches, each type before its parts as a single text has them, and the new ids. No recursion: types
    /// may be chained through as many texts as there are.
    fn walk(&self, root: TypeId) -> (Vec<TypeId>, HashMap<TypeId, TypeId>) {
        let (mut order, mut ids) = (Vec::new(), HashMap::new());
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            let id = self.links.target(id);
            if ids.contains_key(&id) {
                continue;
            }
            ids.insert(id, TypeId(order.len() as u32));
            order.push(id);
            work.extend(self.types[id.0 as usize].shape.parts().into_iter().rev());
        }
        (order, ids)
    }
}

fn schema(types: Vec<Type>, root: TypeId, mut warnings: Vec<SchemaWarning>) -> Schema {
    warnings.extend(super::finite::warnings(&types));
    Schema::from_parts(types, root, warnings)
}

fn told(name: &TypeName) -> String {
    let bare = short(&name.name);
    format!("{} is not defined; {bare} of the null namespace is taken", short(name))
}
