//! Pairs of superquadrics in the lanes of a vector register: four with AVX2, eight with AVX-512.
//!
//! A first pass gives every group a few rounds; what has not settled is grouped anew and gets more. Pairs with a body that is not
//! convex, where the lanes cannot prove what they have found, go on one by one from there. Pairs that
//! overlap or stay open go through the single query. The way into the solver's frame and back goes through the lanes too:
//! one by one it would take as long as the solver itself.

use super::{PairQuery, Placed, distance_of};
use crate::Pose;
use crate::outcome::status_of;
use crate::query::{Options, Outcome, QueryError, WarmStart};
use crate::solver::body::Body;
use crate::solver::body::superquadric::Superquadric;
use crate::solver::certificate::{self, rounding};
use crate::solver::convex::{NEWTON_EVALUATIONS, frame_of_superquadrics};
use crate::solver::nonconvex;
use crate::solver::nonconvex::search::FIRST_EVALUATIONS;
use crate::solver::nonconvex::touching::{self, Bands, band_of};
use crate::solver::pair::frame::{Poses, reachable};
use crate::solver::pair::placement::Placement;
use crate::solver::params::{Kind, Params};
use crate::solver::separation::ellipsoids::EllipsoidPair;
use crate::solver::separation::found::Separation;
use crate::solver::separation::newton::{Goal, separate_lanes};
use crate::solver::simd::{Lanes, MOST_LANES, Quaternion, V3, Width, lane_query, vector_of};

/// Rounds of the first pass: enough for most pairs, few enough not to wait long for the rest.
const FIRST_PASS: u32 = 6;

/// A pair that can go into a lane.
#[derive(Clone, Copy)]
struct Job<'a> {
    index: usize,
    pair: &'a [Placed; 2],
    superquadrics: [Params; 2],
    /// Where they bend inwards, if they are not convex; see [`band_of`].
    bands: [Option<[f64; 2]>; 2],
    start: Option<&'a WarmStart>,
}

/// What the lanes of a group have in common.
#[derive(Clone, Copy, PartialEq)]
enum Family {
    Ellipsoids,
    Superellipsoids,
    Superovoids,
    NonConvex,
}

impl Family {
    const ALL: [Family; 4] = [Family::Ellipsoids, Family::Superellipsoids, Family::Superovoids, Family::NonConvex];

    fn of(pair: &[Params; 2]) -> Family {
        if !pair.iter().all(|params| params.convex) {
            Family::NonConvex
        } else if pair.iter().any(Params::is_tapered) {
            Family::Superovoids
        } else if pair.iter().all(Params::is_ellipsoid) {
            Family::Ellipsoids
        } else {
            Family::Superellipsoids
        }
    }
}

/// Answers a chunk of pairs.
pub(super) fn distances<P: PairQuery>(
    width: Width,
    pairs: &[P],
    options: &Options,
) -> Vec<Result<Outcome, QueryError>> {
    let mut answers: Vec<Option<Outcome>> = vec![None; pairs.len()];
    if options.validate().is_ok() && options.max_iterations >= NEWTON_EVALUATIONS {
        // Groups of one family each, from nothing or from an earlier answer.
        let mut jobs: [[Vec<Job>; 2]; 4] = Default::default();
        for (index, query) in pairs.iter().enumerate() {
            let pair @ [a, b] = query.pair();
            // Rotations that are not of unit length are rare; the single query normalises them.
            let valid = [a, b].iter().all(|body| body.pose.is_unit() && body.pose.validate_translation().is_ok());
            if let (Some((a, band_a)), Some((b, band_b)), true) = (superquadric(a), superquadric(b), valid) {
                let start = query.warm_start().filter(|start| start.is_usable());
                let superquadrics = [a, b];
                jobs[Family::of(&superquadrics) as usize][usize::from(start.is_some())].push(Job {
                    index,
                    pair,
                    superquadrics,
                    bands: [band_a, band_b],
                    start,
                });
            }
        }
        for (family, jobs) in Family::ALL.into_iter().zip(jobs) {
            for jobs in jobs {
                in_two_passes(width, family, jobs, options, &mut answers);
            }
        }
    }
    (answers.into_iter().zip(pairs))
        .map(|(answer, query)| answer.map_or_else(|| distance_of(query, options), Ok))
        .collect()
}

/// A superquadric, and where it bends inwards.
fn superquadric(placed: &Placed) -> Option<(Params, Option<[f64; 2]>)> {
    let Kind::Superquadric(params) = Kind::of(&placed.shape) else { return None };
    Some((params, band_of(&params)?))
}

