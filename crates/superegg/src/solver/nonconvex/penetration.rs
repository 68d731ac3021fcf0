//! Penetration depth of bodies that are not convex.
//!
//! What separates the hulls separates the bodies: the depth of the hulls along any normal bounds the depth from above, so that
//! minus that depth is a lower bound of the signed distance; a common point bounds it from above by zero.
//!
//! The search for the depth sees bodies that are not convex much like their hulls. Where it ends at a plane that spans a
//! hollow, or at points within one, the depth found is not that of the surfaces. The right one is found by turns: b is pushed
//! out far enough; the closest points there give the direction in which the bodies really part and how far b may go back
//! along it. Each turn looks at the true surfaces, so a translation is only taken when it was seen to separate them. Where
//! the turns do not come to an end, b is pushed out a little to the side.

use glam::DVec3;

use crate::outcome::{Options, Outcome};
use crate::solver::body::any::AnyBody;
use crate::solver::body::simplex::Simplex;
use crate::solver::body::{Body, Project};
use crate::solver::nonconvex::closest_points::{CommonNormal, common_normal, common_normal_with_simplex};
use crate::solver::nonconvex::hull::{Hull, SuperquadricHull, prove};
use crate::solver::nonconvex::projection::{PlacedBody, PlacedSimplex};
use crate::solver::nonconvex::search;
use crate::solver::pair::frame::{Found, Frame};
use crate::solver::pair::placement::unit;
use crate::solver::params::Params;
use crate::solver::penetration::candidate::Candidate;
use crate::solver::penetration::difference::OneByOne;
use crate::solver::penetration::{self as convex, Wanted};
use crate::solver::separation::found::Separation;
use crate::solver::simd::V3;

/// How far b is pushed beyond the depth, as a part of the size.
const PUSH: f64 = 5e-4;
/// How far to the sides, in radians.
const SIDES: [(f64, f64); 3] = [(0.1, 0.0), (-0.05, 0.087), (-0.05, -0.087)];
const MOST_TURNS: u32 = 24;
/// How far, as a part of the size, the closest points after a push may be from what was pushed when nothing is left to gain.
const TRUE_CONTACT: f64 = 1e-7;
/// Cosine below which the normal along which the bodies meet is another one than that of the depth.
const ELSEWHERE: f64 = 0.95;
/// Cosine between normals that are the same to about the root of the tolerance.
const SAME_NORMAL: f64 = 1.0 - 1e-9;
/// Part of the depth by which Newton's method may change it to be believed.
const LIKELY: f64 = 0.1;
/// Part of the tolerance by which a support value may be too large.
const SLACK: f64 = 0.02;

/// Points of both surfaces, in a's frame.
type Points = (V3<f64>, V3<f64>);

/// The depth of two superovoids with a common point.
pub(crate) fn of_superquadrics(
    shapes: [&Params; 2],
    hulls: &[SuperquadricHull; 2],
    found: &Separation<f64>,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let [a, b] = hulls;
    let deep = convex::of_superquadrics(&a.body, &b.body, &frame.placement, &wanted(found, frame, options), None);
    let cold = Options { warm_start: None, ..*options };
    let closest = |pushed: &Frame| search::of_superquadrics(shapes, hulls, pushed, &cold);
    let refine =
        |points: Points, normal: V3<f64>, _: V3<f64>| common_normal(&a.body, &b.body, &frame.placement, points, normal);
    conclude((a, &AnyBody::from(b.body), b), deep.into(), found, frame, options, &closest, &refine)
}

/// The depth of a superovoid and a simplex with a common point.
pub(crate) fn of_superquadric_and_simplex(
    a: &SuperquadricHull,
    simplex: &Simplex,
    found: &Separation<f64>,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let placement = &frame.placement;
    let deep = convex::of_superquadric_and_simplex(&a.body, simplex, placement, &wanted(found, frame, options));
    let cold = Options { warm_start: None, ..*options };
    let closest = |pushed: &Frame| {
        let other = PlacedSimplex { simplex, centre: pushed.placement.centre };
        search::of_superquadric_and_convex((a, &a.body), simplex, &other, pushed, &cold)
    };
    let refine = |points: Points, normal: V3<f64>, shift: V3<f64>| {
        common_normal_with_simplex(&a.body, simplex, placement.centre, points, normal, shift)
    };
    conclude((a, simplex, simplex), deep.into(), found, frame, options, &closest, &refine)
}

/// The depth of a superovoid and a solid or a body by its support points, given as both, with a common point.
pub(crate) fn of_superquadric_and_body(
    a: &SuperquadricHull,
    b: &AnyBody,
    by_projection: &dyn Project,
    found: &Separation<f64>,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let (body_a, placement) = (&AnyBody::from(a.body), &frame.placement);
    let difference = OneByOne { body_a, body_b: b, placement, symmetric: false, round_part: 0.0 };
    let deep = convex::of_bodies(&difference, &wanted(found, frame, options));
    let cold = Options { warm_start: None, ..*options };
    let closest = |pushed: &Frame| {
        let other = PlacedBody { body: by_projection, placement: &pushed.placement };
        search::of_superquadric_and_convex((a, body_a), b, &other, pushed, &cold)
    };
    conclude((a, b, b), deep.into(), found, frame, options, &closest, &|_, _, _| None)
}

fn wanted(found: &Separation<f64>, frame: &Frame, options: &Options) -> Wanted {
    Wanted {
        earlier: None,
        tolerance: frame.tolerance(options),
        most: options.max_iterations,
        near: found.normal,
        points: (found.x_a, found.x_b),
    }
}

