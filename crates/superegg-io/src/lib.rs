//! Mesh files, collision queries and scenes, read into plain structs; frames and films of meshes written.
//!
//! Every refusal names the file and, where the format has them, the line. Nothing is allocated on the word of a
//! header alone.

pub mod ccd_queries;
mod error;
pub mod gltf;
pub mod mesh;
pub mod obj;
mod ply;
pub mod scene;

pub use error::ReadError;
pub use mesh::{MeshFormat, parse_mesh, read_mesh};
