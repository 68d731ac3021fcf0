//! A creature as a robot: what kinematics, physics and files are made of.
//!
//! A bone is a link whose frame is that of its articulation, at the joint that it turns about; a bone that turns in several ways hangs on a
//! chain of revolute joints with empty links between them. The root link `base_link` is the frame of the world at rest, so that a file keeps
//! where things are; a frame `…__tip` at the end of every bone that nothing hangs on keeps how long it is.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Shape, Superellipsoid, Superovoid};
use superegg_robot::contact_geometry::{ContactGeometry, ContactPart};
use superegg_robot::inertial;
use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::{Geometry, Inertial, Joint, JointKind, Limits, Link, Origin, Robot, Surface};

use super::articulation::{TURNS, freedoms};
use super::messages::{Bone, Creature, Hitbox, Stance, Turn};
use super::tree::{Tree, segments};
use crate::wire::Refusal;

/// The link of the world.
pub const BASE: &str = "base_link";
/// Between a bone's name and what its links and joints are.
pub const MARK: &str = "__";
/// What joints can do in files, which have to say something: newton metres, radians a second.
const EFFORT: f64 = 100.0;
const VELOCITY: f64 = 10.0;
/// Thickness of a bone without a hitbox, in parts of its length: it weighs something.
const THIN: f64 = 0.06;

/// A creature as a robot.
#[derive(Clone, Debug)]
pub struct Rig {
    pub robot: Robot,
    pub kinematics: Kinematics,
    pub tree: Tree,
    /// The link of each bone.
    pub links: Vec<usize>,
    /// Where each bone's link is at rest.
    pub rest: Vec<Pose>,
    /// The number of a configuration of each turn of each bone.
    numbers: Vec<[Option<usize>; 3]>,
    /// Ids of the bones.
    ids: Vec<u32>,
    /// What the whole turns about.
    pivot: DVec3,
}

/// Whether the root may fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Held,
    Free,
}

/// The shape of a hitbox.
pub fn shape_of(hitbox: &Hitbox) -> Result<Shape, superegg::InvalidInput> {
    let Hitbox { radii, exponents, taper, .. } = *hitbox;
    Ok(if taper == [0.0; 2] {
        Superellipsoid::new(radii, exponents)?.into()
    } else {
        Superovoid::new(radii, exponents, taper)?.into()
    })
}

/// Where a hitbox is at rest.
pub fn pose_of(hitbox: &Hitbox) -> Pose {
    Pose {
        rotation: DQuat::from_array(hitbox.orientation).normalize(),
        translation: DVec3::from_array(hitbox.position),
    }
}

impl Rig {
    /// Of a creature that was checked.
    pub fn new(creature: &Creature, root: Root) -> Result<Rig, Refusal> {
        let bones = &creature.bones;
        let tree = Tree::of(bones).map_err(|at| Refusal::at(format!("bones[{at}]"), "it closes a ring"))?;
        let segments = segments(creature);
        let rest: Vec<Pose> = bones
            .iter()
            .zip(&segments)
            .map(|(bone, [from, _])| Pose {
                rotation: DQuat::from_array(bone.articulation.axes).normalize(),
                translation: *from,
            })
            .collect();
        let mut made = Rig {
            robot: Robot { name: creature.name.clone(), links: vec![link(BASE)], ..Robot::default() },
            kinematics: Kinematics::new(&Robot { links: vec![link(BASE)], ..Robot::default() }),
            links: vec![0; bones.len()],
            numbers: vec![[None; 3]; bones.len()],
            ids: bones.iter().map(|bone| bone.id).collect(),
            pivot: segments.first().map_or(DVec3::ZERO, |[from, _]| *from),
            tree,
            rest,
        };
        for index in made.tree.order.clone() {
            made.add_bone(creature, index, &segments[index], root)?;
        }
        made.kinematics = Kinematics::new(&made.robot);
        // From joints to numbers of a configuration.
        let freedoms = made.kinematics.freedoms();
        for number in made.numbers.iter_mut().flatten() {
            *number = number.and_then(|joint| freedoms.iter().position(|freedom| freedom.joint == joint));
        }
        Ok(made)
    }

