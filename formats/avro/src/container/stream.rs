//! What files are read from: a stream that knows where it is, and a window on what comes next.

use super::error::{ContainerError, ContainerErrorKind};
use reschema_runtime::num::unzigzag;
use std::io::{ErrorKind, Read};

/// A stream that knows where it is. It reads some bytes ahead, so that small blocks do not cost a call each; it never
/// waits for more bytes than it is asked for.
pub(super) struct Counted<R> {
    inner: R,
    /// Bytes of the stream taken so far.
    pub(super) at: u64,
    /// Bytes that come before the stream goes on: read ahead, or given back. Those before `ahead_at` are taken.
    ahead: Vec<u8>,
    ahead_at: usize,
    /// The stream has come to its end.
    ended: bool,
}

/// Bytes read ahead.
const AHEAD: usize = 4 << 10;
/// Most bytes for which room is made before they are there.
const CHUNK: usize = 1 << 20;

type Result<T> = std::result::Result<T, ContainerError>;

/// A long at the start of some bytes.
pub(super) enum Long {
    /// The value, and how many bytes it takes.
    Is(i64, usize),
    /// More bytes are needed.
    Short,
    /// More than 64 bits.
    Bad,
}

/// Reads a long that may be cut off.
pub(super) fn long(bytes: &[u8]) -> Long {
    let mut value = 0u64;
    for (i, byte) in bytes.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if i == 9 && bits > 1 {
            return Long::Bad;
        }
        value |= bits << (7 * i);
        if byte & 0x80 == 0 {
            return Long::Is(unzigzag(value), i + 1);
        }
    }
    if bytes.len() < 10 { Long::Short } else { Long::Bad }
}

impl<R: Read> Counted<R> {
    pub(super) fn new(inner: R) -> Counted<R> {
        Counted { inner, at: 0, ahead: Vec::new(), ahead_at: 0, ended: false }
    }

    /// Bytes that are there, not taken.
    pub(super) fn ahead(&self) -> &[u8] {
        self.ahead.get(self.ahead_at..).unwrap_or(&[])
    }

    /// True when so much is there, because it was given back, that it should be looked at where it is.
    pub(super) fn is_windowed(&self) -> bool {
        self.ahead().len() > AHEAD
    }

    /// Takes bytes that are there.
    pub(super) fn take_ahead(&mut self, bytes: usize) {
        let bytes = bytes.min(self.ahead().len());
        self.ahead_at += bytes;
        self.at += bytes as u64;
    }

    /// Gives back what was taken last.
    pub(super) fn give_back(&mut self, mut bytes: Vec<u8>) {
        self.at -= bytes.len() as u64;
        bytes.extend_from_slice(self.ahead());
        (self.ahead, self.ahead_at) = (bytes, 0);
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.inner.read(buffer) {
                Ok(n) => {
                    self.ended = n == 0;
                    return Ok(n);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(ContainerError::io(self.at, e)),
            }
        }
    }

    /// Makes `bytes` be there, and returns how many are: fewer only at the end of the stream. Each byte is moved a few times
    /// at most, however often this is called.
    pub(super) fn peek(&mut self, bytes: usize) -> Result<usize> {
        while self.ahead().len() < bytes && !self.ended {
            if self.ahead_at >= self.ahead.len() / 2 {
                self.ahead.drain(..self.ahead_at);
                self.ahead_at = 0;
            }
            let (old, wanted) = (self.ahead.len(), (bytes - self.ahead().len()).clamp(AHEAD, CHUNK));
            let mut ahead = std::mem::take(&mut self.ahead);
            ahead.resize(old + wanted, 0);
            let read = self.read(&mut ahead[old..]);
            ahead.truncate(old + *read.as_ref().unwrap_or(&0));
            self.ahead = ahead;
            read?;
        }
        Ok(self.ahead().len())
    }

    /// Takes a long; `None` if the stream ends before it.
    pub(super) fn long(&mut self, what: &str) -> Result<Option<i64>> {
        let mut wanted = 1;
        loop {
            let there = self.peek(wanted)?;
            match long(self.ahead()) {
                Long::Is(value, bytes) => {
                    self.take_ahead(bytes);
                    return Ok(Some(value));
                }
                Long::Short if there == 0 => return Ok(None),
                Long::Short if there < wanted => {
                    self.take_ahead(there);
                    return Err(self.truncated(what));
                }
                Long::Short => wanted = there + 1,
                Long::Bad => {
                    let message = format!("expected {what}, found a varint of more than 64 bits");
                    return Err(ContainerError::new(ContainerErrorKind::Header, self.at, message));
                }
            }
        }
    }

    #[cold]
    pub(super) fn truncated(&self, what: &str) -> ContainerError {
        truncated(self.at, what)
    }

    /// Replaces the first bytes of `out` by the next `len` of the stream, and returns how many there were: fewer only at
    /// the end. What `out` holds behind them is left over from earlier use: so nothing needs to be cleared. Room grows
    /// with what is really there, not with what a length says.
    pub(super) fn fill(&mut self, len: u64, out: &mut Vec<u8>) -> Result<usize> {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let mut have = self.ahead().len().min(len);
        room(out, have);
        out[..have].copy_from_slice(&self.ahead()[..have]);
        self.take_ahead(have);
        while have < len && !self.ended {
            // The bytes ahead are used up: some more of them come with the last read.
            let wanted = (len - have).min(CHUNK.max(have));
            room(out, have + wanted + AHEAD);
            let read = self.read(&mut out[have..have + wanted + AHEAD])?;
            if read == 0 {
                break;
            }
            let mine = read.min(len - have);
            self.ahead.clear();
            self.ahead.extend_from_slice(&out[have + mine..have + read]);
            self.ahead_at = 0;
            have += mine;
            self.at += mine as u64;
        }
        Ok(have)
    }

    /// The next `len` bytes.
    pub(super) fn take(&mut self, len: u64, what: &str) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let have = self.fill(len, &mut out)?;
        out.truncate(have);
        if (have as u64) < len { Err(self.truncated(what)) } else { Ok(out) }
    }

    pub(super) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        self.take(N as u64, what)?.try_into().map_err(|_| self.truncated(what))
    }
}

/// The file ends at a byte, inside something.
#[cold]
pub(super) fn truncated(at: u64, what: &str) -> ContainerError {
    ContainerError::new(ContainerErrorKind::Truncated, at, format!("the file ends inside {what}"))
}

fn room(out: &mut Vec<u8>, len: usize) {
    if out.len() < len {
        out.resize(len, 0);
    }
}
