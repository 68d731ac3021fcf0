//! What a scheme can be asked about: the library's shapes and the further superquadrics.

use superegg::shape::{Shape, Superellipsoid, Superovoid};

use crate::Superquadric;

/// A body of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// A shape of the library. Schemes answer for superellipsoids, superovoids and (geometric) points.
    Plain(Shape),
    /// A superquadric that only the schemes know.
    Further(Superquadric),
}

impl Body {
    /// The name of the type in messages and files.
    pub fn name(&self) -> &'static str {
        match self {
            Body::Plain(shape) => shape.name(),
            Body::Further(surface) => surface.name(),
        }
    }

    /// The surface, where it is a superquadric.
    pub fn surface(&self) -> Option<Superquadric> {
        match self {
            Body::Plain(shape) => Superquadric::from_shape(shape),
            Body::Further(surface) => Some(*surface),
        }
    }

    /// The library's shape, where it is one.
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            Body::Plain(shape) => Some(shape),
            Body::Further(_) => None,
        }
    }
}

impl From<Shape> for Body {
    fn from(shape: Shape) -> Body {
        Body::Plain(shape)
    }
}

impl From<Superellipsoid> for Body {
    fn from(shape: Superellipsoid) -> Body {
        Body::Plain(shape.into())
    }
}

impl From<Superovoid> for Body {
    fn from(shape: Superovoid) -> Body {
        Body::Plain(shape.into())
    }
}

impl From<Superquadric> for Body {
    fn from(surface: Superquadric) -> Body {
        Body::Further(surface)
    }
}
