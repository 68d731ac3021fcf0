//! Constraint rows: what a constraint between two bodies is made of, with everything worked out that its repeated solution needs.

use std::cell::Cell;

use glam::{DMat3, DVec3};

use crate::body::BodyState;

/// How a body moves while a step is being made: all that impulses need, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Velocity {
    pub linear: DVec3,
    pub angular: DVec3,
    /// Zero for what is not to be pushed: fixed, kinematic and sleeping bodies.
    pub inverse_mass: f64,
}

/// The velocities of all bodies, and of the world itself as the last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Velocities {
    pub list: Vec<Velocity>,
    /// The part of the way of the running substep that each body is let go.
    pub fractions: Vec<f64>,
    pub masses: Masses,
}

/// How hard it is to move bodies, and the world itself as the last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Masses {
    /// Zero for what is not to be pushed; the same as in [`Velocity`].
    pub inverse_masses: Vec<f64>,
    /// In the world; zero for what is not to be pushed.
    pub inverse_inertias: Vec<DMat3>,
}

/// Velocities that several threads change at once, each those of other bodies.
#[derive(Clone, Copy)]
pub(crate) struct SharedVelocities<'a>(&'a [Cell<Velocity>]);

// SAFETY: threads get hold of the cells by `SharedVelocities::new` alone, whose callers promise that no body that can be pushed
// is looked at by two threads at a time; what cannot be pushed is never written.
unsafe impl Send for SharedVelocities<'_> {}
// SAFETY: as above.
unsafe impl Sync for SharedVelocities<'_> {}

impl<'a> SharedVelocities<'a> {
    /// Of a list that nobody else can use meanwhile.
    ///
    /// # Safety
    /// Threads that use it at the same time have no body in common that can be pushed.
    pub unsafe fn new(list: &'a mut [Velocity]) -> SharedVelocities<'a> {
        SharedVelocities(Cell::from_mut(list).as_slice_of_cells())
    }

    /// How two bodies move.
    #[inline]
    pub fn both(self, a: u32, b: u32) -> (Velocity, Velocity) {
        (self.0[a as usize].get(), self.0[b as usize].get())
    }

    /// Takes over how a body moves now, if it can be pushed.
    #[inline]
    pub fn set(self, body: u32, velocity: Velocity) {
        if velocity.inverse_mass > 0.0 {
            self.0[body as usize].set(velocity);
        }
    }
}

impl Velocities {
    /// Takes over the bodies' velocities.
    pub fn load(&mut self, bodies: &[BodyState]) {
        let still = Velocity { linear: DVec3::ZERO, angular: DVec3::ZERO, inverse_mass: 0.0 };
        let Masses { inverse_masses, inverse_inertias } = &mut self.masses;
        self.list.clear();
        inverse_masses.clear();
        inverse_inertias.clear();
        for body in bodies {
            let free = body.is_dynamic() && !body.asleep;
            let inverse_mass = if free { body.inverse_mass } else { 0.0 };
            self.list.push(Velocity { linear: body.velocity, angular: body.turning, inverse_mass });
            inverse_masses.push(inverse_mass);
            inverse_inertias.push(if free { body.inverse_inertia } else { DMat3::ZERO });
        }
        self.list.push(still);
        inverse_masses.push(0.0);
        inverse_inertias.push(DMat3::ZERO);
        self.fractions.clear();
        self.fractions.resize(self.list.len(), 1.0);
    }

    /// Two different bodies at once.
    #[inline]
    pub fn both(list: &mut [Velocity], a: u32, b: u32) -> (&mut Velocity, &mut Velocity) {
        let (a, b) = (a as usize, b as usize);
        if a < b {
            let (low, high) = list.split_at_mut(b);
            (&mut low[a], &mut high[0])
        } else {
            let (low, high) = list.split_at_mut(a);
            (&mut high[0], &mut low[b])
        }
    }
}

/// One direction in which bodies a and b push each other at a point, or about which they turn each other. What tells whether
/// they have to comes first.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct ConstraintRow {
    pub impulse: f64,
    /// The impulse that changes the speed by one; zero if none does.
    pub mass: f64,
    /// From a to b; zero for a row of angles alone.
    pub direction: DVec3,
    /// Torque of a unit impulse on each body, and the angular velocity that it gives.
    arm_a: DVec3,
    arm_b: DVec3,
    turn_a: DVec3,
    turn_b: DVec3,
}

