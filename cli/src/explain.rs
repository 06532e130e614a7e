//! `reschema explain`

use crate::args::Explain;
use crate::exit::{Exit, Failure, Result};
use crate::input;
use reschema::Engine;
use std::io::Write;

pub(crate) fn run(explain: &Explain) -> Result {
    let args = &explain.pair;
    input::standard_once([&args.writer, &args.reader])?;
    let names = input::names(args.rules.lenient_names);
    let writer = input::schema(&args.writer, names)?;
    let reader = input::schema(&args.reader, names)?;
    let what = format!("{} → {}", args.writer.display(), args.reader.display());
    let engine = Engine::builder().rules(args.rules.get()).build().map_err(|e| Failure::resolve(&what, &e))?;
    let (from, to) = (explain.ends.from.endpoint(&writer), explain.ends.to.endpoint(&reader));
    let transform = engine.transform(from, to).map_err(|e| Failure::resolve(&what, &e))?;
    let mut out = std::io::stdout().lock();
    let text = match (explain.clif, explain.asm) {
        (false, false) => transform.explain().to_string(),
        (clif, _) => {
            let listing = transform.native_listing().map_err(|e| Failure::new(Exit::No, format!("{what}: {e}")))?;
            if clif { listing.clif } else { listing.assembly }
        }
    };
    write!(out, "{text}").map_err(|e| Failure::io("standard output", &e))?;
    Ok(Exit::Ok)
}
