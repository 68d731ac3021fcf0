//! Elements with what they inherit from classes of defaults, and numbers, angles and rotations in them.

use std::collections::HashMap;

use glam::{DMat3, DQuat, DVec3};
use roxmltree::Node;
use superegg::Pose;

use crate::error::{RobotError, Severity};
use crate::xml::{Source, elements};

/// The class that everything belongs to.
const MAIN: &str = "main";

/// Attributes by element name.
type Class<'a> = HashMap<&'a str, HashMap<&'a str, &'a str>>;

/// What `<compiler>` and `<default>` say.
pub(super) struct Settings<'a> {
    /// Radians that a number of the file stands for.
    pub angle: f64,
    /// Axes of Euler angles: small letters move with the body.
    euler: Vec<char>,
    /// Folder of mesh files.
    pub mesh_folder: String,
    /// Whether a range makes a limit.
    pub ranges_limit: bool,
    classes: HashMap<&'a str, Class<'a>>,
}

impl<'a> Settings<'a> {
    pub fn read(source: &mut Source, root: Node<'a, '_>) -> Result<Settings<'a>, RobotError> {
        let mut made = Settings {
            angle: std::f64::consts::PI / 180.0,
            euler: vec!['x', 'y', 'z'],
            mesh_folder: String::new(),
            ranges_limit: true,
            classes: HashMap::new(),
        };
        for node in elements(root).filter(|child| child.tag_name().name() == "compiler") {
            made.compiler(source, node)?;
        }
        made.classes.insert(MAIN, Class::new());
        for node in elements(root).filter(|child| child.tag_name().name() == "default") {
            let main = made.classes[MAIN].clone();
            made.class(source, node, main, node.attribute("class").unwrap_or(MAIN))?;
        }
        Ok(made)
    }

    fn compiler(&mut self, source: &mut Source, node: Node) -> Result<(), RobotError> {
        source.allow_attributes(node, &["angle", "eulerseq", "meshdir", "assetdir", "autolimits", "coordinate"]);
        match node.attribute("angle") {
            None | Some("degree") => {}
            Some("radian") => self.angle = 1.0,
            Some(other) => return Err(source.refuse(node, format!("angle is {other:?}; it is degree or radian"))),
        }
        if let Some(sequence) = node.attribute("eulerseq") {
            self.euler = sequence.chars().collect();
            if self.euler.len() != 3 || self.euler.iter().any(|c| !"xyzXYZ".contains(*c)) {
                return Err(source.refuse(node, format!("eulerseq is {sequence:?}; it is three of x, y, z, X, Y, Z")));
            }
        }
        if node.attribute("coordinate").is_some_and(|value| value != "local") {
            return Err(source.refuse(node, "global coordinates are not read; save the model with local ones"));
        }
        if let Some(folder) = node.attribute("meshdir").or(node.attribute("assetdir")) {
            self.mesh_folder = folder.trim().to_owned();
        }
        if let Some(value) = node.attribute("autolimits") {
            self.ranges_limit = value != "false";
        }
        Ok(())
    }

    /// Reads a class and those within it; it begins as what it inherits.
    fn class(
        &mut self,
        source: &mut Source,
        node: Node<'a, '_>,
        mut class: Class<'a>,
        name: &'a str,
    ) -> Result<(), RobotError> {
        for child in elements(node).filter(|child| child.tag_name().name() != "default") {
            match child.tag_name().name() {
                "joint" => source.allow_attributes(child, super::body::JOINT),
                "geom" => source.allow_attributes(child, super::geom::GEOM),
                "mesh" => source.allow_attributes(child, &["scale"]),
                "material" => source.allow_attributes(child, &["rgba"]),
                _ => {
                    source.note(Severity::Ignored, child, "defaults of this element are not used");
                    continue;
                }
            }
            let inherited = class.entry(child.tag_name().name()).or_default();
            inherited.extend(child.attributes().map(|attribute| (attribute.name(), attribute.value())));
        }
        for child in elements(node).filter(|child| child.tag_name().name() == "default") {
            let Some(inner) = child.attribute("class") else {
                return Err(source.refuse(child, "has no class; only the outermost defaults need none"));
            };
            self.class(source, child, class.clone(), inner)?;
        }
        self.classes.insert(name, class);
        Ok(())
    }

    /// An element of a class: its own, or that of the body it is in.
    pub fn element<'n, 'i>(
        &'n self,
        source: &Source,
        node: Node<'n, 'i>,
        body_class: Option<&'n str>,
    ) -> Result<Element<'n, 'i>, RobotError> {
        let name = node.attribute("class").or(body_class).unwrap_or(MAIN);
        let Some(class) = self.classes.get(name) else {
            return Err(source.refuse(node, format!("class {name:?} is in no <default>; define it")));
        };
        Ok(Element { node, inherited: class.get(node.tag_name().name()) })
    }

    /// Where an element is.
    pub fn pose(&self, source: &mut Source, element: &Element) -> Result<Pose, RobotError> {
        let translation = element.numbers(source, "pos")?.map(DVec3::from_array).unwrap_or_default();
        Ok(Pose { rotation: self.rotation(source, element)?, translation })
    }

    fn rotation(&self, source: &mut Source, element: &Element) -> Result<DQuat, RobotError> {
        let unit = |source: &Source, name: &str, v: DVec3| {
            let refused = || source.refuse(element.node, format!("{name} is zero; give it a direction"));
            v.try_normalize().ok_or_else(refused)
        };
        if let Some([w, x, y, z]) = element.numbers(source, "quat")? {
            let rotation = DQuat::from_xyzw(x, y, z, w);
            if rotation.length_squared() < 1e-12 {
                return Err(source.refuse(element.node, "quat is zero; give it a rotation"));
            }
            return Ok(rotation.normalize());
        }
        if let Some([x, y, z, angle]) = element.numbers(source, "axisangle")? {
            let axis = unit(source, "axisangle", DVec3::new(x, y, z))?;
            return Ok(DQuat::from_axis_angle(axis, angle * self.angle));
        }
        if let Some(angles) = element.numbers::<3>(source, "euler")? {
            let mut turned = DQuat::IDENTITY;
            for (letter, angle) in self.euler.iter().zip(angles) {
                let axis = match letter.to_ascii_lowercase() {
                    'x' => DVec3::X,
                    'y' => DVec3::Y,
                    _ => DVec3::Z,
                };
                let turn = DQuat::from_axis_angle(axis, angle * self.angle);
                turned = if letter.is_ascii_lowercase() { turned * turn } else { turn * turned };
            }
            return Ok(turned.normalize());
        }
        if let Some([x, y, z, u, v, w]) = element.numbers(source, "xyaxes")? {
            let first = unit(source, "xyaxes", DVec3::new(x, y, z))?;
            let second = DVec3::new(u, v, w);
            let second = unit(source, "xyaxes", second - first * first.dot(second))?;
            return Ok(DQuat::from_mat3(&DMat3::from_cols(first, second, first.cross(second))).normalize());
        }
        if let Some(axis) = element.numbers(source, "zaxis")? {
            return Ok(DQuat::from_rotation_arc(DVec3::Z, unit(source, "zaxis", DVec3::from_array(axis))?));
        }
        Ok(DQuat::IDENTITY)
    }
}

