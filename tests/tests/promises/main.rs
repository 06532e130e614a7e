//! Neither tier touches more than the cost table promises, and what both do is the same.
//!
//! The verifier proves that the checks match the table. This proves that the interpreter's machine and compiled code match
//! it: Programs run with input and output of every small size, each ending right before a page that must not be touched.
//! Under Miri the interpreter alone, with some of the sizes, and allocations that end there.
//! Where one tier leaves earlier than the other, what it has read and written is the beginning of what the other has.
#![cfg(target_os = "linux")]

use reschema::json::JsonOptions;
use reschema::{Endpoint, Engine, PassSet, Schema, Tiering};
use reschema_interp::fast::{FastProgram, Machine};
use reschema_ir::{Convert, Num, OpCounts, Program};
use reschema_runtime::{Limits, Outcome, UserFn, Window};
use reschema_tests::{cases, ops};
use std::sync::Arc;

#[cfg(not(miri))]
mod guarded;
#[cfg(miri)]
#[path = "without_guard.rs"]
mod guarded;
#[cfg(not(miri))]
mod native;
#[cfg(miri)]
#[path = "without_native.rs"]
mod native;

use guarded::Guarded;
use native::{Compiler, Routine};

/// Of so many sizes one is tried.
const STEP: usize = if cfg!(miri) { 97 } else { 1 };
/// Of so many bodies one. Other steps try other parts: no factor of what they are made of.
const BODIES: usize = if cfg!(miri) { 5 } else { 1 };

/// What a tier has done over all runs.
#[derive(Default)]
struct Tally {
    runs: u64,
    full: u64,
    done: u64,
}

struct Bench {
    input: Guarded,
    output: Guarded,
    machine: Machine,
    tallies: [Tally; 2],
    /// Runs in which one tier came further than the other.
    apart: u64,
}

/// A Program on both tiers, if there is a compiler.
struct Tiers {
    program: Arc<Program>,
    fast: FastProgram,
    native: Option<Box<Routine>>,
}

const NAMES: [&str; 2] = ["interpreter", "compiled"];

/// How far a run came.
#[derive(Debug)]
struct Ran {
    done: u64,
    read: usize,
    written: Vec<u8>,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            input: Guarded::new(16),
            output: Guarded::new(16),
            machine: Machine::default(),
            tallies: Default::default(),
            apart: 0,
        }
    }

    /// Runs a tier over `bytes`, `padding` of them behind the end of the input, into `capacity` bytes.
    fn run(&mut self, tier: usize, program: &Tiers, bytes: &[u8], padding: usize, capacity: usize) -> Ran {
        let (limits, users): (_, [UserFn; 1]) = (Limits::default(), [Arc::new(odd)]);
        let start = self.input.end(bytes.len());
        let output = self.output.end(capacity);
        // SAFETY: `bytes.len()` bytes of the mapping; then a window as `run` wants it: the input ends where the guard
        // begins, less the padding, and so does the output. What was written is initialised.
        unsafe {
            start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            let window = Window {
                input: start,
                end: start.add(bytes.len() - padding),
                limit: start.add(bytes.len()),
                output,
                capacity: output.add(capacity),
            };
            let progress = match &program.native {
                Some(native) if tier == 1 => native.run(window, 3, &limits, &users),
                _ => program.fast.run(&mut self.machine, window, 3, &limits, &users),
            };
            let tally = &mut self.tallies[tier];
            tally.runs += 1;
            tally.full += u64::from(progress.outcome == Outcome::OutputFull);
            tally.done += progress.done;
            let (read, written) = (progress.input as usize - start as usize, progress.output as usize);
            assert!(read <= bytes.len() - padding);
            assert!(written <= self.output.end(0) as usize);
            let written = std::slice::from_raw_parts(output, written - output as usize).to_vec();
            Ran { done: progress.done, read, written }
        }
    }

    fn both(&mut self, program: &Tiers, bytes: &[u8], padding: usize, capacity: usize) {
        let [mut less, mut more] = [0, 1].map(|tier| self.run(tier, program, bytes, padding, capacity));
        if less.done > more.done {
            std::mem::swap(&mut less, &mut more);
        }
        self.apart += u64::from(less.done < more.done);
        let same = less.done == more.done && (less.read, &less.written) == (more.read, &more.written);
        let begins = less.done < more.done && less.read <= more.read && more.written.starts_with(&less.written);
        assert!(same || begins, "{less:?} {more:?} {padding} {capacity} {bytes:?}\n{}", program.program);
    }

    fn tell(&self, what: &str) {
        for (name, t) in NAMES.iter().zip(&self.tallies) {
            println!("{what}, {name}: {} runs, {} values, {} outputs full", t.runs, t.done, t.full);
            let enough = if cfg!(miri) { 50 } else { 100_000 };
            assert!(t.done > enough && t.full > enough);
        }
        let runs = self.tallies[0].runs;
        println!("one tier came further in {} of {runs} runs", self.apart);
        // Compiled code copies a span in steps, and so leaves up to 42 bytes earlier: much of outputs this small.
        assert!(self.apart * 12 < runs);
    }

    /// Every output size up to `most`, and every input size up to the whole, with and without padding.
    fn sizes(&mut self, program: &Tiers, bytes: &[u8], most: usize) {
        let padded = [bytes, &[0; 512]].concat();
        // Each time other sizes, where not all are tried.
        let step = STEP;
        let first = self.tallies[0].runs as usize % step;
        for capacity in (first..=most).step_by(step) {
            self.both(program, bytes, 0, capacity);
            self.both(program, &padded, 512, capacity);
        }
        for len in (first..bytes.len()).step_by(step) {
            self.both(program, &bytes[..len], 0, most + 512);
            self.both(program, &bytes[..len], len.min(7), most + 512);
        }
    }
}

