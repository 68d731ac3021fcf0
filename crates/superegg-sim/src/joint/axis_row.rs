//! One axis of a joint while a step is being made: where it stands, what holds it, and what its servo, spring and damping do.

use glam::DVec3;

use super::constraint_row::{ConstraintRow, Velocities};
use super::equality::Equality;
use super::kinds::{Axis, Servo};

/// Fastest speed at which a joint that is off is brought back, in metres or radians a second.
pub(super) const FASTEST: f64 = 10.0;

/// One axis of a joint, as it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisRow {
    pub value: f64,
    /// Along a direction at two levers, or about an axis.
    pub linear: bool,
    pub direction: DVec3,
    levers: [DVec3; 2],
    pub axis: Axis,
}

impl AxisRow {
    pub fn about(value: f64, direction: DVec3, axis: Axis) -> AxisRow {
        AxisRow { value, linear: false, direction, levers: [DVec3::ZERO; 2], axis }
    }

    pub fn along(value: f64, direction: DVec3, levers: [DVec3; 2], axis: Axis) -> AxisRow {
        AxisRow { value, linear: true, direction, levers, axis }
    }

    /// What a unit of impulse does to an end: along its velocity and about its center of mass.
    pub fn jacobian(&self, end: usize) -> (DVec3, DVec3) {
        let sign = [-1.0, 1.0][end];
        if self.linear {
            (self.direction * sign, self.levers[end].cross(self.direction) * sign)
        } else {
            (DVec3::ZERO, self.direction * sign)
        }
    }

    pub fn row(&self, velocities: &Velocities, ends: [u32; 2]) -> ConstraintRow {
        if self.linear {
            ConstraintRow::along(&velocities.masses, ends, self.levers, self.direction)
        } else {
            ConstraintRow::about(&velocities.masses, ends, self.direction)
        }
    }

    /// As what a joint holds.
    pub fn equality(&self) -> Equality {
        if self.linear {
            Equality::along(self.direction, self.levers, 0.0)
        } else {
            Equality::about(self.direction, 0.0)
        }
    }
}

/// Servo, spring and damping of an axis as one implicit row, without what is saturated.
pub(crate) fn drive(row: &AxisRow, h: f64, with_servo: bool) -> Option<(f64, f64)> {
    let Axis { servo, spring, damping, .. } = row.axis;
    if let (Servo::Velocity { target, .. }, true) = (servo, with_servo) {
        return Some((-target, 0.0));
    }
    let (mut stiff, mut damped, mut pull) = (0.0, damping, 0.0);
    if let Some(spring) = spring {
        stiff += spring.stiffness;
        damped += spring.damping;
        pull += spring.stiffness * (row.value - spring.rest);
    }
    if let (Servo::Position { target, velocity, stiffness, damping, .. }, true) = (servo, with_servo) {
        stiff += stiffness;
        damped += damping;
        pull += stiffness * (row.value - target) - damping * velocity;
    }
    let whole = h * stiff + damped;
    (whole > 0.0).then(|| (pull / whole, 1.0 / (h * whole)))
}

/// What spring and damping of an axis do that moves at a speed at the end of a substep.
fn passive_effort(row: &AxisRow, speed: f64, h: f64) -> f64 {
    let sprung = row.axis.spring.map_or(0.0, |s| s.stiffness * (row.value - s.rest + h * speed) + s.damping * speed);
    -sprung - row.axis.damping * speed
}

/// What the servo of an axis does that moves at a speed at the end of a substep in which the whole row has pushed by an impulse.
pub(crate) fn servo_effort(row: &AxisRow, speed: f64, impulse: f64, h: f64) -> f64 {
    match row.axis.servo {
        Servo::Off => 0.0,
        Servo::Effort(effort) => effort,
        Servo::Velocity { .. } => impulse / h - passive_effort(row, speed, h),
        Servo::Position { target, velocity, stiffness, damping, .. } => {
            stiffness * (target - row.value - h * speed) + damping * (velocity - speed)
        }
    }
}

/// What servo, spring and damping of an axis do while a stop keeps it at a speed, of its whole strength if it was not spent before; and
/// the servo's part of it.
pub(crate) fn effort_at_stop(row: &AxisRow, speed: f64, with_servo: bool, h: f64) -> [f64; 2] {
    let servo = match row.axis.servo {
        _ if !with_servo => 0.0,
        Servo::Velocity { target, effort, .. } if target != speed => effort.copysign(target - speed),
        Servo::Position { effort, .. } => servo_effort(row, speed, 0.0, h).clamp(-effort, effort),
        // Constant efforts were applied before.
        Servo::Velocity { .. } | Servo::Effort(_) | Servo::Off => 0.0,
    };
    [servo + passive_effort(row, speed, h), servo]
}
