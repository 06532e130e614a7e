//! What `--stats` says: which tier has done what.

use crate::args::Form;
use reschema::stats::{EngineStats, Tier, TierStats, TransformStats};
use std::fmt::Write;

/// For people, or as JSON in one line.
pub(crate) fn words(stats: &EngineStats, form: Form) -> String {
    match form {
        Form::Text => text(stats),
        Form::Json => serde_json::to_string(stats).unwrap_or_else(|e| format!("no statistics: {e}")),
    }
}

fn text(stats: &EngineStats) -> String {
    let mut text = format!("tiering {}", stats.tiering);
    if let Some(why) = &stats.off {
        let _ = write!(text, ", no native code: {why}");
    }
    stats.transforms.iter().for_each(|t| transform(t, &mut text));
    let c = &stats.compiles;
    let _ = write!(
        text,
        "\n{} compiled in {:.1} ms, {} failed, {} evicted, {} stepped back, {} bytes of code",
        c.done,
        c.micros as f64 / 1e3,
        c.failed,
        c.evictions,
        c.steps_back,
        stats.code_bytes
    );
    text
}

fn transform(t: &TransformStats, text: &mut String) {
    let tier = match t.tier {
        Tier::Native => "native",
        Tier::Queued => "waits to be compiled",
        Tier::Compiling => "being compiled",
        _ => "interpreted",
    };
    let _ = write!(text, "\n{}: {tier}", t.name);
    if let Some(why) = &t.why_not_native {
        let _ = write!(text, " ({why})");
    }
    for (name, of) in [("interpreter", &t.interpreted), ("native code", &t.native)] {
        if of.records > 0 {
            let _ = write!(text, "\n  {name}: {}", work(of));
        }
    }
    if t.checked_records > 0 {
        let _ = write!(text, "\n  one by one: {} records", t.checked_records);
    }
}

fn work(of: &TierStats) -> String {
    let rate = of.ns_per_byte.map_or(String::new(), |ns| format!(", {ns:.2} ns a byte"));
    format!("{} records, {} bytes{rate}", of.records, of.bytes)
}
