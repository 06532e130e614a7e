//! The entries of a `skip.run` table.

use crate::op::Op;
use crate::operand::{Len, Num};
use crate::pass::merge::skip_size;

/// What is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// So many bytes, at most 255.
    Fixed(u8),
    /// A varint.
    Varint,
    /// A length and bytes.
    Span,
}

/// An entry: an item, and if it is optional the index that stands for its absence, 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What is passed over.
    pub item: Item,
    /// Index of the union that means that there is nothing.
    pub absent: Option<u8>,
}

impl Entry {
    /// The number that stands in the table.
    pub fn code(self) -> i64 {
        let item = match self.item {
            Item::Fixed(n) => i64::from(n) << 8,
            Item::Varint => 1,
            Item::Span => 2,
        };
        item | match self.absent {
            None => 0,
            Some(0) => 16,
            Some(_) => 32,
        }
    }

    /// Undoes [`Entry::code`].
    pub fn from_code(code: i64) -> Option<Entry> {
        let item = match code & 15 {
            0 => Item::Fixed(u8::try_from(code >> 8).ok()?),
            1 => Item::Varint,
            2 => Item::Span,
            _ => return None,
        };
        let absent = match code & 0xf0 {
            0 => None,
            16 => Some(0),
            32 => Some(1),
            _ => return None,
        };
        Some(Entry { item, absent })
    }

    /// The entry that an op amounts to, if it is a skip, or a skip behind the index of a union with null.
    pub fn of(op: &Op, index: Num, len: Len) -> Option<Entry> {
        if let Op::SwitchRead { from, arms } = op {
            let [a, b] = arms.0.as_slice() else { return None };
            let (absent, body) = match (a.0.as_slice(), b.0.as_slice()) {
                ([], [inst]) => (0, inst),
                ([inst], []) => (1, inst),
                _ => return None,
            };
            let item = Entry::item(&body.op, len)?;
            return (*from == index).then_some(Entry { item, absent: Some(absent) });
        }
        Entry::item(op, len).map(|item| Entry { item, absent: None })
    }

    fn item(op: &Op, len: Len) -> Option<Item> {
        match op {
            Op::SkipNum { from: Num::Zigzag32 | Num::Zigzag64 } => Some(Item::Varint),
            Op::SkipSpan { from } if *from == len => Some(Item::Span),
            _ => u8::try_from(skip_size(op)?).ok().map(Item::Fixed),
        }
    }
}
