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
//! **Bounds without powers** of a support value or gauge (`solver::separation::side`): each level is a root of a sum of two squares
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

use crate::outcome::Bounds;
use crate::solver::body::Body;
use crate::solver::pair::placement::Placement;
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
///
/// `max|q|` is at most what both bodies reach plus the distance of the origins, so that ε (see [`rounding`]) and `7u max|q|` together
/// stay below twice the rounding of the frame.
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

/// Bounds of the growth g, the factor by which two bodies have to be scaled about their origins to touch, from the certified
/// distance `gap` of the bodies scaled by s, the computed `width` `h_a(n) + h_b(-n)` of the unscaled bodies along its witness n, the
/// sum of their `reach` and the sum `inner` of the radii of balls about their origins that they hold.
///
/// With `W(n) = h_a(n) + h_b(-n)` and c from one origin to the other, the gap along n at the scale t is `n·c - t W(n)`.
/// 1. **From below.** `n·c - s W(n) ≥ gap.lower`, so that the gap along n at the scale `s + gap.lower/W(n)` is not negative: g is not
///    smaller. Where `gap.lower` is positive, an upper bound of W is needed, else a lower one.
/// 2. **From above.** No W is below `inner`, so that the widest gap shrinks by `inner` at least for each unit of growth: it is
///    gone at `s + max(gap.upper, 0)/inner`.
/// 3. **Scaled radii** are rounded once: each of a body's points moves by u of its distance from the origin at most, and the
///    distance by `u s reach`.
/// 4. **The width.** n has unit length to 3u; turned into each frame it is off by 8u, and by 4u of the quaternion's length. So
///    the support values, which are Lipschitz with the reach, are off by 15u of it. They are two plane norms in each other, 9u
///    each with powers of the standard library (2u), and the scaled direction (3u). With a taper they are the value at a
///    height s of the profile, whose logarithm is exact to 4u: `s |ln s| ≤ 0.37` makes that 2u of the axial term and of the
///    radius there, next to the norm's 9u and five products and sums; a height beside the best one costs its square. Together
///    less than [`ROUNDINGS_OF_WIDTH`] of the reach, and a width is never below `inner`.
/// 5. **The quotients and sums** themselves: 4u of their terms.
pub(crate) fn growth_bounds(scale: f64, gap: Bounds, width: f64, reach: f64, inner: f64) -> Bounds {
    let of_radii = UNIT * scale * reach;
    let (closest, farthest) = (gap.lower - of_radii, (gap.upper + of_radii).max(0.0));
    let of_width = ROUNDINGS_OF_WIDTH * UNIT * reach;
    let rate = if closest > 0.0 { width + of_width } else { (width - of_width).max(inner) };
    let (down, up) = (closest / rate, farthest / inner);
    let lower = scale + down - 4.0 * UNIT * (scale + down.abs());
    Bounds { lower: lower.max(0.0), upper: scale + up + 4.0 * UNIT * (scale + up) }
}

/// Radius of a ball about its origin that a convex superquadric holds: the one within the octahedron between the ends of its
/// axes, which no taper moves. Squares, quotients, two sums and a root lose less than 4u of it.
pub(crate) fn inner_radius(radii: [f64; 3]) -> f64 {
    let sum: f64 = radii.iter().map(|radius| 1.0 / (radius * radius)).sum();
    (1.0 - 8.0 * UNIT) / sum.sqrt()
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
