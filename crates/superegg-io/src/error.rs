//! Why a file could not be read.

use std::path::PathBuf;

use superegg_mesh::MeshError;
use thiserror::Error;

/// A file that could not be read, always with its name.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The content is not what the format asks for.
    #[error("{}: {message}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line where the format has lines.
        message: String,
    },
    /// The content is well formed but no valid mesh.
    #[error("{}: {source}", path.display())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// What is wrong with the mesh.
        source: MeshError,
    },
}
