//! Messages, each under its own writer's schema, through one reader's schema.
//!
//! ```
//! use reschema::messages::{Framing, MemoryStore, MessageReader};
//! use reschema::{Endpoint, Engine, Schema};
//! use std::sync::Arc;
//!
//! let old = Schema::parse(r#"{"type":"record","name":"R","fields":[{"name":"id","type":"int"}]}"#)?;
//! let new = Schema::parse(r#"{"type":"record","name":"R","fields":[{"name":"id","type":"long"}]}"#)?;
//! let mut store = MemoryStore::new();
//! let id = store.insert_by_fingerprint(&old)?;
//!
//! let mut messages = MessageReader::new(&Engine::default(), Arc::new(store), Endpoint::avro(&new), Framing::SingleObject);
//! let mut message = Vec::new();
//! Framing::SingleObject.begin(id, &mut message);
//! message.push(14);
//! let mut out = Vec::new();
//! messages.read(&message, &mut out)?;
//! assert_eq!(out, [14]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::engine::Engine;
use crate::error::{Error, ErrorKind};
use crate::formats::{Endpoint, Format};
use crate::transform::{AsOutput, Environment, Transform};
pub use reschema_avro::framing::{BadFrame, Framing, KEY_HEADER, SchemaId, VALUE_HEADER, from_header, to_header};
use reschema_runtime::Input;
use reschema_schema::Schema;
use reschema_schema::avro::NotAvro;
use std::collections::HashMap;
use std::sync::Arc;

/// Where writers' schemas are found. A registry, a folder, a table: whatever the caller has. It is asked once a schema and
/// reader; what it does not know, or could not say, is asked again with the next message.
pub trait SchemaStore: Send + Sync {
    /// The schema of that name; `None` if there is none.
    ///
    /// # Errors
    /// The store could not be asked: that is not the message's fault, and trying again may help.
    fn find(&self, id: SchemaId) -> Result<Option<Schema>, Box<dyn std::error::Error + Send + Sync>>;
}

/// Schemas in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(HashMap<SchemaId, Schema>);

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// Adds a schema, and returns the one of that name before.
    pub fn insert(&mut self, id: SchemaId, schema: &Schema) -> Option<Schema> {
        self.0.insert(id, schema.clone())
    }

    /// Adds a schema under the fingerprint of its canonical form.
    ///
    /// # Errors
    /// A schema that Avro cannot say has no canonical form.
    pub fn insert_by_fingerprint(&mut self, schema: &Schema) -> Result<SchemaId, NotAvro> {
        let id = SchemaId::Fingerprint(schema.fingerprint_rabin()?);
        self.insert(id, schema);
        Ok(id)
    }
}

impl SchemaStore for MemoryStore {
    fn find(&self, id: SchemaId) -> Result<Option<Schema>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.get(&id).cloned())
    }
}

/// Reads messages. One a thread: clones share the store and the engine's transforms.
#[derive(Clone)]
pub struct MessageReader {
    engine: Engine,
    store: Arc<dyn SchemaStore>,
    reader: Endpoint,
    framing: Framing,
    /// Places in `transforms`.
    known: HashMap<SchemaId, usize, foldhash::fast::RandomState>,
    transforms: Vec<Transform>,
    /// The one before: topics come in runs of one schema.
    last: Option<(SchemaId, usize)>,
    environment: Environment,
}

/// Schemas that a reader remembers; beyond it, it begins anew.
const KNOWN: usize = 16 << 10;

impl MessageReader {
    /// For messages that are framed so, to one schema and format.
    pub fn new(engine: &Engine, store: Arc<dyn SchemaStore>, reader: Endpoint, framing: Framing) -> MessageReader {
        let (engine, environment) = (engine.clone(), Environment::default());
        let (known, transforms, last) = (HashMap::default(), Vec::new(), None);
        MessageReader { engine, store, reader, framing, known, transforms, last, environment }
    }

    /// Transforms a message.
    ///
    /// # Errors
    /// [`ErrorKind::Frame`]: the message is not framed so. [`ErrorKind::UnknownSchema`]: the store does not have its
    /// schema. [`ErrorKind::Store`]: the store failed. Otherwise the value is bad, does not resolve, or bytes are behind it
    /// ([`ErrorKind::Trailing`]). Offsets count from the start of the message. `output` is as it was.
    pub fn read(&mut self, message: &[u8], output: &mut impl AsOutput) -> Result<(), Error> {
        let (id, value) = self.framing.split(message).map_err(bad_frame)?;
        self.read_as(id, value, output).map_err(|e| e.shifted(self.framing.size() as u64))
    }

    /// Transforms a bare value whose schema is named elsewhere: in a header ([`from_header`]), by the topic, or the like.
    ///
    /// # Errors
    /// As [`MessageReader::read`]; offsets count from the start of the value.
    pub fn read_as(&mut self, id: SchemaId, value: &[u8], output: &mut impl AsOutput) -> Result<(), Error> {
        let at = match self.last {
            Some((last, at)) if last == id => at,
            _ => match self.known.get(&id) {
                Some(at) => *at,
                None => self.learn(id)?,
            },
        };
        self.last = Some((id, at));
        self.transforms[at].run_whole(&mut self.environment, Input::Bytes(value), &mut output.as_output())
    }

    #[cold]
    fn learn(&mut self, id: SchemaId) -> Result<usize, Error> {
        let found = self.store.find(id).map_err(|e| {
            Error::new(ErrorKind::Store, format!("the store of schemas could not be asked for {id}: {e}"))
        })?;
        let schema = found
            .ok_or_else(|| Error::new(ErrorKind::UnknownSchema, format!("the store of schemas does not have {id}")))?;
        let transform = self.engine.transform(Endpoint::new(Format::AVRO, &schema), self.reader.clone())?;
        if self.transforms.len() >= KNOWN {
            self.known.clear();
            self.transforms.clear();
        }
        self.known.insert(id, self.transforms.len());
        self.transforms.push(transform);
        Ok(self.transforms.len() - 1)
    }
}

#[cold]
fn bad_frame(e: BadFrame) -> Error {
    Error::new(ErrorKind::Frame, e.message).at_byte(0)
}
