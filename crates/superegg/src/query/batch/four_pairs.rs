//! Four pairs of superquadrics in the lanes of a vector register.
//!
//! A first pass gives every group of four a few rounds; what has not settled is grouped anew and gets more. Pairs that
//! overlap or stay open go through the single query. The way into the solver's frame and back goes through the lanes too:
//! one by one it would take as long as the solver itself.

use super::{PairQuery, Placed, distance_of};
use crate::Pose;
use crate::outcome::status_of;
use crate::query::{Options, Outcome, QueryError, WarmStart};
use crate::shape::BandRings;
use crate::solver::body::Body;
use crate::solver::body::superquadric::Superquadric;
use crate::solver::certificate::{self, rounding};
use crate::solver::convex::NEWTON_EVALUATIONS;
use crate::solver::nonconvex::touching::{self, Bands, rings_of};
use crate::solver::pair::frame::{Poses, reachable};
use crate::solver::pair::placement::Placement;
use crate::solver::params::{Kind, Params};
use crate::solver::separation::found::Separation;
use crate::solver::separation::newton::{Goal, separate_lanes};
use crate::solver::simd::avx2::{F64x4, LANES};
use crate::solver::simd::{Quaternion, Real, V3};

/// Rounds of the first pass: enough for most pairs, few enough not to wait long for the rest.
const FIRST_PASS: u32 = 6;

/// A pair that can go into a lane.
#[derive(Clone, Copy)]
struct Job<'a> {
    index: usize,
    pair: &'a [Placed; 2],
    superquadrics: [Params; 2],
    /// Where they bend inwards, if they are not convex.
    rings: [Option<BandRings>; 2],
    start: Option<&'a WarmStart>,
}

/// Answers a chunk of pairs.
pub(super) fn distances<P: PairQuery>(pairs: &[P], options: &Options) -> Vec<Result<Outcome, QueryError>> {
    let mut answers: Vec<Option<Outcome>> = vec![None; pairs.len()];
    if options.validate().is_ok() && options.max_iterations >= NEWTON_EVALUATIONS {
        // Groups of one kind each: untapered, tapered or not convex, from nothing or from an earlier answer.
        let mut jobs: [Vec<Job>; 6] = Default::default();
        for (index, query) in pairs.iter().enumerate() {
            let pair @ [a, b] = query.pair();
            // Rotations that are not of unit length are rare; the single query normalises them.
            let valid = [a, b].iter().all(|body| body.pose.is_unit() && body.pose.validate_translation().is_ok());
            if let (Some((a, rings_a)), Some((b, rings_b)), true) = (egg(a), egg(b), valid) {
                let start = query.warm_start().filter(|start| start.is_usable());
                let rings = [rings_a, rings_b];
                let hollow = rings.iter().any(Option::is_some);
                let kind = usize::from(a.is_tapered() || b.is_tapered()) + usize::from(hollow);
                let kind = 2 * kind + usize::from(start.is_some());
                jobs[kind].push(Job { index, pair, superquadrics: [a, b], rings, start });
            }
        }
        let [plain, plain_warm, tapered, tapered_warm, hollow, hollow_warm] = jobs;
        for jobs in [plain, plain_warm] {
            pass::<false>(jobs, options, &mut answers);
        }
        for jobs in [tapered, tapered_warm, hollow, hollow_warm] {
            pass::<true>(jobs, options, &mut answers);
        }
    }
    (answers.into_iter().zip(pairs))
        .map(|(answer, query)| answer.map_or_else(|| distance_of(query, options), Ok))
        .collect()
}

/// A superquadric, and where it bends inwards.
fn egg(placed: &Placed) -> Option<(Params, Option<BandRings>)> {
    let Kind::Superquadric(superquadric) = Kind::of(&placed.shape) else { return None };
    Some((superquadric, rings_of(&superquadric)?))
}

