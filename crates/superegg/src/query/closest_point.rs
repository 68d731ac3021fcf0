//! The point of one shape's surface that is nearest to a given point: [`distance`] to a shape without extent.

use glam::DVec3;

use super::{Bounds, Options, QueryError, Status, distance};
use crate::shape::{Point, Shape};
use crate::{InvalidInput, Pose};

/// The answer of a closest-point query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Nearest point of the surface, in world coordinates.
    pub point: DVec3,
    /// Unit outward normal of the surface there, in world coordinates; the given point is `point + distance * normal`.
    pub normal: DVec3,
    /// Signed distance of the given point: negative inside.
    pub distance: f64,
    /// Certified bounds of the distance where the shape is convex.
    pub bounds: Option<Bounds>,
    /// How the query ended. `Penetrating`: the point is inside.
    pub status: Status,
    /// Surface evaluations spent.
    pub iterations: u32,
}

/// The point of a placed shape's surface nearest to `point`, in world coordinates.
///
/// A point, segment or triangle has no inside: its distance is never negative, and where the point lies on it the normal
/// is any unit vector across it.
///
/// ```
/// use superegg::query::{Options, Status, closest_point};
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0, 1.0, 1.0], [1.0, 1.0])?.into();
/// let pose = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0));
/// let nearest = closest_point(&ball, &pose, DVec3::new(5.0, 0.0, 0.75), &Options::DEFAULT)?;
/// assert_eq!(nearest.status, Status::Penetrating);
/// assert!((nearest.distance + 0.25).abs() < 1e-9);
/// assert!(nearest.point.distance(DVec3::new(5.0, 0.0, 1.0)) < 1e-9);
/// assert!(nearest.normal.distance(DVec3::Z) < 1e-9);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn closest_point(shape: &Shape, pose: &Pose, point: DVec3, options: &Options) -> Result<ClosestPoint, QueryError> {
    for (value, field) in point.to_array().into_iter().zip(["point[0]", "point[1]", "point[2]"]) {
        InvalidInput::unless_coordinate(field, value)?;
    }
    let origin = Point::new([DVec3::ZERO])?.into();
    let outcome = distance(shape, pose, &origin, &Pose::from_translation(point), options)?;
    Ok(ClosestPoint {
        point: outcome.point_a,
        normal: outcome.normal,
        distance: outcome.distance,
        bounds: outcome.bounds,
        status: outcome.status,
        iterations: outcome.iterations,
    })
}
