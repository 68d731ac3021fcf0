//! The nearest surface point of a superquadric to a point on either side of it, in lanes: Newton's method without damping.
//!
//! The step is that of pairs ([`super::step`]) with a body b that is a single point and has every normal: `(H + s I + n nᵀ) δ = w - s n`
//! turns the normal n of a surface point x by δ and moves x by `H δ`, where H is the curvature of the support function, w leads from x
//! to the point and s stands for the signed distance. A lane settles where the next step leads, to second order and without
//! an evaluation there, as soon as that is on one line with the point along the new normal; most do after two or three evaluations.
//! Nothing keeps a lane from going astray: what has not settled in a few rounds is left to the methods that are damped.
//!
//! The plane across n at x bounds the distance of a convex body from below, and x itself from above.

use crate::solver::body::superquadric::{Curvature, Superquadric, SurfacePoint};
use crate::solver::pair::placement::unit;
use crate::solver::separation::found::stays_near;
use crate::solver::simd::{Mask, Real, Sym3, V3};

/// Keeps the turn of the normal in one step below about a third of a radian.
const TURN_LIMIT: f64 = 3.0;
/// Least separation assumed for a point outside, as a part of the distance of the points.
const LEAST_SEPARATION: f64 = 0.1;
/// Part of the smaller curvature radius that a point inside may use up, so that the system stays definite.
const DEFINITE: f64 = 0.98;
/// Part of the depth below which a curvature radius is taken for smaller: what is found there is no minimum.
const CLEARLY: f64 = 0.9999;
/// Cosine of the angle by which the normal may turn in all for a point inside: a start that is farther from its minimum lies between several,
/// and which one it leads to is left to a descent.
const SAME_SIDE: f64 = 0.9;
/// How far the body's curvature must outweigh the rest of the system to lead by far.
const BY_FAR: f64 = 10.0;
/// Squares of how far the last step may turn the normal, in radians, and move the point, as a part of the size.
const SMALL_TURN_SQ: f64 = 1e-4;
const SMALL_MOVE_SQ: f64 = 1e-6;
/// How far it may move a coordinate, as a part of it: the curvature, a product of powers of them, is about the same at its end.
const NEAR: f64 = 0.01;
/// How far it may leave the tangent plane and lead beside the line through the point, as a part of the tolerance.
const CONSISTENT: f64 = 0.3;

/// What was found, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Nearest<R: Real> {
    /// The nearest point of the surface, the unit normal there and the signed distance along it.
    pub point: V3<R>,
    pub normal: V3<R>,
    pub distance: R,
    /// The last surface point that was evaluated, with its unit normal.
    pub x: V3<R>,
    pub n: V3<R>,
    /// How far p is beyond the plane across n at x, and how far from x at most.
    pub along: R,
    pub length: R,
    pub settled: R::Mask,
    /// Surface evaluations spent.
    pub evaluations: R,
}

