//! Bare values back to back, from any `Read` to any `Write`, in memory that grows only to the largest value.

use crate::error::{Error, ErrorKind};
use crate::transform::Transform;
use reschema_runtime::Input;
use std::fmt;
use std::io::{self, ErrorKind as IoKind, Read, Write};

/// What a stream has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streamed {
    /// Values.
    pub records: u64,
    /// Bytes read and transformed.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
}

/// Why a stream ended early. All values before are written.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError {
    /// A value is bad; number and offset count from the start of the stream.
    Value(Error),
    /// The input cannot be read.
    Read(io::Error),
    /// The output cannot be written.
    Write(io::Error),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Value(e) => e.fmt(f),
            StreamError::Read(e) => write!(f, "reading: {e}"),
            StreamError::Write(e) => write!(f, "writing: {e}"),
        }
    }
}

impl std::error::Error for StreamError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StreamError::Value(e) => Some(e),
            StreamError::Read(e) | StreamError::Write(e) => Some(e),
        }
    }
}

/// Bytes of the window to begin with.
const WINDOW: usize = 64 << 10;
/// Bytes of output that are written at a time, about.
const ENOUGH: usize = 64 << 10;
/// Bytes of a value up to which it is tried again whenever there is more of it. A larger one waits for an eighth more, or
/// the end: otherwise a large value that comes in small pieces would be read as often as there are pieces.
const SMALL: usize = 16 << 10;

/// A part of the input, in a buffer that is used again.
struct Window {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    complete: bool,
}

impl Window {
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    fn input(&self) -> Input<'_> {
        if self.complete { Input::Bytes(self.bytes()) } else { Input::Window(self.bytes()) }
    }

    /// Reads enough more to try again.
    fn more(&mut self, input: &mut impl Read, limit: u64) -> Result<(), StreamError> {
        let there = self.end - self.start;
        let wanted = if there <= SMALL {
            there + 1
        } else {
            (there + there / 8).min(usize::try_from(limit).unwrap_or(usize::MAX))
        };
        loop {
            self.some(input, limit)?;
            if self.complete || self.end - self.start >= wanted {
                return Ok(());
            }
        }
    }

    /// Reads some more behind what is there; grows if there is no room.
    fn some(&mut self, input: &mut impl Read, limit: u64) -> Result<(), StreamError> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.end == self.buffer.len() {
            if self.end as u64 >= limit {
                let message = format!("a value takes more than {limit} bytes of input, the limit");
                return Err(StreamError::Value(Error::new(ErrorKind::Limit, message).at_byte(0)));
            }
            let grown = (self.buffer.len() * 2).min(usize::try_from(limit).unwrap_or(usize::MAX));
            self.buffer.resize(grown, 0);
        }
        loop {
            match input.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    self.complete = read == 0;
                    return Ok(());
                }
                Err(e) if e.kind() == IoKind::Interrupted => {}
                Err(e) => return Err(StreamError::Read(e)),
            }
        }
    }
}

impl Transform {
    /// Transforms all values of `input`, back to back, as they come.
    ///
    /// # Errors
    /// See [`StreamError`]. A schema whose values take no bytes is refused: nothing would tell how many there are.
    pub fn stream(&self, mut input: impl Read, mut output: impl Write) -> Result<Streamed, StreamError> {
        if self.takes_no_bytes() {
            let message = "values of the writer's schema take no bytes: a stream does not tell how many there are";
            return Err(StreamError::Value(Error::new(ErrorKind::Usage, message)));
        }
        let limit = self.limits().input_bytes.max(1);
        let size = WINDOW.min(usize::try_from(limit).unwrap_or(WINDOW));
        let mut window = Window { buffer: vec![0; size], start: 0, end: 0, complete: false };
        let (mut sum, mut out) = (Streamed::default(), Vec::new());
        loop {
            window.more(&mut input, limit).map_err(|e| later(e, &sum))?;
            // All values of the window, some at a time.
            loop {
                let (before, result) = (sum, self.run_some(window.input(), u64::MAX, ENOUGH, &mut out));
                let (records, bytes) = match &result {
                    Ok(done) => (done.records, done.consumed),
                    Err(e) => (e.records_done(), e.bytes_consumed() as usize),
                };
                window.start += bytes;
                sum.records += records;
                sum.bytes_read += bytes as u64;
                output.write_all(&out).map_err(StreamError::Write)?;
                sum.bytes_written += out.len() as u64;
                out.clear();
                match result {
                    _ if window.complete && window.start == window.end => {
                        output.flush().map_err(StreamError::Write)?;
                        return Ok(sum);
                    }
                    Ok(_) => {}
                    Err(e) if e.kind() == ErrorKind::NeedInput => break,
                    Err(e) => return Err(StreamError::Value(e.behind(before.bytes_read, before.records))),
                }
            }
        }
    }
}

/// An error of the window's first value, in the whole stream.
fn later(e: StreamError, sum: &Streamed) -> StreamError {
    match e {
        StreamError::Value(e) => StreamError::Value(e.behind(sum.bytes_read, sum.records)),
        e => e,
    }
}
