//! Why a world was refused or a step could not be made.

use glam::DVec3;
use superegg::InvalidInput;
use superegg::query::QueryError;
use superegg_mesh::MeshError;
use thiserror::Error;

/// Why a world was refused or a step could not be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SimError {
    /// An argument is outside its domain.
    #[error(transparent)]
    InvalidInput(#[from] InvalidInput),
    /// A handle of something that was removed.
    #[error("{what} {index} was removed")]
    Stale {
        /// What it named.
        what: &'static str,
        /// Its slot.
        index: usize,
    },
    /// A handle of another world.
    #[error("this {what} belongs to another world")]
    Foreign {
        /// What it names.
        what: &'static str,
    },
    /// A cloth's mesh is not a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A contact query was refused.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A shape, mesh or search among bodies was refused.
    #[error(transparent)]
    Bodies(#[from] superegg_world::WorldError),
    /// The state left the range of numbers. The world is of no use any more, but for a snapshot of it that is restored.
    #[error("{what} {index} is at {position}, which is no place: remove it, or take smaller steps")]
    Lost {
        /// `"body"` or `"particle"`.
        what: &'static str,
        /// The slot of the body, or the particle's number.
        index: usize,
        /// Where it is.
        position: DVec3,
    },
    /// A vertex or axis that does not exist.
    #[error("{what} {index} does not exist, there are {count}")]
    NoSuch {
        /// What was asked for.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
}

/// Refuses what is negative or not finite.
pub(crate) fn require_not_negative(field: &'static str, value: f64) -> Result<(), InvalidInput> {
    InvalidInput::unless(value >= 0.0 && value.is_finite(), field, value, "[0, ∞[")
}

/// Refuses vectors that are not finite.
pub(crate) fn require_finite(field: &'static str, vector: DVec3) -> Result<(), InvalidInput> {
    InvalidInput::unless(vector.is_finite(), field, vector.length(), "the finite vectors")
}

/// Refuses an index that names nothing.
pub(crate) fn require_index(what: &'static str, index: usize, count: usize) -> Result<(), SimError> {
    if index < count { Ok(()) } else { Err(SimError::NoSuch { what, index, count }) }
}
