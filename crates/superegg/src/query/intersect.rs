//! Whether two placed shapes touch or overlap, which is often plain long before their distance is.
//!
//! In turn: a point lies inside a superquadric or not by its gauge; superellipsoids are parted by a plane or share a point that is
//! found in a few evaluations, most of them without a power (`solver::separation::separating_axis`), ellipsoids by the search for one number; convex
//! superquadrics by the place where they touch when both have grown or shrunk about their centres; the
//! bounding balls of others are apart; Newton's method for the
//! distance ends early, at the first pair of surface points whose tangent planes prove a gap, or whose midpoint lies
//! inside both. The depth is never sought. What is still open after that is (nearly) touching, and the distance decides.

use glam::DVec3;

use super::distance::overlap;
use super::{Options, QueryError, Status, distance};
use crate::Pose;
use crate::shape::{Point, Shape};
use crate::solver::dispatch::Tried;

/// Whether two placed shapes have a point in common.
///
/// Exact but for bodies whose gap or depth is within 1e-9 of their size ([`Options::DEFAULT`]), which may count as
/// touching or not. With a superovoid that is not convex the answer is as certain as its [`distance`]: an overlap is
/// proved, a gap is not.
///
/// ```
/// use superegg::query::intersect;
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let die = Superellipsoid::new([1.0, 1.0, 1.0], [0.1, 0.1])?.into();
/// let near = Pose::from_translation(DVec3::new(1.8, 1.8, 1.8));
/// let far = Pose::from_translation(DVec3::new(2.1, 0.0, 0.0));
/// assert!(intersect(&die, &Pose::IDENTITY, &die, &near)?);
/// assert!(!intersect(&die, &Pose::IDENTITY, &die, &far)?);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn intersect(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<bool, QueryError> {
    decide(a, pose_a, b, pose_b, &mut Tried::default())
}

/// [`intersect`] for a pair that is asked about again and again: `axis` keeps the normal of a plane between the bodies, in world
/// coordinates and of any length, from one query to the next. Where they have moved little, it still parts them, and nothing else is
/// looked for. `None` at first, and after a query that found none: of bodies that overlap, or that only a longer search tells apart.
///
/// ```
/// use superegg::query::tracked_intersect;
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let die = Superellipsoid::new([1.0, 1.0, 1.0], [0.3, 0.3])?.into();
/// let mut axis = None;
/// for (x, meet) in [(1.9, true), (2.2, false), (2.5, false), (2.4, false)] {
///     let there = Pose::from_translation(DVec3::new(x, 0.3, 0.2));
///     assert_eq!(tracked_intersect(&die, &Pose::IDENTITY, &die, &there, &mut axis)?, meet);
/// }
/// assert!(axis.is_some_and(|axis| axis.x > 0.0));
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn tracked_intersect(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    axis: &mut Option<DVec3>,
) -> Result<bool, QueryError> {
    let mut tried = Tried { axis: axis.take(), in_vain: false };
    let answer = decide(a, pose_a, b, pose_b, &mut tried);
    *axis = tried.axis;
    answer
}

/// [`intersect`] for a pair that a batch has left open, or has not looked at.
#[cfg(target_arch = "x86_64")]
pub(crate) fn open_intersect(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<bool, QueryError> {
    decide(a, pose_a, b, pose_b, &mut Tried { axis: None, in_vain: true })
}

fn decide(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, tried: &mut Tried) -> Result<bool, QueryError> {
    let (pose_a, pose_b) = (&pose_a.normalized()?, &pose_b.normalized()?);
    let early = match (a, b) {
        (Shape::Point(a), b) => holds(b, pose_b, a, pose_a),
        (a, Shape::Point(b)) => holds(a, pose_a, b, pose_b),
        _ => None,
    };
    if let Some(answer) = early.or_else(|| overlap(a, pose_a, b, pose_b, tried)) {
        return Ok(answer);
    }
    let outcome = distance(a, pose_a, b, pose_b, &Options::DEFAULT).map_err(|error| error.during("intersect"))?;
    Ok(match outcome.status {
        Status::Separated => false,
        Status::Touching | Status::Penetrating => true,
        Status::NotConverged => outcome.distance <= 0.0,
    })
}

/// Whether a point lies in a superquadric; unknown for other shapes.
fn holds(shape: &Shape, pose: &Pose, point: &Point, point_pose: &Pose) -> Option<bool> {
    matches!(shape, Shape::Superellipsoid(_) | Shape::Superovoid(_))
        .then(|| shape.contains(pose.inverse_transform_point(point_pose.transform_point(point.points()[0]))))
}
