//! A small parser of Avro schemas.

use super::json::Json;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    String,
    Record,
    Enum,
    Fixed,
    Array,
    Map,
    Union,
}

const PRIMITIVES: [(&str, Kind); 8] = [
    ("null", Kind::Null),
    ("boolean", Kind::Boolean),
    ("int", Kind::Int),
    ("long", Kind::Long),
    ("float", Kind::Float),
    ("double", Kind::Double),
    ("bytes", Kind::Bytes),
    ("string", Kind::String),
];

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) ty: usize,
    pub(super) default: Option<Json>,
}

#[derive(Clone, Debug)]
pub(super) struct Type {
    pub(super) kind: Kind,
    /// Full name.
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) fields: Vec<Field>,
    pub(super) symbols: Vec<String>,
    pub(super) default_symbol: Option<String>,
    pub(super) size: u64,
    pub(super) item: usize,
    pub(super) variants: Vec<usize>,
    pub(super) decimal: Option<(i128, i128)>,
}

impl Type {
    fn of(kind: Kind) -> Type {
        Type {
            kind,
            name: String::new(),
            aliases: vec![],
            fields: vec![],
            symbols: vec![],
            default_symbol: None,
            size: 0,
            item: 0,
            variants: vec![],
            decimal: None,
        }
    }

    pub(super) fn short(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or("")
    }
}

#[derive(Clone, Debug)]
pub(super) struct Schema {
    pub(super) types: Vec<Type>,
    pub(super) root: usize,
}

/// Not a schema; the tests need no reasons.
#[derive(Debug)]
pub(super) struct Invalid;

type Result<T> = std::result::Result<T, Invalid>;

impl Schema {
    pub(super) fn parse(text: &str) -> Result<Schema> {
        let json = Json::parse(text).ok_or(Invalid)?;
        let mut p = Parser { types: vec![], names: HashMap::new() };
        let root = p.node(&json, "")?;
        Ok(Schema { types: p.types, root })
    }

    /// Every value takes no bytes.
    pub(super) fn zero_bytes(&self, ty: usize, busy: &mut Vec<usize>) -> bool {
        let t = &self.types[ty];
        match t.kind {
            Kind::Null => true,
            Kind::Fixed => t.size == 0,
            Kind::Record if busy.contains(&ty) => true,
            Kind::Record => {
                busy.push(ty);
                let zero = t.fields.iter().all(|f| self.zero_bytes(f.ty, busy));
                busy.pop();
                zero
            }
            _ => false,
        }
    }

    /// A lower bound of the bytes of a value.
    pub(super) fn min_bytes(&self, ty: usize, busy: &mut Vec<usize>) -> u64 {
        let t = &self.types[ty];
        match t.kind {
            Kind::Null => 0,
            Kind::Fixed => t.size,
            Kind::Float => 4,
            Kind::Double => 8,
            Kind::Record if busy.contains(&ty) => 0,
            Kind::Record => {
                busy.push(ty);
                let sum = t.fields.iter().fold(0u64, |n, f| n.saturating_add(self.min_bytes(f.ty, busy)));
                busy.pop();
                sum
            }
            _ => 1,
        }
    }
}

struct Parser {
    types: Vec<Type>,
    names: HashMap<String, usize>,
}

