//! Between parry's vectors and poses and ours. Both use glam, in versions of their own.

use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use superegg::{DQuat, DVec3, Pose};

pub(crate) fn ours(vector: Vector) -> DVec3 {
    DVec3::new(vector.x, vector.y, vector.z)
}

pub(crate) fn parrys(vector: DVec3) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

pub(crate) fn our_pose(pose: &ParryPose) -> Pose {
    let rotation = pose.rotation;
    let rotation = DQuat::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w);
    Pose { rotation, translation: ours(pose.translation) }
}

pub(crate) fn parry_pose(pose: &Pose) -> ParryPose {
    let [x, y, z, w] = pose.rotation.to_array();
    ParryPose::from_parts(parrys(pose.translation), Rotation::from_xyzw(x, y, z, w))
}