/// Searches from a surface point, for at most `most` evaluations. `inside` says on which side of the surface p is.
#[inline(always)]
pub(crate) fn nearest<R: Real, const TAPERED: bool>(
    body: &Superquadric<R, TAPERED>,
    p: V3<R>,
    start: SurfacePoint<R>,
    inside: R::Mask,
    tolerance: R,
    most: u32,
) -> Nearest<R> {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    let slack = R::splat(CONSISTENT) * tolerance;
    let mut at = start;
    let mut end = Nearest::unsettled(&start);
    // Inside, steps may not lead deeper: there is another minimum then.
    let mut shallowest = (p - start.position).dot(start.normal);
    let mut astray = one.lt(zero);
    for round in 1..=most {
        let (x, n) = (at.position, at.normal);
        let w = p - x;
        let length = w.length_sq().sqrt();
        let along = w.dot(n);
        let across = w - n * along;
        let curve = body.curvature(&at);
        let h = Sym3::zero().add_outer(curve.t, curve.alpha).add_outer(curve.b, curve.beta);
        let (trace, minors) = (h.trace(), h.minors());
        let root = (trace * trace - R::splat(4.0) * minors).max(zero).sqrt();
        let smaller_radius = (minors + minors) / (trace + root).max(R::splat(1e-300));
        let least = R::select(inside, -(R::splat(DEFINITE) * smaller_radius), R::splat(LEAST_SEPARATION) * length);
        let limit = R::splat(TURN_LIMIT) * across.length_sq().sqrt() - smaller_radius;
        let s = along.max(least).max(limit);
        let turn = h.add_diagonal(s).add_outer(n, one).solve(across + n * (along - s));
        let shift = curve.apply(turn);

        let normal = unit(n + turn);
        // Along its own curvature a body falls away from the tangent plane that its point leaves.
        let sag = R::splat(0.5) * shift.dot(turn);
        let off = p - (x + shift - normal * sag);
        let distance = off.dot(normal);
        let aside_sq = (off - normal * distance).length_sq();
        astray = astray | along.lt(shallowest - tolerance);
        shallowest = shallowest.max(along);
        let beside_start = R::splat(SAME_SIDE).lt(normal.dot(start.normal));
        let minimum = !smaller_radius.lt(-(R::splat(CLEARLY) * along)) & !astray & beside_start;
        let proved = (length - along).lt(tolerance) & (along - slack).lt(distance) & distance.lt(length + slack);
        let settled = aside_sq.lt(slack * slack)
            & sag.abs().lt(slack)
            & turn.length_sq().lt(R::splat(SMALL_TURN_SQ))
            & shift.length_sq().lt(R::splat(SMALL_MOVE_SQ))
            & stays_near(shift, x, NEAR)
            & ((inside & minimum) | (!inside & proved))
            & !end.settled;
        if settled.any() {
            let found = Nearest {
                // On the line along the normal: what is beside it there leaves the surface by its square only.
                point: p - normal * distance,
                normal,
                distance: distance.max(along),
                x,
                n,
                along,
                length,
                settled,
                evaluations: R::splat(f64::from(round)),
            };
            end = Nearest::select(settled, &found, &end);
        }
        if round == most || !(!end.settled).any() {
            break;
        }
        let leads = outweighs(&curve, s, 1.0);
        let target = x + shift;
        let by_position = body.choose(&at, target, n + turn, leads, outweighs(&curve, s, BY_FAR));
        at = body.follow(by_position, target, n + turn);
    }
    end
}

impl<R: Real> Nearest<R> {
    /// Before anything is known.
    #[inline(always)]
    pub fn unsettled(start: &SurfacePoint<R>) -> Nearest<R> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        Nearest {
            point: start.position,
            normal: start.normal,
            distance: zero,
            x: start.position,
            n: start.normal,
            along: zero,
            length: zero,
            settled: one.lt(zero),
            evaluations: zero,
        }
    }

    /// Lane by lane, one of two.
    #[inline(always)]
    pub fn select(mask: R::Mask, yes: &Nearest<R>, no: &Nearest<R>) -> Nearest<R> {
        Nearest {
            point: V3::select(mask, yes.point, no.point),
            normal: V3::select(mask, yes.normal, no.normal),
            distance: R::select(mask, yes.distance, no.distance),
            x: V3::select(mask, yes.x, no.x),
            n: V3::select(mask, yes.n, no.n),
            along: R::select(mask, yes.along, no.along),
            length: R::select(mask, yes.length, no.length),
            settled: (mask & yes.settled) | (!mask & no.settled),
            evaluations: R::select(mask, yes.evaluations, no.evaluations),
        }
    }
}

/// For both levels, whether the body's curvature outweighs the rest of the system by `factor` along that level's direction.
#[inline(always)]
fn outweighs<R: Real>(curve: &Curvature<R>, s: R, factor: f64) -> [R::Mask; 2] {
    let part = R::splat(1.0 / factor);
    [s.lt(curve.alpha * curve.t.length_sq() * part), s.lt(curve.beta * curve.b.length_sq() * part)]
}
