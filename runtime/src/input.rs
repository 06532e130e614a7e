//! Inputs: what a transformation reads, and the padding that lets the fast path read ahead.

use reschema_ir::cost::PADDING;

/// What is read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Input<'a> {
    /// Bytes that are all there is.
    Bytes(&'a [u8]),
    /// A window on a longer stream: its end is not the end of the input.
    Window(&'a [u8]),
    /// The first `len` bytes of a buffer that has [`PADDING`] more bytes behind them, whatever they hold.
    Padded {
        /// The whole buffer.
        buffer: &'a [u8],
        /// Bytes of it that are input.
        len: usize,
    },
}

impl<'a> Input<'a> {
    /// The bytes to read.
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Input::Bytes(b) | Input::Window(b) => b,
            Input::Padded { buffer, len } => buffer.get(..*len).unwrap_or(buffer),
        }
    }

    /// The bytes to read and those behind them that may be touched, in one slice: a pointer that is to reach the padding
    /// has to come from here, since one taken from [`Input::bytes`] may only be used for these.
    pub fn readable(&self) -> &'a [u8] {
        match self {
            Input::Bytes(b) | Input::Window(b) => b,
            Input::Padded { buffer, .. } => buffer,
        }
    }

    /// What is behind some bytes; nothing, if there are not so many.
    pub fn behind(&self, bytes: usize) -> Input<'a> {
        let rest = |b: &'a [u8]| b.get(bytes..).unwrap_or(&[]);
        match self {
            Input::Bytes(b) => Input::Bytes(rest(b)),
            Input::Window(b) => Input::Window(rest(b)),
            Input::Padded { buffer, len } => Input::Padded { buffer: rest(buffer), len: len.saturating_sub(bytes) },
        }
    }

    /// Readable bytes behind the end of the input.
    pub fn padding(&self) -> usize {
        match self {
            Input::Padded { buffer, len } => buffer.len().saturating_sub(*len),
            _ => 0,
        }
    }

    /// True when the input ends where its bytes end.
    pub fn is_complete(&self) -> bool {
        !matches!(self, Input::Window(_))
    }
}

impl<'a> From<&'a [u8]> for Input<'a> {
    fn from(bytes: &'a [u8]) -> Input<'a> {
        Input::Bytes(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Input<'a> {
    fn from(bytes: &'a Vec<u8>) -> Input<'a> {
        Input::Bytes(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Input<'a> {
    fn from(bytes: &'a [u8; N]) -> Input<'a> {
        Input::Bytes(bytes)
    }
}

/// A reusable padded copy of the tail of an input, so that even a single small value runs on the fast path.
#[derive(Debug, Default)]
pub struct Scratch(Vec<u8>);

impl Scratch {
    /// Longest tail that is copied.
    pub const MAX: usize = 64 << 10;

    /// Copies `tail` and pads it; the padding holds what earlier values have left.
    pub fn fill(&mut self, tail: &[u8]) -> Input<'_> {
        let len = tail.len() + PADDING;
        if self.0.len() < len {
            self.0.resize(len, 0);
        }
        self.0[..tail.len()].copy_from_slice(tail);
        Input::Padded { buffer: &self.0, len: tail.len() }
    }
}
