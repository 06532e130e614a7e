//! Program → CLIF: a function each, an instruction at a time.

mod brackets;
mod control;
mod digits;
mod ints;
mod number;
mod quoted;
mod run;
mod sequence;
mod span;
mod text;
mod varint;

use crate::context::{exit, offset};
use crate::helpers::Helper;
use crate::pool::Pool;
use crate::runs::Runs;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, FuncRef, Function, InstBuilder, MemFlagsData, Signature, Type, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use reschema_ir::{Body, Inst, Op, OpCounts, Program, SeqIn};
use reschema_runtime::text::Indexed;
use std::cell::Cell;
use std::collections::BTreeMap;

/// What compiled code leaves to others, and how often it stands in the code.
pub(crate) type Left = BTreeMap<&'static str, u32>;

/// What all functions of a routine share.
pub(crate) struct Shared<'a> {
    pub(crate) program: &'a Program,
    /// The Program's tables of names.
    pub(crate) names: &'a Indexed,
    pub(crate) pool: &'a Pool,
    /// Their functions stand behind the Program's.
    pub(crate) runs: &'a Runs,
    pub(crate) conv: CallConv,
    pub(crate) config: TargetFrontendConfig,
    /// Instructions that a function may have.
    pub(crate) max_clif: usize,
    /// Ops that are emitted; at others, code leaves.
    pub(crate) max_op: u32,
    /// Ops met so far.
    pub(crate) ops: Cell<u32>,
    /// Where executed ops are counted, if they are.
    pub(crate) counts: Option<&'a OpCounts>,
}

/// Why emission has stopped.
pub(crate) enum Stopped {
    /// It has met something that has no code.
    Unsupported(&'static str),
    /// It has come to this many instructions.
    TooLarge(usize),
}

/// How code leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    NeedInput,
    OutputFull,
    Reject,
}

/// Emits one function.
pub(crate) struct Emitter<'a, 'f> {
    shared: &'a Shared<'a>,
    b: FunctionBuilder<'f>,
    callees: &'a [FuncRef],
    /// Function 0 loops over values and returns how it ends; others return cursors.
    is_root: bool,
    ctx: Value,
    level: Option<Value>,
    p: Variable,
    o: Variable,
    limit: Value,
    soft: Value,
    capacity: Value,
    nums: Vec<Variable>,
    spans: Vec<(Variable, Variable)>,
    marks: Vec<Variable>,
    exits: [Option<Block>; 3],
    /// Inside `verbatim`: only the input moves.
    scan: bool,
    left: &'a mut Left,
    refused: Option<Stopped>,
}

/// The signature of a function: root and others.
pub(crate) fn signature(conv: CallConv, is_root: bool) -> Signature {
    let mut s = Signature::new(conv);
    // Context, input, output; for others the level. Runs: context, input, where to begin, how many.
    let params = if is_root { 3 } else { 4 };
    s.params.extend(std::iter::repeat_n(AbiParam::new(types::I64), params));
    let returns = if is_root { 1 } else { 2 };
    s.returns.extend(std::iter::repeat_n(AbiParam::new(types::I64), returns));
    s
}

/// Bytes behind any address may be read and written as the program's checks say; nothing traps.
fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Emits function `index` of the Program, or behind those a run, into `func`.
pub(crate) fn function(
    shared: &Shared<'_>,
    index: usize,
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    callees: &[FuncRef],
    left: &mut Left,
) -> Result<(), Stopped> {
    let is_root = index == 0;
    let source = shared.program.funcs.get(index);
    let mut b = FunctionBuilder::new(func, context);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let params: Vec<Value> = b.block_params(entry).to_vec();
    let ctx = params[0];
    let mut load = |at| b.ins().load(types::I64, memory(), ctx, at);
    let (limit, soft, capacity) = (load(offset::LIMIT), load(offset::SOFT), load(offset::CAPACITY));
    let mut variables = |n: u32| (0..n).map(|_| b.declare_var(types::I64)).collect::<Vec<_>>();
    let counts = source.map_or((0, 0, 0), |f| (f.nums, f.spans, f.marks));
    let (nums, marks) = (variables(counts.0), variables(counts.2));
    let (starts, lengths) = (variables(counts.1), variables(counts.1));
    let cursors = variables(2);
    b.def_var(cursors[0], params[1]);
    b.def_var(cursors[1], params[2]);
    let mut e = Emitter {
        shared,
        b,
        callees,
        is_root,
        ctx,
        level: params.get(3).copied(),
        p: cursors[0],
        o: cursors[1],
        limit,
        soft,
        capacity,
        nums,
        spans: starts.into_iter().zip(lengths).collect(),
        marks,
        exits: [None; 3],
        scan: false,
        left,
        refused: None,
    };
    match source {
        Some(f) if is_root => e.values(&f.body),
        Some(f) => e.callee(&f.body),
        None => e.run_function(&shared.runs.patterns[index - shared.program.funcs.len()], params[2], params[3]),
    }
    e.leave_blocks();
    let Emitter { mut b, refused, .. } = e;
    if let Some(stopped) = refused {
        // Half a function: nobody may look at it.
        return Err(stopped);
    }
    b.seal_all_blocks();
    b.finalize(shared.config);
    Ok(())
}

