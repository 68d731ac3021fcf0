//! Which solver a pair goes to: convex or not, tapered or not.

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Options, Outcome, Status, WarmStart, status_of};
use crate::solver::body::Body;
use crate::solver::certificate;
use crate::solver::closed_form::balls;
use crate::solver::convex::{
    frame_of_superquadrics, frame_with_simplex, scaled, solve_superquadric_and_simplex, solve_superquadrics,
};
use crate::solver::growth::grown;
use crate::solver::nonconvex;
use crate::solver::pair::frame::Frame;
use crate::solver::pair::placement::Placement;
use crate::solver::params::Params;
use crate::solver::penetration::memory::Memory;
use crate::solver::polish;
use crate::solver::separation::ellipsoids;
use crate::solver::superellipsoids::{separate_ellipsoids, side};

/// Two superquadrics. About one pair in a million, flat faces that touch, stays open by a hair; from b's point of view the
/// rounding is another one.
pub(crate) fn superquadrics(
    a: &Params,
    pose_a: &Pose,
    b: &Params,
    pose_b: &Pose,
    options: &Options,
    memory: Option<&mut Memory>,
) -> Outcome {
    let outcome = superquadrics_as_given(a, pose_a, b, pose_b, options, memory);
    let left = options.max_iterations.saturating_sub(outcome.iterations);
    if outcome.status != Status::NotConverged || left == 0 || outcome.distance < 0.0 || outcome.bounds.is_none() {
        return outcome;
    }
    let options = Options { max_iterations: left, ..options.swapped() };
    let mut other = superquadrics_as_given(b, pose_b, a, pose_a, &options, None).swapped();
    other.iterations += outcome.iterations;
    if other.status == Status::NotConverged { outcome } else { other }
}

fn superquadrics_as_given(
    a: &Params,
    pose_a: &Pose,
    b: &Params,
    pose_b: &Pose,
    options: &Options,
    memory: Option<&mut Memory>,
) -> Outcome {
    match (a.is_ball(), b.is_ball()) {
        (true, true) => return balls::two_balls([a, b], &frame_of_superquadrics(a, pose_a, b, pose_b), options),
        (false, true) if a.convex => return superquadric_and_ball(a, pose_a, b, pose_b, options),
        (true, false) if b.convex => {
            return superquadric_and_ball(b, pose_b, a, pose_a, &options.swapped()).swapped();
        }
        _ => {}
    }
    let frame = frame_of_superquadrics(a, pose_a, b, pose_b);
    let mut spent = 0;
    if a.is_ellipsoid() && b.is_ellipsoid() && options.max_iterations > ellipsoids::MOST_ROUNDS {
        let found = separate_ellipsoids([a, b], &frame, options);
        if found.converged {
            return frame.separated(&found, options);
        }
        spent = found.evaluations as u32;
    }
    let options = &Options { max_iterations: options.max_iterations - spent, ..*options };
    let mut outcome = match (a.is_tapered() || b.is_tapered(), a.convex && b.convex) {
        (_, false) => nonconvex::superquadrics([a, b], &frame, options),
        (true, true) => solve_superquadrics::<true>([a, b], &frame, options, memory),
        (false, true) => solve_superquadrics::<false>([a, b], &frame, options, memory),
    };
    outcome.iterations += spent;
    outcome
}

/// A convex superquadric (a) and a ball (b): the signed distance of the ball's centre, less its radius. A ball adds the same to
/// the support function along every normal, which makes the depth harder to prove and changes nothing else.
fn superquadric_and_ball(a: &Params, pose_a: &Pose, ball: &Params, pose_b: &Pose, options: &Options) -> Outcome {
    let (radius, own) = (ball.largest_radius(), a.largest_radius());
    // The size of the pair is larger than that of a body and a point.
    let tolerance = (options.tolerance * (1.0 + radius / own)).min(1.0);
    let warm_start = options.warm_start.map(|warm| WarmStart { point_b: DVec3::ZERO, ..warm });
    let centre_options = Options { tolerance, warm_start, ..*options };
    let mut outcome = superquadric_and_simplex(a, pose_a, &[DVec3::ZERO], pose_b, &centre_options);
    let apart = (pose_b.translation - pose_a.translation).length();
    let rounding = certificate::rounding_of_lengths(radius) + certificate::rounding_of_lengths(apart) / 16.0;
    if outcome.distance < radius {
        part_along_normal(a, pose_a, pose_b, options.tolerance * (radius + own), &mut outcome);
    }
    outcome.distance -= radius;
    outcome.bounds = outcome.bounds.map(|bounds| certificate::shifted(bounds, -radius, rounding));
    let inward = pose_b.inverse_transform_vector(-outcome.normal);
    outcome.point_b = pose_b.translation - outcome.normal * radius;
    outcome.warm_start.point_b = inward * radius;
    outcome.warm_start.normal_b = inward;
    let settled = outcome.status != Status::NotConverged;
    outcome.status = status_of(outcome.distance, settled, options.tolerance * (radius + own));
    outcome
}

