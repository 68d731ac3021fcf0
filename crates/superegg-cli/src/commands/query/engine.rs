//! Stands between the queries and the library while the library's solver is being written.

use superegg::Pose;
use superegg::query::{Options, Outcome, QueryError};
use superegg::shape::Shape;

pub fn distance(_: &Shape, _: &Pose, _: &Shape, _: &Pose, _: &Options) -> Result<Outcome, QueryError> {
    Err(QueryError::Unsupported { operation: "distance", a: "shape", b: "shape" })
}

pub fn intersect(_: &Shape, _: &Pose, _: &Shape, _: &Pose) -> Result<bool, QueryError> {
    Err(QueryError::Unsupported { operation: "intersect", a: "shape", b: "shape" })
}
