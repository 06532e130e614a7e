//! Resolution, compatibility, lowering and verification of any two schemas: they agree with each other, and a pair that
//! is called compatible carries every value.

use super::datum::datum;
use super::{Choices, text};
use crate::naive::{self, Policy};
use crate::random::Rng;
use reschema::schema::avro::{Names, Parser};
use reschema::schema::literal::Literal;
use reschema::schema::model::{FloatType, IntType, Schema, Shape, TypeId};
use reschema::schema::plan::{FieldSource, Node, NodeId, Plan};
use reschema::schema::resolve::{
    Compatibility, DecimalRule, LogicalRule, MismatchKind, ResolutionRules, ResolveError, TypeNames, UnionMatch,
    resolve as pair,
};
use reschema::{Endpoint, Engine, Error, ErrorKind, Limits, PassSet, Transform, compatibility};
use reschema_avro::{AvroSink, AvroSource};
use reschema_ir::Program;
use reschema_ir::pass::optimise;
use reschema_ir::verify::{Bounds, verify};
use reschema_lower::{LowerError, Options, lower};
use std::collections::HashSet;

/// Instructions of a Program.
const MAX_OPS: usize = 20_000;
/// Types of a schema.
const MAX_TYPES: usize = 2_000;
/// Longest text of a Program that is read back.
const MAX_TEXT: usize = 200_000;
/// Values tried.
const VALUES: u64 = 4;

/// Bytes as two schema texts, separated by a byte 0, and rules behind another.
///
/// # Panics
/// On a finding.
pub fn resolve(data: &[u8]) {
    let Some((writer_text, reader_text, options)) = text::pair(data) else { return };
    let options = Choices(options).byte();
    let parser =
        Parser::new().max_types(MAX_TYPES).names(if options & 0x80 == 0 { Names::Strict } else { Names::Lenient });
    let (Ok(writer), Ok(reader)) = (parser.parse(&writer_text), parser.parse(&reader_text)) else { return };
    let rules = rules(options);
    let plan = pair(&writer, &reader, &rules);
    oracle([&writer_text, &reader_text], options, plan.as_ref().err());
    let compatible = compatibility(&writer, &reader, &rules);
    let transform = with(&rules, PassSet::all()).transform(Endpoint::avro(&writer), Endpoint::avro(&reader));
    let plan = match plan {
        Ok(plan) => plan,
        Err(e) => {
            assert!(!e.mismatches.is_empty());
            assert_eq!(compatible.differences, e.mismatches);
            let refused = transform.expect_err("a pair that does not resolve");
            assert_eq!((refused.kind().as_str(), refused.mismatches()), (e.class(), e.mismatches.as_slice()));
            return;
        }
    };
    let mut check = Check { plan: &plan, seen: HashSet::new(), partial: false };
    check.all();
    assert_eq!(compatible.is_compatible(), !check.partial, "{compatible}");
    assert_eq!(compatible.warnings, plan.warnings);
    let Some(program) = programs(&plan, &transform) else { return };
    let Ok(transform) = transform else { return };
    printed_alike(&parser, &writer, &reader, &rules, &program);
    let mut rng = Rng::new(program.size() as u64 ^ data.len() as u64);
    values(&transform, &writer, &reader, &compatible, &mut rng);
}

fn rules(options: u8) -> ResolutionRules {
    let bit = |n: u8| options & (1 << n) != 0;
    let names = [TypeNames::UnqualifiedOrAlias, TypeNames::FullOrAlias, TypeNames::IgnoreRecordNames];
    ResolutionRules::default()
        .union_match(if bit(0) { UnionMatch::FirstMatch } else { UnionMatch::ExactFirst })
        .decimal(if bit(1) { DecimalRule::Raw } else { DecimalRule::Error })
        .logical(if bit(2) { LogicalRule::Error } else { LogicalRule::Raw })
        .type_names(names[usize::from(options >> 3) % 3])
}

/// Of the default rules.
pub(super) fn engine() -> Engine {
    with(&ResolutionRules::default(), PassSet::all())
}

fn with(rules: &ResolutionRules, passes: PassSet) -> Engine {
    let limits = Limits::default().program_ops(MAX_OPS).output_bytes(1 << 20).zero_size_items(5_000);
    Engine::builder().limits(limits).rules(rules.clone()).passes(passes).build().expect("an engine")
}

