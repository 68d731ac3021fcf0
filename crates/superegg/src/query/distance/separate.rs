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
use super::graph::Curvature;
use crate::lanes::{M3, Mask, Real, Sym3, V3};

/// Body b as seen from body a.
#[derive(Clone, Copy)]
pub(crate) struct Placement<R> {
    /// Columns: b's axes in a's frame.
    pub rotation: M3<R>,
    /// b's origin in a's frame.
    pub centre: V3<R>,
}

impl<R: Real> Placement<R> {
    /// A direction of a's frame in b's frame.
    #[inline(always)]
    pub fn a_to_b<B: Body<R>>(&self, v: V3<R>) -> V3<R> {
        if B::TURNED { self.rotation.apply_transposed(v) } else { v }
    }

    /// A direction of b's frame in a's frame.
    #[inline(always)]
    pub fn b_to_a<B: Body<R>>(&self, v: V3<R>) -> V3<R> {
        if B::TURNED { self.rotation.apply(v) } else { v }
    }

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
    /// its support point (as an egg's is), so that only the other body is evaluated.
    #[inline(always)]
    fn gap_at_own_normal<A: Body<R>, B: Body<R>>(
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
    fn gap_bound<A: Body<R>, B: Body<R>>(
        &self,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        normal: V3<R>,
    ) -> R {
        normal.dot(self.centre) - body_a.support_bound(a, normal) - body_b.support_bound(b, -self.a_to_b::<B>(normal))
    }
}

impl Placement<f64> {
    /// The same placement in every lane.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub fn spread<S: Real>(&self) -> Placement<S> {
        let M3 { x, y, z } = self.rotation;
        Placement { rotation: M3 { x: x.spread(), y: y.spread(), z: z.spread() }, centre: self.centre.spread() }
    }
}

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
/// How far one body's curvature must outweigh the rest to lead by far.
const BY_FAR: f64 = 10.0;

#[inline(always)]
pub(crate) fn unit<R: Real>(v: V3<R>) -> V3<R> {
    v * (R::splat(1.0) / v.length_sq().max(R::splat(1e-300)).sqrt())
}

/// Direction of the common normal of two ellipsoids with the bodies' radii: two fixed-point steps from the centre line.
#[inline(always)]
pub(crate) fn ellipsoid_normal<R: Real>(a_sq: V3<R>, b_sq: V3<R>, placement: &Placement<R>) -> V3<R> {
    let m = &placement.rotation;
    let zero = R::splat(0.0);
    let concentric = placement.centre.length_sq().lt(R::splat(1e-60));
    let c = V3::select(concentric, V3::new(R::splat(1.0), zero, zero), placement.centre);
    let mut n = c;
    for _ in 0..2 {
        let n_b = m.apply_transposed(n);
        let h_a = a_sq.times(n).dot(n).sqrt();
        let h_b = b_sq.times(n_b).dot(n_b).sqrt();
        let per_length = R::splat(1.0) / n.length_sq().sqrt();
        let gap = ((c.dot(n) - h_a - h_b) * per_length).max(R::splat(1e-2) * (h_a + h_b) * per_length);
        let (k_a, k_b) = (R::splat(1.0) / (h_a * per_length), R::splat(1.0) / (h_b * per_length));
        let system = Sym3::diagonal(a_sq * k_a)
            .add_diagonal(gap)
            .add_outer(m.x, b_sq.x * k_b)
            .add_outer(m.y, b_sq.y * k_b)
            .add_outer(m.z, b_sq.z * k_b);
        n = system.solve(c);
    }
    unit(n)
}

/// For both levels of `own`, whether its curvature outweighs the rest of the system by `factor` along that level's
/// direction.
#[inline(always)]
fn outweighs<R: Real>(own: &Curvature<R>, other: &Curvature<R>, s: R, factor: f64) -> [R::Mask; 2] {
    [outweighs_along(own.t, own.alpha, other, s, factor), outweighs_along(own.b, own.beta, other, s, factor)]
}

#[inline(always)]
fn outweighs_along<R: Real>(v: V3<R>, weight: R, other: &Curvature<R>, s: R, factor: f64) -> R::Mask {
    let v_sq = v.length_sq();
    let (p, q) = (other.t.dot(v), other.b.dot(v));
    let rest = s * v_sq + other.alpha * (p * p) + other.beta * (q * q);
    rest.lt(weight * (v_sq * v_sq) * R::splat(1.0 / factor))
}

