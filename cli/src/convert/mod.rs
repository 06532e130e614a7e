//! `reschema convert`

mod destination;
mod reporter;
mod stats;

use crate::args::{Convert, OnError, Tier};
use crate::exit::{Exit, Failure, Result, say};
use crate::input::{self, FileReader};
use crate::interrupt::{self, Undo};
use destination::Destination;
use reporter::Reporter;
use reschema::container::{Codec, ReaderOptions, Writer, WriterOptions};
use reschema::convert::{Cause, ConvertError, Converter, DeadLetters, OnDamage, Report};
use reschema::schema::avro::Names;
use reschema::{Engine, Limits, Schema, Transform};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(crate) fn run(args: &Convert) -> Result {
    input::standard_once(args.inputs.iter().chain(&args.to_schema))?;
    refuse_overwriting_input(args)?;
    let total = input::sizes(&args.inputs)?;
    let names = input::names(args.rules.lenient_names);
    // The first input is opened before the output: its metadata go along, and a bad file leaves nothing behind.
    let Some((first, rest)) = args.inputs.split_first() else { return Err(Failure::usage("no input")) };
    let file = input::container(first, names)?;
    let standard = input::is_standard(&args.output);
    let what = if standard { "standard output".into() } else { input::name(&args.output) };
    let mut writer = writer(args, &file, names, &what)?;
    let letters = match &args.on_error {
        OnError::Dlq(path) => Some((path, letters(path)?)),
        _ => None,
    };
    let before = writer.written();
    // A file that grows in place is cut back where the conversion fails; others have not got their names.
    let undo = args.append.then(|| Undo::Cut(args.output.clone(), before));
    undo.clone().into_iter().for_each(interrupt::begin);
    let engine = engine(args)?;
    let mut job = Job {
        converter: converter(args, &engine, writer.schema()),
        reporter: Reporter::new(total, args.quiet, letters.is_some()),
        letters: letters.map(|(path, letters)| (path.clone(), letters)),
        quiet: args.quiet,
        warned: HashSet::new(),
        sum: Report::default(),
    };
    let start = Instant::now();
    job.look_ahead(rest, names)?;
    let done = job.files(first, file, rest, names, &mut writer).and_then(|()| finished(writer, &what));
    job.reporter.end();
    // What was set aside is kept, however the conversion ends; a file of nothing does not take the place of an older one.
    let nothing = done.is_err() && job.reporter.damages() == 0;
    let kept = job.letters.take().filter(|_| !nothing).map_or(Ok(()), |(path, letters)| {
        let sink = letters.finish().map_err(|e| Failure::container(&input::name(&path), &e))?;
        sink.publish(&path)
    });
    let published = done.and_then(|(written, sink)| kept.and_then(|()| sink.publish(&args.output)).map(|()| written));
    let written = published.inspect_err(|_| undo.iter().for_each(Undo::run))?;
    undo.iter().for_each(interrupt::done);
    if !args.quiet || job.sum.damages > 0 {
        say(&summary(&job.sum, written - before, start));
    }
    if let Some(form) = args.stats {
        say(&stats::words(&engine.stats(), form));
    }
    Ok(if job.sum.damages > 0 { Exit::Partial } else { Exit::Ok })
}

/// The output with all that belongs to it, and its bytes.
fn finished(mut writer: Writer<Destination>, what: &str) -> Result<(u64, Destination)> {
    let fail = |e| Failure::container(what, &e);
    writer.flush_block().map_err(fail)?;
    let written = writer.written();
    Ok((written, writer.finish().map_err(fail)?))
}

fn summary(sum: &Report, written: u64, start: Instant) -> String {
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    let rate = sum.bytes_read as f64 / seconds / 1e6;
    let Report { records, bytes_read, damages, records_lost, bytes_lost, .. } = sum;
    let lost = match *damages {
        0 => String::new(),
        n => {
            let places = if n == 1 { "place" } else { "places" };
            format!("; {n} {places} left out: {records_lost} records known of, {bytes_lost} bytes")
        }
    };
    format!("{records} records, {bytes_read} bytes read, {written} written, {rate:.0} MB/s{lost}")
}

fn engine(args: &Convert) -> Result<Engine> {
    let limits = args.max_depth.map_or_else(Limits::default, |d| Limits::default().depth(d));
    if args.tier_threshold.is_some() && args.tier != Tier::Auto {
        return Err(Failure::usage("--tier-threshold goes with --tier auto"));
    }
    let tiering = args.tier.get(args.tier_threshold);
    Engine::builder()
        .rules(args.rules.get())
        .limits(limits)
        .tiering(tiering)
        .build()
        .map_err(|e| Failure::usage(e.message()))
}

fn converter(args: &Convert, engine: &Engine, reader: &Schema) -> Converter {
    let on_damage = if matches!(args.on_error, OnError::Fail) { OnDamage::Fail } else { OnDamage::Skip };
    let threads = match args.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS),
        n => n as usize,
    };
    Converter::new(engine, reader).threads(threads).on_damage(on_damage)
}

/// Threads where no number is asked for: more cores than these wait for the disk.
const MOST_THREADS: usize = 8;

