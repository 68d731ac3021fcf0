//! Newton's method for the common normal of two convex bodies that are apart.
//!
//! The distance is the least length of `w = x_b - x_a` over both surfaces, and the greatest
//! `n·c - h_a(n) - h_b(-n)` over unit normals. Each body keeps its own point of its position–normal graph; one positive
//! definite 3×3 solve moves both towards a common normal. Steps are damped by a filter: one is taken when it brings the
//! points closer than ever before, or when it makes the common-normal residual smaller than ever before. After repeated
//! refusals both bodies are put at the common normal whatever that costs. The dual value at the final normal certifies
//! the answer.
//!
//! Everything happens in the frame of body a, scaled so that the size of the pair is about one.

use super::body::Body;
use super::placement::{Placement, unit};
use super::step::{Relation, STRAIGHT_SQ, Step};
use crate::lanes::{Mask, Real, V3};

/// How the iteration ended, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Separation<R: Real> {
    /// Point of a, in a's frame.
    pub x_a: V3<R>,
    /// Point of b, in a's frame.
    pub x_b: V3<R>,
    /// Unit normal that gave `lower`.
    pub normal: V3<R>,
    /// Certified lower bound of the distance, or minus infinity.
    pub lower: R,
    /// Distance of the two points.
    pub upper: R,
    /// The gap between both is within the tolerance.
    pub converged: R::Mask,
    /// A point inside both bodies was found.
    pub overlapping: R::Mask,
    /// Surface evaluations spent.
    pub evaluations: R,
}

#[cfg(target_arch = "x86_64")]
impl Separation<crate::lanes::avx2::F64x4> {
    /// Every lane on its own.
    #[inline(always)]
    pub fn lanes(&self) -> [Separation<f64>; crate::lanes::avx2::LANES] {
        let (x_a, x_b, normal) = (self.x_a.lanes(), self.x_b.lanes(), self.normal.lanes());
        let (lower, upper, evaluations) = (self.lower.to_array(), self.upper.to_array(), self.evaluations.to_array());
        let (converged, overlapping) = (self.converged.bits(), self.overlapping.bits());
        std::array::from_fn(|lane| Separation {
            x_a: x_a[lane],
            x_b: x_b[lane],
            normal: normal[lane],
            lower: lower[lane],
            upper: upper[lane],
            converged: converged >> lane & 1 == 1,
            overlapping: overlapping >> lane & 1 == 1,
            evaluations: evaluations[lane],
        })
    }
}

impl<R: Real> Separation<R> {
    /// Takes over a pair of points.
    #[inline(always)]
    fn keep(&mut self, mask: R::Mask, relation: &Relation<R>, length: R) {
        self.x_a = V3::select(mask, relation.x_a, self.x_a);
        self.x_b = V3::select(mask, relation.x_a + relation.w, self.x_b);
        self.upper = R::select(mask, length, self.upper);
    }

    /// Takes over a lower bound; lanes `among` whose interval it closes are converged.
    #[inline(always)]
    fn certify(&mut self, among: R::Mask, direction: V3<R>, bound: R, relation: &Relation<R>, length: R, tolerance: R) {
        let better = among & !self.converged & self.lower.lt(bound);
        self.lower = R::select(better, bound, self.lower);
        self.normal = V3::select(better, direction, self.normal);
        let certified = among & length.lt(self.lower + tolerance);
        self.keep(certified & !self.converged, relation, length);
        self.converged = self.converged | certified;
    }
}

/// The bound along one body's own normal is tried when it promises an interval within this part of the tolerance.
const LIKELY: f64 = 0.9;
/// Part of the tolerance by which a support value may be too large in a certificate.
const SLACK: f64 = 0.02;
/// Decrease that a step must deliver, as a part of what it predicts.
const SUFFICIENT: f64 = 0.01;
/// A refused step is tried again at this part of its length.
const SHORTEN: f64 = 0.35;
/// Refusals after which both bodies are put at the common normal, and how often that may happen.
const REFUSALS_BEFORE_SYNC: f64 = 2.5;
const MOST_SYNCS: f64 = 4.0;
/// A smaller residual excuses points this much farther apart than the closest so far (factor, and part of the size).
const DETOUR: (f64, f64) = (4.0, 0.05);
/// Least separation assumed in the linear system, as a part of the distance of the points.
const LEAST_SEPARATION: f64 = 0.1;
/// Squared difference of unit normals at which they count as opposite, up to rounding.
const OPPOSITE_SQ: f64 = 1e-28;
/// What is left of [`Step::stray`], by experiment: larger parts make certificates dearer, smaller ones hardly cheaper.
const STRAY: f64 = 0.03;
/// Keeps the turn of the normal in one step below about a third of a radian.
const TURN_LIMIT: f64 = 3.0;
/// Stop when the next step promises less than this part of the tolerance.
const WORTHWHILE: f64 = 0.8;
/// Residual below which two normals count as common.
const COMMON_NORMAL: f64 = 1e-9;

