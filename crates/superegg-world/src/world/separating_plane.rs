//! The plane that parted a pair when it was last asked exactly, kept with the bodies as they move.
//!
//! Let the query have proved that the bodies are `L` apart along n, so that their support values along n add up to no more than
//! `H = n·c - L`. Turned with the larger body, n stays the same direction in that body's frame, whose support value is what it
//! was. In the smaller body's frame it changes by some Δ; support functions are subadditive, `h(n + Δ) ≤ h(n) + h(Δ)`, and `h(Δ)` is
//! at most that of the body's box. So `n·c - H - h(Δ)` of the bodies' new places is a lower bound of their distance, at the cost of
//! two turned vectors: no support value is evaluated, which for a tapered body takes as long as an exact query in lanes.
//!
//! Directions are kept in 16 bits a coordinate, so that a world of many pairs stays small; what that takes is in H.

use glam::{DVec3, I16Vec3};
use superegg::query::Outcome;

use super::body::Body;

/// Coordinates of a unit vector are kept in units of this.
const STEP: f64 = 1.0 / 32_000.0;
/// What rounding a direction takes from a support value, as a part of the body's reach: half a step in each of three coordinates, with some to
/// spare for rounding H, which is less than both reaches, to single precision.
const COARSE: f64 = STEP;
/// What sums and products in double precision may lose, as a part of the reaches and of the distance of the origins.
const DOUBLE: f64 = 1e-14;

/// A direction in the frames of both bodies, from a to b and from b to a, and the sum of their support values along them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatingPlane {
    outward_a: I16Vec3,
    outward_b: I16Vec3,
    width: f32,
}

impl SeparatingPlane {
    /// Proves nothing.
    pub const NONE: SeparatingPlane =
        SeparatingPlane { outward_a: I16Vec3::ZERO, outward_b: I16Vec3::ZERO, width: f32::INFINITY };

    /// What an exact answer proved of two bodies in their present places; nothing for a body without an end.
    pub fn of(outcome: &Outcome, a: &Body, b: &Body) -> SeparatingPlane {
        let Some(bounds) = outcome.bounds.filter(|_| a.is_bounded() && b.is_bounded()) else {
            return SeparatingPlane::NONE;
        };
        let between = b.pose.translation - a.pose.translation;
        let slack = COARSE * (a.reach + b.reach) + DOUBLE * between.length();
        SeparatingPlane {
            outward_a: coarse(a.pose.inverse_transform_vector(outcome.witness)),
            outward_b: coarse(b.pose.inverse_transform_vector(-outcome.witness)),
            width: (outcome.witness.dot(between) - bounds.lower + slack) as f32,
        }
    }

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.width < f32::INFINITY
    }

    /// The normal from a to b, in the world.
    pub fn normal(&self, a: &Body) -> DVec3 {
        a.pose.transform_vector(fine(self.outward_a)).normalize_or_zero()
    }

    /// A lower bound of the distance of the bodies in their present places, where it is positive; of no use elsewhere.
    pub fn gap(&self, a: &Body, b: &Body) -> f64 {
        let (leading, own, following, other) = if a.reach >= b.reach {
            (a, self.outward_a, b, self.outward_b)
        } else {
            (b, self.outward_b, a, self.outward_a)
        };
        let outward = leading.pose.transform_vector(fine(own));
        let change = -following.pose.inverse_transform_vector(outward) - fine(other);
        let between = following.pose.translation - leading.pose.translation;
        let rounding = DOUBLE * (between.length() + a.reach + b.reach);
        // The direction is no unit vector, but one that is a little longer at most.
        (outward.dot(between) - f64::from(self.width) - following.box_support(change) - rounding) * (1.0 - COARSE)
    }
}

fn coarse(unit: DVec3) -> I16Vec3 {
    (unit / STEP).round().as_i16vec3()
}

fn fine(coarse: I16Vec3) -> DVec3 {
    coarse.as_dvec3() * STEP
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};
    use superegg::query::{Options, distance};
    use superegg::shape::{Primitive, Shape, Superovoid};
    use superegg::{InvalidInput, Pose};

    use super::{Body, SeparatingPlane};

    /// The bound of a plane that moves with the bodies, against the exact distance: never above it, and tight where nothing has moved.
    #[test]
    fn the_gap_is_never_above_the_distance() -> Result<(), InvalidInput> {
        let mut random = fastrand::Rng::with_seed(1);
        let mut vector =
            |size: f64| DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * (2.0 * size);
        let shapes: [Shape; 3] = [
            Superovoid::new([0.5, 0.8, 1.0], [0.6, 0.9], [0.3, -0.2])?.into(),
            Superovoid::new([1.0, 0.4, 0.6], [0.4, 1.0], [0.1, 0.1])?.into(),
            Primitive::frustum([0.3, 0.6], 0.5)?.into(),
        ];
        let mut useful = 0;
        for round in 0..600 {
            let pose = |translation: DVec3, turn: DVec3| Pose { rotation: DQuat::from_scaled_axis(turn), translation };
            let away = vector(1.0).normalize() * 3.0;
            let mut bodies = Vec::new();
            for (shape, at) in [(&shapes[round % 3], DVec3::ZERO), (&shapes[round / 3 % 3], away)] {
                bodies.push(Body::new(shape.clone().into(), pose(at, vector(2.0)))?);
            }
            let exact = |bodies: &[Body]| {
                let of = |body: &Body| body.as_shape().cloned().expect("a shape");
                distance(&of(&bodies[0]), &bodies[0].pose, &of(&bodies[1]), &bodies[1].pose, &Options::DEFAULT)
            };
            let outcome = exact(&bodies).expect("a valid pair");
            if outcome.distance < 0.01 {
                continue;
            }
            let plane = SeparatingPlane::of(&outcome, &bodies[0], &bodies[1]);
            let at_once = plane.gap(&bodies[0], &bodies[1]);
            let lower = outcome.bounds.map_or(0.0, |bounds| bounds.lower);
            assert!(at_once <= lower && at_once > lower - 3e-4, "{at_once} {lower}");
            for body in &mut bodies {
                let moved = Pose {
                    rotation: (DQuat::from_scaled_axis(vector(0.1)) * body.pose.rotation).normalize(),
                    translation: body.pose.translation + vector(0.2),
                };
                body.pose = moved;
            }
            let (gap, truth) = (plane.gap(&bodies[0], &bodies[1]), exact(&bodies).expect("a valid pair").distance);
            assert!(gap <= truth.max(0.0) + 1e-9, "{gap} {truth}");
            useful += usize::from(gap > 0.5 * truth);
        }
        assert!(useful > 100, "{useful}");
        Ok(())
    }
}
