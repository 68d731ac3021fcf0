//! Robots with smooth contact geometry.
//!
//! Reads a URDF, MJCF or SDFormat file and says of every element what became of it, fits its meshes with superellipsoids and superovoids, and answers: how far apart are
//! links, with certified bounds and gradients by joint angles; is a configuration free, for millions of them; when does a trajectory first
//! touch, never late; which grasps hold an object, by exact friction cones.
//!
//! Data flows one way: [`read_file`] and [`srdf`] make a [`model`], [`kinematics`] places its links, [`contact_geometry`] gives them shapes,
//! [`collide`] and [`trajectory`] answer questions about them, [`grasp`] closes hands, [`simulate`] moves all of it.

mod acm;
mod assembled;
mod bounding_capsule;
pub mod collide;
pub mod contact_geometry;
mod error;
mod forgive;
pub mod grasp;
pub mod hand;
pub mod kinematics;
mod load;
mod loaded;
mod mass;
mod mesh_path;
pub mod mjcf;
pub mod model;
pub mod picture;
mod sdformat;
pub mod simulate;
pub mod srdf;
pub mod teeth;
pub mod trajectory;
mod tree;
pub mod urdf;
mod xml;

pub use acm::{AcmOptions, DisabledPair, Reason, generate_acm};
pub use error::{Diagnostic, Place, RobotError, Severity};
pub use load::{read, read_file};
pub use loaded::{Loaded, ReadOptions};
pub use mass::inertial;
pub use superegg::{DVec3, Pose, Threads};

/// The programs in the how-tos, run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/robots.md")]
struct Robots;

/// The programs in the how-to for grasps.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/grasps.md")]
struct Grasps;
