//! The gap that two support values prove.

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Shape;

use crate::placement::normalised;

/// Whether a support value takes the search for a height: two of them then cost as much as an exact query in lanes.
pub(crate) fn is_tapered(shape: &Shape) -> bool {
    matches!(shape, Shape::Superovoid(egg) if egg.taper() != [0.0; 2])
}

/// The gap between two placed shapes along a unit normal from a to b: a plane across it separates them by that much. For
/// every normal this is a lower bound of the signed distance, for two support values.
///
/// ```
/// use superegg::shape::{Shape, Superellipsoid};
/// use superegg::{DVec3, Pose};
/// let ball: Shape = Superellipsoid::new([1.0; 3], [1.0; 2])?.into();
/// let there = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0));
/// let gap = superegg_world::bound::gap_along(DVec3::X, &ball, &Pose::IDENTITY, &ball, &there);
/// assert!((gap - 1.0).abs() < 1e-12);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
pub fn gap_along(normal: DVec3, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    gap_of_placed(normal, a, &normalised(pose_a), b, &normalised(pose_b))
}

/// The same for poses whose quaternions have unit length.
pub(crate) fn gap_of_placed(normal: DVec3, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    normal.dot(pose_b.translation - pose_a.translation)
        - a.support_value(pose_a.inverse_transform_vector(normal))
        - b.support_value(pose_b.inverse_transform_vector(-normal))
}
