//! Indexed triangle meshes and continuous collision detection between deforming ones.
//!
//! Data flows one way: [`mesh`] holds validated geometry, [`topology`] its connectivity, [`ccd`] finds every contact
//! between moving features, [`scene`] makes moving meshes to try it on.

pub mod ccd;
pub mod mesh;
pub mod scene;
mod stopwatch;
pub mod topology;

pub use glam::DVec3;
pub use mesh::{MAX_COORDINATE, MeshError, TriangleMesh};
pub use topology::Topology;
