//! Points, segments and triangles among each other, in closed form.
//!
//! The distance of two such hulls is reached between a vertex and a hull or between two edges, unless an edge pierces a
//! triangle. They have no inside, so the distance is never negative.

use glam::DVec3;

use super::hull_body::closest_on_hull;
use super::{Answer, hull_mean, hull_radius};
use crate::Pose;
use crate::lanes::V3;
use crate::query::{Bounds, Options, Outcome};

/// Rounding of a distance, as a part of the coordinates involved.
const ROUNDING: f64 = 1e-14;

pub(super) fn distance(a: &[DVec3], pose_a: &Pose, b: &[DVec3], pose_b: &Pose, options: &Options) -> Outcome {
    // Relative to one of the hulls, so that a far-away world origin costs no digits.
    let origin = pose_a.transform_point(hull_mean(a));
    let mut storage_a = [DVec3::ZERO; 3];
    let mut storage_b = [DVec3::ZERO; 3];
    let into = |storage: &mut [DVec3; 3], points: &[DVec3], pose: &Pose| {
        for (target, point) in storage.iter_mut().zip(points) {
            *target = pose.rotation * *point + (pose.translation - origin);
        }
    };
    into(&mut storage_a, a, pose_a);
    into(&mut storage_b, b, pose_b);
    let (a, b) = (&storage_a[..a.len()], &storage_b[..b.len()]);

    let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::ZERO);
    let mut offer = |p: DVec3, q: DVec3| {
        let distance_sq = p.distance_squared(q);
        if distance_sq < best.0 {
            best = (distance_sq, p, q);
        }
    };
    for &p in a {
        offer(p, nearest(b, p));
    }
    for &q in b {
        offer(nearest(a, q), q);
    }
    for (p0, p1) in edges(a) {
        for (q0, q1) in edges(b) {
            let (p, q) = closest_of_lines(p0, p1, q0, q1);
            offer(p, q);
        }
        if let Some(x) = pierce(p0, p1, b) {
            offer(x, x);
        }
    }
    for (q0, q1) in edges(b) {
        if let Some(x) = pierce(q0, q1, a) {
            offer(x, x);
        }
    }
    let (_, p, q) = best;
    let w = q - p;
    let distance = w.length();
    let size = hull_radius(a) + hull_radius(b);
    let margin = ROUNDING * (size + p.length() + q.length());
    let normal = if distance > margin { w / distance } else { touching_normal(a, b) };
    let answer = Answer {
        distance,
        point_a: p + origin,
        point_b: q + origin,
        normal,
        bounds: Some(Bounds { lower: (distance - margin).max(0.0), upper: distance + margin }),
        converged: true,
        iterations: 1,
    };
    let warm_start = answer.warm_start(pose_a, pose_b);
    answer.outcome(warm_start, (options.tolerance * size).max(margin))
}

fn nearest(hull: &[DVec3], p: DVec3) -> DVec3 {
    let mut vertices = [V3::splat(0.0); 3];
    for (vertex, point) in vertices.iter_mut().zip(hull) {
        *vertex = (*point).into();
    }
    closest_on_hull(&vertices[..hull.len()], p.into()).0.into()
}

fn edges(hull: &[DVec3]) -> impl Iterator<Item = (DVec3, DVec3)> {
    let count = match hull.len() {
        3 => 3,
        2 => 1,
        _ => 0,
    };
    (0..count).map(|i| (hull[i], hull[(i + 1) % hull.len()]))
}

/// Closest points of two segments where both are interior; end points are covered by vertices.
fn closest_of_lines(p0: DVec3, p1: DVec3, q0: DVec3, q1: DVec3) -> (DVec3, DVec3) {
    let (u, v, w) = (p1 - p0, q1 - q0, q0 - p0);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let det = uu * vv - uv * uv;
    if det <= 1e-24 * uu * vv {
        return (p0, nearest(&[q0, q1], p0));
    }
    let s = ((w.dot(u) * vv - w.dot(v) * uv) / det).clamp(0.0, 1.0);
    let p = p0 + u * s;
    (p, nearest(&[q0, q1], p))
}

/// Where a segment passes through a triangle.
fn pierce(p0: DVec3, p1: DVec3, triangle: &[DVec3]) -> Option<DVec3> {
    let &[a, b, c] = triangle else { return None };
    let n = (b - a).cross(c - a);
    let (h0, h1) = (n.dot(p0 - a), n.dot(p1 - a));
    if h0 * h1 > 0.0 || h0 == h1 {
        return None;
    }
    let x = p0 + (p1 - p0) * (h0 / (h0 - h1));
    let inside = [(a, b), (b, c), (c, a)].into_iter().all(|(u, v)| (v - u).cross(x - u).dot(n) >= 0.0);
    inside.then_some(x)
}

/// A unit normal for hulls that touch: across a face, else across both edges, else across one, else along x.
fn touching_normal(a: &[DVec3], b: &[DVec3]) -> DVec3 {
    let face = |hull: &[DVec3]| match *hull {
        [p, q, r] => (q - p).cross(r - p),
        _ => DVec3::ZERO,
    };
    let along = |hull: &[DVec3]| if hull.len() > 1 { hull[1] - hull[0] } else { DVec3::ZERO };
    [face(a), -face(b), along(a).cross(along(b)), along(a).any_orthogonal_vector(), along(b).any_orthogonal_vector()]
        .into_iter()
        .map(|n| n.normalize_or_zero())
        .find(|n| *n != DVec3::ZERO)
        .unwrap_or(DVec3::X)
}
