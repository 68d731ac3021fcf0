//! The surfaces of cloth and soft solids in a step: the phases of paper 000 (figure 6 and section 4.2) in every substep.
//!
//! Prediction, position constraints, contacts, velocities. Where the paper finds contacts at every step anew and solves
//! them as velocities, here they are found once a step, before anything moves, with a margin for the way that can be made
//! until its end, and projected as positions in every substep, last, so that whatever else a substep leaves undone the
//! bodies are respected. Bodies have moved before: planes and meshes are where they are at the end of the substep.

use glam::DVec3;
use superegg::Pose;
use superegg::Threads;
use superegg::shape::Aabb;
use superegg_world::geometry::Geometry;

use crate::SimError;
use crate::body::{BodyState, Proxy};
use crate::clock::{PhaseTimes, StopWatch};
use crate::cloth::elastic::packed::Packed;
use crate::cloth::pin::Pin;
use crate::cloth::surface::Surface;
use crate::cloth::{Owner, Part, Particles, Wind};
use crate::contact::carriers::Carriers;
use crate::contact::cloth_body::smooth::SmoothBody;
use crate::contact::cloth_body::{BodyContacts, STALE, STALE_WITHIN};
use crate::contact::cloth_cloth::{Pierced, Pushes, SurfaceContacts};
use crate::contact::mesh_planes::MeshPlanes;
use crate::contact::mesh_vertices::MeshVertices;

/// How often all contacts of a substep are gone through where cloth meets cloth or meshes.
const ROUNDS: usize = 8;
/// How often contacts are made at most: anew if cloth that did not meet a mesh on its predicted way went through it on the
/// way that contacts made of it, as happens at sharp corners. Where cloth went through cloth, it is put back at once, which
/// helps it to come to rest.
const ATTEMPTS: usize = 3;
/// In what time a drag brings cloth to its target, in seconds, if it is strong enough.
const DRAGGING: f64 = 0.03;
/// A hand is as heavy as what its strength brings to this speed in that time, in metres a second.
const HAND_SPEED: f64 = 1.0;
/// Planes are looked for again when a body has moved past cloth by this part of an edge since they were.
const PASSED: f64 = 0.1;

/// What was held apart in a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    /// Vertices off bodies.
    pub bodies: usize,
    /// Pairs of features, of cloth and of cloth, of cloth and of meshes.
    pub cloth: usize,
    pub meshes: usize,
}

/// A drag on cloth or a soft solid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceDrag {
    pub owner: Owner,
    /// Vertices and their weights.
    pub corners: [u32; 3],
    pub weights: [f64; 3],
    pub target: DVec3,
    pub strength: f64,
}

/// All cloths and soft solids, and what they meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surfaces {
    pub particles: Particles,
    /// Constraints, skin and damping of each cloth and soft solid.
    pub parts: Vec<Part>,
    pub pins: Vec<Pin>,
    /// By the slots of drags.
    pub drags: Vec<Option<SurfaceDrag>>,
    /// The smooth proxies of bodies, and the meshes, as far as they are known here.
    pub smooth: Vec<SmoothBody>,
    pub meshes: Vec<MeshVertices>,
    /// Scratch of the constraints; the particles that drags hold, and how much heavier that makes them.
    packed: Vec<Packed>,
    hands: Vec<(usize, f64)>,
    pub body_contacts: BodyContacts,
    pub surface_contacts: SurfaceContacts,
    /// Where those are that were just woken.
    pub woken: Vec<Aabb>,
}

impl Surfaces {
    /// Wakes everything up.
    pub fn wake(&mut self) {
        (0..self.parts.len()).for_each(|part| self.wake_part(part));
    }

    /// Wakes one.
    pub fn wake_part(&mut self, index: usize) {
        let part = &mut self.parts[index];
        part.sleep.stir();
        if std::mem::take(&mut part.sleep.asleep) {
            let masses = std::mem::take(&mut part.sleep.inverse_masses);
            self.particles.inverse_mass[part.surface.particles.clone()].copy_from_slice(&masses);
            self.woken.push(part.sleep.bounds);
        }
    }

    /// One stays where it is until it is woken; to others it is as heavy as what is fixed.
    pub fn sleep(&mut self, index: usize) {
        let part = &mut self.parts[index];
        part.sleep.bounds = bounds_of(&part.surface, &self.particles.position);
        let range = part.surface.particles.clone();
        self.particles.velocity[range.clone()].fill(DVec3::ZERO);
        part.sleep.asleep = true;
        part.sleep.inverse_masses = self.particles.inverse_mass[range.clone()].to_vec();
        self.particles.inverse_mass[range].fill(0.0);
    }

