//! The superovoid of papers 001 and 003: a superellipsoid whose x and y are scaled by `1 + t z/a3`.

use glam::{DMat3, DVec2, DVec3};

use super::bounds::Aabb;
use super::convexity::Band;
use super::coordinates::{SurfaceCoordinates, weights};
use super::hull_profile::BandRings;
use super::implicit::Derivatives;
use super::profile::{Height, Profile};
use super::root::bracketed_root;
use super::superellipsoid::Superellipsoid;
use super::{Direction, validate_radii_and_exponents};
use crate::{InvalidInput, Pose};

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
    /// Where the solid may bend inwards.
    band: Band,
}

/// What a higher point of a superovoid that is not convex may be missed by, as a part of its widths.
const SUPPORT_SLACK: f64 = 1e-15;

impl Superovoid {
    /// Radii and exponents as for a superellipsoid; `taper` `[tx, ty]` in ]-1, 1[.
    pub fn new(radii: [f64; 3], exponents: [f64; 2], taper: [f64; 2]) -> Result<Superovoid, InvalidInput> {
        validate_radii_and_exponents(&radii, &exponents)?;
        for (&taper, field) in taper.iter().zip(["taper[0]", "taper[1]"]) {
            InvalidInput::unless(taper > -1.0 && taper < 1.0, field, taper, "]-1, 1[")?;
        }
        Ok(Superovoid { radii, exponents, taper, band: Band::of(exponents, taper) })
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

    /// Whether the solid was proved convex, once in the constructor: in closed form for equal tapers, by interval arithmetic
    /// for unequal ones. A solid that is convex by no more than about 1e-9 (so much could be missing to its curvature, as a
    /// part of what it is without taper) may be called not convex. Distances then come with the bounds of its hull, which
    /// are right either way.
    pub fn is_convex(&self) -> bool {
        self.band.is_empty()
    }

    /// The heights between which the solid may bend inwards.
    pub(crate) fn band(&self) -> Band {
        self.band
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
        Some(match BandRings::new(&self.band, self.exponents[1]) {
            None => profile.maximum(),
            Some(rings) => profile.highest(&rings, None, f64::INFINITY, SUPPORT_SLACK * (planar[0] + planar[1])).height,
        })
    }

    /// The inverse of [`support`](Self::support) on a convex superovoid: the unit outward normal at a surface point.
    /// Elsewhere, the normal of the level set of the gauge through the point; at the centre, where there is none, +z.
    pub fn normal_at(&self, point: DVec3) -> DVec3 {
        Direction::new(self.normal_direction(point)).unit_largest.normalize()
    }

    /// A positive multiple of the gradient of the gauge; +z at the centre.
    pub(crate) fn normal_direction(&self, point: DVec3) -> DVec3 {
        let map = self.straightening(point);
        map.pull_back(self.untapered().normal_direction(map.straight))
    }

    /// The gauge: that of the superellipsoid at the point whose taper has been undone, `(x/(1 + tx s), y/(1 + ty s), z)`
    /// with `s = z/a3`; the power e2/2 of [`inside_outside`](Self::inside_outside). 1 on the surface, less inside, more
    /// outside. Along any ray from the centre it grows, so the solid is star-shaped, though not in proportion. Beyond
    /// the poles, `|s| > 1`, the taper stays what it is at the pole, so that the gauge is defined everywhere.
    pub fn gauge(&self, point: DVec3) -> f64 {
        self.untapered().gauge(self.straightening(point).straight)
    }

    /// The gauge with its gradient and Hessian. At the centre, where the gauge has a corner, the gradient is that
    /// towards +z and the Hessian is zero.
    pub fn gauge_derivatives(&self, point: DVec3) -> Derivatives {
        let (value, gradient, scaled_hessian) = self.scaled_derivatives(point);
        let hessian = if value > 0.0 { scaled_hessian * (1.0 / value) } else { DMat3::ZERO };
        Derivatives { value, gradient, hessian }
    }

    /// The inside-outside function of the papers (001 equation 10): below 1 inside, 1 on the surface, above 1 outside.
    /// Beyond the poles the taper stays what it is at the pole.
    pub fn inside_outside(&self, point: DVec3) -> f64 {
        self.gauge(point).powf(2.0 / self.exponents[1])
    }

    /// The inside-outside function with its gradient and Hessian.
    pub fn inside_outside_derivatives(&self, point: DVec3) -> Derivatives {
        let (gauge, gradient, scaled_hessian) = self.scaled_derivatives(point);
        Derivatives::of_power(gauge, gradient, scaled_hessian, 2.0 / self.exponents[1])
    }

    /// Gauge, its gradient, and its Hessian times the gauge.
    fn scaled_derivatives(&self, point: DVec3) -> (f64, DVec3, DMat3) {
        let map = self.straightening(point);
        let (gauge, gradient, scaled_hessian) = self.untapered().scaled_derivatives(map.straight);
        let jacobian = map.jacobian();
        let hessian = jacobian.transpose() * scaled_hessian * jacobian + map.bend(gradient) * gauge;
        (gauge, map.pull_back(gradient), hessian)
    }

    /// Distance to the surface along the line through the centre, negative inside: one equation for the factor. At the
    /// centre: along z.
    pub fn radial_signed_distance(&self, point: DVec3) -> f64 {
        let Direction { unit_largest: direction, scale } = Direction::new(point);
        if scale == 0.0 {
            return -self.radii[2];
        }
        let factor = self.radial_factor(direction);
        direction.length() * (scale - factor)
    }

    /// The positive factor that brings a non-zero vector onto the surface. The gauge grows along the ray, and
    /// `gauge(factor · v)/factor` lies between the untapered gauges of v widened and narrowed by the largest taper.
    fn radial_factor(&self, vector: DVec3) -> f64 {
        let taper = self.taper[0].abs().max(self.taper[1].abs());
        let plain = self.untapered().gauge(vector);
        if taper == 0.0 {
            return 1.0 / plain;
        }
        let axial = (vector.z / self.radii[2]).abs();
        // Solve for the inverse factor, which is nearly the plain gauge.
        let low = (plain / (1.0 + taper)).max(axial);
        let high = (plain / (1.0 - taper)).max(low);
        let inverse = bracketed_root(low * (1.0 - 1e-15), high * (1.0 + 1e-15), plain, 0.0, |inverse| {
            let on_ray = vector / inverse;
            let map = self.straightening(on_ray);
            let untapered = self.untapered();
            let gauge = untapered.gauge(map.straight);
            let slope = map.pull_back(untapered.gauge_derivatives(map.straight).gradient).dot(on_ray) / inverse;
            (gauge > 1.0, inverse + (gauge - 1.0) / slope)
        });
        1.0 / inverse
    }

    /// The coordinates of a surface point; elsewhere, of the surface point that the untapered radial projection leads
    /// to.
    pub fn coordinates_at(&self, point: DVec3) -> SurfaceCoordinates {
        self.untapered().coordinates_at(self.straightening(point).straight)
    }

    /// The coordinates of the surface point with this outward normal, the farthest in that direction.
    pub fn coordinates_with_normal(&self, direction: DVec3) -> SurfaceCoordinates {
        let power = 1.0 / self.exponents[1];
        match self.highest(Direction::new(direction).unit_largest) {
            None => SurfaceCoordinates::new(DVec2::X, DVec2::Y.copysign(DVec2::splat(direction.z))),
            Some(Height { s, radius, section: [x, y], .. }) => SurfaceCoordinates::new(
                weights(x.copysign(direction.x), y.copysign(direction.y), 1.0 / self.exponents[0]),
                weights(radius, s, power),
            ),
        }
    }

    /// The smallest box along the world's axes that holds the posed solid: six support values.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.inverse_transform_vector(axis));
        Aabb {
            min: pose.translation - DVec3::from(axes.map(|axis| self.support_value(-axis))),
            max: pose.translation + DVec3::from(axes.map(|axis| self.support_value(axis))),
        }
    }

