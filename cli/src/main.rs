//! The `reschema` command. Data go to standard output, words to standard error.

mod args;
mod check;
mod convert;
mod count;
mod ends;
mod exit;
mod explain;
mod input;
mod interrupt;
mod meta;
mod schema;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            let _ = e.print();
            return if e.use_stderr() { exit::Exit::Usage.into() } else { exit::Exit::Ok.into() };
        }
    };
    let result = match args.command {
        args::Command::Convert(a) => convert::run(&a),
        args::Command::Schema(a) => schema::run(&a),
        args::Command::Count(a) => count::run(&a),
        args::Command::Meta(a) => meta::run(&a),
        args::Command::Check(a) => check::run(&a),
        args::Command::Explain(a) => explain::run(&a),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(),
    }
}
