//! Operand kinds: what can stand in an instruction, and how each prints, parses and shows itself to the verifier.

use crate::op::Op;
use crate::parse::{ParseError, Parser};
use std::fmt::{self, Write};

/// What the generic checks of the verifier see of an operand.
pub trait Visit {
    /// A number register is written.
    fn num_def(&mut self, _: u32) {}
    /// A number register is read.
    fn num_use(&mut self, _: u32) {}
    /// A span register is written.
    fn span_def(&mut self, _: u32) {}
    /// A span register is read.
    fn span_use(&mut self, _: u32) {}
    /// A mark is set.
    fn mark_def(&mut self, _: u32) {}
    /// A mark is read.
    fn mark_use(&mut self, _: u32) {}
    /// A constant is read.
    fn constant(&mut self, _: ConstId) {}
    /// A table is read.
    fn table(&mut self, _: TableId) {}
    /// A function is called.
    fn func(&mut self, _: FuncId) {}
    /// A user conversion is called.
    fn user(&mut self, _: UserId) {}
    /// A column is written.
    fn column(&mut self, _: Column) {}
    /// A nested body.
    fn body(&mut self, _: &Body) {}
}

/// An operand kind.
pub trait Operand: Sized + Clone + PartialEq + fmt::Debug {
    /// Prints it; nested bodies print nothing here, they follow the line.
    fn print(&self, out: &mut String);
    /// Parses what `print` wrote.
    fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError>;
    /// Shows it to the verifier.
    fn visit(&self, _: &mut dyn Visit) {}
    /// The nested bodies it holds.
    fn bodies(&self) -> &[Body] {
        &[]
    }
    /// The nested bodies it holds, for rewriting.
    fn bodies_mut(&mut self) -> &mut [Body] {
        &mut []
    }
    /// True for kinds that stand in braces after the line.
    const NESTED: bool = false;
}

/// A sequence of instructions.
pub type Code = Vec<Inst>;

/// An instruction and the place in the schemas it serves.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Where in the pair of schemas it does it.
    pub site: Site,
}

/// Index into the side table of paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(pub u32);

/// One nested body.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Body(pub Code);

/// The arms of a switch.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Bodies(pub Vec<Body>);

macro_rules! index_operand {
    ($($(#[$doc:meta])* $name:ident($int:ty) $prefix:literal $visit:ident $arg:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub $int);
        impl Operand for $name {
            fn print(&self, out: &mut String) {
                let _ = write!(out, "{}{}", $prefix, self.0);
            }
            fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> {
                p.index($prefix).map($name)
            }
            fn visit(&self, v: &mut dyn Visit) {
                v.$visit($arg(*self));
            }
        }
    )*};
}

index_operand! {
    /// A number register that is written. Registers hold 64 raw bits; the instructions give them a meaning.
    NumDef(u32) "n" num_def |r: NumDef| r.0;
    /// A number register that is read.
    NumUse(u32) "n" num_use |r: NumUse| r.0;
    /// A span register (address and length of bytes) that is written.
    SpanDef(u32) "s" span_def |r: SpanDef| r.0;
    /// A span register that is read.
    SpanUse(u32) "s" span_use |r: SpanUse| r.0;
    /// A mark (input position, or none) that is set.
    MarkDef(u32) "m" mark_def |r: MarkDef| r.0;
    /// A mark that is read.
    MarkUse(u32) "m" mark_use |r: MarkUse| r.0;
    /// A constant byte string of the Program.
    ConstId(u32) "c" constant |c: ConstId| c;
    /// A table of the Program.
    TableId(u32) "t" table |t: TableId| t;
    /// A function of the Program.
    FuncId(u32) "@" func |f: FuncId| f;
    /// A conversion supplied by the user.
    UserId(u32) "u" user |u: UserId| u;
    /// An output column.
    Column(u32) "col" column |c: Column| c;
}

macro_rules! word_operand {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }
        impl $name {
            /// All of them, in declared order.
            pub const ALL: &[$name] = &[$($name::$variant),*];
            /// The word that stands for it in the text form.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }
        impl Operand for $name {
            fn print(&self, out: &mut String) { out.push_str(self.word()); }
            fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> {
                let word = p.word()?;
                $name::ALL.iter().copied().find(|x| x.word() == word).ok_or_else(|| p.unknown(stringify!($name), word))
            }
        }
    )*};
}

