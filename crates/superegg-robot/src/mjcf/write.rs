//! From a robot to the text of an MJCF file, whole in itself.
//!
//! Links become bodies, each below the one that it hangs on; a chain of joints through empty links becomes one body with several joints, which
//! MuJoCo turns in the same order. Ellipsoids are ellipsoids, other smooth shapes meshes whose vertices are in the file: MuJoCo takes the
//! convex hull of these.

use std::io;

use glam::DVec3;
use quick_xml::Writer;
use superegg::Pose;

use crate::error::RobotError;
use crate::model::{Geometry, Inertial, Joint, JointKind, Link, Origin, Robot, Surface};
use crate::urdf::{tessellated, words};

type Xml = Writer<Vec<u8>>;

/// A robot as text.
pub fn write(robot: &Robot) -> Result<String, RobotError> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    let model = Model { robot, meshes: meshes(robot)? };
    model.root(&mut xml).map_err(|error| RobotError::Invalid(error.to_string()))?;
    let text = String::from_utf8(xml.into_inner()).map_err(|error| RobotError::Invalid(error.to_string()))?;
    Ok(format!("<?xml version=\"1.0\"?>\n{text}\n"))
}

/// Smooth shapes that are no ellipsoids, as names and vertices.
fn meshes(robot: &Robot) -> Result<Vec<(String, String)>, RobotError> {
    let mut made = Vec::new();
    for (number, link) in robot.links.iter().enumerate() {
        for (index, surface) in
            link.collisions.iter().enumerate().filter(|(_, surface)| ellipsoid(&surface.geometry).is_none())
        {
            if let Some(soup) = tessellated(&surface.geometry)? {
                let numbers: Vec<String> =
                    soup.vertices.iter().map(|at| format!("{:.8} {:.8} {:.8}", at.x, at.y, at.z)).collect();
                made.push((mesh_name(number, index), numbers.join(" ")));
            }
        }
    }
    Ok(made)
}

fn mesh_name(link: usize, index: usize) -> String {
    format!("link{link}_{index}")
}

fn ellipsoid(geometry: &Geometry) -> Option<[f64; 3]> {
    match geometry {
        Geometry::Superellipsoid(shape) if shape.exponents() == [1.0, 1.0] => Some(shape.radii()),
        _ => None,
    }
}

fn quaternion(pose: &Pose) -> String {
    let [x, y, z, w] = pose.rotation.normalize().to_array();
    words(&[w, x, y, z])
}

fn element(xml: &mut Xml, name: &str, attributes: &[(&str, String)]) -> io::Result<()> {
    let pairs = attributes.iter().map(|(name, value)| (*name, value.as_str()));
    pairs.fold(xml.create_element(name), |element, pair| element.with_attribute(pair)).write_empty()?;
    Ok(())
}

struct Model<'a> {
    robot: &'a Robot,
    meshes: Vec<(String, String)>,
}

