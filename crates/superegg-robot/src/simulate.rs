//! A robot in the simulation world, driven by servos.
//!
//! Links that are rigidly joined are one body. Joints keep their limits, damping, dry friction, efforts and mimics; every joint that leads
//! is held at a target by a servo whose stiffness comes from the inertia that it carries. Bodies of one robot meet each other only where that is
//! asked for, and never across a joint.

use glam::{DMat3, DVec3};
use superegg::Pose;
use superegg_sim::{
    Axis, Body, BodyId, Collider, Groups, Joint as SimJoint, JointId, JointKind as SimKind, Mass, Mimic as SimMimic,
    Motion, Servo, World, axis_frame,
};

use crate::contact_geometry::ContactGeometry;
use crate::error::RobotError;
use crate::kinematics::Kinematics;
use crate::mass::Weight;
use crate::model::{JointKind, Robot};

/// How a robot is put into a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationOptions {
    /// Natural frequency of the servos, in hertz: what they carry follows targets about this fast.
    pub frequency: f64,
    /// Whether links meet each other; those that touch at the start would push each other away.
    pub self_collision: bool,
}

impl Default for SimulationOptions {
    fn default() -> SimulationOptions {
        SimulationOptions { frequency: 4.0, self_collision: false }
    }
}

/// A robot in a world.
#[derive(Clone, Debug)]
pub struct SimulatedRobot {
    /// The body of every link; links that are rigidly joined share one.
    pub bodies: Vec<BodyId>,
    /// Where each link's frame is in its body.
    pub frames: Vec<Pose>,
    /// The joint of every number of the configuration, and which axis of it; `None` for floating joints, which nothing drives.
    pub joints: Vec<Option<(JointId, usize)>>,
    drives: Vec<Option<Drive>>,
}

#[derive(Clone, Copy, Debug)]
struct Drive {
    stiffness: f64,
    damping: f64,
    effort: f64,
}

/// Group of a robot's bodies that do not meet each other.
const ROBOT: u32 = 1 << 30;
/// Least mass, in kilograms, and radius of gyration, in metres: lighter bodies are made this heavy so that they can be moved.
const LEAST: (f64, f64) = (1e-4, 5e-3);

/// Adds a robot, with its root fixed at `base` and its joints at a configuration, which the servos hold.
pub fn add_robot(
    world: &mut World,
    robot: &Robot,
    geometry: &ContactGeometry,
    base: &Pose,
    configuration: &[f64],
    options: &SimulationOptions,
) -> Result<SimulatedRobot, RobotError> {
    if !(0.1..=1000.0).contains(&options.frequency) {
        return Err(RobotError::Invalid(format!("frequency {} Hz; allowed are [0.1, 1000]", options.frequency)));
    }
    let kinematics = Kinematics::new(robot);
    kinematics.check(configuration)?;
    let poses = kinematics.link_poses(configuration, base);
    let links = robot.links.len();
    let groups: Vec<usize> = (0..links).map(|link| kinematics.rigid_root(link)).collect();
    let root = groups[robot.root];
    let mut bodies: Vec<Option<BodyId>> = vec![None; links];
    let mut weights = vec![Weight::none(); links];
    for group in (0..links).filter(|&link| groups[link] == link) {
        let members: Vec<usize> = (0..links).filter(|&link| groups[link] == group).collect();
        let weight =
            members.iter().map(|&link| weight_of(robot, geometry, link, &poses[group].inverse().compose(&poses[link])));
        weights[group] = weight.fold(Weight::none(), Weight::plus);
        let mut body = Body {
            pose: poses[group],
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            motion: Motion::Fixed,
            colliders: Vec::new(),
        };
        for &link in &members {
            let on_body = poses[group].inverse().compose(&poses[link]);
            for part in &geometry.links[link] {
                let mut collider = Collider::new(part.shape.clone()).at(on_body.compose(&part.pose));
                if !options.self_collision {
                    collider.groups = Groups { member_of: ROBOT, collides_with: !ROBOT };
                }
                body.colliders.push(collider);
            }
        }
        if group != root {
            let Weight { mass, center, inertia } = heavy_enough(weights[group]);
            body.motion = Motion::Dynamic(Mass::Given { mass, center, inertia });
        }
        bodies[group] = Some(world.add_body(body)?);
    }
    let body_of = |link: usize| bodies[groups[link]].ok_or_else(|| RobotError::Invalid("a link without a body".into()));
    let mut made = SimulatedRobot {
        bodies: (0..links).map(body_of).collect::<Result<_, _>>()?,
        frames: (0..links).map(|link| poses[groups[link]].inverse().compose(&poses[link])).collect(),
        joints: vec![None; configuration.len()],
        drives: vec![None; configuration.len()],
    };
    add_joints(world, robot, &kinematics, configuration, &poses, &weights, &groups, options, &mut made)?;
    Ok(made)
}

