//! What is said about a file, and why something could not be done.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

/// How bad something in a file is. Nothing of it stops the reading, unless it is strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Kept, or left out, but without any effect.
    Ignored,
    /// Not as the format wants it; read in the way that the message says.
    Repaired,
    /// Something that the file refers to was not found.
    Missing,
    /// Unusable: left out.
    Error,
}

impl Severity {
    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Ignored => "ignored",
            Severity::Repaired => "repaired",
            Severity::Missing => "missing",
            Severity::Error => "error",
        }
    }
}

/// Where an element begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The included file that it is in; `None` for the robot's own file.
    pub file: Option<Arc<Path>>,
    /// Counted from one; zero for what was not read from a file.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}, line {}", file.display(), self.line),
            None => write!(f, "line {}", self.line),
        }
    }
}

/// Something to know about an element of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it is.
    pub at: Place,
    /// The element's or attribute's name.
    pub element: String,
    /// How bad it is.
    pub severity: Severity,
    /// What was given and what became of it.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: <{}> {}", self.at, self.severity.name(), self.element, self.message)
    }
}

/// Why something could not be done with a robot.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RobotError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what it should be.
    #[error("{}: line {line}: <{element}> {message}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Counted from one.
        line: u32,
        /// The element's name.
        element: String,
        /// What is wrong, and what to do.
        message: String,
    },
    /// Diagnostics that a strict reading does not accept.
    #[error("{}: {count} elements were ignored, repaired, missing or wrong; the first: {first}", path.display())]
    Strict {
        /// The file.
        path: PathBuf,
        /// How many.
        count: usize,
        /// The first of them.
        first: Diagnostic,
    },
    /// An argument outside its domain.
    #[error("{0}")]
    Invalid(String),
    /// A shape or pose outside its domain.
    #[error(transparent)]
    Shape(#[from] superegg::InvalidInput),
    /// A query that was refused.
    #[error(transparent)]
    Query(#[from] superegg::query::QueryError),
    /// A query between bodies that was refused.
    #[error(transparent)]
    World(#[from] superegg_world::WorldError),
    /// A fit that failed.
    #[error("link {link}: {source}")]
    Fit {
        /// The link.
        link: String,
        /// Why.
        source: superegg_fit::FitError,
    },
    /// A simulation that was refused.
    #[error(transparent)]
    Sim(#[from] superegg_sim::SimError),
}

impl RobotError {
    pub(crate) fn format(path: &Path, line: u32, element: &str, message: impl Into<String>) -> RobotError {
        RobotError::Format { path: path.into(), line, element: element.into(), message: message.into() }
    }
}
