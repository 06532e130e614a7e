//! Tables of names: which entry a key, a symbol or a tag has.

use reschema_ir::choose::Row;
use reschema_ir::{Body, ConstId, Op, Program, TableId};
use std::sync::Arc;

/// A Program, and an index of each of its tables of names, made once.
pub struct Indexed {
    program: Arc<Program>,
    indexes: Box<[Option<Index>]>,
}

impl Indexed {
    /// Makes the indexes.
    pub fn new(program: Arc<Program>) -> Indexed {
        let mut indexes: Box<[Option<Index>]> = program.tables.iter().map(|_| None).collect();
        let mut add = |table: TableId| {
            if let Some(place @ None) = indexes.get_mut(table.0 as usize) {
                *place = Some(Index::new(&Names::plain(&program, table)));
            }
        };
        program.funcs.iter().for_each(|f| tables_of(&program, &f.body, &mut add));
        Indexed { program, indexes }
    }

    /// The Program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Its tables.
    pub fn tables(&self) -> Tables<'_> {
        Tables { program: &self.program, indexes: &self.indexes }
    }
}

fn tables_of(program: &Program, body: &Body, add: &mut impl FnMut(TableId)) {
    for insn in &body.0 {
        match &insn.op {
            Op::FindField { names, .. }
            | Op::CloseObject { names, .. }
            | Op::Lookup { names, .. }
            | Op::ReadTag { names, .. } => add(*names),
            Op::Choose { rows, .. } => {
                for row in program.table(*rows).0.iter().flatten() {
                    if let Some(Row::Symbol(table) | Row::Record(table)) = Row::from_code(*row) {
                        add(table);
                    }
                }
            }
            _ => {}
        }
        insn.op.bodies().iter().for_each(|b| tables_of(program, b, add));
    }
}

/// The tables of a Program, with their indexes if they were made.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    pub(super) program: &'a Program,
    indexes: &'a [Option<Index>],
}

impl<'a> Tables<'a> {
    /// Without indexes.
    pub fn plain(program: &'a Program) -> Tables<'a> {
        Tables { program, indexes: &[] }
    }

    /// One of names.
    #[inline]
    pub fn names(self, table: TableId) -> Names<'a> {
        let index = self.indexes.get(table.0 as usize).and_then(Option::as_ref);
        Names { index, ..Names::plain(self.program, table) }
    }
}

/// Names, in the order of their bytes, with an entry each: a table of pairs of constant and entry.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    program: &'a Program,
    pairs: &'a [Option<i64>],
    index: Option<&'a Index>,
}

impl<'a> Names<'a> {
    fn plain(program: &'a Program, table: TableId) -> Names<'a> {
        Names { program, pairs: &program.table(table).0, index: None }
    }

    fn name(&self, place: usize) -> &'a [u8] {
        let id = self.pairs.get(2 * place).copied().flatten().unwrap_or(-1);
        self.program.constant(ConstId(u32::try_from(id).unwrap_or(u32::MAX)))
    }

    /// The place of a name among the pairs.
    #[inline]
    pub(super) fn place(&self, name: &[u8]) -> Option<usize> {
        match self.index {
            Some(index) if index.serves() => index.place(&Digest::of(name), |place| self.name(place) == name),
            _ => self.sought(name),
        }
    }

    /// As [`Names::place`], of a name of up to 16 bytes whose digest is known.
    #[inline(always)]
    pub(super) fn short_place(&self, digest: &Digest, name: &[u8]) -> Option<usize> {
        match self.index {
            Some(index) if index.serves() => index.place(digest, |_| true),
            _ => self.sought(name),
        }
    }

    fn sought(&self, name: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.name(middle).cmp(name) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    pub(super) fn entry(&self, place: usize) -> Option<i64> {
        self.pairs.get(2 * place + 1).copied().flatten()
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len() / 2
    }
}

/// The entry of a name.
pub fn lookup(names: &Names<'_>, name: &[u8]) -> Option<i64> {
    names.entry(names.place(name)?)
}

/// What tells most names apart: their length, and two words. Up to 16 bytes, these are all of the name, with zeros behind;
/// of longer ones they are the first eight bytes and the last.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Digest {
    len: usize,
    first: u64,
    last: u64,
}

impl Digest {
    pub(super) fn of(name: &[u8]) -> Digest {
        if let (17.., Some(first), Some(last)) = (name.len(), name.first_chunk::<8>(), name.last_chunk::<8>()) {
            return Digest { len: name.len(), first: u64::from_le_bytes(*first), last: u64::from_le_bytes(*last) };
        }
        let mut chunk = [0; 16];
        for (to, from) in chunk.iter_mut().zip(name) {
            *to = *from;
        }
        Digest::of_first(&chunk, name.len().min(16))
    }

