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

use std::marker::PhantomData;

use glam::DVec3;

use super::cubic::{Around, Cubic, UNDERFLOW};
use super::ends::Ends;
use super::feature::{Edges, Face, Pair, Place};
use super::refine::{Nearness, extent};
use crate::mesh::{MAX_COORDINATE, MeshError};

/// What counts as a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Features at most this far apart are in contact. Zero: they touch.
    pub(super) separation: f64,
    /// Features that stay this much farther apart than `separation` are surely not reported. However small it is,
    /// rounding makes it at least 1e-12 of the largest distance between the features' points; and since work is bounded it doubles with every
    /// 64 pieces of time that cannot be told apart from contact, which takes motion along a curve that stays nearly
    /// in contact for long.
    pub(super) tolerance: f64,
}

impl Margin {
    /// Contact means touching, told apart as finely as rounding allows.
    pub const EXACT: Margin = Margin { separation: 0.0, tolerance: 0.0 };

    /// Contact within `separation`, told apart to a millionth of it.
    ///
    /// ```
    /// use superegg_mesh::ccd::elementary::Margin;
    /// assert!(Margin::separation(0.01).is_ok());
    /// assert_eq!(Margin::separation(-0.01).unwrap_err().to_string(), "separation: -0.01 is outside [0, 1e30]");
    /// ```
    pub fn separation(separation: f64) -> Result<Margin, MeshError> {
        Margin::new(separation, 1e-6 * separation)
    }

    /// Contact within `separation`, told apart to `tolerance`. Both are in [0, 1e30]: with less than nothing, bounds would
    /// shrink and contacts be missed.
    pub fn new(separation: f64, tolerance: f64) -> Result<Margin, MeshError> {
        for (value, field) in [(separation, "separation"), (tolerance, "tolerance")] {
            if !(0.0..=MAX_COORDINATE).contains(&value) {
                return Err(MeshError::Margin { field, value });
            }
        }
        Ok(Margin { separation, tolerance })
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
    Face::curved(control, margin.nearness())
}

/// When two edges first meet, each end moving along a Bézier curve: `N` control layers (degree `N - 1`), each
/// `[a, b, c, d]` for the edges ab and cd.
pub fn edge_edge_curved<const N: usize>(control: &[[DVec3; 4]; N], margin: Margin) -> Option<f64> {
    Edges::curved(control, margin.nearness())
}

/// When a pair of features first meets, for points given one after the other that move along Bézier curves.
#[inline]
pub(super) fn verdict<P: Pair, const N: usize>(points: [&[DVec3; N]; 4], margin: Margin) -> Verdict {
    if N == 2 {
        return solve::<P>(linear(points), margin);
    }
    let layers: [[DVec3; 4]; N] = std::array::from_fn(|i| points.map(|control| control[i]));
    Verdict { time: P::curved(&layers, margin.nearness()), refined: true }
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
    solve_coplanar::<P>(cubic, &linear(points), margin)
}

/// Points that move straight from their first to their last control point.
#[inline]
fn linear<const N: usize>(points: [&[DVec3; N]; 4]) -> [Ends; 4] {
    points.map(|control| Ends::new(&[control[0], control[N - 1]]))
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
    solve_coplanar::<P>(&cubic, &points, margin)
}

/// Decides at the times when the features may be coplanar.
#[inline]
fn solve_coplanar<P: Pair>(cubic: &Cubic, points: &[Ends; 4], margin: Margin) -> Verdict {
    let mut crossing = Crossing::<P>::new(cubic, points, margin);
    let time = if let Some(root) = cubic.single_root() {
        crossing.first_contact([root.enclose()].into_iter())
    } else {
        match cubic.around_extremum() {
            Around::Free => None,
            Around::Twice(roots) => crossing.first_contact(roots.iter().map(|root| root.enclose())),
            // Corners at one place, as after a break; told exactly, since differences vanish only for equal coordinates.
            Around::Unclear if P::points(points)[0].as_ref().contains(&DVec3::ZERO) => Some(0.0),
            Around::Unclear => crossing.first_contact(cubic.brackets().iter()),
        }
    };
    Verdict { time, refined: crossing.refined }
}

/// Features that may be coplanar now and then.
struct Crossing<'a, P> {
    points: &'a [Ends; 4],
    spanning: [Ends; 3],
    /// The largest coordinate of their relative points, or more.
    size: f64,
    margin: Margin,
    /// Whether the slow search had to decide.
    refined: bool,
    kind: PhantomData<P>,
}

