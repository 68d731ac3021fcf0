//! Answers that this crate gives and proves itself: the one place where its outcomes and bounds are put together, and where it is
//! counted what rounding may take from them.

use superegg::DVec3;
use superegg::query::{Bounds, Outcome, Status, WarmStart};

/// Unit roundoff of `f64`: half the distance from 1 to the next number.
const UNIT: f64 = 0.5 * f64::EPSILON;

/// What rounding may add to a distance between surfaces or triangles, given the sum of the lengths involved. In units of the unit
/// roundoff u, with powers of the standard library within one unit in the last place (2u):
/// - `norm(x, y, p)` is off by a relative 9u: what the ratio of its arguments and the inner power lose is divided by p again (the
///   derivative of its logarithm by that of the ratio is at most a half), and so is what the rounded power 2/e loses;
/// - a point of a superellipse by 11u, the width of a rim by 28u (its logarithm is exact to 6u), a surface point, the product of
///   both with a radius, by 41u; a corner of a cell's box likewise, a support value by 40u, both by the same estimates;
/// - the relative pose turns by 41u and tilts a plane by twice that, 124u of the reach, and shifts by 36u of the offset, as in
///   the analysis of the distance of two shapes (docs/maths.md); a triangle's corner that is placed by it moves likewise;
/// - differences, lengths and products with a unit normal: 12u, three times one after the other.
///
/// Together less than 280u; bounds of feet on triangles are such products, too, and hold for slivers. Twice that is allowed for.
pub(crate) fn rounding_of_distance(lengths: f64) -> f64 {
    560.0 * UNIT * lengths
}

/// What rounding may take from the gap between two moving bodies along a fixed unit normal, given the sum of the lengths involved
/// (offsets, ways, reach) and the angle in radians that either turns by at most:
/// - the turn `exp(ω t) q`: the products `ω t` and their length (3u) and the half angle's sine and cosine make 4u of the angle and 4u
///   besides, the axis 6u, a product of quaternions 16u, composing with the pose in a moving frame 16u, turning a vector 8u, and 4u for the
///   quaternion's length: 54u, by which a support function, Lipschitz with the reach, or an offset changes;
/// - a support value, of a hull too: 64u;
/// - a normal of unit length to 3u, the way `v t` (2u), differences, products and sums of offsets: 24u.
pub(crate) fn rounding_of_motion(lengths: f64, angle: f64) -> f64 {
    (144.0 + 4.0 * angle) * UNIT * lengths
}

/// An outcome from its pieces; without bounds nothing is proved.
pub fn assembled(
    distance: f64,
    points: [DVec3; 2],
    normal: DVec3,
    status: Status,
    iterations: u32,
    bounds: Option<Bounds>,
    warm_start: WarmStart,
) -> Outcome {
    let mut outcome = Outcome::uncertified(distance, points, normal, status, iterations, warm_start);
    outcome.bounds = bounds;
    outcome
}

/// An interval; `lower` is at most `upper`.
pub(crate) fn bounds(lower: f64, upper: f64) -> Bounds {
    debug_assert!(lower <= upper, "{lower} {upper}");
    Bounds::new(lower, upper)
}
