//! Where two bodies touch or soon will: a few points with one normal each.
//!
//! The first point is the certified closest (or deepest) one. A flat face that lies on another is not held by one point,
//! so the support points of slightly tilted normals join in: for a round body these are next to the first and are left
//! out, for a flat one they are the corners of the face. A mesh gives a point for every triangle nearby.
//!
//! Bodies that are too far apart to meet soon are not asked for their closest points: their boxes, or else their support points,
//! along the last normal, or along the way from center to center, say how far apart they are at least.
//!
//! A shallow overlap is measured as superegg-world does it: pushed apart along the last normal, the bodies are a distance
//! query, whose normal gives the depth.

use glam::DVec3;
use superegg::query::{Options, Status, WarmStart, distance};

use super::manifold::{Found, NEAR, Point, WIDE, rim};
use crate::SimError;
use crate::body::Placed;

/// How far below a face a body must still be for the face to be supported, as a part of its size.
const INSET: f64 = 0.03;
/// Where between the first point and a corner that hangs over the other body is tried instead.
const INWARDS: f64 = 0.6;
/// Most points of a pair.
const MOST: usize = 6;
/// Depth, as a part of the size, beyond which the last normal is no guide.
const DEEPEST: f64 = 0.1;
/// How far overlapping bodies are parted, as a part of the size.
const PARTED: f64 = 0.01;
/// Exactness of distances, as a part of the size. The normal is the line between the points: of bodies that are `d` apart it is
/// off by up to `√(2 ε / d)`, and the gap along it by half the square of that times the radius of curvature, which for flat
/// faces is metres. At 1e-6, faces 0.4 mm apart were found to be 18 mm in each other along their own normal; what is said to
/// be so deep already is not kept from getting there.
const TOLERANCE: f64 = 1e-9;

/// The points of an egg above a plane.
pub(crate) fn on_plane(a: &Placed, b: &Placed, up: DVec3, level: f64, margin: f64) -> Found {
    let first = a.support(-up);
    let lower = up.dot(first) - level;
    let mut points = Vec::new();
    if lower <= margin {
        let mut add = |on_a: DVec3, probe: DVec3| {
            let above = up.dot(on_a) - level;
            if above <= margin {
                let point = Point::new(a, b, -up, on_a, on_a - up * above);
                points.push(Point { probe_a: Some(probe), ..point });
            }
        };
        add(first, -up);
        if lower <= NEAR {
            for (probe, on_a) in rim(a, -up, first) {
                add(on_a, probe);
            }
        }
    }
    Found { lower, warm: None, points }
}

