//! The last resort of surfaces: what went through each other in a substep, or into a body, is taken back to where it was.
//!
//! The state at the beginning of the substep is free of intersections, and every triangle near a smooth body is above a plane that has
//! the body below it. So features that went through each other are put back to where the substep began, and those they meet there,
//! too, until none are left. With a body that has moved, cloth that met its mesh, or is below a plane of a smooth shape of it, is put
//! back *to where it was as seen from the body*: it is carried along, above its plane. In the substep all points go straight, and
//! those that go with one body are at every moment an affine image of what they were, which is one-to-one as long as the body turns
//! by less than half a turn: none of them meet.
//!
//! Cloth that one body would carry and another, or one at rest, or a pin would not let go, is squeezed. There is no good end of the
//! substep then, and the body is held up: it stays where the substep began, and cloth is put back with the world. Every change takes a
//! particle from loose to the world's to a body's home, or holds a body up: so there is an end. If it is too far off, everything
//! stays where it was.

use glam::DVec3;

use super::super::carriers::Carriers;
use super::super::cloth_body::BodyContacts;
use super::super::cloth_body::smooth::SmoothBody;
use super::super::features::{EdgeEdge, Features, VertexFace};
use super::super::linear_motion::stay_apart;
use super::super::mesh_planes::MeshPlanes;
use super::{NONE, Pair, Strayed, SurfaceContacts};
use crate::SimError;
use crate::cloth::Part;
use crate::cloth::Particles;

/// Most rounds of putting back. Each puts more vertices back; whole layers may have to follow one.
const ROUNDS: usize = 30;
/// Most times that pairs are looked for anew, because something was carried or held up.
const SEARCHES: usize = 10;
/// The home of particles that were not put back.
const LOOSE: u32 = u32::MAX;
/// The home of those that were put back to where they were. Below: the number of what carries them.
const WORLD: u32 = u32::MAX - 1;

impl SurfaceContacts {
    /// What went through what in the running substep.
    pub fn pierced(&mut self, particles: &Particles, h: f64) -> Pierced {
        if self.vertex_face.is_empty() && self.edge_edge.is_empty() {
            return Pierced::Nothing;
        }
        self.find_meeting(particles, h);
        let faces = self.near_faces.iter().map(|&near| self.vertex_face[near as usize].particles);
        let edges = self.near_edges.iter().map(|&near| self.edge_edge[near as usize].particles);
        let faces = faces.filter(|&of| went_through::<VertexFace>(of, particles));
        let edges = edges.filter(|&of| went_through::<EdgeEdge>(of, particles));
        let of_mesh = |[first, .., last]: [u32; 4]| [first, last].iter().any(|p| self.mesh_of[*p as usize] != NONE);
        faces.chain(edges).fold(Pierced::Nothing, |so_far, of| match so_far {
            Pierced::Mesh => so_far,
            _ if of_mesh(of) => Pierced::Mesh,
            _ => Pierced::Cloth,
        })
    }

    /// Lists the pairs that may meet on their way.
    fn find_meeting(&mut self, particles: &Particles, h: f64) {
        self.stray(particles, h);
        // Features that meet on the way come within no distance at all.
        find_meeting::<VertexFace>(&self.vertex_face, &self.strayed, &mut self.near_faces);
        find_meeting::<EdgeEdge>(&self.edge_edge, &self.strayed, &mut self.near_edges);
    }

