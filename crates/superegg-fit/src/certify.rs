//! Proofs of containment by the distance core.
//!
//! A point is proved inside a convex superovoid either by its gauge, when that is clearly below one, or by an upper bound of its
//! signed distance that is not positive. A body is proved inside a closed mesh when its distance to every triangle has a
//! lower bound that is not negative and its centre is inside.

use glam::DVec3;
use superegg::Pose;
use superegg::query::batch::{Placed, Threads, distances};
use superegg::query::{Options, closest_point};
use superegg::shape::{Shape, Superovoid, Triangle};
use superegg_mesh::TriangleMesh;

/// What was proved about an enclosing or inscribed shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Points or triangles that were proved to be on their side.
    pub proved: usize,
    /// How many of them were too close to the surface for the gauge or a bounding box or plane, so that the distance core decided.
    pub by_distance: usize,
}

/// Below this gauge a point is inside, whatever the rounding errors of the gauge (some 1e-13).
const CLEARLY_INSIDE: f64 = 1.0 - 1e-7;
/// Relative distance beyond which a plane is clear of a body, whatever the rounding errors of a support value.
const CLEARANCE: f64 = 1e-9;
/// Width of the bounds asked of the distance core, as a part of the size.
const QUERY: Options = Options { tolerance: 1e-11, max_iterations: 400, warm_start: None };

/// Nothing, unless a bound shows what it has to; NaN shows nothing.
fn proved(shown: bool) -> Option<()> {
    shown.then_some(())
}

/// Proves that a shape contains points and all that is within `margin` of them; `None` if one of them is not proved to be inside.
pub(crate) fn contains(shape: &Superovoid, pose: &Pose, points: &[DVec3], margin: f64) -> Option<Certificate> {
    let mut by_distance = 0;
    // So deep is what is clearly inside.
    let negligible = margin < 1e-9 * shape.radii().into_iter().fold(f64::INFINITY, f64::min);
    for &point in points {
        if negligible && shape.gauge(pose.inverse_transform_point(point)) < CLEARLY_INSIDE {
            continue;
        }
        by_distance += 1;
        let answer = closest_point(&Shape::from(*shape), pose, point, &QUERY).ok()?;
        proved(answer.bounds?.upper <= -margin)?;
    }
    Some(Certificate { proved: points.len(), by_distance })
}

/// Proves that no point is inside a shape.
pub(crate) fn avoids_points(shape: &Superovoid, pose: &Pose, points: &[DVec3]) -> Option<Certificate> {
    let mut by_distance = 0;
    for &point in points {
        if shape.gauge(pose.inverse_transform_point(point)) > 2.0 - CLEARLY_INSIDE {
            continue;
        }
        by_distance += 1;
        let answer = closest_point(&Shape::from(*shape), pose, point, &QUERY).ok()?;
        proved(answer.bounds?.lower >= 0.0)?;
    }
    Some(Certificate { proved: points.len(), by_distance })
}

/// Proves that a shape lies inside a closed mesh, or outside all of it; the caller knows which from its centre.
pub(crate) fn avoids_triangles(shape: &Superovoid, pose: &Pose, mesh: &TriangleMesh) -> Option<Certificate> {
    let bounds = shape.aabb(pose);
    // A hair more than rounding moves a box's faces.
    let slack = 1e-12 * (bounds.max.abs().max(bounds.min.abs()).max_element());
    let body = Placed { shape: (*shape).into(), pose: *pose };
    let size = shape.radii().into_iter().fold(0.0, f64::max);
    let mut near = Vec::new();
    for corners in mesh.triangles() {
        let corners = corners.map(|v| mesh.positions()[v as usize]);
        let [low, high] = [corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2])];
        if low.cmpgt(bounds.max + slack).any() || high.cmplt(bounds.min - slack).any() {
            continue;
        }
        // The body lies on one side of the triangle's plane.
        let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        if let Some(normal) = across.try_normalize() {
            let offset = normal.dot(corners[0] - pose.translation);
            let direction = pose.inverse_transform_vector(normal);
            let clear = CLEARANCE * (offset.abs() + size);
            if shape.support_value(direction) < offset - clear || -shape.support_value(-direction) > offset + clear {
                continue;
            }
        }
        // Placed at its first corner, so that a far-away origin costs no digits.
        let local = corners.map(|corner| corner - corners[0]);
        let triangle = Triangle::new(local).ok()?;
        near.push([body.clone(), Placed { shape: triangle.into(), pose: Pose::from_translation(corners[0]) }]);
    }
    for answer in distances(&near, &QUERY, Threads::One) {
        proved(answer.ok()?.bounds?.lower >= 0.0)?;
    }
    Some(Certificate { proved: mesh.triangles().len(), by_distance: near.len() })
}
