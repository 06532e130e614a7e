//! In which format data stand at either end of a pair that is looked at.

use clap::{Args, ValueEnum};
use reschema::json::JsonOptions;
use reschema::{Endpoint, Schema};

/// A format of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Data {
    /// Avro's binary encoding.
    #[default]
    Avro,
    /// Plain JSON.
    Json,
    /// Avro's JSON encoding.
    AvroJson,
}

impl Data {
    pub(crate) fn endpoint(self, schema: &Schema) -> Endpoint {
        match self {
            Data::Avro => Endpoint::avro(schema),
            Data::Json => Endpoint::json(schema, JsonOptions::PLAIN),
            Data::AvroJson => Endpoint::json(schema, JsonOptions::AVRO),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Ends {
    /// Format of the data as written.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) from: Data,
    /// Format in which they are wanted.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) to: Data,
}
