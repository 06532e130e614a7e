//! Outputs: bytes, or columns, and the checkpoints that undo what a value has written.

use reschema_ir::{Column, Num};

/// What a transformation writes to.
#[derive(Debug)]
#[non_exhaustive]
pub enum Output<'a> {
    /// Bytes, appended.
    Bytes(&'a mut Vec<u8>),
    /// Columns, appended row by row.
    Columns(&'a mut Columns),
}

/// Where an output stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Bytes held.
    Bytes(usize),
    /// Lengths of columns.
    Columns(Checkpoint),
}

impl Output<'_> {
    /// Remembers where the output stands.
    pub fn mark(&self) -> Mark {
        match self {
            Output::Bytes(out) => Mark::Bytes(out.len()),
            Output::Columns(columns) => Mark::Columns(columns.checkpoint()),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        match self {
            Output::Bytes(out) => out.len(),
            Output::Columns(columns) => columns.bytes(),
        }
    }

    /// Undoes everything since the mark, which this output has made.
    pub fn undo(&mut self, to: &Mark) {
        match (self, to) {
            (Output::Bytes(out), Mark::Bytes(len)) => out.truncate(*len),
            (Output::Columns(columns), Mark::Columns(checkpoint)) => columns.rollback(checkpoint),
            _ => {}
        }
    }
}

/// Child columns and their parents are all columns of one set; a list column holds lengths of its child.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    columns: Vec<ColumnData>,
}

/// One column: values back to back, one validity flag a row, and for bytes and lists the end of each row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnData {
    /// Values of fixed width, or the bytes of all rows.
    pub values: Vec<u8>,
    /// For each row whether it holds a value. Overwritten, never or-ed, so that a row that is undone leaves no trace.
    pub valid: Vec<bool>,
    /// End of each row in `values` or in the child's rows; empty for fixed-width columns.
    pub ends: Vec<u64>,
}

/// The lengths of everything a value may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    columns: Vec<(usize, usize, usize)>,
}

impl Columns {
    /// So many empty columns.
    pub fn new(count: usize) -> Columns {
        Columns { columns: vec![ColumnData::default(); count] }
    }

    /// A column.
    pub fn get(&self, column: Column) -> Option<&ColumnData> {
        self.columns.get(column.0 as usize)
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Rows of a column.
    pub fn rows(&self, column: Column) -> u64 {
        self.get(column).map_or(0, |c| c.valid.len() as u64)
    }

    /// Remembers all lengths.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { columns: self.columns.iter().map(|c| (c.values.len(), c.valid.len(), c.ends.len())).collect() }
    }

    /// Undoes everything since the checkpoint.
    pub fn rollback(&mut self, to: &Checkpoint) {
        for (column, (values, valid, ends)) in self.columns.iter_mut().zip(&to.columns) {
            column.values.truncate(*values);
            column.valid.truncate(*valid);
            column.ends.truncate(*ends);
        }
    }

    fn with(&mut self, column: Column, f: impl FnOnce(&mut ColumnData)) {
        if let Some(c) = self.columns.get_mut(column.0 as usize) {
            f(c);
        }
    }

    /// Appends a number.
    pub fn push_num(&mut self, column: Column, raw: i64, form: Num) {
        self.with(column, |c| {
            crate::num::write(&mut c.values, raw, form);
            c.valid.push(true);
        });
    }

    /// Appends bytes.
    pub fn push_span(&mut self, column: Column, bytes: &[u8]) {
        self.with(column, |c| {
            c.values.extend_from_slice(bytes);
            c.ends.push(c.values.len() as u64);
            c.valid.push(true);
        });
    }

    /// Appends an absent value.
    pub fn push_null(&mut self, column: Column) {
        self.with(column, |c| c.valid.push(false));
    }

    /// Appends a list that ends where its child column ends now.
    pub fn push_list(&mut self, column: Column, child: Column) {
        let end = self.rows(child);
        self.with(column, |c| {
            c.ends.push(end);
            c.valid.push(true);
        });
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(|c| c.values.len() + c.valid.len() + 8 * c.ends.len()).sum()
    }
}
