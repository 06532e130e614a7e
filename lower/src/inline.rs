//! Which records are inlined, and which become functions.
//!
//! Recursive ones must be functions. One that is used once is inlined; one used more often only if it is small, else
//! a schema that shares its types would grow without bound.

use reschema_schema::model::{Schema, Shape, TypeId};
use reschema_schema::plan::{FieldSource, Node, NodeId, Plan};

/// Records nested inside each other that are inlined; deeper ones become functions.
pub(crate) const MAX_NESTING: u32 = 16;
/// Fields up to which a shared record is inlined.
const SMALL: usize = 6;

pub(crate) struct Inline {
    nodes: Vec<bool>,
    types: Vec<bool>,
}

impl Inline {
    pub(crate) fn new(plan: &Plan) -> Inline {
        let node_edges = |i: usize| node_children(&plan.nodes[i]);
        let nodes = analyse(plan.nodes.len(), &node_edges, &|i| matches!(plan.nodes[i], Node::Record { .. }));
        let type_edges = |i: usize| type_children(&plan.writer, i);
        let is_record = |i: usize| matches!(plan.writer.types()[i].shape, Shape::Record(_));
        let types = analyse(plan.writer.types().len(), &type_edges, &is_record);
        let small = |i: usize| match &plan.nodes[i] {
            Node::Record { fields, .. } => {
                fields.len() <= SMALL && node_edges(i).iter().all(|c| plain_node(plan, *c, 3))
            }
            _ => false,
        };
        let small_type = |i: usize| match &plan.writer.types()[i].shape {
            Shape::Record(t) => {
                t.fields.len() <= SMALL && type_edges(i).iter().all(|c| plain_type(&plan.writer, *c, 3))
            }
            _ => false,
        };
        Inline {
            nodes: (0..nodes.len()).map(|i| !nodes[i].recursive && (nodes[i].uses <= 1 || small(i))).collect(),
            types: (0..types.len()).map(|i| !types[i].recursive && (types[i].uses <= 1 || small_type(i))).collect(),
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> bool {
        self.nodes.get(id.0 as usize).copied().unwrap_or(false)
    }

    pub(crate) fn writer_type(&self, id: TypeId) -> bool {
        self.types.get(id.0 as usize).copied().unwrap_or(false)
    }
}

#[derive(Clone, Copy, Default)]
struct Use {
    uses: u32,
    recursive: bool,
}

/// A value with no record, list or map inside: inlining it many times cannot grow without bound.
fn plain_node(plan: &Plan, i: usize, deep: u32) -> bool {
    match &plan.nodes[i] {
        Node::Scalar { .. } | Node::Fixed { .. } | Node::Enum { .. } | Node::Fail { .. } => true,
        Node::FromUnion { .. } | Node::IntoUnion { .. } if deep > 0 => {
            let children = node_children(&plan.nodes[i]);
            children.len() <= SMALL && children.iter().all(|c| plain_node(plan, *c, deep - 1))
        }
        _ => false,
    }
}

fn plain_type(schema: &Schema, i: usize, deep: u32) -> bool {
    match &schema.types()[i].shape {
        Shape::Record(_) | Shape::List(_) | Shape::Map(_) => false,
        Shape::Union(_) => {
            let children = type_children(schema, i);
            deep > 0 && children.len() <= SMALL && children.iter().all(|c| plain_type(schema, *c, deep - 1))
        }
        _ => true,
    }
}

/// Counts the edges into each node and finds the nodes on cycles (Tarjan, without recursion).
fn analyse(n: usize, edges: &dyn Fn(usize) -> Vec<usize>, is_record: &dyn Fn(usize) -> bool) -> Vec<Use> {
    let mut out = vec![Use::default(); n];
    let mut index = vec![usize::MAX; n];
    let mut low = vec![0; n];
    let mut on_stack = vec![false; n];
    let mut stack = Vec::new();
    let mut next = 0;
    for start in 0..n {
        if index[start] != usize::MAX {
            continue;
        }
        let mut work = vec![(start, edges(start), 0)];
        while let Some((v, children, i)) = work.last_mut() {
            let v = *v;
            if *i == 0 && index[v] == usize::MAX {
                index[v] = next;
                low[v] = next;
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(w) = children.get(*i).copied() {
                *i += 1;
                out[w].uses += 1;
                if w == v {
                    out[v].recursive = true;
                }
                if index[w] == usize::MAX {
                    work.push((w, edges(w), 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            work.pop();
            if let Some((parent, _, _)) = work.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
            if low[v] == index[v] {
                close(v, &mut stack, &mut on_stack, &mut out);
            }
        }
    }
    share(&mut out, edges, is_record);
    out
}

/// What stands below something shared that is not a function itself is shared too.
fn share(out: &mut [Use], edges: &dyn Fn(usize) -> Vec<usize>, is_record: &dyn Fn(usize) -> bool) {
    let mut work: Vec<usize> = (0..out.len()).filter(|i| out[*i].uses > 1 && !is_record(*i)).collect();
    while let Some(i) = work.pop() {
        for child in edges(i) {
            if out[child].uses <= 1 {
                out[child].uses = 2;
                if !is_record(child) {
                    work.push(child);
                }
            }
        }
    }
}

/// Takes a finished component off the stack; all of one with several members are recursive.
fn close(v: usize, stack: &mut Vec<usize>, on_stack: &mut [bool], out: &mut [Use]) {
    let Some(from) = stack.iter().rposition(|w| *w == v) else { return };
    let members = stack.split_off(from);
    for w in &members {
        on_stack[*w] = false;
        out[*w].recursive |= members.len() > 1;
    }
}

fn node_children(node: &Node) -> Vec<usize> {
    let ids: Vec<NodeId> = match node {
        Node::List { item, .. } => vec![*item],
        Node::Map { key, value, .. } => vec![*key, *value],
        Node::FromUnion { variants, .. } => variants.clone(),
        Node::IntoUnion { inner, .. } => vec![*inner],
        Node::Record { fields, .. } => fields
            .iter()
            .filter_map(|f| if let FieldSource::Written { node, .. } = f { Some(*node) } else { None })
            .collect(),
        Node::Scalar { .. } | Node::Fixed { .. } | Node::Enum { .. } | Node::Fail { .. } => Vec::new(),
    };
    ids.into_iter().map(|n| n.0 as usize).collect()
}

fn type_children(schema: &Schema, i: usize) -> Vec<usize> {
    let ids: Vec<TypeId> = match &schema.types()[i].shape {
        Shape::List(t) => vec![t.item],
        Shape::Map(t) => vec![t.key, t.value],
        Shape::Union(t) => t.variants.iter().map(|v| v.ty).collect(),
        Shape::Record(t) => t.fields.iter().map(|f| f.ty).collect(),
        _ => Vec::new(),
    };
    ids.into_iter().map(|t| t.0 as usize).collect()
}
