//! Scenes: a world, how to step it, what hands do to it, and where to look at it from.

mod built_in;
mod chair;

use glam::DVec3;

pub use built_in::{BUILT_IN, built_in, tablecloth, tablecloth_over_mesh};

use crate::{SimError, StepOptions, StepReport, World, step};

/// A world with everything needed to run and show it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What to call it.
    pub name: String,
    /// What is simulated.
    pub world: World,
    /// Length of a step, in seconds.
    pub dt: f64,
    /// Substeps of a step.
    pub substeps: u32,
    /// How long it runs, in seconds.
    pub seconds: f64,
    /// What moves pinned particles.
    pub hands: Vec<Hand>,
    /// Where to look at it from.
    pub view: View,
}

/// Where a picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The camera's place.
    pub eye: DVec3,
    /// What it looks at.
    pub target: DVec3,
    /// Height of the picture as an angle, in degrees.
    pub field_of_view: f64,
}

/// Something that holds particles, moves them along a path and lets them go.
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    /// The particles it holds.
    pub particles: Vec<usize>,
    /// Times and displacements from where it took hold, in increasing order of time; linear in between. The first time is
    /// when it takes hold.
    pub path: Vec<(f64, DVec3)>,
    /// When it lets go; infinite for never.
    pub until: f64,
    /// Where each particle was when it took hold of it.
    taken: Vec<DVec3>,
}

impl Hand {
    /// A hand that is not holding anything yet.
    pub fn new(particles: Vec<usize>, path: Vec<(f64, DVec3)>, until: f64) -> Hand {
        Hand { particles, path, until, taken: Vec::new() }
    }

    /// The displacement at a time.
    fn displacement(&self, time: f64) -> DVec3 {
        let after = self.path.partition_point(|(t, _)| *t <= time);
        match (after.checked_sub(1).map(|before| self.path[before]), self.path.get(after)) {
            (Some((t0, d0)), Some((t1, d1))) => d0.lerp(*d1, (time - t0) / (t1 - t0)),
            (Some((_, d)), None) => d,
            (None, _) => DVec3::ZERO,
        }
    }

    /// Does what is due at the beginning of a step that ends at `end`.
    fn act(&mut self, world: &mut World, end: f64) -> Result<(), SimError> {
        let begins = self.path.first().map_or(0.0, |(time, _)| *time);
        if world.time >= self.until {
            for &particle in self.particles.iter().take(self.taken.len()) {
                world.release(particle);
            }
            self.taken.clear();
            return Ok(());
        }
        if world.time < begins {
            return Ok(());
        }
        if self.taken.is_empty() {
            for &particle in &self.particles {
                world.grab(particle)?;
                self.taken.push(world.particles().position[particle]);
            }
        }
        let displacement = self.displacement(end);
        for (&particle, &start) in self.particles.iter().zip(&self.taken) {
            world.move_grabbed(particle, start + displacement)?;
        }
        Ok(())
    }
}

impl Scene {
    /// Makes one step. The number of substeps is the scene's own.
    pub fn advance(&mut self, options: &StepOptions) -> Result<StepReport, SimError> {
        let end = self.world.time + self.dt;
        for hand in &mut self.hands {
            hand.act(&mut self.world, end)?;
        }
        step(&mut self.world, self.dt, &StepOptions { substeps: self.substeps, ..*options })
    }

    /// How many steps the scene takes.
    pub fn step_count(&self) -> usize {
        (self.seconds / self.dt).round().max(0.0) as usize
    }
}