impl Model<'_> {
    fn root(&self, xml: &mut Xml) -> io::Result<()> {
        xml.create_element("mujoco").with_attribute(("model", self.robot.name.as_str())).write_inner_content(
            |xml| {
                element(xml, "compiler", &[("angle", "radian".to_owned()), ("autolimits", "true".to_owned())])?;
                if !self.meshes.is_empty() {
                    xml.create_element("asset").write_inner_content(|xml| {
                        self.meshes.iter().try_for_each(|(name, vertices)| {
                            element(xml, "mesh", &[("name", name.clone()), ("vertex", vertices.clone())])
                        })
                    })?;
                }
                xml.create_element("worldbody")
                    .write_inner_content(|xml| self.body(xml, self.robot.root, &[], &Origin::default()))?;
                self.couplings(xml)
            },
        )?;
        Ok(())
    }

    /// Joints that a link's children hang on.
    fn below(&self, link: usize) -> impl Iterator<Item = &Joint> {
        self.robot.joints.iter().filter(move |joint| joint.parent == link)
    }

    /// Whether a link is only there so that a body turns in several ways.
    fn is_between(&self, link: usize) -> Option<&Joint> {
        let Link { inertial, visuals, collisions, .. } = &self.robot.links[link];
        let mut below = self.below(link);
        let only = below.next().filter(|joint| joint.origin == Origin::default() && joint.kind.freedoms() == 1)?;
        (inertial.is_none() && visuals.is_empty() && collisions.is_empty() && below.next().is_none()).then_some(only)
    }

    /// A link with the joints that lead to it, from the outermost.
    fn body(&self, xml: &mut Xml, link: usize, joints: &[&Joint], origin: &Origin) -> io::Result<()> {
        if let (Some(next), false) = (self.is_between(link), joints.is_empty()) {
            return self.body(xml, next.child, &[joints, &[next]].concat(), origin);
        }
        let described = &self.robot.links[link];
        let pose = origin.pose();
        let start = xml.create_element("body").with_attribute(("name", described.name.as_str()));
        let (place, turn) = (words(&pose.translation.to_array()), quaternion(&pose));
        start.with_attribute(("pos", place.as_str())).with_attribute(("quat", turn.as_str())).write_inner_content(
            |xml| {
                joints.iter().try_for_each(|joint| joint_elements(xml, joint))?;
                if let Some(inertial) = &described.inertial {
                    inertial_element(xml, inertial)?;
                }
                for (index, surface) in described.collisions.iter().enumerate() {
                    self.geom(xml, link, index, surface)?;
                }
                let children: Vec<&Joint> = self.below(link).collect();
                children.into_iter().try_for_each(|joint| self.body(xml, joint.child, &[joint], &joint.origin))
            },
        )?;
        Ok(())
    }

    fn geom(&self, xml: &mut Xml, link: usize, index: usize, surface: &Surface) -> io::Result<()> {
        let pose = surface.origin.pose();
        let name = mesh_name(link, index);
        let (kind, size) = match &surface.geometry {
            Geometry::Box { size } => ("box", (*size * 0.5).to_array().to_vec()),
            Geometry::Cylinder { radius, length } => ("cylinder", vec![*radius, 0.5 * length]),
            Geometry::Capsule { radius, length } => ("capsule", vec![*radius, 0.5 * length]),
            Geometry::Sphere { radius } => ("sphere", vec![*radius]),
            geometry => ellipsoid(geometry).map_or(("mesh", vec![]), |radii| ("ellipsoid", radii.to_vec())),
        };
        let mut attributes = vec![("type", kind.to_owned())];
        if !size.is_empty() {
            attributes.push(("size", words(&size)));
        } else if self.meshes.iter().any(|(known, _)| *known == name) {
            attributes.push(("mesh", name));
        } else {
            // Meshes of other files are not taken along.
            return Ok(());
        }
        attributes.extend([("pos", words(&pose.translation.to_array())), ("quat", quaternion(&pose))]);
        element(xml, "geom", &attributes)
    }

    fn couplings(&self, xml: &mut Xml) -> io::Result<()> {
        let followers: Vec<(&Joint, crate::model::Mimic)> =
            self.robot.joints.iter().filter_map(|joint| Some((joint, joint.mimic?))).collect();
        if followers.is_empty() {
            return Ok(());
        }
        xml.create_element("equality").write_inner_content(|xml| {
            followers.iter().try_for_each(|(joint, mimic)| {
                let leader = self.robot.joints[mimic.joint].name.clone();
                let line = words(&[mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0]);
                element(xml, "joint", &[("joint1", joint.name.clone()), ("joint2", leader), ("polycoef", line)])
            })
        })?;
        Ok(())
    }
}

fn joint_elements(xml: &mut Xml, joint: &Joint) -> io::Result<()> {
    let one = |xml: &mut Xml, name: String, kind: &str, axis: DVec3| {
        let mut attributes = vec![("name", name), ("type", kind.to_owned()), ("axis", words(&axis.to_array()))];
        let limited = matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic);
        if let Some(limits) =
            joint.limits.filter(|limits| limited && limits.lower.is_finite() && limits.upper.is_finite())
        {
            attributes.push(("range", words(&[limits.lower, limits.upper])));
        }
        if let Some(dynamics) = joint.dynamics {
            attributes
                .extend([("damping", dynamics.damping.to_string()), ("frictionloss", dynamics.friction.to_string())]);
        }
        element(xml, "joint", &attributes)
    };
    match joint.kind {
        JointKind::Fixed => Ok(()),
        JointKind::Revolute | JointKind::Continuous => one(xml, joint.name.clone(), "hinge", joint.axis),
        JointKind::Prismatic => one(xml, joint.name.clone(), "slide", joint.axis),
        JointKind::Floating => element(xml, "freejoint", &[("name", joint.name.clone())]),
        JointKind::Planar => {
            let first = joint.axis.any_orthonormal_vector();
            one(xml, format!("{}_x", joint.name), "slide", first)?;
            one(xml, format!("{}_y", joint.name), "slide", joint.axis.cross(first))?;
            one(xml, joint.name.clone(), "hinge", joint.axis)
        }
    }
}

fn inertial_element(xml: &mut Xml, inertial: &Inertial) -> io::Result<()> {
    let matrix = inertial.matrix();
    let full = [matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z, matrix.x_axis.y, matrix.x_axis.z, matrix.y_axis.z];
    let attributes = [
        ("pos", words(&inertial.origin.xyz.to_array())),
        ("mass", inertial.mass.to_string()),
        ("fullinertia", words(&full)),
    ];
    element(xml, "inertial", &attributes)
}
