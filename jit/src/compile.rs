//! From a Program to a routine: what is refused, and the code generator kept at arm's length.

use crate::emit::{self, Left, Shared, Stopped};
use crate::fault::{Fault, Inert};
use crate::pool::Pool;
use crate::routine::{Routine, Stats};
use crate::runs::Runs;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{FuncRef, Function, UserFuncName};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use reschema_ir::verify::{Bounds, verify};
use reschema_ir::{Body, Op, OpCounts, Program};
use reschema_runtime::text::Indexed;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// What compilation may do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Instructions of the code generator's IR that a routine may have. Default 60 000, some 200 ms of work.
    pub max_clif: usize,
    /// Instructions of a Program beyond which it is not even tried. Default 20 000.
    pub max_ops: usize,
    /// Runs the code generator's own verifier. For tests.
    pub verify_clif: bool,
    /// Ops of a Program, counted as they are emitted, behind which code leaves the value to the interpreter: to find the
    /// op whose code is wrong by halving.
    pub max_op: Option<u32>,
    /// For tests of what happens then.
    #[doc(hidden)]
    pub fault: Option<Fault>,
    /// Code adds to the counter of each op that it executes. For tests, and for one thread.
    #[doc(hidden)]
    pub counts: Option<Arc<OpCounts>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_clif: 60_000,
            max_ops: 20_000,
            verify_clif: cfg!(debug_assertions),
            max_op: None,
            fault: None,
            counts: None,
        }
    }
}

/// Why a Program is not compiled. It runs on the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// It does something that has no code.
    Unsupported(&'static str),
    /// It is too large: instructions found, and the limit.
    TooLarge(usize, usize),
    /// Its functions need so many bytes of the stack for each level that the deepest nesting might not fit.
    Stack(u64),
    /// The verifier refuses it.
    Unverified,
    /// This machine is not one that code can be generated for, or memory cannot be made executable.
    Machine(String),
    /// The code generator failed.
    Generator(String),
}

