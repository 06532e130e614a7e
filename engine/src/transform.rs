//! A transform: a pair's Program and the tiers that run it.

use crate::engine::Config;
use crate::error::{Error, ErrorKind};
use crate::explain::Explain;
use crate::formats::Format;
use crate::native::{NativeListing, NativeStats};
use crate::stats::TransformStats;
use crate::tiering::run::{Stopped, Thread};
use crate::tiering::state::TierState;
use reschema_interp::fast::Untranslatable;
use reschema_interp::{Batch, Failure, Interpreter, Request};
use reschema_ir::Program;
use reschema_ir::verify::{Bounds, verify};
use reschema_lower::{LowerError, Options, Sink, Source, lower, lower_skip};
use reschema_runtime::{Columns, Input, Limits, Mark, Output};
use reschema_schema::Schema;
use reschema_schema::model::Shape;
use reschema_schema::plan::{Plan, PlanWarning};
use std::cell::Cell;
use std::sync::{Arc, OnceLock};

/// What runs need besides the Program, for those who keep it themselves.
#[derive(Default)]
pub(crate) struct Environment(Box<Thread>);

/// Nothing in it outlives a run.
impl Clone for Environment {
    fn clone(&self) -> Environment {
        Environment::default()
    }
}

thread_local! {
    /// Registers and scratch of this thread. Taken while in use, so that a user conversion may run a transform itself.
    static ENVIRONMENT: Cell<Option<Environment>> = const { Cell::new(None) };
}

/// Transforms values of one pair of schemas. Cheap to clone, and shared between threads.
#[derive(Clone)]
pub struct Transform(Arc<Inner>);

struct Inner {
    plan: Plan,
    transformation: Prepared,
    /// Passes over values; made when it is asked for, which is when data are bad.
    skip: OnceLock<Result<Prepared, Error>>,
    ends: (Format, Format),
    config: Arc<Config>,
}

/// A Program, and what runs it.
struct Prepared {
    plain: Arc<Program>,
    optimised: Arc<Program>,
    interpreter: Interpreter,
    /// Native code, or why there is none.
    tier: Arc<TierState>,
    /// Errors tell line and column.
    text: bool,
}

/// What a call has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Values.
    pub records: u64,
    /// Bytes of input they took.
    pub consumed: usize,
    /// Which tier did how many.
    pub tiers: Tiers,
}

/// Values by tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tiers {
    /// On the interpreter's fast path.
    pub fast: u64,
    /// By the checking interpreter.
    pub checked: u64,
    /// By native code.
    pub compiled: u64,
}

/// What a transform can write to.
pub trait AsOutput {
    /// Itself as an output.
    fn as_output(&mut self) -> Output<'_>;
}

impl AsOutput for Vec<u8> {
    fn as_output(&mut self) -> Output<'_> {
        Output::Bytes(self)
    }
}

impl AsOutput for Columns {
    fn as_output(&mut self) -> Output<'_> {
        Output::Columns(self)
    }
}

fn check(program: &Program, bounds: Bounds) -> Result<(), Error> {
    verify(program, bounds).map_err(|found| {
        let list: Vec<String> = found.iter().take(5).map(ToString::to_string).collect();
        Error::new(ErrorKind::Unsupported, format!("the verifier refuses the Program: {}", list.join("; ")))
    })
}

impl Prepared {
    fn new(program: Program, name: String, config: &Config) -> Result<Prepared, Error> {
        let plain = Arc::new(program);
        let optimised = Arc::new(reschema_ir::pass::optimise(&plain, config.passes));
        // The optimised Program is verified where it is translated; if that refuses it, say why.
        check(&plain, Bounds::Ignored)?;
        let interpreter = Interpreter::new(plain.clone(), optimised.clone());
        if interpreter.not_fast() == Some(Untranslatable::Unverified) {
            check(&optimised, Bounds::Checked)?;
        }
        let tier = TierState::new(optimised.clone(), name, config.broker.clone());
        Ok(Prepared { plain, optimised, interpreter, tier, text: false })
    }

    fn run(&self, work: Work<'_>, output: &mut Output<'_>, config: &Config) -> Result<Batch, Error> {
        let mut environment = ENVIRONMENT.take().unwrap_or_default();
        let result = self.run_in(&mut environment, work, output, config);
        ENVIRONMENT.set(Some(environment));
        if self.text { result.map_err(|e| e.in_text(work.input.bytes())) } else { result }
    }

