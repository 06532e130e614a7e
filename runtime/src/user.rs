//! Conversions of logical types that the user supplies.

use std::sync::Arc;

/// Converts a number, or refuses it with a reason. A Program without `user.num` never looks at these.
pub type UserFn = Arc<dyn Fn(i64) -> Result<i64, String> + Send + Sync>;
