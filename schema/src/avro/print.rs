//! [`Schema`] → Avro schema text, with everything it holds: docs, aliases, defaults, order, properties.

use super::say::{self, NotAvro, Seen};
use super::words::{FIELD, shape_word};
use crate::json::Json;
use crate::model::{Field, Logical, Naming, Order, RecordType, Schema, Shape, Type, TypeId, TypeName};
use std::fmt;
use std::sync::Arc;

impl Schema {
    /// The schema as JSON. Nothing is dropped: what is printed reads back as an equal schema, with the option of names
    /// that this one was read with.
    ///
    /// # Errors
    /// The schema says something that Avro's language cannot say, or the text would be nested too deep to be read.
    pub fn to_avro_json(&self) -> Result<Json, NotAvro> {
        let json = Printer { schema: self, seen: Seen::default() }.ty(self.root(), &"".into(), 0)?;
        if json.nesting() > Json::MAX_NESTING { Err(too_deep()) } else { Ok(json) }
    }

    /// The schema as compact text; see [`Schema::to_avro_json`].
    ///
    /// # Errors
    /// Those of [`Schema::to_avro_json`].
    pub fn to_avro_string(&self) -> Result<String, NotAvro> {
        self.to_avro_json().map(|j| j.to_string())
    }
}

impl fmt::Debug for Schema {
    /// Schema text, or what the schema holds where Avro cannot say it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_avro_json() {
            Ok(json) => write!(f, "Schema({json})"),
            Err(_) => write!(f, "Schema({})", self.content_key()),
        }
    }
}

fn too_deep() -> NotAvro {
    NotAvro(format!("schema text nested deeper than {} levels", Json::MAX_NESTING))
}

fn string(text: impl Into<String>) -> Json {
    Json::String(text.into())
}

type Object = Vec<(String, Json)>;

fn put(out: &mut Object, key: &str, value: Json) {
    out.push((key.to_string(), value));
}

struct Printer<'a> {
    schema: &'a Schema,
    seen: Seen<'a>,
}

impl<'a> Printer<'a> {
    /// A type at some level of brackets.
    fn ty(&mut self, id: TypeId, namespace: &Arc<str>, level: usize) -> Result<Json, NotAvro> {
        let ty = self.schema.get(id);
        if level > Json::MAX_NESTING {
            return Err(too_deep());
        }
        say::data(self.schema, ty)?;
        if let Some(naming) = ty.shape.naming()
            && !self.seen.first(id, naming)?
        {
            return Ok(string(self.reference(&naming.name, namespace)));
        }
        say::text(ty)?;
        if let Shape::Union(t) = &ty.shape {
            let variants = t.variants.iter().map(|v| self.ty(v.ty, namespace, level + 1));
            return Ok(Json::Array(variants.collect::<Result<_, _>>()?));
        }
        let mut out = self.shape(&ty.shape, namespace, level)?;
        annotations(&mut out, ty);
        let node = Json::Object(out);
        say::annotation(&node, &ty.shape, ty.logical.as_ref())?;
        Ok(match node {
            Json::Object(mut out) if out.len() == 1 && !matches!(ty.shape, Shape::List(_) | Shape::Map(_)) => {
                out.pop().map_or(Json::Null, |(_, word)| word)
            }
            node => node,
        })
    }

    fn shape(&mut self, shape: &'a Shape, namespace: &Arc<str>, level: usize) -> Result<Object, NotAvro> {
        let mut out = Object::new();
        match shape {
            Shape::Record(t) => self.record(t, namespace, level, &mut out)?,
            Shape::Enum(t) => {
                named(&mut out, "enum", &t.naming, namespace);
                put(&mut out, "symbols", Json::Array(t.symbols.iter().map(|s| string(&s.name)).collect()));
                if let Some(symbol) = t.default.and_then(|d| t.symbols.get(d)) {
                    put(&mut out, "default", string(&symbol.name));
                }
            }
            Shape::Fixed(t) => {
                named(&mut out, "fixed", &t.naming, namespace);
                put(&mut out, "size", Json::Number(t.size.to_string()));
            }
            Shape::List(t) => {
                put(&mut out, "type", string("array"));
                put(&mut out, "items", self.ty(t.item, namespace, level + 1)?);
            }
            Shape::Map(t) => {
                put(&mut out, "type", string("map"));
                put(&mut out, "values", self.ty(t.value, namespace, level + 1)?);
            }
            shape => put(&mut out, "type", string(shape_word(shape))),
        }
        Ok(out)
    }

