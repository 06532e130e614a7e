//! `reschema check`

use crate::args::{Check, Form};
use crate::exit::{Exit, Failure, Result};
use crate::input;
use reschema::{Compatibility, Engine, Schema};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

pub(crate) fn run(args: &Check) -> Result {
    input::standard_once(&args.versions)?;
    let names = input::names(args.rules.lenient_names);
    let schemas: Vec<Schema> = args.versions.iter().map(|p| input::schema(p, names)).collect::<Result<_>>()?;
    let engine = Engine::builder().rules(args.rules.get()).build().map_err(|e| Failure::resolve("check", &e))?;
    let answers: Vec<Answer> = pairs(args).into_iter().map(|p| p.answer(args, &engine, &schemas)).collect();
    let compatible = answers.iter().all(|a| a.compatibility.is_compatible());
    let mut out = std::io::stdout().lock();
    let words = match args.format {
        Form::Text => text(&answers, args.versions.len() > 2),
        Form::Json => format!("{:#}\n", in_json(args, compatible, &answers)),
    };
    out.write_all(words.as_bytes()).and_then(|()| out.flush()).map_err(|e| Failure::io("standard output", &e))?;
    Ok(if compatible { Exit::Ok } else { Exit::No })
}

/// Whose data whom must be read by.
struct Pair {
    writer: usize,
    reader: usize,
    direction: &'static str,
}

struct Answer {
    writer: String,
    reader: String,
    direction: &'static str,
    compatibility: Compatibility,
}

/// What the level asks for: the newest version with the one before or with all before; or each version so.
fn pairs(args: &Check) -> Vec<Pair> {
    let newest = args.versions.len() - 1;
    let judged = if args.each { 1..=newest } else { newest..=newest };
    let mut pairs = Vec::new();
    for new in judged {
        let before = if args.transitive { 0..new } else { new - 1..new };
        for old in before {
            if args.level.is_backward() {
                pairs.push(Pair { writer: old, reader: new, direction: "backward" });
            }
            if args.level.is_forward() {
                pairs.push(Pair { writer: new, reader: old, direction: "forward" });
            }
        }
    }
    pairs
}

impl Pair {
    fn answer(self, args: &Check, engine: &Engine, schemas: &[Schema]) -> Answer {
        let Pair { writer, reader, direction } = self;
        let name = |path: &PathBuf| input::name(path);
        Answer {
            writer: name(&args.versions[writer]),
            reader: name(&args.versions[reader]),
            direction,
            compatibility: engine
                .compatibility(&args.data.endpoint(&schemas[writer]), &args.data.endpoint(&schemas[reader])),
        }
    }
}

/// The answer about two schemas stands for itself; others say whose they are.
fn text(answers: &[Answer], named: bool) -> String {
    match answers {
        [] => "compatible\n".into(),
        [one] if !named => format!("{}\n", one.compatibility),
        several => several
            .iter()
            .map(|a| format!("{} reads data of {} ({}): {}\n", a.reader, a.writer, a.direction, a.compatibility))
            .collect(),
    }
}

fn in_json(args: &Check, compatible: bool, answers: &[Answer]) -> Value {
    let checks: Vec<Value> = answers.iter().map(one_in_json).collect();
    let level = format!("{:?}", args.level).to_lowercase();
    json!({"compatible": compatible, "level": level, "transitive": args.transitive, "checks": checks})
}

fn one_in_json(answer: &Answer) -> Value {
    let Compatibility { differences, warnings } = &answer.compatibility;
    let differences: Vec<Value> = differences
        .iter()
        .map(|d| {
            json!({
                "kind": d.kind.as_str(),
                "writer_path": d.writer_path,
                "reader_path": d.reader_path,
                "message": d.message,
            })
        })
        .collect();
    let warnings: Vec<Value> =
        warnings.iter().map(|w| json!({"writer_path": w.writer_path, "message": w.message})).collect();
    json!({
        "writer": answer.writer,
        "reader": answer.reader,
        "direction": answer.direction,
        "compatible": answer.compatibility.is_compatible(),
        "differences": differences,
        "warnings": warnings,
    })
}
