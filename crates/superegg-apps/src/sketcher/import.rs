//! From a robot to a creature: links become bones, their smooth shapes hitboxes, their meshes something to trace and to fit.
//!
//! Joints about one point through empty links, three at most, become one articulation. What a skeleton cannot say (slides, links that branch
//! at several places) is fixed or bridged by a rigid bone, and a line says so. A creature's own file gives back the same creature.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DMat3, DQuat, DVec3};
use superegg::Pose;
use superegg::shape::Superellipsoid;
use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::{Geometry, Joint as RobotJoint, JointKind, Robot};
use superegg_robot::{ReadOptions, urdf};

use super::articulation::frame;
use super::gallery::empty;
use super::limits::{EXPONENTS, MOST_BONES, RADII, SHORTEST, TAPER};
use super::messages::{Articulation, Backdrop, Bone, Creature, Hitbox, Joint};
use super::robot::{BASE, MARK};
use super::tree::orient;
use crate::checks::limit;
use crate::wire::{ErrorKind, Refusal};

/// Roundness of hitboxes that stand for boxes and for the ends of cylinders and capsules.
const SHARP: f64 = 0.1;
const CAPSULE: f64 = 0.5;
/// Length of a bone whose link does not tell, in metres.
const UNKNOWN: f64 = 0.1;

/// A URDF file's robot as a creature, and a line for what was not taken over.
pub fn import(text: &str) -> Result<(Creature, Vec<String>), Refusal> {
    let wrong = |error: superegg_robot::RobotError| Refusal::at("import.text", error.to_string());
    let loaded = urdf::read(Path::new("robot.urdf"), text, &ReadOptions::default()).map_err(wrong)?;
    // Where meshes are is the client's business.
    let said = loaded.diagnostics.iter().map(|diagnostic| diagnostic.to_string()).filter(|line| !line.contains("mesh"));
    let mut importing = Importing::new(&loaded.robot, said.collect());
    importing.bones()?;
    let Importing { mut creature, notes, .. } = importing;
    if creature.bones.is_empty() {
        return Err(Refusal::whole(ErrorKind::InvalidInput, "this robot has no links that could be bones"));
    }
    orient(&mut creature.bones);
    Ok((creature, notes))
}

struct Importing<'a> {
    robot: &'a Robot,
    /// Where links are in the neutral configuration, and the number of every joint there.
    poses: Vec<Pose>,
    neutral: BTreeMap<usize, f64>,
    /// The bone of each link that is one, by its place in the list.
    bone_of: BTreeMap<usize, usize>,
    creature: Creature,
    notes: Vec<String>,
}

impl<'a> Importing<'a> {
    fn new(robot: &'a Robot, notes: Vec<String>) -> Importing<'a> {
        let kinematics = Kinematics::new(robot);
        let configuration = kinematics.neutral();
        let numbers = kinematics.freedoms().iter().zip(&configuration).map(|(freedom, value)| (freedom.joint, *value));
        let mut creature = empty(&robot.name);
        creature.mirror = false;
        Importing {
            robot,
            poses: kinematics.link_poses(&configuration, &Pose::IDENTITY),
            neutral: numbers.collect(),
            bone_of: BTreeMap::new(),
            creature,
            notes,
        }
    }

    fn joint_above(&self, link: usize) -> Option<&'a RobotJoint> {
        self.robot.joints.iter().find(|joint| joint.child == link)
    }

    fn joints_below(&self, link: usize) -> impl Iterator<Item = &'a RobotJoint> + use<'a> {
        let robot = self.robot;
        robot.joints.iter().filter(move |joint| joint.parent == link)
    }

    /// Nothing to see, touch or weigh.
    fn is_bare(&self, link: usize) -> bool {
        let link = &self.robot.links[link];
        link.inertial.is_none() && link.collisions.is_empty() && link.visuals.is_empty()
    }

    /// Only there so that the next link turns in one more way.
    fn is_between(&self, link: usize) -> bool {
        let mut below = self.joints_below(link);
        let turning = below.next().is_some_and(|joint| is_turning(joint) && joint.origin.xyz == DVec3::ZERO);
        turning && below.next().is_none() && self.is_bare(link) && self.joint_above(link).is_some_and(is_turning)
    }

