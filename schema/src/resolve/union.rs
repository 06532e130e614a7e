//! The variants of a reader's union by name, so that two unions of thousands of records are not compared one by one.

use crate::model::{Naming, Schema, Shape, TypeId, TypeName, UnionType};
use std::collections::HashMap;

/// A variant's index and type.
type Variant = (usize, TypeId);

/// See the module.
pub(super) struct UnionIndex<'a> {
    by_name: HashMap<&'a str, Vec<Variant>>,
    by_alias: HashMap<&'a TypeName, Vec<Variant>>,
    unnamed: Vec<Variant>,
}

impl<'a> UnionIndex<'a> {
    pub(super) fn of(reader: &'a Schema, union: &UnionType) -> UnionIndex<'a> {
        let mut index = UnionIndex { by_name: HashMap::new(), by_alias: HashMap::new(), unnamed: Vec::new() };
        for (i, variant) in union.variants.iter().enumerate() {
            match reader.get(variant.ty).shape.naming() {
                Some(naming) => index.add((i, variant.ty), naming),
                None => index.unnamed.push((i, variant.ty)),
            }
        }
        index
    }

    fn add(&mut self, variant: Variant, naming: &'a Naming) {
        self.by_name.entry(&naming.name.name).or_default().push(variant);
        for alias in &naming.aliases {
            self.by_alias.entry(alias).or_default().push(variant);
        }
    }

    /// The variants that may match a writer's type: for a named type those of its unqualified name and those it is an
    /// alias of, else the unnamed ones. A variant may come twice.
    pub(super) fn candidates(&self, writer: &Shape) -> impl Iterator<Item = Variant> {
        let (first, second) = match writer.naming() {
            Some(naming) => (self.by_name.get(naming.name.name.as_str()), self.by_alias.get(&naming.name)),
            None => (Some(&self.unnamed), None),
        };
        first.into_iter().chain(second).flatten().copied()
    }
}
