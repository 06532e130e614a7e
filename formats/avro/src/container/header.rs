//! The header: magic, metadata, sync marker.

use super::error::{ContainerError, ContainerErrorKind};
use super::reader::Limits;
use super::stream::Counted;
use super::{MAGIC, SYNC_SIZE};
use std::io::Read;

/// Metadata in the order of the file.
pub(super) type Metadata = Vec<(String, Vec<u8>)>;

/// What stands before the blocks of a container file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub(super) metadata: Metadata,
    pub(super) sync: [u8; SYNC_SIZE],
}

impl Header {
    /// Reads a header, whatever its schema and its codec are.
    ///
    /// # Errors
    /// Not a container file, or a failure of the stream.
    pub fn read(stream: impl Read, limits: Limits) -> Result<Header> {
        read(&mut Counted::new(stream), limits.header_bytes)
    }

    /// The metadata in the order of the file, the format's own keys included.
    pub fn metadata(&self) -> &[(String, Vec<u8>)] {
        &self.metadata
    }

    /// The sync marker.
    pub fn sync(&self) -> &[u8; SYNC_SIZE] {
        &self.sync
    }
}

type Result<T> = std::result::Result<T, ContainerError>;

pub(super) fn read<R: Read>(r: &mut Counted<R>, limit: u64) -> Result<Header> {
    let mut magic = Vec::new();
    let have = r.fill(MAGIC.len() as u64, &mut magic)?;
    magic.truncate(have);
    if magic != MAGIC {
        let message = format!("not a container file: expected it to begin with {MAGIC:02x?}, found {magic:02x?}");
        return Err(ContainerError::new(ContainerErrorKind::NotContainer, 0, message));
    }
    let metadata = metadata(r, limit)?;
    let sync = r.array("the sync marker of the header")?;
    Ok(Header { metadata, sync })
}

/// What an entry costs beyond its bytes: without it, a header of empty entries would take 24 times its size in memory.
const ENTRY: u64 = size_of::<(String, Vec<u8>)>() as u64;

/// A map of bytes, like any other: several blocks are allowed, with or without a size.
fn metadata<R: Read>(r: &mut Counted<R>, limit: u64) -> Result<Metadata> {
    let mut metadata = Metadata::new();
    let mut entries = 0;
    loop {
        let at = r.at;
        let count = r.long("the metadata")?.ok_or_else(|| r.truncated("the metadata"))?;
        if count == 0 {
            return Ok(metadata);
        }
        if count < 0 {
            let size = r.long("the size of a metadata block")?.ok_or_else(|| r.truncated("the metadata"))?;
            if size < 0 || count == i64::MIN {
                let message = format!("metadata block of count {count} and size {size}");
                return Err(ContainerError::new(ContainerErrorKind::Header, at, message));
            }
        }
        for _ in 0..count.unsigned_abs() {
            entries += ENTRY;
            let limit = limit.saturating_sub(entries);
            let key = item(r, limit)?;
            let value = item(r, limit)?;
            let at = r.at;
            let key = String::from_utf8(key)
                .map_err(|_| ContainerError::new(ContainerErrorKind::Header, at, "a metadata key is not UTF-8"))?;
            metadata.push((key, value));
        }
    }
}

fn item<R: Read>(r: &mut Counted<R>, limit: u64) -> Result<Vec<u8>> {
    let at = r.at;
    let len = r.long("the metadata")?.ok_or_else(|| r.truncated("the metadata"))?;
    let len = u64::try_from(len).map_err(|_| {
        ContainerError::new(ContainerErrorKind::Header, at, format!("expected a length in the metadata, found {len}"))
    })?;
    if r.at.saturating_add(len) > limit {
        let message =
            format!("the header is larger than the limit; {limit} bytes were left, entries count a little more");
        return Err(ContainerError::new(ContainerErrorKind::Limit, at, message));
    }
    r.take(len, "the metadata")
}
