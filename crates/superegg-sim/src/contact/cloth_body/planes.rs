//! A plane between a triangle and a convex body.
//!
//! The signed distance of a triangle with corners x_i to a convex body with support function h is the maximum over unit
//! normals n of `min_i n·x_i - h(n)`, and **every** n proves that the distance is at least that value. So a triangle whose
//! three corners lie above one supporting plane of a body is clear of it, all of it and whatever its size; and as long as
//! they stay above that plane it stays clear, also on the way between two such states. A good plane is needed only for
//! cloth to lie close; any plane keeps it out. The good ones come cheaply from the normals at the surface points nearest to
//! the corners, or, where these differ much, as where a small body meets a large triangle, from the certified distance.

use glam::DVec3;
use superegg::Pose;
use superegg::query::{Options, distance};
use superegg::shape::{Shape, Triangle};

use crate::SimError;

/// Contacts need no more than a millionth of the body's size.
pub(crate) const QUERY: Options = Options { tolerance: 1e-6, max_iterations: 400, warm_start: None };

/// A supporting plane of a body, in the body's frame: the body lies where `normal · x ≤ support`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SupportPlane {
    pub normal: DVec3,
    pub support: f64,
}

impl SupportPlane {
    /// The plane with this normal.
    pub fn new(shape: &Shape, normal: DVec3) -> SupportPlane {
        let support = match shape {
            Shape::Superellipsoid(egg) => egg.support_value(normal),
            Shape::Superovoid(egg) => egg.support_value(normal),
            Shape::Primitive(body) => body.support_value(normal),
            Shape::Hull(body) => body.support_value(normal),
            Shape::Custom(body) => body.support_value(normal),
            Shape::Plane(plane) => return SupportPlane { normal: plane.normal(), support: plane.offset() },
            Shape::Point(hull) => hull.support_value(normal),
            Shape::Segment(hull) => hull.support_value(normal),
            Shape::Triangle(hull) => hull.support_value(normal),
        };
        SupportPlane { normal, support }
    }

    /// How far the lowest of three points, in the body's frame, is above the plane.
    #[inline]
    pub fn gap(&self, points: &[DVec3; 3]) -> f64 {
        let [a, b, c] = points.map(|p| self.normal.dot(p));
        a.min(b).min(c) - self.support
    }
}

/// Normals closer to each other than this cosine are averaged; others ask for the exact distance.
const ALIKE: f64 = 0.85;

/// The best plane between a shape and a triangle in its frame, given the unit normals at the surface points nearest to the
/// corners.
pub(crate) fn best_plane(shape: &Shape, points: &[DVec3; 3], normals: &[DVec3; 3]) -> Result<SupportPlane, SimError> {
    let [n0, n1, n2] = *normals;
    if n0.dot(n1).min(n1.dot(n2)).min(n2.dot(n0)) >= ALIKE {
        return Ok(SupportPlane::new(shape, middle(normals)));
    }
    let triangle = Triangle::new(*points)?.into();
    let answer = distance(shape, &Pose::IDENTITY, &triangle, &Pose::IDENTITY, &QUERY)?;
    Ok(SupportPlane::new(shape, answer.normal.normalize()))
}

/// The center of the smallest cap of the unit sphere that holds three normals.
fn middle(&[a, b, c]: &[DVec3; 3]) -> DVec3 {
    let (ab, bc, ca) = (a.dot(b), b.dot(c), c.dot(a));
    // Halfway between the two farthest apart, if that cap holds the third.
    let (one, other, third, cosine) = if ab <= bc && ab <= ca {
        (a, b, c, ab)
    } else if bc <= ca {
        (b, c, a, bc)
    } else {
        (c, a, b, ca)
    };
    let halfway = one + other;
    if third.dot(halfway) >= 1.0 + cosine {
        return halfway.normalize();
    }
    let around = (b - a).cross(c - a);
    let around = around.normalize_or(halfway.normalize());
    if around.dot(halfway) < 0.0 { -around } else { around }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superegg::shape::Superellipsoid;

    #[test]
    fn the_middle_is_no_farther_from_any_than_from_the_farthest() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..1000 {
            let mut vector = || DVec3::new(random.f64() - 0.5, random.f64() - 0.5, 1.0).normalize();
            let normals = [vector(), vector(), vector()];
            let center = middle(&normals);
            let worst = |from: DVec3| normals.iter().map(|n| n.dot(from)).fold(1.0, f64::min);
            // Better than any of many other centres.
            for _ in 0..50 {
                let mut vector = || DVec3::new(random.f64() - 0.5, random.f64() - 0.5, 1.0).normalize();
                assert!(worst(center) >= worst(vector()) - 1e-12, "{normals:?}");
            }
        }
    }

    #[test]
    fn planes_prove_no_more_than_the_distance() {
        let mut random = fastrand::Rng::with_seed(12);
        let shape: Shape = Superellipsoid::new([1.0, 0.7, 0.5], [0.4, 0.8]).unwrap().into();
        let (mut close, mut count) = (0, 0);
        for _ in 0..300 {
            let mut vector = |size: f64| DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * size;
            let center = vector(4.0);
            let points = [center + vector(0.3), center + vector(0.3), center + vector(0.3)];
            let exact =
                distance(&shape, &Pose::IDENTITY, &Triangle::new(points).unwrap().into(), &Pose::IDENTITY, &QUERY);
            let exact = exact.unwrap().distance;
            let normals =
                points.map(|p| superegg::query::closest_point(&shape, &Pose::IDENTITY, p, &QUERY).unwrap().normal);
            let gap = best_plane(&shape, &points, &normals).unwrap().gap(&points);
            if exact > 0.0 {
                assert!(gap <= exact + 1e-6, "{gap} of {exact}");
                count += 1;
                close += usize::from(gap > exact - 0.05);
            }
        }
        assert!(close * 10 > count * 9, "{close} of {count} planes are good");
    }
}
