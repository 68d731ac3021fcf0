//! Joints: their axes, limits and losses.

use glam::DVec3;
use roxmltree::Node;
use superegg::Pose;

use super::frames::{Frames, Scope, child_number, child_numbers, child_text, element};
use crate::error::{Place, RobotError, Severity};
use crate::model::{Dynamics, Joint, JointKind, Limits, Mimic};
use crate::xml::{Source, elements};

/// A joint between links that are still names.
pub(super) struct SdfJoint {
    pub joint: Joint,
    pub parent: String,
    pub child: String,
    pub mimic: Option<String>,
    /// Its frame in the model.
    pub place: Pose,
    /// Whether its child is an empty link before the next axis of the same joint.
    pub is_between: bool,
    pub at: Place,
}

/// Reads a joint: one, or a chain of them where it has several axes.
pub(super) fn read(
    source: &mut Source,
    node: Node,
    scope: &Scope,
    frames: &Frames,
) -> Result<Vec<SdfJoint>, RobotError> {
    source.allow_attributes(node, &["name", "type"]);
    let name = scope.name(&source.require_name(node, "name")?);
    let end = |what: &str| {
        let missing = || source.refuse(node, format!("{name}: has no <{what}>; add it"));
        child_text(node, what).filter(|text| !text.is_empty()).map(|name| scope.name(name)).ok_or_else(missing)
    };
    let (parent, child) = (end("parent")?, end("child")?);
    let place = frames.of_joint(source, node, &name)?;
    for other in elements(node) {
        if !matches!(other.tag_name().name(), "parent" | "child" | "pose" | "axis" | "axis2") {
            source.note(Severity::Ignored, other, "has no counterpart here and is left out");
        }
    }
    let kind = node.attribute("type").unwrap_or_default();
    let (mut joints, mut leader) = (Vec::new(), None);
    match kind {
        "fixed" => joints.push(Joint::unplaced(name.clone(), JointKind::Fixed)),
        "revolute" | "continuous" | "prismatic" => {
            let axis = axis(source, node, "axis", scope, frames, &place)?;
            leader = axis.leader.clone();
            joints.push(axis.joint(name.clone(), kind));
        }
        "universal" | "revolute2" => {
            source.note(Severity::Repaired, node, format!("a {kind} joint, read as two hinges"));
            for (number, which) in ["axis", "axis2"].into_iter().enumerate() {
                let axis = axis(source, node, which, scope, frames, &place)?;
                joints.push(axis.joint(format!("{name}_{}", number + 1), "revolute"));
            }
        }
        "ball" => {
            let message =
                "a ball joint, read as three hinges about x, y and z: they cannot pass a right angle of the second";
            source.note(Severity::Repaired, node, message);
            joints.extend(Joint::ball(&name, glam::DQuat::IDENTITY, None));
        }
        "screw" | "gearbox" => {
            source.note(Severity::Error, node, format!("a {kind} joint is not known here; it is read as fixed"));
            joints.push(Joint::unplaced(name.clone(), JointKind::Fixed));
        }
        other => {
            let known = "revolute, continuous, prismatic, fixed, ball, universal and revolute2";
            return Err(source.refuse(node, format!("{name}: type {other:?} is not known; known are {known}")));
        }
    }
    let (last, at) = (joints.len() - 1, source.place(node));
    let mut above = parent;
    let chain = joints.into_iter().enumerate().map(|(number, joint)| {
        let below = if number == last { child.clone() } else { format!("{child}_{}", joint.name) };
        let parent = std::mem::replace(&mut above, below.clone());
        let is_between = number != last;
        SdfJoint { joint, parent, child: below, mimic: leader.take(), place, is_between, at: at.clone() }
    });
    Ok(chain.collect())
}

struct Axis {
    direction: DVec3,
    limits: Limits,
    dynamics: Option<Dynamics>,
    mimic: Option<Mimic>,
    leader: Option<String>,
}

impl Axis {
    fn joint(self, name: String, kind: &str) -> Joint {
        let is_free = self.limits.lower == f64::NEG_INFINITY && self.limits.upper == f64::INFINITY;
        let kind = match kind {
            "prismatic" => JointKind::Prismatic,
            "revolute" if !is_free => JointKind::Revolute,
            _ => JointKind::Continuous,
        };
        let limits = Some(self.limits);
        let Axis { direction, dynamics, mimic, .. } = self;
        Joint { axis: direction, limits, dynamics, mimic, ..Joint::unplaced(name, kind) }
    }
}

