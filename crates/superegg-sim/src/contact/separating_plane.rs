//! The plane between a triangle and some points: across the shortest way from the triangle to the points' convex hull.
//!
//! By the algorithm of Gilbert, Johnson and Keerthi (1988) on the differences of both: the simplex of differences nearest to the origin,
//! and the support points along the way to it, until these are no nearer. Whatever it ends with, all points are below the plane that is
//! returned, and the triangle is above it: directions are judged by what they prove, not by how they were found.

use glam::DVec3;

/// A plane that has points below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeparatingPlane {
    /// Of length one, towards the triangle.
    pub normal: DVec3,
    /// The largest `normal · x` of the points.
    pub support: f64,
    /// How far the triangle is above it.
    pub gap: f64,
    /// The point of the hull that is nearest to the triangle.
    pub nearest: DVec3,
    /// What that is a mean of.
    pub between: Between,
}

/// Corners of a triangle and points, by their numbers, between which the shortest way is: three pairs of them, or less where some
/// are the same.
pub(crate) type Between = [[u32; 2]; 3];

/// Most rounds.
const ROUNDS: usize = 16;
/// By which part of it the gap may fall short of the distance.
const SHORT: f64 = 1e-9;
/// Sine of the angle below which a corner is in the plane of three others.
const FLAT: f64 = 1e-9;

/// The difference of a triangle's corner and a point, and their numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Difference {
    way: DVec3,
    of: [u32; 2],
}

/// Three differences, and the weights of their combination that is nearest to the origin, zero for those that do not matter.
#[derive(Clone, Copy, Debug)]
struct Simplex {
    corners: [Difference; 3],
    weights: [f64; 3],
    nearest: DVec3,
}

impl Simplex {
    fn new(corners: [Difference; 3], weights: [f64; 3]) -> Simplex {
        let [a, b, c] = corners.map(|corner| corner.way);
        Simplex { corners, weights, nearest: a * weights[0] + b * weights[1] + c * weights[2] }
    }

    /// How many corners matter; they come first then.
    fn count(&mut self) -> usize {
        let mut count = 0;
        for i in 0..3 {
            if self.weights[i] > 0.0 {
                self.corners.swap(count, i);
                self.weights.swap(count, i);
                count += 1;
            }
        }
        count
    }
}

/// The plane between a triangle and points, from where the shortest way was before; `None` if the hull of the points reaches the
/// triangle, or there are no points.
pub(crate) fn separating_plane(triangle: &[DVec3; 3], points: &[DVec3], before: Between) -> Option<SeparatingPlane> {
    let difference = |of: [u32; 2]| {
        let way = triangle[of[0] as usize] - points[of[1] as usize];
        Difference { way, of }
    };
    let support = |along: DVec3| {
        let [a, b, c] = triangle.map(|corner| along.dot(corner));
        let (low, lowest) = if a <= b && a <= c {
            (a, 0)
        } else if b <= c {
            (b, 1)
        } else {
            (c, 2)
        };
        let (mut high, mut highest) = (f64::NEG_INFINITY, 0);
        for (index, point) in (0u32..).zip(points) {
            let height = along.dot(*point);
            if height > high {
                (high, highest) = (height, index);
            }
        }
        (difference([lowest, highest]), low - high)
    };
    if points.is_empty() {
        return None;
    }
    let mut simplex = of_triangle(before.map(difference));
    let mut best: Option<(DVec3, f64)> = None;
    for _ in 0..ROUNDS {
        let way = simplex.nearest;
        let length = way.length();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let (corner, gap) = support(way);
        let gap = gap / length;
        if best.is_none_or(|(_, most)| gap > most) {
            best = Some((way / length, gap));
        }
        let known = simplex.corners.iter().zip(simplex.weights).any(|(c, weight)| weight > 0.0 && c.of == corner.of);
        if known || gap >= length * (1.0 - SHORT) {
            break;
        }
        let next = reduce(&mut simplex, corner)?;
        if next.nearest.length_squared() >= length * length {
            break;
        }
        simplex = next;
    }
    let (normal, gap) = best.filter(|(_, gap)| *gap > 0.0)?;
    let support = points.iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    let count = simplex.count();
    let nearest = (0..count).map(|i| points[simplex.corners[i].of[1] as usize] * simplex.weights[i]).sum();
    let between = [0, 1, 2].map(|i: usize| simplex.corners[i.min(count - 1)].of);
    Some(SeparatingPlane { normal, support, gap, nearest, between })
}

