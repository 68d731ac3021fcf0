//! From the text of a URDF file to a robot and what there is to say about it.

use std::collections::HashMap;

use glam::DVec3;
use roxmltree::Node;

use super::surface;
use crate::error::{Diagnostic, RobotError, Severity};
use crate::loaded::ReadOptions;
use crate::model::{Dynamics, Inertial, Joint, JointKind, Limits, Link, Mimic, Origin, Robot};
use crate::tree::{self, NamedJoint};
use crate::xml::{Source, elements, plain_name};

/// The link that some tools take for granted.
const WORLD: &str = "world";

/// Reads a whole robot.
pub(super) fn robot(source: &mut Source, root: Node, options: &ReadOptions) -> Result<Robot, RobotError> {
    let name = match root.attribute("name") {
        Some(name) if !name.trim().is_empty() => name.trim().to_owned(),
        _ => {
            source.note(Severity::Repaired, root, "has no name; called robot");
            "robot".to_owned()
        }
    };
    let mut robot = Robot { name, ..Robot::default() };
    robot.attributes = root
        .attributes()
        .filter(|a| a.name() != "name" && a.namespace().is_none())
        .map(|a| (a.name().to_owned(), a.value().to_owned()))
        .collect();
    source.allow_attributes(root, &["name", "version"]);
    let prefixed = root.namespaces().filter_map(|space| Some((space.name()?.to_owned(), space.uri().to_owned())));
    robot.namespaces = prefixed.filter(|(prefix, _)| prefix != "xml").collect();
    let (mut joints, mut link_lines, mut links) = (Vec::<NamedJoint>::new(), Vec::new(), HashMap::new());
    for child in elements(root) {
        match plain_name(child) {
            "link" => {
                let link = link(source, child, options)?;
                if let Some(first) = links.insert(link.name.clone(), robot.links.len()) {
                    let line: u32 = link_lines[first];
                    let message = format!("{:?} is the name of the link in line {line} already; rename one", link.name);
                    return Err(source.refuse(child, message));
                }
                link_lines.push(source.line(child));
                robot.links.push(link);
            }
            "joint" => joints.push(joint(source, child)?),
            "material" => robot.materials.push(surface::material(source, child)?),
            _ => source.keep(child, &mut robot.kept),
        }
    }
    if !links.contains_key(WORLD) && joints.iter().any(|named| named.parent == WORLD) {
        source.note(Severity::Repaired, root, "joints hang on the link world, which is not there: added");
        links.insert(WORLD.to_owned(), robot.links.len());
        robot.links.push(Link { name: WORLD.to_owned(), ..Link::default() });
    }
    if robot.links.is_empty() {
        return Err(source.refuse(root, "has no <link>; a robot has at least one"));
    }
    resolve_materials(source, &mut robot);
    tree::assemble(source, &mut robot, joints, &links)?;
    Ok(robot)
}

/// Gives surfaces that only name a material its colour.
fn resolve_materials(source: &mut Source, robot: &mut Robot) {
    let mut known: HashMap<String, [f64; 4]> = HashMap::new();
    for material in &robot.materials {
        known.extend(material.rgba.map(|rgba| (material.name.clone(), rgba)));
    }
    // Materials defined in one link are used in others by their name, which is common.
    for visual in robot.links.iter().flat_map(|link| &link.visuals) {
        if let Some((name, rgba)) = visual.material.as_ref().and_then(|m| Some((m.name.clone(), m.rgba?)))
            && !name.is_empty()
        {
            known.entry(name).or_insert(rgba);
        }
    }
    let mut unknown = Vec::new();
    for visual in robot.links.iter_mut().flat_map(|link| &mut link.visuals) {
        if let Some(material) = visual.material.as_mut().filter(|m| m.rgba.is_none() && m.texture.is_none()) {
            match known.get(&material.name) {
                Some(rgba) => material.rgba = Some(*rgba),
                None => unknown.push((visual.at.clone(), material.name.clone())),
            }
        }
    }
    for (at, name) in unknown {
        let message = format!("{name:?} is not defined anywhere; drawn in grey");
        let severity = Severity::Missing;
        source.diagnostics.push(Diagnostic { at, element: "material".into(), severity, message });
    }
}

