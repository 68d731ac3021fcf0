//! The elementary tests: when does a moving vertex meet a moving face, and when do two moving edges meet?
//!
//! Features are closed sets (a face with its edges and corners, an edge with its ends), degenerate ones included.
//! The contract, for every input:
//! - **no false negative**: features that meet, in exact arithmetic, are reported;
//! - a reported time is never after the first contact;
//! - a false positive only where the features come within the tolerance (see [`Margin`]) of each other;
//! - bounded work.
//!
//! Method, for linear motion: the cubic of coplanarity in Bernstein form with an error bound (see `cubic`) settles
//! nearly all queries and brackets the times of the others to a few units in the last place. In each bracket a fixed
//! direction in the common plane separates the features or they meet. Whatever rounding leaves open, and every query
//! with a separation or motion of higher degree, goes to the search by bisection in `refine`.
//!
//! ```
//! use superegg_mesh::DVec3;
//! use superegg_mesh::ccd::elementary::{Margin, vertex_face};
//! let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
//! let above = DVec3::new(0.2, 0.2, 1.0);
//! let below = DVec3::new(0.2, 0.2, -3.0);
//! let time = vertex_face(&[above, face[0], face[1], face[2]], &[below, face[0], face[1], face[2]], Margin::EXACT);
//! assert!((0.25 - time.unwrap()).abs() < 1e-12);
//! ```

use glam::DVec3;

use super::cubic::{Cubic, UNDERFLOW};
use super::refine::{Nearness, extent, first_contact};

/// What counts as a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Features at most this far apart are in contact. Zero: they touch.
    pub separation: f64,
    /// Features that stay this much farther apart than `separation` are surely not reported. However small it is,
    /// rounding makes it at least 1e-12 of the largest distance between the features' points; and since work is bounded it doubles with every
    /// 64 pieces of time that cannot be told apart from contact, which takes motion along a curve that stays nearly
    /// in contact for long.
    pub tolerance: f64,
}

impl Margin {
    /// Contact means touching, told apart as finely as rounding allows.
    pub const EXACT: Margin = Margin { separation: 0.0, tolerance: 0.0 };

    /// Contact within `separation`, told apart to a millionth of it.
    pub fn separation(separation: f64) -> Margin {
        Margin { separation, tolerance: 1e-6 * separation }
    }

    fn nearness(self) -> Nearness {
        Nearness { separation: self.separation, tolerance: self.tolerance }
    }
}

/// The answer to an elementary test and how it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// A time in `[0, 1]` not after the first contact; `None` when there surely is no contact.
    pub time: Option<f64>,
    /// Whether the slow search had to decide.
    pub refined: bool,
}

impl Verdict {
    const APART: Verdict = Verdict { time: None, refined: false };
}

/// When a vertex first meets a face, both moving linearly: `[vertex, corner, corner, corner]` at times 0 and 1.
pub fn vertex_face(start: &[DVec3; 4], end: &[DVec3; 4], margin: Margin) -> Option<f64> {
    vertex_face_verdict(start, end, margin).time
}

/// When an edge first meets another, both moving linearly: `[a, b, c, d]` at times 0 and 1 for the edges ab and cd.
pub fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4], margin: Margin) -> Option<f64> {
    edge_edge_verdict(start, end, margin).time
}

/// As [`vertex_face`], telling how the answer was found.
#[inline]
pub fn vertex_face_verdict(start: &[DVec3; 4], end: &[DVec3; 4], margin: Margin) -> Verdict {
    solve::<Face>(start, end, margin)
}

/// As [`edge_edge`], telling how the answer was found.
#[inline]
pub fn edge_edge_verdict(start: &[DVec3; 4], end: &[DVec3; 4], margin: Margin) -> Verdict {
    solve::<Edges>(start, end, margin)
}

/// When a vertex first meets a face, each moving along a Bézier curve: `N` control layers (degree `N - 1`), each
/// `[vertex, corner, corner, corner]`.
pub fn vertex_face_curved<const N: usize>(control: &[[DVec3; 4]; N], margin: Margin) -> Option<f64> {
    first_contact(control.map(|layer| Face::relative(&layer)), 0.0, [0.0, 1.0], margin.nearness(), |_, _| false)
}

/// When two edges first meet, each end moving along a Bézier curve: `N` control layers (degree `N - 1`), each
/// `[a, b, c, d]` for the edges ab and cd.
pub fn edge_edge_curved<const N: usize>(control: &[[DVec3; 4]; N], margin: Margin) -> Option<f64> {
    first_contact(control.map(|layer| Edges::relative(&layer)), 0.0, [0.0, 1.0], margin.nearness(), |_, _| false)
}

