//! Constants and tables of a Program at addresses that stay: bytes that a schema's author has chosen are read from here,
//! and never stand in code.

use reschema_ir::{ConstId, Program, TableId};

/// Bytes that may be read behind any constant.
const BEHIND: usize = 64;

pub(crate) struct Pool {
    bytes: Box<[u8]>,
    consts: Vec<usize>,
    /// Tables of symbols as bytes of output, and tables of runs as pairs; where a table is either.
    symbols: Vec<Option<usize>>,
    runs: Vec<Option<usize>>,
}

/// No symbol.
pub(crate) const NONE: u8 = 0xff;

impl Pool {
    pub(crate) fn new(program: &Program) -> Pool {
        let mut bytes = Vec::new();
        let mut put = |part: &[u8]| {
            bytes.extend_from_slice(part);
            bytes.len() - part.len()
        };
        let consts = program.consts.iter().map(|c| put(c)).collect();
        let symbols = program.tables.iter().map(|t| symbols(&t.0).map(|b| put(&b))).collect();
        let runs = program.tables.iter().map(|t| runs(&t.0).map(|b| put(&b))).collect();
        bytes.resize(bytes.len() + BEHIND, 0);
        Pool { bytes: bytes.into(), consts, symbols, runs }
    }

    fn address(&self, at: usize) -> i64 {
        self.bytes.as_ptr().wrapping_add(at).expose_provenance() as i64
    }

    /// The bytes of a constant, with [`BEHIND`] readable ones behind.
    pub(crate) fn constant(&self, id: ConstId) -> i64 {
        self.address(self.consts.get(id.0 as usize).copied().unwrap_or(0))
    }

    /// For each index below the table's length the byte that is written for it, or [`NONE`].
    pub(crate) fn symbols(&self, id: TableId) -> Option<i64> {
        self.symbols.get(id.0 as usize).copied().flatten().map(|at| self.address(at))
    }

    /// The entries of a run as the helper wants them.
    pub(crate) fn run(&self, id: TableId) -> Option<i64> {
        self.runs.get(id.0 as usize).copied().flatten().map(|at| self.address(at))
    }
}

/// Zigzag varints of one byte for up to 64 entries of up to 63.
fn symbols(table: &[Option<i64>]) -> Option<Vec<u8>> {
    let small = table.len() <= 64 && table.iter().all(|e| e.is_none_or(|v| (0..64).contains(&v)));
    small.then(|| table.iter().map(|e| e.map_or(NONE, |v| (v as u8) << 1)).collect())
}

fn runs(table: &[Option<i64>]) -> Option<Vec<u8>> {
    let pair = |e: &Option<i64>| e.and_then(|c| u16::try_from(c).ok()).map(|c| [c as u8, (c >> 8) as u8]);
    table.iter().map(pair).collect::<Option<Vec<[u8; 2]>>>().map(|pairs| pairs.concat())
}
