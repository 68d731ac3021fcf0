//! Volume, centroid and inertia of a superovoid of density one, in closed form.
//!
//! A section at `s = z/a3` is the unit superellipse of exponent e1 scaled by `a1 r(s)(1 + tx s)` and `a2 r(s)(1 + ty s)`,
//! so every moment is a sum of products of one planar and one axial integral,
//! `J(m, k) = ∫ r(s)^m s^k ds` over [-1, 1] (k even), and both are Beta functions:
//! `J(m, k) = e2 B(e2 (k+1)/2, e2 m/2 + 1)`. Without taper these are the formulas of Jaklič, Leonardis and Solina
//! (2000), which the papers cite.

use glam::{DMat3, DVec3};

use super::superellipsoid::Superellipsoid;
use super::superovoid::Superovoid;

/// What a body of density one weighs and how it turns.
///
/// ```
/// use superegg::shape::Superellipsoid;
/// let ball = Superellipsoid::new([2.0, 2.0, 2.0], [1.0, 1.0])?.mass_properties();
/// assert!((ball.volume - 4.0 / 3.0 * std::f64::consts::PI * 8.0).abs() < 1e-13);
/// assert!((ball.inertia.x_axis.x - 0.4 * ball.volume * 4.0).abs() < 1e-12);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume in cubic metres; the mass at density one.
    pub volume: f64,
    /// Centre of mass in the body's frame.
    pub centroid: DVec3,
    /// Moments of inertia about the centroid along the body's axes, at density one.
    pub inertia: DMat3,
}

/// `Γ(1 + x)` for x in [0, 12].
fn gamma1(x: f64) -> f64 {
    libm::tgamma(1.0 + x)
}

/// `∫ (1 - |s|^(2/e))^(e m/2) s^k ds` over [-1, 1], k even. With `x Γ(x) = Γ(1 + x)` no factor is large, however small e.
fn moment(e: f64, m: i32, k: i32) -> f64 {
    let (m, k) = (0.5 * e * f64::from(m), 0.5 * e * f64::from(k + 1));
    e / k * (gamma1(k) * gamma1(m) / gamma1(k + m))
}

/// Area of the superellipse with radii 1 and exponent e.
pub(crate) fn unit_area(e: f64) -> f64 {
    2.0 * moment(e, 1, 0)
}

/// `∫ x² dA` over the superellipse with radii 1 and exponent e.
pub(crate) fn unit_second_moment(e: f64) -> f64 {
    2.0 * moment(e, 1, 2)
}

impl Superovoid {
    /// The volume alone, a third of the work of [`Self::mass_properties`].
    ///
    /// ```
    /// use superegg::shape::Superovoid;
    /// let egg = Superovoid::new([1.0, 1.0, 1.3], [1.0, 1.0], [0.2, 0.2])?;
    /// assert_eq!(egg.volume(), egg.mass_properties().volume);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn volume(&self) -> f64 {
        volume_of_superovoid(self)
    }

    /// Volume, centroid and inertia. Closed form in Beta functions.
    pub fn mass_properties(&self) -> MassProperties {
        of_superovoid(self)
    }
}

impl Superellipsoid {
    /// Volume, centroid and inertia. Closed form in Beta functions.
    pub fn mass_properties(&self) -> MassProperties {
        Superovoid::from(*self).mass_properties()
    }
}

fn volume_of_superovoid(egg: &Superovoid) -> f64 {
    let ([a1, a2, a3], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
    unit_area(e1) * (a1 * a2 * a3) * (moment(e2, 2, 0) + tx * ty * moment(e2, 2, 2))
}

fn of_superovoid(egg: &Superovoid) -> MassProperties {
    let ([a1, a2, a3], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
    let axial = |m: i32, k: i32| moment(e2, m, k);
    let box_volume = a1 * a2 * a3;
    let area = unit_area(e1) * box_volume;
    let volume = volume_of_superovoid(egg);
    let center = a3 * area * (tx + ty) * axial(2, 2) / volume;
    let zz = a3 * a3 * area * (axial(2, 2) + tx * ty * axial(2, 4)) - volume * center * center;
    // Even part of (1 + t s)³(1 + u s).
    let planar = |t: f64, u: f64| axial(4, 0) + 3.0 * t * (t + u) * axial(4, 2) + t * t * t * u * axial(4, 4);
    let second = unit_second_moment(e1) * box_volume;
    let (xx, yy) = (a1 * a1 * second * planar(tx, ty), a2 * a2 * second * planar(ty, tx));
    MassProperties {
        volume,
        centroid: DVec3::new(0.0, 0.0, center),
        inertia: DMat3::from_diagonal(DVec3::new(yy + zz, xx + zz, xx + yy)),
    }
}
