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
/// Between the name of a model and of what is in it.
const SCOPE: &str = "::";

/// Where names are looked for: in the model, or in one that is nested in it.
#[derive(Clone, Default)]
pub(super) struct Scope(String);

impl Scope {
    /// The scope of a model that is nested here.
    fn inner(&self, model: &str) -> Scope {
        Scope(format!("{}{model}{SCOPE}", self.0))
    }

    /// The name in the whole model of something that has a name here.
    pub fn name(&self, name: &str) -> String {
        match name {
            MODEL => self.0.strip_suffix(SCOPE).unwrap_or(MODEL).to_owned(),
            super::WORLD => name.to_owned(),
            _ => format!("{}{name}", self.0),
        }
    }
}

/// The elements of a model and of those that are nested in it, each with its scope.
pub(super) fn contents<'a, 'i>(
    source: &Source,
    model: Node<'a, 'i>,
    scope: &Scope,
) -> Result<Vec<(Scope, Node<'a, 'i>)>, RobotError> {
    let mut found = Vec::new();
    for node in elements(model) {
        found.push((scope.clone(), node));
        if node.tag_name().name() == "model" {
            let inner = scope.inner(&source.require_name(node, "name")?);
            found
                .extend(contents(source, node, &inner)?.into_iter().filter(|(_, own)| own.tag_name().name() != "pose"));
        }
    }
    Ok(found)
}

/// A pose and what it is relative to.
struct Relative {
    base: String,
    pose: Pose,
}

/// Everything in a model that a pose can be relative to. Joints are apart: in old files they may have the names of links.
#[derive(Default)]
pub(super) struct Frames {
    places: HashMap<String, Relative>,
    joints: HashMap<String, Relative>,
}

impl Frames {
    pub fn read(source: &mut Source, all: &[(Scope, Node)]) -> Result<Frames, RobotError> {
        let mut found = Frames::default();
        for (scope, node) in all {
            let (node, kind) = (*node, node.tag_name().name());
            let base = match kind {
                "link" | "model" => MODEL,
                "joint" => child_text(node, "child").unwrap_or(MODEL),
                "frame" => node.attribute("attached_to").unwrap_or(MODEL),
                _ => continue,
            };
            let name = scope.name(&source.require_name(node, "name")?);
            let own = element(node, "pose");
            let base = own.and_then(|own| own.attribute("relative_to")).filter(|base| !base.is_empty()).unwrap_or(base);
            let pose = own.map_or(Ok(Pose::IDENTITY), |own| pose(source, own))?;
            let map = if kind == "joint" { &mut found.joints } else { &mut found.places };
            map.insert(name, Relative { base: scope.name(base), pose });
        }
        Ok(found)
    }

    /// The pose of a link, frame or nested model in the model, or of a joint where nothing else has the name.
    pub fn of(&self, source: &Source, node: Node, name: &str) -> Result<Pose, RobotError> {
        self.followed(source, node, name, Pose::IDENTITY)
    }

    /// The pose of a joint in the model.
    pub fn of_joint(&self, source: &Source, node: Node, name: &str) -> Result<Pose, RobotError> {
        match self.joints.get(name) {
            Some(own) => self.followed(source, node, &own.base, own.pose),
            None => self.of(source, node, name),
        }
    }

    /// A pose relative to something, in the model.
    fn followed(&self, source: &Source, node: Node, name: &str, pose: Pose) -> Result<Pose, RobotError> {
        let (mut placed, mut at, mut steps) = (pose, name, 0);
        while at != MODEL && at != super::WORLD {
            let Some(relative) = self.places.get(at).or_else(|| self.joints.get(at)) else {
                let hint = if at.contains(SCOPE) { "; --package-path says where included models are" } else { "" };
                let message = format!("a pose is relative to {at:?}, which is not in the model{hint}");
                return Err(source.refuse(node, message));
            };
            placed = relative.pose.compose(&placed);
            at = &relative.base;
            steps += 1;
            if steps > self.places.len() + self.joints.len() {
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
    if text.trim().is_empty() {
        return Ok(Pose::IDENTITY);
    }
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

/// A length in an element of a name that has to be there.
pub(super) fn length(source: &Source, node: Node, name: &str) -> Result<f64, RobotError> {
    child_number(source, node, name)?.ok_or_else(|| source.refuse(node, format!("has no <{name}>; add it")))
}