    /// Undoes what is left of features going through each other and of particles in bodies, in a substep of length `h`. `look_again`
    /// finds planes for particles that go farther than was foreseen.
    pub fn put_back(
        &mut self,
        parts: &[Part],
        carriers: &mut Carriers,
        bodies: &mut BodyContacts,
        particles: &mut Particles,
        (h, dt): (f64, f64),
        look_again: impl Fn(&mut BodyContacts, &mut [SmoothBody], &Particles, &mut MeshPlanes) -> Result<(), SimError>,
    ) -> Result<(), SimError> {
        self.mesh_of.resize(particles.len(), NONE);
        self.home.clear();
        self.home.resize(particles.len(), LOOSE);
        for (index, mesh) in (0u32..).zip(&*carriers.meshes) {
            let home = if mesh.has_moved() { index } else { WORLD };
            self.home[mesh.surface.particles.clone()].fill(home);
        }
        for _ in 0..SEARCHES {
            if !self.covers(parts, carriers.meshes, particles) {
                self.renew(parts, carriers.meshes, particles, h, dt);
                bodies.take_over(&self.planes, &particles.previous);
            }
            let Some(carried) = self.put_back_listed(carriers, particles, h) else { break };
            let outran = bodies.outran(&particles.position);
            if outran {
                look_again(bodies, carriers.smooth, particles, &mut self.planes)?;
                bodies.turn(carriers.smooth);
            }
            let Some(sunk) = self.put_back_sunk(carriers, bodies, particles) else { break };
            // What was put back to the world strays no farther by that; what was carried may meet others.
            if !carried && !sunk && self.covers(parts, carriers.meshes, particles) {
                return Ok(());
            }
        }
        // Nothing moves at all: the state at the beginning is known to be good.
        let moved = carriers.smooth.iter().filter(|smooth| smooth.has_moved()).map(|smooth| smooth.body);
        let moved = moved.chain(carriers.meshes.iter().filter(|mesh| mesh.has_moved()).map(|mesh| mesh.body));
        for body in moved.collect::<Vec<u32>>() {
            self.hold_up(body, carriers, particles);
        }
        bodies.turn(carriers.smooth);
        let Particles { position, previous, recovered, .. } = particles;
        position.copy_from_slice(previous);
        recovered.fill(DVec3::ZERO);
        Ok(())
    }

    /// Puts back what went through each other among the listed pairs; whether something carried cloth, or was held up.
    /// `None` if there is no end of it.
    fn put_back_listed(&mut self, carriers: &mut Carriers, particles: &mut Particles, h: f64) -> Option<bool> {
        if self.vertex_face.is_empty() && self.edge_edge.is_empty() {
            return Some(false);
        }
        self.find_meeting(particles, h);
        let mut outcome = Outcome::default();
        for _ in 0..ROUNDS {
            outcome.any = false;
            for index in 0..self.near_faces.len() {
                let of = self.vertex_face[self.near_faces[index] as usize].particles;
                self.put_back_pair::<VertexFace>(of, carriers, particles, &mut outcome);
            }
            for index in 0..self.near_edges.len() {
                let of = self.edge_edge[self.near_edges[index] as usize].particles;
                self.put_back_pair::<EdgeEdge>(of, carriers, particles, &mut outcome);
            }
            if !outcome.any {
                return Some(outcome.carried);
            }
        }
        None
    }

    /// Puts the particles of features that went through each other back.
    fn put_back_pair<F: Features>(
        &mut self,
        of: [u32; 4],
        carriers: &mut Carriers,
        particles: &mut Particles,
        outcome: &mut Outcome,
    ) {
        if !went_through::<F>(of, particles) {
            return;
        }
        let own = of.map(|p| p as usize);
        let mesh = own.into_iter().find(|&p| self.mesh_of[p] != NONE);
        let home = match mesh {
            Some(p) => self.home[p],
            None => own.map(|p| self.home[p]).into_iter().find(|home| *home < WORLD).unwrap_or(WORLD),
        };
        for p in own {
            let other = self.home[p];
            if other < WORLD && (home == WORLD || carriers.body(other) != carriers.body(home)) {
                self.hold_up(carriers.body(other), carriers, particles);
                (outcome.any, outcome.carried) = (true, true);
            }
        }
        for p in own {
            if self.mesh_of[p] == NONE {
                self.give(p, home, carriers, particles, outcome);
                self.pushed[p] |= mesh.is_none();
            }
        }
    }

