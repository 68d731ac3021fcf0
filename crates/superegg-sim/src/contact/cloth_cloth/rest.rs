//! The end of a step: what hardly moves in contact with other cloth comes to rest.

use glam::DVec3;

use super::super::carriers::Carriers;
use super::super::cloth_body::BodyContacts;
use super::super::mesh_vertices::MeshVertices;
use super::{SurfaceContacts, colliding};
use crate::SimError;
use crate::cloth::Part;
use crate::cloth::Particles;

/// Particles in contact that get along more slowly than this, in metres a second, lose speed.
const SLOW: f64 = 0.05;
/// Particles in contact that an acceleration below this, in m/s², would have brought where a step took them, stay.
const STILL: f64 = 0.5;

/// Whether a particle keeps turning back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tremor {
    /// The way that the last step took it.
    way: DVec3,
    /// Grows when it turns back, fades otherwise.
    restless: u8,
}

impl Tremor {
    /// Notes the way of a step; whether it turned back at every other step of late, or more often.
    fn feel(&mut self, way: DVec3) -> bool {
        let turned = way.dot(self.way) < 0.0;
        self.way = way;
        self.restless = if turned { (self.restless + 4).min(12) } else { self.restless.saturating_sub(2) };
        self.restless >= 8
    }
}

impl SurfaceContacts {
    /// Notes where a step begins.
    pub fn begin_step(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles) {
        self.pushed.clear();
        self.driven.clear();
        if colliding(parts, meshes).next().is_some() {
            self.began.clone_from(&particles.position);
            self.tremor.resize(particles.len(), Tremor::default());
            self.pushed.resize(particles.len(), false);
            self.driven.resize(particles.len(), false);
        }
    }

    /// Brings particles to rest that contacts pushed and that hardly got along in a step of length `dt`, unless something
    /// that moves is near. Pressed between contacts and strained edges they tremble from substep to substep and creep from step to step,
    /// because a substep does not solve everything: so they stay where the step began (as in Macklin et al. 2014, "Unified
    /// particle physics", section 4.5), and those that keep turning back go a tenth of their way. That may not lead through
    /// other cloth.
    pub fn end_step(
        &mut self,
        parts: &[Part],
        carriers: &mut Carriers,
        bodies: &mut BodyContacts,
        particles: &mut Particles,
        dt: f64,
    ) -> Result<(), SimError> {
        if !self.pushed.contains(&true) {
            return Ok(());
        }
        let Particles { position, previous, velocity, inverse_mass, .. } = &mut *particles;
        previous.copy_from_slice(position);
        let still = STILL * dt * dt;
        self.resting.clear();
        // Their neighbours, too, whose edges would go on pulling at them.
        let pushed = self.pushed.clone();
        for face in self.tree.iter().flat_map(|tree| &tree.faces) {
            if face.corners.iter().any(|&p| pushed[p as usize]) {
                face.corners.iter().for_each(|&p| self.pushed[p as usize] = true);
            }
        }
        for p in (0..self.pushed.len()).filter(|&p| self.pushed[p] && inverse_mass[p] > 0.0) {
            let way = position[p] - self.began[p];
            let speed = way.length() / dt;
            if speed < velocity[p].length() {
                velocity[p] = way / dt * (speed / SLOW).min(1.0);
            }
            let trembles = self.tremor[p].feel(way);
            let may = !(bodies.is_near_moving(p) || self.driven[p]);
            if may && (way.length() < still || trembles) {
                position[p] = self.began[p] + if trembles { 0.1 * way } else { DVec3::ZERO };
                self.resting.push(p as u32);
            }
        }
        if self.resting.is_empty() {
            return Ok(());
        }
        // The planes of bodies may be others than when the step began.
        bodies.squeeze(&mut particles.position, &particles.inverse_mass);
        self.put_back(parts, carriers, bodies, particles, (0.0, dt), |_, _, _, _| Ok(()))?;
        let Particles { position, previous, velocity, .. } = particles;
        for p in self.resting.iter().map(|&p| p as usize) {
            let undone = position[p] == previous[p] && position[p] != self.began[p];
            if !undone {
                velocity[p] = DVec3::ZERO;
            }
        }
        Ok(())
    }
}
