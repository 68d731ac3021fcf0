//! The scaled frame of body a in which a pair is solved, and the way back to the world.
//!
//! The pair is moved to the origin of a, turned into a's axes and scaled to a size of about one, so that tolerances and
//! floors of the solver mean the same for every pair.

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Bounds, Options, Outcome, WarmStart};
use crate::solver::answer::Answer;
use crate::solver::body::Body;
use crate::solver::certificate;
use crate::solver::pair::placement::{Placement, ellipsoid_normal};
use crate::solver::separation::found::Separation;
use crate::solver::simd::{M3, Quaternion, Real, V3};

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

/// The width of the interval to be found so that the certified one, which rounding widens on either side, is the one asked for; where
/// that comes close to rounding, as far as that allows.
#[inline(always)]
pub(crate) fn reachable<R: Real>(tolerance: f64, rounding: R) -> R {
    let tolerance = R::splat(tolerance);
    let narrowed = rounding.mul_add(R::splat(-3.0), tolerance);
    R::select((rounding * R::splat(100.0)).lt(tolerance), narrowed, tolerance.max(rounding))
}

impl<R: Real> Placement<R> {
    /// What the next query on the same superquadrics can start from, in metres: point and normal of a, then of b, each in its
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
    /// Each body in its own orientation, about its own origin; `radii` are their largest ones.
    pub fn of_superquadrics(pose_a: &'a Pose, pose_b: &'a Pose, radii: [f64; 2], reach: f64) -> Frame<'a> {
        let size = radii[0] + radii[1];
        let placement = Poses::of(pose_a, pose_b).placement(1.0 / size);
        let rounding = certificate::rounding(placement.centre, radii[1] / size, reach);
        Frame { pose_a, pose_b, origin_b: DVec3::ZERO, turned: true, size, placement, rounding }
    }

    /// Body b in a's orientation, about a point of its own, from which it reaches `radii[1]`.
    pub fn with_simplex(pose_a: &'a Pose, pose_b: &'a Pose, radii: [f64; 2], origin_b: DVec3, reach: f64) -> Frame<'a> {
        let size = radii[0] + radii[1];
        let offset = (pose_b.translation - pose_a.translation) + pose_b.transform_vector(origin_b);
        let (x, y, z) = (DVec3::X.into(), DVec3::Y.into(), DVec3::Z.into());
        let centre = V3::from(pose_a.inverse_transform_vector(offset) * (1.0 / size));
        let rounding = certificate::rounding(centre, radii[1] / size, reach)
            + certificate::rounding_of_lengths(origin_b.length() / size);
        let placement = Placement { rotation: M3 { x, y, z }, centre };
        Frame { pose_a, pose_b, origin_b, turned: false, size, placement, rounding }
    }

    /// Widens what bounds may have lost, by a length in metres.
    pub fn allow(&mut self, error: f64) {
        self.rounding += error / self.size;
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

    /// The normal alone.
    pub fn start_normal<A: Body<f64>, B: Body<f64>>(&self, body_a: &A, body_b: &B, options: &Options) -> V3<f64> {
        let warm = options.warm_start.filter(WarmStart::is_usable).map(|warm| V3::from(warm.normal_a));
        warm.unwrap_or_else(|| ellipsoid_normal(body_a.radii_sq(), body_b.radii_sq(), &self.placement))
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
                let [x_a, n_a, x_b, n_b] = self.earlier(&warm).map(V3::spread);
                ((body_a.place(x_a, n_a), body_b.place(x_b, n_b)), n_a)
            }
            None => body_b.start_beside(body_a, placement),
        }
    }

    /// Point and normal of a, then of b, of an earlier query, each in its body's scaled frame.
    #[inline(always)]
    pub fn earlier(&self, warm: &WarmStart) -> [V3<f64>; 4] {
        let scale = 1.0 / self.size;
        let (mut point_b, mut normal_b) = (warm.point_b - self.origin_b, warm.normal_b);
        if !self.turned {
            let into_a = self.pose_a.rotation.conjugate() * self.pose_b.rotation;
            (point_b, normal_b) = (into_a * point_b, into_a * normal_b);
        }
        [warm.point_a * scale, warm.normal_a, point_b * scale, normal_b].map(V3::from)
    }

    /// Computed bounds of the distance, in units of the solver, moved outward by rounding and brought to metres.
    pub fn bounds(&self, lower: f64, upper: f64) -> Bounds {
        certificate::bounds(lower, upper, self.rounding, self.size)
    }

    /// The answer for bodies that are apart.
    pub fn separated(&self, found: &Separation<f64>, options: &Options) -> Outcome {
        let answer = Found {
            distance: found.distance(),
            x_a: found.x_a,
            x_b: found.x_b,
            normal: found.normal,
            bounds: Some(self.bounds(found.lower, found.upper)),
            witness: found.witness,
            unique_points: found.unique_points,
            unique_normal: true,
            converged: found.converged,
            evaluations: found.evaluations,
        };
        self.answer(&answer, options)
    }

    /// A point of a's scaled frame in metres and the world.
    pub fn to_world(&self, x: V3<f64>) -> DVec3 {
        Poses::of(self.pose_a, self.pose_b).to_world(x, self.size).into()
    }

    /// A direction of a's frame in the world.
    pub fn to_world_direction(&self, direction: V3<f64>) -> DVec3 {
        Quaternion::from(self.pose_a.rotation).apply(direction).into()
    }

    /// Back to metres and the world.
    pub fn answer(&self, found: &Found, options: &Options) -> Outcome {
        let answer = Answer {
            distance: found.distance * self.size,
            point_a: self.to_world(found.x_a),
            point_b: self.to_world(found.x_b),
            normal: self.to_world_direction(found.normal),
            bounds: found.bounds,
            witness: self.to_world_direction(found.witness),
            unique_points: found.unique_points,
            unique_normal: found.unique_normal,
            converged: found.converged,
            iterations: found.evaluations as u32,
        };
        let warm_start = if self.turned {
            let frames = self.placement.own_frames(found.x_a, found.x_b, found.normal, self.size);
            WarmStart::from(frames.map(DVec3::from))
        } else {
            answer.warm_start(self.pose_a, self.pose_b)
        };
        answer.outcome(warm_start, self.tolerance(options) * self.size)
    }
}

/// What a method found, in a's scaled frame; bounds are in metres.
pub(crate) struct Found {
    pub distance: f64,
    pub x_a: V3<f64>,
    pub x_b: V3<f64>,
    pub normal: V3<f64>,
    pub bounds: Option<Bounds>,
    /// See [`Outcome::witness`].
    pub witness: V3<f64>,
    pub unique_points: bool,
    pub unique_normal: bool,
    pub converged: bool,
    pub evaluations: f64,
}
