//! Boxes and spheres that hold a shape, as tight as they can be.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::coordinates::smooth_weights;
use super::norm::norm;
use super::superovoid::Superovoid;

/// A box along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub center: DVec3,
    /// Its radius, in metres.
    pub radius: f64,
}

/// Largest distance from the centre to the superellipse with radii a, b and exponent e: for e < 1 the squared
/// coordinates lie on the superellipse of exponent 2e, so it is a dual norm; for e ≥ 1 it is the larger radius.
pub(crate) fn farthest(a: f64, b: f64, e: f64) -> f64 {
    if e < 1.0 { norm(a * a, b * b, 2.0 * e).sqrt() } else { a.max(b) }
}

/// A section's farthest point as an enclosing sphere centred on the axis sees it.
#[derive(Clone, Copy)]
struct Farthest {
    /// Height of the section.
    z: f64,
    /// Squared distance from the axis.
    planar_sq: f64,
    /// Squared distance from the centre of the sphere.
    distance_sq: f64,
}

impl Farthest {
    fn distance_sq_from(&self, center: f64) -> f64 {
        self.planar_sq + (self.z - center) * (self.z - center)
    }
}

/// Samples of each half of the profile; between neighbours the distance has at most one maximum.
const SAMPLES: u32 = 40;
/// The search for the centre ends at this relative width of the squared radius.
const TOLERANCE: f64 = 1e-14;
const MAX_CUTS: u32 = 60;

/// The smallest sphere that holds a superovoid. By symmetry its centre lies on the axis; its squared radius is the
/// minimum over the centre z of `max over the heights of planar² + (height - z)²`, a maximum of parabolas with equal
/// curvature. Each evaluation yields one of them, and the minimum of the two best on either side is the next trial.
pub(crate) fn smallest_enclosing(egg: &Superovoid) -> Sphere {
    let reach = egg.radii()[2];
    let (mut low, mut high) = (farthest_from(egg, -reach), farthest_from(egg, reach));
    let mut best = (0.0, farthest_from(egg, 0.0).distance_sq);
    for _ in 0..MAX_CUTS {
        let center = if low.z <= high.z || low.distance_sq_from(low.z) >= high.distance_sq_from(low.z) {
            low.z
        } else if high.distance_sq_from(high.z) >= low.distance_sq_from(high.z) {
            high.z
        } else {
            0.5 * (low.z + high.z + (low.planar_sq - high.planar_sq) / (low.z - high.z))
        };
        let bound = low.distance_sq_from(center).max(high.distance_sq_from(center));
        let found = farthest_from(egg, center);
        if found.distance_sq < best.1 {
            best = (center, found.distance_sq);
        }
        if best.1 <= bound * (1.0 + TOLERANCE) {
            break;
        }
        if found.z >= center {
            low = found;
        } else {
            high = found;
        }
    }
    // The farthest point is found to the square of its position's accuracy; the last digits go on top.
    Sphere { center: DVec3::new(0.0, 0.0, best.0), radius: best.1.sqrt() * (1.0 + 4.0 * f64::EPSILON) }
}

/// The point of the superovoid farthest from a centre on its axis: every local maximum of a sample is refined by a
/// golden-section search.
fn farthest_from(egg: &Superovoid, center: f64) -> Farthest {
    let ([a1, a2, a3], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
    let at = |angle: f64| {
        let weights = smooth_weights(angle.abs().min(FRAC_PI_2), e2);
        let s = weights.y.powf(e2).copysign(angle);
        let planar = weights.x.powf(e2) * farthest(a1 * (1.0 + tx * s), a2 * (1.0 + ty * s), e1);
        let z = a3 * s;
        Farthest { z, planar_sq: planar * planar, distance_sq: planar * planar + (z - center) * (z - center) }
    };
    let mut best = at(0.0);
    for half in [-1.0, 1.0] {
        // Each half by itself: exponents below one put two maxima close to the equator, one on either side.
        let angle = |index: u32| half * FRAC_PI_2 * (f64::from(index.min(SAMPLES)) / f64::from(SAMPLES));
        let (mut before, mut here) = (f64::NEG_INFINITY, at(0.0).distance_sq);
        for index in 0..=SAMPLES {
            let after = at(angle(index + 1)).distance_sq;
            if here >= before && here >= after {
                let bracket = (angle(index.saturating_sub(1)), angle(index + 1));
                let found = at(golden_maximum(bracket.0, bracket.1, |angle| at(angle).distance_sq));
                for candidate in [found, at(angle(index))] {
                    if candidate.distance_sq > best.distance_sq {
                        best = candidate;
                    }
                }
            }
            (before, here) = (here, after);
        }
    }
    best
}

/// The maximiser of a function with one maximum between `low` and `high`, to 1e-9 of the width.
fn golden_maximum(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_894_9;
    let width = high - low;
    let (mut inner_low, mut inner_high) = (high - SECTION * width, low + SECTION * width);
    let (mut value_low, mut value_high) = (value(inner_low), value(inner_high));
    while (high - low).abs() > 1e-9 * width.abs() {
        if value_low > value_high {
            (high, inner_high, value_high) = (inner_high, inner_low, value_low);
            inner_low = high - SECTION * (high - low);
            value_low = value(inner_low);
        } else {
            (low, inner_low, value_low) = (inner_low, inner_high, value_high);
            inner_high = low + SECTION * (high - low);
            value_high = value(inner_high);
        }
    }
    0.5 * (low + high)
}
