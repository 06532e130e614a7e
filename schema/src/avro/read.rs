//! JSON nodes → types.

use super::link::NESTED_UNION;
use super::logical::logical;
use super::names::{full_name, in_namespace, is_name};
use super::parse::Names;
use super::place::{Step, small};
use super::state::{Owner, State, short};
use super::words::{FIELD, PRIMITIVES, attributes, primitive};
use crate::json::Json;
use crate::model::{
    EnumSymbol, EnumType, Field, FixedType, ListType, Logical, MapType, Naming, Order, RecordType, Shape, Type, TypeId,
    TypeName, UnionType, Variant,
};
use std::collections::HashSet;
use std::sync::Arc;

impl State<'_> {
    pub(super) fn schema(&mut self, node: &Json, namespace: &Arc<str>) -> TypeId {
        match node {
            _ if self.stopped => TypeId(0),
            Json::String(name) => self.reference(name, namespace),
            Json::Array(variants) => self.union(variants, namespace),
            Json::Object(_) => self.object(node, namespace),
            other => {
                self.fault(format!("a schema is a string, an array or an object, found {}", other.describe()));
                self.missing()
            }
        }
    }

    fn object(&mut self, node: &Json, namespace: &Arc<str>) -> TypeId {
        match node.get("type") {
            Some(inner @ (Json::Object(_) | Json::Array(_))) => {
                self.beside(node);
                self.at(Step::Type, |s| s.schema(inner, namespace))
            }
            Some(Json::String(kind)) => match kind.as_str() {
                "record" => self.definition(node, namespace, |s, node, naming, id| s.record(node, naming, id, false)),
                "error" => self.definition(node, namespace, |s, node, naming, id| s.record(node, naming, id, true)),
                "enum" => self.definition(node, namespace, |s, node, naming, _| s.enumeration(node, naming)),
                "fixed" => self.definition(node, namespace, |s, node, naming, _| s.fixed(node, naming)),
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
    fn annotated(&mut self, name: &str, node: &Json, namespace: &Arc<str>) -> TypeId {
        match primitive(name) {
            Some(shape) => {
                let ty = self.finish(shape, node);
                self.add(ty)
            }
            None => {
                self.beside(node);
                self.at(Step::Type, |s| s.reference(name, namespace))
            }
        }
    }

    /// A type that is referred to, or written as a whole in the attribute `type`, takes nothing from around it.
    fn beside(&mut self, node: &Json) {
        let Json::Object(entries) = node else { return };
        let ignored: Vec<String> =
            entries.iter().filter(|(key, _)| key != "type").take(5).map(|(key, _)| short(key)).collect();
        if !ignored.is_empty() {
            self.warn(format!("ignored beside the type itself: {}", ignored.join(", ")));
        }
    }

    /// The type with its logical type and custom properties. An annotation that is ignored stays a property.
    fn finish(&mut self, shape: Shape, node: &Json) -> Type {
        let logical = match logical(node, &shape) {
            Ok(logical) => logical,
            Err(why) => {
                self.warn(format!("logicalType ignored: {why}"));
                None
            }
        };
        let taken: &[&str] = match &logical {
            Some(Logical::Decimal { .. }) => &["logicalType", "precision", "scale"],
            Some(_) => &["logicalType"],
            None => &[],
        };
        Type { logical, properties: properties(node, &[attributes(&shape), taken].concat()), ..Type::plain(shape) }
    }

    fn reference(&mut self, name: &str, namespace: &Arc<str>) -> TypeId {
        if let Some(shape) = primitive(name) {
            return self.add(Type::plain(shape));
        }
        if self.options.names == Names::Strict && name.split('.').any(str::is_empty) {
            self.fault(format!("not a name: {:?}", short(name)));
            return self.missing();
        }
        // A bare name inside a namespace is looked up in that namespace only.
        let full = in_namespace(name, namespace);
        match self.names.get(&full) {
            Some(id) => *id,
            None => self.undefined(full, !name.contains('.')),
        }
    }

    fn union(&mut self, nodes: &[Json], namespace: &Arc<str>) -> TypeId {
        let id = self.reserve();
        let mut variants = Vec::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            let ty = self.at(Step::Variant(small(i)), |s| s.variant(node, namespace));
            if self.stopped {
                return id;
            }
            variants.push(Variant { name: None, ty });
        }
        self.variants(id, &variants);
        self.set(id, Type::plain(Shape::Union(UnionType { variants })));
        id
    }

    /// A union that is written inside a union is not read: it takes two bytes of text, and far more of memory.
    fn variant(&mut self, node: &Json, namespace: &Arc<str>) -> TypeId {
        if matches!(node, Json::Array(_)) {
            self.fault(NESTED_UNION.into());
            return self.missing();
        }
        self.schema(node, namespace)
    }

    fn array(&mut self, node: &Json, namespace: &Arc<str>) -> TypeId {
        let id = self.reserve();
        let item = self.inner(node, "items", Step::Items, namespace);
        let ty = self.finish(Shape::List(ListType { item, length: None }), node);
        self.set(id, ty);
        id
    }

    fn map(&mut self, node: &Json, namespace: &Arc<str>) -> TypeId {
        let id = self.reserve();
        let key = self.add(Type::plain(Shape::Text));
        let value = self.inner(node, "values", Step::Values, namespace);
        let ty = self.finish(Shape::Map(MapType { key, value }), node);
        self.set(id, ty);
        id
    }

    fn inner(&mut self, node: &Json, key: &str, step: Step, namespace: &Arc<str>) -> TypeId {
        match node.get(key) {
            Some(inner) => self.at(step, |s| s.schema(inner, namespace)),
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

    /// A named type. It is known by its name, and owns the warnings inside it, while the rest of it is read.
    fn definition(
        &mut self,
        node: &Json,
        namespace: &Arc<str>,
        rest: impl FnOnce(&mut Self, &Json, Naming, TypeId) -> Type,
    ) -> TypeId {
        let (id, mut naming) = self.define(node, namespace);
        let outer = std::mem::replace(&mut self.owner, Owner::Type(id));
        naming.doc = self.doc(node);
        let ty = rest(self, node, naming, id);
        self.owner = outer;
        self.set(id, ty);
        id
    }

    /// Name, namespace and aliases of a named type, and its entry among the names.
    fn define(&mut self, node: &Json, namespace: &Arc<str>) -> (TypeId, Naming) {
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
        let id = self.reserve();
        if self.names.insert(name.clone(), id).is_some() {
            self.fault(format!("two definitions of {}", short(&name)));
        }
        (id, Naming { name, aliases, doc: None })
    }

    /// The full name of a definition. Beside a name with a dot the namespace is ignored, so it is not judged either.
    fn named(&mut self, name: &str, node: &Json, namespace: &Arc<str>) -> TypeName {
        let own = if name.contains('.') { None } else { self.own_namespace(node) };
        let mut full = in_namespace(name, own.as_ref().unwrap_or(namespace));
        let most = self.options.max_name;
        if full.namespace.len() + usize::from(!full.namespace.is_empty()) + full.name.len() > most {
            self.fault(format!("a name longer than {most} bytes: {}", short(&full)));
            // Names inside are not to carry it.
            full.namespace = "".into();
        }
        if !name.split('.').all(|part| self.is_name(part)) {
            self.fault(format!("not a name: {:?}", short(name)));
        }
        if PRIMITIVES.contains(&full.name.as_str()) {
            self.fault(format!("{} is the name of a primitive type", full.name));
        }
        full
    }

    /// The namespace that a definition gives itself; an empty one is the null namespace.
    fn own_namespace(&mut self, node: &Json) -> Option<Arc<str>> {
        match node.get("namespace")? {
            Json::String(own) => {
                if !own.is_empty() && !own.split('.').all(|part| self.is_name(part)) {
                    self.fault(format!("not a namespace: {:?}", short(own)));
                }
                Some(own.as_str().into())
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

    fn doc(&mut self, node: &Json) -> Option<String> {
        let doc = node.get("doc")?;
        if doc.as_str().is_none() {
            self.warn(format!("doc ignored: {}", doc.describe()));
        }
        doc.as_str().map(String::from)
    }

    fn record(&mut self, node: &Json, naming: Naming, id: TypeId, is_error: bool) -> Type {
        // Known as a record while its fields are parsed, so that a union in them can name it.
        let shell = Naming { aliases: Vec::new(), doc: None, ..naming.clone() };
        self.set(id, Type::plain(Shape::Record(RecordType { naming: shell, fields: Vec::new(), is_error })));
        let mut fields = Vec::new();
        match node.get("fields") {
            Some(Json::Array(nodes)) => {
                let mut seen = HashSet::new();
                for (i, field) in nodes.iter().enumerate() {
                    if self.stopped {
                        break;
                    }
                    fields.extend(self.at(Step::Field(small(i)), |s| s.field(field, &naming.name, &mut seen)));
                }
            }
            Some(other) => self.fault(format!("fields are an array, found {}", other.describe())),
            None => self.fault("a record has fields".into()),
        }
        let record = Shape::Record(RecordType { naming, fields, is_error });
        self.finish(record, node)
    }

    fn field<'n>(&mut self, node: &'n Json, record: &TypeName, seen: &mut HashSet<&'n str>) -> Option<Field> {
        let Some(Json::String(name)) = node.get("name") else {
            self.fault("a field is an object with a name and a type".into());
            return None;
        };
        if !self.is_name(name) {
            self.fault(format!("not a name: {:?}", short(name)));
        }
        if !seen.insert(name) {
            self.fault(format!("two fields {} in {}", short(name), short(record)));
        }
        let aliases = self.aliases(node);
        let ty = self.inner(node, "type", Step::Type, &record.namespace);
        let order = self.order(node);
        let doc = self.doc(node);
        Some(Field {
            name: name.clone(),
            aliases,
            id: None,
            ty,
            default: node.get("default").cloned(),
            doc,
            order,
            properties: properties(node, FIELD),
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

    fn enumeration(&mut self, node: &Json, naming: Naming) -> Type {
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
        self.finish(shape, node)
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
            if self.stopped {
                break;
            }
            if !self.is_name(symbol) {
                self.fault(format!("not a symbol: {:?}", short(symbol)));
            }
            if !seen.insert(symbol) {
                self.fault(format!("two symbols {}", short(symbol)));
            }
        }
        symbols
    }

    fn fixed(&mut self, node: &Json, naming: Naming) -> Type {
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
        self.finish(shape, node)
    }
}

fn properties(node: &Json, known: &[&str]) -> Vec<(String, Json)> {
    match node {
        Json::Object(entries) => entries.iter().filter(|(k, _)| !known.contains(&k.as_str())).cloned().collect(),
        _ => Vec::new(),
    }
}
