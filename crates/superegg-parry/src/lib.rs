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
//! Against balls, boxes, cylinders, cones and capsules, rounded or not, segments, triangles, half-spaces, eggs, and meshes, height fields and
//! compounds of these the contact comes from the solver. Against hulls a convex egg is a support map for parry's own algorithms, and the contact
//! is a single point. [`Solid`] is any other body of ours: a frustum, a hull, a shape of your own.
//!
//! [`shape_of`] and [`geometry_of`] make our shapes of parry's, [`parry_shape_of`] parry's of ours, wherever one is exactly the other.

mod adapt;
mod convert;
mod dispatcher;
mod egg;
mod egg_pair;
mod manifold;
mod shape_queries;
mod solid;

pub use adapt::{geometry_of, parry_shape_of, shape_of};
pub use dispatcher::EggDispatcher;
pub use egg::Egg;
pub use solid::Solid;
pub use superegg::InvalidInput;
