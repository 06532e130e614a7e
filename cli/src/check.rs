//! `reschema check`

use crate::args::Pair;
use crate::exit::{Exit, Failure, Result};
use crate::input;
use std::io::Write;

pub(crate) fn run(args: &Pair) -> Result {
    input::standard_once([&args.writer, &args.reader])?;
    let names = input::names(args.rules.lenient_names);
    let writer = input::schema(&args.writer, names)?;
    let reader = input::schema(&args.reader, names)?;
    let answer = reschema::compatibility(&writer, &reader, &args.rules.get());
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}").map_err(|e| Failure::io("standard output", &e))?;
    Ok(if answer.is_compatible() { Exit::Ok } else { Exit::No })
}
