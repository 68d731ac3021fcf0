//! Superellipsoids and superovoids fitted to point clouds and triangle meshes.
//!
//! Data flows one way: [`Target`] is what is fitted, [`fit`] finds one shape for it, [`fit_parts`] several, [`Metrics`] say how good
//! they are. Errors are true distances from the distance core of `superegg`; enclosing and inscribed shapes come with a
//! [`Certificate`].
//!
//! A fit depends on neither frame nor unit: the same target turned, moved and scaled gives the same shape, turned, moved and
//! scaled. The same input gives the same bits on any number of threads.

mod certify;
mod cloud;
mod cuts;
mod equations;
mod error;
mod errors;
mod lanes;
mod metrics;
mod minimax;
mod model;
mod nearest;
mod one;
mod part;
mod parts;
mod protrusion;
mod search;
mod solid;
mod solve;
mod target;
mod volume;

pub use certify::Certificate;
pub use error::FitError;
pub use errors::{Errors, errors};
pub use glam::DVec3;
pub use metrics::{Metrics, VolumeMetrics, metrics};
pub use one::{Containment, Family, Fit, Options, fit};
pub use part::Part;
pub use parts::{Count, MOST_PARTS, PartsFit, PartsOptions, SetOptions, enclose_all, fit_parts};
pub use protrusion::union_mesh;
pub use superegg::Threads;
pub use target::Target;

/// The program in the how-to, run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/fit.md")]
struct HowTo;
