//! Shapes by their numbers, as the solver takes them: half-spaces, simplices of up to three vertices, superquadrics.

use glam::DVec3;

use crate::shape::{Band, Plane, Primitive, Shape, Superellipsoid, Superovoid};
use crate::solver::body::supported::Source;

/// Shapes by how the solver treats them.
pub(crate) enum Kind<'a> {
    Plane(Plane),
    Simplex(&'a [DVec3]),
    Superquadric(Params),
    Primitive(Primitive),
    /// A body by its support points, and the radius around it.
    Supported(Source<'a>, f64),
}

impl Kind<'_> {
    pub fn of(shape: &Shape) -> Kind<'_> {
        match shape {
            Shape::Point(point) => Kind::Simplex(point.points()),
            Shape::Segment(segment) => Kind::Simplex(segment.points()),
            Shape::Triangle(triangle) => Kind::Simplex(triangle.points()),
            Shape::Plane(plane) => Kind::Plane(*plane),
            Shape::Superellipsoid(shape) => Kind::Superquadric(shape.into()),
            Shape::Superovoid(shape) => Kind::Superquadric(shape.into()),
            Shape::Primitive(shape) => Kind::Primitive(*shape),
            Shape::Hull(shape) => Kind::Supported(Source::Hull(shape), shape.rounding()),
            Shape::Custom(shape) => Kind::Supported(Source::Custom(shape), shape.rounding()),
        }
    }
}

/// A superellipsoid or superovoid by its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Params {
    pub radii: [f64; 3],
    pub exponents: [f64; 2],
    pub taper: [f64; 2],
    pub convex: bool,
    /// Where it may bend inwards.
    pub band: Band,
}

impl Params {
    pub fn is_tapered(&self) -> bool {
        self.taper != [0.0; 2]
    }

    /// Whether it is a ball.
    pub fn is_ball(&self) -> bool {
        let [x, y, z] = self.radii;
        self.is_ellipsoid() && x == y && y == z
    }

    /// Whether it is an ellipsoid.
    pub fn is_ellipsoid(&self) -> bool {
        self.exponents == [1.0; 2] && !self.is_tapered()
    }

    /// How far the body reaches from its origin at most, as a multiple of its largest radius: it lies within the box of its
    /// radii, the first two stretched by the taper.
    pub fn reach_factor(&self) -> f64 {
        let stretch = 1.0 + self.taper[0].abs().max(self.taper[1].abs());
        (2.0 * stretch * stretch + 1.0).sqrt()
    }

    /// Radius of a ball about the origin that holds the body: half the diagonal of its box.
    pub fn reach(&self) -> f64 {
        let [x, y, z] = self.radii;
        let stretch = 1.0 + self.taper[0].abs().max(self.taper[1].abs());
        (stretch * stretch * (x * x + y * y) + z * z).sqrt() * (1.0 + 8.0 * f64::EPSILON)
    }

    pub fn largest_radius(&self) -> f64 {
        self.radii.into_iter().fold(0.0, f64::max)
    }
}

impl From<&Superellipsoid> for Params {
    fn from(shape: &Superellipsoid) -> Params {
        Params { radii: shape.radii(), exponents: shape.exponents(), taper: [0.0; 2], convex: true, band: Band::NONE }
    }
}

impl From<&Superovoid> for Params {
    fn from(shape: &Superovoid) -> Params {
        Params {
            radii: shape.radii(),
            exponents: shape.exponents(),
            taper: shape.taper(),
            convex: shape.is_convex(),
            band: shape.band(),
        }
    }
}

/// Radius of the ball around the mean of some points that holds them all.
pub(crate) fn simplex_radius(points: &[DVec3]) -> f64 {
    let mean = simplex_mean(points);
    points.iter().map(|point| (*point - mean).length()).fold(0.0, f64::max)
}

pub(crate) fn simplex_mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}