/// Takes the closest point of a ball's centre, and its normal, to their last digits where moving by the depth along the normal would
/// not part body and ball: on flat faces lines to the centre are equally long along normals that are far from supporting
/// the body.
fn part_along_normal(a: &Params, pose_a: &Pose, pose_b: &Pose, tolerance: f64, outcome: &mut Outcome) {
    let (frame, centre) = frame_with_simplex(a, pose_a, &[DVec3::ZERO], pose_b);
    let falls_short = |normal: DVec3| {
        let normal = pose_a.inverse_transform_vector(normal).into();
        let gap = if a.is_tapered() {
            frame.placement.gap_along(&scaled::<f64, true>(a, frame.size), &centre, normal)
        } else {
            frame.placement.gap_along(&scaled::<f64, false>(a, frame.size), &centre, normal)
        };
        outcome.distance - gap * frame.size
    };
    let short = falls_short(outcome.normal);
    if short > tolerance {
        let contact = polish::superquadric_and_simplex(a, pose_a, &[DVec3::ZERO], pose_b, outcome);
        if falls_short(contact.normal) < short {
            (outcome.point_a, outcome.normal) = (contact.point_a, contact.normal);
        }
    }
}

/// What is known of a pair that is asked whether it overlaps.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tried {
    /// The normal of a plane that parted the bodies before, in the world; one that does now is left there.
    pub axis: Option<DVec3>,
    /// Whether the first planes and points were tried in vain.
    pub in_vain: bool,
}

/// Whether two superquadrics overlap, where that takes less than their distance does.
pub(crate) fn superquadrics_overlap(
    a: &Params,
    pose_a: &Pose,
    b: &Params,
    pose_b: &Pose,
    tried: &mut Tried,
) -> Option<bool> {
    let frame = frame_of_superquadrics(a, pose_a, b, pose_b);
    let size = frame.size;
    if a.is_tapered() || b.is_tapered() {
        let (body_a, body_b) = (scaled::<f64, true>(a, size), scaled::<f64, true>(b, size));
        let convex = a.convex && b.convex;
        let early = frame.overlap(&body_a, &body_b, convex, || nonconvex::superquadrics_overlap([a, b], &frame));
        return early.or_else(|| if convex { overlap_by_growth([a, b], (&body_a, &body_b), &frame) } else { None });
    }
    if !tried.in_vain {
        let last = tried.axis.take().and_then(DVec3::try_normalize);
        let side = side([a, b], &frame, last.map(|axis| pose_a.inverse_transform_vector(axis).into()));
        if side.apart {
            tried.axis = Some(frame.to_world_direction(side.axis));
            return Some(false);
        }
        if side.overlapping {
            return Some(true);
        }
    }
    let (body_a, body_b) = (scaled::<f64, false>(a, size), scaled::<f64, false>(b, size));
    let by_growth = overlap_by_growth([a, b], (&body_a, &body_b), &frame);
    by_growth.or_else(|| frame.overlap(&body_a, &body_b, true, || None))
}

/// Whether convex superquadrics overlap, by where they touch when both have grown or shrunk: that point lies in both, or the plane through
/// it parts them, unless they nearly touch as they are. However far they are in each other, there is one such point only.
fn overlap_by_growth<B: Body<f64>>(shapes: [&Params; 2], (body_a, body_b): (&B, &B), frame: &Frame) -> Option<bool> {
    let Placement { rotation, centre } = frame.placement;
    let touch = grown(shapes, frame, frame.tolerance(&Options::DEFAULT), &Options::DEFAULT);
    let point = touch.x_a * touch.scale;
    if body_a.contains(point) && body_b.contains(rotation.apply_transposed(point - centre)) {
        return Some(true);
    }
    (frame.placement.gap_along(body_a, body_b, touch.normal) > frame.rounding).then_some(false)
}

/// A superquadric (a) and the hull of some points (b).
pub(crate) fn superquadric_and_simplex(
    a: &Params,
    pose_a: &Pose,
    b: &[DVec3],
    pose_b: &Pose,
    options: &Options,
) -> Outcome {
    let (frame, hull) = frame_with_simplex(a, pose_a, b, pose_b);
    if a.is_ball() {
        return balls::ball_and_simplex(a, &hull, &frame, options);
    }
    let size = frame.size;
    if a.is_tapered() {
        let superquadric = scaled::<f64, true>(a, size);
        if !a.convex {
            return nonconvex::superquadric_and_simplex(a, &hull, &frame, options);
        }
        solve_superquadric_and_simplex(&superquadric, &hull, &frame, options)
    } else {
        let superquadric = scaled::<f64, false>(a, size);
        solve_superquadric_and_simplex(&superquadric, &hull, &frame, options)
    }
}

/// Whether a superquadric (a) and the hull of some points (b) overlap, where that takes less than their distance does.
pub(crate) fn superquadric_and_simplex_overlap(a: &Params, pose_a: &Pose, b: &[DVec3], pose_b: &Pose) -> Option<bool> {
    let (frame, hull) = frame_with_simplex(a, pose_a, b, pose_b);
    if a.is_tapered() {
        let superquadric = scaled::<f64, true>(a, frame.size);
        frame.overlap(&superquadric, &hull, a.convex, || nonconvex::superquadric_and_simplex_overlap(a, &hull, &frame))
    } else {
        frame.overlap(&scaled::<f64, false>(a, frame.size), &hull, true, || None)
    }
}
