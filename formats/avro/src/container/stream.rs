//! What headers are read from: a stream that knows where it is, and that takes bytes back.

use super::error::{ContainerError, ContainerErrorKind};
use reschema_runtime::num::unzigzag;
use std::io::{ErrorKind, Read};

/// A stream that knows where it is.
pub(super) struct Counted<R> {
    inner: R,
    /// Bytes of the stream read so far.
    pub(super) at: u64,
    /// Bytes given back: they come again before the stream goes on.
    back: Vec<u8>,
    back_at: usize,
    /// Bytes that [`Counted::byte`] has given since the last [`Counted::mark`].
    marked: Vec<u8>,
}

type Result<T> = std::result::Result<T, ContainerError>;

impl<R: Read> Counted<R> {
    pub(super) fn new(inner: R) -> Counted<R> {
        Counted { inner, at: 0, back: Vec::new(), back_at: 0, marked: Vec::new() }
    }

    /// Forgets single bytes seen so far.
    pub(super) fn mark(&mut self) {
        self.marked.clear();
    }

    /// The single bytes read since the mark.
    pub(super) fn marked(&self) -> &[u8] {
        &self.marked
    }

    /// Gives back what was read last.
    pub(super) fn give_back(&mut self, mut bytes: Vec<u8>) {
        self.at -= bytes.len() as u64;
        bytes.extend_from_slice(self.back.get(self.back_at..).unwrap_or(&[]));
        (self.back, self.back_at) = (bytes, 0);
    }

    /// Reads some bytes; 0 at the end.
    pub(super) fn some(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let back = self.back.get(self.back_at..).unwrap_or(&[]);
        if !back.is_empty() {
            let n = back.len().min(buffer.len());
            buffer[..n].copy_from_slice(&back[..n]);
            self.back_at += n;
            self.at += n as u64;
            return Ok(n);
        }
        loop {
            match self.inner.read(buffer) {
                Ok(n) => {
                    self.at += n as u64;
                    return Ok(n);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(ContainerError::io(self.at, e)),
            }
        }
    }

    /// Reads a byte; `None` at the end.
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

    /// Appends `len` bytes. Memory grows with what is really there, not with what a length says.
    pub(super) fn append(&mut self, len: u64, out: &mut Vec<u8>, what: &str) -> Result<()> {
        let back = self.back.get(self.back_at..).unwrap_or(&[]);
        let from_back = usize::try_from(len).unwrap_or(usize::MAX).min(back.len());
        out.extend_from_slice(&back[..from_back]);
        self.back_at += from_back;
        self.at += from_back as u64;
        let len = len - from_back as u64;
        let read = self.inner.by_ref().take(len).read_to_end(out).map_err(|e| ContainerError::io(self.at, e))?;
        self.at += read as u64;
        if (read as u64) < len {
            return Err(self.truncated(what));
        }
        Ok(())
    }

    pub(super) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut out = Vec::with_capacity(N);
        self.append(N as u64, &mut out, what)?;
        out.try_into().map_err(|_| self.truncated(what))
    }
}
