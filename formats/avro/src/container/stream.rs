//! What headers are read from: a stream that knows where it is, and that takes bytes back.

use super::error::{ContainerError, ContainerErrorKind};
use reschema_runtime::num::unzigzag;
use std::io::{ErrorKind, Read};

/// A stream that knows where it is. It reads some bytes ahead, so that small blocks do not cost a call each; it never
/// waits for more bytes than it is asked for.
pub(super) struct Counted<R> {
    inner: R,
    /// Bytes of the stream given so far.
    pub(super) at: u64,
    /// Bytes read ahead or given back: they come before the stream goes on.
    ahead: Vec<u8>,
    ahead_at: usize,
    /// Bytes that [`Counted::byte`] has given since the last [`Counted::mark`].
    marked: Vec<u8>,
}

/// Bytes read ahead.
const AHEAD: usize = 4 << 10;
/// Most bytes for which room is made before they are there.
const CHUNK: usize = 1 << 20;

type Result<T> = std::result::Result<T, ContainerError>;

impl<R: Read> Counted<R> {
    pub(super) fn new(inner: R) -> Counted<R> {
        Counted { inner, at: 0, ahead: Vec::new(), ahead_at: 0, marked: Vec::new() }
    }

    /// Forgets single bytes seen so far.
    pub(super) fn mark(&mut self) {
        self.marked.clear();
    }

    /// The single bytes read since the mark.
    pub(super) fn marked(&self) -> &[u8] {
        &self.marked
    }

    fn ahead(&self) -> &[u8] {
        self.ahead.get(self.ahead_at..).unwrap_or(&[])
    }

    /// Gives back what was read last.
    pub(super) fn give_back(&mut self, mut bytes: Vec<u8>) {
        self.at -= bytes.len() as u64;
        bytes.extend_from_slice(self.ahead());
        (self.ahead, self.ahead_at) = (bytes, 0);
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.inner.read(buffer) {
                Ok(n) => return Ok(n),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(ContainerError::io(self.at, e)),
            }
        }
    }

    /// Gives some bytes; 0 at the end.
    pub(super) fn some(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.ahead().is_empty() {
            let mut ahead = std::mem::take(&mut self.ahead);
            ahead.resize(AHEAD, 0);
            let read = self.read(&mut ahead);
            ahead.truncate(*read.as_ref().unwrap_or(&0));
            (self.ahead, self.ahead_at) = (ahead, 0);
            read?;
        }
        let n = self.ahead().len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.ahead()[..n]);
        self.ahead_at += n;
        self.at += n as u64;
        Ok(n)
    }

    /// Gives a byte; `None` at the end.
    pub(super) fn byte(&mut self) -> Result<Option<u8>> {
        let mut byte = [0];
        if self.some(&mut byte)? == 0 {
            return Ok(None);
        }
        self.marked.push(byte[0]);
        Ok(Some(byte[0]))
    }

    /// Reads a long; `None` if the stream ends before it.
    pub(super) fn long(&mut self, what: &str) -> Result<Option<i64>> {
        let start = self.at;
        let mut value = 0u64;
        for i in 0..10 {
            let Some(byte) = self.byte()? else {
                if i == 0 {
                    return Ok(None);
                }
                return Err(self.truncated(what));
            };
            let bits = u64::from(byte & 0x7f);
            if i == 9 && bits > 1 {
                break;
            }
            value |= bits << (7 * i);
            if byte & 0x80 == 0 {
                return Ok(Some(unzigzag(value)));
            }
        }
        let message = format!("expected {what}, found a varint of more than 64 bits");
        Err(ContainerError::new(ContainerErrorKind::Header, start, message))
    }

    #[cold]
    pub(super) fn truncated(&self, what: &str) -> ContainerError {
        ContainerError::new(ContainerErrorKind::Truncated, self.at, format!("the file ends inside {what}"))
    }

    /// Replaces the first bytes of `out` by the next `len` of the stream, and returns how many there were: fewer only at
    /// the end. What `out` holds behind them is left over from earlier use: so nothing needs to be cleared. Room grows
    /// with what is really there, not with what a length says.
    pub(super) fn fill(&mut self, len: u64, out: &mut Vec<u8>) -> Result<usize> {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let mut have = self.ahead().len().min(len);
        room(out, have);
        out[..have].copy_from_slice(&self.ahead()[..have]);
        self.ahead_at += have;
        self.at += have as u64;
        while have < len {
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

fn room(out: &mut Vec<u8>, len: usize) {
    if out.len() < len {
        out.resize(len, 0);
    }
}
