//! Contact points and normal to rounding, from a distance that is right to its tolerance.
//!
//! The distance is stationary in the normal and the points, so a solver that stops at a tolerance of 1e-9 leaves them
//! exact to 3e-5 only. A step or two of Newton's method for the common normal, apart or in penetration, makes up for it.

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Options, Outcome};
use crate::shape::Shape;
use crate::solver::body::Body;
use crate::solver::convex::{frame_of_superquadrics, frame_with_simplex, scaled};
use crate::solver::pair::frame::Frame;
use crate::solver::pair::placement::Placement;
use crate::solver::params::{Kind, Params};
use crate::solver::separation::found::last_step;
use crate::solver::separation::step::{Relation, Step, Turn};
use crate::solver::simd::{Plain, V3, single_query};
use crate::solver::superellipsoids::separate_ellipsoids;

/// Most steps. Each squares the error, but on flat faces, whose curvature vanishes, it only divides it by about three.
const MOST_STEPS: u32 = 8;
/// Residual, the square of an angle and of a length in units of the size, at which rounding is reached.
const EXACT: f64 = 1e-28;
/// Residual above which the points of the outcome may not belong to its normal: on flat faces the normal alone is kept.
const INCONSISTENT: f64 = 1e-8;
/// Square of the part of the line between the points, in units of the size, that may lie across the normal.
const IN_LINE_SQ: f64 = 1e-18;
/// Change of the distance, in units of the size, that is not a refinement any more.
const ELSEWHERE: f64 = 1e-6;

/// Contact points and normal, in world coordinates.
#[derive(Clone, Copy)]
pub(crate) struct Contact {
    pub point_a: DVec3,
    pub point_b: DVec3,
    pub normal: DVec3,
}

impl Contact {
    pub fn swapped(self) -> Contact {
        Contact { point_a: self.point_b, point_b: self.point_a, normal: -self.normal }
    }
}

/// The contact of an outcome, refined where a curved body takes part in it that has no closed form.
pub(crate) fn refine(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, outcome: &Outcome) -> Contact {
    match (Kind::of(a), Kind::of(b)) {
        (Kind::Superquadric(a), Kind::Superquadric(b)) => of_superquadrics(&a, pose_a, &b, pose_b, outcome),
        (Kind::Superquadric(a), Kind::Simplex(b)) => superquadric_and_simplex(&a, pose_a, b, pose_b, outcome),
        (Kind::Simplex(a), Kind::Superquadric(b)) => {
            superquadric_and_simplex(&b, pose_b, a, pose_a, &outcome.swapped()).swapped()
        }
        // See `solver::primitive::refine`.
        (Kind::Plane(_) | Kind::Simplex(_) | Kind::Primitive(_) | Kind::Supported(..), _)
        | (_, Kind::Plane(_) | Kind::Primitive(_) | Kind::Supported(..)) => unrefined(outcome),
    }
}

fn unrefined(outcome: &Outcome) -> Contact {
    Contact { point_a: outcome.point_a, point_b: outcome.point_b, normal: outcome.normal }
}

/// The contact of an outcome of two superquadrics, refined.
pub(crate) fn of_superquadrics(a: &Params, pose_a: &Pose, b: &Params, pose_b: &Pose, outcome: &Outcome) -> Contact {
    let frame = frame_of_superquadrics(a, pose_a, b, pose_b);
    if a.is_ellipsoid() && b.is_ellipsoid() && outcome.distance > 0.0 {
        let there = Options { warm_start: Some(outcome.warm_start), ..Options::DEFAULT };
        let found = separate_ellipsoids([a, b], &frame, &there);
        if found.converged {
            return Contact {
                point_a: frame.to_world(found.x_a),
                point_b: frame.to_world(found.x_b),
                normal: frame.to_world_direction(found.normal),
            };
        }
    }
    if a.is_tapered() || b.is_tapered() {
        newton(&scaled::<f64, true>(a, frame.size), &scaled::<f64, true>(b, frame.size), &frame, outcome)
    } else {
        superellipsoids([a, b], &frame, outcome)
    }
}

