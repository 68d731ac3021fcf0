//! Contacts as impulses: sequential impulses over small steps with soft contacts ("TGS soft" in Catto, "Solver2D", 2024).
//!
//! In every substep the impulses of the one before are applied again and corrected once with a push that undoes overlap, and
//! once more, after the bodies have moved, without that push, so that it adds no energy. A point that is still apart may
//! close its gap within the substep and no more: nothing passes through.
//!
//! Where bodies turn, points follow the true surface: they are support points of the direction they were found for, and
//! the gap along a fixed normal between support points is never more than the distance. Restitution is Newton's, applied in
//! the substep of the impact.

use glam::{DMat3, DVec3};

use super::body::{Material, State};
use super::manifold::Point;
use super::world::SKIN;

/// Frequency of soft contacts as a part of the substeps' own, and their damping ratio.
const FREQUENCY: f64 = 0.25;
const DAMPING: f64 = 10.0;
/// Overlap is undone with this speed at most, in metres a second.
const PUSH: f64 = 3.0;
/// A point that is slower than this sticks, in metres a second.
const SLIDING: f64 = 0.05;
/// Slower impacts do not bounce, in metres a second.
const BOUNCING: f64 = 0.1;

/// How soft constraints of a substep are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softness {
    pub rate: f64,
    pub mass: f64,
    pub impulse: f64,
}

impl Softness {
    /// A damped spring of a frequency, stepped implicitly.
    pub fn new(frequency: f64, damping: f64, h: f64) -> Softness {
        let angular = 2.0 * std::f64::consts::PI * frequency;
        let a1 = 2.0 * damping + h * angular;
        let a2 = h * angular * a1;
        let a3 = 1.0 / (1.0 + a2);
        Softness { rate: angular / a1, mass: a2 * a3, impulse: a3 }
    }

    /// As stiff as contacts are.
    pub fn of_contacts(h: f64) -> Softness {
        Softness::new(FREQUENCY / h, DAMPING, h)
    }
}

/// A point of contact while a step is being made.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub a: u32,
    pub b: u32,
    /// The pair and its point.
    pub pair: u32,
    pub index: u32,
    point: Point,
    tangents: [DVec3; 2],
    /// Effective masses along the normal and the tangents.
    mass: f64,
    tangent_mass: [f64; 2],
    /// Impulses along the tangents.
    slip: [f64; 2],
    /// Effective inertia against rolling and spinning.
    inertia: DMat3,
    material: Material,
    /// A body that sleeps is not to be woken by something that hardly moves.
    free_a: bool,
    free_b: bool,
    approach: f64,
}

/// Two different bodies at once.
#[inline]
fn both(bodies: &mut [State], a: u32, b: u32) -> (&mut State, &mut State) {
    let (a, b) = (a as usize, b as usize);
    if a < b {
        let (low, high) = bodies.split_at_mut(b);
        (&mut low[a], &mut high[0])
    } else {
        let (low, high) = bodies.split_at_mut(a);
        (&mut high[0], &mut low[b])
    }
}

impl Contact {
    pub fn new(bodies: &[State], [a, b]: [u32; 2], [pair, index]: [u32; 2], point: &Point) -> Contact {
        let (one, other) = (&bodies[a as usize], &bodies[b as usize]);
        let (s, t) = point.normal.any_orthonormal_pair();
        let mut contact = Contact {
            a,
            b,
            pair,
            index,
            point: *point,
            tangents: [s, t],
            mass: 0.0,
            tangent_mass: [0.0; 2],
            slip: [point.friction.dot(s), point.friction.dot(t)],
            inertia: DMat3::ZERO,
            material: one.material.between(&other.material),
            free_a: one.is_dynamic() && !one.asleep,
            free_b: other.is_dynamic() && !other.asleep,
            approach: 0.0,
        };
        contact.prepare(one, other);
        contact
    }

    /// Follows the surfaces of bodies that have turned.
    pub fn follow(&mut self, bodies: &[State]) {
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        if let Some(probe) = self.point.probe_a {
            self.point.local_a = a.local(a.support(probe));
        }
        if let Some(probe) = self.point.probe_b {
            self.point.local_b = b.local(b.support(probe));
        }
        self.prepare(a, b);
    }

    fn prepare(&mut self, a: &State, b: &State) {
        let (ra, rb) = (a.axes * self.point.local_a, b.axes * self.point.local_b);
        let of = |body: &State, free: bool, r: DVec3, direction: DVec3| {
            if !free {
                return 0.0;
            }
            let arm = r.cross(direction);
            body.inverse_mass + arm.dot(body.inverse_inertia * arm)
        };
        let along = |direction: DVec3| {
            let sum = of(a, self.free_a, ra, direction) + of(b, self.free_b, rb, direction);
            if sum > 0.0 { 1.0 / sum } else { 0.0 }
        };
        self.mass = along(self.point.normal);
        self.tangent_mass = [along(self.tangents[0]), along(self.tangents[1])];
        if self.material.rolling > 0.0 || self.material.spinning > 0.0 {
            let pick = |body: &State, free: bool| if free { body.inverse_inertia } else { DMat3::ZERO };
            self.inertia = (pick(a, self.free_a) + pick(b, self.free_b)).inverse();
        }
    }

    #[inline]
    fn apply(&self, a: &mut State, b: &mut State, ra: DVec3, rb: DVec3, impulse: DVec3) {
        if self.free_a {
            a.velocity -= impulse * a.inverse_mass;
            a.turning -= a.inverse_inertia * ra.cross(impulse);
        }
        if self.free_b {
            b.velocity += impulse * b.inverse_mass;
            b.turning += b.inverse_inertia * rb.cross(impulse);
        }
    }

