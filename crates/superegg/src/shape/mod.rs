//! Surfaces: what a body looks like in its own frame.
//!
//! One file a shape, one file a topic that several shapes share.

mod bounds;
mod convexity;
mod coordinates;
mod implicit;
mod mass;
mod norm;
mod plane;
mod polytope;
mod profile;
mod root;
mod signed_power;
mod superellipse;
mod superellipsoid;
mod superovoid;
mod surface;
mod tessellate;

pub use bounds::{Aabb, Sphere};
pub use coordinates::SurfaceCoordinates;
pub(crate) use coordinates::{smooth_angle, smooth_weights, weights};
pub use implicit::Derivatives;
pub use mass::MassProperties;
pub(crate) use norm::scaled_gauge;
pub use plane::Plane;
pub use polytope::{Point, Segment, Triangle};
pub(crate) use root::bracketed_root;
pub use superellipse::{CurvePoint, PlanarAabb, PlanarDerivatives, Superellipse};
pub use superellipsoid::Superellipsoid;
pub use superovoid::Superovoid;
pub use surface::SurfacePoint;
pub use tessellate::{Spacing, TriangleSoup};

use glam::DVec3;

use crate::{InvalidInput, Pose};

/// Any shape a query accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A single point.
    Point(Point),
    /// A half-space.
    Plane(Plane),
    /// A straight line between two points.
    Segment(Segment),
    /// A flat triangle.
    Triangle(Triangle),
    /// A superellipsoid.
    Superellipsoid(Superellipsoid),
    /// A tapered superellipsoid.
    Superovoid(Superovoid),
}

impl Shape {
    /// The name of the type in messages and files.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Point(_) => "point",
            Shape::Plane(_) => "plane",
            Shape::Segment(_) => "segment",
            Shape::Triangle(_) => "triangle",
            Shape::Superellipsoid(_) => "superellipsoid",
            Shape::Superovoid(_) => "superovoid",
        }
    }

    /// The smallest box along the world's axes that holds the posed shape; infinite for a plane.
    ///
    /// ```
    /// use superegg::shape::{Shape, Superellipsoid};
    /// use superegg::{DVec3, Pose};
    /// let egg: Shape = Superellipsoid::new([1.0, 2.0, 3.0], [0.5, 1.2])?.into();
    /// let aabb = egg.aabb(&Pose::from_translation(DVec3::ONE));
    /// assert_eq!((aabb.min, aabb.max), (DVec3::new(0.0, -1.0, -2.0), DVec3::new(2.0, 3.0, 4.0)));
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Shape::Point(shape) => shape.aabb(pose),
            Shape::Plane(shape) => shape.aabb(pose),
            Shape::Segment(shape) => shape.aabb(pose),
            Shape::Triangle(shape) => shape.aabb(pose),
            Shape::Superellipsoid(shape) => shape.aabb(pose),
            Shape::Superovoid(shape) => shape.aabb(pose),
        }
    }
}

macro_rules! shape_from {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Shape {
            fn from(shape: $kind) -> Shape {
                Shape::$kind(shape)
            }
        }
    )*};
}
shape_from!(Point, Plane, Segment, Triangle, Superellipsoid, Superovoid);

/// Smallest and largest radius that a constructor accepts, in metres. Their fifth powers (moments of inertia) are still
/// finite and non-zero.
pub(crate) const RADIUS_RANGE: (f64, f64) = (1e-60, 1e60);
const RADIUS_ALLOWED: &str = "[1e-60, 1e60]";
const EXPONENT_ALLOWED: &str = "]0, 2[";

fn validate_radii_and_exponents(radii: &[f64], exponents: &[f64]) -> Result<(), InvalidInput> {
    for (&radius, field) in radii.iter().zip(["radii[0]", "radii[1]", "radii[2]"]) {
        let accepted = (RADIUS_RANGE.0..=RADIUS_RANGE.1).contains(&radius);
        InvalidInput::unless(accepted, field, radius, RADIUS_ALLOWED)?;
    }
    for (&exponent, field) in exponents.iter().zip(["exponents[0]", "exponents[1]"]) {
        InvalidInput::unless(exponent > 0.0 && exponent < 2.0, field, exponent, EXPONENT_ALLOWED)?;
    }
    Ok(())
}

/// A vector of any finite length, split so that no product with radii or power of it overflows or vanishes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direction {
    /// The vector divided by `scale`; zero for the zero vector.
    pub unit_largest: DVec3,
    /// The largest magnitude among the components.
    pub scale: f64,
}

impl Direction {
    #[inline]
    pub fn new(vector: DVec3) -> Direction {
        let scale = vector.abs().max_element();
        Direction { unit_largest: if scale > 0.0 { vector / scale } else { DVec3::ZERO }, scale }
    }
}
