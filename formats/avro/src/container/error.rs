//! What can be wrong with a container file, and where.

use std::fmt;
use std::io;

/// An error of a container file, with the byte of the file where it was seen.
#[derive(Debug)]
pub struct ContainerError {
    kind: ContainerErrorKind,
    offset: u64,
    block: Option<u64>,
    message: String,
    source: Option<io::Error>,
}

/// Class of a [`ContainerError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContainerErrorKind {
    /// Does not begin as a container file does.
    NotContainer,
    /// The header is malformed.
    Header,
    /// The schema in the header is not one.
    Schema,
    /// The codec is not known.
    Codec,
    /// The file ends inside something.
    Truncated,
    /// A block header is malformed.
    Block,
    /// The sync marker behind a block is not the file's.
    Sync,
    /// A block does not decompress.
    Compression,
    /// A configured limit.
    Limit,
    /// Reading or writing failed.
    Io,
    /// The caller asked for something that cannot be written.
    Usage,
}

impl ContainerErrorKind {
    /// A word.
    pub fn as_str(self) -> &'static str {
        match self {
            ContainerErrorKind::NotContainer => "not-container",
            ContainerErrorKind::Header => "header",
            ContainerErrorKind::Schema => "schema",
            ContainerErrorKind::Codec => "codec",
            ContainerErrorKind::Truncated => "truncated",
            ContainerErrorKind::Block => "block",
            ContainerErrorKind::Sync => "sync",
            ContainerErrorKind::Compression => "compression",
            ContainerErrorKind::Limit => "limit",
            ContainerErrorKind::Io => "io",
            ContainerErrorKind::Usage => "usage",
        }
    }
}

impl ContainerError {
    /// An error of a caller's own making, at a byte of the file.
    #[cold]
    pub fn new(kind: ContainerErrorKind, offset: u64, message: impl Into<String>) -> ContainerError {
        ContainerError { kind, offset, block: None, message: message.into(), source: None }
    }

    #[cold]
    pub(super) fn io(offset: u64, e: io::Error) -> ContainerError {
        ContainerError { kind: ContainerErrorKind::Io, offset, block: None, message: e.to_string(), source: Some(e) }
    }

    #[cold]
    pub(super) fn in_block(mut self, index: u64) -> ContainerError {
        self.block = Some(index);
        self
    }

    /// Class.
    pub fn kind(&self) -> ContainerErrorKind {
        self.kind
    }

    /// Byte of the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// 0-based number of the block that was read, if the header was behind.
    pub fn block(&self) -> Option<u64> {
        self.block
    }

    /// The failure of reading or writing behind it.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.source.as_ref()
    }
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.block {
            Some(block) => write!(f, " (block {block}, byte {} of the file)", self.offset),
            None => write!(f, " (byte {} of the file)", self.offset),
        }
    }
}

impl std::error::Error for ContainerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}
