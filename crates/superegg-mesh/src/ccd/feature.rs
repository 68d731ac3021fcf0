//! The two kinds of feature pairs, a vertex and a face or two edges, each seen as the hull of points relative to each
//! other: the features meet when it contains the origin.

use glam::DVec3;

use super::cubic::{Cubic, UNDERFLOW, greater};
use super::ends::Ends;
use super::refine::{Nearness, extent, first_contact};

/// Where the origin lies with respect to the hull of relative points that are nearly coplanar with it.
pub(super) enum Place {
    /// The hull surrounds the origin.
    Inside,
    /// The hull is on one side of the origin, in this direction.
    Outside(DVec3),
    /// The hull is too thin to tell.
    Unclear,
}

/// A pair of features.
pub(super) trait Pair {
    /// The relative points.
    type Points: AsRef<[DVec3]> + Copy;

    /// The vectors whose determinant vanishes when the features are coplanar. All relative points are sums of them.
    fn spanning(points: &[Ends; 4]) -> [Ends; 3];
    /// Locates the origin, given what the spanning vectors are at an instant.
    fn locate(spanning: &[DVec3; 3]) -> Place;
    /// Whether all relative points are higher than `bound` in a direction.
    fn clears(spanning: &[DVec3; 3], direction: DVec3, bound: f64) -> bool;
    /// The relative points at both ends, each coordinate with one rounding.
    fn points(points: &[Ends; 4]) -> [Self::Points; 2];
    /// Relative points interpolated in time, with five roundings at most.
    fn between(start: &Self::Points, end: &Self::Points, t: f64) -> Self::Points;
    /// When the features first meet, moving along Bézier curves given by control layers.
    fn curved<const N: usize>(control: &[[DVec3; 4]; N], nearness: Nearness) -> Option<f64>;
    /// The slow search over a piece of time; coordinates at its ends are exact to `inexact` and a few roundings.
    fn refine(ends: [&Self::Points; 2], inexact: f64, span: [f64; 2], nearness: Nearness) -> Option<f64>;
}

fn between<const K: usize>(start: &[DVec3; K], end: &[DVec3; K], t: f64) -> [DVec3; K] {
    std::array::from_fn(|k| start[k] * (1.0 - t) + end[k] * t)
}

/// Normals shorter than this, relative to the square of the features' size, are not trusted.
const THIN: f64 = 1e-9;

/// Features of a smaller area, relative to the square of their reach from the origin, are not taken to surround it:
/// rounding moves it by up to `EPSILON / WIDE` of the reach.
const WIDE: f64 = 1e-3;

/// The cross product of two linearly moving vectors, in Bernstein form: its coordinates tell how one turns from the
/// other as seen along the axes. Motion within a plane, where the determinant is always zero, is decided by it.
struct Turning {
    controls: [DVec3; 3],
    error: f64,
}

impl Turning {
    /// For vectors from `[u0, v0]` to `[u1, v1]`, differences of points whose coordinates are known to `inexact`.
    fn new([u0, v0]: [DVec3; 2], [u1, v1]: [DVec3; 2], inexact: f64) -> Turning {
        let controls = [u0.cross(v0), 0.5 * (u0.cross(v1) + u1.cross(v0)), u1.cross(v1)];
        let size = extent(&[u0, v0, u1, v1]);
        // Two products of coordinates off by twice `inexact`, and their roundings.
        Turning { controls, error: 16.0 * (size + inexact) * (inexact + f64::EPSILON * size) + UNDERFLOW }
    }

    /// For each axis 1 or -1 when the turn keeps this sign, 0 when it may not.
    fn signs(&self) -> [i8; 3] {
        [0, 1, 2].map(|axis| {
            let keeps = |sign: f64| self.controls.iter().all(|control| sign * control[axis] > self.error);
            i8::from(keeps(1.0)) - i8::from(keeps(-1.0))
        })
    }

    /// Whether the two turn in opposite directions all the time, seen along some axis.
    fn opposes(&self, other: &Turning) -> bool {
        self.signs().into_iter().zip(other.signs()).any(|(a, b)| a * b < 0)
    }
}

