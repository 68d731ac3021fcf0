//! Convex pairs: scaling, starts, and the order in which the methods are tried.
//!
//! Newton's method first; where it does not settle, the support-mapping fallback; where a common point is found, the
//! search for the least separating translation.

use glam::DVec3;

use super::body::Body;
use super::candidate::Candidate;
use super::frame::Frame;
use super::gjk::gjk;
use super::graph::Egg;
use super::hollow;
use super::hull_body::Hull;
use super::overlap::deepest;
use super::placement::Placement;
use super::search::OneByOne;
use super::separate::{Goal, Separation, separate, separate_lanes};
use super::starts::{Known, Starts};
use super::{EggShape, hull_mean, hull_radius};
use crate::Pose;
use crate::lanes::{M3, Real, V3};
use crate::query::{Options, Outcome, Status};

/// Evaluations of Newton's method before the fallback takes over; the 99th percentile is 20 in the hardest class.
pub(crate) const NEWTON_EVALUATIONS: u32 = 24;

/// Two eggs. About one pair in a million, flat faces that touch, stays open by a hair; from b's point of view the
/// rounding is another one.
pub(super) fn eggs(a: &EggShape, pose_a: &Pose, b: &EggShape, pose_b: &Pose, options: &Options) -> Outcome {
    let outcome = eggs_as_given(a, pose_a, b, pose_b, options);
    if outcome.status != Status::NotConverged
        || options.max_iterations <= NEWTON_EVALUATIONS
        || outcome.bounds.is_none()
    {
        return outcome;
    }
    let mut other = eggs_as_given(b, pose_b, a, pose_a, &options.swapped()).swapped();
    other.iterations += outcome.iterations;
    if other.status == Status::NotConverged { outcome } else { other }
}

fn eggs_as_given(a: &EggShape, pose_a: &Pose, b: &EggShape, pose_b: &Pose, options: &Options) -> Outcome {
    let frame = frame_of_eggs(a, pose_a, b, pose_b);
    match (a.is_tapered() || b.is_tapered(), a.convex && b.convex) {
        (_, false) => hollow::eggs([a, b], &frame, options),
        (true, true) => solve_eggs::<true>([a, b], &frame, options),
        (false, true) => solve_eggs::<false>([a, b], &frame, options),
    }
}

fn solve_eggs<const TAPERED: bool>(shapes: [&EggShape; 2], frame: &Frame, options: &Options) -> Outcome {
    let found = newton::<TAPERED>(shapes, frame, options);
    if found.converged {
        return frame.separated(&found, options);
    }
    let [a, b] = &shapes.map(|shape| scaled::<f64, TAPERED>(shape, frame.size));
    frame.conclude(a, b, found, options, |tolerance, near| deepest_of_eggs(a, b, &frame.placement, tolerance, near))
}

fn newton<const TAPERED: bool>(shapes: [&EggShape; 2], frame: &Frame, options: &Options) -> Separation<f64> {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes::avx2::available() {
        // SAFETY: the CPU was just asked for AVX2 and FMA.
        return unsafe { fused_newton::<TAPERED>(shapes, frame, options) };
    }
    let [a, b] = &shapes.map(|shape| scaled::<f64, TAPERED>(shape, frame.size));
    let (start, _) = frame.start(a, b, options);
    separate(a, b, &frame.placement, start, frame.tolerance(options), newton_evaluations(options), Goal::Distance)
}

/// Newton's method with fused multiply-add: about a quarter fewer instructions than without.
///
/// # Safety
/// The CPU must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fused_newton<const TAPERED: bool>(
    shapes: [&EggShape; 2],
    frame: &Frame,
    options: &Options,
) -> Separation<f64> {
    use crate::lanes::fused::Fused;
    let a = scaled::<Fused, TAPERED>(shapes[0], frame.size);
    let b = scaled::<Fused, TAPERED>(shapes[1], frame.size);
    let placement = frame.placement.spread();
    let (start, _) = frame.start_in(&a, &b, &placement, options);
    let tolerance = Fused(frame.tolerance(options));
    separate_lanes(&a, &b, &placement, start, tolerance, newton_evaluations(options), Goal::Distance).plain()
}

/// Evaluations that Newton's method may spend.
fn newton_evaluations(options: &Options) -> u32 {
    options.max_iterations.min(NEWTON_EVALUATIONS)
}

