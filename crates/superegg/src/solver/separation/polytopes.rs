//! The distance of two bodies that have corners, edges and flat faces only: Gilbert, Johnson and Keerthi's algorithm, which on these ends
//! at the closest faces, edges or corners themselves after a few support points.
//!
//! The support points along the line between the closest points so far are the next corners, and what the bodies are apart along it is a lower
//! bound: one evaluation of each body for both.

use crate::solver::body::Body;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::found::{SLIDE, Separation, direction_between};
use crate::solver::separation::gjk::{DifferenceSimplex, Insertion, Vertex};
use crate::solver::separation::newton::Goal;
use crate::solver::simd::V3;

/// Difference of both bounds, in units of the size, at which rounding is reached.
const EXACT: f64 = 4.0 * f64::EPSILON;
/// Square of the sine of the angle below which edges count as parallel: points that slide along both by a part [`SLIDE`] of the size come apart by
/// less than 1e-7 of it.
const PARALLEL_SQ: f64 = 1e-10;

/// Closest points of two polytopes, first looked for along a normal; or the knowledge that they overlap. Spends at most `most` evaluations, at
/// least one.
pub(crate) fn between_polytopes<A: Body<f64>, B: Body<f64>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<f64>,
    normal: V3<f64>,
    tolerance: f64,
    most: u32,
    goal: Goal,
) -> Separation<f64> {
    let support = |direction: V3<f64>| {
        let x_a = A::position(&body_a.with_normal(direction));
        let in_b = B::position(&body_b.with_normal(-placement.a_to_b::<B>(direction)));
        Vertex::between(x_a, placement.centre + placement.b_to_a::<B>(in_b))
    };
    let mut best = Separation::unknown();
    let mut direction = unit(normal);
    let mut next = support(direction);
    let mut simplex = DifferenceSimplex::new(next);
    best.evaluations = 1.0;
    best.witness = direction;
    loop {
        let length = simplex.length();
        let progress = length < best.upper;
        best.improve(next.along(direction), direction, length, simplex.closest);
        let apart = goal == Goal::Side && best.lower > tolerance;
        let exact = best.upper - best.lower <= EXACT || length == 0.0;
        if exact || apart || !progress || best.evaluations >= f64::from(most) {
            break;
        }
        direction = simplex.between() * (1.0 / length);
        next = support(direction);
        best.evaluations += 1.0;
        match simplex.insert(next) {
            Insertion::Taken => {}
            Insertion::Known => {
                best.improve(next.along(direction), direction, length, simplex.closest);
                break;
            }
            Insertion::HoldsOrigin => {
                best.overlapping = true;
                return best;
            }
        }
    }
    best.converged = best.upper - best.lower <= tolerance;
    best.normal = direction_between(best.x_a, best.x_b, best.witness);
    if best.converged && goal == Goal::Distance {
        best.unique_points = !slide(body_a, body_b, placement, best.normal, tolerance);
    }
    best
}

/// Whether closest points may move along both bodies: two faces, a face and an edge, or two edges lie along each other.
fn slide<A: Body<f64>, B: Body<f64>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<f64>,
    normal: V3<f64>,
    tolerance: f64,
) -> bool {
    let slope = tolerance / SLIDE;
    let edges_a = body_a.level_edges(normal, slope);
    let count = |edges: &[V3<f64>; 2]| edges.iter().filter(|edge| edge.length_sq() > 0.0).count();
    if count(&edges_a) == 0 {
        return false;
    }
    let edges_b = body_b.level_edges(-placement.a_to_b::<B>(normal), slope).map(|edge| placement.b_to_a::<B>(edge));
    match count(&edges_a) + count(&edges_b) {
        _ if count(&edges_b) == 0 => false,
        2 => edges_a[0].cross(edges_b[0]).length_sq() <= PARALLEL_SQ,
        _ => true,
    }
}
