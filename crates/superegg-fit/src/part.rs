//! A fitted shape in its place.

use superegg::Pose;
use superegg::shape::Superovoid;

/// A convex shape in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The shape; its two tapers are equal.
    pub shape: Superovoid,
    /// Where it is.
    pub pose: Pose,
}