    /// Whether nothing has to be moved.
    pub fn are_asleep(&self) -> bool {
        self.parts.iter().all(|part| part.sleep.asleep)
    }

    /// The bodies whose running substep was taken back.
    pub fn held_up(&self) -> Vec<u32> {
        let smooth = self.smooth.iter().filter(|smooth| smooth.held_up).map(|smooth| smooth.body);
        let meshes = self.meshes.iter().filter(|mesh| mesh.held_up).map(|mesh| mesh.body);
        let mut bodies: Vec<u32> = smooth.chain(meshes).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// The proxies that surfaces may meet, and their bodies.
    pub fn met(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let smooth = self.smooth.iter().map(|smooth| (smooth.proxy, smooth.body));
        smooth.chain(self.meshes.iter().map(|mesh| (mesh.proxy, mesh.body)))
    }

    /// Forgets all contacts.
    pub fn forget_contacts(&mut self) {
        self.body_contacts.forget_all();
        self.surface_contacts.forget();
    }

    /// The part of an owner.
    pub fn part(&self, owner: Owner) -> Option<usize> {
        self.parts.iter().position(|part| part.owner == owner)
    }

    /// Removes some particles, which nothing names any more; those behind them move up.
    pub fn remove_particles(&mut self, range: std::ops::Range<usize>) {
        self.particles.remove(range.clone());
        let by = range.len();
        let surfaces = self.parts.iter_mut().map(|part| &mut part.surface);
        for surface in surfaces.chain(self.meshes.iter_mut().map(|mesh| &mut mesh.surface)) {
            if surface.particles.start >= range.end {
                surface.shift(by);
            }
        }
        self.pins.retain(|pin| !range.contains(&(pin.particle as usize)));
        self.pins.iter_mut().filter(|pin| pin.particle as usize >= range.end).for_each(|pin| pin.particle -= by as u32);
        self.forget_contacts();
    }

    /// Lists the proxies of bodies that surfaces may meet. What stays keeps what is known of it.
    pub fn list_bodies(&mut self, proxies: &[Proxy], bodies: &[BodyState]) -> Result<(), SimError> {
        let alive = || (0u32..).zip(proxies).filter(|(_, proxy)| !proxy.dead && !self.parts.is_empty());
        let placed = |proxy: &Proxy| proxy.placed(&bodies[proxy.body as usize]).pose();
        let smooth: Vec<SmoothBody> =
            alive().filter_map(|(number, proxy)| SmoothBody::of(number, proxy, &bodies[proxy.body as usize])).collect();
        let both = || smooth.iter().zip(&self.smooth);
        let same = both().all(|(new, old)| (new.proxy, new.body) == (old.proxy, old.body));
        if smooth.len() != self.smooth.len() || !same {
            self.body_contacts.forget_all();
        } else {
            let reshaped = (0..).zip(both()).filter(|(_, (new, old))| new.shape != old.shape);
            self.body_contacts.reshape(reshaped.map(|(index, (new, _))| (index, new.shape.clone())));
        }
        let wanted: Vec<u32> = alive().filter(|(_, proxy)| proxy.is_mesh()).map(|(number, _)| number).collect();
        self.smooth = smooth;
        while let Some(gone) = self
            .meshes
            .iter()
            .position(|mesh| !wanted.contains(&mesh.proxy) || proxies[mesh.proxy as usize].body != mesh.body)
        {
            let range = self.meshes.remove(gone).surface.particles;
            self.remove_particles(range);
        }
        for number in wanted {
            let proxy = &proxies[number as usize];
            let Geometry::Mesh(mesh) = &proxy.geometry else { continue };
            if self.meshes.iter().any(|known| known.proxy == number) {
                continue;
            }
            let (pose, first) = (placed(proxy), self.particles.len());
            // As added to the particles: a pose may take a vertex out of the range of numbers.
            let places: Vec<DVec3> = mesh.positions().iter().map(|local| pose.transform_point(*local)).collect();
            let within = |p: &DVec3| p.is_finite() && p.abs().max_element() <= superegg_mesh::MAX_COORDINATE;
            if let Some(&position) = places.iter().find(|place| !within(place)) {
                return Err(SimError::Lost { what: "body", index: proxy.body as usize, position });
            }
            places.iter().for_each(|&place| {
                self.particles.push(place, 0.0);
            });
            let global = |corners: &[u32; 3]| corners.map(|v| v + first as u32);
            let triangles = mesh.topology().triangles().iter().map(global).collect();
            let mut surface = Surface::new(triangles, first..first + places.len(), &places);
            (surface.friction, surface.groups) = (proxy.material.friction, proxy.groups);
            self.meshes.push(MeshVertices::new(surface, proxy.body, number, mesh.clone(), pose));
            self.forget_contacts();
        }
        Ok(())
    }

    /// Shows smooth bodies where they stand, and meshes that were put elsewhere.
    pub fn place_bodies(&mut self, proxies: &[Proxy], bodies: &[BodyState]) {
        for smooth in &mut self.smooth {
            let proxy = &proxies[smooth.proxy as usize];
            smooth.pose = proxy.placed(&bodies[smooth.body as usize]).pose();
            smooth.before = smooth.pose;
            (smooth.friction, smooth.groups) = (proxy.material.friction, proxy.groups);
        }
        let mut jumped = false;
        for mesh in &mut self.meshes {
            let pose = proxies[mesh.proxy as usize].placed(&bodies[mesh.body as usize]).pose();
            if pose != mesh.pose() {
                mesh.jump(&mut self.particles, pose);
                jumped = true;
            }
        }
        if jumped {
            self.surface_contacts.forget();
        }
    }

    /// Begins a step: wind, inner damping, and what may be met until its end. `reach` tells how far bodies may go.
    pub fn begin_step(
        &mut self,
        bodies: &[BodyState],
        reach: impl Fn(&SmoothBody) -> f64,
        (gravity, wind): (DVec3, Option<Wind>),
        (time, dt): (f64, f64),
        threads: Threads,
        (watch, times): (&mut StopWatch, &mut PhaseTimes),
    ) -> Result<(), SimError> {
        if let Some(wind) = wind {
            for part in &self.parts {
                wind.blow(&part.surface, &mut self.particles, time, dt);
            }
        }
        for part in self.parts.iter().filter(|part| part.internal_damping > 0.0) {
            let range = part.surface.particles.clone();
            let keep = 1.0 - (-part.internal_damping * dt).exp();
            part.elastic.damp(&mut self.particles.velocity[range.clone()], &self.particles.inverse_mass[range], keep);
        }
        watch.lap(&mut times.time_integration);
        for smooth in &mut self.smooth {
            let state = &bodies[smooth.body as usize];
            smooth.moves = state.is_moving() || state.target.is_some();
            smooth.reach = if smooth.moves { reach(smooth) } else { 0.0 };
        }
        for mesh in &mut self.meshes {
            let state = &bodies[mesh.body as usize];
            mesh.stays = !(state.is_dynamic() || state.is_moving() || state.target.is_some());
        }
        self.surface_contacts.begin_step(&self.parts, &self.meshes, &self.particles);
        self.body_contacts.begin_step();
        let Particles { position, velocity, .. } = &self.particles;
        let speed = |p: usize| velocity[p].length();
        let planes = &mut self.surface_contacts.planes;
        self.body_contacts.detect(&self.parts, &self.smooth, position, speed, gravity, (dt, STALE), threads, planes)?;
        watch.lap(&mut times.collision_detection);
        Ok(())
    }

    /// The same from where a substep of length `h` began, when it made some particle outrun what was foreseen.
    fn detect_again(&mut self, seconds: f64, h: f64, gravity: DVec3, threads: Threads) -> Result<(), SimError> {
        let Surfaces { body_contacts, surface_contacts, parts, smooth, particles, .. } = self;
        let planes = &mut surface_contacts.planes;
        detect_again(body_contacts, parts, smooth, particles, (seconds, h), gravity, threads, planes)
    }

    /// Makes the substep number `index` of `all`, each of length `h`, of a step: bodies have moved already. Returns what was held
    /// apart.
    pub fn substep(
        &mut self,
        (proxies, bodies): (&[Proxy], &[BodyState]),
        (index, all): (u32, u32),
        h: f64,
        gravity: DVec3,
        threads: Threads,
        (watch, times): (&mut StopWatch, &mut PhaseTimes),
    ) -> Result<Held, SimError> {
        let (left, whole) = (f64::from(all - index), f64::from(all));
        let dt = h * whole;
        self.predict((proxies, bodies), h, left, whole, gravity);
        watch.lap(&mut times.time_integration);
        for part in self.parts.iter().filter(|part| !part.sleep.asleep) {
            part.elastic.project(&mut self.packed[part.surface.particles.clone()], h, threads);
        }
        for range in self.parts.iter().map(|part| part.surface.particles.clone()) {
            let ends = self.particles.position[range.clone()].iter_mut().zip(&self.packed[range]);
            ends.for_each(|(position, packed)| *position = packed.position());
        }
        watch.lap(&mut times.position_constraints);
        if self.body_contacts.outran(&self.particles.position) || self.has_stale_planes() {
            // Faster than foreseen: look again from where the substep began, which is known to be clear.
            self.detect_again(h * left, h, gravity, threads)?;
        }
        self.surface_contacts.detect(&self.parts, &self.meshes, &self.particles, h, dt);
        self.body_contacts.take_over(&self.surface_contacts.planes, &self.particles.previous);
        watch.lap(&mut times.collision_detection);
        let held = self.project_contacts(h, dt, (left, gravity, threads))?;
        watch.lap(&mut times.velocity_constraints);
        self.update_velocities(h)?;
        watch.lap(&mut times.velocity_update);
        Ok(held)
    }

    /// Whether bodies have come far past cloth since planes were found.
    fn has_stale_planes(&self) -> bool {
        let edge = self.parts.iter().map(|part| part.surface.edge_length).fold(f64::INFINITY, f64::min);
        self.body_contacts.were_passed(&self.smooth, &self.particles.position, PASSED * edge)
    }

    /// Moves smooth bodies and meshes to where their bodies are, and notes where particles would go; pins by their part of the way
    /// to their targets, in the first of `left` substeps of `all`.
    fn predict(&mut self, (proxies, bodies): (&[Proxy], &[BodyState]), h: f64, left: f64, all: f64, gravity: DVec3) {
        let placed = |proxy: u32, body: u32| proxies[proxy as usize].placed(&bodies[body as usize]).pose();
        for smooth in self.smooth.iter_mut().filter(|smooth| smooth.moves) {
            smooth.advance(placed(smooth.proxy, smooth.body));
        }
        let fall = gravity * h;
        self.hands.clear();
        for index in 0..self.drags.len() {
            self.pull(index, h);
        }
        let particles = &mut self.particles;
        std::mem::swap(&mut particles.previous, &mut particles.position);
        for mesh in &mut self.meshes {
            mesh.advance(particles, placed(mesh.proxy, mesh.body), h);
        }
        particles.recovered.fill(DVec3::ZERO);
        self.packed.resize(particles.len(), Packed::default());
        for part in &self.parts {
            let keep = (-part.damping * h).exp();
            for p in part.surface.particles.clone() {
                let weight = particles.inverse_mass[p];
                let way = if weight > 0.0 { (particles.velocity[p] + fall) * (keep * h) } else { DVec3::ZERO };
                self.packed[p] = Packed::new(particles.previous[p] + way, weight);
            }
        }
        for &(p, added) in &self.hands {
            // A hand bears itself.
            let inverse = self.packed[p].w;
            let heavier = inverse / (1.0 + added * inverse);
            let unborne = fall * (h * (1.0 - heavier / inverse));
            self.packed[p] = Packed::new(self.packed[p].position() - unborne, heavier);
        }
        for pin in &self.pins {
            let start = particles.previous[pin.particle as usize];
            self.packed[pin.particle as usize] = Packed::new(pin.next(start, left, all, h), 0.0);
        }
    }

    /// Pulls at the point of a drag, as hard as it can but not beyond what brings it to its target. The hand has a mass of its own,
    /// which goes with the particles that it holds until the substep's constraints are solved: else what hangs on them would take them
    /// along whatever its strength, since a substep passes on no more than what their own small mass takes.
    fn pull(&mut self, drag: usize, h: f64) {
        let Some(SurfaceDrag { owner, corners, weights, target, strength }) = self.drags[drag] else { return };
        let Some(part) = self.part(owner) else { return };
        let first = self.parts[part].surface.particles.start;
        let Particles { position, velocity, inverse_mass, .. } = &mut self.particles;
        let own = corners.map(|v| first + v as usize);
        let mix = |of: &[DVec3]| (0..3).map(|i| of[own[i]] * weights[i]).sum::<DVec3>();
        let added = weights.map(|weight| weight * strength * DRAGGING / HAND_SPEED);
        let inverse: [f64; 3] = std::array::from_fn(|i| inverse_mass[own[i]] / (1.0 + added[i] * inverse_mass[own[i]]));
        let mobility: f64 = (0..3).map(|i| weights[i] * weights[i] * inverse[i]).sum();
        if mobility > 0.0 {
            let wanted = (target - mix(position)) / DRAGGING.max(h) - mix(velocity);
            let impulse = (wanted / mobility).clamp_length_max(strength * h);
            for i in (0..3).filter(|&i| inverse[i] > 0.0 && weights[i] > 0.0) {
                velocity[own[i]] += impulse * (weights[i] * inverse[i]);
                self.hands.push((own[i], added[i]));
            }
        }
    }

    /// Holds surfaces apart from each other, from bodies and from meshes, with friction; how many of each were. What took too much
    /// of a push is looked for again, with `left` substeps to go.
    fn project_contacts(
        &mut self,
        h: f64,
        dt: f64,
        (left, gravity, threads): (f64, DVec3, Threads),
    ) -> Result<Held, SimError> {
        let (mut pushes, mut with_bodies, mut pierced) = (Pushes::default(), [0; 2], Pierced::Nothing);
        for attempt in 0..ATTEMPTS {
            if attempt > 0 && self.body_contacts.pushed_too_far() {
                self.detect_again(h * left, h, gravity, threads)?;
            }
            let (bodies, particles) = (&self.smooth, &mut self.particles);
            self.body_contacts.turn(bodies);
            let rows = self.surface_contacts.prepare(&self.parts, particles, &self.pins, h);
            self.body_contacts.prepare(bodies, rows, particles);
            if !rows.is_empty() {
                for _ in 0..ROUNDS {
                    let any = rows.iter_mut().fold(false, |any, row| row.relax(&mut particles.position) | any);
                    // Where nothing pushes, further rounds would be the same.
                    if !(self.body_contacts.relax(&mut particles.position) | any) {
                        break;
                    }
                }
            }
            pushes = self.surface_contacts.finish(&mut self.meshes, particles, h);
            self.body_contacts.finish(particles, h);
            with_bodies = self.body_contacts.project(bodies, particles, h);
            pierced = self.surface_contacts.pierced(particles, h);
            if pierced != Pierced::Mesh && !self.body_contacts.pushed_too_far() {
                break;
            }
        }
        let left_undone = pierced != Pierced::Nothing
            || self.body_contacts.left_sunk(&self.smooth, &self.particles)
            || self.body_contacts.pushed_too_far()
            || !self.surface_contacts.covers(&self.parts, &self.meshes, &self.particles);
        if left_undone {
            let mut carriers = Carriers { meshes: &mut self.meshes, smooth: &mut self.smooth };
            let (bodies, particles, parts) = (&mut self.body_contacts, &mut self.particles, &self.parts);
            let look_again = |bodies: &mut BodyContacts,
                              smooth: &mut [SmoothBody],
                              particles: &Particles,
                              planes: &mut MeshPlanes| {
                detect_again(bodies, parts, smooth, particles, (h * left, h), gravity, threads, planes)
            };
            self.surface_contacts.put_back(parts, &mut carriers, bodies, particles, (h, dt), look_again)?;
        }
        let [bodies, meshes] = with_bodies;
        Ok(Held { bodies, cloth: pushes.among, meshes: meshes + pushes.with_meshes })
    }

    /// Velocities from the way made.
    fn update_velocities(&mut self, h: f64) -> Result<(), SimError> {
        let particles = &mut self.particles;
        let mut sound = true;
        let moved = self.meshes.iter().filter(|mesh| mesh.has_moved()).map(|mesh| &mesh.surface);
        for range in self.parts.iter().map(|part| &part.surface).chain(moved).map(|surface| surface.particles.clone()) {
            let ends = particles.position[range.clone()].iter().zip(&particles.previous[range.clone()]);
            let ends = ends.zip(&particles.recovered[range.clone()]);
            for (velocity, ((&position, &previous), &recovered)) in particles.velocity[range].iter_mut().zip(ends) {
                let mut way = position - previous;
                if recovered != DVec3::ZERO {
                    // Only as far as it was in fact made.
                    let part = way.dot(recovered) / recovered.length_squared();
                    way -= recovered * part.clamp(0.0, 1.0);
                }
                *velocity = way / h;
                sound &= velocity.length_squared() < f64::INFINITY;
            }
        }
        if !sound {
            let lost = particles.velocity.iter().position(|v| !v.length_squared().is_finite()).unwrap_or(0);
            return Err(SimError::Lost { what: "particle", index: lost, position: particles.position[lost] });
        }
        Ok(())
    }

    /// What was done to bodies in the substep: which body, the impulse, and its moment about the world's origin.
    pub fn take_impulses(&mut self, mut give: impl FnMut(u32, [DVec3; 2])) {
        for (smooth, impulse) in self.smooth.iter().zip(self.body_contacts.take_impulses()) {
            if impulse != [DVec3::ZERO; 2] {
                give(smooth.body, impulse);
            }
        }
        for mesh in &mut self.meshes {
            let impulse = std::mem::replace(&mut mesh.impulse, [DVec3::ZERO; 2]);
            if impulse != [DVec3::ZERO; 2] {
                give(mesh.body, impulse);
            }
        }
    }

    /// Ends a step: what hardly moves in contact comes to rest, wrinkles follow. Returns the largest speed.
    pub fn end_step(&mut self, dt: f64, threads: Threads) -> Result<f64, SimError> {
        self.meshes.iter_mut().for_each(MeshVertices::end_step);
        self.smooth.iter_mut().for_each(SmoothBody::end_step);
        let mut carriers = Carriers { meshes: &mut self.meshes, smooth: &mut self.smooth };
        self.surface_contacts.end_step(&self.parts, &mut carriers, &mut self.body_contacts, &mut self.particles, dt)?;
        self.follow_wrinkles(threads);
        for pin in &mut self.pins {
            pin.from = pin.target;
        }
        for part in self.parts.iter_mut().filter(|part| !part.sleep.asleep) {
            let range = part.surface.particles.clone();
            part.sleep.bounds = bounds_of(&part.surface, &self.particles.position);
            part.sleep.linger(&self.particles.position[range.clone()], dt);
            let speeds = self.particles.velocity[range].iter().map(|v| v.length_squared());
            part.sleep.speed = speeds.fold(0.0, f64::max).sqrt();
        }
        Ok(self.parts.iter().filter(|part| !part.sleep.asleep).map(|part| part.sleep.speed).fold(0.0, f64::max))
    }

    /// Lets all wrinkle meshes follow their cloths.
    pub fn follow_wrinkles(&mut self, threads: Threads) {
        for (index, part) in self.parts.iter_mut().enumerate() {
            let Some(mesh) = &mut part.wrinkles else { continue };
            let (range, positions) = (part.surface.particles.clone(), &self.particles.position);
            let within = mesh.options.reach;
            let mut separators = self.body_contacts.separators(index, &part.surface, &self.smooth, positions, within);
            for rigid in &self.meshes {
                rigid.separators(&part.surface, positions, within, &mut separators);
            }
            mesh.follow(&positions[range], &separators, threads);
        }
    }

    /// Whether a hand that moves holds one, or a drag pulls at it.
    pub fn is_moved(&self, index: usize) -> bool {
        let part = &self.parts[index];
        let held = |pin: &&Pin| part.surface.particles.contains(&(pin.particle as usize));
        let moves = |pin: &Pin| pin.moves(self.particles.position[pin.particle as usize]);
        self.pins.iter().filter(held).any(moves) || self.drags.iter().flatten().any(|drag| drag.owner == part.owner)
    }
}

/// Where a surface is, with what it keeps off.
fn bounds_of(surface: &Surface, positions: &[DVec3]) -> Aabb {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &place in &positions[surface.particles.clone()] {
        (min, max) = (min.min(place), max.max(place));
    }
    let wide = surface.offset.max(surface.separation.unwrap_or(0.0));
    Aabb { min: min - wide, max: max + wide }
}

/// Finds planes for the next `seconds` from where the running substep of length `h` began, by the ways that particles make in it.
#[allow(clippy::too_many_arguments)]
fn detect_again(
    contacts: &mut BodyContacts,
    parts: &[Part],
    smooth: &mut [SmoothBody],
    particles: &Particles,
    (seconds, h): (f64, f64),
    gravity: DVec3,
    threads: Threads,
    planes: &mut MeshPlanes,
) -> Result<(), SimError> {
    // The bodies, too, as they were when the substep began.
    let ends: Vec<Pose> = smooth.iter().map(|body| body.pose).collect();
    smooth.iter_mut().for_each(|body| body.pose = body.before);
    let Particles { position, previous, velocity, .. } = particles;
    let speed = |p: usize| velocity[p].length().max(position[p].distance(previous[p]) / h);
    let outcome = contacts.detect(parts, smooth, previous, speed, gravity, (seconds, STALE_WITHIN), threads, planes);
    smooth.iter_mut().zip(ends).for_each(|(body, end)| body.pose = end);
    outcome
}
