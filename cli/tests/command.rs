//! The command as a user has it: files in, files out, words on standard error, exit codes.

use reschema::Schema;
use reschema::container::{Block, Codec, Reader, Writer, WriterOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const OLD: &str =
    r#"{"type":"record","name":"R","fields":[{"name":"id","type":"int"},{"name":"name","type":"string"}]}"#;
const NEW: &str = r#"{"type":"record","name":"R","fields":[{"name":"name","type":"string"},{"name":"id","type":"long"},{"name":"n","type":"int","default":7}]}"#;
const NARROW: &str = r#"{"type":"record","name":"R","fields":[{"name":"id","type":"string"}]}"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let f = Folder(tempfile::tempdir().expect("a folder"));
        for (name, text) in [("old.avsc", OLD), ("new.avsc", NEW), ("narrow.avsc", NARROW)] {
            std::fs::write(f.path(name), text).expect("a schema");
        }
        f.container("a.avro", b"\x02\x04hi");
        f
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A container file of one value.
    fn container(&self, name: &str, value: &[u8]) {
        let options = WriterOptions { metadata: vec![("owner".into(), b"us".to_vec())], ..WriterOptions::default() };
        let schema = Schema::parse(OLD).expect("a schema");
        let mut w = Writer::new(Vec::new(), &schema, options).expect("a header");
        w.append_value(b"\x0e\x02x").expect("a value");
        w.append_value(value).expect("a value");
        std::fs::write(self.path(name), w.finish().expect("bytes")).expect("a file");
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reschema"));
        command.current_dir(self.0.path()).args(args).output().expect("runs")
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the folder");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn values(bytes: &[u8]) -> (Vec<u8>, u64) {
    let mut r = Reader::new(bytes).expect("a container file");
    let (mut block, mut data, mut count) = (Block::new(), Vec::new(), 0);
    while r.next_block(&mut block).expect("a block") {
        data.extend_from_slice(block.data());
        count += block.count();
    }
    (data, count)
}

const CONVERTED: &[u8] = b"\x02x\x0e\x0e\x04hi\x02\x0e";

#[test]
fn convert() {
    let f = Folder::new();
    let out =
        f.run(&["convert", "a.avro", "--to-schema", "new.avsc", "-o", "b.avro", "--codec", "deflate", "--meta", "k=v"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(out.stdout.is_empty());
    assert!(text(&out.stderr).starts_with("2 records, "), "{}", text(&out.stderr));
    let bytes = std::fs::read(f.path("b.avro")).expect("the output");
    assert_eq!(values(&bytes), (CONVERTED.to_vec(), 2));
    let r = Reader::new(bytes.as_slice()).expect("a header");
    assert_eq!(r.codec().name(), Codec::Deflate(6).name());
    assert_eq!(r.schema(), &Schema::parse(NEW).expect("a schema"));
    let own: Vec<&(String, Vec<u8>)> = r.metadata().iter().filter(|(k, _)| !k.starts_with("avro.")).collect();
    assert_eq!(own, [&("owner".to_string(), b"us".to_vec()), &("k".to_string(), b"v".to_vec())]);
    assert_eq!(f.files(), ["a.avro", "b.avro", "narrow.avsc", "new.avsc", "old.avsc"]);
}

#[test]
fn several_inputs_and_pipes() {
    let f = Folder::new();
    let out = f.run(&["convert", "a.avro", "a.avro", "--to-schema", "new.avsc", "-o", "-", "-q"]);
    assert!(out.status.success() && out.stderr.is_empty(), "{}", text(&out.stderr));
    assert_eq!(values(&out.stdout), (CONVERTED.repeat(2), 4));
    let mut child = Command::new(env!("CARGO_BIN_EXE_reschema"))
        .args(["convert", "-", "--to-schema", "new.avsc", "-o", "-", "-q"])
        .current_dir(f.0.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let input = std::fs::read(f.path("a.avro")).expect("the input");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), &input).expect("written");
    let out = child.wait_with_output().expect("ends");
    assert_eq!(values(&out.stdout), (CONVERTED.to_vec(), 2));
}

/// Blocks of the output are about as large as the writer wants them, however large those of the input are.
#[test]
fn blocks_do_not_follow_the_input() {
    let f = Folder::new();
    let schema = Schema::parse(OLD).expect("a schema");
    for (size, count) in [(0, 200_000), (60, 20_000), (1000, 1000)] {
        let text = b"x".repeat(size);
        let length = if size < 64 { vec![size as u8 * 2] } else { vec![0xd0, 0x0f] };
        let value = [&b"\x02"[..], &length, &text].concat();
        let mut w = Writer::new(Vec::new(), &schema, WriterOptions::default()).expect("a header");
        w.append_block(count, &value.repeat(count as usize)).expect("a block");
        std::fs::write(f.path("a.avro"), w.finish().expect("bytes")).expect("a file");
        let out = f.run(&["convert", "a.avro", "--to-schema", "old.avsc", "-o", "b.avro"]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let bytes = std::fs::read(f.path("b.avro")).expect("the output");
        assert_eq!(values(&bytes), (value.repeat(count as usize), count));
        let mut r = Reader::new(bytes.as_slice()).expect("a container file");
        let mut block = Block::new();
        while r.next_block(&mut block).expect("a block") {
            assert!(block.data().len() < 128 << 10, "{size}: {}", block.data().len());
        }
    }
}

#[test]
fn bad_data_leave_nothing_behind() {
    let f = Folder::new();
    f.container("bad.avro", b"\x02\x04\xff\xff");
    let before = f.files();
    let out = f.run(&["convert", "bad.avro", "--to-schema", "new.avsc", "-o", "b.avro"]);
    assert_eq!(out.status.code(), Some(4));
    let words = text(&out.stderr);
    for part in ["bad.avro", "record 1", "block 0", "byte 5", "$.name", "UTF-8"] {
        assert!(words.contains(part), "{part} in {words}");
    }
    assert_eq!(f.files(), before);
}

/// A fault of the container: the file, the block, the byte; and nothing at the output.
#[test]
fn bad_containers_leave_nothing_behind() {
    let f = Folder::new();
    let bytes = std::fs::read(f.path("a.avro")).expect("the input");
    let cut = bytes.len() - 3;
    std::fs::write(f.path("cut.avro"), &bytes[..cut]).expect("a file");
    std::fs::write(f.path("b.avro"), "as it was").expect("a file");
    let before = f.files();
    let out = f.run(&["convert", "a.avro", "cut.avro", "--to-schema", "new.avsc", "-o", "b.avro"]);
    assert_eq!(out.status.code(), Some(4));
    let words = text(&out.stderr);
    for part in ["cut.avro", "the sync marker", "block 0", &format!("byte {cut} ")] {
        assert!(words.contains(part), "{part} in {words}");
    }
    assert_eq!(f.files(), before);
    assert_eq!(std::fs::read(f.path("b.avro")).expect("the output"), b"as it was");
}

/// Only `convert` needs the codec of a file.
#[test]
fn the_schema_of_a_file_with_another_codec() {
    let f = Folder::new();
    let bytes = std::fs::read(f.path("a.avro")).expect("the input");
    let at = bytes.windows(5).position(|w| w == b"\x08null").expect("the codec");
    let unknown = [&bytes[..at], b"\x0clz4raw", &bytes[at + 5..]].concat();
    std::fs::write(f.path("s.avro"), unknown).expect("a file");
    assert_eq!(f.run(&["schema", "s.avro"]).stdout, f.run(&["schema", "old.avsc"]).stdout);
    assert_eq!(f.run(&["check", "s.avro", "new.avsc"]).status.code(), Some(0));
    let out = f.run(&["convert", "s.avro", "--to-schema", "s.avro", "-o", "b.avro"]);
    assert_eq!(out.status.code(), Some(4));
    assert!(text(&out.stderr).contains("\"lz4raw\""), "{}", text(&out.stderr));
}

#[test]
fn inputs_are_not_overwritten() {
    let f = Folder::new();
    std::fs::hard_link(f.path("a.avro"), f.path("same.avro")).expect("a link");
    for out in ["a.avro", "same.avro", "./a.avro", "new.avsc"] {
        let before = std::fs::read(f.path("a.avro")).expect("the input");
        let result = f.run(&["convert", "a.avro", "--to-schema", "new.avsc", "-o", out]);
        assert_eq!(result.status.code(), Some(2), "{out}");
        assert_eq!(std::fs::read(f.path("a.avro")).expect("the input"), before);
    }
}

/// Replacing a file keeps its permissions, and goes through a link.
#[cfg(unix)]
#[test]
fn what_is_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let f = Folder::new();
    std::fs::write(f.path("b.avro"), "old").expect("a file");
    std::fs::set_permissions(f.path("b.avro"), std::fs::Permissions::from_mode(0o600)).expect("private");
    std::os::unix::fs::symlink("b.avro", f.path("link.avro")).expect("a link");
    let out = f.run(&["convert", "a.avro", "--to-schema", "new.avsc", "-o", "link.avro"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(f.path("link.avro").symlink_metadata().expect("the link").is_symlink());
    assert_eq!(f.path("b.avro").metadata().expect("the file").permissions().mode() & 0o777, 0o600);
    assert_eq!(values(&std::fs::read(f.path("b.avro")).expect("the output")).1, 2);
    let out = f.run(&["convert", "a.avro", "--to-schema", "new.avsc", "-o", "."]);
    assert_eq!(out.status.code(), Some(5));
}

#[test]
fn exit_codes() {
    let f = Folder::new();
    let code = |args: &[&str]| f.run(args).status.code();
    assert_eq!(code(&["check", "old.avsc", "new.avsc"]), Some(0));
    assert_eq!(code(&["check", "new.avsc", "narrow.avsc"]), Some(1));
    assert_eq!(code(&["check", "a.avro", "new.avsc"]), Some(0));
    assert_eq!(code(&["nonsense"]), Some(2));
    for twice in
        [&["schema", "-", "-"][..], &["check", "-", "-"], &["convert", "-", "--to-schema", "-", "-o", "b.avro"]]
    {
        assert_eq!(code(twice), Some(2), "{twice:?}");
    }
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["convert", "a.avro", "--to-schema", "narrow.avsc", "-o", "b.avro"]), Some(3));
    assert_eq!(code(&["convert", "old.avsc", "--to-schema", "new.avsc", "-o", "b.avro"]), Some(4));
    assert_eq!(code(&["convert", "none.avro", "--to-schema", "new.avsc", "-o", "b.avro"]), Some(5));
    assert_eq!(code(&["convert", "a.avro", "--to-schema", "new.avsc", "-o", "none/b.avro"]), Some(5));
    assert!(!f.path("b.avro").exists());
}

#[test]
fn schema_and_explain() {
    let f = Folder::new();
    let of = |args: &[&str]| text(&f.run(args).stdout);
    let printed = of(&["schema", "a.avro"]);
    assert_eq!(Schema::parse(&printed).expect("a schema"), Schema::parse(OLD).expect("a schema"));
    let canonical = of(&["schema", "--canonical", "old.avsc"]);
    assert_eq!(canonical.trim(), Schema::parse(OLD).expect("a schema").canonical_form().expect("Avro"));
    assert_eq!(of(&["schema", "--fingerprint", "old.avsc"]), of(&["schema", "--fingerprint=rabin", "a.avro"]));
    assert_eq!(of(&["schema", "--fingerprint=sha256", "old.avsc"]).trim().len(), 64);
    let explained = of(&["explain", "old.avsc", "new.avsc"]);
    for part in ["== plan", "id from id", "== ir", "== optimised ir", "move.span", "fast path"] {
        assert!(explained.contains(part), "{part}");
    }
    let differences = of(&["check", "new.avsc", "narrow.avsc"]);
    assert!(differences.contains("TYPE_MISMATCH at reader $.id, writer $.id"), "{differences}");
}

#[test]
fn schemas_refer_to_each_other() {
    let f = Folder::new();
    std::fs::write(f.path("x.avsc"), r#"{"type":"record","name":"X","fields":[{"name":"y","type":"Y"}]}"#).expect("x");
    std::fs::write(f.path("y.avsc"), r#"{"type":"enum","name":"Y","symbols":["A"]}"#).expect("y");
    assert_eq!(f.run(&["schema", "x.avsc"]).status.code(), Some(3));
    let out = f.run(&["schema", "--canonical", "x.avsc", "y.avsc"]);
    assert!(text(&out.stdout).contains(r#"{"name":"y","type":{"name":"Y","type":"enum","symbols":["A"]}}"#));
}

/// A reader of our output that goes away is nobody's mistake.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_quiet() {
    let f = Folder::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_reschema"))
        .args(["explain", "old.avsc", "new.avsc"])
        .current_dir(f.0.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("ends");
    assert_eq!(text(&out.stderr), "");
}

#[test]
fn the_example_of_the_readme() {
    let f = Folder::new();
    let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/example"));
    let (input, schema) = (docs.join("readings-v1.avro"), docs.join("readings-v2.avsc"));
    let args = [input.to_str().expect("text"), "--to-schema", schema.to_str().expect("text")];
    let out = f.run(&[&["convert"], &args[..], &["-o", "r.avro"]].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(values(&std::fs::read(f.path("r.avro")).expect("the output")).1, 240);
}

/// Every codec, by name and level.
#[test]
fn codecs() {
    let f = Folder::new();
    let cases = [
        ("null", "-"),
        ("deflate", "9"),
        ("snappy", "-"),
        ("bzip2", "1"),
        ("xz", "0"),
        ("zstandard", "19"),
        ("zstd", "-"),
    ];
    for (codec, level) in cases {
        let mut args = vec!["convert", "a.avro", "-o", "b.avro", "--codec", codec];
        if level != "-" {
            args.extend(["--level", level]);
        }
        let out = f.run(&args);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let bytes = std::fs::read(f.path("b.avro")).expect("the output");
        let name = if codec == "zstd" { "zstandard" } else { codec };
        assert_eq!(Reader::new(bytes.as_slice()).expect("a file").codec().name(), name);
        assert_eq!(values(&bytes), values(&std::fs::read(f.path("a.avro")).expect("the input")));
    }
    for (args, part) in [
        (["--codec", "snappy", "--level", "1"], "snappy has no --level"),
        (["--codec", "null", "--level", "1"], "null has no --level"),
        (["--codec", "bzip2", "--level", "0"], "bzip2 is 1 to 9, found 0"),
        (["--codec", "zstandard", "--level", "23"], "zstandard is 1 to 22, found 23"),
    ] {
        let out = f.run(&[&["convert", "a.avro", "-o", "c.avro"], &args[..]].concat());
        assert_eq!(out.status.code(), Some(2));
        assert!(text(&out.stderr).contains(part), "{}", text(&out.stderr));
        assert!(!f.path("c.avro").exists());
    }
}

/// Three values, of which the second does not end; and bytes behind the last block.
fn damaged(f: &Folder) {
    f.container("bad.avro", b"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    let mut bytes = std::fs::read(f.path("bad.avro")).expect("the file");
    bytes.push(b'\n');
    std::fs::write(f.path("bad.avro"), bytes).expect("the file");
}

#[test]
fn on_error() {
    let f = Folder::new();
    damaged(&f);
    let before = f.files();
    let out = f.run(&["convert", "bad.avro", "--to-schema", "new.avsc", "-o", "b.avro"]);
    assert_eq!(out.status.code(), Some(4));
    assert!(text(&out.stderr).contains("record 1, block 0"), "{}", text(&out.stderr));
    assert_eq!(f.files(), before);
    let out = f.run(&["convert", "bad.avro", "--to-schema", "new.avsc", "-o", "b.avro", "--on-error", "skip"]);
    assert_eq!(out.status.code(), Some(6));
    let words = text(&out.stderr);
    for part in
        ["left out (rest of block): record 1", "left out (gap): record 2", "2 places left out: 1 records", "1 records,"]
    {
        assert!(words.contains(part), "{part} in {words}");
    }
    assert_eq!(values(&std::fs::read(f.path("b.avro")).expect("the output")).1, 1);
    let out = f.run(&["convert", "bad.avro", "a.avro", "-o", "b.avro", "--on-error", "dlq=dead.avro", "-q"]);
    assert_eq!(out.status.code(), Some(6));
    // Quiet is for when all is well.
    assert!(text(&out.stderr).contains("2 places left out"), "{}", text(&out.stderr));
    assert_eq!(values(&std::fs::read(f.path("b.avro")).expect("the output")).1, 3);
    assert_eq!(text(&f.run(&["count", "--decode", "dead.avro"]).stdout), "2\n");
    // A later input that is none is told before anything is converted.
    std::fs::remove_file(f.path("dead.avro")).expect("removed");
    std::fs::write(f.path("none.avro"), "no container").expect("a file");
    let out = f.run(&["convert", "bad.avro", "none.avro", "-o", "c.avro", "--on-error", "dlq=dead.avro"]);
    assert_eq!(out.status.code(), Some(4));
    assert!(!f.path("c.avro").exists() && !f.path("dead.avro").exists());
    // What was set aside is kept where the conversion fails for another reason.
    #[cfg(target_os = "linux")]
    {
        let out = f.run(&["convert", "bad.avro", "-o", "/dev/full", "--on-error", "dlq=dead.avro"]);
        assert_eq!(out.status.code(), Some(5), "{}", text(&out.stderr));
        assert_eq!(text(&f.run(&["count", "dead.avro"]).stdout), "2\n");
        let out = f.run(&["convert", "a.avro", "-o", "/dev/full", "--on-error", "dlq=dead.avro"]);
        assert_eq!(out.status.code(), Some(5), "{}", text(&out.stderr));
        assert_eq!(text(&f.run(&["count", "dead.avro"]).stdout), "2\n", "the older one stays");
    }
    for (bad, part) in
        [("retry", "expected fail, skip or dlq=FILE"), ("dlq=", "expected fail"), ("dlq=b.avro", "one file")]
    {
        let out = f.run(&["convert", "a.avro", "-o", "b.avro", "--on-error", bad]);
        assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
        assert!(text(&out.stderr).contains(part), "{}", text(&out.stderr));
    }
    let out = f.run(&["convert", "a.avro", "-o", "new.avro", "--on-error", "dlq=./new.avro"]);
    assert!(text(&out.stderr).contains("one file"), "{}", text(&out.stderr));
    let out = f.run(&["convert", "a.avro", "-o", "b.avro", "--on-error", "dlq=a.avro"]);
    assert!(text(&out.stderr).contains("would overwrite its own input"), "{}", text(&out.stderr));
}

#[test]
fn append() {
    let f = Folder::new();
    let out =
        f.run(&["convert", "a.avro", "--to-schema", "new.avsc", "-o", "b.avro", "--codec", "deflate", "--meta", "k=v"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let header = text(&f.run(&["meta", "b.avro"]).stdout);
    for records in [4, 6] {
        let out = f.run(&["convert", "a.avro", "--append", "-o", "b.avro"]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert_eq!(text(&f.run(&["count", "--decode", "b.avro"]).stdout), format!("{records}\n"));
    }
    assert_eq!(text(&f.run(&["meta", "b.avro"]).stdout), header);
    // A failure leaves the file as it was.
    let before = std::fs::read(f.path("b.avro")).expect("the file");
    damaged(&f);
    let out = f.run(&["convert", "a.avro", "bad.avro", "--append", "-o", "b.avro"]);
    assert_eq!(out.status.code(), Some(4));
    assert!(std::fs::read(f.path("b.avro")).expect("the file") == before);
    for (args, code, part) in [
        (&["a.avro", "--append", "-o", "none.avro"][..], 5, "none.avro"),
        (&["a.avro", "--append", "-o", "b.avro", "--codec", "null"], 2, "cannot be used with"),
        (&["a.avro", "--append", "-o", "b.avro", "--to-schema", "old.avsc"], 2, "another schema"),
        (&["b.avro", "--append", "-o", "b.avro"], 2, "its own input"),
        (&["a.avro", "--append", "-o", "-"], 2, "standard output"),
        (&["a.avro", "--append", "-o", "old.avsc"], 4, "not a container file"),
    ] {
        let out = f.run(&[&["convert"], args].concat());
        assert_eq!(out.status.code(), Some(code), "{}", text(&out.stderr));
        assert!(text(&out.stderr).contains(part), "{part} in {}", text(&out.stderr));
    }
    assert!(std::fs::read(f.path("b.avro")).expect("the file") == before);
    // A disk that is full.
    #[cfg(unix)]
    {
        let many = f.path("many.avro");
        let values: Vec<PathBuf> = vec![f.path("a.avro"); 200];
        let mut command = Command::new(env!("CARGO_BIN_EXE_reschema"));
        assert!(
            command
                .arg("convert")
                .args(values)
                .arg("-o")
                .arg(&many)
                .arg("--block-bytes")
                .arg("1")
                .status()
                .expect("runs")
                .success()
        );
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
        let mut command = Command::new("sh");
        command.current_dir(f.0.path()).args(["-c", script, "sh", env!("CARGO_BIN_EXE_reschema")]);
        let out = command
            .args(["convert", "many.avro", "many.avro", "--append", "-o", "b.avro", "--block-bytes", "1"])
            .output()
            .expect("runs");
        assert_eq!(out.status.code(), Some(5), "{}", text(&out.stderr));
        assert!(std::fs::read(f.path("b.avro")).expect("the file") == before, "cut back");
    }
    // Cut off: what comes behind would never be read.
    std::fs::write(f.path("b.avro"), &before[..before.len() - 3]).expect("the file");
    let out = f.run(&["convert", "a.avro", "--append", "-o", "b.avro"]);
    assert_eq!(out.status.code(), Some(4));
    assert!(text(&out.stderr).contains("sync marker"), "{}", text(&out.stderr));
}

#[test]
fn the_same_on_any_number_of_threads() {
    let f = Folder::new();
    let data = |threads: &str| {
        let out =
            f.run(&["convert", "a.avro", "-o", "-", "--threads", threads, "--codec", "zstandard", "--meta", "x=y"]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        values(&out.stdout)
    };
    let one = data("1");
    for threads in ["0", "2", "5"] {
        assert_eq!(data(threads), one);
    }
}

#[test]
fn count_and_meta() {
    let f = Folder::new();
    assert_eq!(text(&f.run(&["count", "a.avro"]).stdout), "2\n");
    assert_eq!(text(&f.run(&["count", "a.avro", "a.avro"]).stdout), "2\ta.avro\n2\ta.avro\n4\ttotal\n");
    damaged(&f);
    // Headers may be believed, or not.
    let out = f.run(&["count", "--decode", "bad.avro"]);
    assert_eq!(out.status.code(), Some(4));
    assert!(text(&out.stderr).contains("record 1, block 0"), "{}", text(&out.stderr));
    let out = f.run(&["count", "bad.avro"]);
    assert_eq!((out.status.code(), text(&out.stdout)), (Some(4), String::new()));
    let schema = Schema::parse(OLD).expect("a schema");
    let metadata =
        vec![("line".into(), b"a\tb\n\\".to_vec()), ("raw".into(), vec![0xc3, 0xa9, 0xff]), ("empty".into(), vec![])];
    let options = WriterOptions { metadata, sync: Some(*b"0123456789abcdef"), ..WriterOptions::default() };
    let w = Writer::new(Vec::new(), &schema, options).expect("a header");
    std::fs::write(f.path("m.avro"), w.finish().expect("bytes")).expect("a file");
    let out = text(&f.run(&["meta", "m.avro"]).stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("avro.schema\t{"), "{out}");
    assert_eq!(lines[1..], ["avro.codec\tnull", "line\ta\\tb\\n\\\\", "raw\té\\xff", "empty\t"]);
    assert_eq!(f.run(&["meta", "m.avro", "--key", "raw"]).stdout, [0xc3, 0xa9, 0xff]);
    let out = f.run(&["meta", "m.avro", "--key", "other"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("\"other\""), "{}", text(&out.stderr));
    let json: serde_json::Value =
        serde_json::from_slice(&f.run(&["meta", "m.avro", "--format", "json"]).stdout).expect("JSON");
    assert_eq!(json["metadata"]["line"], "a\tb\n\\");
    assert_eq!(json["metadata"]["raw"], "\u{c3}\u{a9}\u{ff}");
    assert_eq!(json["sync"], "30313233343536373839616263646566");
}

const OTHER: &str = r#"{"type":"record","name":"R","fields":[{"name":"id","type":"long"}]}"#;

#[test]
fn check_over_versions() {
    let f = Folder::new();
    std::fs::write(f.path("other.avsc"), OTHER).expect("a schema");
    let run = |args: &[&str]| {
        let out = f.run(&[&["check"], args].concat());
        (out.status.code(), text(&out.stdout))
    };
    // old → new → other: data of old and new can be read by other, not the other way.
    let all = ["old.avsc", "new.avsc", "other.avsc"];
    let with = |more: &[&str]| run(&[&all[..], more].concat());
    assert_eq!(with(&[]), (Some(0), "other.avsc reads data of new.avsc (backward): compatible\n".into()));
    assert_eq!(run(&["old.avsc", "new.avsc"]), (Some(0), "compatible\n".into()));
    assert_eq!(with(&["--level", "none"]), (Some(0), "compatible\n".into()));
    let (code, words) = with(&["--level", "FORWARD"]);
    assert_eq!(code, Some(1), "{words}");
    assert!(
        words.starts_with("new.avsc reads data of other.avsc (forward): incompatible\n")
            && words.contains("READER_FIELD_MISSING_DEFAULT_VALUE"),
        "{words}"
    );
    let (code, words) = with(&["--level", "full", "--transitive"]);
    assert_eq!(code, Some(1));
    for part in [
        "other.avsc reads data of old.avsc (backward): compatible\n",
        "old.avsc reads data of other.avsc (forward): incompatible\n",
        "other.avsc reads data of new.avsc (backward): compatible\n",
        "new.avsc reads data of other.avsc (forward): incompatible\n",
    ] {
        assert!(words.contains(part), "{part} in {words}");
    }
    let (code, words) = with(&["--each", "--format", "json"]);
    assert_eq!(code, Some(0));
    let json: serde_json::Value = serde_json::from_str(&words).expect("JSON");
    assert_eq!(
        (&json["compatible"], &json["level"], &json["transitive"]),
        (&true.into(), &"backward".into(), &false.into())
    );
    assert_eq!(json["checks"].as_array().map(Vec::len), Some(2));
    let (code, words) = run(&["new.avsc", "narrow.avsc", "--format", "json"]);
    assert_eq!(code, Some(1));
    let json: serde_json::Value = serde_json::from_str(&words).expect("JSON");
    let difference = &json["checks"][0]["differences"][0];
    assert_eq!((&difference["kind"], &difference["reader_path"]), (&"TYPE_MISMATCH".into(), &"$.id".into()), "{words}");
    assert_eq!(run(&["old.avsc"]).0, Some(2));
}

/// A missing input is told before anything is done.
#[test]
fn all_inputs_are_looked_for_first() {
    let f = Folder::new();
    let before = f.files();
    let out = f.run(&["convert", "a.avro", "missing.avro", "-o", "b.avro"]);
    assert_eq!(out.status.code(), Some(5));
    assert!(text(&out.stderr).contains("missing.avro"), "{}", text(&out.stderr));
    assert!(!text(&out.stderr).contains("records"));
    assert_eq!(f.files(), before);
}

/// Deep data need a higher limit than usual.
#[test]
fn depth_is_an_option() {
    let f = Folder::new();
    let schema = Schema::parse(r#"{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}"#)
        .expect("a schema");
    let mut w = Writer::new(Vec::new(), &schema, WriterOptions::default()).expect("a header");
    w.append_value(&[&[2; 99][..], &[0]].concat()).expect("a value");
    std::fs::write(f.path("deep.avro"), w.finish().expect("bytes")).expect("a file");
    let out = f.run(&["convert", "deep.avro", "-o", "b.avro"]);
    assert_eq!(out.status.code(), Some(4));
    assert!(text(&out.stderr).contains("64"), "{}", text(&out.stderr));
    assert_eq!(f.run(&["convert", "deep.avro", "-o", "b.avro", "--max-depth", "100"]).status.code(), Some(0));
    assert_eq!(f.run(&["convert", "deep.avro", "-o", "b.avro", "--max-depth", "300"]).status.code(), Some(2));
}

/// Whoever is interrupted leaves nothing half done.
#[test]
#[cfg(unix)]
fn interrupted() {
    let f = Folder::new();
    let before = std::fs::read(f.path("a.avro")).expect("the file");
    for args in [&["-o", "b.avro"][..], &["-o", "a.avro", "--append"]] {
        let files = f.files();
        // An input that never ends: a pipe that is kept open.
        let mut child = Command::new(env!("CARGO_BIN_EXE_reschema"));
        child.current_dir(f.0.path()).args(["convert", "-"]).args(args).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = child.spawn().expect("runs");
        let mut pipe = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut pipe, &before).expect("writes");
        // Until it has opened its output.
        while args.len() == 2 && f.files() == files {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        assert!(kill.success());
        assert_eq!(child.wait().expect("ends").code(), Some(130));
        assert_eq!(f.files(), files);
        assert!(std::fs::read(f.path("a.avro")).expect("the file") == before);
    }
}

#[test]
fn tiers() {
    let f = Folder::new();
    let data = |tier: &str| {
        let out = f.run(&["convert", "a.avro", "--to-schema", "new.avsc", "-o", "-", "--tier", tier]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        values(&out.stdout)
    };
    let interpreted = data("interp");
    assert_eq!((data("auto"), data("jit"), data("verify")), (interpreted.clone(), interpreted.clone(), interpreted));
    let out = f.run(&["explain", "old.avsc", "new.avsc", "--clif"]);
    if !cfg!(feature = "jit") {
        assert!(text(&out.stderr).contains("built without the feature"), "{}", text(&out.stderr));
        return;
    }
    assert!(text(&out.stdout).starts_with("function"), "{}", text(&out.stdout));
    let out = f.run(&["explain", "old.avsc", "new.avsc", "--asm"]);
    assert!(text(&out.stdout).contains("ret"), "{}", text(&out.stdout));
}

/// What operators switch, and what they are told.
#[test]
fn tiers_by_the_environment() {
    let f = Folder::new();
    let run = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reschema"));
        command.current_dir(f.0.path()).args(["convert", "a.avro", "--to-schema", "new.avsc", "-o", "-", "-q"]);
        command.args(args).envs(variables.iter().copied()).output().expect("runs")
    };
    let stats = |variables: &[(&str, &str)], args: &[&str]| {
        let out = run(variables, &[&["--stats=json"], args].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        (serde_json::from_slice::<serde_json::Value>(&out.stderr).expect("JSON"), values(&out.stdout))
    };
    let (told, want) = stats(&[], &[]);
    assert_eq!((told["tiering"].as_str(), told["interpreted"]["records"].as_u64()), (Some("adaptive"), Some(2)));
    let (told, got) = stats(&[("RESCHEMA_TIER", "off")], &["--tier", "jit"]);
    assert_eq!((told["tiering"].as_str(), got == want), (Some("interpreter"), true));
    assert!(!told["off"].is_null() && told["compiles"]["failed"] == 0, "{told}");
    let out = run(&[], &["--tier", "jit", "--tier-threshold", "5"]);
    assert_eq!(out.status.code(), Some(2));
    let (told, got) = stats(&[("RESCHEMA_TIER", "eager")], &[]);
    assert_eq!((told["tiering"].as_str(), got == want), (Some("eager"), true));
    assert_eq!(told["native"]["records"] == 2, cfg!(feature = "jit"), "{told}");
    // Where code ends early, the interpreter does the value.
    let mut left = Vec::new();
    for op in 0..12 {
        let (told, got) = stats(&[("RESCHEMA_JIT_MAX_OP", &op.to_string())], &["--tier", "verify"]);
        assert!(got == want, "{op}");
        left.push(told["exits"]["reject"].as_u64().expect("a number"));
    }
    let expected = if cfg!(feature = "jit") { (Some(&2), Some(&0)) } else { (Some(&0), Some(&0)) };
    assert_eq!((left.first(), left.last()), expected, "{left:?}");
    for (name, bad) in [("RESCHEMA_TIER", "on"), ("RESCHEMA_TIER_THRESHOLD", "much"), ("RESCHEMA_JIT_MAX_OP", "-1")] {
        let out = run(&[(name, bad)], &[]);
        assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
        assert!(text(&out.stderr).contains(name));
    }
    let out = run(&[], &["--stats"]);
    let words = text(&out.stderr);
    assert!(words.contains("tiering adaptive") && words.contains("interpreter: 2 records"), "{words}");
}
