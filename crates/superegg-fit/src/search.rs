//! One superovoid for one cloud: many short searches on few points, the best of them on more, the last on all.
//!
//! Residuals, loss and starts follow what Liu and others (EMS, 2022) found about superquadrics: several shapes explain
//! the same points nearly as well, with the axes exchanged, turned by half a right angle, or a face moved where points
//! are missing. So a good fit is taken apart along these symmetries and put together again while that helps
//! ("switching"). Departures: Taubin's residual instead of the radial one, the loss of Geman and McClure with a scale
//! that follows the inliers instead of expectation and maximisation, tapers, single precision while searching.

use std::collections::HashMap;

use glam::{DMat3, DVec3, IVec3};

use crate::cloud::{Cloud, pack, spread};
use crate::equations::{Block, Precision, Robust, Sums};
use crate::model::{Model, UNKNOWNS};
use crate::solve::{Candidate, Effort, Evaluation, damped_step, descend};

/// Points of the first and of the later searches.
const FEW: usize = 128;
const MORE: usize = 256;
/// Points of a second search, when the first was not convincing.
const MANY: usize = 512;
/// Points of the last stage in single precision.
const ANNEALED: usize = 1024;
/// A switched fit has to be this much better to count.
const BETTER: f64 = 0.98;

/// Points whose residuals are looked at to decide whether to search again, and cells along a unit of the cloud there.
const CHECKED: usize = 1024;
const CHECK_CELLS: f64 = 4.0;
/// Squared means of cells, in units of the variance, above which residuals are not independent.
const STRUCTURED: f64 = 2.0;

/// Residuals that are nothing but rounding, after the search in single and in double precision.
const SINGLE_EXACT: f64 = 1e-4;
const DOUBLE_EXACT: f64 = 1e-7;
/// Scale of the loss at which shapes are compared with each other.
const COMMON_SCALE: f64 = 0.02;
/// Least scale of the loss when another axis is put upright: such shapes are farther from the points at first.
const ALTERNATIVE_SCALE: f64 = 5e-3;
/// Part of the points that may stay unexplained without another search.
const UNEXPLAINED: f64 = 0.03;
/// Gauge below which a point is well inside of a shape, and the part of outliers around it that can be: a body fills less than a
/// quarter of the space that outliers are spread over.
const WELL_INSIDE: f64 = 0.9;
const OUTLIERS_INSIDE: std::ops::Range<f64> = 0.002..0.25;

/// Mild preferences that decide where the points do not, in units of `n s²`.
#[derive(Clone, Copy, Debug)]
struct Prior {
    /// On the sum of the radii.
    size: f64,
    /// On exponents far from one, and on taper.
    shape: f64,
}

const SEARCH_PRIOR: Prior = Prior { size: 1e-3, shape: 1e-4 };
const FINAL_PRIOR: Prior = Prior { size: 1e-2, shape: 1e-3 };
/// On radii larger than the cloud is long.
const OVERSIZE: f64 = 5.0;

/// Points packed for the kernel.
struct Sample<S> {
    blocks: Vec<Block<S>>,
    weight: f64,
}

/// The searches of one cloud.
pub(crate) struct Search<'a> {
    cloud: &'a Cloud,
    few: Sample<f32>,
    more: Sample<f32>,
    prior: Prior,
    tapered: bool,
    /// Evaluations so far, each of all points of a sample.
    pub evaluations: u32,
}

/// How much a search tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// For parts of a whole: no second search, no last digits.
    Quick,
    Full,
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub model: Model,
    /// Scale of the loss at the end: about three standard deviations of the inliers.
    pub scale: f64,
    pub evaluations: u32,
}

/// Searches for the superovoid (or superellipsoid) that explains a cloud.
pub(crate) fn search(cloud: &Cloud, tapered: bool, depth: Depth) -> Found {
    let mut found = search_dense(cloud, tapered, depth);
    if depth == Depth::Full && !accounts_for_sparse(cloud, &found) {
        // Vertices of a mesh lie densely where it bends, so that its flat parts were taken for outliers: now with all points.
        if let Some(whole) = cloud.unfiltered() {
            let other = search_dense(&whole, tapered, depth);
            let model = other.model.moved(whole.unit, &whole.frame);
            let all: Sample<f64> = sample(cloud, &every_index(cloud), CHECKED);
            let cost = |model: &Model| f64::sums(&all.blocks, model, &Robust::new(COMMON_SCALE)).cost;
            found.evaluations += other.evaluations + 2;
            if cost(&model) < BETTER * cost(&found.model) {
                found = Found { model, scale: other.scale * whole.unit, evaluations: found.evaluations };
            }
        }
    }
    found
}

