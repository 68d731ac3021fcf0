//! Dragging: a point of a body is pulled towards a moving target by a damped spring of limited strength.

use glam::DVec3;

use super::body::State;
use super::row::{Row, Velocities};

/// Names a hold on a body of a [`RigidWorld`](super::RigidWorld).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GripId(pub usize);

/// How fast the spring is, in swings a second; it is critically damped.
const FREQUENCY: f64 = 5.0;

/// A hold on a body.
#[derive(Clone, Debug)]
pub(super) struct Grip {
    pub body: u32,
    /// From the centre of mass along the body's axes.
    local: DVec3,
    pub target: DVec3,
    /// In newtons.
    strength: f64,
    /// Of the last substep.
    impulse: DVec3,
}

/// A hold while a substep is made.
pub(super) struct Pull {
    pub grip: usize,
    ends: [u32; 2],
    off: DVec3,
    most: f64,
    stiffness: f64,
    damping: f64,
    rows: [Row; 3],
}

impl Grip {
    pub fn new(body: u32, state: &State, point: DVec3, strength: f64) -> Grip {
        Grip { body, local: state.local(point), target: point, strength, impulse: DVec3::ZERO }
    }

    /// Ready to be solved.
    pub fn pull(&self, grip: usize, bodies: &[State], velocities: &Velocities) -> Pull {
        let body = &bodies[self.body as usize];
        let ends = [bodies.len() as u32, self.body];
        let arm = body.axes * self.local;
        let mass = 1.0 / body.inverse_mass;
        let angular = 2.0 * std::f64::consts::PI * FREQUENCY;
        let row =
            |axis: DVec3| Row::along(velocities, ends, [DVec3::ZERO, arm], axis).with_impulse(self.impulse.dot(axis));
        Pull {
            grip,
            ends,
            off: body.centre + arm - self.target,
            most: self.strength,
            stiffness: mass * angular * angular,
            damping: 2.0 * mass * angular,
            rows: DVec3::AXES.map(row),
        }
    }

    /// Remembers the impulse of a substep.
    pub fn remember(&mut self, pull: &Pull) {
        self.impulse = DVec3::from_array([0, 1, 2].map(|i| pull.rows[i].impulse));
    }
}

impl Pull {
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
