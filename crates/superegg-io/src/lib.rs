//! Mesh files and collision queries, read into plain structs.
//!
//! Every refusal names the file and, where the format has them, the line. Nothing is allocated on the word of a
//! header alone.

pub mod ccd_queries;
mod error;
pub mod mesh;
mod ply;

pub use error::ReadError;
pub use mesh::{MeshFormat, read_mesh};
