//! Framings of single messages: how a message says which schema it was written with.
//!
//! - Single-object encoding (Avro 1.12, "Single-object encoding"): `C3 01`, the CRC-64-AVRO of the schema's parsing
//!   canonical form in 8 bytes, little-endian, then the value.
//! - Confluent's wire format: a 0 byte, the schema's id in 4 bytes, big-endian, then the value. Its newer form leaves the
//!   message bare and has the identification in a header of the Kafka record, `__value_schema_id` or `__key_schema_id`:
//!   a 1 byte and a GUID of 16 bytes, or a 0 byte and the id.

use std::fmt;

/// What names a writer's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SchemaId {
    /// CRC-64-AVRO of the parsing canonical form.
    Fingerprint(u64),
    /// A number that a registry gave.
    Id(u32),
    /// A GUID that a registry gave.
    Guid([u8; 16]),
}

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaId::Fingerprint(v) => write!(f, "fingerprint {v:016x}"),
            SchemaId::Id(v) => write!(f, "id {v}"),
            SchemaId::Guid(v) => {
                let hex = |from: usize, to: usize| v[from..to].iter().map(|b| format!("{b:02x}")).collect::<String>();
                write!(f, "GUID {}-{}-{}-{}-{}", hex(0, 4), hex(4, 6), hex(6, 8), hex(8, 10), hex(10, 16))
            }
        }
    }
}

/// How messages are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Framing {
    /// Single-object encoding.
    SingleObject,
    /// Confluent's wire format.
    Confluent,
}

/// Headers of Kafka records that hold a [`SchemaId`], see [`from_header`].
pub const VALUE_HEADER: &str = "__value_schema_id";
/// As [`VALUE_HEADER`], for keys.
pub const KEY_HEADER: &str = "__key_schema_id";

const SINGLE_OBJECT: [u8; 2] = [0xc3, 0x01];
const CONFLUENT: u8 = 0;
const CONFLUENT_GUID: u8 = 1;

/// A message that is not framed as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadFrame {
    /// Expected and found.
    pub message: String,
    /// The message ends inside the frame: the bytes that are there fit.
    pub truncated: bool,
}

impl fmt::Display for BadFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadFrame {}

impl Framing {
    /// Bytes before the value.
    pub fn size(self) -> usize {
        match self {
            Framing::SingleObject => 10,
            Framing::Confluent => 5,
        }
    }

    /// The schema of a message, and the value.
    ///
    /// # Errors
    /// Another first byte, or a message that ends before its value.
    pub fn split(self, message: &[u8]) -> Result<(SchemaId, &[u8]), BadFrame> {
        let split = match self {
            Framing::SingleObject => message.split_first_chunk::<10>().and_then(|(head, value)| {
                let [a, b, print @ ..] = *head;
                ([a, b] == SINGLE_OBJECT).then(|| (SchemaId::Fingerprint(u64::from_le_bytes(print)), value))
            }),
            Framing::Confluent => message.split_first_chunk::<5>().and_then(|(head, value)| {
                let [magic, id @ ..] = *head;
                (magic == CONFLUENT).then(|| (SchemaId::Id(u32::from_be_bytes(id)), value))
            }),
        };
        split.ok_or_else(|| self.bad(message))
    }

    #[cold]
    fn bad(self, message: &[u8]) -> BadFrame {
        let (what, magic): (_, &[u8]) = match self {
            Framing::SingleObject => ("a single-object message", &SINGLE_OBJECT),
            Framing::Confluent => ("a message in Confluent's wire format", &[CONFLUENT]),
        };
        let start = &message[..message.len().min(magic.len())];
        let truncated = magic.starts_with(start);
        let found = if truncated { format!("{} bytes", message.len()) } else { format!("{start:02x?}") };
        let message =
            format!("expected {what}, {magic:02x?} and {} bytes more, found {found}", self.size() - magic.len());
        BadFrame { message, truncated }
    }

    /// Appends what stands before a value; false if the framing cannot say the schema's name.
    pub fn begin(self, schema: SchemaId, out: &mut Vec<u8>) -> bool {
        match (self, schema) {
            (Framing::SingleObject, SchemaId::Fingerprint(print)) => {
                out.extend_from_slice(&SINGLE_OBJECT);
                out.extend_from_slice(&print.to_le_bytes());
            }
            (Framing::Confluent, SchemaId::Id(id)) => {
                out.push(CONFLUENT);
                out.extend_from_slice(&id.to_be_bytes());
            }
            _ => return false,
        }
        true
    }
}

/// The schema that a header of a Kafka record names, [`VALUE_HEADER`] or [`KEY_HEADER`]: the message itself is the bare
/// value then.
///
/// # Errors
/// A first byte other than 0 and 1, or the wrong length.
pub fn from_header(header: &[u8]) -> Result<SchemaId, BadFrame> {
    match header.split_first() {
        Some((&CONFLUENT_GUID, guid)) => guid.try_into().map(SchemaId::Guid).ok(),
        Some((&CONFLUENT, id)) => id.try_into().map(|id| SchemaId::Id(u32::from_be_bytes(id))).ok(),
        _ => None,
    }
    .ok_or_else(|| BadFrame {
        message: format!(
            "expected 01 and a GUID of 16 bytes, or 00 and an id of 4, found {:02x?} of {} bytes",
            &header[..header.len().min(1)],
            header.len()
        ),
        truncated: false,
    })
}

/// The header that names a schema; `None` for a fingerprint.
pub fn to_header(schema: SchemaId) -> Option<Vec<u8>> {
    match schema {
        SchemaId::Guid(guid) => Some([&[CONFLUENT_GUID], guid.as_slice()].concat()),
        SchemaId::Id(id) => Some([&[CONFLUENT], id.to_be_bytes().as_slice()].concat()),
        SchemaId::Fingerprint(_) => None,
    }
}