/// What the iteration is for, and so when it may end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The distance of convex bodies: the certified gap is within the tolerance.
    Distance,
    /// A common normal of bodies that need not be convex.
    CommonNormal,
    /// Whether convex bodies are apart: the certified lower bound is positive, by however little.
    Side,
}

/// Minimises the distance of two convex bodies that are apart, or notices that they are not.
///
/// Lanes end when they have reached their `goal`, when a common point was found, or after `most` evaluations.
#[inline(always)]
pub(crate) fn separate_lanes<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    start: (A::Point, B::Point),
    tolerance: R,
    most: u32,
    goal: Goal,
) -> Separation<R> {
    let zero = R::splat(0.0);
    let one = R::splat(1.0);
    let none = one.lt(zero);
    // The trial points, the points that the step under trial leaves, and that step.
    let (mut a, mut b) = start;
    let (mut from_a, mut from_b) = start;
    let mut step = Step {
        normal: V3::splat(zero),
        move_a: V3::splat(zero),
        move_b: V3::splat(zero),
        by_position_a: [none; 2],
        by_position_b: [none; 2],
        predicted: zero,
        smaller_curvature: zero,
        gain: zero,
        shortfall: [zero; 2],
        stray: zero,
    };
    let mut end = Separation {
        x_a: V3::splat(zero),
        x_b: V3::splat(zero),
        normal: V3::new(one, zero, zero),
        lower: R::splat(f64::NEG_INFINITY),
        upper: R::splat(f64::MAX),
        converged: none,
        overlapping: none,
        evaluations: one,
    };
    let certifies_by_itself = goal == Goal::Distance && A::MEETS_NORMAL && B::MEETS_NORMAL && B::SOLID;
    let mut closest = R::splat(f64::MAX);
    let mut least_residual = R::splat(f64::MAX);
    let mut t = one;
    let mut refusals = zero;
    let mut syncs = zero;
    let mut forced = !none;
    let mut done = none;

    for _ in 0..most {
        let relation = Relation::new::<A, B>(placement, &a, &b);
        let length = relation.w_sq.sqrt();
        let residual = relation.residual;
        let due = R::splat(SUFFICIENT) * t;
        let closer = length.lt(closest - due * step.predicted);
        let straighter = residual.lt(least_residual * (one - due))
            & length.lt(closest.mul_add(R::splat(DETOUR.0), R::splat(DETOUR.1)));
        let accept = (forced | closer | straighter) & !done;
        let nearest = accept & length.lt(closest);
        closest = R::select(nearest, length, closest);
        least_residual = R::select(accept & residual.lt(least_residual), residual, least_residual);
        end.keep(nearest, &relation, length);

        let crossed = accept & relation.along.lt(zero);
        if crossed.any() {
            let common = if B::SOLID {
                let midpoint = relation.w.mul_add(R::splat(0.5), relation.x_a);
                body_a.contains(midpoint) & body_b.contains(placement.a_to_b::<B>(midpoint - placement.centre))
            } else {
                body_a.contains(relation.x_a + relation.w)
            };
            let common = crossed & common;
            end.normal = V3::select(common, relation.mid, end.normal);
            end.overlapping = end.overlapping | common;
            done = done | common;
        }
        if goal == Goal::Side {
            let bound = placement.gap_bound((body_a, &a), (body_b, &b), relation.n_a).max(placement.gap_bound(
                (body_a, &a),
                (body_b, &b),
                -relation.n_b,
            ));
            let apart = zero.lt(bound) & !done;
            end.lower = R::select(apart, bound, end.lower);
            done = done | apart;
            if !(!done).any() {
                break;
            }
        }

        if certifies_by_itself {
            // Opposite normals certify by themselves: both points are support points along them.
            let opposite = relation.askew_sq.lt(R::splat(OPPOSITE_SQ)) & relation.is_straight() & !done;
            if opposite.any() {
                let askew = relation.askew_sq.sqrt() * (body_b.reach() + body_b.reach());
                let bound = relation.w.dot(relation.n_a) - askew;
                end.certify(opposite, relation.n_a, bound, &relation, length, tolerance);
                done = done | end.converged;
                if !(!done).any() {
                    break;
                }
            }
        }

        let mut new_step = Step::towards_common_normal::<A, B>(
            (body_a, &a),
            (body_b, &b),
            placement,
            &relation,
            |smaller_curvature| {
                (R::splat(0.5) * relation.w.dot(relation.n_a - relation.n_b))
                    .max(R::splat(LEAST_SEPARATION) * length)
                    .max(R::splat(TURN_LIMIT) * relation.across_sq.sqrt() - smaller_curvature)
            },
        );

        if certifies_by_itself {
            // What is left across the normal counts by its square; see `Step::stray`.
            let stray = new_step.stray * R::splat(STRAY);
            let stray_sq = stray * stray;
            let straight = stray_sq.lt(R::splat(STRAIGHT_SQ) * relation.w_sq);
            new_step.follow_normal(stray_sq.lt(tolerance * length) & straight);
        }
        let settled = accept & new_step.predicted.abs().lt(R::splat(WORTHWHILE) * tolerance);
        if goal == Goal::CommonNormal {
            let common = settled & residual.lt(R::splat(COMMON_NORMAL)) & zero.lt(relation.along);
            end.keep(common, &relation, length);
            end.normal = V3::select(common, relation.mid, end.normal);
            end.converged = end.converged | common;
            done = done | common;
        } else if settled.any() {
            let slack = R::splat(SLACK) * tolerance;
            if B::CURVED {
                // A hull's normal is only one of those of its point, and need not be one that supports the whole hull.
                let by_a = if B::SOLID { new_step.shortfall[0].lt(new_step.shortfall[1]) } else { !none };
                let shortfall = R::select(by_a, new_step.shortfall[0], new_step.shortfall[1]);
                let gap = new_step.predicted.abs().mul_add(R::splat(0.5), shortfall);
                if !(settled & !gap.lt(R::splat(LIKELY) * tolerance)).any() {
                    let (direction, bound) =
                        placement.gap_at_own_normal((body_a, &a), (body_b, &b), &relation, by_a, settled, slack);
                    end.certify(settled, direction, bound, &relation, length, tolerance);
                }
            }
            // The first direction nearly always does. The others help where it is not exact enough: against a flat hull,
            // whose own normal is exact, and close to touching.
            for direction in [new_step.normal, -relation.n_b, relation.mid, relation.w] {
                if !(settled & !end.converged).any() {
                    break;
                }
                let (direction, bound) = if B::CURVED {
                    let direction = unit(direction);
                    (direction, placement.gap_near((body_a, &a), (body_b, &b), direction, slack))
                } else {
                    // The point of a is its support point along its own normal.
                    (relation.mid, relation.along)
                };
                end.certify(settled, direction, bound, &relation, length, tolerance);
            }
            done = done | end.converged;
        }
        if !(!done).any() {
            break;
        }

        from_a = A::select(accept, &a, &from_a);
        from_b = B::select(accept, &b, &from_b);
        step = Step::select(accept, &new_step, &step);
        t = R::select(accept, one, t * R::splat(SHORTEN));
        refusals = R::select(accept, zero, refusals + one);
        end.evaluations = R::select(done, end.evaluations, end.evaluations + one);
        (a, b) = step.apply::<A, B>((body_a, &from_a), (body_b, &from_b), placement, t);
        forced = R::splat(REFUSALS_BEFORE_SYNC).lt(refusals) & !done;
        let sync = forced & syncs.lt(R::splat(MOST_SYNCS));
        if sync.any() {
            a = A::select(sync, &body_a.with_normal(step.normal), &a);
            b = B::select(sync, &body_b.with_normal(-placement.a_to_b::<B>(step.normal)), &b);
            syncs = R::select(sync, syncs + one, syncs);
        }
    }
    end
}

#[cfg(target_arch = "x86_64")]
impl Separation<crate::lanes::fused::Fused> {
    /// The same in plain numbers.
    #[inline(always)]
    pub fn plain(&self) -> Separation<f64> {
        Separation {
            x_a: self.x_a.spread(),
            x_b: self.x_b.spread(),
            normal: self.normal.spread(),
            lower: self.lower.0,
            upper: self.upper.0,
            converged: self.converged,
            overlapping: self.overlapping,
            evaluations: self.evaluations.0,
        }
    }
}

/// [`separate_lanes`] for a single pair, compiled once for each pair of bodies.
#[inline(never)]
pub(crate) fn separate<A: Body<f64>, B: Body<f64>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<f64>,
    start: (A::Point, B::Point),
    tolerance: f64,
    most: u32,
    goal: Goal,
) -> Separation<f64> {
    separate_lanes(body_a, body_b, placement, start, tolerance, most, goal)
}
