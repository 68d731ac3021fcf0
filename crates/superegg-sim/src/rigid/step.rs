//! One step of a world of rigid bodies.
//!
//! Contacts are found once, before anything moves, with a margin for the way that can be made until the step ends, and
//! again within the step for pairs that meet after they have come far. Then come substeps of impulses and motion.

use glam::DVec3;
use superegg::InvalidInput;

use super::body::State;
use super::contact::{Contact, Rolling, Source, softness};
use super::hung::Hung;
use super::limit::{Surprise, limit};
use super::manifold::Point;
use super::pace::substeps_needed;
use super::pairs::{Pair, Pairs};
use super::row::Velocities;
use super::sleep::{fall_asleep, wake_touched};
use super::world::{RigidWorld, SKIN};
use crate::clock::{PhaseTimes, StopWatch};
use crate::{SimError, StepOptions};

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
/// Most substeps of a step.
const MOST_SUBSTEPS: u32 = 10_000;

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidReport {
    /// Seconds spent in each phase; zeros without a clock.
    pub times: PhaseTimes,
    /// Points of contact that carried something at the end.
    pub contacts: usize,
    /// Bodies that were awake.
    pub awake: usize,
    /// A bound of the largest speed of any point of a dynamic body at the end.
    pub max_speed: f64,
}

/// What a step works on.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver {
    velocities: Velocities,
    contacts: Vec<Contact>,
    sources: Vec<Source>,
    rolling: Vec<Rolling>,
    /// Travels of the bodies when the step began.
    begun: Vec<f64>,
    /// By how much each body has turned before its points had to follow; zero if they need not.
    turned: Vec<f64>,
}

impl RigidWorld {
    /// Makes a step.
    pub fn step(&mut self, dt: f64, options: &StepOptions) -> Result<RigidReport, SimError> {
        InvalidInput::unless(dt > 0.0 && dt <= 1e3, "dt", dt, "]0, 1000]")?;
        let substeps = options.substeps;
        InvalidInput::unless((1..=MOST_SUBSTEPS).contains(&substeps), "substeps", f64::from(substeps), "[1, 10000]")?;
        let gravity = self.gravity;
        InvalidInput::unless(gravity.is_finite(), "gravity", gravity.length(), "the finite vectors")?;
        let mut report = RigidReport::default();
        let times = &mut report.times;
        let mut watch = StopWatch::new(options.clock);

        let mut spurred = vec![false; self.bodies.len()];
        let hung = self.linkages.iter().flatten().flat_map(|linkage| [linkage.a, linkage.b]);
        for body in hung.chain(self.grips.iter().flatten().map(|grip| grip.body)) {
            if let Some(spurred) = spurred.get_mut(body as usize) {
                *spurred = true;
            }
        }
        self.pairs.gather(&self.bodies, &spurred, dt, gravity.length() * dt)?;
        loop {
            self.pairs.ask(&self.bodies, options.threads)?;
            if !wake_touched(&mut self.bodies, &self.pairs, &self.links, dt) {
                break;
            }
        }
        watch.lap(&mut times.collision_detection);

        // What is off at joints is brought back as fast as with the substeps that were asked for.
        let back = dt / f64::from(substeps);
        let substeps = substeps_needed(&self.linkages, &self.bodies, dt, substeps).min(MOST_SUBSTEPS);
        let h = dt / f64::from(substeps);
        let solver = &mut self.solver;
        solver.begin(&mut self.bodies, &mut self.pairs);
        let mut hung = Hung::new(&self.linkages, &self.bodies, &solver.velocities);
        hung.place(&self.linkages, &self.grips, &self.bodies, &solver.velocities, back);
        watch.lap(&mut times.velocity_constraints);
        for _ in 0..substeps {
            if solver.renew(&self.bodies, &mut self.pairs, h)? {
                watch.lap(&mut times.collision_detection);
            }
            for contact in &mut solver.contacts {
                contact.note_approach(&solver.velocities.list);
            }
            for velocity in solver.velocities.list.iter_mut().filter(|velocity| velocity.inverse_mass > 0.0) {
                velocity.linear += gravity * h;
            }
            watch.lap(&mut times.time_integration);
            solver.push(&self.bodies, &mut hung, h);
            watch.lap(&mut times.velocity_constraints);
            solver.advance(&mut self.bodies, &mut self.pairs, &self.links, h);
            watch.lap(&mut times.time_integration);
            hung.remember(&mut self.linkages, &mut self.grips);
            hung.place(&self.linkages, &self.grips, &self.bodies, &solver.velocities, back);
            solver.relax(&self.bodies, &self.pairs, &mut hung, h);
            watch.lap(&mut times.velocity_constraints);
        }
        hung.remember(&mut self.linkages, &mut self.grips);
        hung.note_forces(&mut self.linkages, dt);
        report.contacts = solver.finish(&mut self.bodies, &mut self.pairs);
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_moving()) {
            if !(body.centre.is_finite() && body.velocity.is_finite() && body.turning.is_finite()) {
                return Err(SimError::Lost { body: index, position: body.centre });
            }
            if body.is_dynamic() {
                report.awake += 1;
                report.max_speed = report.max_speed.max(body.speed());
            }
        }
        if self.sleeping {
            fall_asleep(&mut self.bodies, &self.pairs, &self.links, dt);
        }
        self.time += dt;
        watch.lap(&mut times.velocity_update);
        Ok(report)
    }
}

