//! What is left to do when the command is interrupted: half a file does not stay.

use crate::exit::say;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// How a file that is being written is put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Undo {
    /// It goes away.
    Remove(PathBuf),
    /// It is cut back to its length before.
    Cut(PathBuf, u64),
}

static PENDING: Mutex<Vec<Undo>> = Mutex::new(Vec::new());

fn pending() -> MutexGuard<'static, Vec<Undo>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers what to do if the command is interrupted before [`done`].
pub(crate) fn begin(undo: Undo) {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // If it cannot be set, an interruption ends the command as usual.
        let _ = ctrlc::set_handler(|| {
            // The lock is kept: nothing more is published.
            let pending = pending();
            pending.iter().for_each(Undo::run);
            std::process::exit(130);
        });
    });
    pending().push(undo);
}

/// The file has its name, or has been put back.
pub(crate) fn done(undo: &Undo) {
    pending().retain(|u| u != undo);
}

impl Undo {
    /// Puts the file back.
    pub(crate) fn run(&self) {
        let result = match self {
            Undo::Remove(path) => std::fs::remove_file(path).map_err(|e| (path, e)),
            Undo::Cut(path, len) => {
                let file = std::fs::OpenOptions::new().write(true).open(path);
                file.and_then(|f| f.set_len(*len)).map_err(|e| (path, e))
            }
        };
        if let Err((path, e)) = result
            && e.kind() != std::io::ErrorKind::NotFound
        {
            say(&format!("reschema: {} cannot be put back: {e}", path.display()));
        }
    }
}
