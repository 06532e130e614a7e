//! Which variant of an untagged union a value is: by its structure, the first that fits.

use super::names::{Names, Tables};
use super::quote::{Piece, contents, latin, with_text};
use super::{Result, Text, decimal, lookup, number};
use reschema_ir::choose::Row;
use reschema_ir::{Quote, TableId};

/// The first row of a table that the value in front fits; `None` if none does. Nothing is read.
///
/// # Errors
/// No value stands there.
pub fn choose(text: Text<'_>, at: usize, tables: Tables<'_>, rows: TableId, levels: u32) -> Result<Option<usize>> {
    let at = text.space(at);
    let rows = &tables.program.table(rows).0;
    let mut next = rows.iter().enumerate().filter_map(|(i, code)| Some((i, Row::from_code((*code)?)?)));
    // An optional value needs no closer look.
    let null = text.byte(at) == Some(b'n');
    let plain = next.clone().all(|(_, row)| matches!(row, Row::Any | Row::Null));
    if plain {
        return Ok(next.find(|(_, row)| (*row == Row::Null) == null).map(|(i, _)| i));
    }
    // What touches the end may go on, and a value that is none fits nothing: say so first.
    text.skip(at, levels)?;
    for (i, row) in next {
        if fits(text, at, tables, row, levels)? {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

fn fits(text: Text<'_>, at: usize, tables: Tables<'_>, row: Row, levels: u32) -> Result<bool> {
    let first = text.byte(at);
    let string = first == Some(b'"');
    Ok(match row {
        Row::Any => first != Some(b'n'),
        Row::Null => first == Some(b'n'),
        Row::Num(form) => number::read_num(text, at, form).is_ok(),
        Row::Decimal { whole, scale } => {
            let precision = u64::from(whole) + u64::from(scale);
            decimal::read_decimal(text, at, precision, scale.into(), 0).is_ok()
        }
        Row::Text => string,
        Row::Symbol(table) => string && with_text(text, at, "", |name| lookup(&tables.names(table), name).is_some())?.0,
        Row::Latin(size) => {
            string && with_text(text, at, "", |b| latin(b).is_some_and(|b| b.len() as u64 == u64::from(size)))?.0
        }
        Row::Base64(size) => {
            string
                && text
                    .string(at, "a string")
                    .and_then(|s| contents(text, s, Quote::Base64))
                    .is_ok_and(|piece| matches!(piece, Piece::Own(own) if own.len() as u64 == u64::from(size)))
        }
        Row::Array => first == Some(b'['),
        Row::Object => first == Some(b'{'),
        Row::Record(table) => first == Some(b'{') && is_record(text, at, &tables.names(table), levels)?,
    })
}

/// True for an object that has all the keys that must be there, and no others than the table's. Its syntax is checked.
fn is_record(text: Text<'_>, at: usize, names: &Names<'_>, levels: u32) -> Result<bool> {
    let mut seen = vec![false; names.len()];
    let mut at = text.space(at + 1);
    while text.byte(at) == Some(b'"') {
        let (place, end) = with_text(text, at, "a key", |name| names.place(name))?;
        let Some(place) = place else { return Ok(false) };
        seen[place] = true;
        let value = text.punctuation(end, b':', "`:` behind a key")?;
        at = text.space(text.skip(value, levels)?);
        if text.byte(at) == Some(b',') {
            at = text.space(at + 1);
        }
    }
    Ok((0..names.len()).all(|i| seen[i] || names.entry(i) != Some(1)))
}
