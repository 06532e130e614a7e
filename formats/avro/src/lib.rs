//! Avro: the binary encoding as a [`Source`](reschema_lower::Source) and a [`Sink`](reschema_lower::Sink), and
//! container files.
//!
//! Output is canonical: minimal varints, one positive block an array or map.

pub mod container;
pub mod framing;
mod sink;
mod source;

pub use sink::AvroSink;
pub use source::AvroSource;
