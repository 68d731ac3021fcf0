//! Force closure and the min-weight quality: one ray each.
//!
//! The mean c of the discs' centers is in their hull. The ray from c through the origin leaves the hull beyond it if and only if the grasp
//! holds; then c and the six points where it leaves are a simplex around the origin, a certificate. Otherwise the facet's normal
//! y has h(y) < 0: a motion that no contact resists. Exactly on the boundary there are open sets of grasps (an antipodal pair with all
//! others on one side), so that there is a third answer.
//!
//! The min-weight quality (Li and others, 2023) asks for the largest weight that every generator of the wrenches can have; on
//! exact cones it is how far beyond the origin that ray goes: with -τ c on the boundary, τ/(1 + τ), in ]-∞, 1], positive if the grasp holds. It
//! is defined and has a gradient for grasps that do not hold yet.

use glam::DVec3;

use super::gradient::QualityGradient;
use super::linear::{V6, dot, norm, scaled};
use super::shot::{Shot, Until, shoot};
use super::wrench::{ContactSet, Hull, WrenchSet};

/// Whether a grasp holds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "the certificate stays on the stack, so that deciding allocates nothing")]
pub enum Closure {
    /// It does: the origin is inside of this simplex of wrenches (force, torque over the length).
    Closed([[f64; 6]; 7]),
    /// It does not: moving along this direction, no contact resists.
    Open([f64; 6]),
    /// The origin is on the boundary, as far as can be told: along this direction contacts resist the least.
    Marginal([f64; 6]),
}

impl Closure {
    /// Whether it was proved that the grasp holds.
    pub fn is_closed(&self) -> bool {
        matches!(self, Closure::Closed(_))
    }
}

/// Relative and absolute distance beyond which the origin is inside.
const INSIDE: (f64, f64) = (1e-9, 1e-12);
/// Least distance of the origin from the facets of a simplex that proves closure; wrenches are about one.
const FLAT: f64 = 1e-9;
/// How often another inner point is tried where the mean of the discs is of no use.
const RETRIES: usize = 6;

/// Decides whether a grasp holds against every small disturbance.
///
/// ```
/// use superegg_robot::DVec3;
/// use superegg_robot::grasp::{Closure, ContactSet, GraspContact, closure};
/// let at = |angle: f64| {
///     let point = DVec3::new(angle.cos(), angle.sin(), 0.0);
///     GraspContact { point, normal: -point, friction: 0.5 }
/// };
/// let three = [at(0.0), at(2.1), at(4.2)];
/// assert!(closure(&ContactSet::new(&three, DVec3::ZERO, 1.0)?).is_closed());
/// let one_side = [at(0.0), at(0.5), at(1.0)];
/// assert!(matches!(closure(&ContactSet::new(&one_side, DVec3::ZERO, 1.0)?), Closure::Open(_)));
/// # Ok::<(), superegg_robot::RobotError>(())
/// ```
pub fn closure(contacts: &ContactSet) -> Closure {
    let hull = Hull(contacts);
    let mut center = contacts.mean();
    let mut least = (f64::INFINITY, [0.0; 6]);
    let mut random = Weights(0x9e37_79b9_7f4a_7c15);
    for _ in 0..=RETRIES {
        let length = norm(&center);
        if length > 1e-6 {
            let wanted = length * (1.0 + INSIDE.0) + INSIDE.1;
            let shot = shoot(&hull, &center, &scaled(&center, -1.0 / length), &Until::Decided(wanted));
            // A flat hull has flat simplices, whose inside is rounding.
            if !shot.artificial && shot.t > wanted && shot.depth_at(length) > FLAT {
                let [a, b, c, d, e, f] = shot.points;
                return Closure::Closed([center, a, b, c, d, e, f]);
            }
            let unit = scaled(&shot.y, 1.0 / norm(&shot.y));
            let value = hull.support(&unit).0;
            if value < -INSIDE.1 {
                return Closure::Open(unit);
            }
            if value < least.0 {
                least = (value, unit);
            }
        }
        center = random.inner_point(contacts);
    }
    Closure::Marginal(least.1)
}

/// A sequence of numbers in [0, 1[ that is always the same.
struct Weights(u64);

impl Weights {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Another point inside the hull of the discs.
    fn inner_point(&mut self, contacts: &ContactSet) -> V6 {
        let (mut sum, mut total) = ([0.0; 6], 0.0);
        for contact in 0..contacts.len() {
            let weight = 0.5 + self.next();
            let normal = contacts.normals[contact];
            let (u, v) = normal.any_orthonormal_pair();
            let (sine, cosine) = (std::f64::consts::TAU * self.next()).sin_cos();
            let force = normal + (u * cosine + v * sine) * (0.6 * contacts.frictions[contact]);
            let wrench = contacts.wrench(contact, force);
            (0..6).for_each(|i| sum[i] += weight * wrench[i]);
            total += weight;
        }
        sum.map(|value| value / total)
    }
}

/// The min-weight quality of a grasp.
#[derive(Clone, Debug, PartialEq)]
pub struct MinWeight {
    /// τ/(1 + τ), in ]-∞, 1]; positive if the grasp holds.
    pub quality: f64,
    /// Its derivatives by the contacts.
    pub gradient: QualityGradient,
}

/// Width of the bounds at which a ray counts as exact.
const CONVERGED: f64 = 1e-7;

/// The min-weight quality with its gradient; `None` where all normals cancel, so that there is no ray.
pub fn min_weight(contacts: &ContactSet) -> Option<MinWeight> {
    let hull = Hull(contacts);
    let center = contacts.mean();
    let length = norm(&center);
    if length < 1e-9 {
        return None;
    }
    let shot = shoot(&hull, &center, &scaled(&center, -1.0 / length), &Until::Tolerance(CONVERGED));
    let tau = shot.t / length - 1.0;
    // Scaled so that y·(-c) = 1.
    let y = scaled(&shot.y, 1.0 / -dot(&shot.y, &center));
    let mut gradient = gradient_of(contacts, &hull, &shot, &y);
    let share = tau / contacts.len() as f64;
    for contact in 0..contacts.len() {
        let (normal, b) = (contacts.normals[contact], DVec3::new(y[3], y[4], y[5]));
        let g = contacts.lever(contact, &y);
        gradient.points[contact] += normal.cross(b) * (share / contacts.rho);
        gradient.normals[contact] += (g - normal * g.dot(normal)) * share;
    }
    // d(τ/(1 + τ)) = dτ / (1 + τ)².
    gradient.scale(1.0 / ((1.0 + tau) * (1.0 + tau)));
    Some(MinWeight { quality: tau / (1.0 + tau), gradient })
}

/// Derivatives of Σ λ y·w by the contacts, w being the points of a shot.
pub(super) fn gradient_of(contacts: &ContactSet, set: &impl WrenchSet, shot: &Shot, y: &V6) -> QualityGradient {
    let mut shares = vec![(0.0, DVec3::ZERO); contacts.len()];
    for (weight, direction) in shot.weights.iter().zip(&shot.directions).filter(|(weight, _)| **weight > 0.0) {
        set.forces(direction, &mut |contact, normal_share, force| {
            shares[contact].0 += weight * normal_share;
            shares[contact].1 += force * *weight;
        });
    }
    QualityGradient::of_forces(contacts, &shares, y)
}
