//! Reading JSON by `serde_json`, value by value, into sketches.

use super::Inferrer;
use super::sketch::Sketch;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::{self, BufReader, Read};

/// Why nothing was inferred.
#[derive(Debug)]
pub struct InferError {
    kind: InferErrorKind,
    message: String,
    place: Option<(usize, usize)>,
    io: Option<io::Error>,
}

/// Classes of [`InferError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InferErrorKind {
    /// The input cannot be read.
    Io,
    /// The input is no JSON, or nested too deep.
    Data,
    /// There is no value.
    Empty,
    /// The schema would be larger or deeper than schemas may be.
    Schema,
}

impl InferError {
    pub(super) fn empty() -> InferError {
        InferError {
            kind: InferErrorKind::Empty,
            message: "no value to infer a schema from".into(),
            place: None,
            io: None,
        }
    }

    pub(super) fn schema(why: impl fmt::Display) -> InferError {
        let message = format!("the inferred schema is none that can be used: {why}");
        InferError { kind: InferErrorKind::Schema, message, place: None, io: None }
    }

    /// Class.
    pub fn kind(&self) -> InferErrorKind {
        self.kind
    }

    /// Line and column, from 1, where the input is bad.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        self.place
    }
}

impl From<serde_json::Error> for InferError {
    fn from(e: serde_json::Error) -> InferError {
        let place = Some((e.line(), e.column())).filter(|p| p.0 > 0);
        let text = e.to_string();
        let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(words, _)| words).to_string();
        if e.is_io() {
            let io = io::Error::from(e);
            return InferError { kind: InferErrorKind::Io, message: io.to_string(), place: None, io: Some(io) };
        }
        InferError { kind: InferErrorKind::Data, message, place, io: None }
    }
}

impl fmt::Display for InferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for InferError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.io.as_ref().map(|e| e as _)
    }
}

pub(super) fn read(inferrer: &mut Inferrer, input: impl Read) -> Result<(), InferError> {
    let mut from = serde_json::Deserializer::from_reader(BufReader::with_capacity(64 << 10, input));
    let Inferrer { options, root, places, objects } = inferrer;
    let mut run = Run { max_depth: options.max_depth, limits: (options.max_keys, options.max_places), places, objects };
    loop {
        match from.end() {
            Ok(()) => return Ok(()),
            Err(e) if e.is_io() => return Err(e.into()),
            // There is more.
            Err(_) => Value { sketch: root, run: &mut run, depth: 0 }.deserialize(&mut from)?,
        }
    }
}

/// What all values share.
struct Run<'a> {
    max_depth: usize,
    /// Keys at a place, and places.
    limits: (usize, usize),
    places: &'a mut usize,
    objects: &'a mut u64,
}

/// A value on its way to a sketch.
struct Value<'a, 'r> {
    sketch: &'a mut Sketch,
    run: &'a mut Run<'r>,
    depth: usize,
}

impl Value<'_, '_> {
    fn deeper<E: serde::de::Error>(&self) -> Result<usize, E> {
        if self.depth >= self.run.max_depth {
            return Err(E::custom(format_args!("more than {} levels of nesting, the limit", self.run.max_depth)));
        }
        Ok(self.depth + 1)
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        self.sketch.seen += 1;
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.sketch.nulls += 1;
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.sketch.booleans += 1;
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.sketch.integers.add(value.into());
        Ok(())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => self.visit_f64(value as f64),
        }
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        // Of these the text may have been an integer.
        self.sketch.large += u64::from(value.abs() >= (1u64 << 63) as f64);
        self.sketch.fractions.add(value);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.sketch.string(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        let depth = self.deeper::<A::Error>()?;
        let arrays = self.sketch.items(self.run.places);
        let before = arrays.items.seen;
        let mut next = || from.next_element_seed(Value { sketch: &mut arrays.items, run: &mut *self.run, depth });
        while next()?.is_some() {}
        arrays.count += 1;
        arrays.empty += u64::from(arrays.items.seen == before);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        let depth = self.deeper::<A::Error>()?;
        let objects = self.sketch.objects.get_or_insert_default();
        objects.count += 1;
        *self.run.objects += 1;
        let (object, limits) = (*self.run.objects, self.run.limits);
        let mut any = false;
        loop {
            let key = Key { objects, object, limits, places: self.run.places };
            let Some(sketch) = from.next_key_seed(key)? else { break };
            any = true;
            let Some(sketch) = objects.known(sketch) else { return Err(A::Error::custom("a key that is not kept")) };
            from.next_value_seed(Value { sketch, run: &mut *self.run, depth })?;
        }
        objects.empty += u64::from(!any);
        Ok(())
    }
}

/// A key on its way to its place.
struct Key<'a> {
    objects: &'a mut super::sketch::Objects,
    object: u64,
    limits: (usize, usize),
    places: &'a mut usize,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<usize>, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<usize>, E> {
        Ok(self.objects.place(key, self.object, self.limits, self.places))
    }
}
