//! The distance of two convex hulls, where it is less than that of the bodies: Gilbert, Johnson and Keerthi's algorithm on the
//! hulls' support points, begun at points of the bodies that are known to be close.
//!
//! Ends with a lower bound of the distance of the bodies, and with the points of the surfaces between which the hulls span
//! a hollow: from there the closest points within it are looked for.

use crate::solver::nonconvex::hull::{Hull, Proof};
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::gjk::{DifferenceSimplex, Insertion, Vertex};
use crate::solver::simd::V3;

/// Most support points that are added.
const MOST_ROUNDS: f64 = 5.0;
/// Part of what the bodies are farther apart than proved at which the distance of the hulls is known well enough.
const CLOSE: f64 = 0.05;
/// Part of the tolerance by which a support value may be too large.
const SLACK: f64 = 0.1;

/// Where the hulls are closest.
pub(crate) struct HullDistance {
    /// The greatest dual bound found, and its unit normal.
    pub lower: f64,
    pub normal: V3<f64>,
    /// The closest points of the hulls, and the pairs of points of the true surfaces, in a's frame, that span them.
    pub simplex: DifferenceSimplex,
    pub evaluations: f64,
}

/// From points of both bodies, and what was proved so far.
pub(crate) fn between_hulls<A: Hull, B: Hull>(
    (a, b): (&A, &B),
    placement: &Placement<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    first: &Proof,
    tolerance: f64,
) -> HullDistance {
    let apart = (x_b - x_a).length_sq().sqrt();
    let mut simplex = DifferenceSimplex::new(Vertex::between(x_a, x_b));
    let mut best = *first;
    let mut proof = *first;
    let mut evaluations = 0.0;
    loop {
        let direction = add::<B>(&mut simplex, &proof, placement);
        let upper = simplex.length();
        let done = upper - best.gap <= tolerance.max(CLOSE * (apart - best.gap));
        let Some(direction) = direction.filter(|_| !done && evaluations < MOST_ROUNDS) else { break };
        let in_b = -placement.a_to_b::<B>(direction);
        let (near_a, near_b) = (simplex.closest.0, placement.a_to_b::<B>(simplex.closest.1 - placement.centre));
        let on_a = a.highest(direction, near_a, SLACK * tolerance);
        let on_b = b.highest(in_b, near_b, SLACK * tolerance);
        let gap = direction.dot(placement.centre) - on_a.bound - on_b.bound;
        evaluations += 1.0;
        proof = Proof { gap, normal: direction, on_a, on_b };
        if proof.gap > best.gap {
            best = proof;
        }
    }
    HullDistance { lower: best.gap, normal: best.normal, simplex, evaluations }
}

/// Takes in the support points of a proof, those of the other rims first: a simplex of both is what a hollow is spanned
/// by. Returns the direction to look along next; none where the hulls overlap or nothing new came in.
fn add<B: Hull>(simplex: &mut DifferenceSimplex, proof: &Proof, placement: &Placement<f64>) -> Option<V3<f64>> {
    let in_a = |point: V3<f64>| placement.centre + placement.b_to_a::<B>(point);
    let (x_a, x_b) = (proof.on_a.point, in_a(proof.on_b.point));
    let across_a = proof.on_a.across.map(|across| (across, x_b));
    let across_b = proof.on_b.across.map(|across| (x_a, in_a(across)));
    let mut news = false;
    for (x_a, x_b) in [across_a, across_b, Some((x_a, x_b))].into_iter().flatten() {
        match simplex.insert(Vertex::between(x_a, x_b)) {
            Insertion::Known => {}
            Insertion::Taken => news = true,
            Insertion::HoldsOrigin => return None,
        }
    }
    (news && simplex.length() > 0.0).then(|| unit(simplex.between()))
}
