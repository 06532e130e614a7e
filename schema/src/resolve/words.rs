//! Words for messages. All of them are short, however long the names of a schema: there may be a message for each of its
//! places.

use crate::model::{Logical, Schema, TimeUnit, TypeId, ZoneKind};

/// Characters of a name that are shown.
const NAME: usize = 200;
/// Bytes at either end of a path that are shown.
const END: usize = 500;

/// The start of a long name.
pub(super) fn short(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name.to_string(),
    }
}

/// A type's full name, or the word for its shape.
pub(crate) fn label(schema: &Schema, ty: TypeId) -> String {
    short(&schema.type_label(ty))
}

/// The first of some names, and how many more there are.
pub(super) fn listed(names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let text = names.take(most).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{text}, … and {more} more") } else { text }
}

/// Both ends of a long path.
pub(crate) fn short_path(path: &str) -> String {
    if path.len() <= 2 * END {
        return path.to_string();
    }
    let (start, end) = (path.floor_char_boundary(END), path.ceil_char_boundary(path.len() - END));
    format!("{}…{}", &path[..start], &path[end..])
}

#[test]
fn long_paths_keep_their_ends() {
    assert_eq!(short_path("$.a"), "$.a");
    let short = short_path(&format!("$.{}.z", "é".repeat(2_000)));
    assert!(short.len() < 1_010 && short.starts_with("$.é") && short.ends_with("é.z") && short.contains("é…é"));
}

/// `decimal(9,2)`, `timestamp-millis`, or `no logical type`.
pub(super) fn logical_word(logical: Option<&Logical>) -> String {
    match logical {
        None => "no logical type".into(),
        Some(Logical::Decimal { precision, scale }) => format!("decimal({precision},{scale})"),
        Some(Logical::BigDecimal) => "big-decimal".into(),
        Some(Logical::Uuid) => "uuid".into(),
        Some(Logical::Date) => "date".into(),
        Some(Logical::Time(unit)) => format!("time-{}", unit_word(*unit)),
        Some(Logical::Timestamp(unit, ZoneKind::Utc)) => format!("timestamp-{}", unit_word(*unit)),
        Some(Logical::Timestamp(unit, ZoneKind::Local)) => format!("local-timestamp-{}", unit_word(*unit)),
        Some(Logical::Duration) => "duration".into(),
        Some(Logical::Interval(unit)) => format!("interval-{}", unit_word(*unit)),
    }
}

fn unit_word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "seconds",
        TimeUnit::Milli => "millis",
        TimeUnit::Micro => "micros",
        TimeUnit::Nano => "nanos",
    }
}
