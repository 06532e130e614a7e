//! `cargo bench --bench streams [-- --mb N] [--rounds N] [--filter files|threads|messages] [--smoke]`
//!
//! Container files and messages: what the engine adds to transforming values. See benches/README.md.

mod files;
mod messages;
mod threads;

pub(crate) struct Options {
    /// Bytes of the files, in MB.
    mb: u64,
    rounds: usize,
    filter: String,
    smoke: bool,
}

fn main() {
    let mut o = Options { mb: 1000, rounds: 5, filter: String::new(), smoke: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} takes a value"));
        match arg.as_str() {
            "--mb" => o.mb = value().parse().expect("a number"),
            "--rounds" => o.rounds = value().parse().expect("a number"),
            "--filter" => o.filter = value(),
            "--smoke" => o = Options { mb: 8, rounds: 1, filter: o.filter, smoke: true },
            "--child" => return files::child(&args.collect::<Vec<_>>()),
            // What cargo passes.
            "--bench" | "--test" => {}
            other => panic!("unknown option {other}"),
        }
    }
    let wanted = |name: &str| o.filter.is_empty() || name == o.filter;
    if wanted("files") {
        files::measure(&o);
    }
    if wanted("threads") {
        threads::measure(&o);
    }
    if wanted("messages") {
        messages::measure(&o);
    }
}
