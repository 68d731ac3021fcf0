//! Contacts as impulses: sequential impulses over small steps with soft contacts ("TGS soft" in Catto, "Solver2D", 2024).
//!
//! In every substep the impulses of the one before are applied again and corrected with a push that undoes overlap, and
//! once more, after the bodies have moved, without that push, so that it adds no energy. A point that is still apart may
//! close its gap within the substep and no more.
//!
//! Impulses that are not yet right would still let bodies into each other. So before bodies move, each is held back to the
//! part of its way that leaves every point of contact at least touching ([`super::limit`]): what the solver leaves undone is a
//! delay, not an overlap, and the velocities stay.
//!
//! Where bodies turn, points follow the true surface: they are support points of the direction they were found for, and
//! the gap along a fixed normal between support points is never more than the distance. Restitution is Newton's, applied in
//! the substep of the impact.

use glam::{DMat3, DVec3};

use crate::body::BodyState;
use crate::body::Friction;
use crate::body::Proxy;
use crate::contact::SKIN;
use crate::contact::broad::Pair;
use crate::contact::manifold::Point;
use crate::joint::constraint_row::{ConstraintRow, Masses, SharedVelocities, Softness, Velocity};

/// Frequency of soft contacts as a part of the substeps' own, and their damping ratio.
const FREQUENCY: f64 = 0.25;
const DAMPING: f64 = 10.0;
/// Overlap is undone with this speed at most, in metres a second.
const PUSH: f64 = 3.0;
/// A point that is slower than this sticks, in metres a second.
const SLIDING: f64 = 0.05;
/// Slower impacts do not bounce, in metres a second.
const BOUNCING: f64 = 0.1;

/// As stiff as contacts are.
pub(crate) fn softness(h: f64) -> Softness {
    Softness::new(FREQUENCY / h, DAMPING, h)
}

/// A point of contact while a step is being made: what its solution needs. Large worlds do not fit into the cache, so what is
/// looked at most often comes first: two lines of the eight tell that a point which is apart stays so.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Contact {
    pub a: u32,
    pub b: u32,
    /// How far apart the surfaces are along the normal, beyond the skin.
    pub gap: f64,
    pub normal: ConstraintRow,
    /// How far each body would go along the normal in this substep.
    pub ways: [f64; 2],
    /// By how much the gap may be less than it is said to be, since bodies have turned.
    pub unfollowed: f64,
    /// Radii of the proxies.
    pub radii: [f64; 2],
    /// Whether it only watches the gap.
    watch: bool,
    /// Whether other points of the bodies may be met that are no contacts.
    pub partial: bool,
    /// Whether it is a closest point along its own normal, which says how far apart the bodies are.
    pub certifies: bool,
    /// Whether it is known where its points will be on their bodies when the substep is over.
    pub foreseen: bool,
    slip: [ConstraintRow; 2],
    friction: Friction,
    restitution: f64,
    /// How fast the bodies approached each other when the substep began.
    approach: f64,
    /// How far the bodies may move against each other before it has to be sought anew.
    pub lasting: f64,
}

/// Where a contact comes from.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The pair.
    pub pair: u32,
    pub proxies: [u32; 2],
    pub bodies: [u32; 2],
    pub point: Point,
    /// Where its points will be on their bodies when the substep is over, if that is foreseen.
    pub ahead: [DVec3; 2],
    /// What it pushed in the step so far, on b.
    pub pushed: DVec3,
    /// Its resistance against rolling among those of its group, if it has any.
    pub rolling: Option<u32>,
}

impl Source {
    /// A point of a pair with a number.
    pub fn new(pair: &Pair, number: u32, point: Point) -> Source {
        Source {
            pair: number,
            proxies: pair.proxies,
            bodies: pair.bodies,
            point,
            ahead: [DVec3::ZERO; 2],
            pushed: DVec3::ZERO,
            rolling: None,
        }
    }
}

