//! A substep against bodies: corners go above their planes, with friction, and bodies learn what it took.
//!
//! Particles that meet other cloth in the same substep have rows for their planes ([`HalfSpaceRow`]), relaxed together with those of
//! the cloth; in the end all corners are projected, so that whatever else was left undone no triangle is in a body. Where planes
//! face each other, cloth gives up what keeps it off the bodies beyond touching them; where even that does not do, or corners cannot
//! be moved, they are told ([`BodyContacts::sunk`]), to be carried along or to hold a body up.

use glam::DVec3;

use super::super::half_space::HalfSpaceRow;
use super::smooth::SmoothBody;
use super::{BodyContacts, Pair};
use crate::cloth::Particles;

/// Depth, and way into it, of what was pressed below a plane, in metres.
const PRESSED: f64 = 1e-6;
/// How often planes that face each other are gone through.
const SQUEEZES: usize = 10;

impl BodyContacts {
    /// Moves the planes with their bodies, to the end of the running substep.
    pub fn turn(&mut self, bodies: &[SmoothBody]) {
        for active in &mut self.active {
            let Some(body) = self.pairs[active.pair as usize].body.map(|body| &bodies[body as usize]) else { continue };
            if body.moves {
                active.normal = body.pose.rotation * active.local_normal;
                active.level = active.local_level + active.normal.dot(body.pose.translation);
            }
        }
    }

    /// Makes rows of the planes that may be met by particles which also meet other cloth.
    pub fn prepare(&mut self, bodies: &[SmoothBody], others: &[HalfSpaceRow<4>], particles: &Particles) {
        self.rows.clear();
        self.row_body.clear();
        self.involved.fill(false);
        if self.active.is_empty() {
            return;
        }
        for p in others.iter().flat_map(|row| row.particles) {
            self.involved[p as usize] = particles.inverse_mass[p as usize] > 0.0;
        }
        for active in &self.active {
            let Pair { body: index, friction, margin } = self.pairs[active.pair as usize];
            let body = index.map(|index| &bodies[index as usize]);
            let moves = body.is_some_and(|body| body.moves);
            for p in active.corners {
                let (position, before) = (particles.position[p as usize], particles.previous[p as usize]);
                if !self.involved[p as usize] || active.normal.dot(position) > active.level + margin {
                    continue;
                }
                let height = active.normal.dot(before);
                let (held, freed) = match moves {
                    // What was too low when the substep began comes up, but not to fly.
                    false => (active.level.min(height), (active.level - height).max(0.0)),
                    // A body that moves may be pushed back: there every push counts, so that none is lost.
                    true => (active.level, 0.0),
                };
                self.rows.push(HalfSpaceRow {
                    particles: [p],
                    weights: [1.0],
                    shares: [1.0],
                    unit: active.normal,
                    held,
                    freed,
                    gentle: f64::INFINITY,
                    anchor: body.map_or(before, |body| body.carry(before)),
                    friction,
                    pressed: 0.0,
                    grip: DVec3::ZERO,
                });
                self.row_body.push(index);
            }
        }
    }

    /// Relaxes the rows once; whether any pushes.
    pub fn relax(&mut self, positions: &mut [DVec3]) -> bool {
        self.rows.iter_mut().fold(false, |any, row| row.relax(positions) | any)
    }

    /// Notes what the rows did, now that they are solved.
    pub fn finish(&mut self, particles: &mut Particles, h: f64) {
        self.involved.fill(false);
        for (row, &body) in self.rows.iter().zip(&self.row_body).filter(|(row, _)| row.pressed > 0.0) {
            row.note_recovery(&mut particles.recovered);
            let p = row.particles[0] as usize;
            self.involved[p] = true;
            let back = (row.unit * row.pressed + row.grip) / (-h * particles.inverse_mass[p]);
            let Some(of_body) = body.map(|body| &mut self.impulses[body as usize]) else { continue };
            of_body[0] += back;
            of_body[1] += particles.position[p].cross(back);
        }
    }

