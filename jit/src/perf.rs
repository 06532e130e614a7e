//! Names of compiled functions for profilers: with `RESCHEMA_PERF=map` in the environment, lines in the file that `perf`
//! looks for.

use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The file, if it is wanted and can be written.
fn map() -> Option<&'static Mutex<File>> {
    static MAP: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    let open = || {
        let wanted = std::env::var("RESCHEMA_PERF").is_ok_and(|v| v == "map");
        let path = std::env::temp_dir().join(format!("perf-{}.map", std::process::id()));
        let file = wanted.then(|| File::options().create(true).append(true).open(path));
        file.and_then(Result::ok).map(Mutex::new)
    };
    MAP.get_or_init(open).as_ref()
}

/// Tells where a function stands. That nobody can be told is no reason to fail.
pub(crate) fn note(name: &str, address: *const u8, bytes: usize) {
    if let Some(map) = map() {
        let mut file = map.lock().unwrap_or_else(PoisonError::into_inner);
        let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(file, "{:x} {bytes:x} {line}", address.addr());
    }
}
