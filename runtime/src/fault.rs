//! Outcomes: how a run ends, and where a fault lies.

use reschema_ir::{FaultKind, Site};

/// Where in the input something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Byte of a byte input.
    Byte(u64),
    /// Row of a columnar input.
    Row(u64),
    /// Only the path tells (struct inputs).
    Path,
}

/// A fault of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Class.
    pub kind: FaultKind,
    /// Where the faulty item starts.
    pub location: Location,
    /// Place in the schemas.
    pub site: Site,
    /// Expected and found.
    pub message: String,
}

/// Why the interpretation of one value stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The value is bad.
    Fault(Box<Fault>),
    /// The window ends inside the value, and the input may go on behind it. Not a truncation.
    NeedInput,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(Box::new(fault))
    }
}

/// How a batch on a tier's fast path ended. Values before it are done; everything since the start of the value it
/// ended in has been undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All values are done.
    Done,
    /// The window ends inside a value.
    NeedInput,
    /// The output ends inside a value.
    OutputFull,
    /// The fast path does not go on with this value: it is bad, or rare. The checking interpreter tells.
    Reject,
}
