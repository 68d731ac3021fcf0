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

use crate::solver::body::Body;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::found::{Separation, direction_between};
use crate::solver::separation::step::{Relation, STRAIGHT_SQ, Step, Turn};
use crate::solver::simd::{Mask, Real, V3};

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
pub(crate) const TURN_LIMIT: f64 = 3.0;
/// Stop when the next step promises less than this part of the tolerance.
const WORTHWHILE: f64 = 0.8;

/// What the iteration is for, and so when it may end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The distance of convex bodies: the certified gap is within the tolerance.
    Distance,
    /// Whether convex bodies are apart: the certified lower bound is positive, by however little.
    Side,
}

/// Two bodies, and what is asked of them.
struct Problem<'a, R: Real, A, B> {
    body_a: &'a A,
    body_b: &'a B,
    placement: &'a Placement<R>,
    tolerance: R,
    goal: Goal,
}

impl<R: Real, A: Body<R>, B: Body<R>> Problem<'_, R, A, B> {
    /// Whether opposite normals certify a distance without another evaluation.
    #[inline(always)]
    fn certifies_by_itself(&self) -> bool {
        self.goal == Goal::Distance && A::MEETS_NORMAL && B::MEETS_NORMAL && B::SOLID
    }

    /// Lanes whose points have passed each other, with a point inside both bodies between them.
    #[inline(always)]
    fn have_common_point(&self, relation: &Relation<R>) -> R::Mask {
        if B::SOLID {
            let midpoint = relation.w.mul_add(R::splat(0.5), relation.x_a);
            let in_b = self.placement.a_to_b::<B>(midpoint - self.placement.centre);
            self.body_a.contains(midpoint) & self.body_b.contains(in_b)
        } else {
            self.body_a.contains(relation.x_a + relation.w)
        }
    }

    #[inline(always)]
    fn turn(&self, a: &A::Point, b: &B::Point, relation: &Relation<R>, length: R) -> Turn<R> {
        let along = R::splat(0.5) * relation.w.dot(relation.n_a - relation.n_b);
        let least = along.max(R::splat(LEAST_SEPARATION) * length);
        // Close to the end no turn is limited, and nothing waits for the curvature's roots.
        let limited = (least * least).lt(R::splat(TURN_LIMIT * TURN_LIMIT) * relation.across_sq).any();
        let separation = |smaller_curvature| {
            if !limited {
                return least;
            }
            least.max(R::splat(TURN_LIMIT) * relation.across_sq.sqrt() - smaller_curvature)
        };
        Turn::towards_common_normal::<A, B>((self.body_a, a), (self.body_b, b), self.placement, relation, separation)
    }

    /// How the bodies follow a turn: along the normal where that leaves them with opposite normals, which certify.
    #[inline(always)]
    fn step(&self, a: &A::Point, b: &B::Point, relation: &Relation<R>, length: R, turn: &Turn<R>) -> Step<R> {
        let mut step = Step::along(turn, (self.body_a, a), (self.body_b, b), self.placement, relation);
        if self.certifies_by_itself() {
            // What is left across the normal counts by its square; see `Step::stray`.
            let stray = step.stray * R::splat(STRAY);
            let stray_sq = stray * stray;
            let straight = stray_sq.lt(R::splat(STRAIGHT_SQ) * relation.w_sq);
            step.follow_normal(stray_sq.lt(self.tolerance * length) & straight);
        }
        step
    }
}

/// Where the iteration stands, lane by lane.
struct Iteration<R: Real, A: Body<R>, B: Body<R>> {
    /// The trial points.
    a: A::Point,
    b: B::Point,
    /// The points that the step under trial leaves, that step, and the part of it that is tried.
    from_a: A::Point,
    from_b: B::Point,
    step: Step<R>,
    t: R,
    /// The filter's records.
    closest: R,
    least_residual: R,
    refusals: R,
    syncs: R,
    /// Lanes whose trial points count whatever they are.
    forced: R::Mask,
    done: R::Mask,
    end: Separation<R>,
}

