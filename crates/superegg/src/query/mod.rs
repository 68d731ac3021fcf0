//! Questions asked of one or two placed shapes.
//!
//! One folder an operation, one file a method. Every iterative query takes [`Options`] and returns an outcome that says
//! how it ended; nothing is signalled by a magic number.

pub mod batch;
mod closest_point;
mod distance;
mod gradient;
mod growth;
mod intersect;
mod planar;
mod ray;
mod second_derivatives;

pub use closest_point::{ClosestPoint, closest_point};
pub use distance::{Track, distance, tracked_distance};
pub use gradient::{BodyGradient, Gradient, ShapeGradient, gradient};
pub use growth::{Growth, GrowthGradient, growth_distance};
pub use intersect::{intersect, tracked_intersect};
pub use planar::{PlanarOutcome, superellipse_line, superellipse_point, superellipse_segment};
pub use ray::{Ray, RayHit, ray};
pub use second_derivatives::{POSE_PARAMETERS, SecondDerivatives, second_derivatives};

use thiserror::Error;

use crate::InvalidInput;
pub use crate::outcome::{Bounds, Options, Outcome, Status, WarmStart};

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
