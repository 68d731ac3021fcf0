//! 18-DOPs: the extents along nine fixed axes, x, y, z and the sums and differences of two of them.
//!
//! For bodies at rest, in double precision, from support functions; `superegg-mesh` has its own for features of meshes
//! in motion, in single precision relative to a scene.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Shape;

use super::Bound;
use crate::placement::normalised;

/// Extents along the nine axes, as unit vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dop18 {
    /// Smallest coordinates.
    pub low: [f64; 9],
    /// Largest coordinates.
    pub high: [f64; 9],
}

const D: f64 = FRAC_1_SQRT_2;

impl Dop18 {
    /// The axes.
    pub const AXES: [DVec3; 9] = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::new(D, D, 0.0),
        DVec3::new(D, 0.0, D),
        DVec3::new(0.0, D, D),
        DVec3::new(D, -D, 0.0),
        DVec3::new(D, 0.0, -D),
        DVec3::new(0.0, D, -D),
    ];

    /// The smallest around a placed shape: eighteen support values. `None` for a plane.
    pub fn of(shape: &Shape, pose: &Pose) -> Option<Dop18> {
        if matches!(shape, Shape::Plane(_)) {
            return None;
        }
        let pose = normalised(pose);
        let extent = |axis: DVec3| {
            let local = pose.inverse_transform_vector(axis);
            let middle = axis.dot(pose.translation);
            (middle - shape.support_value(-local), middle + shape.support_value(local))
        };
        let extents = Dop18::AXES.map(extent);
        Some(Dop18 { low: extents.map(|(low, _)| low), high: extents.map(|(_, high)| high) })
    }

    /// The widest gap along the nine axes, negative if there is none.
    pub fn gap(&self, other: &Dop18) -> f64 {
        (0..9).fold(f64::NEG_INFINITY, |widest, axis| {
            widest.max(self.low[axis] - other.high[axis]).max(other.low[axis] - self.high[axis])
        })
    }
}

impl Bound for Dop18 {
    fn overlaps(&self, other: &Dop18) -> bool {
        (0..9).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    fn distance(&self, other: &Dop18) -> f64 {
        self.gap(other).max(0.0)
    }

    fn merged(&self, other: &Dop18) -> Dop18 {
        Dop18 {
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }
}
