//! The step of both bodies towards a common normal.
//!
//! With the curvatures of both support functions, the condition that both points have opposite normals along the line
//! between them is linear in the change of the normal: one positive definite 3×3 system. Each body then follows its target
//! position or its target normal, level by level, whichever its own curvature determines better.

use crate::solver::body::Body;
use crate::solver::body::superquadric::Curvature;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::simd::{Mask, Real, Sym3, V3};

/// Below this length (as a part of the size) the direction between the points is less exact than the normal.
pub(crate) const SHORT: f64 = 1e-6;
/// How far one body's curvature must outweigh the rest to lead by far.
const BY_FAR: f64 = 10.0;

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

/// Square of the part of the line between the points that may lie across the normal for their direction to be reported.
/// Close to touching the tolerance of the distance alone would leave that direction open.
pub(crate) const STRAIGHT_SQ: f64 = 1e-7;

impl<R: Real> Relation<R> {
    /// Whether the line between the points is along the normal, or so short that the normal is reported instead.
    #[inline(always)]
    pub fn is_straight(&self) -> R::Mask {
        self.across_sq.lt(R::splat(STRAIGHT_SQ) * self.w_sq) | self.w_sq.lt(R::splat(SHORT * SHORT))
    }

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
    pub by_position_a: [R::Mask; 2],
    pub by_position_b: [R::Mask; 2],
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

/// The turn to a common normal and the moves of both points that belong to it, in a's frame.
pub(crate) struct Turn<R> {
    /// Curvatures of both support functions.
    pub curve_a: Curvature<R>,
    pub curve_b: Curvature<R>,
    /// The common normal aimed at; about unit length.
    pub normal: V3<R>,
    /// How far each body's own normal turns.
    pub turn_a: V3<R>,
    pub turn_b: V3<R>,
    /// How a's point moves, and against which b's moves.
    pub move_a: V3<R>,
    pub shrink_b: V3<R>,
    /// What the distance is assumed to be.
    separation: R,
    /// Sum and the smaller of the principal radii of both bodies together.
    trace: R,
    smaller_curvature: R,
    gain: R,
}

impl<R: Real> Turn<R> {
    /// Solves for the common normal. `separation` is what the distance is assumed to be, given the smaller of the two
    /// curvature radii of both bodies together.
    #[inline(always)]
    pub fn towards_common_normal<A: Body<R>, B: Body<R>>(
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        placement: &Placement<R>,
        relation: &Relation<R>,
        separation: impl Fn(R) -> R,
    ) -> Turn<R> {
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
        let (turn_a, turn_b) = (off_a + delta, off_b + delta);
        Turn {
            curve_a,
            curve_b,
            normal: mid + delta,
            turn_a,
            turn_b,
            move_a: curve_a.apply(turn_a),
            shrink_b: if B::CURVED { curve_b.apply(turn_b) } else { V3::splat(R::splat(0.0)) },
            separation: s,
            trace,
            smaller_curvature,
            gain,
        }
    }

    /// Whether both points can slide together by `way` across the normal and come apart by less than `slack`: by the smaller
    /// eigenvalue of the sum of both surfaces' curvatures, which are the inverses of the support functions' ones.
    #[inline(always)]
    pub fn slides(&self, way: R, slack: R) -> R::Mask {
        let flat = way * way / (slack + slack);
        let (trace_a, trace_b) = (self.curve_a.trace(), self.curve_b.trace());
        let may = flat.lt(trace_a) & flat.lt(trace_b);
        if !may.any() {
            return may;
        }
        let both = Sym3::zero()
            .add_outer(self.curve_a.t, self.curve_a.alpha)
            .add_outer(self.curve_a.b, self.curve_a.beta)
            .add_outer(self.curve_b.t, self.curve_b.alpha)
            .add_outer(self.curve_b.b, self.curve_b.beta);
        // Determinant over trace is at most the smaller eigenvalue, and at least half of it.
        let weighted = self.curve_b.minors() * trace_a + self.curve_a.minors() * trace_b;
        may & (both.minors() * flat).lt(weighted)
    }
}

impl<R: Real> Step<R> {
    /// A step that leads nowhere.
    #[inline(always)]
    pub fn none() -> Step<R> {
        let zero = R::splat(0.0);
        let never = zero.lt(zero);
        Step {
            normal: V3::splat(zero),
            move_a: V3::splat(zero),
            move_b: V3::splat(zero),
            by_position_a: [never; 2],
            by_position_b: [never; 2],
            predicted: zero,
            smaller_curvature: zero,
            gain: zero,
            shortfall: [zero; 2],
            stray: zero,
        }
    }

    /// [`Turn::towards_common_normal`], and how each body follows it.
    #[inline(always)]
    pub fn towards_common_normal<A: Body<R>, B: Body<R>>(
        a: (&A, &A::Point),
        b: (&B, &B::Point),
        placement: &Placement<R>,
        relation: &Relation<R>,
        separation: impl Fn(R) -> R,
    ) -> Step<R> {
        let turn = Turn::towards_common_normal::<A, B>(a, b, placement, relation, separation);
        Step::along(&turn, a, b, placement, relation)
    }

    /// How each body follows a turn.
    #[inline(always)]
    pub fn along<A: Body<R>, B: Body<R>>(
        turn: &Turn<R>,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        placement: &Placement<R>,
        relation: &Relation<R>,
    ) -> Step<R> {
        let Turn { curve_a, curve_b, normal, turn_a, turn_b, move_a, shrink_b, .. } = *turn;
        let Turn { separation: s, trace, smaller_curvature, gain, .. } = *turn;
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
        let predicted = relation.w.dot(move_a + shrink_b) / relation.w_sq.sqrt().max(R::splat(1e-300));
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
    pub fn follow_normal(&mut self, last: R::Mask) {
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
