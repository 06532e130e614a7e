//! Transforming a datum.

use super::default::{bytes, long};
use super::plan::{Layout, Node, Plan, Step};
use super::schema::{Kind, Schema};
use super::{Policy, Refusal};
use std::collections::BTreeSet;

/// The rest of the input cannot be understood.
struct Hard(&'static str);

type Result<T> = std::result::Result<T, Hard>;

pub(super) fn run(
    w: &Schema,
    plan: &Plan,
    policy: &Policy,
    data: &[u8],
) -> std::result::Result<(Vec<u8>, usize), Refusal> {
    let mut m = Machine {
        w,
        plan,
        data,
        pos: 0,
        depth: policy.max_depth,
        zero: policy.zero_cap,
        soft: vec![],
        also: BTreeSet::new(),
    };
    let result = m.node(plan.root, 1);
    let mut errors = m.soft;
    let out = match result {
        Ok(out) => out,
        Err(Hard(class)) => {
            errors.push(class);
            vec![]
        }
    };
    match errors.first() {
        None => Ok((out, m.pos)),
        Some(class) => {
            let mut also = m.also;
            also.extend(&errors);
            Err(Refusal { resolve: false, class, also })
        }
    }
}

struct Machine<'a> {
    w: &'a Schema,
    plan: &'a Plan,
    data: &'a [u8],
    pos: usize,
    depth: u32,
    zero: u64,
    soft: Vec<&'static str>,
    also: BTreeSet<&'static str>,
}

