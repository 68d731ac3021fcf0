//! Minimises a smooth function plus the greatest of many others: sequential quadratic programming.
//!
//! Each step solves `min q·d + max(cᵢ + aᵢ·d) + ½ dᵀBd`, all functions to first order, where `B` follows the curvature of the Lagrangian
//! by Broyden, Fletcher, Goldfarb and Shanno's update with Powell's (1978) damping, and grows like Levenberg's while steps disappoint.
//! The dual of this quadratic program is over the simplex of multipliers, `min ½|Σ λᵢ yᵢ|² - Σ λᵢ cᵢ` with `yᵢ = L⁻¹(q + aᵢ)`,
//! `B = L Lᵀ`: the point of a polytope nearest to the origin but for the linear term, found by Wolfe's (1976) active sets.

use crate::model::{Model, Step, UNKNOWNS};
use crate::solve::{Candidate, cholesky, substitute, substitute_backward, substitute_forward};

/// Functions and their gradients at a model.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub smooth: f64,
    pub gradient: Step,
    /// Value and gradient of each function of which the greatest counts; in the same order at every model.
    pub functions: Vec<(f64, Step)>,
}

impl Local {
    fn greatest(&self) -> f64 {
        self.functions.iter().map(|f| f.0).fold(f64::NEG_INFINITY, f64::max)
    }

    fn value(&self) -> f64 {
        self.smooth + self.greatest()
    }
}

/// How long to go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Evaluations after the first.
    pub steps: usize,
    /// A step that is expected to gain less than this is not made.
    pub least_gain: f64,
}

/// Functions that take part in a quadratic program, those of the greatest values, and how often others are added.
const TAKEN: usize = 48;
const ROUNDS: usize = 12;
/// Most functions that are equal at a solution: one more than unknowns; the rest is room for degenerate ones.
const CORRAL: usize = 16;

/// Goes downhill from a model.
pub(crate) fn minimise(start: Model, patience: Patience, mut evaluate: impl FnMut(&Model) -> Local) -> Candidate {
    let mut model = start;
    let mut here = evaluate(&model);
    let mut curvature = [[0.0; UNKNOWNS]; UNKNOWNS];
    (0..UNKNOWNS).for_each(|i| curvature[i][i] = 1.0);
    let mut damping = 0.0;
    let mut before = Vec::new();
    for _ in 0..patience.steps {
        let mut damped = curvature;
        (0..UNKNOWNS).for_each(|i| damped[i][i] += damping);
        let Some((step, multipliers)) = quadratic_program(&here, &damped, &before) else { break };
        let value = here.value();
        let dot = |a: &Step, b: &Step| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let linear = |f: &(f64, Step)| f.0 + dot(&f.1, &step);
        let expected = value
            - (here.smooth + dot(&here.gradient, &step))
            - here.functions.iter().map(linear).fold(f64::NEG_INFINITY, f64::max);
        if expected.is_nan() || expected < patience.least_gain {
            break;
        }
        let next = model.stepped(&step);
        let there = evaluate(&next);
        let slope = |at: &Local| -> Step {
            let mut sum = at.gradient;
            for &(i, share) in &multipliers {
                sum.iter_mut().zip(&at.functions[i].1).for_each(|(s, a)| *s += share * a);
            }
            sum
        };
        let (from, to) = (slope(&here), slope(&there));
        update(&mut curvature, &step, &std::array::from_fn(|i| to[i] - from[i]));
        before = multipliers;
        let gained = value - there.value();
        if gained < 0.2 * expected {
            damping = (4.0 * damping).max(0.1);
        } else if gained > 0.6 * expected {
            damping = if damping < 1e-3 { 0.0 } else { 0.2 * damping };
        }
        if gained > 0.0 {
            (model, here) = (next, there);
        }
    }
    Candidate { model, cost: here.value() }
}

/// Broyden, Fletcher, Goldfarb and Shanno's update by a step and the change of the slope, damped so that it stays definite.
fn update(curvature: &mut [[f64; UNKNOWNS]; UNKNOWNS], step: &Step, change: &Step) {
    let bent: Step = std::array::from_fn(|i| (0..UNKNOWNS).map(|j| curvature[i][j] * step[j]).sum());
    let (mut old, mut new) = (0.0, 0.0);
    for i in 0..UNKNOWNS {
        old += step[i] * bent[i];
        new += step[i] * change[i];
    }
    if !(old > 1e-30 && new.is_finite()) {
        return;
    }
    let share = if new < 0.2 * old { 0.8 * old / (old - new) } else { 1.0 };
    let mixed: Step = std::array::from_fn(|i| share * change[i] + (1.0 - share) * bent[i]);
    let along: f64 = (0..UNKNOWNS).map(|i| step[i] * mixed[i]).sum();
    for i in 0..UNKNOWNS {
        for j in 0..UNKNOWNS {
            curvature[i][j] += mixed[i] * mixed[j] / along - bent[i] * bent[j] / old;
        }
    }
}

