//! THE op table: every instruction once, with its operands, its effect and whether bad input can make it fail.
//!
//! From this table come the op type, the printer, the parser, the verifier's generic checks and the op reference.
//! What an op *does* is a plain function of each tier; a new row breaks every tier's `match` until it answers.
//! The byte costs that bounds checking rests on stand beside it, in [`crate::cost`].

use crate::operand::{
    Bodies, Body, Column, ConstId, Convert, DecimalText, FaultKind, Flag, FuncId, Len, MarkDef, MarkUse, Markup, Num,
    NumDef, NumUse, Operand, Quote, SeqIn, SeqOut, SpanDef, SpanUse, TableId, TextNum, Twice, Unknown, UserId, Visit,
};
use crate::parse::{ParseError, Parser};

/// What an op may change besides the two cursors and its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: undone by restoring the cursors.
    Pure,
    /// State that a checkpoint records and a rollback restores (counters, patch points, columns).
    Journaled,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// Name in the text form.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// What else it changes.
    pub effect: Effect,
    /// Whether input can make it fail.
    pub fails: bool,
    /// Operand names, in order.
    pub operands: &'static [&'static str],
}

macro_rules! ops {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal $effect:ident $fails:literal
        { $($field:ident: $kind:ty),* $(,)? })*) => {
        /// An instruction.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "the operands are documented by their kinds and the doc of the op")]
        pub enum Op { $($(#[doc = $doc])* $variant { $($field: $kind),* },)* }

        /// The table.
        pub const OPS: &[OpInfo] = &[$(OpInfo {
            name: $name,
            doc: concat!($($doc),*),
            effect: Effect::$effect,
            fails: $fails,
            operands: &[$(stringify!($field)),*],
        }),*];

        #[repr(usize)]
        enum Row { $($variant),* }

        impl Op {
            /// The number of its row of the table.
            pub fn row(&self) -> usize {
                match self { $(Op::$variant { .. } => Row::$variant as usize,)* }
            }

            /// Its row of the table.
            pub fn info(&self) -> &'static OpInfo {
                &OPS[self.row()]
            }

            /// Prints the operands that stand on the line.
            pub(crate) fn print_operands(&self, out: &mut String) {
                match self { $(Op::$variant { $($field),* } => { $(
                    if !<$kind as Operand>::NESTED {
                        out.push_str(concat!(" ", stringify!($field), "="));
                        Operand::print($field, out);
                    }
                )* let _ = out; })* }
            }

            /// Parses what follows the name; the site and nested bodies are the parser's affair.
            pub(crate) fn parse_operands(name: &str, p: &mut Parser<'_>) -> Result<Op, ParseError> {
                match name {
                    $($name => { $(
                        let $field = <$kind as Operand>::parse(
                            p.operand(stringify!($field), <$kind as Operand>::NESTED)?)?;
                    )* Ok(Op::$variant { $($field),* }) })*
                    _ => Err(p.unknown("op", name)),
                }
            }

            /// Shows every operand.
            pub fn visit(&self, v: &mut dyn Visit) {
                match self { $(Op::$variant { $($field),* } => { $(Operand::visit($field, v);)* let _ = v; })* }
            }

            /// Nested bodies.
            pub fn bodies(&self) -> &[Body] {
                match self { $(Op::$variant { $($field),* } => {
                    $(if <$kind as Operand>::NESTED { return Operand::bodies($field); } let _ = $field;)*
                    &[]
                })* }
            }

            /// Nested bodies, for rewriting.
            pub fn bodies_mut(&mut self) -> &mut [Body] {
                match self { $(Op::$variant { $($field),* } => {
                    $(if <$kind as Operand>::NESTED { return Operand::bodies_mut($field); } let _ = $field;)*
                    &mut []
                })* }
            }
        }
    };
}

ops! {
    // --- numbers
    #[doc = "Reads a number into a register: integers and booleans as a signed 64-bit value, floats as their raw bits."]
    ReadNum "read.num" Pure true { dst: NumDef, from: Num }
    #[doc = "Writes a register as a number."]
    WriteNum "write.num" Pure false { src: NumUse, to: Num }
    #[doc = "Sets a register."]
    ConstNum "const.num" Pure false { dst: NumDef, value: i64 }
    #[doc = "Converts a register."]
    ConvertNum "convert.num" Pure false { dst: NumDef, src: NumUse, conv: Convert }
    #[doc = "Converts a register by a function of the user; its refusal is a user fault."]
    UserNum "user.num" Pure true { dst: NumDef, src: NumUse, user: UserId }
    #[doc = "Looks a register up in a table. Outside the table is an index fault, an empty entry an enum fault."]
    MapNum "map.num" Pure true { dst: NumDef, src: NumUse, table: TableId }
    #[doc = "Passes over a number; only its framing is checked."]
    SkipNum "skip.num" Pure true { from: Num }
    #[doc = "Reads a number in one form and writes it in another, converting as the forms say."]
    MoveNum "move.num" Pure true { from: Num, to: Num }
    #[doc = "Reads an index, looks it up in a table, writes the entry."]
    MoveEnum "move.enum" Pure true { from: Num, table: TableId, to: Num }

    // --- bytes
    #[doc = "Reads a length and that many bytes."]
    ReadSpan "read.span" Pure true { dst: SpanDef, from: Len }
    #[doc = "Reads a number of bytes."]
    ReadFixed "read.fixed" Pure true { dst: SpanDef, size: u64 }
    #[doc = "Sets a span register to a constant."]
    ConstSpan "const.span" Pure false { dst: SpanDef, value: ConstId }
    #[doc = "Fails unless the bytes are UTF-8."]
    CheckUtf8 "check.utf8" Pure true { src: SpanUse }
    #[doc = "Writes a length and the bytes."]
    WriteSpan "write.span" Pure false { src: SpanUse, to: Len }
    #[doc = "Writes the bytes."]
    WriteFixed "write.fixed" Pure false { src: SpanUse }
    #[doc = "Passes over a length and that many bytes."]
    SkipSpan "skip.span" Pure true { from: Len }
    #[doc = "Passes over a number of bytes."]
    SkipFixed "skip.fixed" Pure true { size: u64 }
    #[doc = "Reads a length and bytes and writes them; `utf8` checks them."]
    MoveSpan "move.span" Pure true { from: Len, to: Len, utf8: Flag }
    #[doc = "Copies a number of bytes."]
    MoveFixed "move.fixed" Pure true { size: u64 }
    #[doc = "Writes constant bytes."]
    Emit "emit" Pure false { value: ConstId }

    // --- positions
    #[doc = "Remembers the input position."]
    Mark "mark" Pure false { mark: MarkDef }
    #[doc = "Sets a mark to none."]
    ClearMark "clear.mark" Pure false { mark: MarkDef }
    #[doc = "Moves the input position to a mark. Bytes passed over again count against the re-scan limit."]
    Seek "seek" Pure true { mark: MarkUse }
    #[doc = "Runs `then` (arm 0) if the mark is set, else `else` (arm 1)."]
    IfMarked "if.marked" Pure false { mark: MarkUse, arms: Bodies }

    // --- control
    #[doc = "Counts one level of nesting, `level` below the caller's; deeper than the limit is a limit fault."]
    Enter "enter" Pure true { level: u32 }
    #[doc = "Runs the arm of a register; outside the arms is an index fault."]
    Switch "switch" Pure true { src: NumUse, arms: Bodies }
    #[doc = "Reads an index and runs its arm; outside the arms is an index fault."]
    SwitchRead "switch.read" Pure true { from: Num, arms: Bodies }
    #[doc = "Runs the arm whose table entry equals the register; the last arm stands for all other values."]
    Match "match" Pure false { src: NumUse, table: TableId, arms: Bodies }
    #[doc = "Runs the item once for each item of the source, in the sink's count form. `zero`: items take no input, \
             and count against the limit. `trust`: a chunk with a byte size is passed over by it."]
    Loop "loop" Journaled true { from: SeqIn, to: SeqOut, zero: Flag, trust: Flag, item: Body }
    #[doc = "Calls a function `level` levels of nesting below this one."]
    Call "call" Journaled true { func: FuncId, level: u32 }
    #[doc = "Fails; the constant is the message."]
    Fail "fail" Pure true { kind: FaultKind, message: ConstId }

    // --- columns
    #[doc = "Appends a register to a column, in a fixed-width form."]
    ColNum "col.num" Journaled false { col: Column, src: NumUse, to: Num }
    #[doc = "Appends bytes to a column."]
    ColSpan "col.span" Journaled false { col: Column, src: SpanUse }
    #[doc = "Appends an absent value to a column."]
    ColNull "col.null" Journaled false { col: Column }
    #[doc = "Appends a list to a column: its length is the number of rows that the child gained in the loop."]
    ColList "col.list" Journaled true { col: Column, child: Column, body: Body }

    // --- text (ADR 0017). White space in front of what is read is passed over; reads look at the end themselves.
    #[doc = "Reads a number that is written as text."]
    ReadText "read.text" Pure true { dst: NumDef, from: TextNum }
    #[doc = "Writes a register as text."]
    WriteText "write.text" Pure false { src: NumUse, to: TextNum }
    #[doc = "Reads a quoted string: what it holds, without escapes."]
    ReadQuoted "read.quoted" Pure true { dst: SpanDef, from: Quote }
    #[doc = "Writes bytes as a quoted string; text is UTF-8 already."]
    WriteQuoted "write.quoted" Pure false { src: SpanUse, to: Quote }
    #[doc = "Reads a decimal, exactly: two's complement, big-endian, of `size` bytes, or as few as there can be if `size` is 0."]
    ReadDecimal "read.decimal" Pure true { dst: SpanDef, precision: u64, scale: u64, size: u64 }
    #[doc = "Writes two's complement, big-endian, as a decimal; more digits than the precision are a range fault."]
    WriteDecimal "write.decimal" Pure true { src: SpanUse, precision: u64, scale: u64, to: DecimalText }
    #[doc = "Fails for the raw bits of a NaN or an infinity: of binary64 if `wide`, else of binary32."]
    CheckFinite "check.finite" Pure true { src: NumUse, wide: Flag }
    #[doc = "Fails unless a span has this many bytes."]
    CheckSize "check.size" Pure true { src: SpanUse, size: u64 }
    #[doc = "Looks bytes up among names, pairs of constant and entry in the order of the constants; others are an enum fault."]
    Lookup "lookup" Pure true { dst: NumDef, src: SpanUse, names: TableId }
    #[doc = "Reads these bytes."]
    Expect "expect" Pure true { text: ConstId }
    #[doc = "Writes a byte, unless the register is 0; afterwards it is 1."]
    Separate "separate" Pure false { state: NumUse, byte: u32 }
    #[doc = "Passes over a value, whatever it is, all its syntax checked. It stands `level` levels below the caller's."]
    SkipTree "skip.tree" Pure true { form: Markup, level: u32 }
    #[doc = "Reads what opens a keyed record; the register is 0 as long as its keys come in the order in which they are sought."]
    OpenObject "object.open" Pure true { form: Markup, start: MarkDef, state: NumDef }
    #[doc = "Goes to the value of a key and runs arm 0, or arm 1 if the key is not there. `names`: pairs of constant and place \
             among the `wanted` (or none), in the order of the constants; `text`: the key as it is expected."]
    FindField "object.find" Pure true { form: Markup, start: MarkUse, state: NumUse, names: TableId, wanted: u32,
        place: u32, text: ConstId, twice: Twice, unknown: Unknown, level: u32, arms: Bodies }
    #[doc = "Goes behind a keyed record, whose other keys are judged as `object.find` does."]
    CloseObject "object.close" Pure true { form: Markup, start: MarkUse, state: NumUse, names: TableId, wanted: u32,
        twice: Twice, unknown: Unknown, level: u32 }
    #[doc = "Looks which row of a table the value in front fits first (see `choose`), and reads nothing; none is a union fault."]
    Choose "choose" Pure true { dst: NumDef, form: Markup, rows: TableId, level: u32 }
    #[doc = "Reads the name that a tagged value opens with: its entry. In front of a null it reads nothing, and gives `null`."]
    ReadTag "read.tag" Pure true { dst: NumDef, form: Markup, names: TableId, null: i64 }

    // --- made by passes
    #[doc = "Passes over a run of values, an entry of the table each (see `skip_run`): of fixed size, varints, bytes, \
             and any of them behind the index of a union with null."]
    SkipRun "skip.run" Pure true { index: Num, len: Len, kinds: TableId }
    #[doc = "Runs moves whose bytes are the same on both sides as one scan, then copies what was scanned."]
    Verbatim "verbatim" Pure true { scan: Body }
    #[doc = "At least this many bytes can be read and written from here; else the record is left."]
    Check "check" Pure true { input: u32, output: u32 }
}