/// Everything a joint of the world needs, joint by joint of the robot.
#[expect(clippy::too_many_arguments, reason = "one pass over what the caller has computed")]
fn add_joints(
    world: &mut World,
    robot: &Robot,
    kinematics: &Kinematics,
    configuration: &[f64],
    poses: &[Pose],
    weights: &[Weight],
    groups: &[usize],
    options: &SimulationOptions,
    made: &mut SimulatedRobot,
) -> Result<(), RobotError> {
    let mut ids: Vec<Option<JointId>> = vec![None; robot.joints.len()];
    for (number, joint) in robot.joints.iter().enumerate().filter(|(_, joint)| joint.kind != JointKind::Fixed) {
        let frame = poses[joint.parent].compose(&joint.origin.pose());
        let carried =
            carried_inertia(robot, kinematics, joint.child, weights, groups, poses, &frame, joint.axis, joint.kind);
        let limited = joint.limits.filter(|l| l.lower.is_finite() && l.upper.is_finite());
        let mut axis = Axis::default();
        if matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic) {
            axis.limits = limited.map(|limits| [limits.lower, limits.upper]);
        }
        if let Some(dynamics) = joint.dynamics {
            (axis.damping, axis.friction) = (dynamics.damping.max(0.0), dynamics.friction.max(0.0));
        }
        let omega = std::f64::consts::TAU * options.frequency;
        let drive = Drive {
            stiffness: carried * omega * omega,
            damping: 2.0 * carried * omega,
            effort: joint
                .limits
                .map_or(f64::INFINITY, |limits| if limits.effort > 0.0 { limits.effort } else { f64::INFINITY }),
        };
        let first = kinematics.freedoms().iter().position(|freedom| freedom.joint == number);
        if let (Some(first), 1) = (first, joint.kind.freedoms()) {
            axis.servo = position_servo(&drive, configuration[first]);
        }
        let kind = match joint.kind {
            JointKind::Revolute => SimKind::Revolute(axis),
            JointKind::Continuous => SimKind::Continuous(axis),
            JointKind::Prismatic => SimKind::Prismatic(axis),
            JointKind::Planar => SimKind::Planar([axis; 3]),
            JointKind::Floating => SimKind::Floating,
            JointKind::Fixed => SimKind::Fixed,
        };
        // The joint's frame on both bodies where the joint is at zero.
        let local = axis_frame(DVec3::ZERO, joint.axis)?;
        let on_parent = made.frames[joint.parent].compose(&joint.origin.pose()).compose(&local);
        let on_child = made.frames[joint.child].compose(&local);
        let parent = made.bodies[joint.parent];
        let id = world.add_joint(SimJoint::new(Some(parent), on_parent, made.bodies[joint.child], on_child, kind))?;
        ids[number] = Some(id);
        if let (Some(first), 1) = (first, joint.kind.freedoms()) {
            made.joints[first] = Some((id, 0));
            made.drives[first] = Some(drive);
        }
    }
    for (number, joint) in robot.joints.iter().enumerate() {
        if let (Some(mimic), Some(id)) = (joint.mimic, ids[number])
            && let Some(leader) = ids[mimic.joint]
        {
            let follow = SimMimic { of: (leader, 0), ratio: mimic.multiplier, offset: mimic.offset };
            world.set_mimic(id, 0, Some(follow))?;
        }
    }
    Ok(())
}

