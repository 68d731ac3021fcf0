//! Poses of links, joints and frames in the model, each relative to another.

use std::collections::HashMap;

use glam::{DQuat, DVec3};
use roxmltree::Node;
use superegg::Pose;

use crate::error::RobotError;
use crate::model::Origin;
use crate::xml::{Source, elements};

/// What poses are relative to unless they say otherwise.
const MODEL: &str = "__model__";

/// A pose and what it is relative to.
struct Relative {
    base: String,
    pose: Pose,
}

/// Everything in a model that a pose can be relative to.
pub(super) struct Frames(HashMap<String, Relative>);

impl Frames {
    pub fn read(source: &mut Source, model: Node) -> Result<Frames, RobotError> {
        let mut found = HashMap::new();
        for node in elements(model) {
            let base = match node.tag_name().name() {
                "link" => MODEL,
                "joint" => child_text(node, "child").unwrap_or(MODEL),
                "frame" => node.attribute("attached_to").unwrap_or(MODEL),
                _ => continue,
            };
            let name = source.require_name(node, "name")?;
            let own = element(node, "pose");
            let base = own.and_then(|own| own.attribute("relative_to")).filter(|base| !base.is_empty()).unwrap_or(base);
            let pose = own.map_or(Ok(Pose::IDENTITY), |own| pose(source, own))?;
            found.insert(name, Relative { base: base.to_owned(), pose });
        }
        Ok(Frames(found))
    }

    /// The pose of something in the model.
    pub fn of(&self, source: &Source, node: Node, name: &str) -> Result<Pose, RobotError> {
        let (mut placed, mut at, mut steps) = (Pose::IDENTITY, name, 0);
        while at != MODEL && at != super::WORLD {
            let Some(relative) = self.0.get(at) else {
                return Err(source.refuse(node, format!("a pose is relative to {at:?}, which is not in the model")));
            };
            placed = relative.pose.compose(&placed);
            at = &relative.base;
            steps += 1;
            if steps > self.0.len() {
                return Err(source.refuse(node, format!("the pose of {name:?} is relative to itself")));
            }
        }
        Ok(placed)
    }
}

/// Reads `<pose>`.
pub(super) fn pose(source: &mut Source, node: Node) -> Result<Pose, RobotError> {
    source_attributes(source, node, &["relative_to", "degrees", "rotation_format", "frame"]);
    let text = node.text().unwrap_or_default();
    if node.attribute("rotation_format") == Some("quat_xyzw") {
        let [x, y, z, i, j, k, w] = source.numbers_in(node, "pose", text)?;
        let made = Pose::new(DQuat::from_xyzw(i, j, k, w), DVec3::new(x, y, z));
        return made.map_err(|_| source.refuse(node, "the quaternion is zero; give it a rotation"));
    }
    let unit = if node.attribute("degrees") == Some("true") { std::f64::consts::PI / 180.0 } else { 1.0 };
    let [x, y, z, roll, pitch, yaw] = source.numbers_in(node, "pose", text)?;
    Ok(Origin { xyz: DVec3::new(x, y, z), rpy: unit * DVec3::new(roll, pitch, yaw) }.pose())
}

/// Reports attributes that are not known; text belongs into elements of this format.
pub(super) fn source_attributes(source: &mut Source, node: Node, known: &[&str]) {
    let unknown: Vec<String> =
        node.attributes().filter(|a| !known.contains(&a.name())).map(|a| a.name().to_owned()).collect();
    for name in unknown {
        let message = format!("attribute {name} is not known and not used");
        source.note(crate::error::Severity::Ignored, node, message);
    }
}

/// The first element of a name.
pub(super) fn element<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|child| child.tag_name().name() == name)
}

/// The text of the first element of a name.
pub(super) fn child_text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    element(node, name).and_then(|child| child.text()).map(str::trim)
}

/// The number in the first element of a name.
pub(super) fn child_number(source: &Source, node: Node, name: &str) -> Result<Option<f64>, RobotError> {
    let Some(child) = element(node, name) else { return Ok(None) };
    source.number_in(child, name, child.text().unwrap_or_default().trim()).map(Some)
}

/// The numbers in the first element of a name.
pub(super) fn child_numbers<const N: usize>(
    source: &mut Source,
    node: Node,
    name: &str,
) -> Result<Option<[f64; N]>, RobotError> {
    let Some(child) = element(node, name) else { return Ok(None) };
    source.numbers_in(child, name, child.text().unwrap_or_default()).map(Some)
}

/// A positive length in an element of a name that has to be there.
pub(super) fn length(source: &Source, node: Node, name: &str) -> Result<f64, RobotError> {
    match child_number(source, node, name)? {
        Some(value) if value > 0.0 => Ok(value),
        Some(value) => Err(source.refuse(node, format!("{name} is {value}; it has to be positive"))),
        None => Err(source.refuse(node, format!("has no <{name}>; add it"))),
    }
}