/// Searches among the points in dense places, then fits all points.
fn search_dense(cloud: &Cloud, tapered: bool, depth: Depth) -> Found {
    let mut search = Search::new(cloud, tapered, MORE, SEARCH_PRIOR);
    let all = search.sample::<f32>(true, if depth == Depth::Full { ANNEALED } else { MANY });
    let starts = search.starts(&[(1.0, 1.0), (0.3, 0.3), (1.0, 0.3)], &[0.0, 0.4, -0.4]);
    let (kept, rounds) = if depth == Depth::Full { (3, 2) } else { (2, 1) };
    let mut best = search.finish(starts, &all, kept, rounds);
    if depth == Depth::Quick {
        return Found { model: best.0.model, scale: best.1, evaluations: search.evaluations };
    }
    if !convincing(cloud, &cloud.dense, &best.0.model, best.1, SINGLE_EXACT) {
        let mut again = Search::new(cloud, tapered, MANY, Prior { size: 3e-4, ..SEARCH_PRIOR });
        let upright = again.starts(&[(1.0, 1.0), (0.3, 0.3), (1.0, 0.3), (0.3, 1.0)], &[0.0, 0.4, -0.4]);
        let mut starts = upright.clone();
        for axis in DVec3::AXES {
            let turn = DMat3::from_axis_angle(axis, std::f64::consts::FRAC_PI_4);
            starts.extend(upright.iter().map(|model| Model { rotation: model.rotation * turn, ..*model }));
        }
        let other = again.finish(starts, &all, 6, 3);
        search.evaluations += again.evaluations;
        if other.0.cost < best.0.cost {
            best = other;
        }
    }
    let (model, scale) = search.polish_best_axes(best.0.model, best.1);
    Found { model, scale, evaluations: search.evaluations }
}

/// Whether the points that the density filter left out are explained too, or look like outliers: those fill space, so that some of
/// them are inside of the shape, while points on the rest of a surface are not.
fn accounts_for_sparse(cloud: &Cloud, found: &Found) -> bool {
    let dropped = cloud.points.len() - cloud.dense.len();
    if (dropped as f64) < UNEXPLAINED * cloud.points.len() as f64 {
        return true;
    }
    let Ok((shape, pose)) = found.model.placed(1.0, &superegg::Pose::IDENTITY) else { return false };
    let (mut missed, mut inside) = (0, 0);
    let chosen = spread(cloud.points.len(), CHECKED);
    for &k in &chosen {
        let at = shape.gauge_derivatives(pose.inverse_transform_point(cloud.points[k as usize]));
        if ((at.value - 1.0) / at.gradient.length()).abs() > (2.0 * found.scale).max(1e-3) {
            missed += 1;
            inside += usize::from(at.value < WELL_INSIDE);
        }
    }
    let explained = (missed as f64) < UNEXPLAINED * chosen.len() as f64;
    let fill_space = OUTLIERS_INSIDE.contains(&(inside as f64 / f64::from(missed.max(1))));
    if explained {
        return convincing(cloud, &every_index(cloud), &found.model, found.scale, DOUBLE_EXACT);
    }
    fill_space && convincing(cloud, &cloud.dense, &found.model, found.scale, DOUBLE_EXACT)
}

fn every_index(cloud: &Cloud) -> Vec<u32> {
    (0..cloud.points.len() as u32).collect()
}

fn sample<S: Precision>(cloud: &Cloud, indices: &[u32], count: usize) -> Sample<S> {
    let (blocks, weight) = cloud.blocks(indices, count);
    Sample { blocks, weight }
}

