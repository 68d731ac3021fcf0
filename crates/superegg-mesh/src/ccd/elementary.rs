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
use super::ends::Ends;
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
    solve::<Face>([0, 1, 2, 3].map(|i: usize| Ends::new(&[start[i], end[i]])), margin)
}

/// As [`edge_edge`], telling how the answer was found.
#[inline]
pub fn edge_edge_verdict(start: &[DVec3; 4], end: &[DVec3; 4], margin: Margin) -> Verdict {
    solve::<Edges>([0, 1, 2, 3].map(|i: usize| Ends::new(&[start[i], end[i]])), margin)
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

/// When a pair of features first meets, for points given one after the other that move along Bézier curves.
#[inline]
pub(super) fn verdict<P: Pair, const N: usize>(points: [&[DVec3; N]; 4], margin: Margin) -> Verdict {
    if N == 2 {
        return solve::<P>(linear(points), margin);
    }
    let layers: [[DVec3; 4]; N] = std::array::from_fn(|i| points.map(|control| control[i]));
    Verdict { time: P::curved(&layers, margin), refined: true }
}

/// The cubic that vanishes when four points that move linearly are coplanar, without which the features do not touch.
#[inline]
pub(super) fn coplanar<P: Pair, const N: usize>(points: [&[DVec3; N]; 4]) -> Cubic {
    Cubic::determinant(P::spanning(&linear(points)), 0.0)
}

/// As [`verdict`] for linear motion, where the cubic of coplanarity is known.
#[inline]
pub(super) fn verdict_of_coplanar<P: Pair, const N: usize>(
    cubic: &Cubic,
    points: [&[DVec3; N]; 4],
    margin: Margin,
) -> Verdict {
    solve_brackets::<P>(cubic, &linear(points), margin)
}

/// Points that move straight from their first to their last control point.
#[inline]
fn linear<const N: usize>(points: [&[DVec3; N]; 4]) -> [Ends; 4] {
    points.map(|control| Ends::new(&[control[0], control[N - 1]]))
}

/// Where the origin lies with respect to the hull of relative points that are nearly coplanar with it.
pub(super) enum Place {
    /// The hull surrounds the origin.
    Inside,
    /// The hull is on one side of the origin; the directions, one of which should separate them.
    Outside([DVec3; 3]),
    /// The hull is too thin to tell.
    Unclear,
}

/// A pair of features, seen as the hull of points relative to each other: they meet when it contains the origin.
pub(super) trait Pair {
    /// The relative points.
    type Points: AsRef<[DVec3]> + Copy;

    /// The vectors whose determinant vanishes when the features are coplanar.
    fn spanning(points: &[Ends; 4]) -> [Ends; 3];
    /// The relative points at both ends, each coordinate with one rounding.
    fn points(points: &[Ends; 4]) -> [Self::Points; 2];
    /// When the features first meet, moving along Bézier curves given by control layers.
    fn curved<const N: usize>(control: &[[DVec3; 4]; N], margin: Margin) -> Option<f64>;
    /// Interpolates between two instants.
    fn at(start: &Self::Points, end: &Self::Points, t: f64) -> Self::Points;
    /// Locates the origin.
    fn locate(points: &Self::Points) -> Place;
    /// The slow search over a piece of time; coordinates at its ends are exact to `inexact` and a few roundings.
    fn refine(ends: [&Self::Points; 2], inexact: f64, span: [f64; 2], nearness: Nearness) -> Option<f64>;
}

#[inline]
fn solve<P: Pair>(points: [Ends; 4], margin: Margin) -> Verdict {
    if margin.separation > 0.0 {
        let [first, last] = P::points(&points);
        return Verdict { time: P::refine([&first, &last], 0.0, [0.0, 1.0], margin.nearness()), refined: true };
    }
    let cubic = Cubic::determinant(P::spanning(&points), 0.0);
    if cubic.never_zero() {
        return Verdict::APART;
    }
    solve_brackets::<P>(&cubic, &points, margin)
}

/// Decides at the times when the features may be coplanar.
fn solve_brackets<P: Pair>(cubic: &Cubic, points: &[Ends; 4], margin: Margin) -> Verdict {
    if cubic.never_zero_in_halves() {
        return Verdict::APART;
    }
    let [first, last] = P::points(points);
    // Corners at one place, as after a break; told exactly, since differences vanish only for equal coordinates.
    if first.as_ref().contains(&DVec3::ZERO) {
        return Verdict { time: Some(0.0), refined: false };
    }
    let motion = [first, last];
    let size = extent(first.as_ref()).max(extent(last.as_ref()));
    if let Some(root) = cubic.single_root() {
        // Most features that miss each other do so by far.
        let rough = root.roughly();
        if misses::<P>(&motion, rough, size) {
            return Verdict::APART;
        }
        return decide::<P>(&motion, [root.exactly(rough)].into_iter(), size, margin);
    }
    decide::<P>(&motion, cubic.brackets().iter(), size, margin)
}

/// Whether one direction surely separates the features for a whole piece of time.
#[inline]
fn misses<P: Pair>([first, last]: &[P::Points; 2], [low, high]: [f64; 2], size: f64) -> bool {
    match P::locate(&P::at(first, last, 0.5 * (low + high))) {
        Place::Outside(directions) => {
            let (before, after) = (P::at(first, last, low), P::at(first, last, high));
            separated(&directions, before.as_ref(), after.as_ref(), size)
        }
        _ => false,
    }
}

/// Decides the pieces of time in which the features may be coplanar in turn.
fn decide<P: Pair>(
    [first, last]: &[P::Points; 2],
    brackets: impl Iterator<Item = [f64; 2]>,
    size: f64,
    margin: Margin,
) -> Verdict {
    let inside = |points: &P::Points| matches!(P::locate(points), Place::Inside);
    let mut refined = false;
    for [low, high] in brackets {
        let place = P::locate(&P::at(first, last, 0.5 * (low + high)));
        if matches!(place, Place::Inside) && high - low < INSTANT {
            return Verdict { time: Some(low), refined };
        }
        let (before, after) = (P::at(first, last, low), P::at(first, last, high));
        match place {
            Place::Inside if high - low < NARROW && inside(&before) && inside(&after) => {
                return Verdict { time: Some(low), refined };
            }
            Place::Outside(directions) if separated(&directions, before.as_ref(), after.as_ref(), size) => continue,
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

/// Whether all points, before and after, surely lie in one of these directions from the origin; they were computed from
/// coordinates of this size.
fn separated(directions: &[DVec3; 3], before: &[DVec3], after: &[DVec3], size: f64) -> bool {
    directions.iter().any(|direction| {
        let bound = direction.abs().element_sum() * (16.0 * f64::EPSILON * size) + UNDERFLOW;
        before.iter().chain(after).all(|point| direction.dot(*point) > bound)
    })
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
pub(super) struct Face;

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
    fn spanning(&[v, a, b, c]: &[Ends; 4]) -> [Ends; 3] {
        [a - v, b - v, c - v]
    }

    #[inline]
    fn points(points: &[Ends; 4]) -> [[DVec3; 3]; 2] {
        let [a, b, c] = Face::spanning(points).map(|corner| corner.split());
        [[a[0], b[0], c[0]], [a[1], b[1], c[1]]]
    }

    fn curved<const N: usize>(control: &[[DVec3; 4]; N], margin: Margin) -> Option<f64> {
        vertex_face_curved(control, margin)
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
                && (Cubic::determinant([0, 1, 2].map(|i: usize| Ends::new(&[start[i], end[i]])), inexact).never_zero()
                    || (0..3).any(|i| Face::beyond_edge(start, end, i, inexact)))
        })
    }
}

/// Two edges ab and cd: the differences a-c, a-d, b-c and b-d.
pub(super) struct Edges;

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
    fn spanning(&[a, b, c, d]: &[Ends; 4]) -> [Ends; 3] {
        [c - a, b - a, d - c]
    }

    #[inline]
    fn points(&[a, b, c, d]: &[Ends; 4]) -> [[DVec3; 4]; 2] {
        let [ac, ad, bc, bd] = [a - c, a - d, b - c, b - d].map(|difference| difference.split());
        [[ac[0], ad[0], bc[0], bd[0]], [ac[1], ad[1], bc[1], bd[1]]]
    }

    fn curved<const N: usize>(control: &[[DVec3; 4]; N], margin: Margin) -> Option<f64> {
        edge_edge_curved(control, margin)
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
