//! Data for a schema, encoded in every way that is allowed: non-minimal varints, several blocks, blocks with sizes.

use super::Rng;
use super::types::{Field, Type, collect};
use std::collections::HashMap;

pub(super) struct Encoder<'a> {
    rng: &'a mut Rng,
    names: HashMap<String, &'a Type>,
    /// Odd encodings in this datum, or canonical throughout.
    odd: bool,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(rng: &'a mut Rng, root: &'a Type) -> Encoder<'a> {
        let odd = rng.one_in(4);
        let mut names = HashMap::new();
        collect(root, &mut names);
        Encoder { rng, names, odd }
    }

    fn varint(&mut self, v: i64, out: &mut Vec<u8>) {
        let mut u = ((v << 1) ^ (v >> 63)) as u64;
        let from = out.len();
        while u >= 0x80 {
            out.push(u as u8 | 0x80);
            u >>= 7;
        }
        out.push(u as u8);
        // The same number in more bytes. Five at the most: longer ints are a matter of opinion between readers.
        if self.odd && out.len() - from < 5 && self.rng.one_in(6) {
            let last = out.len() - 1;
            out[last] |= 0x80;
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

    fn text(&mut self, valid: bool, out: &mut Vec<u8>) {
        let mut text = Vec::new();
        let len = match self.rng.below(12) {
            0 => 0,
            1 => 20 + self.rng.below(60),
            2 => 100 + self.rng.below(200),
            _ => self.rng.below(20),
        };
        let ascii = self.rng.one_in(2);
        while text.len() < len {
            if ascii {
                text.push(b'a' + self.rng.below(26) as u8);
            } else {
                text.extend(self.rng.pick(&["é", "x", "日", "𝄞", "z"]).as_bytes());
            }
        }
        if !valid && self.rng.one_in(3) && !text.is_empty() {
            let at = self.rng.below(text.len());
            text[at] = 0xff;
        }
        self.varint(text.len() as i64, out);
        out.extend(text);
    }

    pub(super) fn value(&mut self, ty: &Type, out: &mut Vec<u8>, deep: usize) {
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
            Type::Record(_, _, fields) => fields.iter().for_each(|f: &Field| self.value(&f.ty, out, deep + 1)),
            Type::Union(list) => {
                // Deep down the first variant without further nesting ends a recursion.
                let end = list.iter().position(|t| matches!(t, Type::Prim(_) | Type::Logical(..)));
                let i = if deep > 12 { end.unwrap_or(0) } else { self.rng.below(list.len()) };
                self.varint(i as i64, out);
                if let Some(t) = list.get(i).filter(|_| deep < 40) {
                    self.value(t, out, deep + 1);
                }
            }
            Type::Array(item) => self.sequence(out, deep, |s, out| s.value(item, out, deep + 1)),
            Type::Map(item) => self.sequence(out, deep, |s, out| {
                s.text(true, out);
                s.value(item, out, deep + 1);
            }),
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
            "bytes" => self.text(false, out),
            "string" => {
                let valid = !self.rng.one_in(40);
                self.text(valid, out);
            }
            _ => {}
        }
    }

    fn sequence(&mut self, out: &mut Vec<u8>, deep: usize, item: impl Fn(&mut Self, &mut Vec<u8>)) {
        let blocks = if self.odd { self.rng.below(4) } else { self.rng.below(2) };
        for _ in 0..blocks {
            if deep > 10 {
                break;
            }
            let n = 1 + self.rng.below(if deep > 4 { 1 } else { 4 });
            let mut body = Vec::new();
            (0..n).for_each(|_| item(self, &mut body));
            if self.odd && self.rng.one_in(2) {
                self.varint(-(n as i64), out);
                // Readers ignore the size, skippers trust it: a wrong one makes them differ, and both are right.
                self.varint(body.len() as i64, out);
            } else {
                self.varint(n as i64, out);
            }
            out.extend(body);
        }
        out.push(0);
    }
}
