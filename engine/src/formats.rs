//! The registry of formats: one line each.

use reschema_avro::{AvroSink, AvroSource};
use reschema_lower::{Sink, Source};
use reschema_schema::Schema;
use std::fmt;

/// A format: how to make its source and its sink.
#[derive(Clone, Copy)]
pub struct Format {
    /// Name, for messages and keys.
    pub name: &'static str,
    /// Reads the format, if it can be read.
    pub source: Option<fn() -> Box<dyn Source>>,
    /// Writes the format, if it can be written.
    pub sink: Option<fn() -> Box<dyn Sink>>,
}

impl Format {
    /// Avro's binary encoding.
    pub const AVRO: Format =
        Format { name: "avro", source: Some(|| Box::new(AvroSource)), sink: Some(|| Box::new(AvroSink)) };
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

    /// Any format under a schema.
    pub fn new(format: Format, schema: &Schema) -> Endpoint {
        Endpoint { format, schema: schema.clone() }
    }
}
