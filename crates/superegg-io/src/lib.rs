//! Mesh files and collision queries, read into plain structs; meshes written.
//!
//! Every refusal names the file and, where the format has them, the line. Nothing is allocated on the word of a
//! header alone.

pub mod ccd_queries;
mod conventions;
mod dae;
mod error;
mod gltf_mesh;
pub mod mesh;
pub mod obj;
mod placed;
mod ply;
mod polygon;
pub mod stl;
mod xyz;
pub mod zip;

pub use error::ReadError;
pub use mesh::{Conventions, MeshFormat, UpAxis, parse_mesh, read_mesh, read_mesh_file};
