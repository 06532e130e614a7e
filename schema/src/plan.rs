//! The Plan: how a writer's values become a reader's, shaped like the reader's schema.
//!
//! A mismatch is a node ([`Node::Fail`]), not an error: below a union branch that never occurs it never fires.
//! Lowering turns a Plan into a program; compatibility checking asks which `Fail` nodes are reachable.

use crate::literal::Literal;
use crate::model::{Schema, TypeId};
use crate::resolve::Mismatch;
use std::sync::Arc;

/// Index of a node in its [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The outcome of resolving a pair of schemas.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Schema the data were written with.
    pub writer: Schema,
    /// Schema they are wanted in.
    pub reader: Schema,
    /// Nodes; recursion is by id.
    pub nodes: Vec<Node>,
    /// Node of a whole value. Never a `Fail`: that is a resolve error instead.
    pub root: NodeId,
    /// Differences that do not stop resolution but may surprise (logical types read raw; values that a format cannot tell
    /// apart, which are found when the Plan is joined with formats).
    pub warnings: Vec<PlanWarning>,
}

/// See [`Plan::warnings`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanWarning {
    /// Path of the place in the writer's schema (`$.items[].price`).
    pub writer_path: String,
    /// Path in the reader's schema.
    pub reader_path: String,
    /// What may surprise, and why.
    pub message: String,
}

impl Plan {
    /// The node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

/// One step of a plan. `writer` and `reader` are types of the two schemas; the writer's is never a union except in
/// [`Node::FromUnion`], the reader's only in [`Node::IntoUnion`] and [`Node::FromUnion`].
#[derive(Clone, Debug)]
pub enum Node {
    /// Null, boolean, number, text or bytes: the same shape, or a promotion. The two shapes say which.
    Scalar {
        /// Type written.
        writer: TypeId,
        /// Type wanted.
        reader: TypeId,
    },
    /// Bytes of one length, copied.
    Fixed {
        /// Type written.
        writer: TypeId,
        /// Type wanted.
        reader: TypeId,
    },
    /// Symbols by text.
    Enum {
        /// Type written.
        writer: TypeId,
        /// Type wanted.
        reader: TypeId,
        /// For each writer symbol the reader's index; `None`: unknown to the reader and no enum default. All nodes of
        /// one pair of enums share it.
        symbols: Arc<[Option<usize>]>,
    },
    /// Item-wise.
    List {
        /// Type written.
        writer: TypeId,
        /// Type wanted.
        reader: TypeId,
        /// How an item is transformed.
        item: NodeId,
    },
    /// Entry-wise.
    Map {
        /// Type written.
        writer: TypeId,
        /// Type wanted.
        reader: TypeId,
        /// How a key is transformed.
        key: NodeId,
        /// How a value is transformed.
        value: NodeId,
    },
    /// Field by field. Writer fields that no entry names are skipped.
    Record {
        /// Type written.
        writer: TypeId,
        /// Type wanted.
        reader: TypeId,
        /// One entry a reader field, in the reader's order.
        fields: Vec<FieldSource>,
    },
    /// The value has a variant index; each variant has its own node. A variant that does not resolve is a `Fail`.
    FromUnion {
        /// The union written.
        writer: TypeId,
        /// Type wanted.
        reader: TypeId,
        /// One node a writer variant.
        variants: Vec<NodeId>,
    },
    /// The value becomes variant `variant` of the reader's union.
    IntoUnion {
        /// The union wanted.
        reader: TypeId,
        /// Index of the variant.
        variant: usize,
        /// How the value itself is transformed.
        inner: NodeId,
    },
    /// This value cannot be transformed.
    Fail {
        /// Type written.
        writer: TypeId,
        /// Type wanted.
        reader: TypeId,
        /// Why; every difference below this place.
        mismatches: Vec<Mismatch>,
    },
}

/// Where a reader field comes from.
#[derive(Clone, Debug)]
pub enum FieldSource {
    /// From the writer's field of this index.
    Written {
        /// Index among the writer's fields.
        index: usize,
        /// How its value is transformed.
        node: NodeId,
    },
    /// Not written: the reader's default.
    Default(Literal),
}
