//! Data of any kind under many pairs: the fast path with all passes, with none and with one less, and the checking
//! interpreter give the same bytes and the same errors; windows, padding and batches change nothing; the naive oracle
//! agrees; what comes out is a value of the reader's schema. Compiled code is held to all of it where the feature `jit`
//! is on.

use super::datum::datum;
use super::resolve::{canonical, identity};
use super::{Choices, text};
use crate::naive::{self, Policy};
use crate::{cases, random};
use reschema::schema::resolve::resolve;
use reschema::{
    Endpoint, Engine, Error, Input, Limits, PassSet, ResolutionRules, Schema, Tiering, Transform, UnionMatch,
};
use reschema_avro::{AvroSink, AvroSource};
use reschema_interp::checked::{self, Run, Target};
use reschema_ir::Program;
use reschema_ir::cost::PADDING;
use reschema_lower::{Options, lower};
use reschema_runtime::{Location, Stop};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

/// Longest data.
const LONGEST: usize = 4_096;
/// Pairs of the random generator.
const SEEDS: usize = 8_192;
/// Pairs kept ready.
const KEPT: usize = 2_000;
/// Prefixes tried of data that are longer than this.
const PREFIXES: usize = 24;
/// What stands in the output before.
const BEFORE: &[u8] = b"before";

/// The pairs of the conformance cases, each once.
static PAIRS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let mut pairs: Vec<_> =
        cases::own().iter().map(|c| (c.text("writer").to_string(), c.text("reader").to_string())).collect();
    pairs.sort();
    pairs.dedup();
    pairs
});

thread_local! {
    static READY: RefCell<HashMap<Key, Option<Rc<Pair>>>> = RefCell::default();
}

/// Which pair, under which policy.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    which: Which,
    policy: u8,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Which {
    Conformance(usize),
    Random(usize),
    Texts(String, String),
}

/// A pair, ready to run in every way.
struct Pair {
    /// Both schemas, as text.
    texts: (String, String),
    writer: Schema,
    all: Transform,
    none: Transform,
    one_less: Transform,
    /// Compiled; none without the feature.
    native: Option<Transform>,
    plain: Program,
    limits: Limits,
    identity: Option<Transform>,
    /// Not where a limit is set that it does not know.
    naive: Option<naive::Pair>,
}

/// Shows, where a check fails, what it is about: the input of the target may only hold numbers.
struct Shown<'a>(&'a Pair, &'a [u8]);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Shown(Pair { texts: (writer, reader), limits, .. }, data) = self;
            eprintln!("writer {writer}\nreader {reader}\ndata {}\n{limits:?}", cases::hex(data));
        }
    }
}

/// How a run ended: the output, and the end of the value or what is wrong.
#[derive(Debug, PartialEq)]
struct Answer {
    out: Vec<u8>,
    end: Result<usize, Wrong>,
}

#[derive(Clone, Debug, PartialEq)]
struct Wrong {
    kind: &'static str,
    offset: Option<u64>,
    source: Option<String>,
    target: Option<String>,
    message: String,
}

/// A pair, a policy and data. The first byte says where the pair is from: conformance cases, the random generator, or
/// two texts that end in bytes 0.
///
/// # Panics
/// On a finding.
pub fn run(data: &[u8]) {
    let mut choices = Choices(data);
    let (from, policy, how) = (choices.byte(), choices.byte(), choices.byte());
    let (which, mut rest) = match from % 3 {
        0 => (Which::Conformance(choices.number() % PAIRS.len()), choices.rest()),
        1 => (Which::Random(choices.number() % SEEDS), choices.rest()),
        _ => match text::pair(choices.rest()) {
            Some((writer, reader, rest)) => (Which::Texts(writer, reader), rest),
            None => return,
        },
    };
    rest = &rest[..rest.len().min(LONGEST)];
    let Some(pair) = ready(Key { which, policy }) else { return };
    let made = if how & 1 == 0 { Some(rest.to_vec()) } else { valid(&pair, rest, how) };
    if let Some(data) = made {
        pair.check(&data, how);
    }
}

/// A valid value made of the bytes, and one that is cut off or damaged.
fn valid(pair: &Pair, rest: &[u8], how: u8) -> Option<Vec<u8>> {
    let mut choices = Choices(rest);
    let (at, bits) = (choices.number(), choices.byte());
    let mut value = datum(&pair.writer, &mut choices)?;
    if how & 2 != 0 && !value.is_empty() {
        let at = at % value.len();
        value[at] ^= bits;
    }
    value.extend_from_slice(choices.bytes(usize::from(how >> 5)));
    Some(value)
}

fn ready(key: Key) -> Option<Rc<Pair>> {
    READY.with_borrow_mut(|ready| {
        if ready.len() >= KEPT {
            ready.clear();
        }
        ready.entry(key.clone()).or_insert_with(|| Pair::new(&key).map(Rc::new)).clone()
    })
}

