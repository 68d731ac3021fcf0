//! An interior-point method: Newton steps on the barrier problem's optimality conditions, with the Lagrangian's Hessian
//! by differences and a line search.
//!
//! Paper 004 used MATLAB's `fmincon`. Its constraints are equations, on which a barrier has no hold; what it holds here is
//! the box around each body, half as large again as the body, that the points may not leave. The barrier's weight shrinks to
//! nothing, so the box does not move the solution.

use super::ConstraintSet;
use super::problem::{MOST, Model, Problem, Unknowns, compliance, dot, moved, step};
use super::sqp::LARGEST_WEIGHT;
use crate::SchemeOptions;
use crate::couple::{Couple, Points, Run};
use crate::linear::norm;
use crate::trace::Recorder;

/// The barrier: a box of half widths around the origin of either body's coordinates.
struct Box6 {
    half: Unknowns,
    weight: f64,
}

impl Box6 {
    fn value(&self, x: &Unknowns) -> f64 {
        let log = |x: f64, half: f64| ((half - x) * (half + x)).ln();
        -self.weight * x.iter().zip(&self.half).map(|(x, half)| log(*x, *half)).sum::<f64>()
    }

    fn slope(&self, x: &Unknowns) -> Unknowns {
        std::array::from_fn(|k| self.weight * (1.0 / (self.half[k] - x[k]) - 1.0 / (self.half[k] + x[k])))
    }

    fn bend(&self, x: f64, k: usize) -> f64 {
        self.weight * ((self.half[k] - x).powi(-2) + (self.half[k] + x).powi(-2))
    }

    /// The largest part of a step that stays inside.
    fn longest(&self, x: &Unknowns, change: &Unknowns) -> f64 {
        let mut part: f64 = 1.0;
        for k in 0..6 {
            let room = if change[k] > 0.0 { self.half[k] - x[k] } else { self.half[k] + x[k] };
            if change[k] != 0.0 {
                part = part.min(0.995 * room / change[k].abs());
            }
        }
        part
    }
}

pub(crate) fn interior_point(
    couple: &Couple,
    constraints: ConstraintSet,
    start: Points,
    options: &SchemeOptions,
    recorder: &mut Recorder,
) -> Run {
    let problem = Problem::new(couple, constraints);
    let (wide_a, wide_b) = (1.5 * couple.a.largest_extent(), 1.5 * couple.b.largest_extent());
    let mut barrier = Box6 { half: [wide_a, wide_a, wide_a, wide_b, wide_b, wide_b], weight: 1e-2 };
    let mut x = Problem::unknowns(&start);
    for (value, half) in x.iter_mut().zip(barrier.half) {
        *value = value.clamp(-0.99 * half, 0.99 * half);
    }
    let mut model = problem.model(&x);
    let mut multipliers = [0.0; MOST];
    let mut weight = 1.0;
    let mut last_step = 1.0;
    let (mut iterations, mut settled) = (0, false);
    while iterations < options.max_iterations && !settled {
        iterations += 1;
        recorder.iterate(|| couple.iterate(&Problem::points(&x), model.violation()));
        let curvature = lagrangian_hessian(&problem, &x, &model, &multipliers, &barrier);
        let slope = barrier.slope(&x);
        let gradient: Unknowns = std::array::from_fn(|k| model.gradient[k] + slope[k]);
        let yielding = compliance(last_step);
        let found = descent_step(&curvature, &gradient, &model, &multipliers, yielding);
        let Some((change, new_multipliers)) = found else { break };
        let largest = new_multipliers.iter().fold(0.0, |largest: f64, m| largest.max(m.abs()));
        weight = f64::clamp(1.5 * largest, weight, LARGEST_WEIGHT);
        let merit_at = |x: &Unknowns, model: &Model| model.objective + barrier.value(x) + weight * model.violation();
        let merit = merit_at(&x, &model);
        let descent = (dot(&gradient, &change) - weight * model.violation()).min(0.0);
        let mut part = barrier.longest(&x, &change);
        let mut next = None;
        while part > 1e-6 {
            let candidate = moved(&x, part, &change);
            let there = problem.model(&candidate);
            if merit_at(&candidate, &there) <= merit + 1e-4 * part * descent + 1e-14 * merit.abs() {
                next = Some((candidate, there));
                break;
            }
            part *= 0.5;
        }
        multipliers = new_multipliers;
        let small = barrier.weight < 1e-9;
        barrier.weight = (barrier.weight * 0.1).max(1e-12);
        let Some((candidate, there)) = next else {
            settled = small && norm(&change) < options.tolerance && model.violation() < 10.0 * options.tolerance;
            if small {
                break;
            }
            continue;
        };
        settled = small && part * norm(&change) < options.tolerance && there.violation() < 10.0 * options.tolerance;
        last_step = part * norm(&change);
        (x, model) = (candidate, there);
    }
    Run { points: Problem::points(&x), settled, iterations, evaluations: problem.evaluations() }
}

/// The Hessian of Lagrangian and barrier, by forward differences of the gradient.
fn lagrangian_hessian(
    problem: &Problem,
    x: &Unknowns,
    model: &Model,
    multipliers: &[f64; MOST],
    barrier: &Box6,
) -> [[f64; 6]; 6] {
    const DIFFERENCE: f64 = 1e-6;
    let here = model.lagrangian(multipliers);
    let mut hessian = [[0.0; 6]; 6];
    for k in 0..6 {
        let mut there = *x;
        there[k] += DIFFERENCE;
        let gradient = problem.model(&there).lagrangian(multipliers);
        for row in 0..6 {
            hessian[row][k] = (gradient[row] - here[row]) / DIFFERENCE;
        }
    }
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let bend = if i == j { barrier.bend(x[i], i) } else { 0.0 };
            0.5 * (hessian[i][j] + hessian[j][i]) + bend
        })
    })
}

/// A step along which the model curves upwards: the Hessian's diagonal is raised until one is found.
fn descent_step(
    hessian: &[[f64; 6]; 6],
    gradient: &Unknowns,
    model: &Model,
    previous: &[f64; MOST],
    yielding: f64,
) -> Option<(Unknowns, [f64; MOST])> {
    let mut raise = 0.0;
    for _ in 0..14 {
        let mut raised = *hessian;
        for (k, row) in raised.iter_mut().enumerate() {
            row[k] += raise;
        }
        if let Some((change, multipliers)) = step(&raised, gradient, model, previous, yielding) {
            let bent: Unknowns = std::array::from_fn(|k| dot(&raised[k], &change));
            if dot(&change, &bent) >= -1e-10 * dot(&change, &change) {
                return Some((change, multipliers));
            }
        }
        raise = if raise == 0.0 { 1e-4 } else { 4.0 * raise };
    }
    None
}
