//! SRDF, what MoveIt adds to a robot: pairs of links that may touch, groups and named states, in and out.
//!
//! Pairs and states are used; groups, end effectors and all else is kept as it was and written back.

use std::path::Path;

use quick_xml::Writer;
use quick_xml::events::{BytesText, Event};

use crate::acm::DisabledPair;
use crate::collide::AllowedCollisions;
use crate::error::{Diagnostic, RobotError, Severity};
use crate::model::{Kept, Robot};
use crate::xml::{Source, elements, parse, plain_name, read_text};

/// What an SRDF file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Srdf {
    /// The robot's name.
    pub robot: String,
    /// Pairs of links, by their names, that may touch, and why.
    pub disabled: Vec<(String, String, String)>,
    /// Named states: name, group, and positions of joints.
    pub states: Vec<State>,
    /// All other elements.
    pub kept: Vec<Kept>,
}

/// A named state of a group of joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Its name.
    pub name: String,
    /// The group that it is of.
    pub group: String,
    /// Joints and their positions.
    pub joints: Vec<(String, f64)>,
}

/// Reads an SRDF file.
pub fn read_file(path: &Path) -> Result<(Srdf, Vec<Diagnostic>), RobotError> {
    read(path, &read_text(path)?)
}

/// Reads an SRDF from text.
pub fn read(path: &Path, text: &str) -> Result<(Srdf, Vec<Diagnostic>), RobotError> {
    let document = parse(path, text)?;
    let mut source = Source::new(path, text, &[]);
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        return Err(source.refuse(root, "is not a robot: an SRDF file begins with <robot name=\"…\">"));
    }
    source.allow_attributes(root, &["name", "version"]);
    let mut made = Srdf { robot: root.attribute("name").unwrap_or_default().to_owned(), ..Srdf::default() };
    for child in elements(root) {
        match plain_name(child) {
            "disable_collisions" => {
                source.allow_attributes(child, &["link1", "link2", "reason"]);
                let (a, b) = (source.require_name(child, "link1")?, source.require_name(child, "link2")?);
                made.disabled.push((a, b, child.attribute("reason").unwrap_or_default().to_owned()));
            }
            "group_state" => {
                source.allow_attributes(child, &["name", "group"]);
                let mut state = State {
                    name: source.require_name(child, "name")?,
                    group: child.attribute("group").unwrap_or_default().to_owned(),
                    joints: Vec::new(),
                };
                for joint in elements(child) {
                    if plain_name(joint) != "joint" {
                        source.note(Severity::Ignored, joint, "is not known in a state and is left out");
                        continue;
                    }
                    source.allow_attributes(joint, &["name", "value"]);
                    // Joints of several freedoms have several numbers.
                    let words = source.require(joint, "value")?.split_whitespace().count();
                    if words == 1 {
                        state
                            .joints
                            .push((source.require_name(joint, "name")?, source.require_number(joint, "value")?));
                    } else {
                        source.note(
                            Severity::Ignored,
                            joint,
                            format!("has {words} numbers; states of one number are used"),
                        );
                    }
                }
                made.states.push(state);
            }
            // Groups are what SRDF is for: kept, and nothing to worry about.
            _ => source.keep(child, &mut made.kept),
        }
    }
    Ok((made, source.diagnostics))
}

impl Srdf {
    /// Lets the named pairs touch; names that are no links of the robot are returned.
    pub fn allow(&self, robot: &Robot, allowed: &mut AllowedCollisions) -> Vec<String> {
        let mut unknown = Vec::new();
        for (a, b, _) in &self.disabled {
            match (robot.link(a), robot.link(b)) {
                (Some(a), Some(b)) => allowed.allow(a, b),
                (first, second) => {
                    unknown.extend(
                        [(first, a), (second, b)]
                            .into_iter()
                            .filter(|(found, _)| found.is_none())
                            .map(|(_, n)| n.clone()),
                    );
                }
            }
        }
        unknown.sort();
        unknown.dedup();
        unknown
    }

    /// The same with other disabled pairs.
    pub fn with_pairs(&self, robot: &Robot, pairs: &[DisabledPair]) -> Srdf {
        let name = |link: usize| robot.links[link].name.clone();
        let disabled = pairs.iter().map(|pair| (name(pair.a), name(pair.b), pair.reason.name().to_owned())).collect();
        Srdf { robot: robot.name.clone(), disabled, ..self.clone() }
    }

    /// As text.
    pub fn write(&self) -> Result<String, RobotError> {
        let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
        let written =
            xml.create_element("robot").with_attribute(("name", self.robot.as_str())).write_inner_content(|xml| {
                for kept in &self.kept {
                    xml.write_indent()?;
                    xml.write_event(Event::Text(BytesText::from_escaped(kept.text.as_str())))?;
                }
                for state in &self.states {
                    let element = xml.create_element("group_state").with_attribute(("name", state.name.as_str()));
                    element.with_attribute(("group", state.group.as_str())).write_inner_content(|xml| {
                        for (joint, value) in &state.joints {
                            let value = value.to_string();
                            let element = xml.create_element("joint").with_attribute(("name", joint.as_str()));
                            element.with_attribute(("value", value.as_str())).write_empty()?;
                        }
                        Ok(())
                    })?;
                }
                for (a, b, reason) in &self.disabled {
                    let element = xml.create_element("disable_collisions").with_attribute(("link1", a.as_str()));
                    let element = element.with_attribute(("link2", b.as_str()));
                    element.with_attribute(("reason", reason.as_str())).write_empty()?;
                }
                Ok(())
            });
        written.map_err(|error| RobotError::Invalid(error.to_string()))?;
        let text = String::from_utf8(xml.into_inner()).map_err(|error| RobotError::Invalid(error.to_string()))?;
        Ok(format!("<?xml version=\"1.0\"?>\n{text}\n"))
    }
}
