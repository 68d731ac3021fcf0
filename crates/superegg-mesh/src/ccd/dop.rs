//! 18-DOPs in motion: the extents of features along nine axes at both ends of the time interval, as whole numbers of
//! sixteen bits.
//!
//! Along any axis the extents of linearly moving points stay between those interpolated from the ends. So two features
//! that lie on the same sides of each other at both ends, along one axis, are apart all the time: a bound that knows
//! which positions belong together in time, and is much tighter for things that move alike than a box around the swept
//! feature, at twice the memory. One position a vertex suffices for all: bounds of edges, triangles and nodes are
//! unions of their corners'. Curved motion is bounded by the straight one between its ends, made larger by how far it
//! deviates from that.
//!
//! Coordinates are counted in steps of a sixty-thousandth of the scene (twice as long ones for curved motion or with a
//! separation). Rounding to steps never changes which of two
//! coordinates is the greater, so it takes nothing but a step of slack; and eight axes at one time fit a vector of the
//! smallest size that every processor has.

use glam::DVec3;
use wide::i16x8;

use super::cubic::{greater, lesser};
use super::elementary::Margin;
use super::path::until;

/// Coordinates along eight axes: x, y, z, then sums and differences of two of them. The ninth, y - z, is kept apart,
/// since eight fill a vector, and their bounds a line of cache.
type Lanes = [i16; 8];

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
    ninth: [i16; 2],
}

/// The extents of a moving feature along eight axes at both ends of the time interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(super) struct Dop {
    low_start: Lanes,
    low_end: Lanes,
    high_start: Lanes,
    high_end: Lanes,
}

/// The extents of a moving triangle along the ninth axis. Pairs of triangles are compared by it, and so indirectly are
/// all bounds around them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ninth {
    /// At start and end.
    low: [i16; 2],
    high: [i16; 2],
}

impl Ninth {
    /// At the centre of the frame.
    pub const CENTRE: Ninth = Ninth { low: [0; 2], high: [0; 2] };

    /// Bounds a triangle.
    #[inline]
    pub fn of_triangle(a: &Track, b: &Track, c: &Track, slack: i16) -> Ninth {
        let [a, b, c] = [a, b, c].map(|track| track.ninth);
        Ninth {
            low: [0, 1].map(|i: usize| a[i].min(b[i]).min(c[i]).saturating_sub(slack)),
            high: [0, 1].map(|i: usize| a[i].max(b[i]).max(c[i]).saturating_add(slack)),
        }
    }

    /// Whether two bounds may meet.
    #[inline]
    pub fn overlaps<const MODE: Mode>(&self, other: &Ninth) -> bool {
        let above = |a: &Ninth, b: &Ninth| match MODE {
            SWEPT_BOX => false,
            SWEPT_DOP => a.low[0].min(a.low[1]) > b.high[0].max(b.high[1]),
            _ => (a.low[0] > b.high[0]) & (a.low[1] > b.high[1]),
        };
        !(above(self, other) | above(other, self))
    }
}

/// Half a scene in steps, where bounds take a step of slack or two: what sixteen bits hold.
const FINE: f64 = 30_000.0;

/// Half a scene in steps, where bounds may take any slack: then the largest there is reaches across the scene.
const COARSE: f64 = 16_000.0;

/// How positions become bounds: relative to the centre of the scene, in steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    centre: DVec3,
    /// Steps a unit of length along x, y and z; sums and differences of two coordinates take half as many.
    scale: f64,
    /// To be added on all sides of bounds: the separation and the rounding of two features, so that a bound can be
    /// compared with bare extents.
    pub slack: i16,
    latest: f64,
}