    fn run_in(
        &self,
        environment: &mut Environment,
        work: Work<'_>,
        output: &mut Output<'_>,
        config: &Config,
    ) -> Result<Batch, Error> {
        let Config { limits, users, .. } = config;
        let Work { input, count, enough } = work;
        let request = Request { input, count, enough, limits, users };
        if !self.tier.is_few(&mut environment.0, count) {
            return self.run_unusual(environment, &request, output);
        }
        let result = self.tier.run_few(&self.interpreter, &mut environment.0, &request, output);
        result.map_err(|failure| Error::from_failure(failure, &self.plain))
    }

    /// Many values, both tiers, or a call that is timed.
    #[inline(never)]
    fn run_unusual(
        &self,
        environment: &mut Environment,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Error> {
        if self.tier.verifies {
            return self.verified(environment, request, output);
        }
        let (tier, thread, count) = (&self.tier, &mut environment.0, request.count);
        let Some(calls) = tier.stands_for(thread, count) else {
            let result = tier.run_few(&self.interpreter, thread, request, output);
            return result.map_err(|failure| Error::from_failure(failure, &self.plain));
        };
        if tier.cuts(count) {
            return self.in_slices(environment, request, output, calls);
        }
        let result = tier.run_timed(&self.interpreter, thread, request, output, count, calls);
        result.map_err(|failure| Error::from_failure(failure, &self.plain))
    }

    #[inline(never)]
    fn in_slices(
        &self,
        environment: &mut Environment,
        request: &Request<'_>,
        output: &mut Output<'_>,
        calls: u32,
    ) -> Result<Batch, Error> {
        let result = self.tier.run_slices(&self.interpreter, &mut environment.0, request, output, calls);
        result.map_err(|Stopped { failure, before }| {
            Error::from_failure(failure, &self.plain).behind(before.consumed as u64, before.values)
        })
    }

    /// On both tiers; what the interpreter gives is the result.
    #[inline(never)]
    fn verified(
        &self,
        environment: &mut Environment,
        request: &Request<'_>,
        output: &mut Output<'_>,
    ) -> Result<Batch, Error> {
        let Environment(thread) = environment;
        let before = output.mark();
        let mut again = Vec::new();
        let compiled = self.tier.run_native_alone(&self.interpreter, thread, request, &mut Output::Bytes(&mut again));
        let interpreted = self.tier.run_interpreted(&self.interpreter, thread, request, output);
        let Some(compiled) = compiled else {
            return interpreted.map_err(|failure| Error::from_failure(failure, &self.plain));
        };
        let made = match (&before, &*output) {
            (Mark::Bytes(len), Output::Bytes(out)) => out.get(*len..).unwrap_or(&[]),
            // Columns are never written by compiled code.
            _ => again.as_slice(),
        };
        if let Some(what) = difference(&interpreted, &compiled, made, &again) {
            output.undo(&before);
            return Err(Error::new(
                ErrorKind::TiersDiffer,
                format!("the interpreter and compiled code differ: {what}"),
            ));
        }
        let counted = |b: Batch| Batch { compiled: compiled.as_ref().map_or(0, |c| c.compiled), ..b };
        interpreted.map(counted).map_err(|failure| Error::from_failure(failure, &self.plain))
    }
}

/// What is different between the tiers, for people.
fn difference(a: &Result<Batch, Failure>, b: &Result<Batch, Failure>, out_a: &[u8], out_b: &[u8]) -> Option<String> {
    let how_far = |b: &Batch| (b.values, b.consumed);
    match (a, b) {
        (Ok(a), Ok(b)) if how_far(a) != how_far(b) => Some(format!("{:?} and {:?}", how_far(a), how_far(b))),
        (Err(a), Err(b)) if a.stop != b.stop || how_far(&a.done) != how_far(&b.done) => {
            Some(format!("{:?} and {:?}", a.stop, b.stop))
        }
        (Ok(_), Err(e)) => Some(format!("only compiled code fails: {:?}", e.stop)),
        (Err(e), Ok(_)) => Some(format!("only the interpreter fails: {:?}", e.stop)),
        _ => {
            let at = out_a.iter().zip(out_b).position(|(x, y)| x != y);
            let at = at.or((out_a.len() != out_b.len()).then_some(out_a.len().min(out_b.len())));
            at.map(|at| format!("output byte {at}"))
        }
    }
}

/// What is to be run.
#[derive(Clone, Copy)]
struct Work<'a> {
    input: Input<'a>,
    count: u64,
    /// Bytes of output behind which no other value is begun.
    enough: usize,
}