/// As [`vertex_face_curved`], by the fast test when the motion is linear.
#[inline]
pub(super) fn vertex_face_moving<const N: usize>(control: &[[DVec3; 4]; N], margin: Margin) -> Verdict {
    if N == 2 {
        return vertex_face_verdict(&control[0], &control[1], margin);
    }
    Verdict { time: vertex_face_curved(control, margin), refined: true }
}

/// As [`edge_edge_curved`], by the fast test when the motion is linear.
#[inline]
pub(super) fn edge_edge_moving<const N: usize>(control: &[[DVec3; 4]; N], margin: Margin) -> Verdict {
    if N == 2 {
        return edge_edge_verdict(&control[0], &control[1], margin);
    }
    Verdict { time: edge_edge_curved(control, margin), refined: true }
}

/// Where the origin lies with respect to the hull of relative points that are nearly coplanar with it.
enum Place {
    /// The hull surrounds the origin.
    Inside,
    /// The hull is on one side of the origin; the directions, one of which should separate them.
    Outside([DVec3; 3]),
    /// The hull is too thin to tell.
    Unclear,
}

/// A pair of features, seen as the hull of points relative to each other: they meet when it contains the origin.
trait Pair {
    /// The relative points.
    type Points: AsRef<[DVec3]> + Copy;

    /// The vectors whose determinant vanishes when the features are coplanar.
    fn spanning(points: &[DVec3; 4]) -> [DVec3; 3];
    /// The relative points, each coordinate with one rounding.
    fn points(points: &[DVec3; 4]) -> Self::Points;
    /// Interpolates between two instants.
    fn at(start: &Self::Points, end: &Self::Points, t: f64) -> Self::Points;
    /// Locates the origin.
    fn locate(points: &Self::Points) -> Place;
    /// The slow search over a piece of time; coordinates at its ends are exact to `inexact` and a few roundings.
    fn refine(ends: [&Self::Points; 2], inexact: f64, span: [f64; 2], nearness: Nearness) -> Option<f64>;
}

#[inline]
fn solve<P: Pair>(start: &[DVec3; 4], end: &[DVec3; 4], margin: Margin) -> Verdict {
    if margin.separation > 0.0 {
        let (first, last) = (P::points(start), P::points(end));
        return Verdict { time: P::refine([&first, &last], 0.0, [0.0, 1.0], margin.nearness()), refined: true };
    }
    let cubic = Cubic::determinant(P::spanning(start), P::spanning(end), 0.0);
    if cubic.never_zero() || cubic.never_zero_in_halves() {
        return Verdict::APART;
    }
    let first = P::points(start);
    // Corners at one place, as after a break; told exactly, since differences vanish only for equal coordinates.
    if first.as_ref().contains(&DVec3::ZERO) {
        return Verdict { time: Some(0.0), refined: false };
    }
    solve_brackets::<P>(&cubic, &first, &P::points(end), margin)
}

/// Decides each bracket of possible coplanarity in turn.
fn solve_brackets<P: Pair>(cubic: &Cubic, first: &P::Points, last: &P::Points, margin: Margin) -> Verdict {
    let size = extent(first.as_ref()).max(extent(last.as_ref()));
    let error = 16.0 * f64::EPSILON * size;
    let separated = |directions: &[DVec3; 3], before: &P::Points, after: &P::Points| {
        directions.iter().any(|direction| {
            let bound = direction.abs().element_sum() * error + UNDERFLOW;
            before.as_ref().iter().chain(after.as_ref()).all(|p| direction.dot(*p) > bound)
        })
    };
    let inside = |points: &P::Points| matches!(P::locate(points), Place::Inside);
    let mut refined = false;
    for [low, high] in cubic.brackets().iter() {
        let (before, after) = (P::at(first, last, low), P::at(first, last, high));
        match P::locate(&P::at(&before, &after, 0.5)) {
            Place::Inside if high - low < INSTANT || high - low < NARROW && inside(&before) && inside(&after) => {
                return Verdict { time: Some(low), refined };
            }
            Place::Outside(directions) if separated(&directions, &before, &after) => continue,
            _ => {}
        }
        refined = true;
        // Points that meet in this bracket are tiny there: how exact they are depends on where they came from.
        let inexact = INTERPOLATED * size;
        if let Some(time) = P::refine([&before, &after], inexact, [low, high], margin.nearness()) {
            return Verdict { time: Some(time), refined };
        }
    }
    Verdict { time: None, refined }
}

/// How exact interpolated coordinates are, relative to the larger end: five roundings at most.
const INTERPOLATED: f64 = 4.0 * f64::EPSILON;

/// Interpolates with an error within [`INTERPOLATED`].
#[inline]
fn between<const K: usize>(start: &[DVec3; K], end: &[DVec3; K], t: f64) -> [DVec3; K] {
    std::array::from_fn(|k| start[k] * (1.0 - t) + end[k] * t)
}