/// Resistance against rolling and spinning at a contact.
#[derive(Clone, Debug)]
pub(crate) struct Rolling {
    pub contact: u32,
    lever: f64,
    spin_lever: f64,
    inertia: DMat3,
    pub impulse: DVec3,
}

impl Contact {
    /// The contact at a point, and its resistance against rolling if the materials have any.
    pub fn new(
        bodies: &[BodyState],
        proxies: &[Proxy],
        masses: &Masses,
        source: &Source,
        number: u32,
    ) -> (Contact, Option<Rolling>) {
        let [a, b] = source.bodies;
        let [on_a, on_b] = source.proxies.map(|proxy| &proxies[proxy as usize].material);
        let material = on_a.between(on_b);
        let point = &source.point;
        let mut contact = Contact {
            a,
            b,
            gap: 0.0,
            normal: ConstraintRow::BLANK.with_impulse(point.impulse),
            slip: [ConstraintRow::BLANK; 2],
            friction: material.friction,
            restitution: material.restitution,
            approach: 0.0,
            unfollowed: 0.0,
            ways: [0.0; 2],
            radii: source.proxies.map(|proxy| proxies[proxy as usize].radius),
            watch: point.watch,
            partial: false,
            certifies: false,
            foreseen: false,
            lasting: 0.0,
        };
        let (s, t) = point.normal.any_orthonormal_pair();
        (contact.slip[0].impulse, contact.slip[1].impulse) = (point.friction.dot(s), point.friction.dot(t));
        contact.prepare(bodies, masses, point);
        let rolls = !point.watch && (material.rolling > 0.0 || material.spinning > 0.0);
        let rolling = rolls.then(|| {
            let inertias = &masses.inverse_inertias;
            Rolling {
                contact: number,
                lever: material.rolling,
                spin_lever: material.spinning,
                inertia: (inertias[a as usize] + inertias[b as usize]).inverse(),
                impulse: point.rolling,
            }
        });
        (contact, rolling)
    }

    fn rows(&mut self) -> [&mut ConstraintRow; 3] {
        let [s, t] = &mut self.slip;
        [&mut self.normal, s, t]
    }

    /// A contact that is there no longer.
    pub fn disable(&mut self) {
        self.gap = f64::INFINITY;
        for row in self.rows() {
            (row.impulse, row.mass) = (0.0, 0.0);
        }
    }

    pub fn is_disabled(&self) -> bool {
        self.gap == f64::INFINITY
    }

    /// How far points of the bodies can get by turning by some angles.
    #[inline]
    pub fn swing(&self, angles: [f64; 2]) -> f64 {
        let of = |i: usize| if angles[i] > 0.0 { angles[i] * self.radii[i] } else { 0.0 };
        of(0) + of(1)
    }

    /// Whether bodies that have turned matter to it: by turning, their points have moved by `swing` at most.
    pub fn has_to_follow(&mut self, swing: f64) -> bool {
        self.unfollowed += swing;
        self.gap < self.unfollowed + self.ways[0].abs() + self.ways[1].abs() + SKIN
    }

    /// Follows the surfaces of bodies that have turned.
    pub fn follow(&mut self, source: &mut Source, proxies: &[Proxy], bodies: &[BodyState], masses: &Masses) {
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        if std::mem::take(&mut self.foreseen) {
            [source.point.local_a, source.point.local_b] = source.ahead;
            self.prepare(bodies, masses, &source.point);
            return;
        }
        if let Some(probe) = source.point.probe_a {
            source.point.local_a = a.local(proxies[source.proxies[0] as usize].placed(a).support(probe));
        }
        if let Some(probe) = source.point.probe_b {
            source.point.local_b = b.local(proxies[source.proxies[1] as usize].placed(b).support(probe));
        }
        self.prepare(bodies, masses, &source.point);
    }

