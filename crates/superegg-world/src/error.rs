//! The one way this crate refuses.

use superegg::InvalidInput;
use superegg::query::QueryError;
use superegg_mesh::MeshError;
use thiserror::Error;

use crate::broad::TreeError;
use crate::handle::BodyHandle;

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum WorldError {
    /// An argument is outside its domain.
    #[error(transparent)]
    Input(#[from] InvalidInput),
    /// A query refused.
    #[error(transparent)]
    Query(QueryError),
    /// A mesh was refused.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The broad phase refused.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A mesh without triangles.
    #[error("the mesh has no triangles")]
    EmptyMesh,
    /// A compound body without parts.
    #[error("the compound body has no parts")]
    EmptyCompound,
    /// A part of a compound body that cannot be one.
    #[error("part {part}: a {kind} cannot be part of a compound body")]
    Part {
        /// Index of the part.
        part: usize,
        /// Its type.
        kind: &'static str,
    },
    /// There is no such body (any more).
    #[error("the world has no body {0:?}")]
    NoSuchBody(BodyHandle),
    /// The query ended before it could tell.
    #[error(
        "{operation} between a {a} and a {b} was not decided; ask for their distance, whose bounds tell what is known"
    )]
    Undecided {
        /// Name of the operation.
        operation: &'static str,
        /// Type of the first body.
        a: &'static str,
        /// Type of the second body.
        b: &'static str,
    },
    /// The operation does not exist for these two bodies.
    #[error("{operation} is not defined between a {a} and a {b}")]
    Unsupported {
        /// Name of the operation.
        operation: &'static str,
        /// Type of the first body.
        a: &'static str,
        /// Type of the second body.
        b: &'static str,
    },
}

impl From<QueryError> for WorldError {
    fn from(error: QueryError) -> WorldError {
        match error {
            QueryError::InvalidInput(refused) => WorldError::Input(refused),
            QueryError::Unsupported { .. } => WorldError::Query(error),
        }
    }
}

/// Refuses a distance that is not finite or negative.
pub(crate) fn require_length(field: &'static str, value: f64) -> Result<(), InvalidInput> {
    InvalidInput::unless((0.0..=1e60).contains(&value), field, value, "[0, 1e60]")
}
