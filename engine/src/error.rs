//! The one public error.

use reschema_interp::{Batch, Failure};
use reschema_ir::{FaultKind, Program};
use reschema_lower::LowerError;
use reschema_runtime::{Location, Stop};
use reschema_schema::SchemaError;
use reschema_schema::resolve::{Mismatch, MismatchKind, ResolveError};
use std::fmt;

/// What is wrong. One word wide; [`Error::kind`] says which class, `Display` says what was expected and what found.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    location: Option<Location>,
    position: Option<(u64, u64)>,
    source_path: Option<String>,
    target_path: Option<String>,
    record: Option<u64>,
    records_done: u64,
    bytes_consumed: u64,
    mismatches: Vec<Mismatch>,
}

/// Class of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Not a schema.
    Schema,
    /// The schemas do not resolve.
    Mismatch,
    /// A reader field has no default, or a needed default is not a value of its type.
    Default,
    /// Decimals that do not agree.
    Decimal,
    /// A format cannot carry a shape, or the Program is too large.
    Unsupported,
    /// The variant written does not resolve.
    Union,
    /// A symbol the reader does not know.
    Enum,
    /// Union or enum index out of range.
    Index,
    /// Input ends inside a value.
    Truncated,
    /// The window ends inside a value, and the input may go on: call again with more.
    NeedInput,
    /// Varint of more than 10 bytes or 64 bits.
    Varint,
    /// Integer out of its range.
    Range,
    /// Negative length.
    Length,
    /// Bad block header of an array or map.
    Block,
    /// Not UTF-8.
    Utf8,
    /// Boolean byte other than 0 and 1.
    Boolean,
    /// A configured limit.
    Limit,
    /// A key that the schema does not have, or that comes twice or not at all.
    Key,
    /// A user conversion refused a value.
    User,
    /// Text that is not of its language.
    Syntax,
    /// A value of another kind than the schema says.
    Type,
    /// A message is not framed as it should be.
    Frame,
    /// A message names a schema that the store does not have.
    UnknownSchema,
    /// The store of schemas failed: not the fault of the message.
    Store,
    /// Bytes behind a value that should be alone.
    Trailing,
    /// The tiers have given different results: a fault of this crate, found by `Tiering::verify`.
    TiersDiffer,
    /// The engine was asked for something it cannot do.
    Usage,
}

impl ErrorKind {
    /// True for errors of the schemas alone; others need data.
    pub fn is_resolve(self) -> bool {
        use ErrorKind::{Decimal, Default, Mismatch, Schema, Unsupported, Usage};
        matches!(self, Schema | Mismatch | Default | Decimal | Unsupported | Usage)
    }