impl<'a> Work<'a> {
    fn all(input: Input<'a>, count: u64) -> Work<'a> {
        Work { input, count, enough: usize::MAX }
    }
}

/// What lowers a Plan.
type Lower = fn(&Plan, &mut dyn Source, &mut dyn Sink, &Options) -> Result<Program, LowerError>;

fn lowered(
    lower: Lower,
    plan: &Plan,
    ends: &(Format, Format),
    name: String,
    config: &Config,
) -> Result<Prepared, Error> {
    let no = |name: &str, what: &str| Error::new(ErrorKind::Unsupported, format!("{name} cannot be {what}"));
    let source = ends.0.source.ok_or_else(|| no(ends.0.name, "read"))?;
    let sink = ends.1.sink.ok_or_else(|| no(ends.1.name, "written"))?;
    let options = Options { max_ops: config.limits.program_ops, users: config.conversions.clone() };
    let program = lower(plan, source(ends.0.options).as_mut(), sink(ends.1.options).as_mut(), &options)?;
    let mut prepared = Prepared::new(program, name, config)?;
    prepared.text = ends.0.text;
    Ok(prepared)
}

/// What the formats of a Plan cannot tell apart.
pub(crate) fn look_alike(plan: &Plan, ends: &(Format, Format)) -> Vec<PlanWarning> {
    let (Some(source), Some(sink)) = (ends.0.source, ends.1.sink) else { return Vec::new() };
    reschema_lower::warnings(plan, source(ends.0.options).as_ref(), sink(ends.1.options).as_ref())
}

/// What the root of a schema is called.
fn label(schema: &Schema) -> String {
    match &schema.get(schema.root()).shape {
        Shape::Record(r) => r.naming.name.to_string(),
        Shape::Enum(e) => e.naming.name.to_string(),
        Shape::Fixed(f) => f.naming.name.to_string(),
        _ => "value".into(),
    }
}

impl From<Batch> for Done {
    fn from(b: Batch) -> Done {
        let tiers = Tiers { fast: b.fast, checked: b.checked, compiled: b.compiled };
        Done { records: b.values, consumed: b.consumed, tiers }
    }
}

impl Transform {
    pub(crate) fn new(mut plan: Plan, ends: (Format, Format), config: Arc<Config>) -> Result<Transform, Error> {
        let name = format!("{}→{} {}→{}", ends.0.name, ends.1.name, label(&plan.writer), label(&plan.reader));
        let transformation = lowered(lower, &plan, &ends, name, &config)?;
        plan.warnings.extend(look_alike(&plan, &ends));
        Ok(Transform(Arc::new(Inner { plan, transformation, skip: OnceLock::new(), ends, config })))
    }

    /// Transforms one value and returns the bytes of input it took. Bytes behind it are left to the caller.
    ///
    /// # Errors
    /// The value is bad; `output` is as it was.
    pub fn run<'i>(&self, input: impl Into<Input<'i>>, output: &mut impl AsOutput) -> Result<usize, Error> {
        self.batch(Work::all(input.into(), 1), &mut output.as_output()).map(|b| b.consumed)
    }

