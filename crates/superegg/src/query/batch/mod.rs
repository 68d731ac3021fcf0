//! Many queries at once, over slices.
//!
//! On CPUs with AVX2 and FMA, pairs of superquadrics and points against one are answered four at a time in vector lanes, on
//! CPUs with AVX-512 eight at a time; whatever does not settle there in a few rounds, and every other pair, goes through the same code as a
//! single query.
//! Work is cut into chunks of fixed size, so that the answers are the same bits on any number of threads.

#[cfg(target_arch = "x86_64")]
mod intersect_lanes;
#[cfg(target_arch = "x86_64")]
mod pair_lanes;
#[cfg(target_arch = "x86_64")]
mod point_lanes;

use glam::DVec3;
#[cfg(feature = "rayon")]
use rayon::prelude::*;

use super::distance::distance;
use super::second_derivatives::second_derivatives as single_second_derivatives;
use super::{
    ClosestPoint, Gradient, Growth, Options, Outcome, QueryError, SecondDerivatives, WarmStart, closest_point,
    gradient, growth_distance, intersect,
};
use crate::Pose;
pub use crate::Threads;
use crate::shape::Shape;

/// A shape with its pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The shape.
    pub shape: Shape,
    /// Where it is.
    pub pose: Pose,
}

/// A pair with what an earlier query on it found.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackedPair {
    /// The two bodies.
    pub pair: [Placed; 2],
    /// [`Outcome::warm_start`] of the earlier query, if there was one.
    pub warm_start: Option<WarmStart>,
}

/// What the batches of pairs take.
trait PairQuery: Sync {
    fn pair(&self) -> &[Placed; 2];
    fn warm_start(&self) -> Option<&WarmStart>;
}

impl PairQuery for [Placed; 2] {
    fn pair(&self) -> &[Placed; 2] {
        self
    }

    fn warm_start(&self) -> Option<&WarmStart> {
        None
    }
}

impl PairQuery for TrackedPair {
    fn pair(&self) -> &[Placed; 2] {
        &self.pair
    }

    fn warm_start(&self) -> Option<&WarmStart> {
        self.warm_start.as_ref()
    }
}

/// Queries that a thread takes at a time.
const CHUNK: usize = 256;

/// Distances of many pairs: element `i` is the answer for `pairs[i]`. A warm start in the options is not used.
///
/// ```
/// use superegg::query::batch::{Placed, Threads, distances};
/// use superegg::query::Options;
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0; 3], [1.0; 2])?;
/// let at = |x: f64| Placed { shape: ball.into(), pose: Pose::from_translation(DVec3::X * x) };
/// let pairs: Vec<_> = (3..40).map(|x| [at(0.0), at(f64::from(x))]).collect();
/// for (answer, x) in distances(&pairs, &Options::default(), Threads::One).into_iter().zip(3..) {
///     assert!((answer?.distance - (f64::from(x) - 2.0)).abs() < 1e-8);
/// }
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn distances(pairs: &[[Placed; 2]], options: &Options, threads: Threads) -> Vec<Result<Outcome, QueryError>> {
    all_distances(pairs, options, threads)
}

/// Distances of many pairs, each started from where an earlier query on it ended: element `i` is the answer for
/// `pairs[i]`. A warm start in the options is not used.
///
/// ```
/// use superegg::query::batch::{Placed, Threads, TrackedPair, tracked_distances};
/// use superegg::query::Options;
/// use superegg::shape::Superellipsoid;
/// use superegg::{DQuat, DVec3, Pose};
/// let egg = Superellipsoid::new([1.0, 0.8, 1.2], [0.5, 0.7])?;
/// let still = Placed { shape: egg.into(), pose: Pose::IDENTITY };
/// let moving = |x: f64| Placed { shape: egg.into(), pose: Pose { rotation: DQuat::from_rotation_y(0.4), translation: DVec3::new(x, 0.5, 1.0) } };
/// let first = TrackedPair { pair: [still.clone(), moving(2.5)], warm_start: None };
/// let before = tracked_distances(&[first], &Options::default(), Threads::One)[0]?;
/// let next = TrackedPair { pair: [still, moving(2.501)], warm_start: Some(before.warm_start) };
/// let after = tracked_distances(&[next], &Options::default(), Threads::One)[0]?;
/// assert!(after.iterations < before.iterations);
/// assert!(after.distance > before.distance);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn tracked_distances(
    pairs: &[TrackedPair],
    options: &Options,
    threads: Threads,
) -> Vec<Result<Outcome, QueryError>> {
    all_distances(pairs, options, threads)
}

