//! Superquadrics in the two forms that searches and schemes work with: implicit (value, gradient, Hessian) and parametric (position and
//! its derivatives by two angles).
//!
//! All kinds share one construction. With the planar gauge `ρ = ‖(x/(a1 f), y/(a2 g))‖` of exponent `2/e1`, the height
//! `ζ = z/a3`, the tapers `f = 1 + tx ζ`, `g = 1 + ty ζ` and `p = 2/e2`, and with the papers' convention that the inside
//! is negative:
//!
//! | kind | implicit function | profile `(W(v), Z(v))` |
//! |---|---|---|
//! | superellipsoid, superovoid | `ρ^p + abs(ζ)^p − 1` | `(cos^e2, sin^e2)` |
//! | superhyperboloid, one sheet | `ρ^p − abs(ζ)^p − 1` | `(sec^e2, tan^e2)` |
//! | superhyperboloid, two sheets | `1 + ρ^p − abs(ζ)^p` | `(abs(tan)^e2, ±sec^e2)` |
//! | supertoroid | `abs(ρ − h)^p + abs(ζ)^p − 1` | `(h + cos^e2, sin^e2)` |
//!
//! The surface is `x = a1 f cos^e1(u) W(v)`, `y = a2 g sin^e1(u) W(v)`, `z = a3 Z(v)`; `^` keeps the sign of its base. Paper
//! 004 names the family; its equations for the last three are lost, so they are Barr's, with the axis along z.

mod chart;
mod implicit;
mod parametric;
mod tessellate;

pub(crate) use chart::{Cell, Place};
pub use implicit::Implicit;
pub use parametric::{Patch, Ring};

use std::f64::consts::{FRAC_PI_2, PI};

use superegg::shape::{Shape, Superellipsoid, Superovoid};
use superegg::{DVec3, InvalidInput};

/// What sort of superquadric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Superellipsoid, or superovoid where it tapers.
    Egg,
    /// Superhyperboloid of one sheet: a waisted tube along z.
    OneSheet,
    /// Superhyperboloid of two sheets: two bowls, open to either end of z.
    TwoSheets,
    /// Supertoroid around z.
    Toroid,
}

/// A superquadric surface in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superquadric {
    kind: Kind,
    radii: [f64; 3],
    exponents: [f64; 2],
    taper: [f64; 2],
    /// Radius of a toroid's centre line in tube radii; zero for the others.
    hole: f64,
    /// Largest `|z|` of a hyperboloid; infinite for the others.
    height: f64,
}

impl Superquadric {
    /// A superellipsoid or superovoid; `None` for any other shape.
    pub fn from_shape(shape: &Shape) -> Option<Superquadric> {
        let (radii, exponents, taper) = match shape {
            Shape::Superellipsoid(egg) => (egg.radii(), egg.exponents(), [0.0; 2]),
            Shape::Superovoid(egg) => (egg.radii(), egg.exponents(), egg.taper()),
            _ => return None,
        };
        Some(Superquadric { kind: Kind::Egg, radii, exponents, taper, hole: 0.0, height: f64::INFINITY })
    }

    /// The library's shape; `None` for superhyperboloids and supertoroids.
    pub fn to_shape(&self) -> Option<Shape> {
        match self.kind {
            Kind::Egg if self.taper == [0.0; 2] => {
                Superellipsoid::new(self.radii, self.exponents).ok().map(Shape::Superellipsoid)
            }
            Kind::Egg => Superovoid::new(self.radii, self.exponents, self.taper).ok().map(Shape::Superovoid),
            Kind::OneSheet | Kind::TwoSheets | Kind::Toroid => None,
        }
    }

    /// A superhyperboloid of one sheet between `z = ±height`. `radii` are those of the waist and the height at which the
    /// planar gauge has grown to `2^(e2/2)`; exponents as of a superellipsoid.
    ///
    /// ```
    /// use superegg::DVec3;
    /// use superegg_world::superquadric::Superquadric;
    /// let tube = Superquadric::one_sheet([1.0, 1.0, 1.0], [1.0, 1.0], 2.0)?;
    /// assert!(tube.value(DVec3::new(1.0, 0.0, 0.0)).abs() < 1e-12);
    /// assert!(tube.value(DVec3::new(1.0, 0.0, 1.0)) < 0.0);
    /// assert_eq!(Superquadric::one_sheet([1.0; 3], [1.0; 2], 0.0).unwrap_err().field, "height");
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn one_sheet(radii: [f64; 3], exponents: [f64; 2], height: f64) -> Result<Superquadric, InvalidInput> {
        validate(radii, exponents)?;
        InvalidInput::unless(height > 0.0 && height <= 100.0 * radii[2], "height", height, "]0, 100 radii[2]]")?;
        Ok(Superquadric { kind: Kind::OneSheet, radii, exponents, taper: [0.0; 2], hole: 0.0, height })
    }

