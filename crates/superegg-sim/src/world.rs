//! Everything that is simulated together.

use glam::DVec3;
use superegg::InvalidInput;
use superegg::query::batch::Threads;
use superegg_mesh::MeshError;

use crate::body::{Body, BodyId};
use crate::cloth::{ClothId, ClothState};
use crate::constraint::Elastic;
use crate::constraint::packed::Packed;
use crate::constraint::pin::Pin;
use crate::contact::{BodyContacts, SurfaceContacts};
use crate::error::require_index;
use crate::obstacle::ObstacleState;
use crate::soft::{SoftId, SoftState};
use crate::surface::Surface;
use crate::{Particles, SimError, Wind};

/// Particles, bodies and the constraints between them.
#[derive(Clone, Debug)]
pub struct World {
    /// Acceleration of everything that has mass, in m/s².
    pub gravity: DVec3,
    /// The air; `None` for a vacuum.
    pub wind: Option<Wind>,
    /// Simulated time, in seconds.
    pub time: f64,
    pub(crate) particles: Particles,
    pub(crate) bodies: Vec<Body>,
    pub(crate) obstacles: Vec<ObstacleState>,
    /// Constraints, skin and damping of each cloth and soft solid.
    pub(crate) parts: Vec<Part>,
    pub(crate) cloths: Vec<ClothState>,
    pub(crate) solids: Vec<SoftState>,
    pub(crate) pins: Vec<Pin>,
    /// Scratch of the constraints.
    pub(crate) packed: Vec<Packed>,
    pub(crate) body_contacts: BodyContacts,
    pub(crate) surface_contacts: SurfaceContacts,
}

/// A cloth or soft solid as the solver sees it.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub elastic: Elastic,
    pub surface: Surface,
    pub damping: f64,
    pub internal_damping: f64,
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

impl World {
    /// An empty world with the gravity of the Earth.
    pub fn new() -> World {
        World {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            wind: None,
            time: 0.0,
            particles: Particles::default(),
            bodies: Vec::new(),
            obstacles: Vec::new(),
            parts: Vec::new(),
            cloths: Vec::new(),
            solids: Vec::new(),
            pins: Vec::new(),
            packed: Vec::new(),
            body_contacts: BodyContacts::default(),
            surface_contacts: SurfaceContacts::default(),
        }
    }

    /// Adds a body.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, SimError> {
        body.validate()?;
        self.bodies.push(body);
        Ok(BodyId(self.bodies.len() - 1))
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Replaces a body: moves it, changes its shape or its velocity. Cloth that it lands in is pushed out slowly.
    pub fn set_body(&mut self, id: BodyId, body: Body) -> Result<(), SimError> {
        require_index("body", id.0, self.bodies.len())?;
        body.validate()?;
        if self.bodies[id.0].shape != body.shape {
            self.body_contacts.forget(id.0);
        }
        self.bodies[id.0] = body;
        Ok(())
    }

    /// The particles: of cloths and soft solids, and the vertices of obstacles, which have no inverse mass.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Sets a particle's velocity.
    pub fn set_velocity(&mut self, particle: usize, velocity: DVec3) -> Result<(), SimError> {
        self.require_free(particle)?;
        InvalidInput::unless(velocity.is_finite(), "velocity", velocity.length(), "the finite vectors")?;
        self.particles.velocity[particle] = velocity;
        Ok(())
    }

    /// Places a cloth's vertices anew, at rest velocity zero: a start that differs from the rest shape.
    pub fn place_cloth(&mut self, cloth: ClothId, positions: &[DVec3]) -> Result<(), SimError> {
        require_index("cloth", cloth.0, self.cloths.len())?;
        let range = self.cloths[cloth.0].particles.clone();
        if positions.len() != range.len() {
            return Err(MeshError::VertexCount { expected: range.len(), found: positions.len() }.into());
        }
        if let Some((particle, &position)) = positions.iter().enumerate().find(|(_, p)| !p.is_finite()) {
            return Err(SimError::NotFinite { particle: range.start + particle, position });
        }
        self.particles.position[range.clone()].copy_from_slice(positions);
        self.particles.previous[range.clone()].copy_from_slice(positions);
        self.particles.velocity[range.clone()].fill(DVec3::ZERO);
        for pin in self.pins.iter_mut().filter(|pin| range.contains(&(pin.particle as usize))) {
            pin.target = self.particles.position[pin.particle as usize];
            pin.from = pin.target;
        }
        self.body_contacts.forget_all();
        self.surface_contacts.forget();
        if let Some(mesh) = &mut self.cloths[cloth.0].wrinkles {
            mesh.flatten();
        }
        self.follow_cloths(Threads::One);
        Ok(())
    }

