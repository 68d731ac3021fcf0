//! Joints and drags of a world.

use glam::DVec3;
use superegg::{InvalidInput, Pose};

use super::World;
use super::pick::Place;
use crate::SimError;
use crate::cloth::Owner;
use crate::error::{require_finite, require_index, require_not_negative};
use crate::handle::{BodyId, DragId, JointId};
use crate::joint::drag::DragState;
use crate::joint::state::{JointState, WORLD};
use crate::joint::{Axis, AxisState, Joint, JointKind, Mimic};
use crate::solver::surfaces::SurfaceDrag;

impl World {
    /// A joint between bodies as they stand: at a frame of the world, in which all its positions are zero.
    ///
    /// ```
    /// use superegg::shape::Superellipsoid;
    /// use superegg::{DVec3, Pose};
    /// use superegg_sim::{Axis, Body, JointKind, Servo, StepOptions, World, axis_frame};
    /// let mut world = World::new();
    /// let rod = Superellipsoid::new([0.5, 0.05, 0.05], [1.0; 2])?;
    /// let rod = world.add_body(Body::dynamic(rod, Pose::from_translation(DVec3::X * 0.5), 500.0))?;
    /// let servo = Servo::Position { target: -0.5, velocity: 0.0, stiffness: 5e3, damping: 200.0, effort: 200.0 };
    /// let hinge = JointKind::Revolute(Axis::driven(servo));
    /// let joint = world.joint_at(None, rod, axis_frame(DVec3::ZERO, DVec3::Y)?, hinge)?;
    /// let joint = world.add_joint(joint)?;
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0, &StepOptions::default())?;
    /// }
    /// // The servo has raised the rod, and holds its weight.
    /// let state = world.joint_states(joint)?[0];
    /// assert!((state.position + 0.5).abs() < 0.01 && state.effort < -5.0, "{state:?}");
    /// # Ok::<(), superegg_sim::SimError>(())
    /// ```
    pub fn joint_at(&self, a: Option<BodyId>, b: BodyId, frame: Pose, kind: JointKind) -> Result<Joint, SimError> {
        let frame = Pose::new(frame.rotation, frame.translation)?;
        let local = |body: BodyId| Ok::<Pose, SimError>(self.body(body)?.pose().inverse().compose(&frame));
        Ok(Joint::new(a, a.map_or(Ok(frame), local)?, b, local(b)?, kind))
    }

    /// Adds a joint.
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointId, SimError> {
        for body in joint.a.into_iter().chain([joint.b]) {
            self.body_slots.find(body, &self.stamp)?;
        }
        joint.validate()?;
        let state = JointState::new(joint, &self.bodies.list);
        if matches!(joint.kind, JointKind::Distance(None)) {
            let apart = state.length();
            InvalidInput::unless(apart > 1e-9, "points", apart, "distances above 1e-9")?;
        }
        if !joint.collide && state.a != WORLD {
            self.bodies.pairs.set_meeting(state.a, state.b, false);
        }
        self.bodies.wake(state.b);
        let handle = self.joint_slots.take(&mut self.stamp);
        match self.bodies.joints.get_mut(handle.index()) {
            Some(slot) => *slot = Some(state),
            None => self.bodies.joints.push(Some(state)),
        }
        self.bodies.relink();
        Ok(handle)
    }

    /// Takes a joint apart. Its bodies then meet like others, and what mimics it is free.
    pub fn remove_joint(&mut self, joint: JointId) -> Result<(), SimError> {
        let index = self.joint_slots.find(joint, &self.stamp)?;
        let Some(JointState { a, b, .. }) = self.bodies.joints[index].take() else {
            return Err(SimError::Stale { what: "joint", index });
        };
        self.joint_slots.free(index);
        self.bodies.wake(b);
        for other in self.bodies.joints.iter_mut().flatten() {
            let follows = |mimic: &Option<(u32, usize, f64, f64)>| mimic.is_some_and(|(of, ..)| of as usize == index);
            other.mimics.iter_mut().filter(|mimic| follows(mimic)).for_each(|mimic| *mimic = None);
        }
        let others = self.bodies.joints.iter().flatten();
        let still = others
            .filter(|other| !other.joint.collide)
            .any(|other| [other.a, other.b] == [a, b] || [other.b, other.a] == [a, b]);
        if a != WORLD && !still {
            self.bodies.pairs.set_meeting(a, b, true);
        }
        self.bodies.relink();
        Ok(())
    }

    /// All joints, by their slots.
    pub fn joints(&self) -> impl Iterator<Item = JointId> + '_ {
        self.joint_slots.handles(&self.stamp)
    }

    /// A joint as it was given, with the axes that it has now.
    pub fn joint(&self, joint: JointId) -> Result<&Joint, SimError> {
        Ok(&self.joint_state(joint)?.joint)
    }

    fn joint_state(&self, joint: JointId) -> Result<&JointState, SimError> {
        let index = self.joint_slots.find(joint, &self.stamp)?;
        self.bodies.joints[index].as_ref().ok_or(SimError::Stale { what: "joint", index })
    }

    fn joint_state_mut(&mut self, joint: JointId) -> Result<&mut JointState, SimError> {
        let index = self.joint_slots.find(joint, &self.stamp)?;
        self.bodies.joints[index].as_mut().ok_or(SimError::Stale { what: "joint", index })
    }

    /// Gives one of a joint's axes other limits, servo, spring or friction.
    pub fn set_axis(&mut self, joint: JointId, which: usize, axis: Axis) -> Result<(), SimError> {
        axis.validate()?;
        let state = self.joint_state_mut(joint)?;
        let axes = state.joint.kind.axes_mut();
        require_index("driven axis", which, axes.len())?;
        axes[which] = axis;
        let body = state.b;
        self.bodies.wake(body);
        Ok(())
    }

    /// Lets one of a joint's axes follow another, or be free again.
    pub fn set_mimic(&mut self, joint: JointId, which: usize, mimic: Option<Mimic>) -> Result<(), SimError> {
        let count = self.joint_state(joint)?.joint.kind.axes().len();
        require_index("driven axis", which, count)?;
        let followed = match mimic {
            None => None,
            Some(mimic) => {
                mimic.validate()?;
                let (of, axis) = mimic.of;
                require_index("driven axis", axis, self.joint_state(of)?.joint.kind.axes().len())?;
                InvalidInput::unless((of, axis) != (joint, which), "mimic.of", axis as f64, "other axes")?;
                Some((of.index() as u32, axis, mimic.ratio, mimic.offset))
            }
        };
        let state = self.joint_state_mut(joint)?;
        state.mimics[which] = followed;
        let body = state.b;
        self.bodies.wake(body);
        Ok(())
    }

    /// Positions, velocities and efforts of a joint's axes: of a revolute joint one, of a universal one two, of a ball joint with a
    /// cone how far it swings and twists, of a floating one where `b` is along the frame's axes and how it is turned.
    pub fn joint_states(&self, joint: JointId) -> Result<Vec<AxisState>, SimError> {
        Ok(self.joint_state(joint)?.states(&self.bodies.list))
    }

    /// By how far the two ends of a joint are apart where they should not be, in metres.
    pub fn joint_gap(&self, joint: JointId) -> Result<f64, SimError> {
        Ok(self.joint_state(joint)?.gap(&self.bodies.list))
    }

    /// Sets positions and velocities of some joints along their trees: bodies that hang on nothing stay, others keep the positions of
    /// joints that are not named. A jump, as [`set_pose`](World::set_pose) makes it.
    pub fn set_joint_states(&mut self, states: &[(JointId, &[AxisState])]) -> Result<(), SimError> {
        let mut wanted: Vec<Option<Vec<AxisState>>> = vec![None; self.bodies.joints.len()];
        for (joint, given) in states {
            let known = self.joint_state(*joint)?.states(&self.bodies.list).len();
            let count = given.len();
            InvalidInput::unless(count == known, "states", count as f64, "as many as the joint has axes")?;
            for state in *given {
                let finite = state.position.is_finite() && state.velocity.is_finite();
                InvalidInput::unless(finite, "position", state.position, "the finite numbers")?;
            }
            wanted[joint.index()] = Some(given.to_vec());
        }
        // All positions as they are, then from the roots on.
        let now: Vec<Option<Vec<AxisState>>> = self
            .bodies
            .joints
            .iter()
            .map(|joint| joint.as_ref().map(|joint| joint.states(&self.bodies.list)))
            .collect();
        let mut placed = vec![true; self.bodies.list.len()];
        for joint in self.bodies.joints.iter().flatten() {
            placed[joint.b as usize] = false;
        }
        loop {
            let next = self.bodies.joints.iter().enumerate().find_map(|(index, joint)| {
                let joint = joint.as_ref()?;
                let ready = joint.a == WORLD || placed[joint.a as usize];
                (ready && !placed[joint.b as usize]).then_some((index, joint.b as usize))
            });
            let Some((index, body)) = next else { break };
            placed[body] = true;
            let Some(states) = wanted[index].clone().or_else(|| now[index].clone()) else { continue };
            self.place_by_joint(index, body, &states)?;
        }
        let crate::solver::bodies::Bodies { joints, list, .. } = &mut self.bodies;
        for (joint, wanted) in joints.iter_mut().zip(wanted) {
            let (Some(joint), Some(wanted)) = (joint, wanted) else { continue };
            wanted.iter().enumerate().for_each(|(axis, state)| joint.set_position(axis, state.position));
            joint.count_turns(list);
        }
        Ok(())
    }

    fn place_by_joint(&mut self, index: usize, body: usize, states: &[AxisState]) -> Result<(), SimError> {
        let Some(joint) = &self.bodies.joints[index] else { return Ok(()) };
        if matches!(joint.joint.kind, JointKind::Distance(None) | JointKind::Ball(None)) {
            return Ok(());
        }
        let positions: Vec<f64> = states.iter().map(|state| state.position).collect();
        let pose = joint.placed_b(&self.bodies.list, &positions);
        let parent = joint.a;
        self.jump(body, Pose::new(pose.rotation, pose.translation)?)?;
        // It goes with the body that it hangs on, and by its axes.
        let Some(joint) = &self.bodies.joints[index] else { return Ok(()) };
        let list = &self.bodies.list;
        let center = list[body].center;
        let (mut velocity, mut turning) = list
            .get(parent as usize)
            .map_or((DVec3::ZERO, DVec3::ZERO), |a| (a.velocity + a.turning.cross(center - a.center), a.turning));
        for (row, state) in joint.axes(list).iter().zip(states) {
            let (along, about) = row.jacobian(1);
            if along == DVec3::ZERO {
                turning += about * state.velocity;
                velocity += (about * state.velocity).cross(center - joint.point_b(list));
            } else {
                velocity += along * state.velocity;
            }
        }
        (self.bodies.list[body].velocity, self.bodies.list[body].turning) = (velocity, turning);
        Ok(())
    }

    /// Takes hold of a place on a dynamic body, a cloth or a soft solid. It is pulled towards where it is now until the drag is
    /// [moved](World::move_drag) or [released](World::release), by a damped spring with `strength` newtons at most.
    pub fn drag(&mut self, place: Place, strength: f64) -> Result<DragId, SimError> {
        require_not_negative("strength", strength)?;
        let slot = self.drag_slots.next();
        self.bodies.drags.resize(self.bodies.drags.len().max(slot + 1), None);
        self.surfaces.drags.resize(self.surfaces.drags.len().max(slot + 1), None);
        match place {
            Place::Body { body, point } => {
                require_finite("point", point)?;
                let index = self.body_slots.find(body, &self.stamp)?;
                let state = &self.bodies.list[index];
                InvalidInput::unless(state.is_dynamic(), "body", index as f64, "the dynamic bodies")?;
                let target = state.pose().transform_point(point);
                self.bodies.drags[slot] = Some(DragState::new(index as u32, state, target, strength));
                self.bodies.wake(index as u32);
            }
            Place::Cloth { cloth, triangle, weights } => {
                let owner = Owner::Cloth(self.cloth_slots.find(cloth, &self.stamp)? as u32);
                self.surfaces.drags[slot] = Some(self.surface_drag(owner, triangle, weights, strength)?);
            }
            Place::Soft { solid, triangle, weights } => {
                let owner = Owner::Soft(self.soft_slots.find(solid, &self.stamp)? as u32);
                self.surfaces.drags[slot] = Some(self.surface_drag(owner, triangle, weights, strength)?);
            }
        }
        Ok(self.drag_slots.take(&mut self.stamp))
    }

    fn surface_drag(
        &self,
        owner: Owner,
        triangle: u32,
        weights: [f64; 3],
        strength: f64,
    ) -> Result<SurfaceDrag, SimError> {
        let part = &self.surfaces.parts[self.part(owner)?];
        require_index("triangle", triangle as usize, part.triangles.len())?;
        let whole = weights.iter().all(|w| *w >= 0.0) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-6;
        InvalidInput::unless(whole, "weights", weights.iter().sum(), "three that are not negative and add up to one")?;
        let corners = part.triangles[triangle as usize];
        let positions = &self.surfaces.particles.position[part.surface.particles.clone()];
        let target = (0..3).map(|i| positions[corners[i] as usize] * weights[i]).sum();
        Ok(SurfaceDrag { owner, corners, weights, target, strength })
    }

    /// Moves the target of a drag.
    pub fn move_drag(&mut self, drag: DragId, target: DVec3) -> Result<(), SimError> {
        require_finite("target", target)?;
        let slot = self.drag_slots.find(drag, &self.stamp)?;
        if let Some(held) = &mut self.bodies.drags[slot] {
            held.target = target;
            let body = held.body;
            self.bodies.wake(body);
        }
        if let Some(held) = &mut self.surfaces.drags[slot] {
            held.target = target;
        }
        Ok(())
    }

    /// Lets go.
    pub fn release(&mut self, drag: DragId) -> Result<(), SimError> {
        let slot = self.drag_slots.find(drag, &self.stamp)?;
        if let Some(held) = self.bodies.drags[slot].take() {
            self.bodies.wake(held.body);
        }
        self.surfaces.drags[slot] = None;
        self.drag_slots.free(slot);
        Ok(())
    }

    /// All drags, by their slots.
    pub fn drags(&self) -> impl Iterator<Item = DragId> + '_ {
        self.drag_slots.handles(&self.stamp)
    }
}