/// Two passes over jobs of one kind.
fn pass<const TAPERED: bool>(mut jobs: Vec<Job>, options: &Options, answers: &mut [Option<Outcome>]) {
    for rounds in [FIRST_PASS, NEWTON_EVALUATIONS] {
        let mut open = Vec::new();
        for group in jobs.chunks(LANES) {
            // SAFETY: the batch comes here only when the CPU has AVX2 and FMA.
            let left = unsafe { solve::<TAPERED>(group, options, rounds, answers) };
            open.extend(group.iter().enumerate().filter(|(lane, _)| left >> lane & 1 == 1).map(|(_, job)| *job));
        }
        jobs = open;
    }
}

/// One number of each lane.
macro_rules! gather {
    ($four:expr, |$job:ident| $value:expr) => {
        F64x4::from_array($four.map(|$job| $value))
    };
}

#[inline(always)]
fn gather_vector(four: [V3<f64>; LANES]) -> V3<F64x4> {
    V3::new(gather!(four, |v| v.x), gather!(four, |v| v.y), gather!(four, |v| v.z))
}

#[inline(always)]
fn gather_pose(four: [&Pose; LANES]) -> (Quaternion<F64x4>, V3<F64x4>) {
    let rotation = Quaternion {
        vector: gather_vector(four.map(|pose| Quaternion::from(pose.rotation).vector)),
        scalar: gather!(four, |pose| pose.rotation.w),
    };
    (rotation, gather_vector(four.map(|pose| pose.translation.into())))
}

#[inline(always)]
fn gather_superquadric<const TAPERED: bool>(
    superquadrics: [&Params; LANES],
    per_size: F64x4,
) -> Superquadric<F64x4, TAPERED> {
    let radii = gather_vector(
        superquadrics.map(|superquadric| V3::new(superquadric.radii[0], superquadric.radii[1], superquadric.radii[2])),
    ) * per_size;
    let exponents = [
        gather!(superquadrics, |superquadric| superquadric.exponents[0]),
        gather!(superquadrics, |superquadric| superquadric.exponents[1]),
    ];
    let taper = [
        gather!(superquadrics, |superquadric| superquadric.taper[0]),
        gather!(superquadrics, |superquadric| superquadric.taper[1]),
    ];
    Superquadric::new(radii, exponents, taper)
}

