//! The scaled frame of body a in which a pair is solved, and the way back to the world.
//!
//! The pair is moved to the origin of a, turned into a's axes and scaled to a size of about one, so that tolerances and
//! floors of the solver mean the same for every pair.

use glam::DVec3;

use super::Answer;
use super::body::Body;
use super::candidate::Candidate;
use super::placement::Placement;
use super::separate::Separation;
use crate::Pose;
use crate::lanes::{M3, Quaternion, Real, V3};
use crate::query::{Bounds, Options, Outcome, WarmStart};

/// Rounding of distances, as a part of size and offset.
pub(crate) const ROUNDING: f64 = 2e-15;
/// Below this length (as a part of the size) the direction between the points is less exact than the normal.
pub(crate) const SHORT: f64 = 1e-6;

/// How two bodies lie in the world, for one pair or four at once.
#[derive(Clone, Copy)]
pub(crate) struct Poses<R> {
    pub rotation_a: Quaternion<R>,
    pub translation_a: V3<R>,
    pub rotation_b: Quaternion<R>,
    pub translation_b: V3<R>,
}

impl Poses<f64> {
    pub fn of(a: &Pose, b: &Pose) -> Poses<f64> {
        Poses {
            rotation_a: a.rotation.into(),
            translation_a: a.translation.into(),
            rotation_b: b.rotation.into(),
            translation_b: b.translation.into(),
        }
    }
}

impl<R: Real> Poses<R> {
    /// Body b as seen from body a, in units of the pair's size, given its reciprocal.
    #[inline(always)]
    pub fn placement(&self, per_size: R) -> Placement<R> {
        let into_a = self.rotation_a.conjugate();
        Placement {
            rotation: into_a.after(self.rotation_b).matrix(),
            centre: into_a.apply(self.translation_b - self.translation_a) * per_size,
        }
    }

    /// A point of a's scaled frame in metres and the world.
    #[inline(always)]
    pub fn to_world(self, x: V3<R>, size: R) -> V3<R> {
        self.rotation_a.apply(x * size) + self.translation_a
    }
}

/// The rounding of distances to a body whose centre is given in units of the size.
#[inline(always)]
pub(crate) fn rounding<R: Real>(centre: V3<R>) -> R {
    R::splat(ROUNDING) * (R::splat(1.0) + centre.length_sq().sqrt())
}

/// The width of the certified interval that is asked for, as far as rounding allows.
#[inline(always)]
pub(crate) fn reachable<R: Real>(tolerance: f64, rounding: R) -> R {
    R::splat(tolerance).max(R::splat(4.0) * rounding)
}

impl<R: Real> Separation<R> {
    /// Unit normal from a to b: along the line between the points unless they are too close to tell.
    #[inline(always)]
    pub fn direction(&self) -> V3<R> {
        let w = self.x_b - self.x_a;
        let length = w.length_sq().sqrt();
        V3::select(R::splat(SHORT).lt(length), w * (R::splat(1.0) / length), self.normal)
    }
}

impl<R: Real> Placement<R> {
    /// What the next query on the same eggs can start from, in metres: point and normal of a, then of b, each in its
    /// body's own frame.
    #[inline(always)]
    pub fn own_frames(&self, x_a: V3<R>, x_b: V3<R>, normal: V3<R>, size: R) -> [V3<R>; 4] {
        let own_b = self.rotation.apply_transposed(x_b - self.centre);
        [x_a * size, normal, own_b * size, -self.rotation.apply_transposed(normal)]
    }
}

/// The frame of one pair.
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
    /// The rounding of distances in this frame.
    pub rounding: f64,
}

impl<'a> Frame<'a> {
    /// Each body in its own orientation, about its own origin.
    pub fn of_eggs(pose_a: &'a Pose, pose_b: &'a Pose, size: f64) -> Frame<'a> {
        let placement = Poses::of(pose_a, pose_b).placement(1.0 / size);
        let rounding = rounding(placement.centre);
        Frame { pose_a, pose_b, origin_b: DVec3::ZERO, turned: true, size, placement, rounding }
    }

    /// Body b in a's orientation, about a point of its own.
    pub fn with_hull(pose_a: &'a Pose, pose_b: &'a Pose, size: f64, origin_b: DVec3) -> Frame<'a> {
        let offset = (pose_b.translation - pose_a.translation) + pose_b.transform_vector(origin_b);
        let (x, y, z) = (DVec3::X.into(), DVec3::Y.into(), DVec3::Z.into());
        let centre = V3::from(pose_a.inverse_transform_vector(offset) * (1.0 / size));
        let rounding = rounding(centre) + ROUNDING * origin_b.length() / size;
        let placement = Placement { rotation: M3 { x, y, z }, centre };
        Frame { pose_a, pose_b, origin_b, turned: false, size, placement, rounding }
    }

    /// The same with b translated, in units of the solver.
    pub fn pushed(&self, shift: V3<f64>) -> Frame<'a> {
        Frame { placement: Placement { centre: self.placement.centre + shift, ..self.placement }, ..*self }
    }

    /// The width of the certified interval that is asked for, as far as rounding allows.
    pub fn tolerance(&self, options: &Options) -> f64 {
        reachable(options.tolerance, self.rounding)
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

    /// The answer for bodies that are apart.
    pub fn separated(&self, found: &Separation<f64>, options: &Options) -> Outcome {
        let Separation { x_a, x_b, .. } = *found;
        let normal = found.direction();
        let rounding = self.rounding;
        let bounds =
            Bounds { lower: (found.lower - rounding) * self.size, upper: (found.upper + rounding) * self.size };
        self.answer(found.upper, x_a, x_b, normal, Some(bounds), found.converged, found.evaluations, options)
    }

    /// The answer for bodies that overlap.
    pub fn overlapping(
        &self,
        deep: &Candidate,
        (x_a, x_b): (V3<f64>, V3<f64>),
        evaluations: f64,
        options: &Options,
    ) -> Outcome {
        let depth = deep.depth.max(0.0);
        let bounds = Bounds { lower: (-depth - self.rounding) * self.size, upper: 0.0 };
        let spent = evaluations + deep.evaluations;
        self.answer(-depth, x_a, x_b, deep.normal, Some(bounds), true, spent, options)
    }

    /// A point of a's scaled frame in metres and the world.
    pub fn to_world(&self, x: V3<f64>) -> DVec3 {
        Poses::of(self.pose_a, self.pose_b).to_world(x, self.size).into()
    }

    /// A direction of a's frame in the world.
    pub fn to_world_direction(&self, direction: V3<f64>) -> DVec3 {
        Quaternion::from(self.pose_a.rotation).apply(direction).into()
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
        let answer = Answer {
            distance: distance * self.size,
            point_a: self.to_world(x_a),
            point_b: self.to_world(x_b),
            normal: self.to_world_direction(normal),
            bounds,
            converged,
            iterations: evaluations as u32,
        };
        let warm_start = if self.turned {
            WarmStart::from(self.placement.own_frames(x_a, x_b, normal, self.size).map(DVec3::from))
        } else {
            answer.warm_start(self.pose_a, self.pose_b)
        };
        answer.outcome(warm_start, self.tolerance(options) * self.size)
    }
}