    /// Works out the rows from where the bodies are.
    fn prepare(&mut self, bodies: &[BodyState], masses: &Masses, point: &Point) {
        let ends = [self.a, self.b];
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let arms = [a.axes * point.local_a, b.axes * point.local_b];
        self.unfollowed = 0.0;
        self.certifies = point.probe_a == Some(point.normal);
        self.gap = point.normal.dot(b.center + arms[1] - a.center - arms[0]) - SKIN;
        if self.watch {
            self.normal = ConstraintRow::along(masses, ends, arms, point.normal);
            return;
        }
        let (s, t) = point.normal.any_orthonormal_pair();
        for (row, direction) in self.rows().into_iter().zip([point.normal, s, t]) {
            *row = ConstraintRow::along(masses, ends, arms, direction).with_impulse(row.impulse);
        }
    }

    /// Notes how fast the bodies approach each other before a substep's impulses.
    pub fn note_approach(&mut self, velocities: &[Velocity]) {
        if self.is_springy() {
            self.approach = self.normal.speed(&velocities[self.a as usize], &velocities[self.b as usize]);
        }
    }

    /// Whether it may have to be sought anew when the bodies have moved: where other points may be met, or where its gap would
    /// be closed within a time by bodies that have not pushed each other yet.
    #[inline]
    pub fn may_be_stale(&self, velocities: &[Velocity], h: f64) -> bool {
        let parting = || self.normal.speed(&velocities[self.a as usize], &velocities[self.b as usize]);
        !self.is_disabled() && (self.partial || self.normal.impulse == 0.0 && self.gap + h * parting() < 0.0)
    }

    /// Applies the impulses of the last substep again.
    pub fn warm_start(&self, velocities: SharedVelocities) {
        if self.is_idle() {
            return;
        }
        let (mut a, mut b) = velocities.both(self.a, self.b);
        for row in [&self.normal, &self.slip[0], &self.slip[1]] {
            row.push(&mut a, &mut b, row.impulse);
        }
        velocities.set(self.a, a);
        velocities.set(self.b, b);
    }

    /// Whether it does nothing: without a push there is no friction.
    #[inline]
    fn is_idle(&self) -> bool {
        self.normal.impulse == 0.0
    }

    /// Whether the bodies may bounce.
    pub fn is_springy(&self) -> bool {
        self.restitution > 0.0
    }

    /// Corrects the impulses once; `soft` undoes overlap. Returns by how much the bodies had to be slowed down.
    #[inline]
    pub fn solve(&mut self, velocities: SharedVelocities, h: f64, soft: Option<&Softness>) -> f64 {
        if self.watch {
            return 0.0;
        }
        let (mut a, mut b) = velocities.both(self.a, self.b);
        let gap = self.gap;
        if gap > 0.0 && self.is_idle() && self.normal.speed(&a, &b) + gap / h >= 0.0 {
            // Most points that are apart stay so.
            return 0.0;
        }

        let (bias, softened) = match soft {
            _ if gap > 0.0 => (gap / h, (1.0, 0.0)),
            Some(soft) => ((soft.rate * gap).max(-PUSH), (soft.mass, soft.ease)),
            None => (0.0, (1.0, 0.0)),
        };
        let change = self.normal.solve(&mut a, &mut b, bias, softened, [0.0, f64::INFINITY]);
        self.solve_friction(&mut a, &mut b);
        velocities.set(self.a, a);
        velocities.set(self.b, b);
        if self.normal.mass > 0.0 { change / self.normal.mass } else { 0.0 }
    }

