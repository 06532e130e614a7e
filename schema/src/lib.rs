//! The schema model, Avro's schema language in and out, and resolution.

pub mod avro;
pub mod default;
mod equal;
pub mod json;
pub mod literal;
pub mod model;
pub mod plan;
pub mod resolve;
mod walk;

pub use avro::{Fault as SchemaFault, SchemaError};
pub use json::Json;
pub use model::Schema;