fn is_name(text: &str) -> bool {
    let head = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    head && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn qualify(name: &str, space: &str) -> String {
    if name.contains('.') || space.is_empty() { name.to_string() } else { format!("{space}.{name}") }
}

fn strings(json: &Json) -> Result<Vec<String>> {
    match json {
        Json::Array(items) => items.iter().map(|i| i.as_str().map(String::from).ok_or(Invalid)).collect(),
        _ => Err(Invalid),
    }
}

impl Parser {
    fn add(&mut self, t: Type) -> usize {
        self.types.push(t);
        self.types.len() - 1
    }

    fn node(&mut self, node: &Json, space: &str) -> Result<usize> {
        match node {
            Json::String(name) => self.reference(name, space),
            Json::Array(items) => self.union(items, space),
            Json::Object(_) => match node.get("type") {
                Some(inner @ (Json::Object(_) | Json::Array(_))) => self.node(inner, space),
                Some(Json::String(kind)) => self.object(kind, node, space),
                _ => Err(Invalid),
            },
            _ => Err(Invalid),
        }
    }

    fn reference(&mut self, name: &str, space: &str) -> Result<usize> {
        if let Some((_, kind)) = PRIMITIVES.iter().find(|(n, _)| *n == name) {
            return Ok(self.add(Type::of(*kind)));
        }
        self.names.get(&qualify(name, space)).copied().ok_or(Invalid)
    }

    fn union(&mut self, items: &[Json], space: &str) -> Result<usize> {
        let mut seen = HashSet::new();
        let mut variants = vec![];
        for item in items {
            let ty = self.node(item, space)?;
            let t = &self.types[ty];
            let label = if t.name.is_empty() { format!("{:?}", t.kind) } else { t.name.clone() };
            if t.kind == Kind::Union || !seen.insert(label) {
                return Err(Invalid);
            }
            variants.push(ty);
        }
        Ok(self.add(Type { variants, ..Type::of(Kind::Union) }))
    }

    fn object(&mut self, kind: &str, node: &Json, space: &str) -> Result<usize> {
        match kind {
            "record" | "error" => self.record(node, space),
            "enum" => self.symbols(node, space),
            "fixed" => self.fixed(node, space),
            "array" => {
                let item = self.node(node.get("items").ok_or(Invalid)?, space)?;
                Ok(self.add(Type { item, ..Type::of(Kind::Array) }))
            }
            "map" => {
                let item = self.node(node.get("values").ok_or(Invalid)?, space)?;
                Ok(self.add(Type { item, ..Type::of(Kind::Map) }))
            }
            name => {
                let ty = self.reference(name, space)?;
                if self.types[ty].kind == Kind::Bytes {
                    self.types[ty].decimal = decimal(node, None);
                }
                Ok(ty)
            }
        }
    }

    fn define(&mut self, kind: Kind, node: &Json, space: &str) -> Result<(usize, String)> {
        let name = node.get("name").and_then(Json::as_str).ok_or(Invalid)?;
        let full = if name.contains('.') {
            // A namespace that does not count is not judged.
            name.to_string()
        } else {
            let space = match node.get("namespace") {
                None => space,
                Some(s) => s.as_str().ok_or(Invalid)?,
            };
            qualify(name, space)
        };
        if !full.split('.').all(is_name) {
            return Err(Invalid);
        }
        let (space, short) = full.rsplit_once('.').unwrap_or(("", &full));
        if PRIMITIVES.iter().any(|(n, _)| *n == short) || self.names.contains_key(&full) {
            return Err(Invalid);
        }
        let aliases = node.get("aliases").map_or(Ok(vec![]), strings)?;
        let aliases = aliases.iter().map(|a| qualify(a, space)).collect();
        let space = space.to_string();
        let ty = self.add(Type { name: full.clone(), aliases, ..Type::of(kind) });
        self.names.insert(full, ty);
        Ok((ty, space))
    }

    fn record(&mut self, node: &Json, space: &str) -> Result<usize> {
        let (ty, space) = self.define(Kind::Record, node, space)?;
        let Some(Json::Array(nodes)) = node.get("fields") else { return Err(Invalid) };
        let mut seen = HashSet::new();
        for f in nodes {
            let name = f.get("name").and_then(Json::as_str).ok_or(Invalid)?;
            if !is_name(name) || !seen.insert(name.to_string()) {
                return Err(Invalid);
            }
            let field = Field {
                name: name.to_string(),
                aliases: f.get("aliases").map_or(Ok(vec![]), strings)?,
                ty: self.node(f.get("type").ok_or(Invalid)?, &space)?,
                default: f.get("default").cloned(),
            };
            self.types[ty].fields.push(field);
        }
        Ok(ty)
    }

    fn symbols(&mut self, node: &Json, space: &str) -> Result<usize> {
        let (ty, _) = self.define(Kind::Enum, node, space)?;
        let symbols = strings(node.get("symbols").ok_or(Invalid)?)?;
        let distinct: HashSet<&String> = symbols.iter().collect();
        if distinct.len() != symbols.len() || !symbols.iter().all(|s| is_name(s)) {
            return Err(Invalid);
        }
        let default = match node.get("default") {
            None | Some(Json::Null) => None,
            Some(d) => Some(d.as_str().filter(|d| symbols.iter().any(|s| s == d)).ok_or(Invalid)?.to_string()),
        };
        self.types[ty].symbols = symbols;
        self.types[ty].default_symbol = default;
        Ok(ty)
    }

    fn fixed(&mut self, node: &Json, space: &str) -> Result<usize> {
        let (ty, _) = self.define(Kind::Fixed, node, space)?;
        let size = node.get("size").and_then(Json::integer).ok_or(Invalid)?;
        self.types[ty].size = u64::try_from(size).map_err(|_| Invalid)?;
        self.types[ty].decimal = decimal(node, Some(self.types[ty].size));
        Ok(ty)
    }
}

/// Precision and scale of a valid annotation.
fn decimal(node: &Json, size: Option<u64>) -> Option<(i128, i128)> {
    if node.get("logicalType")?.as_str()? != "decimal" {
        return None;
    }
    let p = node.get("precision")?.integer()?;
    let s = node.get("scale").map_or(Some(0), Json::integer)?;
    if p < 1 || s < 0 || s > p {
        return None;
    }
    match size {
        Some(0) => None,
        // Digits of the largest number, less one: by plain doubling, as a check on the engine's logarithm.
        Some(n) if n < 15 => {
            let most = (1i128 << (8 * n - 1)) - 1;
            (p < most.to_string().len() as i128).then_some((p, s))
        }
        Some(n) => (p as f64 <= ((8 * n - 1) as f64 * 2f64.log10()).floor()).then_some((p, s)),
        None => Some((p, s)),
    }
}
