//! Resolution of a pair.

use super::default::encode;
use super::schema::{Kind, Schema};
use super::{Policy, Refusal};
use std::collections::HashMap;

/// A step of the plan, by index.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Primitive, from and to.
    Prim(Kind, Kind),
    /// Reader index by writer index; `None`: unknown.
    Enum(Vec<Option<usize>>),
    Fixed(u64),
    /// Writer type, item.
    Sequence(usize, usize),
    /// In writer order: reader field and step, or the type to skip. In reader order: field, or default bytes.
    Record(Vec<Step>, Vec<Layout>),
    FromUnion(Vec<usize>),
    Wrap(usize, usize),
    /// Writer type that does not resolve.
    Trap(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Move(usize, usize),
    Skip(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Layout {
    Field(usize),
    Bytes(Vec<u8>),
}

pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
    pub(super) root: usize,
}

pub(super) fn resolve(w: &Schema, r: &Schema, policy: &Policy) -> Result<Plan, Refusal> {
    let mut failed = HashMap::new();
    loop {
        let known = failed.len();
        let mut x = Resolver { w, r, first: policy.first_match, nodes: vec![], memo: HashMap::new(), failed };
        let mut errors = vec![];
        let root = x.pair(w.root, r.root, &mut errors);
        let nodes = x.nodes;
        failed = x.failed;
        if failed.len() != known {
            continue;
        }
        return match (errors.first(), root) {
            (None, Some(root)) => Ok(Plan { nodes, root }),
            (class, _) => {
                let class = class.copied().unwrap_or("mismatch");
                Err(Refusal { resolve: true, class, also: errors.into_iter().collect() })
            }
        };
    }
}

struct Resolver<'a> {
    w: &'a Schema,
    r: &'a Schema,
    first: bool,
    nodes: Vec<Node>,
    memo: HashMap<(usize, usize), usize>,
    failed: HashMap<(usize, usize), Vec<&'static str>>,
}

type Errors = Vec<&'static str>;

fn promotes(w: Kind, r: Kind) -> bool {
    use Kind::{Bytes, Double, Float, Int, Long, String};
    matches!(
        (w, r),
        (Int, Long | Float | Double) | (Long, Float | Double) | (Float, Double) | (String, Bytes) | (Bytes, String)
    )
}

