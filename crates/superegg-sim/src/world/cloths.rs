//! Cloths, soft solids and pins of a world.

use glam::DVec3;
use superegg::InvalidInput;
use superegg::Threads;
use superegg_mesh::{MeshError, TriangleMesh};

use super::World;
use crate::SimError;
use crate::cloth::pin::Pin;
use crate::cloth::surface::Surface;
use crate::cloth::wrinkles::WrinkleMesh;
use crate::cloth::{Cloth, Fabric, Owner, Part, Particles, Wrinkles, part_of};
use crate::error::{require_finite, require_index};
use crate::handle::{ClothId, PinId, SoftId};
use crate::soft::SoftSolid;

/// A cloth or a soft solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flexible {
    /// A cloth.
    Cloth(ClothId),
    /// A soft solid.
    Soft(SoftId),
}

impl From<ClothId> for Flexible {
    fn from(cloth: ClothId) -> Flexible {
        Flexible::Cloth(cloth)
    }
}

impl From<SoftId> for Flexible {
    fn from(solid: SoftId) -> Flexible {
        Flexible::Soft(solid)
    }
}

impl World {
    /// Adds a cloth, with a pin for each vertex that it is pinned at.
    pub fn add_cloth(&mut self, cloth: &Cloth, fabric: &Fabric) -> Result<ClothId, SimError> {
        let first = self.require_room(cloth.mesh.positions().len())?;
        let owner = Owner::Cloth(self.cloth_slots.next() as u32);
        let (part, masses) = part_of(owner, &cloth.mesh, &cloth.pins, fabric, first)?;
        for (&position, mass) in cloth.mesh.positions().iter().zip(masses) {
            self.surfaces.particles.push(position, if mass > 0.0 { 1.0 / mass } else { 0.0 });
        }
        self.add_part(part);
        let handle = self.cloth_slots.take(&mut self.stamp);
        for &vertex in &cloth.pins {
            self.pin(handle, vertex)?;
        }
        Ok(handle)
    }

    /// Adds a soft solid.
    pub fn add_soft_solid(&mut self, solid: &SoftSolid) -> Result<SoftId, SimError> {
        solid.validate()?;
        let first = self.require_room(solid.mesh.positions().len())?;
        let (part, mass) = solid.part(Owner::Soft(self.soft_slots.next() as u32), first);
        for &position in solid.mesh.positions() {
            self.surfaces.particles.push(position, 1.0 / mass);
        }
        self.add_part(part);
        Ok(self.soft_slots.take(&mut self.stamp))
    }

    fn require_room(&self, count: usize) -> Result<usize, SimError> {
        let first = self.surfaces.particles.len();
        let most = u32::MAX as usize;
        InvalidInput::unless(first + count <= most, "particles", count as f64, "what 32-bit indices can name")?;
        Ok(first)
    }

    fn add_part(&mut self, part: Part) {
        self.surfaces.parts.push(part);
        self.surfaces.forget_contacts();
        self.surfaces.wake();
    }

    fn owner(&self, of: Flexible) -> Result<Owner, SimError> {
        Ok(match of {
            Flexible::Cloth(cloth) => Owner::Cloth(self.cloth_slots.find(cloth, &self.stamp)? as u32),
            Flexible::Soft(solid) => Owner::Soft(self.soft_slots.find(solid, &self.stamp)? as u32),
        })
    }

    pub(super) fn part(&self, owner: Owner) -> Result<usize, SimError> {
        let (what, index) = match owner {
            Owner::Cloth(slot) => ("cloth", slot as usize),
            Owner::Soft(slot) => ("soft solid", slot as usize),
        };
        self.surfaces.part(owner).ok_or(SimError::Stale { what, index })
    }

    fn part_of_flexible(&self, of: Flexible) -> Result<&Part, SimError> {
        Ok(&self.surfaces.parts[self.part(self.owner(of)?)?])
    }

    /// Removes a cloth with its pins and drags.
    pub fn remove_cloth(&mut self, cloth: ClothId) -> Result<(), SimError> {
        let slot = self.cloth_slots.find(cloth, &self.stamp)?;
        self.remove_part(Owner::Cloth(slot as u32))?;
        self.cloth_slots.free(slot);
        Ok(())
    }

    /// Removes a soft solid with its pins and drags.
    pub fn remove_soft_solid(&mut self, solid: SoftId) -> Result<(), SimError> {
        let slot = self.soft_slots.find(solid, &self.stamp)?;
        self.remove_part(Owner::Soft(slot as u32))?;
        self.soft_slots.free(slot);
        Ok(())
    }