/// Whether two eggs overlap, where that takes less than their distance does.
pub(super) fn eggs_overlap(a: &EggShape, pose_a: &Pose, b: &EggShape, pose_b: &Pose) -> Option<bool> {
    let frame = frame_of_eggs(a, pose_a, b, pose_b);
    let size = frame.size;
    if a.is_tapered() || b.is_tapered() {
        let (body_a, body_b) = (scaled::<f64, true>(a, size), scaled::<f64, true>(b, size));
        frame.overlap(&body_a, &body_b, a.convex && b.convex, || hollow::eggs_overlap([a, b], &frame))
    } else {
        let (body_a, body_b) = (scaled::<f64, false>(a, size), scaled::<f64, false>(b, size));
        frame.overlap(&body_a, &body_b, true, || None)
    }
}

/// An egg (a) and the hull of some points (b).
pub(super) fn egg_and_hull(a: &EggShape, pose_a: &Pose, b: &[DVec3], pose_b: &Pose, options: &Options) -> Outcome {
    let (frame, hull) = frame_with_hull(a, pose_a, b, pose_b);
    let size = frame.size;
    if a.is_tapered() {
        let egg = scaled::<f64, true>(a, size);
        if !a.convex {
            return hollow::egg_and_hull(&egg, &hull, &frame, options);
        }
        solve_egg_and_hull(&egg, &hull, &frame, options)
    } else {
        let egg = scaled::<f64, false>(a, size);
        solve_egg_and_hull(&egg, &hull, &frame, options)
    }
}

fn solve_egg_and_hull<const TAPERED: bool>(
    egg: &Egg<f64, TAPERED>,
    hull: &Hull,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let (start, _) = frame.start(egg, hull, options);
    let (tolerance, most) = (frame.tolerance(options), newton_evaluations(options));
    let found = separate(egg, hull, &frame.placement, start, tolerance, most, Goal::Distance);
    frame.conclude(egg, hull, found, options, |tolerance, near| {
        deepest_in_egg(egg, hull, &frame.placement, tolerance, near)
    })
}

/// Whether an egg (a) and the hull of some points (b) overlap, where that takes less than their distance does.
pub(super) fn egg_and_hull_overlap(a: &EggShape, pose_a: &Pose, b: &[DVec3], pose_b: &Pose) -> Option<bool> {
    let (frame, hull) = frame_with_hull(a, pose_a, b, pose_b);
    if a.is_tapered() {
        let egg = scaled::<f64, true>(a, frame.size);
        frame.overlap(&egg, &hull, a.convex, || hollow::egg_and_hull_overlap(&egg, &hull, &frame))
    } else {
        frame.overlap(&scaled::<f64, false>(a, frame.size), &hull, true, || None)
    }
}

/// Each egg in its own orientation, about its own origin.
pub(super) fn frame_of_eggs<'a>(a: &EggShape, pose_a: &'a Pose, b: &EggShape, pose_b: &'a Pose) -> Frame<'a> {
    Frame::of_eggs(pose_a, pose_b, a.largest_radius() + b.largest_radius())
}

/// The hull in a's orientation, about its own mean.
pub(super) fn frame_with_hull<'a>(a: &EggShape, pose_a: &'a Pose, b: &[DVec3], pose_b: &'a Pose) -> (Frame<'a>, Hull) {
    let size = a.largest_radius() + hull_radius(b);
    let mean = hull_mean(b);
    let frame = Frame::with_hull(pose_a, pose_b, size, mean);
    let mut vertices = [V3::splat(0.0); 3];
    for (vertex, point) in vertices.iter_mut().zip(b) {
        let world = pose_b.transform_vector(*point - mean);
        *vertex = (pose_a.inverse_transform_vector(world) * (1.0 / size)).into();
    }
    (frame, Hull::new(&vertices[..b.len()]))
}

/// An egg in units of the pair's size.
#[inline(always)]
pub(crate) fn scaled<R: Real, const TAPERED: bool>(egg: &EggShape, size: f64) -> Egg<R, TAPERED> {
    let per_size = 1.0 / size;
    let [x, y, z] = egg.radii;
    let radii = V3::new(x * per_size, y * per_size, z * per_size).spread();
    let [e1, e2] = egg.exponents;
    let [tx, ty] = egg.taper;
    Egg::new(radii, [R::splat(e1), R::splat(e2)], [R::splat(tx), R::splat(ty)])
}

fn starts_of_eggs<const TAPERED: bool>(
    a: &Egg<f64, TAPERED>,
    b: &Egg<f64, TAPERED>,
    placement: &Placement<f64>,
    near: V3<f64>,
) -> Starts {
    let mut starts = Starts::new(a, b, placement, near);
    let M3 { x, y, z } = placement.rotation;
    let axes = [V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)];
    starts.add_egg(a, axes, placement.centre, Known::OfA);
    starts.add_egg(b, [x, y, z], placement.centre, Known::OfB);
    starts
}