    fn add_bone(&mut self, creature: &Creature, index: usize, segment: &[DVec3; 2], root: Root) -> Result<(), Refusal> {
        let bone = &creature.bones[index];
        let parent = self.tree.parents[index];
        let (mut above, frame) = parent.map_or((0, Pose::IDENTITY), |parent| (self.links[parent], self.rest[parent]));
        let mut origin = Origin::of(&frame.inverse().compose(&self.rest[index]));
        let turns: Vec<usize> = if parent.is_some() { freedoms(&bone.articulation).collect() } else { vec![] };
        for (k, &turn) in turns.iter().enumerate() {
            let name = format!("{}{MARK}{}", bone.name, TURNS[turn]);
            let below = self.robot.links.len();
            self.robot.links.push(link(if k + 1 == turns.len() { &bone.name } else { &name }));
            let [lower, upper] = bone.articulation.ranges[turn];
            self.numbers[index][turn] = Some(self.robot.joints.len());
            self.robot.joints.push(Joint {
                axis: DVec3::AXES[turn],
                limits: Some(Limits { lower, upper, effort: EFFORT, velocity: VELOCITY }),
                ..joint(name, JointKind::Revolute, above, below, origin)
            });
            (above, origin) = (below, Origin::default());
        }
        if turns.is_empty() {
            let below = self.robot.links.len();
            self.robot.links.push(link(&bone.name));
            let (kind, word) = if parent.is_none() && root == Root::Free {
                (JointKind::Floating, "floating")
            } else {
                (JointKind::Fixed, "fixed")
            };
            self.robot.joints.push(joint(format!("{}{MARK}{word}", bone.name), kind, above, below, origin));
            above = below;
        }
        self.links[index] = above;
        let parts = self.parts_of(creature, index)?;
        let own = &mut self.robot.links[above];
        for (part, surfaces) in parts.iter().flat_map(|part| [(part, true), (part, false)]) {
            let geometry = match part.shape {
                Shape::Superovoid(shape) => Geometry::Superovoid(shape),
                Shape::Superellipsoid(shape) => Geometry::Superellipsoid(shape),
                _ => continue,
            };
            let surface = Surface::new(geometry, Origin::of(&part.pose));
            if surfaces { own.visuals.push(surface) } else { own.collisions.push(surface) }
        }
        let thin = || {
            let (shape, pose) = thin_shape(segment)?;
            inertial(&[ContactPart::new(shape, self.rest[index].inverse().compose(&pose))])
        };
        own.inertial = inertial(&parts).or_else(thin);
        if is_end(creature, bone) {
            let below = self.robot.links.len();
            let name = format!("{}{MARK}tip", bone.name);
            self.robot.links.push(link(&name));
            let xyz = self.rest[index].inverse_transform_point(segment[1]);
            let origin = Origin { xyz, rpy: DVec3::ZERO };
            self.robot.joints.push(joint(format!("{name}{MARK}fixed"), JointKind::Fixed, above, below, origin));
        }
        Ok(())
    }

    /// The shapes of a bone in the frame of its link.
    fn parts_of(&self, creature: &Creature, index: usize) -> Result<Vec<ContactPart>, Refusal> {
        let id = creature.bones[index].id;
        let of = |hitbox: &Hitbox| {
            let shape = shape_of(hitbox).map_err(|refused| Refusal::invalid("hitbox", refused))?;
            Ok(ContactPart::new(shape, self.rest[index].inverse().compose(&pose_of(hitbox))))
        };
        creature.hitboxes.iter().filter(|hitbox| hitbox.bone == id).map(of).collect()
    }

    /// The shapes of all links.
    pub fn geometry(&self, creature: &Creature) -> Result<ContactGeometry, Refusal> {
        let mut links = vec![vec![]; self.robot.links.len()];
        for (index, &link) in self.links.iter().enumerate() {
            links[link] = self.parts_of(creature, index)?;
        }
        Ok(ContactGeometry { links, ..ContactGeometry::default() })
    }

