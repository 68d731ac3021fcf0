//! Penetration depth of bodies that lie in each other's hollows.
//!
//! The search for the depth sees hollow bodies much like their hulls. Where it ends at a plane that spans a hollow, or at
//! points within one, the depth found is not that of the surfaces. The right one is found by turns: b is pushed out far
//! enough; the closest points there give the direction in which the bodies really part and how far b may go back along
//! it. Each turn looks at the true surfaces, so a translation is only taken when it was seen to separate them. Where the
//! turns do not come to an end, b is pushed out a little to the side.

use glam::DVec3;

use super::EggShape;
use super::candidate::Candidate;
use super::frame::Frame;
use super::placement::{Placement, unit};
use super::separate::Separation;
use crate::lanes::V3;
use crate::shape::Superovoid;

/// How far b is pushed beyond the depth, as a part of the size.
const PUSH: f64 = 5e-4;
/// How far to the sides, in radians.
const SIDES: [(f64, f64); 3] = [(0.1, 0.0), (-0.05, 0.087), (-0.05, -0.087)];
const MOST_TURNS: u32 = 24;
/// How far, as a part of the size, the closest points after a push may be from what was pushed when nothing is left to gain.
const TRUE_CONTACT: f64 = 1e-7;

/// Points of both surfaces, in a's frame.
type Points = (V3<f64>, V3<f64>);

/// A hollow egg's convex hull.
pub(super) struct EggHull(Superovoid);

impl EggHull {
    /// In units of the solver; none where the egg is too small in them to be a shape.
    pub fn new(egg: &EggShape, size: f64) -> Option<EggHull> {
        Superovoid::new(egg.radii.map(|radius| radius / size), egg.exponents, egg.taper).ok().map(EggHull)
    }

    /// How far it reaches along a direction of its own frame.
    pub fn reach(&self, direction: V3<f64>) -> f64 {
        self.0.support_value(direction.into())
    }
}

/// The translation of b along a unit normal that separates the hulls of two eggs.
pub(super) fn hulls_apart((a, b): &(EggHull, EggHull), placement: &Placement<f64>, normal: V3<f64>) -> f64 {
    a.reach(normal) + b.reach(-placement.rotation.apply_transposed(normal)) - normal.dot(placement.centre)
}

/// A translation near the candidate's after which the true surfaces touch, with its points.
pub(super) fn nestle(
    deep: &Candidate,
    frame: &Frame,
    tolerance: f64,
    hull_depth: impl Fn(V3<f64>) -> f64,
    closest: impl Fn(&Frame) -> Separation<f64>,
) -> Option<(Candidate, Points)> {
    let (u, v) = DVec3::from(deep.normal).any_orthonormal_pair();
    let aside = SIDES.map(|(along_u, along_v)| unit(deep.normal + V3::from(along_u * u + along_v * v)));
    let mut evaluations = deep.evaluations;
    for normal in [deep.normal].into_iter().chain(aside) {
        let start = Candidate { normal, depth: hull_depth(normal), evaluations: 0.0, ..*deep };
        let (end, points) = back_from(start, frame, tolerance, &closest);
        evaluations += end.evaluations;
        if let Some(points) = points {
            return Some((Candidate { evaluations, ..end }, points));
        }
    }
    None
}

/// Takes a translation that separates the bodies back to one after which their surfaces touch; its points, if that came
/// to an end.
fn back_from(
    mut trial: Candidate,
    frame: &Frame,
    tolerance: f64,
    closest: impl Fn(&Frame) -> Separation<f64>,
) -> (Candidate, Option<Points>) {
    // The last translation that was seen to separate the bodies.
    let mut apart: Option<V3<f64>> = None;
    let mut shift = trial.normal * (trial.depth + PUSH);
    for _ in 0..MOST_TURNS {
        let found = closest(&frame.pushed(shift));
        trial.evaluations += found.evaluations;
        if !found.converged {
            // Too far back: the bodies part in yet another direction.
            let Some(apart) = apart else { break };
            shift = (apart + shift) * 0.5;
            continue;
        }
        let normal = found.direction();
        let depth = normal.dot(shift) - found.upper;
        if (depth - trial.depth).abs() <= tolerance && (found.upper - PUSH).abs() < TRUE_CONTACT {
            return (trial, Some((found.x_a, found.x_b - shift)));
        }
        apart = Some(shift);
        (trial.normal, trial.depth) = (normal, depth);
        shift = normal * (depth + PUSH);
    }
    (trial, None)
}