/// The step of the quadratic program, and the multipliers that are not zero.
fn quadratic_program(
    at: &Local,
    matrix: &[[f64; UNKNOWNS]; UNKNOWNS],
    before: &[(usize, f64)],
) -> Option<(Step, Vec<(usize, f64)>)> {
    let factor = cholesky(matrix)?;
    let greatest = at.greatest();
    let mut order: Vec<usize> = (0..at.functions.len()).collect();
    let compare = |&i: &usize, &j: &usize| at.functions[j].0.total_cmp(&at.functions[i].0).then(i.cmp(&j));
    if order.len() > TAKEN {
        order.select_nth_unstable_by(TAKEN, compare);
    }
    // Those that mattered before come first.
    let mut taken: Vec<usize> = before.iter().map(|member| member.0).collect();
    let known = taken.clone();
    taken.extend(order[..order.len().min(TAKEN)].iter().filter(|i| !known.contains(i)));
    let mut begin: Vec<(usize, f64)> = before.iter().enumerate().map(|(at, member)| (at, member.1)).collect();
    let mut points: Vec<(f64, Step)> = Vec::new();
    let mut found = ([0.0; UNKNOWNS], Vec::new());
    // Functions that were left out and that the step makes the greatest are taken too.
    for _ in 0..ROUNDS {
        for &i in &taken[points.len()..] {
            let (value, slope) = &at.functions[i];
            let mut y = std::array::from_fn(|k| at.gradient[k] + slope[k]);
            substitute_forward(&factor, &mut y);
            points.push((value - greatest, y));
        }
        let multipliers = nearest(&points, std::mem::take(&mut begin));
        let mut step = [0.0; UNKNOWNS];
        for &(i, share) in &multipliers {
            (0..UNKNOWNS).for_each(|k| step[k] -= share * points[i].1[k]);
        }
        substitute_backward(&factor, &mut step);
        begin.clone_from(&multipliers);
        found = (step, multipliers.into_iter().map(|(i, share)| (taken[i], share)).collect());
        let after = |i: usize| at.functions[i].0 + at.functions[i].1.iter().zip(&step).map(|(a, d)| a * d).sum::<f64>();
        let level = taken.iter().map(|&i| after(i)).fold(f64::NEG_INFINITY, f64::max);
        let mut beyond: Vec<(f64, usize)> =
            (0..at.functions.len()).map(|i| (after(i), i)).filter(|f| f.0 > level + 1e-12).collect();
        if beyond.is_empty() {
            break;
        }
        beyond.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        taken.extend(beyond.iter().take(TAKEN / 4).map(|f| f.1));
    }
    let (step, multipliers) = found;
    step.iter().all(|x| x.is_finite()).then_some((step, multipliers))
}

/// Shares of points that minimise `½|Σ λ y|² - Σ λ c`, begun from shares that add up to one, or from none.
fn nearest(points: &[(f64, Step)], begin: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    let dot = |a: &Step, b: &Step| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut corral = begin;
    if corral.is_empty() {
        corral.push(((0..points.len()).fold(0, |a, b| if points[b].0 > points[a].0 { b } else { a }), 1.0));
    }
    for _ in 0..6 * CORRAL {
        // Down to the corral's own minimum; members that would get a negative share leave.
        while let Some(wanted) = affine(points, &corral) {
            let leaves =
                |(&(_, share), &wanted): (&(usize, f64), &f64)| (wanted <= 0.0).then(|| share / (share - wanted));
            let far = corral.iter().zip(&wanted).filter_map(leaves).fold(1.0, f64::min);
            corral.iter_mut().zip(&wanted).for_each(|(member, wanted)| member.1 += far * (wanted - member.1));
            if far >= 1.0 {
                break;
            }
            corral.retain(|member| member.1 > 1e-14);
        }
        let total: f64 = corral.iter().map(|member| member.1).sum();
        corral.iter_mut().for_each(|member| member.1 /= total);
        let mut sum = [0.0; UNKNOWNS];
        for &(i, share) in &corral {
            (0..UNKNOWNS).for_each(|k| sum[k] += share * points[i].1[k]);
        }
        let slope = |i: usize| dot(&points[i].1, &sum) - points[i].0;
        let mean: f64 = corral.iter().map(|&(i, share)| share * slope(i)).sum();
        let mut best = (f64::INFINITY, 0);
        for i in 0..points.len() {
            let slope = slope(i);
            if slope < best.0 {
                best = (slope, i);
            }
        }
        let settled = best.0 >= mean - 1e-10 * (1.0 + mean.abs());
        if settled || corral.len() == CORRAL || corral.iter().any(|&(i, _)| i == best.1) {
            break;
        }
        corral.push((best.1, 0.0));
    }
    corral
}

