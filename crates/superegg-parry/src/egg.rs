//! A superellipsoid or superovoid as a parry shape.

use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::math::{Real, Vector};
use parry3d_f64::shape::{Shape as ParryShape, SharedShape, SupportMap};
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
    shape_queries::common_shape_methods!(shape);

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

    fn ccd_thickness(&self) -> Real {
        self.0.radii().into_iter().fold(f64::INFINITY, f64::min)
    }

    /// As for parry's other round shapes.
    fn ccd_angular_thickness(&self) -> Real {
        std::f64::consts::FRAC_PI_2
    }
}

impl SupportMap for Egg {
    fn local_support_point(&self, direction: Vector) -> Vector {
        parrys(self.0.support(ours(direction)))
    }
}

shape_queries::answer_rays_and_points!(Egg, shape);
