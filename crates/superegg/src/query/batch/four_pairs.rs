//! Four pairs of eggs in the lanes of a vector register.
//!
//! A first pass gives every group of four a few rounds; what has not settled is grouped anew and gets more. Pairs that
//! overlap or stay open go through the single query.

use super::{Placed, distance_of};
use crate::lanes::avx2::{F64x4, LANES};
use crate::lanes::{M3, V3};
use crate::query::distance::body::Body;
use crate::query::distance::convex::{Frame, NEWTON_EVALUATIONS};
use crate::query::distance::graph::Egg;
use crate::query::distance::separate::{Goal, Placement, Separation, separate_lanes};
use crate::query::distance::{EggShape, Kind};
use crate::query::{Options, Outcome, QueryError};
use glam::DVec3;

/// Rounds of the first pass: enough for most pairs, few enough not to wait long for the rest.
const FIRST_PASS: u32 = 6;

/// A pair that can go into a lane.
struct Job<'a> {
    index: usize,
    frame: Frame<'a>,
    a: EggShape,
    b: EggShape,
}

/// Answers a chunk of pairs.
pub(super) fn distances(pairs: &[[Placed; 2]], options: &Options) -> Vec<Result<Outcome, QueryError>> {
    let mut answers: Vec<Option<Result<Outcome, QueryError>>> = vec![None; pairs.len()];
    if options.validate().is_ok() && options.max_iterations >= NEWTON_EVALUATIONS {
        let mut plain = Vec::with_capacity(pairs.len());
        let mut tapered = Vec::new();
        for (index, [a, b]) in pairs.iter().enumerate() {
            let (Kind::Egg(egg_a), Kind::Egg(egg_b)) = (Kind::of(&a.shape), Kind::of(&b.shape)) else { continue };
            let valid = a.pose.validate().is_ok() && b.pose.validate().is_ok();
            if !(valid && egg_a.convex && egg_b.convex) {
                continue;
            }
            let size = egg_a.largest_radius() + egg_b.largest_radius();
            let frame = Frame::new(&a.pose, &b.pose, size, DVec3::ZERO, true);
            let job = Job { index, frame, a: egg_a, b: egg_b };
            if egg_a.is_tapered() || egg_b.is_tapered() { tapered.push(job) } else { plain.push(job) }
        }
        pass::<false>(plain, options, &mut answers);
        pass::<true>(tapered, options, &mut answers);
    }
    answers.into_iter().zip(pairs).map(|(answer, pair)| answer.unwrap_or_else(|| distance_of(pair, options))).collect()
}

/// Two passes over jobs of one kind.
fn pass<const TAPERED: bool>(
    mut jobs: Vec<Job>,
    options: &Options,
    answers: &mut [Option<Result<Outcome, QueryError>>],
) {
    for rounds in [FIRST_PASS, NEWTON_EVALUATIONS] {
        let mut open = Vec::new();
        let mut rest = jobs.into_iter();
        loop {
            let group: Vec<Job> = rest.by_ref().take(LANES).collect();
            if group.is_empty() {
                break;
            }
            // SAFETY: the batch comes here only when the CPU has AVX2 and FMA.
            let found = unsafe { solve::<TAPERED>(&group, options, rounds) };
            for (job, found) in group.into_iter().zip(found) {
                if found.converged {
                    answers[job.index] = Some(Ok(job.frame.separated(&found, options)));
                } else if !found.overlapping {
                    open.push(job);
                }
            }
        }
        jobs = open;
    }
}

#[inline(always)]
fn gather(group: &[Job], value: impl Fn(&Job) -> f64) -> F64x4 {
    F64x4::from_array(std::array::from_fn(|lane| value(&group[lane.min(group.len() - 1)])))
}

#[inline(always)]
fn gather_vector(group: &[Job], value: impl Fn(&Job) -> V3<f64>) -> V3<F64x4> {
    V3::new(gather(group, |job| value(job).x), gather(group, |job| value(job).y), gather(group, |job| value(job).z))
}

#[inline(always)]
fn gather_egg<const TAPERED: bool>(group: &[Job], egg: impl Fn(&Job) -> EggShape) -> Egg<F64x4, TAPERED> {
    let radii = gather_vector(group, |job| {
        let [x, y, z] = egg(job).radii;
        V3::new(x, y, z) * (1.0 / job.frame.size)
    });
    let exponents = [gather(group, |job| egg(job).exponents[0]), gather(group, |job| egg(job).exponents[1])];
    let taper = [gather(group, |job| egg(job).taper[0]), gather(group, |job| egg(job).taper[1])];
    Egg::new(radii, exponents, taper)
}

/// # Safety
/// The CPU must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn solve<const TAPERED: bool>(group: &[Job], options: &Options, rounds: u32) -> [Separation<f64>; LANES] {
    let a = gather_egg::<TAPERED>(group, |job| job.a);
    let b = gather_egg::<TAPERED>(group, |job| job.b);
    let placement = Placement {
        rotation: M3 {
            x: gather_vector(group, |job| job.frame.placement.rotation.x),
            y: gather_vector(group, |job| job.frame.placement.rotation.y),
            z: gather_vector(group, |job| job.frame.placement.rotation.z),
        },
        centre: gather_vector(group, |job| job.frame.placement.centre),
    };
    let tolerance = gather(group, |job| job.frame.tolerance(options));
    let (start, _) = b.start_beside(&a, &placement);
    separate_lanes(&a, &b, &placement, start, tolerance, rounds, Goal::Distance).lanes()
}
