//! Rigid bodies of smooth shape that fall, roll, slide, stack and sleep.
//!
//! A [`RigidWorld`] is stepped by [`RigidWorld::step`]: contacts are found once a step from the true surfaces
//! ([`manifold`](self), [`pairs`](self)) with a margin for the way that can be made in it, and solved in substeps
//! ([`solver`](self)). [`penetration`] judges the outcome by certified distances, [`scene`] makes worlds to try it on.

mod body;
mod manifold;
mod measure;
mod mesh;
mod pairs;
pub mod scene;
mod sleep;
mod solver;
mod world;

pub use body::{Material, RigidBody, RigidId, RigidMotion};
pub use measure::penetration;
pub use world::{RigidReport, RigidWorld};
