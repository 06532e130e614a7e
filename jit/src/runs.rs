//! Runs of skips as functions of their own: those that repeat themselves share one, wherever they begin in it.

use reschema_ir::skip_run::{Entry, Item};
use reschema_ir::{Body, Len, Num, Op, Program, TableId};
use std::collections::HashMap;

/// Entries that a function may have; longer ones are left to a helper.
const MOST: usize = 64;

/// What a function passes over, again and again.
pub(crate) struct Pattern {
    pub(crate) entries: Vec<Entry>,
    /// The table that holds them, the first at this place.
    pub(crate) table: TableId,
    pub(crate) at: usize,
    /// It is begun anywhere and ended anywhere; if not, it is passed over once, as a whole.
    pub(crate) cyclic: bool,
}

/// How a run is passed over.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) pattern: usize,
    /// The entry to begin with.
    pub(crate) phase: usize,
    pub(crate) count: usize,
}

/// The runs of a Program.
#[derive(Default)]
pub(crate) struct Runs {
    pub(crate) patterns: Vec<Pattern>,
    places: HashMap<u32, Place>,
}

impl Runs {
    pub(crate) fn new(program: &Program) -> Runs {
        let mut runs = Runs::default();
        program.funcs.iter().for_each(|f| runs.find(program, &f.body));
        runs
    }

    /// Where a run stands, if a function passes over it.
    pub(crate) fn place(&self, table: TableId) -> Option<Place> {
        self.places.get(&table.0).copied()
    }

    fn find(&mut self, program: &Program, body: &Body) {
        for inst in &body.0 {
            if let Op::SkipRun { index: Num::Zigzag32, len: Len::Zigzag, kinds } = inst.op {
                self.add(program, kinds);
            }
            inst.op.bodies().iter().for_each(|b| self.find(program, b));
        }
    }

    fn add(&mut self, program: &Program, table: TableId) {
        if self.places.contains_key(&table.0) {
            return;
        }
        let codes: Option<Vec<i64>> = program.table(table).0.iter().copied().collect();
        let Some(codes) = codes.filter(|codes| !codes.is_empty()) else { return };
        let Some(entries) = codes.iter().map(|c| Entry::from_code(*c)).collect::<Option<Vec<_>>>() else { return };
        let period = period(&codes);
        if period > MOST {
            return;
        }
        let cyclic = period < codes.len();
        // Where the smallest of all rotations begins.
        let begin = if cyclic { (0..period).min_by_key(|i| rotated(&codes[..period], *i)).unwrap_or(0) } else { 0 };
        let entries = if cyclic { rotated(&entries[..period], begin) } else { entries };
        let known = self.patterns.iter().position(|p| p.cyclic == cyclic && p.entries == entries);
        let pattern = known.unwrap_or(self.patterns.len());
        if known.is_none() {
            self.patterns.push(Pattern { entries, table, at: begin, cyclic });
        }
        let phase = if begin == 0 { 0 } else { period - begin };
        self.places.insert(table.0, Place { pattern, phase, count: codes.len() });
    }
}

impl Pattern {
    /// The place in the table of an entry.
    pub(crate) fn in_table(&self, entry: usize) -> usize {
        // The table holds a whole period from its start.
        (self.at + entry) % self.entries.len()
    }

    /// Bytes that an entry moves the input on without asking, at most.
    pub(crate) fn reach(entry: &Entry) -> u64 {
        let item = match entry.item {
            Item::Fixed(n) => n.into(),
            Item::Varint => 8,
            Item::Span => 64,
        };
        1 + item
    }
}

/// The shortest beginning that repeated gives all, the last time not to its end perhaps.
fn period(codes: &[i64]) -> usize {
    (1..codes.len()).find(|d| codes[*d..] == codes[..codes.len() - d]).unwrap_or(codes.len())
}

fn rotated<T: Copy>(list: &[T], by: usize) -> Vec<T> {
    [&list[by..], &list[..by]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods() {
        assert_eq!(period(&[1, 2, 3, 1, 2]), 3);
        assert_eq!(period(&[1, 1, 1]), 1);
        assert_eq!(period(&[1, 2, 3]), 3);
    }

    #[test]
    fn runs_of_one_pattern_share_a_function() {
        let text = "program columns=0 users=0\ntable t0 = 17 18 2064 17 18 2064 17\ntable t1 = 2064 17 18 2064 17\n\
                    table t2 = 17 2\nfunc @0 nums=0 spans=0 marks=0 depth=0 {\n\
                    skip.run index=zigzag32 len=zigzag kinds=t0 !0\nskip.run index=zigzag32 len=zigzag kinds=t1 !0\n\
                    skip.run index=zigzag32 len=zigzag kinds=t2 !0\n}";
        let program: Program = text.parse().expect("a Program");
        let runs = Runs::new(&program);
        let place = |t| runs.place(TableId(t)).map(|p| (p.pattern, p.phase, p.count));
        assert_eq!((place(0), place(1), place(2)), (Some((0, 0, 7)), Some((0, 2, 5)), Some((1, 0, 2))));
        assert_eq!([0, 1, 2].map(|i| runs.patterns[0].in_table(i)), [0, 1, 2]);
    }
}
