//! Building the Plan.

use super::error::{Mismatch, MismatchKind, ResolveError};
use super::fields::match_fields;
use super::matching::{Aliases, Decimals, Pair, Rank, decimals_agree};
use super::rules::{LogicalRule, ResolutionRules, TypeNames, UnionMatch};
use super::union::UnionIndex;
use super::words::{label, listed, logical_word, short_path};
use crate::default::{Budget, field_default_within};
use crate::model::{EnumType, RecordType, Schema, Shape, TypeId, UnionType};
use crate::plan::{FieldSource, Node, NodeId, Plan, PlanWarning};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Records, lists, maps and unions inside each other that are looked at; data are limited further.
const MAX_NESTING: u32 = 400;
/// Differences collected before resolution stops listing them.
const MAX_MISMATCHES: usize = 1000;
/// Differences copied to the pairs that contain them, over a whole resolution: many unions may hold one broken record.
/// When they are used up, each pair is told one reason.
const MAX_COPIES: usize = 100_000;
/// Variants of a union named in a message.
const MAX_NAMED: usize = 16;

/// Resolves a pair of schemas.
///
/// A difference below a writer's union is no error: the branch becomes a [`Node::Fail`], which only a datum of that
/// branch meets. Neither is a symbol that the reader's enum lacks.
///
/// ```
/// use reschema_schema::Schema;
/// use reschema_schema::resolve::{MismatchKind, ResolutionRules, resolve};
///
/// let writer = Schema::parse(r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "string"}]}"#)?;
/// let reader = Schema::parse(r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}"#)?;
/// let error = resolve(&writer, &reader, &ResolutionRules::default()).unwrap_err();
/// assert_eq!(error.mismatches[0].kind, MismatchKind::Type);
/// assert_eq!(error.mismatches[0].reader_path, "$.a");
/// assert_eq!(error.mismatches[0].message, "expected int, found string");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// No value of the writer's schema can be read; the error lists the reasons (a thousand at most).
pub fn resolve(writer: &Schema, reader: &Schema, rules: &ResolutionRules) -> Result<Plan, ResolveError> {
    let aliases = Aliases::of(reader);
    let mut r = Resolver::new(Pair { writer, reader, rules, aliases: &aliases });
    loop {
        // A recursive pair is first assumed to resolve. When a pair turns out to fail, those that relied on it fail too,
        // and resolution runs again with that knowledge until nothing new is learnt.
        let known = r.failed.len();
        let mut errors = Vec::new();
        let root = r.pair(writer.root(), reader.root(), &mut errors);
        if r.failed.len() > known {
            r.spread();
            r.restart();
            continue;
        }
        return match root {
            Some(root) if errors.is_empty() => {
                Ok(Plan { writer: writer.clone(), reader: reader.clone(), nodes: r.nodes, root, warnings: r.warnings })
            }
            _ => Err(ResolveError { mismatches: distinct(errors) }),
        };
    }
}

/// For each symbol of a writer the reader's index.
fn match_symbols(a: &EnumType, b: &EnumType) -> Arc<[Option<usize>]> {
    let places: HashMap<&str, usize> = b.symbols.iter().enumerate().map(|(i, s)| (s.name.as_str(), i)).collect();
    a.symbols.iter().map(|s| places.get(s.name.as_str()).copied().or(b.default)).collect()
}

fn distinct(mismatches: Vec<Mismatch>) -> Vec<Mismatch> {
    if mismatches.len() < 2 {
        return mismatches;
    }
    let mut seen = std::collections::HashSet::new();
    mismatches.into_iter().filter(|m| seen.insert(m.clone())).collect()
}

