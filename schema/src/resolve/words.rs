//! Logical types in words, as Avro spells them.

use crate::model::{Logical, TimeUnit, ZoneKind};

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
