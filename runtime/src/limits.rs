//! Limits on what one value may cost. Every byte of input is hostile.

/// Limits with safe defaults; see the methods.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// Records, lists and maps inside each other; the outermost is level 1. Default 64, at most [`Limits::MAX_DEPTH`].
    pub depth: u32,
    /// List items that take no bytes of input, all lists of a value together. Default 16 Mi.
    pub zero_size_items: u64,
    /// Bytes of output of one value. Default 256 MiB.
    pub output_bytes: u64,
    /// Bytes of input of one value of a stream, which bound its window. Default 256 MiB.
    pub input_bytes: u64,
    /// Instructions of a Program. Default 4 million.
    pub program_ops: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: 64,
            zero_size_items: 16 << 20,
            output_bytes: 256 << 20,
            input_bytes: 256 << 20,
            program_ops: 4_000_000,
        }
    }
}

impl Limits {
    /// Deepest nesting that can be configured: the checking interpreter walks levels on the native stack.
    pub const MAX_DEPTH: u32 = 256;

    /// Brackets that may be inside each other in a value of text that is passed over and stands `level` levels deep: each
    /// level may have a tag around it, so that nothing is refused which could be read.
    pub fn brackets(&self, level: u32) -> u32 {
        self.depth.saturating_sub(level).saturating_mul(2) + 1
    }

    /// Sets [`Limits::depth`]; clamped to [`Limits::MAX_DEPTH`].
    pub fn depth(mut self, levels: u32) -> Limits {
        self.depth = levels.min(Limits::MAX_DEPTH);
        self
    }

    /// Sets [`Limits::zero_size_items`].
    pub fn zero_size_items(mut self, items: u64) -> Limits {
        self.zero_size_items = items;
        self
    }

    /// Sets [`Limits::output_bytes`].
    pub fn output_bytes(mut self, bytes: u64) -> Limits {
        self.output_bytes = bytes;
        self
    }

    /// Sets [`Limits::input_bytes`].
    pub fn input_bytes(mut self, bytes: u64) -> Limits {
        self.input_bytes = bytes;
        self
    }

    /// Sets [`Limits::program_ops`].
    pub fn program_ops(mut self, ops: usize) -> Limits {
        self.program_ops = ops;
        self
    }
}