/// Whether features of this size span too little area for their normal to be trusted.
fn is_thin(area_sq: f64, size: f64) -> bool {
    area_sq <= THIN * THIN * size.powi(4)
}

/// Features that seem to surround the origin, as far as rounding lets it be seen: relative to their distance from it
/// they must not be small, lest they have shrunk to a point beside it.
fn inside_of(area_sq: f64, reach: f64) -> Place {
    if area_sq > WIDE * WIDE * reach.powi(4) { Place::Inside } else { Place::Unclear }
}

/// A vertex and a face: the face's corners seen from the vertex.
pub(super) struct Face;

impl Face {
    #[inline]
    pub fn relative(points: &[DVec3; 4]) -> [DVec3; 3] {
        let [v, a, b, c] = *points;
        [a - v, b - v, c - v]
    }

    /// Whether, seen along a coordinate axis, the vertex stays beyond an edge of the face.
    fn beyond_edge(start: &[DVec3; 3], end: &[DVec3; 3], edge: usize, inexact: f64) -> bool {
        let rotated = |points: &[DVec3; 3]| [points[edge], points[(edge + 1) % 3], points[(edge + 2) % 3]];
        let ([a0, b0, c0], [a1, b1, c1]) = (rotated(start), rotated(end));
        let vertex = Turning::new([a0, b0], [a1, b1], inexact);
        let face = Turning::new([b0 - a0, c0 - a0], [b1 - a1, c1 - a1], inexact);
        vertex.opposes(&face)
    }
}

impl Pair for Face {
    type Points = [DVec3; 3];

    #[inline]
    fn spanning(&[v, a, b, c]: &[Ends; 4]) -> [Ends; 3] {
        [a - v, b - v, c - v]
    }

    #[inline]
    fn locate(&[a, b, c]: &[DVec3; 3]) -> Place {
        let crossed = [a.cross(b), b.cross(c), c.cross(a)];
        let normal = crossed[0] + crossed[1] + crossed[2];
        let area_sq = normal.length_squared();
        if is_thin(area_sq, extent(&[b - a, c - a])) {
            return Place::Unclear;
        }
        let weights = crossed.map(|cross| normal.dot(cross));
        let sides = [b - a, c - b, a - c];
        let farther = |i: usize, j: usize| if weights[j] < weights[i] { j } else { i };
        let edge = farther(farther(0, 1), 2);
        if weights[edge] < 0.0 {
            // Beyond an edge, the direction into the face across it points away from the origin.
            return Place::Outside(normal.cross(sides[edge]));
        }
        inside_of(area_sq, extent(&[a, b, c]))
    }

    #[inline]
    fn clears(corners: &[DVec3; 3], direction: DVec3, bound: f64) -> bool {
        corners.iter().all(|corner| direction.dot(*corner) > bound)
    }

    fn points(points: &[Ends; 4]) -> [[DVec3; 3]; 2] {
        let [a, b, c] = Face::spanning(points).map(|corner| corner.split());
        [[a[0], b[0], c[0]], [a[1], b[1], c[1]]]
    }

    fn between(start: &[DVec3; 3], end: &[DVec3; 3], t: f64) -> [DVec3; 3] {
        between(start, end, t)
    }

    fn curved<const N: usize>(control: &[[DVec3; 4]; N], nearness: Nearness) -> Option<f64> {
        first_contact(control.map(|layer| Face::relative(&layer)), 0.0, [0.0, 1.0], nearness, |_, _| false)
    }

    fn refine([start, end]: [&[DVec3; 3]; 2], inexact: f64, span: [f64; 2], nearness: Nearness) -> Option<f64> {
        first_contact([*start, *end], inexact, span, nearness, |[start, end], inexact| {
            nearness.separation == 0.0
                && (Cubic::determinant([0, 1, 2].map(|i: usize| Ends::new(&[start[i], end[i]])), inexact).never_zero()
                    || (0..3).any(|i| Face::beyond_edge(start, end, i, inexact)))
        })
    }
}

/// Two edges ab and cd: the differences a-c, a-d, b-c and b-d.
pub(super) struct Edges;