impl Machine<'_> {
    fn left(&self) -> usize {
        self.data.len() - self.pos
    }

    fn take(&mut self, n: u64) -> Result<Vec<u8>> {
        if n > self.left() as u64 {
            return Err(Hard("truncated"));
        }
        let out = self.data[self.pos..self.pos + n as usize].to_vec();
        self.pos += n as usize;
        Ok(out)
    }

    fn varint(&mut self) -> Result<i64> {
        let mut u: u128 = 0;
        for i in 0..10 {
            let Some(b) = self.data.get(self.pos) else { return Err(Hard("truncated")) };
            self.pos += 1;
            u |= u128::from(b & 0x7f) << (7 * i);
            if *b < 0x80 {
                let Ok(u) = u64::try_from(u) else { return Err(Hard("varint")) };
                return Ok((u >> 1) as i64 ^ -((u & 1) as i64));
            }
        }
        Err(Hard("varint"))
    }

    fn payload(&mut self) -> Result<Vec<u8>> {
        let n = self.varint()?;
        if n < 0 {
            return Err(Hard("length"));
        }
        if n > i64::from(i32::MAX) {
            self.also.extend(["length", "limit"]);
        }
        self.take(n as u64)
    }

    fn branch(&mut self, count: usize) -> Result<usize> {
        let n = self.varint()?;
        if n < 0 || n >= count as i64 {
            if i32::try_from(n).is_err() {
                self.also.insert("range");
            }
            return Err(Hard("index"));
        }
        Ok(n as usize)
    }

    /// Count and byte size of the next block.
    fn block(&mut self, item_bytes: u64) -> Result<(u64, Option<u64>)> {
        let n = self.varint()?;
        let mut size = None;
        if n < 0 {
            if n == i64::MIN {
                return Err(Hard("block"));
            }
            let s = self.varint()?;
            if s < 0 {
                return Err(Hard("block"));
            }
            size = Some(s as u64);
        }
        let n = n.unsigned_abs();
        if n.saturating_mul(item_bytes) > self.left() as u64 {
            self.also.insert("truncated");
        }
        Ok((n, size))
    }

    fn count_zero(&mut self, n: u64) -> Result<()> {
        self.zero = self.zero.checked_sub(n).ok_or(Hard("limit"))?;
        Ok(())
    }

    fn enter(&self, depth: u32) -> Result<()> {
        if depth > self.depth { Err(Hard("limit")) } else { Ok(()) }
    }

    fn utf8(&mut self, raw: &[u8]) {
        if std::str::from_utf8(raw).is_err() {
            self.soft.push("utf8");
        }
    }

    fn node(&mut self, id: usize, depth: u32) -> Result<Vec<u8>> {
        let plan = self.plan;
        match &plan.nodes[id] {
            Node::Prim(from, to) => self.primitive(*from, *to),
            Node::Enum(table) => {
                let i = self.varint()?;
                match usize::try_from(i).ok().and_then(|i| table.get(i)) {
                    Some(Some(t)) => Ok(long(*t as i64)),
                    Some(None) => {
                        self.soft.push("enum");
                        Ok(vec![])
                    }
                    None => {
                        self.soft.push("index");
                        if i32::try_from(i).is_err() {
                            self.also.insert("range");
                        }
                        Ok(vec![])
                    }
                }
            }
            Node::Fixed(n) => self.take(*n),
            Node::Sequence(ty, item) => self.sequence(*ty, *item, depth),
            Node::Record(steps, layout) => {
                self.enter(depth)?;
                let mut got = vec![vec![]; layout.len()];
                for step in steps {
                    match step {
                        Step::Move(j, node) => got[*j] = self.node(*node, depth + 1)?,
                        Step::Skip(ty) => self.skip(*ty, depth + 1)?,
                    }
                }
                let part = |l: &Layout| match l {
                    Layout::Field(j) => got[*j].clone(),
                    Layout::Bytes(b) => b.clone(),
                };
                Ok(layout.iter().flat_map(part).collect())
            }
            Node::FromUnion(variants) => {
                let i = self.branch(variants.len())?;
                self.node(variants[i], depth)
            }
            Node::Wrap(i, inner) => Ok([long(*i as i64), self.node(*inner, depth)?].concat()),
            Node::Trap(ty) => {
                self.soft.push("union");
                self.skip(*ty, depth)?;
                Ok(vec![])
            }
        }
    }

    fn primitive(&mut self, from: Kind, to: Kind) -> Result<Vec<u8>> {
        match from {
            Kind::Null => Ok(vec![]),
            Kind::Boolean => {
                let b = self.take(1)?;
                if b[0] > 1 {
                    self.soft.push("bool");
                }
                Ok(b)
            }
            Kind::Int | Kind::Long => {
                let mut n = self.varint()?;
                if from == Kind::Int && i32::try_from(n).is_err() {
                    self.soft.push("range");
                    n = 0;
                }
                Ok(match to {
                    Kind::Float => (n as f32).to_le_bytes().to_vec(),
                    Kind::Double => (n as f64).to_le_bytes().to_vec(),
                    _ => long(n),
                })
            }
            Kind::Float => {
                let raw = self.take(4)?;
                if to == Kind::Float {
                    return Ok(raw);
                }
                let bits = u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]);
                let wide = if bits & 0x7f80_0000 == 0x7f80_0000 && bits & 0x007f_ffff != 0 {
                    u64::from(bits >> 31) << 63 | 0x7ff << 52 | 1 << 51 | u64::from(bits & 0x007f_ffff) << 29
                } else {
                    f64::from(f32::from_bits(bits)).to_bits()
                };
                Ok(wide.to_le_bytes().to_vec())
            }
            Kind::Double => self.take(8),
            _ => {
                let raw = self.payload()?;
                if to == Kind::String {
                    self.utf8(&raw);
                }
                Ok(bytes(&raw))
            }
        }
    }

    fn sequence(&mut self, ty: usize, item: usize, depth: u32) -> Result<Vec<u8>> {
        self.enter(depth)?;
        let t = &self.w.types[ty];
        let is_map = t.kind == Kind::Map;
        let zero = !is_map && self.w.zero_bytes(t.item, &mut vec![]);
        let min = if is_map { 1 } else { self.w.min_bytes(t.item, &mut vec![]) };
        let (mut total, mut out) = (0u64, vec![]);
        loop {
            let (n, _) = self.block(min)?;
            if n == 0 {
                break;
            }
            total = total.saturating_add(n);
            if zero {
                self.count_zero(n)?;
                let one = self.node(item, depth + 1)?;
                out.extend(one.repeat(n as usize));
                continue;
            }
            for _ in 0..n {
                if is_map {
                    let key = self.payload()?;
                    self.utf8(&key);
                    out.extend(bytes(&key));
                }
                out.extend(self.node(item, depth + 1)?);
            }
        }
        let head = if total == 0 { vec![] } else { long(total as i64) };
        Ok([head, out, vec![0]].concat())
    }

    fn skip(&mut self, ty: usize, depth: u32) -> Result<()> {
        let t = &self.w.types[ty];
        match t.kind {
            Kind::Null => {}
            Kind::Int | Kind::Long | Kind::Enum => {
                self.varint()?;
            }
            Kind::Bytes | Kind::String => {
                self.payload()?;
            }
            Kind::Boolean => {
                self.take(1)?;
            }
            Kind::Float => {
                self.take(4)?;
            }
            Kind::Double => {
                self.take(8)?;
            }
            Kind::Fixed => {
                self.take(t.size)?;
            }
            Kind::Union => {
                let i = self.branch(t.variants.len())?;
                self.skip(t.variants[i], depth)?;
            }
            Kind::Record => {
                self.enter(depth)?;
                for f in &t.fields {
                    self.skip(f.ty, depth + 1)?;
                }
            }
            Kind::Array | Kind::Map => self.skip_sequence(ty, depth)?,
        }
        Ok(())
    }

    fn skip_sequence(&mut self, ty: usize, depth: u32) -> Result<()> {
        let t = &self.w.types[ty];
        self.enter(depth)?;
        let is_map = t.kind == Kind::Map;
        let min = if is_map { 1 } else { self.w.min_bytes(t.item, &mut vec![]) };
        loop {
            let (n, size) = self.block(min)?;
            if n == 0 {
                return Ok(());
            }
            if let Some(size) = size {
                self.take(size)?;
            } else if !is_map && self.w.zero_bytes(t.item, &mut vec![]) {
                self.count_zero(n)?;
                self.skip(t.item, depth + 1)?;
            } else {
                for _ in 0..n {
                    if is_map {
                        self.payload()?;
                    }
                    self.skip(t.item, depth + 1)?;
                }
            }
        }
    }
}