impl Frame {
    /// Fits the frame to all positions that will be bounded, for times up to `latest`; `N` of them are the control
    /// points of a vertex. Bounds of features that an elementary test may report overlap, its tolerance included, so
    /// that culling changes no answer.
    pub fn new<'a, const N: usize>(positions: impl Iterator<Item = &'a DVec3>, margin: Margin, latest: f64) -> Frame {
        let mut low = DVec3::splat(f64::INFINITY);
        let mut high = DVec3::splat(f64::NEG_INFINITY);
        for p in positions {
            low = DVec3::new(lesser(p.x, low.x), lesser(p.y, low.y), lesser(p.z, low.z));
            high = DVec3::new(greater(p.x, high.x), greater(p.y, high.y), greater(p.z, high.z));
        }
        let reach = margin.separation + 2.0 * margin.tolerance;
        let half = if N == 2 && reach == 0.0 { FINE } else { COARSE };
        let scale = 2.0 * half / (high - low).max_element();
        if !(scale.is_finite() && scale > 0.0) {
            // Nothing, or all in one place: all bounds are one.
            return Frame { centre: DVec3::ZERO, scale: 0.0, slack: 0, latest };
        }
        let frame = Frame { centre: 0.5 * (low + high), scale, slack: 0, latest };
        // A step is far more than what positions and their sums are rounded by.
        Frame { slack: frame.steps(reach), ..frame }
    }

    /// A length along any of the axes in steps, rounded up. More than the scene is as much as there is.
    #[inline]
    pub fn steps(&self, length: f64) -> i16 {
        (length * self.scale * 1.001 + 2.0) as i16
    }

    /// A moving vertex as seen from the centre, up to the latest time that matters.
    #[inline]
    pub fn local<const N: usize>(&self, control: &[DVec3; N]) -> [DVec3; N] {
        until(control, self.centre, self.latest)
    }

    /// Follows a vertex, given as seen from the centre.
    #[inline]
    pub fn track<const N: usize>(&self, local: &[DVec3; N]) -> Track {
        let along = |point: DVec3| {
            let DVec3 { x, y, z } = point * (0.5 * self.scale);
            let lanes = [2.0 * x, 2.0 * y, 2.0 * z, x + y, x + z, y + z, x - y, x - z].map(nearest);
            (lanes, nearest(y - z))
        };
        let ((start, ninth_start), (end, ninth_end)) = (along(local[0]), along(local[N - 1]));
        Track { start, end, ninth: [ninth_start, ninth_end] }
    }
}

/// The nearest whole number of one that sixteen bits hold; rounding keeps the order. Added to a number whose last place
/// is that of one, the sum's last bits are the answer, in a fraction of the time of a conversion that checks.
#[inline]
fn nearest(coordinate: f64) -> i16 {
    const UNITS_IN_LAST_PLACE: f64 = 1.5 * (1u64 << 52) as f64;
    (coordinate + UNITS_IN_LAST_PLACE).to_bits() as i16
}

impl Track {
    /// At the centre of the frame.
    pub const CENTRE: Track = Track { start: [0; 8], end: [0; 8], ninth: [0; 2] };

    /// The coordinates along the first eight axes, at both ends.
    #[inline]
    pub fn lanes(&self) -> [i16x8; 2] {
        [self.start, self.end].map(i16x8::from)
    }
}

#[inline]
fn least(a: Lanes, b: Lanes) -> Lanes {
    i16x8::from(a).min(i16x8::from(b)).to_array()
}

#[inline]
fn greatest(a: Lanes, b: Lanes) -> Lanes {
    i16x8::from(a).max(i16x8::from(b)).to_array()
}

impl Dop {
    /// Contains nothing.
    pub const EMPTY: Dop =
        Dop { low_start: [i16::MAX; 8], low_end: [i16::MAX; 8], high_start: [i16::MIN; 8], high_end: [i16::MIN; 8] };

    /// A vertex, as a bound without extents.
    #[inline]
    pub fn of_vertex(track: &Track) -> Dop {
        let Track { start, end, .. } = *track;
        Dop { low_start: start, low_end: end, high_start: start, high_end: end }
    }

    /// Bounds a triangle.
    #[inline]
    pub fn of_triangle(a: &Track, b: &Track, c: &Track, slack: i16) -> Dop {
        Dop::of_vertex(a).union(&Dop::of_vertex(b)).union(&Dop::of_vertex(c)).loosened(slack)
    }

    /// Made larger on all sides.
    #[inline]
    pub fn loosened(&self, slack: i16) -> Dop {
        let lower = |lanes: Lanes| i16x8::from(lanes).saturating_sub(i16x8::splat(slack)).to_array();
        let raise = |lanes: Lanes| i16x8::from(lanes).saturating_add(i16x8::splat(slack)).to_array();
        Dop {
            low_start: lower(self.low_start),
            low_end: lower(self.low_end),
            high_start: raise(self.high_start),
            high_end: raise(self.high_end),
        }
    }