/// A conversion that refuses some.
fn odd(v: i64) -> Result<i64, String> {
    if v & 2 == 0 { Ok(v.wrapping_mul(3)) } else { Err("no".into()) }
}

fn tiers(compiler: Option<&Compiler>, program: Program) -> Option<Tiers> {
    let program = Arc::new(program);
    let fast = FastProgram::new(program.clone()).ok()?;
    let native = compiler.map(|c| Box::new(c.compile(&program).unwrap_or_else(|e| panic!("{e}\n{program}"))));
    Some(Tiers { program, fast, native })
}

fn checked(mut program: Program) -> Program {
    assert!(reschema_ir::pass::run_named(&mut program, "checks"));
    program
}

/// Bodies of one or two ops, in every form.
fn bodies() -> Vec<String> {
    let words: Vec<&str> = Num::ALL.iter().map(|n| n.word()).collect();
    let mut out = Vec::new();
    for from in &words {
        out.push(format!("skip.num from={from} !0"));
        out.push(format!("mark mark=m0 !0\nskip.num from={from} !0\nseek mark=m0 !0\nskip.num from={from} !0"));
        out.push(format!("verbatim !0 {{\nmove.num from={from} to={from} !0\n}}"));
        out.push(format!("switch.read from={from} !0 {{\nemit value=c1 !0\n}} {{\nemit value=c2 !0\n}} end"));
        for to in &words {
            out.push(format!("move.num from={from} to={to} !0"));
            out.push(format!("read.num dst=n0 from={from} !0\nwrite.num src=n0 to={to} !0"));
            out.push(format!("move.enum from={from} table=t0 to={to} !0"));
            out.push(format!("const.num dst=n0 value={} !0\nwrite.num src=n0 to={to} !0", i64::MIN));
        }
    }
    for size in [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 200] {
        out.push(format!("move.fixed size={size} !0"));
        out.push(format!("skip.fixed size={size} !0"));
        out.push(format!("read.fixed dst=s0 size={size} !0\nwrite.fixed src=s0 !0"));
        out.push(format!("verbatim !0 {{\nmove.fixed size={size} !0\n}}"));
    }
    for form in ["zigzag", "u32"] {
        out.push(format!("skip.span from={form} !0"));
        for to in ["zigzag", "u32"] {
            out.push(format!("move.span from={form} to={to} utf8=yes !0"));
            out.push(format!("move.span from={form} to={to} utf8=no !0\nmove.fixed size=8 !0"));
            out.push(format!("read.span dst=s0 from={form} !0\ncheck.utf8 src=s0 !0\nwrite.span src=s0 to={to} !0"));
        }
    }
    for from in ["zigzag32", "bool", "f32", "i64"] {
        let read = format!("read.num dst=n0 from={from} !0");
        for conv in Convert::ALL {
            let conv = conv.word();
            out.push(format!("{read}\nconvert.num dst=n0 src=n0 conv={conv} !0\nwrite.num src=n0 to=i64 !0"));
        }
        let arms = "{\nemit value=c1 !0\n} {\nemit value=c2 !0\n} {\nfail kind=union message=c0 !0\n} end";
        out.push(format!("{read}\nuser.num dst=n0 src=n0 user=u0 !0\nwrite.num src=n0 to=zigzag64 !0"));
        out.push(format!("{read}\nmap.num dst=n0 src=n0 table=t2 !0\nwrite.num src=n0 to=u8 !0"));
        out.push(format!("{read}\nswitch src=n0 !0 {arms}"));
        out.push(format!("{read}\nmatch src=n0 table=t3 !0 {arms}"));
        let marked = "{\nseek mark=m0 !0\nskip.num from=u8 !0\n} {\nemit value=c1 !0\n} end";
        let set = "{\nmark mark=m0 !0\nskip.num from=u16 !0\n} {\n} end";
        out.push(format!("clear.mark mark=m0 !0\n{read}\nswitch src=n0 !0 {set}\nif.marked mark=m0 !0 {marked}"));
        out.push(format!("{read}\nenter level=1 !0\ncall func=@1 level=1 !0\nwrite.num src=n0 to=i64 !0"));
    }
    out.push("verbatim !0 {\nmove.span from=zigzag to=zigzag utf8=yes !0\n}".into());
    out.push("skip.tree form=json level=0 !0\nemit value=c1 !0".into());
    for table in ["t1", "t4", "t5", "t6"] {
        out.push(format!("skip.run index=zigzag32 len=zigzag kinds={table} !0\nmove.num from=u8 to=u8 !0"));
    }
    for ops in ["move move move", "skip move move", "move skip move", "move skip", "skip skip move", "move move"] {
        let op = |w| match w {
            "move" => "move.num from=zigzag32 to=zigzag64 !0\n",
            _ => "skip.num from=zigzag32 !0\n",
        };
        let ops: String = ops.split(' ').map(op).collect();
        out.push(format!(
            "verbatim !0 {{\n{}}}",
            ops.replace("skip.num from=zigzag32", "move.num from=zigzag32 to=zigzag32")
        ));
        out.push(ops);
    }
    out.extend((0..5).map(|c| format!("emit value=c{c} !0")));
    out.push("const.span dst=s0 value=c4 !0\nwrite.span src=s0 to=zigzag !0".into());
    for from in ["blocks", "u16", "u32"] {
        for to in ["none", "block", "u16", "u32"] {
            let body = "skip.num from=u8 !0\nemit value=c1 !0";
            out.push(format!("loop from={from} to={to} zero=no trust=yes !0 {{\n{body}\n}}"));
        }
    }
    out
}