fn in_two_passes(width: Width, family: Family, mut jobs: Vec<Job>, options: &Options, answers: &mut [Option<Outcome>]) {
    // Where a body is not convex, more evaluations do not help pairs that are caught in a hollow.
    let most = if family == Family::NonConvex { FIRST_EVALUATIONS } else { NEWTON_EVALUATIONS };
    let mut unproved = Vec::new();
    for rounds in [FIRST_PASS, most] {
        let mut open = Vec::new();
        for group in jobs.chunks(width.count()) {
            let left = solve(width, family, group, options, rounds, answers, &mut unproved);
            open.extend(group.iter().enumerate().filter(|(lane, _)| left >> lane & 1 == 1).map(|(_, job)| *job));
            for (lane, found) in unproved.drain(..) {
                if found.converged || rounds == most {
                    let job: &Job = &group[lane];
                    answers[job.index] = job.after_newton(found, options);
                }
            }
        }
        // The second pass of the others would be the first one again.
        jobs = if family == Family::Ellipsoids { Vec::new() } else { open };
    }
}

impl Job<'_> {
    /// The answer for bodies that are not convex, from where the lanes have ended.
    fn after_newton(&self, found: Separation<f64>, options: &Options) -> Option<Outcome> {
        let ([a, b], [placed_a, placed_b]) = (&self.superquadrics, self.pair);
        let frame = frame_of_superquadrics(a, &placed_a.pose, b, &placed_b.pose);
        nonconvex::superquadrics_after_newton([a, b], found, &frame, options)
    }
}

lane_query! {
    /// See [`solve_lanes`].
    fn solve(
        family: Family,
        jobs: &[Job],
        options: &Options,
        rounds: u32,
        answers: &mut [Option<Outcome>],
        unproved: &mut Vec<(usize, Separation<f64>)>,
    ) -> u32,
    solve_lanes
}

impl<R: Lanes> Separation<R> {
    /// One lane on its own.
    fn lane(&self, lane: usize) -> Separation<f64> {
        let is = |mask: R::Mask| R::bits(mask) >> lane & 1 == 1;
        let vector = |v: V3<R>| V3::from(vector_of(&v.to_arrays(), lane));
        Separation {
            x_a: vector(self.x_a),
            x_b: vector(self.x_b),
            witness: vector(self.witness),
            normal: vector(self.normal),
            lower: self.lower.to_array()[lane],
            upper: self.upper.to_array()[lane],
            unique_points: is(self.unique_points),
            converged: is(self.converged),
            overlapping: is(self.overlapping),
            evaluations: self.evaluations.to_array()[lane],
        }
    }
}

impl<R: Lanes> Poses<R> {
    /// The poses of each lane's bodies.
    #[inline(always)]
    pub(super) fn gather<'a>(a: impl Fn(usize) -> &'a Pose, b: impl Fn(usize) -> &'a Pose) -> Poses<R> {
        let (rotation_a, translation_a) = gather_pose(a);
        let (rotation_b, translation_b) = gather_pose(b);
        Poses { rotation_a, translation_a, rotation_b, translation_b }
    }
}

#[inline(always)]
fn gather_pose<'a, R: Lanes>(pose: impl Fn(usize) -> &'a Pose) -> (Quaternion<R>, V3<R>) {
    let rotation = Quaternion {
        vector: V3::gather(|lane| pose(lane).rotation.xyz()),
        scalar: R::gather(|lane| pose(lane).rotation.w),
    };
    (rotation, V3::gather(|lane| pose(lane).translation))
}

#[inline(always)]
fn gather_superquadric<'a, R: Lanes, const TAPERED: bool>(
    params: impl Fn(usize) -> &'a Params,
    per_size: R,
) -> Superquadric<R, TAPERED> {
    let radii = V3::gather(|lane| params(lane).radii.into()) * per_size;
    let exponents = [R::gather(|lane| params(lane).exponents[0]), R::gather(|lane| params(lane).exponents[1])];
    let taper = [R::gather(|lane| params(lane).taper[0]), R::gather(|lane| params(lane).taper[1])];
    Superquadric::new(radii, exponents, taper)
}

/// A group of jobs on its way through the lanes; the last job fills those that are left.
struct Group<'a, 'b> {
    jobs: [&'a Job<'b>; MOST_LANES],
}

