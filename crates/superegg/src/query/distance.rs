//! Signed distance, closest points and normal of two placed shapes.
//!
//! | pair | method | certified |
//! |---|---|---|
//! | plane – any | support point of the other shape, closed form (paper 001, section 3.2) | yes |
//! | point, segment, triangle – each other | closest features, closed form | yes |
//! | convex superquadric – convex superquadric, point, segment, triangle | Newton's method and GJK apart (`solver::separation`), an expanding polytope in penetration (`solver::penetration`) | yes |
//! | box, cylinder, cone, frustum – convex shapes, rounded or not | Newton's method on nearest points (`solver::body::solid`), GJK and the polytope; less the radii | yes |
//! | hull of points, a shape of your own – convex shapes, rounded or not | the same on support points (`solver::body::supported`) | yes |
//! | hull, box, point, segment, triangle – hull, box | GJK, which ends at the closest features (`solver::separation::polytopes`), and the polytope | yes |
//! | sphere, capsule – any | as point and segment, less the radius | yes |
//! | with a non-convex superovoid | as convex, proved on the hulls; in hollows by damped Newton steps (`solver::nonconvex`) | by the hulls |

use super::{Options, Outcome, QueryError, WarmStart};
use crate::Pose;
use crate::shape::Shape;
use crate::solver::dispatch::Tried;
use crate::solver::params::Kind;
use crate::solver::penetration::memory::Memory;
use crate::solver::{closed_form, dispatch, primitive};

/// Signed distance, closest points and normal of two placed shapes.
///
/// ```
/// use superegg::query::{Options, Status, distance};
/// use superegg::shape::{Plane, Superellipsoid};
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0, 1.0, 1.0], [1.0, 1.0])?.into();
/// let egg = Superellipsoid::new([1.0, 1.0, 1.3], [1.0, 0.8])?.into();
/// let there = Pose::from_translation(DVec3::new(0.0, 0.0, 3.0));
/// let answer = distance(&ball, &Pose::IDENTITY, &egg, &there, &Options::default())?;
/// assert_eq!(answer.status, Status::Separated);
/// assert!((answer.distance - 0.7).abs() < 1e-9);
/// let bounds = answer.bounds.expect("the pair is convex");
/// assert!(bounds.lower <= 0.7 && 0.7 <= bounds.upper);
///
/// let floor = Plane::new(DVec3::Z, -0.5)?.into();
/// let sunk = distance(&ball, &Pose::IDENTITY, &floor, &Pose::IDENTITY, &Options::default())?;
/// assert_eq!(sunk.status, Status::Penetrating);
/// assert!((sunk.distance + 0.5).abs() < 1e-9);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, options: &Options) -> Result<Outcome, QueryError> {
    solve(a, pose_a, b, pose_b, options, None)
}

/// What is kept of a pair from one query to the next: see [`tracked_distance`].
#[derive(Clone, Debug, Default)]
pub struct Track {
    warm_start: Option<WarmStart>,
    memory: Box<Memory>,
}

/// [`distance`] for a pair that is asked about again and again: `track` keeps from one query to the next where the search starts, as
/// [`Options::warm_start`] does (which is not looked at), and of overlapping superellipsoids and convex superovoids points that prove their depth
/// again after the bodies have moved a little, so that most of them need little of a search.
///
/// The answer is as exact and as certain as that of [`distance`], whatever has happened since the last query: a track of other shapes is
/// started anew, and nothing is proved by where it was.
///
/// ```
/// use superegg::query::{Options, Status, Track, tracked_distance};
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let die = Superellipsoid::new([1.0, 1.0, 1.0], [0.3, 0.3])?.into();
/// let mut track = Track::default();
/// for step in 0..100 {
///     let there = Pose::from_translation(DVec3::new(1.5 + 0.01 * f64::from(step), 0.3, 0.2));
///     let answer = tracked_distance(&die, &Pose::IDENTITY, &die, &there, &Options::DEFAULT, &mut track)?;
///     let bounds = answer.bounds.expect("both are convex");
///     assert!(bounds.lower <= answer.distance && answer.distance <= bounds.upper);
///     assert_eq!(answer.status == Status::Penetrating, step < 50);
/// }
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn tracked_distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &Options,
    track: &mut Track,
) -> Result<Outcome, QueryError> {
    let options = Options { warm_start: track.warm_start.take(), ..*options };
    let outcome = solve(a, pose_a, b, pose_b, &options, Some(&mut *track.memory))?;
    track.warm_start = Some(outcome.warm_start);
    Ok(outcome)
}

fn solve(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &Options,
    memory: Option<&mut Memory>,
) -> Result<Outcome, QueryError> {
    let (pose_a, pose_b) = (&pose_a.normalized()?, &pose_b.normalized()?);
    options.validate()?;
    Ok(match (Kind::of(a), Kind::of(b)) {
        (Kind::Plane(_), Kind::Plane(_)) => {
            return Err(unsupported(a, b));
        }
        (Kind::Plane(plane), _) => closed_form::plane::distance(b, pose_b, &plane, pose_a, options).swapped(),
        (_, Kind::Plane(plane)) => closed_form::plane::distance(a, pose_a, &plane, pose_b, options),
        (kind_a @ (Kind::Primitive(_) | Kind::Supported(..)), kind_b)
        | (kind_a, kind_b @ (Kind::Primitive(_) | Kind::Supported(..))) => {
            primitive::distance(&kind_a, pose_a, &kind_b, pose_b, options).ok_or_else(|| unsupported(a, b))?
        }
        (Kind::Simplex(a), Kind::Simplex(b)) => closed_form::simplices::distance(a, pose_a, b, pose_b, options),
        (Kind::Simplex(a), Kind::Superquadric(b)) => {
            dispatch::superquadric_and_simplex(&b, pose_b, a, pose_a, &options.swapped()).swapped()
        }
        (Kind::Superquadric(a), Kind::Simplex(b)) => dispatch::superquadric_and_simplex(&a, pose_a, b, pose_b, options),
        (Kind::Superquadric(a), Kind::Superquadric(b)) => {
            let memory = memory.map(|memory| memory.of([&a, &b]));
            dispatch::superquadrics(&a, pose_a, &b, pose_b, options, memory)
        }
    })
}

fn unsupported(a: &Shape, b: &Shape) -> QueryError {
    let name = |shape: &Shape| if shape.is_convex() { shape.name() } else { "superovoid that is not convex" };
    QueryError::Unsupported { operation: "distance", a: name(a), b: name(b) }
}

/// Whether two shapes overlap, where that takes less than their distance does; poses are valid.
pub(crate) fn overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, tried: &mut Tried) -> Option<bool> {
    match (Kind::of(a), Kind::of(b)) {
        (Kind::Simplex(a), Kind::Superquadric(b)) => dispatch::superquadric_and_simplex_overlap(&b, pose_b, a, pose_a),
        (Kind::Superquadric(a), Kind::Simplex(b)) => dispatch::superquadric_and_simplex_overlap(&a, pose_a, b, pose_b),
        (Kind::Superquadric(a), Kind::Superquadric(b)) => {
            dispatch::superquadrics_overlap(&a, pose_a, &b, pose_b, tried)
        }
        (kind_a @ (Kind::Primitive(_) | Kind::Supported(..)), kind_b)
        | (kind_a, kind_b @ (Kind::Primitive(_) | Kind::Supported(..))) => {
            primitive::overlap(&kind_a, pose_a, &kind_b, pose_b)
        }
        (Kind::Plane(_) | Kind::Simplex(_), _) | (_, Kind::Plane(_)) => None,
    }
}
