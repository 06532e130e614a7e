//! Converting a container file that is not compressed, against its parts: `run_many` on the same blocks, and a plain
//! copy of the same bytes. Each runs in a process of its own, which tells the CPU time (user and system) it took and
//! the memory it needed.

use super::Options;
use reschema::container::{Block, Codec, Reader, Writer, WriterOptions};
use reschema::convert::Converter;
use reschema::{Endpoint, Engine, Schema, Transform};
use reschema_benches::data::{self, Data};
use reschema_benches::measure::{cpu_time, median};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A folder for large files, taken away at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("reschema-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file of about so many bytes of values, the same values again and again.
pub(crate) fn generate(path: &Path, data: &Data, codec: Codec, bytes: u64) -> u64 {
    let schema = Schema::parse(&data.schema).expect("a schema");
    let options = WriterOptions { codec, ..WriterOptions::default() };
    let file = BufWriter::new(File::create(path).expect("a file"));
    let mut w = Writer::new(file, &schema, options).expect("a header");
    let (mut written, mut records) = (0, 0);
    while written < bytes {
        for i in 0..data.n {
            w.append_value(data.rec(i)).expect("a value");
            written += data.rec(i).len() as u64;
        }
        records += data.n as u64;
    }
    w.finish().expect("the end").into_inner().expect("flushed");
    records
}

pub(crate) fn measure(o: &Options) {
    println!("files: CPU time of converting / (run_many on the blocks + copying the bytes); memory of converting");
    let mut orders = data::r1(10_000);
    orders.schema = data::r1raw();
    let folder = Folder::new();
    for (name, data, reader) in [
        ("order event evolved", orders, data::r1eraw()),
        ("six-field int to long", data::gt(10_000), data::GT_PROMO.to_string()),
    ] {
        let (input, output) = (folder.path("in.avro"), folder.path("out.avro"));
        let schema = folder.path("reader.avsc");
        std::fs::write(&schema, &reader).expect("a schema");
        let records = generate(&input, &data, Codec::Null, o.mb * 1_000_000);
        let run = |what: &str| part(what, &input, &schema, &output);
        let (mut ratios, mut parts, mut memory) = (Vec::new(), Vec::new(), 0);
        for _ in 0..o.rounds {
            let (convert, peak) = run("convert");
            let ((transform, _), (copy, _)) = (run("transform"), run("copy"));
            memory = memory.max(peak);
            ratios.push(convert / (transform + copy));
            parts.push((convert, transform, copy));
        }
        run("convert");
        check(&input, &schema, &output, records);
        let (convert, transform, copy) = parts[parts.len() / 2];
        println!(
            "  {name}: {:.2} ({convert:.2} s / ({transform:.2} s + {copy:.2} s)), {} MiB, {records} records",
            median(ratios),
            memory >> 10
        );
        assert!(memory >> 10 <= 64, "memory");
    }
}

/// CPU seconds and KiB that a part says it took.
fn part(what: &str, input: &Path, schema: &Path, output: &Path) -> (f64, u64) {
    let out = Command::new(std::env::current_exe().expect("this program"))
        .args(["--child", what])
        .args([input, schema, output])
        .output()
        .expect("runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).expect("text");
    let mut words = text.split_whitespace();
    let mut next = || words.next().expect("a figure").parse::<f64>().expect("a number");
    (next(), next() as u64)
}

/// The output holds what `run_many` gives.
fn check(input: &Path, schema: &Path, output: &Path, records: u64) {
    let mut wanted = Values::new(open(input), Some(transform(input, schema)));
    let mut found = Values::new(open(output), None);
    let mut total = 0;
    loop {
        let n = wanted.fill().min(found.fill());
        if n == 0 {
            break;
        }
        assert!(wanted.pending[..n] == found.pending[..n], "the values differ behind {total} bytes");
        wanted.pending.drain(..n);
        found.pending.drain(..n);
        total += n;
    }
    assert_eq!((wanted.pending.len(), found.pending.len()), (0, 0));
    assert_eq!((wanted.records, found.records), (records, records));
}

/// The bytes of a file's values, transformed or not.
struct Values {
    file: Reader<File>,
    transform: Option<Transform>,
    block: Block,
    pending: Vec<u8>,
    records: u64,
}

impl Values {
    fn new(file: Reader<File>, transform: Option<Transform>) -> Values {
        Values { file, transform, block: Block::new(), pending: Vec::new(), records: 0 }
    }

    /// Bytes that are there, some more if there were none.
    fn fill(&mut self) -> usize {
        while self.pending.is_empty() && self.file.next_block(&mut self.block).expect("a block") {
            self.records += self.block.count();
            match &self.transform {
                Some(t) => {
                    t.run_many(self.block.input(), self.block.count(), &mut self.pending).expect("transforms");
                }
                None => self.pending.extend_from_slice(self.block.data()),
            }
        }
        self.pending.len()
    }
}

fn open(path: &Path) -> Reader<File> {
    Reader::new(File::open(path).expect("a file")).expect("a header")
}

fn reader_schema(schema: &Path) -> Schema {
    Schema::parse(&std::fs::read_to_string(schema).expect("a schema")).expect("a schema")
}

fn transform(input: &Path, schema: &Path) -> Transform {
    let file = open(input);
    Engine::default()
        .transform(Endpoint::avro(file.schema()), Endpoint::avro(&reader_schema(schema)))
        .expect("resolves")
}

/// In a process of its own.
pub(crate) fn child(args: &[String]) {
    let [what, input, schema, output] = args else { panic!("four arguments") };
    let (input, schema, output) = (Path::new(input), Path::new(schema), Path::new(output));
    let time = match what.as_str() {
        "convert" => convert(input, schema, output),
        "transform" => run_many(input, schema),
        "copy" => copy(input, output),
        other => panic!("unknown part {other}"),
    };
    println!("{} {}", time.as_secs_f64(), peak_kib());
}

/// As the command does it, on one thread.
fn convert(input: &Path, schema: &Path, output: &Path) -> Duration {
    let reader = reader_schema(schema);
    let file = BufWriter::with_capacity(256 << 10, File::create(output).expect("a file"));
    let mut output = Writer::new(file, &reader, WriterOptions::default()).expect("a header");
    Converter::new(&Engine::default(), &reader).run(open(input), &mut output, &mut ()).expect("converts");
    output.finish().expect("the end").into_inner().expect("flushed");
    cpu_time()
}

/// Only `run_many` is timed; reading the blocks is not.
fn run_many(input: &Path, schema: &Path) -> Duration {
    let t = transform(input, schema);
    let (mut file, mut block, mut out) = (open(input), Block::new(), Vec::new());
    let mut time = Duration::ZERO;
    while file.next_block(&mut block).expect("a block") {
        out.clear();
        let start = cpu_time();
        t.run_many(block.input(), block.count(), &mut out).expect("transforms");
        time += cpu_time() - start;
    }
    time
}

/// 64 KiB at a time.
fn copy(input: &Path, output: &Path) -> Duration {
    let (mut from, mut to) = (File::open(input).expect("a file"), File::create(output).expect("a file"));
    let mut buffer = vec![0; 64 << 10];
    let start = cpu_time();
    loop {
        let n = from.read(&mut buffer).expect("reads");
        if n == 0 {
            break;
        }
        to.write_all(&buffer[..n]).expect("writes");
    }
    cpu_time() - start
}

/// Most memory that this process has had.
fn peak_kib() -> i64 {
    // SAFETY: all zero is a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid rusage.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    usage.ru_maxrss
}
