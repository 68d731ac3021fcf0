//! Published schemes for the distance of superquadrics, behind one interface.
//!
//! Every scheme takes two placed bodies and [`SchemeOptions`], and returns the library's own [`Outcome`], so that it can be
//! exchanged for the default method and compared with it. A scheme that fails says so: a run that does not settle, that
//! ends on another common normal than the shortest, or off the surfaces, has the status
//! [`NotConverged`](superegg::query::Status::NotConverged). No scheme certifies its answer.
//!
//! | method | from | unknowns |
//! |---|---|---|
//! | [`Method::QuadImplicit`], [`Method::OctImplicit`] | papers 001 and 003 | two points, 6×6 Newton |
//! | [`Method::QuadParametric`], [`Method::NtbParametric`] | papers 001 and 003 | four angles, 4×4 Newton |
//! | [`Method::Geometric`] | paper 000 | a surface point, by averaged normals |
//! | [`Method::InteriorPoint`], [`Method::Sqp`] | paper 004 | two points, constrained minimisation |
//! | [`Method::Mesh`] | all of them, as baseline | triangles in a hierarchy |
//!
//! [`Method::Default`] is no scheme but [`superegg_world::geometry::distance`], which takes bodies of every kind and certifies
//! its answers.
//!
//! ```
//! use superegg::query::Status;
//! use superegg::shape::Superellipsoid;
//! use superegg::{DVec3, Pose};
//! use superegg_schemes::{Method, SchemeOptions, distance};
//! use superegg_world::geometry::Geometry;
//! let egg = Geometry::from(Superellipsoid::new([1.0, 1.0, 1.3], [0.9, 0.8])?);
//! let there = Pose::from_translation(DVec3::new(0.5, 0.2, 4.0));
//! let answer = distance(Method::QuadImplicit, &egg, &Pose::IDENTITY, &egg, &there, &SchemeOptions::default())?;
//! assert_eq!(answer.outcome.status, Status::Separated);
//! # Ok::<(), superegg_world::WorldError>(())
//! ```

mod common_normal;
mod couple;
mod geometric;
mod guess;
mod linear;
mod mesh;
mod method;
mod optimise;
mod options;
mod trace;
mod verify;

pub use geometric::{GeometricAnswer, geometric};
pub use guess::Guess;
pub use mesh::MeshPair;
pub use method::{Answer, Method, distance, first_points};
pub use optimise::ConstraintSet;
pub use options::{Fallback, Jacobian, SchemeOptions};
pub use superegg::query::Outcome;
pub use trace::{Cell, Facet, Iterate, LambdaGuess, Trace};
