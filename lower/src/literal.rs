//! Defaults: a literal written through the sink's own instructions. A pass folds them into constant bytes, so a format
//! needs no second writer.

use crate::driver::{Driver, LowerError, Result};
use crate::format::{Items, Scalar, Typed, Value, const_num};
use reschema_ir::{Num, Op, SeqOut};
use reschema_schema::literal::Literal;
use reschema_schema::model::{Shape, TypeId};

impl Driver<'_> {
    pub(crate) fn literal(&mut self, ty: TypeId, literal: &Literal) -> Result {
        if self.b.emitted() > self.options.max_ops {
            return Err(LowerError::TooLarge(self.options.max_ops));
        }
        let scope = self.b.scope();
        self.literal_value(ty, literal)?;
        self.b.leave(scope);
        Ok(())
    }

    fn literal_value(&mut self, ty: TypeId, literal: &Literal) -> Result {
        let plan = self.plan;
        let of = Typed { schema: &plan.reader, ty };
        match (literal, &plan.reader.get(ty).shape) {
            (Literal::List(items), Shape::List(t)) => self.known_sequence(Items::List, items.len(), |d| {
                items.iter().try_for_each(|i| {
                    d.sink.begin_item(&mut d.b);
                    d.literal(t.item, i)
                })
            }),
            (Literal::Map(entries), Shape::Map(t)) => self.known_sequence(Items::Map, entries.len(), |d| {
                entries.iter().try_for_each(|(k, v)| {
                    d.sink.begin_item(&mut d.b);
                    d.literal(t.key, k)?;
                    d.sink.end_key(&mut d.b);
                    d.literal(t.value, v)
                })
            }),
            (Literal::Record(values), Shape::Record(t)) => {
                self.sink.begin_record(&mut self.b, t.fields.len())?;
                for (i, (field, value)) in t.fields.iter().zip(values).enumerate() {
                    self.sink.begin_field(&mut self.b, &plan.reader, ty, i);
                    self.literal(field.ty, value)?;
                    self.sink.end_field(&mut self.b);
                }
                self.sink.end_record(&mut self.b);
                Ok(())
            }
            (Literal::Union(i, value), Shape::Union(t)) => self.variant(ty, *i, |d| match t.variants.get(*i) {
                Some(v) => d.literal(v.ty, value),
                None => Ok(()),
            }),
            (Literal::Enum(i), _) => {
                let index = const_num(&mut self.b, *i as i64);
                Ok(self.sink.write_symbol(&mut self.b, of, index)?)
            }
            (Literal::Fixed(bytes), _) => {
                let span = self.const_span(bytes);
                Ok(self.sink.write_fixed_value(&mut self.b, of, span)?)
            }
            (_, shape) => self.literal_scalar(of, shape, literal),
        }
    }

    fn literal_scalar(&mut self, of: Typed<'_>, shape: &Shape, literal: &Literal) -> Result {
        let value = match literal {
            Literal::Boolean(v) => Value::Num(const_num(&mut self.b, i64::from(*v))),
            Literal::Int(v) => Value::Num(const_num(&mut self.b, *v as i64)),
            Literal::Float32(bits) => Value::Num(const_num(&mut self.b, i64::from(*bits))),
            Literal::Float64(bits) => Value::Num(const_num(&mut self.b, *bits as i64)),
            Literal::Text(text) => Value::Span(self.const_span(text.as_bytes())),
            Literal::Bytes(bytes) => Value::Span(self.const_span(bytes)),
            _ => Value::Null,
        };
        match Scalar::of(shape) {
            Some(scalar) => Ok(self.sink.write_value(&mut self.b, of, scalar, value)?),
            None => Ok(()),
        }
    }

    fn const_span(&mut self, bytes: &[u8]) -> reschema_ir::SpanUse {
        let value = self.b.constant(bytes);
        let (dst, span) = self.b.span();
        self.b.op(Op::ConstSpan { dst, value });
        span
    }

    /// A sequence of known length, in the sink's count form.
    fn known_sequence(&mut self, of: Items, len: usize, items: impl FnOnce(&mut Self) -> Result) -> Result {
        let scope = self.b.scope();
        self.sink.begin_items(&mut self.b, of);
        match self.sink.sequence() {
            SeqOut::None => items(self)?,
            SeqOut::U16 => self.counted(len, Num::U16, items)?,
            SeqOut::U32 => self.counted(len, Num::I32, items)?,
            SeqOut::Block => {
                if len > 0 {
                    self.counted(len, Num::Zigzag64, items)?;
                }
                self.count(0, Num::Zigzag64);
            }
        }
        self.sink.end_items(&mut self.b, of);
        self.b.leave(scope);
        Ok(())
    }

    fn counted(&mut self, len: usize, form: Num, items: impl FnOnce(&mut Self) -> Result) -> Result {
        self.count(len, form);
        items(self)
    }

    fn count(&mut self, len: usize, to: Num) {
        let scope = self.b.scope();
        let src = const_num(&mut self.b, len as i64);
        self.b.op(Op::WriteNum { src, to });
        self.b.leave(scope);
    }
}
