//! MJCF, the format of MuJoCo, in and out.
//!
//! Bodies become links, hinges and slides joints; several joints of one body become a chain with empty links between them, a ball joint three
//! hinges, the world a link of its own. Classes of defaults, frames, angles in degrees and all ways to write a rotation are understood;
//! couplings of two joints by a straight line become mimics. A link's frame is at its last joint's anchor, as URDF wants it, so that
//! poses may differ from those of the file by that shift. Whatever has no counterpart is a diagnostic with its line.

mod body;
mod element;
mod geom;
mod include;
mod write;

use roxmltree::Node;

use crate::error::{RobotError, Severity};
use crate::loaded::ReadOptions;
use crate::model::{Mimic, Robot};
use crate::tree::{self, NamedJoint};
use crate::xml::{Source, elements};
use body::Bodies;
use element::Settings;
use geom::Assets;

pub(crate) use include::assemble;
pub use write::write;

/// Reads a robot from the root of its document.
pub(crate) fn robot(source: &mut Source, root: Node, options: &ReadOptions) -> Result<Robot, RobotError> {
    source.allow_attributes(root, &["model"]);
    let settings = Settings::read(source, root)?;
    let assets = Assets::read(source, root, &settings, options)?;
    let mut bodies = Bodies::new(&settings, &assets);
    let mut has_world = false;
    for child in elements(root) {
        match child.tag_name().name() {
            // Read before.
            "compiler" | "default" | "asset" | "equality" => {}
            "worldbody" => {
                has_world = true;
                bodies.world(source, child)?;
            }
            "include" => include::not_found(source, child),
            _ => source.note(Severity::Ignored, child, "has no counterpart here and is left out"),
        }
    }
    if !has_world {
        return Err(source.refuse(root, "has no <worldbody>; the bodies of a model are in it"));
    }
    let Bodies { mut robot, links, mut joints, .. } = bodies;
    couple(source, root, &mut joints)?;
    robot.name = root.attribute("model").map(str::trim).filter(|name| !name.is_empty()).unwrap_or("mujoco").to_owned();
    tree::assemble(source, &mut robot, joints, &links)?;
    Ok(robot)
}

/// Turns couplings of joints into mimics where they are straight lines.
fn couple(source: &mut Source, root: Node, joints: &mut [NamedJoint]) -> Result<(), RobotError> {
    let couplings = elements(root).filter(|child| child.tag_name().name() == "equality").flat_map(elements);
    for node in couplings.collect::<Vec<_>>() {
        if node.tag_name().name() != "joint" || node.attribute("active") == Some("false") {
            let message = match node.tag_name().name() {
                "connect" | "weld" => {
                    "closes a loop of bodies, which cannot be read: they move as if it were not there"
                }
                _ => "is not a coupling of joints that is active, and is left out",
            };
            source.note(Severity::Ignored, node, message);
            continue;
        }
        source.allow_attributes(node, &["name", "joint1", "joint2", "polycoef", "active"]);
        let follower = source.require_name(node, "joint1")?;
        let coefficients = source.numbers::<5>(node, "polycoef")?.unwrap_or([0.0, 1.0, 0.0, 0.0, 0.0]);
        let Some(leader) = node.attribute("joint2").filter(|_| coefficients[2..] == [0.0; 3]) else {
            source.note(
                Severity::Error,
                node,
                "joints follow others along straight lines only: this one moves by itself",
            );
            continue;
        };
        let Some(found) = joints.iter_mut().find(|named| named.joint.name == follower) else {
            return Err(source.refuse(node, format!("joint1 is {follower:?}, which is no joint")));
        };
        found.joint.mimic = Some(Mimic { joint: 0, multiplier: coefficients[1], offset: coefficients[0] });
        found.mimic = Some(leader.trim().to_owned());
    }
    Ok(())
}
