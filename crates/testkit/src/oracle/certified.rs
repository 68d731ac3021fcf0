//! The signed distance of any convex pair, globally, with proof: branch and bound over the sphere of normals.
//!
//! Each evaluation of `L` at a unit vector yields two surface points, and their difference `g` bounds `L(n) ≤ g·n` for
//! every other `n`, because a support function is the maximum over all points. Over a spherical triangle the linear
//! bound is largest at a corner, up to the factor by which the flat triangle lies inside the sphere. So triangles whose
//! bound is below the best `L` found can hold no maximum; the others are halved, the most promising first. The bound
//! closes with the square of the triangle's size where the bodies are smooth.
//!
//! Error: none beyond rounding. The true distance lies in the returned interval, which is widened by 1e-14 of all
//! lengths involved; the interval is wide where the evaluations ran out, as for concentric balls, whose depth is the
//! same in every direction.

use std::collections::BinaryHeap;

use glam::DVec3;

use super::support::Separation;
use crate::Pair;
use crate::pair::reach;

/// An interval that holds the signed distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// `L` at the best normal found, less rounding.
    pub lower: f64,
    /// The largest value that the open triangles allow, plus rounding.
    pub upper: f64,
    /// The best normal found.
    pub normal: DVec3,
    /// How often both support functions were evaluated.
    pub evaluations: usize,
}

impl Interval {
    /// Upper minus lower end.
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }
}

/// A unit normal, `L` there, and the difference of the two support points.
#[derive(Clone, Copy)]
struct Corner {
    normal: DVec3,
    slope: DVec3,
    value: f64,
}

struct Triangle {
    corners: [Corner; 3],
    bound: f64,
}

impl Triangle {
    fn new(corners: [Corner; 3]) -> Triangle {
        let [a, b, c] = corners.map(|corner| corner.normal);
        let across = (b - a).cross(c - a).normalize();
        // Distance of the flat triangle's plane from the centre: at least this is what a point of it has to be
        // lengthened by.
        let flat = across.dot(a).abs().max(across.dot(b).abs()).max(across.dot(c).abs());
        let flat = flat - 1e-15;
        let over = |slope: DVec3| {
            let largest = slope.dot(a).max(slope.dot(b)).max(slope.dot(c));
            if largest <= 0.0 { largest } else { (largest / flat).min(slope.length()) }
        };
        let [p, q, r] = corners.map(|corner| corner.slope);
        // Any mean of the slopes is a bound as well; on a crease the mean of both sides is the tight one.
        let slopes = [p, q, r, (p + q) / 2.0, (q + r) / 2.0, (r + p) / 2.0, (p + q + r) / 3.0];
        let bound = slopes.into_iter().map(over).fold(f64::INFINITY, f64::min);
        Triangle { corners, bound }
    }

    fn halves(self, at: impl Fn(DVec3) -> Corner) -> [Triangle; 2] {
        let [a, b, c] = self.corners;
        let length_sq = |p: &Corner, q: &Corner| p.normal.distance_squared(q.normal);
        let (ab, bc, ca) = (length_sq(&a, &b), length_sq(&b, &c), length_sq(&c, &a));
        let (a, b, c) = if ab >= bc && ab >= ca {
            (a, b, c)
        } else if bc >= ca {
            (b, c, a)
        } else {
            (c, a, b)
        };
        let middle = at((a.normal + b.normal).normalize());
        [Triangle::new([a, middle, c]), Triangle::new([middle, b, c])]
    }
}