/// Attributes that say where something is.
pub(super) const PLACE: [&str; 6] = ["pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// An element with the defaults of its class.
#[derive(Clone, Copy)]
pub(super) struct Element<'n, 'i> {
    pub node: Node<'n, 'i>,
    inherited: Option<&'n HashMap<&'n str, &'n str>>,
}

impl<'n> Element<'n, '_> {
    pub fn text(&self, name: &str) -> Option<&'n str> {
        // MuJoCo takes an empty attribute for one that is not there.
        let own = self.node.attribute(name).map(str::trim).filter(|text| !text.is_empty());
        own.or_else(|| self.inherited?.get(name).map(|text| text.trim()).filter(|text| !text.is_empty()))
    }

    pub fn number(&self, source: &Source, name: &str) -> Result<Option<f64>, RobotError> {
        self.text(name).map(|text| source.number_in(self.node, name, text)).transpose()
    }

    pub fn numbers<const N: usize>(&self, source: &mut Source, name: &str) -> Result<Option<[f64; N]>, RobotError> {
        self.text(name).map(|text| source.numbers_in(self.node, name, text)).transpose()
    }

    /// Up to three numbers, as many as there are.
    pub fn up_to_three(&self, source: &Source, name: &str) -> Result<Vec<f64>, RobotError> {
        let words = self.text(name).unwrap_or_default().split_whitespace();
        words.take(3).map(|word| source.number_in(self.node, name, word)).collect()
    }
}
