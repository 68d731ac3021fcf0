//! Boxes and spheres that hold a shape, as tight as they can be.

use glam::DVec3;

use super::norm::norm;

/// A box along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub center: DVec3,
    /// Its radius, in metres.
    pub radius: f64,
}

impl Aabb {
    /// All of space.
    pub const EVERYTHING: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The smallest box that holds some points.
    pub(crate) fn of_points<const N: usize>(points: [DVec3; N]) -> Aabb {
        let nothing = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        points.into_iter().fold(nothing, |aabb, point| Aabb { min: aabb.min.min(point), max: aabb.max.max(point) })
    }
}

impl Sphere {
    /// The smallest sphere that holds up to three points: between the two farthest apart if that holds the third, else
    /// around the triangle's circumcircle.
    pub(crate) fn around(points: &[DVec3]) -> Sphere {
        let [first, rest @ ..] = points else { return Sphere { center: DVec3::ZERO, radius: 0.0 } };
        let between = |a: DVec3, b: DVec3| Sphere { center: a.midpoint(b), radius: 0.5 * a.distance(b) };
        let [a, b, c] = match rest {
            [] => return Sphere { center: *first, radius: 0.0 },
            [second] => return between(*first, *second),
            [second, third, ..] => [*first, *second, *third],
        };
        let edges = [between(a, b), between(b, c), between(c, a)];
        let mut widest = edges[0];
        for edge in edges {
            if edge.radius > widest.radius {
                widest = edge;
            }
        }
        if [a, b, c].iter().all(|point| point.distance(widest.center) <= widest.radius * (1.0 + 4.0 * f64::EPSILON)) {
            return widest;
        }
        // The triangle is acute, hence not flat.
        let (u, v) = (b - a, c - a);
        let across = u.cross(v);
        let offset = (across.cross(u) * v.length_squared() + v.cross(across) * u.length_squared())
            / (2.0 * across.length_squared());
        Sphere { center: a + offset, radius: offset.length() }
    }
}

/// Largest distance from the centre to the superellipse with radii a, b and exponent e: for e < 1 the squared
/// coordinates lie on the superellipse of exponent 2e, so it is a dual norm; for e ≥ 1 it is the larger radius.
pub(crate) fn farthest(a: f64, b: f64, e: f64) -> f64 {
    if e < 1.0 { norm(a * a, b * b, 2.0 * e).sqrt() } else { a.max(b) }
}
