//! The test batteries of the papers, drawn anew from their description.
//!
//! Paper 003, section 5.1: superovoids with unit radii at (0, 0, 0) and (0, 2.21, 0), exponents in [0.3, 1.1], tapers in
//! [−0.4, 0.4], random orientations. The paper studies separated and overlapping pairs apart; so does this battery, which
//! keeps drawing until each list is full.
//!
//! Paper 000, section 4.1: seven superellipsoids, and 10,000 points on a copy of each with larger (+0.05) or smaller
//! (−0.015) radii, even in both angles. The radii are not stated; the mean mesh error of its table 1 (5.3 mm for a sphere
//! with 272 vertices) fits a radius of one metre.

use glam::DVec3;
use rand::RngExt;
use superegg::Pose;
use superegg::shape::{Shape, Superellipsoid, Superovoid};

use super::{Domain, Rng, rotation, seeded};
use crate::Pair;
use crate::oracle::sampling;

/// Pairs of paper 003, sorted.
#[derive(Clone, Debug)]
pub struct Superovoids {
    /// Pairs without a common point.
    pub apart: Vec<Pair>,
    /// Pairs with common points.
    pub overlapping: Vec<Pair>,
}

/// One pair of paper 003.
pub fn superovoid_pair(rng: &mut Rng) -> Pair {
    let domain = Domain::PAPER;
    let shape = |rng: &mut Rng| -> Shape {
        let exponents = [rng.random_range(domain.exponents.clone()), rng.random_range(domain.exponents.clone())];
        let taper = [rng.random_range(domain.taper.clone()), rng.random_range(domain.taper.clone())];
        Superovoid::new([1.0; 3], exponents, taper).expect("the paper's range is accepted").into()
    };
    let (a, b) = (shape(rng), shape(rng));
    Pair {
        a,
        pose_a: Pose { rotation: rotation(rng), translation: DVec3::ZERO },
        b,
        pose_b: Pose { rotation: rotation(rng), translation: DVec3::new(0.0, 2.21, 0.0) },
    }
}

/// `count` pairs of each kind of paper 003 (10,000 there).
pub fn superovoid_pairs(seed: u64, count: usize) -> Superovoids {
    let mut rng = seeded(seed);
    let mut battery = Superovoids { apart: Vec::with_capacity(count), overlapping: Vec::with_capacity(count) };
    while battery.apart.len() < count || battery.overlapping.len() < count {
        let pair = superovoid_pair(&mut rng);
        let list = if sampling::overlap(&pair) { &mut battery.overlapping } else { &mut battery.apart };
        if list.len() < count {
            list.push(pair);
        }
    }
    battery
}

/// The exponents of the seven shapes of paper 000.
pub const SEVEN_SHAPES: [[f64; 2]; 7] =
    [[0.3, 0.3], [0.65, 0.65], [1.0, 1.0], [1.35, 1.35], [1.7, 1.7], [1.0, 0.3], [1.0, 1.6]];

/// The outer and the inner change of radius of paper 000, in metres.
pub const RADIUS_CHANGES: [f64; 2] = [0.05, -0.015];

/// One of the seven shapes, with unit radii.
pub fn shape_of_seven(index: usize) -> Superellipsoid {
    Superellipsoid::new([1.0; 3], SEVEN_SHAPES[index]).expect("accepted")
}

/// `rows × rows` points around one of the seven shapes (100 × 100 there): the parametric surface with radii changed by
/// `change`, at evenly spaced angles.
pub fn points_around(index: usize, change: f64, rows: usize) -> Vec<DVec3> {
    points_around_superovoid(&shape_of_seven(index).into(), change, rows)
}

/// The same around a superovoid of unit radii.
pub fn points_around_superovoid(shape: &Superovoid, change: f64, rows: usize) -> Vec<DVec3> {
    use std::f64::consts::PI;
    let ([e1, e2], [tx, ty]) = (shape.exponents(), shape.taper());
    let power = |x: f64, e: f64| x.abs().powf(e).copysign(x);
    let mut points = Vec::with_capacity(rows * rows);
    for row in 0..rows {
        let latitude = -0.5 * PI + PI * row as f64 / (rows - 1) as f64;
        for column in 0..rows {
            let longitude = -PI + 2.0 * PI * column as f64 / rows as f64;
            let (ring, height) = (power(latitude.cos(), e2), power(latitude.sin(), e2));
            let unit = DVec3::new(
                ring * power(longitude.cos(), e1) * (1.0 + tx * height),
                ring * power(longitude.sin(), e1) * (1.0 + ty * height),
                height,
            );
            points.push(unit * (1.0 + change));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::support::Separation;
    use crate::oracle::surface;

    /// The hulls of most pairs decide: a positive gap between them separates, a clear overlap of them does not.
    #[test]
    fn pairs_are_sorted_as_their_hulls_suggest() {
        let battery = superovoid_pairs(1, 20);
        assert_eq!((battery.apart.len(), battery.overlapping.len()), (20, 20));
        let of_hulls = |pair: &Pair| sampling::climb(&Separation::new(pair), DVec3::Y, 0.3).1;
        assert!(battery.apart.iter().all(|pair| of_hulls(pair) > -0.02));
        assert!(battery.overlapping.iter().all(|pair| of_hulls(pair) < 0.0));
    }

    #[test]
    fn points_lie_on_the_changed_surface() {
        for index in 0..7 {
            let shape: Shape = shape_of_seven(index).into();
            for change in RADIUS_CHANGES {
                let points = points_around(index, change, 100);
                assert_eq!(points.len(), 10_000);
                for point in points {
                    assert!((surface::inside_outside(&shape, point) - (1.0 + change)).abs() < 1e-14);
                }
            }
        }
    }
}
