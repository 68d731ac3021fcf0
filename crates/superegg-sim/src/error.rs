//! Why a world was refused or a step could not be made.

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
    /// A cloth's mesh is not a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A contact query was refused.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A shape, mesh or search among bodies was refused.
    #[error(transparent)]
    Bodies(#[from] superegg_world::WorldError),
    /// A rigid body left the range of numbers.
    #[error("rigid body {body} is at {position}, which is no place")]
    Lost {
        /// The first body that did.
        body: usize,
        /// Where its centre of mass is.
        position: glam::DVec3,
    },
    /// A particle, body, obstacle, cloth or vertex that does not exist.
    #[error("{what} {index} does not exist, there are {count}")]
    NoSuch {
        /// What was asked for.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A particle that is a vertex of an obstacle, which nothing moves but the obstacle's pose.
    #[error("particle {particle} is a vertex of an obstacle, which only its pose moves")]
    OfObstacle {
        /// The particle.
        particle: usize,
    },
    /// The state left the range of numbers.
    #[error("particle {particle} is at {position}, which is no place")]
    NotFinite {
        /// The first particle that did.
        particle: usize,
        /// Where it is.
        position: glam::DVec3,
    },
}

/// Refuses what is negative or not finite.
pub(crate) fn require_not_negative(field: &'static str, value: f64) -> Result<(), InvalidInput> {
    InvalidInput::unless(value >= 0.0 && value.is_finite(), field, value, "[0, ∞[")
}

/// Refuses an index that names nothing.
pub(crate) fn require_index(what: &'static str, index: usize, count: usize) -> Result<(), SimError> {
    if index < count { Ok(()) } else { Err(SimError::NoSuch { what, index, count }) }
}
