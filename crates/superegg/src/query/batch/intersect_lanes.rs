//! Whether pairs of superellipsoids are apart, in the lanes of a vector register: four with AVX2, eight with AVX-512.
//!
//! The passes are those of [`side_of_superellipsoids`], each for the pairs that the last one left open: without a power, with a few
//! evaluations, with more. What is still open then goes through the single query.

use super::Placed;
use crate::query::QueryError;
use crate::query::intersect::open_intersect;
use crate::shape::{Shape, Superellipsoid};
use crate::solver::body::superquadric::Superquadric;
use crate::solver::certificate::rounding;
use crate::solver::pair::frame::Poses;
use crate::solver::separation::separating_axis::side_of_superellipsoids;
use crate::solver::simd::{Lanes, MOST_LANES, V3, Width, lane_query};

/// Evaluations in each pass.
const PASSES: [u32; 3] = [0, 2, 5];
/// How far a superellipsoid reaches from its centre, as a multiple of its largest radius: the diagonal of its box.
const REACH: f64 = 1.7320508075688774;

/// A pair that can go into a lane.
#[derive(Clone, Copy)]
struct Job<'a> {
    index: usize,
    pair: &'a [Placed; 2],
    shapes: [&'a Superellipsoid; 2],
}

impl<'a> Job<'a> {
    /// Rotations that are not of unit length are rare; the single query normalises them.
    fn of(index: usize, pair: &'a [Placed; 2]) -> Option<Job<'a>> {
        let [a, b] = pair;
        let valid = [a, b].iter().all(|body| body.pose.is_unit() && body.pose.validate_translation().is_ok());
        match (&a.shape, &b.shape) {
            (Shape::Superellipsoid(a), Shape::Superellipsoid(b)) if valid => Some(Job { index, pair, shapes: [a, b] }),
            _ => None,
        }
    }
}

/// Answers a chunk of pairs.
pub(super) fn intersects(width: Width, pairs: &[[Placed; 2]]) -> Vec<Result<bool, QueryError>> {
    let mut answers: Vec<Option<bool>> = vec![None; pairs.len()];
    let mut jobs: Vec<Job> = pairs.iter().enumerate().filter_map(|(index, pair)| Job::of(index, pair)).collect();
    for rounds in PASSES {
        for group in jobs.chunks(width.count()) {
            let [apart, overlapping] = sides(width, group, rounds);
            for (lane, job) in group.iter().enumerate() {
                if (apart | overlapping) >> lane & 1 == 1 {
                    answers[job.index] = Some(overlapping >> lane & 1 == 1);
                }
            }
        }
        jobs.retain(|job| answers[job.index].is_none());
    }
    (answers.into_iter().zip(pairs))
        .map(|(answer, [a, b])| answer.map_or_else(|| open_intersect(&a.shape, &a.pose, &b.shape, &b.pose), Ok))
        .collect()
}

lane_query! {
    /// See [`sides_of_lanes`].
    fn sides(jobs: &[Job], rounds: u32) -> [u32; 2], sides_of_lanes
}

/// One body of each lane, and its largest radius.
#[inline(always)]
fn gather<R: Lanes>(group: &[&Job; MOST_LANES], body: usize) -> (V3<R>, [R; 2], R) {
    let shape = |lane: usize| group[lane].shapes[body];
    let radii = V3::gather(|lane| shape(lane).radii().into());
    let exponents = [R::gather(|lane| shape(lane).exponents()[0]), R::gather(|lane| shape(lane).exponents()[1])];
    (radii, exponents, radii.x.max(radii.y).max(radii.z))
}

/// The lanes of a group that are apart, and those that overlap.
#[inline(always)]
fn sides_of_lanes<R: Lanes>(jobs: &[Job], rounds: u32) -> [u32; 2] {
    // The last job fills the lanes that are left.
    let group: &[&Job; MOST_LANES] = &std::array::from_fn(|lane| &jobs[lane.min(jobs.len() - 1)]);
    let (radii_a, exponents_a, largest_a) = gather::<R>(group, 0);
    let (radii_b, exponents_b, largest_b) = gather::<R>(group, 1);
    let per_size = R::splat(1.0) / (largest_a + largest_b);
    let a = Superquadric::new(radii_a * per_size, exponents_a, [R::splat(0.0); 2]);
    let b = Superquadric::new(radii_b * per_size, exponents_b, [R::splat(0.0); 2]);
    let pair = |lane: usize| group[lane].pair;
    let placement = Poses::<R>::gather(|lane| &pair(lane)[0].pose, |lane| &pair(lane)[1].pose).placement(per_size);
    let rounding = rounding(placement.centre, largest_b * per_size, R::splat(REACH));
    let side = side_of_superellipsoids(&a, &b, &placement, rounding, None, rounds);
    [R::bits(side.apart), R::bits(side.overlapping)]
}
