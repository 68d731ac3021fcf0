//! Two ellipsoids, without a power: their distance by Newton's method on the dual, and whether they are apart by a search for one
//! number.
//!
//! The support function of an ellipsoid with the matrix Q (squared radii along its axes) is `h(n) = √(nᵀQn)`, its gradient, the
//! point with that normal, is `x = Qn/h`, and its curvature `(Q - xxᵀ)/h`. Both bodies sit at one common normal, every pair of
//! points certifies itself, and a round of Newton's method is a product with each matrix and one 3×3 system. It starts at
//! [`ellipsoid_normal`]; steps that would lower the dual bound are halved. Needles that this does not settle in a few rounds
//! are left to [`super::newton`].
//!
//! **Apart or not** (*Perram 1985*, *Gilitschenski 2012*): with λ between 0 and 1 and
//! `n = (λA + (1-λ)B)⁻¹ c` either the plane across n parts the ellipsoids, or the point `λAn` lies in both, or λ is not the
//! right one yet. At the right one the ellipsoids, grown until they touch, touch at that point with the normal n, and
//! `λ = h_b/(h_a + h_b)`; that is iterated.

use crate::solver::pair::placement::{Placement, ellipsoid_normal, unit};
use crate::solver::separation::found::{SLIDE, Separation};
use crate::solver::separation::growth::Touch;
use crate::solver::separation::side::Side;
use crate::solver::simd::{M3, Mask, Real, Sym3, V3};

/// Rounds of the distance: twice what all but needles take.
pub(crate) const MOST_ROUNDS: u32 = 12;
/// Square of a turn, as seen where the bodies are scaled to balls, after which there is no need of another: what it misses is of
/// second order.
const LAST_TURN_SQ: f64 = 1e-13;
/// Longest turn in one round, in radians.
const LONGEST_TURN: f64 = 0.5;
/// What a dual bound may be lower than the last one by rounding, in units of the size.
const SAME: f64 = 1e-14;
/// Rounds of the search for a side.
const MOST_SIDE_ROUNDS: u32 = 6;

/// Two ellipsoids in the frame of the first.
#[derive(Clone, Copy)]
pub(crate) struct EllipsoidPair<'a, R> {
    radii: [V3<R>; 2],
    radii_sq: [V3<R>; 2],
    /// b's matrix in a's frame.
    matrix_b: Sym3<R>,
    placement: &'a Placement<R>,
}

/// Both points at a common normal.
#[derive(Clone, Copy)]
struct Points<R> {
    /// Reciprocal support values.
    per_a: R,
    per_b: R,
    x_a: V3<R>,
    /// From b's point to b's origin.
    y: V3<R>,
    /// From a's point to b's, at the scale at which both planes touch where the ellipsoids grow.
    w: V3<R>,
    /// Part of `w` along the normal: zero where the ellipsoids grow.
    gap: R,
    /// The dual bound: the gap, or the scale.
    bound: R,
}

impl<R: Real> Points<R> {
    #[inline(always)]
    fn select(mask: R::Mask, yes: &Points<R>, no: &Points<R>) -> Points<R> {
        if let Some(all) = mask.unanimous() {
            return if all { *yes } else { *no };
        }
        Points {
            per_a: R::select(mask, yes.per_a, no.per_a),
            per_b: R::select(mask, yes.per_b, no.per_b),
            x_a: V3::select(mask, yes.x_a, no.x_a),
            y: V3::select(mask, yes.y, no.y),
            w: V3::select(mask, yes.w, no.w),
            gap: R::select(mask, yes.gap, no.gap),
            bound: R::select(mask, yes.bound, no.bound),
        }
    }
}

/// Where Newton's method ended, lane by lane.
struct Climbed<R: Real> {
    normal: V3<R>,
    settled: R::Mask,
    evaluations: R,
}

/// Both bodies at a common unit normal, from the radii themselves.
struct Supports<R> {
    heights: [R; 2],
    x_a: V3<R>,
    /// From b's point to b's origin.
    y: V3<R>,
}

/// Where two ellipsoids touch that have grown, or nearly so.
#[derive(Clone, Copy)]
pub(crate) struct Grown<R> {
    /// Of any length.
    pub normal: V3<R>,
    /// The same in b's frame.
    pub normal_b: V3<R>,
    /// Point of a that has this normal, on a scale with a's part in the growth.
    pub point: V3<R>,
    /// Support values along the normal, of a and of b.
    pub support: [R; 2],
    /// The part of b in the next try.
    pub share: R,
}

