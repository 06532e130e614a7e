//! Events of `tracing`, target `reschema`: what is usual as `debug`, what somebody should look at as `warn`.

use super::Event;
use tracing::{debug, warn};

pub(super) fn note(event: Event<'_>) {
    match event {
        Event::Queued { name, why } => debug!(target: "reschema", name, why, "waits to be compiled"),
        Event::Compiled { name, time, code_bytes } => {
            debug!(target: "reschema", name, micros = time.as_micros() as u64, code_bytes, "compiled");
        }
        Event::NotCompiled { name, why } => warn!(target: "reschema", name, why, "not compiled"),
        Event::Evicted { name, code_bytes } => debug!(target: "reschema", name, code_bytes, "code evicted"),
        Event::SteppedBack { name, interpreted, native } => {
            debug!(target: "reschema", name, interpreted, native, "stepped back to the interpreter");
        }
        Event::Crowd { interprets, ratio } => {
            debug!(target: "reschema", interprets, ratio, "small calls in turns have another tier");
        }
        Event::Abandoned { name, after } => {
            warn!(target: "reschema", name, seconds = after.as_secs_f64(), "a compile that does not end was given up");
        }
        Event::Off { why } => warn!(target: "reschema", why, "compiles no more"),
        Event::BadSwitch { why } => warn!(target: "reschema", why, "a variable of the environment is ignored"),
    }
}
