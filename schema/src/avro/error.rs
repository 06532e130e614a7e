//! Schema errors: every fault with its JSON path.

use std::fmt;

/// One fault of a schema text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// JSON path, `$.fields[2].type` style; with several texts the text's name in front.
    pub path: String,
    /// Expected and found.
    pub message: String,
}

/// Every fault found in a schema text, a hundred at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// At least one.
    pub faults: Vec<Fault>,
    /// Parsing stopped before the end of the text: there may be more.
    pub more: bool,
}

/// Faults shown by `Display`.
const SHOWN: usize = 20;

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().take(SHOWN).enumerate() {
            write!(f, "{}{}: {}", if i > 0 { "\n" } else { "" }, fault.path, fault.message)?;
        }
        if self.faults.len() > SHOWN {
            let least = if self.more { "at least " } else { "" };
            write!(f, "\nand {least}{} more", self.faults.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaError {}
