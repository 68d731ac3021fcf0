//! What the search for closest points has found, and its last digits.

use crate::solver::body::Body;
use crate::solver::body::superquadric::Curvature;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::step::{Relation, SHORT, Step, Turn};
use crate::solver::simd::{Mask, Plain, Real, V3};

/// Square of how far the last step may turn the normals, in radians: close to touching the system may determine nothing.
const SMALL_TURN_SQ: f64 = 1e-4;
/// Square of how far the last step may move the points, as a part of the size: what it is off the surface by is of third order.
const SMALL_MOVE_SQ: f64 = 1e-6;
/// How far the last step may move a coordinate, as a part of it, and of the size.
const NEAR: f64 = 0.01;
const NEGLIGIBLE: f64 = 1e-11;
/// How far the last step may lead across the normal, off the tangent planes and beyond the bounds, as a part of the tolerance.
const CONSISTENT: f64 = 0.3;
/// Square of a turn, and part of the coordinates that a move may change, of which nothing is left beyond rounding.
const LAST_TURN_SQ: f64 = 1e-13;
const LAST_MOVE: f64 = 1e-6;
/// Points that can slide by this part of the size without coming apart by more than the tolerance are not unique.
pub(crate) const SLIDE: f64 = 1e-2;
/// How the iteration ended, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Separation<R: Real> {
    /// Point of a, in a's frame.
    pub x_a: V3<R>,
    /// Point of b, in a's frame.
    pub x_b: V3<R>,
    /// Unit normal that gave `lower`.
    pub witness: V3<R>,
    /// Unit normal from a to b, where `converged` as exact as one more step would make it.
    pub normal: V3<R>,
    /// Certified lower bound of the distance, or minus infinity.
    pub lower: R,
    /// Least distance of two points seen.
    pub upper: R,
    /// No other points are as close to within the tolerance, as far as curvatures tell.
    pub unique_points: R::Mask,
    /// The gap between both is within the tolerance.
    pub converged: R::Mask,
    /// A point inside both bodies was found.
    pub overlapping: R::Mask,
    /// Surface evaluations spent.
    pub evaluations: R,
}

impl Separation<f64> {
    /// Takes over a lower bound and a pair of points, each where it is better. Points that have converged are as exact as
    /// they can be, whatever bound others give.
    pub fn improve(&mut self, lower: f64, witness: V3<f64>, upper: f64, (x_a, x_b): (V3<f64>, V3<f64>)) {
        if lower > self.lower {
            (self.lower, self.witness) = (lower, witness);
        }
        if upper < self.upper {
            self.upper = upper;
            if !self.converged {
                (self.x_a, self.x_b, self.normal) = (x_a, x_b, direction_between(x_a, x_b, self.witness));
            }
        }
    }
}