single_query! {
    /// The contact of an outcome of two superellipsoids, refined.
    fn superellipsoids(shapes: [&Params; 2], frame: &Frame, outcome: &Outcome) -> Contact, superellipsoids_in
}

#[inline(always)]
fn superellipsoids_in<R: Plain>(shapes: [&Params; 2], frame: &Frame, outcome: &Outcome) -> Contact {
    let [a, b] = shapes.map(|shape| scaled::<R, false>(shape, frame.size));
    newton_in(&a, &b, &frame.placement.spread(), frame, outcome)
}

/// The contact of a superquadric (a) and the hull of some points (b).
pub(crate) fn superquadric_and_simplex(
    a: &Params,
    pose_a: &Pose,
    b: &[DVec3],
    pose_b: &Pose,
    outcome: &Outcome,
) -> Contact {
    let (frame, hull) = frame_with_simplex(a, pose_a, b, pose_b);
    if a.is_tapered() {
        newton(&scaled::<f64, true>(a, frame.size), &hull, &frame, outcome)
    } else {
        newton(&scaled::<f64, false>(a, frame.size), &hull, &frame, outcome)
    }
}

pub(crate) fn newton<A: Body<f64>, B: Body<f64>>(body_a: &A, body_b: &B, frame: &Frame, outcome: &Outcome) -> Contact {
    newton_in(body_a, body_b, &frame.placement, frame, outcome)
}

/// The same in other numbers; `placement` is the frame's.
#[inline(always)]
fn newton_in<R: Plain, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    frame: &Frame,
    outcome: &Outcome,
) -> Contact {
    let start = Options { warm_start: Some(outcome.warm_start), ..Options::DEFAULT };
    let ((mut a, mut b), _) = frame.start_in(body_a, body_b, placement, &start);
    let mut best = Relation::new::<A, B>(placement, &a, &b);
    if R::splat(INCONSISTENT).lt(best.residual) {
        let normal = V3::<f64>::from(frame.pose_a.inverse_transform_vector(outcome.normal)).spread();
        let normal_b = -placement.a_to_b::<B>(normal);
        let at_normal = body_a.with_normal(normal);
        let distance = R::splat(outcome.distance / frame.size);
        let opposite = A::position(&at_normal) + normal * distance - placement.centre;
        let opposite = body_b.place(placement.a_to_b::<B>(opposite), normal_b);
        for there in [(at_normal, opposite), (at_normal, body_b.with_normal(normal_b))] {
            let relation = Relation::new::<A, B>(placement, &there.0, &there.1);
            if relation.residual.lt(best.residual) {
                ((a, b), best) = (there, relation);
            }
        }
    }
    for _ in 0..MOST_STEPS {
        let (at_a, at_b) = ((body_a, &a), (body_b, &b));
        let turn = Turn::towards_common_normal::<A, B>(at_a, at_b, placement, &best, |_| best.along);
        if let Some(last) = last_step::<R, A, B>(&turn, &b, placement, &best) {
            best = last;
            break;
        }
        let step = Step::along(&turn, at_a, at_b, placement, &best);
        (a, b) = step.apply::<A, B>(at_a, at_b, placement, R::splat(1.0));
        let next = Relation::new::<A, B>(placement, &a, &b);
        // Not a number where the system was singular: that is no progress either.
        if !next.residual.lt(best.residual) {
            break;
        }
        best = next;
        if best.residual.lt(R::splat(EXACT)) {
            break;
        }
    }
    // A simplex's feature or a far-away minimum may have been mistaken for the one at hand, and on ridges the steps may end
    // where the points are less in line than those of the outcome.
    let off = (best.along.into() - outcome.distance / frame.size).abs();
    let apart = (outcome.point_b - outcome.point_a) / frame.size;
    let across_sq = (apart - outcome.normal * apart.dot(outcome.normal)).length_squared();
    if off.is_nan() || off >= ELSEWHERE || best.across_sq.into() > across_sq.max(IN_LINE_SQ) {
        return unrefined(outcome);
    }
    Contact {
        point_a: frame.to_world(best.x_a.spread()),
        point_b: frame.to_world((best.x_a + best.w).spread()),
        normal: frame.to_world_direction(best.mid.spread()),
    }
}
