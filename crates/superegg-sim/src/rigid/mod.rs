//! Rigid bodies of smooth shape that fall, roll, slide, stack and sleep.
//!
//! A [`RigidWorld`] is stepped by [`RigidWorld::step`]: contacts are found once a step from the true surfaces
//! ([`manifold`](self), [`pairs`](self)) with a margin for the way that can be made in it, and solved in substeps
//! ([`contact`](self)). [`penetration`] judges the outcome by certified distances, [`scene`] makes worlds to try it on.

mod articulation;
mod body;
mod contact;
mod coupling;
mod course;
mod grip;
mod hold;
mod hung;
mod joint;
mod limit;
mod linkage;
mod links;
mod manifold;
mod mass;
mod measure;
mod mesh;
mod pace;
mod pairs;
mod piece;
mod row;
pub mod scene;
mod sleep;
mod solver;
mod step;
mod world;

pub use body::{Material, RigidBody, RigidId, RigidMotion};
pub use coupling::Coupling;
pub use grip::GripId;
pub use joint::{Cone, Drive, Joint, JointId, JointKind, Motor, Range, Spring};
pub use measure::penetration;
pub use step::RigidReport;
pub use world::RigidWorld;
