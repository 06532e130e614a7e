//! Public container files: their blocks hold as many values as is known, and broken files end in errors.

use reschema_avro::container::{Block, ContainerError, Reader};
use std::path::{Path, PathBuf};

/// The corpus folder: `RESCHEMA_CORPUS`, or `../shared/corpus` beside the workspace. `None` says that the test skips.
fn corpus(test: &str) -> Option<PathBuf> {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus"));
    let path = std::env::var_os("RESCHEMA_CORPUS").map_or_else(default, PathBuf::from);
    if path.join("MANIFEST.tsv").is_file() {
        return Some(path);
    }
    // Straight to the stream: what goes through `println!` is not shown for tests that pass.
    let words = format!("skipped: {test}: no corpus at {} (set RESCHEMA_CORPUS)\n", path.display());
    let _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
    None
}

/// Paths below a folder of the corpus with their codecs.
fn files(root: &Path, folder: &str) -> Vec<(PathBuf, String)> {
    let text = std::fs::read_to_string(root.join("MANIFEST.tsv")).expect("the manifest");
    let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let here = rows.filter(|c| c.first().is_some_and(|path| path.starts_with(folder)));
    here.map(|c| (root.join(c[0]), c.get(8).copied().unwrap_or("").to_string())).collect()
}

/// Values of all blocks.
fn count(path: &Path) -> Result<u64, ContainerError> {
    let mut reader = Reader::new(std::fs::File::open(path).expect("the file"))?;
    let (mut block, mut count) = (Block::new(), 0);
    while reader.next_block(&mut block)? {
        count += block.count();
    }
    Ok(count)
}

#[test]
fn blocks_hold_the_values_that_are_known() {
    let Some(root) = corpus("blocks_hold_the_values_that_are_known") else { return };
    let mut read = 0;
    for (path, _) in files(&root, "avro/ocf/").into_iter().filter(|(_, codec)| !codec.is_empty()) {
        let name = path.display();
        let sidecar = std::fs::read_to_string(format!("{name}.sha")).expect("a sidecar");
        let known = sidecar.lines().find_map(|l| l.strip_prefix("records\t")).expect("a number of records");
        assert_eq!(count(&path).unwrap_or_else(|e| panic!("{name}: {e}")).to_string(), known, "{name}");
        read += 1;
    }
    assert!(read > 270, "{read}");
}

/// Files whose container is sound and whose values are not: no error of this layer.
const SOUND: &[&str] = &["duckdb-iceberg-t-m0-482c51b1.avro", "duckdb-iceberg-t-snap987654-a6381c94.avro"];

#[test]
fn broken_files_end_in_errors() {
    let Some(root) = corpus("broken_files_end_in_errors") else { return };
    let files = files(&root, "avro/bad/");
    assert!(files.len() > 20);
    for (path, _) in files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let size = path.metadata().expect("the file").len();
        match count(&path) {
            Ok(_) => assert!(SOUND.contains(&name.as_str()), "{name} reads"),
            Err(e) => {
                assert!(!SOUND.contains(&name.as_str()), "{name}: {e}");
                assert!(e.offset() <= size, "{name}: {e}");
            }
        }
    }
}
