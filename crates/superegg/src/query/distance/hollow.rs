//! Pairs with a superovoid that is not convex: the distance of the true surfaces.
//!
//! No dual bound exists, so there is no certificate. Common normals are sought by Newton's method from several starts:
//! a hollow lies along a meridian, so each body starts above and below the height that the ellipsoid with the same radii
//! suggests, and at that height. The closest pair of points wins. Where no start settles, the closest points so far are
//! led on by [`on_surfaces`]. Where the bodies overlap, the depth of their hulls is shortened where they lie in each
//! other's hollows ([`super::nestle`]).

use super::candidate::Candidate;
use super::convex::{deepest_in_egg, deepest_of_eggs, scaled};
use super::frame::Frame;
use super::graph::{Egg, SurfacePoint};
use super::hull_body::Hull;
use super::nestle::{EggHull, hulls_apart, nestle};
use super::separate::{Goal, Separation, separate, separate_lanes};
use super::{EggShape, on_surfaces};
use crate::lanes::{Real, V3};
use crate::query::{Options, Outcome};

/// By how much the starts' normals are tilted along the meridian, as a part of their radial components, for a and b.
/// The first is the start itself.
const TILTS: [(f64, f64); 8] = [
    (0.0, 0.0),
    (TILT, TILT),
    (TILT, -TILT),
    (-TILT, TILT),
    (-TILT, -TILT),
    (0.0, 3.0 * TILT),
    (3.0 * TILT, 0.0),
    (-3.0 * TILT, -3.0 * TILT),
];
const TILT: f64 = 0.35;
/// Starts that take longer than this are not the ones that lead to the closest points, and how far they may go when none
/// has.
const ROUNDS: u32 = 20;
const MOST_ROUNDS: u32 = 60;
/// Distances, as parts of the size, that differ by no more than this are of the same closest points.
const AGREEMENT: f64 = 1e-8;

/// Distance of two eggs, at least one of them hollow.
pub(super) fn eggs(shapes: [&EggShape; 2], frame: &Frame, options: &Options) -> Outcome {
    let [a, b] = &shapes.map(|shape| scaled::<f64, true>(shape, frame.size));
    let found = closest_of_eggs(shapes, a, b, frame, options);
    conclude(&found, frame, options, || {
        let tolerance = frame.tolerance(options);
        let mut deep = deepest_of_eggs(a, b, &frame.placement, tolerance, found.normal);
        let [Some(hull_a), Some(hull_b)] = shapes.map(|shape| EggHull::new(shape, frame.size)) else {
            let points = deep.points(a, b, &frame.placement, tolerance);
            return (deep, points);
        };
        let hulls = (hull_a, hull_b);
        let hull_depth = |normal: V3<f64>| hulls_apart(&hulls, &frame.placement, normal);
        // Where the hulls touch at points of the surfaces, these touch too.
        let between_points = (deep.x_a - deep.x_b).dot(deep.normal);
        if (hull_depth(deep.normal) - between_points).abs() < tolerance
            && let Some(points) = deep.common_points(b, &frame.placement)
        {
            return (deep, points);
        }
        let cold = Options { warm_start: None, ..*options };
        let closest = |pushed: &Frame| closest_of_eggs(shapes, a, b, pushed, &cold);
        nestle(&deep, frame, tolerance, hull_depth, closest).unwrap_or_else(|| {
            deep.depth = hull_depth(deep.normal);
            let points = deep.points(a, b, &frame.placement, tolerance);
            (deep, points)
        })
    })
}

/// Whether two eggs overlap, at least one of them hollow.
pub(super) fn eggs_overlap(shapes: [&EggShape; 2], frame: &Frame) -> Option<bool> {
    let [a, b] = &shapes.map(|shape| scaled::<f64, true>(shape, frame.size));
    overlap(&closest_of_eggs(shapes, a, b, frame, &Options::DEFAULT))
}

/// Distance of a hollow egg and the hull of some points.
pub(super) fn egg_and_hull(a: &Egg<f64, true>, hull: &Hull, frame: &Frame, options: &Options) -> Outcome {
    let found = closest_of_egg_and_hull(a, hull, frame, options);
    conclude(&found, frame, options, || {
        let tolerance = frame.tolerance(options);
        let mut deep = deepest_in_egg(a, hull, &frame.placement, tolerance, found.normal);
        let points = deep.points(a, hull, &frame.placement, tolerance);
        (deep, points)
    })
}

/// Whether a hollow egg and the hull of some points overlap.
pub(super) fn egg_and_hull_overlap(a: &Egg<f64, true>, hull: &Hull, frame: &Frame) -> Option<bool> {
    overlap(&closest_of_egg_and_hull(a, hull, frame, &Options::DEFAULT))
}

fn overlap(found: &Separation<f64>) -> Option<bool> {
    (found.overlapping || found.converged).then_some(found.overlapping)
}

