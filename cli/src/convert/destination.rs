//! Where output goes.

use crate::exit::{Failure, Result};
use crate::input;
use crate::interrupt::{Undo, begin, done};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const BUFFER: usize = 256 << 10;

/// Where the output goes: a temporary file beside the target that takes its name when all is done, or a pipe.
pub(super) enum Destination {
    Standard(BufWriter<std::io::Stdout>),
    File(BufWriter<tempfile::NamedTempFile>, PathBuf),
    /// Something that is there and is no regular file (a named pipe, a device): written in place.
    Special(BufWriter<std::fs::File>),
    /// A container file that grows in place.
    Grown(BufWriter<std::fs::File>),
}

impl Destination {
    pub(super) fn open(path: &PathBuf) -> Result<Destination> {
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
        let target = path.canonicalize().unwrap_or_else(|_| followed(path));
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
        begin(Undo::Remove(file.path().into()));
        Ok(Destination::File(BufWriter::with_capacity(BUFFER, file), target))
    }

    /// Opens a file that grows.
    pub(super) fn grow(path: &Path) -> Result<Destination> {
        let fail = |e: std::io::Error| Failure::io(&path.display().to_string(), &e);
        let file = std::fs::OpenOptions::new().read(true).write(true).open(path).map_err(fail)?;
        let m = file.metadata().map_err(fail)?;
        if !m.is_file() {
            return Err(Failure::usage(format!("{}: only a regular file can be appended to", path.display())));
        }
        Ok(Destination::Grown(BufWriter::with_capacity(BUFFER, file)))
    }

    pub(super) fn publish(self, path: &Path) -> Result<()> {
        let fail = |e: &std::io::Error| Failure::io(&path.display().to_string(), e);
        match self {
            Destination::Standard(mut w) => w.flush().map_err(|e| fail(&e)),
            Destination::Special(mut w) | Destination::Grown(mut w) => w.flush().map_err(|e| fail(&e)),
            Destination::File(w, target) => {
                let file = w.into_inner().map_err(|e| fail(e.error()))?;
                let undo = Undo::Remove(file.path().into());
                let result = file.persist(target).map(|_| ()).map_err(|e| fail(&e.error));
                done(&undo);
                result
            }
        }
    }
}

/// Where links lead that end at nothing.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(to) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(to);
    }
    path
}

/// Links that follow each other; systems have a limit of this kind.
const MOST_LINKS: usize = 40;

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Destination::Standard(w) => w.write(bytes),
            Destination::File(w, _) => w.write(bytes),
            Destination::Special(w) | Destination::Grown(w) => w.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Destination::Standard(w) => w.flush(),
            Destination::File(w, _) => w.flush(),
            Destination::Special(w) | Destination::Grown(w) => w.flush(),
        }
    }
}

/// Only a file that grows is read.
impl Read for Destination {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Destination::Grown(w) => w.get_mut().read(buffer),
            _ => Err(std::io::ErrorKind::Unsupported.into()),
        }
    }
}

impl Seek for Destination {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match self {
            Destination::Grown(w) => w.seek(to),
            _ => Err(std::io::ErrorKind::Unsupported.into()),
        }
    }
}