impl Solver {
    /// Takes over bodies and points of contact.
    fn begin(&mut self, bodies: &mut [State], pairs: &mut Pairs) {
        bodies.iter_mut().for_each(State::refresh);
        self.velocities.load(bodies);
        self.begun.clear();
        self.begun.extend(bodies.iter().map(|body| body.travelled));
        self.turned.clear();
        self.turned.resize(bodies.len(), 0.0);
        self.contacts.clear();
        self.sources.clear();
        self.rolling.clear();
        let awake = |body: u32| self.velocities.list[body as usize].inverse_mass > 0.0;
        let near: Vec<u32> = (0u32..)
            .zip(&pairs.list)
            .filter(|(_, listed)| listed.has_points() && listed.bodies.iter().any(|body| awake(*body)))
            .map(|(number, _)| number)
            .collect();
        for number in near {
            self.add_contacts(bodies, pairs, number);
        }
    }

    fn add_contacts(&mut self, bodies: &[State], pairs: &mut Pairs, number: u32) {
        pairs.list[number as usize].pair.contacts.clear();
        for index in 0..pairs.list[number as usize].pair.points.len() {
            let pair = &pairs.list[number as usize].pair;
            let point = pair.points[index];
            let source = Source { pair: number, index: index as u32, pieces: pair.pieces, bodies: pair.bodies, point };
            self.add_contact(bodies, pairs, source);
        }
    }

    fn add_contact(&mut self, bodies: &[State], pairs: &mut Pairs, source: Source) {
        let number = self.contacts.len() as u32;
        pairs.list[source.pair as usize].pair.contacts.push(number);
        let (mut contact, rolling) = Contact::new(bodies, &self.velocities, &source, number);
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
        self.rolling.extend(rolling);
        self.contacts.push(contact);
        self.sources.push(source);
    }

    /// Finds the points of pairs anew that are about to touch after they have come far. Returns whether there were any.
    fn renew(&mut self, bodies: &[State], pairs: &mut Pairs, h: f64) -> Result<bool, SimError> {
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
        self.store_impulses(pairs, &stale);
        for &number in &stale {
            let left = |body: u32| {
                let gone = bodies[body as usize].travelled - self.begun[body as usize];
                (pairs.margins[body as usize] - gone).max(0.5 * SKIN)
            };
            let [a, b] = pairs.list[number as usize].bodies.map(left);
            let Pairs { pieces, list, .. } = pairs;
            list[number as usize].pair.find(pieces, bodies, a + b, true)?;
            self.add_contacts(bodies, pairs, number);
        }
        Ok(true)
    }

