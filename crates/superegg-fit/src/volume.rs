//! The smallest superovoid around points, and the largest one between them.
//!
//! Of all shapes with gauges of at most one the one of least volume: a constrained minimum, found by sequential quadratic programming
//! ([`crate::minimax`]) with an exact penalty on the greatest gauge, from a fitted shape and from others in its box. For inscribed
//! shapes all signs are turned round. What is found is a good shape, not a proof: that comes from [`crate::certify`].

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Superovoid;

use crate::cloud::{pack, spread};
use crate::equations::{Block, log_gauges};
use crate::minimax::{Local, Patience, minimise};
use crate::model::{Model, Step, UNKNOWNS};
use crate::search::with_z_on;

/// Which side of the surface the points have to be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Inside,
    Outside,
}

impl Side {
    fn sign(self) -> f64 {
        match self {
            Side::Inside => 1.0,
            Side::Outside => -1.0,
        }
    }
}

/// How long each round of the best is followed; gains are parts of the volume.
const FINE: Patience = Patience { steps: 60, least_gain: 1e-6 };
/// What a gauge beyond one costs, in logarithms of both.
const PENALTY: f64 = 10.0;
/// Points that are looked at in each step: the farthest along so many directions; others that matter are added as they turn up.
const WORKING: usize = 300;
/// Most points that a search looks at; of more, those outermost ones and an even sample, and in the end all.
const MOST_POINTS: usize = 65_536;
/// Points added at a time, and how often.
const ADDED: usize = 64;
const ROUNDS: usize = 4;

/// Exponents of further starts around a fitted shape.
const EXPONENTS: [[f64; 2]; 4] = [[0.35, 0.35], [1.0, 0.35], [0.35, 1.0], [1.0, 1.0]];
/// How long all starts are followed, and how many of them are finished.
const ROUGH: Patience = Patience { steps: 20, least_gain: 1e-4 };
const FINISHED: usize = 4;

/// Shapes with all points inside, each of locally least volume, the smallest first. From a fitted shape and from others in its box.
pub(crate) fn enclosures(start: &Model, points: &[DVec3], tapered: bool) -> Vec<Model> {
    let hull = farthest(points, WORKING);
    if points.len() > MOST_POINTS {
        let sample = hull.into_iter().chain(spread(points.len(), MOST_POINTS - WORKING));
        let sample: Vec<DVec3> = sample.map(|i| points[i as usize]).collect();
        let found = enclosures(start, &sample, tapered);
        return found.iter().map(|model| touching(model, points.iter().copied(), Side::Inside)).collect();
    }
    let mut starts = Vec::new();
    for turns in 0..3 {
        let turned = with_z_on(start, turns);
        starts.push(turned);
        let other = |e| Model::new(turned.radii(), e, turned.taper(), turned.rotation, turned.center);
        starts.extend(EXPONENTS.map(other));
    }
    let mut found: Vec<Model> = starts.iter().map(|start| roughly(start, points, &hull, tapered)).collect();
    found.sort_by(|a, b| log_volume(a).total_cmp(&log_volume(b)));
    found.truncate(FINISHED);
    found.push(*start);
    let mut found: Vec<Model> =
        found.iter().map(|start| tightened(start, points, hull.clone(), Side::Inside, tapered)).collect();
    found.sort_by(|a, b| log_volume(a).total_cmp(&log_volume(b)));
    found
}

/// A few steps towards the smallest shape around some of the points, touching them.
pub(crate) fn roughly(start: &Model, points: &[DVec3], chosen: &[u32], tapered: bool) -> Model {
    let chosen: Vec<DVec3> = chosen.iter().map(|&i| points[i as usize]).collect();
    minimised(start, &chosen, ROUGH, Side::Inside, tapered)
}

/// Steps towards the shape of extreme volume with points on one side, touching them.
fn minimised(start: &Model, points: &[DVec3], patience: Patience, side: Side, tapered: bool) -> Model {
    let blocks: Vec<Block<f64>> = pack(points.iter().map(|&point| (point, 1.0)));
    let start = touching(start, points.iter().copied(), side);
    let found = minimise(start, patience, |model| constrained(&blocks, points.len(), model, side, tapered));
    touching(&found.model, points.iter().copied(), side)
}

