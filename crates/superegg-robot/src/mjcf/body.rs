//! Bodies and their joints become links and joints.

use std::collections::HashMap;

use glam::DVec3;
use roxmltree::Node;
use superegg::Pose;

use super::element::{Element, PLACE, Settings};
use super::geom::{Assets, surface};
use super::include::not_found;
use crate::error::{Place, RobotError, Severity};
use crate::model::{Dynamics, Inertial, Joint, JointKind, Limits, Link, Origin, Robot};
use crate::tree::NamedJoint;
use crate::xml::{Source, elements};

/// Attributes of joints that are used.
pub(super) const JOINT: &[&str] = &[
    "name",
    "class",
    "type",
    "pos",
    "axis",
    "limited",
    "range",
    "ref",
    "damping",
    "frictionloss",
    "actuatorfrcrange",
    "group",
];

/// Links and joints as they are found.
pub(super) struct Bodies<'a> {
    settings: &'a Settings<'a>,
    assets: &'a Assets,
    pub robot: Robot,
    /// Links by name.
    pub links: HashMap<String, usize>,
    pub joints: Vec<NamedJoint>,
}

/// An element of a body, where the frames around it have brought it.
struct Placed<'n, 'i> {
    node: Node<'n, 'i>,
    frame: Pose,
    class: Option<&'n str>,
}

/// The link on which something hangs, and the body's frame on it.
#[derive(Clone)]
struct Support {
    link: String,
    frame: Pose,
}

impl<'a> Bodies<'a> {
    pub fn new(settings: &'a Settings<'a>, assets: &'a Assets) -> Bodies<'a> {
        Bodies { settings, assets, robot: Robot::default(), links: HashMap::new(), joints: Vec::new() }
    }

    /// Reads `<worldbody>` and all bodies in it.
    pub fn world(&mut self, source: &mut Source, node: Node<'a, '_>) -> Result<(), RobotError> {
        let world = Support { link: "world".to_owned(), frame: Pose::IDENTITY };
        if !self.links.contains_key("world") {
            self.add_link(source, node, "world".to_owned())?;
        }
        self.contents(source, node, &world, None)
    }

    fn add_link(&mut self, source: &Source, node: Node, name: String) -> Result<(), RobotError> {
        if self.links.insert(name.clone(), self.robot.links.len()).is_some() {
            return Err(source.refuse(node, format!("{name:?} is the name of another body already; rename one")));
        }
        self.robot.links.push(Link { name, ..Link::default() });
        Ok(())
    }

    /// Reads what is in a body whose link is there already.
    fn contents(
        &mut self,
        source: &mut Source,
        node: Node<'a, '_>,
        on: &Support,
        class: Option<&'a str>,
    ) -> Result<(), RobotError> {
        for Placed { node, frame, class } in self.placed(source, node, Pose::IDENTITY, class)? {
            let link = self.links[&on.link];
            let at = on.frame.compose(&frame);
            match node.tag_name().name() {
                "body" => self.body(source, node, &Support { frame: at, ..on.clone() }, class)?,
                "geom" => {
                    let element = self.settings.element(source, node, class)?;
                    let pose = at.compose(&self.settings.pose(source, &element)?);
                    let Some(geom) = surface(source, &element, &pose, self.assets)? else { continue };
                    if geom.collides {
                        self.robot.links[link].collisions.push(geom.surface.clone());
                    }
                    if geom.seen {
                        self.robot.links[link].visuals.push(geom.surface);
                    }
                }
                "inertial" => {
                    let element = self.settings.element(source, node, None)?;
                    self.robot.links[link].inertial = Some(self.inertial(source, &element, &at)?);
                }
                "joint" | "freejoint" => {} // The body's own, read with it.
                "include" => not_found(source, node),
                _ => source.note(Severity::Ignored, node, "has no counterpart here and is left out"),
            }
        }
        Ok(())
    }

    /// The elements in a body, through the frames that they are in.
    fn placed<'i>(
        &self,
        source: &mut Source,
        node: Node<'a, 'i>,
        frame: Pose,
        class: Option<&'a str>,
    ) -> Result<Vec<Placed<'a, 'i>>, RobotError> {
        let mut found = Vec::new();
        for child in elements(node) {
            if child.tag_name().name() == "frame" {
                source.allow_attributes(child, &[&["name", "childclass"], &PLACE[..]].concat());
                let element = self.settings.element(source, child, None)?;
                let inner = frame.compose(&self.settings.pose(source, &element)?);
                let class = child.attribute("childclass").or(class);
                found.extend(self.placed(source, child, inner, class)?);
            } else {
                found.push(Placed { node: child, frame, class });
            }
        }
        Ok(found)
    }

