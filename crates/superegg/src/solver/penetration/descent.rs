//! Descent to a local minimum of the penetration depth.
//!
//! Newton's step towards a common normal, as for bodies that are apart, with a negative separation and as a descent on
//! `σ(n) = h_a(n) + h_b(-n) - n·c`, so that it ends in minima and not in the saddles between them.

use crate::solver::body::Body;
use crate::solver::body::superquadric::Curvature;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::penetration::SAME_DEPTH;
use crate::solver::separation::step::{Relation, Step};
use crate::solver::simd::{Mask, Real, Sym3, V3};

/// Keeps the turn of the normal in one step below about a third of a radian.
const TURN_LIMIT: f64 = 3.0;
/// Part of the smaller curvature that the negative separation may use up, so that the system stays definite.
const DEFINITE: f64 = 0.98;
/// Part of the depth below which a curvature radius is taken for smaller.
const CLEARLY: f64 = 0.9999;
/// How far, in radians, a search is pushed off the saddles it meets, one after the other.
const ASIDE: [f64; 4] = [0.06, 0.02, 0.006, 0.002];
/// Refusals after which the search goes back to the best normal, and a half.
const MOST_REFUSALS: f64 = 2.5;
/// Part of what a step promises that it has to deliver, and the part of it that is tried after a refusal.
const SUFFICIENT: f64 = 0.01;
const SHORTEN: f64 = 0.35;
/// Residual below which two normals count as common.
const COMMON_NORMAL: f64 = 1e-13;

/// A local minimum of `σ`, lane by lane.
pub(crate) struct Refined<R: Real> {
    pub normal: V3<R>,
    pub depth: R,
    pub x_a: V3<R>,
    pub x_b: V3<R>,
    pub residual: R,
    /// Lanes that reached a common normal.
    pub settled: R::Mask,
    pub evaluations: R,
}

/// Both bodies at a common normal.
#[inline(always)]
pub(crate) fn at_normal<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    normal: V3<R>,
) -> (A::Point, B::Point) {
    (body_a.with_normal(normal), body_b.with_normal(-placement.a_to_b::<B>(normal)))
}

/// Two bodies and where the descent on their depth stands, lane by lane.
struct Descent<'a, R: Real, A: Body<R>, B: Body<R>> {
    body_a: &'a A,
    body_b: &'a B,
    placement: &'a Placement<R>,
    tolerance: R,
    /// The trial points.
    a: A::Point,
    b: B::Point,
    /// The points that the step under trial leaves, the depth there, whether that is exact, and the step.
    from_a: A::Point,
    from_b: B::Point,
    from_depth: R,
    from_exact: R::Mask,
    step: Step<R>,
    /// The part of the step that is tried.
    t: R,
    least_depth: R,
    least_normal: V3<R>,
    least_residual: R,
    refusals: R,
    /// Added to the separation in the linear system: the larger, the more a step follows the gradient.
    caution: R,
    /// How often a lane was pushed off a saddle.
    pushes: R,
    done: R::Mask,
    evaluations: R,
}

/// Newton's method on the common-normal condition from given points with a common normal, as a descent: a step counts
/// when it lowers `σ`, or when it brings the normals closer together without raising `σ`. After repeated refusals the
/// search goes back to the best normal and leans more on the gradient.
#[inline(always)]
pub(crate) fn refine<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    start: (A::Point, B::Point),
    tolerance: R,
    most: u32,
) -> Refined<R> {
    let mut state = Descent::begin(body_a, body_b, placement, start, tolerance);
    for round in 0..most {
        let last = round + 1 == most;
        let relation = Relation::new::<A, B>(placement, &state.a, &state.b);
        let accept = state.accept(&relation, round == 0, last);
        let step = state.step_from(&relation);
        let common = accept & relation.residual.lt(R::splat(COMMON_NORMAL));
        let stationary = common & step.gain.abs().lt(R::splat(0.1) * tolerance);
        // Where the depth exceeds the curvature radius, a common normal is a saddle or a maximum; where they are equal, as
        // on the axis of a round body, it is one of many minima.
        let saddle = common
            & step.smaller_curvature.lt(-(R::splat(CLEARLY) * relation.along))
            & state.pushes.lt(R::splat(ASIDE.len() as f64));
        state.done = state.done | (stationary & !saddle);
        // The last round looks at points, not at further ones.
        if !(!state.done).any() || last {
            break;
        }
        state.advance(accept, &step);
        if saddle.any() {
            state.leave_saddle(saddle, relation.mid);
        }
        let back = R::splat(MOST_REFUSALS).lt(state.refusals) & !state.done;
        if back.any() {
            state.go_back(back);
        }
    }
    state.conclude()
}

