//! Real public files: container files under their own schema and under others', schemas, canonical forms.

use reschema::container::{Block, Reader, ReaderOptions};
use reschema::schema::avro::{Names, Parser};
use reschema::{Endpoint, Engine, Error, Schema};
use reschema_tests::corpus;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// What a conversion gives: the form of the `.sha` files.
#[derive(Debug, PartialEq, Eq)]
struct Result3 {
    records: u64,
    bytes: u64,
    sha256: String,
}

fn open(path: &Path) -> Reader<std::fs::File> {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Reader::new(file).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Converts a container file, record encodings one behind the other. `Ok(Err)`: the schemas or the data refuse.
fn convert(path: &Path, reader: Option<&Schema>) -> Result<Result3, (u64, Error)> {
    let mut file = open(path);
    let reader = reader.unwrap_or(file.schema()).clone();
    let engine = Engine::default();
    let t = engine.transform(Endpoint::avro(file.schema()), Endpoint::avro(&reader)).map_err(|e| (0, e))?;
    let mut block = Block::new();
    let mut hash = Sha256::new();
    let mut total = Result3 { records: 0, bytes: 0, sha256: String::new() };
    let mut out = Vec::new();
    while file.next_block(&mut block).unwrap_or_else(|e| panic!("{}: {e}", path.display())) {
        out.clear();
        let done =
            t.run_many(block.input(), block.count(), &mut out).map_err(|e| (total.records + e.records_done(), e))?;
        assert_eq!(done.consumed, block.data().len(), "{}", path.display());
        total.records += done.records;
        total.bytes += out.len() as u64;
        hash.update(&out);
    }
    total.sha256 = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    Ok(total)
}

fn sidecar(path: &Path) -> Result3 {
    let text = std::fs::read_to_string(format!("{}.sha", path.display())).expect("a sidecar");
    let cells: BTreeMap<&str, &str> = text.lines().filter_map(|l| l.split_once('\t')).collect();
    Result3 {
        records: cells["records"].parse().expect("records"),
        bytes: cells["bytes"].parse().expect("bytes"),
        sha256: cells["sha256"].to_string(),
    }
}

fn is_ours(codec: &str) -> bool {
    matches!(codec, "null" | "deflate")
}

#[test]
fn container_files_under_their_own_schema() {
    let Some(root) = corpus::root("container_files_under_their_own_schema") else { return };
    let (mut files, mut records) = (0, 0);
    for row in corpus::manifest(&root).iter().filter(|r| r.path.starts_with("avro/ocf/") && is_ours(&r.codec)) {
        let path = root.join(&row.path);
        let got = convert(&path, None).unwrap_or_else(|(n, e)| panic!("{} after {n}: {e}", row.path));
        assert_eq!(got, sidecar(&path), "{}", row.path);
        files += 1;
        records += got.records;
    }
    println!("{files} files, {records} records, all hashes equal");
    assert!(files > 200);
}

#[test]
fn names_that_the_specification_forbids_are_an_option() {
    let Some(root) = corpus::root("names_that_the_specification_forbids_are_an_option") else { return };
    let mut files = 0;
    for row in corpus::manifest(&root).iter().filter(|r| r.path.starts_with("avro/ocf-lenient/") && is_ours(&r.codec)) {
        let path = root.join(&row.path);
        let file = || std::fs::File::open(&path).expect("the file");
        assert!(Reader::new(file()).is_err(), "{}", row.path);
        let options = ReaderOptions { names: Names::Lenient, ..ReaderOptions::default() };
        let reader = Reader::with_options(file(), options).unwrap_or_else(|e| panic!("{}: {e}", row.path));
        let t = Engine::default().transform(Endpoint::avro(reader.schema()), Endpoint::avro(reader.schema()));
        assert!(t.is_ok(), "{}", row.path);
        files += 1;
    }
    println!("{files} files");
}

/// A file's schema: in the header of a container file, or the text.
fn schema_of(path: &Path) -> Schema {
    if path.extension().is_some_and(|e| e == "avro") && std::fs::read(path).is_ok_and(|b| b.starts_with(b"Obj\x01")) {
        return open(path).schema().clone();
    }
    let text = std::fs::read_to_string(path).expect("schema text");
    Schema::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Pairs that Java resolves because it does not compare the names of records outside unions.
fn java_ignores_names(note: &str, reader: &str) -> bool {
    reader == "avro/ocf/duckdb-iceberg-big_query_error-m0-eb454be2.avro" && note.contains("manifest_entry")
}

#[test]
fn pairs_with_data() {
    let Some(root) = corpus::root("pairs_with_data") else { return };
    let codecs: BTreeMap<String, String> = corpus::manifest(&root).into_iter().map(|r| (r.path, r.codec)).collect();
    let text = std::fs::read_to_string(root.join("avro/PAIRS.tsv")).expect("pairs");
    let (mut equal, mut errors, mut names, mut other_codec) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for line in text.lines().skip(1) {
        let c: Vec<&str> = line.split('\t').collect();
        let (writer, reader, java) = (c[0], c[1], c[4]);
        if java == "-" {
            continue;
        }
        if !is_ours(codecs.get(writer).map_or("", String::as_str)) {
            other_codec += 1;
            continue;
        }
        let schema = schema_of(&root.join(reader));
        let got = convert(&root.join(writer), Some(&schema));
        match (&got, java) {
            (Ok(got), "ok") => {
                let want = Result3 {
                    records: c[5].parse().expect("records"),
                    bytes: c[6].parse().expect("bytes"),
                    sha256: c[7].to_string(),
                };
                if *got == want {
                    equal += 1
                } else {
                    wrong.push(format!("{writer} → {reader}: {got:?}, want {want:?}"))
                }
            }
            (Err(_), "ok") if java_ignores_names(c[9], reader) => names += 1,
            (Err((_, e)), "ok") => wrong.push(format!("{writer} → {reader}: {e}")),
            (Err(_), _) => errors += 1,
            (Ok(_), _) => wrong.push(format!("{writer} → {reader}: ok, Java says {java}")),
        }
    }
    println!("{equal} equal, {errors} errors on both sides, {names} refused for names, {other_codec} of other codecs");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(equal > 90);
}

/// Marked as parsing, but the default of an enum is no symbol of it: "must be a member of the symbols array" (Avro
/// 1.12, "Enums"). The conformance case schema-invalid-10 pins the refusal; Java, fastavro and Python refuse too.
const BAD_ENUM_DEFAULT: &[&str] = &["TestBadEnumDefault.avsc", "TestRecordWithHorribleDefaultValues.avsc"];

#[test]
fn schemas() {
    let Some(root) = corpus::root("schemas") else { return };
    let (mut ok, mut refused, mut lenient) = (0, 0, 0);
    let mut wrong = Vec::new();
    for row in corpus::manifest(&root).iter().filter(|r| r.path.starts_with("avro/schemas/")) {
        let Ok(text) = std::fs::read_to_string(root.join(&row.path)) else { continue };
        let strict = Schema::parse(&text);
        if row.checked.contains("own=ok") {
            if BAD_ENUM_DEFAULT.iter().any(|n| row.path.ends_with(n)) {
                let e = strict.expect_err("a bad enum default");
                assert!(e.to_string().contains("the default of an enum"), "{}: {e}", row.path);
                refused += 1;
                continue;
            }
            match strict {
                Ok(schema) => {
                    ok += 1;
                    let printed = schema.to_avro_string().expect("Avro");
                    let back = Schema::parse(&printed).unwrap_or_else(|e| panic!("{}: {e}\n{printed}", row.path));
                    assert_eq!(back, schema, "{}", row.path);
                    assert_eq!(back.canonical_form(), schema.canonical_form(), "{}", row.path);
                }
                Err(e) => wrong.push(format!("{}: {e}", row.path)),
            }
        } else if row.checked.contains("own=lenient(type attribute holds a nested schema)") {
            // `{"type": {…}}` outside a field is accepted by the conformance cases, and by us.
            assert!(strict.is_ok(), "{}", row.path);
        } else if row.checked.contains("own=lenient") {
            if row.path.ends_with("TestInvalidEnumSymbol.avsc") || row.path.ends_with("enum_nonarray_symbols") {
                // Symbols that are not strings: no option makes sense of them.
                assert!(strict.is_err(), "{}", row.path);
                continue;
            }
            match (strict, Parser::new().names(Names::Lenient).parse(&text)) {
                (Err(_), Ok(_)) => lenient += 1,
                (strict, l) => {
                    wrong.push(format!("{}: strict {:?}, lenient {:?}", row.path, strict.is_ok(), l.is_ok()))
                }
            }
        } else if row.checked.contains("own=fail") {
            if strict.is_ok() { wrong.push(format!("{}: accepted; {}", row.path, row.checked)) } else { refused += 1 }
        }
    }
    println!("{ok} parsed, {refused} refused, {lenient} only with lenient names");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ok > 600);
}

#[test]
fn canonical_forms_and_fingerprints() {
    let Some(root) = corpus::root("canonical_forms_and_fingerprints") else { return };
    let text = std::fs::read_to_string(root.join("avro/schemas/avro/schema-tests.txt")).expect("cases");
    let mut cases = Vec::new();
    for (key, value) in cases_of(&text) {
        match key.as_str() {
            "INPUT" => cases.push((value, None, None)),
            "canonical" => cases.last_mut().expect("an input").1 = Some(value),
            "fingerprint" => cases.last_mut().expect("an input").2 = Some(value),
            other => panic!("unknown {other}"),
        }
    }
    for (input, canonical, fingerprint) in &cases {
        let schema = Schema::parse(input).unwrap_or_else(|e| panic!("{input}: {e}"));
        if let Some(want) = canonical {
            assert_eq!(&schema.canonical_form().expect("Avro"), want, "{input}");
        }
        if let Some(want) = fingerprint {
            assert_eq!((schema.fingerprint_rabin().expect("Avro") as i64).to_string(), *want, "{input}");
        }
    }
    println!("{} cases", cases.len());
    assert!(cases.len() >= 30);
}

/// `<<KEY text` or `<<KEY`, lines, `KEY`.
fn cases_of(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("<<") else { continue };
        match rest.split_once(char::is_whitespace) {
            Some((key, value)) => out.push((key.to_string(), value.trim().to_string())),
            None => {
                let body: Vec<&str> = lines.by_ref().take_while(|l| *l != rest).collect();
                out.push((rest.to_string(), body.join("\n")));
            }
        }
    }
    out
}