/// The points of two eggs.
pub(crate) fn of_smooth(a: &Placed, b: &Placed, warm: Option<WarmStart>, margin: f64) -> Result<Found, SimError> {
    let (Some(shape_a), Some(shape_b)) = (a.shape(), b.shape()) else {
        return Ok(Found { lower: margin, warm, points: Vec::new() });
    };
    let across = || (b.origin - a.origin).normalize_or(DVec3::Z);
    let normal = warm.as_ref().map_or_else(across, |warm| a.axes * warm.normal_a);
    // A box costs a tenth of a support point.
    let between = normal.dot(b.middle() - a.middle()) - a.box_half_along(normal) - b.box_half_along(normal);
    if between > margin {
        return Ok(Found { lower: between, warm, points: Vec::new() });
    }
    let (on_a, on_b) = (a.support(normal), b.support(-normal));
    let gap = normal.dot(on_b - on_a);
    if gap > margin {
        return Ok(Found { lower: gap, warm, points: Vec::new() });
    }
    let (pose_a, mut pose_b) = (a.pose(), b.pose());
    let size = a.radius() + b.radius();
    let mut push = DVec3::ZERO;
    if warm.is_some() && gap <= 0.0 && gap > -DEEPEST * size {
        push = normal * (PARTED * size - gap);
        pose_b.translation += push;
    }
    let options = Options { tolerance: TOLERANCE, warm_start: warm, ..Options::DEFAULT };
    let mut outcome = distance(shape_a, &pose_a, shape_b, &pose_b, &options)?;
    if push != DVec3::ZERO {
        if outcome.status == Status::Separated {
            outcome.distance -= outcome.normal.dot(push);
            outcome.point_b -= push;
        } else {
            pose_b.translation -= push;
            outcome = distance(shape_a, &pose_a, shape_b, &pose_b, &options)?;
        }
    }
    let (normal, gap) = (outcome.normal, outcome.distance);
    let warm = Some(outcome.warm_start);
    if gap > margin {
        return Ok(Found { lower: gap, warm, points: Vec::new() });
    }
    let (first_a, first_b) = (outcome.point_a, outcome.point_b);
    let mut points = Vec::with_capacity(4);
    let point = Point::new(a, b, normal, first_a, first_b);
    points.push(Point { probe_a: Some(normal), probe_b: Some(-normal), ..point });
    // Corners of either face, as far as the other body is below them; each face as the plane that touches it.
    let mut places = vec![first_a];
    let mut add = |on_a: DVec3, on_b: DVec3| {
        let far = |place: &DVec3| place.distance(on_a) > WIDE * a.radius().min(b.radius());
        if points.len() < MOST && normal.dot(on_b - on_a) <= margin && places.iter().all(far) {
            places.push(on_a);
            points.push(Point::new(a, b, normal, on_a, on_b));
        }
    };
    if gap > NEAR {
        return Ok(Found { lower: gap, warm, points });
    }
    let corners_a: Vec<DVec3> = rim(a, normal, first_a).map(|(_, corner)| corner).collect();
    if corners_a.is_empty() {
        return Ok(Found { lower: gap, warm, points });
    }
    for (first, corner) in corners_a.iter().map(|corner| (first_a, *corner)) {
        for corner in [corner, first.lerp(corner, INWARDS)] {
            let on_b = corner + normal * normal.dot(first_b - corner);
            if b.holds(on_b + normal * (INSET * b.radius())) {
                add(corner, on_b);
                break;
            }
        }
    }
    for (_, corner) in rim(b, -normal, first_b) {
        for corner in [corner, first_b.lerp(corner, INWARDS)] {
            let on_a = corner + normal * normal.dot(first_a - corner);
            if a.holds(on_a - normal * (INSET * a.radius())) {
                add(on_a, corner);
                break;
            }
        }
    }
    Ok(Found { lower: gap, warm, points })
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use superegg::Pose;
    use superegg::shape::Superellipsoid;

    use super::super::manifold::Sought;
    use super::super::narrow::find;
    use super::*;
    use crate::body::{Body, BodyState, Proxy};

    /// The gap along the normal is what keeps bodies apart. Flat faces that nearly touch once had normals along which they
    /// were centimetres deep.
    #[test]
    fn the_gap_along_the_normal_is_the_distance() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut between = |low: f64, high: f64| low + (high - low) * rng.f64();
        let mut met = 0;
        for _ in 0..300 {
            let mut body = |height: f64| {
                let exponents = [0; 2].map(|_| between(0.1, 1.5));
                let shape = Superellipsoid::new([0; 3].map(|_| between(0.5, 0.6)), exponents).unwrap();
                let turn = [0; 3].map(|_| between(-0.2, 0.2));
                let pose = Pose::new(DQuat::from_scaled_axis(turn.into()), DVec3::Z * height).unwrap();
                let body = Body::dynamic(shape, pose, 1.0);
                let state = BodyState::of_body(&body);
                let proxies = Proxy::of(0, &state, 0, &body.colliders[0]);
                (state, proxies)
            };
            let (a, mut b) = (body(0.0), body(1.4));
            // From afar to nearly touching, each time from what was found before.
            let mut warm = None;
            for gap in [0.05, 5e-3, 4e-4, 4e-4] {
                let sought = Sought { margin: 1.0, near: &[], known: 0.0, closely: true };
                let (on_a, on_b) = (a.1[0].placed(&a.0), b.1[0].placed(&b.0));
                let found = find(&on_a, &on_b, warm, &sought).unwrap();
                warm = found.warm;
                let point = found.points[0];
                let own = point.normal.dot(on_b.support(-point.normal) - on_a.support(point.normal));
                assert!(own > found.lower - 2e-4, "{own} of {}", found.lower);
                met += usize::from((found.lower - 4e-4).abs() < 2e-4);
                // Moved along the normal, bodies stay as far apart as that says.
                b.0.center -= point.normal * (found.lower - gap);
            }
        }
        assert_eq!(met, 300);
    }
}