    fn body(
        &mut self,
        source: &mut Source,
        node: Node<'a, '_>,
        on: &Support,
        class: Option<&'a str>,
    ) -> Result<(), RobotError> {
        source.allow_attributes(node, &[&["name", "childclass"], &PLACE[..]].concat());
        let class = node.attribute("childclass").or(class);
        let name = match node.attribute("name").map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("body_{}", self.robot.links.len()),
        };
        let element = self.settings.element(source, node, None)?;
        let frame = on.frame.compose(&self.settings.pose(source, &element)?);
        let mut joints = Vec::new();
        for Placed { node: child, frame, class } in self.placed(source, node, Pose::IDENTITY, class)? {
            if matches!(child.tag_name().name(), "joint" | "freejoint") {
                let element = self.settings.element(source, child, class)?;
                self.read_joint(source, &element, &frame, &name, &mut joints)?;
            }
        }
        if joints.is_empty() {
            let joint = Joint::unplaced(format!("{name}_fixed"), JointKind::Fixed);
            joints.push(Anchored { joint, anchor: DVec3::ZERO, at: source.place(node) });
        }
        let mut support = Support { link: on.link.clone(), frame };
        let last = joints.len() - 1;
        for (number, Anchored { mut joint, anchor, at }) in joints.into_iter().enumerate() {
            let link = if number == last { name.clone() } else { format!("{name}_{}", joint.name) };
            joint.origin = Origin::of(&support.frame.compose(&Pose::from_translation(anchor)));
            self.add_link(source, node, link.clone())?;
            self.joints.push(NamedJoint { joint, parent: support.link, child: link.clone(), mimic: None, at });
            support = Support { link, frame: Pose::from_translation(-anchor) };
        }
        self.contents(source, node, &support, class)
    }

    /// Reads a joint: one, or three for a ball.
    fn read_joint(
        &self,
        source: &mut Source,
        element: &Element,
        frame: &Pose,
        body: &str,
        joints: &mut Vec<Anchored>,
    ) -> Result<(), RobotError> {
        let node = element.node;
        let (is_free, at) = (node.tag_name().name() == "freejoint", source.place(node));
        source.allow_attributes(node, if is_free { &["name", "group"] } else { JOINT });
        let name = element.text("name").filter(|name| !name.is_empty()).map(str::to_owned);
        let name = name.unwrap_or_else(|| format!("{body}_joint_{}", joints.len()));
        let kind = if is_free { "free" } else { element.text("type").unwrap_or("hinge") };
        let place = element.numbers(source, "pos")?.map(DVec3::from_array).unwrap_or_default();
        let anchor = frame.transform_point(place);
        let mut push = |joint: Joint, anchor: DVec3| joints.push(Anchored { joint, anchor, at: at.clone() });
        match kind {
            "free" => push(Joint::unplaced(name, JointKind::Floating), DVec3::ZERO),
            "ball" => {
                let message =
                    "a ball joint, read as three hinges about x, y and z: they cannot pass a right angle of the second";
                source.note(Severity::Repaired, node, message);
                if element.text("range").is_some() {
                    source.note(Severity::Ignored, node, "the range of a ball joint is not used");
                }
                let dynamics = self.dynamics(source, element)?;
                Joint::ball(&name, frame.rotation, dynamics).into_iter().for_each(|hinge| push(hinge, anchor));
            }
            "hinge" | "slide" => {
                let axis = element.numbers(source, "axis")?.map_or(DVec3::Z, DVec3::from_array);
                let refused = || source.refuse(node, "axis is zero; give it a direction");
                let axis = frame.transform_vector(axis.try_normalize().ok_or_else(refused)?);
                let limits = self.limits(source, element, kind == "hinge")?;
                let is_free = limits.lower == f64::NEG_INFINITY && limits.upper == f64::INFINITY;
                let kind = match (kind, is_free) {
                    ("hinge", true) => JointKind::Continuous,
                    ("hinge", false) => JointKind::Revolute,
                    _ => JointKind::Prismatic,
                };
                let dynamics = self.dynamics(source, element)?;
                push(Joint { axis, dynamics, limits: Some(limits), ..Joint::unplaced(name, kind) }, anchor);
            }
            other => {
                let message = format!("{name}: type {other:?} is not known; known are hinge, slide, ball and free");
                return Err(source.refuse(node, message));
            }
        }
        Ok(())
    }

    fn dynamics(&self, source: &Source, element: &Element) -> Result<Option<Dynamics>, RobotError> {
        let damping = element.number(source, "damping")?.unwrap_or(0.0).max(0.0);
        let friction = element.number(source, "frictionloss")?.unwrap_or(0.0).max(0.0);
        Ok((damping > 0.0 || friction > 0.0).then_some(Dynamics { damping, friction }))
    }

    fn limits(&self, source: &mut Source, element: &Element, is_angle: bool) -> Result<Limits, RobotError> {
        let range = element.numbers::<2>(source, "range")?;
        let limited = match element.text("limited").unwrap_or("auto") {
            "true" => true,
            "false" => false,
            _ => self.settings.ranges_limit && range.is_some(),
        };
        let effort = element.numbers::<2>(source, "actuatorfrcrange")?;
        let effort = effort.map_or(f64::INFINITY, |[a, b]| a.abs().max(b.abs()));
        let (mut lower, mut upper) = (f64::NEG_INFINITY, f64::INFINITY);
        let unit = if is_angle { self.settings.angle } else { 1.0 };
        if let Some([least, most]) = range.filter(|_| limited) {
            if least > most {
                return Err(
                    source.refuse(element.node, format!("range is {least} to {most}; the lower bound is first"))
                );
            }
            (lower, upper) = (least * unit, most * unit);
        }
        if let Some(reference) = element.number(source, "ref")?.filter(|value| *value != 0.0) {
            let message = format!("ref {reference} is where the model stands: positions are counted from there");
            source.note(Severity::Repaired, element.node, message);
            (lower, upper) = (lower - reference * unit, upper - reference * unit);
        }
        Ok(Limits { lower, upper, effort, velocity: f64::INFINITY })
    }

    fn inertial(&self, source: &mut Source, element: &Element, at: &Pose) -> Result<Inertial, RobotError> {
        let node = element.node;
        source.allow_attributes(node, &[&["mass", "diaginertia", "fullinertia"], &PLACE[..]].concat());
        let mass = source.require_number(node, "mass")?;
        if mass < 0.0 {
            return Err(source.refuse(node, format!("mass is {mass}; it is not negative")));
        }
        let inertia = match (source.numbers::<6>(node, "fullinertia")?, source.numbers::<3>(node, "diaginertia")?) {
            (Some([xx, yy, zz, xy, xz, yz]), _) => [xx, xy, xz, yy, yz, zz],
            (None, Some([xx, yy, zz])) => [xx, 0.0, 0.0, yy, 0.0, zz],
            (None, None) => [0.0; 6],
        };
        let made = Inertial { origin: Origin::of(&at.compose(&self.settings.pose(source, element)?)), mass, inertia };
        if mass > 0.0 && !made.is_physical() {
            let message = "the inertia is not positive definite: kept, and simulated as a ball of the same mass";
            source.note(Severity::Repaired, node, message);
        }
        Ok(made)
    }
}

/// A joint and its anchor in the body's frame.
struct Anchored {
    joint: Joint,
    anchor: DVec3,
    at: Place,
}
