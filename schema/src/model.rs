//! The schema model: one shape language for every format, wider than any of them.
//!
//! A [`Schema`] is an arena of [`Type`]s addressed by [`TypeId`], so recursion is an id, not a pointer. A type is a
//! *shape* (what the values are made of) plus an optional *logical* reading of it (what they mean). Resolution works
//! on shapes; logical types take part only where a specification says so (decimals).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::json::Json;

/// Index of a type in its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// A parsed schema. Cheap to clone.
#[derive(Clone)]
pub struct Schema(pub(crate) Arc<SchemaData>);

/// What a [`Schema`] holds; built by front ends, then frozen.
pub(crate) struct SchemaData {
    pub(crate) types: Vec<Type>,
    pub(crate) root: TypeId,
    pub(crate) names: HashMap<TypeName, TypeId>,
    pub(crate) warnings: Vec<SchemaWarning>,
    /// [`Schema::content_key`], made when first asked for.
    pub(crate) content_key: OnceLock<String>,
}

/// Something a front end accepted but the user may want to know (an ignored logical type, for instance).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaWarning {
    /// JSON path of the place, `$.fields[0].type` style.
    pub path: String,
    /// What was ignored or changed, and why.
    pub message: String,
}

impl Schema {
    /// Builds a schema from an arena. Every `TypeId` in `types` must be an index into it.
    pub fn from_parts(types: Vec<Type>, root: TypeId, warnings: Vec<SchemaWarning>) -> Schema {
        let mut names = HashMap::new();
        for (i, t) in types.iter().enumerate() {
            if let Some(naming) = t.shape.naming() {
                names.entry(naming.name.clone()).or_insert(TypeId(i as u32));
            }
        }
        Schema(Arc::new(SchemaData { types, root, names, warnings, content_key: OnceLock::new() }))
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.0.types[id.0 as usize]
    }

    /// The type of a whole value.
    pub fn root(&self) -> TypeId {
        self.0.root
    }

    /// All types, in the order of their ids.
    pub fn types(&self) -> &[Type] {
        &self.0.types
    }

    /// A named type by its full name.
    pub fn lookup(&self, name: &TypeName) -> Option<TypeId> {
        self.0.names.get(name).copied()
    }

    /// What the front end ignored or changed.
    pub fn warnings(&self) -> &[SchemaWarning] {
        &self.0.warnings
    }

    /// Everything the schema holds, as text, for use as a key: unlike the canonical form it keeps aliases, defaults and
    /// logical types, and unlike schema text it cannot confuse names. Schemas of one key are equal; equal schemas of
    /// different front ends may have different keys.
    pub fn content_key(&self) -> &str {
        self.0.content_key.get_or_init(|| format!("{:?} {:?}", self.root(), self.types()))
    }

    /// A number that tells parsed objects apart for as long as one of their clones lives.
    pub fn object_id(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// True when both are the same parsed object (not merely equal).
    pub fn same_object(&self, other: &Schema) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// One node of a schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// What the values are made of.
    pub shape: Shape,
    /// What they mean, if the schema says.
    pub logical: Option<Logical>,
    /// Custom properties, kept in their order.
    pub properties: Vec<(String, Json)>,
    /// Annotations, in formats that have them (Ion); outermost first.
    pub annotations: Vec<String>,
}

impl Type {
    /// A type of this shape with no logical type, properties or annotations.
    pub fn plain(shape: Shape) -> Type {
        Type { shape, logical: None, properties: Vec::new(), annotations: Vec::new() }
    }
}

/// What the values of a type are made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The one value null. A null of a type, as Ion has it, is a union of null with that type.
    Null,
    /// True or false.
    Boolean,
    /// An integer.
    Int(IntType),
    /// A binary floating-point number of 16, 32 or 64 bits.
    Float(FloatType),
    /// Unicode text.
    Text,
    /// Bytes of any length.
    Bytes,
    /// An interned symbol (Ion); text with identity.
    Symbol,
    /// Bytes of one length.
    Fixed(FixedType),
    /// One of a list of symbols.
    Enum(EnumType),
    /// Items of one type.
    List(ListType),
    /// Keys to values, in the order written, duplicates possible.
    Map(MapType),
    /// Named fields in order.
    Record(RecordType),
    /// One of several variants.
    Union(UnionType),
}

/// Width and sign of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// 8, 16, 32, 64 or 128.
    pub bits: u8,
    /// Two's complement when true.
    pub signed: bool,
}

impl IntType {
    /// 32 bits, signed (Avro `int`).
    pub const I32: IntType = IntType { bits: 32, signed: true };
    /// 64 bits, signed (Avro `long`).
    pub const I64: IntType = IntType { bits: 64, signed: true };
}

/// Width of a floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

/// Name, aliases and documentation of a named type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// Full name.
    pub name: TypeName,
    /// Other full names under which a reader finds a writer's type.
    pub aliases: Vec<TypeName>,
    /// Documentation.
    pub doc: Option<String>,
}

