//! A spike of a columnar sink: a record of scalars, nullable scalars and lists of scalars becomes one column a field,
//! a list two. It proves that a sink without a byte stream fits the driver, the count protocol and the checkpoints.

use reschema::Format;
use reschema::schema::model::{FloatType, Schema, TypeId};
use reschema_ir::{Builder, Column, Num, NumUse, Op, SeqOut, SpanUse};
use reschema_lower::{Index, Items, Order, Scalar, Sink, Unsupported, Value};

/// The format: it can only be written.
pub const COLUMNS: Format =
    Format { name: "columns", source: None, sink: Some(|_| Box::new(ColumnSink::default())), options: 0, text: false };

#[derive(Default)]
struct ColumnSink {
    /// Columns that values go to: the field's, and inside a list the child's.
    at: Vec<Column>,
    fields: Vec<((TypeId, usize), Column)>,
    children: Vec<(Column, Column)>,
}

impl ColumnSink {
    fn column(&self) -> Result<Column, Unsupported> {
        self.at.last().copied().ok_or(Unsupported { format: "columns", what: "a value outside a record".into() })
    }

    /// The same field is the same column, on every path that writes it.
    fn of_field(&mut self, b: &mut Builder, key: (TypeId, usize)) -> Column {
        if let Some((_, column)) = self.fields.iter().find(|(k, _)| *k == key) {
            return *column;
        }
        let column = b.column();
        self.fields.push((key, column));
        column
    }

    fn child(&mut self, b: &mut Builder, parent: Column) -> Column {
        if let Some((_, child)) = self.children.iter().find(|(p, _)| *p == parent) {
            return *child;
        }
        let child = b.column();
        self.children.push((parent, child));
        child
    }
}

impl Sink for ColumnSink {
    fn order(&self) -> Order {
        Order::Any
    }

    fn write(&mut self, b: &mut Builder, scalar: Scalar, value: Value) -> Result<(), Unsupported> {
        let col = self.column()?;
        let to = match scalar {
            Scalar::Boolean => Num::Bool,
            Scalar::Int(t) if t.bits == 32 => Num::I32,
            Scalar::Float(FloatType::F32) => Num::F32,
            Scalar::Float(_) => Num::F64,
            _ => Num::I64,
        };
        b.op(match value {
            Value::Null => Op::ColNull { col },
            Value::Num(src) => Op::ColNum { col, src, to },
            Value::Span(src) => Op::ColSpan { col, src },
        });
        Ok(())
    }

    fn write_fixed(&mut self, b: &mut Builder, src: SpanUse) -> Result<(), Unsupported> {
        let col = self.column()?;
        b.op(Op::ColSpan { col, src });
        Ok(())
    }

    /// A nullable value is told by the validity of its row; symbols are numbers.
    fn write_index(&mut self, b: &mut Builder, of: Index, src: NumUse) -> Result<(), Unsupported> {
        if of == Index::Symbol {
            let col = self.column()?;
            b.op(Op::ColNum { col, src, to: Num::I32 });
        }
        Ok(())
    }

    fn sequence(&self) -> SeqOut {
        SeqOut::None
    }

    fn begin_field(&mut self, b: &mut Builder, _: &Schema, record: TypeId, field: usize) {
        let column = self.of_field(b, (record, field));
        self.at.push(column);
    }

    fn end_field(&mut self, _: &mut Builder) {
        self.at.pop();
    }

    fn begin_items(&mut self, b: &mut Builder, _: Items) {
        if let Some(parent) = self.at.last().copied() {
            let child = self.child(b, parent);
            self.at.push(child);
        }
        b.open();
    }

    fn end_items(&mut self, b: &mut Builder, _: Items) {
        let body = b.close();
        if let (Some(child), Some(col)) = (self.at.pop(), self.at.last().copied()) {
            b.op(Op::ColList { col, child, body });
        }
    }
}
