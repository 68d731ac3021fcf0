//! Pins: particles held by a hand, which may be moved and let go.

use glam::DVec3;

/// Speed at which a hand that was held up goes on, in metres a second, if it does not move faster itself.
const CATCH_UP: f64 = 1.0;

/// A held particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pin {
    /// Its slot.
    pub slot: u32,
    pub particle: u32,
    /// Where it is at the end of the next step; it goes there in a straight line.
    pub target: DVec3,
    /// Where that was a step ago.
    pub from: DVec3,
    /// What it gets back when it is let go.
    pub inverse_mass: f64,
}

impl Pin {
    /// Whether it is on its way, from a place.
    pub fn moves(&self, place: DVec3) -> bool {
        self.from != self.target || place != self.target
    }

    /// Where it goes from a place in the first of `left` substeps of `all`, of length `h`. A hand that was held up does not
    /// jump to where it ought to be.
    pub fn next(&self, place: DVec3, left: f64, all: f64, h: f64) -> DVec3 {
        let farthest = (2.0 * self.from.distance(self.target) / all).max(CATCH_UP * h);
        place + ((self.target - place) / left).clamp_length_max(farthest)
    }
}
