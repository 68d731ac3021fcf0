//! A point against a box or frustum, inside or out: the nearest point of the surface, in closed form.

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Options, Outcome};
use crate::shape::{Core, Footing};
use crate::solver::answer::Answer;
use crate::solver::certificate;

/// Depths within this part of the size belong to two faces at once.
const SAME_DEPTH: f64 = 1e-9;

pub(crate) fn distance(solid: &Core, pose_a: &Pose, point: DVec3, pose_b: &Pose, options: &Options) -> Outcome {
    let offset = pose_b.translation - pose_a.translation + pose_b.transform_vector(point);
    let local = pose_a.inverse_transform_vector(offset);
    let Footing { point: nearest, normal, distance } = solid.footing(local);
    let size = solid.largest_radius();
    let lengths = [offset.length(), point.length(), 2.0 * solid.reach()];
    let margin = certificate::rounding_of_lengths(lengths.into_iter().sum());
    let world_normal = pose_a.transform_vector(normal);
    let tolerance = (options.tolerance * size).max(2.0 * margin);
    let answer = Answer {
        distance,
        point_a: pose_a.transform_point(nearest),
        point_b: pose_a.translation + offset,
        normal: world_normal,
        bounds: Some(certificate::bounds(distance, distance, margin, 1.0)),
        witness: world_normal,
        unique_points: true,
        unique_normal: distance > -SAME_DEPTH * size || is_alone(solid, local, normal, distance, size),
        converged: true,
        iterations: 1,
    };
    let warm_start = answer.warm_start(pose_a, pose_b);
    answer.outcome(warm_start, tolerance)
}

/// Whether no other face is as near to a point inside: a little farther from the found one, it is still the nearest.
fn is_alone(solid: &Core, point: DVec3, normal: DVec3, distance: f64, size: f64) -> bool {
    let farther = solid.footing(point - normal * (SAME_DEPTH * size));
    farther.normal.dot(normal) > 0.99 && farther.distance < distance
}
