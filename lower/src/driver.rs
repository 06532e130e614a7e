//! The driver: Plan × Source × Sink → Program.

use crate::conversion::{UserConversion, apply_user, convert};
use crate::format::{Items, Scalar, Sink, Source, Typed, Unsupported};
use crate::inline::Inline;
use reschema_ir::{Body, Builder, FaultKind, Flag, FuncId, Op, Path, Program, SeqOut, Site};
use reschema_schema::model::{Schema, Shape, TypeId};
use reschema_schema::plan::{Node, NodeId, Plan};
use reschema_schema::resolve::Mismatch;
use std::collections::HashMap;
use std::fmt;

/// What lowering may do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Instructions a Program may have.
    pub max_ops: usize,
    /// Conversions between logical types supplied by the user, by their index.
    pub users: Vec<UserConversion>,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_ops: 4_000_000, users: Vec::new() }
    }
}

/// Why a Plan cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LowerError {
    /// A format cannot carry a shape.
    Unsupported(Unsupported, String),
    /// The Program would exceed [`Options::max_ops`].
    TooLarge(usize),
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::Unsupported(u, path) => write!(f, "{u} at {path}"),
            LowerError::TooLarge(limit) => write!(f, "the transformation needs more than {limit} instructions"),
        }
    }
}

impl std::error::Error for LowerError {}

impl From<Unsupported> for LowerError {
    fn from(u: Unsupported) -> LowerError {
        LowerError::Unsupported(u, String::new())
    }
}

pub(crate) type Result<T = ()> = std::result::Result<T, LowerError>;

/// Lowers a Plan. The Program is not optimised and has no checks.
pub fn lower(plan: &Plan, source: &mut dyn Source, sink: &mut dyn Sink, options: &Options) -> Result<Program> {
    program(plan, source, sink, options, |d, node| {
        d.node(node)?;
        d.sink.end_datum(&mut d.b);
        Ok(())
    })
}

/// Lowers only the passing over of a value of the writer's schema: no output, and of the input only framing is checked.
/// It tells where a value ends that cannot be transformed.
pub fn lower_skip(plan: &Plan, source: &mut dyn Source, sink: &mut dyn Sink, options: &Options) -> Result<Program> {
    program(plan, source, sink, options, |d, _| d.skip(d.plan.writer.root()))
}

fn program(
    plan: &Plan,
    source: &mut dyn Source,
    sink: &mut dyn Sink,
    options: &Options,
    entry: impl FnOnce(&mut Driver<'_>, NodeId) -> Result,
) -> Result<Program> {
    let mut d = Driver {
        plan,
        source,
        sink,
        options,
        b: Builder::new(),
        inline: Inline::new(plan),
        funcs: HashMap::new(),
        pending: Vec::new(),
        level: 0,
        nesting: 0,
        path: Path { source: "$".into(), target: "$".into() },
        counted: false,
    };
    d.b.users(options.users.len());
    d.program(entry)?;
    Ok(d.b.finish())
}

/// What a function of the Program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Routine {
    /// Transforms a value.
    Move(NodeId),
    /// Passes over a value that will be transformed later: what it checks must leave the cursor where the
    /// transformation will, so chunk sizes are not trusted, and nothing is counted twice.
    Pass(NodeId),
    /// Passes over a value that nobody wants.
    Skip(TypeId),
}

pub(crate) struct Driver<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) source: &'a mut dyn Source,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) options: &'a Options,
    pub(crate) b: Builder,
    pub(crate) inline: Inline,
    funcs: HashMap<(Routine, bool), FuncId>,
    pending: Vec<((Routine, bool), FuncId, Path)>,
    /// Levels of nesting of data between the function's start and here.
    pub(crate) level: u32,
    /// Records inlined around here.
    pub(crate) nesting: u32,
    pub(crate) path: Path,
    /// The value has been passed over before: its items without bytes are counted already, in the order of the input.
    pub(crate) counted: bool,
}

