//! The one place that says "proved": bounds of the distance, and what rounding may have taken from them.
//!
//! **Lower bounds.** Along any unit normal n, `L(n) = n·c - h_a(n) - h_b(-n)` is at most the signed distance of two convex
//! bodies (in overlap: at least minus the depth). **Upper bounds.** Any two points of the bodies are at least as far apart as
//! the bodies are; in overlap, a closed surface of support points around the origin bounds the depth from below.
//!
//! Both are evaluated in `f64` and then moved outward by [`rounding`]. What follows counts what each operation can lose, in
//! units of the unit roundoff u; docs/maths.md tells the same with the reasons.
//!
//! **Powers.** `log2` is off by at most 4.1u max(1, |log2 x|), `exp2` by a relative 4.6u (tested against 77 digits over their
//! whole range, one number and four at a time).
//!
//! **A point of a plane norm's unit curve** is defined by the logarithm L of the ratio of its weights *as computed*: there is
//! an exact point with just that L. From L on, the larger component of position and normal is off by at most 15u, the smaller
//! one by 21u of itself and 1.1u besides (|arg| 2^-|arg| ≤ 0.54: where a component's logarithm is large, it is small).
//!
//! **A surface point.** Positions are products of two such components with a radius: 34u of `a_i`, 36u with the scaling. Its
//! support value is a sum of products `x_i n_i`, all of one sign without a taper; a relative change of the components of n
//! changes support value and product alike to first order (the envelope theorem), so that only the error of x counts: 36u of
//! the support value and 3u for the sum. With a taper the normal's third component is a difference; in the scaled frame, where
//! the support function is Lipschitz with the reach, it is off by no more than the others. Together at most
//! [`ROUNDINGS_OF_REACH`] of the reach.
//!
//! **Ellipsoids** take no powers: a support value is the length of three products (4u of it), a point these products times the
//! radii over that (8u of `a_i`): less than what is allowed for the others.
//!
//! **Bounds without powers** of a support value or gauge (`solver::separation::separating_axis`): each level is a root of a sum of two squares
//! and a mean of positive terms, 7u of it; with the scaling 16u.
//!
//! **The placement.** A quaternion whose squared length is within 4u of one turns a vector to within 8u of its length; the
//! product of two is off by 8u, which turns by 16u; the matrix's entries are rounded three times: 9u; two lengths of 4u make
//! 16u. That turn moves b's points by its reach, and tilts a plane against a flat face by twice that: three times 41u of b's
//! reach, [`ROUNDINGS_OF_ROTATION`].
//!
//! **The offset** is a difference of translations (1u), turned (8u for the length, 10u for the products), scaled (2u), and
//! multiplied with a normal that has unit length to 3u (6u with the sum); points are subtracted and measured from it (6u):
//! at most [`ROUNDINGS_OF_OFFSET`] of it.

use glam::DVec3;

use crate::outcome::Bounds;
use crate::solver::body::Body;
use crate::solver::pair::placement::Placement;
use crate::solver::params::Params;
use crate::solver::separation::step::Relation;
use crate::solver::simd::{Mask, Real, V3};

/// Unit roundoff of `f64`: half the distance from 1 to the next number.
pub(crate) const UNIT: f64 = 0.5 * f64::EPSILON;
/// What a bound may lose of both bodies' reach, in units of [`UNIT`].
const ROUNDINGS_OF_REACH: f64 = 40.0;
/// What it may lose of b's reach by the turn between the bodies.
const ROUNDINGS_OF_ROTATION: f64 = 124.0;
/// What it may lose of the distance between the bodies' origins.
const ROUNDINGS_OF_OFFSET: f64 = 36.0;

/// What a bound may have lost by rounding, in units of the pair's size (the sum of the largest radii), for bodies whose origins
/// are `centre` apart, of which b makes up `part_b` of the size, and that reach `reach` times their largest radius from their
/// origins at most ([`crate::solver::params::Params::reach_factor`]).
#[inline(always)]
pub(crate) fn rounding<R: Real>(centre: V3<R>, part_b: R, reach: R) -> R {
    let of_offset = centre.length_sq().sqrt() * R::splat(ROUNDINGS_OF_OFFSET * UNIT);
    let of_reach = part_b.mul_add(R::splat(ROUNDINGS_OF_ROTATION * UNIT), R::splat(ROUNDINGS_OF_REACH * UNIT));
    of_reach.mul_add(reach, of_offset)
}

