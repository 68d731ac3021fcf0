//! A superellipsoid or superovoid as a parry shape.

use parry3d_f64::bounding_volume::{Aabb, BoundingSphere};
use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::math::{Pose as ParryPose, Real, Vector};
use parry3d_f64::query::{PointProjection, PointQuery, Ray as ParryRay, RayCast, RayIntersection};
use parry3d_f64::shape::{FeatureId, Shape as ParryShape, ShapeType, SharedShape, SupportMap, TypedShape};
use superegg::InvalidInput;
use superegg::shape::{Shape, Superellipsoid, Superovoid};

use crate::convert::{ours, parrys};
use crate::shape_queries;

/// A superellipsoid or superovoid.
///
/// ```
/// use parry3d_f64::math::{Pose, Vector};
/// use parry3d_f64::query::{PointQuery, Ray, RayCast};
/// use superegg_parry::Egg;
/// let egg = Egg::superovoid([1.0, 1.0, 1.3], [1.0, 0.9], [0.2, 0.2])?;
/// let down = Ray::new(Vector::new(0.0, 0.0, 5.0), Vector::new(0.0, 0.0, -1.0));
/// assert!((egg.cast_ray(&Pose::IDENTITY, &down, 10.0, true).unwrap() - 3.7).abs() < 1e-12);
/// assert!((egg.distance_to_local_point(Vector::new(0.0, 0.0, 2.3), true) - 1.0).abs() < 1e-8);
/// # Ok::<(), superegg_parry::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Egg(Superovoid);

impl Egg {
    /// Radii in metres, exponents `[e1, e2]` in ]0, 2[.
    pub fn superellipsoid(radii: [f64; 3], exponents: [f64; 2]) -> Result<Egg, InvalidInput> {
        Ok(Egg(Superellipsoid::new(radii, exponents)?.into()))
    }

    /// The same with a taper `[tx, ty]` in ]-1, 1[.
    pub fn superovoid(radii: [f64; 3], exponents: [f64; 2], taper: [f64; 2]) -> Result<Egg, InvalidInput> {
        Ok(Egg(Superovoid::new(radii, exponents, taper)?))
    }

    /// What it is in our own terms.
    pub fn as_superovoid(&self) -> &Superovoid {
        &self.0
    }

    /// Ready for a collider.
    pub fn shared(self) -> SharedShape {
        SharedShape::new(self)
    }

    fn shape(&self) -> Shape {
        self.0.into()
    }
}

impl From<Superovoid> for Egg {
    fn from(shape: Superovoid) -> Egg {
        Egg(shape)
    }
}

impl From<Superellipsoid> for Egg {
    fn from(shape: Superellipsoid) -> Egg {
        Egg(shape.into())
    }
}

impl ParryShape for Egg {
    fn compute_local_aabb(&self) -> Aabb {
        self.compute_aabb(&ParryPose::IDENTITY)
    }

    fn compute_aabb(&self, position: &ParryPose) -> Aabb {
        shape_queries::aabb(&self.shape(), position)
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::new(Vector::ZERO, self.shape().reach())
    }

    fn clone_dyn(&self) -> Box<dyn ParryShape> {
        Box::new(*self)
    }

    /// Exact: the radii are scaled; mirrored along z, the taper is.
    fn scale_dyn(&self, scale: Vector, _num_subdivisions: u32) -> Option<Box<dyn ParryShape>> {
        let [a1, a2, a3] = self.0.radii();
        let [tx, ty] = self.0.taper();
        let (radii, mirror) = ([a1 * scale.x.abs(), a2 * scale.y.abs(), a3 * scale.z.abs()], scale.z.signum());
        let scaled = Superovoid::new(radii, self.0.exponents(), [tx * mirror, ty * mirror]).ok()?;
        Some(Box::new(Egg(scaled)))
    }

    fn mass_properties(&self, density: Real) -> MassProperties {
        shape_queries::mass_properties(&self.shape(), density).unwrap_or_default()
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> Real {
        self.0.radii().into_iter().fold(f64::INFINITY, f64::min)
    }

    /// As for parry's other round shapes.
    fn ccd_angular_thickness(&self) -> Real {
        std::f64::consts::FRAC_PI_2
    }

    fn is_convex(&self) -> bool {
        self.0.is_convex()
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        self.0.is_convex().then_some(self as &dyn SupportMap)
    }
}

impl SupportMap for Egg {
    fn local_support_point(&self, direction: Vector) -> Vector {
        parrys(self.0.support(ours(direction)))
    }
}

impl RayCast for Egg {
    fn cast_local_ray_and_get_normal(
        &self,
        line: &ParryRay,
        max_time_of_impact: Real,
        solid: bool,
    ) -> Option<RayIntersection> {
        shape_queries::cast_ray(&self.shape(), line, max_time_of_impact, solid)
    }
}

impl PointQuery for Egg {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        shape_queries::project(&self.shape(), point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        (self.project_local_point(point, false), FeatureId::Face(0))
    }

    fn contains_local_point(&self, point: Vector) -> bool {
        self.0.gauge(ours(point)) <= 1.0
    }
}