impl Driver<'_> {
    pub(crate) fn writer(&self) -> &Schema {
        &self.plan.writer
    }

    pub(crate) fn reader(&self) -> &Schema {
        &self.plan.reader
    }

    /// Functions are lowered from a work list, so that deep schemas do not nest the driver.
    fn program(&mut self, entry: impl FnOnce(&mut Self, NodeId) -> Result) -> Result {
        let root = self.b.declare();
        self.pending.push(((Routine::Move(self.plan.root), false), root, self.path.clone()));
        let mut entry = Some(entry);
        while let Some(((routine, counted), id, path)) = self.pending.pop() {
            (self.level, self.nesting, self.path, self.counted) = (0, 0, path, counted);
            self.b.begin(id);
            self.here();
            match (routine, entry.take()) {
                (Routine::Move(node), Some(entry)) => entry(self, node)?,
                (Routine::Move(node), None) => self.record(node)?,
                (Routine::Pass(node), _) => self.pass_record(node)?,
                (Routine::Skip(ty), _) => self.skip_record(ty)?,
            }
            self.b.end();
            if self.b.emitted() > self.options.max_ops {
                return Err(LowerError::TooLarge(self.options.max_ops));
            }
        }
        Ok(())
    }

    /// Inlines a record, or calls the function that handles it.
    pub(crate) fn routine(&mut self, routine: Routine) -> Result {
        let inline = match routine {
            Routine::Move(n) | Routine::Pass(n) => self.inline.node(n),
            Routine::Skip(ty) => self.inline.writer_type(ty),
        };
        if inline && self.nesting < crate::inline::MAX_NESTING {
            self.nesting += 1;
            match routine {
                Routine::Move(n) => self.record(n)?,
                Routine::Pass(n) => self.pass_record(n)?,
                Routine::Skip(ty) => self.skip_record(ty)?,
            }
            self.nesting -= 1;
            return Ok(());
        }
        let key = (routine, self.counted);
        let func = match self.funcs.get(&key) {
            Some(f) => *f,
            None => {
                let f = self.b.declare();
                self.funcs.insert(key, f);
                self.pending.push((key, f, self.path.clone()));
                f
            }
        };
        self.b.op(Op::Call { func, level: self.level });
        Ok(())
    }

    /// Makes the current paths the site of what follows.
    pub(crate) fn here(&mut self) -> Site {
        let site = self.b.site(self.path.clone());
        self.b.set_site(site)
    }

    /// Runs `f` with the paths extended.
    pub(crate) fn at<T>(&mut self, source: &str, target: &str, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (s, t) = (self.path.source.len(), self.path.target.len());
        self.path.source.push_str(source);
        self.path.target.push_str(target);
        let outer = self.here();
        let result = f(self).map_err(|e| match e {
            LowerError::Unsupported(u, at) if at.is_empty() => LowerError::Unsupported(u, self.path.source.clone()),
            other => other,
        });
        self.path.source.truncate(s);
        self.path.target.truncate(t);
        self.b.set_site(outer);
        result
    }

    /// One more level of nesting of data.
    pub(crate) fn enter(&mut self) {
        self.level += 1;
        self.b.deepen(self.level);
        self.b.op(Op::Enter { level: self.level });
    }

    pub(crate) fn leave(&mut self) {
        self.level -= 1;
    }

    /// Emits a body.
    pub(crate) fn body(&mut self, f: impl FnOnce(&mut Self) -> Result) -> Result<Body> {
        self.b.open();
        let result = f(self);
        let body = self.b.close();
        result.map(|()| body)
    }

    pub(crate) fn node(&mut self, id: NodeId) -> Result {
        if self.b.emitted() > self.options.max_ops {
            return Err(LowerError::TooLarge(self.options.max_ops));
        }
        let plan = self.plan;
        match plan.node(id) {
            Node::Scalar { writer, reader } => self.scalar(*writer, *reader),
            Node::Fixed { writer, reader } => self.fixed(*writer, *reader),
            Node::Enum { writer, reader, symbols } => self.symbol(*writer, *reader, symbols),
            Node::List { writer, item, .. } => self.list(*writer, *item),
            Node::Map { key, value, .. } => self.map(*key, *value),
            Node::Record { .. } => self.routine(Routine::Move(id)),
            Node::FromUnion { writer, variants, .. } => self.written_union(*writer, variants),
            Node::IntoUnion { reader, variant, inner } => self.variant(*reader, *variant, |d| d.node(*inner)),
            Node::Fail { mismatches, .. } => {
                self.fail(mismatches);
                Ok(())
            }
        }
    }

    fn scalar(&mut self, writer: TypeId, reader: TypeId) -> Result {
        let plan = self.plan;
        let (Some(from), Some(to)) =
            (Scalar::of(&plan.writer.get(writer).shape), Scalar::of(&plan.reader.get(reader).shape))
        else {
            return Err(self.no_conversion(writer, reader));
        };
        let scope = self.b.scope();
        let of = Typed { schema: &plan.writer, ty: writer };
        let value = self.source.read_value(&mut self.b, of, from)?;
        let value = convert(&mut self.b, value, from, to).ok_or_else(|| self.no_conversion(writer, reader))?;
        let users = &self.options.users;
        let value = apply_user(&mut self.b, value, (&plan.writer, writer), (&plan.reader, reader), users);
        self.sink.write_value(&mut self.b, Typed { schema: &plan.reader, ty: reader }, to, value)?;
        self.b.leave(scope);
        Ok(())
    }

    fn no_conversion(&self, writer: TypeId, reader: TypeId) -> LowerError {
        let (w, r) = (&self.writer().get(writer).shape, &self.reader().get(reader).shape);
        let what = format!("the conversion from {w:?} to {r:?}");
        LowerError::Unsupported(Unsupported { format: "the engine", what }, self.path.source.clone())
    }

    fn fixed(&mut self, writer: TypeId, reader: TypeId) -> Result {
        let plan = self.plan;
        let Shape::Fixed(t) = &plan.writer.get(writer).shape else {
            return Err(self.no_conversion(writer, writer));
        };
        let scope = self.b.scope();
        let span = self.source.read_fixed_value(&mut self.b, Typed { schema: &plan.writer, ty: writer }, t.size)?;
        self.sink.write_fixed_value(&mut self.b, Typed { schema: &plan.reader, ty: reader }, span)?;
        self.b.leave(scope);
        Ok(())
    }

    fn symbol(&mut self, writer: TypeId, reader: TypeId, symbols: &[Option<usize>]) -> Result {
        let plan = self.plan;
        let scope = self.b.scope();
        let table = self.b.table(symbols.iter().map(|s| s.map(|i| i as i64)).collect());
        let src = self.source.read_symbol(&mut self.b, Typed { schema: &plan.writer, ty: writer })?;
        let (dst, mapped) = self.b.num();
        self.b.op(Op::MapNum { dst, src, table });
        self.sink.write_symbol(&mut self.b, Typed { schema: &plan.reader, ty: reader }, mapped)?;
        self.b.leave(scope);
        Ok(())
    }

    /// Writes a variant of a union of the reader; `value` writes what is in it.
    pub(crate) fn variant(&mut self, union: TypeId, variant: usize, value: impl FnOnce(&mut Self) -> Result) -> Result {
        let plan = self.plan;
        let of = Typed { schema: &plan.reader, ty: union };
        let scope = self.b.scope();
        self.sink.begin_variant(&mut self.b, of, variant)?;
        self.b.leave(scope);
        value(self)?;
        self.sink.end_variant(&mut self.b, of, variant);
        Ok(())
    }

    fn written_union(&mut self, writer: TypeId, variants: &[NodeId]) -> Result {
        let plan = self.plan;
        let of = Typed { schema: &plan.writer, ty: writer };
        let scope = self.b.scope();
        let src = self.source.read_variant(&mut self.b, of, self.level)?;
        self.b.leave(scope);
        let arm = |(i, v): (usize, &NodeId)| {
            self.body(|d| {
                d.node(*v)?;
                d.source.end_variant(&mut d.b, of, i);
                Ok(())
            })
        };
        let arms: Vec<Body> = variants.iter().enumerate().map(arm).collect::<Result<_>>()?;
        self.b.op(Op::Switch { src, arms: reschema_ir::Bodies(arms) });
        Ok(())
    }

    fn fail(&mut self, mismatches: &[Mismatch]) {
        let text: Vec<String> = mismatches.iter().take(8).map(|m| m.message.clone()).collect();
        let message = self.b.constant(text.join("; ").as_bytes());
        self.b.op(Op::Fail { kind: FaultKind::Union, message });
    }

    fn list(&mut self, writer: TypeId, item: NodeId) -> Result {
        let Shape::List(t) = &self.plan.writer.get(writer).shape else {
            return Err(self.no_conversion(writer, writer));
        };
        let zero = self.uncounted(t.item);
        self.sequence(Items::List, zero, |d| d.at("[]", "[]", |d| d.node(item)))
    }

    fn map(&mut self, key: NodeId, value: NodeId) -> Result {
        self.sequence(Items::Map, Flag::No, |d| {
            d.at("{key}", "{key}", |d| d.node(key))?;
            d.source.end_key(&mut d.b);
            d.sink.end_key(&mut d.b);
            d.at("{}", "{}", |d| d.node(value))
        })
    }

    fn sequence(&mut self, of: Items, zero: Flag, item: impl FnOnce(&mut Self) -> Result) -> Result {
        self.enter();
        let scope = self.b.scope();
        self.sink.begin_items(&mut self.b, of);
        let item = self.body(|d| {
            d.sink.begin_item(&mut d.b);
            item(d)
        })?;
        let (from, to) = (self.source.items(of), self.sink.sequence());
        self.b.op(Op::Loop { from, to, zero, trust: Flag::No, item });
        self.sink.end_items(&mut self.b, of);
        self.b.leave(scope);
        self.leave();
        Ok(())
    }

    /// Whether items of a type are to be counted here: they take no bytes, and were not counted before.
    pub(crate) fn uncounted(&self, item: TypeId) -> Flag {
        Flag::of(!self.counted && self.source.takes_no_bytes(self.writer(), item))
    }

    /// Runs `f` for a value that has been passed over before.
    pub(crate) fn again(&mut self, f: impl FnOnce(&mut Self) -> Result) -> Result {
        let outer = std::mem::replace(&mut self.counted, true);
        let result = f(self);
        self.counted = outer;
        result
    }

    /// A loop that only passes over its items.
    pub(crate) fn skip_loop(&mut self, zero: Flag, trust: Flag, item: Body) {
        let from = self.source.sequence();
        self.b.op(Op::Loop { from, to: SeqOut::None, zero, trust, item });
    }
}
