//! Balls against balls, points, segments and triangles: the distance of the centre, less the radii.
//!
//! A ball is a superellipsoid with equal radii and exponents 1. Where the centres agree its depth is the same along all
//! normals, which a search cannot prove in any number of steps.

use crate::outcome::{Options, Outcome};
use crate::solver::body::Body;
use crate::solver::body::simplex::Simplex;
use crate::solver::pair::frame::{Found, Frame};
use crate::solver::params::Params;
use crate::solver::simd::V3;

/// Two balls.
pub(crate) fn two_balls(shapes: [&Params; 2], frame: &Frame, options: &Options) -> Outcome {
    let [radius_a, radius_b] = shapes.map(|ball| ball.largest_radius() / frame.size);
    let centre = frame.placement.centre;
    let apart = centre.length_sq().sqrt();
    let normal = if apart > 0.0 { centre * (1.0 / apart) } else { V3::new(1.0, 0.0, 0.0) };
    let distance = apart - radius_a - radius_b;
    let points = (normal * radius_a, centre - normal * radius_b);
    answer([distance; 2], points, normal, apart, frame, options)
}

/// A ball and a point, segment or triangle.
pub(crate) fn ball_and_simplex(ball: &Params, simplex: &Simplex, frame: &Frame, options: &Options) -> Outcome {
    let radius = ball.largest_radius() / frame.size;
    let centre = frame.placement.centre;
    let (nearest, outward) = simplex.nearest(-centre);
    let nearest = centre + nearest;
    let apart = nearest.length_sq().sqrt();
    // Perpendicular to the feature that the nearest point lies on, so that the bound along it is exact.
    let normal = -outward;
    let lower = normal.dot(centre) - simplex.support_value(&simplex.with_normal(outward), outward, 0.0);
    let points = (normal * radius, nearest);
    answer([lower - radius, apart - radius], points, normal, apart, frame, options)
}

/// Found by the nearest point of the other body to the centre of the ball, which is so far `apart`.
fn answer(
    [lower, upper]: [f64; 2],
    (x_a, x_b): (V3<f64>, V3<f64>),
    normal: V3<f64>,
    apart: f64,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let tolerance = frame.tolerance(options);
    let found = Found {
        distance: upper,
        x_a,
        x_b,
        normal,
        bounds: Some(frame.bounds(lower, upper)),
        witness: normal,
        unique_points: true,
        unique_normal: apart > tolerance,
        converged: upper - lower <= tolerance,
        evaluations: 1.0,
    };
    frame.answer(&found, options)
}