impl Search<'_> {
    fn new(cloud: &Cloud, tapered: bool, more: usize, prior: Prior) -> Search<'_> {
        let mut search = Search {
            cloud,
            few: Sample { blocks: Vec::new(), weight: 0.0 },
            more: Sample { blocks: Vec::new(), weight: 0.0 },
            prior,
            tapered,
            evaluations: 0,
        };
        search.few = search.sample(false, FEW);
        search.more = search.sample(false, more);
        search
    }

    fn sample<S: Precision>(&self, all: bool, count: usize) -> Sample<S> {
        let every: Vec<u32>;
        let indices = if all {
            every = every_index(self.cloud);
            &every
        } else {
            &self.cloud.dense
        };
        sample(self.cloud, indices, count)
    }

    /// Combinations of axis, exponents and taper; tapers only with the first exponents.
    fn starts(&self, exponents: &[(f64, f64)], tapers: &[f64]) -> Vec<Model> {
        let all = self.all_starts(exponents, tapers);
        let first = exponents[0];
        all.into_iter()
            .filter(|model| {
                let [e1, e2] = model.exponents();
                model.tau == 0.0 || ((e1 - first.0).abs() < 1e-9 && (e2 - first.1).abs() < 1e-9)
            })
            .collect()
    }

    fn all_starts(&self, exponents: &[(f64, f64)], tapers: &[f64]) -> Vec<Model> {
        let tapers = if self.tapered { tapers } else { &[0.0] };
        let upright = Model::new(self.cloud.half_extents, [1.0; 2], 0.0, DMat3::IDENTITY, DVec3::ZERO);
        let mut starts = Vec::new();
        for turns in 0..3 {
            let turned = with_z_on(&upright, turns);
            for &(e1, e2) in exponents {
                for &taper in tapers {
                    starts.push(Model::new(turned.radii(), [e1, e2], taper, turned.rotation, turned.center));
                }
            }
        }
        starts
    }

    /// Starts, then switching, then all points: the best candidate at a common scale, and its own scale.
    fn finish(&mut self, starts: Vec<Model>, all: &Sample<f32>, kept: usize, rounds: usize) -> (Candidate, f64) {
        let mut found = self.rank(starts, 0.3, 4, true);
        found.truncate(2 * kept);
        let mut found = self.rank(models(&found), 0.12, 5, false);
        found.truncate(kept);
        found = self.rank(models(&found), 0.05, 8, false);
        found = self.rank(models(&found), 0.03, 6, false);
        for _ in 0..rounds {
            let best = found[0];
            if best.cost < 1e-6 * self.more.weight {
                break;
            }
            let tried =
                found.iter().take((rounds - 1).max(1)).flat_map(|candidate| self.switched(&candidate.model)).collect();
            let mut switched = self.rank(tried, 0.08, 3, true);
            switched.truncate(4);
            let mut switched = self.rank(models(&switched), 0.03, 8, false);
            switched.truncate(2);
            let switched = self.rank(models(&switched), 0.03, 6, false);
            if switched.first().is_none_or(|new| new.cost >= BETTER * best.cost) {
                break;
            }
            found.insert(0, switched[0]);
        }
        let mut finished: Vec<(Candidate, f64)> = Vec::new();
        let limit = 1.3 * found[0].cost;
        for candidate in found.iter().take(rounds.min(2)).filter(|candidate| candidate.cost <= limit) {
            let (model, scale) = self.anneal(candidate.model, all);
            let cost = self.cost_at(all, &model, COMMON_SCALE);
            finished.push((Candidate { model, cost }, scale));
        }
        finished.into_iter().min_by(|a, b| a.0.cost.total_cmp(&b.0.cost)).unwrap_or((found[0], 0.05))
    }

    /// Descends from each model and sorts by cost.
    fn rank(&mut self, starts: Vec<Model>, scale: f64, steps: usize, few: bool) -> Vec<Candidate> {
        let mut evaluations = 0;
        let sample = if few { &self.few } else { &self.more };
        let mut found: Vec<Candidate> = starts
            .into_iter()
            .map(|start| {
                descend(start, Effort::search(steps), |model| {
                    evaluations += 1;
                    self.evaluate(sample, model, scale, self.prior)
                })
            })
            .collect();
        self.evaluations += evaluations;
        found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        found
    }

    fn cost_at<S: Precision>(&mut self, sample: &Sample<S>, model: &Model, scale: f64) -> f64 {
        self.evaluations += 1;
        S::sums(&sample.blocks, model, &Robust::new(scale)).cost
    }

    /// All points, with a loss whose scale shrinks to what the inliers need.
    fn anneal(&mut self, start: Model, all: &Sample<f32>) -> (Model, f64) {
        let mut scale = 0.05;
        let mut model = start;
        for level in 0..7 {
            let effort = Effort { steps: if level == 0 { 4 } else { 3 }, least_gain: 1e-4, damping: 1e-2 };
            let mut count = 0;
            model = descend(model, effort, |model| {
                count += 1;
                self.evaluate(all, model, scale, FINAL_PRIOR)
            })
            .model;
            self.evaluations += count + 1;
            let next =
                inlier_scale(&f32::sums(&all.blocks, &model, &Robust::new(scale)), scale, SMALLEST_SINGLE_SCALE, 0.25);
            let settled = next > 0.95 * scale;
            scale = next;
            if settled {
                break;
            }
        }
        (model, scale)
    }

    /// Steps in double precision until they are as small as that allows. Since the unknowns and the scale end where the
    /// equations are solved, not where a search happened to stop, the result depends on the points alone.
    fn polish(&mut self, start: Model, first_scale: f64, all: &Sample<f64>) -> (Model, f64) {
        let mut model = start;
        let mut scale = first_scale;
        let mut last_length = f64::INFINITY;
        let mut damping = 1e-6;
        for _ in 0..POLISH_STEPS {
            self.evaluations += 1;
            let sums = f64::sums(&all.blocks, &model, &Robust::new(scale));
            let next_scale = inlier_scale(&sums, scale, SMALLEST_SCALE, 0.02);
            // Reweighting takes the loss's curvature for (1 + u²)^-2, u = r/s, where it is (1 - 3u²)(1 + u²)^-3: steps are
            // too short by about that ratio, which is 4/(1 + u²) - 3.
            let spread_sq = sums.products[UNKNOWNS][UNKNOWNS] / (sums.weight.max(1e-300) * scale * scale);
            let stretch = 1.0 / (4.0 / (1.0 + spread_sq) - 3.0).max(0.5);
            let evaluation = self.with_prior(sums, all, &model, scale, FINAL_PRIOR);
            let Some(step) = damped_step(&evaluation, damping) else { break };
            let step = step.map(|x| x * stretch);
            let length = step.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 2.0 * last_length {
                damping = (damping * 100.0).min(1.0);
            }
            model = model.stepped(&step);
            let settled = (next_scale / scale - 1.0).abs() < 1e-3;
            scale = next_scale;
            last_length = length;
            if length < SETTLED.max(1e-4 * scale) && settled {
                break;
            }
        }
        let cost = |model: &Model| self.evaluate(all, model, first_scale, FINAL_PRIOR).cost;
        if cost(&model) <= 1.01 * cost(&start) { (model, scale) } else { (start, first_scale) }
    }

    /// The polished model, or with another axis upright where that explains better what is left: where both exponents are nearly the
    /// same, the three choices differ by less than the search can see.
    fn polish_best_axes(&mut self, start: Model, first_scale: f64) -> (Model, f64) {
        let all = self.sample::<f64>(true, usize::MAX);
        let (start, first_scale) = if first_scale <= SMALLEST_SINGLE_SCALE {
            // Exact points: the first digits come from a few of them, the last from all.
            self.polish(start, first_scale, &self.sample(true, MORE))
        } else {
            (start, first_scale)
        };
        let mut best = self.polish(start, first_scale, &all);
        if best.1 < 10.0 * SMALLEST_SCALE || convincing(self.cloud, &self.cloud.dense, &best.0, best.1, DOUBLE_EXACT) {
            return best;
        }
        let some = self.sample::<f64>(true, ANNEALED);
        let cost = |model: &Model, scale: f64| f64::sums(&some.blocks, model, &Robust::new(scale)).cost;
        let mut alternative: Option<(Model, f64)> = None;
        for switched in self.other_axes(&best.0) {
            let other = self.polish(switched, best.1.max(ALTERNATIVE_SCALE), &some);
            let scale = best.1;
            let bar = alternative.as_ref().map_or(BETTER * cost(&best.0, scale), |model| cost(&model.0, scale));
            if cost(&other.0, scale) < bar {
                alternative = Some(other);
            }
        }
        if let Some((model, scale)) = alternative {
            best = self.polish(model, scale, &all);
        }
        best
    }

    fn evaluate<S: Precision>(&self, sample: &Sample<S>, model: &Model, scale: f64, prior: Prior) -> Evaluation {
        let sums = S::sums(&sample.blocks, model, &Robust::new(scale));
        self.with_prior(sums, sample, model, scale, prior)
    }

    fn with_prior<S>(&self, sums: Sums, sample: &Sample<S>, model: &Model, scale: f64, prior: Prior) -> Evaluation {
        let mut at = evaluation(&sums);
        let unit = sample.weight * scale * scale;
        let radii = model.radii();
        for i in 0..3 {
            add_size_prior(&mut at, i, unit * prior.size * radii[i]);
            let axis = model.rotation.col(i);
            let along = self.cloud.extremes.iter().map(|p| p.dot(axis));
            let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            let excess = model.log_radii[i] - (1.05 * (high - low)).ln();
            if excess > 0.0 {
                at.cost += unit * OVERSIZE * excess * excess;
                at.gradient[i] += unit * OVERSIZE * excess;
                at.matrix[i][i] += unit * OVERSIZE;
            }
        }
        add_shape_prior(&mut at, model, unit, prior, self.tapered);
        at
    }

    /// The same box with the other axes upright, and the exponents that may belong to that.
    fn other_axes(&self, model: &Model) -> Vec<Model> {
        let [e1, e2] = model.exponents();
        let mut found = Vec::new();
        for turns in 1..3 {
            let turned = with_z_on(model, turns);
            for exponents in [[e2, e1.min(1.6)], [e2, e2]] {
                found.push(Model::new(turned.radii(), exponents, 0.0, turned.rotation, turned.center));
            }
        }
        found
    }

    /// Shapes that may explain the same points as well: other axes upright, turned by half a right angle, a face moved.
    fn switched(&self, model: &Model) -> Vec<Model> {
        let [e1, e2] = model.exponents();
        let mut found = self.other_axes(model);
        let radii = model.radii();
        for axis in 0..3 {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            if !(0.55..1.8).contains(&(radii[i] / radii[j])) {
                continue;
            }
            let e = if axis == 2 { e1 } else { e2 };
            let mut turned_radii = radii;
            let radius = (radii[i] * radii[j]).sqrt() * (0.5 * (1.0 - e)).exp2();
            (turned_radii[i], turned_radii[j]) = (radius, radius);
            let turn = DMat3::from_axis_angle(DVec3::AXES[axis], std::f64::consts::FRAC_PI_4);
            let (exponents, taper) = if axis == 2 { ([2.0 - e1, e2], model.taper()) } else { ([e1, 2.0 - e2], 0.0) };
            found.push(Model::new(turned_radii, exponents, taper, model.rotation * turn, model.center));
        }
        for axis in 0..3 {
            for factor in [0.6, 1.7] {
                for side in [-1.0, 1.0] {
                    let mut moved = *model;
                    let radius = radii[axis];
                    moved.log_radii[axis] += f64::ln(factor);
                    moved.center += model.rotation.col(axis) * (side * radius * (1.0 - factor));
                    found.push(moved);
                }
            }
        }
        found
    }
}

