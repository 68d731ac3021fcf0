//! Deterministic shapes, poses and pairs: the same seed gives the same bits on every machine.
//!
//! - here: random numbers, directions, rotations and shapes over a [`Domain`];
//! - [`known`]: pairs whose distance is known by construction, the strongest test there is;
//! - [`random`]: pairs in random, centre-line and axis-aligned poses, whose distance is not known;
//! - [`cloud`]: point clouds of known shapes; [`everyday`]: closed meshes of everyday things;
//! - [`battery`]: the test batteries of papers 000 and 003;
//! - [`strategy`]: the same as proptest strategies, which shrink.

pub mod battery;
pub mod cloud;
pub mod everyday;
pub mod known;
pub mod random;
pub mod strategy;

use std::ops::RangeInclusive;

use glam::{DMat3, DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use superegg::shape::{Point, Segment, Superellipsoid, Superovoid, Triangle};

/// The generator all functions here draw from.
pub type Rng = Pcg64;

/// A generator with its own stream.
pub fn seeded(seed: u64) -> Rng {
    Pcg64::seed_from_u64(seed)
}

/// Which shapes to draw.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Range of both exponents.
    pub exponents: RangeInclusive<f64>,
    /// Range of both taper factors of superovoids.
    pub taper: RangeInclusive<f64>,
    /// Largest ratio of a body's radii.
    pub aspect: f64,
    /// Range of the largest radius; drawn evenly in its logarithm.
    pub size: RangeInclusive<f64>,
}

impl Domain {
    /// Everything that queries promise to handle.
    pub const WIDE: Domain = Domain { exponents: 0.05..=1.95, taper: -0.9..=0.9, aspect: 100.0, size: 1e-6..=1e6 };
    /// Bodies of ordinary proportions, a decade in size.
    pub const MODERATE: Domain = Domain { exponents: 0.1..=1.9, taper: -0.4..=0.4, aspect: 10.0, size: 0.1..=1.0 };
    /// The papers' range of exponents and tapers, with unit radii.
    pub const PAPER: Domain = Domain { exponents: 0.3..=1.1, taper: -0.4..=0.4, aspect: 1.0, size: 1.0..=1.0 };
}

/// Even in the logarithm.
pub fn log_uniform(rng: &mut Rng, range: RangeInclusive<f64>) -> f64 {
    let (low, high) = (range.start().ln(), range.end().ln());
    rng.random_range(low..=high).exp().clamp(*range.start(), *range.end())
}

/// A unit vector, evenly distributed over the sphere.
pub fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = DVec3::from_array(std::array::from_fn(|_| rng.random_range(-1.0..=1.0)));
        let length_sq = v.length_squared();
        if (1e-6..=1.0).contains(&length_sq) {
            return v.normalize();
        }
    }
}

/// A rotation, evenly distributed.
pub fn rotation(rng: &mut Rng) -> DQuat {
    loop {
        let q: [f64; 4] = std::array::from_fn(|_| rng.random_range(-1.0..=1.0));
        let length_sq: f64 = q.iter().map(|c| c * c).sum();
        if (1e-6..=1.0).contains(&length_sq) {
            return DQuat::from_array(q).normalize();
        }
    }
}

/// One of the 24 rotations that map the axes to each other. Its matrix is exact; the quaternion is as exact as `f64` is.
pub fn quarter_turns(rng: &mut Rng) -> DQuat {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let first = rng.random_range(0..3);
    let second = (first + rng.random_range(1..3)) % 3;
    let signed = |rng: &mut Rng, axis: DVec3| if rng.random() { axis } else { -axis };
    let (x, y) = (signed(rng, axes[first]), signed(rng, axes[second]));
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
}

/// An exponent: mostly even over the range, sometimes one of the values at which a formula changes.
pub fn exponent(rng: &mut Rng, domain: &Domain) -> f64 {
    let (low, high) = (*domain.exponents.start(), *domain.exponents.end());
    let special = [low, high, 1.0, 1.0 - 1e-9, 1.0 + 1e-9, 0.5, 1.5, 2.0 / 3.0];
    if rng.random_ratio(1, 4) {
        let value = special[rng.random_range(0..special.len())];
        if domain.exponents.contains(&value) {
            return value;
        }
    }
    rng.random_range(low..=high)
}

