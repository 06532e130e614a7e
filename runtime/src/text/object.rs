//! Keyed records: their keys in any order, speculated on in the expected one (ADR 0017).

use super::names::{Names, lookup};
use super::quote::with_text;
use super::scan::Quoted;
use super::{Bad, Result, Text};
use reschema_ir::{FaultKind, Twice, Unknown};

/// What a record's keys are judged by.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Keys that are wanted.
    pub wanted: u32,
    /// What holds of keys that come twice.
    pub twice: Twice,
    /// What holds of keys that the schema does not have.
    pub unknown: Unknown,
    /// Levels of nesting that a value of the record may have.
    pub levels: u32,
}

/// A keyed record: its keys, and the rules they are judged by.
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    /// Names, and for those that are wanted their place.
    pub names: Names<'a>,
    /// Rules.
    pub rules: Rules,
}

/// What a key is.
enum Key {
    Wanted(u32),
    /// Nobody wants it.
    Other,
}

/// The state of a record that is being read: 0 while its keys come in order, else one more than where its part of the
/// index begins.
pub type State = u64;

impl Keys<'_> {
    /// Reads a key and its colon: what it is, where it stands, and where its value begins.
    fn key(&self, text: Text<'_>, at: usize) -> Result<(Key, usize, usize)> {
        let (place, end) = match text.short_name(at) {
            Some((digest, end)) => (self.names.short_place(&digest, &text.bytes[at + 1..end]), end),
            None => {
                let name = text.name(at)?;
                (self.place(text, name, at)?, name.end)
            }
        };
        let value = text.punctuation(end + 1, b':', "`:` behind a key")?;
        Ok((self.judge(place, at)?, at, text.space(value)))
    }

    fn place(&self, text: Text<'_>, name: Quoted, at: usize) -> Result<Option<usize>> {
        match name.escapes {
            true => Ok(with_text(text, at, "a key", |name| self.names.place(name))?.0),
            false => Ok(self.names.place(&text.bytes[name.start..name.end])),
        }
    }

    #[inline(always)]
    fn judge(&self, place: Option<usize>, at: usize) -> Result<Key> {
        match place {
            Some(place) => match self.names.entry(place).and_then(|e| u32::try_from(e).ok()) {
                Some(wanted) if wanted < self.rules.wanted => Ok(Key::Wanted(wanted)),
                _ => Ok(Key::Other),
            },
            None if self.rules.unknown == Unknown::Refuse => {
                Err(Bad::new(FaultKind::Key, at, "no key that the schema does not have"))
            }
            None => Ok(Key::Other),
        }
    }
}

/// Reads a record from behind its opening bracket to its end, and puts where its wanted values stand, plus one, on the
/// index, with the record's end in front.
pub fn index(text: Text<'_>, start: usize, keys: &Keys<'_>, stack: &mut Vec<u64>) -> Result<State> {
    let base = stack.len();
    stack.resize(base + 1 + keys.rules.wanted as usize, 0);
    let state = base as u64 + 1;
    let mut at = text.space(start);
    if text.byte(at) == Some(b'}') {
        stack[base] = at as u64 + 1;
        return Ok(state);
    }
    loop {
        let (key, place, value) = keys.key(text, at)?;
        let end = text.skip(value, keys.rules.levels)?;
        if let Key::Wanted(wanted) = key {
            let slot = &mut stack[base + 1 + wanted as usize];
            match keys.rules.twice {
                _ if *slot == 0 => *slot = value as u64 + 1,
                Twice::Refuse => {
                    return Err(Bad::new(FaultKind::Key, place, "no key that was met before in this object"));
                }
                Twice::First => {}
                Twice::Last => *slot = value as u64 + 1,
            }
        }
        at = text.space(end);
        match text.byte(at) {
            Some(b',') => at = text.space(at + 1),
            Some(b'}') => {
                stack[base] = at as u64 + 1;
                return Ok(state);
            }
            _ => return Err(text.syntax(at, "`,` or `}`")),
        }
    }
}

/// Where an index that [`index`] has made says that a value begins.
pub fn indexed(stack: &[u64], state: State, place: u32) -> Option<usize> {
    let slot = stack.get(state as usize + place as usize)?;
    slot.checked_sub(1).map(|at| at as usize)
}