impl Edges {
    #[inline]
    pub fn relative(points: &[DVec3; 4]) -> [DVec3; 4] {
        let [a, b, c, d] = *points;
        [a - c, a - d, b - c, b - d]
    }

    /// Whether, seen along a coordinate axis, one edge stays on one side of the other's line.
    fn on_one_side(start: &[DVec3; 4], end: &[DVec3; 4], inexact: f64) -> bool {
        let ([ac0, ad0, bc0, _], [ac1, ad1, bc1, _]) = (*start, *end);
        let (ab0, ab1, cd0, cd1) = (bc0 - ac0, bc1 - ac1, ac0 - ad0, ac1 - ad1);
        let turning = |u0, v0, u1, v1| Turning::new([u0, v0], [u1, v1], inexact);
        turning(ab0, ac0, ab1, ac1).opposes(&turning(ab0, -ad0, ab1, -ad1))
            || turning(cd0, ac0, cd1, ac1).opposes(&turning(cd0, -bc0, cd1, -bc1))
    }
}

impl Pair for Edges {
    type Points = [DVec3; 4];

    #[inline]
    fn spanning(&[a, b, c, d]: &[Ends; 4]) -> [Ends; 3] {
        [c - a, b - a, d - c]
    }

    #[inline]
    fn locate(&[ca, ab, cd]: &[DVec3; 3]) -> Place {
        let normal = ab.cross(cd);
        let area_sq = normal.length_squared();
        if is_thin(area_sq, extent(&[ab, cd])) {
            return Place::Unclear;
        }
        // a + along_ab ab = c + along_cd cd, both scaled by the squared area.
        let along_ab = ca.cross(cd).dot(normal);
        let along_cd = ca.cross(ab).dot(normal);
        let beyond = |along: f64| greater(-along, along - area_sq);
        let (beyond_ab, beyond_cd) = (beyond(along_ab), beyond(along_cd));
        if !(beyond_ab > 0.0 || beyond_cd > 0.0) {
            return inside_of(area_sq, extent(&[ca, ca + cd, ab - ca, ab - ca - cd]));
        }
        // An edge on one side of the other's line is separated from it by the normal of that line in the plane.
        let direction = normal.cross(if beyond_ab > beyond_cd { cd } else { ab });
        Place::Outside(if direction.dot(ca) > 0.0 { -direction } else { direction })
    }

    #[inline]
    fn clears(&[ca, ab, cd]: &[DVec3; 3], direction: DVec3, bound: f64) -> bool {
        // The lowest of all four; what cannot be compared stays so.
        let below_zero = |height: f64| if height > 0.0 { 0.0 } else { height };
        below_zero(direction.dot(ab)) + below_zero(-direction.dot(cd)) - direction.dot(ca) > bound
    }

    fn points(&[a, b, c, d]: &[Ends; 4]) -> [[DVec3; 4]; 2] {
        let [ac, ad, bc, bd] = [a - c, a - d, b - c, b - d].map(|difference| difference.split());
        [[ac[0], ad[0], bc[0], bd[0]], [ac[1], ad[1], bc[1], bd[1]]]
    }

    fn between(start: &[DVec3; 4], end: &[DVec3; 4], t: f64) -> [DVec3; 4] {
        between(start, end, t)
    }

    fn curved<const N: usize>(control: &[[DVec3; 4]; N], nearness: Nearness) -> Option<f64> {
        first_contact(control.map(|layer| Edges::relative(&layer)), 0.0, [0.0, 1.0], nearness, |_, _| false)
    }

    fn refine([start, end]: [&[DVec3; 4]; 2], inexact: f64, span: [f64; 2], nearness: Nearness) -> Option<f64> {
        let spanning = |start: &[DVec3; 4], end: &[DVec3; 4]| {
            let [ac, ad, bc] = [0, 1, 2].map(|i: usize| Ends::new(&[start[i], end[i]]));
            [ac, ac - ad, bc - ac]
        };
        first_contact([*start, *end], inexact, span, nearness, |[start, end], inexact| {
            nearness.separation == 0.0
                && (Cubic::determinant(spanning(start, end), 2.0 * inexact).never_zero()
                    || Edges::on_one_side(start, end, inexact))
        })
    }
}
