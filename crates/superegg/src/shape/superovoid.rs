//! The superovoid of papers 001 and 003: a superellipsoid whose x and y are scaled by `1 + t z/a3`.

use super::validate_radii_and_exponents;
use crate::InvalidInput;

/// A tapered superellipsoid: `x` is stretched by `1 + tx z/a3`, `y` by `1 + ty z/a3`.
///
/// ```
/// use superegg::shape::Superovoid;
/// let egg = Superovoid::new([1.0, 1.0, 1.3], [1.0, 1.0], [0.2, 0.2])?;
/// assert_eq!(egg.taper(), [0.2, 0.2]);
/// assert!(std::mem::size_of::<Superovoid>() <= 64);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superovoid {
    radii: [f64; 3],
    exponents: [f64; 2],
    taper: [f64; 2],
    convex: bool,
}

impl Superovoid {
    /// Radii and exponents as for a superellipsoid; `taper` `[tx, ty]` in ]-1, 1[.
    pub fn new(radii: [f64; 3], exponents: [f64; 2], taper: [f64; 2]) -> Result<Superovoid, InvalidInput> {
        validate_radii_and_exponents(&radii, &exponents)?;
        for (&taper, field) in taper.iter().zip(["taper[0]", "taper[1]"]) {
            InvalidInput::unless(taper > -1.0 && taper < 1.0, field, taper, "]-1, 1[")?;
        }
        Ok(Superovoid { radii, exponents, taper, convex: taper == [0.0, 0.0] })
    }

    /// Half the extent along z, and along x and y at the equator.
    pub fn radii(&self) -> [f64; 3] {
        self.radii
    }

    /// `[e1, e2]`.
    pub fn exponents(&self) -> [f64; 2] {
        self.exponents
    }

    /// `[tx, ty]`.
    pub fn taper(&self) -> [f64; 2] {
        self.taper
    }

    /// Whether the solid is convex. Exact, decided once in the constructor.
    pub fn is_convex(&self) -> bool {
        self.convex
    }
}
