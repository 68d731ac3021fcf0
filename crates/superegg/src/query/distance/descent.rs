//! Descent to a local minimum of the penetration depth.
//!
//! Newton's step towards a common normal, as for bodies that are apart, with a negative separation and as a descent on
//! `σ(n) = h_a(n) + h_b(-n) - n·c`, so that it ends in minima and not in the saddles between them.

use super::body::Body;
use super::graph::Curvature;
use super::overlap::SAME_DEPTH;
use super::placement::{Placement, unit};
use super::step::{Relation, Step};
use crate::lanes::{Mask, Real, Sym3, V3};

/// Keeps the turn of the normal in one step below about a third of a radian.
const TURN_LIMIT: f64 = 3.0;
/// Part of the smaller curvature that the negative separation may use up, so that the system stays definite.
const DEFINITE: f64 = 0.98;
/// Part of the depth below which a curvature radius is taken for smaller.
const CLEARLY: f64 = 0.9999;
/// How far, in radians, a search is pushed off the saddles it meets, one after the other.
const ASIDE: [f64; 4] = [0.06, 0.02, 0.006, 0.002];
const MOST_WOBBLES: f64 = ASIDE.len() as f64;
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
pub(super) fn at_normal<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    normal: V3<R>,
) -> (A::Point, B::Point) {
    (body_a.with_normal(normal), body_b.with_normal(-placement.a_to_b::<B>(normal)))
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
    let zero = R::splat(0.0);
    let one = R::splat(1.0);
    let none = one.lt(zero);
    let (mut a, mut b) = start;
    let (mut from_a, mut from_b) = start;
    let mut step: Option<Step<R>> = None;
    let mut best = Refined {
        normal: A::normal(&a),
        depth: R::splat(f64::MAX),
        x_a: V3::splat(zero),
        x_b: V3::splat(zero),
        residual: R::splat(f64::MAX),
        settled: none,
        evaluations: one,
    };
    let mut least_residual = R::splat(f64::MAX);
    // The depth at the points that the step leaves, where it is exact.
    let (mut from_depth, mut from_exact) = (zero, none);
    let mut t = one;
    let mut refusals = zero;
    let mut caution = zero;
    let mut wobbles = zero;
    let mut done = none;
    for round in 0..most {
        let relation = Relation::new::<A, B>(placement, &a, &b);
        let due = R::splat(0.01) * t;
        // `-along` is at most `σ`, and the same at a common normal. The exact value is only needed when the normals do
        // not come closer, and at the end.
        let straighter =
            relation.residual.lt(least_residual * (one - due)) & (-relation.along).lt(best.depth + tolerance);
        let settled = straighter & relation.residual.lt(R::splat(COMMON_NORMAL));
        let exact = B::CURVED && round > 0 && (round + 1 == most || ((!straighter | settled) & !done).any());
        let depth = if exact { -placement.gap_along(body_a, body_b, relation.mid) } else { -relation.along };
        let trusted = if exact || round == 0 || !B::CURVED { !none } else { none };
        let deeper = trusted & depth.lt(best.depth - R::splat(1e-12)) & !done;
        let accept = (deeper | straighter) & !done;
        best.normal = V3::select(deeper, relation.mid, best.normal);
        best.depth = R::select(deeper, depth, best.depth);
        least_residual = R::select(deeper, relation.residual, least_residual.min(relation.residual));
        from_a = A::select(accept, &a, &from_a);
        from_b = B::select(accept, &b, &from_b);
        from_depth = R::select(accept, depth, from_depth);
        from_exact = (accept & trusted) | (!accept & from_exact);
        let new_step = Step::towards_common_normal::<A, B>(
            (body_a, &a),
            (body_b, &b),
            placement,
            &relation,
            |smaller_curvature| {
                let definite = relation.along.max(-(R::splat(DEFINITE) * smaller_curvature));
                let limit = R::splat(TURN_LIMIT) * relation.across_sq.sqrt() - smaller_curvature;
                definite.max(limit) + caution
            },
        );
        let merged = match &step {
            Some(old) => Step::select(accept, &new_step, old),
            None => new_step,
        };
        let common = accept & relation.residual.lt(R::splat(COMMON_NORMAL));
        let stationary = common & new_step.gain.abs().lt(R::splat(0.1) * tolerance);
        // Where the depth exceeds the curvature radius, a common normal is a saddle or a maximum; where they are equal, as
        // on the axis of a round body, it is one of many minima.
        let saddle = common
            & new_step.smaller_curvature.lt(-(R::splat(CLEARLY) * relation.along))
            & wobbles.lt(R::splat(MOST_WOBBLES));
        done = done | (stationary & !saddle);
        step = Some(merged);
        // The last round looks at points; there is nobody left to look at further ones.
        if !(!done).any() || round + 1 == most {
            break;
        }
        t = R::select(accept, one, t * R::splat(0.35));
        refusals = R::select(accept, zero, refusals + one);
        caution = R::select(accept, caution * R::splat(0.1), caution);
        let (new_a, new_b) = merged.apply::<A, B>((body_a, &from_a), (body_b, &from_b), placement, t);
        a = A::select(done, &a, &new_a);
        b = B::select(done, &b, &new_b);
        best.evaluations = R::select(done, best.evaluations, best.evaluations + one);
        if saddle.any() {
            // Less far each time: where the surface is ridged, the minimum is close to the saddle.
            let push = R::splat(ASIDE[3]);
            let push = R::select(wobbles.lt(R::splat(2.5)), R::splat(ASIDE[2]), push);
            let push = R::select(wobbles.lt(R::splat(1.5)), R::splat(ASIDE[1]), push);
            let push = R::select(wobbles.lt(R::splat(0.5)), R::splat(ASIDE[0]), push);
            let aside = softest_turn((body_a, &from_a), (body_b, &from_b), placement, relation.mid);
            let (aside_a, aside_b) = at_normal(body_a, body_b, placement, unit(aside.mul_add(push, relation.mid)));
            a = A::select(saddle, &aside_a, &a);
            b = B::select(saddle, &aside_b, &b);
            least_residual = R::select(saddle, R::splat(f64::MAX), least_residual);
            wobbles = R::select(saddle, wobbles + one, wobbles);
        }
        let back = R::splat(2.5).lt(refusals) & !done;
        if back.any() {
            let (best_a, best_b) = at_normal(body_a, body_b, placement, best.normal);
            let relation = Relation::new::<A, B>(placement, &best_a, &best_b);
            let more = R::splat(4.0) * caution + R::splat(0.1);
            caution = R::select(back, more, caution);
            let gradient = relation.w - relation.mid * relation.along;
            let turned = unit(best.normal + gradient * (one / (more + relation.along.abs() + relation.w_sq.sqrt())));
            let (turned_a, turned_b) = at_normal(body_a, body_b, placement, turned);
            a = A::select(back, &turned_a, &a);
            b = B::select(back, &turned_b, &b);
            refusals = R::select(back, zero, refusals);
        }
    }
    // The last points taken belong to the last normal, not always to the best one.
    let relation = Relation::new::<A, B>(placement, &from_a, &from_b);
    let depth = match B::CURVED {
        true if (!from_exact).any() => -placement.gap_along(body_a, body_b, relation.mid),
        true => from_depth,
        false => -relation.along,
    };
    let last = depth.lt(best.depth + R::splat(SAME_DEPTH));
    best.settled = done & last;
    best.x_a = relation.x_a;
    best.x_b = relation.x_a + relation.w;
    best.residual = relation.residual;
    if (!last).any() {
        let (a, b) = at_normal(body_a, body_b, placement, best.normal);
        let there = Relation::new::<A, B>(placement, &a, &b);
        best.x_a = V3::select(last, best.x_a, there.x_a);
        best.x_b = V3::select(last, best.x_b, there.x_a + there.w);
        best.residual = R::select(last, best.residual, there.residual);
    }
    best.normal = V3::select(last, relation.mid, best.normal);
    best.depth = R::select(last, depth, best.depth);
    best
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