impl<'a, R: Real, A: Body<R>, B: Body<R>> Descent<'a, R, A, B> {
    #[inline(always)]
    fn begin(
        body_a: &'a A,
        body_b: &'a B,
        placement: &'a Placement<R>,
        (a, b): (A::Point, B::Point),
        tolerance: R,
    ) -> Descent<'a, R, A, B> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        Descent {
            body_a,
            body_b,
            placement,
            tolerance,
            a,
            b,
            from_a: a,
            from_b: b,
            from_depth: zero,
            from_exact: one.lt(zero),
            step: Step::none(),
            t: one,
            least_depth: R::splat(f64::MAX),
            least_normal: A::normal(&a),
            least_residual: R::splat(f64::MAX),
            refusals: zero,
            caution: zero,
            pushes: zero,
            done: one.lt(zero),
            evaluations: one,
        }
    }

    /// Lanes whose trial points count; they are then what the next step leaves.
    #[inline(always)]
    fn accept(&mut self, relation: &Relation<R>, first: bool, last: bool) -> R::Mask {
        // `-along` is at most `σ`, and the same at a common normal. The exact value is only needed when the normals do
        // not come closer, and at the end.
        let due = R::splat(SUFFICIENT) * self.t;
        let straighter = relation.residual.lt(self.least_residual * (R::splat(1.0) - due))
            & (-relation.along).lt(self.least_depth + self.tolerance);
        let settled = straighter & relation.residual.lt(R::splat(COMMON_NORMAL));
        let evaluate = B::CURVED && !first && (last || ((!straighter | settled) & !self.done).any());
        let depth =
            if evaluate { -self.placement.gap_along(self.body_a, self.body_b, relation.mid) } else { -relation.along };
        let exact = R::splat(0.0).lt(R::splat(if evaluate || first || !B::CURVED { 1.0 } else { -1.0 }));
        let deeper = exact & depth.lt(self.least_depth - R::splat(SAME_DEPTH)) & !self.done;
        let accept = (deeper | straighter) & !self.done;
        self.least_normal = V3::select(deeper, relation.mid, self.least_normal);
        self.least_depth = R::select(deeper, depth, self.least_depth);
        self.least_residual = R::select(deeper, relation.residual, self.least_residual.min(relation.residual));
        self.from_a = A::select(accept, &self.a, &self.from_a);
        self.from_b = B::select(accept, &self.b, &self.from_b);
        self.from_depth = R::select(accept, depth, self.from_depth);
        self.from_exact = (accept & exact) | (!accept & self.from_exact);
        accept
    }

    /// The step from the trial points.
    #[inline(always)]
    fn step_from(&self, relation: &Relation<R>) -> Step<R> {
        let separation = |smaller_curvature: R| {
            let definite = relation.along.max(-(R::splat(DEFINITE) * smaller_curvature));
            let limit = R::splat(TURN_LIMIT) * relation.across_sq.sqrt() - smaller_curvature;
            definite.max(limit) + self.caution
        };
        let (a, b) = ((self.body_a, &self.a), (self.body_b, &self.b));
        Step::towards_common_normal::<A, B>(a, b, self.placement, relation, separation)
    }

    /// Goes on to the next trial points: along the new step where the last one was accepted, else along less of the old one.
    #[inline(always)]
    fn advance(&mut self, accept: R::Mask, new_step: &Step<R>) {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        self.step = Step::select(accept, new_step, &self.step);
        self.t = R::select(accept, one, self.t * R::splat(SHORTEN));
        self.refusals = R::select(accept, zero, self.refusals + one);
        self.caution = R::select(accept, self.caution * R::splat(0.1), self.caution);
        let (from_a, from_b) = ((self.body_a, &self.from_a), (self.body_b, &self.from_b));
        let (a, b) = self.step.apply::<A, B>(from_a, from_b, self.placement, self.t);
        self.a = A::select(self.done, &self.a, &a);
        self.b = B::select(self.done, &self.b, &b);
        self.evaluations = R::select(self.done, self.evaluations, self.evaluations + one);
    }

    /// Turns aside from a saddle, less far each time: where the surface is ridged, the minimum is close to the saddle.
    #[inline(always)]
    fn leave_saddle(&mut self, saddle: R::Mask, normal: V3<R>) {
        let mut push = R::splat(ASIDE[0]);
        for (before, angle) in ASIDE.into_iter().enumerate().skip(1) {
            push = R::select(R::splat(before as f64 - 0.5).lt(self.pushes), R::splat(angle), push);
        }
        let (from_a, from_b) = ((self.body_a, &self.from_a), (self.body_b, &self.from_b));
        let aside = softest_turn(from_a, from_b, self.placement, normal);
        let turned = unit(aside.mul_add(push, normal));
        let (a, b) = at_normal(self.body_a, self.body_b, self.placement, turned);
        self.a = A::select(saddle, &a, &self.a);
        self.b = B::select(saddle, &b, &self.b);
        self.least_residual = R::select(saddle, R::splat(f64::MAX), self.least_residual);
        self.pushes = R::select(saddle, self.pushes + R::splat(1.0), self.pushes);
    }

    /// Back to the best normal, and from there along the gradient.
    #[inline(always)]
    fn go_back(&mut self, back: R::Mask) {
        let (a, b) = at_normal(self.body_a, self.body_b, self.placement, self.least_normal);
        let relation = Relation::new::<A, B>(self.placement, &a, &b);
        let more = R::splat(4.0) * self.caution + R::splat(0.1);
        let gradient = relation.w - relation.mid * relation.along;
        let stiffness = more + relation.along.abs() + relation.w_sq.sqrt();
        let turned = unit(self.least_normal + gradient * (R::splat(1.0) / stiffness));
        let (a, b) = at_normal(self.body_a, self.body_b, self.placement, turned);
        self.a = A::select(back, &a, &self.a);
        self.b = B::select(back, &b, &self.b);
        self.caution = R::select(back, more, self.caution);
        self.refusals = R::select(back, R::splat(0.0), self.refusals);
    }

    /// The last points taken, unless they belong to a normal that is not as good as the best one.
    #[inline(always)]
    fn conclude(self) -> Refined<R> {
        let relation = Relation::new::<A, B>(self.placement, &self.from_a, &self.from_b);
        let depth = match B::CURVED {
            true if (!self.from_exact).any() => -self.placement.gap_along(self.body_a, self.body_b, relation.mid),
            true => self.from_depth,
            false => -relation.along,
        };
        let last = depth.lt(self.least_depth + R::splat(SAME_DEPTH));
        let mut end = Refined {
            normal: V3::select(last, relation.mid, self.least_normal),
            depth: R::select(last, depth, self.least_depth),
            x_a: relation.x_a,
            x_b: relation.x_a + relation.w,
            residual: relation.residual,
            settled: self.done & last,
            evaluations: self.evaluations,
        };
        if (!last).any() {
            let (a, b) = at_normal(self.body_a, self.body_b, self.placement, self.least_normal);
            let there = Relation::new::<A, B>(self.placement, &a, &b);
            end.x_a = V3::select(last, end.x_a, there.x_a);
            end.x_b = V3::select(last, end.x_b, there.x_a + there.w);
            end.residual = R::select(last, end.residual, there.residual);
        }
        end
    }
}

