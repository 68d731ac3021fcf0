//! Distance along an edge, with compliance and a limit of strain.
//!
//! `C = |x1 - x0| - rest`. Where the softened projection would leave the edge longer than its limit (Provot 1995, as told
//! in paper 000 section 2.2.1) it is shortened to that instead.

use glam::DVec3;

use super::coloured::Constraint;

/// An edge that resists stretching.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub particles: [u32; 2],
    /// Rest length, in metres.
    pub rest: f64,
    /// One over the stiffness, in metres a newton.
    pub compliance: f64,
    /// Longest length as a part of the rest length, infinite for none.
    pub limit: f32,
}

impl Constraint<2> for Stretch {
    fn particles(&self) -> [u32; 2] {
        self.particles
    }
}

impl Stretch {
    #[inline(always)]
    pub fn project(&self, [a, b]: &mut [DVec3; 2], [wa, wb]: [f64; 2], inverse_h_sq: f64) {
        let along = *b - *a;
        let length = along.length();
        let weight = wa + wb;
        if !(length > 0.0 && weight > 0.0) {
            return;
        }
        let longest = self.rest * f64::from(self.limit);
        let mut correction = (length - self.rest) / (weight + self.compliance * inverse_h_sq);
        if length - weight * correction > longest {
            correction = (length - longest) / weight;
        }
        let shift = along * (correction / length);
        *a += shift * wa;
        *b -= shift * wb;
    }
}