word_operand! {
    /// Wire form of a number.
    Num {
        /// Zigzag varint of a 32-bit integer, at most 10 bytes read, minimal when written.
        Zigzag32 = "zigzag32",
        /// Zigzag varint of a 64-bit integer.
        Zigzag64 = "zigzag64",
        /// One byte, 0 or 1.
        Bool = "bool",
        /// IEEE 754 binary32, little-endian.
        F32 = "f32",
        /// IEEE 754 binary64, little-endian.
        F64 = "f64",
        /// Unsigned byte.
        U8 = "u8",
        /// Unsigned 16 bits, little-endian.
        U16 = "u16",
        /// Signed 32 bits, little-endian.
        I32 = "i32",
        /// Signed 64 bits, little-endian.
        I64 = "i64",
    }
    /// Wire form of the length of a byte string.
    Len {
        /// Zigzag varint, negative is an error.
        Zigzag = "zigzag",
        /// Unsigned 32 bits, little-endian.
        U32 = "u32",
    }
    /// How a source tells the number of items of a sequence.
    SeqIn {
        /// Chunks: a zigzag count each, a negative one followed by the chunk's size in bytes; 0 ends.
        Blocks = "blocks",
        /// Known: unsigned 16 bits, little-endian.
        U16 = "u16",
        /// Known: unsigned 32 bits, little-endian.
        U32 = "u32",
        /// Unknown: between `[` and `]`, with commas.
        Array = "array",
        /// Unknown: between `{` and `}`, with commas.
        Object = "object",
    }
    /// A number as text. What is not told of as a string is bare. Strings that tell a date or a time are those of RFC 3339;
    /// where a string is wanted, a bare integer of the register's value is read too, and written where no string tells it.
    TextNum {
        /// `true` or `false`.
        Bool = "bool",
        /// An integer of 32 bits.
        Int32 = "int32",
        /// An integer of 64 bits.
        Int64 = "int64",
        /// binary32: the shortest number that reads back. NaN and infinities are strings.
        F32 = "f32",
        /// binary64.
        F64 = "f64",
        /// binary32, and no string: there are neither NaN nor infinities (`check.finite` sees to it in front of a write).
        FiniteF32 = "f32.finite",
        /// binary64, likewise.
        FiniteF64 = "f64.finite",
        /// binary32: NaN and infinities are written as null, which is read as NaN.
        NullF32 = "f32.null",
        /// binary64, likewise.
        NullF64 = "f64.null",
        /// Days since 1970-01-01, as a string.
        Date = "date",
        /// Milliseconds of the day, as a string.
        TimeMilli = "time.milli",
        /// Microseconds of the day, as a string.
        TimeMicro = "time.micro",
        /// Milliseconds since 1970, as a string with a zone.
        StampMilli = "stamp.milli",
        /// Microseconds since 1970, as a string with a zone.
        StampMicro = "stamp.micro",
        /// Nanoseconds since 1970, as a string with a zone.
        StampNano = "stamp.nano",
        /// Milliseconds since 1970, as a string without zone.
        LocalMilli = "local.milli",
        /// Microseconds since 1970, as a string without zone.
        LocalMicro = "local.micro",
        /// Nanoseconds since 1970, as a string without zone.
        LocalNano = "local.nano",
    }
    /// What a quoted string holds.
    Quote {
        /// Text.
        Text = "text",
        /// Bytes, a code point below 256 each.
        Latin = "latin",
        /// Bytes, in base64.
        Base64 = "base64",
    }
    /// How a decimal is written; both are read.
    DecimalText {
        /// As a string.
        Quoted = "quoted",
        /// As a number.
        Number = "number",
    }
    /// A self-describing language.
    Markup {
        /// JSON.
        Json = "json",
    }
    /// What holds of a key that comes twice.
    Twice {
        /// It is a fault.
        Refuse = "refuse",
        /// The first counts.
        First = "first",
        /// The last counts.
        Last = "last",
    }
    /// What holds of a key that the schema does not have.
    Unknown {
        /// It is passed over.
        Skip = "skip",
        /// It is a fault.
        Refuse = "refuse",
    }
    /// How a sink wants the number of items of a sequence.
    SeqOut {
        /// Not at all.
        None = "none",
        /// One chunk with a positive zigzag count, then 0; an empty sequence is just the 0. Patched when unknown.
        Block = "block",
        /// Before the items, unsigned 16 bits, little-endian. Patched when unknown.
        U16 = "u16",
        /// Before the items, unsigned 32 bits, little-endian. Patched when unknown.
        U32 = "u32",
    }
    /// A conversion between number registers.
    Convert {
        /// Signed integer to binary32, one rounding, ties to even.
        IntToF32 = "int.f32",
        /// Signed integer to binary64.
        IntToF64 = "int.f64",
        /// binary32 to binary64; a NaN keeps sign and payload and becomes quiet.
        F32ToF64 = "f32.f64",
    }
    /// A yes-or-no property of an instruction.
    Flag {
        /// Does not hold.
        No = "no",
        /// Holds.
        Yes = "yes",
    }
    /// What goes wrong at a `fail`, and in the tables of the tiers.
    FaultKind {
        /// The variant written does not resolve.
        Union = "union",
        /// A symbol the reader does not know.
        Enum = "enum",
        /// Union or enum index out of range.
        Index = "index",
        /// Input ends inside the value.
        Truncated = "truncated",
        /// Varint of more than 10 bytes or 64 bits.
        Varint = "varint",
        /// Integer out of its range.
        Range = "range",
        /// Negative length.
        Length = "length",
        /// Bad chunk header.
        Block = "block",
        /// Not UTF-8.
        Utf8 = "utf8",
        /// Boolean byte other than 0 and 1.
        Bool = "bool",
        /// A configured limit.
        Limit = "limit",
        /// A key the schema does not have, or has twice.
        Key = "key",
        /// A user conversion refused the value.
        User = "user",
        /// Text that is not of its language.
        Syntax = "syntax",
        /// A value of another kind than the schema says, in a language where that can be seen.
        Type = "type",
    }
}

