//! How far a target's points are from the surface of a union of parts: true distances, from the distance core.
//!
//! Outside all parts, the distance to the union is the least of the distances to the parts. Inside, the nearest surface point of a
//! part counts unless another part covers it; where all are covered, the depth in the part that is deepest is taken, which
//! is less than the truth.

use glam::DVec3;
use rayon::prelude::*;
use superegg::Threads;
use superegg::query::{Options, QueryError, closest_point};
use superegg::shape::Shape;

use crate::cloud::spread;
use crate::error::FitError;
use crate::part::Part;
use crate::target::Target;

/// Points that are measured; of more, an even sample is taken.
pub(crate) const MEASURED: usize = 4096;
/// Width of the distances' bounds, as a part of the size.
const MEASURE: Options = Options { tolerance: 1e-7, max_iterations: 400, warm_start: None };

/// Distances of points from a surface, without sign.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Mean distance.
    pub mean: f64,
    /// Root of the mean square.
    pub rms: f64,
    /// Half of the points are nearer than this.
    pub median: f64,
    /// 95 % of the points are nearer than this.
    pub p95: f64,
    /// The largest distance.
    pub max: f64,
}

impl Errors {
    /// Sums distances up.
    pub(crate) fn new(mut distances: Vec<f64>) -> Errors {
        if distances.is_empty() {
            return Errors::default();
        }
        distances.sort_unstable_by(f64::total_cmp);
        let count = distances.len();
        let quantile = |q: f64| distances[((count - 1) as f64 * q).round() as usize];
        Errors {
            mean: distances.iter().sum::<f64>() / count as f64,
            rms: (distances.iter().map(|d| d * d).sum::<f64>() / count as f64).sqrt(),
            median: quantile(0.5),
            p95: quantile(0.95),
            max: distances[count - 1],
        }
    }
}

/// Where a point is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Distance from the union's surface, negative inside.
    pub signed: f64,
}

/// The true distances of a target's points from the surface of a union of parts: of all of them up to 4,096, of an even sample of
/// that size otherwise. Takes longer than the fit itself, about ten microseconds a point.
pub fn errors(parts: &[Part], target: &Target, threads: Threads) -> Result<Errors, FitError> {
    let places = places(parts, target.points(), MEASURED, threads)?;
    Ok(Errors::new(places.iter().map(|place| place.signed.abs()).collect()))
}

/// The places of points, or of an even sample of them.
pub(crate) fn places(parts: &[Part], points: &[DVec3], count: usize, threads: Threads) -> Result<Vec<Place>, FitError> {
    let chosen = spread(points.len(), count);
    let at = |&i: &u32| place(parts, points[i as usize]);
    match threads {
        Threads::One => chosen.iter().map(at).collect(),
        Threads::All => chosen.par_iter().with_min_len(64).map(at).collect(),
    }
}

/// Where a point is with respect to a union of parts.
pub(crate) fn place(parts: &[Part], point: DVec3) -> Result<Place, FitError> {
    // The first-order distances tell which parts are worth asking.
    let estimates: Vec<f64> = parts.iter().map(|part| estimate(part, point)).collect();
    let nearest = estimates.iter().map(|e| e.abs()).fold(f64::INFINITY, f64::min);
    let mut outside = f64::INFINITY;
    let mut depth = f64::NEG_INFINITY;
    let mut surface = f64::INFINITY;
    for (index, part) in parts.iter().enumerate() {
        let radius = part.shape.radii().into_iter().fold(0.0, f64::max);
        if parts.len() > 1 && estimates[index] > 3.0 * nearest + 0.02 * radius {
            continue;
        }
        let answer = match closest_point(&Shape::from(part.shape), &part.pose, point, &MEASURE) {
            Ok(answer) => answer,
            Err(QueryError::InvalidInput(error)) => return Err(FitError::InvalidInput(error)),
            Err(QueryError::Unsupported { .. }) => return Err(FitError::NotCertified("measured")),
        };
        if answer.distance <= 0.0 {
            depth = depth.max(-answer.distance);
        } else {
            outside = outside.min(answer.distance);
        }
        let covered = parts.iter().enumerate().any(|(other, covering)| {
            other != index && covering.shape.gauge(covering.pose.inverse_transform_point(answer.point)) < 1.0
        });
        if !covered {
            surface = surface.min(answer.distance.abs());
        }
    }
    if depth < 0.0 {
        return Ok(Place { signed: outside });
    }
    Ok(Place { signed: if surface.is_finite() { -surface } else { -depth } })
}

/// The first-order distance of a point from a part's surface, negative inside.
pub(crate) fn estimate(part: &Part, point: DVec3) -> f64 {
    let at = part.shape.gauge_derivatives(part.pose.inverse_transform_point(point));
    let slope = at.gradient.length();
    // Between the first-order distance, which is too short far away, and the radial one.
    if at.value > 1.0 { (at.value - 1.0) / slope / at.value.sqrt().max(1.0) } else { (at.value - 1.0) / slope }
}
