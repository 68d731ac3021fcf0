//! Pins: particles held by a hand, which may be moved and let go.

use glam::DVec3;

/// A held particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pin {
    pub particle: u32,
    /// Where it is at the end of the next step; it goes there in a straight line.
    pub target: DVec3,
    /// What it gets back when it is let go.
    pub inverse_mass: f64,
}
