//! What parry asks of a shape alone, answered for any of ours.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::math::{Matrix, Pose as ParryPose, Vector};
use parry3d_f64::query::{PointProjection, Ray as ParryRay, RayIntersection};
use parry3d_f64::shape::FeatureId;
use superegg::query::{Options, Ray, closest_point, ray};
use superegg::shape::Shape;
use superegg::{DMat3, Pose};

use crate::convert::{our_pose, ours, parrys};

/// The tight one: six support values.
pub(crate) fn aabb(shape: &Shape, position: &ParryPose) -> Aabb {
    let aabb = shape.aabb(&our_pose(position));
    Aabb::new(parrys(aabb.min), parrys(aabb.max))
}

/// None for a shape of unknown mass.
pub(crate) fn mass_properties(shape: &Shape, density: f64) -> Option<MassProperties> {
    let mass = shape.mass_properties()?;
    let DMat3 { x_axis, y_axis, z_axis } = mass.inertia * density;
    let inertia = Matrix::from_cols(parrys(x_axis), parrys(y_axis), parrys(z_axis));
    Some(MassProperties::with_inertia_matrix(parrys(mass.centroid), mass.volume * density, inertia))
}

pub(crate) fn cast_ray(shape: &Shape, line: &ParryRay, most: f64, solid: bool) -> Option<RayIntersection> {
    let line = Ray::new(ours(line.origin), ours(line.dir)).ok()?;
    let hit = ray(shape, &Pose::IDENTITY, &line).ok()??;
    if hit.from_inside && solid {
        return Some(RayIntersection::new(0.0, Vector::ZERO, FeatureId::Face(0)));
    }
    // Parry's normals face the ray.
    let normal = if hit.from_inside { -hit.normal } else { hit.normal };
    (hit.t <= most).then(|| RayIntersection::new(hit.t, parrys(normal), FeatureId::Face(0)))
}

pub(crate) fn project(shape: &Shape, point: Vector, solid: bool) -> PointProjection {
    let is_inside = shape.contains(ours(point));
    if is_inside && solid {
        return PointProjection::new(true, point);
    }
    // A point out of range has no projection; parry has no way to say so but to give it back.
    let nearest = closest_point(shape, &Pose::IDENTITY, ours(point), &Options::DEFAULT);
    PointProjection::new(is_inside, nearest.map_or(point, |nearest| parrys(nearest.point)))
}
