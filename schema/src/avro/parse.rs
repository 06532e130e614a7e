//! Avro schema text → [`Schema`].
//!
//! Every fault is reported with its JSON path; parsing goes on behind it. Defaults are kept as they stand: they are
//! judged where resolution needs them (Avro 1.12, "Invalid defaults").

use super::error::{Fault, SchemaError};
use super::logical::logical;
use super::names::{PRIMITIVES, full_name, in_namespace, is_name};
use crate::json::Json;
use crate::model::{
    EnumSymbol, EnumType, Field, FixedType, FloatType, IntType, ListType, MapType, Naming, Order, RecordType, Schema,
    SchemaWarning, Shape, Type, TypeId, TypeName, UnionType, Variant,
};
use std::collections::{HashMap, HashSet};

/// Which names are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Names {
    /// Those of the specification: `[A-Za-z_][A-Za-z0-9_]*`.
    #[default]
    Strict,
    /// Any text, as Java takes it without validation and some writers leave in their files. The last dot of a type's name
    /// ends its namespace, so that `.A` is A of the null namespace. And a bare reference that its namespace does not
    /// define may mean a type of the null namespace.
    Lenient,
}

/// Options of parsing.
#[derive(Clone, Copy, Debug)]
pub struct Parser {
    names: Names,
    max_types: usize,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::new()
    }
}

impl Schema {
    /// Parses an Avro schema text with the default options.
    pub fn parse(text: &str) -> Result<Schema, SchemaError> {
        Parser::new().parse(text)
    }
}

impl Parser {
    /// Strict names, at most 500 000 types.
    pub fn new() -> Parser {
        Parser { names: Names::Strict, max_types: 500_000 }
    }

    /// Which names are accepted.
    pub fn names(mut self, names: Names) -> Parser {
        self.names = names;
        self
    }

    /// Limit on the number of types.
    pub fn max_types(mut self, types: usize) -> Parser {
        self.max_types = types;
        self
    }

    /// Parses one text.
    pub fn parse(&self, text: &str) -> Result<Schema, SchemaError> {
        let mut schemas = self.parse_many(&[("", text)])?;
        Ok(schemas.remove(0))
    }

    /// Parses several texts with references among them, in any order. Each result holds all the types, with its own
    /// root. `name` stands in front of the paths of errors.
    pub fn parse_many(&self, texts: &[(&str, &str)]) -> Result<Vec<Schema>, SchemaError> {
        let mut state = State {
            options: *self,
            types: Vec::new(),
            names: HashMap::new(),
            faults: Vec::new(),
            warnings: Vec::new(),
            path: String::new(),
            several: texts.len() > 1,
            forward: HashMap::new(),
        };
        let mut roots = Vec::new();
        for (name, text) in texts {
            state.path = if name.is_empty() { "$".into() } else { format!("{name}: $") };
            match Json::parse(text) {
                Ok(json) => roots.push(state.schema(&json, "")),
                Err(e) => {
                    state.path.push_str(e.path.trim_start_matches('$'));
                    state.fault(format!("not JSON: {} at line {} column {}", e.message, e.line, e.column));
                }
            }
        }
        state.unresolved();
        if !state.faults.is_empty() {
            return Err(SchemaError { faults: state.faults });
        }
        let State { types, warnings, .. } = state;
        let schemas = roots.into_iter().map(|root| {
            let schema = Schema::from_parts(types.clone(), root, warnings.clone());
            let mut warnings = warnings.clone();
            warnings.extend(super::finite::warnings(&schema));
            Schema::from_parts(types.clone(), root, warnings)
        });
        Ok(schemas.collect())
    }
}

struct State {
    options: Parser,
    types: Vec<Type>,
    names: HashMap<TypeName, TypeId>,
    faults: Vec<Fault>,
    warnings: Vec<SchemaWarning>,
    path: String,
    /// With several texts a name may be used before the text that defines it.
    several: bool,
    forward: HashMap<TypeName, (TypeId, String)>,
}

