//! Newton's method for the growth of two convex bodies: where they touch that have been scaled about their centres.
//!
//! Scaled by s, with their centres c apart, they are the bodies themselves with their centres `c/s` apart, but for a factor of s.
//! At the growth a point of each coincides with one of the other there, at opposite normals: the ray along c meets the surface of the
//! difference body. As in [`super::newton`] each body keeps its own point of its position–normal graph, and one positive definite 3×3
//! solve moves both towards the common normal; the scale is the one at which the planes across the normal between both
//! touch, so that what is left of the distance of the points lies across it. It takes part in the solve in second order only:
//! along the common normal it is at its greatest. A step that makes the residual larger is tried at a part of its length; then both bodies are put at
//! the common normal aimed at, whatever that costs. What is not settled in a few rounds is left to others.
//!
//! Nothing here is proved but two numbers at the end: a dual bound of the distance at the scale found, and the distance of two points.

use crate::solver::body::Body;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::found::{SLIDE, last_step};
use crate::solver::separation::newton::TURN_LIMIT;
use crate::solver::separation::step::{Relation, Step, Turn};
use crate::solver::simd::{Plain, Real, V3};

/// Where two bodies touch that have grown, or nearly so, lane by lane; lengths are in the solver's units, with the centres
/// `c / scale` apart and the bodies as they are.
#[derive(Clone, Copy)]
pub(crate) struct Touch<R: Real> {
    pub scale: R,
    /// The dual bound of the distance along the unit normal `witness`, and the distance of two points of the surfaces.
    pub lower: R,
    pub upper: R,
    pub witness: V3<R>,
    /// Unit normal from a to b, as exact as one more step would make it; the same of the points.
    pub normal: V3<R>,
    pub x_a: V3<R>,
    /// From b's point to b's centre, in a's frame.
    pub y: V3<R>,
    /// No other points touch to within the tolerance, as far as curvatures tell.
    pub unique_points: R::Mask,
    /// `lower` and `upper` are within the tolerance of zero.
    pub converged: R::Mask,
    /// Surface evaluations spent.
    pub evaluations: R,
}

impl<R: Real> Touch<R> {
    /// Before anything is known.
    #[inline(always)]
    pub fn unknown(evaluations: R) -> Touch<R> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let (nowhere, ahead) = (V3::splat(zero), V3::new(one, zero, zero));
        let never = one.lt(zero);
        Touch {
            scale: one,
            lower: R::splat(f64::NEG_INFINITY),
            upper: R::splat(f64::INFINITY),
            witness: ahead,
            normal: ahead,
            x_a: nowhere,
            y: nowhere,
            unique_points: never,
            converged: never,
            evaluations,
        }
    }
}

impl<R: Plain> Touch<R> {
    /// Takes over points and normal.
    #[inline(always)]
    fn take(&mut self, placement: &Placement<R>, relation: &Relation<R>) {
        self.normal = relation.mid;
        self.x_a = relation.x_a;
        self.y = placement.centre - relation.w - relation.x_a;
    }

    /// The same in plain numbers.
    #[inline(always)]
    pub fn plain(&self) -> Touch<f64> {
        Touch {
            scale: self.scale.into(),
            lower: self.lower.into(),
            upper: self.upper.into(),
            witness: self.witness.spread(),
            normal: self.normal.spread(),
            x_a: self.x_a.spread(),
            y: self.y.spread(),
            unique_points: self.unique_points,
            converged: self.converged,
            evaluations: self.evaluations.into(),
        }
    }
}

/// A refused step is tried again at this part of its length.
const SHORTEN: f64 = 0.35;
/// Refusals after which both bodies are put at the common normal.
const MOST_REFUSALS: u32 = 2;
/// Part of the tolerance that the points may stray by when they follow the normal for the last time.
const STRAY: f64 = 0.03;
/// Most steps to the last digits; on flat faces each of them only divides what is missing by about three.
const MOST_REFINEMENTS: u32 = 8;
/// Part of the tolerance by which a support value may be too large in a certificate.
const SLACK: f64 = 0.02;
/// Square of what two unit normals may miss to be opposite by rounding.
const OPPOSITE_SQ: f64 = 1e-28;

/// Two bodies that grow.
pub(crate) struct Growing<'a, R, A, B> {
    pub body_a: &'a A,
    pub body_b: &'a B,
    pub placement: &'a Placement<R>,
    /// What the points may be apart in the end.
    pub tolerance: R,
}

/// Points of both bodies, at the scale at which the planes across the normal between theirs touch.
struct Stand<R: Real, A: Body<R>, B: Body<R>> {
    a: A::Point,
    b: B::Point,
    scale: R,
    placement: Placement<R>,
    relation: Relation<R>,
}