/// Computed bounds in units of the pair's `size`, moved outward by `rounding` and brought to metres.
pub(crate) fn bounds(lower: f64, upper: f64, rounding: f64, size: f64) -> Bounds {
    Bounds { lower: (lower - rounding) * size, upper: (upper + rounding) * size }
}

/// Bounds in metres of a distance that differs by a known length, moved outward by the rounding of that.
pub(crate) fn shifted(bounds: Bounds, by: f64, rounding: f64) -> Bounds {
    Bounds { lower: bounds.lower + by - rounding, upper: bounds.upper + by + rounding }
}

/// What a length computed from coordinates of points and translations in a few operations may have lost, given the sum of
/// all their lengths.
pub(crate) fn rounding_of_lengths(sum: f64) -> f64 {
    ROUNDINGS_OF_OFFSET * UNIT * sum
}

/// What the planar queries may lose, given the sum of the lengths involved: powers of the standard library within one unit in
/// the last place (6u of a support value), a turn (4u), two sums of two products (6u).
pub(crate) fn rounding_in_plane(sum: f64) -> f64 {
    16.0 * UNIT * sum
}

/// Bounds of the distance of bodies without an inside, in metres: it is never negative.
pub(crate) fn bounds_without_inside(lower: f64, upper: f64, rounding: f64) -> Bounds {
    Bounds { lower: (lower - rounding).max(0.0), upper: upper + rounding }
}

/// Bounds in metres of the signed distance of bodies that overlap, from a depth `σ(n)` along some normal and the radius
/// `proved` of a ball about the origin within an expanded polytope, both in units of the pair's `size`.
///
/// **The polytope.** Let `q_i` be its corners as computed and `p_i` the exact points of the difference body that they stand
/// for. Each facet carries a computed unit vector v; its offset is the least computed `v·q_i` of its three corners.
/// 1. A product of three terms is off by at most `3u |v||q|`, and `|v| ≤ 1 + 3u`. So no point of the facet between the `q_i`,
///    whose product with v is at least the least one of the corners, is nearer to the origin than the offset less
///    `7u max|q|`, however wrong v is as a normal: thin facets need no allowance of their own.
/// 2. `|p_i - q_i| ≤ ε`, the error of two surface points and of the placement. The surface between the `p_i` is nowhere
///    farther than ε from that between the `q_i`, and neither it nor any surface on the straight way from one to the other
///    meets the ball with the radius `r = least offset - 7u max|q| - ε`.
/// 3. The surface is closed: every side belongs to two facets, in opposite senses. So the number of times that it winds round
///    a point is the same all over the ball, and the same for both surfaces. It is the sum of the solid angles of the facets as
///    seen from the origin over 4π. A facet with a positive offset along its own normal is seen from the inside and adds to it;
///    the sign is only in doubt for facets whose area is below 1e-13 of the squares of their sides, which subtend nothing
///    that could make up for all others. So it is a positive whole number.
/// 4. A closed surface winds only round points of the convex hull of its corners: the ball lies in the difference body.
/// 5. **A cap.** Let the body hold the points r m of a ball for all unit vectors m within an angle θ below 90° of n. Its apex, the point
///    `r n / cos θ`, may be a corner of the polytope, which then lies in the convex hull of the body and the apex, and so does the ball by
///    steps 1 to 4. Were there a unit vector m along which the body reaches less than r, m would be farther than θ from n, as the body holds
///    r m nearer to it; then the apex reaches less than r along m, too, and so would their hull: but it holds the ball. So the body reaches r
///    along every m, and holds the ball itself. Rounding of the apex and of r counts as a change of θ, a millionth of what
///    `cap::MARGIN` leaves free.
///
/// `max|q|` is at most what both bodies reach plus the distance of the origins, and for an apex, whose cos θ is above a quarter, four times
/// r, which is at most what both bodies reach. So ε (see [`rounding`]) and `7u max|q|` together stay below twice the rounding of the frame.
pub(crate) fn depth_bounds(depth: f64, proved: f64, rounding: f64, size: f64) -> Bounds {
    let proved = (proved - rounding).max(0.0);
    bounds(-depth, -proved, rounding, size)
}