impl<'a, 'b> Group<'a, 'b> {
    #[inline(always)]
    fn new(jobs: &'a [Job<'b>]) -> Group<'a, 'b> {
        Group { jobs: std::array::from_fn(|lane| &jobs[lane.min(jobs.len() - 1)]) }
    }

    #[inline(always)]
    fn job(&self, lane: usize) -> &Job<'_> {
        self.jobs[lane]
    }

    #[inline(always)]
    fn radii<R: Lanes>(&self, body: usize) -> V3<R> {
        V3::gather(|lane| self.job(lane).superquadrics[body].radii.into())
    }

    #[inline(always)]
    fn largest_radius<R: Lanes>(&self, body: usize) -> R {
        R::gather(|lane| self.job(lane).superquadrics[body].largest_radius())
    }

    #[inline(always)]
    fn starts(&self) -> bool {
        self.jobs[0].start.is_some()
    }

    /// What an earlier answer tells, lane by lane.
    #[inline(always)]
    fn start<R: Lanes>(&self, part: impl Fn(&WarmStart) -> glam::DVec3) -> V3<R> {
        V3::gather(|lane| self.job(lane).start.map_or(glam::DVec3::ZERO, &part))
    }

    #[inline(always)]
    fn separate<R: Lanes, const TAPERED: bool>(
        &self,
        placement: &Placement<R>,
        per_size: R,
        tolerance: R,
        rounds: u32,
    ) -> Separation<R> {
        let a: Superquadric<R, TAPERED> = gather_superquadric(|lane| &self.job(lane).superquadrics[0], per_size);
        let b: Superquadric<R, TAPERED> = gather_superquadric(|lane| &self.job(lane).superquadrics[1], per_size);
        let start = if self.starts() {
            let point_a = self.start(|start| start.point_a) * per_size;
            let point_b = self.start(|start| start.point_b) * per_size;
            (a.place(point_a, self.start(|start| start.normal_a)), b.place(point_b, self.start(|start| start.normal_b)))
        } else {
            b.start_beside(&a, placement).0
        };
        separate_lanes(&a, &b, placement, start, tolerance, rounds, Goal::Distance)
    }

    /// What was found for bodies as if they were convex, proved by their hulls where these touch the surfaces there; not converged
    /// elsewhere.
    #[inline(always)]
    fn prove_by_hulls<R: Lanes>(&self, placement: &Placement<R>, per_size: R, tolerance: R, found: &mut Separation<R>) {
        let a: Superquadric<R, true> = gather_superquadric(|lane| &self.job(lane).superquadrics[0], per_size);
        let b: Superquadric<R, true> = gather_superquadric(|lane| &self.job(lane).superquadrics[1], per_size);
        let bands_a = Bands::gather(&a, |lane| self.job(lane).bands[0]);
        let bands_b = Bands::gather(&b, |lane| self.job(lane).bands[1]);
        let slack = R::splat(touching::SLACK) * tolerance;
        let points = (found.x_a, found.x_b);
        let proved = touching::gap((&a, &bands_a), (&b, &bands_b), placement, points, found.normal, slack);
        found.converged = found.converged & proved.holds & found.upper.lt(proved.lower + tolerance);
        (found.lower, found.witness) = (proved.lower, proved.normal);
    }

    #[inline(always)]
    fn separate_ellipsoids<R: Lanes>(&self, placement: &Placement<R>, per_size: R, tolerance: R) -> Separation<R> {
        let normal = if self.starts() {
            let normal_b: V3<R> = self.start(|start| start.normal_b);
            Some(self.start(|start| start.normal_a) - placement.rotation.apply(normal_b))
        } else {
            None
        };
        EllipsoidPair::new([self.radii(0) * per_size, self.radii(1) * per_size], placement).separate(normal, tolerance)
    }
}

