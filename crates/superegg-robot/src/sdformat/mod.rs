//! SDFormat, the format of Gazebo, in.
//!
//! One model of links and joints. Poses relative to any link, joint or frame are resolved; a link's frame becomes that of the joint it hangs
//! on, as URDF wants it, so that poses may differ from those of the file by that shift. Ball joints become three hinges, universal ones two
//! with an empty link between them; links that hang on nothing float in the world where there are several of them. Whatever has no
//! counterpart is a diagnostic with its line.

mod frames;
mod include;
mod joint;
mod link;

use std::collections::HashMap;

use roxmltree::Node;
use superegg::Pose;

use crate::error::{Place, RobotError, Severity};
use crate::loaded::ReadOptions;
use crate::model::{Joint, JointKind, Link, Origin, Robot};
use crate::tree::{self, NamedJoint};
use crate::xml::{Source, elements};
use frames::{Frames, Scope};
use joint::SdfJoint;
use link::LinkFrames;

pub(crate) use include::assemble;

/// The link on which models stand.
const WORLD: &str = "world";

/// Reads a robot from the root of its document.
pub(crate) fn robot(source: &mut Source, root: Node, options: &ReadOptions) -> Result<Robot, RobotError> {
    source.allow_attributes(root, &["version"]);
    let model = only_model(source, root)?;
    source.allow_attributes(model, &["name", "canonical_link"]);
    let mut robot = Robot { name: source.require_name(model, "name")?, ..Robot::default() };
    let all = frames::contents(source, model, &Scope::default())?;
    let frames = Frames::read(source, &all)?;
    let mut joints: Vec<SdfJoint> = Vec::new();
    for (scope, child) in all.iter().filter(|(_, child)| child.tag_name().name() == "joint") {
        let read = joint::read(source, *child, scope, &frames)?;
        let hangs = |found: &SdfJoint| read.iter().any(|joint| joint.child == found.child);
        if let Some(first) = joints.iter().find(|found| hangs(found)) {
            let message = format!(
                "closes a loop and is left out: link {:?} hangs on the joint in {} already",
                first.child, first.at
            );
            source.note(Severity::Error, *child, message);
        } else {
            joints.extend(read);
        }
    }
    // The frame of each link, in the model: that of the joint it hangs on.
    let mut places: HashMap<String, Pose> = HashMap::new();
    places.extend(joints.iter().map(|joint| (joint.child.clone(), joint.place)));
    let (mut links, mut model_pose) = (HashMap::new(), Pose::IDENTITY);
    for (scope, child) in all {
        match child.tag_name().name() {
            "joint" | "frame" | "model" => {}
            "pose" => model_pose = frames::pose(source, child)?,
            "link" => {
                let name = scope.name(&source.require_name(child, "name")?);
                let own = frames.of(source, child, &name)?;
                let place = *places.entry(name.clone()).or_insert(own);
                let frame = LinkFrames { scope: &scope, frames: &frames, place, own: place.inverse().compose(&own) };
                let made = link::read(source, child, &frame, options)?;
                if links.insert(name.clone(), robot.links.len()).is_some() {
                    return Err(
                        source.refuse(child, format!("{name:?} is the name of another link already; rename one"))
                    );
                }
                robot.links.push(made);
            }
            "include" => {
                let uri = frames::child_text(child, "uri").unwrap_or_default();
                let message = format!("{uri:?} leads to no file and is left out; --package-path says where models are");
                source.note(Severity::Missing, child, message);
            }
            _ => source.note(Severity::Ignored, child, "has no counterpart here and is left out"),
        }
    }
    if robot.links.is_empty() {
        return Err(source.refuse(model, "has no <link>; a robot has at least one"));
    }
    let joints = stand(source, model, &mut robot, &mut links, joints, &mut places, model_pose);
    tree::assemble(source, &mut robot, joints, &links)?;
    Ok(robot)
}

/// The model of a file: the first one, in a world or not; others are reported.
fn only_model<'a, 'i>(source: &mut Source, root: Node<'a, 'i>) -> Result<Node<'a, 'i>, RobotError> {
    let mut found = None;
    for child in elements(root) {
        let inside = if child.tag_name().name() == "world" { elements(child).collect() } else { vec![child] };
        for node in inside {
            match node.tag_name().name() {
                "model" if found.is_none() => found = Some(node),
                "model" => source.note(Severity::Error, node, "is a further model and is left out; one is read"),
                _ => source.note(Severity::Ignored, node, "has no counterpart here and is left out"),
            }
        }
    }
    found.ok_or_else(|| source.refuse(root, "has no <model>; links and joints are in it"))
}

/// Puts joints between the frames of links, and several links that hang on nothing into the world.
fn stand(
    source: &mut Source,
    model: Node,
    robot: &mut Robot,
    links: &mut HashMap<String, usize>,
    joints: Vec<SdfJoint>,
    places: &mut HashMap<String, Pose>,
    model_pose: Pose,
) -> Vec<NamedJoint> {
    let hangs = |link: &Link| joints.iter().any(|joint| joint.child == link.name);
    let loose: Vec<String> = robot.links.iter().filter(|link| !hangs(link)).map(|link| link.name.clone()).collect();
    let on_world = joints.iter().any(|joint| joint.parent == WORLD);
    let mut add = |name: &str, robot: &mut Robot| {
        links.insert(name.to_owned(), robot.links.len());
        robot.links.push(Link { name: name.to_owned(), ..Link::default() });
    };
    let mut made = Vec::new();
    if on_world || loose.len() > 1 {
        add(WORLD, robot);
        places.insert(WORLD.to_owned(), model_pose.inverse());
        for name in &loose {
            source.note(Severity::Repaired, model, format!("link {name:?} hangs on nothing: it floats in the world"));
            made.push(named(SdfJoint::floating(name, places[name], source.place(model)), places));
        }
    } else if model_pose != Pose::IDENTITY {
        source.note(Severity::Ignored, model, "its pose in a world is not used: the robot stands at the origin");
    }
    for joint in joints {
        // Empty links between the axes of one joint.
        if joint.is_between {
            add(&joint.child, robot);
        }
        made.push(named(joint, places));
    }
    made
}

/// A joint with its frame on the parent. Parents that are no links are found when the tree is made.
fn named(joint: SdfJoint, places: &HashMap<String, Pose>) -> NamedJoint {
    let parent = places.get(&joint.parent).copied().unwrap_or(Pose::IDENTITY);
    let origin = Origin::of(&parent.inverse().compose(&joint.place));
    NamedJoint {
        joint: Joint { origin, ..joint.joint },
        parent: joint.parent,
        child: joint.child,
        mimic: joint.mimic,
        at: joint.at,
    }
}

impl SdfJoint {
    fn floating(link: &str, place: Pose, at: Place) -> SdfJoint {
        SdfJoint {
            joint: Joint::unplaced(format!("{link}_floating"), JointKind::Floating),
            parent: WORLD.to_owned(),
            child: link.to_owned(),
            mimic: None,
            place,
            is_between: false,
            at,
        }
    }
}
