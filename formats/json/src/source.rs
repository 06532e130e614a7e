//! Reading JSON.

use crate::alike::alike;
use crate::options::{Encoding, JsonOptions, SpecialsAs};
use crate::types::{bytes_form, decimal, key, num_form, unsupported, variant_name};
use reschema_ir::choose::Row;
use reschema_ir::{Builder, Markup, NumUse, Op, Quote, SeqIn, SpanUse, TableId, TextNum};
use reschema_lower::{Access, Alike, Index, Items, KeyRules, Scalar, Source, Typed, Unsupported, Value};
use reschema_schema::Schema;
use reschema_schema::model::{Shape, TypeId, UnionType};

/// JSON as a source.
#[derive(Clone, Debug)]
pub struct JsonSource {
    options: JsonOptions,
}

impl JsonSource {
    /// With options.
    pub fn new(options: JsonOptions) -> JsonSource {
        JsonSource { options }
    }

    fn bytes(&self, b: &mut Builder, of: Typed<'_>, size: u64) -> SpanUse {
        let (dst, src) = b.span();
        match decimal(&self.options, of) {
            Some((precision, scale)) => b.op(Op::ReadDecimal { dst, precision, scale, size }),
            None => b.op(Op::ReadQuoted { dst, from: bytes_form(&self.options) }),
        }
        src
    }

    /// What an untagged variant looks like. In a union that has null, nothing else is.
    fn row(&self, b: &mut Builder, schema: &Schema, ty: TypeId, nullable: bool) -> Result<Row, Unsupported> {
        let of = Typed { schema, ty };
        let shape = &schema.get(ty).shape;
        if let Some((precision, scale)) = decimal(&self.options, of) {
            let small = |n: u64| u16::try_from(n).unwrap_or(u16::MAX);
            return Ok(Row::Decimal { whole: small(precision.saturating_sub(scale)), scale: small(scale) });
        }
        if let Some(scalar) = Scalar::of(shape)
            && let Some(form) = num_form(&self.options, of, scalar, true)?
        {
            return Ok(Row::Num(match form {
                TextNum::NullF32 if nullable => TextNum::FiniteF32,
                TextNum::NullF64 if nullable => TextNum::FiniteF64,
                form => form,
            }));
        }
        Ok(match shape {
            Shape::Null => Row::Null,
            Shape::Fixed(t) => {
                let size = u32::try_from(t.size).map_err(|_| unsupported("fixed of 4 GiB in an untagged union"))?;
                if bytes_form(&self.options) == Quote::Base64 { Row::Base64(size) } else { Row::Latin(size) }
            }
            Shape::Enum(t) => Row::Symbol(names(b, t.symbols.iter().enumerate().map(|(i, s)| (&*s.name, i as i64)))),
            Shape::List(_) => Row::Array,
            Shape::Map(_) => Row::Object,
            Shape::Record(t) => {
                let needed = |i: usize| i64::from(!self.options.may_miss(schema, t, i));
                Row::Record(names(b, t.fields.iter().enumerate().map(|(i, f)| (&*f.name, needed(i)))))
            }
            _ => Row::Text,
        })
    }

    fn untagged(&self, b: &mut Builder, schema: &Schema, union: &UnionType) -> Result<TableId, Unsupported> {
        let is_null = |ty: TypeId| schema.get(ty).shape == Shape::Null;
        let others = union.variants.iter().filter(|v| !is_null(v.ty)).count();
        let nullable = others < union.variants.len();
        // One that may be null itself is looked at.
        let any = nullable || self.options.specials != SpecialsAs::Null;
        let rows = union.variants.iter().map(|v| match others {
            1 if any && !is_null(v.ty) => Ok(Row::Any),
            _ => self.row(b, schema, v.ty, nullable),
        });
        let rows = rows.map(|r| r.map(|r| Some(r.code()))).collect::<Result<Vec<_>, _>>()?;
        Ok(b.table(rows))
    }
}

/// A table of names in the order of their bytes, with an entry each.
fn names<'a>(b: &mut Builder, entries: impl Iterator<Item = (&'a str, i64)>) -> TableId {
    let mut sorted: Vec<(&str, i64)> = entries.collect();
    sorted.sort_by_key(|(name, _)| name.as_bytes());
    let pair = |(name, entry): (&str, i64)| [Some(i64::from(b.constant(name.as_bytes()).0)), Some(entry)];
    let pairs = sorted.into_iter().flat_map(pair).collect();
    b.table(pairs)
}

impl Source for JsonSource {
    fn access(&self) -> Access {
        Access::Named
    }

    fn read(&mut self, _: &mut Builder, scalar: Scalar) -> Result<Value, Unsupported> {
        Err(unsupported(format!("{scalar:?} without its type")))
    }

