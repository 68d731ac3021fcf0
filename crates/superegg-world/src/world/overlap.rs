//! Overlapping pairs, followed from step to step.
//!
//! The least depth over all normals is a search over the sphere, twenty times as long as a distance. But a pair that was
//! in contact a step ago has a normal n₀ that is nearly right. Push b along it by τ, just enough to part the bodies: the
//! distance query of the parted bodies finds the normal that maximises `n·(c + τ n₀) − H(n)`, with H the sum of both
//! support functions. At a normal n* of least depth nearby, `c − ∇H(n*)` is parallel to n*; if n₀ = n*, so is the sum
//! with τ n₀, and the query returns n* itself. If n₀ is off by an angle, the result is off by about that angle times
//! τ over the bodies' curvature radii: for shallow overlaps a hundredth or less. The depth along the result is never less
//! than the least one, and its error is of second order in the angle. Distance and bound are pulled back along the witness normal,
//! along which the bound was proved: the line between the closest points is another, and pulled back along that the bound
//! could lie above the truth.
//!
//! A point inside both bodies proves the overlap; where there is none, or where the bodies are deep in each other, the
//! plain query decides.

use glam::DVec3;
use superegg::query::batch::{Placed, Threads, TrackedPair, tracked_distances};
use superegg::query::{Options, Outcome, QueryError, Status, WarmStart};
use superegg::shape::Shape;

use crate::certificate::{assembled, bounds as proved};

/// A pair that may overlap, and the push that parts it.
pub(super) struct Followed {
    pub index: u32,
    pub tracked: TrackedPair,
    pub push: DVec3,
}

/// Depth, as a part of the size, beyond which other normals may well be better.
const DEEPEST: f64 = 0.1;
/// How far bodies are parted at least, as a part of the size: enough for the direction between their closest points.
const PARTED: f64 = 0.01;
/// Width of the certified interval for parted pairs, as a part of the size.
const TOLERANCE: f64 = 1e-9;

/// The push that parts a pair after it has travelled, if it may overlap by now and its last answer is of use.
pub(super) fn push(last: &Outcome, travel: f64, size: f64, a: &Shape, b: &Shape) -> Option<DVec3> {
    let depth = travel - last.distance;
    let useful = depth > 0.0 && depth < DEEPEST * size && is_convex_egg(a) && is_convex_egg(b);
    useful.then(|| last.normal * (depth + PARTED * size))
}

fn is_convex_egg(shape: &Shape) -> bool {
    match shape {
        Shape::Superellipsoid(_) => true,
        Shape::Superovoid(egg) => egg.is_convex(),
        Shape::Point(_) | Shape::Plane(_) | Shape::Segment(_) | Shape::Triangle(_) => false,
        Shape::Primitive(_) | Shape::Hull(_) | Shape::Custom(_) => false,
    }
}

/// What following gave: the answer, or the pair back.
type Settled = Result<(u32, Outcome), (u32, TrackedPair)>;

/// Follows pairs.
pub(super) fn follow(pairs: &mut [Followed], options: &Options) -> Result<Vec<Settled>, QueryError> {
    let parted: Vec<TrackedPair> = pairs
        .iter()
        .map(|followed| {
            let mut parted = followed.tracked.clone();
            parted.pair[1].pose.translation += followed.push;
            parted
        })
        .collect();
    let options = Options { tolerance: TOLERANCE.min(options.tolerance), ..*options };
    let mut settled = Vec::with_capacity(pairs.len());
    for (followed, outcome) in pairs.iter().zip(tracked_distances(&parted, &options, Threads::One)) {
        let unsettled = (followed.index, followed.tracked.clone());
        settled.push(pulled_back(followed, &outcome?).map(|outcome| (followed.index, outcome)).ok_or(unsettled));
    }
    Ok(settled)
}

/// The answer for the bodies where they are, if they overlap there.
fn pulled_back(followed: &Followed, parted: &Outcome) -> Option<Outcome> {
    let Followed { tracked: TrackedPair { pair: [a, b], .. }, push, .. } = followed;
    let bounds = parted.bounds.filter(|_| parted.status == Status::Separated)?;
    // Along the normal that the bounds of the parted bodies are proved along: they hold for the bodies where they are, pulled
    // back by what the push amounts to along it.
    let normal = parted.witness;
    let back = normal.dot(*push);
    let far = a.pose.translation.length() + b.pose.translation.length() + push.length();
    let rounding = 4.0 * f64::EPSILON * (far + a.shape.reach() + b.shape.reach());
    let (distance, lower) = (parted.distance - back, bounds.lower - back - rounding);
    let (point_a, point_b) = (parted.point_a, parted.point_b - *push);
    let middle = 0.5 * (point_a + point_b);
    let is_inside = |body: &Placed| body.shape.contains(body.pose.inverse_transform_point(middle));
    if distance >= 0.0 || !(is_inside(a) && is_inside(b)) {
        return None;
    }
    // What is across the normal between the two points is shared.
    let across = 0.5 * (point_b - point_a - normal * distance);
    let (point_a, point_b) = (point_a + across, point_b - across);
    let warm_start = WarmStart {
        point_a: a.pose.inverse_transform_point(point_a),
        normal_a: a.pose.inverse_transform_vector(normal),
        point_b: b.pose.inverse_transform_point(point_b),
        normal_b: b.pose.inverse_transform_vector(-normal),
    };
    // A common point, up to the rounding of the gauges that show it.
    let proved = Some(proved(lower, rounding));
    let points = [point_a, point_b];
    Some(assembled(distance, points, normal, Status::Penetrating, parted.iterations, proved, warm_start))
}