/// The closest common normal that any of the starts leads to, or a common point.
fn closest_of_eggs(
    shapes: [&EggShape; 2],
    a: &Egg<f64, true>,
    b: &Egg<f64, true>,
    frame: &Frame,
    options: &Options,
) -> Separation<f64> {
    let finished = |found: Separation<f64>| {
        let settled = found.converged || found.overlapping || options.max_iterations < ROUNDS;
        if settled { found } else { on_surfaces::finish(&found, shapes[0], shapes[1], frame) }
    };
    #[cfg(target_arch = "x86_64")]
    if crate::lanes::avx2::available() {
        // SAFETY: the CPU was just asked for AVX2 and FMA.
        let found = finished(unsafe { four_lanes::closest(a, b, frame, options) });
        if found.converged || found.overlapping {
            return found;
        }
    }
    let tolerance = frame.tolerance(options);
    let (first, normal) = frame.start(a, b, options);
    let normal_b = -frame.placement.a_to_b::<Egg<f64, true>>(normal);
    let most = options.max_iterations.min(MOST_ROUNDS);
    finished(closest_of(TILTS.map(|(tilt_a, tilt_b)| {
        let start = match (tilt_a, tilt_b) {
            (0.0, 0.0) => first,
            _ => (Egg::start(a, tilted(normal, tilt_a)), Egg::start(b, tilted(normal_b, tilt_b))),
        };
        separate(a, b, &frame.placement, start, tolerance, most, Goal::CommonNormal)
    })))
}

fn closest_of_egg_and_hull(a: &Egg<f64, true>, hull: &Hull, frame: &Frame, options: &Options) -> Separation<f64> {
    let tolerance = frame.tolerance(options);
    let (first, normal) = frame.start(a, hull, options);
    closest_of([0.0, TILT, -TILT, 2.0 * TILT, -2.0 * TILT].map(|tilt| {
        let start = if tilt == 0.0 { first } else { (Egg::start(a, tilted(normal, tilt)), first.1) };
        separate(a, hull, &frame.placement, start, tolerance, options.max_iterations, Goal::CommonNormal)
    }))
}

/// A normal in an egg's frame, tilted along the meridian.
#[inline(always)]
fn tilted<R: Real>(normal: V3<R>, tilt: R) -> V3<R> {
    let radial = normal.x.mul_add(normal.x, normal.y * normal.y).sqrt();
    V3 { z: tilt.mul_add(radial, normal.z), ..normal }
}

/// The closest pair of points among several results; a common point beats everything, a common normal the rest.
fn closest_of<const N: usize>(results: [Separation<f64>; N]) -> Separation<f64> {
    let evaluations = results.iter().map(|found| found.evaluations).sum();
    let rank = |found: &Separation<f64>| (found.overlapping, found.converged, -found.upper);
    let mut best = results[0];
    for found in &results[1..] {
        if rank(found) > rank(&best) {
            best = *found;
        }
    }
    best.evaluations = evaluations;
    best
}

fn conclude(
    found: &Separation<f64>,
    frame: &Frame,
    options: &Options,
    deepest: impl Fn() -> (Candidate, (V3<f64>, V3<f64>)),
) -> Outcome {
    if found.overlapping {
        let (deep, (x_a, x_b)) = deepest();
        let spent = found.evaluations + deep.evaluations;
        return frame.answer(-deep.depth, x_a, x_b, deep.normal, None, true, spent, options);
    }
    let normal = found.direction();
    frame.answer(found.upper, found.x_a, found.x_b, normal, None, found.converged, found.evaluations, options)
}

/// All starts in the lanes of vector registers.
#[cfg(target_arch = "x86_64")]
mod four_lanes {
    use super::*;
    use crate::lanes::avx2::{F64x4, LANES};

    /// # Safety
    /// The CPU must have AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn closest(
        a: &Egg<f64, true>,
        b: &Egg<f64, true>,
        frame: &Frame,
        options: &Options,
    ) -> Separation<f64> {
        let placement = frame.placement.spread();
        let (a, b): (Egg<F64x4, true>, Egg<F64x4, true>) = (a.spread(), b.spread());
        let tolerance = F64x4::splat(frame.tolerance(options));
        let ((first_a, first_b), normal) = frame.start_in(&a, &b, &placement, options);
        let normal_b = -placement.a_to_b::<Egg<F64x4, true>>(normal);
        let mut best: Option<Separation<f64>> = None;
        for tilts in TILTS.chunks(LANES) {
            let tilt_a = F64x4::from_array(std::array::from_fn(|lane| tilts[lane].0));
            let tilt_b = F64x4::from_array(std::array::from_fn(|lane| tilts[lane].1));
            let level = (tilt_a.abs() + tilt_b.abs()).lt(F64x4::splat(1e-9));
            let start_a = SurfacePoint::select(level, &first_a, &Egg::start(&a, tilted(normal, tilt_a)));
            let start_b = SurfacePoint::select(level, &first_b, &Egg::start(&b, tilted(normal_b, tilt_b)));
            let most = options.max_iterations.min(ROUNDS);
            let found = separate_lanes(&a, &b, &placement, (start_a, start_b), tolerance, most, Goal::CommonNormal);
            let results = found.lanes();
            let group = closest_of(results);
            best = Some(match best {
                Some(best) => closest_of([best, group]),
                None => group,
            });
            // Starts from all sides that meet in one place leave no other to look for.
            let agree = |other: &Separation<f64>| other.converged && other.upper - group.upper <= AGREEMENT;
            if group.overlapping || results.iter().all(agree) {
                break;
            }
        }
        best.expect("there are starts")
    }
}