    fn remove_part(&mut self, owner: Owner) -> Result<(), SimError> {
        let index = self.part(owner)?;
        self.surfaces.wake();
        for slot in 0..self.surfaces.drags.len() {
            if self.surfaces.drags[slot].is_some_and(|drag| drag.owner == owner) {
                self.surfaces.drags[slot] = None;
                self.drag_slots.free(slot);
            }
        }
        let range = self.surfaces.parts.remove(index).surface.particles;
        for pin in self.surfaces.pins.iter().filter(|pin| range.contains(&(pin.particle as usize))) {
            self.pin_slots.free(pin.slot as usize);
        }
        self.surfaces.remove_particles(range);
        Ok(())
    }

    /// All cloths, by their slots.
    pub fn cloths(&self) -> impl Iterator<Item = ClothId> + '_ {
        self.cloth_slots.handles(&self.stamp)
    }

    /// All soft solids, by their slots.
    pub fn soft_solids(&self) -> impl Iterator<Item = SoftId> + '_ {
        self.soft_slots.handles(&self.stamp)
    }

    /// Whether a cloth or soft solid sleeps: it stays where it is until something stirs it.
    pub fn sleeps(&self, of: impl Into<Flexible>) -> Result<bool, SimError> {
        Ok(self.part_of_flexible(of.into())?.sleep.asleep)
    }

    /// Lets a cloth or soft solid sleep where it is, until something stirs it: it was put back to where it rested.
    pub fn put_to_sleep(&mut self, of: impl Into<Flexible>) -> Result<(), SimError> {
        let owner = self.owner(of.into())?;
        let index = self.part(owner)?;
        if !self.surfaces.parts[index].sleep.asleep {
            self.surfaces.sleep(index);
        }
        Ok(())
    }

    /// Gives a cloth another fabric. Where it is, how fast, and its pins stay.
    pub fn set_fabric(&mut self, cloth: ClothId, fabric: &Fabric) -> Result<(), SimError> {
        let owner = self.owner(cloth.into())?;
        let index = self.part(owner)?;
        self.surfaces.wake();
        let old = &self.surfaces.parts[index];
        let (first, tethered) = (old.surface.particles.start, old.tethered.clone());
        let mesh = TriangleMesh::new(old.rest.to_vec(), old.triangles.to_vec())?;
        let (mut part, masses) = part_of(owner, &mesh, &tethered, fabric, first)?;
        part.wrinkles = old.wrinkles.clone();
        for (p, mass) in (first..).zip(masses) {
            let weight = if mass > 0.0 { 1.0 / mass } else { 0.0 };
            match self.surfaces.pins.iter_mut().find(|pin| pin.particle as usize == p) {
                Some(pin) => pin.inverse_mass = weight,
                None => self.surfaces.particles.inverse_mass[p] = weight,
            }
        }
        self.surfaces.parts[index] = part;
        self.surfaces.forget_contacts();
        self.surfaces.wake();
        Ok(())
    }

    /// Gives a cloth another mesh of the same rest shape, finer or coarser, and a fabric: where it is and how it moves are taken over
    /// from the places of the old mesh with the same x and y at rest. Pins go to the nearest vertex; drags are let go. Coarse
    /// triangles may cut into round bodies: they are let out slowly.
    pub fn resample_cloth(&mut self, cloth: ClothId, mesh: &TriangleMesh, fabric: &Fabric) -> Result<(), SimError> {
        let owner = self.owner(cloth.into())?;
        let index = self.part(owner)?;
        InvalidInput::unless(!mesh.triangles().is_empty(), "mesh.triangles", 0.0, "one or more")?;
        let nearest = |rest: &[DVec3], place: DVec3| {
            let apart = |v: &usize| rest[*v].distance_squared(place);
            (0..rest.len()).min_by(|v, w| apart(v).total_cmp(&apart(w))).unwrap_or(0)
        };
        self.surfaces.wake();
        let old = &self.surfaces.parts[index];
        let range = old.surface.particles.clone();
        let pinned = |v: &usize| nearest(mesh.positions(), old.rest[*v]);
        let tethered: Vec<usize> = old.tethered.iter().map(pinned).collect();
        let sampled: Vec<[DVec3; 2]> = mesh.positions().iter().map(|rest| self.sample(index, *rest)).collect();
        let pins: Vec<(Pin, usize)> = self
            .surfaces
            .pins
            .iter()
            .filter(|pin| range.contains(&(pin.particle as usize)))
            .map(|pin| (*pin, pinned(&(pin.particle as usize - range.start))))
            .collect();
        let wrinkles = old.wrinkles.as_ref().map(|mesh| mesh.options);
        // Refused before anything changes.
        part_of(owner, mesh, &tethered, fabric, 0)?;
        self.require_room(sampled.len())?;
        for slot in 0..self.surfaces.drags.len() {
            if self.surfaces.drags[slot].is_some_and(|drag| drag.owner == owner) {
                self.surfaces.drags[slot] = None;
                self.drag_slots.free(slot);
            }
        }
        // What is put in its place must not be moved up with the rest.
        self.surfaces.parts[index].surface.particles = 0..0;
        self.surfaces.parts[index].surface.triangles.clear();
        self.surfaces.remove_particles(range);
        let first = self.surfaces.particles.len();
        let (part, masses) = part_of(owner, mesh, &tethered, fabric, first)?;
        for ([place, velocity], mass) in sampled.iter().zip(masses) {
            let p = self.surfaces.particles.push(*place, if mass > 0.0 { 1.0 / mass } else { 0.0 });
            self.surfaces.particles.velocity[p] = *velocity;
        }
        self.surfaces.parts[index] = part;
        for (pin, vertex) in pins {
            let particle = first + vertex;
            if self.surfaces.pins.iter().any(|other| other.particle as usize == particle) {
                self.pin_slots.free(pin.slot as usize);
                continue;
            }
            let inverse_mass = std::mem::replace(&mut self.surfaces.particles.inverse_mass[particle], 0.0);
            self.surfaces.pins.push(Pin { particle: particle as u32, inverse_mass, ..pin });
        }
        self.surfaces.forget_contacts();
        self.surfaces.wake();
        if let Some(options) = wrinkles {
            self.set_wrinkles(cloth, Some(options))?;
        }
        Ok(())
    }

    /// Position and velocity of the place of a cloth that has some x and y at rest, or of the nearest.
    fn sample(&self, part: usize, rest: DVec3) -> [DVec3; 2] {
        let part = &self.surfaces.parts[part];
        let Particles { position, velocity, .. } = &self.surfaces.particles;
        let first = part.surface.particles.start;
        let mut best = (f64::INFINITY, [0; 3], [1.0, 0.0, 0.0]);
        for corners in part.triangles.iter() {
            let [a, b, c] = corners.map(|v| part.rest[v as usize].truncate());
            let area = (b - a).perp_dot(c - a);
            if area == 0.0 {
                continue;
            }
            let p = rest.truncate();
            let raw = [(c - b).perp_dot(p - b) / area, (a - c).perp_dot(p - c) / area, (b - a).perp_dot(p - a) / area];
            let clamped = raw.map(|w| w.max(0.0));
            let sum: f64 = clamped.iter().sum();
            let weights = clamped.map(|w| w / sum);
            let off = (a * weights[0] + b * weights[1] + c * weights[2]).distance_squared(p);
            if off < best.0 {
                best = (off, *corners, weights);
            }
        }
        let (_, corners, weights) = best;
        let mix = |of: &[DVec3]| (0..3).map(|i| of[first + corners[i] as usize] * weights[i]).sum();
        [mix(position), mix(velocity)]
    }

    /// Places a cloth's vertices anew, at rest velocity zero: a start that differs from the rest shape.
    pub fn place_cloth(&mut self, cloth: ClothId, positions: &[DVec3]) -> Result<(), SimError> {
        let index = self.part(self.owner(cloth.into())?)?;
        let range = self.surfaces.parts[index].surface.particles.clone();
        if positions.len() != range.len() {
            return Err(MeshError::VertexCount { expected: range.len(), found: positions.len() }.into());
        }
        if let Some((vertex, &position)) = positions.iter().enumerate().find(|(_, p)| !p.is_finite()) {
            return Err(SimError::Lost { what: "vertex", index: vertex, position });
        }
        let surfaces = &mut self.surfaces;
        surfaces.particles.position[range.clone()].copy_from_slice(positions);
        surfaces.particles.previous[range.clone()].copy_from_slice(positions);
        surfaces.particles.velocity[range.clone()].fill(DVec3::ZERO);
        for pin in surfaces.pins.iter_mut().filter(|pin| range.contains(&(pin.particle as usize))) {
            pin.target = surfaces.particles.position[pin.particle as usize];
            pin.from = pin.target;
        }
        if let Some(mesh) = &mut surfaces.parts[index].wrinkles {
            mesh.flatten();
        }
        surfaces.forget_contacts();
        surfaces.wake();
        surfaces.follow_wrinkles(Threads::One);
        Ok(())
    }

    /// Gives a cloth's vertices other velocities.
    pub fn set_cloth_velocities(&mut self, cloth: ClothId, velocities: &[DVec3]) -> Result<(), SimError> {
        let range = self.part_of_flexible(cloth.into())?.surface.particles.clone();
        if velocities.len() != range.len() {
            return Err(MeshError::VertexCount { expected: range.len(), found: velocities.len() }.into());
        }
        velocities.iter().try_for_each(|velocity| require_finite("velocity", *velocity))?;
        self.surfaces.wake();
        for (p, velocity) in range.zip(velocities) {
            if self.surfaces.particles.inverse_mass[p] > 0.0 {
                self.surfaces.particles.velocity[p] = *velocity;
            }
        }
        self.surfaces.wake();
        Ok(())
    }

    /// Where a cloth's vertices are.
    pub fn cloth_positions(&self, cloth: ClothId) -> Result<&[DVec3], SimError> {
        let part = self.part_of_flexible(cloth.into())?;
        Ok(&self.surfaces.particles.position[part.surface.particles.clone()])
    }

    /// How fast a cloth's vertices are.
    pub fn cloth_velocities(&self, cloth: ClothId) -> Result<&[DVec3], SimError> {
        let part = self.part_of_flexible(cloth.into())?;
        Ok(&self.surfaces.particles.velocity[part.surface.particles.clone()])
    }

    /// A cloth's triangles, of its own vertices.
    pub fn cloth_triangles(&self, cloth: ClothId) -> Result<&[[u32; 3]], SimError> {
        Ok(&self.part_of_flexible(cloth.into())?.triangles)
    }

    /// Where a cloth's vertices are at rest.
    pub fn cloth_rest(&self, cloth: ClothId) -> Result<&[DVec3], SimError> {
        Ok(&self.part_of_flexible(cloth.into())?.rest)
    }

    /// Where a soft solid's vertices are.
    pub fn soft_solid_positions(&self, solid: SoftId) -> Result<&[DVec3], SimError> {
        let part = self.part_of_flexible(solid.into())?;
        Ok(&self.surfaces.particles.position[part.surface.particles.clone()])
    }

    /// A soft solid's triangles, of its own vertices.
    pub fn soft_solid_triangles(&self, solid: SoftId) -> Result<&[[u32; 3]], SimError> {
        Ok(&self.part_of_flexible(solid.into())?.triangles)
    }

    /// Vertices of all cloths and soft solids, and of meshes that they meet, which have no inverse mass.
    pub fn particles(&self) -> &Particles {
        &self.surfaces.particles
    }

    /// The skins that collide, one for each cloth and soft solid in the order in which they were added.
    pub fn surfaces(&self) -> impl Iterator<Item = &Surface> {
        self.surfaces.parts.iter().map(|part| &part.surface)
    }

    /// Takes hold of a vertex: it stays where it is until it is [moved](World::move_pin) or [let go](World::unpin). A vertex has one
    /// pin at most.
    pub fn pin(&mut self, of: impl Into<Flexible>, vertex: usize) -> Result<PinId, SimError> {
        let range = self.part_of_flexible(of.into())?.surface.particles.clone();
        require_index("vertex", vertex, range.len())?;
        let particle = range.start + vertex;
        if let Some(pin) = self.surfaces.pins.iter().find(|pin| pin.particle as usize == particle)
            && let Some(handle) = self.pin_slots.handle(pin.slot as usize, &self.stamp)
        {
            return Ok(handle);
        }
        self.surfaces.wake();
        let handle = self.pin_slots.take(&mut self.stamp);
        let particles = &mut self.surfaces.particles;
        let (inverse_mass, target) = (particles.inverse_mass[particle], particles.position[particle]);
        let (slot, particle_number) = (handle.index() as u32, particle as u32);
        self.surfaces.pins.push(Pin { slot, particle: particle_number, target, from: target, inverse_mass });
        particles.inverse_mass[particle] = 0.0;
        particles.velocity[particle] = DVec3::ZERO;
        self.surfaces.wake();
        Ok(handle)
    }

    /// Moves a pin: its vertex is at `target` at the end of the next step, unless cloth that it must not pass through is in the way.
    pub fn move_pin(&mut self, pin: PinId, target: DVec3) -> Result<(), SimError> {
        require_finite("target", target)?;
        let slot = self.pin_slots.find(pin, &self.stamp)? as u32;
        if let Some(pin) = self.surfaces.pins.iter_mut().find(|pin| pin.slot == slot) {
            pin.target = target;
        }
        Ok(())
    }

    /// Lets go of a vertex.
    pub fn unpin(&mut self, pin: PinId) -> Result<(), SimError> {
        let slot = self.pin_slots.find(pin, &self.stamp)?;
        self.surfaces.wake();
        if let Some(index) = self.surfaces.pins.iter().position(|pin| pin.slot as usize == slot) {
            let pin = self.surfaces.pins.remove(index);
            self.surfaces.particles.inverse_mass[pin.particle as usize] = pin.inverse_mass;
        }
        self.pin_slots.free(slot);
        self.surfaces.wake();
        Ok(())
    }

    /// The pins of a cloth or soft solid, with their vertices.
    pub fn pins(&self, of: impl Into<Flexible>) -> Result<Vec<(PinId, usize)>, SimError> {
        let range = self.part_of_flexible(of.into())?.surface.particles.clone();
        let own = self.surfaces.pins.iter().filter(|pin| range.contains(&(pin.particle as usize)));
        let named = own.filter_map(|pin| {
            let handle = self.pin_slots.handle(pin.slot as usize, &self.stamp)?;
            Some((handle, pin.particle as usize - range.start))
        });
        Ok(named.collect())
    }

    /// Gives a cloth a wrinkle mesh, or takes it away. It does not change how the cloth moves.
    ///
    /// ```
    /// use superegg_sim::{Cloth, DVec3, Fabric, World, Wrinkles};
    /// let mut world = World::new();
    /// let cloth = world.add_cloth(&Cloth::grid([3, 3], [1.0, 1.0], DVec3::ZERO)?, &Fabric::default())?;
    /// assert_eq!(world.skin_positions(cloth)?.len(), 9);
    /// world.set_wrinkles(cloth, Some(Wrinkles { level: 1, reach: 0.05 }))?;
    /// assert_eq!(world.skin_positions(cloth)?.len(), 25);
    /// assert_eq!(world.skin_triangles(cloth)?.len(), 4 * 8);
    /// # Ok::<(), superegg_sim::SimError>(())
    /// ```
    pub fn set_wrinkles(&mut self, cloth: ClothId, wrinkles: Option<Wrinkles>) -> Result<(), SimError> {
        let index = self.part(self.owner(cloth.into())?)?;
        let part = &mut self.surfaces.parts[index];
        let first = part.surface.particles.start as u32;
        let mesh = wrinkles.map(|options| WrinkleMesh::new(&part.surface, first, &part.rest, options));
        part.wrinkles = mesh.transpose()?;
        self.surfaces.follow_wrinkles(Threads::One);
        Ok(())
    }

    /// Mean length of a cloth's edges at rest, in metres.
    pub fn edge_length(&self, cloth: ClothId) -> Result<f64, SimError> {
        Ok(self.part_of_flexible(cloth.into())?.surface.edge_length)
    }

    /// What is seen of a cloth: where the vertices of its wrinkle mesh are, or its own if it has none.
    pub fn skin_positions(&self, cloth: ClothId) -> Result<&[DVec3], SimError> {
        match &self.part_of_flexible(cloth.into())?.wrinkles {
            Some(mesh) => Ok(&mesh.positions),
            None => self.cloth_positions(cloth),
        }
    }

    /// The triangles of what is seen of a cloth.
    pub fn skin_triangles(&self, cloth: ClothId) -> Result<&[[u32; 3]], SimError> {
        match &self.part_of_flexible(cloth.into())?.wrinkles {
            Some(mesh) => Ok(&mesh.triangles),
            None => self.cloth_triangles(cloth),
        }
    }

    /// Where the vertices of what is seen of a cloth are at rest.
    pub fn skin_rest(&self, cloth: ClothId) -> Result<&[DVec3], SimError> {
        match &self.part_of_flexible(cloth.into())?.wrinkles {
            Some(mesh) => Ok(&mesh.rest),
            None => self.cloth_rest(cloth),
        }
    }

    /// Where the vertices of what is seen of a cloth would be without wrinkles: on the cloth itself.
    pub fn skin_places(&self, cloth: ClothId) -> Result<Vec<DVec3>, SimError> {
        let base = self.cloth_positions(cloth)?;
        let mesh = &self.part_of_flexible(cloth.into())?.wrinkles;
        Ok(mesh.as_ref().map_or_else(|| base.to_vec(), |mesh| mesh.flat(base)))
    }
}
