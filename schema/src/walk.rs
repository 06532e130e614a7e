//! A walk over a Plan, each node once, with the paths of its place in both schemas.

use crate::model::Shape;
use crate::plan::{FieldSource, Node, NodeId, Plan};
use crate::resolve::words::{label, short_path};
use std::collections::HashSet;
use std::ops::ControlFlow;

impl Plan {
    /// Shows every node that can be reached, in the order of the schemas, with the path of its first place in the writer's
    /// schema and in the reader's.
    pub fn places(&self, mut show: impl FnMut(&Node, &str, &str) -> ControlFlow<()>) {
        let mut seen = HashSet::new();
        let mut work = vec![(self.root, "$".to_string(), "$".to_string())];
        while let Some((id, w, r)) = work.pop() {
            if seen.insert(id) {
                // Every place below has these in its own path.
                let (w, r) = (short_path(&w), short_path(&r));
                if show(self.node(id), &w, &r).is_break() {
                    return;
                }
                let from = work.len();
                self.below(id, &w, &r, &mut work);
                work[from..].reverse();
            }
        }
    }

    fn below(&self, id: NodeId, w: &str, r: &str, work: &mut Vec<(NodeId, String, String)>) {
        let Plan { writer, reader, .. } = self;
        match self.node(id) {
            Node::List { item, .. } => work.push((*item, format!("{w}[]"), format!("{r}[]"))),
            Node::Map { value, .. } => work.push((*value, format!("{w}{{}}"), format!("{r}{{}}"))),
            Node::IntoUnion { reader: union, variant, inner } => {
                let name = match &reader.get(*union).shape {
                    Shape::Union(t) => t.variants.get(*variant).map(|v| label(reader, v.ty)).unwrap_or_default(),
                    _ => String::new(),
                };
                work.push((*inner, w.to_string(), format!("{r}<{name}>")));
            }
            Node::FromUnion { writer: union, variants, .. } => {
                let Shape::Union(t) = &writer.get(*union).shape else { return };
                for (node, variant) in variants.iter().zip(&t.variants) {
                    work.push((*node, format!("{w}<{}>", label(writer, variant.ty)), r.to_string()));
                }
            }
            Node::Record { writer: wt, reader: rt, fields } => {
                let (Shape::Record(a), Shape::Record(b)) = (&writer.get(*wt).shape, &reader.get(*rt).shape) else {
                    return;
                };
                for (field, source) in b.fields.iter().zip(fields) {
                    if let FieldSource::Written { index, node } = source {
                        let from = a.fields.get(*index).map_or("", |f| f.name.as_str());
                        work.push((*node, format!("{w}.{from}"), format!("{r}.{}", field.name)));
                    }
                }
            }
            Node::Scalar { .. } | Node::Fixed { .. } | Node::Enum { .. } | Node::Fail { .. } => {}
        }
    }
}
