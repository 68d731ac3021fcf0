//! A creature as a body among others: it hangs by its root or lies on the ground, and fingers pull and twist it. Joints keep their limits.
//!
//! The creature is the robot of its files, put into the one world of the simulation, with its servos switched off. Bones that are neighbours,
//! or that overlap where it begins, do not meet.

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Plane;
use superegg_robot::RobotError;
use superegg_robot::simulate::{SimulatedRobot, SimulationOptions, add_robot};
use superegg_sim::{Body, BodyId, DragId, JointId, Place, Servo, SimError, StepOptions, World};

use super::contacts::{Contacts, comparable};
use super::messages::Creature;
use super::robot::{Rig, Root, pose_of, shape_of};
use crate::wire::{ErrorKind, Refusal};

/// What is left of the damping of a servo, which is critical: joints are a little stiff, as those of puppets are.
const STIFF: f64 = 0.04;
/// Strength of a finger, in newtons for every kilogram of the creature: enough to lift all of it.
const STRENGTH: f64 = 10.5;
/// The same for every kilogram of the bone that is held, where the root holds the rest.
const BONE_STRENGTH: f64 = 60.0;
/// What the links between the turns of a joint weigh, in parts of their bone: they are empty, and nothing weightless can be moved.
const SHARE: f64 = 0.05;
/// How fast a twist is followed, in squared and plain turns of a second.
const TWIST: [f64; 2] = [400.0, 30.0];
/// Farthest that anything may be thrown, in metres.
const FARTHEST: f64 = 1e3;

/// A creature in a world.
pub struct Physics {
    world: World,
    robot: SimulatedRobot,
    rig: Rig,
    mass: f64,
    hangs: bool,
    held: Option<Held>,
}

struct Held {
    body: BodyId,
    drag: DragId,
    twist: DVec3,
    /// Of the bone, for how strong a twist is.
    length: f64,
}

fn refused(error: &RobotError) -> Refusal {
    Refusal::whole(ErrorKind::InvalidInput, format!("this cannot be simulated: {error}"))
}

fn unsound(error: SimError) -> Refusal {
    refused(&RobotError::from(error))
}

impl Physics {
    /// A creature as it stands, held by its root or free to fall to the ground below it.
    pub fn new(creature: &Creature, hang: bool) -> Result<Physics, Refusal> {
        let mut rig = Rig::new(creature, if hang { Root::Held } else { Root::Free })?;
        rig.weigh_turns(SHARE);
        let geometry = rig.geometry(creature)?;
        let (configuration, base) = rig.configuration(&creature.stance);
        let mut world = World::new();
        let options = SimulationOptions { self_collision: true, ..SimulationOptions::default() };
        let robot = add_robot(&mut world, &rig.robot, &geometry, &base, &configuration, &options)
            .map_err(|error| refused(&error))?;
        let places = rig.places(&configuration, &base);
        if !hang {
            let ground = Plane::new(DVec3::Z, lowest(creature, &places)).map_err(|error| unsound(error.into()))?;
            world.add_body(Body::fixed(ground, Pose::IDENTITY)).map_err(unsound)?;
        }
        let mut made = Physics { world, robot, rig, mass: 0.0, hangs: hang, held: None };
        made.switch_off().map_err(unsound)?;
        made.part_neighbours(creature, &places).map_err(unsound)?;
        made.mass = made
            .world
            .bodies()
            .filter_map(|body| Some(made.world.body(body).ok()?.mass()))
            .filter(|mass| mass.is_finite())
            .sum();
        Ok(made)
    }

    /// Leaves of the servos a little friction.
    fn switch_off(&mut self) -> Result<(), SimError> {
        for (joint, which) in self.robot.joints.iter().flatten() {
            let mut axis = self.world.joint(*joint)?.kind.axes()[*which];
            if let Servo::Position { damping, .. } = axis.servo {
                axis.damping = STIFF * damping;
            }
            axis.servo = Servo::Off;
            self.world.set_axis(*joint, *which, axis)?;
        }
        Ok(())
    }

