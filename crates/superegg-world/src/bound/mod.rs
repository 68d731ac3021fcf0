//! Bounding volumes: what holds a shape and is quicker to compare than the shape.
//!
//! One file a volume. All are built from a shape's support function, so that they are as tight as their form allows for
//! every shape there is, and all answer the same three questions ([`Bound`]). [`Chain`] strings them together before an
//! exact query and counts what each link saved.

mod aabb;
mod chain;
mod dop;
mod obb;
mod sphere;
mod support;

pub use chain::{Chain, Counters, Link, Verdict, Volumes};
pub use dop::Dop18;
pub use obb::Obb;
pub use superegg::shape::{Aabb, Sphere};
pub use support::gap_along;

pub(crate) use aabb::{corner_towards, grown, half_area, is_finite, overlap, union};
pub(crate) use support::{gap_of_placed, is_tapered};

/// A volume that holds something, compared with others of its kind.
///
/// ```
/// use superegg::shape::{Shape, Superellipsoid};
/// use superegg::{DVec3, Pose};
/// use superegg_world::bound::{Aabb, Bound, Dop18, Obb};
/// let egg: Shape = Superellipsoid::new([1.0, 1.0, 2.0], [1.0, 1.0])?.into();
/// let [here, there] = [0.0, 5.0].map(|x| Pose::from_translation(DVec3::X * x));
/// let (a, b) = (egg.aabb(&here), egg.aabb(&there));
/// assert!(!a.overlaps(&b));
/// assert_eq!((a.distance(&b), a.merged(&b).max.x), (3.0, 6.0));
/// let (a, b) = (Obb::of(&egg, &here).unwrap(), Obb::of(&egg, &there).unwrap());
/// assert_eq!(a.distance(&b), 3.0);
/// let (a, b) = (Dop18::of(&egg, &here).unwrap(), Dop18::of(&egg, &there).unwrap());
/// assert!((a.distance(&b) - 3.0).abs() < 1e-12);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
pub trait Bound: Sized {
    /// Whether the volumes may have a point in common: `false` is a proof that they do not.
    fn overlaps(&self, other: &Self) -> bool;
    /// A lower bound of the distance of what the volumes hold, zero where they overlap. The distance itself for spheres
    /// and boxes along the axes; the widest gap along the volumes' own axes for the others.
    fn distance(&self, other: &Self) -> f64;
    /// A volume of the same kind that holds both.
    fn merged(&self, other: &Self) -> Self;
}