impl<'a, P: Pair> Crossing<'a, P> {
    #[inline]
    fn new(cubic: &Cubic, points: &'a [Ends; 4], margin: Margin) -> Crossing<'a, P> {
        // A relative point is the sum of three spanning vectors at most.
        let (spanning, size) = (P::spanning(points), 3.0 * cubic.reach());
        Crossing { points, spanning, size, margin, refined: false, kind: PhantomData }
    }

    #[inline]
    fn at(&self, t: f64) -> [DVec3; 3] {
        self.spanning.map(|vector| vector.at(t))
    }

    /// When the features first meet in the pieces of time in which they may be coplanar.
    #[inline]
    fn first_contact(&mut self, mut brackets: impl Iterator<Item = [f64; 2]>) -> Option<f64> {
        brackets.find_map(|bracket| self.contact(bracket))
    }

    /// When the features meet in a piece of time, if they do.
    #[inline]
    fn contact(&mut self, [low, high]: [f64; 2]) -> Option<f64> {
        let middle = self.at(0.5 * (low + high));
        match P::locate(&middle) {
            Place::Inside if high - low < INSTANT => return Some(low),
            Place::Outside(direction) => {
                let reach = direction.abs().element_sum() * self.size;
                let bound = 16.0 * f64::EPSILON * reach + UNDERFLOW;
                // No point moves farther than by the size, this part of it, from the middle to either end.
                if P::clears(&middle, direction, bound + (high - low) * reach)
                    || [low, high].iter().all(|&t| P::clears(&self.at(t), direction, bound))
                {
                    return None;
                }
            }
            Place::Inside
                if high - low < NARROW
                    && [low, high].iter().all(|&t| matches!(P::locate(&self.at(t)), Place::Inside)) =>
            {
                return Some(low);
            }
            _ => {}
        }
        self.refined = true;
        refine::<P>(self.points, [low, high], self.margin)
    }
}

/// The slow search over a piece of time.
#[cold]
fn refine<P: Pair>(points: &[Ends; 4], span: [f64; 2], margin: Margin) -> Option<f64> {
    let [first, last] = P::points(points);
    if beside(first.as_ref(), last.as_ref()) {
        return None;
    }
    let [before, after] = span.map(|t| P::between(&first, &last, t));
    // Points that meet in this bracket are tiny there: how exact they are depends on where they came from.
    let inexact = INTERPOLATED * extent(first.as_ref()).max(extent(last.as_ref()));
    P::refine([&before, &after], inexact, span, margin.nearness())
}

/// Whether all relative points, before and after, lie on one side of the origin along a coordinate axis. However close the
/// features come, this is certain: rounding changes no sign of a difference.
fn beside(first: &[DVec3], last: &[DVec3]) -> bool {
    (0..3).any(|axis| {
        let keeps = |sign: f64| first.iter().chain(last).all(|point| sign * point[axis] > 0.0);
        keeps(1.0) || keeps(-1.0)
    })
}

/// How exact interpolated coordinates are, relative to the larger end: five roundings at most.
const INTERPOLATED: f64 = 4.0 * f64::EPSILON;

/// A bracket of time this short is taken as an instant when the features overlap in their common plane.
const INSTANT: f64 = 1e-12;

/// A bracket of time this short holds a contact when the features overlap at its start, middle and end.
const NARROW: f64 = 1e-6;
