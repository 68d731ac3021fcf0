//! Contacts: of surfaces with bodies, and of surfaces with themselves, each other and obstacles.

mod apart;
mod bends;
mod bodies;
mod features;
mod pairs;
mod planes;
mod rows;
mod tree;

use superegg::query::batch::Threads;

pub(crate) use bodies::BodyContacts;
pub(crate) use pairs::SurfaceContacts;

use crate::obstacle::ObstacleState;
use crate::{Particles, SimError, World};
use pairs::{Pierced, Pushes};

/// How often all contacts of a substep are gone through where cloth meets cloth or obstacles.
const ROUNDS: usize = 8;

/// How often contacts are made at most: anew if cloth that did not meet an obstacle on its predicted way went through it on the
/// way that contacts made of it, as happens at sharp corners. Where cloth went through cloth, it is put back at once, which
/// helps it to come to rest.
const ATTEMPTS: usize = 3;

/// What was held apart in a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    /// Vertices off bodies.
    pub bodies: usize,
    /// Pairs of features, of cloth and of cloth, of cloth and of obstacles.
    pub cloth: usize,
    pub obstacles: usize,
}

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
        self.surface_contacts.detect(&self.parts, &self.obstacles, &self.particles, h, dt);
    }

    /// Whether a particle went farther than the last detection foresaw.
    pub(crate) fn outran_contacts(&self) -> bool {
        self.body_contacts.outran(&self.particles.position)
    }

    /// Holds surfaces apart from each other, from bodies and from obstacles, with friction; how many of each were.
    pub(crate) fn project_contacts(&mut self, h: f64, dt: f64) -> Held {
        let (bodies, particles) = (&self.bodies, &mut self.particles);
        self.body_contacts.turn(bodies);
        let (mut pushes, mut with_bodies, mut pierced) = (Pushes::default(), 0, Pierced::Nothing);
        for _ in 0..ATTEMPTS {
            let rows = self.surface_contacts.prepare(&self.parts, &self.obstacles, particles, &self.pins, h);
            self.body_contacts.prepare(bodies, rows, particles, h);
            if !rows.is_empty() {
                for _ in 0..ROUNDS {
                    rows.iter_mut().for_each(|row| row.relax(&mut particles.position));
                    self.body_contacts.relax(&mut particles.position);
                }
            }
            pushes = self.surface_contacts.finish(&self.obstacles, particles);
            self.body_contacts.finish(particles, h);
            with_bodies = self.body_contacts.project(bodies, particles, h);
            pierced = self.surface_contacts.pierced(&self.parts, &self.obstacles, particles, h);
            if pierced != Pierced::Obstacle {
                break;
            }
        }
        if pierced != Pierced::Nothing || !self.surface_contacts.covers(&self.parts, &self.obstacles, particles) {
            self.surface_contacts.put_back(&self.parts, &mut self.obstacles, &self.body_contacts, particles, h, dt);
        }
        Held { bodies: with_bodies, cloth: pushes.among, obstacles: pushes.with_obstacles }
    }

    /// Brings what hardly moves in contact with other cloth to rest, at the end of a step.
    pub(crate) fn bring_to_rest(&mut self, dt: f64) {
        self.obstacles.iter_mut().for_each(ObstacleState::end_step);
        let (parts, obstacles) = (&self.parts, &mut self.obstacles);
        self.surface_contacts.end_step(parts, obstacles, &self.body_contacts, &mut self.particles, dt);
    }
}