    /// A frame at the end of a bone.
    fn is_tip(&self, link: usize) -> bool {
        let fixed = self.joint_above(link).is_some_and(|joint| joint.kind == JointKind::Fixed);
        fixed && self.is_bare(link) && self.joints_below(link).next().is_none()
    }

    /// The frame of the world, which carries everything and is nothing.
    fn is_world(&self, link: usize) -> bool {
        let held = |joint: &RobotJoint| matches!(joint.kind, JointKind::Fixed | JointKind::Floating);
        link == self.robot.root
            && self.is_bare(link)
            && (self.robot.links[link].name == BASE || self.joints_below(link).all(held))
    }

    /// Links that become bones, in the order of the tree.
    fn bones(&mut self) -> Result<(), Refusal> {
        let mut open = std::collections::VecDeque::from([self.robot.root]);
        while let Some(link) = open.pop_front() {
            open.extend(self.joints_below(link).map(|joint| joint.child));
            if self.is_world(link) || self.is_between(link) || self.is_tip(link) {
                continue;
            }
            if self.creature.bones.len() >= MOST_BONES {
                return Err(limit("import.text", format!("more than {MOST_BONES} links")));
            }
            self.bone(link);
        }
        Ok(())
    }

    /// The nearest link above that is a bone.
    fn parent_bone(&self, link: usize) -> Option<usize> {
        let above = self.joint_above(link)?.parent;
        self.bone_of.get(&above).copied().or_else(|| self.parent_bone(above))
    }

    fn bone(&mut self, link: usize) {
        let (from, to) = (self.poses[link].translation, self.end_of(link));
        let start = match self.parent_bone(link) {
            None => self.joint_at(from, None),
            Some(parent) => self.branch(parent, from),
        };
        let end = self.add_joint(to);
        let name = self.name_of(link);
        let articulation = self.articulation(link, to - from);
        self.bone_of.insert(link, self.creature.bones.len());
        let id = self.add_bone(name, start, end, articulation);
        self.surfaces(link, id);
    }

    fn add_joint(&mut self, at: DVec3) -> u32 {
        let id = self.creature.joints.len() as u32 + 1;
        self.creature.joints.push(Joint { id, position: at.to_array() });
        id
    }

    fn add_bone(&mut self, name: String, from: u32, to: u32, articulation: Articulation) -> u32 {
        let id = self.creature.bones.len() as u32 + 1;
        self.creature.bones.push(Bone { id, name, from, to, articulation });
        id
    }

    /// A joint at a place, one of some bone's ends if there is one there.
    fn joint_at(&mut self, at: DVec3, among: Option<usize>) -> u32 {
        let ends = among.map(|bone| [self.creature.bones[bone].from, self.creature.bones[bone].to]);
        let near = |joint: &&Joint| DVec3::from_array(joint.position).distance(at) < 1e-7;
        let found =
            self.creature.joints.iter().filter(near).find(|joint| ends.is_some_and(|ends| ends.contains(&joint.id)));
        found.map(|joint| joint.id).unwrap_or_else(|| self.add_joint(at))
    }

    /// The joint on a bone from which another begins: its end, or that of a rigid bone from there.
    fn branch(&mut self, parent: usize, at: DVec3) -> u32 {
        let Bone { from, to, name, .. } = self.creature.bones[parent].clone();
        let is_root = parent == 0;
        let place = |joint: u32, made: &Creature| {
            made.joints
                .iter()
                .find(|other| other.id == joint)
                .map_or(DVec3::ZERO, |other| DVec3::from_array(other.position))
        };
        if place(to, &self.creature).distance(at) < 1e-7 {
            return to;
        }
        if is_root && place(from, &self.creature).distance(at) < 1e-7 {
            return from;
        }
        let apart = at - place(to, &self.creature);
        if apart.length() < SHORTEST {
            return to;
        }
        let joint = self.add_joint(at);
        let name = self.free_name(&format!("{name}_strut"));
        let articulation = Articulation { axes: frame(apart, DVec3::X).to_array(), ranges: [[0.0; 2]; 3] };
        self.add_bone(name, to, joint, articulation);
        joint
    }