impl Emitter<'_, '_> {
    /// The loop over values.
    fn values(&mut self, body: &Body) {
        let head = self.b.create_block();
        self.b.ins().jump(head, []);
        self.b.switch_to_block(head);
        self.body(body);
        let (p, o) = (self.input(), self.output());
        // In padding the cursor may have passed the real end.
        let end = self.context(offset::END);
        let passed = self.b.ins().icmp(IntCC::UnsignedGreaterThan, p, end);
        self.leave_if(passed, Exit::NeedInput);
        let start = self.context(offset::VALUE_O);
        let made = self.b.ins().isub(o, start);
        let most = self.context(offset::OUTPUT_BYTES);
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, made, most);
        self.leave_if(over, Exit::Reject);
        self.set_context(offset::VALUE_P, p);
        self.set_context(offset::VALUE_O, o);
        if uses_zero(self.shared.program) {
            let zero = self.context(offset::ZERO_LIMIT);
            self.set_context(offset::ZERO_LEFT, zero);
        }
        if text::decodes(self.shared.program) {
            self.forget_text();
        }
        let left = self.context(offset::LEFT);
        let left = self.b.ins().iadd_imm_s(left, -1);
        self.set_context(offset::LEFT, left);
        let done = self.b.create_block();
        self.b.ins().brif(left, head, [], done, []);
        self.b.switch_to_block(done);
        let code = self.constant(exit::DONE);
        self.b.ins().return_(&[code]);
    }

    fn callee(&mut self, body: &Body) {
        self.body(body);
        let (p, o) = (self.input(), self.output());
        self.b.ins().return_(&[p, o]);
    }

    /// The blocks behind [`Emitter::leave_if`].
    fn leave_blocks(&mut self) {
        let codes = [exit::NEED_INPUT, exit::OUTPUT_FULL, exit::REJECT];
        for (block, code) in self.exits.into_iter().zip(codes) {
            let Some(block) = block else { continue };
            self.b.switch_to_block(block);
            let code = self.constant(code);
            self.leave_with(code);
        }
    }

    /// Returns a code.
    fn leave_with(&mut self, code: Value) {
        if self.is_root {
            self.b.ins().return_(&[code]);
        } else {
            let none = self.constant(0);
            self.b.ins().return_(&[none, code]);
        }
    }

    fn exit(&mut self, exit: Exit) -> Block {
        let at = exit as usize;
        if let Some(block) = self.exits[at] {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.exits[at] = Some(block);
        block
    }

    /// Leaves if the condition holds, and goes on otherwise.
    fn leave_if(&mut self, condition: Value, exit: Exit) {
        let (exit, next) = (self.exit(exit), self.b.create_block());
        self.b.ins().brif(condition, exit, [], next, []);
        self.b.switch_to_block(next);
    }

    /// Leaves; what is emitted behind is never reached.
    fn leave(&mut self, exit: Exit) {
        let exit = self.exit(exit);
        self.b.ins().jump(exit, []);
        let unreachable = self.b.create_block();
        self.b.switch_to_block(unreachable);
    }

    /// A cold block.
    fn cold(&mut self) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        block
    }

    fn input(&mut self) -> Value {
        self.b.use_var(self.p)
    }

    fn output(&mut self) -> Value {
        self.b.use_var(self.o)
    }

    fn set_input(&mut self, p: Value) {
        self.b.def_var(self.p, p);
    }

    fn set_output(&mut self, o: Value) {
        self.b.def_var(self.o, o);
    }

    /// Moves the input on by a number of bytes.
    fn read(&mut self, bytes: u64) {
        let p = self.input();
        let p = self.b.ins().iadd_imm_s(p, bytes as i64);
        self.set_input(p);
    }

    /// Moves the output on by a number of bytes.
    fn wrote(&mut self, bytes: u64) {
        let o = self.output();
        let o = self.b.ins().iadd_imm_s(o, bytes as i64);
        self.set_output(o);
    }

    fn constant(&mut self, value: i64) -> Value {
        self.b.ins().iconst(types::I64, value)
    }

    fn context(&mut self, at: i32) -> Value {
        self.b.ins().load(types::I64, memory(), self.ctx, at)
    }

    fn set_context(&mut self, at: i32, value: Value) {
        self.b.ins().store(memory(), value, self.ctx, at);
    }

    fn load(&mut self, ty: Type, address: Value, at: i32) -> Value {
        self.b.ins().load(ty, memory(), address, at)
    }

    fn store(&mut self, value: Value, address: Value, at: i32) {
        self.b.ins().store(memory(), value, address, at);
    }

    /// An unsigned byte as 64 bits.
    fn byte(&mut self, address: Value) -> Value {
        self.b.ins().uload8(types::I64, memory(), address, 0)
    }

    fn store_byte(&mut self, value: Value, address: Value) {
        self.b.ins().istore8(memory(), value, address, 0);
    }

    /// Calls a helper. Its address is a constant of the process, so that nothing is relocated.
    fn call(&mut self, helper: Helper, arguments: &[Value]) -> Value {
        debug_assert_eq!(helper.arguments, arguments.len(), "{}", helper.name);
        let mut s = Signature::new(self.shared.conv);
        s.params.extend(arguments.iter().map(|_| AbiParam::new(types::I64)));
        s.returns.push(AbiParam::new(types::I64));
        let s = self.b.import_signature(s);
        let address = self.constant(helper.address as i64);
        let call = self.b.ins().call_indirect(s, address, arguments);
        self.b.inst_results(call)[0]
    }

    /// Takes note of what is not compiled inline.
    fn note(&mut self, what: &'static str) {
        *self.left.entry(what).or_insert(0) += 1;
    }

    fn check(&mut self, input: u32, output: u32) {
        if input > 0 {
            let p = self.input();
            let rest = self.b.ins().isub(self.limit, p);
            let short = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, rest, i64::from(input));
            self.leave_if(short, Exit::NeedInput);
        }
        if output > 0 {
            let o = self.output();
            let rest = self.b.ins().isub(self.capacity, o);
            let short = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, rest, i64::from(output));
            self.leave_if(short, Exit::OutputFull);
        }
    }

    fn body(&mut self, body: &Body) {
        let mut code = body.0.as_slice();
        while let [inst, rest @ ..] = code {
            let ints = ints::together(code);
            if ints > 0 {
                let (these, rest) = code.split_at(ints);
                code = rest;
                if these.iter().all(|inst| self.admits(&inst.op)) {
                    self.ints(these);
                }
                continue;
            }
            code = rest;
            // Behind a string or a seek, what a `check` asks of both sides is asked together with the op's own.
            let mut output = 0;
            if let Op::MoveSpan { .. } | Op::SkipSpan { .. } = inst.op
                && let [Inst { op: Op::Check { output: more, .. }, .. }, rest @ ..] = rest
            {
                output = if self.scan { 0 } else { *more };
                code = rest;
            }
            if self.admits(&inst.op) {
                self.inst(&inst.op, output);
            }
        }
    }

    /// Adds one to the counter of an op.
    fn count(&mut self, counts: &OpCounts, op: &Op) {
        let counter = self.constant(counts.counter(op).as_ptr().expose_provenance() as i64);
        let n = self.load(types::I64, counter, 0);
        let n = self.b.ins().iadd_imm_s(n, 1);
        self.store(n, counter, 0);
    }

    /// Whether an instruction is to be emitted: the function is not too large yet, and code does not leave here.
    fn admits(&mut self, op: &Op) -> bool {
        let emitted = self.b.func.dfg.num_insts();
        if self.refused.is_some() || emitted > self.shared.max_clif {
            self.refused.get_or_insert(Stopped::TooLarge(emitted));
            return false;
        }
        let index = self.shared.ops.replace(self.shared.ops.get() + 1);
        if index >= self.shared.max_op {
            self.leave(Exit::Reject);
            return false;
        }
        if let Some(counts) = self.shared.counts {
            self.count(counts, op);
        }
        true
    }

    /// An instruction. `output` bytes of room are promised behind a string.
    fn inst(&mut self, op: &Op, output: u32) {
        match op {
            Op::Check { input, output } => self.check(*input, if self.scan { 0 } else { *output }),
            Op::ReadNum { dst, from } => self.read_num(dst.0, *from),
            Op::WriteNum { src, to } => self.write_num(src.0, *to),
            Op::ConstNum { dst, value } => {
                let value = self.constant(*value);
                self.b.def_var(self.nums[dst.0 as usize], value);
            }
            Op::ConvertNum { dst, src, conv } => self.convert_num(dst.0, src.0, *conv),
            Op::UserNum { dst, src, user } => self.user_num(dst.0, src.0, user.0),
            Op::MapNum { dst, src, table } => self.map_num(dst.0, src.0, *table),
            Op::SkipNum { from } => self.skip_num(*from),
            Op::MoveNum { from, to } => self.move_num(*from, *to),
            Op::MoveEnum { from, table, to } => self.move_enum(*from, *table, *to),
            Op::ReadSpan { dst, from } => self.read_span(dst.0, *from),
            Op::ReadFixed { dst, size } => self.read_fixed(dst.0, *size),
            Op::ConstSpan { dst, value } => self.const_span(dst.0, *value),
            Op::CheckUtf8 { src } => self.check_utf8(src.0),
            Op::WriteSpan { src, to } => self.write_span(src.0, Some(*to)),
            Op::WriteFixed { src } => self.write_span(src.0, None),
            Op::SkipSpan { from } => self.skip_span(*from, output),
            Op::SkipFixed { size } => self.skip_fixed(*size),
            Op::MoveSpan { from, to, utf8 } => self.move_span(*from, *to, utf8.is(), output),
            Op::MoveFixed { size } => self.move_fixed(*size),
            Op::Emit { value } => self.emit(*value),
            Op::Mark { mark } => {
                let p = self.input();
                self.b.def_var(self.marks[mark.0 as usize], p);
            }
            Op::ClearMark { mark } => {
                let none = self.constant(0);
                self.b.def_var(self.marks[mark.0 as usize], none);
            }
            Op::Seek { mark } => {
                let p = self.b.use_var(self.marks[mark.0 as usize]);
                self.set_input(p);
            }
            Op::IfMarked { mark, arms } => self.if_marked(mark.0, arms),
            // The deepest level of a function is looked at where it is called, that of the first by the caller.
            Op::Enter { .. } => {}
            Op::Switch { src, arms } => self.switch(src.0, arms),
            Op::SwitchRead { from, arms } => self.switch_read(*from, arms),
            Op::Match { src, table, arms } => self.match_arms(src.0, *table, arms),
            Op::Loop { from: SeqIn::Array, to, item, .. } => self.items_of(false, *to, item),
            Op::Loop { from: SeqIn::Object, to, item, .. } => self.items_of(true, *to, item),
            Op::Loop { from, to, zero, trust, item } => self.repeat((*from, *to), zero.is(), trust.is(), item),
            Op::Call { func, level } => self.call_function(func.0 as usize, *level),
            Op::Fail { .. } => self.leave(Exit::Reject),
            Op::SkipRun { index, len, kinds } => self.skip_run(*index, *len, *kinds),
            Op::Verbatim { scan } => self.verbatim(scan),
            Op::ColNum { .. } | Op::ColSpan { .. } | Op::ColNull { .. } | Op::ColList { .. } => {
                self.refused = Some(Stopped::Unsupported("writes columns"));
            }
            _ => self.text_op(op),
        }
    }
}

/// Whether any loop has items without bytes.
fn uses_zero(program: &Program) -> bool {
    fn body(b: &Body) -> bool {
        b.0.iter().any(|i| matches!(&i.op, Op::Loop { zero, .. } if zero.is()) || i.op.bodies().iter().any(body))
    }
    program.funcs.iter().any(|f| body(&f.body))
}

/// An argument of a block.
fn arg(value: Value) -> BlockArg {
    BlockArg::Value(value)
}
