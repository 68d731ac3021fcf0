//! Everything that hangs together, while a step is being made: joints that are solved exactly, drives and holds.

use super::articulation::Articulation;
use super::body::State;
use super::grip::{Grip, Pull};
use super::linkage::{Freedom, Linkage};
use super::row::{Softness, Velocities};

/// Joints and holds of a step.
pub(super) struct Hung {
    articulation: Articulation,
    freedoms: Vec<Freedom>,
    pulls: Vec<Pull>,
}

impl Hung {
    pub fn new(linkages: &[Option<Linkage>], bodies: &[State], velocities: &Velocities) -> Hung {
        let articulation =
            if linkages.is_empty() { Articulation::default() } else { Articulation::new(linkages, bodies, velocities) };
        Hung { articulation, freedoms: Vec::new(), pulls: Vec::new() }
    }

    /// Works everything out from where the bodies are.
    pub fn place(
        &mut self,
        linkages: &[Option<Linkage>],
        grips: &[Option<Grip>],
        bodies: &[State],
        velocities: &Velocities,
        h: f64,
    ) {
        self.freedoms.clear();
        if !self.articulation.is_empty() {
            self.articulation.factor(linkages, bodies, h);
        }
        for (number, linkage) in (0u32..).zip(linkages) {
            if let Some(linkage) = linkage {
                let awake = |body: u32| velocities.list[body as usize].inverse_mass > 0.0;
                if linkage.ends(bodies).into_iter().any(awake) {
                    linkage.driven(number, bodies, velocities, &mut self.freedoms);
                }
            }
        }
        self.pulls.clear();
        for (index, grip) in grips.iter().enumerate() {
            self.pulls.extend(grip.as_ref().map(|grip| grip.pull(index, bodies, velocities)));
        }
    }

    /// Applies the impulses of the last substep again, so that drives see how bodies move on their joints.
    pub fn warm_start(&mut self, bodies: &[State], velocities: &mut Velocities) {
        self.freedoms.iter().for_each(|freedom| freedom.warm_start(velocities));
        self.pulls.iter().for_each(|pull| pull.warm_start(velocities));
        let driven = !(self.freedoms.is_empty() && self.pulls.is_empty());
        if driven && !self.articulation.is_empty() {
            self.articulation.solve(bodies, &mut velocities.list, true);
        }
    }

    /// Corrects the impulses once; `soft` brings back what is off. Returns the largest change of a driven speed.
    pub fn solve(&mut self, bodies: &[State], velocities: &mut Velocities, h: f64, soft: Option<&Softness>) -> f64 {
        let changes = self.freedoms.iter_mut().map(|freedom| freedom.solve(velocities, h, soft));
        let changed = changes.fold(0.0, f64::max);
        if soft.is_some() {
            self.pulls.iter_mut().for_each(|pull| pull.solve(velocities, h));
        }
        if !self.articulation.is_empty() {
            self.articulation.solve(bodies, &mut velocities.list, soft.is_some());
        }
        changed
    }

    /// Notes the forces of a step's joints.
    pub fn note_forces(&self, linkages: &mut [Option<Linkage>], dt: f64) {
        for (number, impulse) in self.articulation.pulls() {
            if let Some(linkage) = &mut linkages[number as usize] {
                linkage.force = impulse / dt;
            }
        }
    }

    /// Hands back the impulses.
    pub fn remember(&self, linkages: &mut [Option<Linkage>], grips: &mut [Option<Grip>]) {
        for freedom in &self.freedoms {
            if let Some(linkage) = &mut linkages[freedom.linkage as usize] {
                linkage.remember(freedom);
            }
        }
        for pull in &self.pulls {
            if let Some(grip) = &mut grips[pull.grip] {
                grip.remember(pull);
            }
        }
    }
}
