//! JSON as a [`Source`](reschema_lower::Source) and a [`Sink`](reschema_lower::Sink): plain, or in Avro's encoding with
//! tagged unions. What becomes of which type stands in ADR 0017.

mod alike;
pub mod infer;
mod options;
mod sink;
mod source;
mod types;

pub use options::{BytesAs, DecimalsAs, Encoding, Ending, JsonOptions, SpecialsAs, TimesAs};
pub use reschema_ir::{Twice, Unknown};
pub use sink::JsonSink;
pub use source::JsonSource;
