//! Boxes along a body's own axes, and the separating-axis test of paper 004, table 1.
//!
//! Two boxes are apart exactly if one of fifteen axes separates them: the three of each box and the nine cross products
//! between them. An edge of one that is parallel to an edge of the other has no cross product; the usual remedy adds an
//! epsilon to the rotation's entries and loses sharpness everywhere. Here such an axis is left out: its length tells, and
//! then the face axes decide alone. (The table's extent for xA × xB reads a2|t31| + a3|t32|; it is a2|t31| + a3|t21|.)

use glam::{DMat3, DVec3};
use superegg::Pose;
use superegg::shape::Shape;

use super::Bound;
use crate::placement::normalised;

/// A box with axes of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Its middle.
    pub center: DVec3,
    /// Its axes: the columns are unit vectors.
    pub axes: DMat3,
    /// Half its sides along the axes.
    pub half: DVec3,
}

/// Squared sine below which two axes count as parallel: their cross product is then mostly rounding.
const PARALLEL_SQ: f64 = 1e-16;

impl Obb {
    /// The smallest box along the shape's own axes; `None` for a plane.
    pub fn of(shape: &Shape, pose: &Pose) -> Option<Obb> {
        if matches!(shape, Shape::Plane(_)) {
            return None;
        }
        let high = DVec3::from(DVec3::AXES.map(|axis| shape.support_value(axis)));
        let low = -DVec3::from(DVec3::AXES.map(|axis| shape.support_value(-axis)));
        let pose = normalised(pose);
        let axes = pose.rotation_matrix();
        Some(Obb { center: pose.transform_point(0.5 * (low + high)), axes, half: 0.5 * (high - low) })
    }

    /// The same box in a moved frame.
    pub fn moved(&self, pose: &Pose) -> Obb {
        Obb { center: pose.transform_point(self.center), axes: pose.rotation_matrix() * self.axes, half: self.half }
    }

    /// The widest gap between the boxes along the fifteen axes, negative if there is none: then by how much the boxes
    /// overlap at least along every axis.
    pub fn gap(&self, other: &Obb) -> f64 {
        self.widest_gap(other, f64::INFINITY)
    }

    /// Whether an axis separates the boxes by more than `margin`. Ends at the first that does.
    pub fn separated_by(&self, other: &Obb, margin: f64) -> bool {
        self.widest_gap(other, margin) > margin
    }

    /// Table 1, in the frame of `self`, up to the first gap above `enough`.
    pub(super) fn widest_gap(&self, other: &Obb, enough: f64) -> f64 {
        let turn = self.axes.transpose() * other.axes;
        let apart = self.axes.transpose() * (other.center - self.center);
        let (a, b) = (self.half, other.half);
        let rows = turn.transpose();
        let mut widest = f64::NEG_INFINITY;
        for i in 0..3 {
            widest = widest.max(apart[i].abs() - a[i] - b.dot(rows.col(i).abs()));
            widest = widest.max(apart.dot(turn.col(i)).abs() - b[i] - a.dot(turn.col(i).abs()));
        }
        if widest > enough {
            return widest;
        }
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            for l in 0..3 {
                let (m, n) = ((l + 1) % 3, (l + 2) % 3);
                // The length of the cross product of axis i of a and axis l of b.
                let (tj, tk) = (turn.col(l)[j], turn.col(l)[k]);
                let length_sq = tj * tj + tk * tk;
                if length_sq < PARALLEL_SQ {
                    continue;
                }
                let extent_a = a[j] * tk.abs() + a[k] * tj.abs();
                let extent_b = b[m] * turn.col(n)[i].abs() + b[n] * turn.col(m)[i].abs();
                let along = (apart[k] * tj - apart[j] * tk).abs();
                widest = widest.max((along - extent_a - extent_b) / length_sq.sqrt());
                if widest > enough {
                    return widest;
                }
            }
        }
        widest
    }

    /// The eight corners.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|corner| {
            let sign = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            self.center + self.axes * (self.half * DVec3::new(sign(0), sign(1), sign(2)))
        })
    }

    /// The smallest box along given axes that holds some points.
    fn around(axes: DMat3, points: &[DVec3]) -> Obb {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for point in points {
            let local = axes.transpose() * *point;
            (low, high) = (low.min(local), high.max(local));
        }
        Obb { center: axes * (0.5 * (low + high)), axes, half: 0.5 * (high - low) }
    }

    fn volume(&self) -> f64 {
        self.half.x * self.half.y * self.half.z
    }
}

impl Bound for Obb {
    fn overlaps(&self, other: &Obb) -> bool {
        !self.separated_by(other, 0.0)
    }

    fn distance(&self, other: &Obb) -> f64 {
        self.gap(other).max(0.0)
    }

    /// The smallest of the boxes along the axes of either, of the world, and along the line between the centres.
    fn merged(&self, other: &Obb) -> Obb {
        let mut corners = [DVec3::ZERO; 16];
        corners[..8].copy_from_slice(&self.corners());
        corners[8..].copy_from_slice(&other.corners());
        let line = (other.center - self.center).try_normalize().unwrap_or(DVec3::X);
        let (side, up) = line.any_orthonormal_pair();
        let frames = [self.axes, other.axes, DMat3::IDENTITY, DMat3::from_cols(line, side, up)];
        let mut best = Obb::around(frames[0], &corners);
        for axes in &frames[1..] {
            let found = Obb::around(*axes, &corners);
            if found.volume() < best.volume() {
                best = found;
            }
        }
        // The corners were turned there and back.
        best.half += 8.0 * f64::EPSILON * (best.half + best.center.abs().max_element());
        best
    }
}
