//! Without the feature: nothing.

use super::Event;

pub(super) fn note(_: Event<'_>) {}
