//! Types without finite values: records that contain themselves with no list, map or union in between.

use crate::model::{Schema, SchemaWarning, Shape, TypeId};

impl Schema {
    /// Records of which no finite value exists. They are legal where they never occur; a datum of one ends at the
    /// depth limit.
    pub fn infinite_types(&self) -> Vec<TypeId> {
        let n = self.types().len();
        let mut finite = vec![false; n];
        // Rounds until nothing is added; each type is settled by its parts.
        loop {
            let mut changed = false;
            for i in (0..n).rev() {
                if !finite[i] && is_finite(&self.types()[i].shape, &finite) {
                    finite[i] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        (0..n).filter(|i| !finite[*i]).map(|i| TypeId(i as u32)).collect()
    }
}

fn is_finite(shape: &Shape, finite: &[bool]) -> bool {
    match shape {
        Shape::Record(t) => t.fields.iter().all(|f| finite[f.ty.0 as usize]),
        Shape::Union(t) => t.variants.is_empty() || t.variants.iter().any(|v| finite[v.ty.0 as usize]),
        _ => true,
    }
}

pub(super) fn warnings(schema: &Schema) -> Vec<SchemaWarning> {
    let named = schema.infinite_types().into_iter().filter_map(|id| schema.get(id).shape.naming());
    named
        .map(|n| SchemaWarning {
            path: "$".into(),
            message: format!("{} contains itself: it has no finite value", n.name),
        })
        .collect()
}