/// The output, its header written.
fn writer(args: &Convert, file: &FileReader, names: Names, what: &str) -> Result<Writer<Destination>> {
    let wanted = match &args.to_schema {
        Some(path) => Some(input::schema(path, names)?),
        None => None,
    };
    let fail = |e| Failure::container(what, &e);
    if args.append && input::is_standard(&args.output) {
        return Err(Failure::usage("--append needs a file, not standard output"));
    }
    if args.append {
        let options = ReaderOptions { names, ..ReaderOptions::default() };
        let writer = Writer::append_to(Destination::grow(&args.output)?, options, args.block_bytes).map_err(fail)?;
        if wanted.is_some_and(|w| w != *writer.schema()) {
            return Err(Failure::usage(format!(
                "{what} has another schema than --to-schema; --append keeps the file's"
            )));
        }
        return Ok(writer);
    }
    let (schema, schema_text) = match wanted {
        Some(schema) => (schema, None),
        // The same schema: its text goes along as it is.
        None => (file.schema().clone(), Some(file.schema_text().to_string())),
    };
    let options = WriterOptions {
        codec: codec(args)?,
        metadata: metadata(args, file)?,
        block_bytes: args.block_bytes,
        schema_text,
        ..WriterOptions::default()
    };
    Writer::new(Destination::open(&args.output)?, &schema, options).map_err(fail)
}

fn letters(path: &PathBuf) -> Result<DeadLetters<Destination>> {
    DeadLetters::new(Destination::open(path)?).map_err(|e| Failure::container(&input::name(path), &e))
}

struct Job {
    converter: Converter,
    reporter: Reporter,
    letters: Option<(PathBuf, DeadLetters<Destination>)>,
    quiet: bool,
    warned: HashSet<String>,
    sum: Report,
}

impl Job {
    /// Whether the later inputs resolve: better to know before the first is converted. Pipes are read once, in their turn.
    fn look_ahead(&self, rest: &[PathBuf], names: Names) -> Result<()> {
        for path in rest.iter().filter(|p| p.is_file()) {
            let file = input::container(path, names)?;
            self.converter.transform(file.schema()).map_err(|e| Failure::resolve(&input::name(path), &e))?;
        }
        Ok(())
    }

    fn files(
        &mut self,
        first: &Path,
        file: FileReader,
        rest: &[PathBuf],
        names: Names,
        writer: &mut Writer<Destination>,
    ) -> Result<()> {
        self.file(first, file, writer)?;
        for path in rest {
            let file = input::container(path, names)?;
            self.file(path, file, writer)?;
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, file: FileReader, writer: &mut Writer<Destination>) -> Result<()> {
        let name = input::name(path);
        let transform = self.converter.transform(file.schema()).map_err(|e| Failure::resolve(&name, &e))?;
        self.warn(&name, &transform);
        // Values are at least about as many bytes as the file that they are packed in.
        transform.expect(path.metadata().map_or(0, |m| m.len()));
        if let Some((_, letters)) = &mut self.letters {
            letters.input(&name, file.codec(), file.schema_text());
        }
        let mut watch = self.reporter.of(&name, self.letters.as_mut().map(|(_, l)| l));
        let report = self.converter.run(file, writer, &mut watch).map_err(|e| failure(&name, &e))?;
        self.sum.add(&report);
        self.reporter.add(report.bytes_read);
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

/// Words and exit code of a conversion that ended early.
pub(crate) fn failure(name: &str, e: &ConvertError) -> Failure {
    match e {
        ConvertError::Resolve(e) => Failure::resolve(name, e),
        ConvertError::Output(e) => Failure::container("the output", e),
        ConvertError::Watch(e) => Failure::io("the file of dead letters", e),
        ConvertError::Damage(d) => match &d.cause {
            Cause::Container(e) if e.io_error().is_some() => Failure::container(name, e),
            _ => Failure::new(Exit::Data, format!("{name}: {d}")),
        },
        e => Failure::new(Exit::Data, format!("{name}: {e}")),
    }
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
        if key.starts_with(reschema::container::RESERVED) {
            return Err(Failure::usage(format!("--meta {pair:?}: keys that begin with avro. belong to the format")));
        }
        metadata.retain(|(k, _)| k != key);
        metadata.push((key.into(), value.as_bytes().to_vec()));
    }
    Ok(metadata)
}

fn refuse_overwriting_input(args: &Convert) -> Result<()> {
    let letters = match &args.on_error {
        OnError::Dlq(path) => Some(path),
        _ => None,
    };
    for output in [Some(&args.output), letters].into_iter().flatten().filter(|p| !input::is_standard(p)) {
        let Ok(there) = output.canonicalize() else { continue };
        let own = |path: &&PathBuf| same_file(path, &there);
        if args.inputs.iter().chain(&args.to_schema).any(|p| own(&p)) {
            return Err(Failure::usage(format!("{} would overwrite its own input", output.display())));
        }
    }
    match letters {
        Some(letters) if same_place(letters, &args.output) => {
            Err(Failure::usage("the output and the dead letters are one file"))
        }
        _ => Ok(()),
    }
}

/// True if two paths name one file, whether it is there or not.
fn same_place(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        path.canonicalize().or_else(|_| {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            folder.canonicalize().map(|f| f.join(path.file_name().unwrap_or_default()))
        })
    };
    a == b || matches!((place(a), place(b)), (Ok(x), Ok(y)) if x == y || same_file(a, &y))
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