impl<R: Real, A: Body<R>, B: Body<R>> Iteration<R, A, B> {
    #[inline(always)]
    fn begin((a, b): (A::Point, B::Point)) -> Iteration<R, A, B> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let none = one.lt(zero);
        Iteration {
            a,
            b,
            from_a: a,
            from_b: b,
            step: Step::none(),
            t: one,
            closest: R::splat(f64::MAX),
            least_residual: R::splat(f64::MAX),
            refusals: zero,
            syncs: zero,
            forced: !none,
            done: none,
            end: Separation::unknown(),
        }
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        !(!self.done).any()
    }

    /// The filter: lanes whose trial points are closer, or their normals more nearly opposite, than ever before.
    #[inline(always)]
    fn accept(&mut self, relation: &Relation<R>, length: R) -> R::Mask {
        let due = R::splat(SUFFICIENT) * self.t;
        let residual = relation.residual;
        let closer = length.lt(self.closest - due * self.step.predicted);
        let straighter = residual.lt(self.least_residual * (R::splat(1.0) - due))
            & length.lt(self.closest.mul_add(R::splat(DETOUR.0), R::splat(DETOUR.1)));
        let accept = (self.forced | closer | straighter) & !self.done;
        let nearest = accept & length.lt(self.closest);
        self.closest = R::select(nearest, length, self.closest);
        self.least_residual = R::select(accept & residual.lt(self.least_residual), residual, self.least_residual);
        self.end.keep(nearest, relation, length);
        accept
    }

    /// Ends the lanes in which a point inside both bodies turns up.
    #[inline(always)]
    fn notice_overlap(&mut self, problem: &Problem<R, A, B>, accept: R::Mask, relation: &Relation<R>) {
        let crossed = accept & relation.along.lt(R::splat(0.0));
        if crossed.any() {
            let common = crossed & problem.have_common_point(relation);
            self.end.normal = V3::select(common, relation.mid, self.end.normal);
            self.end.witness = V3::select(common, relation.mid, self.end.witness);
            self.end.overlapping = self.end.overlapping | common;
            self.done = self.done | common;
        }
    }

    /// Ends the lanes in which a plane across either body's normal lies between the bodies.
    #[inline(always)]
    fn notice_separation(&mut self, problem: &Problem<R, A, B>, relation: &Relation<R>) {
        let (body_a, body_b) = ((problem.body_a, &self.a), (problem.body_b, &self.b));
        let along = |normal: V3<R>| problem.placement.gap_bound(body_a, body_b, normal);
        let (by_a, by_b) = (along(relation.n_a), along(-relation.n_b));
        let bound = by_a.max(by_b);
        let apart = R::splat(0.0).lt(bound) & !self.done;
        let witness = V3::select(by_b.lt(by_a), relation.n_a, -relation.n_b);
        self.end.lower = R::select(apart, bound, self.end.lower);
        self.end.witness = V3::select(apart, witness, self.end.witness);
        self.done = self.done | apart;
    }

    /// Opposite normals certify by themselves: both points are support points along them.
    #[inline(always)]
    fn certify_opposite(&mut self, problem: &Problem<R, A, B>, relation: &Relation<R>, length: R) {
        let opposite = relation.askew_sq.lt(R::splat(OPPOSITE_SQ)) & relation.is_straight() & !self.done;
        if opposite.any() {
            let askew = relation.askew_sq.sqrt() * (problem.body_b.reach() + problem.body_b.reach());
            let bound = relation.w.dot(relation.n_a) - askew;
            self.end.certify(opposite, relation.n_a, bound, relation, length, problem.tolerance);
            self.done = self.done | self.end.converged;
        }
    }

    /// Certifies the lanes `settled`, in which the next step promises nothing, along one normal after the other.
    #[inline(always)]
    fn certify(
        &mut self,
        problem: &Problem<R, A, B>,
        settled: R::Mask,
        step: &Step<R>,
        relation: &Relation<R>,
        length: R,
    ) {
        let (body_a, body_b) = ((problem.body_a, &self.a), (problem.body_b, &self.b));
        let (placement, tolerance) = (problem.placement, problem.tolerance);
        let slack = R::splat(SLACK) * tolerance;
        if B::CURVED {
            // A hull's normal is only one of those of its point, and need not be one that supports the whole hull.
            let always = R::splat(0.0).lt(R::splat(1.0));
            let by_a = if B::SOLID { step.shortfall[0].lt(step.shortfall[1]) } else { always };
            let shortfall = R::select(by_a, step.shortfall[0], step.shortfall[1]);
            let gap = step.predicted.abs().mul_add(R::splat(0.5), shortfall);
            if !(settled & !gap.lt(R::splat(LIKELY) * tolerance)).any() {
                let (direction, bound) = placement.gap_at_own_normal(body_a, body_b, relation, by_a, settled, slack);
                self.end.certify(settled, direction, bound, relation, length, tolerance);
            }
        }
        // The first direction nearly always does. The others help where it is not exact enough: against a flat hull,
        // whose own normal is exact, and close to touching.
        for direction in [step.normal, -relation.n_b, relation.mid, relation.w] {
            if !(settled & !self.end.converged).any() {
                break;
            }
            let (direction, bound) = if B::CURVED {
                let direction = unit(direction);
                (direction, placement.gap_near(body_a, body_b, direction, slack))
            } else {
                // The point of a is its support point along its own normal.
                (relation.mid, relation.along)
            };
            self.end.certify(settled, direction, bound, relation, length, tolerance);
        }
        self.done = self.done | self.end.converged;
    }

    /// Takes the lanes whose interval is closed to their last digits.
    #[inline(always)]
    fn finish(&mut self, problem: &Problem<R, A, B>, relation: &Relation<R>, turn: &Turn<R>) {
        let (body_a, body_b, among) = ((problem.body_a, &self.a), (problem.body_b, &self.b), self.end.converged);
        self.end.finish::<A, B>(among, body_a, body_b, problem.placement, relation, turn, problem.tolerance);
    }

    /// Goes on to the next trial points: along the new step where the last one was accepted, else along a shorter part of the
    /// old one, and after repeated refusals to the common normal, whatever that costs.
    #[inline(always)]
    fn advance(&mut self, problem: &Problem<R, A, B>, accept: R::Mask, new_step: &Step<R>) {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let Problem { body_a, body_b, placement, .. } = *problem;
        self.from_a = A::select(accept, &self.a, &self.from_a);
        self.from_b = B::select(accept, &self.b, &self.from_b);
        self.step = Step::select(accept, new_step, &self.step);
        self.t = R::select(accept, one, self.t * R::splat(SHORTEN));
        self.refusals = R::select(accept, zero, self.refusals + one);
        self.end.evaluations = R::select(self.done, self.end.evaluations, self.end.evaluations + one);
        let next = self.step.apply::<A, B>((body_a, &self.from_a), (body_b, &self.from_b), placement, self.t);
        // Lanes that have ended wait for the others: the last step is taken by all of them together.
        self.a = A::select(self.done, &self.a, &next.0);
        self.b = B::select(self.done, &self.b, &next.1);
        self.forced = R::splat(REFUSALS_BEFORE_SYNC).lt(self.refusals) & !self.done;
        let sync = self.forced & self.syncs.lt(R::splat(MOST_SYNCS));
        if sync.any() {
            let normal = self.step.normal;
            self.a = A::select(sync, &body_a.with_normal(normal), &self.a);
            self.b = B::select(sync, &body_b.with_normal(-placement.a_to_b::<B>(normal)), &self.b);
            self.syncs = R::select(sync, self.syncs + one, self.syncs);
        }
    }

    #[inline(always)]
    fn conclude(mut self) -> Separation<R> {
        let open = !(self.end.converged | self.end.overlapping);
        if open.any() {
            let between = direction_between(self.end.x_a, self.end.x_b, self.end.witness);
            self.end.normal = V3::select(open, between, self.end.normal);
        }
        self.end
    }
}