/// The naive oracle resolves the same pairs. It knows one rule, and no limits.
fn oracle(texts: [&str; 2], options: u8, ours: Option<&ResolveError>) {
    let open = texts.iter().map(|t| t.matches(['{', '[']).count()).max().unwrap_or(0);
    let defaults = texts[1].matches("default").count();
    if options > 1 || open > 100 || defaults > 12 {
        return;
    }
    let policy = Policy { first_match: options == 1, ..Policy::default() };
    match (ours, naive::Pair::new(texts[0], texts[1], &policy).err()) {
        (None, None) => {}
        // Whether a text is a schema is asked by the target `schema`.
        (_, Some(theirs)) if theirs.class == "schema" => {}
        (Some(ours), Some(theirs)) => assert!(theirs.accepts(ours.class()), "{ours}; the naive oracle: {theirs:?}"),
        (ours, theirs) => panic!("{ours:?}; the naive oracle: {theirs:?}\n{}\n{}", texts[0], texts[1]),
    }
}

/// Walks a Plan and holds it to what its nodes say about themselves.
struct Check<'a> {
    plan: &'a Plan,
    seen: HashSet<NodeId>,
    /// Some value that may be written cannot be read.
    partial: bool,
}

impl Check<'_> {
    fn all(&mut self) {
        let Plan { writer, reader, root, .. } = self.plan;
        assert_eq!((self.reads(*root), self.wants(*root)), (writer.root(), reader.root()));
        assert!(!matches!(self.plan.node(*root), Node::Fail { .. }));
        let mut work = vec![*root];
        while let Some(id) = work.pop() {
            if self.seen.insert(id) {
                self.node(id, &mut work);
            }
        }
    }

    fn reads(&self, id: NodeId) -> TypeId {
        match self.plan.node(id) {
            Node::IntoUnion { inner, .. } => self.reads(*inner),
            Node::Scalar { writer, .. } | Node::Fixed { writer, .. } | Node::Enum { writer, .. } => *writer,
            Node::List { writer, .. } | Node::Map { writer, .. } | Node::Record { writer, .. } => *writer,
            Node::FromUnion { writer, .. } | Node::Fail { writer, .. } => *writer,
        }
    }

    fn wants(&self, id: NodeId) -> TypeId {
        match self.plan.node(id) {
            Node::Scalar { reader, .. } | Node::Fixed { reader, .. } | Node::Enum { reader, .. } => *reader,
            Node::List { reader, .. } | Node::Map { reader, .. } | Node::Record { reader, .. } => *reader,
            Node::FromUnion { reader, .. } | Node::Fail { reader, .. } | Node::IntoUnion { reader, .. } => *reader,
        }
    }

    /// A part is the transformation of the types that stand at its place.
    fn part(&self, id: NodeId, writer: TypeId, reader: TypeId, work: &mut Vec<NodeId>) {
        assert_eq!((self.reads(id), self.wants(id)), (writer, reader), "node {id:?}");
        work.push(id);
    }

    fn node(&mut self, id: NodeId, work: &mut Vec<NodeId>) {
        let Plan { writer, reader, .. } = self.plan;
        let shapes = |w: &TypeId, r: &TypeId| (&writer.get(*w).shape, &reader.get(*r).shape);
        match self.plan.node(id) {
            Node::Scalar { writer: w, reader: r } => {
                let (a, b) = shapes(w, r);
                assert!(promotes(a, b), "{a:?} to {b:?}");
            }
            Node::Fixed { writer: w, reader: r } => {
                let (Shape::Fixed(a), Shape::Fixed(b)) = shapes(w, r) else { panic!("no fixed") };
                assert_eq!(a.size, b.size);
            }
            Node::Enum { writer: w, reader: r, symbols } => {
                let (Shape::Enum(a), Shape::Enum(b)) = shapes(w, r) else { panic!("no enum") };
                let index = |name: &str| b.symbols.iter().position(|s| s.name == name).or(b.default);
                let want: Vec<Option<usize>> = a.symbols.iter().map(|s| index(&s.name)).collect();
                assert_eq!(symbols[..], want[..]);
                self.partial |= symbols.iter().any(Option::is_none);
            }
            Node::List { writer: w, reader: r, item } => {
                let (Shape::List(a), Shape::List(b)) = shapes(w, r) else { panic!("no list") };
                self.part(*item, a.item, b.item, work);
            }
            Node::Map { writer: w, reader: r, key, value } => {
                let (Shape::Map(a), Shape::Map(b)) = shapes(w, r) else { panic!("no map") };
                self.part(*key, a.key, b.key, work);
                self.part(*value, a.value, b.value, work);
            }
            Node::Record { writer: w, reader: r, fields } => self.record(*w, *r, fields, work),
            Node::FromUnion { writer: w, reader: r, variants } => {
                let Shape::Union(a) = &writer.get(*w).shape else { panic!("no union") };
                assert_eq!(a.variants.len(), variants.len());
                a.variants.iter().zip(variants).for_each(|(v, node)| self.part(*node, v.ty, *r, work));
            }
            Node::IntoUnion { reader: r, variant, inner } => {
                let Shape::Union(b) = &reader.get(*r).shape else { panic!("no union") };
                self.part(*inner, self.reads(*inner), b.variants[*variant].ty, work);
            }
            Node::Fail { mismatches, .. } => {
                assert!(!mismatches.is_empty());
                self.partial = true;
            }
        }
    }

    fn record(&self, w: TypeId, r: TypeId, fields: &[FieldSource], work: &mut Vec<NodeId>) {
        let Plan { writer, reader, .. } = self.plan;
        let (Shape::Record(a), Shape::Record(b)) = (&writer.get(w).shape, &reader.get(r).shape) else {
            panic!("no record")
        };
        assert_eq!(fields.len(), b.fields.len());
        let mut used = HashSet::new();
        for (field, source) in b.fields.iter().zip(fields) {
            match source {
                FieldSource::Written { index, node } => {
                    let from = &a.fields[*index];
                    assert!(used.insert(index), "{} is read twice", from.name);
                    assert!(from.name == field.name || field.aliases.contains(&from.name));
                    self.part(*node, from.ty, field.ty, work);
                }
                FieldSource::Default(value) => {
                    assert!(a.fields.iter().all(|f| f.name != field.name), "{} is written", field.name);
                    assert!(fits(reader, field.ty, value), "{value:?} is no default of {}", field.name);
                }
            }
        }
    }
}