/// From the depth of the bodies as if they were convex (`deep`) to that of their surfaces. `closest` finds closest points
/// after b has been pushed; `refine` leads points, given with a normal and the push, to a common normal.
fn conclude<B: Body<f64>, H: Hull>(
    (a, b, hull_b): (&SuperquadricHull, &B, &H),
    deep: Candidate,
    found: &Separation<f64>,
    frame: &Frame,
    options: &Options,
    closest: &dyn Fn(&Frame) -> Separation<f64>,
    refine: &dyn Fn(Points, V3<f64>, V3<f64>) -> Option<CommonNormal>,
) -> Outcome {
    let (placement, tolerance) = (&frame.placement, frame.tolerance(options));
    let near = (deep.x_a, deep.x_b);
    let hull_depth = |normal: V3<f64>| -prove((a, hull_b), placement, normal, near, SLACK * tolerance).gap;
    let between_points = (deep.x_a - deep.x_b).dot(deep.normal);
    let of_hulls = hull_depth(deep.normal);
    let proved = (of_hulls, deep.normal);
    // Where the hulls touch at points of the surfaces, these touch too.
    if (of_hulls - between_points).abs() < tolerance
        && let Some(points) = deep.common_points(b, placement)
    {
        return penetrating(&deep, points, proved, true, found, frame, options);
    }
    if let Some((end, points)) = push_apart(&deep, found.normal, frame, tolerance, &hull_depth, closest, refine) {
        return penetrating(&end, points, proved, true, found, frame, options);
    }
    // A translation that parts the hulls, whose points need not be on the surfaces.
    let mut end = Candidate { depth: of_hulls, ..deep };
    let points = end.points(&AnyBody::from(a.body), b, placement, tolerance, options.max_iterations);
    penetrating(&end, points, proved, false, found, frame, options)
}

/// The answer for bodies with a common point, bounded by the depth of their hulls along a normal.
fn penetrating(
    deep: &Candidate,
    (x_a, x_b): Points,
    (of_hulls, witness): (f64, V3<f64>),
    converged: bool,
    found: &Separation<f64>,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let depth = deep.depth.max(0.0);
    let answer = Found {
        distance: -depth,
        x_a,
        x_b,
        normal: deep.normal,
        bounds: Some(frame.bounds(-of_hulls.max(depth), 0.0)),
        witness,
        unique_points: true,
        unique_normal: true,
        converged,
        evaluations: found.evaluations + deep.evaluations,
    };
    frame.answer(&answer, options)
}

/// A translation near the candidate's after which the true surfaces touch, with its points; or one near the normal along which
/// the bodies were found to meet, if that is shorter: hollows may let them part there.
fn push_apart(
    deep: &Candidate,
    met_along: V3<f64>,
    frame: &Frame,
    tolerance: f64,
    hull_depth: &dyn Fn(V3<f64>) -> f64,
    closest: &dyn Fn(&Frame) -> Separation<f64>,
    refine: &dyn Fn(Points, V3<f64>, V3<f64>) -> Option<CommonNormal>,
) -> Option<(Candidate, Points)> {
    let (u, v) = DVec3::from(deep.normal).any_orthonormal_pair();
    let aside = SIDES.map(|(along_u, along_v)| unit(deep.normal + V3::from(along_u * u + along_v * v)));
    let mut evaluations = deep.evaluations;
    let mut along = |normal: V3<f64>| {
        let start = Candidate { normal, depth: hull_depth(normal), evaluations: 0.0, ..*deep };
        let (end, points) = back_from(start, frame, tolerance, closest, refine);
        evaluations += end.evaluations;
        points.map(|points| (end, points))
    };
    let mut best = [deep.normal].into_iter().chain(aside).find_map(&mut along);
    if met_along.dot(deep.normal) < ELSEWHERE
        && let Some(other) = along(met_along)
        && best.as_ref().is_none_or(|(end, _)| other.0.depth < end.depth)
    {
        best = Some(other);
    }
    best.map(|(end, points)| (Candidate { evaluations, ..end }, points))
}

/// Takes a translation that separates the bodies back to one after which their surfaces touch; its points, if that came
/// to an end.
fn back_from(
    mut trial: Candidate,
    frame: &Frame,
    tolerance: f64,
    closest: &dyn Fn(&Frame) -> Separation<f64>,
    refine: &dyn Fn(Points, V3<f64>, V3<f64>) -> Option<CommonNormal>,
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
        let mut normal = found.normal;
        let mut depth = normal.dot(shift) - found.upper;
        // The turns close in on a common normal, or turn about one; Newton's method reaches it from close by.
        let end = refine((found.x_a, found.x_b - shift), found.normal, shift);
        if (found.upper - PUSH).abs() < TRUE_CONTACT {
            if (depth - trial.depth).abs() <= tolerance {
                return (trial, Some((found.x_a, found.x_b - shift)));
            }
            if let Some(end) = end.as_ref().filter(|end| (end.along + trial.depth).abs() <= tolerance)
                && end.normal.dot(trial.normal) > SAME_NORMAL
            {
                return (trial, Some((end.x_a, end.x_b)));
            }
        }
        apart = Some(shift);
        // One that is deeper is a saddle.
        if let Some(end) = end
            && -end.along <= depth
            && -end.along > (1.0 - LIKELY) * depth
        {
            (normal, depth) = (end.normal, -end.along);
        }
        (trial.normal, trial.depth) = (normal, depth);
        shift = normal * (depth + PUSH);
    }
    (trial, None)
}
