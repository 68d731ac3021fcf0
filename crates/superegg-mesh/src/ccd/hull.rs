//! Proves that the origin lies outside the convex hull of a few points, by a separating direction.
//!
//! Directions come from the Gilbert–Johnson–Keerthi iteration towards the hull's point nearest the origin. The
//! iteration may be as sloppy as floating point makes it: an answer "separated" rests only on the last direction, in
//! which every point is verified to lie beyond the wanted distance plus all rounding errors.

use glam::DVec3;

/// Enough for a hull of sixteen points; the iteration rarely needs more than six.
const MAX_ITERATIONS: usize = 20;

/// Whether the hull of `points` is certainly farther than `distance` from the origin. `error` bounds how far each
/// coordinate is from the exact one, and must also cover `4 EPSILON` of the largest coordinate for the dot products.
pub(super) fn separated(points: &[DVec3], distance: f64, error: f64) -> bool {
    let mut direction = points.iter().sum::<DVec3>();
    let mut simplex = Simplex { points: [DVec3::ZERO; 4], len: 0 };
    for iteration in 0..MAX_ITERATIONS {
        let (nearest, support) = lowest(points, direction);
        let length = direction.length();
        let length_sq = length * length;
        let beyond = distance * length * (1.0 + 8.0 * f64::EPSILON) + direction.abs().element_sum() * error;
        // Products with a shorter direction may underflow and prove nothing.
        if support > beyond && length_sq > 1e-200 {
            return true;
        }
        // Once the direction is the nearest point of a simplex, no lower support means that it is the hull's.
        if iteration > 0 && length_sq - support <= 1e-14 * length_sq {
            return false;
        }
        match simplex.add(nearest) {
            Some(nearest) if nearest != DVec3::ZERO => direction = nearest,
            _ => return false,
        }
    }
    false
}

/// The point lowest along `direction`, and its height.
fn lowest(points: &[DVec3], direction: DVec3) -> (DVec3, f64) {
    let mut best = (points[0], direction.dot(points[0]));
    for &point in &points[1..] {
        let height = direction.dot(point);
        if height < best.1 {
            best = (point, height);
        }
    }
    best
}

/// Up to four points whose hull approaches the origin.
struct Simplex {
    points: [DVec3; 4],
    len: usize,
}

impl Simplex {
    /// Adds a point, keeps the part that carries the nearest point to the origin and returns that point; `None` when
    /// the origin is inside.
    fn add(&mut self, point: DVec3) -> Option<DVec3> {
        self.points[self.len] = point;
        self.len += 1;
        let p = self.points;
        let (nearest, kept): (DVec3, Part) = match self.len {
            1 => (p[0], Part::of(&p[..1])),
            2 => segment(p[0], p[1]),
            3 => triangle(p[0], p[1], p[2]),
            _ => tetrahedron(&p)?,
        };
        self.points = kept.points;
        self.len = kept.len;
        Some(nearest)
    }
}

/// The vertices of a simplex that carry its nearest point.
struct Part {
    points: [DVec3; 4],
    len: usize,
}

impl Part {
    fn of(points: &[DVec3]) -> Part {
        let mut part = Part { points: [DVec3::ZERO; 4], len: points.len() };
        part.points[..points.len()].copy_from_slice(points);
        part
    }
}

fn segment(a: DVec3, b: DVec3) -> (DVec3, Part) {
    let ab = b - a;
    let along = -a.dot(ab);
    let length_sq = ab.length_squared();
    if along <= 0.0 {
        (a, Part::of(&[a]))
    } else if along >= length_sq {
        (b, Part::of(&[b]))
    } else {
        (a + ab * (along / length_sq), Part::of(&[a, b]))
    }
}

fn triangle(a: DVec3, b: DVec3, c: DVec3) -> (DVec3, Part) {
    let normal = (b - a).cross(c - a);
    let area_sq = normal.length_squared();
    let weights = [normal.dot(b.cross(c)), normal.dot(c.cross(a)), normal.dot(a.cross(b))];
    if area_sq > 0.0 && weights.iter().all(|&w| w > 0.0) {
        return (normal * (normal.dot(a) / area_sq), Part::of(&[a, b, c]));
    }
    nearest_of([segment(a, b), segment(b, c), segment(c, a)])
}

fn tetrahedron(p: &[DVec3; 4]) -> Option<(DVec3, Part)> {
    let outside = |a: DVec3, b: DVec3, c: DVec3, opposite: DVec3| {
        let normal = (b - a).cross(c - a);
        normal.dot(-a) * normal.dot(opposite - a) <= 0.0
    };
    let faces = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
    let mut best: Option<(DVec3, Part)> = None;
    for [a, b, c, opposite] in faces {
        if outside(p[a], p[b], p[c], p[opposite]) {
            let found = triangle(p[a], p[b], p[c]);
            if best.as_ref().is_none_or(|(nearest, _)| found.0.length_squared() < nearest.length_squared()) {
                best = Some(found);
            }
        }
    }
    best
}

fn nearest_of(candidates: [(DVec3, Part); 3]) -> (DVec3, Part) {
    let [mut best, second, third] = candidates;
    for other in [second, third] {
        if other.0.length_squared() < best.0.length_squared() {
            best = other;
        }
    }
    best
}