/// Whether what the surface misses looks like noise: residuals of neighbouring points are then independent, and their means
/// over small cells as small as such means are. A wrong shape misses whole regions to one
/// side. Residuals of less than `exact` are not looked at.
fn convincing(cloud: &Cloud, indices: &[u32], model: &Model, scale: f64, exact: f64) -> bool {
    let Ok((shape, pose)) = model.placed(1.0, &superegg::Pose::IDENTITY) else { return false };
    let limit = 2.0 * scale;
    let mut sums: HashMap<IVec3, (f64, f64)> = HashMap::new();
    let (mut count, mut squares) = (0.0, 0.0);
    let mut missed = 0;
    let chosen = spread(indices.len(), CHECKED);
    for &k in &chosen {
        let point = cloud.points[indices[k as usize] as usize];
        let at = shape.gauge_derivatives(pose.inverse_transform_point(point));
        let residual = (at.value - 1.0) / at.gradient.length();
        if residual.abs() > limit.max(1e-3) {
            missed += 1;
            continue;
        }
        let cell = sums.entry((point * CHECK_CELLS).floor().as_ivec3()).or_default();
        cell.0 += 1.0;
        cell.1 += residual;
        count += 1.0;
        squares += residual * residual;
    }
    let variance = squares / f64::max(count, 1.0);
    if variance.sqrt() < exact && 3 * missed < chosen.len() {
        return true;
    }
    let mut cells: Vec<(f64, f64)> = sums.into_values().filter(|cell| cell.0 > 1.5).collect();
    // The order of a hash map is not the same twice.
    cells.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let means = cells.iter().map(|(n, sum)| sum * sum / n).sum::<f64>() / cells.len().max(1) as f64;
    means < STRUCTURED * variance && 3 * missed < chosen.len()
}