/// Four directions at a time where the CPU can, else one by one.
pub(super) fn deepest_of_eggs<const TAPERED: bool>(
    a: &Egg<f64, TAPERED>,
    b: &Egg<f64, TAPERED>,
    placement: &Placement<f64>,
    tolerance: f64,
    near: V3<f64>,
) -> Candidate {
    let starts = starts_of_eggs(a, b, placement, near);
    #[cfg(target_arch = "x86_64")]
    if crate::lanes::avx2::available() {
        // SAFETY: the CPU was just asked for AVX2 and FMA.
        let search = unsafe { super::search::four_lanes::FourLanes::new(a, b, placement, tolerance) };
        return deepest(&search, &starts);
    }
    deepest(&OneByOne { body_a: a, body_b: b, placement, tolerance }, &starts)
}

pub(super) fn deepest_in_egg<const TAPERED: bool>(
    egg: &Egg<f64, TAPERED>,
    hull: &Hull,
    placement: &Placement<f64>,
    tolerance: f64,
    near: V3<f64>,
) -> Candidate {
    let mut starts = Starts::new(egg, hull, placement, near);
    let axes = [V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)];
    starts.add_egg(egg, axes, placement.centre, Known::OfA);
    starts.add_hull(hull, placement);
    deepest(&OneByOne { body_a: egg, body_b: hull, placement, tolerance }, &starts)
}

impl Frame<'_> {
    /// Goes on from where Newton's method ended.
    fn conclude<A: Body<f64>, B: Body<f64>>(
        &self,
        body_a: &A,
        body_b: &B,
        mut found: Separation<f64>,
        options: &Options,
        deepest: impl Fn(f64, V3<f64>) -> Candidate,
    ) -> Outcome {
        let tolerance = self.tolerance(options);
        let most = options.max_iterations;
        if !found.converged && !found.overlapping && most > NEWTON_EVALUATIONS {
            let newton = found;
            let (_, normal) = self.start(body_a, body_b, options);
            found = gjk(body_a, body_b, &self.placement, normal, tolerance, most - NEWTON_EVALUATIONS);
            found.evaluations += newton.evaluations;
            if found.lower < newton.lower {
                (found.lower, found.normal) = (newton.lower, newton.normal);
            }
            if found.upper > newton.upper {
                (found.upper, found.x_a, found.x_b) = (newton.upper, newton.x_a, newton.x_b);
            }
            found.converged |= !found.overlapping && found.upper - found.lower <= tolerance;
        }
        if found.converged {
            return self.separated(&found, options);
        }
        let meeting = found.overlapping || found.upper <= tolerance;
        if !meeting && most <= NEWTON_EVALUATIONS {
            return self.separated(&found, options);
        }
        // The search for the least depth is also one for the greatest dual bound: it may prove bodies apart that seemed
        // to have a common point, and narrows what is left of the interval where the other methods stopped early.
        let mut deep = deepest(tolerance, found.normal);
        let touching = found.upper + deep.depth.max(0.0) <= tolerance;
        if !touching && meeting && deep.depth >= -self.rounding {
            let points = deep.points(body_a, body_b, &self.placement, tolerance);
            return self.overlapping(&deep, points, found.evaluations, options);
        }
        if !touching && let Some((x_a, x_b)) = deep.pushed_apart(body_a, body_b, &self.placement, tolerance) {
            let length = (x_b - x_a).length_sq().sqrt();
            if found.overlapping || length < found.upper {
                (found.upper, found.x_a, found.x_b) = (length, x_a, x_b);
            }
        }
        if found.lower < -deep.depth {
            (found.lower, found.normal) = (-deep.depth, deep.normal);
        }
        found.converged = found.upper - found.lower <= tolerance;
        found.evaluations += deep.evaluations;
        self.separated(&found, options)
    }

    /// Whether the bodies overlap: a plane between them or a point inside both, whichever turns up first.
    fn overlap<A: Body<f64>, B: Body<f64>>(
        &self,
        body_a: &A,
        body_b: &B,
        convex: bool,
        otherwise: impl Fn() -> Option<bool>,
    ) -> Option<bool> {
        let rounding = self.rounding;
        let reach = body_a.reach() + body_b.reach() + rounding;
        if self.placement.centre.length_sq() > reach * reach {
            return Some(false);
        }
        if !convex {
            return otherwise();
        }
        let options = &Options::DEFAULT;
        let (start, _) = self.start(body_a, body_b, options);
        let tolerance = self.tolerance(options);
        let found = separate(body_a, body_b, &self.placement, start, tolerance, NEWTON_EVALUATIONS, Goal::Side);
        (found.overlapping || found.lower > rounding).then_some(found.overlapping)
    }
}
