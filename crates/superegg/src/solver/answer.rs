//! What a method found, on its way to an [`Outcome`].

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Bounds, Outcome, WarmStart, status_of};

/// What a method found, in world coordinates; [`Answer::outcome`] completes it.
pub(crate) struct Answer {
    pub distance: f64,
    pub point_a: DVec3,
    pub point_b: DVec3,
    pub normal: DVec3,
    pub bounds: Option<Bounds>,
    /// See [`Outcome::witness`].
    pub witness: DVec3,
    pub unique_points: bool,
    pub unique_normal: bool,
    pub converged: bool,
    pub iterations: u32,
}

impl Answer {
    /// What the next query can start from.
    pub fn warm_start(&self, pose_a: &Pose, pose_b: &Pose) -> WarmStart {
        WarmStart {
            point_a: pose_a.inverse_transform_point(self.point_a),
            normal_a: pose_a.inverse_transform_vector(self.normal),
            point_b: pose_b.inverse_transform_point(self.point_b),
            normal_b: pose_b.inverse_transform_vector(-self.normal),
        }
    }

    /// Adds the status, by a `tolerance` in metres.
    pub fn outcome(self, warm_start: WarmStart, tolerance: f64) -> Outcome {
        Outcome {
            distance: self.distance,
            point_a: self.point_a,
            point_b: self.point_b,
            normal: self.normal,
            status: status_of(self.distance, self.converged, tolerance),
            iterations: self.iterations,
            bounds: self.bounds,
            witness: self.witness,
            unique_points: self.unique_points,
            unique_normal: self.unique_normal,
            warm_start,
        }
    }
}
