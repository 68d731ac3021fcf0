//! The nearest surface point to a given point.

use glam::DVec3;

use super::{Bounds, Options, QueryError, Status, distance};
use crate::shape::{Point, Shape};
use crate::{InvalidInput, Pose};

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct ClosestPoint {
    /// Nearest point of the surface, in world coordinates.
    pub point: DVec3,
    /// Unit normal there, out of the body, in world coordinates.
    pub normal: DVec3,
    /// Signed distance: negative inside.
    pub distance: f64,
    /// Certified bounds of the distance where the shape is convex.
    pub bounds: Option<Bounds>,
    /// How the query ended.
    pub status: Status,
    /// Surface evaluations spent.
    pub iterations: u32,
}

/// Refuses a point with coordinates outside [-1e60, 1e60].
pub(super) fn validate_point(point: DVec3) -> Result<(), InvalidInput> {
    for (value, field) in point.to_array().into_iter().zip(["point[0]", "point[1]", "point[2]"]) {
        InvalidInput::unless_coordinate(field, value)?;
    }
    Ok(())
}

/// The nearest surface point of a placed shape to a point in world coordinates.
///
/// ```
/// use superegg::query::{Options, closest_point};
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([2.0; 3], [1.0; 2])?.into();
/// let answer = closest_point(&ball, &Pose::IDENTITY, DVec3::new(0.0, 3.0, 0.0), &Options::default())?;
/// assert!((answer.point - DVec3::new(0.0, 2.0, 0.0)).length() < 1e-8);
/// assert!((answer.normal - DVec3::Y).length() < 1e-8);
/// assert!((answer.distance - 1.0).abs() < 1e-8);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn closest_point(shape: &Shape, pose: &Pose, point: DVec3, options: &Options) -> Result<ClosestPoint, QueryError> {
    validate_point(point)?;
    // The point is placed by its pose, so that a far-away world origin costs no digits.
    let target = Point::new([DVec3::ZERO])?.into();
    let answer = distance(shape, pose, &target, &Pose::from_translation(point), options)?;
    Ok(ClosestPoint {
        point: answer.point_a,
        normal: answer.normal,
        distance: answer.distance,
        bounds: answer.bounds,
        status: answer.status,
        iterations: answer.iterations,
    })
}
