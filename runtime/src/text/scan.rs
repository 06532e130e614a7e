//! Tokens: white space, literals, strings and numbers, and passing over whole values (RFC 8259).

use super::digits::Eight;
use super::marks::{marks, not_digits};
use super::names::Digest;
use super::{Bad, Result, Text};
use reschema_ir::FaultKind;

/// Bytes between tokens.
pub struct Space;

impl Space {
    /// True for white space.
    #[inline(always)]
    pub fn is(byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
    }
}

/// A string: where its text begins and ends, between the quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoted {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) escapes: bool,
}

/// A number: where it begins and ends, and whether it has neither fraction nor exponent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) integer: bool,
}

/// True for text that is quoted as it is.
#[inline(always)]
pub(crate) fn is_plain(chunk: &[u8; 16]) -> bool {
    marks(chunk).stops == 0
}

/// How a sequence goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// With an item.
    More,
    /// Not at all.
    End,
}

impl Text<'_> {
    /// Reads what opens an array or object.
    pub fn open(self, at: usize, object: bool) -> Result<(Items, usize)> {
        let (bracket, last, expected) = if object { (b'{', b'}', "an object") } else { (b'[', b']', "an array") };
        let at = self.space(at);
        if self.byte(at) != Some(bracket) {
            return Err(self.other(at, expected));
        }
        let next = self.space(at + 1);
        match self.byte(next) {
            Some(b) if b == last => Ok((Items::End, next + 1)),
            Some(_) => Ok((Items::More, next)),
            None => Err(self.ends("an item, or the end of what is open")),
        }
    }

    /// Reads what is behind an item.
    pub fn next(self, at: usize, object: bool) -> Result<(Items, usize)> {
        let at = self.space(at);
        match (self.byte(at), object) {
            (Some(b','), _) => Ok((Items::More, at + 1)),
            (Some(b'}'), true) | (Some(b']'), false) => Ok((Items::End, at + 1)),
            (_, true) => Err(self.syntax(at, "`,` or `}`")),
            (_, false) => Err(self.syntax(at, "`,` or `]`")),
        }
    }
}