/// Radii: one is the largest, the others are smaller by a ratio even in its logarithm; sometimes all are equal.
pub fn radii(rng: &mut Rng, domain: &Domain) -> [f64; 3] {
    let largest = log_uniform(rng, domain.size.clone());
    if domain.aspect == 1.0 || rng.random_ratio(1, 8) {
        return [largest; 3];
    }
    let mut radii = [1.0, 0.0, 0.0]
        .map(|share| if share == 1.0 { largest } else { largest / log_uniform(rng, 1.0..=domain.aspect) });
    radii.rotate_left(rng.random_range(0..3));
    radii
}

/// A superellipsoid.
pub fn superellipsoid(rng: &mut Rng, domain: &Domain) -> Superellipsoid {
    let exponents = [exponent(rng, domain), exponent(rng, domain)];
    Superellipsoid::new(radii(rng, domain), exponents).expect("the domain is accepted")
}

/// A superovoid, convex or not; in half of the cases both taper factors are equal.
pub fn superovoid(rng: &mut Rng, domain: &Domain) -> Superovoid {
    let exponents = [exponent(rng, domain), exponent(rng, domain)];
    let taper = [rng.random_range(domain.taper.clone()), rng.random_range(domain.taper.clone())];
    let taper = if rng.random() { taper } else { [taper[0]; 2] };
    Superovoid::new(radii(rng, domain), exponents, taper).expect("the domain is accepted")
}

/// A superovoid that is convex: both taper factors are equal and small enough for [`largest_convex_taper`].
pub fn convex_superovoid(rng: &mut Rng, domain: &Domain) -> Superovoid {
    let exponents = [exponent(rng, domain), exponent(rng, domain)];
    let radii = radii(rng, domain);
    let allowed = largest_convex_taper(exponents[1]);
    let taper = rng.random_range(domain.taper.clone()).clamp(-0.999 * allowed, 0.999 * allowed);
    Superovoid::new(radii, exponents, [taper; 2]).expect("the domain is accepted")
}

/// Largest `|T|` (at most 0.99) for which the profile `r(s)(1+Ts)` with `r = (1−s^p)^(1/p)`, `p = 2/e`, is concave. Its
/// second derivative is negative while `|T| ≤ |r''|/(2|r'| + s|r''|)` on the tapering half; a scan finds the least such
/// bound to three digits.
pub fn largest_convex_taper(e: f64) -> f64 {
    const STEPS: u32 = 2_000;
    let p = 2.0 / e;
    let mut allowed: f64 = 0.99;
    for step in 0..=STEPS {
        // Even in the logarithm of s^p/(1−s^p), so that both ends are resolved.
        let odds = (-40.0 + 80.0 * f64::from(step) / f64::from(STEPS)).exp();
        let s = (odds / (1.0 + odds)).powf(1.0 / p);
        // |r'| and |r''| up to a common factor.
        let (first, second) = (s / (1.0 + odds), p - 1.0);
        allowed = allowed.min(second / (2.0 * first + s * second));
    }
    allowed
}

/// A point, segment or triangle with vertices within `radius` of the origin.
pub fn polytope(rng: &mut Rng, radius: f64) -> superegg::shape::Shape {
    let kind = rng.random_range(0..3);
    let mut vertex = || direction(rng) * radius;
    match kind {
        0 => Point::new([vertex()]).expect("finite").into(),
        1 => Segment::new([vertex(), vertex()]).expect("finite").into(),
        _ => Triangle::new([vertex(), vertex(), vertex()]).expect("finite").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_shapes() {
        let draw = |seed| superovoid(&mut seeded(seed), &Domain::WIDE);
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn quarter_turns_map_axes_to_axes() {
        let mut rng = seeded(5);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..1000 {
            let matrix = DMat3::from_quat(quarter_turns(&mut rng));
            let entries = matrix.to_cols_array();
            assert!(entries.iter().all(|c| (c.abs() - c.abs().round()).abs() < 1e-15), "{matrix:?}");
            assert!((matrix.determinant() - 1.0).abs() < 1e-15);
            seen.insert(entries.map(|c| c.round() as i8));
        }
        assert_eq!(seen.len(), 24);
    }

    /// The bounds that the design notes give for equal tapers.
    #[test]
    fn largest_convex_taper_matches_known_values() {
        for (e, expected) in [(1.0, 0.707), (1.4, 0.487), (1.6, 0.348), (1.8, 0.187)] {
            let found = largest_convex_taper(e);
            assert!((found - expected).abs() < 1e-3, "{e}: {found} {expected}");
        }
    }
}
