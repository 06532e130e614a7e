//! Longs of headers, read from a stream.

use super::error::{ContainerError, ContainerErrorKind};
use reschema_runtime::num::unzigzag;
use std::io::{ErrorKind, Read};

/// A stream that knows where it is.
pub(super) struct Counted<R> {
    pub(super) inner: R,
    pub(super) at: u64,
}

type Result<T> = std::result::Result<T, ContainerError>;

impl<R: Read> Counted<R> {
    /// Reads a byte; `None` at the end.
    pub(super) fn byte(&mut self) -> Result<Option<u8>> {
        let mut byte = [0];
        loop {
            match self.inner.read(&mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) => {
                    self.at += 1;
                    return Ok(Some(byte[0]));
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(ContainerError::io(self.at, e)),
            }
        }
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