impl Pair {
    fn new(key: &Key) -> Option<Pair> {
        let (writer, reader) = match &key.which {
            Which::Conformance(i) => PAIRS[*i].clone(),
            Which::Random(seed) => {
                let set = random::case_set(*seed as u64, 0);
                (set.writer, set.reader)
            }
            Which::Texts(writer, reader) => (writer.clone(), reader.clone()),
        };
        let bit = |n: u8| key.policy & (1 << n) != 0;
        let policy = Policy {
            first_match: bit(0),
            max_depth: if bit(1) { 3 } else { 64 },
            zero_cap: if bit(2) { 10 } else { 300 },
        };
        let small = bit(3);
        let limits = Limits::default().depth(policy.max_depth).zero_size_items(policy.zero_cap).program_ops(20_000);
        let limits = limits.output_bytes(if small { 40 } else { 4 << 20 });
        let union = if policy.first_match { UnionMatch::FirstMatch } else { UnionMatch::ExactFirst };
        let rules = ResolutionRules::default().union_match(union);
        let (w, r) = (Schema::parse(&writer).ok()?, Schema::parse(&reader).ok()?);
        let transform = |passes: PassSet| {
            let engine = Engine::builder().limits(limits.clone()).rules(rules.clone()).passes(passes);
            engine.build().ok()?.transform(Endpoint::avro(&w), Endpoint::avro(&r)).ok()
        };
        let native = || {
            let eager = Engine::builder().limits(limits.clone()).rules(rules.clone()).tiering(Tiering::eager());
            let native = eager.build().ok()?.transform(Endpoint::avro(&w), Endpoint::avro(&r)).ok()?;
            match native.native() {
                Some(Ok(_)) => Some(native),
                // It runs all the same, on the interpreter.
                Some(Err(why)) if why.contains("the limit is") || why.contains("of the stack") => Some(native),
                other => panic!("not compiled: {other:?}\n{writer}\n{reader}"),
            }
        };
        let less = PassSet::NAMES[usize::from(key.policy >> 4) % PassSet::NAMES.len()];
        let plan = resolve(&w, &r, &rules).ok()?;
        let options = Options { max_ops: limits.program_ops, ..Options::default() };
        Some(Pair {
            all: transform(PassSet::all())?,
            none: transform(PassSet::none())?,
            one_less: transform(PassSet::all().without(less))?,
            native: if cfg!(feature = "jit") { Some(native()?) } else { None },
            plain: lower(&plan, &mut AvroSource, &mut AvroSink, &options).ok()?,
            identity: identity(&r),
            naive: if small { None } else { naive::Pair::new(&writer, &reader, &policy).ok() },
            texts: (writer, reader),
            writer: w,
            limits,
        })
    }

    fn check(&self, data: &[u8], how: u8) {
        let _shown = Shown(self, data);
        let whole = self.answer(&self.all, Input::Bytes(data));
        let reference = self.reference(data, true);
        assert_eq!(whole, reference, "the checking interpreter alone");
        assert_eq!(whole, self.answer(&self.none, Input::Bytes(data)), "without passes");
        assert_eq!(whole, self.answer(&self.one_less, Input::Bytes(data)), "with a pass less");
        self.compiled(Input::Bytes(data), &whole, &"the whole");
        self.sane(&whole, data);
        self.padded(data, &whole);
        self.prefixes(data, &whole);
        self.batch(data, 1 + u64::from(how >> 2 & 3));
        self.oracle(data, &whole);
        if let (Ok(_), Some(identity)) = (&whole.end, &self.identity) {
            canonical(identity, &whole.out);
        }
    }

    fn answer(&self, transform: &Transform, input: Input<'_>) -> Answer {
        let mut out = BEFORE.to_vec();
        let end = transform.run(input, &mut out).map_err(|e| wrong(&e));
        assert!(out.starts_with(BEFORE), "the output before the value has changed");
        Answer { out: out.split_off(BEFORE.len()), end }
    }

    fn compiled(&self, input: Input<'_>, want: &Answer, what: &dyn std::fmt::Display) {
        if let Some(native) = &self.native {
            assert_eq!(self.answer(native, input), *want, "compiled, {what}");
        }
    }

    fn reference(&self, data: &[u8], complete: bool) -> Answer {
        let run = Run { program: &self.plain, input: data, complete, limits: &self.limits, users: &[] };
        let mut out = Vec::new();
        let end = checked::value(&run, 0, Target::Bytes(&mut out)).map_err(|stop| self.stopped(stop));
        if end.is_err() {
            out.clear();
        }
        Answer { out, end }
    }

    fn stopped(&self, stop: Stop) -> Wrong {
        let Stop::Fault(fault) = stop else {
            return Wrong { kind: "need-input", offset: None, source: None, target: None, message: WINDOW.into() };
        };
        let path = self.plain.path(fault.site);
        Wrong {
            kind: fault.kind.word(),
            offset: if let Location::Byte(at) = fault.location { Some(at) } else { None },
            source: path.map(|p| p.source.clone()),
            target: path.map(|p| p.target.clone()),
            message: fault.message,
        }
    }