impl Refused {
    /// True if trying again would end as it did: the Program and the machine are what they are.
    pub fn is_lasting(&self) -> bool {
        !matches!(self, Refused::Machine(_) | Refused::Generator(_))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Unsupported(what) => f.write_str(what),
            Refused::TooLarge(found, limit) => write!(f, "{found} instructions, the limit is {limit}"),
            Refused::Stack(bytes) => write!(f, "the deepest nesting would take {bytes} bytes of the stack"),
            Refused::Unverified => f.write_str("refused by the verifier"),
            Refused::Machine(why) | Refused::Generator(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refused {}

/// Compiles Programs for this machine, or for another to look at.
#[derive(Clone)]
pub struct Compiler {
    isa: OwnedTargetIsa,
    options: Options,
}

/// The text of a compiled Program, for people.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The code generator's IR.
    pub clif: String,
    /// Machine instructions after register allocation.
    pub assembly: String,
}

/// Bytes of the stack that the deepest nesting may take.
const STACK: u64 = 256 << 10;

fn flags(options: &Options) -> settings::Flags {
    let mut b = settings::builder();
    for (name, value) in [
        ("opt_level", "none"),
        ("unwind_info", "false"),
        ("preserve_frame_pointers", "true"),
        // Frames of large Programs may be larger than a guard page.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_verifier", if options.verify_clif { "true" } else { "false" }),
    ] {
        // All of these exist on this line of the code generator; one that did not would keep its default.
        let _ = b.set(name, value);
    }
    settings::Flags::new(b)
}

impl Compiler {
    /// For this machine.
    ///
    /// # Errors
    /// [`Refused::Machine`].
    pub fn new(options: Options) -> Result<Compiler, Refused> {
        let builder = cranelift_native::builder().map_err(|e| Refused::Machine(e.to_string()))?;
        let isa = builder.finish(flags(&options)).map_err(|e| Refused::Machine(e.to_string()))?;
        Ok(Compiler { isa, options })
    }

    /// For another machine, `aarch64-unknown-linux-gnu` for instance: only [`Compiler::list`] makes sense then.
    ///
    /// # Errors
    /// [`Refused::Machine`].
    pub fn for_target(target: &str, options: Options) -> Result<Compiler, Refused> {
        let machine = |e: String| Refused::Machine(e);
        let triple: target_lexicon::Triple = target.parse().map_err(|e| machine(format!("{target}: {e}")))?;
        let builder = cranelift_codegen::isa::lookup(triple).map_err(|e| machine(format!("{target}: {e}")))?;
        let isa = builder.finish(flags(&options)).map_err(|e| machine(e.to_string()))?;
        Ok(Compiler { isa, options })
    }

    /// Compiles an optimised Program with its checks.
    ///
    /// # Errors
    /// See [`Refused`]: never a panic.
    pub fn compile(&self, program: &Arc<Program>) -> Result<Routine, Refused> {
        self.compile_named(program, "transform")
    }

    /// As [`Compiler::compile`], with a name for profilers (`RESCHEMA_PERF=map`).
    ///
    /// # Errors
    /// As there.
    pub fn compile_named(&self, program: &Arc<Program>, name: &str) -> Result<Routine, Refused> {
        caught(|| self.routine(program, name))
    }

    /// The text of what [`Compiler::compile`] makes; for any machine.
    ///
    /// # Errors
    /// As there.
    pub fn list(&self, program: &Arc<Program>) -> Result<Listing, Refused> {
        caught(|| self.listing(program))
    }

    fn admit(&self, program: &Program) -> Result<(), Refused> {
        let ops = program.size();
        if ops > self.options.max_ops {
            return Err(Refused::TooLarge(ops, self.options.max_ops));
        }
        verify(program, Bounds::Checked).map_err(|_| Refused::Unverified)?;
        if program.funcs.is_empty() {
            return Err(Refused::Unsupported("no function"));
        }
        if program.funcs.iter().any(|f| calls_first(&f.body)) {
            return Err(Refused::Unsupported("calls the first function"));
        }
        Ok(())
    }

    fn shared<'a>(&'a self, names: &'a Indexed, pool: &'a Pool, runs: &'a Runs) -> Shared<'a> {
        let program = names.program();
        let (conv, config) = (self.isa.default_call_conv(), self.isa.frontend_config());
        let max_op = self.options.max_op.unwrap_or(u32::MAX);
        let (max_clif, counts) = (self.options.max_clif, self.options.counts.as_deref());
        Shared { program, names, pool, runs, conv, config, max_clif, max_op, ops: Cell::new(0), counts }
    }

    fn routine(&self, program: &Arc<Program>, name: &str) -> Result<Routine, Refused> {
        let start = Instant::now();
        self.options.fault.as_ref().map_or(Ok(()), Fault::strike)?;
        self.admit(program)?;
        let pool = Pool::new(program);
        // Code has its address.
        let names = Box::new(Indexed::new(program.clone()));
        let mut builder = JITBuilder::with_isa(self.isa.clone(), default_libcall_names());
        builder.symbol_lookup_fn(Box::new(|_| None));
        if let Some(Fault::NotExecutable) = self.options.fault {
            builder.memory_provider(Box::new(Inert::new()));
        }
        let module = Held(Some(JITModule::new(builder)));
        let mut work = Work { module, ids: Vec::new(), sizes: Vec::new(), stats: Stats::default() };
        self.define(&mut work, &self.shared(&names, &pool, &Runs::new(program)))?;
        let Work { module, ids, sizes, mut stats } = work;
        let Some(mut module) = module.take() else { return Err(Refused::Generator("no module".into())) };
        if let Err(e) = module.finalize_definitions() {
            // SAFETY: nothing of it has run.
            unsafe { module.free_memory() };
            return Err(Refused::Machine(format!("the code cannot be made executable: {e}")));
        }
        let entry = module.get_finalized_function(ids[0]);
        for (i, (id, bytes)) in ids.iter().zip(sizes).enumerate() {
            crate::perf::note(&format!("reschema::{name}::f{i}"), module.get_finalized_function(*id), bytes);
        }
        stats.time = start.elapsed();
        Ok(Routine::new(module, entry, (names, pool, self.options.counts.clone()), stats))
    }

    fn define(&self, work: &mut Work, shared: &Shared<'_>) -> Result<(), Refused> {
        let generator = |e: cranelift_module::ModuleError| Refused::Generator(format!("{e:?}"));
        let Some(module) = work.module.0.as_mut() else { return Ok(()) };
        let count = shared.program.funcs.len();
        for i in 0..count + shared.runs.patterns.len() {
            let s = emit::signature(shared.conv, i == 0);
            work.ids.push(module.declare_function(&format!("f{i}"), Linkage::Local, &s).map_err(generator)?);
        }
        let (mut context, mut builder) = (Context::new(), FunctionBuilderContext::new());
        let mut left = Left::new();
        let mut frames = 0;
        for (i, id) in work.ids.iter().enumerate() {
            context.clear();
            context.func.signature = emit::signature(shared.conv, i == 0);
            context.func.name = UserFuncName::user(0, id.as_u32());
            let callees = callees(module, &work.ids, &mut context.func, shared, i);
            emit::function(shared, i, &mut context.func, &mut builder, &callees, &mut left)
                .map_err(|e| self.stopped(e))?;
            work.stats.clif += context.func.dfg.num_insts();
            if work.stats.clif > self.options.max_clif {
                return Err(Refused::TooLarge(work.stats.clif, self.options.max_clif));
            }
            module.define_function(*id, &mut context).map_err(generator)?;
            if let Some(code) = context.compiled_code() {
                work.sizes.push(code.code_info().total_size as usize);
                work.stats.code_bytes += code.code_info().total_size as usize;
                frames = frames.max(u64::from(frame(code)));
            }
        }
        let nested = frames * u64::from(reschema_runtime::Limits::MAX_DEPTH);
        if count > 1 && nested > STACK {
            return Err(Refused::Stack(nested));
        }
        work.stats.left = left.into_iter().collect();
        Ok(())
    }

    fn stopped(&self, stopped: Stopped) -> Refused {
        match stopped {
            Stopped::Unsupported(what) => Refused::Unsupported(what),
            Stopped::TooLarge(found) => Refused::TooLarge(found, self.options.max_clif),
        }
    }

    fn listing(&self, program: &Arc<Program>) -> Result<Listing, Refused> {
        self.admit(program)?;
        let pool = Pool::new(program);
        let (runs, names) = (Runs::new(program), Indexed::new(program.clone()));
        let shared = self.shared(&names, &pool, &runs);
        let mut listing = Listing { clif: String::new(), assembly: String::new() };
        let mut builder = FunctionBuilderContext::new();
        let mut left = Left::new();
        let count = program.funcs.len() + runs.patterns.len();
        for i in 0..count {
            let mut context = Context::new();
            context.func.signature = emit::signature(shared.conv, i == 0);
            context.func.name = UserFuncName::user(0, i as u32);
            let callees = loose_callees(count, &mut context.func, shared.conv);
            emit::function(&shared, i, &mut context.func, &mut builder, &callees, &mut left)
                .map_err(|e| self.stopped(e))?;
            listing.clif.push_str(&context.func.display().to_string());
            context.set_disasm(true);
            let code = context
                .compile(&*self.isa, &mut Default::default())
                .map_err(|e| Refused::Generator(format!("{:?}", e.inner)))?;
            listing.assembly.push_str(code.vcode.as_deref().unwrap_or(""));
        }
        Ok(listing)
    }
}

/// Runs `f`; a panic is a reason like others.
fn caught<T>(f: impl FnOnce() -> Result<T, Refused>) -> Result<T, Refused> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let words =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Refused::Generator(format!("the code generator panicked: {}", words.unwrap_or("no words"))))
    })
}