impl Resolver<'_> {
    fn add(&mut self, n: Node) -> Option<usize> {
        self.nodes.push(n);
        Some(self.nodes.len() - 1)
    }

    fn rank(&self, w: usize, r: usize, decimals: bool) -> Option<u8> {
        let (a, b) = (&self.w.types[w], &self.r.types[r]);
        let agree = match (a.decimal, b.decimal) {
            (Some((wp, ws)), Some((rp, rs))) if decimals => ws == rs && wp <= rp,
            _ => true,
        };
        if a.kind != b.kind {
            return promotes(a.kind, b.kind).then_some(3);
        }
        match a.kind {
            Kind::Record | Kind::Enum | Kind::Fixed => {
                if a.kind == Kind::Fixed && (a.size != b.size || !agree) {
                    None
                } else if a.name == b.name {
                    Some(0)
                } else if b.aliases.contains(&a.name) {
                    Some(1)
                } else {
                    (a.short() == b.short()).then_some(2)
                }
            }
            Kind::Array | Kind::Map => {
                if self.w.types[a.item].kind == Kind::Union || self.r.types[b.item].kind == Kind::Union {
                    return Some(0);
                }
                self.rank(a.item, b.item, decimals).map(|_| 0)
            }
            Kind::Bytes => agree.then_some(0),
            _ => Some(0),
        }
    }

    fn pair(&mut self, w: usize, r: usize, errors: &mut Errors) -> Option<usize> {
        let (a, b) = (&self.w.types[w], &self.r.types[r]);
        if a.kind == Kind::Union {
            let mut nodes = vec![];
            for variant in &a.variants {
                let mut inner = vec![];
                let node = self.pair(*variant, r, &mut inner);
                nodes.push(match node {
                    Some(n) if inner.is_empty() => n,
                    _ => self.add(Node::Trap(*variant))?,
                });
            }
            return self.add(Node::FromUnion(nodes));
        }
        if b.kind == Kind::Union {
            let ranked = b.variants.iter().enumerate();
            let mut ranked = ranked.filter_map(|(i, v)| self.rank(w, *v, true).map(|k| (k, i)));
            let chosen = if self.first { ranked.next() } else { ranked.min() };
            return match chosen {
                Some((_, i)) => {
                    let inner = self.pair(w, b.variants[i], errors)?;
                    self.add(Node::Wrap(i, inner))
                }
                None => {
                    let near = b.variants.iter().any(|v| self.rank(w, *v, false).is_some());
                    errors.push(if near { "decimal" } else { "mismatch" });
                    None
                }
            };
        }
        if a.kind == b.kind && matches!(a.kind, Kind::Array | Kind::Map) {
            let item = self.pair(a.item, b.item, errors)?;
            return self.add(Node::Sequence(w, item));
        }
        if self.rank(w, r, true).is_none() {
            errors.push(if self.rank(w, r, false).is_some() { "decimal" } else { "mismatch" });
            return None;
        }
        match a.kind {
            Kind::Record => self.record(w, r, errors),
            Kind::Enum => {
                let place = |s: &String| b.symbols.iter().position(|x| x == s);
                let fallback = b.default_symbol.as_ref().and_then(place);
                let table = a.symbols.iter().map(|s| place(s).or(fallback)).collect();
                self.add(Node::Enum(table))
            }
            Kind::Fixed => self.add(Node::Fixed(a.size)),
            _ => self.add(Node::Prim(a.kind, b.kind)),
        }
    }

    fn record(&mut self, w: usize, r: usize, errors: &mut Errors) -> Option<usize> {
        if let Some(known) = self.failed.get(&(w, r)) {
            errors.extend(known);
            return None;
        }
        if let Some(node) = self.memo.get(&(w, r)) {
            return Some(*node);
        }
        let node = self.add(Node::Record(vec![], vec![]))?;
        self.memo.insert((w, r), node);
        let (a, b) = (self.w.types[w].clone(), self.r.types[r].clone());
        let mut mine = vec![];
        let sources = self.sources(w, r, &mut mine);
        let mut layout = vec![];
        for (j, f) in b.fields.iter().enumerate() {
            match (&sources[j], &f.default) {
                (Some(_), _) => layout.push(Layout::Field(j)),
                (None, None) => mine.push("default"),
                (None, Some(d)) => match encode(self.r, f.ty, d, &mut vec![(r, j)]) {
                    Ok(bytes) => layout.push(Layout::Bytes(bytes)),
                    Err(_) => mine.push("default"),
                },
            }
        }
        let mut steps = vec![];
        for (i, f) in a.fields.iter().enumerate() {
            // Of several reader fields that claim one writer field the last is taken; it is an error anyway.
            match sources.iter().rposition(|s| *s == Some(i)) {
                Some(j) => {
                    let inner = self.pair(f.ty, b.fields[j].ty, &mut mine);
                    steps.extend(inner.map(|n| Step::Move(j, n)));
                }
                None => steps.push(Step::Skip(f.ty)),
            }
        }
        if !mine.is_empty() {
            errors.extend(&mine);
            self.failed.insert((w, r), mine);
            return None;
        }
        self.nodes[node] = Node::Record(steps, layout);
        Some(node)
    }

    /// Writer field of each reader field.
    fn sources(&self, w: usize, r: usize, errors: &mut Errors) -> Vec<Option<usize>> {
        let (a, b) = (&self.w.types[w], &self.r.types[r]);
        let written = |name: &str| a.fields.iter().position(|f| f.name == name);
        let mut sources: Vec<Option<usize>> = b.fields.iter().map(|f| written(&f.name)).collect();
        let exact = sources.clone();
        let mut claims: HashMap<usize, usize> = HashMap::new();
        for (j, f) in b.fields.iter().enumerate() {
            if exact[j].is_some() {
                continue;
            }
            let mut candidates: Vec<usize> = vec![];
            for alias in &f.aliases {
                if let Some(i) = written(alias)
                    && !exact.contains(&Some(i))
                    && !candidates.contains(&i)
                {
                    candidates.push(i);
                }
            }
            match candidates.as_slice() {
                [] => {}
                [one] => {
                    *claims.entry(*one).or_default() += 1;
                    sources[j] = Some(*one);
                }
                [first, ..] => {
                    errors.push("mismatch");
                    sources[j] = Some(*first);
                }
            }
        }
        errors.extend(claims.values().filter(|n| **n > 1).map(|_| "mismatch"));
        sources
    }
}