fn link(source: &mut Source, node: Node, options: &ReadOptions) -> Result<Link, RobotError> {
    source.allow_attributes(node, &["name"]);
    let mut link = Link { name: source.require_name(node, "name")?, ..Link::default() };
    for child in elements(node) {
        match plain_name(child) {
            "inertial" if link.inertial.is_none() => link.inertial = inertial(source, child)?,
            "visual" => link.visuals.extend(surface::surface(source, child, options)?),
            "collision" => link.collisions.extend(surface::surface(source, child, options)?),
            _ => source.keep(child, &mut link.kept),
        }
    }
    Ok(link)
}

fn inertial(source: &mut Source, node: Node) -> Result<Option<Inertial>, RobotError> {
    source.allow_attributes(node, &[]);
    let mut made = Inertial { origin: Origin::default(), mass: 0.0, inertia: [0.0; 6] };
    let mut has_mass = false;
    for child in elements(node) {
        match plain_name(child) {
            "origin" => made.origin = surface::origin(source, child)?,
            "mass" => {
                source.allow_attributes(child, &["value"]);
                made.mass = source.require_number(child, "value")?;
                has_mass = true;
                if made.mass < 0.0 {
                    return Err(source.refuse(child, format!("value is {}; a mass is not negative", made.mass)));
                }
            }
            "inertia" => {
                const NAMES: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
                source.allow_attributes(child, &NAMES);
                for (value, name) in made.inertia.iter_mut().zip(NAMES) {
                    *value = source.number(child, name)?.unwrap_or(0.0);
                }
            }
            _ => source.note(Severity::Ignored, child, "is not known in <inertial> and is left out"),
        }
    }
    if !has_mass {
        source.note(Severity::Error, node, "has no <mass>; it is left out");
        return Ok(None);
    }
    if made.mass > 0.0 && !made.is_physical() {
        let message = "the inertia is not positive definite: kept, and simulated as a ball of the same mass";
        source.note(Severity::Repaired, node, message);
    }
    Ok(Some(made))
}

fn joint(source: &mut Source, node: Node) -> Result<NamedJoint, RobotError> {
    source.allow_attributes(node, &["name", "type"]);
    let name = source.require_name(node, "name")?;
    let kind_name = source.require_name(node, "type")?;
    let kind = JointKind::from_name(&kind_name.to_ascii_lowercase()).ok_or_else(|| {
        let known = JointKind::ALL.map(JointKind::name).join(", ");
        source.refuse(node, format!("{name}: type {kind_name:?} is not known; known are {known}"))
    })?;
    if kind.name() != kind_name {
        source.note(Severity::Repaired, node, format!("type {kind_name:?} read as {:?}", kind.name()));
    }
    let mut joint = Joint { axis: DVec3::X, ..Joint::unplaced(name, kind) };
    let (mut parent, mut child_link, mut mimic) = (None, None, None);
    for child in elements(node) {
        match plain_name(child) {
            "origin" => joint.origin = surface::origin(source, child)?,
            "parent" => parent = Some(end(source, child)?),
            "child" => child_link = Some(end(source, child)?),
            "axis" => joint.axis = axis(source, child, kind)?,
            "limit" => joint.limits = Some(limits(source, child, kind)?),
            "dynamics" => {
                source.allow_attributes(child, &["damping", "friction"]);
                let of = |name| source.number(child, name).map(Option::unwrap_or_default);
                joint.dynamics = Some(Dynamics { damping: of("damping")?, friction: of("friction")? });
                if joint.dynamics.is_some_and(|d| d.damping < 0.0 || d.friction < 0.0) {
                    source.note(Severity::Repaired, child, "negative losses are simulated as none");
                }
            }
            // Joints that cannot move along one axis follow nothing.
            "mimic" if kind.freedoms() == 1 => {
                source.allow_attributes(child, &["joint", "multiplier", "offset"]);
                let of = |name, value| source.number(child, name).map(|found| found.unwrap_or(value));
                let (multiplier, offset) = (of("multiplier", 1.0)?, of("offset", 0.0)?);
                joint.mimic = Some(Mimic { joint: 0, multiplier, offset });
                mimic = Some(source.require_name(child, "joint")?);
            }
            _ => source.keep(child, &mut joint.kept),
        }
    }
    complete_limits(source, node, &mut joint);
    let missing = |what: &str| source.refuse(node, format!("{}: has no <{what} link=\"…\"/>; add it", joint.name));
    let (parent, child) = (parent.ok_or_else(|| missing("parent"))?, child_link.ok_or_else(|| missing("child"))?);
    Ok(NamedJoint { parent, child, mimic, at: source.place(node), joint })
}

