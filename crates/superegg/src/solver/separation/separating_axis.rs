//! Whether two superellipsoids are apart, before their distance is known.
//!
//! Two proofs are sought: a plane between the bodies, or a point inside both. First without any power, by bounds of the nested
//! norms: a norm ‖·‖_q is log-convex in 1/q, so that it is at most the mean of the two of ‖·‖₁, ‖·‖₂ and ‖·‖_∞ next to it (the
//! arithmetic mean, which is above the geometric one), and at most 5.6 % less than that. That is tried along the line between
//! the origins and where the ellipsoids with the same radii, grown until they touch, touch. Then a few steps of Newton's method for
//! the greatest dual bound, with both bodies at a common normal, where each evaluation is a bound.

use crate::solver::body::superquadric::{Curvature, Superquadric};
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::ellipsoids::EllipsoidPair;
use crate::solver::separation::side::Side;
use crate::solver::simd::{Mask, Real, Sym3, V3};

/// Rounds of Newton's method in a single query; pairs that they leave open nearly touch, or are flat where they do.
pub(crate) const MOST_ROUNDS: u32 = 5;
/// Longest turn in one round, in radians.
const LONGEST_TURN: f64 = 0.4;
/// What rounding may take from a gauge without powers, and what such a gauge may be too large by.
const SURELY: f64 = 1e-14;
const LOOSE: f64 = 1.12;

/// Two superellipsoids in the frame of the first.
struct Pair<'a, R: Real> {
    a: &'a Superquadric<R, false>,
    b: &'a Superquadric<R, false>,
    placement: &'a Placement<R>,
    rounding: R,
}

impl<R: Real> Pair<'_, R> {
    /// Whether a plane across a normal parts the bodies, by bounds without powers.
    #[inline(always)]
    fn notice_gap(&self, side: &mut Side<R>, normal: V3<R>, normal_b: V3<R>) {
        let support = [self.a.support_at_most(normal), self.b.support_at_most(normal_b)];
        side.notice_gap(self.placement.centre, normal, support, self.rounding);
    }

    /// Whether a point lies in both bodies, by bounds without powers; `exactly` by powers too where those leave it open.
    #[inline(always)]
    fn notice_common(&self, side: &mut Side<R>, point: V3<R>, exactly: R::Mask) {
        let in_b = self.placement.rotation.apply_transposed(point - self.placement.centre);
        let gauge = self.a.gauge_at_most(point).max(self.b.gauge_at_most(in_b));
        side.notice_common(gauge.lt(R::splat(1.0 - SURELY)));
        let open = exactly & gauge.lt(R::splat(LOOSE)) & !(side.apart | side.overlapping);
        if open.any() {
            side.notice_common(open & self.a.contains(point) & self.b.contains(in_b));
        }
    }

    /// A round of Newton's method: whether the plane across a unit normal parts the bodies, or the point where they would touch
    /// lies in both; the next normal.
    #[inline(always)]
    fn round(&self, side: &mut Side<R>, normal: V3<R>) -> V3<R> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let Pair { a, b, placement: Placement { rotation, centre }, .. } = *self;
        let at_a = a.with_untapered_normal(normal);
        let at_b = b.with_untapered_normal(-rotation.apply_transposed(normal));
        let w = *centre + rotation.apply(at_b.position) - at_a.position;
        let gap = w.dot(normal);
        side.notice_gap(w, normal, [zero; 2], self.rounding);
        if side.is_known() {
            return normal;
        }
        let curve_a = a.curvature(&at_a);
        let local = b.curvature(&at_b);
        let curve_b = Curvature { t: rotation.apply(local.t), b: rotation.apply(local.b), ..local };
        let system = Sym3::zero()
            .add_outer(curve_a.t, curve_a.alpha)
            .add_outer(curve_a.b, curve_a.beta)
            .add_outer(curve_b.t, curve_b.alpha)
            .add_outer(curve_b.b, curve_b.beta)
            .add_outer(normal, one)
            .add_diagonal(gap.max(zero));
        let turn = system.solve(w - normal * gap);
        let long = turn.length_sq() * R::splat(1.0 / (LONGEST_TURN * LONGEST_TURN));
        let turn = turn * (one / long.max(one).sqrt());
        let (move_a, shrink_b) = (curve_a.apply(turn), curve_b.apply(turn));
        let middle = (w + move_a - shrink_b).mul_add(R::splat(0.5), at_a.position);
        self.notice_common(side, middle, gap.lt(zero));
        unit(normal + turn)
    }
}

/// Whether two superellipsoids are apart, lane by lane, as far as so many evaluations tell; `rounding` is what a bound may lose and
/// `axis` the normal of a plane that parted them before.
#[inline(always)]
pub(crate) fn side_of_superellipsoids<R: Real>(
    a: &Superquadric<R, false>,
    b: &Superquadric<R, false>,
    placement: &Placement<R>,
    rounding: R,
    axis: Option<V3<R>>,
    rounds: u32,
) -> Side<R> {
    let pair = Pair { a, b, placement, rounding };
    let mut side = Side::unknown();
    let ellipsoids = EllipsoidPair::new([a.radii, b.radii], placement);
    let first = ellipsoids.along(axis.unwrap_or(placement.centre));
    pair.notice_gap(&mut side, first.normal, first.normal_b);
    if side.is_known() {
        return side;
    }
    let mut normal = first.normal;
    if axis.is_none() {
        let grown = ellipsoids.grown(first.share);
        pair.notice_gap(&mut side, grown.normal, grown.normal_b);
        pair.notice_common(&mut side, grown.point, R::splat(0.0).lt(R::splat(0.0)));
        normal = grown.normal;
    }
    normal = unit(normal);
    for _ in 0..rounds {
        if side.is_known() {
            break;
        }
        normal = pair.round(&mut side, normal);
    }
    side
}
