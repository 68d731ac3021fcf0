//! Sequential quadratic programming: quadratic models with a damped BFGS Hessian (Powell), and a line search on the sum of
//! objective and weighted violations.
//!
//! Paper 004 used the ADS and DOT libraries, of which no more than the method's name is told.

use super::ConstraintSet;
use super::problem::{MOST, Problem, Unknowns, compliance, dot, moved, step};
use crate::SchemeOptions;
use crate::couple::{Couple, Points, Run};
use crate::linear::norm;
use crate::trace::Recorder;

/// Largest weight of a violation: multipliers of constraints without slope grow without bound.
pub(super) const LARGEST_WEIGHT: f64 = 1e6;

pub(crate) fn sqp(
    couple: &Couple,
    constraints: ConstraintSet,
    start: Points,
    options: &SchemeOptions,
    recorder: &mut Recorder,
) -> Run {
    let problem = Problem::new(couple, constraints);
    let mut x = Problem::unknowns(&start);
    let mut model = problem.model(&x);
    let mut hessian = identity(2.0);
    let mut weight = 1.0;
    let mut multipliers = [0.0; MOST];
    let mut last_step = 1.0;
    let (mut iterations, mut settled) = (0, false);
    while iterations < options.max_iterations && !settled {
        iterations += 1;
        recorder.iterate(|| couple.iterate(&Problem::points(&x), model.violation()));
        let yielding = compliance(last_step);
        let Some((change, found)) = step(&hessian, &model.gradient, &model, &multipliers, yielding) else { break };
        multipliers = found;
        let largest = multipliers.iter().fold(0.0, |largest: f64, m| largest.max(m.abs()));
        weight = f64::clamp(1.5 * largest, weight, LARGEST_WEIGHT);
        let merit = model.objective + weight * model.violation();
        let descent = dot(&model.gradient, &change) - weight * model.violation();
        let mut part = 1.0;
        let mut next = None;
        while part > 1e-6 {
            let candidate = moved(&x, part, &change);
            let there = problem.model(&candidate);
            if there.objective + weight * there.violation() <= merit + 1e-4 * part * descent.min(0.0) {
                next = Some((candidate, there));
                break;
            }
            part *= 0.5;
        }
        // No descent along the step: a fresh Hessian, once; then the end.
        let Some((candidate, there)) = next else {
            if hessian == identity(2.0) {
                settled = norm(&change) < options.tolerance && model.violation() < 10.0 * options.tolerance;
                break;
            }
            hessian = identity(2.0);
            last_step = norm(&change).min(last_step);
            continue;
        };
        update(&mut hessian, &x, &candidate, &model.lagrangian(&multipliers), &there.lagrangian(&multipliers));
        settled = part * norm(&change) < options.tolerance && there.violation() < 10.0 * options.tolerance;
        last_step = part * norm(&change);
        (x, model) = (candidate, there);
    }
    Run { points: Problem::points(&x), settled, iterations, evaluations: problem.evaluations() }
}

fn identity(factor: f64) -> [[f64; 6]; 6] {
    let mut matrix = [[0.0; 6]; 6];
    for (k, row) in matrix.iter_mut().enumerate() {
        row[k] = factor;
    }
    matrix
}

/// Powell's damped BFGS update: the Hessian stays positive.
fn update(hessian: &mut [[f64; 6]; 6], x: &Unknowns, next: &Unknowns, before: &Unknowns, after: &Unknowns) {
    let s: Unknowns = std::array::from_fn(|k| next[k] - x[k]);
    let mut y: Unknowns = std::array::from_fn(|k| after[k] - before[k]);
    let bent: Unknowns = std::array::from_fn(|k| dot(&hessian[k], &s));
    let (curvature, expected) = (dot(&s, &y), dot(&s, &bent));
    if expected.is_nan() || expected < 1e-30 {
        return;
    }
    if curvature < 0.2 * expected {
        let part = 0.8 * expected / (expected - curvature);
        for k in 0..6 {
            y[k] = part * y[k] + (1.0 - part) * bent[k];
        }
    }
    let curvature = dot(&s, &y);
    for i in 0..6 {
        for j in 0..6 {
            hessian[i][j] += y[i] * y[j] / curvature - bent[i] * bent[j] / expected;
        }
    }
}