/// What points of an earlier query lead to, by which nothing is proved.
pub(crate) enum Recalled<R: Real, A: Body<R>, B: Body<R>> {
    /// A point inside both bodies lies between them.
    Overlapping(Separation<R>),
    /// The points after a first step.
    Next(A::Point, B::Point),
    /// They lie in each other's bodies, or are not of these bodies.
    Nowhere,
}

/// Takes up points of an earlier query.
#[inline(always)]
pub(crate) fn recall<R: Real<Mask = bool>, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    (a, b): (A::Point, B::Point),
    tolerance: R,
) -> Recalled<R, A, B> {
    let problem = Problem { body_a, body_b, placement, tolerance, goal: Goal::Distance };
    let relation = Relation::new::<A, B>(placement, &a, &b);
    if relation.along.lt(R::splat(0.0)) {
        if !problem.have_common_point(&relation) {
            return Recalled::Nowhere;
        }
        return Recalled::Overlapping(Separation {
            x_a: relation.x_a,
            x_b: relation.x_a + relation.w,
            normal: relation.mid,
            witness: relation.mid,
            overlapping: true,
            evaluations: R::splat(0.0),
            ..Separation::unknown()
        });
    }
    let length = relation.w_sq.sqrt();
    let turn = problem.turn(&a, &b, &relation, length);
    let step = problem.step(&a, &b, &relation, length, &turn);
    // Bodies follow any target to a point of their surface, but for one that is not a number.
    let target = step.normal + step.move_a + step.move_b + relation.x_a + relation.w;
    if !target.length_sq().lt(R::splat(f64::MAX)) {
        return Recalled::Nowhere;
    }
    let (a, b) = step.apply::<A, B>((body_a, &a), (body_b, &b), placement, R::splat(1.0));
    Recalled::Next(a, b)
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
    let problem = Problem { body_a, body_b, placement, tolerance, goal };
    let mut state = Iteration::<R, A, B>::begin(start);
    for round in 1..=most {
        let relation = Relation::new::<A, B>(placement, &state.a, &state.b);
        let length = relation.w_sq.sqrt();
        let accept = state.accept(&relation, length);
        state.notice_overlap(&problem, accept, &relation);
        if goal == Goal::Side {
            state.notice_separation(&problem, &relation);
        }
        if problem.certifies_by_itself() {
            state.certify_opposite(&problem, &relation, length);
        }
        if state.is_done() && !state.end.converged.any() {
            break;
        }
        let turn = problem.turn(&state.a, &state.b, &relation, length);
        if !state.is_done() {
            let step = problem.step(&state.a, &state.b, &relation, length, &turn);
            let settled = accept & !state.done & step.predicted.abs().lt(R::splat(WORTHWHILE) * tolerance);
            if settled.any() {
                state.certify(&problem, settled, &step, &relation, length);
            }
            if !state.is_done() && round < most {
                state.advance(&problem, accept, &step);
                continue;
            }
        }
        // Lanes that ended earlier have stayed where they were.
        if state.end.converged.any() {
            state.finish(&problem, &relation, &turn);
        }
        break;
    }
    state.conclude()
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
