//! Resolution: writer × reader → [`Plan`](crate::plan::Plan) (Avro 1.12, "Schema Resolution").
//!
//! The rules exist once, here. Compatibility is a question about the same Plan.

mod compat;
mod error;
mod fields;
mod matching;
mod plan;
mod rules;
mod union;
pub(crate) mod words;

pub use compat::{Compatibility, compatibility};
pub use error::{Mismatch, MismatchKind, ResolveError};
pub use plan::resolve;
pub use rules::{DecimalRule, LogicalRule, ResolutionRules, TypeNames, UnionMatch};
