//! A valid value of any schema, in one of the ways in which it may be written; bytes choose.

use super::Choices;
use reschema::Schema;
use reschema::schema::model::{FloatType, Shape, TypeId};

/// Levels, below the limit that the engine is given.
const DEEPEST: u32 = 40;
/// Values after which lists end and unions take their shortest way.
const FUEL: u32 = 200;
/// Longest `fixed`.
const LONGEST: u64 = 2_000;

/// A value. `None`: there is none, or none that is small.
pub(super) fn datum(schema: &Schema, choices: &mut Choices<'_>) -> Option<Vec<u8>> {
    let mut writer = Writer { schema, choices, out: Vec::new(), fuel: FUEL };
    writer.value(schema.root(), 0)?;
    Some(writer.out)
}

struct Writer<'a, 'c> {
    schema: &'a Schema,
    choices: &'a mut Choices<'c>,
    out: Vec<u8>,
    fuel: u32,
}

impl Writer<'_, '_> {
    fn value(&mut self, ty: TypeId, level: u32) -> Option<()> {
        if level > DEEPEST {
            return None;
        }
        self.fuel = self.fuel.saturating_sub(1);
        let schema = self.schema;
        match &schema.get(ty).shape {
            Shape::Null => {}
            Shape::Boolean => {
                let bit = self.choices.byte() & 1;
                self.out.push(bit);
            }
            Shape::Int(t) => {
                let shift = 64 - u32::from(t.bits);
                let value = self.long() >> shift;
                self.varint(value);
            }
            Shape::Float(FloatType::F32) => self.raw(4),
            Shape::Float(_) => self.raw(8),
            // Text in both: bytes may be wanted as text.
            Shape::Text | Shape::Bytes => self.text(),
            Shape::Symbol => return None,
            Shape::Fixed(t) if t.size > LONGEST => return None,
            Shape::Fixed(t) => self.raw(t.size as usize),
            Shape::Enum(t) if t.symbols.is_empty() => return None,
            Shape::Enum(t) => {
                let index = self.choices.number() % t.symbols.len();
                self.varint(index as i64);
            }
            Shape::List(t) => self.sequence(|w| w.value(t.item, level + 1))?,
            Shape::Map(t) => self.sequence(|w| {
                w.text();
                w.value(t.value, level + 1)
            })?,
            Shape::Record(t) => {
                for field in &t.fields {
                    self.value(field.ty, level + 1)?;
                }
            }
            Shape::Union(t) if t.variants.is_empty() => return None,
            Shape::Union(t) => {
                let short =
                    |id: TypeId| !matches!(schema.get(id).shape, Shape::Record(_) | Shape::List(_) | Shape::Map(_));
                let shortest = t.variants.iter().position(|v| short(v.ty)).filter(|_| self.fuel == 0);
                let index = shortest.unwrap_or_else(|| self.choices.number() % t.variants.len());
                self.varint(index as i64);
                self.value(t.variants[index].ty, level)?;
            }
        }
        Some(())
    }

    fn long(&mut self) -> i64 {
        let mut raw = [0; 8];
        let bytes = self.choices.bytes(8);
        raw[..bytes.len()].copy_from_slice(bytes);
        i64::from_be_bytes(raw)
    }

    /// Minimal, or with up to three bytes that say nothing.
    fn varint(&mut self, value: i64) {
        let start = self.out.len();
        let mut raw = ((value << 1) ^ (value >> 63)) as u64;
        while raw >= 0x80 {
            self.out.push(raw as u8 | 0x80);
            raw >>= 7;
        }
        self.out.push(raw as u8);
        let more = usize::from(self.choices.byte().saturating_sub(250)).min(3);
        if more > 0 && self.out.len() - start + more <= 10 {
            if let Some(last) = self.out.last_mut() {
                *last |= 0x80;
            }
            self.out.resize(self.out.len() + more - 1, 0x80);
            self.out.push(0);
        }
    }

    fn raw(&mut self, len: usize) {
        let bytes = self.choices.bytes(len);
        self.out.extend_from_slice(bytes);
        self.out.resize(self.out.len() + len - bytes.len(), 0x5a);
    }

    fn text(&mut self) {
        let len = match self.choices.byte() {
            255 => 300,
            n => usize::from(n % 24),
        };
        let text: String =
            (0..len).map(|_| ['a', 'é', 'z', '日', '\0', '𝄞'][usize::from(self.choices.byte()) % 6]).collect();
        self.varint(text.len() as i64);
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Up to three blocks, with or without their size.
    fn sequence(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let blocks = if self.fuel == 0 { 0 } else { self.choices.byte() % 4 };
        for _ in 0..blocks {
            let head = self.choices.byte();
            let (count, sized) = (i64::from(1 + head % 4), head & 0x80 != 0);
            let before = std::mem::take(&mut self.out);
            let written = (0..count).try_for_each(|_| item(self));
            let body = std::mem::replace(&mut self.out, before);
            written?;
            self.varint(if sized { -count } else { count });
            if sized {
                self.varint(body.len() as i64);
            }
            self.out.extend_from_slice(&body);
        }
        self.varint(0);
        Some(())
    }
}