impl<R: Real> Separation<R> {
    /// Before anything is known.
    #[inline(always)]
    pub fn unknown() -> Separation<R> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let none = one.lt(zero);
        Separation {
            x_a: V3::splat(zero),
            x_b: V3::splat(zero),
            witness: V3::new(one, zero, zero),
            normal: V3::new(one, zero, zero),
            lower: R::splat(f64::NEG_INFINITY),
            upper: R::splat(f64::MAX),
            unique_points: !none,
            converged: none,
            overlapping: none,
            evaluations: one,
        }
    }

    /// Takes over a pair of points.
    #[inline(always)]
    pub fn keep(&mut self, mask: R::Mask, relation: &Relation<R>, length: R) {
        self.x_a = V3::select(mask, relation.x_a, self.x_a);
        self.x_b = V3::select(mask, relation.x_a + relation.w, self.x_b);
        self.upper = R::select(mask, length, self.upper);
    }

    /// Takes over a lower bound; lanes `among` whose interval it closes are converged.
    #[inline(always)]
    pub fn certify(
        &mut self,
        among: R::Mask,
        direction: V3<R>,
        bound: R,
        relation: &Relation<R>,
        length: R,
        tolerance: R,
    ) {
        let better = among & !self.converged & self.lower.lt(bound);
        self.lower = R::select(better, bound, self.lower);
        self.witness = V3::select(better, direction, self.witness);
        let certified = among & length.lt(self.lower + tolerance);
        self.keep(certified & !self.converged, relation, length);
        self.converged = self.converged | certified;
    }

    /// Takes the lanes `among`, whose interval is closed, to where the next step leads, to second order and without another
    /// evaluation where that does: the distance is stationary in points and normal, so that a solver that stops at a tolerance of 1e-9
    /// leaves these exact to 3e-5 only.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the state of the iteration, taken over once")]
    pub fn finish<A: Body<R>, B: Body<R>>(
        &mut self,
        among: R::Mask,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        placement: &Placement<R>,
        relation: &Relation<R>,
        turn: &Turn<R>,
        tolerance: R,
    ) {
        let half = R::splat(0.5);
        let normal = unit(turn.normal);
        // Along its own curvature a body falls away from the tangent plane that its point leaves.
        let sag_a = half * turn.move_a.dot(turn.turn_a);
        let x_a = relation.x_a + turn.move_a - normal * sag_a;
        let (x_b, sag_b) = if B::SOLID {
            let sag_b = half * turn.shrink_b.dot(turn.turn_b);
            (relation.x_a + relation.w - turn.shrink_b + normal * sag_b, sag_b)
        } else {
            let target = B::position(b) - placement.a_to_b::<B>(turn.shrink_b);
            let by_position = [among; 2];
            let moved = body_b.follow(by_position, target, -placement.a_to_b::<B>(turn.normal));
            (placement.centre + placement.b_to_a::<B>(B::position(&moved)), R::splat(0.0))
        };
        // Where curvature changes on the way, on faces and ridges, the step may lead off the surfaces.
        let slack = R::splat(CONSISTENT) * tolerance;
        let small_turn = (turn.turn_a.length_sq() + turn.turn_b.length_sq()).lt(R::splat(SMALL_TURN_SQ));
        let small_move = (turn.move_a.length_sq() + turn.shrink_b.length_sq()).lt(R::splat(SMALL_MOVE_SQ));
        let mut near = (sag_a.abs() + sag_b.abs()).lt(slack)
            & stays_near(turn.move_a, relation.x_a, NEAR)
            & small_turn
            & small_move;
        if B::SOLID {
            near = near & stays_near(placement.a_to_b::<B>(turn.shrink_b), B::position(b), NEAR);
        }
        let ([lined_a, lined_b], fits) = lined_up::<R, B>(turn, (x_a, x_b), normal, tolerance);
        let better = among & near & fits & self.agrees(x_b - x_a, normal, slack);
        let (x_a, x_b) = (lined_a, lined_b);
        self.x_a = V3::select(better, x_a, self.x_a);
        self.x_b = V3::select(better, x_b, self.x_b);
        self.normal = V3::select(better, normal, self.normal);
        let rest = among & !better;
        if rest.any() {
            let step = Step::along(turn, (body_a, a), (body_b, b), placement, relation);
            let (a, b) = step.apply::<A, B>((body_a, a), (body_b, b), placement, R::splat(1.0));
            let next = Relation::new::<A, B>(placement, &a, &b);
            let better =
                rest & small_turn & next.residual.lt(relation.residual) & next.w_sq.lt(self.upper * self.upper);
            let (x_a, x_b) = (next.x_a, next.x_a + next.w);
            let ([lined_a, lined_b], fits) = lined_up::<R, B>(turn, (x_a, x_b), next.mid, tolerance);
            let common = better & fits & self.agrees(next.w, next.mid, slack);
            self.x_a = V3::select(better, V3::select(common, lined_a, x_a), self.x_a);
            self.x_b = V3::select(better, V3::select(common, lined_b, x_b), self.x_b);
            let between = direction_between(self.x_a, self.x_b, self.witness);
            self.normal = V3::select(rest, V3::select(common, next.mid, between), self.normal);
        }
        if B::CURVED {
            let slides = turn.slides(R::splat(SLIDE), tolerance);
            self.unique_points = self.unique_points & !(among & slides);
        }
    }

    /// Whether the line between two points goes along a normal, and their distance is within what was proved.
    #[inline(always)]
    fn agrees(&self, w: V3<R>, normal: V3<R>, slack: R) -> R::Mask {
        let along = w.dot(normal);
        let across_sq = (w - normal * along).length_sq();
        let aligned = across_sq.lt(slack * slack) | (along.lt(R::splat(SHORT)) & across_sq.lt(slack * along));
        aligned & (self.lower - slack).lt(along) & along.lt(self.upper + slack)
    }

    /// The distance that the answer tells: that of its points, within what was proved.
    #[inline(always)]
    pub fn distance(&self) -> R {
        (self.x_b - self.x_a).length_sq().sqrt().max(self.lower).min(self.upper)
    }
}

