//! Newton's iteration on a common-normal system (paper 001 table 6): no damping, until a step is shorter than the tolerance.
//!
//! The variant with false position shortens a step that does not bring the residual down, to where the residual's
//! projection on the old one would vanish.

use crate::couple::{Couple, Points, Run};
use crate::linear::{norm, solve};
use crate::trace::Recorder;

/// As many equations as unknowns.
pub(crate) trait System<const N: usize> {
    /// What should vanish.
    fn residual(&self, q: &[f64; N]) -> [f64; N];
    /// What should vanish, and its derivatives.
    fn linearised(&self, q: &[f64; N]) -> ([f64; N], [[f64; N]; N]);
    /// The two points that unknowns stand for.
    fn points(&self, q: &[f64; N]) -> Points;
    /// The unknowns of two points.
    fn unknowns(&self, points: &Points) -> [f64; N];
}

/// How long a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steps {
    /// In full.
    Full,
    /// Shortened by false position where it does not help.
    RegulaFalsi,
}

/// Iterates from `q` until a step is shorter than `tolerance`.
pub(crate) fn newton<const N: usize, S: System<N>>(
    system: &S,
    couple: &Couple,
    mut q: [f64; N],
    steps: Steps,
    tolerance: f64,
    most: u32,
    recorder: &mut Recorder,
) -> Run {
    let mut iterations = 0;
    let mut settled = false;
    while iterations < most {
        iterations += 1;
        let (residual, mut jacobian) = system.linearised(&q);
        recorder.iterate(|| couple.iterate(&system.points(&q), norm(&residual)));
        let Some(step) = solve(&mut jacobian, &residual) else { break };
        let part = match steps {
            Steps::Full => 1.0,
            Steps::RegulaFalsi => false_position(system, &q, &step, &residual),
        };
        for (unknown, change) in q.iter_mut().zip(step) {
            *unknown -= part * change;
        }
        if part * norm(&step) < tolerance {
            settled = true;
            break;
        }
    }
    Run { points: system.points(&q), settled, iterations, evaluations: iterations }
}

/// The part of a step to take.
fn false_position<const N: usize, S: System<N>>(system: &S, q: &[f64; N], step: &[f64; N], residual: &[f64; N]) -> f64 {
    let before = norm(residual);
    let mut part = 1.0;
    for _ in 0..10 {
        let mut moved = *q;
        for (unknown, change) in moved.iter_mut().zip(step) {
            *unknown -= part * change;
        }
        let after = system.residual(&moved);
        if norm(&after) < before {
            return part;
        }
        let projection: f64 = after.iter().zip(residual).map(|(new, old)| new * old).sum::<f64>() / (before * before);
        // The straight line from 1 at no step to `projection` here crosses zero at this part, if it does.
        part *= if projection < 0.0 { (1.0 / (1.0 - projection)).clamp(0.1, 0.8) } else { 0.5 };
    }
    part
}
