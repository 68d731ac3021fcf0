//! 18-DOPs in motion: the extents of features along nine axes at both ends of the time interval, in single precision
//! rounded outwards.
//!
//! Along any axis the extents of linearly moving points stay between those interpolated from the ends. So two features
//! that lie on the same sides of each other at both ends, along one axis, are apart all the time: a bound that knows
//! which positions belong together in time, and is much tighter for things that move alike than a box around the swept
//! feature, at twice the memory. One position a vertex suffices for all: bounds of edges, triangles and nodes are
//! unions of their corners'. Curved motion is bounded by the straight one between its ends, made larger by how far it
//! deviates from that.

use glam::DVec3;
use wide::{f32x4, f32x8};

use super::elementary::Margin;
use super::path::until;

/// Coordinates along eight axes: x, y, z, then sums and differences of two of them. The ninth, y - z, is kept apart,
/// since eight fill a vector.
type Lanes = [f32; 8];

/// How bounds are compared: as a number, since it selects code.
pub(super) type Mode = u8;
/// By boxes around the swept features.
pub(super) const SWEPT_BOX: Mode = 0;
/// By 18-DOPs around the swept features.
pub(super) const SWEPT_DOP: Mode = 1;
/// By 18-DOPs at both ends of the time interval.
pub(super) const MOVING_DOP: Mode = 2;

/// The coordinates of a moving vertex along the axes, at both ends of the time interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Track {
    start: Lanes,
    end: Lanes,
    /// Along the ninth axis: start, end.
    ninth: [f32; 2],
}

/// The extents of a moving feature at both ends of the time interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dop {
    low_start: Lanes,
    low_end: Lanes,
    high_start: Lanes,
    high_end: Lanes,
    /// Along the ninth axis: low at start and end, high at start and end.
    ninth: [f32; 4],
}

/// How positions become bounds: relative to the centre of the scene, so that single precision goes far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    centre: DVec3,
    /// To be added on all sides of bounds: the separation and the rounding of two features, so that a bound can be
    /// compared with the bare extents of a feature.
    pub slack: f32,
    latest: f64,
}

impl Frame {
    /// Fits the frame to all positions that will be bounded, for times up to `latest`. Bounds of features that an
    /// elementary test may report overlap, its tolerance included, so that culling changes no answer.
    pub fn new<'a>(positions: impl Iterator<Item = &'a DVec3>, margin: Margin, latest: f64) -> Frame {
        let mut low = DVec3::splat(f64::INFINITY);
        let mut high = DVec3::splat(f64::NEG_INFINITY);
        for &p in positions {
            low = low.min(p);
            high = high.max(p);
        }
        if !low.is_finite() {
            return Frame { centre: DVec3::ZERO, slack: 0.0, latest };
        }
        // Coordinates along diagonals reach the sum of two half extents, and features are that much longer there.
        let extent = (high - low).max_element();
        let slack = std::f64::consts::SQRT_2 * (margin.separation + 2.0 * margin.tolerance)
            + 4.0 * f64::from(f32::EPSILON) * extent;
        Frame { centre: 0.5 * (low + high), slack: (slack * 1.001) as f32 + f32::MIN_POSITIVE, latest }
    }

    /// A moving vertex as seen from the centre, up to the latest time that matters.
    #[inline]
    pub fn local<const N: usize>(&self, control: &[DVec3; N]) -> [DVec3; N] {
        until(control, self.centre, self.latest)
    }
}

impl Track {
    /// At the centre of the frame.
    pub const CENTRE: Track = Track { start: [0.0; 8], end: [0.0; 8], ninth: [0.0; 2] };

    /// Follows a vertex, given as the frame sees it.
    #[inline]
    pub fn new<const N: usize>(local: &[DVec3; N]) -> Track {
        let along = |DVec3 { x, y, z }: DVec3| [x, y, z, x + y, x + z, y + z, x - y, x - z].map(|c| c as f32);
        let (start, end) = (local[0], local[N - 1]);
        Track { start: along(start), end: along(end), ninth: [(start.y - start.z) as f32, (end.y - end.z) as f32] }
    }
}

