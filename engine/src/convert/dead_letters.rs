//! A file of what could not be converted: nothing is lost, and any Avro tool reads it.

use super::{Cause, Damage, Lost, Report, Watch};
use crate::container::{Codec, ContainerError, ContainerErrorKind, Writer, WriterOptions};
use reschema_runtime::num::{write_varint, zigzag};
use reschema_schema::Schema;
use std::io::{self, Write};

/// Writes a container file with a value for each [`Damage`]; the schema says what they hold.
pub struct DeadLetters<W> {
    writer: Writer<W>,
    value: Vec<u8>,
    input: Input,
}

/// The file that is converted.
struct Input {
    name: String,
    codec: &'static str,
    /// Its schema, until a letter has it.
    schema: Option<String>,
}

/// The schema of dead letters.
const SCHEMA: &str = r#"{"type": "record", "name": "reschema.DeadLetter", "fields": [
    {"name": "file", "type": "string", "doc": "name of the input"},
    {"name": "lost", "type": {"type": "enum", "name": "Lost", "symbols": ["RECORD", "REST_OF_BLOCK", "BLOCK", "GAP", "LEFTOVER"]},
        "doc": "RECORD: bytes are one value; REST_OF_BLOCK: a bad value and all behind it in its block; BLOCK: a block as stored; GAP: bytes of the file up to the next sync marker; LEFTOVER: bytes behind the values of a block"},
    {"name": "kind", "type": "string", "doc": "class of the error"},
    {"name": "message", "type": "string", "doc": "what was expected and what was found"},
    {"name": "source_path", "type": ["null", "string"], "default": null, "doc": "place in the writer's schema"},
    {"name": "target_path", "type": ["null", "string"], "default": null, "doc": "place in the reader's schema"},
    {"name": "record", "type": "long", "doc": "0-based number in the file of the first value lost"},
    {"name": "records", "type": ["null", "long"], "default": null, "doc": "values lost, if known"},
    {"name": "block", "type": "long", "doc": "0-based number of the block"},
    {"name": "offset", "type": "long", "doc": "byte of the file where the block or the gap begins"},
    {"name": "size", "type": "long", "doc": "bytes lost; bytes holds the first 16 MiB"},
    {"name": "codec", "type": "string", "doc": "codec that bytes are compressed with"},
    {"name": "schema", "type": ["null", "string"], "default": null, "doc": "writer's schema; null where it is that of the letter before"},
    {"name": "bytes", "type": "bytes"}
]}"#;

impl<W: Write> DeadLetters<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The stream fails.
    pub fn new(stream: W) -> Result<DeadLetters<W>, ContainerError> {
        let schema = Schema::parse(SCHEMA).map_err(|e| {
            ContainerError::new(ContainerErrorKind::Schema, 0, format!("the schema of dead letters: {e}"))
        })?;
        let codec = Codec::by_name("deflate").unwrap_or_default();
        let writer = Writer::new(stream, &schema, WriterOptions { codec, ..WriterOptions::default() })?;
        let input = Input { name: String::new(), codec: "null", schema: None };
        Ok(DeadLetters { writer, value: Vec::new(), input })
    }

    /// Says what is converted from now on: its name, the codec of its blocks, and its schema.
    pub fn input(&mut self, name: &str, codec: Codec, schema: &str) {
        self.input = Input { name: name.into(), codec: codec.name(), schema: Some(schema.into()) };
    }

    /// Writes what is pending, and gives the stream back.
    ///
    /// # Errors
    /// The stream fails.
    pub fn finish(self) -> Result<W, ContainerError> {
        self.writer.finish()
    }

    fn letter(&mut self, damage: &Damage) {
        let Damage { lost, cause, record, records, block, offset, len, bytes } = damage;
        let (message, source, target) = match cause {
            Cause::Value(e) => (e.message().to_string(), e.source_path(), e.target_path()),
            Cause::Container(e) => (e.to_string(), None, None),
            Cause::Leftover => (format!("{len} bytes behind the last value of the block"), None, None),
        };
        let codec = if *lost == Lost::Block { self.input.codec } else { "null" };
        let schema = self.input.schema.take();
        let v = &mut self.value;
        v.clear();
        put_bytes(v, self.input.name.as_bytes());
        put_long(v, *lost as u64);
        put_bytes(v, cause.kind().as_bytes());
        put_bytes(v, message.as_bytes());
        put_option(v, source.map(str::as_bytes), put_bytes);
        put_option(v, target.map(str::as_bytes), put_bytes);
        put_long(v, *record);
        put_option(v, *records, put_long);
        put_long(v, *block);
        put_long(v, *offset);
        put_long(v, *len);
        put_bytes(v, codec.as_bytes());
        put_option(v, schema.as_deref().map(str::as_bytes), put_bytes);
        put_bytes(v, bytes);
    }
}

impl<W: Write + Send> Watch for DeadLetters<W> {
    fn damage(&mut self, damage: &Damage) -> io::Result<()> {
        self.letter(damage);
        self.writer.append_value(&self.value).map_err(io::Error::other)
    }

    fn wants_bytes(&self) -> bool {
        true
    }

    fn progress(&mut self, _: &Report) {}
}

fn put_long(out: &mut Vec<u8>, value: u64) {
    write_varint(out, zigzag(i64::try_from(value).unwrap_or(i64::MAX)));
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_long(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_option<T>(out: &mut Vec<u8>, value: Option<T>, put: fn(&mut Vec<u8>, T)) {
    put_long(out, u64::from(value.is_some()));
    if let Some(value) = value {
        put(out, value);
    }
}
