//! Closest points of a pair with a superovoid that is not convex, and a lower bound of their distance.
//!
//! Newton's method runs as if both bodies were convex. The dual bound of the hulls ([`super::hull`]) along its normal then
//! shows whether it was right to: where the hulls touch the surfaces at the closest points, the distance of the hulls is that
//! of the bodies, and the answer is certified like one of convex bodies. Else the closest points of the hulls span a hollow
//! ([`super::hull_distance`]), or Newton's method was caught in one: it starts again from where the hulls are closest, and if
//! the interval stays open, the closest points are looked for on the true surfaces ([`super::closest_points`]) from the rims
//! of the hollow and from its middle. The distance of the hulls then remains as the lower bound.

use arrayvec::ArrayVec;

use crate::outcome::Options;
use crate::solver::body::Body;
use crate::solver::body::any::AnyBody;
use crate::solver::convex::{NEWTON_EVALUATIONS, newton, newton_evaluations};
use crate::solver::nonconvex::closest_points::{
    MOST_STARTS, Opposite, closest_points, closest_points_by_feeling, closest_points_from,
};
use crate::solver::nonconvex::hull::{Hull, Proof, SuperquadricHull, prove};
use crate::solver::nonconvex::hull_distance::between_hulls;
use crate::solver::nonconvex::projection::Projection;
use crate::solver::nonconvex::touching;
use crate::solver::pair::frame::Frame;
use crate::solver::pair::placement::Placement;
use crate::solver::params::Params;
use crate::solver::separation::found::Separation;
use crate::solver::separation::newton::{Goal, separate};
use crate::solver::simd::V3;

/// Part of the tolerance by which a support value may be too large in a certificate.
const SLACK: f64 = 0.02;

/// Evaluations of Newton's method before closest points are looked for by descent, which hollows do not mislead.
pub(crate) const FIRST_EVALUATIONS: u32 = 9;

fn hasty(options: &Options) -> Options {
    Options { max_iterations: options.max_iterations.min(FIRST_EVALUATIONS), ..*options }
}

/// A pair as the search sees it: the solver's bodies and their hulls.
struct Search<'a, B, H> {
    a: &'a SuperquadricHull,
    b: &'a B,
    hull_b: &'a H,
    opposite: Opposite<'a>,
    placement: &'a Placement<f64>,
    tolerance: f64,
    /// Whether evaluations are left for more than Newton's method.
    patient: bool,
}

/// Closest points of two superovoids, or a common point.
pub(crate) fn of_superquadrics(
    shapes: [&Params; 2],
    hulls: &[SuperquadricHull; 2],
    frame: &Frame,
    options: &Options,
) -> Separation<f64> {
    let first = newton::<true>(shapes, frame, &hasty(options));
    if first.converged
        && let Some(proved) = touching_hulls(hulls, &first, frame, options)
    {
        return proved;
    }
    after_newton(hulls, first, frame, options)
}

/// The same, from where Newton's method has ended, where its points are no closest ones or not seen at once to be.
pub(crate) fn after_newton(
    [a, b]: &[SuperquadricHull; 2],
    first: Separation<f64>,
    frame: &Frame,
    options: &Options,
) -> Separation<f64> {
    let search = Search {
        a,
        b: &AnyBody::from(b.body),
        hull_b: b,
        opposite: Opposite::Superquadric(&b.body),
        placement: &frame.placement,
        tolerance: frame.tolerance(options),
        patient: options.max_iterations > NEWTON_EVALUATIONS,
    };
    search.conclude(first)
}

/// What Newton's method found, if the hulls touch the surfaces there and that is seen at once.
fn touching_hulls(
    [a, b]: &[SuperquadricHull; 2],
    found: &Separation<f64>,
    frame: &Frame,
    options: &Options,
) -> Option<Separation<f64>> {
    let (bands_a, bands_b) = (a.bands()?, b.bands()?);
    let tolerance = frame.tolerance(options);
    let points = (found.x_a, found.x_b);
    let slack = SLACK * tolerance;
    let proved = touching::gap((&a.body, &bands_a), (&b.body, &bands_b), &frame.placement, points, found.normal, slack);
    let holds = proved.holds && found.upper - proved.lower <= tolerance;
    holds.then_some(Separation { lower: proved.lower, witness: proved.normal, ..*found })
}