    /// Where the bone of a link ends: at its tip, at the next bone, or beyond its shapes.
    fn end_of(&self, link: usize) -> DVec3 {
        let from = self.poses[link].translation;
        let far = |at: &DVec3| at.distance(from) > SHORTEST;
        let below: Vec<usize> = self.joints_below(link).map(|joint| joint.child).collect();
        let tip = below
            .iter()
            .find(|&&child| self.is_tip(child) && self.robot.links[child].name.ends_with(&format!("{MARK}tip")));
        let next =
            below.iter().filter(|&&child| !self.is_tip(child)).map(|&child| self.poses[child].translation).find(far);
        let shapes = &self.robot.links[link].collisions;
        let middle = shapes.iter().map(|surface| self.poses[link].transform_point(surface.origin.xyz)).sum::<DVec3>()
            / shapes.len().max(1) as f64;
        tip.map(|&child| self.poses[child].translation)
            .filter(far)
            .or(next)
            .or_else(|| (!shapes.is_empty()).then_some(2.0 * middle - from).filter(far))
            .unwrap_or_else(|| from + self.poses[link].rotation * DVec3::Z * UNKNOWN)
    }

    fn name_of(&self, link: usize) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_-. ".contains(c) { c } else { '_' };
        let mut name: String = self.robot.links[link].name.chars().map(plain).take(60).collect();
        while name.contains(MARK) {
            name = name.replace(MARK, "_");
        }
        let name = if name.trim().is_empty() || name == BASE { "base".to_owned() } else { name };
        self.free_name(&name)
    }

    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| self.creature.bones.iter().any(|bone| bone.name == name);
        let numbered = |number: u32| if number == 1 { name.to_owned() } else { format!("{name}_{number}") };
        (1..).map(numbered).find(|name| !taken(name)).unwrap_or_default()
    }

    /// The joints through which a link turns, from the outermost.
    fn turning(&self, link: usize) -> Vec<&'a RobotJoint> {
        let mut joints = vec![];
        let mut at = link;
        while let Some(joint) = self.joint_above(at).filter(|joint| is_turning(joint)) {
            joints.insert(0, joint);
            at = joint.parent;
            if !self.is_between(at) || joints.len() == 3 {
                break;
            }
        }
        joints
    }

    fn articulation(&mut self, link: usize, along: DVec3) -> Articulation {
        let joints = self.turning(link);
        if let (Some(joint), true) = (self.joint_above(link), joints.is_empty())
            && !matches!(joint.kind, JointKind::Fixed | JointKind::Floating)
        {
            self.notes.push(format!(
                "joint {}: bones only turn, and this one is {}; it is fixed",
                joint.name,
                joint.kind.name()
            ));
        }
        let own = self.poses[link].rotation;
        // Axes in the frame of the link, where all are at rest.
        let axes: Vec<DVec3> = joints
            .iter()
            .map(|joint| (own.conjugate() * (self.poses[joint.child].rotation * joint.axis)).normalize())
            .collect();
        let (turn, slots) = slots(&axes, own.conjugate() * along);
        let mut ranges = [[0.0; 2]; 3];
        for ((joint, axis), slot) in joints.iter().zip(&axes).zip(slots) {
            let Some(slot) = slot else {
                self.notes
                    .push(format!("joint {}: its axis is not square to those before it; it is fixed", joint.name));
                continue;
            };
            let number = self.robot.joints.iter().position(|other| other.name == joint.name).unwrap_or(0);
            let at = self.neutral.get(&number).copied().unwrap_or(0.0);
            let turns = std::f64::consts::TAU;
            let [low, high] = match joint.limits.filter(|_| joint.kind == JointKind::Revolute) {
                Some(limits) => [limits.lower - at, limits.upper - at],
                None => [-0.5 * turns, 0.5 * turns],
            };
            let backwards = (turn * DVec3::AXES[slot]).dot(*axis) < 0.0;
            let [low, high] = if backwards { [-high, -low] } else { [low, high] };
            ranges[slot] = [low.clamp(-turns, 0.0), high.clamp(0.0, turns)];
        }
        Articulation { axes: (own * turn).normalize().to_array(), ranges }
    }

    /// Shapes as hitboxes, meshes as backdrops.
    fn surfaces(&mut self, link: usize, bone: u32) {
        let described = &self.robot.links[link];
        for surface in &described.collisions {
            let pose = self.poses[link].compose(&surface.origin.pose());
            match hitbox_of(&surface.geometry) {
                Some(([a, b, c], exponents, taper)) => {
                    let id = self.creature.hitboxes.len() as u32 + 1;
                    let radii = [a, b, c].map(|radius: f64| radius.clamp(RADII[0], RADII[1]));
                    let exponents = exponents.map(|exponent: f64| exponent.clamp(EXPONENTS[0], EXPONENTS[1]));
                    let taper = taper.map(|taper: f64| taper.clamp(-TAPER, TAPER));
                    let (position, orientation) = (pose.translation.to_array(), pose.rotation.normalize().to_array());
                    self.creature.hitboxes.push(Hitbox { id, bone, position, orientation, radii, exponents, taper });
                }
                None => self.backdrop(&surface.geometry, &pose, bone),
            }
        }
        for surface in &described.visuals {
            let pose = self.poses[link].compose(&surface.origin.pose());
            self.backdrop(&surface.geometry, &pose, bone);
        }
    }

    fn backdrop(&mut self, geometry: &Geometry, pose: &Pose, bone: u32) {
        let Geometry::Mesh(mesh) = geometry else { return };
        let file = mesh.filename.rsplit(['/', '\\']).next().unwrap_or(&mesh.filename).to_owned();
        let id = self.creature.meshes.len() as u32 + 1;
        let made = Backdrop {
            id,
            file,
            hash: String::new(),
            bone: Some(bone),
            position: pose.translation.to_array(),
            orientation: pose.rotation.normalize().to_array(),
            scale: mesh.scale.to_array(),
        };
        let known = |other: &Backdrop| Backdrop { id, ..other.clone() } == made;
        if !self.creature.meshes.iter().any(known) && self.creature.meshes.len() < super::limits::MOST_MESHES {
            self.creature.meshes.push(made);
        }
    }
}

