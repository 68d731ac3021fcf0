//! Where two convex superquadrics touch that have grown about their centres, one query at a time: which method is tried from where.

use crate::outcome::{Options, WarmStart};
use crate::solver::body::Body;
use crate::solver::convex::scaled;
use crate::solver::pair::frame::Frame;
use crate::solver::params::Params;
use crate::solver::separation::ellipsoids::{self, EllipsoidPair};
use crate::solver::separation::growth::{Growing, Touch};
use crate::solver::simd::{Plain, V3, single_query};
use crate::solver::superellipsoids::{normal_of, radii};

/// Evaluations from each start before others take over.
const MOST_EVALUATIONS: u32 = 24;

/// Where two convex superquadrics touch that have grown, their points no farther apart than the tolerance in units of the pair's size,
/// where that settles: from an earlier answer, then anew.
pub(crate) fn grown(shapes: [&Params; 2], frame: &Frame, tolerance: f64, options: &Options) -> Touch<f64> {
    let warm = options.warm_start.filter(WarmStart::is_usable);
    let mut spent = 0.0;
    if shapes.iter().all(|shape| shape.is_ellipsoid()) && options.max_iterations > ellipsoids::MOST_ROUNDS {
        let touch = of_ellipsoids(shapes, frame, warm.as_ref(), tolerance);
        if touch.converged && touch.unique_points {
            return touch;
        }
        spent += touch.evaluations;
    }
    let newton = if shapes.iter().any(|shape| shape.is_tapered()) { of_superovoids } else { of_superellipsoids };
    let mut touch = Touch::unknown(spent);
    for start in [warm.as_ref().map(Some), Some(None)].into_iter().flatten() {
        let left = options.max_iterations.saturating_sub(spent as u32);
        if left == 0 || touch.converged {
            break;
        }
        touch = newton(shapes, frame, start, tolerance, left.min(MOST_EVALUATIONS));
        spent += touch.evaluations;
    }
    Touch { evaluations: spent, ..touch }
}

single_query! {
    /// Two ellipsoids, where that settles in a few rounds.
    fn of_ellipsoids(shapes: [&Params; 2], frame: &Frame, start: Option<&WarmStart>, tolerance: f64) -> Touch<f64>,
    of_ellipsoids_in
}

single_query! {
    /// Two superellipsoids, if that settles within `most` evaluations from a start.
    fn of_superellipsoids(
        shapes: [&Params; 2],
        frame: &Frame,
        start: Option<&WarmStart>,
        tolerance: f64,
        most: u32
    ) -> Touch<f64>,
    of_superellipsoids_in
}

single_query! {
    /// The same for superovoids.
    fn of_superovoids(
        shapes: [&Params; 2],
        frame: &Frame,
        start: Option<&WarmStart>,
        tolerance: f64,
        most: u32
    ) -> Touch<f64>,
    of_superovoids_in
}

#[inline(always)]
fn of_ellipsoids_in<R: Plain>(
    shapes: [&Params; 2],
    frame: &Frame,
    start: Option<&WarmStart>,
    tolerance: f64,
) -> Touch<f64> {
    let placement = frame.placement.spread();
    let start = start.map(|warm| normal_of(warm, frame));
    EllipsoidPair::new(radii(shapes, frame), &placement).grow(start, R::splat(tolerance)).plain()
}

#[inline(always)]
fn of_superellipsoids_in<R: Plain>(
    shapes: [&Params; 2],
    frame: &Frame,
    start: Option<&WarmStart>,
    tolerance: f64,
    most: u32,
) -> Touch<f64> {
    of_superquadrics::<R, false>(shapes, frame, start, tolerance, most)
}

#[inline(always)]
fn of_superovoids_in<R: Plain>(
    shapes: [&Params; 2],
    frame: &Frame,
    start: Option<&WarmStart>,
    tolerance: f64,
    most: u32,
) -> Touch<f64> {
    of_superquadrics::<R, true>(shapes, frame, start, tolerance, most)
}

