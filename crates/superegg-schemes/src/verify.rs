//! Whether two points with a common normal are the closest (or deepest) ones, and not another of the pairs that share a
//! normal (paper 001 figure 3.2).
//!
//! First order: both points on their surfaces, normals opposite, the line between the points along them, and the sign of the
//! distance in agreement with the implicit functions. Second order, with `S` the curvatures of both surfaces in the common
//! tangent plane and `δ` the signed distance: apart, the Hessian `[[1+δSa, −1], [−1, 1+δSb]]` of the squared distance must
//! not be negative; in overlap, the depth is least among its neighbours when `1/Sa + 1/Sb + δ` is not negative. For convex
//! bodies apart this makes the answer the global one. In overlap other minima may be deeper or shallower: the common normal
//! is a local answer, as the papers' are.

use superegg::{DMat3, DVec3};

use crate::common_normal::householder;
use crate::couple::{Couple, Points};

/// A symmetric 2×2 matrix `[[xx, xy], [xy, yy]]`.
#[derive(Clone, Copy)]
struct Symmetric {
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Symmetric {
    fn least(self) -> f64 {
        let mean = 0.5 * (self.xx + self.yy);
        mean - (0.5 * (self.xx - self.yy)).hypot(self.xy)
    }

    fn inverse(self) -> Symmetric {
        let determinant = self.xx * self.yy - self.xy * self.xy;
        Symmetric { xx: self.yy / determinant, xy: -self.xy / determinant, yy: self.xx / determinant }
    }

    fn plus(self, factor: f64, other: Symmetric) -> Symmetric {
        Symmetric { xx: self.xx + factor * other.xx, xy: self.xy + factor * other.xy, yy: self.yy + factor * other.yy }
    }

    fn plus_identity(self, factor: f64) -> Symmetric {
        self.plus(factor, Symmetric { xx: 1.0, xy: 0.0, yy: 1.0 })
    }
}

/// Curvatures across two tangents, from gradient length and Hessian.
fn curvatures(hessian: &DMat3, gradient_length: f64, [t, b]: [DVec3; 2]) -> Symmetric {
    let (ht, hb) = (*hessian * t, *hessian * b);
    Symmetric { xx: t.dot(ht) / gradient_length, xy: b.dot(ht) / gradient_length, yy: b.dot(hb) / gradient_length }
}

/// How far apart directions may be to count as the same: the papers' tolerance leaves points, and with them normals, off by
/// about this much where curvature is high.
const DIRECTION: f64 = 1e-3;

/// Whether the points are a local minimum of the distance, or of the depth. `tolerance` in units of the couple.
pub(crate) fn is_minimum(couple: &Couple, points: &Points, tolerance: f64) -> bool {
    if !(points.a.is_finite() && points.b.is_finite()) {
        return false;
    }
    let (at_a, at_b) = (couple.a.derivatives(points.a), couple.b.derivatives(points.b));
    let (length_a, length_b) = (at_a.gradient.length(), at_b.gradient.length());
    if !(length_a > 0.0 && length_b > 0.0) {
        return false;
    }
    let (normal_a, normal_b) = (at_a.gradient / length_a, couple.rotation * (at_b.gradient / length_b));
    let off = 100.0 * tolerance;
    let on_surfaces = at_a.value.abs() <= off * length_a && at_b.value.abs() <= off * length_b;
    let within = couple.a.within_height(points.a) && couple.b.within_height(points.b);
    if !on_surfaces || !within || normal_a.dot(normal_b) > -1.0 + DIRECTION {
        return false;
    }
    let q = couple.placed(points.b);
    let apart = q - points.a;
    let distance = apart.dot(normal_a);
    let aside = (apart - normal_a * distance).length();
    if aside > off.max(DIRECTION * distance.abs()) {
        return false;
    }
    if distance.abs() > off {
        let overlapping = couple.a.value(q) < 0.0 && couple.b.value(couple.in_b(points.a)) < 0.0;
        if overlapping != (distance < 0.0) {
            return false;
        }
    }
    let tangents = householder::tangents(normal_a);
    let in_b = tangents.map(|tangent| couple.rotation.transpose() * tangent);
    let (s_a, s_b) = (curvatures(&at_a.hessian, length_a, tangents), curvatures(&at_b.hessian, length_b, in_b));
    // What the tolerance of the points does to curvatures that change within it.
    const SLACK: f64 = 1e-3;
    if distance > 0.0 {
        let first = Symmetric { xx: 1.0, xy: 0.0, yy: 1.0 }.plus(distance, s_a);
        if first.least() <= 0.0 {
            return false;
        }
        let second = Symmetric { xx: 1.0, xy: 0.0, yy: 1.0 }.plus(distance, s_b);
        second.plus(-1.0, first.inverse()).least() >= -SLACK
    } else {
        let (least_a, least_b) = (s_a.least(), s_b.least());
        if least_a < -1e-6 || least_b < -1e-6 {
            // A hollow: neighbouring normals belong to other parts of the surface.
            return true;
        }
        let flat = 1e-9;
        let radii = s_a.plus_identity(flat).inverse().plus(1.0, s_b.plus_identity(flat).inverse());
        radii.plus_identity(distance).least() >= -SLACK
    }
}
