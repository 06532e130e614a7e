//! The careful half: every bound looked at, any legal form read, the canonical one written.

use crate::data::{put_bytes, put_long};

/// The input is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// What careful code gives.
pub type Res<T> = Result<T, Refused>;

/// A checked cursor on the input.
#[derive(Clone, Copy)]
pub struct Careful<'a> {
    rest: &'a [u8],
}

impl<'a> Careful<'a> {
    /// At the start of some bytes.
    pub fn new(bytes: &'a [u8]) -> Careful<'a> {
        Careful { rest: bytes }
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// A number of bytes.
    pub fn take(&mut self, n: usize) -> Res<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or(Refused)?;
        self.rest = rest;
        Ok(taken)
    }

    /// A varint of at most 10 bytes and 64 bits, in any form.
    pub fn varint(&mut self) -> Res<u64> {
        let mut value = 0;
        for i in 0..10 {
            let byte = u64::from(self.take(1)?[0]);
            if i == 9 && byte > 1 {
                break;
            }
            value |= (byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Refused)
    }

    /// A zigzag number of 64 bits.
    pub fn long(&mut self) -> Res<i64> {
        let raw = self.varint()?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    /// A zigzag number of 32 bits.
    pub fn int(&mut self) -> Res<i64> {
        let value = self.long()?;
        i32::try_from(value).map(i64::from).map_err(|_| Refused)
    }

    /// Bytes of told length.
    pub fn bytes(&mut self) -> Res<&'a [u8]> {
        let len = usize::try_from(self.long()?).map_err(|_| Refused)?;
        self.take(len)
    }

    /// Text.
    pub fn text(&mut self) -> Res<&'a [u8]> {
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map(str::as_bytes).map_err(|_| Refused)
    }

    /// The index of a branch or a symbol.
    pub fn index(&mut self, count: i64) -> Res<i64> {
        let index = self.long()?;
        if (0..count).contains(&index) { Ok(index) } else { Err(Refused) }
    }

    /// Whether a nullable field is there, null being the first branch.
    pub fn is_some(&mut self) -> Res<bool> {
        self.index(2).map(|index| index == 1)
    }

    /// Moves an int or a long.
    pub fn move_int(&mut self, out: &mut Vec<u8>) -> Res<()> {
        self.int().map(|v| put_long(out, v))
    }

    /// Moves a long.
    pub fn move_long(&mut self, out: &mut Vec<u8>) -> Res<()> {
        self.long().map(|v| put_long(out, v))
    }

    /// Moves an index.
    pub fn move_index(&mut self, count: i64, out: &mut Vec<u8>) -> Res<()> {
        self.index(count).map(|v| put_long(out, v))
    }

    /// Moves bytes of told length.
    pub fn move_bytes(&mut self, out: &mut Vec<u8>) -> Res<()> {
        self.bytes().map(|b| put_bytes(out, b))
    }

    /// Moves text.
    pub fn move_text(&mut self, out: &mut Vec<u8>) -> Res<()> {
        self.text().map(|b| put_bytes(out, b))
    }

    /// Moves a number of bytes.
    pub fn move_fixed(&mut self, n: usize, out: &mut Vec<u8>) -> Res<()> {
        self.take(n).map(|b| out.extend_from_slice(b))
    }

    /// Moves a boolean.
    pub fn move_bool(&mut self, out: &mut Vec<u8>) -> Res<()> {
        match self.take(1)? {
            [v @ 0..=1] => out.push(*v),
            _ => return Err(Refused),
        }
        Ok(())
    }

    /// Moves a nullable field.
    pub fn move_nullable(
        &mut self,
        out: &mut Vec<u8>,
        value: impl FnOnce(&mut Self, &mut Vec<u8>) -> Res<()>,
    ) -> Res<()> {
        let some = self.is_some()?;
        out.push(if some { 2 } else { 0 });
        if some { value(self, out) } else { Ok(()) }
    }

    /// Passes over a nullable field.
    pub fn skip_nullable(&mut self, value: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        if self.is_some()? { value(self) } else { Ok(()) }
    }

    /// Moves a list or a map as one block.
    pub fn move_blocks(
        &mut self,
        out: &mut Vec<u8>,
        mut item: impl FnMut(&mut Self, &mut Vec<u8>) -> Res<()>,
    ) -> Res<()> {
        let (mut items, mut total) = (Vec::new(), 0u64);
        loop {
            let count = self.long()?;
            if count == 0 {
                break;
            }
            if count < 0 && (count == i64::MIN || self.long()? < 0) {
                return Err(Refused);
            }
            for _ in 0..count.unsigned_abs() {
                item(self, &mut items)?;
            }
            total += count.unsigned_abs();
        }
        if total > 0 {
            put_long(out, total as i64);
            out.extend_from_slice(&items);
        }
        out.push(0);
        Ok(())
    }
}