    /// Bones that meet by the way they are made do not push each other away.
    fn part_neighbours(&mut self, creature: &Creature, places: &[Pose]) -> Result<(), SimError> {
        let mut apart = comparable(creature);
        let overlapping = Contacts::new(creature).find(places, usize::MAX);
        let index = |id: u32| creature.bones.iter().position(|bone| bone.id == id);
        for contact in overlapping.iter().filter(|contact| contact.distance <= 0.0) {
            if let [Some(a), Some(b)] = contact.bones.map(index) {
                (apart[a][b], apart[b][a]) = (false, false);
            }
        }
        for (a, row) in apart.iter().enumerate() {
            for (b, may_meet) in row.iter().enumerate().skip(a + 1) {
                let [one, other] = [a, b].map(|bone| self.robot.bodies[self.rig.links[bone]]);
                if !may_meet && one != other {
                    self.world.ignore_pair(one, other, true)?;
                }
            }
        }
        Ok(())
    }

    /// How every bone was moved from rest.
    pub fn places(&self) -> Vec<Pose> {
        let place = |(&link, rest): (&usize, &Pose)| {
            let body = self.world.body(self.robot.bodies[link]).map_or(Pose::IDENTITY, |body| body.pose());
            body.compose(&self.robot.frames[link]).compose(&rest.inverse())
        };
        self.rig.links.iter().zip(&self.rig.rest).map(place).collect()
    }

    /// The angles of the joints, each with its limits; for tests.
    pub fn angles(&self) -> Vec<(f64, [f64; 2])> {
        let joints = self.robot.joints.iter().flatten();
        let angle = |(joint, which): &(JointId, usize)| {
            let limits = self.world.joint(*joint).ok()?.kind.axes()[*which].limits?;
            Some((self.world.joint_states(*joint).ok()?[*which].position, limits))
        };
        joints.filter_map(angle).collect()
    }

    /// Takes hold of a bone, by its place in the list, at a place in the world.
    pub fn grab(&mut self, bone: usize, at: DVec3) {
        self.release();
        let Some(&link) = self.rig.links.get(bone) else { return };
        let body = self.robot.bodies[link];
        let Ok((pose, own)) = self.world.body(body).map(|body| (body.pose(), body.mass())) else { return };
        let all = STRENGTH * self.mass;
        let strength = if self.hangs { all.min(BONE_STRENGTH * own) } else { all };
        let place = Place::Body { body, point: pose.inverse_transform_point(at) };
        // A root that is held cannot be pulled.
        if let Ok(drag) = self.world.drag(place, strength) {
            let length = (at - pose.translation).length().max(0.02);
            self.held = Some(Held { body, drag, twist: DVec3::ZERO, length });
        }
    }

    /// Pulls what is held towards a place.
    pub fn pull(&mut self, to: DVec3) {
        if let (Some(held), true) = (&self.held, to.is_finite() && to.length() < FARTHEST) {
            // A drag that went with its body is let go below.
            let _ = self.world.move_drag(held.drag, to);
        }
    }

    /// Twists what is held: about a direction, by its length in radians.
    pub fn twist(&mut self, by: DVec3) {
        if let (Some(held), true) = (&mut self.held, by.is_finite()) {
            held.twist = by.clamp_length_max(4.0);
        }
    }

    /// Lets go.
    pub fn release(&mut self) {
        if let Some(held) = self.held.take() {
            let _ = self.world.release(held.drag);
            let _ = self.world.set_force(held.body, DVec3::ZERO, DVec3::ZERO);
        }
    }

    /// One step.
    pub fn advance(&mut self, dt: f64) -> Result<(), SimError> {
        if let Some(held) = &self.held {
            let body = self.world.body(held.body)?;
            let inertia = body.mass() * held.length * held.length;
            let about = held.twist.normalize_or_zero();
            let torque = inertia * (TWIST[0] * held.twist - TWIST[1] * about * body.angular_velocity().dot(about));
            let torque = if held.twist == DVec3::ZERO { DVec3::ZERO } else { torque };
            self.world.set_force(held.body, DVec3::ZERO, torque)?;
        }
        self.world.step(dt, &StepOptions::default())?;
        Ok(())
    }
}

/// The height of the lowest point of a creature.
pub fn lowest(creature: &Creature, places: &[Pose]) -> f64 {
    let bone = |id: u32| creature.bones.iter().position(|bone| bone.id == id);
    let hitboxes = creature.hitboxes.iter().filter_map(|hitbox| {
        let pose = places.get(bone(hitbox.bone)?)?.compose(&pose_of(hitbox));
        let support = shape_of(hitbox).ok()?.support_value(pose.inverse_transform_vector(-DVec3::Z));
        Some(pose.translation.z - support)
    });
    let ends = super::tree::segments(creature).into_iter().zip(places);
    let joints = ends.flat_map(|(ends, place)| ends.map(|end| place.transform_point(end).z));
    let least = hitboxes.chain(joints).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 0.0 }
}
