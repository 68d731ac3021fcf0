//! Particles as a structure of arrays.

use glam::DVec3;

/// Mass points. All arrays have one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// Where they are, in metres.
    pub position: Vec<DVec3>,
    /// Where they were when the running substep began.
    pub previous: Vec<DVec3>,
    /// The part of the way since then that gives no velocity: out of where they should not have been.
    pub recovered: Vec<DVec3>,
    /// In metres a second.
    pub velocity: Vec<DVec3>,
    /// One over the mass in kilograms; zero for particles that nothing moves but their pin.
    pub inverse_mass: Vec<f64>,
}

impl Particles {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Removes some particles; those behind them move up.
    pub(crate) fn remove(&mut self, range: std::ops::Range<usize>) {
        self.position.drain(range.clone());
        self.previous.drain(range.clone());
        self.recovered.drain(range.clone());
        self.velocity.drain(range.clone());
        self.inverse_mass.drain(range);
    }

    /// Adds a particle at rest and returns its index.
    pub fn push(&mut self, position: DVec3, inverse_mass: f64) -> usize {
        self.position.push(position);
        self.previous.push(position);
        self.recovered.push(DVec3::ZERO);
        self.velocity.push(DVec3::ZERO);
        self.inverse_mass.push(inverse_mass);
        self.len() - 1
    }
}
