//! Convex pairs: scaling, starts, and the order in which the methods are tried.
//!
//! Newton's method first; where it does not settle, the support-mapping fallback; where a common point is found, the
//! search for the least separating translation.

use glam::{DMat3, DVec3};

use super::body::{Body, Hull};
use super::gjk::gjk;
use super::graph::Egg;
use super::hollow;
use super::overlap::{Candidate, OneByOne, Starts, deepest};
use super::separate::{Goal, Placement, Separation, separate, separate_lanes};
use super::{Answer, EggShape, hull_mean, hull_radius};
use crate::Pose;
use crate::lanes::{M3, Real, V3};
use crate::query::{Bounds, Options, Outcome};

/// Evaluations of Newton's method before the fallback takes over; the 99th percentile is 20 in the hardest class.
pub(crate) const NEWTON_EVALUATIONS: u32 = 24;
/// Rounding of distances, as a part of size and offset.
pub(crate) const ROUNDING: f64 = 2e-15;
/// Below this length (as a part of the size) the direction between the points is less exact than the normal.
pub(crate) const SHORT: f64 = 1e-6;

/// Two eggs.
pub(super) fn eggs(a: &EggShape, pose_a: &Pose, b: &EggShape, pose_b: &Pose, options: &Options) -> Outcome {
    let frame = frame_of_eggs(a, pose_a, b, pose_b);
    let size = frame.size;
    if a.is_tapered() || b.is_tapered() {
        if !(a.convex && b.convex) {
            return hollow::eggs([a, b], &frame, options);
        }
        let (body_a, body_b) = (scaled::<true>(a, size), scaled::<true>(b, size));
        solve_eggs(&body_a, &body_b, &frame, options)
    } else {
        let (body_a, body_b) = (scaled::<false>(a, size), scaled::<false>(b, size));
        solve_eggs(&body_a, &body_b, &frame, options)
    }
}

fn solve_eggs<const TAPERED: bool>(
    a: &Egg<f64, TAPERED>,
    b: &Egg<f64, TAPERED>,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let newton = |tolerance, most| {
        #[cfg(target_arch = "x86_64")]
        if crate::lanes::avx2::available() {
            // SAFETY: the CPU was just asked for AVX2 and FMA.
            return unsafe { fused_newton(a, b, frame, options, tolerance, most) };
        }
        let (start, _) = frame.start(a, b, options);
        separate(a, b, &frame.placement, start, tolerance, most, Goal::Distance)
    };
    frame.solve(a, b, options, newton, |tolerance, near| deepest_of_eggs(a, b, &frame.placement, tolerance, near))
}

/// Newton's method with fused multiply-add: about a quarter fewer instructions than without.
///
/// # Safety
/// The CPU must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fused_newton<const TAPERED: bool>(
    a: &Egg<f64, TAPERED>,
    b: &Egg<f64, TAPERED>,
    frame: &Frame,
    options: &Options,
    tolerance: f64,
    most: u32,
) -> Separation<f64> {
    use crate::lanes::fused::Fused;
    let (a, b): (Egg<Fused, TAPERED>, Egg<Fused, TAPERED>) = (a.spread(), b.spread());
    let placement = frame.placement.spread();
    let (start, _) = frame.start_in(&a, &b, &placement, options);
    separate_lanes(&a, &b, &placement, start, Fused(tolerance), most, Goal::Distance).plain()
}

/// Whether two eggs overlap, where that takes less than their distance does.
pub(super) fn eggs_overlap(a: &EggShape, pose_a: &Pose, b: &EggShape, pose_b: &Pose) -> Option<bool> {
    let frame = frame_of_eggs(a, pose_a, b, pose_b);
    let size = frame.size;
    if a.is_tapered() || b.is_tapered() {
        let (body_a, body_b) = (scaled::<true>(a, size), scaled::<true>(b, size));
        frame.overlap(&body_a, &body_b, a.convex && b.convex, || hollow::eggs_overlap([a, b], &frame))
    } else {
        let (body_a, body_b) = (scaled::<false>(a, size), scaled::<false>(b, size));
        frame.overlap(&body_a, &body_b, true, || None)
    }
}

/// An egg (a) and the hull of some points (b).
pub(super) fn egg_and_hull(a: &EggShape, pose_a: &Pose, b: &[DVec3], pose_b: &Pose, options: &Options) -> Outcome {
    let (frame, hull) = frame_with_hull(a, pose_a, b, pose_b);
    let size = frame.size;
    if a.is_tapered() {
        let egg = scaled::<true>(a, size);
        if !a.convex {
            return hollow::egg_and_hull(&egg, &hull, &frame, options);
        }
        solve_egg_and_hull(&egg, &hull, &frame, options)
    } else {
        let egg = scaled::<false>(a, size);
        solve_egg_and_hull(&egg, &hull, &frame, options)
    }
}

