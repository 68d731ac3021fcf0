//! Bodies and colliders of a world.

use glam::DVec3;
use superegg::Pose;

use super::{ColliderEntry, World};
use crate::SimError;
use crate::body::{Body, BodyState, Collider, Motion, Proxy, require_velocities};
use crate::error::require_finite;
use crate::handle::{BodyId, ColliderId, JointId};
use crate::solver::bodies::Bodies;

/// A body of a world, to be asked.
#[derive(Clone, Copy)]
pub struct BodyRef<'a> {
    world: &'a World,
    index: usize,
}

impl<'a> BodyRef<'a> {
    fn state(&self) -> &'a BodyState {
        &self.world.bodies.list[self.index]
    }

    /// Where it is.
    pub fn pose(&self) -> Pose {
        self.state().pose()
    }

    /// Its center of mass; the origin of its frame if it is not dynamic.
    pub fn center(&self) -> DVec3 {
        self.state().center
    }

    /// Of its center.
    pub fn velocity(&self) -> DVec3 {
        self.state().velocity
    }

    /// In radians a second.
    pub fn angular_velocity(&self) -> DVec3 {
        self.state().turning
    }

    /// Velocity and angular velocity.
    pub fn velocities(&self) -> [DVec3; 2] {
        [self.velocity(), self.angular_velocity()]
    }

    /// The velocity of its material at a point of the world.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity() + self.angular_velocity().cross(point - self.center())
    }

    /// In kilograms; infinite for one that nothing can push.
    pub fn mass(&self) -> f64 {
        1.0 / self.state().inverse_mass
    }

    /// About its center of mass; zero unless it is dynamic.
    pub fn angular_momentum(&self) -> DVec3 {
        if self.state().is_dynamic() { self.state().momentum() } else { DVec3::ZERO }
    }

    /// Energy of motion, in joules.
    pub fn kinetic_energy(&self) -> f64 {
        self.state().kinetic_energy()
    }

    /// How it moves.
    pub fn motion(&self) -> Motion {
        self.state().motion
    }

    /// Whether it sleeps.
    pub fn is_asleep(&self) -> bool {
        self.state().asleep
    }

    /// The force and torque that act on it until they are set again.
    pub fn force(&self) -> [DVec3; 2] {
        [self.state().force, self.state().torque]
    }

    /// Its colliders.
    pub fn colliders(&self) -> impl Iterator<Item = ColliderId> + use<'a> {
        let world = self.world;
        let slots = self.state().colliders.iter();
        slots.filter_map(move |slot| world.collider_slots.handle(*slot as usize, &world.stamp))
    }

    /// Its joints.
    pub fn joints(&self) -> impl Iterator<Item = JointId> + use<'a> {
        let (world, body) = (self.world, self.index as u32);
        world.joint_slots.handles(&world.stamp).filter(move |joint| {
            world.bodies.joints[joint.index()].as_ref().is_some_and(|joint| joint.a == body || joint.b == body)
        })
    }
}