    /// A superhyperboloid of two sheets that begin at `z = ±radii[2]` and end at `z = ±height`.
    pub fn two_sheets(radii: [f64; 3], exponents: [f64; 2], height: f64) -> Result<Superquadric, InvalidInput> {
        validate(radii, exponents)?;
        let accepted = height > radii[2] * 1.000_001 && height <= 100.0 * radii[2];
        InvalidInput::unless(accepted, "height", height, "]radii[2], 100 radii[2]]")?;
        Ok(Superquadric { kind: Kind::TwoSheets, radii, exponents, taper: [0.0; 2], hole: 0.0, height })
    }

    /// A supertoroid: `radii` of the tube along x, y and z, and the radius of its centre line in tube radii, above 1.
    ///
    /// ```
    /// use superegg::DVec3;
    /// use superegg_world::superquadric::Superquadric;
    /// let ring = Superquadric::toroid([0.5, 0.5, 0.5], [1.0, 1.0], 3.0)?;
    /// assert!(ring.value(DVec3::new(2.0, 0.0, 0.0)).abs() < 1e-12);
    /// assert!(ring.value(DVec3::ZERO) > 0.0);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn toroid(radii: [f64; 3], exponents: [f64; 2], hole: f64) -> Result<Superquadric, InvalidInput> {
        validate(radii, exponents)?;
        InvalidInput::unless(hole > 1.0 && hole <= 1000.0, "hole", hole, "]1, 1000]")?;
        Ok(Superquadric { kind: Kind::Toroid, radii, exponents, taper: [0.0; 2], hole, height: f64::INFINITY })
    }

    /// What sort it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The name of the type in messages and files.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Egg if self.taper == [0.0; 2] => "superellipsoid",
            Kind::Egg => "superovoid",
            Kind::OneSheet => "superhyperboloid1",
            Kind::TwoSheets => "superhyperboloid2",
            Kind::Toroid => "supertoroid",
        }
    }

    /// Radii along x, y and z; of a supertoroid's tube.
    pub fn radii(&self) -> [f64; 3] {
        self.radii
    }

    /// Exponents around z and along it.
    pub fn exponents(&self) -> [f64; 2] {
        self.exponents
    }

    /// Radius of a toroid's centre line in tube radii; zero for the others.
    pub fn hole(&self) -> f64 {
        self.hole
    }

    /// Largest extent from the centre along an axis.
    pub fn largest_extent(&self) -> f64 {
        let [a1, a2, a3] = self.radii;
        match self.kind {
            Kind::Egg => a1.max(a2).max(a3),
            Kind::Toroid => (a1.max(a2) * (self.hole + 1.0)).max(a3),
            Kind::OneSheet | Kind::TwoSheets => (a1.max(a2) * self.rim_width()).max(self.height),
        }
    }

    /// The same surface, with all lengths multiplied.
    pub fn scaled(&self, factor: f64) -> Superquadric {
        Superquadric { radii: self.radii.map(|radius| radius * factor), height: self.height * factor, ..*self }
    }

    /// The range `[least, greatest]` of the angles u and v.
    pub fn domain(&self) -> [[f64; 2]; 2] {
        let [_, e2] = self.exponents;
        let reach = self.height / self.radii[2];
        let end = match self.kind {
            Kind::Egg => FRAC_PI_2,
            Kind::Toroid => PI,
            Kind::OneSheet => reach.powf(1.0 / e2).atan(),
            Kind::TwoSheets => reach.powf(-1.0 / e2).acos(),
        };
        [[-PI, PI], [-end, end]]
    }

    /// Whether the surface ends at a rim, beyond which the implicit function goes on.
    pub fn has_rim(&self) -> bool {
        matches!(self.kind, Kind::OneSheet | Kind::TwoSheets)
    }

    /// Largest `|z|` of a hyperboloid; infinite for the others.
    pub fn height_limit(&self) -> f64 {
        self.height
    }

    /// Whether a point lies within the part of space that a rim leaves.
    pub fn within_height(&self, point: DVec3) -> bool {
        point.z.abs() <= self.height * (1.0 + 1e-9)
    }
}

fn validate(radii: [f64; 3], exponents: [f64; 2]) -> Result<(), InvalidInput> {
    // The library's own shapes have the same parameters, ranges and messages.
    superegg::shape::Superellipsoid::new(radii, exponents).map(drop)
}