/// A step shorter than this is the last one, in units of the cloud.
const SETTLED: f64 = 1e-8;
/// Steps of the last stage; ten are usual.
const POLISH_STEPS: usize = 12;
/// The smallest scale of the loss in single precision, in units of the cloud.
const SMALLEST_SINGLE_SCALE: f64 = 2e-3;
/// The smallest scale of the loss, in units of the cloud: beyond that, points are exact as far as this matters.
const SMALLEST_SCALE: f64 = 1e-7;
/// Scale of the loss in standard deviations of the weighted residuals.
const DEVIATIONS: f64 = 3.0;

fn inlier_scale(sums: &Sums, scale: f64, smallest: f64, shrink: f64) -> f64 {
    let variance = sums.products[UNKNOWNS][UNKNOWNS] / sums.weight.max(1e-300);
    (DEVIATIONS * variance.sqrt()).clamp(shrink * scale, scale.max(smallest)).max(smallest)
}

/// Adds the preference for a small radius.
fn add_size_prior(at: &mut Evaluation, axis: usize, size: f64) {
    at.cost += 2.0 * size;
    at.gradient[axis] += size;
    at.matrix[axis][axis] += size;
}

/// Adds the preferences for exponents near one and for little taper, or keeps the taper as it is.
fn add_shape_prior(at: &mut Evaluation, model: &Model, unit: f64, prior: Prior, tapered: bool) {
    for (index, value, share) in [(3, model.u[0], 0.1), (4, model.u[1], 0.1), (5, model.tau, 1.0)] {
        let stiffness = unit * prior.shape * share;
        at.cost += stiffness * value * value;
        at.gradient[index] += stiffness * value;
        at.matrix[index][index] += stiffness;
    }
    if !tapered {
        at.gradient[5] = 0.0;
        for i in 0..UNKNOWNS {
            at.matrix[i.min(5)][i.max(5)] = if i == 5 { unit } else { 0.0 };
        }
    }
}