fn promotes(from: &Shape, to: &Shape) -> bool {
    const INT: Shape = Shape::Int(IntType::I32);
    const LONG: Shape = Shape::Int(IntType::I64);
    const FLOAT: Shape = Shape::Float(FloatType::F32);
    const DOUBLE: Shape = Shape::Float(FloatType::F64);
    let scalar =
        matches!(from, Shape::Null | Shape::Boolean | Shape::Int(_) | Shape::Float(_) | Shape::Text | Shape::Bytes);
    let further: &[Shape] = match *from {
        INT => &[LONG, FLOAT, DOUBLE],
        LONG => &[FLOAT, DOUBLE],
        FLOAT => &[DOUBLE],
        Shape::Text => &[Shape::Bytes],
        Shape::Bytes => &[Shape::Text],
        _ => &[],
    };
    scalar && (from == to || further.contains(to))
}

/// A literal is a value of a type.
fn fits(schema: &Schema, ty: TypeId, value: &Literal) -> bool {
    match (&schema.get(ty).shape, value) {
        (Shape::Null, Literal::Null) | (Shape::Boolean, Literal::Boolean(_)) => true,
        (Shape::Int(t), Literal::Int(n)) => *n >= -(1 << (t.bits - 1)) && *n < 1 << (t.bits - 1),
        (Shape::Float(t), Literal::Float32(_)) => *t == FloatType::F32,
        (Shape::Float(t), Literal::Float64(_)) => *t == FloatType::F64,
        (Shape::Text, Literal::Text(_)) | (Shape::Bytes, Literal::Bytes(_)) => true,
        (Shape::Fixed(t), Literal::Fixed(bytes)) => t.size == bytes.len() as u64,
        (Shape::Enum(t), Literal::Enum(i)) => *i < t.symbols.len(),
        (Shape::List(t), Literal::List(items)) => items.iter().all(|i| fits(schema, t.item, i)),
        (Shape::Map(t), Literal::Map(entries)) => {
            entries.iter().all(|(k, v)| fits(schema, t.key, k) && fits(schema, t.value, v))
        }
        (Shape::Record(t), Literal::Record(values)) => {
            t.fields.len() == values.len() && t.fields.iter().zip(values).all(|(f, v)| fits(schema, f.ty, v))
        }
        (Shape::Union(t), Literal::Union(i, v)) => t.variants.get(*i).is_some_and(|t| fits(schema, t.ty, v)),
        _ => false,
    }
}

