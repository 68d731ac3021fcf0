//! 18-DOPs: the extents of moving features along nine axes, in single precision rounded outwards.
//!
//! The hull of a linearly moving feature is the hull of its corners at both ends of the time interval, so one bound a
//! vertex suffices: that of an edge or a triangle is the union of its corners'.

use glam::DVec3;

use super::traverse::local_end;

/// Axes: x, y, z, then the sums and differences of two of them.
const AXES: usize = 9;

/// Diagonal axes are this much longer than one.
const DIAGONAL: f64 = std::f64::consts::SQRT_2;

/// The extents of a moving feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dop {
    low: [f32; AXES],
    high: [f32; AXES],
}

/// How coordinates become bounds: relative to the centre of the scene, so that single precision goes far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    centre: DVec3,
    /// Added on all sides along the coordinate axes: half the separation and all rounding in double precision.
    slack: f64,
}

impl Frame {
    /// Fits the frame to all positions that will be bounded.
    pub fn new<'a>(positions: impl Iterator<Item = &'a DVec3>, separation: f64) -> Frame {
        let mut low = DVec3::splat(f64::INFINITY);
        let mut high = DVec3::splat(f64::NEG_INFINITY);
        for &p in positions {
            low = low.min(p);
            high = high.max(p);
        }
        if !low.is_finite() {
            return Frame { centre: DVec3::ZERO, slack: 0.0 };
        }
        let extent = (high - low).max_element();
        Frame {
            centre: 0.5 * (low + high),
            slack: 0.5 * separation * (1.0 + 1e-9) + 16.0 * f64::EPSILON * extent + 1e-37,
        }
    }
}

impl Dop {
    /// Contains nothing.
    pub const EMPTY: Dop = Dop { low: [f32::INFINITY; AXES], high: [f32::NEG_INFINITY; AXES] };

    /// Bounds a vertex that moves linearly, up to the time `latest`.
    #[inline]
    pub fn of_motion(frame: &Frame, motion: [DVec3; 2], latest: f64) -> Dop {
        let along = |DVec3 { x, y, z }: DVec3| [x, y, z, x + y, x + z, y + z, x - y, x - z, y - z];
        let start = along(motion[0] - frame.centre);
        let end = along(local_end(motion, frame.centre, latest));
        let mut dop = Dop::EMPTY;
        for i in 0..AXES {
            let slack = if i < 3 { frame.slack } else { frame.slack * DIAGONAL };
            // Conversion rounds to nearest; twice the spacing of single precision makes it outward.
            let (low, high) = if start[i] < end[i] { (start[i], end[i]) } else { (end[i], start[i]) };
            let (l, h) = ((low - slack) as f32, (high + slack) as f32);
            dop.low[i] = l - l.abs() * (2.0 * f32::EPSILON) - f32::MIN_POSITIVE;
            dop.high[i] = h + h.abs() * (2.0 * f32::EPSILON) + f32::MIN_POSITIVE;
        }
        dop
    }

    /// The bound of both.
    #[inline]
    pub fn union(&self, other: &Dop) -> Dop {
        let mut dop = *self;
        for i in 0..AXES {
            dop.low[i] = if other.low[i] < dop.low[i] { other.low[i] } else { dop.low[i] };
            dop.high[i] = if other.high[i] > dop.high[i] { other.high[i] } else { dop.high[i] };
        }
        dop
    }

    /// Whether two bounds overlap along the first `2 K` directions: 3 for boxes, 9 for 18-DOPs.
    #[inline]
    pub fn overlaps<const K: usize>(&self, other: &Dop) -> bool {
        let mut apart = false;
        for i in 0..K {
            apart |= (self.low[i] > other.high[i]) | (other.low[i] > self.high[i]);
        }
        !apart
    }

    /// The sum of the box's sides, which measures how likely it is hit.
    pub fn girth(&self) -> f32 {
        (0..3).map(|i| self.high[i] - self.low[i]).sum()
    }

    /// Middle along x, y and z.
    pub fn centre(&self) -> [f32; 3] {
        std::array::from_fn(|i| 0.5 * (self.low[i] + self.high[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disjoint_bounds_prove_disjoint_points_at_any_scale() {
        for scale in [1e-12, 1e-6, 1.0, 1e6, 1e20] {
            let points = [DVec3::new(1.0, 2.0, 3.0) * scale, DVec3::new(1.0 + 1e-15, 2.0, 3.0) * scale];
            let frame = Frame::new(points.iter().chain(&[DVec3::ZERO, DVec3::splat(7.0 * scale)]), 0.0);
            let [a, b] = points.map(|p| Dop::of_motion(&frame, [p, p], 1.0));
            // Closer than the rounding that bounds allow for.
            assert!(a.overlaps::<9>(&b));
            let moved = points[0] + DVec3::new(1e-3, 0.0, 0.0) * scale;
            let away = Dop::of_motion(&frame, [moved, moved], 1.0);
            assert!(!a.overlaps::<9>(&away), "scale {scale}");
        }
    }

    #[test]
    fn separation_inflates_along_every_axis() {
        let distance = 0.25;
        for direction in [DVec3::X, DVec3::new(1.0, 1.0, 0.0).normalize(), DVec3::new(0.0, 1.0, -1.0).normalize()] {
            let points = [DVec3::ZERO, direction * distance];
            for (separation, near) in [(0.2499, false), (0.2501, true)] {
                let frame = Frame::new(points.iter(), separation);
                let [a, b] = points.map(|p| Dop::of_motion(&frame, [p, p], 1.0));
                assert_eq!(a.overlaps::<9>(&b), near, "{direction} {separation}");
            }
        }
    }
}