#[test]
fn every_op_at_the_end_of_its_promise() {
    let head = format!(
        "program columns=0 users=1\nconst c0 = x\nconst c1 = x01\nconst c2 = x0102030405060708\nconst c3 = x{}\n\
         const c4 = x{}\ntable t0 = 0 {} 1\ntable t1 = 17 34 2048 2 65280\ntable t2 = 2 1 _ 0\ntable t3 = 1 -1\n\
         table t4 = 17 18 2064 1040 272 1 17 18 2064 1040 272 1 17 18\ntable t5 = 18 18 18 18 18 18 18 18 18\n\
         table t6 = 34 33 272 2064 65296 2 17 18 1 784\n",
        "ab".repeat(16),
        "cd".repeat(100),
        i64::MAX
    );
    let mut inputs: Vec<Vec<u8>> = vec![vec![0; 300], vec![0xff; 300], vec![0x80; 300], vec![2; 300], vec![1; 300]];
    inputs.push([[0xff; 9].as_slice(), &[1], &[0xfe, 0xff, 0xff, 0xff, 0x0f]].concat().repeat(16));
    inputs.push([&[20], b"0123456789".as_slice()].concat().repeat(20));
    inputs.push([&[200, 1], [b'a'; 100].as_slice()].concat().repeat(3));
    inputs.push(br#"{"a":[1,-2.5e3,{"\u00e9":null}],"b":"x"} [] true"#.repeat(6));
    // What is small in several forms, so that loops, switches and look-ups go their ways.
    inputs.push([0, 1, 0, 2, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0].repeat(10));
    // Nullable fields as the table t4 has them, once with all and once with few.
    let all =
        [&[2, 0x82, 0x81, 1, 2, 6, b'a', b'b', b'c', 2], [7; 8].as_slice(), &[2, 1, 2, 3, 4, 2, 1, 0x80, 1]].concat();
    inputs.push([all.as_slice(), &[0, 0, 0, 2, 1, 2, 3, 4, 0, 9]].concat().repeat(8));
    let (bodies, counts) = (bodies(), Arc::<OpCounts>::default());
    let compiler = native::compiler(Some(counts.clone()));
    let mut bench = Bench::new();
    for body in bodies.iter().step_by(BODIES) {
        let depth = u32::from(body.contains("call"));
        let text = format!(
            "{head}func @0 nums=1 spans=1 marks=1 depth={depth} {{\n{body}\n}}\n\
             func @1 nums=1 spans=0 marks=0 depth=0 {{\nmove.num from=u8 to=zigzag64 !0\n}}"
        );
        let program = checked(text.parse().unwrap_or_else(|e| panic!("{e}\n{text}")));
        let tiers = tiers(compiler.as_ref(), program).unwrap_or_else(|| panic!("{text}"));
        inputs.iter().for_each(|input| bench.sizes(&tiers, input, 130));
    }
    bench.tell(&format!("{} bodies", bodies.len().div_ceil(BODIES)));
    let counts: Vec<_> = counts.all().collect();
    println!("executed: {counts:?}");
    for (op, n) in counts.into_iter().filter(|(op, _)| !ops::TEXT.contains(op)) {
        // Code that writes columns is refused.
        assert_eq!(
            n >= 100,
            compiler.is_some() && !op.starts_with("col."),
            "{op}: executed {n} times by compiled code"
        );
    }
}

#[test]
fn every_program_at_the_end_of_its_promises() {
    let compiler = native::compiler(None);
    let mut bench = Bench::new();
    let mut programs = 0;
    for case in cases::all() {
        let (Ok(w), Ok(r)) = (Schema::parse(case.text("writer")), Schema::parse(case.text("reader"))) else { continue };
        for passes in [PassSet::all(), PassSet::none()] {
            let engine = Engine::builder().passes(passes).build().expect("an engine");
            let Ok(t) = engine.transform(Endpoint::avro(&w), Endpoint::avro(&r)) else { continue };
            let input = case.input();
            if input.len() > 400 {
                continue;
            }
            let Some(tiers) = tiers(compiler.as_ref(), t.program().clone()) else { continue };
            bench.sizes(&tiers, &input.repeat(2), 90);
            programs += 1;
        }
    }
    bench.tell(&format!("{programs} Programs"));
    assert!(programs > if cfg!(miri) { 20 } else { 2000 });
}

/// With a space behind each comma and colon that is no text.
fn spaced(json: &[u8]) -> Vec<u8> {
    let (mut out, mut inside, mut escaped) = (Vec::new(), false, false);
    for byte in json {
        out.push(*byte);
        if !inside && matches!(byte, b',' | b':') {
            out.push(b' ');
        }
        inside ^= *byte == b'"' && !escaped;
        escaped = inside && *byte == b'\\' && !escaped;
    }
    out
}

/// As above, with text at either end: as the command writes it, with white space, and in an order that is not the reader's.
#[test]
fn every_program_of_json_at_the_end_of_its_promises() {
    let compiler = native::compiler(None);
    let engine = Engine::builder().tiering(Tiering::interpreter()).build().expect("an engine");
    let mut bench = Bench::new();
    let mut programs = 0;
    for case in cases::all() {
        let (Ok(w), Ok(r)) = (Schema::parse(case.text("writer")), Schema::parse(case.text("reader"))) else { continue };
        let input = case.input();
        if input.len() > 100 {
            continue;
        }
        for options in [JsonOptions::PLAIN, JsonOptions::AVRO] {
            let (avro, json) = (Endpoint::avro(&w), Endpoint::json(&w, options));
            let mut run = |from: &Endpoint, to: Endpoint, inputs: &[&[u8]], most| {
                let Ok(t) = engine.transform(from.clone(), to) else { return };
                let Some(tiers) = tiers(compiler.as_ref(), t.program().clone()) else { return };
                inputs.iter().for_each(|input| bench.sizes(&tiers, input, most));
                programs += 1;
            };
            run(&avro, Endpoint::json(&r, options), &[&input], 130);
            let Ok(t) = engine.transform(avro.clone(), json.clone()) else { continue };
            let mut text = Vec::new();
            if t.run(&input, &mut text).is_err() || text.len() > 200 {
                continue;
            }
            let texts = [&*spaced(&text), &*text, &*[&*text, b"\n", &*text].concat()];
            run(&json, Endpoint::avro(&r), &texts, 60);
            run(&json, Endpoint::json(&r, options), &texts[..2], 130);
        }
    }
    bench.tell(&format!("{programs} Programs"));
    assert!(programs > if cfg!(miri) { 40 } else { 4000 });
}