    /// A word.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::Schema => "schema",
            ErrorKind::Mismatch => "mismatch",
            ErrorKind::Default => "default",
            ErrorKind::Decimal => "decimal",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Union => "union",
            ErrorKind::Enum => "enum",
            ErrorKind::Index => "index",
            ErrorKind::Truncated => "truncated",
            ErrorKind::NeedInput => "need-input",
            ErrorKind::Varint => "varint",
            ErrorKind::Range => "range",
            ErrorKind::Length => "length",
            ErrorKind::Block => "block",
            ErrorKind::Utf8 => "utf8",
            ErrorKind::Boolean => "bool",
            ErrorKind::Limit => "limit",
            ErrorKind::Key => "key",
            ErrorKind::User => "user",
            ErrorKind::Syntax => "syntax",
            ErrorKind::Type => "type",
            ErrorKind::Frame => "frame",
            ErrorKind::UnknownSchema => "unknown-schema",
            ErrorKind::Store => "store",
            ErrorKind::Trailing => "trailing",
            ErrorKind::TiersDiffer => "tiers-differ",
            ErrorKind::Usage => "usage",
        }
    }

    fn of(fault: FaultKind) -> ErrorKind {
        match fault {
            FaultKind::Union => ErrorKind::Union,
            FaultKind::Enum => ErrorKind::Enum,
            FaultKind::Index => ErrorKind::Index,
            FaultKind::Truncated => ErrorKind::Truncated,
            FaultKind::Varint => ErrorKind::Varint,
            FaultKind::Range => ErrorKind::Range,
            FaultKind::Length => ErrorKind::Length,
            FaultKind::Block => ErrorKind::Block,
            FaultKind::Utf8 => ErrorKind::Utf8,
            FaultKind::Bool => ErrorKind::Boolean,
            FaultKind::Limit => ErrorKind::Limit,
            FaultKind::Key => ErrorKind::Key,
            FaultKind::User => ErrorKind::User,
            FaultKind::Syntax => ErrorKind::Syntax,
            FaultKind::Type => ErrorKind::Type,
        }
    }
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            location: None,
            position: None,
            source_path: None,
            target_path: None,
            record: None,
            records_done: 0,
            bytes_consumed: 0,
            mismatches: Vec::new(),
        }))
    }

    /// What a run that ended early says.
    #[cold]
    pub(crate) fn from_failure(failure: Failure, program: &Program) -> Error {
        let Failure { stop, done } = failure;
        let mut error = match stop {
            Stop::NeedInput => Error::new(ErrorKind::NeedInput, "the window ends inside a value"),
            Stop::Fault(fault) => {
                let mut error = Error::new(ErrorKind::of(fault.kind), fault.message);
                error.0.location = Some(fault.location);
                if let Some(path) = program.path(fault.site) {
                    error.0.source_path = Some(path.source.clone());
                    error.0.target_path = Some(path.target.clone());
                }
                error
            }
        };
        let Batch { values, consumed, .. } = done;
        error.0.record = Some(values);
        error.0.records_done = values;
        error.0.bytes_consumed = consumed as u64;
        error
    }

    /// The same error, with the byte of the input where it was seen.
    pub(crate) fn at_byte(mut self, at: u64) -> Error {
        self.0.location = Some(Location::Byte(at));
        self
    }

    /// The same error in an input that is text.
    pub(crate) fn in_text(mut self, input: &[u8]) -> Error {
        if let Some(Location::Byte(at)) = self.0.location {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            self.0.position = Some(reschema_runtime::text::line_and_column(input, at));
        }
        self
    }

    /// The same error in a text that begins some lines further on.
    pub fn below(mut self, lines: u64) -> Error {
        if let Some((line, _)) = &mut self.0.position {
            *line += lines;
        }
        self
    }

    /// The same error in an input that begins some bytes earlier.
    pub(crate) fn shifted(mut self, bytes: u64) -> Error {
        if let Some(Location::Byte(at)) = &mut self.0.location {
            *at += bytes;
        }
        self
    }

    /// The same error in a longer input, of which the call saw what is behind `bytes` bytes and `records` values.
    pub fn behind(mut self, bytes: u64, records: u64) -> Error {
        if let Some(Location::Byte(at)) = &mut self.0.location {
            *at += bytes;
        }
        self.0.record = self.0.record.map(|r| r + records);
        self.0.records_done += records;
        self.0.bytes_consumed += bytes;
        self
    }

    /// Class.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where in the input the faulty item is.
    pub fn location(&self) -> Option<Location> {
        self.0.location
    }

    /// Byte of the input where the faulty item is, for byte inputs.
    pub fn offset(&self) -> Option<u64> {
        match self.0.location {
            Some(Location::Byte(at)) => Some(at),
            _ => None,
        }
    }

    /// Line and column, from 1, of the faulty item in the input of the call, where the input is text. Columns count
    /// characters.
    pub fn line_and_column(&self) -> Option<(u64, u64)> {
        self.0.position
    }

    /// Place in the writer's schema: `$.items[].price`.
    pub fn source_path(&self) -> Option<&str> {
        self.0.source_path.as_deref()
    }

    /// Place in the reader's schema.
    pub fn target_path(&self) -> Option<&str> {
        self.0.target_path.as_deref()
    }

    /// 0-based number of the failing value in the call.
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }

    /// Values of the call that are done; the output holds them.
    pub fn records_done(&self) -> u64 {
        self.0.records_done
    }

    /// Bytes of input that those values took.
    pub fn bytes_consumed(&self) -> u64 {
        self.0.bytes_consumed
    }

    /// Every difference between the schemas, if they do not resolve.
    pub fn mismatches(&self) -> &[Mismatch] {
        &self.0.mismatches
    }

    /// What was expected and what was found, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { message, location, position, source_path, target_path, record, .. } = &*self.0;
        f.write_str(message)?;
        match location {
            Some(Location::Byte(at)) => write!(f, " (byte {at}")?,
            Some(Location::Row(row)) => write!(f, " (row {row}")?,
            Some(Location::Path) => write!(f, " (")?,
            None => return Ok(()),
        }
        if let Some((line, column)) = position {
            write!(f, ", line {line}, column {column}")?;
        }
        if let Some(record) = record {
            write!(f, ", value {record}")?;
        }
        if let Some(path) = source_path {
            write!(f, ", field {path}")?;
        }
        match target_path {
            Some(target) if Some(target) != source_path.as_ref() && !target.is_empty() => write!(f, " → {target})"),
            _ => f.write_str(")"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({}: {self})", self.kind().as_str())
    }
}

impl std::error::Error for Error {}

impl From<SchemaError> for Error {
    fn from(e: SchemaError) -> Error {
        Error::new(ErrorKind::Schema, e.to_string())
    }
}

impl From<ResolveError> for Error {
    fn from(e: ResolveError) -> Error {
        let kind = match e.mismatches.first().map(|m| m.kind) {
            Some(MismatchKind::MissingDefault | MismatchKind::InvalidDefault) => ErrorKind::Default,
            Some(MismatchKind::Decimal) => ErrorKind::Decimal,
            _ => ErrorKind::Mismatch,
        };
        let mut error = Error::new(kind, e.to_string());
        error.0.mismatches = e.mismatches;
        error
    }
}

impl From<LowerError> for Error {
    fn from(e: LowerError) -> Error {
        Error::new(ErrorKind::Unsupported, e.to_string())
    }
}
