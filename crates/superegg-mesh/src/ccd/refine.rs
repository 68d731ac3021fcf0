//! The slow, sure search for the first contact: bisection of time, each piece excluded only by proof.
//!
//! A contact is "the origin lies within a given distance of the hull of K moving points" (the corners of a face seen
//! from a vertex, or the four differences between the ends of two edges). Over a piece of time each moving point stays
//! in the hull of its Bézier control points, so a direction in which all control points lie beyond the distance rules
//! out the whole piece. Pieces that cannot be ruled out are halved, the earliest first, until one moves less than the
//! tolerance: there is the contact. It serves every degree of motion and every separation alike, and never answers "no" wrongly.

use glam::DVec3;

use super::cubic::greater;
use super::hull::separated;
use super::path::halves;

/// The tolerance doubles each time that this many pieces had to be halved, which bounds the work for every input.
/// Only a motion that stays almost in contact for a long time, along a curve, gets that far.
const PATIENCE: i32 = 64;

/// Halving more often than this exhausts the precision of time.
const MAX_DEPTH: u32 = 60;

/// How near is a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearness {
    /// Features at most this far apart are in contact.
    pub separation: f64,
    /// A contact may be reported although the features stay this much farther apart.
    pub tolerance: f64,
}

/// `N` control layers of `K` moving points over the piece of time `[start, end]`.
struct Piece<const K: usize, const N: usize> {
    control: [[DVec3; K]; N],
    start: f64,
    end: f64,
    /// How often the span was halved to get here.
    depth: u32,
}

impl<const K: usize, const N: usize> Piece<K, N> {
    /// How far any control point is from where its point is at the start.
    fn motion(&self) -> f64 {
        let first = &self.control[0];
        let moved = self.control[1..].iter().flat_map(|layer| (0..K).map(|k| (layer[k] - first[k]).length_squared()));
        moved.fold(0.0, f64::max).sqrt()
    }

    /// Both halves.
    fn halves(&self) -> [Piece<K, N>; 2] {
        let mean = |a: [DVec3; K], b: [DVec3; K]| std::array::from_fn(|k| 0.5 * (a[k] + b[k]));
        let [left, right] = halves(&self.control, mean);
        let middle = 0.5 * (self.start + self.end);
        [
            Piece { control: left, start: self.start, end: middle, depth: self.depth + 1 },
            Piece { control: right, start: middle, end: self.end, depth: self.depth + 1 },
        ]
    }
}

/// The largest absolute coordinate.
#[inline]
pub(super) fn extent(points: &[DVec3]) -> f64 {
    let coordinates = points.iter().flat_map(|point| point.abs().to_array());
    coordinates.fold(0.0, |largest, coordinate| greater(coordinate, largest))
}

/// The power of two next below a positive number, or one for zero.
fn power_of_two_below(x: f64) -> f64 {
    if x > 0.0 { 2f64.powi(x.log2().floor() as i32).max(f64::MIN_POSITIVE) } else { 1.0 }
}

/// A time not after the first contact within `span`, or `None` when there surely is none. `control` are the Bézier
/// control layers over `span`, exact to `inexact` and `4 EPSILON` of their largest coordinate: where points come
/// together their coordinates cancel, and then what they were computed from decides how far off they are. `excluded`
/// may give further proofs that a piece, whose coordinates are known to within its second argument, is free of contact.
pub(super) fn first_contact<const K: usize, const N: usize>(
    control: [[DVec3; K]; N],
    inexact: f64,
    span: [f64; 2],
    nearness: Nearness,
    excluded: impl Fn(&[[DVec3; K]; N], f64) -> bool,
) -> Option<f64> {
    // Scaled, by a power of two and so without error, to about one: no product under- or overflows.
    let scale = power_of_two_below(extent(control.as_flattened()));
    let control = control.map(|layer| layer.map(|point| point / scale));
    let separation = nearness.separation / scale;
    let inexact = inexact / scale;
    let unit = extent(control.as_flattened()) * f64::EPSILON;
    // Below this, rounding decides.
    let tolerance = (nearness.tolerance / scale).max(64.0 * unit).max(16.0 * inexact);
    // The pieces still to examine, the first one last.
    let mut pieces = vec![Piece { control, start: span[0], end: span[1], depth: 0 }];
    let mut examined = 0;
    while let Some(piece) = pieces.pop() {
        let error = inexact + unit * f64::from(8 + N as u32 * (piece.depth + 1));
        if excluded(&piece.control, error) || separated(piece.control.as_flattened(), separation, error) {
            continue;
        }
        examined += 1;
        if piece.motion() <= tolerance * 2f64.powi(examined / PATIENCE) || piece.depth == MAX_DEPTH {
            // Midpoints of a span whose ends are not dyadic are rounded, by less than this in all.
            let rounding = if span == [0.0, 1.0] { 0.0 } else { f64::from(MAX_DEPTH) * f64::EPSILON };
            return Some((piece.start - rounding).max(span[0]));
        }
        let [left, right] = piece.halves();
        pieces.extend([right, left]);
    }
    None
}