    fn record(
        &mut self,
        t: &'a RecordType,
        namespace: &Arc<str>,
        level: usize,
        out: &mut Object,
    ) -> Result<(), NotAvro> {
        named(out, if t.is_error { "error" } else { "record" }, &t.naming, namespace);
        let fields = t.fields.iter().map(|f| self.field(f, &t.naming.name.namespace, level + 3));
        let fields = fields.collect::<Result<_, _>>()?;
        put(out, "fields", Json::Array(fields));
        Ok(())
    }

    fn field(&mut self, field: &'a Field, namespace: &Arc<str>, level: usize) -> Result<Json, NotAvro> {
        say::properties(&field.properties, FIELD)?;
        let mut out = Object::new();
        put(&mut out, "name", string(&field.name));
        put(&mut out, "type", self.ty(field.ty, namespace, level)?);
        if let Some(default) = &field.default {
            put(&mut out, "default", default.clone());
        }
        if let Some(doc) = &field.doc {
            put(&mut out, "doc", string(doc));
        }
        if !field.aliases.is_empty() {
            put(&mut out, "aliases", Json::Array(field.aliases.iter().map(string).collect()));
        }
        match field.order {
            Order::Ascending => {}
            Order::Descending => put(&mut out, "order", string("descending")),
            Order::Ignore => put(&mut out, "order", string("ignore")),
        }
        out.extend(field.properties.iter().cloned());
        Ok(Json::Object(out))
    }

    /// A reference inside a namespace. The specification has none from there to the null namespace; a bare name is what
    /// others write, and where it means a type of its own namespace, a leading dot tells (lenient names, Java).
    fn reference(&self, name: &TypeName, namespace: &Arc<str>) -> String {
        let bare = TypeName { namespace: namespace.clone(), name: name.name.clone() };
        if name.namespace.is_empty() && !self.seen.contains(&bare) {
            name.name.clone()
        } else {
            within(name, namespace)
        }
    }
}

/// A full name as it is written inside a namespace.
fn within(name: &TypeName, namespace: &str) -> String {
    match (&*name.namespace == namespace, name.namespace.is_empty()) {
        (true, _) => name.name.clone(),
        (false, true) => format!(".{}", name.name),
        (false, false) => name.to_string(),
    }
}

fn named(out: &mut Object, kind: &str, naming: &Naming, namespace: &str) {
    let own = &naming.name.namespace;
    put(out, "type", string(kind));
    put(out, "name", string(&naming.name.name));
    if **own != *namespace {
        put(out, "namespace", string(&**own));
    }
    if let Some(doc) = &naming.doc {
        put(out, "doc", string(doc));
    }
    if !naming.aliases.is_empty() {
        put(out, "aliases", Json::Array(naming.aliases.iter().map(|a| string(within(a, own))).collect()));
    }
}

fn annotations(out: &mut Object, ty: &Type) {
    match &ty.logical {
        Some(Logical::Decimal { precision, scale }) => {
            put(out, "logicalType", string("decimal"));
            put(out, "precision", Json::Number(precision.to_string()));
            put(out, "scale", Json::Number(scale.to_string()));
        }
        Some(logical) => {
            if let Some(name) = super::logical::name(logical) {
                put(out, "logicalType", string(name));
            }
        }
        None => {}
    }
    out.extend(ty.properties.iter().cloned());
}
