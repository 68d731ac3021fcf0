//! Rows: what a constraint between two bodies is made of, with everything worked out that its repeated solution needs.

use glam::{DMat3, DVec3};

use super::body::State;

/// How a body moves while a step is being made: all that impulses need, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Velocity {
    pub linear: DVec3,
    pub angular: DVec3,
    /// Zero for what is not to be pushed: fixed, kinematic and sleeping bodies.
    pub inverse_mass: f64,
}

/// The velocities of all bodies, and of the world itself as the last one.
#[derive(Clone, Debug, Default)]
pub(super) struct Velocities {
    pub list: Vec<Velocity>,
    /// The part of the way of the running substep that each body is let go.
    pub fractions: Vec<f64>,
    /// Inverse inertias in the world; zero for what is not to be pushed.
    pub inverse_inertias: Vec<DMat3>,
}

impl Velocities {
    /// Takes over the bodies' velocities.
    pub fn load(&mut self, bodies: &[State]) {
        let still = Velocity { linear: DVec3::ZERO, angular: DVec3::ZERO, inverse_mass: 0.0 };
        self.list.clear();
        self.inverse_inertias.clear();
        for body in bodies {
            let free = body.is_dynamic() && !body.asleep;
            let inverse_mass = if free { body.inverse_mass } else { 0.0 };
            self.list.push(Velocity { linear: body.velocity, angular: body.turning, inverse_mass });
            self.inverse_inertias.push(if free { body.inverse_inertia } else { DMat3::ZERO });
        }
        self.list.push(still);
        self.inverse_inertias.push(DMat3::ZERO);
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

    /// Turns two bodies by an angular impulse, b by it and a by its opposite.
    #[inline]
    pub fn twist(&mut self, a: u32, b: u32, impulse: DVec3) {
        self.list[a as usize].angular -= self.inverse_inertias[a as usize] * impulse;
        self.list[b as usize].angular += self.inverse_inertias[b as usize] * impulse;
    }
}

/// One direction in which bodies a and b push each other at a point, or about which they turn each other. What tells whether
/// they have to comes first.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Row {
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

impl Row {
    /// Along a direction, at points given from the centres of mass along the world's axes.
    pub fn along(velocities: &Velocities, [a, b]: [u32; 2], [ra, rb]: [DVec3; 2], direction: DVec3) -> Row {
        Row::new(velocities, [a, b], direction, [ra.cross(direction), rb.cross(direction)])
    }

    /// About an axis.
    pub fn about(velocities: &Velocities, [a, b]: [u32; 2], axis: DVec3) -> Row {
        Row::new(velocities, [a, b], DVec3::ZERO, [axis, axis])
    }

    fn new(velocities: &Velocities, [a, b]: [u32; 2], direction: DVec3, [arm_a, arm_b]: [DVec3; 2]) -> Row {
        let turn_a = velocities.inverse_inertias[a as usize] * arm_a;
        let turn_b = velocities.inverse_inertias[b as usize] * arm_b;
        let masses = velocities.list[a as usize].inverse_mass + velocities.list[b as usize].inverse_mass;
        let sum = masses * direction.length_squared() + arm_a.dot(turn_a) + arm_b.dot(turn_b);
        let mass = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        Row { direction, arm_a, arm_b, turn_a, turn_b, mass, impulse: 0.0 }
    }

    /// The same row with an impulse to start from.
    pub fn with_impulse(self, impulse: f64) -> Row {
        Row { impulse, ..self }
    }

    /// How fast each body moves along the row; b minus a is how fast they part.
    #[inline]
    pub fn speeds(&self, a: &Velocity, b: &Velocity) -> [f64; 2] {
        [
            self.direction.dot(a.linear) + self.arm_a.dot(a.angular),
            self.direction.dot(b.linear) + self.arm_b.dot(b.angular),
        ]
    }

    /// How fast b parts from a.
    #[inline]
    pub fn speed(&self, a: &Velocity, b: &Velocity) -> f64 {
        self.direction.dot(b.linear - a.linear) + self.arm_b.dot(b.angular) - self.arm_a.dot(a.angular)
    }

    /// Applies an impulse to b and its opposite to a.
    #[inline]
    pub fn push(&self, a: &mut Velocity, b: &mut Velocity, impulse: f64) {
        a.linear -= self.direction * (impulse * a.inverse_mass);
        a.angular -= self.turn_a * impulse;
        b.linear += self.direction * (impulse * b.inverse_mass);
        b.angular += self.turn_b * impulse;
    }

    /// Changes the impulse by what makes the speed `-bias`, softened, as far as the impulse stays within its limits.
    /// Returns the change.
    #[inline]
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
pub(super) struct Softness {
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
