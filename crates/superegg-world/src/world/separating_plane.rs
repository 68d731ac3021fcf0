//! The plane that parted a pair when it was last asked exactly, kept with the bodies as they move.
//!
//! Let the query have proved that the bodies are `L` apart along n, so that their support values along n add up to no more than
//! `H = n·c - L`. Turned with the larger body, n stays the same direction in that body's frame, whose support value is what it
//! was. In the smaller body's frame it changes by some Δ; support functions are subadditive, `h(n + Δ) ≤ h(n) + h(Δ)`, and `h(Δ)` is
//! at most that of the body's box. So `n·c - H - h(Δ)` of the bodies' new places is a lower bound of their distance, at the cost of
//! two turned vectors: no support value is evaluated, which for a tapered body takes as long as an exact query in lanes.
//!
//! Directions are kept in single precision; what that takes is in H.

use glam::{DVec3, Vec3};
use superegg::query::Outcome;

use super::body::Body;

/// What rounding directions and H to single precision may lose, as a part of both bodies' reach: each component of a unit vector
/// loses 6e-8 of itself at most, and H, which is less than both reaches, the same.
const SINGLE: f64 = 1e-6;
/// What sums and products in double precision may lose, as a part of the reaches and of the distance of the origins.
const DOUBLE: f64 = 1e-14;

/// A direction in the frames of both bodies, from a to b and from b to a, and the sum of their support values along them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatingPlane {
    outward_a: Vec3,
    outward_b: Vec3,
    width: f32,
}

impl SeparatingPlane {
    /// Proves nothing.
    pub const NONE: SeparatingPlane =
        SeparatingPlane { outward_a: Vec3::ZERO, outward_b: Vec3::ZERO, width: f32::INFINITY };

    /// What an exact answer proved of two bodies in their present places; nothing for a body without an end.
    pub fn of(outcome: &Outcome, a: &Body, b: &Body) -> SeparatingPlane {
        let Some(bounds) = outcome.bounds.filter(|_| a.is_bounded() && b.is_bounded()) else {
            return SeparatingPlane::NONE;
        };
        let between = b.pose.translation - a.pose.translation;
        let slack = SINGLE * (a.reach + b.reach) + DOUBLE * between.length();
        SeparatingPlane {
            outward_a: a.pose.inverse_transform_vector(outcome.witness).as_vec3(),
            outward_b: b.pose.inverse_transform_vector(-outcome.witness).as_vec3(),
            width: (outcome.witness.dot(between) - bounds.lower + slack) as f32,
        }
    }

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.width < f32::INFINITY
    }

    /// The normal from a to b, in the world.
    pub fn normal(&self, a: &Body) -> DVec3 {
        a.pose.transform_vector(self.outward_a.as_dvec3()).normalize_or_zero()
    }

    /// A lower bound of the distance of the bodies in their present places, where it is positive; of no use elsewhere.
    pub fn gap(&self, a: &Body, b: &Body) -> f64 {
        let (leading, own, following, other) = if a.reach >= b.reach {
            (a, self.outward_a, b, self.outward_b)
        } else {
            (b, self.outward_b, a, self.outward_a)
        };
        let outward = leading.pose.transform_vector(own.as_dvec3());
        let change = -following.pose.inverse_transform_vector(outward) - other.as_dvec3();
        let between = following.pose.translation - leading.pose.translation;
        let rounding = DOUBLE * (between.length() + a.reach + b.reach);
        // The direction's length is one but for rounding to single precision.
        (outward.dot(between) - f64::from(self.width) - following.box_support(change) - rounding) * (1.0 - SINGLE)
    }
}
