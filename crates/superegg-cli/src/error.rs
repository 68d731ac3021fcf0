//! How a command ends: a verdict on its inputs, or the error that stopped it.

use std::io;
use std::process::ExitCode;

use thiserror::Error;

/// A command ran to its end. Did it answer everything?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every input was answered.
    AllAnswered,
    /// Some inputs were refused, each of them named in the output; the rest were answered.
    SomeRefused,
}

impl Verdict {
    /// What the shell sees.
    pub fn exit_code(self) -> ExitCode {
        match self {
            Verdict::AllAnswered => ExitCode::SUCCESS,
            Verdict::SomeRefused => ExitCode::from(2),
        }
    }
}

/// Why a command could not run to its end. Every kind exits with code 1, except a closed pipe, which is no error.
#[derive(Debug, Error)]
pub enum CliError {
    /// Arguments that the command-line parser accepts but the command cannot use.
    #[error("{0}")]
    Usage(String),
    /// A file could not be opened or read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// Path as the user gave it, or `standard input`.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {name}: {source}")]
    Write {
        /// Path as the user gave it, or `standard output`.
        name: String,
        /// What the system said.
        source: io::Error,
    },
}

impl CliError {
    /// A failed write to standard output.
    pub fn stdout(source: io::Error) -> CliError {
        CliError::Write { name: "standard output".to_owned(), source }
    }

    /// Whether the reader of our output went away, as in `superegg … | head -1`.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, CliError::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}
