//! Surfaces: what a body looks like in its own frame.
//!
//! One file a shape, one file a topic that several shapes share.

mod bounds;
mod convex;
mod convexity;
mod coordinates;
mod enclosing_sphere;
mod hull;
mod hull_profile;
mod implicit;
mod interval;
mod mass;
mod nearest;
mod norm;
mod plane;
mod polytope;
mod primitive;
mod profile;
mod root;
#[cfg(feature = "serde")]
mod serial;
mod signed_power;
mod superellipse;
mod superellipsoid;
mod superovoid;
mod surface;
mod tessellate;

pub use bounds::{Aabb, Sphere};
pub use convex::{Convex, Custom};
pub(crate) use convexity::Band;
pub use coordinates::SurfaceCoordinates;
pub(crate) use coordinates::{smooth_angle, smooth_weights, weights};
pub use hull::Hull;
pub(crate) use hull_profile::BandRings;
pub use implicit::Derivatives;
pub use mass::MassProperties;
pub(crate) use nearest::{Nearest, nearest_point};
pub(crate) use norm::scaled_gauge;
pub use plane::Plane;
pub use polytope::{Point, Segment, Triangle};
pub(crate) use polytope::{nearest_face, nearest_on_simplex};
pub(crate) use primitive::Footing;
pub use primitive::{Bend, Core, Primitive};
pub(crate) use profile::{Height, Profile};
pub(crate) use root::bracketed_root;
pub use superellipse::{CurvePoint, PlanarAabb, PlanarDerivatives, Superellipse};
pub use superellipsoid::Superellipsoid;
pub use superovoid::Superovoid;
pub use surface::SurfacePoint;
pub use tessellate::{IndexedTriangles, Spacing};

use glam::DVec3;

use self::bounds::farthest;
use crate::{InvalidInput, Pose};

/// Any shape a query accepts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "serial::Serial"))]
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
    /// A box, cylinder, cone, frustum, capsule or sphere, rounded or not.
    Primitive(Primitive),
    /// The convex hull of points, rounded or not.
    Hull(Hull),
    /// A convex body of your own, by its support function.
    Custom(Custom),
}

impl Shape {
    /// Whether the shape was proved convex: false only for a superovoid that bends inwards, or may. See
    /// [`Superovoid::is_convex`].
    pub fn is_convex(&self) -> bool {
        !matches!(self, Shape::Superovoid(body) if !body.is_convex())
    }

