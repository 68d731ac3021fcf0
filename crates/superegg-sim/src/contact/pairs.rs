//! Surfaces against themselves and each other.

use crate::Particles;
use crate::world::Part;

/// Features that are near each other, remembered from substep to substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelfContacts {}

impl SelfContacts {
    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = SelfContacts::default();
    }

    /// Holds near features apart; how many were.
    pub fn project(&mut self, _parts: &[Part], _particles: &mut Particles) -> usize {
        0
    }
}
