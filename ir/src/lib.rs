//! The transformation IR: a small instruction tree between a pair of schemas and the tiers that run it.
//!
//! One table ([`op`]) names every instruction once; the operand kinds ([`operand`]) print, parse and verify
//! themselves. A [`Program`] is functions over those instructions plus the constants and tables they use. The
//! [`verify`] module decides what a tier may rely on; [`pass`] holds the rewrites.

pub mod build;
pub mod choose;
pub mod cost;
mod count;
pub mod op;
pub mod operand;
pub mod parse;
pub mod pass;
pub mod print;
pub mod program;
pub mod skip_run;
pub mod verify;

pub use build::Builder;
#[doc(hidden)]
pub use count::OpCounts;
pub use op::{Effect, Op, OpInfo};
pub use operand::{
    Bodies, Body, Column, ConstId, Convert, DecimalText, FaultKind, Flag, FuncId, Inst, Len, MarkDef, MarkUse, Markup,
    Num, NumDef, NumUse, Quote, SeqIn, SeqOut, Site, SpanDef, SpanUse, TableId, TextNum, Twice, Unknown, UserId,
};
pub use program::{Function, Path, Program, Table};
