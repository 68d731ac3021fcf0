//! One-dimensional root finding inside a bracket, apart from the geometry that needs it.

/// More than enough for bisection alone to exhaust a bracket of ordinary numbers.
const MAX_STEPS: u32 = 200;

/// Closes in on the point where `evaluate` turns from "the root lies above" to "the root lies below".
///
/// `evaluate` returns whether the root lies above its argument, and a proposal for the next argument, such as Newton's.
/// A proposal outside the bracket (or not a number) is replaced by the middle of the bracket, and so is one that does not
/// at least halve the step before the last; hence the search always ends, and as fast as the proposals are good.
/// Returns the last argument evaluated: the root to within `resolution` or relative rounding, as far as the proposals
/// can tell.
pub(crate) fn bracketed_root(
    mut low: f64,
    mut high: f64,
    start: f64,
    resolution: f64,
    mut evaluate: impl FnMut(f64) -> (bool, f64),
) -> f64 {
    let mut at = if start > low && start < high { start } else { 0.5 * (low + high) };
    let (mut last_step, mut step_before) = (high - low, high - low);
    for _ in 0..MAX_STEPS {
        let (above, proposal) = evaluate(at);
        if above {
            low = at;
        } else {
            high = at;
        }
        // A proposal that lands on the current point has converged, from whichever side.
        if (proposal - at).abs() <= resolution + 2.0 * f64::EPSILON * at.abs() {
            break;
        }
        let useful = proposal > low && proposal < high && (proposal - at).abs() <= 0.5 * step_before;
        let next = if useful { proposal } else { 0.5 * (low + high) };
        if next <= low || next >= high {
            break;
        }
        (step_before, last_step) = (last_step, (next - at).abs());
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::bracketed_root;

    #[test]
    fn newton_steps_are_few() {
        let mut evaluations = 0;
        let root = bracketed_root(0.0, 2.0, 1.0, 0.0, |x| {
            evaluations += 1;
            (x * x < 2.0, x - (x * x - 2.0) / (2.0 * x))
        });
        assert!((root - 2f64.sqrt()).abs() < 4e-16, "{root}");
        assert!(evaluations <= 7, "{evaluations}");
    }

    #[test]
    fn useless_proposals_end_in_bisection() {
        for proposal in [f64::NAN, f64::INFINITY, 1e-3, 5.0] {
            let mut evaluations = 0;
            let root = bracketed_root(0.0, 2.0, -1.0, 0.0, |x| {
                evaluations += 1;
                (x * x < 2.0, proposal)
            });
            assert!((root - 2f64.sqrt()).abs() < 4e-16, "{root}");
            assert!(evaluations <= 170, "{evaluations}");
        }
    }

    #[test]
    fn roots_at_the_ends_of_the_bracket() {
        assert_eq!(bracketed_root(0.0, 1.0, 0.5, 0.0, |_| (true, f64::NAN)), 1.0 - f64::EPSILON / 2.0);
        assert!(bracketed_root(0.0, 1.0, 0.5, 0.0, |_| (false, f64::NAN)) < 1e-15);
    }
}