impl World {
    /// Adds a body with its colliders.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, SimError> {
        body.validate()?;
        let state = BodyState::new(&body)?;
        let handle = self.body_slots.take(&mut self.stamp);
        let index = handle.index();
        match self.bodies.list.get_mut(index) {
            Some(slot) => *slot = state,
            None => self.bodies.list.push(state),
        }
        for collider in body.colliders {
            if let Err(error) = self.attach(index, collider) {
                self.remove_body(handle)?;
                return Err(error);
            }
        }
        self.surfaces.wake();
        Ok(handle)
    }

    /// Adds a collider that was validated, without a look at what the body weighs.
    fn attach(&mut self, body: usize, collider: Collider) -> Result<ColliderId, SimError> {
        let handle = self.collider_slots.take(&mut self.stamp);
        let proxies = self.make_proxies(body, handle.index(), &collider);
        let proxies = match proxies {
            Ok(proxies) => proxies,
            Err(error) => {
                self.collider_slots.free(handle.index());
                return Err(error);
            }
        };
        let entry = Some(ColliderEntry { body: body as u32, collider, proxies });
        match self.colliders.get_mut(handle.index()) {
            Some(slot) => *slot = entry,
            None => self.colliders.push(entry),
        }
        self.bodies.list[body].colliders.push(handle.index() as u32);
        Ok(handle)
    }

    fn make_proxies(&mut self, body: usize, slot: usize, collider: &Collider) -> Result<Vec<u32>, SimError> {
        let proxies = Proxy::of(body as u32, &self.bodies.list[body], slot as u32, collider);
        let reach = proxies.iter().map(Proxy::reach).fold(0.0, f64::max);
        let state = &mut self.bodies.list[body];
        state.reach = state.reach.max(reach);
        let state = &self.bodies.list[body];
        self.bodies.pairs.add(state, proxies)
    }

    /// Removes a body with its colliders, joints and drags.
    pub fn remove_body(&mut self, body: BodyId) -> Result<(), SimError> {
        let index = self.body_slots.find(body, &self.stamp)?;
        self.bodies.wake(index as u32);
        let joints: Vec<JointId> = BodyRef { world: self, index }.joints().collect();
        joints.into_iter().try_for_each(|joint| self.remove_joint(joint))?;
        for slot in 0..self.bodies.drags.len() {
            if self.bodies.drags[slot].as_ref().is_some_and(|drag| drag.body as usize == index) {
                self.bodies.drags[slot] = None;
                self.drag_slots.free(slot);
            }
        }
        for slot in std::mem::take(&mut self.bodies.list[index].colliders) {
            self.detach(slot as usize);
        }
        self.bodies.pairs.forget(index as u32);
        self.bodies.pairs.meet_all(index as u32);
        self.bodies.list[index] = BodyState::removed();
        self.body_slots.free(index);
        self.surfaces.wake();
        Ok(())
    }

    /// Frees a collider's slot and proxies.
    fn detach(&mut self, slot: usize) {
        if let Some(entry) = self.colliders[slot].take() {
            self.bodies.pairs.remove(&entry.proxies);
            self.collider_slots.free(slot);
        }
    }

    /// The colliders of a body, in order.
    fn colliders_of(&self, body: usize) -> Vec<Collider> {
        let slots = self.bodies.list[body].colliders.iter();
        slots.filter_map(|slot| Some(self.colliders[*slot as usize].as_ref()?.collider.clone())).collect()
    }

    /// Takes over a motion and colliders that were changed: masses, frames, proxies and joints.
    fn rebuild(&mut self, body: usize, motion: Motion) -> Result<(), SimError> {
        let colliders = self.colliders_of(body);
        let pose = self.bodies.list[body].pose();
        let [velocity, turning] = [self.bodies.list[body].velocity, self.bodies.list[body].turning];
        self.bodies.list[body].set_motion(motion, &colliders, pose)?;
        if motion != Motion::Fixed {
            (self.bodies.list[body].velocity, self.bodies.list[body].turning) = (velocity, turning);
        }
        self.bodies.list[body].reach = 0.0;
        for slot in self.bodies.list[body].colliders.clone() {
            let Some(mut entry) = self.colliders[slot as usize].take() else { continue };
            self.bodies.pairs.remove(&entry.proxies);
            entry.proxies = self.make_proxies(body, slot as usize, &entry.collider)?;
            self.colliders[slot as usize] = Some(entry);
        }
        let Bodies { joints, list, .. } = &mut self.bodies;
        for joint in joints.iter_mut().flatten().filter(|joint| joint.a as usize == body || joint.b as usize == body) {
            joint.attach(list);
        }
        self.bodies.wake(body as u32);
        self.surfaces.wake();
        Ok(())
    }

    /// Adds a collider to a body, whose mass changes if it follows from a density.
    pub fn add_collider(&mut self, body: BodyId, collider: Collider) -> Result<ColliderId, SimError> {
        let index = self.body_slots.find(body, &self.stamp)?;
        collider.validate()?;
        let motion = self.bodies.list[index].motion;
        let mut all = self.colliders_of(index);
        all.push(collider.clone());
        BodyState::new(&Body {
            pose: Pose::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            motion,
            colliders: all,
        })?;
        let handle = self.attach(index, collider)?;
        self.rebuild(index, motion)?;
        Ok(handle)
    }

    /// Removes a collider. A body whose mass follows from a density keeps at least one.
    pub fn remove_collider(&mut self, collider: ColliderId) -> Result<(), SimError> {
        let slot = self.collider_slots.find(collider, &self.stamp)?;
        let body = self.collider_entry(slot)?.body as usize;
        let motion = self.bodies.list[body].motion;
        let others = self.bodies.list[body].colliders.iter().filter(|other| **other as usize != slot);
        let others = others.filter_map(|other| Some(self.colliders[*other as usize].as_ref()?.collider.clone()));
        let left = Body {
            pose: Pose::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            motion,
            colliders: others.collect(),
        };
        BodyState::new(&left)?;
        self.bodies.wake(body as u32);
        self.bodies.list[body].colliders.retain(|other| *other as usize != slot);
        self.detach(slot);
        self.rebuild(body, motion)
    }

    /// Replaces a collider: its shape, place, material or groups.
    pub fn set_collider(&mut self, collider: ColliderId, to: Collider) -> Result<(), SimError> {
        let slot = self.collider_slots.find(collider, &self.stamp)?;
        to.validate()?;
        let body = self.collider_entry(slot)?.body as usize;
        let before = std::mem::replace(&mut self.collider_entry_mut(slot)?.collider, to);
        let motion = self.bodies.list[body].motion;
        let refused = self.rebuild(body, motion);
        if refused.is_err() {
            self.collider_entry_mut(slot)?.collider = before;
        }
        refused
    }

    fn collider_entry(&self, slot: usize) -> Result<&ColliderEntry, SimError> {
        self.colliders[slot].as_ref().ok_or(SimError::Stale { what: "collider", index: slot })
    }

    fn collider_entry_mut(&mut self, slot: usize) -> Result<&mut ColliderEntry, SimError> {
        self.colliders[slot].as_mut().ok_or(SimError::Stale { what: "collider", index: slot })
    }

    /// A collider as it was given.
    pub fn collider(&self, collider: ColliderId) -> Result<&Collider, SimError> {
        let slot = self.collider_slots.find(collider, &self.stamp)?;
        Ok(&self.collider_entry(slot)?.collider)
    }

    /// The body that a collider is on.
    pub fn body_of(&self, collider: ColliderId) -> Result<BodyId, SimError> {
        let slot = self.collider_slots.find(collider, &self.stamp)?;
        let body = self.collider_entry(slot)?.body as usize;
        self.body_slots.handle(body, &self.stamp).ok_or(SimError::Stale { what: "body", index: body })
    }

    /// A body, to be asked.
    pub fn body(&self, body: BodyId) -> Result<BodyRef<'_>, SimError> {
        Ok(BodyRef { world: self, index: self.body_slots.find(body, &self.stamp)? })
    }

    /// All bodies, by their slots.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.body_slots.handles(&self.stamp)
    }

    /// How many bodies there are.
    pub fn body_count(&self) -> usize {
        self.body_slots.len()
    }

    /// Changes how a body moves; its velocities stay, those of a fixed body are zero.
    pub fn set_motion(&mut self, body: BodyId, motion: Motion) -> Result<(), SimError> {
        let index = self.body_slots.find(body, &self.stamp)?;
        self.rebuild(index, motion)
    }

    /// Puts a body elsewhere at once: a jump. What overlaps there is let out slowly; cloth may end up on another side of it. To sweep
    /// things along, [`move_to`](World::move_to) a kinematic body.
    pub fn set_pose(&mut self, body: BodyId, pose: Pose) -> Result<(), SimError> {
        let index = self.body_slots.find(body, &self.stamp)?;
        let pose = Pose::new(pose.rotation, pose.translation)?;
        self.jump(index, pose)?;
        let Bodies { joints, list, .. } = &mut self.bodies;
        joints.iter_mut().flatten().for_each(|joint| joint.count_turns(list));
        Ok(())
    }

    pub(super) fn jump(&mut self, index: usize, pose: Pose) -> Result<(), SimError> {
        self.bodies.wake(index as u32);
        self.bodies.list[index].place_at(pose);
        self.bodies.pairs.forget(index as u32);
        let state = &self.bodies.list[index];
        self.bodies.pairs.refit(index as u32, state)?;
        self.surfaces.wake();
        self.surfaces.body_contacts.forget_all();
        Ok(())
    }

    /// Gives a body other velocities and wakes it up.
    pub fn set_velocities(&mut self, body: BodyId, velocity: DVec3, angular: DVec3) -> Result<(), SimError> {
        let index = self.body_slots.find(body, &self.stamp)?;
        require_velocities(velocity, angular)?;
        self.bodies.wake(index as u32);
        let state = &mut self.bodies.list[index];
        if state.motion != Motion::Fixed {
            (state.velocity, state.turning) = (velocity, angular);
        }
        Ok(())
    }

    /// Takes a kinematic body to a pose within the next step, evenly, with the velocity that this takes: what is in its way is swept
    /// along. It stops short where it would squeeze cloth through something else or off a pin (`held_up` in the report). After the step
    /// it stays.
    pub fn move_to(&mut self, body: BodyId, target: Pose) -> Result<(), SimError> {
        let index = self.body_slots.find(body, &self.stamp)?;
        let target = Pose::new(target.rotation, target.translation)?;
        let state = &mut self.bodies.list[index];
        superegg::InvalidInput::unless(
            state.motion == Motion::Kinematic,
            "body",
            index as f64,
            "the kinematic bodies",
        )?;
        state.target = Some(state.own_frame_at(target));
        Ok(())
    }

    /// Pushes a dynamic body at a point of the world with an impulse in newton seconds, and wakes it up.
    pub fn push(&mut self, body: BodyId, point: DVec3, impulse: DVec3) -> Result<(), SimError> {
        require_finite("point", point)?;
        require_finite("impulse", impulse)?;
        let index = self.body_slots.find(body, &self.stamp)?;
        let state = &self.bodies.list[index];
        let (velocity, turning) = (
            state.velocity + impulse * state.inverse_mass,
            state.turning + state.inverse_inertia * (point - state.center).cross(impulse),
        );
        self.set_velocities(body, velocity, turning)
    }

    /// Lets a force at its center of mass, in newtons, and a torque, in newton metres, act on a body until they are set again.
    pub fn set_force(&mut self, body: BodyId, force: DVec3, torque: DVec3) -> Result<(), SimError> {
        require_finite("force", force)?;
        require_finite("torque", torque)?;
        let index = self.body_slots.find(body, &self.stamp)?;
        self.bodies.wake(index as u32);
        (self.bodies.list[index].force, self.bodies.list[index].torque) = (force, torque);
        Ok(())
    }

    /// Says whether two bodies do not meet, whatever their groups.
    pub fn ignore_pair(&mut self, a: BodyId, b: BodyId, ignore: bool) -> Result<(), SimError> {
        let [a, b] = [self.body_slots.find(a, &self.stamp)?, self.body_slots.find(b, &self.stamp)?];
        self.bodies.pairs.set_meeting(a as u32, b as u32, !ignore);
        self.bodies.wake(a as u32);
        self.bodies.wake(b as u32);
        Ok(())
    }

    /// Energy of motion and height of all dynamic bodies and particles, in joules.
    pub fn energy(&self) -> f64 {
        let of = |body: &BodyState| {
            let height = if body.is_dynamic() { -self.gravity.dot(body.center) / body.inverse_mass } else { 0.0 };
            body.kinetic_energy() + height
        };
        self.bodies.list.iter().map(of).sum()
    }
}
