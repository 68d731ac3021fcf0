//! Triangles in closed form: the nearest point of one, the nearest points of two, and where two meet.
//!
//! Two triangles that do not meet are nearest at two of their edges, or at a corner and the other's inside; they meet when
//! an edge of one passes through the other.

use superegg::DVec3;

/// The nearest points of two edges (after C. Ericson, "Real-time collision detection", section 5.1.9).
#[inline]
fn nearest_of_edges([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> [DVec3; 2] {
    let (u, v, r) = (b - a, d - c, a - c);
    let (uu, uv, vv, ur, vr) = (u.length_squared(), u.dot(v), v.length_squared(), u.dot(r), v.dot(r));
    let determinant = uu * vv - uv * uv;
    // A part of an edge, or its beginning where it has no length.
    let part = |above: f64, below: f64| if below > 0.0 { (above / below).clamp(0.0, 1.0) } else { 0.0 };
    let mut s = part(uv * vr - ur * vv, determinant);
    let t = part(uv * s + vr, vv);
    s = part(uv * t - ur, uu);
    [a + u * s, c + v * t]
}

/// The foot of the perpendicular from a point onto a triangle, if it lies inside.
#[inline]
fn foot_inside(point: DVec3, &[a, b, c]: &[DVec3; 3]) -> Option<DVec3> {
    let (u, v, r) = (b - a, c - a, point - a);
    let normal = u.cross(v);
    let area_sq = normal.length_squared();
    let (along_u, along_v) = (r.cross(v).dot(normal), u.cross(r).dot(normal));
    let inside = along_u >= 0.0 && along_v >= 0.0 && along_u + along_v <= area_sq && area_sq > 0.0;
    inside.then(|| point - normal * (r.dot(normal) / area_sq))
}

/// The point of a triangle that is nearest to a point.
pub fn nearest_to_point(triangle: &[DVec3; 3], point: DVec3) -> DVec3 {
    if let Some(foot) = foot_inside(point, triangle) {
        return foot;
    }
    let on_edge = |i: usize| nearest_of_edges([triangle[i], triangle[(i + 1) % 3]], [point; 2])[0];
    let nearer = |p: DVec3, q: DVec3| if q.distance_squared(point) < p.distance_squared(point) { q } else { p };
    nearer(nearer(on_edge(0), on_edge(1)), on_edge(2))
}

/// How far a triangle is from a point at least: how far it lies beyond the plane across the line to a point of it. At the nearest
/// point that is the distance; elsewhere it is less, so that it holds however exact the nearest point of a sliver is.
pub fn distance_at_least(triangle: &[DVec3; 3], point: DVec3, near: DVec3) -> f64 {
    let Some(direction) = (near - point).try_normalize() else { return 0.0 };
    triangle.iter().map(|corner| direction.dot(*corner - point)).fold(f64::INFINITY, f64::min).max(0.0)
}

/// Pairs of points among which the nearest ones of two triangles are, if the triangles do not meet.
pub(crate) fn candidates(one: &[DVec3; 3], other: &[DVec3; 3], mut offer: impl FnMut([DVec3; 2])) {
    for i in 0..3 {
        for j in 0..3 {
            offer(nearest_of_edges([one[i], one[(i + 1) % 3]], [other[j], other[(j + 1) % 3]]));
        }
        if let Some(foot) = foot_inside(one[i], other) {
            offer([one[i], foot]);
        }
        if let Some(foot) = foot_inside(other[i], one) {
            offer([foot, other[i]]);
        }
    }
}

/// The nearest points of two triangles; `None` where they meet.
pub fn nearest_points(one: &[DVec3; 3], other: &[DVec3; 3]) -> Option<[DVec3; 2]> {
    if common_point(one, other).is_some() {
        return None;
    }
    let mut best = [one[0], other[0]];
    let mut least_sq = one[0].distance_squared(other[0]);
    candidates(one, other, |points| {
        let distance_sq = points[0].distance_squared(points[1]);
        if distance_sq < least_sq {
            (least_sq, best) = (distance_sq, points);
        }
    });
    Some(best)
}

/// A point that two triangles have in common: where an edge of one passes through the other.
pub fn common_point(one: &[DVec3; 3], other: &[DVec3; 3]) -> Option<DVec3> {
    through(one, other).or_else(|| through(other, one))
}

/// Where an edge of `one` passes through `other`.
fn through(one: &[DVec3; 3], other: &[DVec3; 3]) -> Option<DVec3> {
    let [a, b, c] = *other;
    let normal = (b - a).cross(c - a);
    let heights = one.map(|corner| normal.dot(corner - a));
    if heights.iter().all(|&h| h > 0.0) || heights.iter().all(|&h| h < 0.0) {
        return None;
    }
    (0..3).find_map(|i| {
        let (from, to) = (heights[i], heights[(i + 1) % 3]);
        if from * to > 0.0 || from == to {
            return None;
        }
        foot_inside(one[i].lerp(one[(i + 1) % 3], from / (from - to)), other)
    })
}
