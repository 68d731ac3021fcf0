//! Overlapping pairs, followed from step to step.
//!
//! The least depth over all normals is a search over the sphere, twenty times as long as a distance. But a pair that was
//! in contact a step ago has a normal n₀ that is nearly right. Push b along it by τ, just enough to part the bodies: the
//! distance query of the parted bodies finds the normal that maximises `n·(c + τ n₀) − H(n)`, with H the sum of both
//! support functions. At a normal n* of least depth nearby, `c − ∇H(n*)` is parallel to n*; if n₀ = n*, so is the sum
//! with τ n₀, and the query returns n* itself. If n₀ is off by an angle, the result is off by about that angle times
//! τ over the bodies' curvature radii: for shallow overlaps a hundredth or less. The depth along the result is known
//! without another evaluation, it is never less than the least one, and its error is of second order in the angle.
//!
//! A point inside both bodies proves the overlap; where there is none, or where the bodies are deep in each other, the
//! plain query decides.

use glam::DVec3;
use superegg::query::batch::{Placed, Threads, TrackedPair, tracked_distances};
use superegg::query::{Bounds, Options, Outcome, QueryError, Status, WarmStart};
use superegg::shape::Shape;

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
    }
}

/// What following gave: the answer, or the pair back.
type Settled = Result<(u32, Outcome), (u32, TrackedPair)>;

/// Follows pairs.
pub(super) fn follow(pairs: &mut [Followed], options: &Options) -> Result<Vec<Settled>, QueryError> {
    let parted: Vec<TrackedPair> = pairs
        .iter()
        .map(|followed| {
            let mut parted = followed.tracked;
            parted.pair[1].pose.translation += followed.push;
            parted
        })
        .collect();
    let options = Options { tolerance: TOLERANCE.min(options.tolerance), ..*options };
    let mut settled = Vec::with_capacity(pairs.len());
    for (followed, outcome) in pairs.iter().zip(tracked_distances(&parted, &options, Threads::One)) {
        let unsettled = (followed.index, followed.tracked);
        settled.push(pulled_back(followed, &outcome?).map(|outcome| (followed.index, outcome)).ok_or(unsettled));
    }
    Ok(settled)
}

/// The answer for the bodies where they are, if they overlap there.
fn pulled_back(followed: &Followed, parted: &Outcome) -> Option<Outcome> {
    let Followed { tracked: TrackedPair { pair: [a, b], .. }, push, .. } = followed;
    let bounds = parted.bounds.filter(|_| parted.status == Status::Separated)?;
    let normal = parted.normal;
    let back = normal.dot(*push);
    let distance = parted.distance - back;
    let (point_a, point_b) = (parted.point_a, parted.point_b - *push);
    let middle = 0.5 * (point_a + point_b);
    if distance >= 0.0 || !(holds(a, middle) && holds(b, middle)) {
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
    Some(Outcome {
        distance,
        point_a,
        point_b,
        normal,
        status: Status::Penetrating,
        iterations: parted.iterations,
        bounds: Some(Bounds { lower: bounds.lower - back, upper: 0.0 }),
        warm_start,
    })
}

fn holds(body: &Placed, point: DVec3) -> bool {
    let local = body.pose.inverse_transform_point(point);
    match &body.shape {
        Shape::Superellipsoid(egg) => egg.gauge(local) <= 1.0,
        Shape::Superovoid(egg) => egg.gauge(local) <= 1.0,
        Shape::Point(_) | Shape::Plane(_) | Shape::Segment(_) | Shape::Triangle(_) => false,
    }
}
