//! Two shapes of which at least one is an egg: their distance, their contact and when they meet.

use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::{Contact, ShapeCastHit, ShapeCastStatus, Unsupported};
use parry3d_f64::shape::Shape as ParryShape;
use superegg::query::{Options, Outcome, distance};
use superegg::{DVec3, Pose};
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::{Geometry, distance as nearest};
use superegg_world::motion::{Impact, Motion, ToiOptions, time_of_impact};

use crate::convert::{Rounded, our_pose, ours, parrys, rounded};

/// Two shapes of which at least one is an egg.
pub(crate) struct EggPair {
    pub a: Rounded,
    pub b: Rounded,
}

impl EggPair {
    pub fn of(g1: &dyn ParryShape, g2: &dyn ParryShape) -> Option<EggPair> {
        let (a, b) = (rounded(g1)?, rounded(g2)?);
        (a.is_egg || b.is_egg).then_some(EggPair { a, b })
    }

    pub fn radius(&self) -> f64 {
        self.a.radius + self.b.radius
    }

    /// The signed distance of the cores.
    pub fn outcome(&self, pos12: &ParryPose, options: &Options) -> Result<Outcome, Unsupported> {
        distance(&self.a.shape, &Pose::IDENTITY, &self.b.shape, &our_pose(pos12), options).map_err(|_| Unsupported)
    }

    /// A core's answer as a contact of the rounded shapes, each point in its own frame.
    pub fn contact(&self, pos12: &ParryPose, outcome: &Outcome) -> Contact {
        let normal = parrys(outcome.normal);
        let point1 = parrys(outcome.point_a + outcome.normal * self.a.radius);
        let point2 = parrys(outcome.point_b - outcome.normal * self.b.radius);
        let point2 = pos12.inverse_transform_point(point2);
        let normal2 = pos12.rotation.inverse() * -normal;
        Contact::new(point1, point2, normal, normal2, outcome.distance - self.radius())
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
        let geometry = |rounded: &Rounded, local: Pose| -> Result<Geometry, Unsupported> {
            if local == Pose::IDENTITY {
                return Ok(rounded.shape.clone().into());
            }
            let part = Part { shape: rounded.shape.clone(), pose: local };
            Ok(Compound::new(vec![part]).map_err(|_| Unsupported)?.into())
        };
        let (a, b) = (geometry(&self.a, locals[0])?, geometry(&self.b, locals[1])?);
        let separation = self.radius() + target_distance.max(0.0);
        let options = ToiOptions { separation, ..ToiOptions::within(horizon) };
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
        Ok(Some(Hit {
            time,
            point_a: outcome.point_a + outcome.normal * self.a.radius,
            point_b: outcome.point_b - outcome.normal * self.b.radius,
            normal: outcome.normal,
            status,
        }))
    }
}
