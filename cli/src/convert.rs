//! `reschema convert`

use crate::args::Convert;
use crate::exit::{Exit, Failure, Result, say};
use crate::input::{self, FileReader};
use reschema::container::{Block, Codec, Writer, WriterOptions};
use reschema::{Endpoint, Engine, Schema, Transform};
use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(crate) fn run(args: &Convert) -> Result {
    input::standard_once(args.inputs.iter().chain([&args.to_schema]))?;
    refuse_overwriting_input(args)?;
    let names = input::names(args.rules.lenient_names);
    let reader = input::schema(&args.to_schema, names)?;
    let engine = Engine::builder().rules(args.rules.get()).build().map_err(|e| Failure::resolve("engine", &e))?;
    // The first input is opened before the output: its metadata go along, and a bad file leaves nothing behind.
    let mut inputs = args.inputs.iter();
    let Some(first) = inputs.next() else { return Err(Failure::usage("no input")) };
    let file = input::container(first, names)?;
    let metadata = metadata(args, &file)?;
    let sink = Destination::open(&args.output)?;
    let options = WriterOptions { codec: codec(args)?, metadata, ..WriterOptions::default() };
    let standard = input::is_standard(&args.output);
    let what = if standard { "standard output".into() } else { input::name(&args.output) };
    let mut job = Job {
        engine,
        reader: reader.clone(),
        writer: Writer::new(sink, &reader, options).map_err(|e| Failure::container(&what, &e))?,
        what,
        records: 0,
        bytes_in: 0,
        quiet: args.quiet,
        warned: HashSet::new(),
        out: Vec::new(),
        batch: 16,
    };
    let start = Instant::now();
    job.file(first, file)?;
    for path in inputs {
        let file = input::container(path, names)?;
        job.file(path, file)?;
    }
    let Job { mut writer, what, records, bytes_in, .. } = job;
    writer.flush_block().map_err(|e| Failure::container(&what, &e))?;
    let bytes_out = writer.written();
    let sink = writer.finish().map_err(|e| Failure::container(&what, &e))?;
    sink.publish(&args.output)?;
    if !args.quiet {
        let seconds = start.elapsed().as_secs_f64().max(1e-9);
        let rate = bytes_in as f64 / seconds / 1e6;
        say(&format!("{records} records, {bytes_in} bytes read, {bytes_out} written, {rate:.0} MB/s"));
    }
    Ok(Exit::Ok)
}

struct Job {
    engine: Engine,
    reader: Schema,
    writer: Writer<Destination>,
    what: String,
    records: u64,
    bytes_in: u64,
    quiet: bool,
    warned: HashSet<String>,
    /// Values converted and not yet handed to the writer.
    out: Vec<u8>,
    /// Values converted at a time; follows their size.
    batch: u64,
}

/// Bytes to convert at a time: a quarter of a block, so that blocks come out about as large as the writer wants them.
const BATCH_BYTES: u64 = 16 << 10;
/// Values to convert at a time, if they are small or take no bytes.
const BATCH_VALUES: u64 = 16 << 10;

impl Job {
    fn file(&mut self, path: &Path, mut file: FileReader) -> Result<()> {
        let name = input::name(path);
        let transform = self
            .engine
            .transform(Endpoint::avro(file.schema()), Endpoint::avro(&self.reader))
            .map_err(|e| Failure::resolve(&name, &e))?;
        self.warn(&name, &transform);
        let mut block = Block::new();
        let mut in_file = 0;
        while file.next_block(&mut block).map_err(|e| Failure::container(&name, &e))? {
            self.block(&name, &transform, &block, in_file)?;
            in_file += block.count();
        }
        self.records += in_file;
        self.bytes_in += file.position();
        Ok(())
    }

    /// Converts a block, some values at a time, so that a block of many small values needs no more memory than others.
    fn block(&mut self, name: &str, transform: &Transform, block: &Block, before: u64) -> Result<()> {
        let place = || format!("block {} at byte {}", block.index(), block.offset());
        let (mut records, mut consumed) = (0, 0);
        while records < block.count() {
            let count = (block.count() - records).min(self.batch);
            self.out.clear();
            let done = transform.run_many(block.input_from(consumed), count, &mut self.out).map_err(|e| {
                let e = e.behind(consumed as u64, records);
                let record = before + e.record().unwrap_or(0);
                Failure::new(Exit::Data, format!("{name}: record {record}, {}, {}", place(), described(&e)))
            })?;
            records += done.records;
            consumed += done.consumed;
            self.batch = next_batch(done.records, self.out.len() as u64);
            self.writer.append_values(done.records, &self.out).map_err(|e| Failure::container(&self.what, &e))?;
        }
        let left = block.data().len() - consumed;
        if left > 0 {
            let message = format!("{name}: {} has {left} bytes behind its {records} records", place());
            return Err(Failure::new(Exit::Data, message));
        }
        Ok(())
    }

    /// Values that are read raw, each place once.
    fn warn(&mut self, name: &str, transform: &Transform) {
        for w in transform.warnings() {
            let words = format!("warning at {}: {}", w.writer_path, w.message);
            if !self.quiet && self.warned.insert(words.clone()) {
                say(&format!("reschema: {name}: {words}"));
            }
        }
    }
}

