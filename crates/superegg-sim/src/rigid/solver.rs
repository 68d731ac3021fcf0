//! What is solved in a step: impulses at points of contact, and how far bodies go.

use glam::DVec3;
use superegg::query::batch::Threads;

use super::body::State;
use super::contact::{Contact, Rolling, Source, softness};
use super::hold::Holds;
use super::hung::Hung;
use super::limit::{Moving, Surprise, limit};
use super::manifold::Point;
use super::pairs::{Pair, Pairs, Standing};
use super::row::Velocities;
use super::world::SKIN;
use crate::SimError;

/// Angle after which a body's points of contact follow its surface, in radians.
const TURNED: f64 = 0.005;
/// Contacts of a substep are solved again, so many times at most, while bodies would otherwise get deeper into each other
/// than this, in metres.
const ITERATIONS: usize = 4;
const SETTLED: f64 = 3e-4;
/// Bodies that have come this part of their size since their contact was found, and meet now, are asked again.
const STALE: f64 = 0.05;
/// Bodies that have come so much farther than the nearest triangle of a mesh was, in metres, may have met another one.
const UNSEEN: f64 = 0.02;
/// Points of contact closer to each other than this part of a piece's size are one.
const CLOSE: f64 = 0.05;
/// Most points of a pair.
const MOST_POINTS: usize = 32;
/// What a step works on.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    pub velocities: Velocities,
    contacts: Vec<Contact>,
    sources: Vec<Source>,
    rolling: Vec<Rolling>,
    holds: Holds,
    /// Pairs that may meet, but not in the next substeps.
    waiting: Vec<u32>,
    /// Whether bodies may bounce anywhere.
    springy: bool,
    threads: Threads,
    /// Travels of the bodies when the step began.
    begun: Vec<f64>,
    /// By how much each body has turned before its points had to follow; zero if they need not.
    turned: Vec<f64>,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver {
            velocities: Velocities::default(),
            contacts: Vec::new(),
            sources: Vec::new(),
            rolling: Vec::new(),
            holds: Holds::default(),
            waiting: Vec::new(),
            springy: false,
            threads: Threads::One,
            begun: Vec::new(),
            turned: Vec::new(),
        }
    }
}

impl Solver {
    /// Takes over bodies and points of contact.
    pub fn begin(&mut self, bodies: &mut [State], pairs: &mut Pairs, threads: Threads) {
        bodies.iter_mut().for_each(State::refresh);
        self.velocities.load(bodies);
        self.begun.clear();
        self.begun.extend(bodies.iter().map(|body| body.travelled));
        self.turned.clear();
        self.turned.resize(bodies.len(), 0.0);
        self.contacts.clear();
        self.sources.clear();
        self.rolling.clear();
        self.waiting.clear();
        self.springy = false;
        self.threads = threads;
        for number in 0..pairs.list.len() as u32 {
            let listed = &pairs.list[number as usize];
            let awake = |body: &u32| self.velocities.list[*body as usize].inverse_mass > 0.0;
            if listed.standing == Standing::Apart || !listed.bodies.iter().any(awake) {
                continue;
            }
            if listed.standing == Standing::Waiting {
                self.waiting.push(number);
            } else {
                self.add_contacts(bodies, pairs, number);
            }
        }
    }

    /// Gravity's part of a substep.
    pub fn accelerate(&mut self, gain: DVec3) {
        if self.springy {
            for contact in &mut self.contacts {
                contact.note_approach(&self.velocities.list);
            }
        }
        for velocity in self.velocities.list.iter_mut().filter(|velocity| velocity.inverse_mass > 0.0) {
            velocity.linear += gain;
        }
    }

    fn add_contacts(&mut self, bodies: &[State], pairs: &mut Pairs, number: u32) {
        pairs.list[number as usize].pair.contacts.clear();
        for index in 0..pairs.list[number as usize].pair.points.len() {
            let pair = &pairs.list[number as usize].pair;
            self.add_contact(bodies, pairs, Source::new(pair, number, index as u32, pair.points[index]));
        }
    }

    fn add_contact(&mut self, bodies: &[State], pairs: &mut Pairs, source: Source) {
        let number = self.contacts.len() as u32;
        pairs.list[source.pair as usize].pair.contacts.push(number);
        let (mut contact, rolling) = Contact::new(bodies, &pairs.pieces, &self.velocities, &source, number);
        if source.point.watch {
            contact.lasting = -1.0;
        } else if pairs.pieces[source.pieces[1] as usize].is_mesh() {
            // Triangles that were not the nearest were not all listed, but none was closer than the nearest.
            contact.partial = true;
            contact.lasting = UNSEEN + pairs.list[source.pair as usize].pair.lower.max(0.0);
        } else {
            let [a, b] = source.bodies.map(|body| bodies[body as usize].reach);
            contact.lasting = STALE * a.min(b);
        }
        self.springy |= contact.is_springy();
        self.rolling.extend(rolling);
        self.contacts.push(contact);
        self.sources.push(source);
    }