/// A lower bound of the depth of a point in a convex body that holds the ball of radius `inner` about its origin, from the
/// point's gauge g there: the point lies in g times the body, the sum of which with `1 - g` times the body is the body, so
/// that the ball of radius `(1 - g)·inner` about the point lies in it.
#[inline(always)]
pub(crate) fn depth_by_gauge<R: Real>(gauge: R, inner: R) -> R {
    (R::splat(1.0) - gauge).max(R::splat(0.0)) * inner
}

/// The same in a tapered body, from the gauge γ of the point whose taper has been undone and the `stretch` `1 - τ`, where τ is the
/// larger taper times the point's height s (as a part of the third radius). Scaled about the origin by `1/λ`, the point comes to the height
/// `s/λ`, and undoing the taper there divides by `1 + t s/λ` instead of `1 + t s`: across the axis it grows by `(1 + t s)/(λ + t s)`, at most
/// by `(1 - τ)/(λ - τ)`, and along it by `1/λ`, which is less. So it is in the body where `γ (1 - τ) ≤ λ - τ`: the point lies in λ
/// times the body with `1 - λ = (1 - τ)(1 - γ)`.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub(crate) fn depth_by_tapered_gauge<R: Real>(gauge: R, stretch: R, inner: R) -> R {
    depth_by_gauge(gauge, inner) * stretch
}

/// What is known of a growth before anything is proved.
pub(crate) const UNKNOWN_GROWTH: Bounds = Bounds { lower: 0.0, upper: f64::INFINITY };
/// Bodies with a common origin share it at any scale.
pub(crate) const NO_GROWTH: Bounds = Bounds { lower: 0.0, upper: 0.0 };

/// What two intervals prove together.
pub(crate) fn both(one: Bounds, other: Bounds) -> Bounds {
    Bounds { lower: one.lower.max(other.lower), upper: one.upper.min(other.upper) }
}

/// What the sum of two support values along a unit normal may lose of both bodies' reach (see [`growth_bounds`]).
const ROUNDINGS_OF_WIDTH: f64 = 64.0;

/// The sum of two bodies' support values about their centres along a unit normal and against it, as computed.
pub(crate) struct Width {
    pub value: f64,
    /// Sum of the radii of balls about the centres that hold the bodies.
    pub reach: f64,
    /// Sum of the radii of balls about the centres that the bodies hold: no width is less.
    pub inner: f64,
    /// What support values may be off by beside the rounding of closed forms.
    pub error: f64,
}

impl Width {
    fn rounding(&self) -> f64 {
        ROUNDINGS_OF_WIDTH * UNIT * self.reach + self.error
    }

    fn at_least(&self) -> f64 {
        (self.value - self.rounding()).max(self.inner)
    }

    fn at_most(&self) -> f64 {
        self.value + self.rounding()
    }
}