fn solve_egg_and_hull<const TAPERED: bool>(
    egg: &Egg<f64, TAPERED>,
    hull: &Hull,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let newton = |tolerance, most| {
        let (start, _) = frame.start(egg, hull, options);
        separate(egg, hull, &frame.placement, start, tolerance, most, Goal::Distance)
    };
    frame.solve(egg, hull, options, newton, |tolerance, near| {
        deepest_in_egg(egg, hull, &frame.placement, tolerance, near)
    })
}

/// Whether an egg (a) and the hull of some points (b) overlap, where that takes less than their distance does.
pub(super) fn egg_and_hull_overlap(a: &EggShape, pose_a: &Pose, b: &[DVec3], pose_b: &Pose) -> Option<bool> {
    let (frame, hull) = frame_with_hull(a, pose_a, b, pose_b);
    if a.is_tapered() {
        let egg = scaled::<true>(a, frame.size);
        frame.overlap(&egg, &hull, a.convex, || hollow::egg_and_hull_overlap(&egg, &hull, &frame))
    } else {
        frame.overlap(&scaled::<false>(a, frame.size), &hull, true, || None)
    }
}

/// Each egg in its own orientation, about its own origin.
pub(super) fn frame_of_eggs<'a>(a: &EggShape, pose_a: &'a Pose, b: &EggShape, pose_b: &'a Pose) -> Frame<'a> {
    Frame::new(pose_a, pose_b, a.largest_radius() + b.largest_radius(), DVec3::ZERO, true)
}

/// The hull in a's orientation, about its own mean.
pub(super) fn frame_with_hull<'a>(a: &EggShape, pose_a: &'a Pose, b: &[DVec3], pose_b: &'a Pose) -> (Frame<'a>, Hull) {
    let size = a.largest_radius() + hull_radius(b);
    let mean = hull_mean(b);
    let frame = Frame::new(pose_a, pose_b, size, mean, false);
    let mut vertices = [V3::splat(0.0); 3];
    for (vertex, point) in vertices.iter_mut().zip(b) {
        let world = pose_b.transform_vector(*point - mean);
        *vertex = (pose_a.inverse_transform_vector(world) * (1.0 / size)).into();
    }
    (frame, Hull::new(&vertices[..b.len()]))
}

pub(crate) fn scaled<const TAPERED: bool>(egg: &EggShape, size: f64) -> Egg<f64, TAPERED> {
    let [x, y, z] = egg.radii.map(|radius| radius / size);
    Egg::new(V3::new(x, y, z), egg.exponents, egg.taper)
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
    starts.add_egg(a, axes, placement.centre);
    starts.add_egg(b, [x, y, z], placement.centre);
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
        let search = unsafe { super::overlap::four_lanes::FourLanes::new(a, b, placement, tolerance) };
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
    starts.add_egg(egg, axes, placement.centre);
    starts.add_hull(hull, placement);
    deepest(&OneByOne { body_a: egg, body_b: hull, placement, tolerance }, &starts)
}

/// The scaled frame of body a in which a pair is solved, and the way back.
pub(crate) struct Frame<'a> {
    pub pose_a: &'a Pose,
    pose_b: &'a Pose,
    /// Where b's solver frame has its origin, in b's own frame.
    origin_b: DVec3,
    /// Whether b's solver frame is turned like b (else like a).
    turned: bool,
    /// Metres per unit of the solver.
    pub size: f64,
    pub placement: Placement<f64>,
}

