//! The fallback: Gilbert, Johnson and Keerthi's algorithm on support points, which cannot fail, only be slow.
//!
//! It keeps a simplex of the bodies' difference and moves it towards the origin; every iterate gives an upper bound
//! (the simplex's nearest point) and a lower one (the supporting plane). Every now and then Newton's method is started
//! again from where it stands.

use super::body::Body;
use super::hull_body::closest_on_hull;
use super::placement::{Placement, unit};
use super::separate::{Goal, Separation, separate};
use crate::lanes::V3;

/// Iterations at which Newton's method is tried again.
const RESTARTS: [u32; 5] = [4, 8, 20, 60, 150];
/// Evaluations that each of those tries may spend.
const RESTART_EVALUATIONS: u32 = 30;
/// Evaluations that each of the last tries may spend.
const LAST_EVALUATIONS: u32 = 200;

/// A vertex of the simplex: a point of b minus a point of a.
#[derive(Clone, Copy)]
struct Vertex {
    w: V3<f64>,
    x_a: V3<f64>,
    x_b: V3<f64>,
}

/// Distance of two convex bodies, certified to `tolerance`, or the knowledge that they overlap.
pub(crate) fn gjk<A: Body<f64>, B: Body<f64>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<f64>,
    normal: V3<f64>,
    tolerance: f64,
    most: u32,
) -> Separation<f64> {
    let support = |direction: V3<f64>| {
        let x_a = A::position(&body_a.with_normal(direction));
        let in_b = B::position(&body_b.with_normal(-placement.a_to_b::<B>(direction)));
        let x_b = placement.centre + placement.b_to_a::<B>(in_b);
        Vertex { w: x_b - x_a, x_a, x_b }
    };
    let place = |direction: V3<f64>, x_a: V3<f64>, x_b: V3<f64>| {
        let target_b = placement.a_to_b::<B>(x_b - placement.centre);
        (body_a.place(x_a, direction), body_b.place(target_b, -placement.a_to_b::<B>(direction)))
    };

    let mut direction = unit(normal);
    let first = support(direction);
    let mut simplex = [first; 4];
    let mut count = 1;
    let (mut x_a, mut x_b) = (first.x_a, first.x_b);
    let mut lower = f64::NEG_INFINITY;
    let mut best_normal = direction;
    let mut best_upper = f64::MAX;
    let mut closest = (x_a, x_b);
    let mut evaluations = 1;
    let mut overlapping = false;
    for iteration in 0..most {
        let v = x_b - x_a;
        let length = v.length_sq().sqrt();
        let progress = length < best_upper * (1.0 - 1e-15);
        if length < best_upper {
            best_upper = length;
            closest = (x_a, x_b);
        }
        if length > 0.0 {
            direction = v * (1.0 / length);
            let bound = placement.gap_along(body_a, body_b, direction);
            if bound > lower {
                lower = bound;
                best_normal = direction;
            }
        }
        if best_upper - lower <= tolerance || length <= tolerance * 1e-3 {
            break;
        }
        if RESTARTS.contains(&iteration) {
            let start = place(direction, x_a, x_b);
            let mut retry = separate(body_a, body_b, placement, start, tolerance, RESTART_EVALUATIONS, Goal::Distance);
            evaluations += retry.evaluations as u32;
            if retry.converged || retry.overlapping {
                retry.evaluations = f64::from(evaluations);
                return retry;
            }
        }
        let next = support(direction);
        evaluations += 1;
        let known = simplex[..count].iter().any(|vertex| (vertex.w - next.w).length_sq() == 0.0);
        if known || (iteration > 0 && !progress) || count == 4 {
            break;
        }
        simplex[count] = next;
        count += 1;
        match reduce(&mut simplex, count) {
            Some((kept, weights)) => {
                count = kept;
                let sum = |pick: fn(&Vertex) -> V3<f64>| {
                    (0..kept).fold(V3::splat(0.0), |sum, i| pick(&simplex[i]).mul_add(weights[i], sum))
                };
                x_a = sum(|vertex| vertex.x_a);
                x_b = sum(|vertex| vertex.x_b);
            }
            None => {
                overlapping = true;
                break;
            }
        }
    }
    let converged = !overlapping && best_upper - lower <= tolerance;
    if !converged && !overlapping {
        // Rounding has stopped the simplex; from here Newton's method has only the last digits to go, from the closest
        // points, or from where the best normal touches.
        let at_normal = (body_a.with_normal(best_normal), body_b.with_normal(-placement.a_to_b::<B>(best_normal)));
        for start in [place(best_normal, closest.0, closest.1), at_normal] {
            let mut last = separate(body_a, body_b, placement, start, tolerance, LAST_EVALUATIONS, Goal::Distance);
            evaluations += last.evaluations as u32;
            last.evaluations = f64::from(evaluations);
            if last.converged || last.overlapping {
                return last;
            }
            if last.lower > lower {
                (lower, best_normal) = (last.lower, last.normal);
            }
            if last.upper < best_upper {
                (best_upper, closest) = (last.upper, (last.x_a, last.x_b));
            }
        }
    }
    let converged = !overlapping && best_upper - lower <= tolerance;
    Separation {
        x_a: closest.0,
        x_b: closest.1,
        normal: best_normal,
        lower,
        upper: best_upper,
        converged,
        overlapping,
        evaluations: f64::from(evaluations),
    }
}

/// Keeps the part of the simplex that is nearest to the origin, with barycentric weights; `None` when the origin is
/// inside the tetrahedron.
fn reduce(simplex: &mut [Vertex; 4], count: usize) -> Option<(usize, [f64; 3])> {
    const ORIGIN: V3<f64> = V3 { x: 0.0, y: 0.0, z: 0.0 };
    let mut keep = [simplex[0]; 3];
    let (indices, weights) = if count <= 3 {
        let points = simplex.map(|vertex| vertex.w);
        ([0, 1, 2], closest_on_hull(&points[..count], ORIGIN).1)
    } else {
        nearest_face(&simplex.map(|vertex| vertex.w))?
    };
    let mut kept = 0;
    let mut kept_weights = [0.0; 3];
    for (index, weight) in indices.into_iter().zip(weights) {
        if weight > 0.0 {
            keep[kept] = simplex[index];
            kept_weights[kept] = weight;
            kept += 1;
        }
    }
    simplex[..3].copy_from_slice(&keep);
    Some((kept, kept_weights))
}

/// The face of a tetrahedron nearest to the origin, or `None` when the origin is inside.
fn nearest_face(w: &[V3<f64>; 4]) -> Option<([usize; 3], [f64; 3])> {
    const FACES: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
    let mut inside = true;
    let mut best: Option<(f64, [usize; 3], [f64; 3])> = None;
    for [i, j, k, opposite] in FACES {
        let n = (w[j] - w[i]).cross(w[k] - w[i]);
        let apex = n.dot(w[opposite] - w[i]);
        let origin = -n.dot(w[i]);
        // On the apex's side of this face, or the tetrahedron has no volume.
        let enclosed = apex * origin > 0.0 && apex.abs() > 1e-14 * (n.length_sq() * w[opposite].length_sq()).sqrt();
        inside &= enclosed;
        if enclosed {
            continue;
        }
        let (point, weights) = closest_on_hull(&[w[i], w[j], w[k]], V3::splat(0.0));
        let distance_sq = point.length_sq();
        if best.is_none_or(|(least, ..)| distance_sq < least) {
            best = Some((distance_sq, [i, j, k], weights));
        }
    }
    if inside { None } else { best.map(|(_, face, weights)| (face, weights)) }
}
