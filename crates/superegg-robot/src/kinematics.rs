//! Forward kinematics and Jacobians of a tree of joints.
//!
//! A configuration has a number for every freedom of the joints that follow no other: an angle or a length; two lengths and an angle
//! for a planar joint; a position and a rotation vector for a floating one. Mimics, chains of them too, are resolved once.

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use superegg::{Pose, Threads};

use crate::error::RobotError;
use crate::model::{JointKind, Robot};

/// A number of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Freedom {
    /// The joint that it moves.
    pub joint: usize,
    /// Which of the joint's numbers it is.
    pub component: usize,
    /// Least value; infinite if there is none. Limits of joints that follow are among them.
    pub lower: f64,
    /// Greatest value.
    pub upper: f64,
    /// Greatest effort.
    pub effort: f64,
    /// Greatest speed.
    pub velocity: f64,
}

/// A joint on the way from the root outwards.
#[derive(Clone, Copy, Debug)]
struct Step {
    joint: usize,
    parent: usize,
    child: usize,
    kind: JointKind,
    origin: Pose,
    axis: DVec3,
    /// First number of the configuration, ratio and offset.
    first: usize,
    ratio: f64,
    offset: f64,
}

/// A robot's tree, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Kinematics {
    steps: Vec<Step>,
    freedoms: Vec<Freedom>,
    /// For every link, the step that it hangs on.
    above: Vec<Option<usize>>,
    root: usize,
}

/// How a point of a link moves with one number of the configuration: velocity of the point, angular velocity of the link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Column {
    /// Velocity of the point.
    pub linear: DVec3,
    /// Angular velocity of the link.
    pub angular: DVec3,
}