impl<'a, R: Real> EllipsoidPair<'a, R> {
    #[inline(always)]
    pub fn new(radii: [V3<R>; 2], placement: &'a Placement<R>) -> EllipsoidPair<'a, R> {
        let M3 { x, y, z } = placement.rotation;
        // No closures: they are not compiled for vector lanes.
        let [a, b] = radii;
        let b_sq = b.times(b);
        let matrix_b = Sym3::zero().add_outer(x, b_sq.x).add_outer(y, b_sq.y).add_outer(z, b_sq.z);
        EllipsoidPair { radii, radii_sq: [a.times(a), b_sq], matrix_b, placement }
    }

    /// Good enough to search by; squared radii lose digits of needles.
    #[inline(always)]
    fn points<const GROW: bool>(&self, n: V3<R>) -> Points<R> {
        let one = R::splat(1.0);
        let (scaled_a, scaled_b) = (self.radii_sq[0].times(n), self.matrix_b.apply(n));
        let (h_a, h_b) = (scaled_a.dot(n).sqrt(), scaled_b.dot(n).sqrt());
        let (per_a, per_b) = (one / h_a, one / h_b);
        let (x_a, y) = (scaled_a * per_a, scaled_b * per_b);
        let centre = self.placement.centre;
        if GROW {
            let along = centre.dot(n);
            let width = h_a + h_b;
            let w = centre * (width / along) - y - x_a;
            return Points { per_a, per_b, x_a, y, w, gap: R::splat(0.0), bound: along / width };
        }
        let w = centre - y - x_a;
        let gap = w.dot(n);
        Points { per_a, per_b, x_a, y, w, gap, bound: gap }
    }

    /// The turn to the normal that both points are in line with.
    #[inline(always)]
    fn turn(&self, n: V3<R>, at: &Points<R>) -> V3<R> {
        let one = R::splat(1.0);
        let system = (Sym3::diagonal(self.radii_sq[0] * at.per_a) + self.matrix_b.times(at.per_b))
            .add_outer(at.x_a, -at.per_a)
            .add_outer(at.y, -at.per_b)
            .add_outer(n, one)
            .add_diagonal(at.gap.max(R::splat(0.0)));
        let turn = system.solve(at.w - n * at.gap);
        let long = turn.length_sq() * R::splat(1.0 / (LONGEST_TURN * LONGEST_TURN));
        if one.lt(long).any() { turn * (one / long.max(one).sqrt()) } else { turn }
    }

    /// Square of a turn, the larger of what it is where either body is scaled to a ball: along a needle a small turn leads far.
    #[inline(always)]
    fn scaled_sq(&self, turn: V3<R>, at: &Points<R>) -> R {
        let of_a = self.radii_sq[0].times(turn).dot(turn) * (at.per_a * at.per_a);
        let of_b = self.matrix_b.apply(turn).dot(turn) * (at.per_b * at.per_b);
        of_a.max(of_b).max(turn.length_sq())
    }

    /// The distance, lane by lane, from the normal of an earlier answer or from that of two linear problems.
    #[inline(always)]
    pub fn separate(&self, start: Option<V3<R>>, tolerance: R) -> Separation<R> {
        let start = match start {
            Some(normal) => unit(normal),
            None => ellipsoid_normal(self.radii_sq[0], self.radii_sq[1], self.placement),
        };
        let climbed = self.climb::<false>(start);
        let mut end = Separation { evaluations: climbed.evaluations, ..Separation::unknown() };
        self.certify(&mut end, climbed.normal, climbed.settled, tolerance);
        end
    }

    /// Where the ellipsoids touch that have grown about their centres, from the normal of an earlier answer or from the
    /// line between the centres.
    #[inline(always)]
    pub fn grow(&self, start: Option<V3<R>>, tolerance: R) -> Touch<R> {
        let start = match start {
            Some(normal) => normal,
            None => self.grown(self.along(self.placement.centre).share).normal,
        };
        let Climbed { normal, evaluations, .. } = self.climb::<true>(unit(start));
        let Supports { heights, x_a, y } = self.supports(normal);
        let scale = normal.dot(self.placement.centre) / (heights[0] + heights[1]);
        let centre = self.placement.centre * (R::splat(1.0) / scale);
        let upper = (centre - y - x_a).length_sq().sqrt();
        let lower = normal.dot(centre) - heights[0] - heights[1];
        let unique_points = !self.may_slide(heights, tolerance);
        let converged = upper.lt(tolerance) & (-tolerance).lt(lower) & R::splat(0.0).lt(scale);
        Touch { scale, lower, upper, witness: normal, normal, x_a, y, unique_points, converged, evaluations }
    }

    /// Newton's method for the greatest dual bound, or where the ellipsoids GROW, the greatest scale.
    #[inline(always)]
    fn climb<const GROW: bool>(&self, start: V3<R>) -> Climbed<R> {
        let one = R::splat(1.0);
        let mut best = start;
        let mut evaluations = one;
        let mut at = self.points::<GROW>(best);
        let mut turn = self.turn(best, &at);
        let mut settled = one.lt(R::splat(0.0));
        for _ in 1..MOST_ROUNDS {
            settled = settled | self.scaled_sq(turn, &at).lt(R::splat(LAST_TURN_SQ));
            if !(!settled).any() {
                break;
            }
            evaluations = R::select(settled, evaluations, evaluations + one);
            let next = unit(best + turn);
            let there = self.points::<GROW>(next);
            let same = if GROW { at.bound * R::splat(SAME) } else { R::splat(SAME) };
            let higher = (at.bound - same).lt(there.bound) & !settled;
            best = V3::select(higher, next, best);
            at = Points::select(higher, &there, &at);
            turn = V3::select(settled, turn, turn * R::splat(0.5));
            if higher.any() {
                turn = V3::select(higher, self.turn(best, &at), turn);
            }
        }
        Climbed { normal: V3::select(settled, unit(best + turn), best), settled, evaluations }
    }

    /// Nearly flat ones, which the general method tells whether their points are unique.
    #[inline(always)]
    fn may_slide(&self, [h_a, h_b]: [R; 2], tolerance: R) -> R::Mask {
        let flat = R::splat(0.5 * SLIDE * SLIDE) / tolerance;
        flat.lt(self.radii_sq[0].sum() / h_a) & flat.lt(self.radii_sq[1].sum() / h_b)
    }

    #[inline(always)]
    fn supports(&self, normal: V3<R>) -> Supports<R> {
        let one = R::splat(1.0);
        let rotation = &self.placement.rotation;
        let scaled = [self.radii[0].times(normal), self.radii[1].times(rotation.apply_transposed(normal))];
        let (h_a, h_b) = (scaled[0].length_sq().sqrt(), scaled[1].length_sq().sqrt());
        let x_a = self.radii[0].times(scaled[0]) * (one / h_a);
        let y = rotation.apply(self.radii[1].times(scaled[1]) * (one / h_b));
        Supports { heights: [h_a, h_b], x_a, y }
    }

    /// Points and bounds at a unit normal, from the radii themselves; lanes that have not `settled` may be exact enough for their bounds,
    /// but not for their points.
    #[inline(always)]
    fn certify(&self, end: &mut Separation<R>, normal: V3<R>, settled: R::Mask, tolerance: R) {
        let Placement { rotation, centre } = self.placement;
        let Supports { heights: [h_a, h_b], x_a, y } = self.supports(normal);
        let x_b = *centre - y;
        let w = x_b - x_a;
        (end.x_a, end.x_b, end.normal, end.witness) = (x_a, x_b, normal, normal);
        (end.lower, end.upper) = (normal.dot(*centre) - h_a - h_b, w.length_sq().sqrt());
        let may_slide = self.may_slide([h_a, h_b], tolerance);
        end.converged = settled & (end.upper - end.lower).lt(tolerance) & R::splat(0.0).lt(end.lower) & !may_slide;
        if (!end.converged).any() {
            let middle = w.mul_add(R::splat(0.5), x_a);
            let in_b = rotation.apply_transposed(middle - *centre);
            let common = within(self.radii[0], middle) & within(self.radii[1], in_b);
            end.overlapping = !end.converged & common;
        }
    }

    /// Whether the ellipsoids are apart, lane by lane; `rounding` is what a bound may lose and `axis` the normal of a plane that
    /// parted them before.
    #[inline(always)]
    pub fn side(&self, rounding: R, axis: Option<V3<R>>) -> Side<R> {
        let mut side = Side::unknown();
        let mut step = self.along(axis.unwrap_or(self.placement.centre));
        let mut round = 0;
        loop {
            side.notice_gap(self.placement.centre, step.normal, step.support, rounding);
            if side.is_known() || round == MOST_SIDE_ROUNDS {
                return side;
            }
            step = self.grown(step.share);
            let in_b = self.placement.rotation.apply_transposed(step.point - self.placement.centre);
            side.notice_common(within(self.radii[0], step.point) & within(self.radii[1], in_b));
            round += 1;
        }
    }

    /// A first try: along a given normal.
    #[inline(always)]
    pub fn along(&self, normal: V3<R>) -> Grown<R> {
        self.balanced(normal, R::splat(0.0))
    }

    /// Where the ellipsoids touch if `share` is the part of b in their growth.
    #[inline(always)]
    pub fn grown(&self, share: R) -> Grown<R> {
        let rest = R::splat(1.0) - share;
        let system = Sym3::diagonal(self.radii_sq[0] * share) + self.matrix_b.times(rest);
        self.balanced(system.solve(self.placement.centre), share)
    }

    #[inline(always)]
    fn balanced(&self, normal: V3<R>, share: R) -> Grown<R> {
        let normal_b = self.placement.rotation.apply_transposed(normal);
        let (scaled_a, scaled_b) = (self.radii[0].times(normal), self.radii[1].times(normal_b));
        let support = [scaled_a.length_sq().sqrt(), scaled_b.length_sq().sqrt()];
        let point = self.radii_sq[0].times(normal) * share;
        let sum = (support[0] + support[1]).max(R::splat(1e-300));
        Grown { normal, normal_b, point, support, share: support[1] / sum }
    }
}

/// True where a point lies strictly inside an ellipsoid.
#[inline(always)]
fn within<R: Real>(radii: V3<R>, point: V3<R>) -> R::Mask {
    V3::new(point.x / radii.x, point.y / radii.y, point.z / radii.z).length_sq().lt(R::splat(1.0))
}