    /// Gives the points of some pairs the impulses of their contacts, which are dropped.
    fn store_impulses(&mut self, pairs: &mut Pairs, stale: &[u32]) {
        for (contact, source) in self.contacts.iter_mut().zip(&self.sources) {
            if stale.binary_search(&source.pair).is_ok() && !contact.is_disabled() {
                pairs.list[source.pair as usize].pair.points[source.index as usize] = contact.finished(&source.point);
                contact.disable();
            }
        }
    }

    /// The impulses of a substep.
    fn push(&mut self, bodies: &[State], hung: &mut Hung, h: f64) {
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
    fn advance(&mut self, bodies: &mut [State], pairs: &mut Pairs, links: &[[u32; 2]], h: f64) {
        let Pairs { pieces, margins, .. } = &*pairs;
        let velocities = &mut self.velocities.list;
        for (index, body) in bodies.iter().enumerate() {
            let velocity = &mut velocities[index];
            velocity.fraction = 1.0;
            if velocity.inverse_mass > 0.0 {
                // Beyond its margin a body might meet what was not foreseen.
                let way = h * (velocity.linear.length() + velocity.angular.length() * body.reach);
                let room = margins[index] - (body.travelled - self.begun[index]);
                if way > room {
                    velocity.fraction = room.max(0.0) / way;
                }
            }
        }
        let surprises = limit(&mut self.contacts, &self.sources, pieces, bodies, velocities, links, h);
        for (index, body) in bodies.iter_mut().enumerate() {
            let velocity = &mut velocities[index];
            self.turned[index] = 0.0;
            (body.velocity, body.turning) = (velocity.linear, velocity.angular);
            if body.is_moving() {
                body.advance(h * velocity.fraction);
                velocity.angular = body.turning;
                if body.turned > TURNED {
                    self.turned[index] = body.turned;
                    body.refresh();
                    if velocity.inverse_mass > 0.0 {
                        self.velocities.inverse_inertias[index] = body.inverse_inertia;
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
            let Source { pair, pieces, bodies: ends, point, .. } = self.sources[contact as usize].clone();
            let close_sq = (CLOSE * pairs.pieces[pieces[0] as usize].radius).powi(2);
            let Pair { points, contacts, .. } = &mut *pairs.list[pair as usize].pair;
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
                let source = Source { pair, index: points.len() as u32, pieces, bodies: ends, point: fixed };
                points.push(fixed);
                self.add_contact(bodies, pairs, source);
            }
        }
    }

    /// The impulses again where the bodies are now, without what undoes overlap.
    fn relax(&mut self, bodies: &[State], pairs: &Pairs, hung: &mut Hung, h: f64) {
        let Solver { velocities, contacts, sources, rolling, turned, .. } = self;
        for (contact, source) in contacts.iter_mut().zip(sources.iter_mut()) {
            if contact.is_disabled() {
                continue;
            }
            contact.move_on(&velocities.list);
            let angles = source.bodies.map(|body| turned[body as usize]);
            if angles != [0.0; 2] {
                let radius = |i: usize| pairs.pieces[source.pieces[i] as usize].radius;
                let swing = |i: usize| if angles[i] > 0.0 { angles[i] * radius(i) } else { 0.0 };
                if contact.has_to_follow(swing(0) + swing(1)) {
                    contact.follow(source, &pairs.pieces, bodies, velocities);
                }
            }
            contact.solve(&mut velocities.list, h, None);
        }
        hung.solve(bodies, velocities, h, None);
        for rolling in rolling.iter_mut() {
            rolling.solve(&contacts[rolling.contact as usize], velocities);
        }
        for contact in contacts.iter_mut() {
            contact.bounce(&mut velocities.list);
        }
    }

    /// Hands back velocities and impulses. Returns how many points carry something.
    fn finish(&mut self, bodies: &mut [State], pairs: &mut Pairs) -> usize {
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
