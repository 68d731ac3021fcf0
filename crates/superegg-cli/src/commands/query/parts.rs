//! What answers to several queries have in common: a distance, and where a ray meets a body.

use serde::Serialize;
use superegg::query::{Bounds, Outcome, RayHit, Status};

/// A distance and where it is measured.
#[derive(Serialize)]
pub struct DistanceAnswer {
    distance: f64,
    lower: Option<f64>,
    upper: Option<f64>,
    point_a: [f64; 3],
    point_b: [f64; 3],
    normal: [f64; 3],
    status: &'static str,
    iterations: u32,
}

impl DistanceAnswer {
    /// The answer of a distance query.
    pub fn new(outcome: &Outcome) -> DistanceAnswer {
        DistanceAnswer {
            distance: outcome.distance,
            lower: outcome.bounds.map(|Bounds { lower, .. }| lower),
            upper: outcome.bounds.map(|Bounds { upper, .. }| upper),
            point_a: outcome.point_a.to_array(),
            point_b: outcome.point_b.to_array(),
            normal: outcome.normal.to_array(),
            status: status_name(outcome.status),
            iterations: outcome.iterations,
        }
    }
}

/// How a query ended, by its name in an answer.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Separated => "separated",
        Status::Touching => "touching",
        Status::Penetrating => "penetrating",
        Status::NotConverged => "not_converged",
    }
}

/// Where a ray meets a body.
#[derive(Serialize)]
pub struct HitAnswer {
    hit: bool,
    t: f64,
    point: [f64; 3],
    normal: [f64; 3],
    from_inside: bool,
}

impl HitAnswer {
    /// The answer of a ray query.
    pub fn new(hit: &RayHit) -> HitAnswer {
        let RayHit { t, point, normal, from_inside } = *hit;
        HitAnswer { hit: true, t, point: point.to_array(), normal: normal.to_array(), from_inside }
    }
}