/// Newton's method from an earlier answer, else from where the ellipsoids with the same radii about touch.
#[inline(always)]
fn of_superquadrics<R: Plain, const TAPERED: bool>(
    shapes: [&Params; 2],
    frame: &Frame,
    start: Option<&WarmStart>,
    tolerance: f64,
    most: u32,
) -> Touch<f64> {
    let [a, b] = &shapes.map(|shape| scaled::<R, TAPERED>(shape, frame.size));
    let placement = &frame.placement.spread();
    let growing = Growing { body_a: a, body_b: b, placement, tolerance: R::splat(tolerance) };
    let first = match start {
        Some(warm) => {
            let [x_a, n_a, x_b, n_b] = frame.earlier(warm).map(V3::spread);
            (a.recall(x_a, n_a), b.recall(x_b, n_b))
        }
        None => {
            let ellipsoids = EllipsoidPair::new([a.radii, b.radii], placement);
            let first = ellipsoids.grown(ellipsoids.along(placement.centre).share);
            let grown = ellipsoids.grown(first.share);
            (a.start(grown.normal), b.start(-grown.normal_b))
        }
    };
    growing.touch(first, start.is_some(), most).plain()
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::Pose;
    use crate::shape::{Superellipsoid, Superovoid};
    use crate::solver::convex::frame_of_superquadrics;

    fn vector(rng: &mut Rng) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| 2.0 * rng.f64() - 1.0))
    }

    fn pose(rng: &mut Rng) -> Pose {
        Pose::new(DQuat::from_scaled_axis(vector(rng) * 3.0), vector(rng) * 2.0).unwrap()
    }

    /// CPUs without fused multiply-add take other code: the same growth to rounding, cold and warm.
    #[test]
    fn plain_numbers_agree_with_fused_ones() {
        let mut rng = Rng::with_seed(1);
        let (mut settled, mut settled_warm) = (0, 0);
        for case in 0..3_000 {
            let mut params = || -> Params {
                let radii = [0; 3].map(|_| 0.1 + 0.9 * rng.f64());
                let exponents = if case % 3 == 0 { [1.0; 2] } else { [0; 2].map(|_| 0.3 + 0.8 * rng.f64()) };
                match case % 3 {
                    2 => (&Superovoid::new(radii, exponents, [0.1; 2]).unwrap()).into(),
                    _ => (&Superellipsoid::new(radii, exponents).unwrap()).into(),
                }
            };
            let (a, b) = (params(), params());
            if !(a.convex && b.convex) {
                continue;
            }
            let (pose_a, pose_b) = (pose(&mut rng), pose(&mut rng));
            let (frame, shapes) = (frame_of_superquadrics(&a, &pose_a, &b, &pose_b), [&a, &b]);
            let plain = |start: Option<&WarmStart>| match case % 3 {
                0 => of_ellipsoids_in::<f64>(shapes, &frame, start, 1e-10),
                1 => of_superellipsoids_in::<f64>(shapes, &frame, start, 1e-10, MOST_EVALUATIONS),
                _ => of_superovoids_in::<f64>(shapes, &frame, start, 1e-10, MOST_EVALUATIONS),
            };
            let cold = plain(None);
            let own = |v: V3<f64>| -frame.placement.rotation.apply_transposed(v);
            let here = [cold.x_a * frame.size, cold.normal, own(cold.y) * frame.size, own(cold.normal)];
            let warm = plain(Some(&WarmStart::from(here.map(DVec3::from))));
            let other = grown(shapes, &frame, 1e-10, &Options::DEFAULT);
            let agrees = |touch: &Touch<f64>| {
                let difference = (touch.scale - other.scale).abs() / other.scale;
                assert!(!other.converged || difference <= 1e-9, "{case}: {difference}");
            };
            if cold.converged {
                settled += 1;
                agrees(&cold);
            }
            if warm.converged {
                settled_warm += 1;
                agrees(&warm);
            }
        }
        assert!(settled > 2_700 && settled_warm > 2_700, "{settled} {settled_warm}");
    }
}
