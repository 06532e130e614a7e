//! Compatibility: can a reader read everything a writer may write? Every difference, from the same Plan.

use super::error::{Mismatch, MismatchKind, ResolveError};
use super::plan::resolve;
use super::rules::ResolutionRules;
use super::words::{label, listed, short};
use crate::model::{EnumSymbol, Schema, Shape};
use crate::plan::{Node, Plan, PlanWarning};
use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;

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
            let mut walk = Walk { plan: &plan, found: Vec::new() };
            plan.places(|node, w, r| {
                walk.node(node, w, r);
                if walk.found.len() < MAX_FOUND { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            let mut seen = HashSet::new();
            walk.found.retain(|m| seen.insert(m.clone()));
            walk.found.truncate(MAX_FOUND);
            Compatibility { differences: walk.found, warnings: plan.warnings.clone() }
        }
    }
}

struct Walk<'a> {
    plan: &'a Plan,
    found: Vec<Mismatch>,
}

impl Walk<'_> {
    fn node(&mut self, node: &Node, w: &str, r: &str) {
        let writer = &self.plan.writer;
        match node {
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
            _ => {}
        }
    }

    fn report(&mut self, kind: MismatchKind, w: &str, r: &str, message: String) {
        self.found.push(Mismatch { kind, writer_path: w.into(), reader_path: r.into(), message });
    }
}
