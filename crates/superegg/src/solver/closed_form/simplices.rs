//! Points, segments and triangles among each other, in closed form.
//!
//! The distance of two simplices is reached between a vertex and a simplex or between two edges, unless an edge pierces a
//! triangle. They have no inside, so the distance is never negative.
//!
//! Nearly parallel edges and slivers are what such formulas fail on: normal equations lose twice as many digits as the angle
//! has. Here every normal is a cross product whose components are right to the last digits whatever cancels ([`cross`]), so
//! that the distance is that of simplices whose vertices are moved by a few units in the last place. Each candidate comes
//! with its own normal; the one that gives the greatest `L(n)` is the witness of the lower bound, and the two points, which
//! lie on the simplices, are that of the upper one.

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Options, Outcome};
use crate::solver::answer::Answer;
use crate::solver::body::simplex::closest_on_simplex;
use crate::solver::certificate;
use crate::solver::params::{simplex_mean, simplex_radius};
use crate::solver::simd::V3;

/// Cosine of the angle between two faces or edges, below which they count as parallel for [`Outcome::unique_points`].
const PARALLEL: f64 = 1e-9;

pub(crate) fn distance(a: &[DVec3], pose_a: &Pose, b: &[DVec3], pose_b: &Pose, options: &Options) -> Outcome {
    // Relative to one of the simplices, so that a far-away world origin costs no digits.
    let origin = pose_a.transform_point(simplex_mean(a));
    let mut storage_a = [DVec3::ZERO; 3];
    let mut storage_b = [DVec3::ZERO; 3];
    let into = |storage: &mut [DVec3; 3], points: &[DVec3], pose: &Pose| {
        let offset = pose.translation - origin;
        let mut longest = 0.0f64;
        for (target, point) in storage.iter_mut().zip(points) {
            *target = pose.rotation * *point + offset;
            longest = longest.max(point.length());
        }
        offset.length() + longest
    };
    let lengths = into(&mut storage_a, a, pose_a) + into(&mut storage_b, b, pose_b);
    let (a, b) = (&storage_a[..a.len()], &storage_b[..b.len()]);

    let closest = closest(a, b);
    let Closest { point_a, point_b, witness, .. } = closest;
    let upper = point_a.distance(point_b);
    let lower = closest.lower.clamp(0.0, upper);
    let size = simplex_radius(a) + simplex_radius(b);
    let margin = certificate::rounding_of_lengths(lengths);
    let tolerance = (options.tolerance * size).max(4.0 * margin);
    // The normal of the closest points, unless it proves less than another one by more than rounding.
    let own_is_best = gap_along(a, b, closest.normal) >= closest.lower - margin;
    let normal = if closest.normal != DVec3::ZERO && own_is_best { closest.normal } else { witness };
    let apart = lower > margin;
    let answer = Answer {
        distance: upper,
        point_a: point_a + origin,
        point_b: point_b + origin,
        normal,
        bounds: Some(certificate::bounds_without_inside(lower, upper, margin)),
        witness,
        unique_points: apart && !slides(a, b, normal, size),
        // Where simplices meet, the distance is at its least, and every normal is as good.
        unique_normal: apart,
        converged: upper - lower <= tolerance,
        iterations: 1,
    };
    let warm_start = answer.warm_start(pose_a, pose_b);
    answer.outcome(warm_start, tolerance)
}

/// The signed distance of two simplices as cores of rounded bodies. A segment through a triangle has a depth: their difference is
/// a prism, whose faces are across the triangle and across the segment and each edge. Any other two have none.
pub(crate) fn signed_distance(a: &[DVec3], pose_a: &Pose, b: &[DVec3], pose_b: &Pose, options: &Options) -> Outcome {
    let outcome = distance(a, pose_a, b, pose_b, options);
    match (a.len(), b.len()) {
        (2, 3) if outcome.bounds.is_some_and(|bounds| bounds.lower <= 0.0) => {
            through_triangle(a, pose_a, b, pose_b, outcome)
        }
        (3, 2) => signed_distance(b, pose_b, a, pose_a, &options.swapped()).swapped(),
        _ => outcome,
    }
}