impl<R: Plain, A: Body<R>, B: Body<R>> Growing<'_, R, A, B> {
    #[inline(always)]
    fn stand(&self, a: A::Point, b: B::Point) -> Stand<R, A, B> {
        let Placement { rotation, centre } = *self.placement;
        let y = -self.placement.b_to_a::<B>(B::position(&b));
        let mid = unit(A::normal(&a) - self.placement.b_to_a::<B>(B::normal(&b)));
        let scale = centre.dot(mid) / (A::position(&a) + y).dot(mid);
        let placement = Placement { rotation, centre: centre * (R::splat(1.0) / scale) };
        let relation = Relation::new::<A, B>(&placement, &a, &b);
        Stand { a, b, scale, placement, relation }
    }

    #[inline(always)]
    fn turn(&self, at: &Stand<R, A, B>) -> Turn<R> {
        let (a, b) = ((self.body_a, &at.a), (self.body_b, &at.b));
        let across = at.relation.across_sq.sqrt();
        let damping =
            |smaller_curvature: R| R::splat(TURN_LIMIT).mul_add(across, -smaller_curvature).max(R::splat(0.0));
        Turn::towards_common_normal::<A, B>(a, b, self.placement, &at.relation, damping)
    }

    /// How the bodies follow a turn: along the normal where that leaves them with opposite normals, which certify.
    #[inline(always)]
    fn step(&self, at: &Stand<R, A, B>, turn: &Turn<R>) -> Step<R> {
        let (a, b) = ((self.body_a, &at.a), (self.body_b, &at.b));
        let mut step = Step::along(turn, a, b, self.placement, &at.relation);
        if A::MEETS_NORMAL && B::MEETS_NORMAL {
            step.follow_normal((step.stray * R::splat(STRAY)).lt(self.tolerance));
        }
        step
    }

    /// Where the bodies touch, if that settles within `most` evaluations. Points that are `recalled` from an earlier query need not lie on
    /// the surfaces: they lead to others, whatever those are, and nothing is proved by them.
    #[inline(always)]
    pub fn touch(&self, (a, b): (A::Point, B::Point), recalled: bool, most: u32) -> Touch<R> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let mut at = self.stand(a, b);
        let mut is_recalled = recalled;
        let mut spent = 1;
        let mut refinements = 0;
        let mut found = Touch::unknown(one);
        loop {
            // Not a number, or seen from behind.
            if !(zero.lt(at.scale) & at.relation.residual.lt(R::splat(f64::MAX))) {
                break;
            }
            let turn = self.turn(&at);
            let close = at.relation.w_sq.lt(self.tolerance * self.tolerance);
            if close && !is_recalled && !found.converged {
                self.certify(&mut found, &at, &turn);
            }
            if found.converged {
                // The tolerance leaves points and normal open, and normals that are not opposite say little of that between them.
                let last = last_step::<R, A, B>(&turn, &at.b, self.placement, &at.relation);
                if last.is_some() || is_opposite(&at.relation) {
                    found.take(&at.placement, &last.unwrap_or(at.relation));
                }
                if last.is_some() || refinements == MOST_REFINEMENTS {
                    break;
                }
                refinements += 1;
            }
            let mut step = self.step(&at, &turn);
            // Bodies follow any target to a point of their surface, but for one that is not a number.
            let target = step.normal + step.move_a + step.move_b + at.relation.x_a + at.relation.w;
            let (mut part, mut refusals) = (one, 0);
            let next = loop {
                if spent >= most || !target.length_sq().lt(R::splat(f64::MAX)) {
                    break None;
                }
                spent += 1;
                let (a, b) = ((self.body_a, &at.a), (self.body_b, &at.b));
                let (a, b) = step.apply::<A, B>(a, b, self.placement, part);
                let next = self.stand(a, b);
                let better = zero.lt(next.scale) & next.relation.residual.lt(at.relation.residual);
                if better || is_recalled || refusals > MOST_REFUSALS {
                    break Some(next);
                }
                if found.converged {
                    break None;
                }
                refusals += 1;
                part = part * R::splat(SHORTEN);
                if refusals > MOST_REFUSALS {
                    part = one;
                    step.follow_normal(true);
                }
            };
            let Some(next) = next else { break };
            (at, is_recalled) = (next, false);
        }
        Touch { evaluations: R::splat(f64::from(spent)), ..found }
    }

    /// Takes over the bounds at points that all but coincide, if a dual bound there is as close.
    #[inline(always)]
    fn certify(&self, found: &mut Touch<R>, at: &Stand<R, A, B>, turn: &Turn<R>) {
        let Stand { a, b, placement, relation, .. } = at;
        let (witness, lower) = if A::MEETS_NORMAL && B::MEETS_NORMAL && is_opposite(relation) {
            // Both points are support points along opposite normals.
            let askew = relation.askew_sq.sqrt() * (self.body_b.reach() + self.body_b.reach());
            (relation.n_a, relation.w.dot(relation.n_a) - askew)
        } else {
            let by_a = turn.turn_a.length_sq().lt(turn.turn_b.length_sq());
            let slack = R::splat(SLACK) * self.tolerance;
            let (body_a, body_b) = ((self.body_a, a), (self.body_b, b));
            placement.gap_at_own_normal(body_a, body_b, relation, by_a, true, slack)
        };
        if (-self.tolerance).lt(lower) {
            (found.scale, found.lower, found.upper) = (at.scale, lower, relation.w_sq.sqrt());
            (found.witness, found.converged) = (witness, true);
            found.take(placement, &Relation { mid: witness, ..*relation });
            found.unique_points = !turn.slides(R::splat(SLIDE), self.tolerance);
        }
    }
}

/// Whether both normals are one line, up to rounding.
#[inline(always)]
fn is_opposite<R: Plain>(relation: &Relation<R>) -> bool {
    relation.askew_sq.lt(R::splat(OPPOSITE_SQ))
}
