//! `reschema schema`

use crate::args::{Fingerprint, Schema as Args};
use crate::exit::{Exit, Failure, Result, say};
use crate::input;
use reschema::Schema;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &Args) -> Result {
    input::standard_once(&args.files)?;
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
