//! The instructions of the fast path. Each (op, width, form) of the IR is resolved to one of them once.

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Code {
    /// `check`: `w` bytes of input, `b` of output.
    Check,
    /// Copy up to 8, up to 16, up to 64 (`k`), or `c` bytes.
    Move8,
    Move16,
    MoveWide,
    MoveBig,
    /// Copy a varint of 32 or 64 bits.
    MoveVar32,
    MoveVar64,
    /// Convert.
    VarToF32,
    VarToF64,
    F32ToF64,
    MoveBool,
    /// Any other pair of forms: `k`, `w`.
    MoveNum,
    /// One-byte zigzag indexes: `k` of them, at `c` in the pool; 0xff: none.
    MoveSymbol,
    /// Any enum: table `b`, forms `k`, `w`.
    MoveEnum,
    /// Copy a length and bytes; then `w` bytes of input and `b` of output are promised.
    MoveBytes,
    MoveText,
    /// As above in other length forms (`k`).
    MoveSpanForm,
    SkipVar,
    SkipSpan,
    SkipSpanU32,
    /// A run of `c` entries of two bytes in the pool at `b`.
    SkipRun,
    /// Skip `k`, or `c` bytes.
    Skip,
    SkipBig,
    /// Write `k` bytes of `c`, `k` bytes of the pool at `b`, or `c` bytes of the pool at `b`.
    Emit8,
    Emit16,
    EmitBig,
    Mark,
    /// `Mark`, then a skip of `k` bytes, or of a varint.
    MarkSkip,
    MarkSkipVar,
    ClearMark,
    /// To mark `b`; then `w` bytes of input and `c` of output are promised.
    Seek,
    /// To `c` unless mark `b` is set.
    IfMarked,
    Enter,
    /// Zigzag index: 0 falls through, 1 goes to `b`, others leave.
    Option,
    /// Zigzag index below `k`: target in the jump table at `b`.
    SwitchByte,
    /// Any index (form `k`) below `w`: target in the jump table at `b`.
    SwitchAny,
    /// As `SwitchAny`, on register `c`.
    SwitchNum,
    /// Register `c` in table `w`: target in the jump table at `b`.
    Match,
    Jump,
    /// Avro blocks to one block: exit `b`, slot `w`, flags `k`.
    Blocks,
    NextItem,
    /// Avro blocks to nothing.
    SkipBlocks,
    NextSkipped,
    /// Known counts, or other count forms.
    Counted,
    NextCounted,
    Call,
    Return,
    /// Start and end of a scan whose bytes are copied: slot `w`.
    ScanBegin,
    ScanEnd,
    ScanVar32,
    ScanVar64,
    ScanBool,
    ScanSymbol,
    ScanBytes,
    ScanText,
    ScanSwitch,
    /// Registers.
    ReadNum,
    WriteNum,
    ConstNum,
    ConvertNum,
    UserNum,
    MapNum,
    ReadSpan,
    ReadFixed,
    ConstSpan,
    CheckUtf8,
    WriteSpan,
    WriteFixed,
    /// Op of text `b`.
    Text,
    /// The same, with two arms: the second begins at `c`.
    TextArms,
    /// A sequence in brackets (those of an object if `k`): exit `b`, slots `w` and the next, count form `c`.
    Items,
    NextOf,
    /// Leaves the value to the checking interpreter.
    Leave,
    /// The value ends.
    End,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insn {
    pub(super) code: Code,
    pub(super) k: u8,
    pub(super) w: u16,
    pub(super) b: u32,
    pub(super) c: u64,
}

impl Insn {
    pub(super) const fn new(code: Code) -> Insn {
        Insn { code, k: 0, w: 0, b: 0, c: 0 }
    }
    pub(super) const fn k(mut self, k: u8) -> Insn {
        self.k = k;
        self
    }
    pub(super) const fn w(mut self, w: u16) -> Insn {
        self.w = w;
        self
    }
    pub(super) const fn b(mut self, b: u32) -> Insn {
        self.b = b;
        self
    }
    pub(super) const fn c(mut self, c: u64) -> Insn {
        self.c = c;
        self
    }
}

/// Flags of the loop instructions.
pub(super) mod flag {
    /// Items take no input and are counted.
    pub(in crate::fast) const ZERO: u8 = 1;
    /// A block with a byte size is passed over by it.
    pub(in crate::fast) const TRUST: u8 = 2;
    /// Items do nothing at all.
    pub(in crate::fast) const IDLE: u8 = 4;
}

/// A form as an operand, and back.
pub(super) trait Form: Sized + Copy + PartialEq + 'static {
    const ALL: &'static [Self];
    fn index(self) -> u8 {
        Self::ALL.iter().position(|x| *x == self).unwrap_or(0) as u8
    }
    fn from_index(i: u8) -> Self {
        Self::ALL[i as usize]
    }
}

impl Form for reschema_ir::Num {
    const ALL: &'static [Self] = reschema_ir::Num::ALL;
}
impl Form for reschema_ir::Len {
    const ALL: &'static [Self] = reschema_ir::Len::ALL;
}
impl Form for reschema_ir::SeqIn {
    const ALL: &'static [Self] = reschema_ir::SeqIn::ALL;
}
impl Form for reschema_ir::SeqOut {
    const ALL: &'static [Self] = reschema_ir::SeqOut::ALL;
}
impl Form for reschema_ir::Convert {
    const ALL: &'static [Self] = reschema_ir::Convert::ALL;
}
