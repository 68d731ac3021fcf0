//! Signed distance, closest points and normal of two placed shapes.
//!
//! | pair | method | certified |
//! |---|---|---|
//! | plane – any | support point of the other shape, closed form (paper 001, section 3.2) | yes |
//! | point, segment, triangle – each other | closest features, closed form | yes |
//! | convex egg – convex egg, point, segment, triangle | [`separate`], [`gjk`], [`overlap`] | yes, apart |
//! | with a non-convex superovoid | common normals from several starts ([`hollow`]) | no |

pub(crate) mod body;
mod candidate;
pub(crate) mod convex;
pub(crate) mod descent;
pub(crate) mod frame;
pub(crate) mod gjk;
pub(crate) mod graph;
mod hollow;
mod hull_body;
mod hulls;
mod nestle;
mod norm;
mod on_surfaces;
mod overlap;
pub(crate) mod placement;
mod plane;
mod refine;
mod search;
pub(crate) mod separate;
mod starts;
mod step;

pub(crate) use hull_body::closest_on_hull;
pub(crate) use refine::refine;

use glam::DVec3;

use super::{Bounds, Options, Outcome, QueryError, Status, WarmStart};
use crate::shape::{Shape, Superellipsoid, Superovoid};
use crate::{InvalidInput, Pose};

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
    pose_a.validate()?;
    pose_b.validate()?;
    options.validate()?;
    Ok(match (Kind::of(a), Kind::of(b)) {
        (Kind::Plane(_), Kind::Plane(_)) => {
            return Err(QueryError::Unsupported { operation: "distance", a: a.name(), b: b.name() });
        }
        (Kind::Plane(plane), _) => plane::distance(b, pose_b, &plane, pose_a, options).swapped(),
        (_, Kind::Plane(plane)) => plane::distance(a, pose_a, &plane, pose_b, options),
        (Kind::Hull(a), Kind::Hull(b)) => hulls::distance(a, pose_a, b, pose_b, options),
        (Kind::Hull(a), Kind::Egg(b)) => convex::egg_and_hull(&b, pose_b, a, pose_a, &options.swapped()).swapped(),
        (Kind::Egg(a), Kind::Hull(b)) => convex::egg_and_hull(&a, pose_a, b, pose_b, options),
        (Kind::Egg(a), Kind::Egg(b)) => convex::eggs(&a, pose_a, &b, pose_b, options),
    })
}

/// Whether two shapes overlap, where that takes less than their distance does; poses are valid.
pub(crate) fn overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<bool> {
    match (Kind::of(a), Kind::of(b)) {
        (Kind::Hull(a), Kind::Egg(b)) => convex::egg_and_hull_overlap(&b, pose_b, a, pose_a),
        (Kind::Egg(a), Kind::Hull(b)) => convex::egg_and_hull_overlap(&a, pose_a, b, pose_b),
        (Kind::Egg(a), Kind::Egg(b)) => convex::eggs_overlap(&a, pose_a, &b, pose_b),
        (Kind::Plane(_) | Kind::Hull(_), _) | (_, Kind::Plane(_)) => None,
    }
}

/// Shapes by how the solver treats them.
pub(crate) enum Kind<'a> {
    Plane(crate::shape::Plane),
    Hull(&'a [DVec3]),
    Egg(EggShape),
}

impl Kind<'_> {
    pub fn of(shape: &Shape) -> Kind<'_> {
        match shape {
            Shape::Point(point) => Kind::Hull(point.points()),
            Shape::Segment(segment) => Kind::Hull(segment.points()),
            Shape::Triangle(triangle) => Kind::Hull(triangle.points()),
            Shape::Plane(plane) => Kind::Plane(*plane),
            Shape::Superellipsoid(shape) => Kind::Egg(shape.into()),
            Shape::Superovoid(shape) => Kind::Egg(shape.into()),
        }
    }
}

/// A superellipsoid or superovoid by its numbers.
#[derive(Clone, Copy)]
pub(crate) struct EggShape {
    pub radii: [f64; 3],
    pub exponents: [f64; 2],
    pub taper: [f64; 2],
    pub convex: bool,
}

