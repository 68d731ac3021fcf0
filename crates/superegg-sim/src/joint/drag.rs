//! Dragging: a point of a body is pulled towards a moving target by a damped spring of limited strength.

use glam::DVec3;

use super::constraint_row::{ConstraintRow, Velocities};
use crate::body::BodyState;

/// How fast the spring is, in swings a second; it is critically damped.
const FREQUENCY: f64 = 5.0;

/// A hold on a body.
#[derive(Clone, Debug)]
pub(crate) struct DragState {
    pub body: u32,
    /// From the center of mass along the body's axes.
    local: DVec3,
    pub target: DVec3,
    /// In newtons.
    pub strength: f64,
    /// Of the last substep.
    impulse: DVec3,
}

/// A hold while a substep is made.
pub(crate) struct DragRows {
    pub drag: usize,
    ends: [u32; 2],
    off: DVec3,
    most: f64,
    stiffness: f64,
    damping: f64,
    rows: [ConstraintRow; 3],
}

impl DragState {
    pub fn new(body: u32, state: &BodyState, point: DVec3, strength: f64) -> DragState {
        DragState { body, local: state.local(point), target: point, strength, impulse: DVec3::ZERO }
    }

    /// Ready to be solved.
    pub fn rows(&self, drag: usize, bodies: &[BodyState], velocities: &Velocities) -> DragRows {
        let body = &bodies[self.body as usize];
        let ends = [bodies.len() as u32, self.body];
        let arm = body.axes * self.local;
        let mass = 1.0 / body.inverse_mass;
        let angular = 2.0 * std::f64::consts::PI * FREQUENCY;
        let row = |axis: DVec3| {
            ConstraintRow::along(&velocities.masses, ends, [DVec3::ZERO, arm], axis)
                .with_impulse(self.impulse.dot(axis))
        };
        DragRows {
            drag,
            ends,
            off: body.center + arm - self.target,
            most: self.strength,
            stiffness: mass * angular * angular,
            damping: 2.0 * mass * angular,
            rows: DVec3::AXES.map(row),
        }
    }

    /// Remembers the impulse of a substep.
    pub fn remember(&mut self, rows: &DragRows) {
        self.impulse = DVec3::from_array([0, 1, 2].map(|i| rows.rows[i].impulse));
    }
}

impl DragRows {
    /// Applies the impulse of the last substep again.
    pub fn warm_start(&self, velocities: &mut Velocities) {
        let (a, b) = Velocities::both(&mut velocities.list, self.ends[0], self.ends[1]);
        for row in &self.rows {
            row.push(a, b, row.impulse);
        }
    }

    /// Corrects the impulse once.
    pub fn solve(&mut self, velocities: &mut Velocities, h: f64) {
        let (a, b) = Velocities::both(&mut velocities.list, self.ends[0], self.ends[1]);
        let stiff = self.damping + h * self.stiffness;
        let give = 1.0 / (h * stiff);
        let most = self.most * h;
        for (i, row) in self.rows.iter_mut().enumerate() {
            let mass = 1.0 / (1.0 + row.mass * give);
            let bias = self.off[i] * self.stiffness / stiff;
            row.solve(a, b, bias, (mass, row.mass * mass * give), [-most, most]);
        }
    }
}