    /// Moves corners above their planes and applies friction; how many particles were moved off bodies and off meshes.
    pub fn project(&mut self, bodies: &[SmoothBody], particles: &mut Particles, h: f64) -> [usize; 2] {
        (self.contested, self.outran) = (false, false);
        if self.active.is_empty() {
            return [0; 2];
        }
        self.push.fill(DVec3::ZERO);
        self.start.copy_from_slice(&particles.position);
        let Particles { position, previous, recovered, inverse_mass, .. } = particles;
        for active in &self.active {
            for p in active.corners.map(|p| p as usize) {
                let depth = active.level - active.normal.dot(position[p]);
                if depth > 0.0 && inverse_mass[p] > 0.0 {
                    position[p] += active.normal * depth;
                    self.push[p] += active.normal * depth;
                    self.pusher[p] = active.pair;
                    // What was too low when the substep began comes up, but not to fly. A body that moves may be pushed
                    // back: there every push counts, so that none is lost.
                    let body = self.pairs[active.pair as usize].body.map(|body| &bodies[body as usize]);
                    let below = (active.level - active.normal.dot(previous[p])).min(depth);
                    if below > 0.0 && !body.is_some_and(|body| body.moves) {
                        recovered[p] += active.normal * below;
                    }
                }
            }
        }
        let mut counts = [0; 2];
        for (p, &push) in self.push.iter().enumerate() {
            if push == DVec3::ZERO {
                counts[0] += usize::from(self.involved[p]);
                continue;
            }
            let Pair { body, friction, .. } = self.pairs[self.pusher[p] as usize];
            counts[usize::from(body.is_none())] += 1;
            let pressed = push.length();
            let normal = push / pressed;
            let carried = body.map_or(DVec3::ZERO, |body| bodies[body as usize].way_to(position[p]));
            let way = position[p] - previous[p] - carried;
            let slip = way - normal * normal.dot(way);
            let length = slip.length();
            if length <= friction.fixed * pressed {
                position[p] -= slip;
            } else {
                position[p] -= slip * (friction.sliding * pressed / length).min(1.0);
            }
        }
        // Friction, and planes that face each other, may have undone a little.
        for active in &self.active {
            for p in active.corners.map(|p| p as usize) {
                let depth = active.level - active.normal.dot(position[p]);
                if depth > 0.0 {
                    self.contested = true;
                    if inverse_mass[p] > 0.0 {
                        position[p] += active.normal * depth;
                        self.pusher[p] = active.pair;
                    }
                }
            }
        }
        if self.contested {
            self.squeeze(position, inverse_mass);
        }
        let with_rows = !self.rows.is_empty();
        for (p, (&end, &start)) in position.iter().zip(&self.start).enumerate() {
            if end != start || with_rows {
                self.outran |= end.distance_squared(self.origin[p]) > self.reach[p] * self.reach[p];
            }
            if end != start
                && let Some(body) = self.pairs[self.pusher[p] as usize].body
            {
                let back = (start - end) / (h * inverse_mass[p]);
                let of_body = &mut self.impulses[body as usize];
                of_body[0] += back;
                of_body[1] += end.cross(back);
            }
        }
        counts
    }

    /// Moves corners between planes that face each other, as close to the bodies as they must be.
    pub fn squeeze(&mut self, position: &mut [DVec3], inverse_mass: &[f64]) {
        for _ in 0..SQUEEZES {
            let mut any = false;
            for active in &self.active {
                let least = active.level - active.spare;
                for p in active.corners.map(|p| p as usize) {
                    let depth = least - active.normal.dot(position[p]);
                    if depth > 0.5 * PRESSED && inverse_mass[p] > 0.0 {
                        position[p] += active.normal * depth;
                        self.pusher[p] = active.pair;
                        any = true;
                    }
                }
            }
            if !any {
                return;
            }
        }
    }

    /// Whether the last projection took a particle farther than what was foreseen, so that it may have met what was not looked for.
    pub fn pushed_too_far(&self) -> bool {
        self.outran
    }

    /// Whether the last projection left particles in bodies.
    pub fn left_sunk(&self, bodies: &[SmoothBody], particles: &Particles) -> bool {
        self.contested && self.sunk(bodies, particles).next().is_some()
    }

    /// Particles that are in bodies, or all but in them, and deeper than when the substep began; and the number of the shape, none for a
    /// mesh that stays.
    pub fn sunk<'a>(
        &'a self,
        bodies: &'a [SmoothBody],
        particles: &'a Particles,
    ) -> impl Iterator<Item = (u32, Option<u32>)> + 'a {
        let Particles { position, previous, .. } = particles;
        let corners = self.active.iter().flat_map(|active| active.corners.map(|p| (active, p)));
        corners.filter_map(move |(active, p)| {
            let height = active.normal.dot(position[p as usize]) - (active.level - active.spare);
            if height >= -PRESSED {
                return None;
            }
            let index = self.pairs[active.pair as usize].body;
            let previous = previous[p as usize];
            let local = index.map_or(previous, |index| bodies[index as usize].before.inverse_transform_point(previous));
            let before = active.local_normal.dot(local) - (active.local_level - active.spare);
            (height < before - PRESSED).then_some((p, index))
        })
    }

    /// What was done to each body since the last call: the impulse, and its moment about the world's origin.
    pub fn take_impulses(&mut self) -> Vec<[DVec3; 2]> {
        let none = vec![[DVec3::ZERO; 2]; self.impulses.len()];
        std::mem::replace(&mut self.impulses, none)
    }
}
