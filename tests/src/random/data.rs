//! Data for a schema, encoded in every way that is allowed: non-minimal varints, several blocks, blocks with sizes.

use super::Rng;
use super::types::{Names, Type, collect};

pub(super) struct Encoder<'a> {
    rng: &'a mut Rng,
    names: Names<'a>,
    form: Form,
    /// Values left before recursions are ended.
    fuel: usize,
    /// Nest as deep as the schema allows.
    deep: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Canonical,
    /// Minimal varints in any number of blocks.
    Blocks,
    /// Anything that reads as the same value.
    Odd,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(rng: &'a mut Rng, root: &'a Type) -> Encoder<'a> {
        let form = *rng.pick(&[Form::Canonical, Form::Canonical, Form::Canonical, Form::Blocks, Form::Odd]);
        let deep = rng.one_in(50);
        let mut names = Names::new();
        collect(root, &mut names);
        Encoder { rng, names, form, fuel: if deep { 400 } else { 120 }, deep }
    }

    fn varint(&mut self, v: i64, out: &mut Vec<u8>) {
        let mut u = ((v << 1) ^ (v >> 63)) as u64;
        let from = out.len();
        while u >= 0x80 {
            out.push(u as u8 | 0x80);
            u >>= 7;
        }
        out.push(u as u8);
        let room = 10 - (out.len() - from);
        if self.form == Form::Odd && room > 0 && self.rng.one_in(6) {
            let more = if self.rng.one_in(3) { 1 + self.rng.below(room) } else { 1 };
            *out.last_mut().expect("a byte") |= 0x80;
            out.resize(out.len() + more - 1, 0x80);
            out.push(0);
        }
    }

    fn int(&mut self) -> i64 {
        match self.rng.below(6) {
            0 => *self.rng.pick(&[i64::from(i32::MIN), i64::from(i32::MAX), 0, -1, 1, 63, 64, -64, -65]),
            1..=3 => self.rng.below(100) as i64 - 50,
            _ => i64::from(self.rng.bits() as i32 >> self.rng.below(32)),
        }
    }

    fn long(&mut self) -> i64 {
        match self.rng.below(4) {
            0 => *self.rng.pick(&[i64::MIN, i64::MAX, 1 << 53, (1 << 53) + 1, 16_777_217, -9_007_199_254_740_993]),
            1 => self.int(),
            _ => self.rng.bits() as i64 >> self.rng.below(64),
        }
    }

    fn length(&mut self) -> usize {
        match self.rng.below(12) {
            0 => 0,
            1 => 20 + self.rng.below(60),
            // Around the sizes at which short inputs are no longer copied aside.
            2 if self.rng.one_in(600) => *self.rng.pick(&[8_190, 65_500, 65_536, 70_000]) + self.rng.below(40),
            2 => 100 + self.rng.below(100),
            _ => self.rng.below(20),
        }
    }

    /// A byte string, of characters or mostly so.
    fn text(&mut self, valid: bool, out: &mut Vec<u8>) {
        let len = self.length();
        let mut text = Vec::with_capacity(len + 4);
        let ascii = self.rng.one_in(2);
        while text.len() < len {
            if ascii {
                text.push(b'a' + self.rng.below(26) as u8);
            } else {
                text.extend(self.rng.pick(&["é", "x", "日", "𝄞", "z", "\0"]).as_bytes());
            }
        }
        if !valid && !text.is_empty() {
            let at = self.rng.below(text.len());
            text[at] = *self.rng.pick(&[0xff, 0x80, 0xc0, 0xed, 0xf5]);
        }
        self.varint(text.len() as i64, out);
        out.extend(text);
    }

    pub(super) fn value(&mut self, ty: &Type, out: &mut Vec<u8>, deep: usize) {
        self.fuel = self.fuel.saturating_sub(1);
        match ty {
            Type::Prim(p) | Type::Logical(p, _) => self.primitive(p, out),
            Type::Ref(name) => {
                if let Some(t) = self.names.get(name).copied() {
                    self.value(t, out, deep);
                }
            }
            Type::Fixed(_, size, _) => (0..*size).for_each(|_| out.push(self.rng.bits() as u8)),
            Type::Enum(_, symbols, _) => {
                let i = self.rng.below(symbols.len());
                self.varint(i as i64, out);
            }
            Type::Record(_, fields) => fields.iter().for_each(|f| self.value(&f.ty, out, deep + 1)),
            Type::Union(list) => self.union(list, out, deep),
            Type::Array(item) => self.sequence(out, deep, |s, out| s.value(item, out, deep + 1)),
            Type::Map(item) => self.sequence(out, deep, |s, out| {
                s.text(true, out);
                s.value(item, out, deep + 1);
            }),
        }
    }

    fn union(&mut self, list: &[Type], out: &mut Vec<u8>, deep: usize) {
        let further = |t: &Type| matches!(t, Type::Ref(_) | Type::Record(..) | Type::Array(_) | Type::Map(_));
        let i = if self.fuel == 0 || deep > 100 {
            list.iter().position(|t| !further(t))
        } else if self.deep {
            list.iter().position(further)
        } else {
            None
        };
        let i = i.unwrap_or_else(|| self.rng.below(list.len()));
        self.varint(i as i64, out);
        // A union without an end in it is left cut off.
        if let Some(t) = list.get(i).filter(|_| deep < 150) {
            self.value(t, out, deep + 1);
        }
    }

    fn primitive(&mut self, p: &str, out: &mut Vec<u8>) {
        match p {
            "boolean" => out.push(self.rng.below(2) as u8),
            "int" => {
                let v = self.int();
                self.varint(v, out);
            }
            "long" => {
                let v = self.long();
                self.varint(v, out);
            }
            "float" => {
                let special = [f32::NAN.to_bits(), 0x7fa0_0001, 0xff80_0000, 0x8000_0000, 1];
                let bits = if self.rng.one_in(4) { *self.rng.pick(&special) } else { self.rng.bits() as u32 };
                out.extend(bits.to_le_bytes());
            }
            "double" => out.extend(self.rng.bits().to_le_bytes()),
            "bytes" => {
                let valid = !self.rng.one_in(4);
                self.text(valid, out);
            }
            "string" => {
                let valid = !self.rng.one_in(120);
                self.text(valid, out);
            }
            _ => {}
        }
    }

    fn sequence(&mut self, out: &mut Vec<u8>, deep: usize, item: impl Fn(&mut Self, &mut Vec<u8>)) {
        let blocks = match self.form {
            Form::Canonical => self.rng.below(2),
            _ => self.rng.below(4),
        };
        for _ in 0..blocks {
            if deep > 100 || self.fuel == 0 {
                break;
            }
            let n = 1 + self.rng.below(if deep > 4 { 1 } else { 4 });
            let mut body = Vec::new();
            (0..n).for_each(|_| item(self, &mut body));
            if self.form != Form::Canonical && self.rng.one_in(2) {
                self.varint(-(n as i64), out);
                // Readers ignore the size and skippers trust it: a wrong one is the business of damaged data.
                self.varint(body.len() as i64, out);
            } else {
                self.varint(n as i64, out);
            }
            out.extend(body);
        }
        self.varint(0, out);
    }
}
