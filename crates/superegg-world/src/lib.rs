//! From pairs to scenes of thousands of smooth bodies.
//!
//! Data flows one way: [`bound`] holds shapes in volumes, [`broad`] finds which of many volumes may touch, [`compound`] and
//! [`obstacle`] are bodies of many parts and of triangles, [`motion`] says when moving bodies meet, and a
//! [`world`] keeps track of many.

pub mod bound;
pub mod broad;
pub mod compound;
mod error;
pub mod geometry;
pub mod motion;
pub mod obstacle;
pub mod world;

pub use error::WorldError;
pub use glam::{DQuat, DVec3};
pub use superegg::{InvalidInput, Pose};
