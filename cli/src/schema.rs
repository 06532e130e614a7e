//! `reschema schema`

use crate::args::{Fingerprint, Schema as Args, Told};
use crate::exit::{Exit, Failure, Result, say};
use crate::input;
use reschema::Schema;
use reschema::json::infer::{InferError, InferErrorKind, InferOptions, Inference, Inferrer};
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &Args) -> Result {
    input::standard_once(&args.files)?;
    if args.infer.infer {
        let schema = inferred(args)?;
        let text = text(args, &schema).map_err(|e| Failure::new(Exit::Schema, e.to_string()))?;
        writeln!(std::io::stdout().lock(), "{text}").map_err(|e| Failure::io("standard output", &e))?;
        return Ok(Exit::Ok);
    }
    let paths: Vec<&Path> = args.files.iter().map(AsRef::as_ref).collect();
    let schemas = input::schemas(&paths, input::names(args.lenient_names))?;
    let mut out = std::io::stdout().lock();
    for (schema, path) in schemas.iter().zip(&paths) {
        for warning in schema.warnings() {
            say(&format!("reschema: {}: warning at {}: {}", input::name(path), warning.path, warning.message));
        }
        let text = text(args, schema).map_err(|e| Failure::new(Exit::Schema, format!("{}: {e}", input::name(path))))?;
        writeln!(out, "{text}").map_err(|e| Failure::io("standard output", &e))?;
    }
    Ok(Exit::Ok)
}

/// The schema of JSON, with what it rests on told on standard error.
fn inferred(args: &Args) -> Result<Schema> {
    let of = &args.infer;
    let options = InferOptions::default().name(&of.name).logical_types(of.logical_types);
    let mut inferrer = Inferrer::new(&options.lenient_names(args.lenient_names));
    let fail = |what: &str, e: &InferError| {
        let exit = match e.kind() {
            InferErrorKind::Io => Exit::Io,
            InferErrorKind::Schema => Exit::Schema,
            _ => Exit::Data,
        };
        Failure::new(exit, format!("{what}: {e}"))
    };
    for path in &args.files {
        inferrer.read(input::open(path)?).map_err(|e| fail(&input::name(path), &e))?;
    }
    let Inference { schema, certainty } = inferrer.finish().map_err(|e| fail(&input::name(&args.files[0]), &e))?;
    match of.certainty {
        Told::Text => say(certainty.to_string().trim_end()),
        Told::Json => say(&certainty.to_json()),
        Told::None => {}
    }
    Ok(schema)
}

fn text(args: &Args, schema: &Schema) -> std::result::Result<String, reschema::schema::avro::NotAvro> {
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    match args.fingerprint {
        Some(Fingerprint::Rabin) => schema.fingerprint_rabin().map(|f| format!("{f:016x}")),
        Some(Fingerprint::Md5) => schema.fingerprint_md5().map(|f| hex(&f)),
        Some(Fingerprint::Sha256) => schema.fingerprint_sha256().map(|f| hex(&f)),
        None if args.canonical => schema.canonical_form(),
        None => schema.to_avro_json().map(|j| j.pretty()),
    }
}
