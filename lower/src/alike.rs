//! What a format cannot tell apart: found when a Plan is joined with formats, and told as warnings.

use crate::format::{Sink, Source, Typed};
use reschema_schema::model::{Schema, Shape, TypeId};
use reschema_schema::plan::{FieldSource, Node, Plan, PlanWarning};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Unions that are reported.
const MOST: usize = 100;
/// Pairs of a union that are named.
const MOST_PAIRS: usize = 10;

/// Two variants of a union that a format does not always tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alike {
    /// The variant that a value of both is taken for.
    pub taken: usize,
    /// The other.
    pub lost: usize,
}

/// The unions that a source reads, or a sink writes so that reading them would not give the same, each once.
pub fn warnings(plan: &Plan, source: &dyn Source, sink: &dyn Sink) -> Vec<PlanWarning> {
    let mut found = Found { seen: [HashSet::new(), HashSet::new()], warnings: Vec::new() };
    if !source.tells_apart() || !sink.tells_apart() {
        plan.places(|node, w, r| {
            found.node(plan, node, (w, r), source, sink);
            if found.warnings.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    found.warnings
}

struct Found {
    /// Unions that were looked at, of the source and of the sink.
    seen: [HashSet<TypeId>; 2],
    warnings: Vec<PlanWarning>,
}

impl Found {
    fn node(&mut self, plan: &Plan, node: &Node, at: (&str, &str), source: &dyn Source, sink: &dyn Sink) {
        let Plan { writer, reader, .. } = plan;
        match node {
            Node::FromUnion { writer: union, .. } => self.read(writer, *union, at, source),
            Node::IntoUnion { reader: union, .. } => self.written(reader, *union, at, sink),
            Node::Record { reader: record, fields, .. } => {
                let Shape::Record(t) = &reader.get(*record).shape else { return };
                for (field, from) in t.fields.iter().zip(fields) {
                    if matches!(from, FieldSource::Default(_)) {
                        self.below(reader, field.ty, (at.0, &format!("{}.{}", at.1, field.name)), sink);
                    }
                }
            }
            _ => {}
        }
    }

    fn read(&mut self, writer: &Schema, union: TypeId, at: (&str, &str), source: &dyn Source) {
        if self.seen[0].insert(union) {
            let found = source.alike(Typed { schema: writer, ty: union });
            self.add(writer, union, at, &found, "what fits both is read as the first of them");
        }
    }

    fn written(&mut self, reader: &Schema, union: TypeId, at: (&str, &str), sink: &dyn Sink) {
        if self.seen[1].insert(union) {
            let found = sink.alike(Typed { schema: reader, ty: union });
            self.add(reader, union, at, &found, "what fits both will be read back as the first of them");
        }
    }

    /// All unions of a type, which a default may write.
    fn below(&mut self, reader: &Schema, ty: TypeId, at: (&str, &str), sink: &dyn Sink) {
        let (mut seen, mut work) = (HashSet::new(), vec![ty]);
        while let Some(ty) = work.pop() {
            if !seen.insert(ty) || self.warnings.len() >= MOST {
                continue;
            }
            match &reader.get(ty).shape {
                Shape::List(t) => work.push(t.item),
                Shape::Map(t) => work.push(t.value),
                Shape::Record(t) => work.extend(t.fields.iter().map(|f| f.ty)),
                Shape::Union(t) => {
                    self.written(reader, ty, at, sink);
                    work.extend(t.variants.iter().map(|v| v.ty));
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, schema: &Schema, union: TypeId, at: (&str, &str), found: &[Alike], what: &str) {
        let Shape::Union(t) = &schema.get(union).shape else { return };
        if found.is_empty() {
            return;
        }
        let label = |i: usize| t.variants.get(i).map(|v| short(&schema.type_label(v.ty))).unwrap_or_default();
        let mut pairs: Vec<String> =
            found.iter().take(MOST_PAIRS).map(|a| format!("{} and {}", label(a.taken), label(a.lost))).collect();
        if found.len() > MOST_PAIRS {
            pairs.push(format!("{} pairs more", found.len() - MOST_PAIRS));
        }
        let message = format!("variants of the union look alike ({}): {what}", pairs.join("; "));
        self.warnings.push(PlanWarning { writer_path: at.0.into(), reader_path: at.1.into(), message });
    }
}

/// The start of a long name.
fn short(name: &str) -> String {
    name.chars().take(100).collect()
}