    #[inline]
    fn twist(&self, a: &mut State, b: &mut State, impulse: DVec3) {
        if self.free_a {
            a.turning -= a.inverse_inertia * impulse;
        }
        if self.free_b {
            b.turning += b.inverse_inertia * impulse;
        }
    }

    /// How fast b moves away from a at the point, as a vector.
    #[inline]
    fn parting(a: &State, b: &State, ra: DVec3, rb: DVec3) -> DVec3 {
        b.velocity + b.turning.cross(rb) - a.velocity - a.turning.cross(ra)
    }

    /// Notes how fast the bodies approach each other before a substep's impulses.
    pub fn note_approach(&mut self, bodies: &[State]) {
        if self.material.restitution > 0.0 {
            let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
            let (ra, rb) = (a.axes * self.point.local_a, b.axes * self.point.local_b);
            self.approach = self.point.normal.dot(Contact::parting(a, b, ra, rb));
        }
    }

    /// Applies the impulses of the last substep again.
    pub fn warm_start(&self, bodies: &mut [State]) {
        let [s, t] = self.tangents;
        let impulse = self.point.normal * self.point.impulse + s * self.slip[0] + t * self.slip[1];
        if impulse == DVec3::ZERO && self.point.rolling == DVec3::ZERO {
            return;
        }
        let (a, b) = both(bodies, self.a, self.b);
        let (ra, rb) = (a.axes * self.point.local_a, b.axes * self.point.local_b);
        self.apply(a, b, ra, rb, impulse);
        self.twist(a, b, self.point.rolling);
    }

    /// Corrects the impulses once; `soft` undoes overlap. Returns by how much the bodies had to be slowed down.
    pub fn solve(&mut self, bodies: &mut [State], h: f64, soft: Option<&Softness>) -> f64 {
        let (a, b) = both(bodies, self.a, self.b);
        let (ra, rb) = (a.axes * self.point.local_a, b.axes * self.point.local_b);
        let normal = self.point.normal;
        let gap = normal.dot(b.centre + rb - a.centre - ra) - SKIN;
        let idle = self.point.impulse == 0.0 && self.slip == [0.0; 2] && self.point.rolling == DVec3::ZERO;
        if gap > 0.0 && idle {
            // Most points that are apart stay so.
            let parting = normal.dot(Contact::parting(a, b, ra, rb));
            if parting + gap / h >= 0.0 {
                return 0.0;
            }
        }
        let parting = normal.dot(Contact::parting(a, b, ra, rb));
        let (bias, mass, ease) = match soft {
            _ if gap > 0.0 => (gap / h, 1.0, 0.0),
            Some(soft) => ((soft.rate * gap).max(-PUSH), soft.mass, soft.impulse),
            None => (0.0, 1.0, 0.0),
        };
        let correction = -self.mass * mass * (parting + bias) - ease * self.point.impulse;
        let total = (self.point.impulse + correction).max(0.0);
        let correction = total - self.point.impulse;
        self.point.impulse = total;
        self.apply(a, b, ra, rb, normal * correction);
        self.solve_friction(a, b, ra, rb, total);
        if self.mass > 0.0 { correction / self.mass } else { 0.0 }
    }

    /// Friction, rolling and spinning, up to what the normal impulse allows.
    #[inline]
    fn solve_friction(&mut self, a: &mut State, b: &mut State, ra: DVec3, rb: DVec3, limit: f64) {
        let Material { friction, rolling, spinning, .. } = self.material;
        if friction.fixed > 0.0 {
            let slipping = Contact::parting(a, b, ra, rb);
            let old = self.slip;
            for i in 0..2 {
                self.slip[i] -= self.tangent_mass[i] * slipping.dot(self.tangents[i]);
            }
            let size = self.slip[0].hypot(self.slip[1]);
            let speed = slipping.dot(self.tangents[0]).hypot(slipping.dot(self.tangents[1]));
            let most = limit * if speed > SLIDING { friction.sliding } else { friction.fixed };
            if size > most {
                self.slip = self.slip.map(|along| along * (most / size));
            }
            let [s, t] = self.tangents;
            self.apply(a, b, ra, rb, s * (self.slip[0] - old[0]) + t * (self.slip[1] - old[1]));
        }
        if rolling > 0.0 || spinning > 0.0 {
            let old = self.point.rolling;
            let wanted = old - self.inertia * (b.turning - a.turning);
            let normal = self.point.normal;
            let spin = wanted.dot(normal);
            let roll = (wanted - normal * spin).clamp_length_max(rolling * limit);
            self.point.rolling = roll + normal * spin.clamp(-spinning * limit, spinning * limit);
            self.twist(a, b, self.point.rolling - old);
        }
    }

    /// Gives back a part of the speed with which the bodies met in this substep.
    pub fn bounce(&mut self, bodies: &mut [State]) {
        let e = self.material.restitution;
        if e == 0.0 || self.approach > -BOUNCING || self.point.impulse == 0.0 {
            return;
        }
        let (a, b) = both(bodies, self.a, self.b);
        let (ra, rb) = (a.axes * self.point.local_a, b.axes * self.point.local_b);
        let parting = self.point.normal.dot(Contact::parting(a, b, ra, rb));
        let impulse = -self.mass * (parting + e * self.approach);
        if impulse > 0.0 {
            self.apply(a, b, ra, rb, self.point.normal * impulse);
            // The bodies part: there is nothing to apply again.
            (self.point.impulse, self.slip) = (0.0, [0.0; 2]);
            self.point.rolling = DVec3::ZERO;
        }
    }

    /// The point with the impulses of the last substep.
    pub fn finished(&self) -> Point {
        let [s, t] = self.tangents;
        Point { friction: s * self.slip[0] + t * self.slip[1], ..self.point }
    }
}
