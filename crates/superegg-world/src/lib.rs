//! From pairs to scenes of thousands of smooth bodies.
//!
//! Data flows one way: [`bound`] holds shapes in volumes, [`broad`] finds which of many volumes may touch, [`superquadric`],
//! [`compound`] and [`collision_mesh`] are bodies beyond single shapes, [`geometry`] is a body of any kind and answers for any two,
//! [`motion`] says when moving ones meet, and a [`world`] keeps track of many.

pub mod best_first;
pub mod bound;
pub mod broad;
mod certificate;
pub mod collision_mesh;
pub mod compound;
mod contact;
mod error;
pub mod geometry;
mod handle;
mod mesh_pair;
pub mod motion;
mod placement;
pub mod superquadric;
mod surface_query;
pub mod triangle;
pub mod world;

pub use certificate::assembled;
pub use contact::Contact;
pub use error::WorldError;
pub use glam::{DQuat, DVec3};
pub use mesh_pair::distance as distance_of_meshes;
pub use superegg::{InvalidInput, Pose};
