//! Writing JSON, compact.

use crate::alike::alike;
use crate::options::{DecimalsAs, Encoding, Ending, JsonOptions, TimesAs};
use crate::types::{bytes_form, decimal, key, num_form, quoted, unsupported, variant_name};
use reschema_ir::{Bodies, Builder, DecimalText, Flag, NumUse, Op, Quote, SeqOut, SpanUse, TextNum};
use reschema_lower::{Alike, Index, Items, Order, Scalar, Sink, Typed, Unsupported, Value};
use reschema_schema::Schema;
use reschema_schema::model::{Shape, TypeId};

/// JSON as a sink.
#[derive(Clone, Debug)]
pub struct JsonSink {
    options: JsonOptions,
    /// For each open record whether it has a field already.
    fields: Vec<bool>,
    /// For each open array or map the register that says whether it has an item already.
    items: Vec<NumUse>,
}

impl JsonSink {
    /// With options.
    pub fn new(options: JsonOptions) -> JsonSink {
        JsonSink { options, fields: Vec::new(), items: Vec::new() }
    }

    fn decimal(&self, b: &mut Builder, of: Typed<'_>, src: SpanUse) -> bool {
        let Some((precision, scale)) = decimal(&self.options, of) else { return false };
        let to = match self.options.decimals {
            DecimalsAs::Text => DecimalText::Quoted,
            DecimalsAs::Number => DecimalText::Number,
        };
        b.op(Op::WriteDecimal { src, precision, scale, to });
        true
    }

    fn tag(&self, of: Typed<'_>, variant: usize) -> Result<Option<String>, Unsupported> {
        if self.options.encoding == Encoding::Plain {
            return Ok(None);
        }
        let Shape::Union(union) = &of.schema.get(of.ty).shape else { return Ok(None) };
        union.variants.get(variant).map_or(Ok(None), |v| variant_name(of.schema, v.ty))
    }
}

fn emit(b: &mut Builder, text: &[u8]) {
    let value = b.constant(text);
    b.op(Op::Emit { value });
}

impl Sink for JsonSink {
    fn order(&self) -> Order {
        Order::Any
    }

    fn write(&mut self, _: &mut Builder, scalar: Scalar, _: Value) -> Result<(), Unsupported> {
        Err(unsupported(format!("{scalar:?} without its type")))
    }

    fn write_value(&mut self, b: &mut Builder, of: Typed<'_>, scalar: Scalar, value: Value) -> Result<(), Unsupported> {
        match (num_form(&self.options, of, scalar, self.options.times == TimesAs::Text)?, value) {
            (Some(to), Value::Num(src)) => {
                if matches!(to, TextNum::FiniteF32 | TextNum::FiniteF64) {
                    b.op(Op::CheckFinite { src, wide: Flag::of(to == TextNum::FiniteF64) });
                }
                b.op(Op::WriteText { src, to });
            }
            (_, Value::Span(src)) if scalar == Scalar::Bytes => {
                if !self.decimal(b, of, src) {
                    b.op(Op::WriteQuoted { src, to: bytes_form(&self.options) });
                }
            }
            (_, Value::Span(src)) => b.op(Op::WriteQuoted { src, to: Quote::Text }),
            _ => emit(b, b"null"),
        }
        Ok(())
    }

    fn write_fixed(&mut self, _: &mut Builder, _: SpanUse) -> Result<(), Unsupported> {
        Err(unsupported("fixed without its type"))
    }

    fn write_fixed_value(&mut self, b: &mut Builder, of: Typed<'_>, src: SpanUse) -> Result<(), Unsupported> {
        if !self.decimal(b, of, src) {
            b.op(Op::WriteQuoted { src, to: bytes_form(&self.options) });
        }
        Ok(())
    }

    fn write_index(&mut self, _: &mut Builder, _: Index, _: NumUse) -> Result<(), Unsupported> {
        Err(unsupported("an index"))
    }

    fn write_symbol(&mut self, b: &mut Builder, of: Typed<'_>, src: NumUse) -> Result<(), Unsupported> {
        let Shape::Enum(t) = &of.schema.get(of.ty).shape else { return Err(unsupported("a symbol of no enum")) };
        let arm = |name: &str| {
            b.open();
            emit(b, &quoted(name));
            b.close()
        };
        let arms = t.symbols.iter().map(|s| s.name.as_str()).map(arm).collect();
        b.op(Op::Switch { src, arms: Bodies(arms) });
        Ok(())
    }

    fn sequence(&self) -> SeqOut {
        SeqOut::None
    }

    fn begin_record(&mut self, b: &mut Builder, _: usize) -> Result<(), Unsupported> {
        self.fields.push(false);
        emit(b, b"{");
        Ok(())
    }

    fn end_record(&mut self, b: &mut Builder) {
        self.fields.pop();
        emit(b, b"}");
    }

    fn begin_field(&mut self, b: &mut Builder, schema: &Schema, record: TypeId, field: usize) {
        let Shape::Record(t) = &schema.get(record).shape else { return };
        let mut text = Vec::new();
        if let Some(any) = self.fields.last_mut()
            && std::mem::replace(any, true)
        {
            text.push(b',');
        }
        text.extend(t.fields.get(field).map(|f| key(&f.name)).unwrap_or_default());
        emit(b, &text);
    }

    fn begin_variant(&mut self, b: &mut Builder, of: Typed<'_>, variant: usize) -> Result<(), Unsupported> {
        if let Some(name) = self.tag(of, variant)? {
            let text = [b"{".as_slice(), &key(&name)].concat();
            emit(b, &text);
        }
        Ok(())
    }

    fn end_variant(&mut self, b: &mut Builder, of: Typed<'_>, variant: usize) {
        if let Ok(Some(_)) = self.tag(of, variant) {
            emit(b, b"}");
        }
    }

    fn tells_apart(&self) -> bool {
        self.options.encoding == Encoding::Avro
    }

    fn alike(&self, of: Typed<'_>) -> Vec<Alike> {
        alike(&self.options, of, true)
    }

    fn begin_items(&mut self, b: &mut Builder, of: Items) {
        emit(b, if of == Items::Map { b"{" } else { b"[" });
        let (dst, state) = b.num();
        b.op(Op::ConstNum { dst, value: 0 });
        self.items.push(state);
    }

    fn begin_item(&mut self, b: &mut Builder) {
        if let Some(state) = self.items.last() {
            b.op(Op::Separate { state: *state, byte: b','.into() });
        }
    }

    fn end_key(&mut self, b: &mut Builder) {
        emit(b, b":");
    }

    fn end_items(&mut self, b: &mut Builder, of: Items) {
        self.items.pop();
        emit(b, if of == Items::Map { b"}" } else { b"]" });
    }

    fn end_datum(&mut self, b: &mut Builder) {
        match self.options.ending {
            Ending::Nothing => {}
            Ending::Newline => emit(b, b"\n"),
            Ending::Comma => emit(b, b",\n"),
        }
    }
}