/// The depth of a segment (a) in a triangle (b) that it meets.
fn through_triangle(a: &[DVec3], pose_a: &Pose, b: &[DVec3], pose_b: &Pose, met: Outcome) -> Outcome {
    let origin = pose_a.translation;
    let a: [DVec3; 2] = std::array::from_fn(|i| pose_a.transform_vector(a[i]));
    let b: [DVec3; 3] = std::array::from_fn(|i| pose_b.transform_vector(b[i]) + (pose_b.translation - origin));
    let along = a[1] - a[0];
    let across = cross(b[1] - b[0], b[2] - b[0]);
    let edges = [0, 1, 2].map(|i| [b[i], b[(i + 1) % 3]]);
    let sides = edges.map(|[from, to]| (cross(along, to - from), Some([from, to])));
    let (mut depth, mut best) = (f64::INFINITY, (met.normal, None));
    for (normal, edge) in [(across, None)].into_iter().chain(sides) {
        let Some(normal) = normal.try_normalize() else { continue };
        for normal in [normal, -normal] {
            let found = -gap_along(&a, &b, normal);
            if found < depth {
                (depth, best) = (found, (normal, edge));
            }
        }
    }
    let (normal, edge) = best;
    let lengths = a.iter().chain(&b).map(|point| point.length()).sum::<f64>() + met.point_a.length();
    let margin = certificate::rounding_of_lengths(lengths);
    if depth.is_infinite() || depth <= margin {
        return met;
    }
    let end = if a[0].dot(normal) > a[1].dot(normal) { a[0] } else { a[1] };
    let point_a = edge.and_then(|edge| closest_of_edges(a, edge)).map_or(end, |(point, ..)| point);
    let answer = Answer {
        distance: -depth,
        point_a: point_a + origin,
        point_b: point_a - normal * depth + origin,
        normal,
        bounds: Some(certificate::bounds(-depth, -depth, margin, 1.0)),
        witness: normal,
        unique_points: edge.is_some(),
        unique_normal: true,
        converged: true,
        iterations: 1,
    };
    let warm_start = answer.warm_start(pose_a, pose_b);
    answer.outcome(warm_start, margin)
}

/// The closest points found so far, and the normal that gives the greatest lower bound.
struct Closest {
    distance_sq: f64,
    point_a: DVec3,
    point_b: DVec3,
    /// Unit normal from a to b that belongs to them; zero where they meet.
    normal: DVec3,
    /// Unit normal that gives the greatest lower bound.
    witness: DVec3,
    /// `L(witness)`.
    lower: f64,
}

fn closest(a: &[DVec3], b: &[DVec3]) -> Closest {
    let mut best = Closest {
        distance_sq: f64::INFINITY,
        point_a: DVec3::ZERO,
        point_b: DVec3::ZERO,
        normal: DVec3::ZERO,
        witness: touching_normal(a, b),
        lower: f64::NEG_INFINITY,
    };
    let mut offer = |point_a: DVec3, point_b: DVec3, normal: DVec3| {
        let distance_sq = point_a.distance_squared(point_b);
        let normal = normal.normalize_or_zero();
        if distance_sq < best.distance_sq {
            (best.distance_sq, best.point_a, best.point_b, best.normal) = (distance_sq, point_a, point_b, normal);
        }
        let lower = gap_along(a, b, normal);
        if normal != DVec3::ZERO && lower > best.lower {
            (best.lower, best.witness) = (lower, normal);
        }
    };
    for &p in a {
        let (q, w) = nearest(b, p);
        offer(p, q, -w);
    }
    for &q in b {
        let (p, w) = nearest(a, q);
        offer(p, q, w);
    }
    for (p0, p1) in edges(a) {
        for (q0, q1) in edges(b) {
            if let Some((p, q, n)) = closest_of_edges([p0, p1], [q0, q1]) {
                offer(p, q, n);
            }
        }
        if let Some(x) = pierce(p0, p1, b) {
            offer(x, x, DVec3::ZERO);
        }
    }
    for (q0, q1) in edges(b) {
        if let Some(x) = pierce(q0, q1, a) {
            offer(x, x, DVec3::ZERO);
        }
    }
    best
}

/// `L(n)`: how far b's vertices lie beyond a's along a unit normal.
fn gap_along(a: &[DVec3], b: &[DVec3], normal: DVec3) -> f64 {
    // Relative to one vertex: differences of close coordinates are exact.
    let start = a[0];
    let highest = a.iter().map(|p| (*p - start).dot(normal)).fold(f64::NEG_INFINITY, f64::max);
    let lowest = b.iter().map(|q| (*q - start).dot(normal)).fold(f64::INFINITY, f64::min);
    lowest - highest
}

/// The nearest point of a simplex, and the vector from there to `p`: exact to the last digits of its own length, however
/// short it is against the simplex.
fn nearest(simplex: &[DVec3], p: DVec3) -> (DVec3, DVec3) {
    let mut vertices = [V3::splat(0.0); 3];
    for (vertex, point) in vertices.iter_mut().zip(simplex) {
        *vertex = (*point).into();
    }
    let (point, weights) = closest_on_simplex(&vertices[..simplex.len()], p.into());
    let point = DVec3::from(point);
    let mut inside = (0..simplex.len()).filter(|&i| weights[i] > 0.0).map(|i| simplex[i]);
    let across = match (inside.next(), inside.next(), inside.next()) {
        // What is left of the way from a vertex without its part along the edge.
        (Some(q0), Some(q1), None) => {
            let along = q1 - q0;
            cross(cross(along, p - q0), along) / along.length_squared()
        }
        (Some(q0), Some(q1), Some(q2)) => {
            let normal = cross(q1 - q0, q2 - q0);
            normal * (normal.dot(p - q0) / normal.length_squared())
        }
        _ => p - point,
    };
    (point, if across.is_finite() { across } else { p - point })
}

