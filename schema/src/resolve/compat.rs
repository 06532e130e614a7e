//! Compatibility: can a reader read everything a writer may write? Every difference, from the same Plan.

use super::error::{Mismatch, MismatchKind, ResolveError};
use super::plan::resolve;
use super::rules::ResolutionRules;
use super::words::{label, listed, short, short_path};
use crate::model::{EnumSymbol, Schema, Shape};
use crate::plan::{FieldSource, Node, NodeId, Plan, PlanWarning};
use std::collections::HashSet;
use std::fmt;

/// The differences between two schemas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compatibility {
    /// What can make a value unreadable.
    pub differences: Vec<Mismatch>,
    /// What is read, but may surprise.
    pub warnings: Vec<PlanWarning>,
}

impl Compatibility {
    /// True when every value the writer may write can be read.
    pub fn is_compatible(&self) -> bool {
        self.differences.is_empty()
    }
}

impl fmt::Display for Compatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_compatible() { "compatible" } else { "incompatible" })?;
        self.differences.iter().try_for_each(|d| write!(f, "\n  {d}"))?;
        self.warnings.iter().try_for_each(|w| {
            write!(f, "\n  warning at reader {}, writer {}: {}", w.reader_path, w.writer_path, w.message)
        })
    }
}

/// Differences listed.
const MAX_FOUND: usize = 1000;
/// Symbols named in a message.
const MAX_SYMBOLS: usize = 50;

/// Compares two schemas. Of more than a thousand differences the first are listed.
pub fn compatibility(writer: &Schema, reader: &Schema, rules: &ResolutionRules) -> Compatibility {
    match resolve(writer, reader, rules) {
        Err(ResolveError { mismatches }) => Compatibility { differences: mismatches, warnings: Vec::new() },
        Ok(plan) => {
            let mut walk = Walk { plan: &plan, seen: HashSet::new(), found: Vec::new() };
            walk.all();
            let mut seen = HashSet::new();
            walk.found.retain(|m| seen.insert(m.clone()));
            walk.found.truncate(MAX_FOUND);
            Compatibility { differences: walk.found, warnings: plan.warnings.clone() }
        }
    }
}

struct Walk<'a> {
    plan: &'a Plan,
    seen: HashSet<NodeId>,
    found: Vec<Mismatch>,
}

impl Walk<'_> {
    fn all(&mut self) {
        let mut work = vec![(self.plan.root, "$".to_string(), "$".to_string())];
        while let Some((id, w, r)) = work.pop() {
            if self.found.len() >= MAX_FOUND {
                return;
            }
            if self.seen.insert(id) {
                // Every place below has these in its own path.
                let (w, r) = (short_path(&w), short_path(&r));
                let from = work.len();
                self.node(id, &w, &r, &mut work);
                work[from..].reverse();
            }
        }
    }

    fn node(&mut self, id: NodeId, w: &str, r: &str, work: &mut Vec<(NodeId, String, String)>) {
        let Plan { writer, reader, .. } = self.plan;
        match self.plan.node(id) {
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
            Node::Enum { writer: wt, symbols, .. } => {
                let Shape::Enum(t) = &writer.get(*wt).shape else { return };
                let unknown = t.symbols.iter().zip(symbols.iter()).filter(|(_, s)| s.is_none());
                let missing: Vec<&EnumSymbol> = unknown.map(|(s, _)| s).collect();
                if !missing.is_empty() {
                    let names = listed(missing.iter().map(|s| short(&s.name)), MAX_SYMBOLS);
                    let message = format!("the reader lacks the symbols {names}");
                    self.report(MismatchKind::MissingEnumSymbols, w, r, message);
                }
            }
            Node::Fail { writer: wt, mismatches, .. } => {
                let message = format!("{} does not resolve", label(writer, *wt));
                if !mismatches.iter().any(|m| m.kind == MismatchKind::MissingUnionBranch) {
                    self.report(MismatchKind::MissingUnionBranch, w, r, message);
                }
                self.found.extend(mismatches.iter().cloned());
            }
            Node::Scalar { .. } | Node::Fixed { .. } => {}
        }
    }

    fn report(&mut self, kind: MismatchKind, w: &str, r: &str, message: String) {
        self.found.push(Mismatch { kind, writer_path: w.into(), reader_path: r.into(), message });
    }
}