/// The lesser of each; plain comparisons, since no coordinate is NaN.
#[inline]
fn least<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    std::array::from_fn(|i| if b[i] < a[i] { b[i] } else { a[i] })
}

/// The greater of each.
#[inline]
fn greatest<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    std::array::from_fn(|i| if b[i] > a[i] { b[i] } else { a[i] })
}

impl Dop {
    /// Contains nothing.
    pub const EMPTY: Dop = Dop {
        low_start: [f32::INFINITY; 8],
        low_end: [f32::INFINITY; 8],
        high_start: [f32::NEG_INFINITY; 8],
        high_end: [f32::NEG_INFINITY; 8],
        ninth: [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY],
    };

    /// The bare extents of an edge.
    #[inline]
    pub fn of_edge(a: &Track, b: &Track) -> Dop {
        let [low, high] = [least(a.ninth, b.ninth), greatest(a.ninth, b.ninth)];
        Dop {
            low_start: least(a.start, b.start),
            low_end: least(a.end, b.end),
            high_start: greatest(a.start, b.start),
            high_end: greatest(a.end, b.end),
            ninth: [low[0], low[1], high[0], high[1]],
        }
    }

    /// Bounds a triangle.
    #[inline]
    pub fn of_triangle(a: &Track, b: &Track, c: &Track, slack: f32) -> Dop {
        Dop::of_edge(a, b).union(&Dop::of_edge(c, c)).loosened(slack)
    }

    /// Made larger on all sides.
    #[inline]
    pub fn loosened(&self, slack: f32) -> Dop {
        let [ls, le, hs, he] = self.ninth;
        Dop {
            low_start: self.low_start.map(|x| x - slack),
            low_end: self.low_end.map(|x| x - slack),
            high_start: self.high_start.map(|x| x + slack),
            high_end: self.high_end.map(|x| x + slack),
            ninth: [ls - slack, le - slack, hs + slack, he + slack],
        }
    }

    /// The bound of both.
    #[inline]
    pub fn union(&self, other: &Dop) -> Dop {
        let (a, b) = (self.ninth, other.ninth);
        let [low, high] = [least([a[0], a[1]], [b[0], b[1]]), greatest([a[2], a[3]], [b[2], b[3]])];
        Dop {
            low_start: least(self.low_start, other.low_start),
            low_end: least(self.low_end, other.low_end),
            high_start: greatest(self.high_start, other.high_start),
            high_end: greatest(self.high_end, other.high_end),
            ninth: [low[0], low[1], high[0], high[1]],
        }
    }

    /// Whether two bounds, or a bound and the bare extents of a feature, may meet.
    #[inline]
    pub fn overlaps<const MODE: Mode>(&self, other: &Dop) -> bool {
        let [a, b] = [self, other].map(|dop| [dop.low_start, dop.low_end, dop.high_start, dop.high_end]);
        overlap::<MODE>(a, self.ninth, b, other.ninth)
    }

    /// Whether a vertex may meet what is bounded.
    #[inline]
    pub fn may_meet<const MODE: Mode>(&self, vertex: &Track) -> bool {
        let lanes = [self.low_start, self.low_end, self.high_start, self.high_end];
        let [start, end] = vertex.ninth;
        overlap::<MODE>(
            lanes,
            self.ninth,
            [vertex.start, vertex.end, vertex.start, vertex.end],
            [start, end, start, end],
        )
    }

    /// The sum of the sides of the box that is swept, which measures how likely it is hit.
    pub fn girth(&self) -> f32 {
        (0..3).map(|i| self.high_start[i].max(self.high_end[i]) - self.low_start[i].min(self.low_end[i])).sum()
    }

    /// The middle of the box that is swept.
    pub fn centre(&self) -> [f32; 3] {
        std::array::from_fn(|i| {
            0.5 * (self.high_start[i].max(self.high_end[i]) + self.low_start[i].min(self.low_end[i]))
        })
    }
}