    /// Finds the points of pairs anew that are about to touch after they have come far. Returns whether there were any.
    pub fn renew(&mut self, bodies: &[State], pairs: &mut Pairs, h: f64) -> Result<bool, SimError> {
        let mut stale: Vec<u32> = Vec::new();
        for (contact, source) in self.contacts.iter().zip(&self.sources) {
            if !contact.may_be_stale(&self.velocities.list, h) || stale.last() == Some(&source.pair) {
                continue;
            }
            let [a, b] = source.bodies.map(|body| &bodies[body as usize]);
            let pair = &pairs.list[source.pair as usize].pair;
            if a.travelled + b.travelled - pair.travel > contact.lasting && pair.moved(a, b) > contact.lasting {
                stale.push(source.pair);
            }
        }
        stale.sort_unstable();
        stale.dedup();
        if stale.is_empty() {
            return Ok(false);
        }
        for &number in &stale {
            self.store_impulses(&mut pairs.list[number as usize].pair);
        }
        self.find(bodies, pairs, &stale, h)?;
        Ok(true)
    }

    /// Gives the points of a pair the impulses of their contacts, which are dropped.
    fn store_impulses(&mut self, pair: &mut Pair) {
        for (point, &contact) in pair.points.iter_mut().zip(&pair.contacts) {
            let (contact, source) = (&mut self.contacts[contact as usize], &self.sources[contact as usize]);
            *point = contact.finished(&source.point);
            contact.disable();
        }
    }

    /// Finds the points of some pairs, and makes contacts of them. Those of two eggs that have none wait again.
    fn find(&mut self, bodies: &[State], pairs: &mut Pairs, numbers: &[u32], h: f64) -> Result<(), SimError> {
        let margins = std::mem::take(&mut pairs.margins);
        let begun = &self.begun;
        let left = |body: u32| {
            let gone = bodies[body as usize].travelled - begun[body as usize];
            (margins[body as usize] - gone).max(0.5 * SKIN)
        };
        let found = pairs.find(numbers, bodies, left, h, self.threads);
        pairs.margins = margins;
        found?;
        for &number in numbers {
            match pairs.list[number as usize].standing {
                Standing::Met => self.add_contacts(bodies, pairs, number),
                Standing::Waiting => self.waiting.push(number),
                Standing::Apart => {}
            }
        }
        Ok(())
    }

    /// Notes how far bodies would go in a substep.
    pub fn foresee(&mut self, bodies: &[State], pairs: &mut Pairs, h: f64) {
        let Velocities { list, fractions, .. } = &mut self.velocities;
        for (index, body) in bodies.iter().enumerate() {
            let velocity = &list[index];
            let course = &mut pairs.courses[index];
            course.turn(velocity.linear, velocity.angular, body.reach);
            fractions[index] = 1.0;
            if velocity.inverse_mass > 0.0 {
                // Beyond its margin a body might meet what was not foreseen.
                let way = h * (velocity.linear.length() + course.swinging);
                let room = pairs.margins[index] - (body.travelled - self.begun[index]);
                if way > room {
                    fractions[index] = room.max(0.0) / way;
                }
            }
        }
    }

    /// Finds the points of pairs that have waited and may meet now.
    pub fn meet(&mut self, bodies: &[State], pairs: &mut Pairs, h: f64) -> Result<(), SimError> {
        let mut near: Vec<u32> = Vec::new();
        self.waiting.retain(|&number| {
            let waits = pairs.list[number as usize].waits(&pairs.courses, h);
            if !waits {
                near.push(number);
            }
            waits
        });
        // Those that go on waiting are put back at the end.
        near.sort_unstable();
        self.find(bodies, pairs, &near, h)
    }

    /// The impulses of a substep.
    pub fn push(&mut self, bodies: &[State], hung: &mut Hung, h: f64) {
        let Solver { velocities, contacts, rolling, .. } = self;
        for contact in contacts.iter() {
            contact.warm_start(&mut velocities.list);
        }
        for rolling in rolling.iter_mut() {
            rolling.warm_start(&contacts[rolling.contact as usize], velocities);
        }
        let soft = softness(h);
        hung.warm_start(bodies, velocities);
        for _ in 0..ITERATIONS {
            let mut slowed = 0.0f64;
            for contact in contacts.iter_mut() {
                slowed = slowed.max(contact.solve(&mut velocities.list, h, Some(&soft)));
            }
            slowed = slowed.max(hung.solve(bodies, velocities, h, Some(&soft)));
            if slowed * h < SETTLED {
                break;
            }
        }
    }

