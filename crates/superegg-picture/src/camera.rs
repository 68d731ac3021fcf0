//! Where a picture is taken from.

use glam::DVec3;

/// A camera; z is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its place.
    pub eye: DVec3,
    /// What it looks at.
    pub target: DVec3,
    /// Height of the picture as an angle, in degrees.
    pub field_of_view: f64,
}