    /// Friction, up to what the normal impulse allows.
    #[inline(always)]
    fn solve_friction(&mut self, a: &mut Velocity, b: &mut Velocity) {
        if self.friction.fixed == 0.0 {
            return;
        }
        let [s, t] = &mut self.slip;
        let speeds = [s.speed(a, b), t.speed(a, b)];
        let wanted = [s.impulse - s.mass * speeds[0], t.impulse - t.mass * speeds[1]];
        let size_sq = wanted[0] * wanted[0] + wanted[1] * wanted[1];
        let speed_sq = speeds[0] * speeds[0] + speeds[1] * speeds[1];
        let coefficient = if speed_sq > SLIDING * SLIDING { self.friction.sliding } else { self.friction.fixed };
        let most = self.normal.impulse * coefficient;
        let scale = if size_sq > most * most { most / size_sq.sqrt() } else { 1.0 };
        for (row, wanted) in [s, t].into_iter().zip(wanted) {
            let total = wanted * scale;
            row.push(a, b, total - row.impulse);
            row.impulse = total;
        }
    }

    /// Takes over how far the bodies were let go.
    #[inline]
    pub fn move_on(&mut self, fractions: &[f64]) {
        let [a, b] = [self.a, self.b].map(|body| fractions[body as usize]);
        self.gap += b * self.ways[1] - a * self.ways[0];
    }

    /// Gives back a part of the speed with which the bodies met in this substep.
    pub fn bounce(&mut self, velocities: SharedVelocities) {
        if self.restitution == 0.0 || self.approach > -BOUNCING || self.normal.impulse == 0.0 {
            return;
        }
        let (mut a, mut b) = velocities.both(self.a, self.b);
        let impulse = -self.normal.mass * (self.normal.speed(&a, &b) + self.restitution * self.approach);
        if impulse > 0.0 {
            self.normal.push(&mut a, &mut b, impulse);
            velocities.set(self.a, a);
            velocities.set(self.b, b);
            // The bodies part: there is nothing to apply again.
            for row in self.rows() {
                row.impulse = 0.0;
            }
        }
    }

    /// What it pushes in a substep, on b.
    pub fn pushed(&self) -> DVec3 {
        let [s, t] = &self.slip;
        self.normal.direction * self.normal.impulse + s.direction * s.impulse + t.direction * t.impulse
    }

    /// A point with the impulses of the last substep.
    pub fn finished(&self, point: &Point) -> Point {
        let [s, t] = &self.slip;
        let friction = s.direction * s.impulse + t.direction * t.impulse;
        Point { impulse: self.normal.impulse, friction, rolling: DVec3::ZERO, ..*point }
    }
}

impl Rolling {
    /// Corrects the impulse once, up to what the normal impulse allows.
    pub fn solve(&mut self, contact: &Contact, velocities: SharedVelocities, inverse_inertias: &[DMat3]) {
        let limit = contact.normal.impulse;
        if limit == 0.0 && self.impulse == DVec3::ZERO {
            return;
        }
        let (a, b) = velocities.both(contact.a, contact.b);
        let wanted = self.impulse - self.inertia * (b.angular - a.angular);
        let normal = contact.normal.direction;
        let spin = wanted.dot(normal);
        let roll = (wanted - normal * spin).clamp_length_max(self.lever * limit);
        let most = self.spin_lever * limit;
        let total = roll + normal * spin.clamp(-most, most);
        twist(contact, velocities, inverse_inertias, total - self.impulse);
        self.impulse = total;
    }

    /// Applies the impulse of the last substep again.
    pub fn warm_start(&mut self, contact: &Contact, velocities: SharedVelocities, inverse_inertias: &[DMat3]) {
        if contact.normal.impulse == 0.0 {
            self.impulse = DVec3::ZERO;
        } else if self.impulse != DVec3::ZERO {
            twist(contact, velocities, inverse_inertias, self.impulse);
        }
    }
}

/// Turns the bodies of a contact by an angular impulse, b by it and a by its opposite.
fn twist(contact: &Contact, velocities: SharedVelocities, inverse_inertias: &[DMat3], impulse: DVec3) {
    let (mut a, mut b) = velocities.both(contact.a, contact.b);
    a.angular -= inverse_inertias[contact.a as usize] * impulse;
    b.angular += inverse_inertias[contact.b as usize] * impulse;
    velocities.set(contact.a, a);
    velocities.set(contact.b, b);
}