    /// Moves the bodies, as far as they may go.
    pub fn advance(&mut self, bodies: &mut [State], pairs: &mut Pairs, links: &[[u32; 2]], h: f64) {
        let Solver { velocities, contacts, sources, holds, .. } = self;
        let moving = Moving { pieces: &pairs.pieces, bodies, links, h };
        let surprises = limit(contacts, sources, velocities, holds, &moving);
        for (index, body) in bodies.iter_mut().enumerate() {
            let velocity = &mut velocities.list[index];
            self.turned[index] = 0.0;
            (body.velocity, body.turning) = (velocity.linear, velocity.angular);
            if body.is_moving() {
                body.advance(h * velocities.fractions[index]);
                velocity.angular = body.turning;
                (pairs.courses[index].centre, pairs.courses[index].swung) = (body.centre, body.swung);
                if body.turned > TURNED {
                    self.turned[index] = body.turned;
                    body.refresh();
                    if velocity.inverse_mass > 0.0 {
                        velocities.inverse_inertias[index] = body.inverse_inertia;
                    }
                }
            }
        }
        self.learn(bodies, pairs, &surprises);
    }

    /// Makes contacts where bodies would have met that were not known to, or moves one there that is close by and does not
    /// follow the surface.
    fn learn(&mut self, bodies: &[State], pairs: &mut Pairs, surprises: &[Surprise]) {
        for &Surprise { contact, local_a, local_b } in surprises {
            if self.sources[contact as usize].point.watch {
                self.contacts[contact as usize].partial = true;
                continue;
            }
            let Source { pair: number, pieces, point, .. } = self.sources[contact as usize];
            let close_sq = (CLOSE * pairs.pieces[pieces[0] as usize].radius).powi(2);
            let pair = &mut *pairs.list[number as usize].pair;
            let Pair { points, contacts, .. } = pair;
            let near = |other: &Point| {
                let fixed = other.probe_a.is_none() && other.probe_b.is_none();
                fixed && other.local_a.distance_squared(local_a) < close_sq
            };
            let (impulse, none) = (0.0, DVec3::ZERO);
            let fixed = Point {
                local_a,
                local_b,
                probe_a: None,
                probe_b: None,
                impulse,
                friction: none,
                rolling: none,
                ..point
            };
            if let Some(index) = points.iter().position(near) {
                points[index] = fixed;
                let at = contacts[index] as usize;
                self.sources[at].point = fixed;
                self.contacts[at].follow(&mut self.sources[at], &pairs.pieces, bodies, &self.velocities);
            } else if points.len() < MOST_POINTS {
                points.push(fixed);
                let source = Source::new(pair, number, pair.points.len() as u32 - 1, fixed);
                self.add_contact(bodies, pairs, source);
            }
        }
    }

    /// The impulses again where the bodies are now, without what undoes overlap.
    pub fn relax(&mut self, bodies: &[State], pairs: &Pairs, hung: &mut Hung, h: f64) {
        let Solver { velocities, contacts, sources, rolling, turned, springy, .. } = self;
        for (contact, source) in contacts.iter_mut().zip(sources.iter_mut()) {
            if contact.is_disabled() {
                continue;
            }
            contact.move_on(&velocities.fractions);
            let angles = [contact.a, contact.b].map(|body| turned[body as usize]);
            if angles != [0.0; 2] && contact.has_to_follow(contact.swing(angles)) {
                contact.follow(source, &pairs.pieces, bodies, velocities);
            }
            contact.solve(&mut velocities.list, h, None);
        }
        hung.solve(bodies, velocities, h, None);
        for rolling in rolling.iter_mut() {
            rolling.solve(&contacts[rolling.contact as usize], velocities);
        }
        if *springy {
            for contact in contacts.iter_mut() {
                contact.bounce(&mut velocities.list);
            }
        }
    }

    /// Hands back velocities and impulses. Returns how many points carry something.
    pub fn finish(&mut self, bodies: &mut [State], pairs: &mut Pairs) -> usize {
        for (body, velocity) in bodies.iter_mut().zip(&self.velocities.list) {
            (body.velocity, body.turning) = (velocity.linear, velocity.angular);
        }
        let mut carrying = 0;
        for (contact, source) in self.contacts.iter().zip(&self.sources).filter(|(contact, _)| !contact.is_disabled()) {
            let point = contact.finished(&source.point);
            carrying += usize::from(point.impulse > 0.0);
            pairs.list[source.pair as usize].pair.points[source.index as usize] = point;
        }
        for rolling in &self.rolling {
            let Source { pair, index, .. } = self.sources[rolling.contact as usize];
            if !self.contacts[rolling.contact as usize].is_disabled() {
                pairs.list[pair as usize].pair.points[index as usize].rolling = rolling.impulse;
            }
        }
        carrying
    }
}
