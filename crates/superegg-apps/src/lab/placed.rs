//! A body as queries see it.

use superegg::Pose;
use superegg_world::geometry::Geometry;

/// A form where it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    pub id: u32,
    pub form: Geometry,
    pub pose: Pose,
    /// Not asked for contacts.
    pub hidden: bool,
}
