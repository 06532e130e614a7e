//! What was seen at one place, in bounded size.

use super::forms::{Form, form};
use std::collections::{HashMap, HashSet};

/// Distinct strings that are remembered, and their size.
const DISTINCT: usize = 64;
const DISTINCT_BYTES: usize = 64;

/// Longest key that is kept.
const KEY: usize = 256;

/// The largest integer up to which a double holds all of them.
pub(super) const EXACT: i128 = 1 << 53;

/// What was seen at one place.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    pub(super) seen: u64,
    pub(super) nulls: u64,
    pub(super) booleans: u64,
    /// Integers of 64 bits, signed.
    pub(super) integers: Range<i128>,
    /// Larger ones.
    pub(super) large: u64,
    /// Numbers with a fraction or an exponent, or larger than integers of 64 bits.
    pub(super) fractions: Range<f64>,
    pub(super) strings: Option<Box<Strings>>,
    pub(super) arrays: Option<Arrays>,
    pub(super) objects: Option<Box<Objects>>,
}

/// Numbers: how many, and between which.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range<T> {
    pub(super) count: u64,
    pub(super) least: T,
    pub(super) most: T,
}

#[derive(Debug, Default)]
pub(super) struct Strings {
    pub(super) count: u64,
    pub(super) longest: usize,
    /// `None`: too many.
    pub(super) distinct: Option<HashSet<String>>,
    pub(super) dates: u64,
    /// Time stamps with a zone and without, and their digits behind the second.
    pub(super) instants: u64,
    pub(super) locals: u64,
    pub(super) digits: usize,
    pub(super) uuids: u64,
    pub(super) decimals: u64,
    pub(super) whole: usize,
    pub(super) scale: usize,
}

#[derive(Debug)]
pub(super) struct Arrays {
    pub(super) count: u64,
    pub(super) empty: u64,
    pub(super) items: Box<Sketch>,
}

#[derive(Debug, Default)]
pub(super) struct Objects {
    pub(super) count: u64,
    pub(super) empty: u64,
    /// Keys that came twice in an object.
    pub(super) twice: u64,
    pub(super) keys: Keys,
}

/// The keys of objects.
#[derive(Debug)]
pub(super) enum Keys {
    Fields(Fields),
    /// There were too many: values whatever their key, and how many.
    Any(Box<Sketch>),
}

/// Keys in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Fields {
    places: HashMap<String, usize>,
    pub(super) list: Vec<Field>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) key: String,
    /// Objects that have it.
    pub(super) present: u64,
    /// The last object that had it.
    pub(super) object: u64,
    pub(super) sketch: Sketch,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys::Fields(Fields::default())
    }
}

impl<T: PartialOrd + Copy> Range<T> {
    pub(super) fn add(&mut self, value: T) {
        if self.count == 0 || value < self.least {
            self.least = value;
        }
        if self.count == 0 || value > self.most {
            self.most = value;
        }
        self.count += 1;
    }

    fn merge(&mut self, other: Range<T>) {
        if other.count > 0 {
            self.add(other.least);
            self.add(other.most);
            self.count += other.count;
            self.count -= 2;
        }
    }
}

impl Sketch {
    pub(super) fn string(&mut self, text: &str) {
        let s = self
            .strings
            .get_or_insert_with(|| Box::new(Strings { distinct: Some(HashSet::new()), ..Strings::default() }));
        s.count += 1;
        s.longest = s.longest.max(text.len());
        if let Some(distinct) = &mut s.distinct
            && !distinct.contains(text)
        {
            if distinct.len() < DISTINCT && text.len() <= DISTINCT_BYTES {
                distinct.insert(text.into());
            } else {
                s.distinct = None;
            }
        }
        match form(text) {
            Form::Date => s.dates += 1,
            Form::Instant(digits) => (s.instants, s.digits) = (s.instants + 1, s.digits.max(digits)),
            Form::Local(digits) => (s.locals, s.digits) = (s.locals + 1, s.digits.max(digits)),
            Form::Uuid => s.uuids += 1,
            Form::Decimal { whole, scale } => {
                (s.decimals, s.whole, s.scale) = (s.decimals + 1, s.whole.max(whole), s.scale.max(scale));
            }
            Form::None => {}
        }
    }

    /// The sketch of its items; `places` counts it.
    pub(super) fn items(&mut self, places: &mut usize) -> &mut Arrays {
        self.arrays.get_or_insert_with(|| {
            *places += 1;
            Arrays { count: 0, empty: 0, items: Box::default() }
        })
    }