    /// The map that undoes the taper about a point.
    fn straightening(&self, point: DVec3) -> Straightening {
        let [tx, ty] = self.taper;
        let s = point.z / self.radii[2];
        let clamped = s.clamp(-1.0, 1.0);
        let stretch = DVec3::new(1.0 + tx * clamped, 1.0 + ty * clamped, 1.0);
        let varies = if clamped == s { 1.0 / self.radii[2] } else { 0.0 };
        Straightening { straight: point / stretch, stretch, growth: DVec3::new(tx * varies, ty * varies, 0.0) }
    }

    /// The superellipsoid that the taper is applied to.
    pub(crate) fn untapered(&self) -> Superellipsoid {
        Superellipsoid::from_valid(self.radii, self.exponents)
    }
}

/// The map `(x/f, y/g, z)` at one point, with f and g functions of z.
struct Straightening {
    straight: DVec3,
    /// `(f, g, 1)`.
    stretch: DVec3,
    /// `(f', g', 0)`.
    growth: DVec3,
}

impl Straightening {
    fn jacobian(&self) -> DMat3 {
        let sideways = -self.straight * self.growth / self.stretch;
        DMat3::from_cols(
            DVec3::new(1.0 / self.stretch.x, 0.0, 0.0),
            DVec3::new(0.0, 1.0 / self.stretch.y, 0.0),
            sideways.with_z(1.0),
        )
    }

    /// A gradient at the straight point as a gradient at the point itself: the transposed Jacobian times it.
    fn pull_back(&self, gradient: DVec3) -> DVec3 {
        let across = gradient / self.stretch;
        across.with_z(gradient.z - (across * self.straight * self.growth).dot(DVec3::ONE))
    }

    /// The map's second derivatives, weighted by a gradient at the straight point.
    fn bend(&self, gradient: DVec3) -> DMat3 {
        let rate = self.growth / self.stretch;
        let mixed = -gradient * rate / self.stretch;
        let zz = 2.0 * (gradient * self.straight * rate * rate).dot(DVec3::ONE);
        DMat3::from_cols(DVec3::new(0.0, 0.0, mixed.x), DVec3::new(0.0, 0.0, mixed.y), DVec3::new(mixed.x, mixed.y, zz))
    }
}

impl From<Superellipsoid> for Superovoid {
    /// The same solid as a superovoid without taper.
    fn from(plain: Superellipsoid) -> Superovoid {
        Superovoid { radii: plain.radii(), exponents: plain.exponents(), taper: [0.0, 0.0], band: Band::NONE }
    }
}
