//! How the command ends: exit codes, and failures on their way to standard error.

use reschema::container::{ContainerError, ContainerErrorKind};
use reschema::schema::SchemaError;
use reschema::{Error, ErrorKind};
use std::io;
use std::process::ExitCode;

/// Exit codes, as `--help` documents them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Ok = 0,
    /// The answer is no: the schemas are not compatible.
    No = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A schema is not valid, or the schemas do not resolve.
    Schema = 3,
    /// The data are bad.
    Data = 4,
    /// Reading or writing failed.
    Io = 5,
    /// Done, but some parts were left out.
    Partial = 6,
}

/// The text for `--help`.
pub(crate) const HELP: &str = "Exit codes:
  0  done
  1  the answer is no (check: incompatible)
  2  wrong command line
  3  a schema is not valid, or the schemas do not resolve
  4  the data are bad
  5  reading or writing failed
  6  done, and parts that are bad were left out (convert --on-error)
  130  interrupted: what was being written is gone, or as it was";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why the command stops.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    /// The reader of our output has gone: nobody wants to hear about it.
    quiet: bool,
}

pub(crate) type Result<T = Exit> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), quiet: false }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, message)
    }

    pub(crate) fn io(what: &str, e: &io::Error) -> Failure {
        let quiet = e.kind() == io::ErrorKind::BrokenPipe;
        Failure { exit: Exit::Io, message: format!("{what}: {e}"), quiet }
    }

    pub(crate) fn schema(what: &str, e: &SchemaError) -> Failure {
        Failure::new(Exit::Schema, format!("{what}: not a valid schema\n{e}"))
    }

    pub(crate) fn container(what: &str, e: &ContainerError) -> Failure {
        match (e.io_error(), e.kind()) {
            (Some(io), _) => Failure::io(what, io),
            (None, ContainerErrorKind::Schema) => Failure::new(Exit::Schema, format!("{what}: {e}")),
            (None, ContainerErrorKind::Usage) => Failure::usage(format!("{what}: {e}")),
            (None, _) => Failure::new(Exit::Data, format!("{what}: {e}")),
        }
    }

    /// An error of the schemas alone.
    pub(crate) fn resolve(what: &str, e: &Error) -> Failure {
        let exit = if e.kind() == ErrorKind::Usage { Exit::Usage } else { Exit::Schema };
        Failure::new(exit, format!("{what}: {e}"))
    }

    pub(crate) fn report(self) -> ExitCode {
        if !self.quiet {
            say(&format!("reschema: {}", self.message));
        }
        self.exit.into()
    }
}

/// Words for people. If nobody can hear them, that is no reason to fail.
pub(crate) fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(io::stderr(), "{words}");
}
