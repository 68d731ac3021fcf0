//! The superovoid of papers 001 and 003: a superellipsoid whose x and y are scaled by `1 + t z/a3`.

use glam::DVec3;

use super::convexity::is_convex;
use super::profile::{Height, Profile};
use super::{Direction, Superellipsoid, validate_radii_and_exponents};
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
        Ok(Superovoid { radii, exponents, taper, convex: is_convex(exponents, taper) })
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

    /// The surface point whose outward normal is `direction`, of any finite length: the farthest point that way. Solves
    /// one equation for the height; on a superovoid that is not convex this is the support of its convex hull. The zero
    /// direction, which every point satisfies, gets a pole.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Superovoid};
    /// let egg = Superovoid::new([1.0, 2.0, 3.0], [0.5, 1.5], [0.2, -0.1])?;
    /// assert_eq!(egg.support(DVec3::new(0.0, 0.0, -4.0)), DVec3::new(0.0, 0.0, -3.0));
    /// let normal = DVec3::new(1.0, 2.0, -3.0).normalize();
    /// assert!(egg.normal_at(egg.support(normal)).dot(normal) > 1.0 - 1e-15);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let [tx, ty] = self.taper;
        let radii = DVec3::from(self.radii);
        match self.highest(Direction::new(direction).unit_largest) {
            None => DVec3::new(0.0, 0.0, radii.z).copysign(direction),
            Some(Height { s, radius, section: [x, y], .. }) => {
                let point = DVec3::new(radius * x * (1.0 + tx * s), radius * y * (1.0 + ty * s), 0.0) * radii;
                point.copysign(direction).with_z(s * radii.z)
            }
        }
    }

    /// The support function: the largest `direction · x` over the solid.
    pub fn support_value(&self, direction: DVec3) -> f64 {
        let direction = Direction::new(direction);
        let axial = self.radii[2] * direction.unit_largest.z;
        direction.scale * self.highest(direction.unit_largest).map_or(axial.abs(), |height| height.value)
    }

    /// Where the support function's maximum over the heights lies; `None` is the pole on the direction's side.
    fn highest(&self, direction: DVec3) -> Option<Height> {
        let scaled = direction * DVec3::from(self.radii);
        let planar = [scaled.x.abs(), scaled.y.abs()];
        if planar == [0.0, 0.0] {
            return None;
        }
        let profile = Profile { exponents: self.exponents, taper: self.taper, planar, axial: scaled.z };
        Some(profile.maximum(self.convex))
    }

    /// The inverse of [`support`](Self::support) on a convex superovoid: the unit outward normal at a surface point.
    /// Elsewhere, the normal of the level set of the gauge through the point; at the centre, where there is none, +z.
    pub fn normal_at(&self, point: DVec3) -> DVec3 {
        Direction::new(self.normal_direction(point)).unit_largest.normalize()
    }

    /// A positive multiple of the gradient of the gauge; +z at the centre.
    pub(crate) fn normal_direction(&self, point: DVec3) -> DVec3 {
        let [tx, ty] = self.taper;
        // Beyond the poles the taper stays as it is there, so that it never turns negative.
        let s = (point.z / self.radii[2]).clamp(-1.0, 1.0);
        let stretch = DVec3::new(1.0 + tx * s, 1.0 + ty * s, 1.0);
        let straight = point / stretch;
        let normal = self.untapered().normal_direction(straight);
        let pull = if s.abs() < 1.0 {
            (normal.x * straight.x * tx / stretch.x + normal.y * straight.y * ty / stretch.y) / self.radii[2]
        } else {
            0.0
        };
        DVec3::new(normal.x / stretch.x, normal.y / stretch.y, normal.z - pull)
    }

    /// The superellipsoid that the taper is applied to.
    pub(crate) fn untapered(&self) -> Superellipsoid {
        Superellipsoid::from_valid(self.radii, self.exponents)
    }
}
