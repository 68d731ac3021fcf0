//! A candidate for the penetration depth: a translation that separates two bodies, and the points that belong to it.

use crate::solver::body::Body;
use crate::solver::pair::placement::Placement;
use crate::solver::penetration::descent::{at_normal, refine};
use crate::solver::penetration::{Penetration, SAME_DEPTH};
use crate::solver::separation::gjk::gjk;
use crate::solver::separation::newton::{Goal, separate};
use crate::solver::simd::V3;

/// Residual below which moving both points onto one line leaves them on their surfaces to rounding.
const STRAIGHT: f64 = 1e-18;
/// Evaluations of a descent, and of Newton's method after a push.
const FINE: u32 = 40;
/// How far a body is pushed beyond the depth, as a part of the size, how often, and evaluations of the fallback there.
const PUSH: f64 = 1e-4;
const MOST_PUSHES: u32 = 6;
const MOST_PUSHED_EVALUATIONS: u32 = 200;

/// A translation that separates the bodies.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    /// Unit normal from a to b, in a's frame: b has to move this way.
    pub normal: V3<f64>,
    /// By how much.
    pub depth: f64,
    /// Deepest point of a in b, in a's frame.
    pub x_a: V3<f64>,
    /// Deepest point of b in a, in a's frame.
    pub x_b: V3<f64>,
    /// How far both points are from having a common normal.
    pub residual: f64,
    /// Surface evaluations spent.
    pub evaluations: f64,
}

impl From<Penetration> for Candidate {
    fn from(found: Penetration) -> Candidate {
        let Penetration { normal, depth, x_a, x_b, .. } = found;
        let residual = (x_b - x_a + normal * depth).length_sq();
        Candidate { normal, depth, x_a, x_b, residual, evaluations: f64::from(found.evaluations) }
    }
}

impl Candidate {
    /// The local minimum that a descent from a normal leads to.
    pub fn near<A: Body<f64>, B: Body<f64>>(
        body_a: &A,
        body_b: &B,
        placement: &Placement<f64>,
        normal: V3<f64>,
        tolerance: f64,
        most: u32,
    ) -> Candidate {
        let start = at_normal(body_a, body_b, placement, normal);
        let found = refine(body_a, body_b, placement, start, tolerance, most.min(FINE));
        Candidate {
            normal: found.normal,
            depth: found.depth,
            x_a: found.x_a,
            x_b: found.x_b,
            residual: found.residual,
            evaluations: found.evaluations,
        }
    }

    /// A point of each surface, the depth apart along the normal, if the search came to a common normal.
    pub fn common_points<B: Body<f64>>(&self, body_b: &B, placement: &Placement<f64>) -> Option<(V3<f64>, V3<f64>)> {
        let across = self.normal * self.depth;
        if B::SOLID {
            let middle = (self.x_a + self.x_b) * 0.5;
            return (self.residual < STRAIGHT).then_some((middle + across * 0.5, middle - across * 0.5));
        }
        // Without an inside, b's point has to stay on b.
        let opposite = placement.a_to_b::<B>(self.x_a - across - placement.centre);
        let on_b = B::position(&body_b.place(opposite, -placement.a_to_b::<B>(self.normal)));
        let x_b = placement.centre + placement.b_to_a::<B>(on_b);
        ((x_b - self.x_a + across).length_sq() < STRAIGHT).then_some((self.x_a, x_b))
    }

    /// A point of each surface, the depth apart along the normal; a's point and what lies opposite where that fails.
    pub fn points<A: Body<f64>, B: Body<f64>>(
        &mut self,
        body_a: &A,
        body_b: &B,
        placement: &Placement<f64>,
        tolerance: f64,
        most: u32,
    ) -> (V3<f64>, V3<f64>) {
        self.common_points(body_b, placement)
            .or_else(|| self.pushed_apart(body_a, body_b, placement, tolerance, most))
            .unwrap_or((self.x_a, self.x_a - self.normal * self.depth))
    }

    /// The points, and the last digits of normal and depth, where the search has not come to a common normal: on corners
    /// too sharp to be resolved and on flat faces.
    ///
    /// b is pushed out along the normal a little farther than the depth. The distance of the bodies is then a convex
    /// problem, its closest points are the ones wanted, and a distance greater than the push comes with a better normal.
    pub fn pushed_apart<A: Body<f64>, B: Body<f64>>(
        &mut self,
        body_a: &A,
        body_b: &B,
        placement: &Placement<f64>,
        tolerance: f64,
        most: u32,
    ) -> Option<(V3<f64>, V3<f64>)> {
        let before = self.evaluations;
        for _ in 0..MOST_PUSHES {
            let left = |spent: f64| most.saturating_sub((spent - before) as u32);
            if left(self.evaluations) == 0 {
                return None;
            }
            let (push, tolerance) =
                if self.depth > tolerance { (PUSH, tolerance) } else { (0.3 * tolerance, 0.1 * tolerance) };
            let shift = self.normal * (self.depth + push);
            let pushed = Placement { centre: placement.centre + shift, ..*placement };
            let start = at_normal(body_a, body_b, placement, self.normal);
            let mut found =
                separate(body_a, body_b, &pushed, start, tolerance, FINE.min(left(self.evaluations)), Goal::Distance);
            self.evaluations += found.evaluations;
            if !found.converged && left(self.evaluations) > 0 {
                let budget = MOST_PUSHED_EVALUATIONS.min(left(self.evaluations));
                found = gjk(body_a, body_b, &pushed, self.normal, tolerance, budget);
                self.evaluations += found.evaluations;
            }
            if !found.converged {
                return None;
            }
            let better = -placement.gap_along(body_a, body_b, found.witness);
            if better >= self.depth - SAME_DEPTH {
                return Some((found.x_a, found.x_b - shift));
            }
            (self.normal, self.depth) = (found.witness, better);
        }
        None
    }

    /// The same for bodies that nearly touch, from points of theirs that are close: pushed far enough to be plainly apart. The points
    /// may then lie beside each other.
    #[expect(clippy::too_many_arguments, reason = "two bodies, where they are, and what is asked of them")]
    pub fn pushed_clear<A: Body<f64>, B: Body<f64>>(
        &mut self,
        body_a: &A,
        body_b: &B,
        placement: &Placement<f64>,
        (x_a, x_b): (V3<f64>, V3<f64>),
        push: f64,
        tolerance: f64,
        most: u32,
    ) -> Option<(V3<f64>, V3<f64>)> {
        let shift = self.normal * (self.depth + push);
        let pushed = Placement { centre: placement.centre + shift, ..*placement };
        let (in_b, normal_b) = (placement.a_to_b::<B>(x_b - placement.centre), -placement.a_to_b::<B>(self.normal));
        let start = (body_a.follow([true; 2], x_a, self.normal), body_b.follow([true; 2], in_b, normal_b));
        let found = separate(body_a, body_b, &pushed, start, tolerance, most.min(FINE), Goal::Distance);
        self.evaluations += found.evaluations;
        let better = -placement.gap_along(body_a, body_b, found.witness);
        if found.converged && better < self.depth {
            (self.normal, self.depth) = (found.witness, better);
        }
        found.converged.then_some((found.x_a, found.x_b - shift))
    }
}