/// Lowers a Plan and holds the Program, before and after passes, to what tiers rely on. `None`: too large.
fn programs(plan: &Plan, transform: &Result<Transform, Error>) -> Option<Program> {
    let options = Options { max_ops: MAX_OPS, ..Options::default() };
    let program = match (lower(plan, &mut AvroSource, &mut AvroSink, &options), transform) {
        (Ok(program), Ok(_)) => program,
        (Err(LowerError::TooLarge(_)), Err(e)) if e.kind() == ErrorKind::Unsupported => return None,
        (ours, theirs) => panic!("lowered {:?}, the engine says {theirs:?}", ours.map(|p| p.size())),
    };
    assert_eq!(verify(&program, Bounds::Ignored), Ok(()));
    let less = PassSet::NAMES[program.size() % PassSet::NAMES.len()];
    for passes in [PassSet::all(), PassSet::all().without(less), PassSet::none()] {
        let optimised = optimise(&program, passes);
        assert_eq!(verify(&optimised, Bounds::Checked), Ok(()), "{passes:?}");
        reads_back(&optimised);
    }
    reads_back(&program);
    let tier = transform.as_ref().map(|t| t.explain().tier().to_string()).unwrap_or_default();
    assert!(!tier.contains("refused"), "{tier}");
    Some(program)
}

/// The text form loses nothing.
fn reads_back(program: &Program) {
    let text = program.to_string();
    if text.len() > MAX_TEXT {
        return;
    }
    match text.parse::<Program>() {
        Ok(again) => assert!(again == *program, "{again}\n{text}"),
        Err(e) => assert!(e.message.contains("nested"), "{e}\n{text}"),
    }
}

/// Schemas that are printed and parsed again give the same Program.
fn printed_alike(parser: &Parser, writer: &Schema, reader: &Schema, rules: &ResolutionRules, program: &Program) {
    let again = |s: &Schema| parser.parse(&s.to_avro_string().expect("printable"));
    // What cannot be parsed again is a finding of the target `schema`.
    let (Ok(writer), Ok(reader)) = (again(writer), again(reader)) else { return };
    let plan = pair(&writer, &reader, rules).expect("resolves as before");
    let options = Options { max_ops: MAX_OPS, ..Options::default() };
    let lowered = lower(&plan, &mut AvroSource, &mut AvroSink, &options).expect("is lowered as before");
    assert!(lowered == *program, "{lowered}\n{program}");
}

/// Valid values pass, or fail in a way that the differences foretell; what comes out is a value of the reader's schema.
fn values(transform: &Transform, writer: &Schema, reader: &Schema, compatible: &Compatibility, rng: &mut Rng) {
    let identity = identity(reader);
    for _ in 0..VALUES {
        let bytes: Vec<u8> = (0..400).map(|_| rng.bits() as u8).collect();
        let Some(value) = datum(writer, &mut Choices(&bytes)) else { continue };
        let mut out = Vec::new();
        match transform.run(&value, &mut out) {
            Ok(consumed) => {
                assert_eq!(consumed, value.len());
                if let Some(identity) = &identity {
                    canonical(identity, &out);
                }
            }
            Err(e) => {
                let foretold = !compatible.is_compatible() && matches!(e.kind(), ErrorKind::Union | ErrorKind::Enum);
                assert!(foretold || e.kind() == ErrorKind::Limit, "{e:?}: {value:02x?}, {compatible}");
            }
        }
    }
}

/// From a schema to itself. `None`: aliases are ambiguous, or it is too deep.
pub(super) fn identity(schema: &Schema) -> Option<Transform> {
    match engine().transform(Endpoint::avro(schema), Endpoint::avro(schema)) {
        Ok(transform) => {
            let rules = ResolutionRules::default();
            let itself = compatibility(schema, schema, &rules);
            assert!(itself.is_compatible(), "a schema reads what is written with it: {itself}");
            Some(transform)
        }
        Err(e) => {
            let odd = |k: MismatchKind| k == MismatchKind::AmbiguousAlias;
            let known = e.kind() == ErrorKind::Unsupported || e.mismatches().iter().any(|m| odd(m.kind));
            assert!(known || e.to_string().contains("nested"), "a schema does not resolve with itself: {e}");
            None
        }
    }
}

/// What a transform has written is in the one way that every sink writes: reading it as itself is no change.
pub(super) fn canonical(identity: &Transform, out: &[u8]) {
    let mut again = Vec::new();
    match identity.run(out, &mut again) {
        Ok(consumed) => {
            assert_eq!(consumed, out.len());
            assert_eq!(again, out, "output is canonical");
        }
        // Defaults may be deeper than data.
        Err(e) => assert_eq!(e.kind(), ErrorKind::Limit, "output is no value of the reader's schema: {e}"),
    }
}