    /// The bound of both.
    #[inline]
    pub fn union(&self, other: &Dop) -> Dop {
        Dop {
            low_start: least(self.low_start, other.low_start),
            low_end: least(self.low_end, other.low_end),
            high_start: greatest(self.high_start, other.high_start),
            high_end: greatest(self.high_end, other.high_end),
        }
    }

    /// Whether two bounds, or a bound and bare extents, may meet.
    #[inline]
    pub fn overlaps<const MODE: Mode>(&self, other: &Dop) -> bool {
        let [[als, ale, ahs, ahe], [bls, ble, bhs, bhe]] =
            [self, other].map(|dop| [dop.low_start, dop.low_end, dop.high_start, dop.high_end].map(i16x8::from));
        if MODE == MOVING_DOP {
            let above = als.simd_gt(bhs) & ale.simd_gt(bhe);
            let below = bls.simd_gt(ahs) & ble.simd_gt(ahe);
            return !(above | below).any();
        }
        let above = als.min(ale).simd_gt(bhs.max(bhe));
        let below = bls.min(ble).simd_gt(ahs.max(ahe));
        let apart = (above | below).to_bitmask();
        if MODE == SWEPT_BOX {
            return apart & 7 == 0;
        }
        apart == 0
    }

    /// The extents of the box that is swept, in steps.
    fn swept(&self, axis: usize) -> [f32; 2] {
        let low = self.low_start[axis].min(self.low_end[axis]);
        let high = self.high_start[axis].max(self.high_end[axis]);
        [f32::from(low), f32::from(high)]
    }

    /// The sum of the sides of the box that is swept, which measures how likely it is hit.
    pub fn girth(&self) -> f32 {
        (0..3).map(|axis| self.swept(axis)).map(|[low, high]| high - low).sum()
    }

    /// The middle of the box that is swept.
    pub fn centre(&self) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.swept(axis)).map(|[low, high]| 0.5 * (low + high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(frame: &Frame, motion: [DVec3; 2]) -> Dop {
        let track = frame.track(&frame.local(&motion));
        Dop::of_triangle(&track, &track, &track, frame.slack)
    }

    #[test]
    fn coordinates_go_to_the_nearest_step_in_order() {
        let mut before = i16::MIN;
        for quarter in -4 * 32_000..=4 * 32_000 {
            let coordinate = f64::from(quarter) / 4.0;
            let step = nearest(coordinate);
            assert!((f64::from(step) - coordinate).abs() <= 0.5 && step >= before, "{coordinate}: {step}");
            before = step;
        }
    }

    #[test]
    fn disjoint_bounds_prove_disjoint_points_at_any_scale() {
        for scale in [1e-12, 1e-6, 1.0, 1e6, 1e20] {
            let points = [DVec3::new(1.0, 2.0, 3.0) * scale, DVec3::new(1.0 + 1e-15, 2.0, 3.0) * scale];
            let frame =
                Frame::new::<2>(points.iter().chain(&[DVec3::ZERO, DVec3::splat(7.0 * scale)]), Margin::EXACT, 1.0);
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
                let frame = Frame::new::<2>(points.iter(), Margin::separation(separation).unwrap(), 1.0);
                let a = bound(&frame, [points[0], points[0]]);
                let b = Dop::of_vertex(&frame.track(&frame.local(&[points[1], points[1]])));
                assert_eq!(a.overlaps::<MOVING_DOP>(&b), near, "{direction} {separation}");
            }
        }
    }

    #[test]
    fn things_that_move_alike_stay_apart_and_things_that_swap_places_do_not() {
        let (left, right) = (DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0));
        let along = DVec3::new(5.0, 1.0, 0.0);
        let frame = Frame::new::<2>([left, right, left + along, right + along].iter(), Margin::EXACT, 1.0);
        let [a, b] = [left, right].map(|p| bound(&frame, [p, p + along]));
        assert!(!a.overlaps::<MOVING_DOP>(&b));
        assert!(a.overlaps::<SWEPT_BOX>(&b));
        let [a, b] = [[left, right], [right, left]].map(|motion| bound(&frame, motion));
        assert!(a.overlaps::<MOVING_DOP>(&b));
    }
}