    /// Adds what another has seen. Levels are as many as values have.
    pub(super) fn merge(&mut self, other: Sketch) {
        self.seen += other.seen;
        self.nulls += other.nulls;
        self.booleans += other.booleans;
        self.integers.merge(other.integers);
        self.large += other.large;
        self.fractions.merge(other.fractions);
        match (&mut self.strings, other.strings) {
            (Some(mine), Some(theirs)) => mine.merge(*theirs),
            (mine @ None, theirs) => *mine = theirs,
            _ => {}
        }
        match (&mut self.arrays, other.arrays) {
            (Some(mine), Some(theirs)) => {
                mine.count += theirs.count;
                mine.empty += theirs.empty;
                mine.items.merge(*theirs.items);
            }
            (mine @ None, theirs) => *mine = theirs,
            _ => {}
        }
        match (&mut self.objects, other.objects) {
            (Some(mine), Some(theirs)) => mine.merge(*theirs),
            (mine @ None, theirs) => *mine = theirs,
            _ => {}
        }
    }

    /// Sketches here and below.
    pub(super) fn places(&self) -> usize {
        let items = self.arrays.as_ref().map_or(0, |a| a.items.places());
        let objects = self.objects.as_ref().map_or(0, |o| match &o.keys {
            Keys::Any(values) => values.places(),
            Keys::Fields(fields) => fields.list.iter().map(|f| f.sketch.places()).sum(),
        });
        1 + items + objects
    }
}

impl Strings {
    fn merge(&mut self, other: Strings) {
        self.count += other.count;
        self.longest = self.longest.max(other.longest);
        self.distinct = match (self.distinct.take(), other.distinct) {
            (Some(mut mine), Some(theirs)) => {
                mine.extend(theirs);
                Some(mine).filter(|d| d.len() <= DISTINCT)
            }
            _ => None,
        };
        self.dates += other.dates;
        self.instants += other.instants;
        self.locals += other.locals;
        self.digits = self.digits.max(other.digits);
        self.uuids += other.uuids;
        self.decimals += other.decimals;
        self.whole = self.whole.max(other.whole);
        self.scale = self.scale.max(other.scale);
    }
}

impl Objects {
    /// The place of a key, `None` where keys are not told apart: because there are more than `max_keys`, or `max_places`
    /// of all. `places` counts a new one.
    pub(super) fn place(
        &mut self,
        key: &str,
        object: u64,
        (max_keys, max_places): (usize, usize),
        places: &mut usize,
    ) -> Option<usize> {
        let Keys::Fields(fields) = &mut self.keys else { return None };
        let at = match fields.places.get(key) {
            Some(at) => *at,
            None if fields.list.len() >= max_keys || *places >= max_places || key.len() > KEY => {
                self.forget_keys(places);
                return None;
            }
            None => {
                *places += 1;
                fields.places.insert(key.into(), fields.list.len());
                fields.list.push(Field { key: key.into(), present: 0, object: 0, sketch: Sketch::default() });
                fields.list.len() - 1
            }
        };
        let field = &mut fields.list[at];
        if field.object == object {
            self.twice += 1;
        } else {
            (field.present, field.object) = (field.present + 1, object);
        }
        Some(at)
    }

    /// The sketch at a place that [`Objects::place`] gave.
    pub(super) fn known(&mut self, place: Option<usize>) -> Option<&mut Sketch> {
        match (&mut self.keys, place) {
            (Keys::Any(values), _) => Some(values),
            (Keys::Fields(fields), Some(at)) => fields.list.get_mut(at).map(|f| &mut f.sketch),
            (Keys::Fields(_), None) => None,
        }
    }

    /// Makes one sketch of those of all keys.
    fn forget_keys(&mut self, places: &mut usize) {
        let Keys::Fields(fields) = &mut self.keys else { return };
        let fields = std::mem::take(fields);
        let before: usize = fields.list.iter().map(|f| f.sketch.places()).sum();
        let mut all = Sketch::default();
        fields.list.into_iter().for_each(|f| all.merge(f.sketch));
        *places = (*places).saturating_sub(before) + all.places();
        self.keys = Keys::Any(Box::new(all));
    }

    fn merge(&mut self, other: Objects) {
        self.count += other.count;
        self.empty += other.empty;
        self.twice += other.twice;
        let mut ignored = 0;
        match other.keys {
            Keys::Any(values) => {
                self.forget_keys(&mut ignored);
                if let Keys::Any(mine) = &mut self.keys {
                    mine.merge(*values);
                }
            }
            Keys::Fields(theirs) => {
                for field in theirs.list {
                    match &mut self.keys {
                        Keys::Any(mine) => mine.merge(field.sketch),
                        Keys::Fields(mine) => mine.merge(field),
                    }
                }
            }
        }
    }

    /// What all values have in common, whatever their key.
    pub(super) fn into_values(mut self) -> Sketch {
        self.forget_keys(&mut 0);
        match self.keys {
            Keys::Any(values) => *values,
            Keys::Fields(_) => Sketch::default(),
        }
    }
}

impl Fields {
    fn merge(&mut self, field: Field) {
        match self.places.get(&field.key) {
            Some(at) => {
                let mine = &mut self.list[*at];
                mine.present += field.present;
                mine.sketch.merge(field.sketch);
            }
            None => {
                self.places.insert(field.key.clone(), self.list.len());
                self.list.push(field);
            }
        }
    }
}