/// Steps of a refinement.
const REFINED_STEPS: usize = 5;

/// A few steps from a model towards points.
pub(crate) fn refined(points: impl Iterator<Item = DVec3>, start: Model, scale: f64, tapered: bool) -> Model {
    let blocks: Vec<Block<f32>> = pack(points.map(|point| (point, 1.0)));
    let effort = Effort { steps: REFINED_STEPS, least_gain: 1e-4, damping: 1e-2 };
    let descended = descend(start, effort, |model| {
        let sums = f32::sums(&blocks, model, &Robust::new(scale));
        let unit = 8.0 * blocks.len() as f64 * scale * scale;
        let mut at = evaluation(&sums);
        let radii = model.radii();
        (0..3).for_each(|axis| add_size_prior(&mut at, axis, unit * FINAL_PRIOR.size * radii[axis]));
        add_shape_prior(&mut at, model, unit, FINAL_PRIOR, tapered);
        at
    });
    descended.model
}

pub(crate) fn evaluation(sums: &Sums) -> Evaluation {
    Evaluation {
        cost: sums.cost,
        gradient: std::array::from_fn(|i| sums.products[i][UNKNOWNS]),
        matrix: std::array::from_fn(|i| std::array::from_fn(|j| if i <= j { sums.products[i][j] } else { 0.0 })),
    }
}

fn models(candidates: &[Candidate]) -> Vec<Model> {
    candidates.iter().map(|candidate| candidate.model).collect()
}

/// The same box with another of its axes upright: 0 for the same, 1 and 2 for the cyclic exchanges.
pub(crate) fn with_z_on(model: &Model, turns: usize) -> Model {
    let order = [turns % 3, (turns + 1) % 3, (turns + 2) % 3];
    let [x, y, z] = order.map(|axis| model.rotation.col(axis));
    let radii = model.radii();
    let taper = if turns == 0 { model.taper() } else { 0.0 };
    let turned = DVec3::new(radii[order[0]], radii[order[1]], radii[order[2]]);
    Model::new(turned, model.exponents(), taper, DMat3::from_cols(x, y, z), model.center)
}