/// Bounds of the growth g, the factor by which two bodies have to be scaled about their centres to touch, from the certified
/// distance `gap` of the bodies themselves with their centres `c/s` apart, and their `width` along its witness n. `lengths` are those of c,
/// of the difference of the translations and of both centres in their own frames.
///
/// With `W(n) = h_a(n) + h_b(-n)`, the bodies scaled by t are `n·c - t W(n)` apart along n, and the gap is that at the scale s over s.
/// 1. **From below.** `n·c/s - W(n) ≥ gap.lower`, so that the gap along n at the scale `s + s gap.lower/W(n)` is not negative: g is not
///    smaller. Where `gap.lower` is positive, an upper bound of W is needed, else a lower one.
/// 2. **From above.** No W is below `inner`, so that the widest gap shrinks by `inner` at least for each unit of growth: it is
///    gone at `s + s max(gap.upper, 0)/inner`.
/// 3. **The offset.** c is a difference of translations (1u of it) and of two turned centres (8u for the quaternion's length, 10u for the
///    products, 1u each), added up (1u); `c/s` is a quotient (1u), and b's new translation is that less the turned centre (2u, and its
///    turn once more). All of it is below 36u of the lengths involved, those that were there before the division divided by s.
///    Translations move the distance by no more than themselves.
/// 4. **The width.** n has unit length to 3u; turned into each frame it is off by 8u, and by 4u of the quaternion's length. So
///    the support values, which are Lipschitz with the reach, are off by 15u of it. They are two plane norms in each other, 9u
///    each with powers of the standard library (2u), and the scaled direction (3u). With a taper they are the value at a
///    height s of the profile, whose logarithm is exact to 4u: `s |ln s| ≤ 0.37` makes that 2u of the axial term and of the
///    radius there, next to the norm's 9u and five products and sums; a height beside the best one costs its square. Boxes and frustums
///    take a hypotenuse, a quotient and three products (8u), corners of hulls and simplices three products (3u), and what else these may
///    be off by, or a caller's own support function, is in [`Width::error`]; a radius around a body adds 2u of itself. Together
///    less than [`ROUNDINGS_OF_WIDTH`] of the reach, and a width is never below `inner`.
/// 5. **A gap at the scale found**, in the frame of a pair ([`Frame`](crate::solver::pair::frame::Frame)): the centre times `1/s` loses 2u of
///    `c/s` beside what [`rounding`] counts, of the 36u allowed in 3. The width along its witness need not be evaluated again: the gap
///    along the witness is at least `gap.lower` and, as the distance is, at most `gap.upper`; so `n·c/s - gap.lower` is at least W, by no more
///    than `gap.upper - gap.lower`, which is the [`Width::error`] there and, being more than twice that rounding, covers that of `n·c/s` too.
/// 6. **The quotients, products and sums** themselves: 5u of their terms.
pub(crate) fn growth_bounds(scale: f64, gap: Bounds, width: &Width, lengths: [f64; 4]) -> Bounds {
    let [between, translations, centre_a, centre_b] = lengths;
    let centres = centre_a + centre_b;
    let of_offset = rounding_of_lengths((between + translations + centres) / scale + centres);
    let (closest, farthest) = (gap.lower - of_offset, (gap.upper + of_offset).max(0.0));
    let rate = if closest > 0.0 { width.at_most() } else { width.at_least() };
    let (down, up) = (scale * (closest / rate), scale * (farthest / width.inner));
    let lower = scale + down - 5.0 * UNIT * (scale + down.abs());
    Bounds { lower: lower.max(0.0), upper: scale + up + 5.0 * UNIT * (scale + up) }
}

/// Bounds of the growth of a body above a half-space, which does not grow: the height of its centre above the plane, computed from
/// lengths with the given sum, over the body's `width`, its support value against the plane's normal. The height is a difference of two turned
/// vectors times a turned normal, less the offset: below 36u of those lengths. One quotient and one sum make 2u.
pub(crate) fn growth_above_plane(height: f64, width: &Width, lengths: f64) -> Bounds {
    let of_height = rounding_of_lengths(lengths);
    let lower = (height - of_height).max(0.0) / width.at_most();
    let upper = (height + of_height) / width.at_least();
    Bounds { lower: lower * (1.0 - 4.0 * UNIT), upper: upper * (1.0 + 4.0 * UNIT) }
}

/// Radius of a ball about its origin that a convex superquadric holds: the one within the octahedron between the ends of its
/// axes, which no taper moves. Squares, quotients, two sums and a root lose less than 4u of it. Without a taper, and with exponents
/// up to one, the body holds the ellipsoid with its radii, as its norms are no larger than ‖·‖₂; so the least radius will do.
pub(crate) fn inner_radius(body: &Params) -> f64 {
    let [x, y, z] = body.radii;
    if !body.is_tapered() && body.exponents.iter().all(|exponent| *exponent <= 1.0) {
        return x.min(y).min(z);
    }
    (1.0 - 8.0 * UNIT) / (1.0 / (x * x) + 1.0 / (y * y) + 1.0 / (z * z)).sqrt()
}