/// Compares extents: low at start and end, high at start and end, along eight axes and the ninth.
#[inline]
fn overlap<const MODE: Mode>(a: [Lanes; 4], a_ninth: [f32; 4], b: [Lanes; 4], b_ninth: [f32; 4]) -> bool {
    if MODE == SWEPT_BOX {
        return (0..3).all(|i| {
            let [own, its] = [&a, &b].map(|lanes| (lanes[0][i].min(lanes[1][i]), lanes[2][i].max(lanes[3][i])));
            own.0 <= its.1 && its.0 <= own.1
        });
    }
    let [als, ale, ahs, ahe] = a.map(f32x8::from);
    let [bls, ble, bhs, bhe] = b.map(f32x8::from);
    let (a, b) = (a_ninth, b_ninth);
    if MODE == SWEPT_DOP {
        let above = als.fast_min(ale).simd_gt(bhs.fast_max(bhe));
        let below = bls.fast_min(ble).simd_gt(ahs.fast_max(ahe));
        let ninth = a[0].min(a[1]) > b[2].max(b[3]) || b[0].min(b[1]) > a[2].max(a[3]);
        return !((above | below).any() || ninth);
    }
    let above = als.simd_gt(bhs) & ale.simd_gt(bhe);
    let below = bls.simd_gt(ahs) & ble.simd_gt(ahe);
    // The ninth axis in one vector: above at start and end, below at start and end.
    let ninth = f32x4::from([a[0], a[1], b[0], b[1]]).simd_gt(f32x4::from([b[2], b[3], a[2], a[3]])).to_bitmask();
    !((above | below).any() || ninth & 3 == 3 || ninth & 12 == 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(frame: &Frame, motion: [DVec3; 2]) -> Dop {
        let track = Track::new(&frame.local(&motion));
        Dop::of_triangle(&track, &track, &track, frame.slack)
    }

    #[test]
    fn disjoint_bounds_prove_disjoint_points_at_any_scale() {
        for scale in [1e-12, 1e-6, 1.0, 1e6, 1e20] {
            let points = [DVec3::new(1.0, 2.0, 3.0) * scale, DVec3::new(1.0 + 1e-15, 2.0, 3.0) * scale];
            let frame = Frame::new(points.iter().chain(&[DVec3::ZERO, DVec3::splat(7.0 * scale)]), Margin::EXACT, 1.0);
            let [a, b] = points.map(|p| bound(&frame, [p, p]));
            // Closer than the rounding that bounds allow for.
            assert!(a.overlaps::<MOVING_DOP>(&b));
            let moved = points[0] + DVec3::new(1e-3, 0.0, 0.0) * scale;
            assert!(!a.overlaps::<MOVING_DOP>(&bound(&frame, [moved, moved])), "scale {scale}");
        }
    }

    #[test]
    fn separation_inflates_along_every_axis() {
        for direction in [DVec3::X, DVec3::new(1.0, 1.0, 0.0).normalize(), DVec3::new(0.0, 1.0, -1.0).normalize()] {
            let points = [DVec3::ZERO, direction];
            for (separation, near) in [(0.3, false), (1.0, true)] {
                let frame = Frame::new(points.iter(), Margin::separation(separation), 1.0);
                let a = bound(&frame, [points[0], points[0]]);
                let b = Track::new(&frame.local(&[points[1], points[1]]));
                assert_eq!(a.may_meet::<MOVING_DOP>(&b), near, "{direction} {separation}");
            }
        }
    }

    #[test]
    fn things_that_move_alike_stay_apart_and_things_that_swap_places_do_not() {
        let (left, right) = (DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0));
        let along = DVec3::new(5.0, 1.0, 0.0);
        let frame = Frame::new([left, right, left + along, right + along].iter(), Margin::EXACT, 1.0);
        let [a, b] = [left, right].map(|p| bound(&frame, [p, p + along]));
        assert!(!a.overlaps::<MOVING_DOP>(&b));
        assert!(a.overlaps::<SWEPT_BOX>(&b));
        let [a, b] = [[left, right], [right, left]].map(|motion| bound(&frame, motion));
        assert!(a.overlaps::<MOVING_DOP>(&b));
    }
}
