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

/// The methods of parry's `Shape` that are the same for every body, the first of whose fields is it in our own terms; `$shape` is its method
/// that makes a shape of it.
macro_rules! common_shape_methods {
    ($shape:ident) => {
        fn compute_local_aabb(&self) -> parry3d_f64::bounding_volume::Aabb {
            self.compute_aabb(&parry3d_f64::math::Pose::IDENTITY)
        }

        fn compute_aabb(&self, position: &parry3d_f64::math::Pose) -> parry3d_f64::bounding_volume::Aabb {
            $crate::shape_queries::aabb(&self.$shape(), position)
        }

        fn compute_local_bounding_sphere(&self) -> parry3d_f64::bounding_volume::BoundingSphere {
            parry3d_f64::bounding_volume::BoundingSphere::new(parry3d_f64::math::Vector::ZERO, self.$shape().reach())
        }

        fn clone_dyn(&self) -> Box<dyn parry3d_f64::shape::Shape> {
            Box::new(self.clone())
        }

        fn shape_type(&self) -> parry3d_f64::shape::ShapeType {
            parry3d_f64::shape::ShapeType::Custom
        }

        fn as_typed_shape(&self) -> parry3d_f64::shape::TypedShape<'_> {
            parry3d_f64::shape::TypedShape::Custom(self)
        }

        fn is_convex(&self) -> bool {
            self.0.is_convex()
        }

        fn as_support_map(&self) -> Option<&dyn parry3d_f64::shape::SupportMap> {
            self.0.is_convex().then_some(self as &dyn parry3d_f64::shape::SupportMap)
        }
    };
}
pub(crate) use common_shape_methods;

/// Rays and points against a body, `$shape` being its method that makes a shape of it.
macro_rules! answer_rays_and_points {
    ($body:ty, $shape:ident) => {
        impl parry3d_f64::query::RayCast for $body {
            fn cast_local_ray_and_get_normal(
                &self,
                line: &parry3d_f64::query::Ray,
                max_time_of_impact: parry3d_f64::math::Real,
                solid: bool,
            ) -> Option<parry3d_f64::query::RayIntersection> {
                $crate::shape_queries::cast_ray(&self.$shape(), line, max_time_of_impact, solid)
            }
        }

        impl parry3d_f64::query::PointQuery for $body {
            fn project_local_point(
                &self,
                point: parry3d_f64::math::Vector,
                solid: bool,
            ) -> parry3d_f64::query::PointProjection {
                $crate::shape_queries::project(&self.$shape(), point, solid)
            }

            fn project_local_point_and_get_feature(
                &self,
                point: parry3d_f64::math::Vector,
            ) -> (parry3d_f64::query::PointProjection, parry3d_f64::shape::FeatureId) {
                (self.project_local_point(point, false), parry3d_f64::shape::FeatureId::Face(0))
            }

            fn contains_local_point(&self, point: parry3d_f64::math::Vector) -> bool {
                self.$shape().contains($crate::convert::ours(point))
            }
        }
    };
}
pub(crate) use answer_rays_and_points;
