//! Support functions of any shape, and the two cheapest bounds that follow from them.

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Shape;

/// The support function: the largest `direction · x` over the shape, in its own frame. Infinite for a plane, but for
/// the direction of its normal.
pub fn support_value(shape: &Shape, direction: DVec3) -> f64 {
    match shape {
        Shape::Point(point) => point.support_value(direction),
        Shape::Segment(segment) => segment.support_value(direction),
        Shape::Triangle(triangle) => triangle.support_value(direction),
        Shape::Superellipsoid(egg) => egg.support_value(direction),
        Shape::Superovoid(egg) => egg.support_value(direction),
        Shape::Plane(plane) => {
            let length = direction.length();
            let along = direction.dot(plane.normal()) >= length * (1.0 - 1e-15);
            if along { plane.offset() * length } else { f64::INFINITY }
        }
    }
}

/// The gap between two placed shapes along a unit normal from a to b: a plane across it separates them by that much. For
/// every normal this is a lower bound of the signed distance, for two support values.
///
/// ```
/// use superegg::shape::{Shape, Superellipsoid};
/// use superegg::{DVec3, Pose};
/// let ball: Shape = Superellipsoid::new([1.0; 3], [1.0; 2])?.into();
/// let there = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0));
/// let gap = superegg_world::bound::gap_along(DVec3::X, &ball, &Pose::IDENTITY, &ball, &there);
/// assert!((gap - 1.0).abs() < 1e-12);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
pub fn gap_along(normal: DVec3, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    normal.dot(pose_b.translation - pose_a.translation)
        - support_value(a, pose_a.inverse_transform_vector(normal))
        - support_value(b, pose_b.inverse_transform_vector(-normal))
}

/// Radius of a ball about the origin of the shape's frame that holds it; infinite for a plane. Closed form: exact for a
/// superellipsoid, and with a taper as if the widest section were everywhere.
pub fn reach(shape: &Shape) -> f64 {
    let of_points = |points: &[DVec3]| points.iter().map(|point| point.length()).fold(0.0, f64::max);
    let of_egg = |[a1, a2, a3]: [f64; 3], [e1, e2]: [f64; 2], [tx, ty]: [f64; 2]| {
        let width = farthest(a1 * (1.0 + tx.abs()), a2 * (1.0 + ty.abs()), e1);
        farthest(width, a3, e2) * (1.0 + 8.0 * f64::EPSILON)
    };
    match shape {
        Shape::Point(point) => of_points(point.points()),
        Shape::Segment(segment) => of_points(segment.points()),
        Shape::Triangle(triangle) => of_points(triangle.points()),
        Shape::Superellipsoid(egg) => of_egg(egg.radii(), egg.exponents(), [0.0; 2]),
        Shape::Superovoid(egg) => of_egg(egg.radii(), egg.exponents(), egg.taper()),
        Shape::Plane(_) => f64::INFINITY,
    }
}

/// Largest distance from the centre to the superellipse with radii a, b and exponent e: for e < 1 its squared
/// coordinates lie on a superellipse of exponent 2e, so that a dual norm gives the largest sum; else the larger radius.
fn farthest(a: f64, b: f64, e: f64) -> f64 {
    let (large, small) = (a.max(b), a.min(b));
    if e >= 1.0 {
        return large;
    }
    let ratio = small / large;
    let power = 1.0 / (1.0 - e);
    large * (1.0 + (ratio * ratio).powf(power)).powf(0.5 / power)
}
