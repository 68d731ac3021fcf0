//! A creature as a file for other programs.

use superegg::Pose;
use superegg::shape::{Shape, Spacing};
use superegg_picture::rig::{Rig as Film, RigBone, RigFrame, RigPiece};
use superegg_robot::simulate::{SimulationOptions, add_robot};
use superegg_robot::urdf::{WriteOptions, compat_meshes, write};
use superegg_robot::{RobotError, mjcf};
use superegg_scene::Description;
use superegg_sim::{Body, Collider, Groups, World};

use super::clip::{duration, stance_at};
use super::messages::{Creature, ExportFormat, Reply};
use super::physics::lowest;
use super::robot::{Rig, Root, pose_of, shape_of};
use crate::files::plain_name;
use crate::session::{Slice, Step, Task};
use crate::wire::{ErrorKind, Refusal, base64};

/// Vertices of a surface.
const VERTICES: usize = 500;
/// Frames a second, and most of them.
const RATE: f64 = 30.0;
const MOST_FRAMES: usize = 600;
/// A robot stands a little above the ground of a scene, so that it falls, in metres.
const ABOVE: f64 = 0.02;
/// Radius of a body that is only there to turn, in metres.
const GRAIN: f64 = 1e-3;

/// A file on its way.
pub struct Exporting {
    pub creature: Creature,
    pub format: ExportFormat,
}

impl Task<Reply> for Exporting {
    fn step(&mut self, _slice: &Slice) -> Result<Step<Reply>, Refusal> {
        if self.creature.bones.is_empty() {
            return Err(Refusal::whole(ErrorKind::InvalidInput, "there is nothing to export yet: draw a bone first"));
        }
        let (bytes, end) = file(&self.creature, self.format)?;
        let name = format!("{}.{end}", plain_name(&self.creature.name, "creature"));
        Ok(Step::Done(Reply::File { name, base64: base64::encode(&bytes) }, vec![]))
    }
}

fn unsupported(error: impl ToString) -> Refusal {
    Refusal::whole(ErrorKind::Unsupported, error.to_string())
}

/// The bytes of a file and the end of its name.
pub fn file(creature: &Creature, format: ExportFormat) -> Result<(Vec<u8>, &'static str), Refusal> {
    let rig = Rig::new(creature, Root::Held)?;
    let mut bytes = vec![];
    let end = match format {
        ExportFormat::Urdf => {
            bytes = write(&rig.robot, &WriteOptions::default()).map_err(unsupported)?.into_bytes();
            "urdf"
        }
        ExportFormat::UrdfCompat => {
            let options = WriteOptions { compat: true, folder: None };
            let text = write(&rig.robot, &options).map_err(unsupported)?;
            let mut files = vec![(format!("{}.urdf", plain_name(&creature.name, "creature")), text.into_bytes())];
            files.extend(compat_meshes(&rig.robot).map_err(unsupported)?);
            superegg_io::zip::write_zip(&mut bytes, &files).map_err(unsupported)?;
            "zip"
        }
        ExportFormat::Mjcf => {
            bytes = mjcf::write(&rig.robot).map_err(unsupported)?.into_bytes();
            "xml"
        }
        ExportFormat::Collada => {
            film(creature, &rig)?.write_collada(&mut bytes).map_err(unsupported)?;
            "dae"
        }
        ExportFormat::Glb => {
            film(creature, &rig)?.write_glb(&mut bytes).map_err(unsupported)?;
            "glb"
        }
        ExportFormat::Scene => {
            bytes = scene(creature)?.into_bytes();
            "toml"
        }
    };
    Ok((bytes, end))
}