    /// Puts a particle back: to where it was, or where that has been carried. One that something holds is not carried: that holds
    /// the carrier up.
    fn give(&mut self, p: usize, home: u32, carriers: &mut Carriers, particles: &mut Particles, outcome: &mut Outcome) {
        if home < WORLD && particles.inverse_mass[p] == 0.0 {
            self.hold_up(carriers.body(home), carriers, particles);
            (outcome.any, outcome.carried) = (true, true);
        }
        let home = if home < WORLD && carriers.has_moved(home) { home } else { WORLD };
        let previous = particles.previous[p];
        let place = if home < WORLD { carriers.carry(home, previous) } else { previous };
        if particles.position[p] != place {
            outcome.any = true;
            outcome.carried |= home < WORLD;
        }
        particles.position[p] = place;
        particles.recovered[p] = DVec3::ZERO;
        self.home[p] = home;
    }

    /// Takes back the substep of a body and of all that it carries.
    fn hold_up(&mut self, body: u32, carriers: &mut Carriers, particles: &mut Particles) {
        carriers.hold_up(body);
        for mesh in carriers.meshes.iter().filter(|mesh| mesh.body == body) {
            particles.velocity[mesh.surface.particles.clone()].fill(DVec3::ZERO);
        }
        for (p, home) in self.home.iter_mut().enumerate() {
            if *home < WORLD && carriers.body(*home) == body {
                *home = WORLD;
                particles.position[p] = particles.previous[p];
                particles.recovered[p] = DVec3::ZERO;
            }
        }
    }

    /// Puts back what is in bodies: carried along by one that moves, held where it was by one that does not; what is squeezed between
    /// two holds up the one that carries it. Whether anything was moved; `None` if there is no end of it.
    fn put_back_sunk(
        &mut self,
        carriers: &mut Carriers,
        bodies: &mut BodyContacts,
        particles: &mut Particles,
    ) -> Option<bool> {
        let mut sunk = std::mem::take(&mut self.sunk);
        let mut outcome = Outcome::default();
        let mut changed = false;
        for _ in 0..ROUNDS {
            outcome.any = false;
            sunk.clear();
            sunk.extend(bodies.sunk(carriers.smooth, particles));
            for &(p, index) in &sunk {
                let p = p as usize;
                let moved = index.filter(|index| carriers.smooth[*index as usize].has_moved());
                let into = moved.map(|index| carriers.number_of_smooth(index));
                match (self.home[p], into) {
                    (LOOSE, None) => self.give(p, WORLD, carriers, particles, &mut outcome),
                    (LOOSE | WORLD, Some(number)) => self.give(p, number, carriers, particles, &mut outcome),
                    (WORLD, None) => {}
                    // One of those it was given before in this round was held up, or holds it.
                    (home, Some(number)) if carriers.body(home) == carriers.body(number) => {}
                    (home, _) => {
                        self.hold_up(carriers.body(home), carriers, particles);
                        outcome.any = true;
                    }
                }
            }
            if !outcome.any {
                self.sunk = sunk;
                return Some(changed);
            }
            changed = true;
            bodies.turn(carriers.smooth);
        }
        self.sunk = sunk;
        None
    }
}

/// Whether two features went through each other in the running substep.
fn went_through<F: Features>(of: [u32; 4], particles: &Particles) -> bool {
    let own = of.map(|p| p as usize);
    let (before, points) = (own.map(|p| particles.previous[p]), own.map(|p| particles.position[p]));
    !stay_apart::<F>(&before, &points) && F::meet(&before, &points).is_some()
}

/// What was gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pierced {
    Nothing,
    /// Cloth by cloth, and nothing else.
    Cloth,
    /// Cloth by an mesh.
    Mesh,
}

/// What putting back came to.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    /// Whether anything was moved in this round.
    any: bool,
    /// Whether something carried cloth, or was held up, in any.
    carried: bool,
}

/// Lists the pairs that may meet on their way.
fn find_meeting<F: Features>(pairs: &[Pair], strayed: &Strayed, near: &mut Vec<u32>) {
    near.clear();
    let meeting = |(_, pair): &(u32, &Pair)| pair.may_be_within::<F>(0.0, strayed);
    near.extend((0u32..).zip(pairs).filter(meeting).map(|(index, _)| index));
}