    /// The numbers of a configuration that a stance has, within the limits; and where the base is.
    pub fn configuration(&self, stance: &Stance) -> (Vec<f64>, Pose) {
        let mut numbers = vec![0.0; self.kinematics.freedoms().len()];
        for turn in &stance.turns {
            let Some(index) = self.ids.iter().position(|id| *id == turn.bone) else { continue };
            for (number, angle) in self.numbers[index].iter().zip(turn.angles) {
                if let Some(number) = *number {
                    let freedom = &self.kinematics.freedoms()[number];
                    numbers[number] = angle.clamp(freedom.lower, freedom.upper);
                }
            }
        }
        (numbers, self.base(stance))
    }

    /// Where the base is in a stance.
    pub fn base(&self, stance: &Stance) -> Pose {
        let rotation = DQuat::from_array(stance.orientation).normalize();
        let moved = DVec3::from_array(stance.position);
        Pose { rotation, translation: self.pivot + moved - rotation * self.pivot }
    }

    /// The stance of a configuration, with the whole where another has it.
    pub fn stance(&self, configuration: &[f64], whole: &Stance) -> Stance {
        let angle = |number: &Option<usize>| number.map_or(0.0, |number| configuration[number]);
        let turns = self.ids.iter().zip(&self.numbers).map(|(id, numbers)| Turn {
            bone: *id,
            angles: [angle(&numbers[0]), angle(&numbers[1]), angle(&numbers[2])],
        });
        Stance { turns: turns.filter(|turn| turn.angles != [0.0; 3]).collect(), ..whole.clone() }
    }

    /// Gives the empty links between the turns of a joint a part of what their bone weighs, as balls about the joint.
    pub fn weigh_turns(&mut self, share: f64) {
        for (&link, numbers) in self.links.iter().zip(&self.numbers) {
            let Some(whole) = self.robot.links[link].inertial.filter(|_| numbers.iter().flatten().count() > 1) else {
                continue;
            };
            let reach = whole.origin.xyz.length_squared()
                + (whole.inertia[0] + whole.inertia[3] + whole.inertia[5]) / whole.mass;
            let mass = share * whole.mass;
            let about = mass * reach;
            let ball = Inertial { origin: Origin::default(), mass, inertia: [about, 0.0, 0.0, about, 0.0, about] };
            // All but the last lead to an empty link.
            let mut above = self.robot.joints.iter().find(|joint| joint.child == link).map(|joint| joint.parent);
            while let Some(between) =
                above.filter(|&at| self.robot.links[at].inertial.is_none() && at != self.robot.root)
            {
                self.robot.links[between].inertial = Some(ball);
                above = self.robot.joints.iter().find(|joint| joint.child == between).map(|joint| joint.parent);
            }
        }
    }

    /// A bare bone as something to be seen, where it is at rest.
    pub fn thin(&self, creature: &Creature, bone: usize) -> Option<(Shape, Pose)> {
        thin_shape(segments(creature).get(bone)?)
    }

    /// How every bone was moved from rest.
    pub fn places(&self, configuration: &[f64], base: &Pose) -> Vec<Pose> {
        let poses = self.kinematics.link_poses(configuration, base);
        self.links.iter().zip(&self.rest).map(|(&link, rest)| poses[link].compose(&rest.inverse())).collect()
    }
}

fn link(name: &str) -> Link {
    Link { name: name.to_owned(), ..Link::default() }
}

fn joint(name: String, kind: JointKind, parent: usize, child: usize, origin: Origin) -> Joint {
    Joint { name, kind, parent, child, origin, axis: DVec3::X, limits: None, dynamics: None, mimic: None, kept: vec![] }
}

/// Whether nothing hangs on the end of a bone.
fn is_end(creature: &Creature, bone: &Bone) -> bool {
    creature.bones.iter().all(|other| other.from != bone.to)
}

/// What a bone without a hitbox weighs and looks like, where it is at rest.
fn thin_shape(segment: &[DVec3; 2]) -> Option<(Shape, Pose)> {
    let [from, to] = *segment;
    let length = from.distance(to);
    let shape = Superellipsoid::new([THIN * length, THIN * length, 0.5 * length], [1.0, 1.0]).ok()?;
    let along = DQuat::from_rotation_arc(DVec3::Z, (to - from).normalize_or(DVec3::Z));
    Some((shape.into(), Pose { rotation: along, translation: from.midpoint(to) }))
}