impl<'a> Frame<'a> {
    pub fn new(pose_a: &'a Pose, pose_b: &'a Pose, size: f64, origin_b: DVec3, turned: bool) -> Frame<'a> {
        let offset = (pose_b.translation - pose_a.translation) + pose_b.transform_vector(origin_b);
        let turn = pose_a.rotation.conjugate();
        let axes = if turned { DMat3::from_quat(turn * pose_b.rotation) } else { DMat3::IDENTITY };
        let placement = Placement {
            rotation: M3 { x: axes.x_axis.into(), y: axes.y_axis.into(), z: axes.z_axis.into() },
            centre: (turn * offset * (1.0 / size)).into(),
        };
        Frame { pose_a, pose_b, origin_b, turned, size, placement }
    }

    /// The rounding of distances in this frame.
    fn rounding(&self) -> f64 {
        ROUNDING * (1.0 + self.placement.centre.length_sq().sqrt() + self.origin_b.length() / self.size)
    }

    /// The width of the certified interval that is asked for, as far as rounding allows.
    pub fn tolerance(&self, options: &Options) -> f64 {
        options.tolerance.max(4.0 * self.rounding())
    }

    /// Where the iteration starts: at the last answer if there is one.
    pub fn start<A: Body<f64>, B: Body<f64>>(
        &self,
        body_a: &A,
        body_b: &B,
        options: &Options,
    ) -> ((A::Point, B::Point), V3<f64>) {
        self.start_in(body_a, body_b, &self.placement, options)
    }

    /// [`Frame::start`] in other numbers; `placement` is this frame's.
    #[inline(always)]
    pub fn start_in<R: Real, A: Body<R>, B: Body<R>>(
        &self,
        body_a: &A,
        body_b: &B,
        placement: &Placement<R>,
        options: &Options,
    ) -> ((A::Point, B::Point), V3<R>) {
        match options.warm_start.filter(|warm| warm.is_usable()) {
            Some(warm) => {
                let scale = 1.0 / self.size;
                let (mut point_b, mut normal_b) = (warm.point_b - self.origin_b, warm.normal_b);
                if !self.turned {
                    let into_a = self.pose_a.rotation.conjugate() * self.pose_b.rotation;
                    (point_b, normal_b) = (into_a * point_b, into_a * normal_b);
                }
                let spread = |v: DVec3| V3::<f64>::from(v).spread::<R>();
                let normal = spread(warm.normal_a);
                let a = body_a.place(spread(warm.point_a * scale), normal);
                let b = body_b.place(spread(point_b * scale), spread(normal_b));
                ((a, b), normal)
            }
            None => body_b.start_beside(body_a, placement),
        }
    }

    fn solve<A: Body<f64>, B: Body<f64>>(
        &self,
        body_a: &A,
        body_b: &B,
        options: &Options,
        newton: impl Fn(f64, u32) -> Separation<f64>,
        deepest: impl Fn(f64, V3<f64>) -> Candidate,
    ) -> Outcome {
        let tolerance = self.tolerance(options);
        let most = options.max_iterations;
        let mut found = newton(tolerance, most.min(NEWTON_EVALUATIONS));
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
        if !touching && meeting && deep.depth >= -self.rounding() {
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
        let rounding = self.rounding();
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

    /// The answer for bodies that are apart.
    pub fn separated(&self, found: &Separation<f64>, options: &Options) -> Outcome {
        let Separation { x_a, x_b, .. } = *found;
        let w = x_b - x_a;
        let length = w.length_sq().sqrt();
        let normal = if length > SHORT { w * (1.0 / length) } else { found.normal };
        let rounding = self.rounding();
        let bounds =
            Bounds { lower: (found.lower - rounding) * self.size, upper: (found.upper + rounding) * self.size };
        self.answer(found.upper, x_a, x_b, normal, Some(bounds), found.converged, found.evaluations, options)
    }

    fn overlapping(
        &self,
        deep: &Candidate,
        (x_a, x_b): (V3<f64>, V3<f64>),
        evaluations: f64,
        options: &Options,
    ) -> Outcome {
        let depth = deep.depth.max(0.0);
        let bounds = Bounds { lower: (-depth - self.rounding()) * self.size, upper: 0.0 };
        let spent = evaluations + deep.evaluations;
        self.answer(-depth, x_a, x_b, deep.normal, Some(bounds), true, spent, options)
    }

    /// A point of a's scaled frame in metres and the world.
    pub fn to_world(&self, x: V3<f64>) -> DVec3 {
        self.pose_a.transform_point(DVec3::from(x) * self.size)
    }

    /// A direction of a's frame in the world.
    pub fn to_world_direction(&self, direction: V3<f64>) -> DVec3 {
        self.pose_a.transform_vector(direction.into())
    }

    /// Back to metres and the world. `x_a`, `x_b` and `normal` are in a's scaled frame.
    #[expect(clippy::too_many_arguments, reason = "one step of a pipeline, called from three places")]
    pub fn answer(
        &self,
        distance: f64,
        x_a: V3<f64>,
        x_b: V3<f64>,
        normal: V3<f64>,
        bounds: Option<Bounds>,
        converged: bool,
        evaluations: f64,
        options: &Options,
    ) -> Outcome {
        Answer {
            distance: distance * self.size,
            point_a: self.to_world(x_a),
            point_b: self.to_world(x_b),
            normal: self.to_world_direction(normal),
            bounds,
            converged,
            iterations: evaluations as u32,
        }
        .outcome(self.pose_a, self.pose_b, self.tolerance(options) * self.size)
    }
}