/// Maximises the volume of a shape with all points outside, starting from a fitted one.
pub(crate) fn largest(start: &Model, points: &[DVec3], tapered: bool) -> Model {
    tightened(start, points, spread(points.len(), WORKING), Side::Outside, tapered)
}

fn tightened(start: &Model, points: &[DVec3], mut chosen: Vec<u32>, side: Side, tapered: bool) -> Model {
    let mut best = touching(start, points.iter().copied(), side);
    let mut model = best;
    for round in 0..ROUNDS {
        // The points that the shape misses most join those that are looked at.
        let before = chosen.len();
        chosen.extend(outermost(&model, points, side));
        chosen.sort_unstable();
        chosen.dedup();
        if round > 0 && chosen.len() == before {
            break;
        }
        let looked_at: Vec<DVec3> = chosen.iter().map(|&i| points[i as usize]).collect();
        let next = minimised(&model, &looked_at, FINE, side, tapered);
        // Points do not keep an inscribed shape from leaving between them.
        if side == Side::Outside && !surrounded(&next, points) {
            break;
        }
        model = next;
        let improved = touching(&model, points.iter().copied(), side);
        if side.sign() * (log_volume(&best) - log_volume(&improved)) > 0.0 {
            best = improved;
        }
    }
    best
}

/// The farthest points along directions that are spread evenly over the sphere (Fibonacci's lattice): corners of the hull.
pub(crate) fn farthest(points: &[DVec3], directions: usize) -> Vec<u32> {
    if points.len() <= directions {
        return (0..points.len() as u32).collect();
    }
    let mut found: Vec<u32> = (0..directions)
        .map(|k| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / directions as f64;
            let (sin, cos) = (k as f64 * 2.399_963_229_728_653).sin_cos();
            let direction = DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z);
            let mut best = (f64::NEG_INFINITY, 0);
            for (i, p) in (0u32..).zip(points) {
                let along = p.dot(direction);
                if along > best.0 {
                    best = (along, i);
                }
            }
            best.1
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The points with the most extreme gauges.
fn outermost(model: &Model, points: &[DVec3], side: Side) -> Vec<u32> {
    let Some(shape) = solid(model) else { return Vec::new() };
    let gauge = |p: DVec3| side.sign() * shape.gauge(model.rotation.transpose() * (p - model.center));
    let mut order: Vec<(f64, u32)> = (0u32..).zip(points).map(|(i, p)| (gauge(*p), i)).collect();
    let compare = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if order.len() > ADDED {
        order.select_nth_unstable_by(ADDED, compare);
        order.truncate(ADDED);
    }
    order.into_iter().map(|(_, i)| i).collect()
}

/// Whether there are points all around a shape's centre: some beyond it along each of its axes.
fn surrounded(model: &Model, points: &[DVec3]) -> bool {
    let least = points.len() / 50;
    (0..6).all(|k| {
        let axis = model.rotation.col(k / 2) * if k % 2 == 0 { 1.0 } else { -1.0 };
        points.iter().filter(|p| (**p - model.center).dot(axis) > 0.0).count() > least
    })
}

/// `±ln V + max(0, PENALTY max(±ln g))`, whose minimum is the smallest volume with all gauges at most one, or the largest with all of
/// them at least one, since no multiplier is larger than the penalty (without taper they add up to three).
fn constrained(blocks: &[Block<f64>], count: usize, model: &Model, side: Side, tapered: bool) -> Local {
    let sign = side.sign();
    let fixed = |mut slope: Step| {
        if !tapered {
            slope[5] = 0.0;
        }
        slope
    };
    let mut functions: Vec<(f64, Step)> = log_gauges(blocks, model)[..count]
        .iter()
        .map(|row| (sign * PENALTY * row[UNKNOWNS], fixed(std::array::from_fn(|k| sign * PENALTY * row[k]))))
        .collect();
    functions.push((0.0, [0.0; UNKNOWNS]));
    let mut gradient = fixed(volume_gradient(model).map(|slope| sign * slope));
    // Exponents at their ends would go on moving to no effect.
    let pull = |u: f64| 1e-4 * u;
    (0..2).for_each(|i| gradient[3 + i] += 2.0 * pull(model.u[i]));
    let smooth = sign * log_volume(model) + model.u.iter().map(|&u| pull(u) * u).sum::<f64>();
    Local { smooth, gradient, functions }
}

fn solid(model: &Model) -> Option<Superovoid> {
    model.placed(1.0, &Pose::IDENTITY).ok().map(|(shape, _)| shape)
}

pub(crate) fn log_volume(model: &Model) -> f64 {
    solid(model).map_or(f64::INFINITY, |shape| shape.volume().ln())
}

/// Derivatives of the volume's logarithm; by exponents and taper as differences, whose error is some 1e-6.
fn volume_gradient(model: &Model) -> Step {
    const H: f64 = 1e-6;
    let here = log_volume(model);
    let mut gradient = [0.0; UNKNOWNS];
    gradient[..3].fill(1.0);
    for (index, slope) in gradient.iter_mut().enumerate().take(6).skip(3) {
        let mut moved = *model;
        match index {
            5 => moved.tau += H,
            _ => moved.u[index - 3] += H,
        }
        *slope = (log_volume(&moved) - here) / H;
    }
    gradient
}

/// The largest gauge of points that have to be inside, the smallest of those that have to be outside.
fn extreme(model: &Model, points: impl Iterator<Item = DVec3>, side: Side) -> f64 {
    let Some(shape) = solid(model) else { return f64::INFINITY };
    let gauges = points.map(|p| shape.gauge(model.rotation.transpose() * (p - model.center)));
    match side {
        Side::Inside => gauges.fold(1e-9, f64::max),
        Side::Outside => gauges.fold(1e9, f64::min).max(1e-9),
    }
}

/// The copy that just touches. A tapered shape's gauge is not of degree one, so this takes a few rounds.
fn touching(model: &Model, points: impl Iterator<Item = DVec3> + Clone, side: Side) -> Model {
    let mut scaled = *model;
    for _ in 0..60 {
        let factor = extreme(&scaled, points.clone(), side);
        scaled = scaled.scaled(factor.clamp(0.05, 20.0));
        if (factor - 1.0).abs() < 1e-10 {
            break;
        }
    }
    scaled
}

#[cfg(test)]
mod tests {
    use glam::DMat3;
    use testkit::generate::{cloud, seeded};

    use super::*;

    fn example(seed: u64) -> (Model, Vec<DVec3>) {
        let mut rng = seeded(seed);
        let (shape, _) = cloud::scanned_shape(&mut rng);
        let points = cloud::surface_points(&mut rng, &shape, 300);
        let points: Vec<DVec3> = points.iter().map(|p| *p * (1.0 + 0.01 * cloud::gaussian(&mut rng))).collect();
        let radii = DVec3::from_array(shape.radii());
        (Model::new(radii, shape.exponents(), shape.taper()[0], DMat3::IDENTITY, DVec3::ZERO), points)
    }

    #[test]
    fn gradients_are_derivatives() {
        for seed in 0..10 {
            let (model, points) = example(seed);
            let blocks: Vec<Block<f64>> = pack(points.iter().map(|p| (*p, 1.0)));
            for side in [Side::Inside, Side::Outside] {
                let at = |model: &Model| constrained(&blocks, points.len(), model, side, true);
                let here = at(&model);
                for k in 0..UNKNOWNS {
                    let moved = |h: f64| {
                        let mut step = [0.0; UNKNOWNS];
                        step[k] = h;
                        at(&model.stepped(&step))
                    };
                    // The functions are rows of the equations, whose derivatives are tested there.
                    let slope = (moved(1e-6).smooth - moved(-1e-6).smooth) / 2e-6;
                    let found = here.gradient[k];
                    assert!((slope - found).abs() < 2e-5 * (1.0 + slope.abs()), "{seed} {k}: {slope} {found}");
                }
            }
        }
    }

    #[test]
    fn tight_shapes_touch_their_points() {
        for seed in 0..6 {
            let (model, points) = example(seed);
            for side in [Side::Inside, Side::Outside] {
                let tight = match side {
                    Side::Inside => enclosures(&model, &points, true)[0],
                    Side::Outside => largest(&model, &points, true),
                };
                let plain = touching(&model, points.iter().copied(), side);
                assert!((extreme(&tight, points.iter().copied(), side) - 1.0).abs() < 1e-9);
                assert!(side.sign() * (log_volume(&plain) - log_volume(&tight)) >= 0.0);
            }
        }
    }
}
