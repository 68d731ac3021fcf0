//! Point, segment and triangle: the hulls of one, two and three vertices, and the nearest points of these.

use glam::DVec3;

use super::Direction;
use super::bounds::{Aabb, Sphere};
use crate::{InvalidInput, Pose};

macro_rules! hull {
    ($(#[$doc:meta])* $name:ident, $count:literal, $fields:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name {
            points: [DVec3; $count],
        }

        impl $name {
            /// Refuses vertices with coordinates outside [-1e60, 1e60]. Coinciding vertices are allowed.
            pub fn new(points: [DVec3; $count]) -> Result<$name, InvalidInput> {
                for (point, fields) in points.iter().zip::<[[&'static str; 3]; $count]>($fields) {
                    for (value, field) in point.to_array().into_iter().zip(fields) {
                        InvalidInput::unless_coordinate(field, value)?;
                    }
                }
                Ok($name { points })
            }

            /// The vertices in local coordinates.
            pub fn points(&self) -> &[DVec3; $count] {
                &self.points
            }

            /// The vertex farthest along `direction`, the first of several that are equally far.
            pub fn support(&self, direction: DVec3) -> DVec3 {
                let direction = Direction::new(direction).unit_largest;
                let mut farthest = self.points[0];
                for &point in &self.points[1..] {
                    if point.dot(direction) > farthest.dot(direction) {
                        farthest = point;
                    }
                }
                farthest
            }

            /// The support function: the largest `direction · x` over the hull.
            pub fn support_value(&self, direction: DVec3) -> f64 {
                self.support(direction).dot(direction)
            }

            /// The smallest box along the world's axes that holds the posed hull.
            pub fn aabb(&self, pose: &Pose) -> Aabb {
                Aabb::of_points(self.points.map(|point| pose.transform_point(point)))
            }

            /// The smallest sphere that holds the hull, in its own frame.
            pub fn bounding_sphere(&self) -> Sphere {
                Sphere::around(&self.points)
            }
        }
    };
}

const FIELDS: [[&str; 3]; 3] = [
    ["points[0][0]", "points[0][1]", "points[0][2]"],
    ["points[1][0]", "points[1][1]", "points[1][2]"],
    ["points[2][0]", "points[2][1]", "points[2][2]"],
];

hull!(
    /// A single point.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Point};
    /// assert_eq!(Point::new([DVec3::X])?.points(), &[DVec3::X]);
    /// assert_eq!(Point::new([DVec3::NAN]).unwrap_err().field, "points[0][0]");
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    Point,
    1,
    [FIELDS[0]]
);
hull!(
    /// A straight line between two points.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Segment};
    /// assert_eq!(Segment::new([DVec3::X, DVec3::Y])?.points()[1], DVec3::Y);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    Segment,
    2,
    [FIELDS[0], FIELDS[1]]
);
hull!(
    /// A flat triangle, solid but without thickness.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Triangle};
    /// assert_eq!(Triangle::new([DVec3::X, DVec3::Y, DVec3::Z])?.points()[2], DVec3::Z);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    Triangle,
    3,
    FIELDS
);

/// Nearest point of the hull of one to three points to `p`, with its barycentric weights.
#[inline]
pub(crate) fn nearest_on_simplex(points: &[DVec3], p: DVec3) -> (DVec3, [f64; 3]) {
    match *points {
        [a] => (a, [1.0, 0.0, 0.0]),
        [a, b] => {
            let ab = b - a;
            let along = (p - a).dot(ab);
            let t = if along <= 0.0 { 0.0 } else { (along / ab.length_squared()).min(1.0) };
            (a + ab * t, [1.0 - t, t, 0.0])
        }
        [a, b, c] => nearest_on_triangle(a, b, c, p),
        _ => unreachable!("a hull has one to three vertices"),
    }
}

/// By Voronoi regions; see Ericson, Real-Time Collision Detection, 5.1.5. A triangle without area is treated as its
/// edges.
fn nearest_on_triangle(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> (DVec3, [f64; 3]) {
    let (ab, ac) = (b - a, c - a);
    let n = ab.cross(ac);
    let n_sq = n.length_squared();
    let inside = |u: DVec3, v: DVec3| u.cross(v).dot(n) >= 0.0;
    if n_sq > 1e-28 * ab.length_squared() * ac.length_squared() {
        let (pa, pb, pc) = (p - a, p - b, p - c);
        if inside(ab, pa) && inside(c - b, pb) && inside(a - c, pc) {
            let wa = (c - b).cross(pb).dot(n) / n_sq;
            let wb = (a - c).cross(pc).dot(n) / n_sq;
            let wc = 1.0 - wa - wb;
            return (a * wa + b * wb + c * wc, [wa, wb, wc]);
        }
    }
    let (q_ab, w_ab) = nearest_on_simplex(&[a, b], p);
    let (q_bc, w_bc) = nearest_on_simplex(&[b, c], p);
    let (q_ca, w_ca) = nearest_on_simplex(&[c, a], p);
    let mut best = (q_ab, [w_ab[0], w_ab[1], 0.0]);
    if q_bc.distance_squared(p) < best.0.distance_squared(p) {
        best = (q_bc, [0.0, w_bc[0], w_bc[1]]);
    }
    if q_ca.distance_squared(p) < best.0.distance_squared(p) {
        best = (q_ca, [w_ca[1], 0.0, w_ca[0]]);
    }
    best
}

/// The face of a tetrahedron nearest to the origin, by its corners and their barycentric weights, or `None` when the origin is
/// inside.
#[inline]
pub(crate) fn nearest_face(corners: &[DVec3; 4]) -> Option<([usize; 3], [f64; 3])> {
    const FACES: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
    let w = corners;
    let mut inside = true;
    let mut best: Option<(f64, [usize; 3], [f64; 3])> = None;
    for [i, j, k, opposite] in FACES {
        let n = (w[j] - w[i]).cross(w[k] - w[i]);
        let apex = n.dot(w[opposite] - w[i]);
        let origin = -n.dot(w[i]);
        // On the apex's side of this face, or the tetrahedron has no volume.
        let enclosed =
            apex * origin > 0.0 && apex.abs() > 1e-14 * (n.length_squared() * w[opposite].length_squared()).sqrt();
        inside &= enclosed;
        if enclosed {
            continue;
        }
        let (point, weights) = nearest_on_simplex(&[w[i], w[j], w[k]], DVec3::ZERO);
        let distance_sq = point.length_squared();
        if best.is_none_or(|(least, ..)| distance_sq < least) {
            best = Some((distance_sq, [i, j, k], weights));
        }
    }
    if inside { None } else { best.map(|(_, face, weights)| (face, weights)) }
}
