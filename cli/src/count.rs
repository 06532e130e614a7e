//! `reschema count`

use crate::args::Count;
use crate::exit::{Exit, Failure, Result};
use crate::input;
use reschema::container::{StoredBlock, Writer, WriterOptions};
use reschema::convert::Converter;
use reschema::{Engine, Limits};
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &Count) -> Result {
    input::standard_once(&args.files)?;
    let mut out = std::io::stdout().lock();
    let mut total = 0u64;
    let mut put = |words: String| writeln!(out, "{words}").map_err(|e| Failure::io("standard output", &e));
    for path in &args.files {
        let count = if args.decode { decoded(path, args) } else { told(path, args.lenient_names) }?;
        total = total.saturating_add(count);
        put(if args.files.len() > 1 { format!("{count}\t{}", input::name(path)) } else { count.to_string() })?;
    }
    if args.files.len() > 1 {
        put(format!("{total}\ttotal"))?;
    }
    Ok(Exit::Ok)
}

/// What the headers of the blocks say. The blocks are read and must end in their markers; they are not decompressed.
fn told(path: &Path, lenient: bool) -> Result<u64> {
    let mut file = input::container(path, input::names(lenient))?;
    let (mut stored, mut count) = (StoredBlock::new(), 0u64);
    while file.next_stored(&mut stored).map_err(|e| Failure::container(&input::name(path), &e))? {
        count = count.saturating_add(stored.count());
    }
    Ok(count)
}

/// What is there.
fn decoded(path: &Path, args: &Count) -> Result<u64> {
    let file = input::container(path, input::names(args.lenient_names))?;
    let name = input::name(path);
    let limits = args.max_depth.map_or_else(Limits::default, |d| Limits::default().depth(d));
    let engine = Engine::builder().limits(limits).build().map_err(|e| Failure::resolve("engine", &e))?;
    let schema = file.schema().clone();
    let options = WriterOptions { schema_text: Some(file.schema_text().into()), ..WriterOptions::default() };
    let mut nowhere = Writer::new(std::io::sink(), &schema, options).map_err(|e| Failure::container(&name, &e))?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let converter = Converter::new(&engine, &schema).threads(threads);
    let report = converter.run(file, &mut nowhere, &mut ()).map_err(|e| crate::convert::failure(&name, &e))?;
    Ok(report.records)
}
