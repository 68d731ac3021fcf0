//! Two shapes of which at least one is ours: their distance, their contact and when they meet.

use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::{Contact, ShapeCastHit, ShapeCastStatus, Unsupported};
use parry3d_f64::shape::Shape as ParryShape;
use superegg::query::{Options, Outcome, WarmStart, distance};
use superegg::shape::Shape;
use superegg::{DVec3, Pose};
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::{Geometry, distance as nearest};
use superegg_world::motion::{Impact, Motion, ToiOptions, time_of_impact};

use crate::adapt::simple_shape_of;
use crate::convert::{our_pose, ours, parrys};
use crate::{Egg, Solid};

/// A shape, and its pose in the frame of the parry shape that it stands for.
pub(crate) struct Member {
    pub shape: Shape,
    pub local: Pose,
}

/// Two shapes of which at least one is ours.
pub(crate) struct EggPair {
    pub a: Member,
    pub b: Member,
}

impl EggPair {
    pub fn of(g1: &dyn ParryShape, g2: &dyn ParryShape) -> Option<EggPair> {
        let is_ours = |shape: &dyn ParryShape| shape.as_shape::<Egg>().is_some() || shape.as_shape::<Solid>().is_some();
        if !(is_ours(g1) || is_ours(g2)) {
            return None;
        }
        let member = |shape: &dyn ParryShape| simple_shape_of(shape).map(|(shape, local)| Member { shape, local });
        Some(EggPair { a: member(g1)?, b: member(g2)? })
    }

    /// The poses of both shapes in the frame of the first parry shape.
    pub fn poses(&self, pos12: &ParryPose) -> [Pose; 2] {
        [self.a.local, our_pose(pos12).compose(&self.b.local)]
    }

    /// The signed distance. Starts of earlier queries are in the frames of the parry shapes.
    pub fn outcome(&self, pos12: &ParryPose, options: &Options) -> Result<Outcome, Unsupported> {
        let [pose_a, pose_b] = self.poses(pos12);
        let into = |local: &Pose, point: DVec3, normal: DVec3| {
            (local.inverse_transform_point(point), local.inverse_transform_vector(normal))
        };
        let warm_start = options.warm_start.map(|warm| {
            let (point_a, normal_a) = into(&self.a.local, warm.point_a, warm.normal_a);
            let (point_b, normal_b) = into(&self.b.local, warm.point_b, warm.normal_b);
            WarmStart { point_a, normal_a, point_b, normal_b }
        });
        let options = Options { warm_start, ..*options };
        distance(&self.a.shape, &pose_a, &self.b.shape, &pose_b, &options).map_err(|_| Unsupported)
    }

    /// An answer as a contact, each point in its own parry shape's frame.
    pub fn contact(&self, pos12: &ParryPose, outcome: &Outcome) -> Contact {
        let normal = parrys(outcome.normal);
        let point2 = pos12.inverse_transform_point(parrys(outcome.point_b));
        let normal2 = pos12.rotation.inverse() * -normal;
        Contact::new(parrys(outcome.point_a), point2, normal, normal2, outcome.distance)
    }
}

/// A hit in world coordinates.
pub(crate) struct Hit {
    pub time: f64,
    point_a: DVec3,
    point_b: DVec3,
    normal: DVec3,
    status: ShapeCastStatus,
}

impl Hit {
    /// Whether the shapes overlap at the start and the motion parts them.
    pub fn parts_from_overlap(&self, velocity12: Vector) -> bool {
        self.status == ShapeCastStatus::PenetratingOrWithinTargetDist && ours(velocity12).dot(self.normal) > 0.0
    }

    pub fn in_frames(&self, pose1: &ParryPose, pose2: impl Fn(f64) -> ParryPose) -> ShapeCastHit {
        let pose2 = pose2(self.time);
        let normal = parrys(self.normal);
        ShapeCastHit {
            time_of_impact: self.time,
            witness1: pose1.inverse_transform_point(parrys(self.point_a)),
            witness2: pose2.inverse_transform_point(parrys(self.point_b)),
            normal1: pose1.rotation.inverse() * normal,
            normal2: pose2.rotation.inverse() * -normal,
            status: self.status,
            subshape1: 0,
            subshape2: 0,
        }
    }
}

impl EggPair {
    pub fn cast(
        &self,
        locals: [Pose; 2],
        motion_a: Motion,
        motion_b: Motion,
        horizon: f64,
        target_distance: f64,
    ) -> Result<Option<Hit>, Unsupported> {
        let geometry = |member: &Member, local: Pose| -> Result<Geometry, Unsupported> {
            let pose = local.compose(&member.local);
            if pose == Pose::IDENTITY {
                return Ok(member.shape.clone().into());
            }
            let part = Part { shape: member.shape.clone(), pose };
            Ok(Compound::new(vec![part]).map_err(|_| Unsupported)?.into())
        };
        let (a, b) = (geometry(&self.a, locals[0])?, geometry(&self.b, locals[1])?);
        let options = ToiOptions { separation: target_distance.max(0.0), ..ToiOptions::within(horizon) };
        let found = time_of_impact(&a, &motion_a, &b, &motion_b, &options).map_err(|_| Unsupported)?;
        let (time, outcome, status) = match found.impact {
            Impact::None => return Ok(None),
            Impact::Already(contact) => (0.0, contact.outcome, ShapeCastStatus::PenetratingOrWithinTargetDist),
            Impact::At(time, contact) => (time, contact.outcome, ShapeCastStatus::Converged),
            // Free up to here and not proved any farther. No hit would let the shapes pass through each other.
            Impact::Undecided(time) => {
                let nearest = nearest(&a, &motion_a.at(time), &b, &motion_b.at(time), &Options::DEFAULT);
                let outcome = nearest.map_err(|_| Unsupported)?.contact.outcome;
                (time, outcome, ShapeCastStatus::OutOfIterations)
            }
        };
        Ok(Some(Hit { time, point_a: outcome.point_a, point_b: outcome.point_b, normal: outcome.normal, status }))
    }
}
