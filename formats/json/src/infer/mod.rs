//! A schema for JSON that has none: what was seen is counted in sketches of bounded size, and the sketches become an Avro
//! schema and a report of how sure it is.
//!
//! | seen | becomes |
//! |---|---|
//! | objects | a record, its fields in the order in which keys were first seen |
//! | objects used as dictionaries: a key that is no Avro name, very many keys, or many keys of one type of which an object has few | a map |
//! | a key that is not in all objects | a union with null, default null |
//! | integers | `long`; among numbers with a fraction `double`, where that holds them exactly, else both in a union |
//! | strings | `string`; what they look like is a hint, or a logical type by option |
//! | several kinds | a union: null, boolean, long, double, string, array, record or map |
//! | empty arrays, empty objects | arrays and maps of null |
//!
//! JSON that is read under the inferred schema (as plain JSON, the usual options) and written again holds the same values,
//! numbers compared as numbers (`1` may come back as `1.0`), except that a key that was missing comes back as null, and an
//! integer beyond 64 bits as the nearest `double`; the report tells where.

mod forms;
mod read;
mod report;
mod shape;
mod sketch;

pub use read::{InferError, InferErrorKind};
pub use report::{Certainty, Place};

use reschema_schema::Schema;
use sketch::Sketch;
use std::io::Read;

/// What is inferred, and how.
#[derive(Clone, Debug)]
pub struct InferOptions {
    name: String,
    logical_types: bool,
    lenient_names: bool,
    max_depth: usize,
    max_keys: usize,
    max_places: usize,
    array: TopArray,
}

/// What an array at the top is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopArray {
    /// If it is the only value, its items are the values; else a value.
    Auto,
    /// A value.
    Value,
}

impl Default for InferOptions {
    fn default() -> InferOptions {
        InferOptions {
            name: "Record".into(),
            logical_types: false,
            lenient_names: false,
            max_depth: 64,
            max_keys: 1_000,
            max_places: 20_000,
            array: TopArray::Auto,
        }
    }
}

impl InferOptions {
    /// Name of the outermost record; those inside are named by their keys. What is no Avro name is made one.
    pub fn name(mut self, name: &str) -> InferOptions {
        self.name = name.into();
        self
    }

    /// Strings that are all dates, time stamps, UUIDs or decimals become the logical type. They may come back spelled
    /// otherwise (`1.5` as `1.50`, another zone as UTC), so it is not the default.
    pub fn logical_types(mut self, yes: bool) -> InferOptions {
        self.logical_types = yes;
        self
    }

    /// Keys that are no Avro names become fields all the same. Such a schema is read with
    /// [`Names::Lenient`](reschema_schema::avro::Names::Lenient) only.
    pub fn lenient_names(mut self, yes: bool) -> InferOptions {
        self.lenient_names = yes;
        self
    }

    /// Deepest nesting, at most 120 (default 64); deeper values are an error.
    pub fn max_depth(mut self, depth: usize) -> InferOptions {
        self.max_depth = depth.min(120);
        self
    }

    /// Keys at one place beyond which objects are dictionaries. Default 1000.
    pub fn max_keys(mut self, keys: usize) -> InferOptions {
        self.max_keys = keys;
        self
    }

    /// Places of which a sketch is kept (default 20000); beyond them objects with new keys count as dictionaries.
    pub fn max_places(mut self, places: usize) -> InferOptions {
        self.max_places = places;
        self
    }

    /// What an array at the top is.
    pub fn top_array(mut self, array: TopArray) -> InferOptions {
        self.array = array;
        self
    }
}

/// Looks at values, from one source or several.
#[derive(Debug)]
pub struct Inferrer {
    options: InferOptions,
    root: Sketch,
    /// Sketches there are.
    places: usize,
    /// Objects met: their numbers tell keys that come twice.
    objects: u64,
}

/// A schema, and how sure it is.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The schema.
    pub schema: Schema,
    /// What was seen, place by place.
    pub certainty: Certainty,
}

/// Infers a schema from JSON values: one, several behind each other or a line each, or the items of one array.
///
/// ```
/// use reschema_json::infer::{InferOptions, infer}; // or reschema::json::infer
///
/// let text = br#"{"id": 1, "tags": ["a"], "at": "2024-02-29"}
///                {"id": 2, "tags": [], "note": null}"#;
/// let found = infer(text.as_slice(), &InferOptions::default().name("Row"))?;
/// assert_eq!(
///     found.schema.to_avro_json()?.to_string(),
///     concat!(
///         r#"{"type":"record","name":"Row","fields":[{"name":"id","type":"long"},"#,
///         r#"{"name":"tags","type":{"type":"array","items":"string"}},"#,
///         r#"{"name":"at","type":["null","string"],"default":null},"#,
///         r#"{"name":"note","type":"null","default":null}]}"#
///     )
/// );
/// let at = found.certainty.place("$.at").expect("seen");
/// assert_eq!((at.present, at.missing, at.dates), (1, 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The input cannot be read, is no JSON (with line and column), is nested too deep, or holds no value.
pub fn infer(input: impl Read, options: &InferOptions) -> Result<Inference, InferError> {
    let mut inferrer = Inferrer::new(options);
    inferrer.read(input)?;
    inferrer.finish()
}

impl Inferrer {
    /// Has seen nothing.
    pub fn new(options: &InferOptions) -> Inferrer {
        Inferrer { options: options.clone(), root: Sketch::default(), places: 1, objects: 0 }
    }

    /// Looks at all values of an input. Memory is bounded by the options, and by the longest string.
    ///
    /// # Errors
    /// As [`infer`]; what came before counts.
    pub fn read(&mut self, input: impl Read) -> Result<(), InferError> {
        read::read(self, input)
    }

    /// The schema of what was seen.
    ///
    /// # Errors
    /// Nothing was seen.
    pub fn finish(self) -> Result<Inference, InferError> {
        let Inferrer { options, mut root, .. } = self;
        if root.seen == 0 {
            return Err(InferError::empty());
        }
        if options.array == TopArray::Auto
            && root.seen == 1
            && let Some(arrays) = root.arrays.take_if(|a| a.items.seen > 0)
        {
            root = *arrays.items;
        }
        shape::finish(&options, root)
    }
}
