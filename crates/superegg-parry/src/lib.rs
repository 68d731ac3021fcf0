//! Superellipsoids and superovoids in the parry and rapier ecosystem.
//!
//! An [`Egg`] is a parry shape like any other: it has boxes and mass, casts rays and projects points. [`EggDispatcher`] is
//! a query dispatcher that answers eggs by the certified solver and everything else as parry does. With rapier:
//!
//! ```
//! use rapier3d_f64::prelude::*;
//! use superegg_parry::{Egg, EggDispatcher};
//!
//! let mut colliders = ColliderSet::new();
//! colliders.insert(ColliderBuilder::new(Egg::superellipsoid([0.5, 0.5, 0.65], [1.0, 0.8])?.shared()));
//! let narrow_phase = NarrowPhase::with_query_dispatcher(EggDispatcher);
//! # let _ = narrow_phase;
//! # Ok::<(), superegg_parry::InvalidInput>(())
//! ```
//!
//! Against balls, capsules, segments, triangles, half-spaces, eggs, and meshes, height fields and compounds of these the
//! contact comes from the solver. Against other convex shapes (cuboids, cylinders, hulls) a convex egg is a support map
//! for parry's own algorithms, and the contact is a single point.

mod convert;
mod dispatcher;
mod egg;
mod egg_pair;
mod manifold;

pub use dispatcher::EggDispatcher;
pub use egg::Egg;
pub use superegg::InvalidInput;