    /// How many cloths there are.
    pub fn cloth_count(&self) -> usize {
        self.cloths.len()
    }

    /// Where a cloth's vertices are; empty for a cloth that does not exist.
    pub fn cloth_positions(&self, cloth: ClothId) -> &[DVec3] {
        self.cloths.get(cloth.0).map_or(&[], |state| &self.particles.position[state.particles.clone()])
    }

    /// A cloth's triangles, of its own vertices; empty for a cloth that does not exist.
    pub fn cloth_triangles(&self, cloth: ClothId) -> &[[u32; 3]] {
        self.cloths.get(cloth.0).map_or(&[], |state| &state.triangles)
    }

    /// Where a cloth's vertices are at rest; empty for a cloth that does not exist.
    pub fn cloth_rest(&self, cloth: ClothId) -> &[DVec3] {
        self.cloths.get(cloth.0).map_or(&[], |state| &state.rest)
    }

    /// The particle that is vertex 0 of a cloth; those of the others follow.
    pub fn first_particle(&self, cloth: ClothId) -> Option<usize> {
        self.cloths.get(cloth.0).map(|state| state.particles.start)
    }

    /// How many soft solids there are.
    pub fn soft_solid_count(&self) -> usize {
        self.solids.len()
    }

    /// Where a soft solid's vertices are; empty for one that does not exist.
    pub fn soft_solid_positions(&self, solid: SoftId) -> &[DVec3] {
        self.solids.get(solid.0).map_or(&[], |state| &self.particles.position[state.particles.clone()])
    }

    /// A soft solid's triangles, of its own vertices; empty for one that does not exist.
    pub fn soft_solid_triangles(&self, solid: SoftId) -> &[[u32; 3]] {
        self.solids.get(solid.0).map_or(&[], |state| &state.triangles)
    }

    /// The skins that collide, one for each cloth and soft solid in the order in which they were added.
    pub fn surfaces(&self) -> impl Iterator<Item = &Surface> {
        self.parts.iter().map(|part| &part.surface)
    }

    /// Takes hold of a particle: it stays where it is until it is [moved](World::move_grabbed) or
    /// [let go](World::release).
    pub fn grab(&mut self, particle: usize) -> Result<(), SimError> {
        self.require_free(particle)?;
        if !self.pins.iter().any(|pin| pin.particle as usize == particle) {
            let inverse_mass = self.particles.inverse_mass[particle];
            let target = self.particles.position[particle];
            self.pins.push(Pin { particle: particle as u32, target, from: target, inverse_mass });
            self.particles.inverse_mass[particle] = 0.0;
            self.particles.velocity[particle] = DVec3::ZERO;
        }
        Ok(())
    }

    /// Moves a held particle: it is at `target` at the end of the next step, unless cloth that it must not pass through is in
    /// the way.
    pub fn move_grabbed(&mut self, particle: usize, target: DVec3) -> Result<(), SimError> {
        InvalidInput::unless(target.is_finite(), "target", target.length(), "the finite vectors")?;
        let count = self.particles.len();
        let pin = self.pins.iter_mut().find(|pin| pin.particle as usize == particle);
        let pin = pin.ok_or(SimError::NoSuch { what: "held particle", index: particle, count })?;
        pin.target = target;
        Ok(())
    }

    /// Lets go of a particle. Nothing happens to one that is not held.
    pub fn release(&mut self, particle: usize) {
        if let Some(index) = self.pins.iter().position(|pin| pin.particle as usize == particle) {
            let pin = self.pins.remove(index);
            self.particles.inverse_mass[particle] = pin.inverse_mass;
        }
    }

    pub(crate) fn add_part(&mut self, part: Part) {
        self.parts.push(part);
        self.body_contacts.forget_all();
        self.surface_contacts.forget();
    }
}