impl Flag {
    /// `Yes` for true.
    pub fn of(yes: bool) -> Flag {
        if yes { Flag::Yes } else { Flag::No }
    }
    /// True for `Yes`.
    pub fn is(self) -> bool {
        self == Flag::Yes
    }
}

macro_rules! int_operand {
    ($($t:ty),*) => {$(
        impl Operand for $t {
            fn print(&self, out: &mut String) { let _ = write!(out, "{self}"); }
            fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> { p.integer() }
        }
    )*};
}
int_operand!(u32, u64, i64);

impl Operand for Body {
    fn print(&self, _: &mut String) {}
    fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> {
        p.body()
    }
    fn visit(&self, v: &mut dyn Visit) {
        v.body(self);
    }
    fn bodies(&self) -> &[Body] {
        std::slice::from_ref(self)
    }
    fn bodies_mut(&mut self) -> &mut [Body] {
        std::slice::from_mut(self)
    }
    const NESTED: bool = true;
}

impl Operand for Bodies {
    fn print(&self, _: &mut String) {}
    fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> {
        p.bodies()
    }
    fn visit(&self, v: &mut dyn Visit) {
        for b in &self.0 {
            v.body(b);
        }
    }
    fn bodies(&self) -> &[Body] {
        &self.0
    }
    fn bodies_mut(&mut self) -> &mut [Body] {
        &mut self.0
    }
    const NESTED: bool = true;
}