fn edges(simplex: &[DVec3]) -> impl Iterator<Item = (DVec3, DVec3)> {
    let count = match simplex.len() {
        3 => 3,
        2 => 1,
        _ => 0,
    };
    (0..count).map(|i| (simplex[i], simplex[(i + 1) % simplex.len()]))
}

/// Closest points of two edges where both are interior, with their common normal from the first to the second; ends are
/// covered by vertices.
fn closest_of_edges([p0, p1]: [DVec3; 2], [q0, q1]: [DVec3; 2]) -> Option<(DVec3, DVec3, DVec3)> {
    let (u, v, w) = (p1 - p0, q1 - q0, q0 - p0);
    let normal = cross(u, v);
    let per = 1.0 / normal.length_squared();
    let (s, t) = (cross(w, v).dot(normal) * per, cross(w, u).dot(normal) * per);
    let within = |part: f64| (0.0..=1.0).contains(&part);
    (within(s) && within(t)).then(|| (p0 + u * s, q0 + v * t, if w.dot(normal) < 0.0 { -normal } else { normal }))
}

/// Where a segment passes through a triangle.
fn pierce(p0: DVec3, p1: DVec3, triangle: &[DVec3]) -> Option<DVec3> {
    let &[a, b, c] = triangle else { return None };
    let n = cross(b - a, c - a);
    let (h0, h1) = (n.dot(p0 - a), n.dot(p1 - a));
    if h0 * h1 > 0.0 || h0 == h1 {
        return None;
    }
    let x = p0 + (p1 - p0) * (h0 / (h0 - h1));
    let inside = [(a, b), (b, c), (c, a)].into_iter().all(|(u, v)| cross(v - u, x - u).dot(n) >= 0.0);
    inside.then_some(x)
}

/// The cross product with every component right to two units in its last place (Kahan's difference of two products).
fn cross(u: DVec3, v: DVec3) -> DVec3 {
    DVec3::new(
        difference_of_products(u.y, v.z, u.z, v.y),
        difference_of_products(u.z, v.x, u.x, v.z),
        difference_of_products(u.x, v.y, u.y, v.x),
    )
}

fn difference_of_products(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let second = c * d;
    let lost = (-c).mul_add(d, second);
    a.mul_add(b, -second) + lost
}

/// A unit normal for simplices that touch: across a face, else across both edges, else across one, else along x.
fn touching_normal(a: &[DVec3], b: &[DVec3]) -> DVec3 {
    let face = |simplex: &[DVec3]| match *simplex {
        [p, q, r] => cross(q - p, r - p),
        _ => DVec3::ZERO,
    };
    let along = |simplex: &[DVec3]| if simplex.len() > 1 { simplex[1] - simplex[0] } else { DVec3::ZERO };
    [face(a), -face(b), cross(along(a), along(b)), along(a).any_orthogonal_vector(), along(b).any_orthogonal_vector()]
        .into_iter()
        .map(|n| n.normalize_or_zero())
        .find(|n| *n != DVec3::ZERO)
        .unwrap_or(DVec3::X)
}

/// Whether the closest points may slide: an edge of a and one of b, both across the normal and both at the extreme height,
/// are parallel, or an edge or face lies parallel to a face.
fn slides(a: &[DVec3], b: &[DVec3], normal: DVec3, size: f64) -> bool {
    let level = |simplex: &[DVec3], normal: DVec3| {
        let top = simplex.iter().map(|p| p.dot(normal)).fold(f64::NEG_INFINITY, f64::max);
        let mut kept = [DVec3::ZERO; 3];
        let mut count = 0;
        for &point in simplex.iter().filter(|p| p.dot(normal) >= top - PARALLEL * size) {
            kept[count] = point;
            count += 1;
        }
        (kept, count)
    };
    let ((a, count_a), (b, count_b)) = (level(a, normal), level(b, -normal));
    match (count_a, count_b) {
        (0 | 1, _) | (_, 0 | 1) => false,
        (2, 2) => {
            let (u, v) = (a[1] - a[0], b[1] - b[0]);
            cross(u, v).length() <= PARALLEL * u.length() * v.length() && overlap_along(u, &a[..2], &b[..2])
        }
        _ => true,
    }
}

/// Whether two point sets overlap along a direction.
fn overlap_along(direction: DVec3, a: &[DVec3], b: &[DVec3]) -> bool {
    let range = |points: &[DVec3]| {
        let along = points.iter().map(|p| p.dot(direction));
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
    low_a.max(low_b) < high_a.min(high_b)
}
