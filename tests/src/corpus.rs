//! Where the public corpus is. It is other people's and not part of the project: tests that need it say plainly when
//! it is absent.

use std::path::PathBuf;

/// The corpus folder: `RESCHEMA_CORPUS`, or `../shared/corpus` beside the workspace. `None` prints that the test skips.
pub fn root(test: &str) -> Option<PathBuf> {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus"));
    let path = std::env::var_os("RESCHEMA_CORPUS").map_or_else(default, PathBuf::from);
    if path.join("MANIFEST.tsv").is_file() {
        return Some(path);
    }
    // Straight to the stream: what goes through `println!` is not shown for tests that pass.
    let words = format!("skipped: {test}: no corpus at {} (set RESCHEMA_CORPUS)\n", path.display());
    let _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
    None
}

/// A row of the manifest.
#[derive(Clone, Debug)]
pub struct Row {
    /// Path below the corpus.
    pub path: String,
    /// Values of a file, or those before its fault.
    pub records: String,
    /// Codec of a container file.
    pub codec: String,
    /// Verdicts of parsers, `own=ok …`.
    pub checked: String,
}

/// The rows of the manifest.
pub fn manifest(root: &std::path::Path) -> Vec<Row> {
    let text = std::fs::read_to_string(root.join("MANIFEST.tsv")).expect("the manifest");
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |i: usize| cells.get(i).copied().unwrap_or("").to_string();
        Row { path: cell(0), records: cell(7), codec: cell(8), checked: cell(9) }
    });
    rows.collect()
}