    /// Transforms `count` values that stand back to back.
    ///
    /// # Errors
    /// A value is bad: the error says which, and where; `output` holds the values before it.
    pub fn run_many<'i>(
        &self,
        input: impl Into<Input<'i>>,
        count: u64,
        output: &mut impl AsOutput,
    ) -> Result<Done, Error> {
        self.batch(Work::all(input.into(), count), &mut output.as_output()).map(Done::from)
    }

    /// As [`Transform::run_many`], but ends behind the value with which the call has made `enough` bytes of output: so
    /// that many values that are large on this side only do not pile up. At least one value is transformed.
    ///
    /// # Errors
    /// As there.
    pub fn run_some<'i>(
        &self,
        input: impl Into<Input<'i>>,
        count: u64,
        enough: usize,
        output: &mut impl AsOutput,
    ) -> Result<Done, Error> {
        let work = Work { input: input.into(), count, enough };
        self.batch(work, &mut output.as_output()).map(Done::from)
    }

    fn batch(&self, work: Work<'_>, output: &mut Output<'_>) -> Result<Batch, Error> {
        self.0.transformation.run(work, output, &self.0.config)
    }

    /// Transforms a value that is all of the input.
    pub(crate) fn run_whole(
        &self,
        environment: &mut Environment,
        input: Input<'_>,
        output: &mut Output<'_>,
    ) -> Result<(), Error> {
        let len = input.bytes().len();
        let before = output.mark();
        let done = self.0.transformation.run_in(environment, Work::all(input, 1), output, &self.0.config)?;
        if done.consumed == len {
            return Ok(());
        }
        output.undo(&before);
        let message = format!("expected the value to end the message, found {} bytes behind it", len - done.consumed);
        Err(Error::new(ErrorKind::Trailing, message).at_byte(done.consumed as u64))
    }

    /// Passes over `count` values of the writer's schema without transforming them: only their framing is checked. So
    /// it gets behind a value that [`Transform::run`] refuses, if its bytes are sound.
    ///
    /// # Errors
    /// The framing of a value is broken.
    pub fn skip<'i>(&self, input: impl Into<Input<'i>>, count: u64) -> Result<Done, Error> {
        let Inner { plan, ends, config, skip, .. } = &*self.0;
        let make = || {
            let name = format!("{} {}, passed over", ends.0.name, label(&plan.writer));
            lowered(lower_skip, plan, ends, name, config)
        };
        let prepared = skip.get_or_init(make).as_ref().map_err(Error::clone)?;
        prepared.run(Work::all(input.into(), count), &mut Output::Bytes(&mut Vec::new()), config).map(Done::from)
    }

    /// Whether every value of the writer's schema takes no bytes of input.
    pub(crate) fn takes_no_bytes(&self) -> bool {
        let writer = &self.0.plan.writer;
        self.0.ends.0.source.is_some_and(|source| source(self.0.ends.0.options).takes_no_bytes(writer, writer.root()))
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.config.limits
    }

    /// Makes native code, if there is none, on this thread, and runs it from now on; an adaptive engine may give it back.
    /// If another thread is making it, waits for that.
    ///
    /// # Errors
    /// The engine compiles nothing (see [`EngineStats::off`](crate::stats::EngineStats::off)), or the transform cannot be compiled, and why ([`ErrorKind::Unsupported`]). It runs on the interpreter.
    pub fn compile(&self) -> Result<NativeStats, Error> {
        let native = self.0.transformation.tier.compile();
        native.map_err(|why| Error::new(ErrorKind::Unsupported, format!("not compiled: {why}")))
    }

    /// Size and cost of the native code, or why there is none; `None` if nobody has asked for it, and no call has been
    /// hot enough. In an adaptive engine it may change with every call.
    pub fn native(&self) -> Option<Result<NativeStats, String>> {
        self.0.transformation.tier.native()
    }

    /// Tells an adaptive engine that so many bytes of input will come: if compiling pays for them, it begins now.
    pub fn expect(&self, bytes: u64) {
        self.0.transformation.tier.expect(bytes);
    }

    /// What it has done so far, on which tier, and why not on native code.
    pub fn stats(&self) -> TransformStats {
        self.0.transformation.tier.stats()
    }

    /// The text of native code: the code generator's IR and machine instructions.
    ///
    /// # Errors
    /// As [`Transform::compile`].
    pub fn native_listing(&self) -> Result<NativeListing, Error> {
        let tier = &self.0.transformation.tier;
        tier.broker()
            .generator
            .list(tier.program())
            .map_err(|why| Error::new(ErrorKind::Unsupported, format!("not compiled: {why}")))
    }

    /// Logical types that are read raw, variants of unions that text does not tell apart, and the like.
    pub fn warnings(&self) -> &[PlanWarning] {
        &self.0.plan.warnings
    }

    /// Columns that a columnar output needs.
    pub fn columns(&self) -> Columns {
        Columns::new(self.0.transformation.plain.columns as usize)
    }

    /// What the transform does, for people.
    pub fn explain(&self) -> Explain {
        let Prepared { plain, optimised, interpreter, .. } = &self.0.transformation;
        Explain::new(&self.0.plan, plain, optimised, interpreter)
    }

    /// The Program that runs, for tests of the IR.
    #[doc(hidden)]
    pub fn program(&self) -> &Program {
        &self.0.transformation.optimised
    }
}

impl std::fmt::Debug for Transform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Transform({} instructions)", self.0.transformation.optimised.size())
    }
}
