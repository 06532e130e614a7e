//! Counters and histograms of the facade `metrics`. They have no labels: names of transforms are as many as schemas.

use super::Event;
use metrics::{counter, histogram};

pub(super) fn note(event: Event<'_>) {
    match event {
        Event::Queued { .. } => counter!("reschema_compiles_queued").increment(1),
        Event::Compiled { time, code_bytes, .. } => {
            counter!("reschema_compiles").increment(1);
            histogram!("reschema_compile_seconds").record(time.as_secs_f64());
            histogram!("reschema_code_bytes").record(code_bytes as f64);
        }
        Event::NotCompiled { .. } => counter!("reschema_compiles_failed").increment(1),
        Event::Evicted { .. } => counter!("reschema_evictions").increment(1),
        Event::SteppedBack { .. } => counter!("reschema_steps_back").increment(1),
        Event::Crowd { .. } => counter!("reschema_crowd_changes").increment(1),
        Event::Abandoned { .. } => counter!("reschema_compiles_abandoned").increment(1),
        Event::Off { .. } => counter!("reschema_compiling_off").increment(1),
        Event::BadSwitch { .. } => counter!("reschema_bad_switches").increment(1),
    }
}
