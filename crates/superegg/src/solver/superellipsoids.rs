//! Two superellipsoids, one query at a time: the distance of ellipsoids, and whether superellipsoids are apart.

use crate::outcome::{Options, WarmStart};
use crate::solver::convex::scaled;
use crate::solver::pair::frame::Frame;
use crate::solver::params::Params;
use crate::solver::separation::ellipsoids::EllipsoidPair;
use crate::solver::separation::found::Separation;
use crate::solver::separation::separating_axis::{MOST_ROUNDS, side_of_superellipsoids};
use crate::solver::separation::side::Side;
use crate::solver::simd::{Plain, Real, V3, single_query};

single_query! {
    /// The distance of two ellipsoids, where they are apart and it settles in a few rounds.
    fn separate_ellipsoids(shapes: [&Params; 2], frame: &Frame, options: &Options) -> Separation<f64>, ellipsoids
}

single_query! {
    /// Whether two superellipsoids are apart, as far as a few evaluations tell; `axis` is the normal of a plane that parted
    /// them before, in a's frame.
    fn side(shapes: [&Params; 2], frame: &Frame, axis: Option<V3<f64>>) -> Side<f64>, side_of
}

/// The radii of both, in units of the pair's size.
#[inline(always)]
pub(crate) fn radii<R: Real>(shapes: [&Params; 2], frame: &Frame) -> [V3<R>; 2] {
    let per_size = 1.0 / frame.size;
    shapes.map(|shape| {
        let [x, y, z] = shape.radii;
        V3::new(x * per_size, y * per_size, z * per_size).spread()
    })
}

#[inline(always)]
fn ellipsoids<R: Plain>(shapes: [&Params; 2], frame: &Frame, options: &Options) -> Separation<f64> {
    let placement = frame.placement.spread();
    let start = options.warm_start.filter(|warm| warm.is_usable()).map(|warm| normal_of(&warm, frame));
    EllipsoidPair::new(radii(shapes, frame), &placement).separate(start, R::splat(frame.tolerance(options))).plain()
}

#[inline(always)]
fn side_of<R: Plain>(shapes: [&Params; 2], frame: &Frame, axis: Option<V3<f64>>) -> Side<f64> {
    let placement = frame.placement.spread();
    let (rounding, axis) = (R::splat(frame.rounding), axis.map(V3::spread));
    if shapes.iter().all(|shape| shape.is_ellipsoid()) {
        return EllipsoidPair::new(radii(shapes, frame), &placement).side(rounding, axis).plain();
    }
    let [a, b] = shapes.map(|shape| scaled(shape, frame.size));
    side_of_superellipsoids(&a, &b, &placement, rounding, axis, MOST_ROUNDS).plain()
}

/// The normal between both of an earlier answer, of any length.
#[inline(always)]
pub(crate) fn normal_of<R: Plain>(warm: &WarmStart, frame: &Frame) -> V3<R> {
    let normal_b = frame.placement.rotation.apply(warm.normal_b.into());
    (V3::from(warm.normal_a) - normal_b).spread()
}
