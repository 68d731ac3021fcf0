//! Distances that involve superhyperboloids and supertoroids, which are not convex: many starts, the best of their ends.
//!
//! Both surfaces are sampled on a grid of angles. From the closest pairs (in overlap, from the deepest points) the squared
//! distance is brought down over the four angles by Levenberg–Marquardt steps that stay within the domain, and the end is
//! settled by the implicit common-normal system. A closest point may lie on the rim of a hyperboloid, where there is no
//! common normal; the bounded descent alone decides there.

use superegg::DVec3;

use crate::common_normal::polish;
use crate::couple::{Couple, Points, Run};
use crate::linear::{norm, solve};
use crate::trace::Recorder;
use crate::verify::is_minimum;
use crate::{SchemeOptions, Superquadric};

/// Grid of angles: around z and along it.
const GRID: [usize; 2] = [32, 20];
/// Starts that are followed.
const STARTS: usize = 12;

struct Sample {
    angles: [f64; 2],
    point: DVec3,
}

fn samples(surface: &Superquadric) -> Vec<Sample> {
    let [[u0, u1], [v0, v1]] = surface.domain();
    let mut found = Vec::with_capacity(GRID[0] * (GRID[1] + 1));
    for i in 0..GRID[0] {
        for j in 0..=GRID[1] {
            let u = u0 + (u1 - u0) * i as f64 / GRID[0] as f64;
            let v = v0 + (v1 - v0) * j as f64 / GRID[1] as f64;
            found.push(Sample { angles: [u, v], point: surface.point(u, v) });
        }
    }
    found
}

/// The depth of a point below a surface, to first order; negative outside.
fn depth(surface: &Superquadric, point: DVec3) -> f64 {
    if !surface.within_height(point) {
        return f64::NEG_INFINITY;
    }
    let (value, gradient) = surface.gradient(point);
    -value / gradient.length().max(1e-12)
}

/// The closest points, or in overlap the common normal of least depth that was found.
pub(crate) fn solve_from_many(couple: &Couple, options: &SchemeOptions, recorder: &mut Recorder) -> (Run, bool) {
    let (from_a, from_b) = (samples(&couple.a), samples(&couple.b));
    let placed: Vec<DVec3> = from_b.iter().map(|sample| couple.placed(sample.point)).collect();
    let mut total = Run::none(couple);
    let overlapping = overlap_starts(couple, &from_a, &from_b, &placed);
    let starts = if overlapping.is_empty() { closest_starts(&from_a, &placed, &from_b) } else { overlapping.clone() };
    let mut best: Option<(f64, Points)> = None;
    for angles in starts {
        let descended = if overlapping.is_empty() { descend(couple, angles) } else { angles };
        let on_surfaces = points_at(couple, &descended);
        let run = polish(couple, on_surfaces, options, recorder);
        total.iterations += run.iterations;
        let between = |points: &Points| couple.placed(points.b).distance(points.a);
        let is_least = |points: &Points| is_minimum(couple, points, options.tolerance);
        // In overlap only common normals count. Apart, so do ends on a rim, and ends that Newton's iteration cannot better
        // because the closest points are not isolated, as on coaxial bodies.
        let candidate = if run.settled && is_least(&run.points) {
            Some(run.points)
        } else if overlapping.is_empty() {
            let rim = at_rim(&couple.a, descended[1]) || at_rim(&couple.b, descended[3]);
            (rim || is_least(&on_surfaces)).then_some(on_surfaces)
        } else {
            None
        };
        if let Some(points) = candidate
            && best.is_none_or(|(least, _)| between(&points) < least)
        {
            best = Some((between(&points), points));
        }
    }
    match best {
        Some((_, points)) => (Run { points, settled: true, apart: overlapping.is_empty(), ..total }, true),
        None => (total, false),
    }
}

fn at_rim(surface: &Superquadric, v: f64) -> bool {
    let [_, [low, high]] = surface.domain();
    surface.has_rim() && (v - low).min(high - v) < 1e-9
}

fn points_at(couple: &Couple, angles: &[f64; 4]) -> Points {
    Points { a: couple.a.point(angles[0], angles[1]), b: couple.b.point(angles[2], angles[3]) }
}