/// The value of a key: while keys come in order by reading on from `at`, else by the index. `None`: it is not there.
///
/// # Errors
/// Bad text. Where keys come twice and the last counts, what has been written may be of the first: then too.
pub fn find(
    text: Text<'_>,
    at: usize,
    start: usize,
    keys: &Keys<'_>,
    place: u32,
    state: &mut State,
    stack: &mut Vec<u64>,
) -> Result<Option<usize>> {
    if *state == 0 {
        if let Some(value) = next(text, at, start, keys, place)? {
            return Ok(Some(value));
        }
        *state = strict(text, start, keys, stack)?;
    }
    Ok(indexed(stack, *state, place))
}

/// Goes behind the record.
///
/// # Errors
/// As [`find`].
pub fn close(
    text: Text<'_>,
    at: usize,
    start: usize,
    keys: &Keys<'_>,
    state: State,
    stack: &mut Vec<u64>,
) -> Result<usize> {
    let mut state = state;
    if state == 0 {
        if let Some(end) = rest(text, at, start, keys)? {
            return Ok(end);
        }
        state = strict(text, start, keys, stack)?;
    }
    let base = state as usize - 1;
    let end = stack.get(base).copied().unwrap_or(0) as usize;
    stack.truncate(base);
    Ok(end)
}

/// Indexes behind values that have been written already: a key that comes twice may have made them wrong.
fn strict(text: Text<'_>, start: usize, keys: &Keys<'_>, stack: &mut Vec<u64>) -> Result<State> {
    let twice = if keys.rules.twice == Twice::Last { Twice::Refuse } else { keys.rules.twice };
    index(text, start, &Keys { rules: Rules { twice, ..keys.rules }, ..*keys }, stack)
}

/// The value of the next key that is wanted, if it is this one; keys that nobody wants are passed over.
fn next(text: Text<'_>, mut at: usize, start: usize, keys: &Keys<'_>, place: u32) -> Result<Option<usize>> {
    let mut first = at == start;
    loop {
        at = text.space(at);
        match (text.byte(at), first) {
            (Some(b'}'), _) => return Ok(None),
            (_, true) => {}
            (Some(b','), false) => at = text.space(at + 1),
            _ => return Err(text.syntax(at, "`,` or `}`")),
        }
        let (key, _, value) = keys.key(text, at)?;
        match key {
            Key::Wanted(found) => return Ok((found == place).then_some(value)),
            Key::Other => at = text.skip(value, keys.rules.levels)?,
        }
        first = false;
    }
}

/// The end of a record, if no other wanted key comes before.
fn rest(text: Text<'_>, mut at: usize, start: usize, keys: &Keys<'_>) -> Result<Option<usize>> {
    let mut first = at == start;
    loop {
        at = text.space(at);
        match (text.byte(at), first) {
            (Some(b'}'), _) => return Ok(Some(at + 1)),
            (_, true) => {}
            (Some(b','), false) => at = text.space(at + 1),
            _ => return Err(text.syntax(at, "`,` or `}`")),
        }
        let (key, _, value) = keys.key(text, at)?;
        match key {
            Key::Wanted(_) => return Ok(None),
            Key::Other => at = text.skip(value, keys.rules.levels)?,
        }
        first = false;
    }
}

/// Reads the name that a tagged value opens with: its entry, and where the value begins. In front of a null: `null`.
pub fn read_tag(text: Text<'_>, at: usize, names: &Names<'_>, null: i64) -> Result<(i64, usize)> {
    let at = text.space(at);
    match text.byte(at) {
        Some(b'n') if null >= 0 => Ok((null, at)),
        Some(b'{') => {
            let place = text.space(at + 1);
            text.name(place)?;
            let (entry, end) = with_text(text, place, "the name of a variant", |name| lookup(names, name))?;
            let value = text.punctuation(end, b':', "`:` behind the name of a variant")?;
            entry
                .map(|e| (e, value))
                .ok_or_else(|| Bad::new(FaultKind::Union, place, "the name of a variant of the union"))
        }
        _ => Err(text.other(at, "null, or an object that names a variant")),
    }
}
