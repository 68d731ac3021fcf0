//! The superellipsoid of Barr (1981): `(|x/a1|^(2/e1) + |y/a2|^(2/e1))^(e1/e2) + |z/a3|^(2/e2) = 1`.
//!
//! Convex for every exponent in ]0, 2[. Two planar norms nested in each other: x and y with e1 inside, their norm and z
//! with e2 outside.

use glam::DVec3;

use super::norm::{norm, norm_gradient};
use super::{Direction, validate_radii_and_exponents};
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

    /// Parameters that another shape's constructor has checked.
    pub(crate) fn from_valid(radii: [f64; 3], exponents: [f64; 2]) -> Superellipsoid {
        Superellipsoid { radii, exponents }
    }

    /// Half the extent along x, y and z.
    pub fn radii(&self) -> [f64; 3] {
        self.radii
    }

    /// `[e1, e2]`.
    pub fn exponents(&self) -> [f64; 2] {
        self.exponents
    }

    /// The surface point whose outward normal is `direction`, of any finite length: the farthest point that way. Closed
    /// form. The zero direction, which every point satisfies, gets a pole of z.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Superellipsoid};
    /// let egg = Superellipsoid::new([1.0, 2.0, 3.0], [0.5, 1.5])?;
    /// assert_eq!(egg.support(DVec3::new(0.0, -4.0, 0.0)), DVec3::new(0.0, -2.0, 0.0));
    /// let normal = DVec3::new(1.0, 2.0, -3.0).normalize();
    /// assert!(egg.normal_at(egg.support(normal)).dot(normal) > 1.0 - 1e-15);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let scaled = Direction::new(direction).unit_largest * DVec3::from(self.radii);
        let [e1, e2] = self.exponents;
        let size = scaled.abs();
        let inner = norm_gradient(size.x, size.y, e1);
        // A zero direction falls through to the pole, as the gradient's first component belongs to z.
        let outer = norm_gradient(size.z, inner.norm, e2);
        let point = DVec3::new(outer.v * inner.u, outer.v * inner.v, outer.u);
        (point * DVec3::from(self.radii)).copysign(direction)
    }

    /// The support function: the largest `direction · x` over the solid, `‖(‖(a1 nx, a2 ny)‖, a3 nz)‖` with the dual
    /// exponents `2/(2-e1)` inside and `2/(2-e2)` outside.
    pub fn support_value(&self, direction: DVec3) -> f64 {
        let direction = Direction::new(direction);
        let size = (direction.unit_largest * DVec3::from(self.radii)).abs();
        let [e1, e2] = self.exponents;
        direction.scale * norm(size.z, norm(size.x, size.y, e1), e2)
    }

    /// The inverse of [`support`](Self::support): the unit outward normal at a surface point. Elsewhere, the normal of
    /// the scaled copy of the surface through the point; at the centre, where there is none, +z.
    pub fn normal_at(&self, point: DVec3) -> DVec3 {
        Direction::new(self.normal_direction(point)).unit_largest.normalize()
    }

    /// A positive multiple of the gradient of the gauge, of order one; +z at the centre.
    pub(crate) fn normal_direction(&self, point: DVec3) -> DVec3 {
        let [e1, e2] = self.exponents;
        let radii = DVec3::from(self.radii);
        let inverse_radii = radii.min_element() / radii;
        let size = (Direction::new(point).unit_largest * inverse_radii).abs();
        let inner = norm_gradient(size.x, size.y, 2.0 - e1);
        let outer = norm_gradient(size.z, inner.norm, 2.0 - e2);
        (DVec3::new(outer.v * inner.u, outer.v * inner.v, outer.u) * inverse_radii).copysign(point)
    }
}