/// Attributes that have a meaning in the schema language, by kind of type; all others are custom properties.
const COMMON: &[&str] = &["type", "name", "namespace", "aliases", "doc"];

impl State {
    fn fault(&mut self, message: String) {
        let path = self.path.clone();
        self.faults.push(Fault { path, message });
    }

    fn warn(&mut self, message: String) {
        self.warnings.push(SchemaWarning { path: self.path.clone(), message });
    }

    fn at<T>(&mut self, step: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        self.path.push_str(step);
        let result = f(self);
        self.path.truncate(len);
        result
    }

    fn add(&mut self, ty: Type) -> TypeId {
        if self.types.len() == self.options.max_types {
            self.fault(format!("more than {} types", self.options.max_types));
        }
        self.types.push(ty);
        TypeId(self.types.len() as u32 - 1)
    }

    /// Stands for a type that could not be parsed, so that parsing can go on.
    fn missing(&mut self) -> TypeId {
        self.add(Type::plain(Shape::Null))
    }

    fn schema(&mut self, node: &Json, namespace: &str) -> TypeId {
        if self.types.len() >= self.options.max_types {
            self.fault(format!("more than {} types", self.options.max_types));
            return TypeId(0);
        }
        match node {
            Json::String(name) => self.reference(name, namespace),
            Json::Array(variants) => self.union(variants, namespace),
            Json::Object(_) => self.object(node, namespace),
            other => {
                self.fault(format!("a schema is a string, an array or an object, found {}", other.describe()));
                self.missing()
            }
        }
    }

    fn object(&mut self, node: &Json, namespace: &str) -> TypeId {
        match node.get("type") {
            Some(inner @ (Json::Object(_) | Json::Array(_))) => self.at(".type", |s| s.schema(inner, namespace)),
            Some(Json::String(kind)) => match kind.as_str() {
                "record" | "error" => self.record(node, namespace, kind == "error"),
                "enum" => self.enumeration(node, namespace),
                "fixed" => self.fixed(node, namespace),
                "array" => self.array(node, namespace),
                "map" => self.map(node, namespace),
                name => self.annotated(name, node, namespace),
            },
            Some(other) => {
                self.fault(format!("type is a name, an object or an array, found {}", other.describe()));
                self.missing()
            }
            None => {
                self.fault("a schema object has a type".into());
                self.missing()
            }
        }
    }

    /// A primitive with attributes, or a reference written as an object.
    fn annotated(&mut self, name: &str, node: &Json, namespace: &str) -> TypeId {
        match primitive(name) {
            Some(shape) => {
                let ty = self.finish(shape, node, &["type"]);
                self.add(ty)
            }
            None => self.at(".type", |s| s.reference(name, namespace)),
        }
    }

    /// The type with its logical type and custom properties. An annotation that is ignored stays a property.
    fn finish(&mut self, shape: Shape, node: &Json, known: &[&str]) -> Type {
        let logical = match logical(node, &shape) {
            Ok(logical) => logical,
            Err(why) => {
                self.warn(format!("logicalType ignored: {why}"));
                None
            }
        };
        let taken: &[&str] = match &logical {
            Some(crate::model::Logical::Decimal { .. }) => &["logicalType", "precision", "scale"],
            Some(_) => &["logicalType"],
            None => &[],
        };
        Type { logical, properties: properties(node, &[known, taken].concat()), ..Type::plain(shape) }
    }

    fn reference(&mut self, name: &str, namespace: &str) -> TypeId {
        if let Some(shape) = primitive(name) {
            return self.add(Type::plain(shape));
        }
        if self.options.names == Names::Strict && name.split('.').any(str::is_empty) {
            self.fault(format!("not a name: {name:?}"));
            return self.missing();
        }
        // A bare name inside a namespace is looked up in that namespace only.
        let full = in_namespace(name, namespace);
        if let Some(id) = self.names.get(&full) {
            return *id;
        }
        // Some writers mean the null namespace by it, as Java reads it.
        let bare = full_name(name);
        if self.options.names == Names::Lenient
            && let Some(id) = self.names.get(&bare).copied()
        {
            self.warn(format!("{full} is not defined; {bare} of the null namespace is taken"));
            return id;
        }
        if self.several {
            return self.forward_reference(full);
        }
        self.fault(format!("unknown type {full}"));
        self.missing()
    }

