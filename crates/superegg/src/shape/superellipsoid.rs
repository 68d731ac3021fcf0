//! The superellipsoid of Barr (1981): `(|x/a1|^(2/e1) + |y/a2|^(2/e1))^(e1/e2) + |z/a3|^(2/e2) = 1`.
//!
//! Convex for every exponent in ]0, 2[.

use super::validate_radii_and_exponents;
use crate::InvalidInput;

/// A superellipsoid, centred at the origin with its axes along x, y and z.
///
/// ```
/// use superegg::shape::Superellipsoid;
/// let egg = Superellipsoid::new([1.0, 1.0, 1.3], [1.0, 0.8])?;
/// assert_eq!(egg.radii(), [1.0, 1.0, 1.3]);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superellipsoid {
    radii: [f64; 3],
    exponents: [f64; 2],
}

impl Superellipsoid {
    /// `radii` along x, y, z in metres; `exponents` `[e1, e2]`: squareness in the xy plane and along z, in ]0, 2[.
    pub fn new(radii: [f64; 3], exponents: [f64; 2]) -> Result<Superellipsoid, InvalidInput> {
        validate_radii_and_exponents(&radii, &exponents)?;
        Ok(Superellipsoid { radii, exponents })
    }

    /// Half the extent along x, y and z.
    pub fn radii(&self) -> [f64; 3] {
        self.radii
    }

    /// `[e1, e2]`.
    pub fn exponents(&self) -> [f64; 2] {
        self.exponents
    }
}