/// Shares of a corral's members, of any sign, that add up to one and minimise.
fn affine(points: &[(f64, Step)], corral: &[(usize, f64)]) -> Option<Vec<f64>> {
    let mut gram = [[0.0; CORRAL]; CORRAL];
    let mut trace = 0.0;
    for (r, &(i, _)) in corral.iter().enumerate() {
        for (c, &(j, _)) in corral.iter().enumerate().skip(r) {
            gram[r][c] = points[i].1.iter().zip(&points[j].1).map(|(x, y)| x * y).sum();
        }
        trace += gram[r][r];
    }
    let mut ones = [0.0; CORRAL];
    let mut values = [0.0; CORRAL];
    // A multiple of (Σ λ)², which is one, makes the matrix regular wherever no member lies in the plane of the others.
    let constant = trace / corral.len() as f64 + 1e-300;
    for (r, row) in gram.iter_mut().enumerate() {
        match corral.get(r) {
            Some(&(i, _)) => {
                row[r..corral.len()].iter_mut().for_each(|entry| *entry += constant);
                row[r] += 1e-13 * constant;
                (ones[r], values[r]) = (1.0, points[i].0);
            }
            // What fills the matrix up.
            None => row[r] = 1.0,
        }
    }
    let factor = cholesky(&gram)?;
    [&mut ones, &mut values].into_iter().for_each(|b| substitute(&factor, b));
    let level = (1.0 - values.iter().sum::<f64>()) / ones.iter().sum::<f64>();
    Some((0..corral.len()).map(|r| values[r] + level * ones[r]).collect())
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3};
    use rand::RngExt;
    use testkit::generate::seeded;

    use super::*;

    #[test]
    fn multipliers_fulfil_the_conditions_of_a_minimum() {
        let mut rng = seeded(7);
        for _ in 0..300 {
            let count = rng.random_range(1..60);
            let points: Vec<(f64, Step)> = (0..count)
                .map(|_| (rng.random_range(-1.0..0.0), std::array::from_fn(|_| rng.random_range(-1.0..1.2))))
                .collect();
            let found = nearest(&points, Vec::new());
            assert!((found.iter().map(|f| f.1).sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(found.iter().all(|f| f.1 > 0.0));
            let sum: Step = std::array::from_fn(|k| found.iter().map(|&(i, share)| share * points[i].1[k]).sum());
            let slope = |i: usize| points[i].1.iter().zip(&sum).map(|(a, b)| a * b).sum::<f64>() - points[i].0;
            // All slopes are at least that of the members, which are equal: necessary and, the function being convex, sufficient.
            let level = slope(found[0].0);
            assert!((0..points.len()).all(|i| slope(i) > level - 1e-8));
            assert!(found.iter().all(|&(i, _)| (slope(i) - level).abs() < 1e-8));
        }
    }

    #[test]
    fn a_minimum_with_known_place_is_found() {
        // The center of the smallest ball around eight corners of a box, its radius, and nothing else: |c - corner|² at most.
        let corners: Vec<DVec3> = (0..8)
            .map(|k| DVec3::new(f64::from(k & 1), 2.0 * f64::from(k >> 1 & 1), 3.0 * f64::from(k >> 2 & 1)))
            .collect();
        let start = Model::new(DVec3::ONE, [1.0; 2], 0.0, DMat3::IDENTITY, DVec3::new(-1.0, 0.3, 0.1));
        let found = minimise(start, Patience { steps: 60, least_gain: 1e-13 }, |model| Local {
            smooth: 0.0,
            gradient: [0.0; UNKNOWNS],
            functions: corners
                .iter()
                .map(|corner| {
                    let away = model.center - *corner;
                    let mut slope = [0.0; UNKNOWNS];
                    slope[9..].copy_from_slice(&(2.0 * (model.rotation.transpose() * away)).to_array());
                    (away.length_squared(), slope)
                })
                .collect(),
        });
        assert!((found.model.center - DVec3::new(0.5, 1.0, 1.5)).length() < 1e-5, "{:?}", found.model.center);
        assert!((found.cost - 3.5).abs() < 1e-10);
    }
}
