//! Compatibility of real schemas, against the verdict of Avro Java's `SchemaCompatibility`.
//!
//! The corpus is not part of the repository: `RESCHEMA_CORPUS` names its folder, and where it is absent the test says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reschema_schema::Schema;
use reschema_schema::resolve::{Compatibility, ResolutionRules, compatibility};

/// Pairs on which we differ from Java: end of the writer's path, end of the reader's, and why we are right.
const DIFFERENCES: &[(&str, &str, &str)] = &[(
    "RecordWithDefaultUnionField_writer.avsc",
    "RecordWithDefaultUnionFieldIncorrectObjectNotation_reader.avsc",
    "Java judges every default when it parses and refuses the schema; we judge a default where it is needed (Avro 1.12, \
     \"Invalid defaults\"), so it parses and is incompatible. The other way round both agree that the default is not needed.",
)];

fn corpus() -> Option<PathBuf> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let root = std::env::var_os("RESCHEMA_CORPUS").map_or_else(default, PathBuf::from);
    root.join("avro/PAIRS.tsv").is_file().then_some(root)
}

fn parse(root: &Path, file: &str) -> Result<Schema, String> {
    let text = std::fs::read_to_string(root.join(file)).map_err(|e| e.to_string())?;
    Schema::parse(&text).map_err(|e| e.to_string())
}

fn compare(root: &Path, writer: &str, reader: &str) -> Result<Compatibility, String> {
    Ok(compatibility(&parse(root, writer)?, &parse(root, reader)?, &ResolutionRules::default()))
}

/// Writer, reader and Java's verdict, both ways round, of the pairs whose schemas are files of their own.
fn pairs(root: &Path) -> Vec<(String, String, String)> {
    let table = std::fs::read_to_string(root.join("avro/PAIRS.tsv")).unwrap();
    let mut pairs = Vec::new();
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [writer, reader, verdict, swapped, ..] = columns[..] else { panic!("row {line:?}") };
        if [writer, reader].iter().all(|f| !f.ends_with(".avro") && root.join(f).is_file()) {
            pairs.push((writer.to_owned(), reader.to_owned(), verdict.to_owned()));
            pairs.push((reader.to_owned(), writer.to_owned(), swapped.to_owned()));
        }
    }
    pairs
}

#[test]
fn java_compatibility() {
    let Some(root) = corpus() else {
        // Straight to the stream: what goes through `eprintln!` is not shown for tests that pass.
        let words = "skipped: java_compatibility: no corpus; set RESCHEMA_CORPUS to its folder\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
        return;
    };
    let pairs = pairs(&root);
    assert!(pairs.len() >= 90, "the corpus holds {} pairs", pairs.len());
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (writer, reader, java) in &pairs {
        let ours = compare(&root, writer, reader);
        let verdict = match &ours {
            Ok(c) if c.is_compatible() => "compatible",
            Ok(_) => "incompatible",
            Err(_) => "parse-error",
        };
        *count.entry(verdict).or_default() += 1;
        let known = DIFFERENCES.iter().any(|(w, r, _)| writer.ends_with(w) && reader.ends_with(r));
        if java.starts_with(verdict) == known {
            let detail = ours.map_or_else(|e| e, |c| c.to_string());
            wrong.push(format!(
                "writer {writer}\nreader {reader}\nJava: {java}, expected to differ: {known}\n{detail}\n"
            ));
        }
    }
    eprintln!("{} pairs: {count:?}, {} known differences", pairs.len(), DIFFERENCES.len());
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), pairs.len(), wrong.join("\n"));
}
