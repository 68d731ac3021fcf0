//! Stands between the queries and the library while the library's solver is being written.

use superegg::Pose;
use superegg::query::QueryError;
use superegg::shape::Shape;

pub fn intersect(_: &Shape, _: &Pose, _: &Shape, _: &Pose) -> Result<bool, QueryError> {
    Err(QueryError::Unsupported { operation: "intersect", a: "shape", b: "shape" })
}
