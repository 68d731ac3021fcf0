//! A capsule around a smooth shape, along its longest axis.
//!
//! The radius is the greatest value of the shape's support function minus that of the axis, over all directions u. Along a great circle
//! a support function s has s'' + s ≥ 0, and that of a segment on one side of its equator s'' + s = 0; so around its greatest value M the difference
//! is at least M cos δ at an angle of δ. A grid of directions that is nowhere farther than δ from one of its own, the equator included, therefore
//! gives M to within a factor of cos δ: a proof, not a sample.

use std::f64::consts::{FRAC_PI_2, SQRT_2};

use glam::DVec3;
use superegg::shape::Shape;

/// A capsule in the frame of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capsule {
    pub middle: DVec3,
    pub half_axis: DVec3,
    pub radius: f64,
}

/// Steps of a quarter turn.
const STEPS: usize = 48;
/// How much of the longest axis beyond the others becomes the capsule's axis.
const SHARES: [f64; 6] = [0.0, 0.5, 0.8, 0.9, 1.0, 1.1];

impl Capsule {
    /// Around a shape; `None` if it has no end.
    pub fn around(shape: &Shape) -> Option<Capsule> {
        if let Shape::Segment(segment) = shape {
            let [a, b] = *segment.points();
            return Some(Capsule { middle: 0.5 * (a + b), half_axis: 0.5 * (b - a), radius: 0.0 });
        }
        let sides = DVec3::AXES.map(|axis| (shape.support_value(-axis), shape.support_value(axis)));
        let half = DVec3::from(sides.map(|(low, high)| 0.5 * (low + high)));
        let middle = DVec3::from(sides.map(|(low, high)| 0.5 * (high - low)));
        if !half.is_finite() {
            return None;
        }
        let longest = (0..3).fold(0, |a, b| if half[b] > half[a] { b } else { a });
        let thick = (0..3).filter(|&i| i != longest).map(|i| half[i]).fold(0.0, f64::max);
        let values = support_over_grid(shape, middle);
        let best = SHARES.into_iter().map(|share| {
            let length = ((half[longest] - thick) * share).clamp(0.0, half[longest]);
            let radius = values.iter().map(|(u, s)| s - length * u[longest].abs()).fold(0.0, f64::max);
            let radius = radius / (FRAC_PI_2 / STEPS as f64 / SQRT_2).cos() * (1.0 + 1e-12);
            Capsule { middle, half_axis: DVec3::AXES[longest] * length, radius }
        });
        best.min_by(|a, b| a.volume().total_cmp(&b.volume()))
    }

    fn volume(&self) -> f64 {
        self.radius * self.radius * (2.0 * self.half_axis.length() + 4.0 / 3.0 * self.radius)
    }
}

/// Support values from the middle. Smooth shapes are their own mirror images in x and y; others are looked at from all sides.
fn support_over_grid(shape: &Shape, middle: DVec3) -> Vec<(DVec3, f64)> {
    let turns = match shape {
        Shape::Superellipsoid(_) | Shape::Superovoid(_) => 1,
        _ => 4,
    };
    let step = FRAC_PI_2 / STEPS as f64;
    let mut values = Vec::with_capacity((2 * STEPS + 1) * (turns * STEPS + 1));
    for i in 0..=2 * STEPS {
        let (sine, cosine) = (i as f64 * step).sin_cos();
        for j in 0..=turns * STEPS {
            let (y, x) = (j as f64 * step).sin_cos();
            // Exactly on the equators, where the axis' support function has its edge.
            let exact = |value: f64, zero: bool| if zero { 0.0 } else { value };
            let u = DVec3::new(
                exact(sine * x, j % (2 * STEPS) == STEPS),
                exact(sine * y, j % (2 * STEPS) == 0),
                exact(cosine, i == STEPS),
            );
            values.push((u, shape.support_value(u) - u.dot(middle)));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use superegg::shape::{Spacing, Superellipsoid, Superovoid};

    #[test]
    fn capsules_hold_their_shapes_and_are_tight() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut number = |low: f64, high: f64| low + (high - low) * random.f64();
        let mut largest = 0f64;
        for n in 0..200 {
            let radii = [number(0.2, 1.0), number(0.2, 1.0), number(0.2, 3.0)];
            let exponents = [number(0.05, 1.6), number(0.05, 1.6)];
            let (shape, vertices): (Shape, _) = if n % 2 == 0 {
                let egg = Superellipsoid::new(radii, exponents).unwrap();
                (egg.into(), egg.tessellate(2000, Spacing::Curvature).unwrap().vertices)
            } else {
                let egg = Superovoid::new(radii, exponents, [number(-0.6, 0.6); 2]).unwrap();
                (egg.into(), egg.tessellate(2000, Spacing::Curvature).unwrap().vertices)
            };
            let capsule = Capsule::around(&shape).unwrap();
            let farthest = vertices.iter().map(|p| {
                let from = *p - capsule.middle;
                let length = capsule.half_axis.length();
                let along =
                    if length > 0.0 { (from.dot(capsule.half_axis) / length).clamp(-length, length) } else { 0.0 };
                from.distance(capsule.half_axis.normalize_or_zero() * along)
            });
            let farthest = farthest.fold(0.0, f64::max);
            assert!(farthest <= capsule.radius, "{shape:?}: {farthest} beyond {}", capsule.radius);
            largest = largest.max(capsule.radius / farthest);
        }
        // Vertices of the mesh are on the surface, but not where it is farthest.
        assert!(largest < 1.02, "{largest}");
    }
}
