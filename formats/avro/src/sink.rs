//! Writing Avro's binary encoding in canonical form (Avro 1.12, "Binary Encoding").

use crate::source::num_form;
use reschema_ir::{Builder, Len, Num, NumUse, Op, SeqOut, SpanUse};
use reschema_lower::{Index, Order, Scalar, Sink, Unsupported, Value};

/// Avro's binary encoding as a sink.
#[derive(Clone, Copy, Debug, Default)]
pub struct AvroSink;

impl Sink for AvroSink {
    fn order(&self) -> Order {
        Order::Fixed
    }

    fn write(&mut self, b: &mut Builder, scalar: Scalar, value: Value) -> Result<(), Unsupported> {
        match (num_form(scalar)?, value) {
            (Some(to), Value::Num(src)) => b.op(Op::WriteNum { src, to }),
            (_, Value::Span(src)) => b.op(Op::WriteSpan { src, to: Len::Zigzag }),
            _ => {}
        }
        Ok(())
    }

    fn write_fixed(&mut self, b: &mut Builder, src: SpanUse) -> Result<(), Unsupported> {
        b.op(Op::WriteFixed { src });
        Ok(())
    }

    fn write_index(&mut self, b: &mut Builder, _: Index, src: NumUse) -> Result<(), Unsupported> {
        b.op(Op::WriteNum { src, to: Num::Zigzag32 });
        Ok(())
    }

    fn sequence(&self) -> SeqOut {
        SeqOut::Block
    }
}