/// Bones, surfaces and motion.
fn film(creature: &Creature, rig: &Rig) -> Result<Film, Refusal> {
    // Parents before children.
    let order = &rig.tree.order;
    let rank = |bone: usize| order.iter().position(|other| *other == bone);
    let bones = order
        .iter()
        .map(|&bone| RigBone {
            name: creature.bones[bone].name.clone(),
            parent: rig.tree.parents[bone].and_then(rank),
            rest: rig.rest[bone],
        })
        .collect();
    let mut made = Film { name: creature.name.clone(), bones, ..Film::default() };
    let geometry = rig.geometry(creature)?;
    for (number, &bone) in order.iter().enumerate() {
        let link = rig.links[bone];
        let id = creature.bones[bone].id;
        let own = creature.hitboxes.iter().filter(|hitbox| hitbox.bone == id);
        let mut shapes: Vec<(Shape, Pose)> = vec![];
        for hitbox in own {
            shapes.push((shape_of(hitbox).map_err(|refused| Refusal::invalid("hitbox", refused))?, pose_of(hitbox)));
        }
        if geometry.links[link].is_empty() {
            // A bare bone is seen as a thin one.
            shapes.extend(rig.thin(creature, bone));
        }
        for (shape, pose) in shapes {
            let soup = match shape {
                Shape::Superellipsoid(shape) => shape.tessellate(VERTICES, Spacing::Curvature),
                Shape::Superovoid(shape) => shape.tessellate(VERTICES, Spacing::Curvature),
                _ => continue,
            };
            let soup = soup.map_err(|refused| Refusal::invalid("hitbox", refused))?;
            let positions = soup.vertices.iter().map(|at| pose.transform_point(*at)).collect();
            made.pieces.push(RigPiece { bone: number, positions, triangles: soup.triangles });
        }
    }
    made.frames = frames(creature, rig);
    Ok(made)
}

fn frames(creature: &Creature, rig: &Rig) -> Vec<RigFrame> {
    let length = duration(&creature.keys);
    if length <= 0.0 {
        return vec![];
    }
    let count = ((length * RATE).ceil() as usize).clamp(1, MOST_FRAMES);
    let at = |k: usize| {
        let time = length * k as f64 / count as f64;
        let (configuration, base) = rig.configuration(&stance_at(&creature.keys, time)?);
        let poses = rig.kinematics.link_poses(&configuration, &base);
        Some(RigFrame { time, places: rig.tree.order.iter().map(|&bone| poses[rig.links[bone]]).collect() })
    };
    (0..=count).filter_map(at).collect()
}

/// The creature above the ground, as `superegg sim` runs it: free, its joints held by servos.
fn scene(creature: &Creature) -> Result<String, Refusal> {
    let rig = Rig::new(creature, Root::Free)?;
    let (configuration, base) = rig.configuration(&creature.stance);
    let mut world = World::new();
    let robot = |error: RobotError| unsupported(error);
    add_robot(&mut world, &rig.robot, &rig.geometry(creature)?, &base, &configuration, &SimulationOptions::default())
        .map_err(robot)?;
    let mut description = description_of(&world).map_err(unsupported)?;
    description.name = plain_name(&creature.name, "creature");
    let ground = lowest(creature, &rig.places(&configuration, &base)) - ABOVE;
    let plane = superegg::shape::Plane::new(glam::DVec3::Z, ground).map_err(unsupported)?;
    description.bodies.push(Body::fixed(plane, Pose::IDENTITY));
    superegg_scene::file::write(&description).map_err(unsupported)
}

/// What is in a world of bodies and joints, as plain data.
fn description_of(world: &World) -> Result<Description, superegg_sim::SimError> {
    let ids: Vec<_> = world.bodies().collect();
    let mut description = Description { sleeping: true, ..Description::default() };
    for &id in &ids {
        let body = world.body(id)?;
        let mut colliders =
            body.colliders().map(|collider| world.collider(collider).cloned()).collect::<Result<Vec<Collider>, _>>()?;
        if colliders.is_empty() {
            // Files have no bodies without a shape: a grain of sand that meets nothing.
            let nothing = Groups { member_of: 0, collides_with: 0 };
            colliders.push(Collider {
                groups: nothing,
                ..Collider::new(superegg::shape::Superellipsoid::new([GRAIN; 3], [1.0; 2])?)
            });
        }
        let [velocity, angular_velocity] = body.velocities();
        description.bodies.push(Body {
            pose: body.pose(),
            velocity,
            angular_velocity,
            motion: body.motion(),
            colliders,
        });
    }
    let number = |id| ids.iter().position(|other| *other == id);
    for joint in world.joints() {
        let joint = world.joint(joint)?;
        let Some(b) = number(joint.b) else { continue };
        description.joints.push(superegg_scene::JointDescription {
            a: joint.a.and_then(number),
            b,
            frame_a: joint.frame_a,
            frame_b: joint.frame_b,
            kind: joint.kind,
            collide: joint.collide,
            mimic: None,
        });
    }
    Ok(description)
}
