//! Lowering: the driver walks a [`Plan`](reschema_schema::plan::Plan) and joins a [`Source`] with a [`Sink`].
//!
//! Neither the driver nor the IR knows a format. A format says how *it* reads or writes a shape, by emitting
//! instructions; the driver says in which order, from the table of access and order in [`Access`] and [`Order`].

mod alike;
mod conversion;
mod driver;
mod fields;
mod format;
mod inline;
mod literal;
mod named;
mod skip;

pub use alike::{Alike, warnings};
pub use conversion::UserConversion;
pub use driver::{LowerError, Options, lower, lower_skip};
pub use format::{Access, Index, Items, KeyRules, Order, Scalar, Sink, Source, Typed, Unsupported, Value};
