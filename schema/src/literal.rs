//! A literal: a value that has been checked against a type, with every union branch chosen.
//!
//! Defaults become literals at resolution; a sink writes them with the same code that writes data.

/// A value of a known type.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Null.
    Null,
    /// Boolean.
    Boolean(bool),
    /// Integer, in range for its type.
    Int(i128),
    /// binary32, as bits (NaN payloads survive).
    Float32(u32),
    /// binary64, as bits.
    Float64(u64),
    /// Text.
    Text(String),
    /// Bytes of any length.
    Bytes(Vec<u8>),
    /// Bytes of the type's length.
    Fixed(Vec<u8>),
    /// Index of a symbol.
    Enum(usize),
    /// Items.
    List(Vec<Literal>),
    /// Entries in the order of the text.
    Map(Vec<(Literal, Literal)>),
    /// One value a field, in the order of the fields.
    Record(Vec<Literal>),
    /// A variant and its value.
    Union(usize, Box<Literal>),
}