struct Resolver<'a> {
    pair: Pair<'a>,
    nodes: Vec<Node>,
    warnings: Vec<PlanWarning>,
    /// Record pairs under way or done.
    memo: HashMap<Records, NodeId>,
    /// Record pairs known to fail, and why.
    failed: HashMap<Records, Vec<Mismatch>>,
    /// Those of them that were found in this run, in order.
    fresh: Vec<Records>,
    /// Record pairs done, and those that each cannot do without.
    needs: Vec<(Records, Vec<Records>)>,
    /// What the record pair under way cannot do without, so far.
    needed: Vec<Records>,
    /// Symbols of pairs of enums.
    symbols: HashMap<(TypeId, TypeId), Arc<[Option<usize>]>>,
    /// The larger unions of the reader, by name.
    unions: HashMap<TypeId, UnionIndex<'a>>,
    /// Work left for defaults; what recursion runs again is paid again.
    defaults: Budget,
    /// See [`MAX_COPIES`].
    copies: usize,
    writer_path: String,
    reader_path: String,
    nesting: u32,
}

type Errors = Vec<Mismatch>;

/// A record of the writer and one of the reader.
type Records = (TypeId, TypeId);

impl<'a> Resolver<'a> {
    fn new(pair: Pair<'a>) -> Resolver<'a> {
        Resolver {
            pair,
            nodes: Vec::new(),
            warnings: Vec::new(),
            memo: HashMap::new(),
            failed: HashMap::new(),
            fresh: Vec::new(),
            needs: Vec::new(),
            needed: Vec::new(),
            symbols: HashMap::new(),
            unions: HashMap::new(),
            defaults: Budget::default(),
            copies: MAX_COPIES,
            writer_path: "$".into(),
            reader_path: "$".into(),
            nesting: 0,
        }
    }

    /// Forgets everything but the pairs known to fail.
    fn restart(&mut self) {
        self.nodes.clear();
        self.warnings.clear();
        self.memo.clear();
        self.fresh.clear();
        self.needs.clear();
        self.needed.clear();
    }

    /// Pairs that need one that fails, fail. Without this a circle of n pairs could take n runs.
    fn spread(&mut self) {
        let needs = std::mem::take(&mut self.needs);
        let mut users: HashMap<Records, Vec<usize>> = HashMap::new();
        for (user, (_, needs)) in needs.iter().enumerate() {
            needs.iter().for_each(|n| users.entry(*n).or_default().push(user));
        }
        let mut work = VecDeque::from(std::mem::take(&mut self.fresh));
        while let Some(failed) = work.pop_front() {
            for user in users.remove(&failed).unwrap_or_default() {
                let (pair, needs) = &needs[user];
                if !self.failed.contains_key(pair) {
                    let reasons = self.reasons(needs);
                    self.failed.insert(*pair, reasons);
                    work.push_back(*pair);
                }
            }
        }
    }

    /// Why these fail, as far as they do.
    fn reasons(&mut self, pairs: &[Records]) -> Errors {
        let mut errors = Vec::new();
        for pair in pairs {
            if let Some(known) = self.failed.remove(pair) {
                self.copy(&mut errors, &known);
                self.failed.insert(*pair, known);
            }
        }
        errors
    }

    /// Tells a pair the differences of one that it contains.
    fn copy(&mut self, errors: &mut Errors, from: &[Mismatch]) {
        let room = MAX_MISMATCHES.saturating_sub(errors.len()).min(self.copies);
        let room = if errors.is_empty() { room.max(1) } else { room };
        let copied = from.len().min(room);
        self.copies = self.copies.saturating_sub(copied);
        errors.extend(from.iter().take(copied).cloned());
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn mismatch(&self, kind: MismatchKind, message: String) -> Mismatch {
        let (writer_path, reader_path) = (short_path(&self.writer_path), short_path(&self.reader_path));
        Mismatch { kind, writer_path, reader_path, message }
    }

    fn report(&self, errors: &mut Errors, kind: MismatchKind, message: String) {
        if errors.len() < MAX_MISMATCHES {
            errors.push(self.mismatch(kind, message));
        }
    }

    fn at<T>(&mut self, writer: &str, reader: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        let (w, r) = (self.writer_path.len(), self.reader_path.len());
        self.writer_path.push_str(writer);
        self.reader_path.push_str(reader);
        let result = f(self);
        self.writer_path.truncate(w);
        self.reader_path.truncate(r);
        result
    }

    /// A node for the pair; what is wrong goes to `errors`, and the node is then not to be used.
    fn pair(&mut self, w: TypeId, r: TypeId, errors: &mut Errors) -> Option<NodeId> {
        if self.nesting >= MAX_NESTING {
            self.report(errors, MismatchKind::Type, format!("the schemas are nested deeper than {MAX_NESTING} levels"));
            return None;
        }
        self.nesting += 1;
        let result = self.types(w, r, errors);
        self.nesting -= 1;
        result
    }

    fn types(&mut self, w: TypeId, r: TypeId, errors: &mut Errors) -> Option<NodeId> {
        let (writer, reader) = (self.pair.writer, self.pair.reader);
        match (&writer.get(w).shape, &reader.get(r).shape) {
            (Shape::Union(t), _) => {
                let variants: Vec<TypeId> = t.variants.iter().map(|v| v.ty).collect();
                Some(self.writer_union(w, r, &variants))
            }
            (_, Shape::Union(t)) => self.reader_union(w, r, t, errors),
            (Shape::List(a), Shape::List(b)) if a.length == b.length => {
                let (a, b) = (a.item, b.item);
                let item = self.at("[]", "[]", |s| s.pair(a, b, errors))?;
                self.logical(w, r, errors);
                Some(self.add(Node::List { writer: w, reader: r, item }))
            }
            (Shape::Map(a), Shape::Map(b)) => {
                let (wk, rk, wv, rv) = (a.key, b.key, a.value, b.value);
                let key = self.pair(wk, rk, errors)?;
                let value = self.at("{}", "{}", |s| s.pair(wv, rv, errors))?;
                self.logical(w, r, errors);
                Some(self.add(Node::Map { writer: w, reader: r, key, value }))
            }
            _ => self.single(w, r, errors),
        }
    }

    /// Two types without unnamed parts.
    fn single(&mut self, w: TypeId, r: TypeId, errors: &mut Errors) -> Option<NodeId> {
        let (writer, reader) = (self.pair.writer, self.pair.reader);
        let records_of_any_name = self.pair.rules.type_names == TypeNames::IgnoreRecordNames;
        let is_record = |s: &Schema, t| matches!(s.get(t).shape, Shape::Record(_));
        let any = records_of_any_name && is_record(writer, w) && is_record(reader, r);
        let rank = self.pair.rank(w, r, Decimals::Compared).or(any.then_some(Rank::AnyName));
        if rank.is_none() {
            let (kind, message) = self.difference(w, r);
            self.report(errors, kind, message);
            return None;
        }
        if !is_record(writer, w) {
            self.logical(w, r, errors);
        }
        match (&writer.get(w).shape, &reader.get(r).shape) {
            (Shape::Record(a), Shape::Record(b)) => self.record(w, r, a, b, errors),
            (Shape::Enum(a), Shape::Enum(b)) => {
                let symbols = self.symbols.entry((w, r)).or_insert_with(|| match_symbols(a, b)).clone();
                Some(self.add(Node::Enum { writer: w, reader: r, symbols }))
            }
            (Shape::Fixed(_), _) => Some(self.add(Node::Fixed { writer: w, reader: r })),
            _ => Some(self.add(Node::Scalar { writer: w, reader: r })),
        }
    }

    /// Why two types do not match.
    fn difference(&self, w: TypeId, r: TypeId) -> (MismatchKind, String) {
        let (wt, rt) = (self.pair.writer.get(w), self.pair.reader.get(r));
        if self.pair.rank(w, r, Decimals::Ignored).is_some() {
            let (found, expected) = (logical_word(wt.logical.as_ref()), logical_word(rt.logical.as_ref()));
            let message = format!("expected {expected}, found {found}");
            return (MismatchKind::Decimal, message);
        }
        let kind = match (&wt.shape, &rt.shape) {
            (Shape::Fixed(a), Shape::Fixed(b)) if a.size != b.size => {
                return (MismatchKind::FixedSize, format!("expected {} bytes, found {}", b.size, a.size));
            }
            (Shape::Record(_), Shape::Record(_))
            | (Shape::Enum(_), Shape::Enum(_))
            | (Shape::Fixed(_), Shape::Fixed(_)) => MismatchKind::Name,
            _ => MismatchKind::Type,
        };
        (kind, format!("expected {}, found {}", label(self.pair.reader, r), label(self.pair.writer, w)))
    }

    fn writer_union(&mut self, w: TypeId, r: TypeId, variants: &[TypeId]) -> NodeId {
        let mut nodes = Vec::with_capacity(variants.len());
        for ty in variants {
            let mut errors = Vec::new();
            let step = format!("<{}>", self.pair.writer.type_label(*ty));
            let needed = self.needed.len();
            let node = self.at(&step, "", |s| s.pair(*ty, r, &mut errors));
            // The union can do without its variants.
            self.needed.truncate(needed);
            nodes.push(match node {
                Some(node) if errors.is_empty() => node,
                // A variant that does not resolve is an error of the datum that has it.
                _ => self.add(Node::Fail { writer: *ty, reader: r, mismatches: distinct(errors) }),
            });
        }
        self.add(Node::FromUnion { writer: w, reader: r, variants: nodes })
    }

    fn reader_union(&mut self, w: TypeId, r: TypeId, t: &'a UnionType, errors: &mut Errors) -> Option<NodeId> {
        let Some((variant, ty)) = self.choose(w, r, t) else {
            let (kind, message) = self.no_variant(w, r, t);
            self.report(errors, kind, message);
            return None;
        };
        let step = format!("<{}>", self.pair.reader.type_label(ty));
        let inner = self.at("", &step, |s| s.pair(w, ty, errors))?;
        Some(self.add(Node::IntoUnion { reader: r, variant, inner }))
    }

    fn no_variant(&mut self, w: TypeId, r: TypeId, t: &'a UnionType) -> (MismatchKind, String) {
        let pair = self.pair;
        let near = {
            let mut candidates = self.index(r, t).candidates(&pair.writer.get(w).shape);
            candidates.any(|(_, ty)| pair.rank(w, ty, Decimals::Ignored).is_some())
        };
        let kind = if near { MismatchKind::Decimal } else { MismatchKind::MissingUnionBranch };
        let names = listed(t.variants.iter().map(|v| label(pair.reader, v.ty)), MAX_NAMED);
        (kind, format!("expected one of [{names}], found {}", label(pair.writer, w)))
    }

    fn index(&mut self, r: TypeId, t: &'a UnionType) -> &UnionIndex<'a> {
        let reader = self.pair.reader;
        self.unions.entry(r).or_insert_with(|| UnionIndex::of(reader, t))
    }

    /// The variant that takes a type, and its type. A record matches by its name alone: if its fields then do not
    /// resolve, no other variant is tried.
    fn choose(&mut self, w: TypeId, r: TypeId, t: &'a UnionType) -> Option<(usize, TypeId)> {
        let pair = self.pair;
        let ranked = self
            .index(r, t)
            .candidates(&pair.writer.get(w).shape)
            .filter_map(|(i, ty)| pair.rank(w, ty, Decimals::Compared).map(|rank| (rank, i, ty)));
        match pair.rules.union_match {
            UnionMatch::FirstMatch => ranked.min_by_key(|(_, i, _)| *i).map(|(_, i, ty)| (i, ty)),
            UnionMatch::ExactFirst => ranked.min().map(|(_, i, ty)| (i, ty)),
        }
    }

    fn record(&mut self, w: TypeId, r: TypeId, a: &RecordType, b: &RecordType, errors: &mut Errors) -> Option<NodeId> {
        if let Some(known) = self.failed.remove(&(w, r)) {
            self.copy(errors, &known);
            self.failed.insert((w, r), known);
            return None;
        }
        self.needed.push((w, r));
        if let Some(node) = self.memo.get(&(w, r)) {
            return Some(*node);
        }
        let id = self.add(Node::Record { writer: w, reader: r, fields: Vec::new() });
        self.memo.insert((w, r), id);
        let mut mine = Vec::new();
        let outer = std::mem::take(&mut self.needed);
        self.logical(w, r, &mut mine);
        let fields = self.fields(r, a, b, &mut mine);
        let needs = std::mem::replace(&mut self.needed, outer);
        if !mine.is_empty() {
            self.copy(errors, &mine);
            self.failed.insert((w, r), mine);
            self.fresh.push((w, r));
            return None;
        }
        self.needs.push(((w, r), needs));
        self.nodes[id.0 as usize] = Node::Record { writer: w, reader: r, fields };
        Some(id)
    }

    fn fields(&mut self, r: TypeId, a: &RecordType, b: &RecordType, errors: &mut Errors) -> Vec<FieldSource> {
        let matched = match_fields(a, b);
        for (field, message) in &matched.ambiguous {
            let step = field.map(|i| format!(".{}", b.fields[i].name)).unwrap_or_default();
            self.at("", &step, |s| s.report(errors, MismatchKind::AmbiguousAlias, message.clone()));
        }
        let mut fields: Vec<Option<FieldSource>> = Vec::with_capacity(b.fields.len());
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); a.fields.len()];
        for (i, source) in matched.sources.iter().enumerate() {
            match source {
                Some(index) => {
                    targets[*index].push(i);
                    fields.push(None);
                }
                None => {
                    let step = format!(".{}", b.fields[i].name);
                    fields.push(self.at("", &step, |s| s.default(r, b, i, errors)));
                }
            }
        }
        // In the order of the writer, as the data come: the first difference told is the first met.
        for (index, field) in a.fields.iter().enumerate() {
            for i in &targets[index] {
                let target = &b.fields[*i];
                let (from, to) = (format!(".{}", field.name), format!(".{}", target.name));
                let node = self.at(&from, &to, |s| s.pair(field.ty, target.ty, errors));
                fields[*i] = node.map(|node| FieldSource::Written { index, node });
            }
        }
        fields.into_iter().flatten().collect()
    }

    fn default(&mut self, r: TypeId, b: &RecordType, i: usize, errors: &mut Errors) -> Option<FieldSource> {
        match field_default_within(self.pair.reader, r, i, &mut self.defaults) {
            Some(Ok(literal)) => Some(FieldSource::Default(literal)),
            Some(Err(why)) => {
                self.report(errors, MismatchKind::InvalidDefault, format!("the default is needed: {}", why.0));
                None
            }
            None => {
                let name = &b.fields[i].name;
                self.report(errors, MismatchKind::MissingDefault, format!("{name} is not written, and has no default"));
                None
            }
        }
    }

    /// Logical types that differ: the raw value is kept, and the user is told. Decimals that do not agree come here only
    /// where the rules keep them raw.
    fn logical(&mut self, w: TypeId, r: TypeId, errors: &mut Errors) {
        let (from, to) = (self.pair.writer.get(w), self.pair.reader.get(r));
        let agree = decimals_agree(from, to);
        if from.logical == to.logical || agree == Some(true) {
            return;
        }
        let (found, expected) = (logical_word(from.logical.as_ref()), logical_word(to.logical.as_ref()));
        if agree.is_none() && self.pair.rules.logical == LogicalRule::Error {
            self.report(errors, MismatchKind::Logical, format!("expected {expected}, found {found}"));
        } else if self.warnings.len() < MAX_MISMATCHES {
            let message = format!("written as {found}, wanted as {expected}: the raw value is kept");
            let (writer_path, reader_path) = (short_path(&self.writer_path), short_path(&self.reader_path));
            self.warnings.push(PlanWarning { writer_path, reader_path, message });
        }
    }
}
