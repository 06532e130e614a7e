//! The registry of formats: one line each.

use reschema_avro::{AvroSink, AvroSource};
use reschema_json::{JsonOptions, JsonSink, JsonSource};
use reschema_lower::{Sink, Source};
use reschema_schema::Schema;
use std::fmt;

/// A format: how to make its source and its sink.
#[derive(Clone, Copy)]
pub struct Format {
    /// Name, for messages and keys.
    pub name: &'static str,
    /// Reads the format, if it can be read.
    pub source: Option<fn(u64) -> Box<dyn Source>>,
    /// Writes the format, if it can be written.
    pub sink: Option<fn(u64) -> Box<dyn Sink>>,
    /// What the two are given: the format's options, as a number of its own.
    pub options: u64,
    /// Whether it is text: errors tell line and column then.
    pub text: bool,
}

impl Format {
    /// Avro's binary encoding.
    pub const AVRO: Format = Format {
        name: "avro",
        source: Some(|_| Box::new(AvroSource)),
        sink: Some(|_| Box::new(AvroSink)),
        options: 0,
        text: false,
    };

    /// JSON.
    pub fn json(options: JsonOptions) -> Format {
        Format {
            name: "json",
            source: Some(|options| Box::new(JsonSource::new(JsonOptions::from_bits(options)))),
            sink: Some(|options| Box::new(JsonSink::new(JsonOptions::from_bits(options)))),
            options: options.bits(),
            text: true,
        }
    }
}

impl Format {
    /// What tells formats apart.
    pub(crate) fn key(&self) -> crate::cache::FormatKey {
        (self.name, self.options)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}

/// One end of a transformation: a schema and the format of its data.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(crate) format: Format,
    pub(crate) schema: Schema,
}

impl Endpoint {
    /// Avro's binary encoding under a schema.
    pub fn avro(schema: &Schema) -> Endpoint {
        Endpoint::new(Format::AVRO, schema)
    }

    /// JSON under a schema.
    ///
    /// ```
    /// use reschema::json::JsonOptions;
    /// use reschema::{Endpoint, Engine, Schema};
    ///
    /// let schema = Schema::parse(r#"{"type":"record","name":"R","fields":[
    ///     {"name":"id","type":"int"},{"name":"note","type":["null","string"]}]}"#)?;
    /// let engine = Engine::builder().build()?;
    /// let json = Endpoint::json(&schema, JsonOptions::PLAIN);
    ///
    /// let mut text = Vec::new();
    /// engine.transform(Endpoint::avro(&schema), json.clone())?.run(b"\x0e\x02\x04hi", &mut text)?;
    /// assert_eq!(text, br#"{"id":7,"note":"hi"}"#);
    ///
    /// let mut bytes = Vec::new();
    /// engine.transform(json, Endpoint::avro(&schema))?.run(br#"{ "note": null, "id": 7 }"#, &mut bytes)?;
    /// assert_eq!(bytes, b"\x0e\x00");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn json(schema: &Schema, options: JsonOptions) -> Endpoint {
        Endpoint::new(Format::json(options), schema)
    }

    /// Any format under a schema.
    pub fn new(format: Format, schema: &Schema) -> Endpoint {
        Endpoint { format, schema: schema.clone() }
    }
}
