//! Questions asked of one or two placed shapes.
//!
//! One folder an operation, one file a method. Every iterative query takes [`Options`] and returns an outcome that says
//! how it ended; nothing is signalled by a magic number.

pub mod batch;
mod closest_point;
mod distance;
mod gradient;
mod intersect;
mod ray;
mod superellipse;

pub use closest_point::{ClosestPoint, closest_point};
pub use distance::distance;
pub use gradient::{BodyGradient, Gradient, ShapeGradient, gradient};
pub use intersect::intersect;
pub use ray::{Ray, RayHit, ray};
pub use superellipse::{PlanarOutcome, superellipse_line, superellipse_point, superellipse_segment};

use glam::DVec3;
use thiserror::Error;

use crate::InvalidInput;

/// How exact an answer has to be and how much work it may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Largest accepted width of the certified interval `[lower, upper]`, as a part of the size of the pair (the sum of
    /// the two bodies' largest radii). Values below 1e-14 ask for more than `f64` holds.
    pub tolerance: f64,
    /// Largest number of surface evaluations before the answer is given as it stands, with status
    /// [`Status::NotConverged`].
    pub max_iterations: u32,
    /// Where to start: the outcome of an earlier, similar query on the same two shapes.
    pub warm_start: Option<WarmStart>,
}

impl Options {
    /// Certified to a billionth of the size.
    pub const DEFAULT: Options = Options { tolerance: 1e-9, max_iterations: 400, warm_start: None };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// What a query remembers for the next one on the same pair: the closest points and their outward normals, each in its
/// body's own frame, so that it stays useful when the bodies move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmStart {
    /// Closest point of a.
    pub point_a: DVec3,
    /// Outward normal of a there.
    pub normal_a: DVec3,
    /// Closest point of b.
    pub point_b: DVec3,
    /// Outward normal of b there.
    pub normal_b: DVec3,
}

/// How a distance query ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The bodies are apart: the distance is positive.
    Separated,
    /// Zero lies within the tolerance of the distance.
    Touching,
    /// The bodies overlap: the distance is minus the penetration depth.
    Penetrating,
    /// The iteration cap was reached; `bounds`, where present, still bracket the truth.
    NotConverged,
}

/// Certified interval that contains the true signed distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The distance is at least this.
    pub lower: f64,
    /// The distance is at most this.
    pub upper: f64,
}

/// The answer of a distance query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Signed distance: positive apart, zero touching, negative penetrating.
    pub distance: f64,
    /// Closest (or deepest) point of a, in world coordinates.
    pub point_a: DVec3,
    /// Closest (or deepest) point of b, in world coordinates.
    pub point_b: DVec3,
    /// Unit normal from a to b, in world coordinates; `point_b - point_a = distance * normal`.
    pub normal: DVec3,
    /// How the query ended.
    pub status: Status,
    /// Surface evaluations spent.
    pub iterations: u32,
    /// Certified bounds where the pair is convex; `None` where no certificate exists.
    pub bounds: Option<Bounds>,
    /// Start for the next query on the same two shapes.
    pub warm_start: WarmStart,
}

/// Why a query was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum QueryError {
    /// An argument is outside its domain.
    #[error(transparent)]
    InvalidInput(#[from] InvalidInput),
    /// The operation does not exist for these two shapes.
    #[error("{operation} is not defined between a {a} and a {b}")]
    Unsupported {
        /// Name of the operation.
        operation: &'static str,
        /// Type of the first shape.
        a: &'static str,
        /// Type of the second shape.
        b: &'static str,
    },
}

impl QueryError {
    /// The same error, told of the operation that met it.
    fn during(self, operation: &'static str) -> QueryError {
        match self {
            QueryError::Unsupported { a, b, .. } => QueryError::Unsupported { operation, a, b },
            QueryError::InvalidInput(_) => self,
        }
    }
}