/// Bytes of the stack that a call of a function takes.
fn frame(code: &cranelift_codegen::CompiledCode) -> u32 {
    // The return address, the frame pointer, and what stands below it.
    code.buffer.frame_layout().map_or(1024, |l| l.frame_to_fp_offset + 16)
}

struct Work {
    module: Held,
    ids: Vec<FuncId>,
    /// Bytes of each function.
    sizes: Vec<usize>,
    stats: Stats,
}

/// A module whose memory is freed when things go wrong.
struct Held(Option<JITModule>);

impl Held {
    fn take(mut self) -> Option<JITModule> {
        self.0.take()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: no code of it has been given out.
            unsafe { module.free_memory() };
        }
    }
}

/// References to the functions that a body calls; any for the others. They need not be near: code of one routine may lie
/// in several mappings.
fn callees(
    module: &mut JITModule,
    ids: &[FuncId],
    func: &mut Function,
    shared: &Shared<'_>,
    index: usize,
) -> Vec<FuncRef> {
    let mut called = vec![false; ids.len()];
    let funcs = &shared.program.funcs;
    if let Some(f) = funcs.get(index) {
        note_calls(&f.body, &mut called);
        note_runs(&f.body, shared.runs, &mut called[funcs.len()..]);
    }
    ids.iter()
        .zip(called)
        .map(|(id, called)| {
            if !called {
                return FuncRef::from_u32(0);
            }
            let f = module.declare_func_in_func(*id, func);
            func.dfg.ext_funcs[f].colocated = false;
            f
        })
        .collect()
}

/// References that nobody will link.
fn loose_callees(count: usize, func: &mut Function, conv: cranelift_codegen::isa::CallConv) -> Vec<FuncRef> {
    use cranelift_codegen::ir::{ExtFuncData, ExternalName, UserExternalName};
    let s = func.import_signature(emit::signature(conv, false));
    (0..count)
        .map(|i| {
            let name = func.declare_imported_user_function(UserExternalName::new(0, i as u32));
            let data = ExtFuncData { name: ExternalName::user(name), signature: s, colocated: false, patchable: false };
            func.import_function(data)
        })
        .collect()
}

fn note_calls(body: &Body, called: &mut [bool]) {
    for inst in &body.0 {
        if let Op::Call { func, .. } = inst.op
            && let Some(c) = called.get_mut(func.0 as usize)
        {
            *c = true;
        }
        inst.op.bodies().iter().for_each(|b| note_calls(b, called));
    }
}

fn note_runs(body: &Body, runs: &Runs, called: &mut [bool]) {
    for inst in &body.0 {
        if let Op::SkipRun { kinds, .. } = inst.op
            && let Some(place) = runs.place(kinds)
        {
            called[place.pattern] = true;
        }
        inst.op.bodies().iter().for_each(|b| note_runs(b, runs, called));
    }
}

fn calls_first(body: &Body) -> bool {
    let mut called = [false];
    note_calls(body, &mut called);
    called[0]
}
