//! Why nothing was fitted.

use thiserror::Error;

/// An input that no shape can be fitted to, with what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// Fewer points than a shape has unknowns.
    #[error("{found} points (different, and of positive weight) are too few: at least {needed} are needed")]
    TooFewPoints {
        /// Points that can be used.
        found: usize,
        /// Points that are needed.
        needed: usize,
    },
    /// A coordinate is not finite or too large.
    #[error("point {index}: coordinate {value:e} is not a finite number of magnitude at most 1e30")]
    Coordinate {
        /// Which point.
        index: usize,
        /// The coordinate.
        value: f64,
    },
    /// A weight is negative or not finite, or there is another number of weights than of points.
    #[error("weights: {0}")]
    Weights(String),
    /// All points lie in one place, on a line or in a plane: they bound no solid.
    #[error("the points lie {0}: no solid can be fitted to them")]
    Flat(&'static str),
    /// A mesh without triangles, or whose triangles have no area.
    #[error("the mesh has no triangles with an area; give its vertices as points")]
    NoSurface,
    /// A mesh that does not enclose a volume, where one is needed.
    #[error("the mesh is open: {open_edges} edges have one triangle only; {operation} needs a closed one")]
    Open {
        /// Edges of one triangle.
        open_edges: usize,
        /// What was asked for.
        operation: &'static str,
    },
    /// An option is outside its domain.
    #[error(transparent)]
    InvalidInput(#[from] superegg::InvalidInput),
    /// The certificate could not be given: the shape is not proved to hold, or to be held.
    #[error("no {0} shape could be certified for this input")]
    NotCertified(&'static str),
}
