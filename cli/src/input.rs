//! Opening files: container files, schema texts, standard input.

use crate::exit::{Exit, Failure, Result};
use reschema::Schema;
use reschema::container::{Header, MAGIC, Reader, ReaderOptions, schema_of};
use reschema::schema::avro::{Names, Parser};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file or standard input, for messages.
pub(crate) fn name(path: &Path) -> String {
    if is_standard(path) { "standard input".into() } else { path.display().to_string() }
}

/// True for `-`.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses to read standard input for two things.
pub(crate) fn standard_once<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<()> {
    match paths.into_iter().filter(|p| is_standard(p)).count() {
        0 | 1 => Ok(()),
        n => Err(Failure::usage(format!("standard input (-) can be read once, and is named {n} times"))),
    }
}

pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if is_standard(path) {
        return Ok(Box::new(std::io::stdin()));
    }
    let file = File::open(path).map_err(|e| Failure::io(&name(path), &e))?;
    Ok(Box::new(file))
}

/// Bytes of all files together, if they can be known. Fails for a file that is not there, before anything is done.
pub(crate) fn sizes(paths: &[PathBuf]) -> Result<Option<u64>> {
    let mut total = Some(0);
    for path in paths.iter().filter(|p| !is_standard(p)) {
        let m = path.metadata().map_err(|e| Failure::io(&name(path), &e))?;
        if m.is_dir() {
            return Err(Failure::io(&name(path), &std::io::ErrorKind::IsADirectory.into()));
        }
        total = total.filter(|_| m.is_file()).map(|t| t + m.len());
    }
    Ok(total.filter(|_| !paths.iter().any(|p| is_standard(p))))
}

pub(crate) fn names(lenient: bool) -> Names {
    if lenient { Names::Lenient } else { Names::Strict }
}

/// A container file that is being read.
pub(crate) type FileReader = Reader<Box<dyn Read + Send>>;

pub(crate) fn container(path: &Path, names: Names) -> Result<FileReader> {
    let options = ReaderOptions { names, ..ReaderOptions::default() };
    Reader::with_options(open(path)?, options).map_err(|e| Failure::container(&name(path), &e))
}

/// What stands before the blocks of a container file.
pub(crate) type FileHeader = Header;

/// The header of a container file, whatever its schema and its codec are.
pub(crate) fn header(path: &Path) -> Result<FileHeader> {
    Header::read(open(path)?, ReaderOptions::default().limits).map_err(|e| Failure::container(&name(path), &e))
}

/// Largest schema text that is read.
const SCHEMA_BYTES: u64 = 64 << 20;

/// Schemas of files: of container files the one in the header, of others their text. Texts may refer to each other.
pub(crate) fn schemas(paths: &[&Path], names: Names) -> Result<Vec<Schema>> {
    let mut found: Vec<Option<Schema>> = Vec::new();
    let mut texts: Vec<(String, String)> = Vec::new();
    for path in paths {
        let mut start = Vec::new();
        let mut stream = open(path)?;
        let label = name(path);
        stream.by_ref().take(4).read_to_end(&mut start).map_err(|e| Failure::io(&label, &e))?;
        if start == MAGIC {
            let options = ReaderOptions { names, ..ReaderOptions::default() };
            let whole = start.as_slice().chain(stream);
            found.push(Some(schema_of(whole, options).map_err(|e| Failure::container(&label, &e))?));
        } else {
            stream
                .take(SCHEMA_BYTES + 1 - start.len() as u64)
                .read_to_end(&mut start)
                .map_err(|e| Failure::io(&label, &e))?;
            if start.len() as u64 > SCHEMA_BYTES {
                let message = format!("{label}: larger than {SCHEMA_BYTES} bytes, the limit of a schema");
                return Err(Failure::new(Exit::Schema, message));
            }
            let text = String::from_utf8(start)
                .map_err(|_| Failure::new(Exit::Schema, format!("{label}: neither a container file nor text")))?;
            texts.push((label, text));
            found.push(None);
        }
    }
    let named = texts.len() > 1;
    let refs: Vec<(&str, &str)> =
        texts.iter().map(|(n, t)| (if named { n.as_str() } else { "" }, t.as_str())).collect();
    let parsed = if refs.is_empty() { Ok(Vec::new()) } else { Parser::new().names(names).parse_many(&refs) };
    let what = texts.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>().join(", ");
    let mut parsed = parsed.map_err(|e| Failure::schema(&what, &e))?.into_iter();
    Ok(found.into_iter().filter_map(|f| f.or_else(|| parsed.next())).collect())
}

/// The schema of one file.
pub(crate) fn schema(path: &Path, names: Names) -> Result<Schema> {
    schemas(&[path], names)?.pop().ok_or_else(|| Failure::new(Exit::Schema, format!("{}: no schema", name(path))))
}
