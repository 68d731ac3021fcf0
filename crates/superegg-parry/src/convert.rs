//! Between parry's types and ours. Both use glam, in versions of their own.

use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::shape::{HalfSpace, Shape as ParryShape};
use superegg::shape::{Plane, Point, Segment, Shape, Triangle};
use superegg::{DQuat, DVec3, Pose};

use crate::Egg;

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

/// A parry shape as one of ours, rounded by a radius.
pub(crate) struct Rounded {
    pub shape: Shape,
    pub radius: f64,
    pub is_egg: bool,
}

/// The shapes that have a counterpart here.
pub(crate) fn rounded(shape: &dyn ParryShape) -> Option<Rounded> {
    let plain = |shape: Shape| Some(Rounded { shape, radius: 0.0, is_egg: false });
    if let Some(egg) = shape.as_shape::<Egg>() {
        return Some(Rounded { shape: (*egg.as_superovoid()).into(), radius: 0.0, is_egg: true });
    }
    if let Some(half_space) = shape.as_shape::<HalfSpace>() {
        return plain(Plane::new(ours(half_space.normal), 0.0).ok()?.into());
    }
    if let Some(ball) = shape.as_ball() {
        return Some(Rounded { shape: Point::new([DVec3::ZERO]).ok()?.into(), radius: ball.radius, is_egg: false });
    }
    if let Some(capsule) = shape.as_capsule() {
        let segment = Segment::new([ours(capsule.segment.a), ours(capsule.segment.b)]).ok()?;
        return Some(Rounded { shape: segment.into(), radius: capsule.radius, is_egg: false });
    }
    if let Some(triangle) = shape.as_triangle() {
        return plain(Triangle::new([ours(triangle.a), ours(triangle.b), ours(triangle.c)]).ok()?.into());
    }
    if let Some(segment) = shape.as_segment() {
        return plain(Segment::new([ours(segment.a), ours(segment.b)]).ok()?.into());
    }
    None
}
