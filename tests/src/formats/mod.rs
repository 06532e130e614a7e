//! Formats that exist only here. They prove that a new format is one folder: the driver, the IR and the tiers know
//! none of them.

pub mod columns;
pub mod keyed;
