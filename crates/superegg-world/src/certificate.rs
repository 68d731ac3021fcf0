//! Answers that this crate gives and proves itself: the one place where its outcomes and bounds are put together.

use superegg::DVec3;
use superegg::query::{Bounds, Outcome, Status, WarmStart};

/// An outcome from its pieces; without bounds nothing is proved.
pub fn assembled(
    distance: f64,
    points: [DVec3; 2],
    normal: DVec3,
    status: Status,
    iterations: u32,
    bounds: Option<Bounds>,
    warm_start: WarmStart,
) -> Outcome {
    let mut outcome = Outcome::uncertified(distance, points, normal, status, iterations, warm_start);
    outcome.bounds = bounds;
    outcome
}

/// An interval; `lower` is at most `upper`.
pub(crate) fn bounds(lower: f64, upper: f64) -> Bounds {
    debug_assert!(lower <= upper, "{lower} {upper}");
    Bounds::new(lower, upper)
}
