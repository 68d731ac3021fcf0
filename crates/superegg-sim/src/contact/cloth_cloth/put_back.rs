//! The last resort between surfaces: what went through each other in a substep is taken back to where it was.
//!
//! The state at the beginning of the substep is free of intersections. So features that went through each other are put back
//! to where the substep began, and those they meet there, too, until none are left. With an mesh that has moved, cloth is
//! put back *to where it was as seen from the mesh*: it is carried along. In the substep all points go straight, and those
//! that go with one mesh are at every moment an affine image of what they were, which is one-to-one as long as the
//! mesh turns by less than half a turn: none of them meet.
//!
//! Cloth that one mesh would carry and another, or one at rest, or the plane of a body would not let go, is squeezed. There
//! is no good end of the substep then, and the mesh is held up: it stays where the substep began, and cloth is put back
//! with the world. Every change takes a particle from loose to the world's to an mesh's home, or holds an mesh up: so
//! there is an end. If it is too far off, everything stays where it was.

use glam::DVec3;

use super::super::cloth_body::BodyContacts;
use super::super::features::{EdgeEdge, Features, VertexFace};
use super::super::linear_motion::stay_apart;
use super::super::mesh_vertices::MeshVertices;
use super::{NONE, Pair, SurfaceContacts};
use crate::cloth::Part;
use crate::cloth::Particles;

/// Most rounds of putting back. Each puts more vertices back; whole layers may have to follow one.
const ROUNDS: usize = 30;
/// Most times that pairs are looked for anew, because something was carried or held up.
const SEARCHES: usize = 10;
/// The home of particles that were not put back.
const LOOSE: u32 = u32::MAX;
/// The home of those that were put back to where they were. Below: the mesh that carries them.
const WORLD: u32 = u32::MAX - 1;

impl SurfaceContacts {
    /// What went through what in the running substep.
    pub fn pierced(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64) -> Pierced {
        if self.vertex_face.is_empty() && self.edge_edge.is_empty() {
            return Pierced::Nothing;
        }
        self.find_meeting(parts, meshes, particles, h);
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
    fn find_meeting(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64) {
        self.stray(parts, meshes, particles, h);
        // Features that meet on the way come within no distance at all.
        find_meeting::<VertexFace>(&self.vertex_face, &self.strayed, &mut self.near_faces);
        find_meeting::<EdgeEdge>(&self.edge_edge, &self.strayed, &mut self.near_edges);
    }

    /// Undoes what is left of features going through each other.
    pub fn put_back(
        &mut self,
        parts: &[Part],
        meshes: &mut [MeshVertices],
        bodies: &BodyContacts,
        particles: &mut Particles,
        h: f64,
        dt: f64,
    ) {
        if self.tree.is_none() {
            return;
        }
        self.home.clear();
        self.home.resize(particles.len(), LOOSE);
        for (index, mesh) in (0u32..).zip(&*meshes) {
            let home = if mesh.has_moved() { index } else { WORLD };
            self.home[mesh.surface.particles.clone()].fill(home);
        }
        for _ in 0..SEARCHES {
            if !self.covers(parts, meshes, particles) {
                self.list(parts, meshes, particles, h, dt);
            }
            let Some(carried) = self.put_back_listed(parts, meshes, particles, h) else { break };
            let squeezed = carried && self.hold_up_squeezed(meshes, bodies, particles);
            // What was put back to the world strays no farther by that; what was carried may meet others.
            if !carried && !squeezed && self.covers(parts, meshes, particles) {
                return;
            }
        }
        // Nothing moves at all: the state at the beginning is known to be good.
        for index in 0..meshes.len() as u32 {
            self.hold_up(index, meshes, particles);
        }
        let Particles { position, previous, recovered, .. } = particles;
        position.copy_from_slice(previous);
        recovered.fill(DVec3::ZERO);
    }

    /// Puts back what went through each other among the listed pairs; whether an mesh carried something, or was held up.
    /// `None` if there is no end of it.
    fn put_back_listed(
        &mut self,
        parts: &[Part],
        meshes: &mut [MeshVertices],
        particles: &mut Particles,
        h: f64,
    ) -> Option<bool> {
        if self.vertex_face.is_empty() && self.edge_edge.is_empty() {
            return Some(false);
        }
        self.find_meeting(parts, meshes, particles, h);
        let mut outcome = Outcome::default();
        for _ in 0..ROUNDS {
            outcome.any = false;
            for index in 0..self.near_faces.len() {
                let of = self.vertex_face[self.near_faces[index] as usize].particles;
                self.put_back_pair::<VertexFace>(of, meshes, particles, &mut outcome);
            }
            for index in 0..self.near_edges.len() {
                let of = self.edge_edge[self.near_edges[index] as usize].particles;
                self.put_back_pair::<EdgeEdge>(of, meshes, particles, &mut outcome);
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
        meshes: &mut [MeshVertices],
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
            if other < WORLD && other != home {
                self.hold_up(other, meshes, particles);
                (outcome.any, outcome.carried) = (true, true);
            }
        }
        for p in own.into_iter().filter(|&p| self.mesh_of[p] == NONE) {
            let previous = particles.previous[p];
            let place = if home < WORLD { meshes[home as usize].carry(previous) } else { previous };
            if particles.position[p] != place {
                outcome.any = true;
                outcome.carried |= home < WORLD;
            }
            particles.position[p] = place;
            particles.recovered[p] = DVec3::ZERO;
            self.home[p] = home;
            self.pushed[p] |= mesh.is_none();
        }
    }

    /// Takes back the substep of an mesh and of all that it carries.
    fn hold_up(&mut self, index: u32, meshes: &mut [MeshVertices], particles: &mut Particles) {
        let mesh = &mut meshes[index as usize];
        mesh.hold_up();
        particles.velocity[mesh.surface.particles.clone()].fill(DVec3::ZERO);
        for (p, home) in self.home.iter_mut().enumerate().filter(|(_, home)| **home == index) {
            *home = WORLD;
            particles.position[p] = particles.previous[p];
            particles.recovered[p] = DVec3::ZERO;
        }
    }

    /// Holds up the meshes that carried cloth into bodies; whether there were any.
    fn hold_up_squeezed(
        &mut self,
        meshes: &mut [MeshVertices],
        bodies: &BodyContacts,
        particles: &mut Particles,
    ) -> bool {
        let squeezed: Vec<usize> = bodies.pressed_below(particles).collect();
        let mut any = false;
        for p in squeezed {
            if self.home[p] < WORLD {
                self.hold_up(self.home[p], meshes, particles);
                any = true;
            }
        }
        any
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
    /// Whether an mesh carried something, or was held up, in any.
    carried: bool,
}

/// Lists the pairs that may meet on their way.
fn find_meeting<F: Features>(pairs: &[Pair], strayed: &[f32], near: &mut Vec<u32>) {
    near.clear();
    let meeting = |(_, pair): &(u32, &Pair)| pair.may_be_within::<F>(0.0, strayed);
    near.extend((0u32..).zip(pairs).filter(meeting).map(|(index, _)| index));
}