/// Pairs of samples in the order of their distance, no two of them from neighbouring samples of a.
fn closest_starts(from_a: &[Sample], placed: &[DVec3], from_b: &[Sample]) -> Vec<[f64; 4]> {
    let mut nearest: Vec<(f64, usize, usize)> = from_a
        .iter()
        .enumerate()
        .map(|(i, sample)| {
            let (j, distance_sq) = placed
                .iter()
                .map(|point| point.distance_squared(sample.point))
                .enumerate()
                .min_by(|p, q| p.1.total_cmp(&q.1))
                .unwrap_or((0, f64::INFINITY));
            (distance_sq, i, j)
        })
        .collect();
    nearest.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    for (_, i, j) in nearest {
        let apart = |k: usize| {
            let [u, v] = from_a[i].angles;
            let [w, t] = from_a[k].angles;
            let around = (u - w).abs();
            around.min(std::f64::consts::TAU - around).hypot(v - t) > 0.4
        };
        if chosen.iter().all(|(k, _)| apart(*k)) {
            chosen.push((i, j));
        }
        if chosen.len() == STARTS {
            break;
        }
    }
    chosen
        .into_iter()
        .map(|(i, j)| {
            let ([u, v], [w, t]) = (from_a[i].angles, from_b[j].angles);
            [u, v, w, t]
        })
        .collect()
}

/// The deepest samples of either body inside the other, each with the other's nearest sample; empty when none is inside.
fn overlap_starts(couple: &Couple, from_a: &[Sample], from_b: &[Sample], placed: &[DVec3]) -> Vec<[f64; 4]> {
    let mut inside: Vec<(f64, [f64; 4])> = Vec::new();
    let nearest = |samples: &[Sample], point: DVec3| {
        let best =
            samples.iter().min_by(|p, q| p.point.distance_squared(point).total_cmp(&q.point.distance_squared(point)));
        best.map_or([0.0; 2], |sample| sample.angles)
    };
    for sample in from_a {
        let in_b = couple.in_b(sample.point);
        let deep = depth(&couple.b, in_b);
        if deep > 0.0 {
            let [w, t] = nearest(from_b, in_b);
            inside.push((deep, [sample.angles[0], sample.angles[1], w, t]));
        }
    }
    for (sample, point) in from_b.iter().zip(placed) {
        let deep = depth(&couple.a, *point);
        if deep > 0.0 {
            let [u, v] = nearest(from_a, *point);
            inside.push((deep, [u, v, sample.angles[0], sample.angles[1]]));
        }
    }
    inside.sort_by(|p, q| q.0.total_cmp(&p.0));
    inside.into_iter().map(|(_, angles)| angles).take(2 * STARTS).collect()
}

/// Levenberg–Marquardt on the vector between the points, over angles kept within their domain.
fn descend(couple: &Couple, mut angles: [f64; 4]) -> [f64; 4] {
    let [_, [low_a, high_a]] = couple.a.domain();
    let [_, [low_b, high_b]] = couple.b.domain();
    let clamped = |mut q: [f64; 4]| {
        q[1] = q[1].clamp(low_a, high_a);
        q[3] = q[3].clamp(low_b, high_b);
        q
    };
    let apart = |q: &[f64; 4]| {
        let points = points_at(couple, q);
        couple.placed(points.b) - points.a
    };
    let mut damping = 1e-2;
    let mut vector = apart(&angles);
    for _ in 0..200 {
        let (patch_a, patch_b) = (couple.a.patch(angles[0], angles[1]), couple.b.patch(angles[2], angles[3]));
        let columns = [
            -patch_a.first[0],
            -patch_a.first[1],
            couple.rotation * patch_b.first[0],
            couple.rotation * patch_b.first[1],
        ];
        let gradient = columns.map(|column| column.dot(vector));
        // An angle at its end that would leave the domain stays where it is.
        let held = |k: usize, low: f64, high: f64| {
            (angles[k] <= low && gradient[k] > 0.0) || (angles[k] >= high && gradient[k] < 0.0)
        };
        let fixed = [false, held(1, low_a, high_a), false, held(3, low_b, high_b)];
        let mut matrix = [[0.0; 4]; 4];
        let mut right = [0.0; 4];
        for i in 0..4 {
            for j in 0..4 {
                if !fixed[i] && !fixed[j] {
                    matrix[i][j] = columns[i].dot(columns[j]);
                }
            }
            matrix[i][i] += if fixed[i] { 1.0 } else { damping * (matrix[i][i] + 1e-6) };
            right[i] = if fixed[i] { 0.0 } else { gradient[i] };
        }
        let Some(step) = solve(&mut matrix, &right) else { break };
        let moved = clamped([0, 1, 2, 3].map(|k| angles[k] - step[k].clamp(-0.5, 0.5)));
        let next = apart(&moved);
        if next.length_squared() < vector.length_squared() {
            (angles, vector) = (moved, next);
            damping = f64::max(damping * 0.3, 1e-9);
            if norm(&step) < 1e-10 {
                break;
            }
        } else {
            damping *= 4.0;
            if damping > 1e8 {
                break;
            }
        }
    }
    angles
}
