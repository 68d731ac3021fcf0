//! Contacts: of surfaces with bodies, and of surfaces with themselves and each other.

mod bodies;
mod features;
mod pairs;
mod planes;
mod rows;
mod tree;
mod undo;

use superegg::query::batch::Threads;

pub(crate) use bodies::BodyContacts;
pub(crate) use pairs::SelfContacts;

use crate::{Particles, SimError, World};

/// How often all contacts of a substep are gone through where cloth meets cloth.
const ROUNDS: usize = 8;

impl World {
    /// Finds everything that may touch within the next `seconds`, before anything moves.
    pub(crate) fn detect(&mut self, seconds: f64, threads: Threads) -> Result<(), SimError> {
        self.body_contacts.begin_step();
        let Particles { position, velocity, .. } = &self.particles;
        let speed = |p: usize| velocity[p].length();
        self.body_contacts.detect(&self.parts, &self.bodies, position, speed, self.gravity, seconds, threads)
    }

    /// The same from where a substep of length `h` began, when it made some particle outrun what was foreseen.
    pub(crate) fn detect_again(&mut self, seconds: f64, h: f64, threads: Threads) -> Result<(), SimError> {
        // The bodies, too, as they were when the substep began.
        self.bodies.iter_mut().for_each(|body| body.advance(-h));
        let Particles { position, previous, velocity, .. } = &self.particles;
        let speed = |p: usize| velocity[p].length().max(position[p].distance(previous[p]) / h);
        let (parts, bodies) = (&self.parts, &self.bodies);
        let outcome = self.body_contacts.detect(parts, bodies, previous, speed, self.gravity, seconds, threads);
        self.bodies.iter_mut().for_each(|body| body.advance(h));
        outcome
    }

    /// Makes sure that everything is known that may meet in the running substep among surfaces.
    pub(crate) fn detect_among_surfaces(&mut self, h: f64, dt: f64) {
        self.self_contacts.detect(&self.parts, &self.particles, h, dt);
    }

    /// Whether a particle went farther than the last detection foresaw.
    pub(crate) fn outran_contacts(&self) -> bool {
        self.body_contacts.outran(&self.particles.position)
    }

    /// Holds surfaces apart from each other and from bodies, with friction; how many of each were.
    pub(crate) fn project_contacts(&mut self, h: f64) -> (usize, usize) {
        let (bodies, particles) = (&self.bodies, &mut self.particles);
        self.body_contacts.turn(bodies);
        let rows = self.self_contacts.prepare(particles, &self.pins, h);
        self.body_contacts.prepare(bodies, rows, particles, h);
        if !rows.is_empty() {
            for _ in 0..ROUNDS {
                rows.iter_mut().for_each(|row| row.relax(&mut particles.position));
                self.body_contacts.relax(&mut particles.position);
            }
        }
        let among = self.self_contacts.finish(particles);
        self.body_contacts.finish(particles, h);
        let with_bodies = self.body_contacts.project(bodies, particles, h);
        self.self_contacts.put_back(particles, h);
        (with_bodies, among)
    }

    /// Brings what hardly moves in contact with other cloth to rest, at the end of a step.
    pub(crate) fn bring_to_rest(&mut self, dt: f64) {
        let may_rest = |p: usize| !self.body_contacts.is_near_moving(p);
        self.self_contacts.end_step(&mut self.particles, dt, may_rest);
    }
}