/// Lane by lane, one of two pairs of masks.
#[inline(always)]
fn pick<M: Mask>(mask: M, yes: [M; 2], no: [M; 2]) -> [M; 2] {
    [(mask & yes[0]) | (!mask & no[0]), (mask & yes[1]) | (!mask & no[1])]
}

/// Where two points stand to each other, in a's frame.
#[derive(Clone, Copy)]
pub(crate) struct Relation<R> {
    pub x_a: V3<R>,
    pub n_a: V3<R>,
    pub n_b: V3<R>,
    /// From a's point to b's.
    pub w: V3<R>,
    pub w_sq: R,
    /// Unit normal halfway between both.
    pub mid: V3<R>,
    /// Part of `w` along `mid`.
    pub along: R,
    /// Squared length of the part of `w` across `mid`.
    pub across_sq: R,
    /// Squared length of what the two normals miss to be opposite.
    pub askew_sq: R,
    /// Zero at a common normal.
    pub residual: R,
}

impl<R: Real> Relation<R> {
    #[inline(always)]
    pub fn new<A: Body<R>, B: Body<R>>(placement: &Placement<R>, a: &A::Point, b: &B::Point) -> Relation<R> {
        let x_a = A::position(a);
        let w = placement.centre + placement.b_to_a::<B>(B::position(b)) - x_a;
        let n_a = A::normal(a);
        // A body without curvature has every normal, so also the opposite one.
        let n_b = if B::CURVED { placement.b_to_a::<B>(B::normal(b)) } else { -n_a };
        let mid = unit(n_a - n_b);
        let w_sq = w.length_sq();
        let along = w.dot(mid);
        let across_sq = (w - mid * along).length_sq();
        let askew_sq = (n_a + n_b).length_sq();
        let residual = across_sq + askew_sq;
        Relation { x_a, n_a, n_b, w, w_sq, mid, along, across_sq, askew_sq, residual }
    }
}

/// A step of both bodies towards a common normal.
#[derive(Clone, Copy)]
pub(crate) struct Step<R: Real> {
    /// The common normal aimed at; about unit length.
    pub normal: V3<R>,
    pub move_a: V3<R>,
    /// In b's frame.
    pub move_b: V3<R>,
    by_position_a: [R::Mask; 2],
    by_position_b: [R::Mask; 2],
    /// By how much the distance of the points should shrink.
    pub predicted: R,
    /// Smaller of the two bodies' added curvature radii, at most.
    pub smaller_curvature: R,
    /// What the turn to `normal` gains along the normal, to second order.
    pub gain: R,
    /// What the dual bound along the present normal of a, and of b, falls short of the best, to second order.
    pub shortfall: [R; 2],
    /// About how far the points stray from where the step leads when they follow the normal: second order in the turn.
    pub stray: R,
}

