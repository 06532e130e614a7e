//! What the command line asks for.

pub(crate) struct Options {
    /// Process starts.
    pub(crate) starts: usize,
    /// Turns of each candidate in a process.
    pub(crate) rounds: usize,
    /// Part of the names of workloads.
    pub(crate) filter: String,
    pub(crate) smoke: bool,
    /// Count instructions as well.
    pub(crate) instructions: bool,
    pub(crate) role: Role,
}

/// What this process does.
pub(crate) enum Role {
    /// Starts others and reports.
    Parent,
    /// Measures times.
    Timed,
    /// Runs one candidate, so that somebody counts its instructions.
    Counted { workload: String, candidate: String },
}

impl Options {
    pub(crate) fn parse() -> Options {
        let mut o = Options {
            starts: 5,
            rounds: 31,
            filter: String::new(),
            smoke: false,
            instructions: false,
            role: Role::Parent,
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().unwrap_or_else(|| panic!("{arg} takes a value"));
            match arg.as_str() {
                "--starts" => o.starts = number(&value()),
                "--rounds" => o.rounds = number(&value()),
                "--filter" => o.filter = value(),
                "--smoke" => (o.smoke, o.starts, o.rounds) = (true, 1, 3),
                "--instructions" => o.instructions = true,
                "--child" => o.role = Role::Timed,
                "--counted" => {
                    let (workload, candidate) = (value(), value());
                    o.role = Role::Counted { workload, candidate };
                }
                // What cargo passes.
                "--bench" | "--test" => {}
                other => panic!("unknown option {other}"),
            }
        }
        o
    }
}

fn number(text: &str) -> usize {
    text.parse().expect("a number")
}