/// Closest points of a superovoid, by its hull and as the solver's body, and a convex body, which is given as `other` too, or a common
/// point.
pub(crate) fn of_superquadric_and_convex<A: Body<f64>, B: Body<f64> + Hull>(
    (a, body_a): (&SuperquadricHull, &A),
    b: &B,
    other: &dyn Projection,
    frame: &Frame,
    options: &Options,
) -> Separation<f64> {
    let tolerance = frame.tolerance(options);
    let (start, _) = frame.start(body_a, b, options);
    let most = newton_evaluations(&hasty(options));
    let first = separate(body_a, b, &frame.placement, start, tolerance, most, Goal::Distance);
    let search = Search {
        a,
        b,
        hull_b: b,
        opposite: Opposite::Convex(other),
        placement: &frame.placement,
        tolerance,
        patient: options.max_iterations > NEWTON_EVALUATIONS,
    };
    search.conclude(first)
}

impl<B: Body<f64>, H: Hull> Search<'_, B, H> {
    /// Goes on from where Newton's method ended.
    fn conclude(&self, first: Separation<f64>) -> Separation<f64> {
        let settled = first.converged;
        if first.overlapping {
            return first;
        }
        let mut best = Best { found: first, settled, proof: None, tolerance: self.tolerance };
        let points = (first.x_a, first.x_b);
        if settled || !self.patient {
            let normal = if settled { first.witness } else { first.normal };
            best.take_proof(self.prove(normal, points));
            if best.is_certified() || !self.patient {
                return best.conclude();
            }
        } else if self.descend(&mut best, points, first.normal) {
            return best.conclude();
        }
        let points = (best.found.x_a, best.found.x_b);
        let proof = best.proof.unwrap_or_else(|| self.prove(best.found.normal, points));
        let hulls = between_hulls((self.a, self.hull_b), self.placement, points, &proof, self.tolerance);
        best.found.evaluations += hulls.evaluations;
        best.take_proof(Proof { gap: hulls.lower, normal: hulls.normal, ..proof });
        // The middle of the hollow that the hulls span, if they do, and its rims.
        let rims = hulls.simplex.corners();
        let middle = (rims.clone().count() > 1).then_some(hulls.simplex.closest);
        let starts: ArrayVec<_, MOST_STARTS> = middle.into_iter().chain(rims).collect();
        if self.descend_from(&mut best, &starts, hulls.normal) {
            return best.conclude();
        }
        if !best.settled {
            self.take(&mut best, self.newton_from(hulls.simplex.closest, hulls.normal));
        }
        if !best.settled
            && let Opposite::Convex(other) = self.opposite
        {
            let start = (best.found.x_a, best.found.normal);
            let felt = closest_points_by_feeling(&self.a.body, other, start);
            self.take(&mut best, felt);
        }
        best.conclude()
    }

    /// Closest points of the true surfaces from nearby; true where nothing is left to do.
    fn descend(&self, best: &mut Best, start: (V3<f64>, V3<f64>), normal: V3<f64>) -> bool {
        self.take(best, closest_points(&self.a.body, &self.opposite, self.placement, start, normal))
    }

    /// The same from several starts.
    fn descend_from(&self, best: &mut Best, starts: &[(V3<f64>, V3<f64>)], normal: V3<f64>) -> bool {
        if let (Opposite::Superquadric(b), [_, _, ..]) = (&self.opposite, starts)
            && let Some(found) = closest_points_from(&self.a.body, b, self.placement, starts, normal)
        {
            return found.into_iter().any(|found| self.take(best, found));
        }
        starts.iter().any(|start| self.descend(best, *start, normal))
    }

    /// Takes over what is better; true where nothing is left to do.
    fn take(&self, best: &mut Best, found: Separation<f64>) -> bool {
        let news = found.converged && (!best.settled || found.upper < best.found.upper - 0.5 * self.tolerance);
        best.offer(found);
        if news && !found.overlapping {
            best.take_proof(self.prove(found.normal, (found.x_a, found.x_b)));
        }
        found.overlapping || best.is_certified()
    }

    fn newton_from(&self, (x_a, x_b): (V3<f64>, V3<f64>), normal: V3<f64>) -> Separation<f64> {
        let place_b = self.placement.a_to_b::<B>(x_b - self.placement.centre);
        let a = &AnyBody::from(self.a.body);
        let start = (a.place(x_a, normal), self.b.place(place_b, -self.placement.a_to_b::<B>(normal)));
        separate(a, self.b, self.placement, start, self.tolerance, NEWTON_EVALUATIONS, Goal::Distance)
    }

    /// The dual bound of the hulls along a normal.
    fn prove(&self, normal: V3<f64>, points: (V3<f64>, V3<f64>)) -> Proof {
        prove((self.a, self.hull_b), self.placement, normal, points, SLACK * self.tolerance)
    }
}

