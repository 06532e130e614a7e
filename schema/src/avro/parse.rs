//! Avro schema text → [`Schema`].
//!
//! Every fault is reported with its JSON path; parsing goes on behind it, up to a hundred faults. Defaults are kept as they stand: they are
//! judged where resolution needs them (Avro 1.12, "Invalid defaults").

use super::error::SchemaError;
use super::state::State;
use crate::json::Json;
use crate::model::Schema;

/// Which names are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Names {
    /// Those of the specification: `[A-Za-z_][A-Za-z0-9_]*`.
    #[default]
    Strict,
    /// Any text, as Java takes it without validation and some writers leave in their files. The last dot of a type's name
    /// ends its namespace, so that `.A` is A of the null namespace. And a bare reference that its namespace does not
    /// define may mean a type of the null namespace.
    Lenient,
}

/// Options of parsing.
#[derive(Clone, Copy, Debug)]
pub struct Parser {
    pub(super) names: Names,
    pub(super) max_types: usize,
    pub(super) max_name: usize,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::new()
    }
}

impl Schema {
    /// Parses an Avro schema text with the default options.
    pub fn parse(text: &str) -> Result<Schema, SchemaError> {
        Parser::new().parse(text)
    }
}

impl Parser {
    /// Strict names, at most 500 000 types, full names of at most 1024 bytes.
    pub fn new() -> Parser {
        Parser { names: Names::Strict, max_types: 500_000, max_name: 1024 }
    }

    /// Which names are accepted.
    pub fn names(mut self, names: Names) -> Parser {
        self.names = names;
        self
    }

    /// Limit on the number of types.
    pub fn max_types(mut self, types: usize) -> Parser {
        self.max_types = types;
        self
    }

    /// Limit on the full names of types, in bytes. A name may be written short and said in full many times: in canonical
    /// forms, paths and messages.
    pub fn max_name(mut self, bytes: usize) -> Parser {
        self.max_name = bytes;
        self
    }

    /// Parses one text.
    pub fn parse(&self, text: &str) -> Result<Schema, SchemaError> {
        let mut schemas = self.parse_many(&[("", text)])?;
        Ok(schemas.remove(0))
    }

    /// Parses several texts with references among them. Neither their order nor the order within one counts: a name means
    /// the same wherever it is defined. Each result holds what its text reaches, with the warnings of that. `name` stands
    /// in front of the paths of errors.
    ///
    /// # Errors
    /// Some text is not a schema: the faults of all of them, a hundred at most.
    pub fn parse_many(&self, texts: &[(&str, &str)]) -> Result<Vec<Schema>, SchemaError> {
        let mut state = State::new(*self, texts.iter().map(|(name, _)| *name).collect());
        let mut roots = Vec::new();
        for (i, (_, text)) in texts.iter().enumerate() {
            state.begin(i);
            match Json::parse(text) {
                Ok(json) => roots.push(state.schema(&json, &"".into())),
                Err(e) => {
                    let path = state.places.path(state.place) + e.path.trim_start_matches('$');
                    state.fault_on(path, format!("not JSON: {} at line {} column {}", e.message, e.line, e.column));
                }
            }
            if state.stopped {
                break;
            }
        }
        state.link();
        if state.faults.is_empty() {
            Ok(state.schemas(&roots))
        } else {
            Err(SchemaError { faults: state.faults, more: state.stopped })
        }
    }
}
