//! How well two types match, without looking into records.

use super::rules::{DecimalRule, ResolutionRules, TypeNames};
use crate::model::{FloatType, Logical, Naming, Schema, Shape, Type, TypeId, TypeName};
use std::collections::HashSet;

/// Levels of unnamed nesting that are looked through.
const DEEP: u32 = 256;

/// How well; better ranks first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// The same type, and the same full name.
    Exact,
    /// The writer's full name is an alias of the reader's type.
    Alias,
    /// The same unqualified name.
    ShortName,
    /// Records of any name, where the rules ignore them.
    AnyName,
    /// A promotion.
    Promoted,
}

/// The aliases of types that have many, so that they are not looked through for each pair.
pub(super) struct Aliases<'a>(HashSet<(*const Naming, &'a TypeName)>);

/// Aliases that are looked through.
const FEW: usize = 8;

impl<'a> Aliases<'a> {
    pub(super) fn of(reader: &'a Schema) -> Aliases<'a> {
        let namings = reader.types().iter().filter_map(|t| t.shape.naming()).filter(|n| n.aliases.len() > FEW);
        Aliases(namings.flat_map(|n| n.aliases.iter().map(move |alias| (std::ptr::from_ref(n), alias))).collect())
    }

    fn contain(&self, reader: &Naming, name: &TypeName) -> bool {
        match reader.aliases.len() {
            0..=FEW => reader.aliases.contains(name),
            _ => self.0.contains(&(std::ptr::from_ref(reader), name)),
        }
    }
}

/// Two types of a pair.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) writer: &'a Schema,
    pub(super) reader: &'a Schema,
    pub(super) rules: &'a ResolutionRules,
    /// Of the reader.
    pub(super) aliases: &'a Aliases<'a>,
}

/// Whether decimals are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decimals {
    Compared,
    Ignored,
}

impl Pair<'_> {
    /// The rank of a match between two types that are not unions; `None`: they do not match.
    pub(super) fn rank(&self, w: TypeId, r: TypeId, decimals: Decimals) -> Option<Rank> {
        self.rank_within(w, r, decimals, DEEP)
    }

    fn rank_within(&self, w: TypeId, r: TypeId, decimals: Decimals, deep: u32) -> Option<Rank> {
        let (wt, rt) = (self.writer.get(w), self.reader.get(r));
        match (&wt.shape, &rt.shape) {
            (Shape::Record(a), Shape::Record(b)) => self.names(&a.naming, &b.naming),
            (Shape::Enum(a), Shape::Enum(b)) => self.names(&a.naming, &b.naming),
            (Shape::Fixed(a), Shape::Fixed(b)) => {
                let fits = a.size == b.size && self.decimals(wt, rt, decimals);
                fits.then(|| self.names(&a.naming, &b.naming)).flatten()
            }
            (Shape::List(a), Shape::List(b)) => {
                (a.length == b.length).then(|| self.items(a.item, b.item, decimals, deep)).flatten()
            }
            (Shape::Map(a), Shape::Map(b)) => self.items(a.value, b.value, decimals, deep),
            (Shape::Bytes, Shape::Bytes) => self.decimals(wt, rt, decimals).then_some(Rank::Exact),
            (a, b) if a == b && is_scalar(a) => Some(Rank::Exact),
            (a, b) => promotes(a, b).then_some(Rank::Promoted),
        }
    }

    fn items(&self, w: TypeId, r: TypeId, decimals: Decimals, deep: u32) -> Option<Rank> {
        let union = |s: &Schema, t| matches!(s.get(t).shape, Shape::Union(_));
        if deep == 0 || union(self.writer, w) || union(self.reader, r) {
            return Some(Rank::Exact);
        }
        self.rank_within(w, r, decimals, deep - 1).map(|_| Rank::Exact)
    }

    pub(super) fn names(&self, w: &Naming, r: &Naming) -> Option<Rank> {
        if w.name == r.name {
            Some(Rank::Exact)
        } else if self.aliases.contain(r, &w.name) {
            Some(Rank::Alias)
        } else if w.name.name == r.name.name && self.rules.type_names != TypeNames::FullOrAlias {
            Some(Rank::ShortName)
        } else {
            None
        }
    }

    fn decimals(&self, w: &Type, r: &Type, decimals: Decimals) -> bool {
        decimals == Decimals::Ignored || self.rules.decimal == DecimalRule::Raw || decimals_agree(w, r) != Some(false)
    }
}

/// Whether two decimals have the same scale, and the reader's precision is not smaller; `None` where not both are
/// decimals. The specification wants equal precisions; a larger one loses nothing.
pub(super) fn decimals_agree(w: &Type, r: &Type) -> Option<bool> {
    let (Some(Logical::Decimal { precision: wp, scale: ws }), Some(Logical::Decimal { precision: rp, scale: rs })) =
        (&w.logical, &r.logical)
    else {
        return None;
    };
    Some(ws == rs && wp <= rp)
}

fn is_scalar(shape: &Shape) -> bool {
    !matches!(
        shape,
        Shape::Record(_) | Shape::Enum(_) | Shape::Fixed(_) | Shape::List(_) | Shape::Map(_) | Shape::Union(_)
    )
}

/// Avro's promotions (Avro 1.12, "Schema Resolution").
fn promotes(w: &Shape, r: &Shape) -> bool {
    match (w, r) {
        (Shape::Int(a), Shape::Int(b)) => a.signed && b.signed && a.bits == 32 && b.bits == 64,
        (Shape::Int(a), Shape::Float(FloatType::F32 | FloatType::F64)) => a.signed && matches!(a.bits, 32 | 64),
        (Shape::Float(FloatType::F32), Shape::Float(FloatType::F64)) => true,
        (Shape::Text, Shape::Bytes) | (Shape::Bytes, Shape::Text) => true,
        _ => false,
    }
}
