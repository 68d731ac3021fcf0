//! Common-normal schemes: a guess, Newton's iteration, and what follows when it fails (papers 001 and 003).

pub(crate) mod householder;
mod implicit;
mod newton;
mod parametric;

use implicit::ImplicitSystem;
use newton::{Steps, System, newton};
use parametric::{Frames, ParametricSystem};

use crate::couple::{Couple, Points, Run};
use crate::guess::{self, Guess};
use crate::trace::Recorder;
use crate::verify::is_minimum;
use crate::{Fallback, SchemeOptions};

/// Which equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equations {
    /// Six, for two points.
    Implicit,
    /// Four, for four angles.
    Parametric,
    /// Four, for four angles, with the implicit function's normals.
    NormalTangentBitangent,
}

/// Runs a scheme: warm start, guess, finer guesses, fallback, until one of them leads to a minimum.
pub(crate) fn solve(
    couple: &Couple,
    equations: Equations,
    own_guess: Guess,
    options: &SchemeOptions,
    recorder: &mut Recorder,
) -> (Run, bool) {
    let mut total = Run::none(couple);
    let mut attempt = |start: Points, steps: Steps, recorder: &mut Recorder| {
        let run = run(couple, equations, start, steps, options, recorder);
        total = Run {
            iterations: total.iterations + run.iterations,
            evaluations: total.evaluations + run.evaluations,
            ..run
        };
        let trusted = run.settled && is_minimum(couple, &run.points, options.tolerance);
        (total, trusted)
    };
    if let Some(warm) = &options.warm_start {
        let (found, trusted) = attempt(couple.warm(warm), Steps::Full, recorder);
        if trusted {
            return (found, true);
        }
    }
    let guess = options.guess.unwrap_or(own_guess);
    for restart in 0..=options.restarts {
        let start = guess::points(couple, guess.finer(restart), recorder);
        let (found, trusted) = attempt(start, Steps::Full, recorder);
        if trusted || (restart == options.restarts && options.fallback == Fallback::None) {
            return (found, trusted);
        }
    }
    let start = guess::points(couple, guess, recorder);
    match options.fallback {
        Fallback::Bisection => {
            let start = guess::bisected(couple, &start);
            attempt(start, Steps::Full, recorder)
        }
        Fallback::RegulaFalsi | Fallback::None => attempt(start, Steps::RegulaFalsi, recorder),
    }
}

/// Newton's iteration from one start.
pub(crate) fn run(
    couple: &Couple,
    equations: Equations,
    start: Points,
    steps: Steps,
    options: &SchemeOptions,
    recorder: &mut Recorder,
) -> Run {
    let jacobian = options.jacobian;
    let (tolerance, most) = (options.tolerance, options.max_iterations);
    let parametric = |frames| ParametricSystem { couple, frames, jacobian };
    match equations {
        Equations::Implicit => {
            let system = ImplicitSystem { couple, jacobian };
            newton(&system, couple, system.unknowns(&start), steps, tolerance, most, recorder)
        }
        Equations::Parametric => {
            let system = parametric(Frames::Parametric);
            newton(&system, couple, system.unknowns(&start), steps, tolerance, most, recorder)
        }
        Equations::NormalTangentBitangent => {
            let system = parametric(Frames::Implicit);
            newton(&system, couple, system.unknowns(&start), steps, tolerance, most, recorder)
        }
    }
}

#[cfg(test)]
mod tests {
    use superegg::shape::Superovoid;
    use superegg::{DQuat, DVec3, Pose};

    use super::*;
    use crate::Jacobian;
    use superegg_world::geometry::Geometry;

    fn eggs() -> [Geometry; 2] {
        let egg = |radii, exponents, taper| Superovoid::new(radii, exponents, taper).unwrap().into();
        [egg([1.0, 0.8, 1.2], [0.7, 0.9], [0.2, -0.1]), egg([0.9, 1.1, 1.0], [1.1, 0.6], [-0.3, 0.15])]
    }

    fn both_jacobians<const N: usize, S: System<N>>(analytic: &S, differences: &S, points: &Points) {
        let q = analytic.unknowns(points);
        let (residual, jacobian) = analytic.linearised(&q);
        let (other, approximate) = differences.linearised(&q);
        for row in 0..N {
            assert!((residual[row] - other[row]).abs() < 1e-12);
            for column in 0..N {
                let (exact, near) = (jacobian[row][column], approximate[row][column]);
                assert!((exact - near).abs() < 2e-5 * (1.0 + exact.abs()), "{row} {column}: {exact} {near}");
            }
        }
    }

    #[test]
    fn analytic_jacobians_agree_with_differences() {
        let [a, b] = eggs();
        let pose = Pose {
            rotation: DQuat::from_scaled_axis(DVec3::new(0.4, -0.7, 0.9)),
            translation: DVec3::new(0.3, 2.4, 0.5),
        };
        let couple = Couple::new(&a, &Pose::IDENTITY, &b, &pose).unwrap();
        let points = Points { a: couple.a.point(0.9, 0.4), b: couple.b.point(-1.1, 0.3) };
        let system = |jacobian| ImplicitSystem { couple: &couple, jacobian };
        both_jacobians(&system(Jacobian::Analytic), &system(Jacobian::FiniteDifference), &points);
        for frames in [Frames::Parametric, Frames::Implicit] {
            let system = |jacobian| ParametricSystem { couple: &couple, frames, jacobian };
            both_jacobians(&system(Jacobian::Analytic), &system(Jacobian::FiniteDifference), &points);
        }
    }
}