    fn forward_reference(&mut self, full: TypeName) -> TypeId {
        if let Some((id, _)) = self.forward.get(&full) {
            return *id;
        }
        let id = self.missing();
        self.forward.insert(full, (id, self.path.clone()));
        id
    }

    /// With several texts, names that none of them defines.
    fn unresolved(&mut self) {
        let mut left: Vec<_> = self.forward.drain().collect();
        left.sort();
        for (name, (_, path)) in left {
            self.faults.push(Fault { path, message: format!("unknown type {name}") });
        }
    }

    fn union(&mut self, nodes: &[Json], namespace: &str) -> TypeId {
        let id = self.missing();
        let mut variants = Vec::with_capacity(nodes.len());
        let mut seen = HashSet::new();
        for (i, node) in nodes.iter().enumerate() {
            let ty = self.at(&format!("[{i}]"), |s| {
                let ty = s.schema(node, namespace);
                s.variant(ty, node, &mut seen);
                ty
            });
            variants.push(Variant { name: None, ty });
        }
        self.set(id, Type::plain(Shape::Union(UnionType { variants })));
        id
    }

    fn variant(&mut self, ty: TypeId, node: &Json, seen: &mut HashSet<String>) {
        if matches!(node, Json::Array(_)) || matches!(self.types[ty.0 as usize].shape, Shape::Union(_)) {
            self.fault("a union directly in a union".into());
            return;
        }
        let label = match &self.types[ty.0 as usize].shape {
            shape if shape.naming().is_some() => shape.naming().map(|n| n.name.to_string()).unwrap_or_default(),
            shape => shape_word(shape).to_string(),
        };
        if !self.forward.values().any(|(id, _)| *id == ty) && !seen.insert(label.clone()) {
            self.fault(format!("two variants {label} in a union"));
        }
    }

    fn set(&mut self, id: TypeId, ty: Type) {
        self.types[id.0 as usize] = ty;
    }

    fn array(&mut self, node: &Json, namespace: &str) -> TypeId {
        let id = self.missing();
        let item = self.inner(node, "items", namespace);
        let ty = self.finish(Shape::List(ListType { item, length: None }), node, &["type", "items"]);
        self.set(id, ty);
        id
    }

    fn map(&mut self, node: &Json, namespace: &str) -> TypeId {
        let id = self.missing();
        let key = self.add(Type::plain(Shape::Text));
        let value = self.inner(node, "values", namespace);
        let ty = self.finish(Shape::Map(MapType { key, value }), node, &["type", "values"]);
        self.set(id, ty);
        id
    }

    fn inner(&mut self, node: &Json, key: &str, namespace: &str) -> TypeId {
        match node.get(key) {
            Some(inner) => self.at(&format!(".{key}"), |s| s.schema(inner, namespace)),
            None => {
                self.fault(format!("expected {key}"));
                self.missing()
            }
        }
    }

    fn is_name(&self, text: &str) -> bool {
        match self.options.names {
            Names::Strict => is_name(text),
            Names::Lenient => true,
        }
    }

    /// Name, namespace and aliases of a named type, and its entry among the names.
    fn define(&mut self, node: &Json, namespace: &str) -> (TypeId, Naming) {
        let name = match node.get("name") {
            Some(Json::String(name)) => self.named(name, node, namespace),
            Some(other) => {
                self.fault(format!("a name is a string, found {}", other.describe()));
                full_name("_")
            }
            None => {
                self.fault("a named type has a name".into());
                full_name("_")
            }
        };
        // Aliases are not judged: they only say what another schema may hold, one with lenient names perhaps.
        let aliases = self.aliases(node).iter().map(|a| in_namespace(a, &name.namespace)).collect();
        let id = match self.forward.remove(&name) {
            Some((id, _)) => id,
            None => self.missing(),
        };
        if self.names.insert(name.clone(), id).is_some() {
            self.fault(format!("two definitions of {name}"));
        }
        (id, Naming { name, aliases, doc: doc(node) })
    }

