//! A chain of ever sharper tests before the exact distance: spheres, oriented boxes, a separating plane, the solver.
//!
//! Each link either proves that a pair is farther apart than the margin or passes it on. The plane is the certified
//! solver's own lower bound: at a normal remembered from last time it costs two support values and is the sharpest of
//! all, as paper 000 expects of a solver stopped after an iteration or two.

use glam::DVec3;
use superegg::Pose;
use superegg::query::{Options, Outcome, QueryError, WarmStart, distance};
use superegg::shape::{Shape, Sphere};

use super::{Bound, Obb, gap_along};

/// A shape's volumes in its own frame, made once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volumes {
    /// The sphere about the origin; infinite for a plane.
    pub sphere: Sphere,
    /// The box along the shape's own axes; `None` for a plane.
    pub obb: Option<Obb>,
}

impl Volumes {
    /// The volumes of a shape.
    pub fn of(shape: &Shape) -> Volumes {
        let sphere = Sphere { center: DVec3::ZERO, radius: shape.reach() };
        Volumes { sphere, obb: Obb::of(shape, &Pose::IDENTITY) }
    }
}

/// A test of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Bounding spheres.
    Sphere,
    /// Oriented boxes.
    Obb,
    /// The plane across a remembered normal.
    Plane,
    /// The exact distance.
    Exact,
}

/// What the chain found out about a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a box would be an allocation for every answer")]
pub enum Verdict {
    /// Farther apart than the margin: which link proved it, and the lower bound of the distance that it found.
    Apart(Link, f64),
    /// Within the margin, by the exact query.
    Near(Outcome),
}

/// How many pairs came in, and how many each link sent away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pairs tested.
    pub pairs: u64,
    /// Sent away by spheres.
    pub sphere: u64,
    /// Sent away by oriented boxes.
    pub obb: u64,
    /// Sent away by a remembered normal.
    pub plane: u64,
    /// Exact queries, whatever they said.
    pub exact: u64,
}

impl Counters {
    /// The sums of two counts.
    pub fn plus(self, other: Counters) -> Counters {
        Counters {
            pairs: self.pairs + other.pairs,
            sphere: self.sphere + other.sphere,
            obb: self.obb + other.obb,
            plane: self.plane + other.plane,
            exact: self.exact + other.exact,
        }
    }
}

/// Which links to use, and within which margin pairs matter.
///
/// ```
/// use superegg::query::Options;
/// use superegg::shape::{Shape, Superellipsoid};
/// use superegg::{DVec3, Pose};
/// use superegg_world::bound::{Chain, Counters, Link, Verdict, Volumes};
/// let egg: Shape = Superellipsoid::new([1.0, 1.0, 3.0], [1.0, 1.0])?.into();
/// let (chain, volumes, mut counters) = (Chain::within(0.1), Volumes::of(&egg), Counters::default());
/// let beside = Pose::from_translation(DVec3::X * 2.5);
/// let verdict = chain.test(
///     [&egg, &egg], [&Pose::IDENTITY, &beside], [&volumes, &volumes], None, &Options::default(), &mut counters)?;
/// assert!(matches!(verdict, Verdict::Apart(Link::Obb, gap) if (gap - 0.5).abs() < 1e-12));
/// assert_eq!(counters, Counters { pairs: 1, obb: 1, ..Counters::default() });
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain {
    /// Pairs farther apart than this, in metres, are of no interest.
    pub margin: f64,
    /// Compare spheres.
    pub sphere: bool,
    /// Compare oriented boxes.
    pub obb: bool,
    /// Test the plane across the remembered normal, where there is one.
    pub plane: bool,
}

impl Chain {
    /// All links.
    pub const fn within(margin: f64) -> Chain {
        Chain { margin, sphere: true, obb: true, plane: true }
    }

    /// Tests a pair; `remembered` is what an earlier query on it left.
    pub fn test(
        &self,
        [a, b]: [&Shape; 2],
        [pose_a, pose_b]: [&Pose; 2],
        [volumes_a, volumes_b]: [&Volumes; 2],
        remembered: Option<&WarmStart>,
        options: &Options,
        counters: &mut Counters,
    ) -> Result<Verdict, QueryError> {
        counters.pairs += 1;
        if self.sphere {
            let moved =
                |pose: &Pose, sphere: &Sphere| Sphere { center: pose.transform_point(sphere.center), ..*sphere };
            let gap = moved(pose_a, &volumes_a.sphere).distance(&moved(pose_b, &volumes_b.sphere));
            if gap > self.margin {
                counters.sphere += 1;
                return Ok(Verdict::Apart(Link::Sphere, gap));
            }
        }
        if self.plane
            && let Some(warm) = remembered
            && let Some(normal) = pose_a.transform_vector(warm.normal_a).try_normalize()
        {
            let gap = gap_along(normal, a, pose_a, b, pose_b);
            if gap > self.margin {
                counters.plane += 1;
                return Ok(Verdict::Apart(Link::Plane, gap));
            }
        }
        if self.obb
            && let (Some(box_a), Some(box_b)) = (&volumes_a.obb, &volumes_b.obb)
        {
            let gap = box_a.moved(pose_a).widest_gap(&box_b.moved(pose_b), self.margin);
            if gap > self.margin {
                counters.obb += 1;
                return Ok(Verdict::Apart(Link::Obb, gap));
            }
        }
        counters.exact += 1;
        let options = Options { warm_start: remembered.copied().or(options.warm_start), ..*options };
        let outcome = distance(a, pose_a, b, pose_b, &options)?;
        let lower = outcome.bounds.map_or(outcome.distance, |bounds| bounds.lower);
        Ok(if lower > self.margin { Verdict::Apart(Link::Exact, lower) } else { Verdict::Near(outcome) })
    }
}