fn position_servo(drive: &Drive, target: f64) -> Servo {
    let Drive { stiffness, damping, effort } = *drive;
    Servo::Position { target, velocity: 0.0, stiffness, damping, effort }
}

impl SimulatedRobot {
    /// Gives the servos other targets.
    pub fn set_targets(&self, world: &mut World, configuration: &[f64]) -> Result<(), RobotError> {
        for ((joint, drive), target) in self.joints.iter().zip(&self.drives).zip(configuration) {
            if let (Some((id, axis)), Some(drive)) = (joint, drive) {
                let mut changed = world.joint(*id)?.kind.axes()[*axis];
                changed.servo = position_servo(drive, *target);
                world.set_axis(*id, *axis, changed)?;
            }
        }
        Ok(())
    }

    /// Where the joints are; zero for those that nothing drives.
    pub fn configuration(&self, world: &World) -> Result<Vec<f64>, RobotError> {
        let of = |joint: &Option<(JointId, usize)>| match joint {
            Some((id, axis)) => Ok(world.joint_states(*id)?[*axis].position),
            None => Ok(0.0),
        };
        self.joints.iter().map(of).collect()
    }
}

fn weight_of(robot: &Robot, geometry: &ContactGeometry, link: usize, on_body: &Pose) -> Weight {
    let turn = on_body.rotation_matrix();
    if let Some(inertial) = &robot.links[link].inertial {
        let center = on_body.transform_point(inertial.origin.xyz);
        let own = if inertial.is_physical() {
            inertial.matrix()
        } else {
            let reach = geometry.links[link].iter().map(|part| part.shape.reach()).fold(LEAST.1, f64::max);
            DMat3::from_diagonal(DVec3::splat(0.4 * inertial.mass * reach * reach))
        };
        return Weight { mass: inertial.mass, center, inertia: turn * own * turn.transpose() };
    }
    geometry.links[link].iter().map(|part| Weight::of(part, on_body)).fold(Weight::none(), Weight::plus)
}

/// Weightless links, frames mostly, become light ones.
fn heavy_enough(weight: Weight) -> Weight {
    let mass = weight.mass.max(LEAST.0);
    let least = DMat3::from_diagonal(DVec3::splat(mass * LEAST.1 * LEAST.1));
    let thin = weight.inertia.determinant() < least.determinant();
    Weight { mass, inertia: if thin { weight.inertia + least } else { weight.inertia }, ..weight }
}

/// Inertia about a joint's axis, or mass along it, of all that it carries.
#[expect(clippy::too_many_arguments, reason = "what a joint carries depends on all of it")]
fn carried_inertia(
    robot: &Robot,
    kinematics: &Kinematics,
    child: usize,
    weights: &[Weight],
    groups: &[usize],
    poses: &[Pose],
    frame: &Pose,
    axis: DVec3,
    kind: JointKind,
) -> f64 {
    let axis = frame.transform_vector(axis);
    let hangs_below = |link: usize| link == child || kinematics.ancestors(link).any(|joint| joint.child == child);
    let below = (0..robot.links.len()).filter(|&link| groups[link] == link && hangs_below(link));
    below
        .map(|link| {
            let Weight { mass, center, inertia } = heavy_enough(weights[link]);
            if kind == JointKind::Prismatic {
                return mass;
            }
            let arm = (poses[link].transform_point(center) - frame.translation).cross(axis).length();
            let local = poses[link].inverse_transform_vector(axis);
            local.dot(inertia * local) + mass * arm * arm
        })
        .sum::<f64>()
        .max(1e-9)
}