impl<R: Real> Step<R> {
    /// Solves for the common normal. `separation` is what the distance is assumed to be, given the smaller of the two
    /// curvature radii of both bodies together.
    #[inline(always)]
    pub fn towards_common_normal<A: Body<R>, B: Body<R>>(
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        placement: &Placement<R>,
        relation: &Relation<R>,
        separation: impl Fn(R) -> R,
    ) -> Step<R> {
        let one = R::splat(1.0);
        let Relation { n_a, n_b, w, mid, .. } = *relation;
        let curve_a = body_a.curvature(a);
        let local_b = body_b.curvature(b);
        let curve_b = Curvature { t: placement.b_to_a::<B>(local_b.t), b: placement.b_to_a::<B>(local_b.b), ..local_b };
        let mut h = Sym3::zero().add_outer(curve_a.t, curve_a.alpha).add_outer(curve_a.b, curve_a.beta);
        if B::CURVED {
            h = h.add_outer(curve_b.t, curve_b.alpha).add_outer(curve_b.b, curve_b.beta);
        }
        let (trace, minors) = (h.trace(), h.minors());
        let root = (trace * trace - R::splat(4.0) * minors).max(R::splat(0.0)).sqrt();
        let smaller_curvature = (minors + minors) / (trace + root).max(R::splat(1e-300));
        let s = separation(smaller_curvature);
        let (off_a, off_b) = (mid - n_a, mid + n_b);
        let mut rhs = w - mid * s - curve_a.apply(off_a);
        if B::CURVED {
            rhs = rhs - curve_b.apply(off_b);
        }
        // Solving for the change of the normal, not for the normal, saves seven digits on flat faces.
        let delta = h.add_diagonal(s).add_outer(mid, one).solve(rhs);
        // What `s` differs from the separation by acts along the normal and is no turn.
        let gain = R::splat(0.5) * (delta.dot(rhs) - delta.dot(mid) * rhs.dot(mid));
        let normal = mid + delta;
        let (turn_a, turn_b) = (off_a + delta, off_b + delta);
        let move_a = curve_a.apply(turn_a);
        let shrink_b = if B::CURVED { curve_b.apply(turn_b) } else { V3::splat(R::splat(0.0)) };
        let shortfall = if B::CURVED {
            let half = R::splat(0.5);
            [
                half * turn_a.dot(move_a + curve_b.apply(turn_a) + turn_a * s),
                half * turn_b.dot(shrink_b + curve_a.apply(turn_b) + turn_b * s),
            ]
        } else {
            [R::splat(0.0); 2]
        };
        let stray = trace * (turn_a.length_sq() + turn_b.length_sq());
        let predicted = w.dot(move_a + shrink_b) / relation.w_sq.sqrt().max(R::splat(1e-300));
        let move_b = -placement.a_to_b::<B>(shrink_b);
        let by_position_a = body_a.choose(
            a,
            A::position(a) + move_a,
            normal,
            outweighs(&curve_a, &curve_b, s, 1.0),
            outweighs(&curve_a, &curve_b, s, BY_FAR),
        );
        let by_position_b = body_b.choose(
            b,
            B::position(b) + move_b,
            -placement.a_to_b::<B>(normal),
            outweighs(&curve_b, &curve_a, s, 1.0),
            outweighs(&curve_b, &curve_a, s, BY_FAR),
        );
        Step {
            normal,
            move_a,
            move_b,
            by_position_a,
            by_position_b,
            predicted,
            smaller_curvature,
            gain,
            shortfall,
            stray,
        }
    }

    /// Both bodies after the part `t` of the step.
    #[inline(always)]
    pub fn apply<A: Body<R>, B: Body<R>>(
        &self,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        placement: &Placement<R>,
        t: R,
    ) -> (A::Point, B::Point) {
        let (n_a, n_b) = (A::normal(a), B::normal(b));
        let goal_b = -placement.a_to_b::<B>(self.normal);
        let new_a = body_a.follow(
            self.by_position_a,
            self.move_a.mul_add(t, A::position(a)),
            (self.normal - n_a).mul_add(t, n_a),
        );
        let new_b =
            body_b.follow(self.by_position_b, self.move_b.mul_add(t, B::position(b)), (goal_b - n_b).mul_add(t, n_b));
        (new_a, new_b)
    }

    /// Makes both bodies follow the normal in lanes `last`: they will have opposite normals, which certify without
    /// another evaluation.
    #[inline(always)]
    fn follow_normal(&mut self, last: R::Mask) {
        self.by_position_a = self.by_position_a.map(|by_position| by_position & !last);
        self.by_position_b = self.by_position_b.map(|by_position| by_position & !last);
    }

    #[inline(always)]
    pub fn select(mask: R::Mask, yes: &Step<R>, no: &Step<R>) -> Step<R> {
        if let Some(all) = mask.unanimous() {
            return if all { *yes } else { *no };
        }
        Step {
            normal: V3::select(mask, yes.normal, no.normal),
            move_a: V3::select(mask, yes.move_a, no.move_a),
            move_b: V3::select(mask, yes.move_b, no.move_b),
            by_position_a: pick(mask, yes.by_position_a, no.by_position_a),
            by_position_b: pick(mask, yes.by_position_b, no.by_position_b),
            predicted: R::select(mask, yes.predicted, no.predicted),
            smaller_curvature: R::select(mask, yes.smaller_curvature, no.smaller_curvature),
            gain: R::select(mask, yes.gain, no.gain),
            shortfall: [
                R::select(mask, yes.shortfall[0], no.shortfall[0]),
                R::select(mask, yes.shortfall[1], no.shortfall[1]),
            ],
            stray: R::select(mask, yes.stray, no.stray),
        }
    }
}

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
            let opposite = relation.askew_sq.lt(R::splat(OPPOSITE_SQ)) & !done;
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
            new_step.follow_normal((stray * stray).lt(tolerance * length));
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