    /// The full name of a definition. Beside a name with a dot the namespace is ignored, so it is not judged either.
    fn named(&mut self, name: &str, node: &Json, namespace: &str) -> TypeName {
        let own = if name.contains('.') { None } else { self.own_namespace(node) };
        let full = in_namespace(name, own.unwrap_or(namespace));
        if !name.split('.').all(|part| self.is_name(part)) {
            self.fault(format!("not a name: {name:?}"));
        }
        if PRIMITIVES.contains(&full.name.as_str()) {
            self.fault(format!("{} is the name of a primitive type", full.name));
        }
        full
    }

    /// The namespace that a definition gives itself; an empty one is the null namespace.
    fn own_namespace<'a>(&mut self, node: &'a Json) -> Option<&'a str> {
        match node.get("namespace")? {
            Json::String(own) => {
                if !own.is_empty() && !own.split('.').all(|part| self.is_name(part)) {
                    self.fault(format!("not a namespace: {own:?}"));
                }
                Some(own)
            }
            other => {
                self.fault(format!("a namespace is a string, found {}", other.describe()));
                None
            }
        }
    }

    fn aliases(&mut self, node: &Json) -> Vec<String> {
        let Some(json) = node.get("aliases") else { return Vec::new() };
        let texts = match json {
            Json::Array(items) => items.iter().map(|a| a.as_str().map(String::from)).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        texts.unwrap_or_else(|| {
            self.fault(format!("aliases are an array of strings, found {}", json.describe()));
            Vec::new()
        })
    }

    fn record(&mut self, node: &Json, namespace: &str, is_error: bool) -> TypeId {
        let (id, naming) = self.define(node, namespace);
        // Known as a record while its fields are parsed, so that a union in them can name it.
        let shell = RecordType { naming: naming.clone(), fields: Vec::new(), is_error };
        self.set(id, Type::plain(Shape::Record(shell)));
        let mut fields = Vec::new();
        match node.get("fields") {
            Some(Json::Array(nodes)) => {
                let mut seen = HashSet::new();
                for (i, field) in nodes.iter().enumerate() {
                    let field = self.at(&format!(".fields[{i}]"), |s| s.field(field, &naming.name, &mut seen));
                    fields.extend(field);
                }
            }
            Some(other) => self.fault(format!("fields are an array, found {}", other.describe())),
            None => self.fault("a record has fields".into()),
        }
        let record = Shape::Record(RecordType { naming, fields, is_error });
        let ty = self.finish(record, node, &[COMMON, &["fields"]].concat());
        self.set(id, ty);
        id
    }

    fn field(&mut self, node: &Json, record: &TypeName, seen: &mut HashSet<String>) -> Option<Field> {
        let Some(Json::String(name)) = node.get("name") else {
            self.fault("a field is an object with a name and a type".into());
            return None;
        };
        if !self.is_name(name) {
            self.fault(format!("not a name: {name:?}"));
        }
        if !seen.insert(name.clone()) {
            self.fault(format!("two fields {name} in {record}"));
        }
        let aliases = self.aliases(node);
        let ty = self.inner(node, "type", &record.namespace);
        let order = self.order(node);
        Some(Field {
            name: name.clone(),
            aliases,
            id: None,
            ty,
            default: node.get("default").cloned(),
            doc: doc(node),
            order,
            properties: properties(node, &["name", "type", "aliases", "default", "doc", "order"]),
        })
    }

    fn order(&mut self, node: &Json) -> Order {
        match node.get("order").map(|o| (o.as_str(), o)) {
            None | Some((Some("ascending"), _)) => Order::Ascending,
            Some((Some("descending"), _)) => Order::Descending,
            Some((Some("ignore"), _)) => Order::Ignore,
            Some((_, other)) => {
                self.warn(format!("order ignored: {}", other.describe()));
                Order::Ascending
            }
        }
    }

    fn enumeration(&mut self, node: &Json, namespace: &str) -> TypeId {
        let (id, naming) = self.define(node, namespace);
        let symbols = self.symbols(node);
        let default = match node.get("default") {
            None | Some(Json::Null) => None,
            Some(json) => {
                let index = json.as_str().and_then(|d| symbols.iter().position(|s| s == d));
                if index.is_none() {
                    self.fault(format!("the default of an enum is one of its symbols, found {}", json.describe()));
                }
                index
            }
        };
        let symbols = symbols.into_iter().map(|name| EnumSymbol { name, id: None }).collect();
        let shape = Shape::Enum(EnumType { naming, symbols, default });
        let ty = self.finish(shape, node, &[COMMON, &["symbols", "default"]].concat());
        self.set(id, ty);
        id
    }

    fn symbols(&mut self, node: &Json) -> Vec<String> {
        let found = match node.get("symbols") {
            Some(Json::Array(items)) => items.iter().map(|s| s.as_str().map(String::from)).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        let Some(symbols) = found else {
            self.fault("an enum has symbols, an array of strings".into());
            return Vec::new();
        };
        let mut seen = HashSet::new();
        for symbol in &symbols {
            if !self.is_name(symbol) {
                self.fault(format!("not a symbol: {symbol:?}"));
            }
            if !seen.insert(symbol) {
                self.fault(format!("two symbols {symbol}"));
            }
        }
        symbols
    }

    fn fixed(&mut self, node: &Json, namespace: &str) -> TypeId {
        let (id, naming) = self.define(node, namespace);
        let size = match node.get("size").map(|s| (s.integer(), s)) {
            Some((Some(n), _)) if (0..=i128::from(i64::MAX)).contains(&n) => n as u64,
            Some((_, other)) => {
                self.fault(format!("the size of a fixed is an integer of 0 or more, found {}", other.describe()));
                0
            }
            None => {
                self.fault("a fixed has a size".into());
                0
            }
        };
        let shape = Shape::Fixed(FixedType { naming, size });
        let ty = self.finish(shape, node, &[COMMON, &["size"]].concat());
        self.set(id, ty);
        id
    }
}

fn primitive(name: &str) -> Option<Shape> {
    Some(match name {
        "null" => Shape::Null,
        "boolean" => Shape::Boolean,
        "int" => Shape::Int(IntType::I32),
        "long" => Shape::Int(IntType::I64),
        "float" => Shape::Float(FloatType::F32),
        "double" => Shape::Float(FloatType::F64),
        "bytes" => Shape::Bytes,
        "string" => Shape::Text,
        _ => return None,
    })
}

/// The word for an unnamed shape in Avro's language.
pub(super) fn shape_word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Null => "null",
        Shape::Boolean => "boolean",
        Shape::Int(IntType { bits: 64, .. }) => "long",
        Shape::Int(_) => "int",
        Shape::Float(FloatType::F64) => "double",
        Shape::Float(_) => "float",
        Shape::Text | Shape::Symbol => "string",
        Shape::Bytes => "bytes",
        Shape::Fixed(_) => "fixed",
        Shape::Enum(_) => "enum",
        Shape::List(_) => "array",
        Shape::Map(_) => "map",
        Shape::Record(_) => "record",
        Shape::Union(_) => "union",
    }
}

fn doc(node: &Json) -> Option<String> {
    node.get("doc").and_then(Json::as_str).map(String::from)
}

fn properties(node: &Json, known: &[&str]) -> Vec<(String, Json)> {
    match node {
        Json::Object(entries) => entries.iter().filter(|(k, _)| !known.contains(&k.as_str())).cloned().collect(),
        _ => Vec::new(),
    }
}

impl Schema {
    /// A type for people: its full name, or the word for an unnamed shape.
    pub fn type_label(&self, ty: TypeId) -> String {
        let shape = &self.get(ty).shape;
        shape.naming().map_or_else(|| shape_word(shape).to_string(), |n| n.name.to_string())
    }
}