fn end(source: &mut Source, node: Node) -> Result<String, RobotError> {
    source.allow_attributes(node, &["link"]);
    source.require_name(node, "link")
}

fn axis(source: &mut Source, node: Node, kind: JointKind) -> Result<DVec3, RobotError> {
    source.allow_attributes(node, &["xyz"]);
    let axis = source.vector(node, "xyz")?.unwrap_or(DVec3::X);
    let moves = !matches!(kind, JointKind::Fixed | JointKind::Floating);
    let length = axis.length();
    if !(1e-9..1e9).contains(&length) {
        if moves {
            return Err(source.refuse(node, format!("xyz has length {length}; an axis is a direction, as 0 0 1")));
        }
        return Ok(DVec3::X);
    }
    let unit = axis / length;
    // Written with a few digits, axes are off by as much.
    if moves && (length - 1.0).abs() > 1e-3 {
        let shown = unit.to_array().map(|c| (c * 1e6).round() / 1e6 + 0.0);
        let message =
            format!("has length {}; read as {} {} {}", (length * 1e6).round() / 1e6, shown[0], shown[1], shown[2]);
        source.note(Severity::Repaired, node, message);
    }
    // Exact numbers stay as they were.
    Ok(if (length - 1.0).abs() <= 4.0 * f64::EPSILON { axis } else { unit })
}

fn limits(source: &mut Source, node: Node, kind: JointKind) -> Result<Limits, RobotError> {
    source.allow_attributes(node, &["lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"]);
    for name in ["acceleration", "deceleration", "jerk"] {
        if node.attribute(name).is_some() {
            source.note(Severity::Ignored, node, format!("attribute {name} is not used"));
        }
    }
    let unlimited = |source: &mut Source, name: &str| -> Result<f64, RobotError> {
        let Some(text) = node.attribute(name) else { return Ok(f64::INFINITY) };
        if let Ok(value) = text.trim().parse::<f64>()
            && value > 1e30
        {
            source.note(Severity::Repaired, node, format!("{name} {text:?} read as no limit"));
            return Ok(f64::INFINITY);
        }
        let value = source.require_number(node, name)?;
        if value < 0.0 {
            source.note(Severity::Repaired, node, format!("{name} {value} is negative; read as {}", -value));
        }
        Ok(value.abs())
    };
    let (effort, velocity) = (unlimited(source, "effort")?, unlimited(source, "velocity")?);
    let bound = |source: &Source, name: &str| -> Result<Option<f64>, RobotError> {
        match node.attribute(name).map(|text| text.trim().parse::<f64>()) {
            // Written as no limit at all.
            Some(Ok(value)) if value.is_infinite() || value.abs() > 1e30 => Ok(Some(value.signum() * f64::INFINITY)),
            _ => source.number(node, name),
        }
    };
    let (lower, upper) = (bound(source, "lower")?, bound(source, "upper")?);
    let ranged = matches!(kind, JointKind::Revolute | JointKind::Prismatic);
    if ranged && lower.is_none() && upper.is_none() {
        source.note(
            Severity::Repaired,
            node,
            "has neither lower nor upper; both are zero, so that the joint cannot move",
        );
    }
    let (mut lower, mut upper) = (lower.unwrap_or(0.0), upper.unwrap_or(0.0));
    if lower > upper {
        source.note(Severity::Repaired, node, format!("lower {lower} is above upper {upper}; exchanged"));
        (lower, upper) = (upper, lower);
    }
    if ranged && kind == JointKind::Revolute && (upper - lower) > 100.0 && upper.is_finite() && lower.is_finite() {
        let message = format!("{lower} to {upper} are more than 15 turns; limits are in radians, not degrees");
        source.note(Severity::Repaired, node, format!("{message}: kept as they are"));
    }
    Ok(Limits { lower, upper, effort, velocity })
}

/// A joint that needs limits and has none is free, and that is said.
fn complete_limits(source: &mut Source, node: Node, joint: &mut Joint) {
    if joint.limits.is_none() && matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic) {
        let message = format!("{}: a {} joint needs a <limit>; read as without limits", joint.name, joint.kind.name());
        source.note(Severity::Repaired, node, message);
        let unlimited = f64::INFINITY;
        joint.limits = Some(Limits { lower: -unlimited, upper: unlimited, effort: unlimited, velocity: unlimited });
    }
}