/// A full name: namespace (empty for the null namespace) and simple name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeName {
    /// Dotted namespace, empty for none. Shared: thousands of names may be in one.
    pub namespace: Arc<str>,
    /// Unqualified name.
    pub name: String,
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() { f.write_str(&self.name) } else { write!(f, "{}.{}", self.namespace, self.name) }
    }
}

/// See [`Shape::Fixed`].
#[derive(Clone, Debug, PartialEq)]
pub struct FixedType {
    /// Names, where the format names it.
    pub naming: Naming,
    /// Bytes of a value.
    pub size: u64,
}

/// See [`Shape::Enum`].
#[derive(Clone, Debug, PartialEq)]
pub struct EnumType {
    /// Names.
    pub naming: Naming,
    /// Symbols in index order.
    pub symbols: Vec<EnumSymbol>,
    /// Index of the symbol that stands for an unknown one.
    pub default: Option<usize>,
}

/// A symbol of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumSymbol {
    /// Text.
    pub name: String,
    /// Number, in formats that number symbols other than by position.
    pub id: Option<i64>,
}

/// See [`Shape::List`].
#[derive(Clone, Debug, PartialEq)]
pub struct ListType {
    /// Type of the items.
    pub item: TypeId,
    /// Number of items where it is fixed by the schema.
    pub length: Option<u64>,
}

/// See [`Shape::Map`].
#[derive(Clone, Debug, PartialEq)]
pub struct MapType {
    /// Type of the keys (text in Avro).
    pub key: TypeId,
    /// Type of the values.
    pub value: TypeId,
}

/// See [`Shape::Record`].
#[derive(Clone, Debug, PartialEq)]
pub struct RecordType {
    /// Names.
    pub naming: Naming,
    /// Fields in declared order.
    pub fields: Vec<Field>,
    /// Declared as Avro `error`; the data are those of a record.
    pub is_error: bool,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Other names under which a reader finds a writer's field.
    pub aliases: Vec<String>,
    /// Field id or tag, in formats that have them.
    pub id: Option<i64>,
    /// Type.
    pub ty: TypeId,
    /// Default as written; judged only where resolution needs it (Avro 1.12, "Invalid defaults").
    pub default: Option<Json>,
    /// Documentation.
    pub doc: Option<String>,
    /// Sort order.
    pub order: Order,
    /// Custom properties, kept in their order.
    pub properties: Vec<(String, Json)>,
}

/// How a field takes part in sorting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// Ascending.
    #[default]
    Ascending,
    /// Descending.
    Descending,
    /// Not at all.
    Ignore,
}

/// See [`Shape::Union`].
#[derive(Clone, Debug, PartialEq)]
pub struct UnionType {
    /// Variants in index order.
    pub variants: Vec<Variant>,
}

/// A variant of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name, in formats whose variants have one.
    pub name: Option<String>,
    /// Type.
    pub ty: TypeId,
}

impl Shape {
    /// The types that this one is made of.
    pub(crate) fn parts(&self) -> Vec<TypeId> {
        match self {
            Shape::List(t) => vec![t.item],
            Shape::Map(t) => vec![t.key, t.value],
            Shape::Record(t) => t.fields.iter().map(|f| f.ty).collect(),
            Shape::Union(t) => t.variants.iter().map(|v| v.ty).collect(),
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut TypeId> {
        match self {
            Shape::List(t) => vec![&mut t.item],
            Shape::Map(t) => vec![&mut t.key, &mut t.value],
            Shape::Record(t) => t.fields.iter_mut().map(|f| &mut f.ty).collect(),
            Shape::Union(t) => t.variants.iter_mut().map(|v| &mut v.ty).collect(),
            _ => Vec::new(),
        }
    }

    /// Names of a named type.
    pub fn naming(&self) -> Option<&Naming> {
        match self {
            Shape::Fixed(t) => Some(&t.naming),
            Shape::Enum(t) => Some(&t.naming),
            Shape::Record(t) => Some(&t.naming),
            _ => None,
        }
    }
}

/// Unit of a time or timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// Seconds.
    Second,
    /// Thousandths.
    Milli,
    /// Millionths.
    Micro,
    /// Billionths.
    Nano,
}

/// Whether a timestamp is an instant or a reading of a local clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZoneKind {
    /// An instant on the UTC time line.
    Utc,
    /// A local date and time without a zone.
    Local,
}

/// What the values of a type mean.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Logical {
    /// Unscaled two's-complement big-endian integer × 10^-scale.
    Decimal {
        /// Largest number of decimal digits.
        precision: u64,
        /// Digits after the point.
        scale: u64,
    },
    /// A decimal that carries its own scale (Avro `big-decimal`).
    BigDecimal,
    /// RFC 4122 UUID, as text or 16 bytes.
    Uuid,
    /// Days since 1970-01-01.
    Date,
    /// Time of day.
    Time(TimeUnit),
    /// Point in time.
    Timestamp(TimeUnit, ZoneKind),
    /// Months, days and milliseconds (Avro `duration`).
    Duration,
    /// Span between two instants in one unit.
    Interval(TimeUnit),
}
