//! Types without finite values: records that contain themselves with no list, map or union in between.

use super::state::short;
use crate::model::{Schema, SchemaWarning, Shape, Type, TypeId};

impl Schema {
    /// Records and unions of which no finite value exists. They are legal where they never occur; a datum of one ends
    /// at the depth limit.
    pub fn infinite_types(&self) -> Vec<TypeId> {
        infinite(self.types())
    }
}

fn infinite(types: &[Type]) -> Vec<TypeId> {
    let n = types.len();
    let mut finite = vec![false; n];
    let mut missing = vec![0usize; n];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut settled = Vec::new();
    for (i, ty) in types.iter().enumerate() {
        let parts = parts(&ty.shape);
        missing[i] = needed(&ty.shape, parts.len());
        parts.into_iter().for_each(|p| users[p].push(i));
        if missing[i] == 0 {
            finite[i] = true;
            settled.push(i);
        }
    }
    while let Some(i) = settled.pop() {
        for user in &users[i] {
            missing[*user] = missing[*user].saturating_sub(1);
            if missing[*user] == 0 && !std::mem::replace(&mut finite[*user], true) {
                settled.push(*user);
            }
        }
    }
    (0..n).filter(|i| !finite[*i]).map(|i| TypeId(i as u32)).collect()
}

/// The types that a value needs values of.
fn parts(shape: &Shape) -> Vec<usize> {
    match shape {
        Shape::Record(t) => t.fields.iter().map(|f| f.ty.0 as usize).collect(),
        Shape::Union(t) => t.variants.iter().map(|v| v.ty.0 as usize).collect(),
        _ => Vec::new(),
    }
}

/// How many of its parts must be finite: all fields, one variant.
fn needed(shape: &Shape, parts: usize) -> usize {
    if matches!(shape, Shape::Union(_)) { parts.min(1) } else { parts }
}

/// Types that are told of.
const MAX_WARNINGS: usize = 1000;

pub(super) fn warnings(types: &[Type]) -> Vec<SchemaWarning> {
    let named = infinite(types).into_iter().filter_map(|id| types[id.0 as usize].shape.naming());
    let message = |name| format!("{} contains itself: it has no finite value", short(name));
    named.take(MAX_WARNINGS).map(|n| SchemaWarning { path: "$".into(), message: message(&n.name) }).collect()
}