    /// Of a name that is the first `len` ≤ 16 bytes.
    #[inline(always)]
    pub(super) fn of_first(chunk: &[u8; 16], len: usize) -> Digest {
        let word = u128::from_le_bytes(*chunk);
        let (low, high) = (word as u64, (word >> 64) as u64);
        // Of a word so many bytes; none of a shift by all of its bits.
        let of = |word: u64, bytes: usize| word & !u64::MAX.checked_shl(8 * bytes as u32).unwrap_or(0);
        Digest { len, first: of(low, len.min(8)), last: of(high, len.saturating_sub(8)) }
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        let mixed = (self.first ^ self.last.rotate_left(29)).wrapping_add(self.len as u64);
        let product = u128::from(mixed) * 0x9e37_79b9_7f4a_7c15;
        (product >> 64) as u64 ^ product as u64
    }
}

/// Places by digest: an open hash table, at most a quarter full.
struct Index {
    slots: Box<[Slot]>,
    /// Steps that a name is sought for; 0: too many names look alike, and there is no such table.
    steps: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    digest: Digest,
    /// `usize::MAX`: none is here.
    place: usize,
}

/// No name is further from its slot.
const MOST_STEPS: usize = 8;

impl Index {
    fn new(names: &Names<'_>) -> Index {
        let empty = Slot { digest: Digest { len: usize::MAX, first: 0, last: 0 }, place: usize::MAX };
        let size = (names.len() * 4).next_power_of_two().max(8);
        let mut index = Index { slots: vec![empty; size].into(), steps: 1 };
        for place in 0..names.len() {
            let digest = Digest::of(names.name(place));
            let slot = (0..MOST_STEPS).find(|step| index.slots[index.slot(&digest, *step)].place == usize::MAX);
            let Some(step) = slot else { return Index { slots: Box::new([]), steps: 0 } };
            let at = index.slot(&digest, step);
            index.slots[at] = Slot { digest, place };
            index.steps = index.steps.max(step + 1);
        }
        index
    }

    fn serves(&self) -> bool {
        self.steps > 0
    }

    #[inline(always)]
    fn slot(&self, digest: &Digest, step: usize) -> usize {
        (digest.hash() as usize + step) & (self.slots.len() - 1)
    }

    #[inline(always)]
    fn place(&self, digest: &Digest, same: impl Fn(usize) -> bool) -> Option<usize> {
        for step in 0..self.steps {
            let slot = &self.slots[self.slot(digest, step)];
            if slot.digest == *digest && (digest.len <= 16 || same(slot.place)) {
                return Some(slot.place);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reschema_ir::Table;

    fn program(names: &[String]) -> Program {
        let mut names = names.to_vec();
        names.sort();
        names.dedup();
        let mut program = Program::default();
        let mut table = Vec::new();
        for (i, name) in names.iter().enumerate() {
            program.consts.push(name.clone().into_bytes());
            table.extend([Some(i as i64), Some(7 * i as i64)]);
        }
        program.tables.push(Table(table));
        program
    }

    /// Whatever is sought, the index says what the order says.
    fn agrees(names: &[String], serves: bool) {
        let program = program(names);
        let plain = Names::plain(&program, TableId(0));
        let index = Index::new(&plain);
        assert_eq!(index.serves(), serves);
        let names = Names { index: Some(&index), ..plain };
        let all: Vec<String> = (0..names.len()).map(|i| String::from_utf8_lossy(names.name(i)).into_owned()).collect();
        let other = all.iter().flat_map(|n| {
            [format!("{n}x"), format!("x{n}"), n[..n.len().saturating_sub(1)].to_owned(), n.replace('_', "-")]
        });
        for name in all.iter().cloned().chain(other).chain([String::new()]) {
            assert_eq!(names.place(name.as_bytes()), plain.sought(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn the_index_and_the_order_agree() {
        let numbered = |n: usize, f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>();
        agrees(&[], true);
        agrees(&numbered(1, &|_| String::new()), true);
        agrees(&numbered(40, &|i| "a".repeat(i)), true);
        agrees(&numbered(26, &|i| char::from(b'a' + i as u8).into()), true);
        agrees(&numbered(700, &|i| format!("field_{i}")), true);
        agrees(&numbered(700, &|i| format!("{i}_of_the_fields_of_a_long_name")), true);
        agrees(&numbered(300, &|i| format!("a_common_front_{i:03}")), true);
        // Only the middle tells these apart.
        agrees(&numbered(8, &|i| format!("a_common_front_{i:03}_and_a_common_end")), true);
        agrees(&numbered(300, &|i| format!("a_common_front_{i:03}_and_a_common_end")), false);
    }
}