    fn sane(&self, whole: &Answer, data: &[u8]) {
        match &whole.end {
            Ok(consumed) => {
                assert!(*consumed <= data.len());
                assert!(whole.out.len() as u64 <= self.limits.output_bytes);
            }
            Err(e) => {
                assert!(e.offset.is_some_and(|at| at <= data.len() as u64) && e.source.is_some(), "{e:?}");
                assert!(!e.message.is_empty() && whole.out.is_empty());
            }
        }
    }

    /// What stands behind the input is not looked at.
    fn padded(&self, data: &[u8], whole: &Answer) {
        for filler in [0x00, 0x02, 0x80, 0xff] {
            let mut buffer = data.to_vec();
            buffer.resize(data.len() + PADDING, filler);
            let input = Input::Padded { buffer: &buffer, len: data.len() };
            assert_eq!(self.answer(&self.all, input), *whole, "with {filler:02x} behind the input");
            self.compiled(input, whole, &format_args!("with {filler:02x} behind the input"));
        }
    }

    /// A window asks for more exactly where a whole input of the same bytes is cut off; all else it says is final.
    fn prefixes(&self, data: &[u8], whole: &Answer) {
        let step = data.len() / PREFIXES + 1;
        for len in (0..=data.len()).rev().step_by(step) {
            let (part, window) = (&data[..len], self.answer(&self.all, Input::Window(&data[..len])));
            assert_eq!(window, self.reference(part, false), "window of {len}");
            assert_eq!(window, self.answer(&self.none, Input::Window(part)), "window of {len}, without passes");
            let cut = self.answer(&self.all, Input::Bytes(part));
            assert_eq!(cut, self.reference(part, true), "the first {len} bytes");
            self.compiled(Input::Window(part), &window, &format_args!("window of {len}"));
            self.compiled(Input::Bytes(part), &cut, &format_args!("the first {len} bytes"));
            match &window.end {
                Err(e) if e.kind == "need-input" => {
                    assert!(cut.end.as_ref().is_err_and(|e| e.kind == "truncated"), "{len}: {cut:?}");
                    assert!(whole.end.as_ref().map_or(true, |end| *end > len), "{len}: {whole:?}");
                }
                _ => {
                    assert_eq!(window, *whole, "window of {len}");
                    assert_eq!(window, cut, "the first {len} bytes");
                }
            }
        }
    }

    /// Several values in one call are what single calls give.
    fn batch(&self, data: &[u8], count: u64) {
        let mut want = Vec::new();
        let mut at = 0;
        let mut stop = None;
        for nth in 0..count {
            match self.all.run(&data[at..], &mut want) {
                Ok(consumed) => at += consumed,
                Err(e) => {
                    stop = Some((nth, e.behind(at as u64, nth)));
                    break;
                }
            }
        }
        let mut buffer = data.to_vec();
        buffer.resize(data.len() + PADDING, 0x80);
        for input in [Input::Bytes(data), Input::Padded { buffer: &buffer, len: data.len() }] {
            for transform in [&self.all, &self.none].into_iter().chain(&self.native) {
                let mut out = Vec::new();
                match (transform.run_many(input, count, &mut out), &stop) {
                    (Ok(done), None) => {
                        assert_eq!((done.records, done.consumed), (count, at));
                        assert_eq!(done.tiers.fast + done.tiers.checked + done.tiers.compiled, count);
                    }
                    (Err(e), Some((nth, alone))) => {
                        assert_eq!(wrong(&e), wrong(alone));
                        assert_eq!((e.record(), e.records_done(), e.bytes_consumed()), (Some(*nth), *nth, at as u64));
                    }
                    (done, alone) => panic!("in a batch {done:?}, alone {alone:?}"),
                }
                assert_eq!(out, want);
            }
        }
    }

    fn oracle(&self, data: &[u8], whole: &Answer) {
        let Some(naive) = &self.naive else { return };
        match (&whole.end, naive.run(data)) {
            (Ok(consumed), Ok((out, end))) => assert_eq!((&whole.out, *consumed), (&out, end), "the naive oracle"),
            (Err(e), Err(refusal)) => assert!(refusal.accepts(e.kind), "{e:?}, the naive oracle says {refusal:?}"),
            // It has no limit of output.
            (Err(e), _) if e.kind == "limit" && e.message.contains("bytes of output") => {}
            (ours, theirs) => panic!("{ours:?}, the naive oracle says {theirs:?}"),
        }
    }
}

const WINDOW: &str = "the window ends inside a value";

fn wrong(e: &Error) -> Wrong {
    Wrong {
        kind: e.kind().as_str(),
        offset: e.offset(),
        source: e.source_path().map(String::from),
        target: e.target_path().map(String::from),
        message: e.message().into(),
    }
}
