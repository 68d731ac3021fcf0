//! Where on a super-shape's surface: the angle-centre parametrisation of the papers (001 equations 7 and 12), kept as
//! cosines and sines.
//!
//! A superellipsoid's position is made of powers e of the cosines and sines, its normal of powers 2-e. With e near 0 the
//! whole face about x = 0 lies at angles within rounding of 90°, so an angle cannot address it; its cosine can. Hence
//! the pairs, and the conversions from positions and normals that never pass through an angle.

use glam::DVec2;

/// Cosine and sine of the azimuth (in the xy plane) and of the elevation parameter (from the equator to the poles).
///
/// ```
/// use std::f64::consts::FRAC_PI_2;
/// use superegg::shape::SurfaceCoordinates;
/// let pole = SurfaceCoordinates::from_angles(0.3, FRAC_PI_2);
/// assert_eq!(pole.elevation().to_array(), [0.0, 1.0]); // exactly on the axis, although cos(FRAC_PI_2) is not zero
/// assert_eq!(pole.angles(), [0.3, FRAC_PI_2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceCoordinates {
    azimuth: DVec2,
    elevation: DVec2,
}

impl SurfaceCoordinates {
    /// From the angles of the papers: azimuth φ1 in [-π, π], elevation φ2 in [-π/2, π/2]. Multiples of a right angle, as
    /// near as `f64` has them, are taken to be exact.
    pub fn from_angles(azimuth: f64, elevation: f64) -> SurfaceCoordinates {
        SurfaceCoordinates { azimuth: exact_at_axes(azimuth), elevation: exact_at_axes(elevation) }
    }

    pub(crate) fn new(azimuth: DVec2, elevation: DVec2) -> SurfaceCoordinates {
        SurfaceCoordinates { azimuth, elevation }
    }

    /// `(cos φ1, sin φ1)`.
    pub fn azimuth(&self) -> DVec2 {
        self.azimuth
    }

    /// `(cos φ2, sin φ2)`; the cosine is not negative on the usual domain.
    pub fn elevation(&self) -> DVec2 {
        self.elevation
    }

    /// The angles `[φ1, φ2]`. Going through them loses detail near multiples of 90° when an exponent is small.
    pub fn angles(&self) -> [f64; 2] {
        [self.azimuth.y.atan2(self.azimuth.x), self.elevation.y.atan2(self.elevation.x)]
    }
}

/// `(cos, sin)` with values below the rounding of the angle itself replaced by zero.
pub(crate) fn exact_at_axes(angle: f64) -> DVec2 {
    const ANGLE_ROUNDING: f64 = 2.5e-16;
    let (sin, cos) = angle.sin_cos();
    let exact = |value: f64| if value.abs() < ANGLE_ROUNDING { 0.0 } else { value };
    DVec2::new(exact(cos), exact(sin))
}

/// The unit vector whose components are to each other as `u^power` to `v^power`, with the signs of u and v. With
/// `power = 1/e` it turns scaled positions into cosine and sine, with `power = 1/(2-e)` scaled normals. The zero vector
/// gives `(1, 0)`.
pub(crate) fn weights(u: f64, v: f64, power: f64) -> DVec2 {
    let (large, small) = if u.abs() >= v.abs() { (u, v) } else { (v, u) };
    let ratio = if large != 0.0 { (small / large).abs().powf(power) } else { 0.0 };
    let large_weight = 1.0 / (1.0 + ratio * ratio).sqrt();
    let small_weight = ratio * large_weight;
    let weights = if u.abs() >= v.abs() {
        DVec2::new(large_weight, small_weight)
    } else {
        DVec2::new(small_weight, large_weight)
    };
    weights.copysign(DVec2::new(u, v))
}

/// Cosine and sine of a superellipse's quarter at an angle of the unknown in which both position and normal are smooth:
/// the direction of the position for e ≤ 1, of the normal for e > 1. Even steps of it leave neither faces nor corners
/// nor ridges out, however small e or 2-e.
pub(crate) fn smooth_weights(angle: f64, e: f64) -> DVec2 {
    let direction = exact_at_axes(angle);
    weights(direction.x, direction.y, 1.0 / e.min(2.0 - e))
}

/// The angle in [0, 90°] at which [`smooth_weights`] gives these magnitudes.
pub(crate) fn smooth_angle(weights: DVec2, e: f64) -> f64 {
    let power = e.min(2.0 - e);
    weights.y.abs().powf(power).atan2(weights.x.abs().powf(power))
}
