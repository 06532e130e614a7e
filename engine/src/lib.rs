//! reschema: data written under one schema, wanted under another.
//!
//! A pair of schemas is resolved once and lowered to a small program; the program runs as often as there is data.
//!
//! ```
//! use reschema::{Endpoint, Engine, Schema};
//!
//! let writer = Schema::parse(r#"{"type":"record","name":"R","fields":[
//!     {"name":"id","type":"int"},{"name":"note","type":"string"}]}"#)?;
//! let reader = Schema::parse(r#"{"type":"record","name":"R","fields":[
//!     {"name":"id","type":"long"},{"name":"tags","type":{"type":"array","items":"string"},"default":[]}]}"#)?;
//!
//! let engine = Engine::builder().build()?;
//! let transform = engine.transform(Endpoint::avro(&writer), Endpoint::avro(&reader))?;
//!
//! let mut out = Vec::new();
//! let consumed = transform.run(b"\x0e\x04hi", &mut out)?;
//! assert_eq!((consumed, out.as_slice()), (4, &b"\x0e\x00"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// The examples of the README are held to what they say.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

mod cache;
pub mod convert;
mod engine;
mod error;
mod events;
mod explain;
mod formats;
pub mod messages;
mod native;
pub mod stats;
mod stream;
mod tiering;
mod transform;

pub use engine::{Builder, Engine};
pub use error::{Error, ErrorKind};
pub use explain::Explain;
pub use formats::{Endpoint, Format};
#[doc(hidden)]
pub use native::Fault;
pub use native::{NativeListing, NativeStats};
pub use reschema_avro::container;
pub use reschema_ir::pass::PassSet;
pub use reschema_json as json;
pub use reschema_lower::UserConversion;
pub use reschema_runtime::{Columns, Input, Limits, Location};
pub use reschema_schema as schema;
pub use reschema_schema::Schema;
pub use reschema_schema::model::Logical;
pub use reschema_schema::plan::PlanWarning;
pub use reschema_schema::resolve::{Compatibility, Mismatch, ResolutionRules, TypeNames, UnionMatch, compatibility};
pub use stream::{StreamError, Streamed};
pub use tiering::{Adaptive, Tiering};
pub use transform::{AsOutput, Done, Tiers, Transform};
