//! Certified distance, closest points and normals between smooth bodies.
//!
//! Data flows one way: [`shape`] describes surfaces, [`query`] asks questions of pairs of them.

mod error;
mod lanes;
mod pose;
mod pose2;
pub mod query;
pub mod shape;

pub use error::{InvalidInput, Legible};
pub use glam::{DMat3, DQuat, DVec2, DVec3};
pub use pose::Pose;
pub use pose2::Pose2;

/// The program in the README, run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