/// Answers a group of one to four jobs as far as they settle; the lanes of those that are open are set in the result.
///
/// # Safety
/// The CPU must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn solve<const TAPERED: bool>(
    group: &[Job],
    options: &Options,
    rounds: u32,
    answers: &mut [Option<Outcome>],
) -> i32 {
    let four: [&Job; LANES] = std::array::from_fn(|lane| &group[lane.min(group.len() - 1)]);
    let (superquadrics_a, superquadrics_b) =
        (four.map(|job| &job.superquadrics[0]), four.map(|job| &job.superquadrics[1]));
    let size = gather!(four, |job| job.superquadrics[0].largest_radius() + job.superquadrics[1].largest_radius());
    let per_size = F64x4::splat(1.0) / size;
    let a = gather_superquadric::<TAPERED>(superquadrics_a, per_size);
    let b = gather_superquadric::<TAPERED>(superquadrics_b, per_size);
    let (rotation_a, translation_a) = gather_pose(four.map(|job| &job.pair[0].pose));
    let (rotation_b, translation_b) = gather_pose(four.map(|job| &job.pair[1].pose));
    let poses = Poses { rotation_a, translation_a, rotation_b, translation_b };
    let placement = poses.placement(per_size);
    let reach = gather!(four, |job| job.superquadrics[0].reach_factor().max(job.superquadrics[1].reach_factor()));
    let part_b = gather!(superquadrics_b, |superquadric| superquadric.largest_radius()) * per_size;
    let rounding = rounding(placement.centre, part_b, reach);
    let tolerance = reachable(options.tolerance, rounding);
    let start = match four.map(|job| job.start) {
        [Some(s0), Some(s1), Some(s2), Some(s3)] => {
            let starts = [s0, s1, s2, s3];
            let point_a = gather_vector(starts.map(|start| start.point_a.into())) * per_size;
            let point_b = gather_vector(starts.map(|start| start.point_b.into())) * per_size;
            let normal_a = gather_vector(starts.map(|start| start.normal_a.into()));
            let normal_b = gather_vector(starts.map(|start| start.normal_b.into()));
            (a.place(point_a, normal_a), b.place(point_b, normal_b))
        }
        _ => b.start_beside(&a, &placement).0,
    };
    let mut found = separate_lanes(&a, &b, &placement, start, tolerance, rounds, Goal::Distance);
    let open = !(found.converged.bits() | found.overlapping.bits());
    if TAPERED && four.iter().any(|job| job.rings.iter().any(Option::is_some)) {
        prove_by_hulls(&four, &a, &b, &placement, tolerance, &mut found);
    }

    let normal = found.normal;
    let point_a = poses.to_world(found.x_a, size).lanes();
    let point_b = poses.to_world(found.x_b, size).lanes();
    let [own_a, normal_a, own_b, normal_b] = placement.own_frames(found.x_a, found.x_b, normal, size);
    let own_frames = [own_a.lanes(), normal_a.lanes(), own_b.lanes(), normal_b.lanes()];
    let normal = rotation_a.apply(normal).lanes();
    let distance = (found.distance() * size).to_array();
    let unique_points = found.unique_points.bits();
    let witness = rotation_a.apply(found.witness).lanes();
    let tolerance = (tolerance * size).to_array();
    let (lower, upper) = (found.lower.to_array(), found.upper.to_array());
    let (rounding, size) = (rounding.to_array(), size.to_array());
    let evaluations = found.evaluations.to_array();
    let converged = found.converged.bits();
    for (lane, job) in group.iter().enumerate() {
        if converged >> lane & 1 == 1 {
            answers[job.index] = Some(Outcome {
                distance: distance[lane],
                point_a: point_a[lane].into(),
                point_b: point_b[lane].into(),
                normal: normal[lane].into(),
                status: status_of(distance[lane], true, tolerance[lane]),
                iterations: evaluations[lane] as u32,
                bounds: Some(certificate::bounds(lower[lane], upper[lane], rounding[lane], size[lane])),
                witness: witness[lane].into(),
                unique_points: unique_points >> lane & 1 == 1,
                unique_normal: true,
                warm_start: own_frames.map(|v| v[lane].into()).into(),
            });
        }
    }
    open
}

/// What was found for bodies as if they were convex, proved by their hulls where these touch the surfaces there; not converged elsewhere.
#[inline(always)]
fn prove_by_hulls<const TAPERED: bool>(
    four: &[&Job; LANES],
    a: &Superquadric<F64x4, TAPERED>,
    b: &Superquadric<F64x4, TAPERED>,
    placement: &Placement<F64x4>,
    tolerance: F64x4,
    found: &mut Separation<F64x4>,
) {
    let bands_a = Bands::gather(four.map(|job| job.rings[0].as_ref()));
    let bands_b = Bands::gather(four.map(|job| job.rings[1].as_ref()));
    let (Some(bands_a), Some(bands_b)) = (bands_a, bands_b) else {
        found.converged = found.converged & !found.converged;
        return;
    };
    let (bodies_a, bodies_b) = ((&a.as_tapered(), &bands_a), (&b.as_tapered(), &bands_b));
    let slack = F64x4::splat(touching::SLACK) * tolerance;
    let points = (found.x_a, found.x_b);
    let proved = touching::gap(bodies_a, bodies_b, placement, points, found.normal, slack);
    found.converged = found.converged & proved.holds & found.upper.lt(proved.lower + tolerance);
    (found.lower, found.witness) = (proved.lower, proved.normal);
}
