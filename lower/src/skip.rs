//! Passing over values: those nobody wants, and those that will be wanted later.

use crate::driver::{Driver, Result, Routine};
use crate::format::{Access, Index, Scalar};
use reschema_ir::{Bodies, Body, FaultKind, Flag, Op, SeqOut};
use reschema_schema::model::{Shape, TypeId};
use reschema_schema::plan::{FieldSource, Node, NodeId};

impl Driver<'_> {
    /// Passes over a value of a writer type that nobody wants. Only framing is checked; the size of a chunk is
    /// trusted, but must lie inside the input.
    pub(crate) fn skip(&mut self, ty: TypeId) -> Result {
        if self.source.skip_any(&mut self.b, self.level) {
            return Ok(());
        }
        let plan = self.plan;
        match &plan.writer.get(ty).shape {
            Shape::Fixed(t) => Ok(self.source.skip_fixed(&mut self.b, t.size)?),
            Shape::Enum(_) => Ok(self.source.skip_symbol(&mut self.b)?),
            Shape::List(t) => {
                let (zero, item) = (self.uncounted(t.item), t.item);
                self.skip_sequence(zero, |d| d.at("[]", "", |d| d.skip(item)))
            }
            Shape::Map(t) => {
                let (key, value) = (t.key, t.value);
                self.skip_sequence(Flag::No, |d| {
                    d.at("{key}", "", |d| d.skip(key))?;
                    d.at("{}", "", |d| d.skip(value))
                })
            }
            Shape::Record(_) => self.routine(Routine::Skip(ty)),
            Shape::Union(t) => {
                self.skip_switch(t.variants.iter().map(|v| v.ty).collect::<Vec<_>>().as_slice(), |d, ty| d.skip(*ty))
            }
            shape => match Scalar::of(shape) {
                Some(scalar) => Ok(self.source.skip(&mut self.b, scalar)?),
                None => Ok(()),
            },
        }
    }

    fn skip_sequence(&mut self, zero: Flag, item: impl FnOnce(&mut Self) -> Result) -> Result {
        self.enter();
        let item = self.body(item)?;
        self.skip_loop(zero, Flag::Yes, item);
        self.leave();
        Ok(())
    }

    fn skip_switch<T>(&mut self, arms: &[T], f: impl Fn(&mut Self, &T) -> Result) -> Result {
        let scope = self.b.scope();
        let src = self.source.read_index(&mut self.b, Index::Variant)?;
        self.b.leave(scope);
        let arms: Vec<Body> = arms.iter().map(|a| self.body(|d| f(d, a))).collect::<Result<_>>()?;
        self.b.op(Op::Switch { src, arms: Bodies(arms) });
        Ok(())
    }

    pub(crate) fn skip_record(&mut self, ty: TypeId) -> Result {
        let plan = self.plan;
        let Shape::Record(record) = &plan.writer.get(ty).shape else { return Ok(()) };
        self.enter();
        match self.source.access() {
            Access::Ordered => {
                for field in &record.fields {
                    self.at(&format!(".{}", field.name), "", |d| d.skip(field.ty))?;
                }
            }
            Access::Keyed => self.skip_entries(ty, |d, i| d.skip(record.fields[i].ty))?,
            // Passed over whatever they are.
            Access::Named => {}
        }
        self.leave();
        Ok(())
    }

    /// Passes over the entries of a keyed record.
    pub(crate) fn skip_entries(&mut self, ty: TypeId, skip: impl Fn(&mut Self, usize) -> Result) -> Result {
        let item = self.entry(ty, |d, i| skip(d, i))?;
        let from = self.source.entries();
        self.b.op(Op::Loop { from, to: SeqOut::None, zero: Flag::No, trust: Flag::No, item });
        Ok(())
    }

    /// The body that handles one entry of a keyed record: an arm a writer field, and a fault for other keys.
    pub(crate) fn entry(&mut self, ty: TypeId, arm: impl Fn(&mut Self, usize) -> Result) -> Result<Body> {
        let plan = self.plan;
        let Shape::Record(record) = &plan.writer.get(ty).shape else { return Ok(Body::default()) };
        self.body(|d| {
            let scope = d.b.scope();
            let src = d.source.read_key(&mut d.b)?;
            d.b.leave(scope);
            let keys = (0..record.fields.len()).map(|i| Some(d.source.key(&plan.writer, ty, i))).collect();
            let table = d.b.table(keys);
            let mut arms = Vec::with_capacity(record.fields.len() + 1);
            for (i, field) in record.fields.iter().enumerate() {
                arms.push(d.body(|d| d.at(&format!(".{}", field.name), "", |d| arm(d, i)))?);
            }
            arms.push(d.body(|d| {
                let message = d.b.constant(b"a key that the writer's schema does not have");
                d.b.op(Op::Fail { kind: FaultKind::Key, message });
                Ok(())
            })?);
            d.b.op(Op::Match { src, table, arms: Bodies(arms) });
            Ok(())
        })
    }

    /// Passes over a value that a later instruction comes back for. It walks the Plan, because inside a wanted value
    /// there may be parts that nobody wants, and those are passed over as such both times.
    pub(crate) fn pass(&mut self, id: NodeId) -> Result {
        if self.source.skip_any(&mut self.b, self.level) {
            return Ok(());
        }
        let plan = self.plan;
        match plan.node(id) {
            Node::List { writer, item, .. } => {
                let Shape::List(t) = &plan.writer.get(*writer).shape else { return Ok(()) };
                // Items without bytes need no passing over, but count.
                let empty = self.source.takes_no_bytes(&plan.writer, t.item);
                let zero = self.uncounted(t.item);
                self.pass_sequence(zero, |d| if empty { Ok(()) } else { d.at("[]", "[]", |d| d.pass(*item)) })
            }
            Node::Map { key, value, .. } => self.pass_sequence(Flag::No, |d| {
                d.pass(*key)?;
                d.at("{}", "{}", |d| d.pass(*value))
            }),
            Node::Record { .. } => self.routine(Routine::Pass(id)),
            Node::FromUnion { variants, .. } => self.skip_switch(variants, |d, v| d.pass(*v)),
            Node::IntoUnion { inner, .. } => self.pass(*inner),
            Node::Scalar { writer, .. }
            | Node::Fixed { writer, .. }
            | Node::Enum { writer, .. }
            | Node::Fail { writer, .. } => self.skip(*writer),
        }
    }

    fn pass_sequence(&mut self, zero: Flag, item: impl FnOnce(&mut Self) -> Result) -> Result {
        self.enter();
        let item = self.body(item)?;
        self.skip_loop(zero, Flag::No, item);
        self.leave();
        Ok(())
    }

    pub(crate) fn pass_record(&mut self, id: NodeId) -> Result {
        let plan = self.plan;
        let Node::Record { writer, fields, .. } = plan.node(id) else { return Ok(()) };
        let Shape::Record(record) = &plan.writer.get(*writer).shape else { return Ok(()) };
        let wanted = wanted_nodes(record.fields.len(), fields);
        let one = |d: &mut Self, i: usize| match wanted[i] {
            Some(node) => d.pass(node),
            None => d.skip(record.fields[i].ty),
        };
        self.enter();
        match self.source.access() {
            Access::Ordered => {
                for (i, field) in record.fields.iter().enumerate() {
                    self.at(&format!(".{}", field.name), "", |d| one(d, i))?;
                }
            }
            Access::Keyed => self.skip_entries(*writer, one)?,
            Access::Named => {}
        }
        self.leave();
        Ok(())
    }
}

/// For each writer field the node that transforms it, if any reader field wants it.
pub(crate) fn wanted_nodes(count: usize, fields: &[FieldSource]) -> Vec<Option<NodeId>> {
    let mut wanted = vec![None; count];
    for field in fields {
        if let FieldSource::Written { index, node } = field
            && let Some(slot) = wanted.get_mut(*index)
        {
            *slot = Some(*node);
        }
    }
    wanted
}
