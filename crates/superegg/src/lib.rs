//! Certified distance, closest points and normals between smooth bodies.
//!
//! Superellipsoids and superovoids (rounded boxes, cylinders, cones, eggs) against each other and against exact boxes, cylinders,
//! cones, capsules and spheres, hulls of points, shapes of your own, points, planes, segments and triangles: how far apart they are, where they touch, along which normal, and how deep they overlap.
//!
//! ```
//! use superegg::query::{Options, Status, distance};
//! use superegg::shape::{Shape, Superellipsoid, Superovoid};
//! use superegg::{DVec3, Pose};
//! let die = Shape::from(Superellipsoid::new([1.0, 1.0, 1.0], [0.3, 0.3])?);
//! let egg = Shape::from(Superovoid::new([0.7, 0.7, 1.0], [1.0, 1.0], [-0.2, -0.2])?);
//! let there = Pose::from_translation(DVec3::new(2.0, 0.4, 0.2));
//! let answer = distance(&die, &Pose::IDENTITY, &egg, &there, &Options::DEFAULT)?;
//! assert_eq!(answer.status, Status::Separated);
//! let bounds = answer.bounds.expect("certified");
//! assert!(bounds.lower <= answer.distance && answer.distance <= bounds.upper && bounds.upper - bounds.lower < 3e-9);
//! # Ok::<(), superegg::query::QueryError>(())
//! ```
//!
//! - **Guarantees.** `bounds` hold the true signed distance, by an error analysis of every operation: apart and in
//!   penetration, for any size, offset and quaternion. They are within the tolerance (1e-9 of the size) for convex pairs, and
//!   honest, possibly wider, for superovoids that are not convex. [`query::Outcome`] carries the normal that proves them and
//!   says where points or normal are not unique. Same input, same bits, on any number of threads. Queries do not allocate
//!   and do not panic; an input outside its domain is refused by the name of its field.
//! - **Speed.** One to two microseconds for a pair apart, about half of that in a [batch](query::batch), which uses vector
//!   lanes (AVX2 and FMA, found at run time) and all cores; `superegg bench core` measures it beside peers.
//! - **Features.** `rayon` (default): batches on all cores. `serde`: shapes, poses, options and outcomes as data. `mint`: vectors
//!   and quaternions to and from other mathematics crates. There is no `no_std` build: the CPU is asked for its vector lanes at run
//!   time, and batches allocate.
//!
//! Data flows one way: [`shape`] describes surfaces, a private solver works on pairs of them, [`query`] asks the questions.

mod error;
mod outcome;
mod pose;
mod pose2;
pub mod query;
pub mod shape;
mod solver;
mod threads;

pub use error::{InvalidInput, Legible};
pub use glam::{DMat3, DQuat, DVec2, DVec3};
pub use pose::Pose;
pub use pose2::Pose2;
pub use threads::Threads;

/// The programs of a page of the documentation, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/own-shapes.md")]
struct OwnShapes;

/// The program in the README, run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
