//! The public data set: pairs of bodies of every class with certified truth, and scores of anybody's answers to them.
//!
//! [`export`](fn@export) draws and writes it, [`answer`](fn@answer) lets Superegg or parry answer it, [`score`](fn@score) judges answers.
//! The formats are described in docs/dataset.md.

mod answer;
mod class;
mod container;
mod export;
mod score;

pub use answer::{By, answer};
pub use class::{Class, Kind, Spacing};
pub use container::{Columns, Container, Field};
pub use export::{Export, MANIFEST, export};
pub use score::{ClassScore, score, table, to_json};

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// What kept a data set from being written, read or scored.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// A file could not be opened, read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file does not hold what it should.
    #[error("{}: {reason}", path.display())]
    Content {
        /// Which.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
}

impl DatasetError {
    fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> DatasetError {
        let path = path.into();
        move |source| DatasetError::File { path, source }
    }

    fn content(path: impl Into<PathBuf>, reason: impl Into<String>) -> DatasetError {
        DatasetError::Content { path: path.into(), reason: reason.into() }
    }
}