impl ConstraintRow {
    /// A row that does nothing.
    pub const BLANK: ConstraintRow = ConstraintRow {
        impulse: 0.0,
        mass: 0.0,
        direction: DVec3::ZERO,
        arm_a: DVec3::ZERO,
        arm_b: DVec3::ZERO,
        turn_a: DVec3::ZERO,
        turn_b: DVec3::ZERO,
    };

    /// Along a direction, at points given from the centers of mass along the world's axes.
    pub fn along(masses: &Masses, [a, b]: [u32; 2], [ra, rb]: [DVec3; 2], direction: DVec3) -> ConstraintRow {
        ConstraintRow::new(masses, [a, b], direction, [ra.cross(direction), rb.cross(direction)])
    }

    /// About an axis.
    pub fn about(masses: &Masses, [a, b]: [u32; 2], axis: DVec3) -> ConstraintRow {
        ConstraintRow::new(masses, [a, b], DVec3::ZERO, [axis, axis])
    }

    fn new(masses: &Masses, [a, b]: [u32; 2], direction: DVec3, [arm_a, arm_b]: [DVec3; 2]) -> ConstraintRow {
        let turn_a = masses.inverse_inertias[a as usize] * arm_a;
        let turn_b = masses.inverse_inertias[b as usize] * arm_b;
        let inverse = masses.inverse_masses[a as usize] + masses.inverse_masses[b as usize];
        let sum = inverse * direction.length_squared() + arm_a.dot(turn_a) + arm_b.dot(turn_b);
        let mass = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        ConstraintRow { direction, arm_a, arm_b, turn_a, turn_b, mass, impulse: 0.0 }
    }

    /// The same row with an impulse to start from.
    pub fn with_impulse(self, impulse: f64) -> ConstraintRow {
        ConstraintRow { impulse, ..self }
    }

    /// How fast each body moves along the row; b minus a is how fast they part.
    #[inline(always)]
    pub fn speeds(&self, a: &Velocity, b: &Velocity) -> [f64; 2] {
        [
            self.direction.dot(a.linear) + self.arm_a.dot(a.angular),
            self.direction.dot(b.linear) + self.arm_b.dot(b.angular),
        ]
    }

    /// How fast b parts from a.
    #[inline(always)]
    pub fn speed(&self, a: &Velocity, b: &Velocity) -> f64 {
        self.direction.dot(b.linear - a.linear) + self.arm_b.dot(b.angular) - self.arm_a.dot(a.angular)
    }

    /// Applies an impulse to b and its opposite to a.
    #[inline(always)]
    pub fn push(&self, a: &mut Velocity, b: &mut Velocity, impulse: f64) {
        a.linear -= self.direction * (impulse * a.inverse_mass);
        a.angular -= self.turn_a * impulse;
        b.linear += self.direction * (impulse * b.inverse_mass);
        b.angular += self.turn_b * impulse;
    }

    /// Changes the impulse by what makes the speed `-bias`, softened, as far as the impulse stays within its limits.
    /// Returns the change.
    #[inline(always)]
    pub fn solve(
        &mut self,
        a: &mut Velocity,
        b: &mut Velocity,
        bias: f64,
        (mass, ease): (f64, f64),
        [low, high]: [f64; 2],
    ) -> f64 {
        let correction = -self.mass * mass * (self.speed(a, b) + bias) - ease * self.impulse;
        let total = (self.impulse + correction).clamp(low, high);
        let change = total - self.impulse;
        self.impulse = total;
        self.push(a, b, change);
        change
    }
}

/// How soft constraints of a substep are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Softness {
    /// Part of an error that is undone a second.
    pub rate: f64,
    /// Factors of the effective mass and of the impulse so far.
    pub mass: f64,
    pub ease: f64,
}

impl Softness {
    /// A damped spring of a frequency, stepped implicitly.
    pub fn new(frequency: f64, damping: f64, h: f64) -> Softness {
        let angular = 2.0 * std::f64::consts::PI * frequency;
        let a1 = 2.0 * damping + h * angular;
        let a2 = h * angular * a1;
        let a3 = 1.0 / (1.0 + a2);
        Softness { rate: angular / a1, mass: a2 * a3, ease: a3 }
    }
}