fn all_distances<P: PairQuery>(pairs: &[P], options: &Options, threads: Threads) -> Vec<Result<Outcome, QueryError>> {
    in_chunks(pairs, threads, |chunk| {
        #[cfg(target_arch = "x86_64")]
        if let Some(width) = crate::solver::simd::Width::widest() {
            return pair_lanes::distances(width, chunk, options);
        }
        chunk.iter().map(|query| distance_of(query, options)).collect()
    })
}

/// Whether pairs touch or overlap: element `i` is what [`intersect`] answers for `pairs[i]`.
///
/// ```
/// use superegg::query::batch::{Placed, Threads, intersects};
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let die = Superellipsoid::new([1.0; 3], [0.2; 2])?;
/// let at = |x: f64| Placed { shape: die.into(), pose: Pose::from_translation(DVec3::new(x, 0.3, 0.1)) };
/// let pairs = [1.9, 2.1].map(|x| [at(0.0), at(x)]);
/// let answers = intersects(&pairs, Threads::One);
/// assert!(answers[0]? && !answers[1]?);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn intersects(pairs: &[[Placed; 2]], threads: Threads) -> Vec<Result<bool, QueryError>> {
    in_chunks(pairs, threads, |chunk| {
        #[cfg(target_arch = "x86_64")]
        if let Some(width) = crate::solver::simd::Width::widest() {
            return intersect_lanes::intersects(width, chunk);
        }
        chunk.iter().map(|[a, b]| intersect(&a.shape, &a.pose, &b.shape, &b.pose)).collect()
    })
}

/// Distances of one body to many others: element `i` is the answer for `others[i]`, with `one` as body a.
///
/// ```
/// use superegg::query::batch::{Placed, Threads, distances_to_many};
/// use superegg::query::Options;
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0; 3], [1.0; 2])?;
/// let one = Placed { shape: ball.into(), pose: Pose::IDENTITY };
/// let others = [3.0, 4.0].map(|z| Placed { shape: ball.into(), pose: Pose::from_translation(DVec3::Z * z) });
/// let answers = distances_to_many(&one, &others, &Options::default(), Threads::All);
/// assert!((answers[1]?.distance - 2.0).abs() < 1e-8);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn distances_to_many(
    one: &Placed,
    others: &[Placed],
    options: &Options,
    threads: Threads,
) -> Vec<Result<Outcome, QueryError>> {
    let pairs: Vec<[Placed; 2]> = others.iter().map(|other| [one.clone(), other.clone()]).collect();
    distances(&pairs, options, threads)
}

/// The nearest surface points of one body to many points.
///
/// ```
/// use superegg::query::batch::{Threads, closest_points};
/// use superegg::query::Options;
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0; 3], [1.0; 2])?.into();
/// let points = [DVec3::X * 3.0, DVec3::Y * 0.9];
/// let answers = closest_points(&ball, &Pose::IDENTITY, &points, &Options::default(), Threads::One);
/// assert!((answers[0]?.distance - 2.0).abs() < 1e-8);
/// assert!((answers[1]?.distance + 0.1).abs() < 1e-8);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn closest_points(
    shape: &Shape,
    pose: &Pose,
    points: &[DVec3],
    options: &Options,
    threads: Threads,
) -> Vec<Result<ClosestPoint, QueryError>> {
    let options = Options { warm_start: None, ..*options };
    in_chunks(points, threads, |chunk| {
        #[cfg(target_arch = "x86_64")]
        if let Some(width) = crate::solver::simd::Width::widest()
            && let Some(answers) = point_lanes::closest_points(width, shape, pose, chunk, &options)
        {
            return answers;
        }
        chunk.iter().map(|point| closest_point(shape, pose, *point, &options)).collect()
    })
}