    /// The name of the type in messages and files.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Point(_) => "point",
            Shape::Plane(_) => "plane",
            Shape::Segment(_) => "segment",
            Shape::Triangle(_) => "triangle",
            Shape::Superellipsoid(_) => "superellipsoid",
            Shape::Superovoid(_) => "superovoid",
            Shape::Primitive(shape) => shape.name(),
            Shape::Hull(_) => "hull",
            Shape::Custom(shape) => shape.name(),
        }
    }

    /// A point of the shape that is farthest in a direction, in its own frame; `None` for a plane. Of a superovoid that is not
    /// convex it is one of its hull, and on the shape.
    pub fn support(&self, direction: DVec3) -> Option<DVec3> {
        match self {
            Shape::Point(shape) => Some(shape.support(direction)),
            Shape::Segment(shape) => Some(shape.support(direction)),
            Shape::Triangle(shape) => Some(shape.support(direction)),
            Shape::Superellipsoid(shape) => Some(shape.support(direction)),
            Shape::Superovoid(shape) => Some(shape.support(direction)),
            Shape::Primitive(shape) => Some(shape.support(direction)),
            Shape::Hull(shape) => Some(shape.support(direction)),
            Shape::Custom(shape) => Some(shape.support(direction)),
            Shape::Plane(_) => None,
        }
    }

    /// The support function: the largest `direction · x` over the shape, in its own frame. Infinite for a plane, but for
    /// the direction of its normal.
    ///
    /// ```
    /// use superegg::DVec3;
    /// use superegg::shape::{Plane, Shape, Superellipsoid};
    /// let egg: Shape = Superellipsoid::new([1.0, 2.0, 3.0], [0.5, 1.2])?.into();
    /// assert_eq!(egg.support_value(-2.0 * DVec3::Y), 4.0);
    /// let floor: Shape = Plane::new(DVec3::Z, 0.5)?.into();
    /// assert_eq!(floor.support_value(DVec3::Z), 0.5);
    /// assert_eq!(floor.support_value(DVec3::X), f64::INFINITY);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn support_value(&self, direction: DVec3) -> f64 {
        match self {
            Shape::Point(shape) => shape.support_value(direction),
            Shape::Segment(shape) => shape.support_value(direction),
            Shape::Triangle(shape) => shape.support_value(direction),
            Shape::Superellipsoid(shape) => shape.support_value(direction),
            Shape::Superovoid(shape) => shape.support_value(direction),
            Shape::Primitive(shape) => shape.support_value(direction),
            Shape::Hull(shape) => shape.support_value(direction),
            Shape::Custom(shape) => shape.support_value(direction),
            Shape::Plane(plane) => {
                let length = direction.length();
                let along = direction.dot(plane.normal()) >= length * (1.0 - 1e-15);
                if along { plane.offset() * length } else { f64::INFINITY }
            }
        }
    }

    /// Whether a point of the shape's frame lies in the solid or on it, up to the rounding of its gauge. A point, segment or
    /// triangle has no inside.
    ///
    /// ```
    /// use superegg::DVec3;
    /// use superegg::shape::{Shape, Superellipsoid};
    /// let die: Shape = Superellipsoid::new([1.0; 3], [0.1; 2])?.into();
    /// assert!(die.contains(DVec3::splat(0.9)) && !die.contains(DVec3::splat(0.99)));
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn contains(&self, point: DVec3) -> bool {
        match self {
            Shape::Superellipsoid(shape) => shape.gauge(point) <= 1.0,
            Shape::Superovoid(shape) => shape.gauge(point) <= 1.0,
            Shape::Primitive(shape) => shape.contains(point),
            Shape::Hull(shape) => shape.contains(point),
            Shape::Custom(shape) => shape.contains(point),
            Shape::Plane(shape) => shape.signed_distance(point) <= 0.0,
            Shape::Point(_) | Shape::Segment(_) | Shape::Triangle(_) => false,
        }
    }

    /// Radius of a ball about the origin of the shape's frame that holds it; infinite for a plane. Closed form: exact for a
    /// superellipsoid, and with a taper as if the widest section were everywhere.
    ///
    /// ```
    /// use superegg::shape::{Shape, Superellipsoid};
    /// let egg: Shape = Superellipsoid::new([1.0, 2.0, 3.0], [1.0, 1.0])?.into();
    /// assert!((egg.reach() - 3.0).abs() < 1e-14);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn reach(&self) -> f64 {
        let of_points = |points: &[DVec3]| points.iter().map(|point| point.length()).fold(0.0, f64::max);
        let of_superquadric = |[a1, a2, a3]: [f64; 3], [e1, e2]: [f64; 2], [tx, ty]: [f64; 2]| {
            let width = farthest(a1 * (1.0 + tx.abs()), a2 * (1.0 + ty.abs()), e1);
            farthest(width, a3, e2) * (1.0 + 8.0 * f64::EPSILON)
        };
        match self {
            Shape::Point(shape) => of_points(shape.points()),
            Shape::Segment(shape) => of_points(shape.points()),
            Shape::Triangle(shape) => of_points(shape.points()),
            Shape::Superellipsoid(shape) => of_superquadric(shape.radii(), shape.exponents(), [0.0; 2]),
            Shape::Superovoid(shape) => of_superquadric(shape.radii(), shape.exponents(), shape.taper()),
            Shape::Primitive(shape) => shape.reach(),
            Shape::Hull(shape) => shape.reach(),
            Shape::Custom(shape) => shape.reach(),
            Shape::Plane(_) => f64::INFINITY,
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
            Shape::Primitive(shape) => shape.aabb(pose),
            Shape::Hull(shape) => shape.aabb(pose),
            Shape::Custom(shape) => shape.aabb(pose),
        }
    }

    /// Volume, centroid and inertia at density one; `None` for a shape without a volume, or without an end.
    ///
    /// ```
    /// use superegg::shape::{Plane, Primitive, Shape};
    /// use superegg::DVec3;
    /// let die: Shape = Primitive::cuboid([0.5; 3])?.into();
    /// assert_eq!(die.mass_properties().map(|mass| mass.volume), Some(1.0));
    /// assert!(Shape::from(Plane::new(DVec3::Z, 0.0)?).mass_properties().is_none());
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn mass_properties(&self) -> Option<MassProperties> {
        match self {
            Shape::Superellipsoid(shape) => Some(shape.mass_properties()),
            Shape::Superovoid(shape) => Some(shape.mass_properties()),
            Shape::Primitive(shape) => Some(shape.mass_properties()),
            Shape::Hull(shape) => Some(shape.mass_properties()),
            Shape::Custom(shape) => shape.mass_properties(),
            Shape::Point(_) | Shape::Plane(_) | Shape::Segment(_) | Shape::Triangle(_) => None,
        }
    }

    /// A closed triangle mesh of at most `vertex_count` vertices, in [6, 10000000]; `None` for a shape without a volume, or without
    /// an end.
    pub fn tessellate(&self, vertex_count: usize) -> Option<Result<IndexedTriangles, InvalidInput>> {
        match self {
            Shape::Superellipsoid(shape) => Some(shape.tessellate(vertex_count, Spacing::Curvature)),
            Shape::Superovoid(shape) => Some(shape.tessellate(vertex_count, Spacing::Curvature)),
            Shape::Primitive(shape) => Some(shape.tessellate(vertex_count)),
            Shape::Hull(shape) => Some(shape.tessellate(vertex_count)),
            Shape::Custom(shape) => Some(shape.tessellate(vertex_count)),
            Shape::Point(_) | Shape::Plane(_) | Shape::Segment(_) | Shape::Triangle(_) => None,
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
shape_from!(Point, Plane, Segment, Triangle, Superellipsoid, Superovoid, Primitive, Hull, Custom);

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
