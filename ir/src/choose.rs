//! The rows of a `choose` table: what a value without a tag may be.

use crate::operand::{TableId, TextNum};

/// What a value fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Whatever it is.
    Any,
    /// Null.
    Null,
    /// A number as text, in the form and range that this one says.
    Num(TextNum),
    /// A decimal, as a string or a number, with so many digits in front of the point and behind it.
    Decimal {
        /// In front of the point.
        whole: u16,
        /// Behind it.
        scale: u16,
    },
    /// Any string.
    Text,
    /// A string that is one of the names of a table (see `lookup`).
    Symbol(TableId),
    /// A string of so many code points below 256.
    Latin(u32),
    /// A string that is so many bytes in base64.
    Base64(u32),
    /// An array.
    Array,
    /// An object.
    Object,
    /// An object with no other keys than those of a table (pairs of constant and 1 for each that must be there, in the
    /// order of the constants).
    Record(TableId),
}

impl Row {
    /// The number that stands in the table.
    pub fn code(self) -> i64 {
        let (kind, more) = match self {
            Row::Any => (0, 0),
            Row::Null => (1, 0),
            Row::Num(form) => (2, TextNum::ALL.iter().position(|f| *f == form).unwrap_or(0) as u32),
            Row::Decimal { whole, scale } => (3, u32::from(whole) << 16 | u32::from(scale)),
            Row::Text => (4, 0),
            Row::Symbol(table) => (5, table.0),
            Row::Latin(size) => (6, size),
            Row::Base64(size) => (7, size),
            Row::Array => (8, 0),
            Row::Object => (9, 0),
            Row::Record(table) => (10, table.0),
        };
        i64::from(more) << 8 | kind
    }

    /// Undoes [`Row::code`].
    pub fn from_code(code: i64) -> Option<Row> {
        let more = u32::try_from(code >> 8).ok()?;
        Some(match code & 0xff {
            0 => Row::Any,
            1 => Row::Null,
            2 => Row::Num(*TextNum::ALL.get(more as usize)?),
            3 => Row::Decimal { whole: (more >> 16) as u16, scale: more as u16 },
            4 => Row::Text,
            5 => Row::Symbol(TableId(more)),
            6 => Row::Latin(more),
            7 => Row::Base64(more),
            8 => Row::Array,
            9 => Row::Object,
            10 => Row::Record(TableId(more)),
            _ => return None,
        })
    }
}
