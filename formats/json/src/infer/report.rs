//! What was seen, place by place: how sure a schema is.

use super::sketch::{Keys, Sketch};
use serde_json::{Value, json};
use std::fmt;

/// What was seen, from outside to inside in the order of the schema. `Display` tells it in lines, a place each.
#[derive(Clone, Debug)]
pub struct Certainty {
    pub(super) places: Vec<Place>,
}

/// What was seen at a place of the values.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Place {
    /// Path: `$.field`, `[]` for items, `{}` for values of a map.
    pub path: String,
    /// Type that it has in the schema.
    pub kind: String,
    /// Values.
    pub seen: u64,
    /// Of a field: objects that have it.
    pub present: u64,
    /// Of a field: objects that do not.
    pub missing: u64,
    /// Nulls.
    pub nulls: u64,
    /// Booleans.
    pub booleans: u64,
    /// Integers of 64 bits.
    pub integers: u64,
    /// The least and the largest of them.
    pub integer_range: Option<(i64, i64)>,
    /// Whether all integers have 32 bits.
    pub fits_int: bool,
    /// Other numbers.
    pub fractions: u64,
    /// The least and the largest of them.
    pub fraction_range: Option<(f64, f64)>,
    /// Strings.
    pub strings: u64,
    /// How many distinct strings, up to 64; `None` if there are more, or long ones.
    pub distinct: Option<usize>,
    /// Bytes of the longest string.
    pub longest: usize,
    /// Strings that are dates.
    pub dates: u64,
    /// Strings that are time stamps, with a zone or without.
    pub timestamps: u64,
    /// Strings that are UUIDs.
    pub uuids: u64,
    /// Strings that are decimals.
    pub decimals: u64,
    /// Arrays, and how many of them are empty.
    pub arrays: (u64, u64),
    /// Objects, and how many of them are empty.
    pub objects: (u64, u64),
    /// Distinct keys of the objects; `None` if there are more than are kept apart.
    pub keys: Option<usize>,
    /// What to know about the choice, or what else there would be to choose.
    pub hints: Vec<String>,
}

impl Place {
    pub(super) fn new(path: &str, sketch: &Sketch, present: u64, missing: u64) -> Place {
        let strings = sketch.strings.as_deref();
        let narrow = |n: i128| i64::try_from(n).unwrap_or_default();
        let Sketch { integers, fractions, .. } = sketch;
        Place {
            path: path.into(),
            seen: sketch.seen,
            present,
            missing,
            nulls: sketch.nulls,
            booleans: sketch.booleans,
            integers: integers.count,
            integer_range: (integers.count > 0).then(|| (narrow(integers.least), narrow(integers.most))),
            fractions: fractions.count,
            fraction_range: (fractions.count > 0).then_some((fractions.least, fractions.most)),
            strings: strings.map_or(0, |s| s.count),
            distinct: strings.and_then(|s| s.distinct.as_ref()).map(|d| d.len()),
            longest: strings.map_or(0, |s| s.longest),
            dates: strings.map_or(0, |s| s.dates),
            timestamps: strings.map_or(0, |s| s.instants + s.locals),
            uuids: strings.map_or(0, |s| s.uuids),
            decimals: strings.map_or(0, |s| s.decimals),
            arrays: sketch.arrays.as_ref().map_or((0, 0), |a| (a.count, a.empty)),
            objects: sketch.objects.as_ref().map_or((0, 0), |o| (o.count, o.empty)),
            keys: sketch.objects.as_ref().and_then(|o| match &o.keys {
                Keys::Fields(fields) => Some(fields.list.len()),
                Keys::Any(_) => None,
            }),
            ..Place::default()
        }
    }

    fn counts(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut add = |n: u64, words: String| {
            if n > 0 {
                out.push(format!("{n} {words}"));
            }
        };
        let range = |r: &Option<(i64, i64)>| r.map(|(a, b)| format!(" ({a} to {b})")).unwrap_or_default();
        add(self.nulls, "null".into());
        add(self.booleans, "boolean".into());
        add(self.integers, format!("integer{}", range(&self.integer_range)));
        let fractions = self.fraction_range.map(|(a, b)| format!(" ({a:e} to {b:e})")).unwrap_or_default();
        add(self.fractions, format!("fraction{fractions}"));
        let distinct = self.distinct.map_or("many".into(), |n| n.to_string());
        add(self.strings, format!("string ({distinct} distinct, longest {} bytes)", self.longest));
        let empty = |n: u64| if n > 0 { format!(" ({n} empty)") } else { String::new() };
        add(self.arrays.0, format!("array{}", empty(self.arrays.1)));
        let keys = self.keys.map_or("many".into(), |n| n.to_string());
        add(self.objects.0, format!("object{} of {keys} keys", empty(self.objects.1)));
        out
    }

    fn in_json(&self) -> Value {
        json!({
            "path": self.path, "type": self.kind, "seen": self.seen, "present": self.present, "missing": self.missing,
            "nulls": self.nulls, "booleans": self.booleans,
            "integers": self.integers, "integer_range": self.integer_range, "fits_int": self.fits_int,
            "fractions": self.fractions, "fraction_range": self.fraction_range,
            "strings": self.strings, "distinct_strings": self.distinct, "longest_string": self.longest,
            "dates": self.dates, "timestamps": self.timestamps, "uuids": self.uuids, "decimals": self.decimals,
            "arrays": self.arrays.0, "empty_arrays": self.arrays.1,
            "objects": self.objects.0, "empty_objects": self.objects.1, "keys": self.keys,
            "hints": self.hints,
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {} seen", self.path, self.kind, self.seen)?;
        if self.missing > 0 {
            write!(f, ", missing in {} of {}", self.missing, self.missing + self.present)?;
        }
        write!(f, ": {}", self.counts().join(", "))?;
        self.hints.iter().try_for_each(|h| write!(f, "; {h}"))
    }
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.places.iter().try_for_each(|p| writeln!(f, "{p}"))
    }
}

impl Certainty {
    /// All places.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The place of a path.
    pub fn place(&self, path: &str) -> Option<&Place> {
        self.places.iter().find(|p| p.path == path)
    }

    /// The same as JSON: an array, an object a place.
    pub fn to_json(&self) -> String {
        Value::Array(self.places.iter().map(Place::in_json).collect()).to_string()
    }
}