/// A lower bound of a length computed from others of at most `reach` in some ten operations.
pub(crate) fn at_least(length: f64, reach: f64) -> f64 {
    length - 32.0 * UNIT * reach
}

/// Radius of a ball about its centre that a convex body holds, from points of it about the centre, off by `error` at most, that are
/// farthest along each axis and against it: the one within the octahedron between them, by steps 1 to 4 of [`depth_bounds`]. Zero where
/// the octahedron does not hold the centre.
pub(crate) fn inner_radius_of_points(points: [[DVec3; 2]; 3], error: f64) -> f64 {
    let mut least = f64::INFINITY;
    for corner in 0..8usize {
        let sides = [corner & 1, corner >> 1 & 1, corner >> 2];
        let [p, q, r]: [DVec3; 3] = std::array::from_fn(|axis| points[axis][sides[axis]]);
        let across = (q - p).cross(r - p).normalize_or_zero();
        // Seen from outside, the corners on x, y and z are in order where an even number of them is on a negative half-axis.
        let outward = if sides.iter().sum::<usize>() % 2 == 0 { across } else { -across };
        least = least.min(outward.dot(p)).min(outward.dot(q)).min(outward.dot(r));
    }
    let farthest = points.as_flattened().iter().map(|point| point.length()).fold(0.0, f64::max);
    let radius = least - 7.0 * UNIT * farthest - error;
    if radius > 0.0 { radius } else { 0.0 }
}

impl<R: Real> Placement<R> {
    /// The dual bound: both bodies are at least this far apart along the unit normal.
    #[inline(always)]
    pub fn gap_along<A: Body<R>, B: Body<R>>(&self, body_a: &A, body_b: &B, normal: V3<R>) -> R {
        let (a, b) = (body_a.with_normal(normal), body_b.with_normal(-self.a_to_b::<B>(normal)));
        self.gap_near((body_a, &a), (body_b, &b), normal, R::splat(0.0))
    }

    /// The dual bound by way of points whose normals are close to the given one, at most twice the `slack` too small.
    #[inline(always)]
    pub fn gap_near<A: Body<R>, B: Body<R>>(
        &self,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        normal: V3<R>,
        slack: R,
    ) -> R {
        let in_b = -self.a_to_b::<B>(normal);
        normal.dot(self.centre) - body_a.support_value(a, normal, slack) - body_b.support_value(b, in_b, slack)
    }

    /// The dual bound along the present normal of a where `by_a`, else of b, for lanes `among`: that body's own point is
    /// its support point (as a superquadric's is), so that only the other body is evaluated.
    #[inline(always)]
    pub fn gap_at_own_normal<A: Body<R>, B: Body<R>>(
        &self,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        relation: &Relation<R>,
        by_a: R::Mask,
        among: R::Mask,
        slack: R,
    ) -> (V3<R>, R) {
        let normal = V3::select(by_a, relation.n_a, -relation.n_b);
        let in_b = -self.a_to_b::<B>(normal);
        let mut h_a = A::position(a).dot(normal);
        let mut h_b = B::position(b).dot(in_b);
        if (among & !by_a).any() {
            h_a = R::select(by_a, h_a, body_a.support_value(a, normal, slack));
        }
        if (among & by_a).any() {
            h_b = R::select(by_a, body_b.support_value(b, in_b, slack), h_b);
        }
        (normal, normal.dot(self.centre) - h_a - h_b)
    }

    /// A lower bound of the distance from two points alone, without another surface evaluation: the dual bound along a
    /// unit normal close to theirs, widened by how far theirs are off.
    #[inline(always)]
    pub fn gap_bound<A: Body<R>, B: Body<R>>(
        &self,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        normal: V3<R>,
    ) -> R {
        normal.dot(self.centre) - body_a.support_bound(a, normal) - body_b.support_bound(b, -self.a_to_b::<B>(normal))
    }
}