impl PartialEq for Triangle {
    fn eq(&self, other: &Triangle) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Triangle {}

impl PartialOrd for Triangle {
    fn partial_cmp(&self, other: &Triangle) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Triangle {
    fn cmp(&self, other: &Triangle) -> std::cmp::Ordering {
        self.bound.total_cmp(&other.bound)
    }
}

/// The signed distance of a convex pair without half-spaces, to within `tolerance` if that takes at most
/// `max_evaluations`. Of a pair that is not convex: of the hulls.
pub fn signed_distance(pair: &Pair, tolerance: f64, max_evaluations: usize) -> Interval {
    let separation = Separation::new(pair);
    let at = |normal: DVec3| {
        let gap = separation.along(normal);
        Corner { normal, slope: gap.point_b - gap.point_a, value: gap.value }
    };
    let starts = separation.special_directions().into_iter().chain(separation.centre_b().try_normalize());
    let first = starts.map(at).max_by(|p, q| p.value.total_cmp(&q.value)).expect("at least the axes");
    let (normal, value) = super::sampling::climb(&separation, first.normal, 0.1);
    let mut best = (value, normal);

    let axes = glam::DMat3::from_quat(pair.pose_a.rotation.normalize());
    let corner = |index: usize, positive: bool| at(if positive { axes.col(index) } else { -axes.col(index) });
    let mut evaluations = 0;
    let mut open = BinaryHeap::new();
    for octant in 0..8 {
        let positive = |bit: usize| octant >> bit & 1 == 1;
        open.push(Triangle::new(std::array::from_fn(|index| corner(index, positive(index)))));
        evaluations += 3;
    }
    let mut upper = f64::INFINITY;
    while let Some(triangle) = open.pop() {
        upper = triangle.bound.max(best.0);
        if triangle.bound <= best.0 + tolerance || evaluations >= max_evaluations {
            break;
        }
        evaluations += 1;
        for half in triangle.halves(at) {
            for corner in &half.corners {
                if corner.value > best.0 {
                    best = (corner.value, corner.normal);
                }
            }
            if half.bound > best.0 {
                open.push(half);
            }
        }
        if open.is_empty() {
            upper = best.0;
        }
    }
    let lengths = reach(&pair.a) + reach(&pair.b) + separation.centre_b().length();
    let rounding = 1e-14 * lengths;
    Interval { lower: best.0 - rounding, upper: upper + rounding, normal: best.1, evaluations }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Domain, known};
    use superegg::Pose;
    use superegg::shape::{Point, Shape, Superellipsoid};

    #[test]
    fn spheres_and_points() {
        let sphere = |radius: f64| Shape::from(Superellipsoid::new([radius; 3], [1.0; 2]).unwrap());
        let mut rng = generate::seeded(21);
        for distance in [0.3, 0.9, 2.9, 3.1, 40.0] {
            let translation = generate::direction(&mut rng) * distance;
            let pose_b = Pose { rotation: generate::rotation(&mut rng), translation };
            let spheres = Pair { a: sphere(1.0), pose_a: Pose::IDENTITY, b: sphere(2.0), pose_b };
            let found = signed_distance(&spheres, 1e-6, 100_000);
            assert!(
                found.lower <= distance - 3.0 && distance - 3.0 <= found.upper && found.width() < 1.1e-6,
                "{found:?}"
            );
            let point = Pair { b: Point::new([DVec3::ZERO]).unwrap().into(), ..spheres };
            let found = signed_distance(&point, 1e-6, 100_000);
            assert!(
                found.lower <= distance - 1.0 && distance - 1.0 <= found.upper && found.width() < 1.1e-6,
                "{found:?}"
            );
        }
    }

    /// Boxes have closed-form depths along the axes; exponents near zero come close to them.
    #[test]
    fn crossed_boxes() {
        let bar = Shape::from(Superellipsoid::new([3.0, 0.5, 0.25], [1e-4, 1e-4]).unwrap());
        let quarter = glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let pose_b = Pose { rotation: quarter, translation: DVec3::new(0.1, 0.1, 0.2) };
        let pair = Pair { a: bar.clone(), pose_a: Pose::IDENTITY, b: bar, pose_b };
        let found = signed_distance(&pair, 1e-4, 400_000);
        assert!((found.lower + 0.3).abs() < 1e-3 && found.width() < 2e-4, "{found:?}");
        assert!(found.normal.z > 0.999);
    }

    #[test]
    fn pairs_of_known_distance() {
        let mut rng = generate::seeded(22);
        for index in 0..60 {
            let known = known::apart(&mut rng, &Domain::WIDE, true);
            let size = known.pair.size();
            if known.distance > 10.0 * size {
                continue;
            }
            let found = signed_distance(&known.pair, 1e-5 * size, 30_000);
            let slack = known.error + 1e-14 * size;
            assert!(
                found.lower <= known.distance + slack && known.distance <= found.upper + slack,
                "{index}: {found:?} {known:?}"
            );
            assert!(found.width() < 1e-3 * size, "{index}: {found:?} {known:?}");
        }
    }

    /// Depths that do not exceed the rolling radius are known; the interval holds them.
    #[test]
    fn overlaps_of_known_depth() {
        let mut rng = generate::seeded(23);
        for index in 0..60 {
            let known = known::shallow_overlap(&mut rng, &Domain::MODERATE);
            let size = known.pair.size();
            let found = signed_distance(&known.pair, 1e-6 * size, 100_000);
            let slack = known.error;
            assert!(
                found.lower <= known.distance + slack && known.distance <= found.upper + slack,
                "{index}: {found:?} {known:?}"
            );
        }
    }
}