/// Two points moved onto one line along the normal, and where that leaves the surfaces by less than half the tolerance: close to
/// touching they agree with the normal only to the root of the tolerance, and a tangent plane is left by the square of a move over
/// twice the radius of curvature. Each body's point moves by its share of both radii in that direction: a ridge has none.
#[inline(always)]
fn lined_up<R: Real, B: Body<R>>(
    turn: &Turn<R>,
    (x_a, x_b): (V3<R>, V3<R>),
    normal: V3<R>,
    tolerance: R,
) -> ([V3<R>; 2], R::Mask) {
    let (tiny, one) = (R::splat(1e-300), R::splat(1.0));
    let w = x_b - x_a;
    let across = w - normal * w.dot(normal);
    let across_sq = across.length_sq();
    let radius_a = radius_along(&turn.curve_a, across, across_sq);
    let radius_b = if B::SOLID { radius_along(&turn.curve_b, across, across_sq) } else { R::splat(0.0) };
    let radii = (radius_a + radius_b).max(tiny);
    let part = radius_a / radii;
    let fits = across_sq.lt(tolerance * radii) | across_sq.lt(R::splat(0.25) * tolerance * tolerance);
    ([x_a + across * part, x_b - across * (one - part)], fits)
}

/// Radius of curvature of a surface along a direction: that of the support function inverted in the tangent plane. Not a closure,
/// which would not be compiled for the CPU's vector lanes.
#[inline(always)]
fn radius_along<R: Real>(curve: &Curvature<R>, direction: V3<R>, length_sq: R) -> R {
    let tiny = R::splat(1e-300);
    let along = direction.dot(curve.apply(direction)) / length_sq.max(tiny);
    curve.minors().abs() / (curve.trace() - along).abs().max(tiny)
}

/// Whether a move changes no coordinate of a body's point by more than a `part` of it, so that the curvature, a product of powers of
/// them, is about the same at its end.
#[inline(always)]
pub(crate) fn stays_near<R: Real>(by: V3<R>, from: V3<R>, part: f64) -> R::Mask {
    let near = |by: R, from: R| by.abs().lt(from.abs().mul_add(R::splat(part), R::splat(NEGLIGIBLE)));
    near(by.x, from.x) & near(by.y, from.y) & near(by.z, from.z)
}

/// Where a turn leads that is so small that nothing of it is left beyond rounding, without another evaluation.
#[inline(always)]
pub(crate) fn last_step<R: Plain, A: Body<R>, B: Body<R>>(
    turn: &Turn<R>,
    b: &B::Point,
    placement: &Placement<R>,
    from: &Relation<R>,
) -> Option<Relation<R>> {
    // Bodies whose curvature is smooth, and small as it may be, is there.
    let small = A::MEETS_NORMAL
        && B::MEETS_NORMAL
        && B::SOLID
        && (turn.turn_a.length_sq() + turn.turn_b.length_sq()).lt(R::splat(LAST_TURN_SQ))
        && stays_near(turn.move_a, from.x_a, LAST_MOVE)
        && stays_near(placement.a_to_b::<B>(turn.shrink_b), B::position(b), LAST_MOVE);
    small.then(|| {
        let w = from.w - turn.move_a - turn.shrink_b;
        let mid = unit(turn.normal);
        let along = w.dot(mid);
        let across_sq = (w - mid * along).length_sq();
        Relation { x_a: from.x_a + turn.move_a, w, mid, along, across_sq, ..*from }
    })
}

/// Unit normal along the line between two points, unless they are too close to tell.
#[inline(always)]
pub(crate) fn direction_between<R: Real>(x_a: V3<R>, x_b: V3<R>, otherwise: V3<R>) -> V3<R> {
    let w = x_b - x_a;
    let length = w.length_sq().sqrt();
    V3::select(R::splat(SHORT).lt(length), w * (R::splat(1.0) / length), otherwise)
}

impl<R: Plain> Separation<R> {
    /// The same in plain numbers.
    #[inline(always)]
    pub fn plain(&self) -> Separation<f64> {
        Separation {
            x_a: self.x_a.spread(),
            x_b: self.x_b.spread(),
            witness: self.witness.spread(),
            normal: self.normal.spread(),
            lower: self.lower.into(),
            upper: self.upper.into(),
            unique_points: self.unique_points,
            converged: self.converged,
            overlapping: self.overlapping,
            evaluations: self.evaluations.into(),
        }
    }
}
