//! Records: in which order fields are read and written.
//!
//! A source in fixed order and a sink in another fixed order meet by marks: what stands before a wanted field is
//! passed over with its places marked, and the driver seeks back for it when the sink wants it.

use crate::driver::{Driver, LowerError, Result};
use crate::format::{Access, Order};
use crate::skip::wanted_nodes;
use reschema_ir::{Bodies, Body, FaultKind, Flag, MarkUse, Op, SeqOut};
use reschema_schema::literal::Literal;
use reschema_schema::model::{RecordType, Shape, TypeId};
use reschema_schema::plan::{FieldSource, Node, NodeId};
use std::collections::{HashMap, HashSet};

/// A step of an ordered record.
enum Step<'p> {
    /// Remember the place of this writer field (or of the end).
    Mark(usize),
    /// Go back (or on) to this writer field.
    Seek(usize),
    /// Pass over this writer field, which is wanted later.
    Pass(usize, NodeId),
    /// Pass over this writer field.
    Skip(usize),
    /// Transform: writer field, reader field.
    Move(usize, usize, NodeId),
    /// The same for a writer field that was passed over before.
    MoveBack(usize, usize, NodeId),
    /// Write the default of a reader field.
    Default(usize, &'p Literal),
}

impl Driver<'_> {
    pub(crate) fn record(&mut self, id: NodeId) -> Result {
        let plan = self.plan;
        let Node::Record { writer, reader, fields } = plan.node(id) else {
            return Err(LowerError::TooLarge(0));
        };
        let (Shape::Record(from), Shape::Record(to)) =
            (&plan.writer.get(*writer).shape, &plan.reader.get(*reader).shape)
        else {
            return Err(LowerError::TooLarge(0));
        };
        self.enter();
        self.sink.begin_record(&mut self.b, to.fields.len())?;
        match (self.source.access(), self.sink.order()) {
            (Access::Ordered, Order::Fixed) => self.steps(from, *reader, to, &target_order(from, fields))?,
            (Access::Ordered, Order::Any) => self.steps(from, *reader, to, &source_order(from, fields))?,
            (Access::Keyed, _) => self.keyed(*writer, from, *reader, to, fields)?,
            (Access::Named, _) => self.named(from, *reader, to, fields)?,
        }
        self.sink.end_record(&mut self.b);
        self.leave();
        Ok(())
    }

    fn steps(&mut self, from: &RecordType, reader: TypeId, to: &RecordType, steps: &[Step<'_>]) -> Result {
        let scope = self.b.scope();
        let mut marks: HashMap<usize, MarkUse> = HashMap::new();
        for step in steps {
            match step {
                Step::Mark(at) => {
                    let (mark, used) = self.b.mark();
                    marks.insert(*at, used);
                    self.b.op(Op::Mark { mark });
                }
                Step::Seek(at) => {
                    if let Some(mark) = marks.get(at) {
                        self.b.op(Op::Seek { mark: *mark });
                    }
                }
                Step::Pass(w, node) => self.at(&source_step(from, *w), "", |d| d.pass(*node))?,
                Step::Skip(w) => {
                    let ty = from.fields[*w].ty;
                    self.at(&source_step(from, *w), "", |d| d.skip(ty))?;
                }
                Step::Move(w, r, node) => self.field(Some((from, *w)), reader, to, *r, |d| d.node(*node))?,
                Step::MoveBack(w, r, node) => {
                    self.field(Some((from, *w)), reader, to, *r, |d| d.again(|d| d.node(*node)))?;
                }
                Step::Default(r, literal) => self.default(reader, to, *r, literal)?,
            }
        }
        self.b.leave(scope);
        Ok(())
    }

    /// Writes a field through the sink's hooks.
    pub(crate) fn field(
        &mut self,
        from: Option<(&RecordType, usize)>,
        reader: TypeId,
        to: &RecordType,
        r: usize,
        f: impl FnOnce(&mut Self) -> Result,
    ) -> Result {
        let source = from.map(|(from, w)| source_step(from, w)).unwrap_or_default();
        let target = format!(".{}", to.fields[r].name);
        self.at(&source, &target, |d| {
            d.sink.begin_field(&mut d.b, &d.plan.reader, reader, r);
            f(d)?;
            d.sink.end_field(&mut d.b);
            Ok(())
        })
    }

    pub(crate) fn default(&mut self, reader: TypeId, to: &RecordType, r: usize, literal: &Literal) -> Result {
        let ty = to.fields[r].ty;
        self.field(None, reader, to, r, |d| d.literal(ty, literal))
    }

    /// A keyed source: one pass over the entries marks where each wanted value stands, then the fields are written in
    /// the order of the target.
    fn keyed(
        &mut self,
        writer: TypeId,
        from: &RecordType,
        reader: TypeId,
        to: &RecordType,
        fields: &[FieldSource],
    ) -> Result {
        let wanted = wanted_nodes(from.fields.len(), fields);
        let scope = self.b.scope();
        let marks: Vec<_> = from.fields.iter().map(|_| self.b.mark()).collect();
        for (mark, _) in &marks {
            self.b.op(Op::ClearMark { mark: *mark });
        }
        let item = self.entry(writer, |d, i| {
            d.once(marks[i].1)?;
            d.b.op(Op::Mark { mark: marks[i].0 });
            match wanted[i] {
                Some(node) => d.pass(node),
                None => d.skip(from.fields[i].ty),
            }
        })?;
        let entries = self.source.entries();
        self.b.op(Op::Loop { from: entries, to: SeqOut::None, zero: Flag::No, trust: Flag::No, item });
        let (end, end_used) = self.b.mark();
        self.b.op(Op::Mark { mark: end });
        for (r, field) in fields.iter().enumerate() {
            match field {
                FieldSource::Default(literal) => self.default(reader, to, r, literal)?,
                FieldSource::Written { index, node } => {
                    self.field(Some((from, *index)), reader, to, r, |d| d.if_met(marks[*index].1, *node))?;
                }
            }
        }
        self.b.op(Op::Seek { mark: end_used });
        self.b.leave(scope);
        Ok(())
    }

    /// Fails if a key has been met before.
    fn once(&mut self, mark: MarkUse) -> Result {
        let twice = self.failing(b"a key that was met before in this record")?;
        self.b.op(Op::IfMarked { mark, arms: Bodies(vec![twice, Body::default()]) });
        Ok(())
    }

    /// Transforms a value whose key was met; a value the writer's schema has and the data lack is a fault.
    fn if_met(&mut self, mark: MarkUse, node: NodeId) -> Result {
        let then = self.body(|d| {
            d.b.op(Op::Seek { mark });
            d.again(|d| d.node(node))
        })?;
        let missing = self.failing(b"a field of the writer's schema is missing")?;
        self.b.op(Op::IfMarked { mark, arms: Bodies(vec![then, missing]) });
        Ok(())
    }

    pub(crate) fn failing(&mut self, message: &[u8]) -> Result<Body> {
        self.body(|d| {
            let message = d.b.constant(message);
            d.b.op(Op::Fail { kind: FaultKind::Key, message });
            Ok(())
        })
    }
}

