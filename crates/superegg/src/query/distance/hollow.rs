//! Pairs with a superovoid that is not convex: the distance of the true surfaces.
//!
//! No dual bound exists, so there is no certificate. Common normals are sought by Newton's method from several starts:
//! a hollow lies along a meridian, so each body starts above and below the height that the ellipsoid with the same radii
//! suggests, and at that height. The closest pair of points wins.

use super::body::{Body, Hull};
use super::convex::{Frame, deepest_in_egg, deepest_of_eggs};
use super::graph::Egg;
use super::overlap::Candidate;
use super::separate::{Separation, separate_from_several};
use crate::lanes::V3;
use crate::query::{Options, Outcome};

/// By how much the start's normal is tilted along the meridian, as a part of its radial component.
const TILT: f64 = 0.35;
/// Starts in all.
const STARTS: usize = 8;

/// Two eggs, at least one of them hollow.
pub(super) fn eggs(a: &Egg<f64, true>, b: &Egg<f64, true>, frame: &Frame, options: &Options) -> Outcome {
    solve(a, b, frame, options, tilted, |tolerance| deepest_of_eggs(a, b, &frame.placement, tolerance))
}

/// A hollow egg and the hull of some points.
pub(super) fn egg_and_hull(a: &Egg<f64, true>, hull: &Hull, frame: &Frame, options: &Options) -> Outcome {
    solve(a, hull, frame, options, |normal, _| normal, |tolerance| deepest_in_egg(a, hull, &frame.placement, tolerance))
}

/// A normal in an egg's frame, tilted along the meridian.
fn tilted(normal: V3<f64>, tilt: f64) -> V3<f64> {
    let radial = (normal.x * normal.x + normal.y * normal.y).sqrt();
    V3 { z: normal.z + tilt * radial, ..normal }
}

fn solve<B: Body<f64>>(
    a: &Egg<f64, true>,
    b: &B,
    frame: &Frame,
    options: &Options,
    tilt_b: impl Fn(V3<f64>, f64) -> V3<f64>,
    deepest: impl Fn(f64) -> Candidate,
) -> Outcome {
    let tolerance = frame.tolerance(options);
    let placement = &frame.placement;
    let (first, normal) = frame.start(a, b, options);
    let normal_b = -placement.into_b(normal);
    let tilts = [
        (0.0, 0.0),
        (TILT, TILT),
        (TILT, -TILT),
        (-TILT, TILT),
        (-TILT, -TILT),
        (0.0, TILT),
        (0.0, -TILT),
        (TILT, 0.0),
    ];
    let starts: [_; STARTS] = std::array::from_fn(|i| match i {
        0 => first,
        _ => (Body::start(a, tilted(normal, tilts[i].0)), b.start(tilt_b(normal_b, tilts[i].1))),
    });
    let found: Separation<f64, _, _> =
        separate_from_several(a, b, placement, &starts, tolerance, options.max_iterations);
    if found.overlapping {
        let deep = deepest(tolerance);
        let spent = found.evaluations + deep.evaluations;
        return frame.answer(-deep.depth, deep.x_a, deep.x_b, deep.normal, None, true, spent, options);
    }
    let x_a = <Egg<f64, true> as Body<f64>>::position(&found.a);
    let x_b = placement.centre + placement.from_b(B::position(&found.b));
    frame.answer(found.upper, x_a, x_b, found.normal, None, found.converged, found.evaluations, options)
}
