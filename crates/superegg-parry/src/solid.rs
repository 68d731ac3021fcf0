//! Any of our bodies with an inside as a parry shape: frustums, hulls, rounded or not, and shapes of the caller's own.

use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::math::{Real, Vector};
use parry3d_f64::shape::{Shape as ParryShape, SharedShape, SupportMap};
use superegg::DVec3;
use superegg::shape::{Hull, Shape};

use crate::convert::{ours, parrys};
use crate::shape_queries;

/// A body of ours with an inside. Parry's own boxes, cylinders and hulls meet eggs as exactly; this is for what parry does not have.
///
/// ```
/// use parry3d_f64::math::{Pose, Vector};
/// use parry3d_f64::query::QueryDispatcher;
/// use parry3d_f64::shape::Ball;
/// use superegg::shape::Primitive;
/// use superegg_parry::{EggDispatcher, Solid};
/// let bucket = Solid::new(Primitive::frustum([0.2, 0.4], 0.5)?.into()).unwrap();
/// let above = Pose::from_translation(Vector::new(0.0, 0.0, 2.0));
/// let apart = EggDispatcher.distance(&above, &bucket, &Ball::new(0.5)).unwrap().distance;
/// assert!((apart - 1.0).abs() < 1e-9);
/// # Ok::<(), superegg_parry::InvalidInput>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Solid(Shape);

impl Solid {
    /// `None` for a point, segment, triangle or plane, which have no inside or no end.
    pub fn new(shape: Shape) -> Option<Solid> {
        let flat = matches!(shape, Shape::Point(_) | Shape::Segment(_) | Shape::Triangle(_) | Shape::Plane(_));
        (!flat).then_some(Solid(shape))
    }

    /// What it is in our own terms.
    pub fn as_shape(&self) -> &Shape {
        &self.0
    }

    /// Ready for a collider.
    pub fn shared(self) -> SharedShape {
        SharedShape::new(self)
    }

    /// Scaled along its axes, where the result is a shape of the same kind.
    fn scaled(&self, scale: DVec3) -> Option<Solid> {
        let even = (scale.x == scale.y && scale.y == scale.z && scale.x > 0.0).then_some(scale.x);
        Some(Solid(match &self.0 {
            Shape::Primitive(shape) => shape.scaled(even?)?.into(),
            Shape::Hull(hull) if hull.rounding() == 0.0 => {
                let corners: Vec<DVec3> = hull.vertices().iter().map(|corner| *corner * scale).collect();
                Hull::new(&corners).ok()?.into()
            }
            Shape::Hull(hull) => hull.scaled(even?)?.into(),
            _ => return None,
        }))
    }
}

impl ParryShape for Solid {
    shape_queries::common_shape_methods!(as_shape);

    fn scale_dyn(&self, scale: Vector, _num_subdivisions: u32) -> Option<Box<dyn ParryShape>> {
        Some(Box::new(self.scaled(ours(scale))?))
    }

    /// Those of its box for a shape of the caller's own that does not tell its mass.
    fn mass_properties(&self, density: Real) -> MassProperties {
        let of_box = || {
            let aabb = self.compute_local_aabb();
            MassProperties::from_cuboid(density, aabb.half_extents())
        };
        shape_queries::mass_properties(&self.0, density).unwrap_or_else(of_box)
    }

    fn ccd_thickness(&self) -> Real {
        self.compute_local_aabb().half_extents().min_element()
    }

    /// As for parry's boxes.
    fn ccd_angular_thickness(&self) -> Real {
        std::f64::consts::FRAC_PI_4
    }
}

impl SupportMap for Solid {
    fn local_support_point(&self, direction: Vector) -> Vector {
        self.0.support(ours(direction)).map_or(Vector::ZERO, parrys)
    }
}

shape_queries::answer_rays_and_points!(Solid, as_shape);
