//! The Program: functions, constants, tables, and the paths that errors name.

use crate::operand::{Body, ConstId, FuncId, Site, TableId};

/// A transformation, ready to be verified and run. Function 0 transforms one value.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// Functions.
    pub funcs: Vec<Function>,
    /// Constant byte strings.
    pub consts: Vec<Vec<u8>>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Paths by [`Site`].
    pub paths: Vec<Path>,
    /// Number of output columns.
    pub columns: u32,
    /// Number of user conversions; the functions themselves belong to whoever runs the Program.
    pub users: u32,
}

/// A function: its own registers and marks.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Function {
    /// Number registers.
    pub nums: u32,
    /// Span registers.
    pub spans: u32,
    /// Marks.
    pub marks: u32,
    /// Deepest level of nesting it enters itself, relative to its caller's level.
    pub depth: u32,
    /// What it does.
    pub body: Body,
}

/// A table of optional numbers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Table(pub Vec<Option<i64>>);

impl Table {
    /// True when every entry is its own index.
    pub fn is_identity(&self) -> bool {
        self.0.iter().enumerate().all(|(i, e)| *e == Some(i as i64))
    }
}

/// The places in the two schemas that an instruction serves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Path {
    /// In the source's schema.
    pub source: String,
    /// In the target's schema.
    pub target: String,
}

impl Program {
    /// A constant's bytes; empty for an id that is not there (the verifier refuses those).
    pub fn constant(&self, id: ConstId) -> &[u8] {
        self.consts.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// A table; empty for an id that is not there.
    pub fn table(&self, id: TableId) -> &Table {
        const EMPTY: &Table = &Table(Vec::new());
        self.tables.get(id.0 as usize).unwrap_or(EMPTY)
    }

    /// A function.
    pub fn func(&self, id: FuncId) -> Option<&Function> {
        self.funcs.get(id.0 as usize)
    }

    /// The paths of a site.
    pub fn path(&self, site: Site) -> Option<&Path> {
        self.paths.get(site.0 as usize)
    }

    /// Interns a constant.
    pub fn intern(&mut self, bytes: &[u8]) -> ConstId {
        // Linear: passes intern few constants, and a map here would have to be kept in step with the vector.
        let found = self.consts.iter().rev().take(64).position(|c| c == bytes);
        match found {
            Some(back) => ConstId((self.consts.len() - 1 - back) as u32),
            None => {
                self.consts.push(bytes.to_vec());
                ConstId(self.consts.len() as u32 - 1)
            }
        }
    }

    /// Number of instructions, nested ones included.
    pub fn size(&self) -> usize {
        self.funcs.iter().map(|f| f.body.size()).sum()
    }
}

impl Body {
    /// Number of instructions, nested ones included.
    pub fn size(&self) -> usize {
        self.0.iter().map(|i| 1 + i.op.bodies().iter().map(Body::size).sum::<usize>()).sum()
    }
}
