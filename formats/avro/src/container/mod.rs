//! Object container files (Avro 1.12, "Object Container Files"): header, blocks, codecs.

mod block;
mod codec;
mod error;
mod header;
mod reader;
mod stream;
mod writer;

pub use block::{Block, StoredBlock, Unpacker};
pub use codec::Codec;
pub use error::{ContainerError, ContainerErrorKind};
pub use header::Header;
pub use reader::{Gap, Limits, Reader, ReaderOptions, schema_of};
pub use writer::{Packed, Packer, Writer, WriterOptions};

/// First bytes of a container file.
pub const MAGIC: &[u8; 4] = b"Obj\x01";
/// Bytes of a sync marker.
pub const SYNC_SIZE: usize = 16;
/// Metadata keys that belong to the format.
pub const RESERVED: &str = "avro.";