/// Answers a group of jobs as far as they settle; the lanes of those that are open are set in the result. What was found for bodies that
/// are not convex and is not proved is told too.
#[inline(always)]
fn solve_lanes<R: Lanes>(
    family: Family,
    jobs: &[Job],
    options: &Options,
    rounds: u32,
    answers: &mut [Option<Outcome>],
    unproved: &mut Vec<(usize, Separation<f64>)>,
) -> u32 {
    let group = Group::new(jobs);
    let radius_b = group.largest_radius(1);
    let size = group.largest_radius::<R>(0) + radius_b;
    let per_size = R::splat(1.0) / size;
    let poses = Poses::<R>::gather(|lane| &group.job(lane).pair[0].pose, |lane| &group.job(lane).pair[1].pose);
    let placement = poses.placement(per_size);
    let reach = R::gather(|lane| {
        let [a, b] = &group.job(lane).superquadrics;
        a.reach_factor().max(b.reach_factor())
    });
    let rounding = rounding(placement.centre, radius_b * per_size, reach);
    let tolerance = reachable(options.tolerance, rounding);
    let mut found = match family {
        Family::Ellipsoids => group.separate_ellipsoids(&placement, per_size, tolerance),
        Family::Superellipsoids => group.separate::<R, false>(&placement, per_size, tolerance, rounds),
        Family::Superovoids | Family::NonConvex => group.separate::<R, true>(&placement, per_size, tolerance, rounds),
    };
    // More rounds would not help the hulls' proof.
    let open = !(R::bits(found.converged) | R::bits(found.overlapping));
    if family == Family::NonConvex {
        let newton = found;
        group.prove_by_hulls(&placement, per_size, tolerance, &mut found);
        let left = !(R::bits(found.converged) | R::bits(found.overlapping));
        let left = (0..jobs.len()).filter(|lane| left >> lane & 1 == 1);
        unproved.extend(left.map(|lane| (lane, newton.lane(lane))));
    }

    let [own_a, normal_a, own_b, normal_b] = placement.own_frames(found.x_a, found.x_b, found.normal, size);
    let own_frames = [own_a.to_arrays(), normal_a.to_arrays(), own_b.to_arrays(), normal_b.to_arrays()];
    let point_a = poses.to_world(found.x_a, size).to_arrays();
    let point_b = poses.to_world(found.x_b, size).to_arrays();
    let normal = poses.rotation_a.apply(found.normal).to_arrays();
    let witness = poses.rotation_a.apply(found.witness).to_arrays();
    let distance = (found.distance() * size).to_array();
    let tolerance = (tolerance * size).to_array();
    let (lower, upper) = (found.lower.to_array(), found.upper.to_array());
    let (rounding, size) = (rounding.to_array(), size.to_array());
    let evaluations = found.evaluations.to_array();
    let converged = R::bits(found.converged);
    let unique_points = R::bits(found.unique_points);
    for (lane, job) in jobs.iter().enumerate() {
        if converged >> lane & 1 == 1 {
            answers[job.index] = Some(Outcome {
                distance: distance[lane],
                point_a: vector_of(&point_a, lane),
                point_b: vector_of(&point_b, lane),
                normal: vector_of(&normal, lane),
                status: status_of(distance[lane], true, tolerance[lane]),
                iterations: evaluations[lane] as u32,
                bounds: Some(certificate::bounds(lower[lane], upper[lane], rounding[lane], size[lane])),
                witness: vector_of(&witness, lane),
                unique_points: unique_points >> lane & 1 == 1,
                unique_normal: true,
                warm_start: [0, 1, 2, 3].map(|part| vector_of(&own_frames[part], lane)).into(),
            });
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};
    use proptest::prelude::*;

    use super::*;
    use crate::query::Status;
    use crate::shape::Superovoid;

    fn body() -> impl Strategy<Value = (Superovoid, DQuat)> {
        let exponent = prop_oneof![3 => 0.3..1.1f64, 1 => 0.05..1.95f64, 1 => Just(1.0)];
        let radius = prop_oneof![3 => 0.3..1.0f64, 1 => (-1.5..0.0f64).prop_map(|power| 10f64.powf(power))];
        let taper = prop_oneof![
            1 => Just([0.0; 2]),
            1 => (-0.4..0.4f64).prop_map(|taper| [taper; 2]),
            4 => [-0.5..0.5f64, -0.5..0.5f64],
        ];
        let turn = [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64];
        ([radius.clone(), radius.clone(), radius], [exponent.clone(), exponent], taper, turn).prop_map(
            |(radii, exponents, taper, turn)| {
                let shape = Superovoid::new(radii, exponents, taper).unwrap();
                (shape, DQuat::from_scaled_axis(turn.into()))
            },
        )
    }

    fn pair() -> impl Strategy<Value = [Placed; 2]> {
        let offset = [-2.5..2.5f64, -2.5..2.5f64, -2.5..2.5f64];
        (body(), body(), offset).prop_map(|(a, b, offset)| {
            [(a, DVec3::ZERO), (b, DVec3::from(offset))].map(|((shape, rotation), translation)| Placed {
                shape: shape.into(),
                pose: Pose { rotation, translation },
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// Four lanes and eight against single queries. Bodies that are not convex may have several closest points as far apart as that
        /// search can tell; what is proved of one and the same distance must agree.
        #[test]
        fn every_width_answers_as_single_queries_do(pairs in prop::collection::vec(pair(), 19)) {
            let options = &Options::DEFAULT;
            for width in Width::all() {
                for (answer, query) in distances(width, &pairs, options).into_iter().zip(&pairs) {
                    let (answer, single) = (answer.unwrap(), distance_of(query, options).unwrap());
                    let what = format!("{query:?}:\n{answer:?}\n{single:?}");
                    prop_assert!(answer.status != Status::NotConverged || single.status == Status::NotConverged, "{what}");
                    let (bounds, of_single) = (answer.bounds.unwrap(), single.bounds.unwrap());
                    prop_assert!(bounds.lower <= of_single.upper && of_single.lower <= bounds.upper, "{what}");
                    prop_assert!(bounds.lower <= answer.distance && answer.distance <= bounds.upper, "{what}");
                    if single.status == Status::Separated {
                        prop_assert!(answer.distance < single.distance + 4e-9, "{what}");
                        let apart = (answer.point_b - answer.point_a).length();
                        prop_assert!((apart - answer.distance).abs() < 4e-9, "{what}");
                    }
                }
            }
        }
    }
}