fn axis(
    source: &mut Source,
    joint: Node,
    which: &str,
    scope: &Scope,
    frames: &Frames,
    place: &Pose,
) -> Result<Axis, RobotError> {
    let unlimited = f64::INFINITY;
    let mut made = Axis {
        direction: DVec3::Z,
        limits: Limits { lower: -unlimited, upper: unlimited, effort: unlimited, velocity: unlimited },
        dynamics: None,
        mimic: None,
        leader: None,
    };
    let Some(node) = element(joint, which) else {
        source.note(Severity::Repaired, joint, format!("has no <{which}>; read as 0 0 1"));
        return Ok(made);
    };
    for child in elements(node) {
        match child.tag_name().name() {
            "xyz" => {
                let [x, y, z] = source.numbers_in(child, "xyz", child.text().unwrap_or_default())?;
                let refused = || source.refuse(child, "is zero; an axis is a direction, as 0 0 1");
                let direction = DVec3::new(x, y, z).try_normalize().ok_or_else(refused)?;
                let in_model = match child.attribute("expressed_in").filter(|frame| !frame.is_empty()) {
                    Some(frame) => Some(frames.of(source, child, &scope.name(frame))?.transform_vector(direction)),
                    None if child_text(node, "use_parent_model_frame")
                        .is_some_and(|text| matches!(text, "1" | "true")) =>
                    {
                        Some(frames.of(source, child, &scope.name("__model__"))?.transform_vector(direction))
                    }
                    None => None,
                };
                made.direction = in_model.map_or(direction, |axis| place.inverse_transform_vector(axis));
            }
            "use_parent_model_frame" => {}
            "limit" => made.limits = limits(source, child)?,
            "dynamics" => {
                let [damping, friction] = ["damping", "friction"]
                    .map(|name| child_number(source, child, name).map(Option::unwrap_or_default));
                made.dynamics = Some(Dynamics { damping: damping?, friction: friction? });
                for name in ["spring_reference", "spring_stiffness"] {
                    if child_number(source, child, name)?.is_some_and(|value| value != 0.0) {
                        source.note(Severity::Ignored, child, format!("{name} is not used"));
                    }
                }
            }
            "mimic" => {
                let [multiplier, offset, reference] =
                    ["multiplier", "offset", "reference"].map(|name| child_number(source, child, name));
                let multiplier = multiplier?.unwrap_or(1.0);
                let offset = offset?.unwrap_or(0.0) - multiplier * reference?.unwrap_or(0.0);
                made.mimic = Some(Mimic { joint: 0, multiplier, offset });
                made.leader = Some(scope.name(&source.require_name(child, "joint")?));
            }
            _ => source.note(Severity::Ignored, child, "has no counterpart here and is left out"),
        }
    }
    Ok(made)
}

fn limits(source: &mut Source, node: Node) -> Result<Limits, RobotError> {
    // Infinities are written as inf, or as 1e16 and more.
    let bound = |source: &Source, name: &str, otherwise: f64| -> Result<f64, RobotError> {
        let infinite = child_text(node, name).and_then(|text| text.parse::<f64>().ok());
        match infinite.filter(|value| value.abs() >= 1e16) {
            Some(value) => Ok(value.signum() * f64::INFINITY),
            None => Ok(child_number(source, node, name)?.unwrap_or(otherwise)),
        }
    };
    let (lower, upper) = (bound(source, "lower", -f64::INFINITY)?, bound(source, "upper", f64::INFINITY)?);
    if lower > upper {
        return Err(source.refuse(node, format!("lower {lower} is above upper {upper}; exchange them")));
    }
    // Negative efforts and speeds stand for none.
    let [effort, velocity] = ["effort", "velocity"].map(|name| bound(source, name, -1.0));
    let positive = |value: f64| if value < 0.0 { f64::INFINITY } else { value };
    for name in ["stiffness", "dissipation"] {
        if child_numbers::<1>(source, node, name)?.is_some() {
            source.note(Severity::Ignored, node, format!("{name} is not used"));
        }
    }
    Ok(Limits { lower, upper, effort: positive(effort?), velocity: positive(velocity?) })
}