    fn read_value(&mut self, b: &mut Builder, of: Typed<'_>, scalar: Scalar) -> Result<Value, Unsupported> {
        if let Some(from) = num_form(&self.options, of, scalar, true)? {
            let (dst, register) = b.num();
            b.op(Op::ReadText { dst, from });
            return Ok(Value::Num(register));
        }
        Ok(match scalar {
            Scalar::Null => {
                let text = b.constant(b"null");
                b.op(Op::Expect { text });
                Value::Null
            }
            Scalar::Bytes => Value::Span(self.bytes(b, of, 0)),
            _ => {
                let (dst, register) = b.span();
                b.op(Op::ReadQuoted { dst, from: Quote::Text });
                Value::Span(register)
            }
        })
    }

    fn read_fixed(&mut self, _: &mut Builder, _: u64) -> Result<SpanUse, Unsupported> {
        Err(unsupported("fixed without its type"))
    }

    fn read_fixed_value(&mut self, b: &mut Builder, of: Typed<'_>, size: u64) -> Result<SpanUse, Unsupported> {
        let src = self.bytes(b, of, size);
        b.op(Op::CheckSize { src, size });
        Ok(src)
    }

    fn read_index(&mut self, _: &mut Builder, _: Index) -> Result<NumUse, Unsupported> {
        Err(unsupported("an index"))
    }

    fn read_symbol(&mut self, b: &mut Builder, of: Typed<'_>) -> Result<NumUse, Unsupported> {
        let Shape::Enum(t) = &of.schema.get(of.ty).shape else { return Err(unsupported("a symbol of no enum")) };
        let (span, src) = b.span();
        b.op(Op::ReadQuoted { dst: span, from: Quote::Text });
        let names = names(b, t.symbols.iter().enumerate().map(|(i, s)| (&*s.name, i as i64)));
        let (dst, index) = b.num();
        b.op(Op::Lookup { dst, src, names });
        Ok(index)
    }

    fn read_variant(&mut self, b: &mut Builder, of: Typed<'_>, level: u32) -> Result<NumUse, Unsupported> {
        let Shape::Union(t) = &of.schema.get(of.ty).shape else { return Err(unsupported("a variant of no union")) };
        let (dst, index) = b.num();
        let form = Markup::Json;
        if self.options.encoding == Encoding::Plain {
            let rows = self.untagged(b, of.schema, t)?;
            b.op(Op::Choose { dst, form, rows, level });
            return Ok(index);
        }
        let mut tags = Vec::new();
        let mut null = -1;
        for (i, variant) in t.variants.iter().enumerate() {
            match variant_name(of.schema, variant.ty)? {
                Some(name) => tags.push((name, i as i64)),
                None => null = i as i64,
            }
        }
        let names = names(b, tags.iter().map(|(name, i)| (&**name, *i)));
        b.op(Op::ReadTag { dst, form, names, null });
        Ok(index)
    }

    fn end_variant(&mut self, b: &mut Builder, of: Typed<'_>, variant: usize) {
        let Shape::Union(t) = &of.schema.get(of.ty).shape else { return };
        let null = t.variants.get(variant).is_none_or(|v| of.schema.get(v.ty).shape == Shape::Null);
        if self.options.encoding == Encoding::Avro && !null {
            let text = b.constant(b"}");
            b.op(Op::Expect { text });
        }
    }

    fn tells_apart(&self) -> bool {
        self.options.encoding == Encoding::Avro
    }

    fn alike(&self, of: Typed<'_>) -> Vec<Alike> {
        alike(&self.options, of, false)
    }

    fn skip(&mut self, b: &mut Builder, _: Scalar) -> Result<(), Unsupported> {
        self.skip_any(b, 0);
        Ok(())
    }

    fn skip_fixed(&mut self, b: &mut Builder, _: u64) -> Result<(), Unsupported> {
        self.skip_any(b, 0);
        Ok(())
    }

    fn skip_symbol(&mut self, b: &mut Builder) -> Result<(), Unsupported> {
        self.skip_any(b, 0);
        Ok(())
    }

    fn skip_any(&mut self, b: &mut Builder, level: u32) -> bool {
        b.op(Op::SkipTree { form: Markup::Json, level });
        true
    }

    fn sequence(&self) -> SeqIn {
        SeqIn::Array
    }

    fn items(&self, of: Items) -> SeqIn {
        if of == Items::Map { SeqIn::Object } else { SeqIn::Array }
    }

    fn takes_no_bytes(&self, _: &Schema, _: TypeId) -> bool {
        false
    }

    fn end_key(&mut self, b: &mut Builder) {
        let text = b.constant(b":");
        b.op(Op::Expect { text });
    }

    fn key_rules(&self) -> Option<KeyRules> {
        let JsonOptions { twice, unknown, missing_is_null, .. } = self.options;
        Some(KeyRules { form: Markup::Json, twice, unknown, missing_is_null })
    }

    fn key_text(&self, name: &str) -> Vec<u8> {
        key(name)
    }
}