/// Values to convert at a time, after `values` of them made `bytes`.
fn next_batch(values: u64, bytes: u64) -> u64 {
    (values * BATCH_BYTES / bytes.max(1)).min(values * 8).clamp(1, BATCH_VALUES)
}

/// Byte of the block, field, and what is wrong.
fn described(e: &reschema::Error) -> String {
    let byte = e.offset().map_or(String::new(), |at| format!("byte {at} of its data, "));
    let field = match (e.source_path(), e.target_path()) {
        (Some(from), Some(to)) if from != to && !to.is_empty() => format!("field {from} (wanted as {to}): "),
        (Some(from), _) => format!("field {from}: "),
        _ => String::new(),
    };
    format!("{byte}{field}{}", e.message())
}

fn codec(args: &Convert) -> Result<Codec> {
    let codec = Codec::by_name(args.codec.name()).unwrap_or_default();
    let Some(level) = args.level else { return Ok(codec) };
    codec.with_level(level).ok_or_else(|| {
        let name = codec.name();
        Failure::usage(match codec.levels() {
            Some(levels) => format!("--level of {name} is {} to {}, found {level}", levels.start(), levels.end()),
            None => format!("codec {name} has no --level"),
        })
    })
}

/// The first input's metadata, and those of the command line in their place.
fn metadata(args: &Convert, file: &FileReader) -> Result<Vec<(String, Vec<u8>)>> {
    let kept = file.metadata().iter().filter(|(k, _)| !k.starts_with(reschema::container::RESERVED));
    let mut metadata: Vec<(String, Vec<u8>)> = kept.cloned().collect();
    for pair in &args.metadata {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| Failure::usage(format!("--meta takes KEY=VALUE, found {pair:?}")))?;
        metadata.retain(|(k, _)| k != key);
        metadata.push((key.into(), value.as_bytes().to_vec()));
    }
    Ok(metadata)
}

fn refuse_overwriting_input(args: &Convert) -> Result<()> {
    if input::is_standard(&args.output) {
        return Ok(());
    }
    let Ok(output) = args.output.canonicalize() else { return Ok(()) };
    for path in args.inputs.iter().chain([&args.to_schema]) {
        if same_file(path, &output) {
            return Err(Failure::usage(format!("{} would overwrite its own input", args.output.display())));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn same_file(path: &Path, output: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (path.metadata(), output.metadata()) {
        (Ok(a), Ok(b)) => a.dev() == b.dev() && a.ino() == b.ino(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(path: &Path, output: &Path) -> bool {
    path.canonicalize().is_ok_and(|p| p == output)
}

/// Where the output goes: a temporary file beside the target that takes its name when all is done, or a pipe.
enum Destination {
    Standard(BufWriter<std::io::Stdout>),
    File(BufWriter<tempfile::NamedTempFile>, PathBuf),
    /// Something that is there and is no regular file (a named pipe, a device): written in place.
    Special(BufWriter<std::fs::File>),
}

impl Destination {
    fn open(path: &PathBuf) -> Result<Destination> {
        const BUFFER: usize = 256 << 10;
        if input::is_standard(path) {
            return Ok(Destination::Standard(BufWriter::with_capacity(BUFFER, std::io::stdout())));
        }
        let fail = |e: std::io::Error| Failure::io(&path.display().to_string(), &e);
        let there = path.metadata().ok();
        if there.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(fail(std::io::ErrorKind::IsADirectory.into()));
        }
        if there.as_ref().is_some_and(|m| !m.is_file()) {
            let file = std::fs::OpenOptions::new().write(true).open(path).map_err(fail)?;
            return Ok(Destination::Special(BufWriter::with_capacity(BUFFER, file)));
        }
        // Through a link: what it points to is replaced, not the link.
        let target = path.canonicalize().unwrap_or_else(|_| path.clone());
        let folder = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        folder.metadata().map_err(|e| Failure::io(&folder.display().to_string(), &e))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".reschema-").suffix(".tmp");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(fail)?;
        if let Some(m) = there {
            // A file that is replaced stays as private as it was.
            file.as_file().set_permissions(m.permissions()).map_err(fail)?;
        }
        Ok(Destination::File(BufWriter::with_capacity(BUFFER, file), target))
    }

    fn publish(self, path: &Path) -> Result<()> {
        let fail = |e: &std::io::Error| Failure::io(&path.display().to_string(), e);
        match self {
            Destination::Standard(mut w) => w.flush().map_err(|e| fail(&e)),
            Destination::Special(mut w) => w.flush().map_err(|e| fail(&e)),
            Destination::File(w, target) => {
                let file = w.into_inner().map_err(|e| fail(e.error()))?;
                file.persist(target).map(|_| ()).map_err(|e| fail(&e.error))
            }
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Destination::Standard(w) => w.write(bytes),
            Destination::File(w, _) => w.write(bytes),
            Destination::Special(w) => w.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Destination::Standard(w) => w.flush(),
            Destination::File(w, _) => w.flush(),
            Destination::Special(w) => w.flush(),
        }
    }
}
