//! What a transform does: the Plan, the IR before and after the passes, and how it runs.

use reschema_interp::Interpreter;
use reschema_ir::Program;
use reschema_schema::model::{Schema, Shape, TypeId};
use reschema_schema::plan::{FieldSource, Node, NodeId, Plan, PlanWarning};
use std::collections::HashSet;
use std::fmt::{self, Write};

/// The parts of an explanation; `Display` shows them all.
#[derive(Clone, Debug)]
pub struct Explain {
    plan: String,
    warnings: String,
    ir: String,
    optimised: String,
    tier: String,
}

impl Explain {
    pub(crate) fn new(plan: &Plan, plain: &Program, optimised: &Program, interpreter: &Interpreter) -> Explain {
        let tier = match interpreter.not_fast() {
            None => format!("interpreter, fast path of {} instructions", interpreter.fast_len()),
            Some(why) => format!("interpreter, checking only: {why}"),
        };
        let mut text = String::new();
        PlanPrinter { plan, out: &mut text, seen: HashSet::new() }.node(plan.root, 0);
        let warning =
            |w: &PlanWarning| format!("at reader {}, writer {}: {}\n", w.reader_path, w.writer_path, w.message);
        let warnings = plan.warnings.iter().map(warning).collect();
        Explain { plan: text, warnings, ir: plain.to_string(), optimised: optimised.to_string(), tier }
    }

    /// How values are resolved, in the shape of the reader's schema.
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// What may surprise, a line each; see [`Transform::warnings`](crate::Transform::warnings).
    pub fn warnings(&self) -> &str {
        &self.warnings
    }

    /// The IR as lowered.
    pub fn ir(&self) -> &str {
        &self.ir
    }

    /// The IR as it runs.
    pub fn optimised_ir(&self) -> &str {
        &self.optimised
    }

    /// How it runs.
    pub fn tier(&self) -> &str {
        &self.tier
    }
}

impl fmt::Display for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explain { plan, warnings, ir, optimised, tier } = self;
        write!(f, "== plan\n{plan}\n")?;
        if !warnings.is_empty() {
            write!(f, "== warnings\n{warnings}\n")?;
        }
        write!(f, "== ir\n{ir}\n== optimised ir\n{optimised}\n== tier\n{tier}\n")
    }
}

struct PlanPrinter<'a> {
    plan: &'a Plan,
    out: &'a mut String,
    seen: HashSet<NodeId>,
}

impl PlanPrinter<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", indent * 2);
    }

    fn node(&mut self, id: NodeId, indent: usize) {
        let Plan { writer, reader, .. } = self.plan;
        match self.plan.node(id) {
            Node::Scalar { writer: w, reader: r } => {
                let (w, r) = (word(writer, *w), word(reader, *r));
                self.line(indent, &if w == r { format!("copy {w}") } else { format!("convert {w} to {r}") });
            }
            Node::Fixed { writer: w, .. } => self.line(indent, &format!("copy {}", word(writer, *w))),
            Node::Enum { writer: w, symbols, .. } => {
                let map: Vec<String> = symbols.iter().map(|s| s.map_or("-".into(), |i| i.to_string())).collect();
                self.line(indent, &format!("symbols of {}: {}", word(writer, *w), map.join(" ")));
            }
            Node::List { item, .. } => {
                self.line(indent, "each item");
                self.node(*item, indent + 1);
            }
            Node::Map { value, .. } => {
                self.line(indent, "each value");
                self.node(*value, indent + 1);
            }
            Node::Record { writer: w, reader: r, fields } => self.record(id, *w, *r, fields, indent),
            Node::FromUnion { variants, .. } => {
                for (i, v) in variants.iter().enumerate() {
                    self.line(indent, &format!("written variant {i}"));
                    self.node(*v, indent + 1);
                }
            }
            Node::IntoUnion { variant, inner, .. } => {
                self.line(indent, &format!("as variant {variant}"));
                self.node(*inner, indent + 1);
            }
            Node::Fail { mismatches, .. } => {
                self.line(indent, "fail");
                mismatches.iter().for_each(|m| self.line(indent + 1, &m.to_string()));
            }
        }
    }

    fn record(&mut self, id: NodeId, w: TypeId, r: TypeId, fields: &[FieldSource], indent: usize) {
        let Plan { writer, reader, .. } = self.plan;
        let (Shape::Record(from), Shape::Record(to)) = (&writer.get(w).shape, &reader.get(r).shape) else { return };
        self.line(indent, &format!("record {} to {}", from.naming.name, to.naming.name));
        if !self.seen.insert(id) {
            return self.line(indent + 1, "(as above)");
        }
        for (field, source) in to.fields.iter().zip(fields) {
            match source {
                FieldSource::Default(literal) => self.line(indent + 1, &format!("{} = {literal:?}", field.name)),
                FieldSource::Written { index, node } => {
                    let name = from.fields.get(*index).map_or("", |f| f.name.as_str());
                    self.line(indent + 1, &format!("{} from {name}", field.name));
                    self.node(*node, indent + 2);
                }
            }
        }
        let used: HashSet<usize> = fields
            .iter()
            .filter_map(|f| if let FieldSource::Written { index, .. } = f { Some(*index) } else { None })
            .collect();
        let names = from.fields.iter().enumerate().filter(|(i, _)| !used.contains(i)).map(|(_, f)| f.name.as_str());
        let dropped: Vec<&str> = names.collect();
        if !dropped.is_empty() {
            self.line(indent + 1, &format!("dropped: {}", dropped.join(", ")));
        }
    }
}

fn word(schema: &Schema, ty: TypeId) -> String {
    schema.type_label(ty)
}
