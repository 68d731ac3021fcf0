//! Directions from which the search for the penetration depth starts.
//!
//! The depth has its local minima near the directions in which the bodies are thin or flat: their axes, facet and edge
//! diagonals, the sides of a triangle; and near the centre line and where the bodies were found to meet.

use super::body::Body;
use super::graph::Egg;
use super::hull_body::Hull;
use super::placement::{Placement, ellipsoid_normal};
use crate::lanes::V3;

/// Directions scored, at most.
pub(crate) const MOST_STARTS: usize = 40;

/// Which support values of a start are known beforehand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Neither,
    OfA,
    OfB,
}

/// Directions to start from.
pub(crate) struct Starts {
    pub normals: [V3<f64>; MOST_STARTS],
    /// The support value that is known beforehand.
    pub supports: [f64; MOST_STARTS],
    pub known: [Known; MOST_STARTS],
    pub count: usize,
}

impl Starts {
    /// The normal `near` which the bodies were found to meet, the centre line, and the common normal of the ellipsoids with
    /// the same radii.
    pub fn new<A: Body<f64>, B: Body<f64>>(
        body_a: &A,
        body_b: &B,
        placement: &Placement<f64>,
        near: V3<f64>,
    ) -> Starts {
        let ellipsoid = ellipsoid_normal(body_a.radii_sq(), body_b.radii_sq(), placement);
        let mut starts = Starts {
            normals: [ellipsoid; MOST_STARTS],
            supports: [0.0; MOST_STARTS],
            known: [Known::Neither; MOST_STARTS],
            count: 1,
        };
        starts.push(placement.centre, 0.0, Known::Neither);
        starts.push(near, 0.0, Known::Neither);
        starts
    }

    /// A direction of any length, with the support value that belongs to it as it is.
    fn push(&mut self, normal: V3<f64>, support: f64, known: Known) {
        let length_sq = normal.length_sq();
        if self.count < MOST_STARTS && length_sq > 1e-60 {
            let per_length = 1.0 / length_sq.sqrt();
            self.normals[self.count] = normal * per_length;
            self.supports[self.count] = support * per_length;
            self.known[self.count] = known;
            self.count += 1;
        }
    }

    /// Axes, facet and edge diagonals of an egg, whose columns of axes are given in a's frame: each in the sense towards
    /// b, and in both where the egg tells them apart. Without a taper its support values there are known: the scaled
    /// normals have components of 0 and 1 only.
    pub fn add_egg<const TAPERED: bool>(
        &mut self,
        egg: &Egg<f64, TAPERED>,
        axes: [V3<f64>; 3],
        centre: V3<f64>,
        of: Known,
    ) {
        let known = if TAPERED { Known::Neither } else { of };
        let [x, y, z] = axes;
        let (u, v, w) = (x * (1.0 / egg.radii.x), y * (1.0 / egg.radii.y), z * (1.0 / egg.radii.z));
        let mut push = |normal: V3<f64>, support: f64| {
            let sign = if normal.dot(centre) < 0.0 { -1.0 } else { 1.0 };
            self.push(normal * sign, support, known);
        };
        for normal in [u, v, w] {
            push(normal, 1.0);
        }
        let [inner, outer, both] = egg.diagonal_supports();
        for normal in [u + v + w, u + v - w, u - v + w, u - v - w] {
            push(normal, both);
        }
        for normal in [u + v, u - v] {
            push(normal, inner);
        }
        for normal in [u + w, u - w, v + w, v - w] {
            push(normal, outer);
        }
        if TAPERED {
            let away = if w.dot(centre) < 0.0 { w } else { -w };
            self.push(away, 1.0, known);
        }
    }

    /// Normals of a triangle and directions along edges, in a's frame.
    pub fn add_hull(&mut self, hull: &Hull, placement: &Placement<f64>) {
        for normal in hull.feature_normals() {
            let normal = placement.b_to_a::<Hull>(normal);
            self.push(normal, 0.0, Known::Neither);
            self.push(-normal, 0.0, Known::Neither);
        }
    }
}