impl EggShape {
    pub fn is_tapered(&self) -> bool {
        self.taper != [0.0; 2]
    }

    pub fn largest_radius(&self) -> f64 {
        self.radii.into_iter().fold(0.0, f64::max)
    }
}

impl From<&Superellipsoid> for EggShape {
    fn from(shape: &Superellipsoid) -> EggShape {
        EggShape { radii: shape.radii(), exponents: shape.exponents(), taper: [0.0; 2], convex: true }
    }
}

impl From<&Superovoid> for EggShape {
    fn from(shape: &Superovoid) -> EggShape {
        EggShape { radii: shape.radii(), exponents: shape.exponents(), taper: shape.taper(), convex: shape.is_convex() }
    }
}

/// Radius of the ball around the mean of some points that holds them all.
fn hull_radius(points: &[DVec3]) -> f64 {
    let mean = hull_mean(points);
    points.iter().map(|point| (*point - mean).length()).fold(0.0, f64::max)
}

fn hull_mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}

/// What a method found, in world coordinates; [`Answer::outcome`] completes it.
struct Answer {
    distance: f64,
    point_a: DVec3,
    point_b: DVec3,
    normal: DVec3,
    bounds: Option<Bounds>,
    converged: bool,
    iterations: u32,
}

impl Answer {
    /// What the next query can start from.
    fn warm_start(&self, pose_a: &Pose, pose_b: &Pose) -> WarmStart {
        WarmStart {
            point_a: pose_a.inverse_transform_point(self.point_a),
            normal_a: pose_a.inverse_transform_vector(self.normal),
            point_b: pose_b.inverse_transform_point(self.point_b),
            normal_b: pose_b.inverse_transform_vector(-self.normal),
        }
    }

    /// Adds the status, by a `tolerance` in metres.
    fn outcome(self, warm_start: WarmStart, tolerance: f64) -> Outcome {
        let status = status_of(self.distance, self.converged, tolerance);
        Outcome {
            distance: self.distance,
            point_a: self.point_a,
            point_b: self.point_b,
            normal: self.normal,
            status,
            iterations: self.iterations,
            bounds: self.bounds,
            warm_start,
        }
    }
}

/// The status that belongs to a signed distance, by a tolerance in the same unit.
pub(crate) fn status_of(distance: f64, converged: bool, tolerance: f64) -> Status {
    if !converged {
        Status::NotConverged
    } else if distance.abs() <= tolerance {
        Status::Touching
    } else if distance > 0.0 {
        Status::Separated
    } else {
        Status::Penetrating
    }
}

impl Outcome {
    /// The answer to the same query with a and b exchanged.
    pub(crate) fn swapped(self) -> Outcome {
        Outcome {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            warm_start: self.warm_start.swapped(),
            ..self
        }
    }
}

impl From<[DVec3; 4]> for WarmStart {
    fn from([point_a, normal_a, point_b, normal_b]: [DVec3; 4]) -> WarmStart {
        WarmStart { point_a, normal_a, point_b, normal_b }
    }
}

impl WarmStart {
    fn swapped(self) -> WarmStart {
        WarmStart { point_a: self.point_b, normal_a: self.normal_b, point_b: self.point_a, normal_b: self.normal_a }
    }

    pub(crate) fn is_usable(&self) -> bool {
        let all = [self.point_a, self.normal_a, self.point_b, self.normal_b];
        all.iter().all(|v| v.is_finite())
            && self.normal_a.length_squared() > 0.5
            && self.normal_b.length_squared() > 0.5
    }
}

impl Options {
    fn swapped(&self) -> Options {
        Options { warm_start: self.warm_start.map(WarmStart::swapped), ..*self }
    }

    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        let accepted = self.tolerance > 0.0 && self.tolerance <= 1.0;
        InvalidInput::unless(accepted, "options.tolerance", self.tolerance, "]0, 1]")?;
        let cap = f64::from(self.max_iterations);
        InvalidInput::unless(self.max_iterations > 0, "options.max_iterations", cap, "[1, 4294967295]")
    }
}