/// Distances of many pairs with their derivatives by poses and shape parameters: element `i` is the answer for `pairs[i]`. A warm
/// start in the options is not used.
///
/// ```
/// use superegg::query::batch::{Placed, Threads, gradients};
/// use superegg::query::Options;
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0; 3], [1.0; 2])?;
/// let at = |x: f64| Placed { shape: ball.into(), pose: Pose::from_translation(DVec3::X * x) };
/// let answers = gradients(&[[at(0.0), at(3.0)], [at(0.0), at(-3.0)]], &Options::default(), Threads::One);
/// assert!((answers[1]?.b.translation + DVec3::X).length() < 1e-9);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn gradients(pairs: &[[Placed; 2]], options: &Options, threads: Threads) -> Vec<Result<Gradient, QueryError>> {
    each(pairs, options, threads, gradient)
}

/// Distances of many pairs with their derivatives by both poses up to the second order: element `i` is the answer for `pairs[i]`. A
/// warm start in the options is not used.
///
/// ```
/// use superegg::query::batch::{Placed, Threads, second_derivatives};
/// use superegg::query::Options;
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0; 3], [1.0; 2])?;
/// let at = |x: f64| Placed { shape: ball.into(), pose: Pose::from_translation(DVec3::X * x) };
/// let answers = second_derivatives(&[[at(0.0), at(3.0)]], &Options::default(), Threads::One);
/// assert!((answers[0]?.hessian[7][7] - 1.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn second_derivatives(
    pairs: &[[Placed; 2]],
    options: &Options,
    threads: Threads,
) -> Vec<Result<SecondDerivatives, QueryError>> {
    each(pairs, options, threads, single_second_derivatives)
}

/// Growth distances of many pairs: element `i` is the answer for `pairs[i]`.
pub fn growth_distances(pairs: &[[Placed; 2]], options: &Options, threads: Threads) -> Vec<Result<Growth, QueryError>> {
    each(pairs, options, threads, growth_distance)
}

/// A single query for each pair.
fn each<U: Send>(
    pairs: &[[Placed; 2]],
    options: &Options,
    threads: Threads,
    query: impl Fn(&Shape, &Pose, &Shape, &Pose, &Options) -> Result<U, QueryError> + Sync + Send,
) -> Vec<Result<U, QueryError>> {
    let options = Options { warm_start: None, ..*options };
    in_chunks(pairs, threads, |chunk| {
        chunk.iter().map(|[a, b]| query(&a.shape, &a.pose, &b.shape, &b.pose, &options)).collect()
    })
}

fn distance_of<P: PairQuery>(query: &P, options: &Options) -> Result<Outcome, QueryError> {
    let [a, b] = query.pair();
    let options = Options { warm_start: query.warm_start().copied(), ..*options };
    distance(&a.shape, &a.pose, &b.shape, &b.pose, &options)
}

fn in_chunks<T: Sync, U: Send>(items: &[T], threads: Threads, answer: impl Fn(&[T]) -> Vec<U> + Sync + Send) -> Vec<U> {
    let mut answers = Vec::with_capacity(items.len());
    match threads {
        #[cfg(feature = "rayon")]
        Threads::All => answers.extend(items.par_chunks(CHUNK).map(answer).collect::<Vec<_>>().into_iter().flatten()),
        _ => items.chunks(CHUNK).for_each(|chunk| answers.extend(answer(chunk))),
    }
    answers
}
