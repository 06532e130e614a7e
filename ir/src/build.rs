//! The builder: what the driver and the formats emit instructions through.

use crate::op::Op;
use crate::operand::{
    Body, Column, ConstId, FuncId, Inst, MarkDef, MarkUse, NumDef, NumUse, Site, SpanDef, SpanUse, TableId,
};
use crate::program::{Function, Path, Program, Table};
use std::collections::HashMap;

/// Builds a Program, function by function. Instructions go to the innermost open body.
#[derive(Debug, Default)]
pub struct Builder {
    program: Program,
    consts: HashMap<Vec<u8>, ConstId>,
    frames: Vec<Frame>,
    site: Site,
    emitted: usize,
}

#[derive(Debug)]
struct Frame {
    id: FuncId,
    func: Function,
    bodies: Vec<Body>,
    free: Scope,
}

/// The registers and marks in use at a point of a function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope {
    nums: u32,
    spans: u32,
    marks: u32,
}

impl Builder {
    /// An empty Program.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Declares a function, to be defined later.
    pub fn declare(&mut self) -> FuncId {
        self.program.funcs.push(Function::default());
        FuncId(self.program.funcs.len() as u32 - 1)
    }

    /// Opens a declared function; instructions go to it until [`Builder::end`].
    pub fn begin(&mut self, id: FuncId) {
        self.frames.push(Frame {
            id,
            func: Function::default(),
            bodies: vec![Body::default()],
            free: Scope::default(),
        });
    }

    /// Closes the function opened last.
    pub fn end(&mut self) {
        if let Some(Frame { id, mut func, mut bodies, .. }) = self.frames.pop() {
            func.body = bodies.pop().unwrap_or_default();
            if let Some(slot) = self.program.funcs.get_mut(id.0 as usize) {
                *slot = func;
            }
        }
    }

    /// Opens a nested body.
    pub fn open(&mut self) {
        if let Some(f) = self.frames.last_mut() {
            f.bodies.push(Body::default());
        }
    }

    /// Closes the nested body opened last and returns it.
    pub fn close(&mut self) -> Body {
        self.frames.last_mut().and_then(|f| f.bodies.pop()).unwrap_or_default()
    }

    /// Appends an instruction at the current site.
    pub fn op(&mut self, op: Op) {
        let site = self.site;
        self.emitted += 1;
        if let Some(body) = self.frames.last_mut().and_then(|f| f.bodies.last_mut()) {
            body.0.push(Inst { op, site });
        }
    }

    /// Number of instructions appended so far.
    pub fn emitted(&self) -> usize {
        self.emitted
    }

    /// Sets the places in the schemas that the following instructions serve; returns the previous site.
    pub fn set_site(&mut self, site: Site) -> Site {
        std::mem::replace(&mut self.site, site)
    }

    /// A new site for a pair of paths.
    pub fn site(&mut self, path: Path) -> Site {
        self.program.paths.push(path);
        Site(self.program.paths.len() as u32 - 1)
    }

    /// Interns a constant.
    pub fn constant(&mut self, bytes: &[u8]) -> ConstId {
        if let Some(id) = self.consts.get(bytes) {
            return *id;
        }
        let id = ConstId(self.program.consts.len() as u32);
        self.program.consts.push(bytes.to_vec());
        self.consts.insert(bytes.to_vec(), id);
        id
    }

    /// Adds a table.
    pub fn table(&mut self, entries: Vec<Option<i64>>) -> TableId {
        self.program.tables.push(Table(entries));
        TableId(self.program.tables.len() as u32 - 1)
    }

    /// Declares that there are this many user conversions.
    pub fn users(&mut self, count: usize) {
        self.program.users = count as u32;
    }

    /// Adds an output column.
    pub fn column(&mut self) -> Column {
        self.program.columns += 1;
        Column(self.program.columns - 1)
    }

    /// A number register that is free in this scope.
    pub fn num(&mut self) -> (NumDef, NumUse) {
        let Some(f) = self.frames.last_mut() else { return (NumDef(0), NumUse(0)) };
        let i = f.free.nums;
        f.free.nums += 1;
        f.func.nums = f.func.nums.max(f.free.nums);
        (NumDef(i), NumUse(i))
    }

    /// A span register that is free in this scope.
    pub fn span(&mut self) -> (SpanDef, SpanUse) {
        let Some(f) = self.frames.last_mut() else { return (SpanDef(0), SpanUse(0)) };
        let i = f.free.spans;
        f.free.spans += 1;
        f.func.spans = f.func.spans.max(f.free.spans);
        (SpanDef(i), SpanUse(i))
    }

    /// A mark that is free in this scope.
    pub fn mark(&mut self) -> (MarkDef, MarkUse) {
        let Some(f) = self.frames.last_mut() else { return (MarkDef(0), MarkUse(0)) };
        let i = f.free.marks;
        f.free.marks += 1;
        f.func.marks = f.func.marks.max(f.free.marks);
        (MarkDef(i), MarkUse(i))
    }

    /// Opens a scope of registers and marks.
    pub fn scope(&self) -> Scope {
        self.frames.last().map_or(Scope::default(), |f| f.free)
    }

    /// Frees the registers and marks taken since the scope was opened.
    pub fn leave(&mut self, scope: Scope) {
        if let Some(f) = self.frames.last_mut() {
            f.free = scope;
        }
    }

    /// Tells the current function that it nests at least this deep.
    pub fn deepen(&mut self, level: u32) {
        if let Some(f) = self.frames.last_mut() {
            f.func.depth = f.func.depth.max(level);
        }
    }

    /// The finished Program.
    pub fn finish(self) -> Program {
        self.program
    }
}