/// The closest points so far; a common point beats everything, closest points beat points on the way.
struct Best {
    found: Separation<f64>,
    /// Whether they are closest points, at least among their neighbours.
    settled: bool,
    /// The greatest lower bound.
    proof: Option<Proof>,
    tolerance: f64,
}

impl Best {
    fn take_proof(&mut self, proof: Proof) {
        if self.proof.is_none_or(|best| proof.gap > best.gap) {
            self.proof = Some(proof);
        }
    }

    fn is_certified(&self) -> bool {
        self.proof.is_some_and(|proof| self.found.upper - proof.gap <= self.tolerance)
    }

    fn offer(&mut self, mut next: Separation<f64>) {
        let best = &mut self.found;
        if next.converged && self.settled && (next.upper - best.upper).abs() <= self.tolerance {
            let moved = (next.x_a - best.x_a).length_sq().max((next.x_b - best.x_b).length_sq());
            best.unique_points &= moved < APART_SQ;
            next.unique_points = best.unique_points;
        }
        let evaluations = best.evaluations + next.evaluations;
        let rank = |found: &Separation<f64>, settled: bool| (found.overlapping, settled, -found.upper);
        if rank(&next, next.converged) > rank(best, self.settled) {
            (*best, self.settled) = (next, next.converged);
        }
        best.evaluations = evaluations;
    }

    /// The best points with the best bound.
    fn conclude(self) -> Separation<f64> {
        let certified = self.is_certified();
        let mut found = self.found;
        if let Some(proof) = self.proof.filter(|_| !found.overlapping) {
            (found.lower, found.witness) = (proof.gap, proof.normal);
            found.converged = self.settled || certified;
        }
        found
    }
}

/// Squared distance, in units of the size, from which on points that are equally close count as different.
const APART_SQ: f64 = 1e-8;

/// Whether a superovoid and a body without hollows, each by its hull and as the solver's body, overlap, where a plane or a common point
/// shows it at once; else by their closest points.
pub(crate) fn overlap<A: Body<f64>, B: Body<f64>, H: Hull>(
    (a, body_a): (&SuperquadricHull, &A),
    (hull_b, b): (&H, &B),
    frame: &Frame,
    otherwise: impl Fn() -> Separation<f64>,
) -> Option<bool> {
    let options = &Options::DEFAULT;
    let (start, _) = frame.start(body_a, b, options);
    let tolerance = frame.tolerance(options);
    let found = separate(body_a, b, &frame.placement, start, tolerance, NEWTON_EVALUATIONS, Goal::Side);
    if found.overlapping {
        return Some(true);
    }
    if found.lower > 0.0 {
        let points = (found.x_a, found.x_b);
        let proof = prove((a, hull_b), &frame.placement, found.witness, points, 0.5 * found.lower);
        if proof.gap > frame.rounding {
            return Some(false);
        }
    }
    let found = otherwise();
    (found.overlapping || found.converged).then_some(found.overlapping)
}