/// A bracket of time this short is taken as an instant when the features overlap in their common plane.
const INSTANT: f64 = 1e-12;

/// A bracket of time this short holds a contact when the features overlap at its start, middle and end.
const NARROW: f64 = 1e-6;

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
struct Face;

impl Face {
    #[inline]
    fn relative(points: &[DVec3; 4]) -> [DVec3; 3] {
        let [v, a, b, c] = *points;
        [a - v, b - v, c - v]
    }
}

impl Face {
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
    fn spanning(points: &[DVec3; 4]) -> [DVec3; 3] {
        Face::relative(points)
    }

    #[inline]
    fn points(points: &[DVec3; 4]) -> [DVec3; 3] {
        Face::relative(points)
    }

    #[inline]
    fn at(start: &[DVec3; 3], end: &[DVec3; 3], t: f64) -> [DVec3; 3] {
        between(start, end, t)
    }

    fn locate(&[a, b, c]: &[DVec3; 3]) -> Place {
        let (ab, bc, ca) = (a.cross(b), b.cross(c), c.cross(a));
        let normal = ab + bc + ca;
        let size = extent(&[b - a, c - a]);
        if is_thin(normal.length_squared(), size) {
            return Place::Unclear;
        }
        let weights = [normal.dot(ab), normal.dot(bc), normal.dot(ca)];
        if weights.iter().all(|&w| w >= 0.0) {
            return inside_of(normal.length_squared(), extent(&[a, b, c]));
        }
        // Beyond an edge, the direction into the face across it points away from the origin.
        let sides = [b - a, c - b, a - c];
        Place::Outside(std::array::from_fn(|i| if weights[i] < 0.0 { normal.cross(sides[i]) } else { DVec3::ZERO }))
    }

    fn refine([start, end]: [&[DVec3; 3]; 2], inexact: f64, span: [f64; 2], nearness: Nearness) -> Option<f64> {
        first_contact([*start, *end], inexact, span, nearness, |[start, end], inexact| {
            nearness.separation == 0.0
                && (Cubic::determinant(*start, *end, inexact).never_zero()
                    || (0..3).any(|i| Face::beyond_edge(start, end, i, inexact)))
        })
    }
}

/// Two edges ab and cd: the differences a-c, a-d, b-c and b-d.
struct Edges;

impl Edges {
    #[inline]
    fn relative(points: &[DVec3; 4]) -> [DVec3; 4] {
        let [a, b, c, d] = *points;
        [a - c, a - d, b - c, b - d]
    }
}

impl Edges {
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
    fn spanning(points: &[DVec3; 4]) -> [DVec3; 3] {
        let [a, b, c, d] = *points;
        [c - a, b - a, d - c]
    }

    #[inline]
    fn points(points: &[DVec3; 4]) -> [DVec3; 4] {
        Edges::relative(points)
    }

    #[inline]
    fn at(start: &[DVec3; 4], end: &[DVec3; 4], t: f64) -> [DVec3; 4] {
        between(start, end, t)
    }

    fn locate(&[ac, ad, bc, bd]: &[DVec3; 4]) -> Place {
        let (ab, cd) = (bc - ac, ac - ad);
        let normal = ab.cross(cd);
        let area_sq = normal.length_squared();
        let size = extent(&[ab, cd]);
        if is_thin(area_sq, size) {
            return Place::Unclear;
        }
        // a + along_ab ab = c + along_cd cd, both scaled by the squared area.
        let along_ab = -ac.cross(cd).dot(normal);
        let along_cd = -ac.cross(ab).dot(normal);
        let within = |x: f64| x >= 0.0 && x <= area_sq;
        if within(along_ab) && within(along_cd) {
            return inside_of(area_sq, extent(&[ac, ad, bc, bd]));
        }
        // An edge on one side of the other's line is separated from it by the normal of that line in the plane.
        let away = |direction: DVec3| if direction.dot(ac) < 0.0 { -direction } else { direction };
        let mut directions = [DVec3::ZERO; 3];
        if !within(along_ab) {
            directions[0] = away(normal.cross(cd));
        }
        if !within(along_cd) {
            directions[1] = away(normal.cross(ab));
        }
        Place::Outside(directions)
    }

    fn refine([start, end]: [&[DVec3; 4]; 2], inexact: f64, span: [f64; 2], nearness: Nearness) -> Option<f64> {
        let spanning = |&[ac, ad, bc, _]: &[DVec3; 4]| [ac, ac - ad, bc - ac];
        first_contact([*start, *end], inexact, span, nearness, |[start, end], inexact| {
            nearness.separation == 0.0
                && (Cubic::determinant(spanning(start), spanning(end), 2.0 * inexact).never_zero()
                    || Edges::on_one_side(start, end, inexact))
        })
    }
}
