//! Real public files: container files under their own schema and under others', schemas, canonical forms.

use reschema::container::{Block, ContainerErrorKind, Reader, ReaderOptions, Writer, WriterOptions};
use reschema::convert::{ConvertError, Converter};
use reschema::messages::{Framing, MemoryStore, MessageReader};
use reschema::schema::avro::{Names, Parser};
use reschema::{Endpoint, Engine, Error, Schema, Tiering};
use reschema_tests::corpus;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

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

/// Converts a container file, record encodings one behind the other. `Err`: the schemas or the data refuse.
fn convert(path: &Path, reader: Option<&Schema>) -> Result<Result3, (u64, Error)> {
    converted(open(path), reader, &path.display().to_string())
}

fn converted(mut file: Reader<std::fs::File>, reader: Option<&Schema>, name: &str) -> Result<Result3, (u64, Error)> {
    let reader = reader.unwrap_or(file.schema()).clone();
    let make = |tiering| {
        let engine = Engine::builder().tiering(tiering).build().expect("an engine");
        engine.transform(Endpoint::avro(file.schema()), Endpoint::avro(&reader)).map_err(|e| (0, e))
    };
    let (t, native) = (make(Tiering::interpreter())?, make(Tiering::eager())?);
    assert!(native.native().is_some_and(|n| n.is_ok()), "{name}");
    let mut block = Block::new();
    let mut hash = Sha256::new();
    let mut total = Result3 { records: 0, bytes: 0, sha256: String::new() };
    let mut out = Vec::new();
    while file.next_block(&mut block).unwrap_or_else(|e| panic!("{name}: {e}")) {
        out.clear();
        let done =
            t.run_many(block.input(), block.count(), &mut out).map_err(|e| (total.records + e.records_done(), e))?;
        assert_eq!(done.consumed, block.data().len(), "{name}");
        let mut again = Vec::new();
        let compiled = native.run_many(block.input(), block.count(), &mut again);
        let compiled = compiled.unwrap_or_else(|e| panic!("{name}: compiled code fails: {e}"));
        assert_eq!((compiled.records, compiled.consumed), (done.records, done.consumed), "{name}");
        assert!(again == out, "{name}: compiled code gives other bytes");
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

#[test]
fn container_files_under_their_own_schema() {
    let Some(root) = corpus::root("container_files_under_their_own_schema") else { return };
    let (mut files, mut records) = (0, 0);
    let mut codecs = BTreeMap::new();
    for row in corpus::manifest(&root).iter().filter(|r| r.path.starts_with("avro/ocf/") && !r.codec.is_empty()) {
        let path = root.join(&row.path);
        let got = convert(&path, None).unwrap_or_else(|(n, e)| panic!("{} after {n}: {e}", row.path));
        assert_eq!(got, sidecar(&path), "{}", row.path);
        files += 1;
        records += got.records;
        *codecs.entry(row.codec.clone()).or_insert(0) += 1;
    }
    println!("{files} files, {records} records, all hashes equal: {codecs:?}");
    assert_eq!((files, codecs.len()), (273, 6));
}

#[test]
fn names_that_the_specification_forbids_are_an_option() {
    let Some(root) = corpus::root("names_that_the_specification_forbids_are_an_option") else { return };
    let mut files = 0;
    for row in corpus::manifest(&root).iter().filter(|r| r.path.starts_with("avro/ocf-lenient/") && !r.codec.is_empty())
    {
        let path = root.join(&row.path);
        let file = || std::fs::File::open(&path).expect("the file");
        let refused = Reader::new(file()).err().expect("refused");
        assert_eq!(refused.kind(), ContainerErrorKind::Schema, "{}: {refused}", row.path);
        let options = ReaderOptions { names: Names::Lenient, ..ReaderOptions::default() };
        let reader = Reader::with_options(file(), options).unwrap_or_else(|e| panic!("{}: {e}", row.path));
        let got = converted(reader, None, &row.path).unwrap_or_else(|(n, e)| panic!("{} after {n}: {e}", row.path));
        assert_eq!(got, sidecar(&path), "{}", row.path);
        files += 1;
    }
    println!("{files} files, refused by default, all hashes equal with lenient names");
    assert_eq!(files, 5);
}

/// Each ends in an error that says where and why, after as many records as are known to be good, and the same one on
/// one thread and on several.
#[test]
fn bad_files() {
    let Some(root) = corpus::root("bad_files") else { return };
    let mut files = 0;
    for row in corpus::manifest(&root).iter().filter(|r| r.path.starts_with("avro/bad/")) {
        let path = root.join(&row.path);
        let size = path.metadata().expect("the file").len();
        let known: u64 = row.records.parse().expect("records");
        let mut seen = Vec::new();
        for threads in [1, 2, 3] {
            let (records, words) = fails(&path, threads, size);
            assert_eq!(records, known, "{}: {words}", row.path);
            seen.push(words);
        }
        println!("{}: {}", row.path, seen[0]);
        assert!(seen.iter().all(|s| *s == seen[0]), "{seen:?}");
        files += 1;
    }
    assert_eq!(files, 29);
}

/// Values written before the error, and the error.
fn fails(path: &Path, threads: usize, size: u64) -> (u64, String) {
    let file = std::fs::File::open(path).expect("the file");
    let reader = match Reader::new(file) {
        Ok(reader) => reader,
        Err(e) => {
            assert!(e.offset() <= size, "{e}");
            assert!(e.to_string().contains("byte "), "{e}");
            return (0, e.to_string());
        }
    };
    let schema = reader.schema().clone();
    let mut output = Writer::new(Vec::new(), &schema, WriterOptions::default()).expect("a header");
    let converter = Converter::new(&Engine::default(), &schema).threads(threads);
    let e = converter.run(reader, &mut output, &mut ()).expect_err("a fault");
    let ConvertError::Damage(damage) = &e else { panic!("{e}") };
    assert!(damage.offset <= size, "{e}");
    assert!(e.to_string().contains("byte "), "{e}");
    let bytes = output.finish().expect("the end");
    let mut written = Reader::new(bytes.as_slice()).expect("a header");
    let (mut block, mut records) = (Block::new(), 0);
    while written.next_block(&mut block).expect("a block") {
        records += block.count();
    }
    (records, e.to_string())
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|d| u8::from_str_radix(std::str::from_utf8(d).expect("hex"), 16).expect("hex")).collect()
}

/// Bare values, without a container.
#[test]
fn raw_values() {
    let Some(root) = corpus::root("raw_values") else { return };
    let raw = root.join("avro/raw");
    let read = |name: &str| std::fs::read(raw.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let cases = [
        ("avsc-Person.avsc", "avsc-person-10.raw", 10, None),
        ("gobblin-test_record_schema.avsc", "gobblin-test_record_binary.bin", 1, None),
        ("superhero.avsc", "superhero-simple-block.bin", 1, None),
        ("superhero.avsc", "superhero.bin", 1, Some("superhero-simple-block.bin")),
    ];
    for (schema, data, records, canonical) in cases {
        let schema = schema_of(&raw.join(schema));
        let t = Engine::default().transform(Endpoint::avro(&schema), Endpoint::avro(&schema)).expect("resolves");
        let (input, want) = (read(data), read(canonical.unwrap_or(data)));
        let mut out = Vec::new();
        let done = t.run_many(&input, records, &mut out).unwrap_or_else(|e| panic!("{data}: {e}"));
        assert_eq!((done.consumed, out.as_slice()), (input.len(), want.as_slice()), "{data}");
        // The same as a stream, in small pieces.
        let mut out = Vec::new();
        let streamed = t.stream(Slow(&input), &mut out).unwrap_or_else(|e| panic!("{data}: {e}"));
        assert_eq!((streamed.records, out.as_slice()), (records, want.as_slice()), "{data}");
    }
}

/// Gives seven bytes at a time.
struct Slow<'a>(&'a [u8]);

impl std::io::Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.len().min(7).min(buffer.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn single_object() {
    let Some(root) = corpus::root("single_object") else { return };
    let schema = schema_of(&root.join("avro/single-object/test_schema.avsc"));
    let message = std::fs::read(root.join("avro/single-object/test_message.bin")).expect("the message");
    let mut store = MemoryStore::new();
    let id = store.insert_by_fingerprint(&schema).expect("Avro");
    let framing = Framing::SingleObject;
    let mut reader = MessageReader::new(&Engine::default(), Arc::new(store), Endpoint::avro(&schema), framing);
    let mut out = Vec::new();
    assert!(framing.begin(id, &mut out));
    reader.read(&message, &mut out).expect("reads");
    assert_eq!(out, message);
}

/// Values that every decoder must refuse.
#[test]
fn rejections() {
    let Some(root) = corpus::root("rejections") else { return };
    let text = std::fs::read_to_string(root.join("avro/vectors/binary-rejections.json")).expect("vectors");
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let vectors = all["vectors"].as_array().expect("a list");
    for v in vectors {
        let schema = Schema::parse(v["schema"].as_str().expect("a schema")).unwrap_or_else(|e| panic!("{v}: {e}"));
        let bytes = hex(v["bytesHex"].as_str().expect("bytes"));
        let t = Engine::default().transform(Endpoint::avro(&schema), Endpoint::avro(&schema)).expect("resolves");
        let mut out = Vec::new();
        let e = t.run(&bytes, &mut out).expect_err(&v.to_string());
        assert!(e.offset().is_some_and(|at| at <= bytes.len() as u64) && e.source_path().is_some(), "{v}: {e}");
        println!("{}: {e:?}", v["name"]);
    }
    assert_eq!(vectors.len(), 9);
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
    let text = std::fs::read_to_string(root.join("avro/PAIRS.tsv")).expect("pairs");
    let (mut equal, mut errors, mut names) = (0, 0, 0);
    let mut wrong = Vec::new();
    for line in text.lines().skip(1) {
        let c: Vec<&str> = line.split('\t').collect();
        let (writer, reader, java) = (c[0], c[1], c[4]);
        if java == "-" {
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
    println!("{equal} equal, {errors} errors on both sides, {names} refused for names");
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
