//! Levenberg and Marquardt's method for twelve unknowns.

use crate::model::{Model, Step, UNKNOWNS};

/// A cost with half its gradient and half its Gauss-Newton matrix.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    pub cost: f64,
    pub gradient: Step,
    /// Upper triangle.
    pub matrix: [[f64; UNKNOWNS]; UNKNOWNS],
}

/// A model and what it costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub model: Model,
    pub cost: f64,
}

/// How long to go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Evaluations after the first.
    pub steps: usize,
    /// A step that gains less than this part of the cost is the last.
    pub least_gain: f64,
    /// First damping, as a part of the matrix's diagonal.
    pub damping: f64,
}

impl Effort {
    pub const fn search(steps: usize) -> Effort {
        Effort { steps, least_gain: 1e-3, damping: 1e-2 }
    }
}

/// Goes downhill from a model.
pub(crate) fn descend(start: Model, effort: Effort, mut evaluate: impl FnMut(&Model) -> Evaluation) -> Candidate {
    let mut model = start;
    let mut here = evaluate(&model);
    let mut damping = effort.damping;
    for _ in 0..effort.steps {
        let Some(step) = damped_step(&here, damping) else {
            damping = damping.max(1e-6) * 6.0;
            continue;
        };
        let next = model.stepped(&step);
        let there = evaluate(&next);
        if there.cost < here.cost {
            let gain = here.cost - there.cost;
            let small = gain < effort.least_gain * here.cost;
            (model, here) = (next, there);
            damping *= 0.2;
            if small {
                break;
            }
        } else {
            damping = damping.max(1e-9) * 6.0;
        }
    }
    Candidate { model, cost: here.cost }
}

/// The step of the damped normal equations, if they can be solved.
pub(crate) fn damped_step(at: &Evaluation, damping: f64) -> Option<Step> {
    let mean = (0..UNKNOWNS).map(|i| at.matrix[i][i]).sum::<f64>() / UNKNOWNS as f64;
    let mut matrix = at.matrix;
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] = row[i] * (1.0 + damping) + mean * (1e-3 * damping + 1e-12);
    }
    let factor = cholesky(&matrix)?;
    let mut step = at.gradient.map(|g| -g);
    substitute(&factor, &mut step);
    step.iter().all(|x| x.is_finite()).then_some(step)
}

/// The lower factor of a matrix given by its upper triangle.
pub(crate) fn cholesky<const N: usize>(matrix: &[[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut factor = [[0.0; N]; N];
    for j in 0..N {
        for i in j..N {
            let sum: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let rest = matrix[j][i] - sum;
            if i == j {
                if rest.is_nan() || rest <= 0.0 {
                    return None;
                }
                factor[j][j] = rest.sqrt();
            } else {
                factor[i][j] = rest / factor[j][j];
            }
        }
    }
    Some(factor)
}

/// Solves `L Lᵀ x = b` in place.
pub(crate) fn substitute<const N: usize>(factor: &[[f64; N]; N], b: &mut [f64; N]) {
    substitute_forward(factor, b);
    substitute_backward(factor, b);
}

/// Solves `L x = b` in place.
pub(crate) fn substitute_forward<const N: usize>(factor: &[[f64; N]; N], b: &mut [f64; N]) {
    for i in 0..N {
        let sum: f64 = (0..i).map(|k| factor[i][k] * b[k]).sum();
        b[i] = (b[i] - sum) / factor[i][i];
    }
}

/// Solves `Lᵀ x = b` in place.
pub(crate) fn substitute_backward<const N: usize>(factor: &[[f64; N]; N], b: &mut [f64; N]) {
    for i in (0..N).rev() {
        let sum: f64 = (i + 1..N).map(|k| factor[k][i] * b[k]).sum();
        b[i] = (b[i] - sum) / factor[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved() {
        let mut matrix = [[0.0; UNKNOWNS]; UNKNOWNS];
        for (i, row) in matrix.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry = 1.0 / (1.0 + i as f64 + j as f64) + if i == j { 1.0 } else { 0.0 };
            }
        }
        let gradient: Step = std::array::from_fn(|i| (i as f64).sin());
        let step = damped_step(&Evaluation { cost: 0.0, gradient, matrix }, 0.0).unwrap();
        for i in 0..UNKNOWNS {
            let back: f64 = (0..UNKNOWNS).map(|j| matrix[i][j] * step[j]).sum();
            assert!((back + gradient[i]).abs() < 1e-9);
        }
        matrix[3][3] = -1.0;
        assert!(damped_step(&Evaluation { cost: 0.0, gradient, matrix }, 0.0).is_none());
    }
}
