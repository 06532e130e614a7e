//! The Avro 1.12 schema language: in, out, canonical form and fingerprints.

mod canonical;
mod error;
mod fingerprint;
mod finite;
mod link;
mod logical;
mod names;
mod parse;
mod place;
mod print;
mod read;
mod say;
mod state;
mod words;

pub use error::{Fault, SchemaError};
pub use parse::{Names, Parser};
pub use say::NotAvro;