/// The unit direction across the normal in which both bodies together are curved most, so that a depth that exceeds the
/// curvature radius falls fastest: what is left of any other direction without its part along the flattest one.
#[inline(always)]
fn softest_turn<R: Real, A: Body<R>, B: Body<R>>(
    (body_a, a): (&A, &A::Point),
    (body_b, b): (&B, &B::Point),
    placement: &Placement<R>,
    normal: V3<R>,
) -> V3<R> {
    let (curve_a, local_b) = (body_a.curvature(a), body_b.curvature(b));
    let curve_b = Curvature { t: placement.b_to_a::<B>(local_b.t), b: placement.b_to_a::<B>(local_b.b), ..local_b };
    let h = Sym3::zero()
        .add_outer(curve_a.t, curve_a.alpha)
        .add_outer(curve_a.b, curve_a.beta)
        .add_outer(curve_b.t, curve_b.alpha)
        .add_outer(curve_b.b, curve_b.beta);
    let (trace, minors) = (h.trace(), h.minors());
    let larger = R::splat(0.5) * (trace + (trace * trace - R::splat(4.0) * minors).max(R::splat(0.0)).sqrt());
    // Two directions across the normal that do not depend on the surfaces: one of them has a part along the wanted one.
    let other = V3::new(R::splat(0.48), R::splat(0.6), R::splat(0.64));
    let u = unit(other - normal * other.dot(normal));
    let v = normal.cross(u);
    let left = |direction: V3<R>| curve_a.apply(direction) + curve_b.apply(direction) - direction * larger;
    let (from_u, from_v) = (left(u), left(v));
    let softest = V3::select(from_u.length_sq().lt(from_v.length_sq()), from_v, from_u);
    // Equally curved in all directions: any will do.
    let round = softest.length_sq().lt(R::splat(1e-24) * larger * larger);
    unit(V3::select(round, u, softest))
}