/// The part of a simplex and one more corner that is nearest to the origin; `None` if they surround it.
fn reduce(simplex: &mut Simplex, new: Difference) -> Option<Simplex> {
    match simplex.count() {
        1 => Some(of_triangle([simplex.corners[0], new, new])),
        2 => Some(of_triangle([simplex.corners[0], simplex.corners[1], new])),
        _ => {
            // The sides that have the origin beyond them, the old one left out: it was nearest before.
            let [a, b, c] = simplex.corners;
            let mut nearest: Option<Simplex> = None;
            for [one, other, across] in [[a, b, c], [b, c, a], [c, a, b]] {
                let normal = (one.way - new.way).cross(other.way - new.way);
                let (height, depth) = (-new.way.dot(normal), (across.way - new.way).dot(normal));
                // What is flat but for rounding, as differences of flat pieces are, has no inside.
                let flat =
                    depth * depth <= FLAT * FLAT * normal.length_squared() * across.way.distance_squared(new.way);
                if flat || height * depth < 0.0 {
                    let side = of_triangle([one, other, new]);
                    let nearer = |than: &Simplex| side.nearest.length_squared() < than.nearest.length_squared();
                    if nearest.as_ref().is_none_or(nearer) {
                        nearest = Some(side);
                    }
                }
            }
            nearest
        }
    }
}

/// Inside, or the nearest of its sides.
fn of_triangle(corners: [Difference; 3]) -> Simplex {
    let [p, q, r] = corners.map(|corner| corner.way);
    let normal = (q - p).cross(r - p);
    let weights = [q.cross(r).dot(normal), r.cross(p).dot(normal), p.cross(q).dot(normal)];
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 && weights.iter().all(|weight| *weight > 0.0) {
        return Simplex::new(corners, weights.map(|weight| weight / sum));
    }
    let side = |from: DVec3, to: DVec3| {
        let along = to - from;
        let length_sq = along.length_squared();
        let t = if length_sq > 0.0 { (-from.dot(along) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
        ((from + along * t).length_squared(), t)
    };
    let [(pq, t), (qr, u), (rp, v)] = [side(p, q), side(q, r), side(r, p)];
    let weights = if pq <= qr && pq <= rp {
        [1.0 - t, t, 0.0]
    } else if qr <= rp {
        [0.0, 1.0 - u, u]
    } else {
        [v, 0.0, 1.0 - v]
    };
    Simplex::new(corners, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use superegg::Pose;
    use superegg::query::{Options, distance};
    use superegg::shape::{Hull, Triangle};

    /// Gaps are the certified distances to hulls, all points are below, and the nearest point is as far away.
    #[test]
    fn planes_are_across_the_shortest_way() {
        let mut random = fastrand::Rng::with_seed(31);
        let (mut apart, mut together) = (0, 0);
        for _ in 0..3000 {
            let mut place = |size: f64| DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * size;
            let middle = place(4.0);
            let triangle = [0; 3].map(|_| middle + place(1.0));
            let count = 5 + (place(1.0).x.abs() * 40.0) as usize;
            let points: Vec<DVec3> = (0..count).map(|_| place(1.5)).collect();
            let before = [[0, 0], [1, 3], [2, 4]];
            let (hull, face) = (Hull::new(&points).unwrap().into(), Triangle::new(triangle).unwrap().into());
            let truth = distance(&hull, &Pose::IDENTITY, &face, &Pose::IDENTITY, &Options::DEFAULT).unwrap().distance;
            match separating_plane(&triangle, &points, before) {
                Some(plane) => {
                    apart += 1;
                    assert!((plane.gap - truth).abs() < 1e-7, "{} for {truth}", plane.gap);
                    assert!(points.iter().all(|p| plane.normal.dot(*p) <= plane.support));
                    let lowest = triangle.map(|p| plane.normal.dot(p)).into_iter().fold(f64::INFINITY, f64::min);
                    assert!((lowest - plane.support - plane.gap).abs() < 1e-12);
                    let again = separating_plane(&triangle, &points, plane.between).unwrap();
                    assert!((again.gap - truth).abs() < 1e-7, "from where it ended");
                    let off = superegg_world::triangle::nearest_to_point(&triangle, plane.nearest);
                    assert!((off.distance(plane.nearest) - truth).abs() < 1e-7);
                }
                None => {
                    together += 1;
                    assert!(truth < 1e-7, "{truth}");
                }
            }
        }
        assert!(apart > 1000 && together > 50, "{apart}, {together}");
    }

    /// A triangle above flat ground, as cloth lies on a table: many points are as near as each other.
    #[test]
    fn flat_on_flat_has_the_ground_s_normal() {
        let ground: Vec<DVec3> = (0..25).map(|i| DVec3::new(f64::from(i % 5), f64::from(i / 5), 0.0)).collect();
        let triangle = [DVec3::new(1.3, 1.2, 0.025), DVec3::new(2.4, 1.4, 0.025), DVec3::new(1.8, 2.2, 0.025)];
        let plane = separating_plane(&triangle, &ground, [[0; 2]; 3]).unwrap();
        assert!((plane.normal - DVec3::Z).length() < 1e-6 && (plane.gap - 0.025).abs() < 1e-12, "{plane:?}");
        let same = separating_plane(&[triangle[0]; 3], &[DVec3::ZERO], [[0; 2]; 3]).unwrap();
        assert!((same.gap - triangle[0].length()).abs() < 1e-12);
        assert!(separating_plane(&[DVec3::NAN; 3], &ground, [[0; 2]; 3]).is_none());
        assert!(separating_plane(&triangle, &[], [[0; 2]; 3]).is_none());
    }
}