fn source_step(record: &RecordType, field: usize) -> String {
    record.fields.get(field).map(|f| format!(".{}", f.name)).unwrap_or_default()
}

/// Steps in the order of the source; defaults last.
fn source_order<'p>(from: &RecordType, fields: &'p [FieldSource]) -> Vec<Step<'p>> {
    let mut target = vec![None; from.fields.len()];
    let mut defaults = Vec::new();
    for (r, field) in fields.iter().enumerate() {
        match field {
            FieldSource::Written { index, node } => target[*index] = Some((r, *node)),
            FieldSource::Default(literal) => defaults.push(Step::Default(r, literal)),
        }
    }
    let moves = target.into_iter().enumerate().map(|(w, t)| match t {
        Some((r, node)) => Step::Move(w, r, node),
        None => Step::Skip(w),
    });
    moves.chain(defaults).collect()
}

/// Steps in the order of the target.
fn target_order<'p>(from: &RecordType, fields: &'p [FieldSource]) -> Vec<Step<'p>> {
    let wanted = wanted_nodes(from.fields.len(), fields);
    let mut walk = Walk { wanted, steps: vec![Step::Mark(0)], at: 0, frontier: 0 };
    for (r, field) in fields.iter().enumerate() {
        match field {
            FieldSource::Default(literal) => walk.steps.push(Step::Default(r, literal)),
            FieldSource::Written { index, node } => walk.step_to_field(*index, r, *node),
        }
    }
    walk.step_to_end(from.fields.len());
    let sought: HashSet<usize> =
        walk.steps.iter().filter_map(|s| if let Step::Seek(at) = s { Some(*at) } else { None }).collect();
    walk.steps.retain(|s| !matches!(s, Step::Mark(at) if !sought.contains(at)));
    walk.steps
}

struct Walk<'p> {
    wanted: Vec<Option<NodeId>>,
    steps: Vec<Step<'p>>,
    /// Writer field in front of the cursor.
    at: usize,
    /// First writer field not yet passed.
    frontier: usize,
}

impl Walk<'_> {
    fn step_to_field(&mut self, w: usize, r: usize, node: NodeId) {
        if w >= self.frontier {
            self.seek(self.frontier);
            while self.frontier < w {
                let i = self.frontier;
                self.steps.push(self.wanted[i].map_or(Step::Skip(i), |node| Step::Pass(i, node)));
                self.advance();
            }
            self.steps.push(Step::Move(w, r, node));
            self.advance();
        } else {
            self.seek(w);
            self.steps.push(Step::MoveBack(w, r, node));
            self.at = w + 1;
        }
    }

    fn advance(&mut self) {
        self.frontier += 1;
        self.at = self.frontier;
        self.steps.push(Step::Mark(self.frontier));
    }

    fn seek(&mut self, w: usize) {
        if self.at != w {
            self.steps.push(Step::Seek(w));
            self.at = w;
        }
    }

    fn step_to_end(&mut self, count: usize) {
        self.seek(self.frontier);
        while self.frontier < count {
            self.steps.push(Step::Skip(self.frontier));
            self.advance();
        }
    }
}