impl Kinematics {
    /// The tree of a robot.
    pub fn new(robot: &Robot) -> Kinematics {
        let mut freedoms = Vec::new();
        let mut first = vec![0; robot.joints.len()];
        for (number, joint) in robot.joints.iter().enumerate().filter(|(_, joint)| joint.mimic.is_none()) {
            first[number] = freedoms.len();
            let limits = joint.limits.filter(|_| matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic));
            let (lower, upper) = limits.map_or((f64::NEG_INFINITY, f64::INFINITY), |l| (l.lower, l.upper));
            let (effort, velocity) = joint.limits.map_or((f64::INFINITY, f64::INFINITY), |l| (l.effort, l.velocity));
            for component in 0..joint.kind.freedoms() {
                freedoms.push(Freedom { joint: number, component, lower, upper, effort, velocity });
            }
        }
        // Leaders of leaders: ratio and offset multiply up.
        let leader = |number: usize| {
            let (mut joint, mut ratio, mut offset) = (number, 1.0, 0.0);
            while let Some(mimic) = robot.joints[joint].mimic {
                offset += ratio * mimic.offset;
                ratio *= mimic.multiplier;
                joint = mimic.joint;
            }
            (joint, ratio, offset)
        };
        let mut below = vec![Vec::new(); robot.links.len()];
        for (number, joint) in robot.joints.iter().enumerate() {
            below[joint.parent].push(number);
        }
        let mut steps = Vec::with_capacity(robot.joints.len());
        let mut above = vec![None; robot.links.len()];
        let mut open = std::collections::VecDeque::from([robot.root]);
        while let Some(link) = open.pop_front() {
            for &number in &below[link] {
                let joint = &robot.joints[number];
                let (lead, ratio, offset) = leader(number);
                above[joint.child] = Some(steps.len());
                steps.push(Step {
                    joint: number,
                    parent: joint.parent,
                    child: joint.child,
                    kind: joint.kind,
                    origin: joint.origin.pose(),
                    axis: joint.axis,
                    first: first[lead],
                    ratio,
                    offset,
                });
                open.push_back(joint.child);
            }
        }
        let mut made = Kinematics { steps, freedoms, above, root: robot.root };
        made.narrow_by_followers(robot);
        made
    }

    /// A leader does not go where a follower cannot, unless no place at all would be left.
    fn narrow_by_followers(&mut self, robot: &Robot) {
        for step in &self.steps {
            let joint = &robot.joints[step.joint];
            let limited = matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic);
            let (Some(limits), true, true) = (joint.limits, limited, joint.mimic.is_some()) else { continue };
            if step.ratio == 0.0 {
                continue;
            }
            let ends = [limits.lower, limits.upper].map(|end| (end - step.offset) / step.ratio);
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let freedom = &mut self.freedoms[step.first];
            let (low, high) = (low.max(freedom.lower), high.min(freedom.upper));
            if low <= high {
                (freedom.lower, freedom.upper) = (low, high);
            }
        }
    }

    /// The numbers of a configuration.
    pub fn freedoms(&self) -> &[Freedom] {
        &self.freedoms
    }

    /// How many links there are.
    pub fn link_count(&self) -> usize {
        self.above.len()
    }

    /// The configuration of zeros, or of what is nearest to them within the limits.
    pub fn neutral(&self) -> Vec<f64> {
        self.freedoms.iter().map(|freedom| 0f64.clamp(freedom.lower, freedom.upper)).collect()
    }

    /// A configuration within the limits; where there are none, within a turn or a metre.
    pub fn random(&self, robot: &Robot, random: &mut fastrand::Rng) -> Vec<f64> {
        let range = |freedom: &Freedom| {
            let slides = match robot.joints[freedom.joint].kind {
                JointKind::Prismatic => true,
                JointKind::Planar => freedom.component < 2,
                JointKind::Floating => freedom.component < 3,
                _ => false,
            };
            let most = if slides { 1.0 } else { std::f64::consts::PI };
            let lower = if freedom.lower.is_finite() { freedom.lower } else { freedom.upper.min(most) - 2.0 * most };
            let upper = if freedom.upper.is_finite() { freedom.upper } else { lower + 2.0 * most };
            (lower, upper)
        };
        let mut number = |freedom: &Freedom| {
            let (lower, upper) = range(freedom);
            (lower + (upper - lower) * random.f64()).clamp(lower, upper)
        };
        self.freedoms.iter().map(&mut number).collect()
    }

    /// Refuses a configuration of another length, and numbers that are not finite.
    pub fn check(&self, configuration: &[f64]) -> Result<(), RobotError> {
        if configuration.len() != self.freedoms.len() {
            let (found, wanted) = (configuration.len(), self.freedoms.len());
            return Err(RobotError::Invalid(format!("a configuration of {found} numbers for {wanted} freedoms")));
        }
        match configuration.iter().position(|value| !(-1e9..=1e9).contains(value)) {
            Some(bad) => Err(RobotError::Invalid(format!(
                "configuration[{bad}] is {}; allowed are [-1e9, 1e9]",
                configuration[bad]
            ))),
            None => Ok(()),
        }
    }

    /// Where all links are, with the root at `base`. The configuration is not checked.
    pub fn link_poses(&self, configuration: &[f64], base: &Pose) -> Vec<Pose> {
        let mut poses = vec![Pose::IDENTITY; self.above.len()];
        self.place_links(configuration, base, &mut poses);
        poses
    }

    /// The same into a list of as many poses as there are links.
    pub fn place_links(&self, configuration: &[f64], base: &Pose, poses: &mut [Pose]) {
        poses[self.root] = *base;
        for step in &self.steps {
            let parent = poses[step.parent];
            let translation = parent.rotation * step.origin.translation + parent.translation;
            let rotation = parent.rotation * step.origin.rotation;
            poses[step.child] = match step.kind {
                JointKind::Fixed => Pose { rotation, translation },
                JointKind::Revolute | JointKind::Continuous => {
                    let (sine, cosine) = (0.5 * (step.ratio * configuration[step.first] + step.offset)).sin_cos();
                    let turn = DQuat::from_xyzw(step.axis.x * sine, step.axis.y * sine, step.axis.z * sine, cosine);
                    Pose { rotation: rotation * turn, translation }
                }
                JointKind::Prismatic => {
                    let way = step.ratio * configuration[step.first] + step.offset;
                    Pose { rotation, translation: translation + rotation * (step.axis * way) }
                }
                JointKind::Planar | JointKind::Floating => {
                    let own = free_pose(step, configuration);
                    Pose { rotation: rotation * own.rotation, translation: translation + rotation * own.translation }
                }
            };
        }
        // Products of unit quaternions drift by a rounding each.
        for pose in poses {
            pose.rotation = pose.rotation.normalize();
        }
    }

    /// Where all links are for many configurations, one after the other: `link_count` poses each.
    pub fn batch(&self, configurations: &[f64], base: &Pose, threads: Threads) -> Result<Vec<Pose>, RobotError> {
        let freedoms = self.freedoms.len().max(1);
        if !configurations.len().is_multiple_of(freedoms) {
            let found = configurations.len();
            return Err(RobotError::Invalid(format!(
                "{found} numbers are no whole number of configurations of {freedoms}"
            )));
        }
        let mut poses = vec![Pose::IDENTITY; configurations.len() / freedoms * self.above.len()];
        let work = |(configuration, poses): (&[f64], &mut [Pose])| self.place_links(configuration, base, poses);
        match threads {
            Threads::One => configurations.chunks(freedoms).zip(poses.chunks_mut(self.above.len())).for_each(work),
            Threads::All => {
                let many = configurations.par_chunks(freedoms).with_min_len(256);
                many.zip(poses.par_chunks_mut(self.above.len()).with_min_len(256)).for_each(work);
            }
        }
        Ok(poses)
    }

    /// How a point of a link, in world coordinates, moves with each number of the configuration.
    pub fn jacobian(&self, configuration: &[f64], poses: &[Pose], link: usize, point: DVec3) -> Vec<Column> {
        let mut columns = vec![Column::default(); self.freedoms.len()];
        let mut at = self.above[link];
        while let Some(number) = at {
            let step = &self.steps[number];
            let frame = poses[step.parent].compose(&step.origin);
            let mut add = |index: usize, linear: DVec3, angular: DVec3| {
                columns[index].linear += linear;
                columns[index].angular += angular;
            };
            let axis = frame.rotation * step.axis;
            match step.kind {
                JointKind::Fixed => {}
                JointKind::Revolute | JointKind::Continuous => {
                    let turn = axis * step.ratio;
                    add(step.first, turn.cross(point - frame.translation), turn);
                }
                JointKind::Prismatic => add(step.first, axis * step.ratio, DVec3::ZERO),
                JointKind::Planar => {
                    let (u, v) = plane_axes(step.axis);
                    add(step.first, frame.rotation * u, DVec3::ZERO);
                    add(step.first + 1, frame.rotation * v, DVec3::ZERO);
                    add(step.first + 2, axis.cross(point - poses[step.child].translation), axis);
                }
                JointKind::Floating => {
                    let arm = point - poses[step.child].translation;
                    let vector = DVec3::from_slice(&configuration[step.first + 3..step.first + 6]);
                    for (component, unit) in DVec3::AXES.into_iter().enumerate() {
                        add(step.first + component, frame.rotation * unit, DVec3::ZERO);
                        let turn = frame.rotation * rotation_rate(vector, unit);
                        add(step.first + 3 + component, turn.cross(arm), turn);
                    }
                }
            }
            at = self.above[step.parent];
        }
        columns
    }

    /// Joints from a link up to the root: the joint's number in the robot, its parent, the first number of the configuration, its
    /// ratio and kind.
    pub(crate) fn ancestors(&self, link: usize) -> impl Iterator<Item = Ancestor> + '_ {
        let mut at = self.above[link];
        std::iter::from_fn(move || {
            let step = &self.steps[at?];
            at = self.above[step.parent];
            Some(Ancestor {
                parent: step.parent,
                child: step.child,
                kind: step.kind,
                first: step.first,
                ratio: step.ratio,
                offset: step.offset,
                length: step.origin.translation.length(),
            })
        })
    }

    /// The link that a link is rigidly part of: the first above it, or itself, that hangs on a joint which moves.
    pub fn rigid_root(&self, link: usize) -> usize {
        let mut at = link;
        while let Some(number) = self.above[at].filter(|&number| self.steps[number].kind == JointKind::Fixed) {
            at = self.steps[number].parent;
        }
        at
    }

    /// The link above.
    pub fn parent(&self, link: usize) -> Option<usize> {
        self.above[link].map(|number| self.steps[number].parent)
    }

    /// The numbers of a configuration for joints by their names; others are neutral. Names of joints that follow others, or of none,
    /// are refused.
    pub fn configuration<'a>(
        &self,
        robot: &Robot,
        values: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Vec<f64>, RobotError> {
        let mut made = self.neutral();
        for (name, value) in values {
            let (joint_name, component) = match name.rsplit_once('/') {
                Some((joint, component)) if robot.joint(name).is_none() => {
                    (joint, component.parse().unwrap_or(usize::MAX))
                }
                _ => (name, 0),
            };
            let index = self
                .freedoms
                .iter()
                .position(|f| robot.joints[f.joint].name == joint_name && f.component == component)
                .ok_or_else(|| RobotError::Invalid(no_freedom(robot, name)))?;
            made[index] = value;
        }
        self.check(&made)?;
        Ok(made)
    }

    /// What the numbers of a configuration are called: the joint, and its component where it has several.
    pub fn freedom_name(&self, robot: &Robot, freedom: usize) -> String {
        let Freedom { joint, component, .. } = self.freedoms[freedom];
        let joint = &robot.joints[joint];
        if joint.kind.freedoms() == 1 { joint.name.clone() } else { format!("{}/{component}", joint.name) }
    }
}