impl<'a> Text<'a> {
    #[inline(always)]
    pub(super) fn byte(self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Where white space ends.
    #[inline(always)]
    pub fn space(self, mut at: usize) -> usize {
        while self.byte(at).is_some_and(|b| b <= b' ' && Space::is(b)) {
            at += 1;
        }
        at
    }

    #[cold]
    pub(super) fn ends(self, expected: &'static str) -> Bad {
        Bad { kind: None, at: self.bytes.len(), expected }
    }

    /// What stands at `at` is not what was expected: a value of another kind, or no value at all.
    #[cold]
    pub(super) fn other(self, at: usize, expected: &'static str) -> Bad {
        match self.byte(at) {
            None => self.ends(expected),
            Some(b'"' | b'{' | b'[' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => {
                match self.skip(at, u32::MAX) {
                    // It is a value.
                    Ok(_) => Bad::new(FaultKind::Type, at, expected),
                    Err(bad) => bad,
                }
            }
            Some(_) => Bad::new(FaultKind::Syntax, at, expected),
        }
    }

    #[cold]
    pub(super) fn syntax(self, at: usize, expected: &'static str) -> Bad {
        if at >= self.bytes.len() { self.ends(expected) } else { Bad::new(FaultKind::Syntax, at, expected) }
    }

    /// One byte that must be there.
    #[inline(always)]
    pub(super) fn punctuation(self, at: usize, byte: u8, expected: &'static str) -> Result<usize> {
        let at = self.space(at);
        if self.byte(at) == Some(byte) { Ok(at + 1) } else { Err(self.syntax(at, expected)) }
    }

    /// Bytes that must be there, behind white space.
    pub fn literal(self, at: usize, word: &[u8], expected: &'static str) -> Result<usize> {
        let at = self.space(at);
        match (self.byte(at), word.first()) {
            (Some(found), Some(first)) if found != *first && first.is_ascii_alphabetic() => {
                Err(self.other(at, expected))
            }
            _ => self.word(at, word, expected),
        }
    }

    /// Bytes that must be there. A word must end there.
    fn word(self, at: usize, word: &[u8], expected: &'static str) -> Result<usize> {
        let rest = &self.bytes[at.min(self.bytes.len())..];
        if rest.starts_with(word) {
            let end = at + word.len();
            return if word.last().is_some_and(u8::is_ascii_alphabetic) { self.delimited(end) } else { Ok(end) };
        }
        if word.starts_with(rest) {
            return Err(self.ends(expected));
        }
        Err(Bad::new(FaultKind::Syntax, at, expected))
    }

    /// A word or a number ends here.
    #[inline(always)]
    pub(super) fn delimited(self, at: usize) -> Result<usize> {
        match self.byte(at) {
            Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b':') => Ok(at),
            None if self.complete => Ok(at),
            None => Err(self.ends("what follows")),
            Some(_) => Err(self.syntax(at, "the end of the number or word")),
        }
    }

    /// A string; `at` is behind white space.
    pub(super) fn string(self, at: usize, expected: &'static str) -> Result<Quoted> {
        if self.byte(at) != Some(b'"') {
            return Err(self.other(at, expected));
        }
        let start = at + 1;
        let mut at = start;
        let (mut escapes, mut wide) = (false, 0);
        loop {
            while let Some(chunk) = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
                let marks = marks(chunk);
                wide |= marks.wide_before();
                if marks.stops != 0 {
                    at += marks.stops.trailing_zeros() as usize;
                    break;
                }
                at += 16;
            }
            match self.byte(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escapes = true;
                    at = self.escape(at)?;
                }
                Some(0..0x20) => {
                    return Err(Bad::new(FaultKind::Syntax, at, "no control characters inside a string"));
                }
                Some(b) => {
                    wide |= u32::from(b & 0x80);
                    at += 1;
                }
                None => return Err(self.ends("the end of the string")),
            }
        }
        if wide != 0
            && let Err(e) = std::str::from_utf8(&self.bytes[start..at])
        {
            return Err(Bad::new(FaultKind::Utf8, start + e.valid_up_to(), "UTF-8"));
        }
        Ok(Quoted { start, end: at, escapes })
    }

    /// Passes over an escape.
    fn escape(self, at: usize) -> Result<usize> {
        match self.byte(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => self.unicode(at),
            None => Err(self.ends("an escape")),
            Some(_) => Err(Bad::new(FaultKind::Syntax, at, "an escape that JSON has")),
        }
    }

    fn unicode(self, at: usize) -> Result<usize> {
        match self.hex(at + 2)? {
            0xd800..0xdc00 => {
                let low = self.byte(at + 6) == Some(b'\\') && self.byte(at + 7) == Some(b'u');
                if !low {
                    let cut = self.bytes.len() <= at + 6 || (self.bytes.len() == at + 7 && self.bytes[at + 6] == b'\\');
                    let expected = "a low surrogate behind a high one";
                    return Err(if cut { self.ends(expected) } else { Bad::new(FaultKind::Utf8, at, expected) });
                }
                match self.hex(at + 8)? {
                    0xdc00..0xe000 => Ok(at + 12),
                    _ => Err(Bad::new(FaultKind::Utf8, at, "a low surrogate behind a high one")),
                }
            }
            0xdc00..0xe000 => Err(Bad::new(FaultKind::Utf8, at, "no low surrogate without a high one")),
            _ => Ok(at + 6),
        }
    }

    fn hex(self, at: usize) -> Result<u32> {
        let mut value = 0;
        for i in at..at + 4 {
            let digit = self.byte(i).ok_or_else(|| self.ends("four hexadecimal digits"))?;
            let digit = char::from(digit).to_digit(16);
            value = value << 4 | digit.ok_or_else(|| Bad::new(FaultKind::Syntax, i, "four hexadecimal digits"))?;
        }
        Ok(value)
    }

    /// A number; `at` is behind white space.
    pub(super) fn number(self, at: usize, expected: &'static str) -> Result<Number> {
        let start = at;
        let mut at = at + usize::from(self.byte(at) == Some(b'-'));
        let mut integer = true;
        match self.byte(at) {
            Some(b'0') => at += 1,
            Some(b'1'..=b'9') => at = self.digits(at),
            _ if at > start => return Err(self.syntax(at, "a digit")),
            _ => return Err(self.other(at, expected)),
        }
        if self.byte(at) == Some(b'.') {
            integer = false;
            at = self.some_digits(at + 1)?;
        }
        if let Some(b'e' | b'E') = self.byte(at) {
            integer = false;
            let sign = matches!(self.byte(at + 1), Some(b'+' | b'-'));
            at = self.some_digits(at + 1 + usize::from(sign))?;
        }
        Ok(Number { start, end: self.delimited(at)?, integer })
    }

    /// The end of a number without exponent, of up to 31 bytes and with as many to read, if it is good and something stands
    /// behind it. `None`: look closely.
    #[inline(always)]
    fn usual_number(self, at: usize) -> Option<usize> {
        let start = at + usize::from(self.byte(at)? == b'-');
        let (first, second) = self.bytes.get(start..)?.first_chunk::<32>()?.split_at(16);
        let others = |half: &[u8]| half.first_chunk::<16>().map(not_digits);
        let others = others(first)? | others(second)? << 16;
        let whole = others.trailing_zeros();
        if whole == 0 || whole == 32 || (whole > 1 && self.bytes[start] == b'0') {
            return None;
        }
        let mut end = start + whole as usize;
        let mut last = self.bytes[end];
        if last == b'.' {
            let fraction = others & others.wrapping_sub(1);
            let n = fraction.trailing_zeros();
            if n == 32 || n == whole + 1 {
                return None;
            }
            end = start + n as usize;
            last = self.bytes[end];
        }
        matches!(last, b',' | b'}' | b']' | b'\n').then_some(end)
    }

    #[inline(always)]
    fn digits(self, mut at: usize) -> usize {
        while let Some(eight) = Eight::at(self.bytes, at) {
            let n = eight.count();
            at += n;
            if n < 8 {
                return at;
            }
        }
        while self.byte(at).is_some_and(|b| b.is_ascii_digit()) {
            at += 1;
        }
        at
    }

    fn some_digits(self, at: usize) -> Result<usize> {
        let end = self.digits(at);
        if end == at { Err(self.syntax(at, "a digit")) } else { Ok(end) }
    }

    /// Passes over a value in which at most `levels` arrays and objects are inside each other. All its syntax is checked.
    #[inline]
    pub fn skip(self, at: usize, levels: u32) -> Result<usize> {
        let at = self.space(at);
        match self.byte(at) {
            Some(b'"') => Ok(self.string(at, "a value")?.end + 1),
            Some(b'-' | b'0'..=b'9') => match self.usual_number(at) {
                Some(end) => Ok(end),
                None => Ok(self.number(at, "a value")?.end),
            },
            _ => self.skip_any(at, levels),
        }
    }

    fn skip_any(self, mut at: usize, levels: u32) -> Result<usize> {
        let mut open = Nesting::default();
        loop {
            at = match self.byte(at) {
                Some(b'"') => self.string(at, "a value")?.end + 1,
                Some(b'-' | b'0'..=b'9') => match self.usual_number(at) {
                    Some(end) => end,
                    None => self.number(at, "a value")?.end,
                },
                Some(b't') => self.word(at, b"true", "a value")?,
                Some(b'f') => self.word(at, b"false", "a value")?,
                Some(b'n') => self.word(at, b"null", "a value")?,
                Some(bracket @ (b'{' | b'[')) => {
                    let object = bracket == b'{';
                    if !open.push(object, levels) {
                        return Err(Bad::new(FaultKind::Limit, at, "no deeper nesting"));
                    }
                    let next = self.space(at + 1);
                    if self.byte(next) != Some(if object { b'}' } else { b']' }) {
                        at = if object { self.key(next)? } else { next };
                        continue;
                    }
                    open.pop();
                    next + 1
                }
                _ => return Err(self.syntax(at, "a value")),
            };
            // Behind a value.
            loop {
                let Some(object) = open.innermost() else { return Ok(at) };
                let next = self.space(at);
                match (self.byte(next), object) {
                    (Some(b','), true) => at = self.key(self.space(next + 1))?,
                    (Some(b','), false) => at = self.space(next + 1),
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        open.pop();
                        at = next + 1;
                        continue;
                    }
                    (_, true) => return Err(self.syntax(next, "`,` or `}`")),
                    (_, false) => return Err(self.syntax(next, "`,` or `]`")),
                }
                break;
            }
        }
    }

    /// Passes over a key and its colon, to where the value begins.
    fn key(self, at: usize) -> Result<usize> {
        let name = self.name(at)?;
        let at = self.punctuation(name.end + 1, b':', "`:` behind a key")?;
        Ok(self.space(at))
    }

    /// A key of up to 15 bytes of ASCII without escapes, with some bytes to read behind it: its digest, and where its text ends.
    #[inline(always)]
    pub(super) fn short_name(self, at: usize) -> Option<(Digest, usize)> {
        let (quote, rest) = self.bytes.get(at..)?.split_first()?;
        let chunk = rest.first_chunk::<16>()?;
        let marks = marks(chunk);
        let n = marks.stops.trailing_zeros() as usize;
        let usual = *quote == b'"' && n < 16 && chunk[n & 15] == b'"' && marks.wide_before() == 0;
        usual.then(|| (Digest::of_first(chunk, n), at + 1 + n))
    }

    /// A key; `at` is behind white space.
    pub(super) fn name(self, at: usize) -> Result<Quoted> {
        if self.byte(at) == Some(b'"') { self.string(at, "a key") } else { Err(self.syntax(at, "a key in quotes")) }
    }
}

/// Which brackets are open, a bit each: two for every level that there can be (a value and its tag), and one more.
#[derive(Default)]
struct Nesting {
    bits: [u64; 9],
    depth: u32,
}

impl Nesting {
    /// False if that is too deep.
    fn push(&mut self, object: bool, levels: u32) -> bool {
        let Some(word) = self.bits.get_mut(self.depth as usize / 64) else { return false };
        if self.depth >= levels {
            return false;
        }
        let bit = 1 << (self.depth % 64);
        *word = if object { *word | bit } else { *word & !bit };
        self.depth += 1;
        true
    }

    fn pop(&mut self) {
        self.depth -= 1;
    }

    fn innermost(&self) -> Option<bool> {
        let last = self.depth.checked_sub(1)?;
        Some(self.bits[last as usize / 64] >> (last % 64) & 1 == 1)
    }
}