fn is_turning(joint: &RobotJoint) -> bool {
    matches!(joint.kind, JointKind::Revolute | JointKind::Continuous) && joint.mimic.is_none()
}

/// The frame, on a link, in which its joints turn about x, y and z in this order, and which of these each is.
fn slots(axes: &[DVec3], along: DVec3) -> (DQuat, Vec<Option<usize>>) {
    // Axes of the link's own frame, in order: this is how a creature's file has them.
    let own: Vec<Option<usize>> = axes.iter().map(|axis| (0..3).find(|&k| axis[k].abs() > 1.0 - 1e-9)).collect();
    let in_order = own.iter().all(Option::is_some) && own.windows(2).all(|pair| pair[0] < pair[1]);
    if in_order {
        return (DQuat::IDENTITY, own);
    }
    let x = axes[0];
    let second = axes.get(1).filter(|axis| axis.dot(x).abs() < 1e-6).copied();
    let z = second.map_or_else(
        || along.reject_from(x).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector()),
        |y| x.cross(y).normalize(),
    );
    let turn = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize();
    let mut found = vec![Some(0)];
    for (k, axis) in axes.iter().enumerate().skip(1) {
        let fits = (turn * DVec3::AXES[k]).dot(*axis).abs() > 1.0 - 1e-6 && (k == 1 || found[1].is_some());
        found.push(fits.then_some(k));
    }
    (turn, found)
}

/// Radii, exponents and taper of a shape; none for a mesh.
fn hitbox_of(geometry: &Geometry) -> Option<([f64; 3], [f64; 2], [f64; 2])> {
    let plain = |radii: [f64; 3], exponents: [f64; 2]| Some((radii, exponents, [0.0; 2]));
    match geometry {
        Geometry::Mesh(_) => None,
        Geometry::Box { size } => plain((*size * 0.5).to_array(), [SHARP; 2]),
        Geometry::Cylinder { radius, length } => plain([*radius, *radius, 0.5 * length], [1.0, SHARP]),
        Geometry::Capsule { radius, length } => plain([*radius, *radius, 0.5 * length + radius], [1.0, CAPSULE]),
        Geometry::Sphere { radius } => plain([*radius; 3], [1.0; 2]),
        Geometry::Superellipsoid(shape) => plain(Superellipsoid::radii(shape), shape.exponents()),
        Geometry::Superovoid(shape) => Some((shape.radii(), shape.exponents(), shape.taper())),
    }
}
