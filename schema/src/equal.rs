//! Equality of schemas: equal in everything they say, whatever their arenas look like.
//!
//! Not by text: names outside the specification could make two schemas read alike.

use crate::model::{
    EnumType, Field, FixedType, ListType, MapType, RecordType, Schema, Shape, Type, UnionType, Variant,
};
use std::collections::HashSet;

impl PartialEq for Schema {
    /// What the front end warned of does not count, nor types that the root does not reach.
    fn eq(&self, other: &Schema) -> bool {
        if self.same_object(other) {
            return true;
        }
        // Pairs met again are under way or done, so recursion ends. A work list: types may be chained without end.
        let mut seen = HashSet::new();
        let mut work = vec![(self.root(), other.root())];
        while let Some(pair) = work.pop() {
            if seen.insert(pair) {
                let (a, b) = (self.get(pair.0), other.get(pair.1));
                if !alike(a, b) {
                    return false;
                }
                work.extend(a.shape.parts().into_iter().zip(b.shape.parts()));
            }
        }
        true
    }
}

/// All that two types say but their parts.
fn alike(a: &Type, b: &Type) -> bool {
    let Type { shape, logical, properties, annotations } = a;
    *logical == b.logical && *properties == b.properties && *annotations == b.annotations && shapes(shape, &b.shape)
}

fn shapes(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Fixed(FixedType { naming, size }), Shape::Fixed(b)) => *naming == b.naming && *size == b.size,
        (Shape::Enum(EnumType { naming, symbols, default }), Shape::Enum(b)) => {
            *naming == b.naming && *symbols == b.symbols && *default == b.default
        }
        (Shape::List(ListType { item: _, length }), Shape::List(b)) => *length == b.length,
        (Shape::Map(MapType { key: _, value: _ }), Shape::Map(_)) => true,
        (Shape::Record(RecordType { naming, fields, is_error }), Shape::Record(b)) => {
            let same = *naming == b.naming && *is_error == b.is_error && fields.len() == b.fields.len();
            same && fields.iter().zip(&b.fields).all(|(a, b)| same_field(a, b))
        }
        (Shape::Union(UnionType { variants }), Shape::Union(b)) => {
            let same_name = |(a, b): (&Variant, &Variant)| a.name == b.name;
            variants.len() == b.variants.len() && variants.iter().zip(&b.variants).all(same_name)
        }
        (a, b) => a == b,
    }
}

fn same_field(a: &Field, b: &Field) -> bool {
    let Field { name, aliases, id, ty: _, default, doc, order, properties } = a;
    let names = *name == b.name && *aliases == b.aliases && *id == b.id;
    names && *default == b.default && *doc == b.doc && *order == b.order && *properties == b.properties
}