/// A joint on the way from a link to the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ancestor {
    pub parent: usize,
    pub child: usize,
    pub kind: JointKind,
    pub first: usize,
    pub ratio: f64,
    pub offset: f64,
    /// Of the joint's origin on its parent.
    pub length: f64,
}

fn no_freedom(robot: &Robot, name: &str) -> String {
    match robot.joint(name).map(|joint| &robot.joints[joint]) {
        Some(joint) if joint.mimic.is_some() => {
            let leader = joint.mimic.map_or("", |mimic| robot.joints[mimic.joint].name.as_str());
            format!("joint {name} follows {leader}; give that one")
        }
        Some(joint) if joint.kind.freedoms() == 0 => format!("joint {name} is fixed"),
        Some(joint) => format!("joint {name} is {}; give {name}/0, {name}/1 and so on", joint.kind.name()),
        None => format!("there is no joint {name:?}; joints are {}", names_of_movable(robot)),
    }
}

fn names_of_movable(robot: &Robot) -> String {
    let movable = robot.joints.iter().filter(|joint| joint.mimic.is_none() && joint.kind.freedoms() > 0);
    movable.map(|joint| joint.name.as_str()).take(40).collect::<Vec<_>>().join(", ")
}

/// Two axes of the plane across a normal; of z these are x and y.
fn plane_axes(normal: DVec3) -> (DVec3, DVec3) {
    if normal.z.abs() > 0.9 {
        let u = DVec3::X - normal * normal.x;
        let u = u.normalize();
        (u, normal.cross(u))
    } else {
        let u = DVec3::Z.cross(normal).normalize();
        (u, normal.cross(u))
    }
}

fn free_pose(step: &Step, configuration: &[f64]) -> Pose {
    let numbers = &configuration[step.first..];
    if step.kind == JointKind::Planar {
        let (u, v) = plane_axes(step.axis);
        let rotation = DQuat::from_axis_angle(step.axis, numbers[2]);
        Pose { rotation, translation: u * numbers[0] + v * numbers[1] }
    } else {
        let rotation = DQuat::from_scaled_axis(DVec3::from_slice(&numbers[3..6]));
        Pose { rotation, translation: DVec3::from_slice(&numbers[..3]) }
    }
}

/// The angular velocity of a rotation vector that changes at some rate (the left Jacobian of SO(3)).
fn rotation_rate(vector: DVec3, rate: DVec3) -> DVec3 {
    let angle_sq = vector.length_squared();
    let (a, b) = if angle_sq < 1e-8 {
        (0.5 - angle_sq / 24.0, 1.0 / 6.0 - angle_sq / 120.0)
    } else {
        let angle = angle_sq.sqrt();
        ((1.0 - angle.cos()) / angle_sq, (angle - angle.sin()) / (angle_sq * angle))
    };
    let cross = vector.cross(rate);
    rate + cross * a + vector.cross(cross) * b
}
