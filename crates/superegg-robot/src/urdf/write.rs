//! From a robot to the text of a URDF file.
//!
//! Smooth shapes are written as `<superellipsoid>` and `<superovoid>`; for tools that reject unknown elements as meshes with the exact
//! parameters in a comment. Both are read back to the same numbers. Elements that were kept are written as they were.

use std::io;
use std::path::{Path, PathBuf};

use glam::DVec3;
use quick_xml::Writer;
use quick_xml::events::{BytesText, Event};
use superegg::shape::{IndexedTriangles, Spacing};
use superegg_io::obj::{Object, write_obj};

use super::surface::EXACT;
use crate::error::RobotError;
use crate::model::{Geometry, Inertial, Joint, JointKind, Kept, Limits, Link, Material, Origin, Robot, Surface};

/// How a robot is written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Smooth shapes as meshes, with the exact parameters in a comment beside them.
    pub compat: bool,
    /// Where the file goes. Mesh files are then named relative to it, and compatible meshes are written below it.
    pub folder: Option<PathBuf>,
}

/// Vertices of a mesh that stands for a smooth shape.
const COMPAT_VERTICES: usize = 600;

type Xml = Writer<Vec<u8>>;

/// Writes a robot to a file, and the meshes of its smooth shapes beside it if these are wanted.
pub fn write_file(robot: &Robot, path: &Path, options: &WriteOptions) -> Result<(), RobotError> {
    let folder = path.parent().map_or(PathBuf::new(), Path::to_path_buf);
    let options = WriteOptions { folder: Some(folder.clone()), ..options.clone() };
    let text = write(robot, &options)?;
    if options.compat {
        write_meshes(robot, &folder)?;
    }
    std::fs::write(path, text).map_err(|source| RobotError::Io { path: path.into(), source })
}

/// A robot as text.
pub fn write(robot: &Robot, options: &WriteOptions) -> Result<String, RobotError> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    robot_element(&mut xml, robot, options).map_err(|error| RobotError::Invalid(error.to_string()))?;
    let bytes = xml.into_inner();
    let text = String::from_utf8(bytes).map_err(|error| RobotError::Invalid(error.to_string()))?;
    Ok(format!("<?xml version=\"1.0\"?>\n{text}\n"))
}

fn robot_element(xml: &mut Xml, robot: &Robot, options: &WriteOptions) -> io::Result<()> {
    let mut element = xml.create_element("robot").with_attribute(("name", robot.name.as_str()));
    for (name, value) in &robot.attributes {
        element = element.with_attribute((name.as_str(), value.as_str()));
    }
    for (prefix, address) in &robot.namespaces {
        element = element.with_attribute((format!("xmlns:{prefix}").as_str(), address.as_str()));
    }
    element.write_inner_content(|xml| {
        robot.materials.iter().try_for_each(|material| material_element(xml, material))?;
        for link in &robot.links {
            link_element(xml, link, options)?;
        }
        robot.joints.iter().try_for_each(|joint| joint_element(xml, robot, joint))?;
        kept_elements(xml, &robot.kept)
    })?;
    Ok(())
}

fn kept_elements(xml: &mut Xml, kept: &[Kept]) -> io::Result<()> {
    for element in kept {
        xml.write_indent()?;
        xml.write_event(Event::Text(BytesText::from_escaped(element.text.as_str())))?;
    }
    Ok(())
}

/// The shortest decimals that are read back to the same numbers.
pub(crate) fn words(values: &[f64]) -> String {
    values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
}

fn origin_element(xml: &mut Xml, origin: &Origin) -> io::Result<()> {
    if *origin == Origin::default() {
        return Ok(());
    }
    let (xyz, rpy) = (words(&origin.xyz.to_array()), words(&origin.rpy.to_array()));
    xml.create_element("origin")
        .with_attribute(("xyz", xyz.as_str()))
        .with_attribute(("rpy", rpy.as_str()))
        .write_empty()?;
    Ok(())
}

fn material_element(xml: &mut Xml, material: &Material) -> io::Result<()> {
    let element = xml.create_element("material").with_attribute(("name", material.name.as_str()));
    if material.rgba.is_none() && material.texture.is_none() {
        element.write_empty()?;
        return Ok(());
    }
    element.write_inner_content(|xml| {
        if let Some(rgba) = material.rgba {
            xml.create_element("color").with_attribute(("rgba", words(&rgba).as_str())).write_empty()?;
        }
        if let Some(texture) = &material.texture {
            xml.create_element("texture").with_attribute(("filename", texture.as_str())).write_empty()?;
        }
        Ok(())
    })?;
    Ok(())
}

fn link_element(xml: &mut Xml, link: &Link, options: &WriteOptions) -> io::Result<()> {
    let element = xml.create_element("link").with_attribute(("name", link.name.as_str()));
    if link.inertial.is_none() && link.visuals.is_empty() && link.collisions.is_empty() && link.kept.is_empty() {
        element.write_empty()?;
        return Ok(());
    }
    element.write_inner_content(|xml| {
        if let Some(inertial) = &link.inertial {
            inertial_element(xml, inertial)?;
        }
        for (kind, surfaces) in [("visual", &link.visuals), ("collision", &link.collisions)] {
            for (number, surface) in surfaces.iter().enumerate() {
                let file = mesh_name(&link.name, kind, number);
                surface_element(xml, kind, surface, &file, options)?;
            }
        }
        kept_elements(xml, &link.kept)
    })?;
    Ok(())
}

fn inertial_element(xml: &mut Xml, inertial: &Inertial) -> io::Result<()> {
    xml.create_element("inertial").write_inner_content(|xml| {
        origin_element(xml, &inertial.origin)?;
        let mass = inertial.mass.to_string();
        xml.create_element("mass").with_attribute(("value", mass.as_str())).write_empty()?;
        let values = inertial.inertia.map(|value| value.to_string());
        let names = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
        let pairs = names.into_iter().zip(values.iter().map(String::as_str));
        pairs.fold(xml.create_element("inertia"), |element, pair| element.with_attribute(pair)).write_empty()?;
        Ok(())
    })?;
    Ok(())
}

fn surface_element(xml: &mut Xml, kind: &str, surface: &Surface, file: &str, options: &WriteOptions) -> io::Result<()> {
    let mut element = xml.create_element(kind);
    if let Some(name) = &surface.name {
        element = element.with_attribute(("name", name.as_str()));
    }
    element.write_inner_content(|xml| {
        origin_element(xml, &surface.origin)?;
        xml.create_element("geometry")
            .write_inner_content(|xml| geometry_element(xml, &surface.geometry, file, options))?;
        if let Some(material) = &surface.material {
            material_element(xml, material)?;
        }
        kept_elements(xml, &surface.kept)
    })?;
    Ok(())
}

fn geometry_element(xml: &mut Xml, geometry: &Geometry, file: &str, options: &WriteOptions) -> io::Result<()> {
    let write = |xml: &mut Xml, attributes: &[(&str, String)]| -> io::Result<()> {
        let element = xml.create_element(geometry.name());
        let pairs = attributes.iter().map(|(name, value)| (*name, value.as_str()));
        pairs.fold(element, |element, pair| element.with_attribute(pair)).write_empty()?;
        Ok(())
    };
    let attributes: Vec<(&str, String)> = match geometry {
        Geometry::Box { size } => vec![("size", words(&size.to_array()))],
        Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
            vec![("radius", radius.to_string()), ("length", length.to_string())]
        }
        Geometry::Sphere { radius } => vec![("radius", radius.to_string())],
        Geometry::Mesh(mesh) => {
            let mut attributes = vec![("filename", relative(mesh.path.as_deref(), &mesh.filename, options))];
            if mesh.scale != DVec3::ONE {
                attributes.push(("scale", words(&mesh.scale.to_array())));
            }
            attributes
        }
        Geometry::Superellipsoid(shape) => {
            vec![("radii", words(&shape.radii())), ("exponents", words(&shape.exponents()))]
        }
        Geometry::Superovoid(shape) => vec![
            ("radii", words(&shape.radii())),
            ("exponents", words(&shape.exponents())),
            ("taper", words(&shape.taper())),
        ],
    };
    if options.compat && matches!(geometry, Geometry::Superellipsoid(_) | Geometry::Superovoid(_)) {
        let listed: Vec<String> = attributes.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let comment = format!("{EXACT}<{} {}/>", geometry.name(), listed.join(" "));
        xml.write_event(Event::Comment(BytesText::from_escaped(comment)))?;
        xml.create_element("mesh").with_attribute(("filename", file)).write_empty()?;
        return Ok(());
    }
    write(xml, &attributes)
}

/// How a mesh is named in a file that may be elsewhere than the one it was read from.
fn relative(path: Option<&Path>, filename: &str, options: &WriteOptions) -> String {
    let (Some(path), Some(folder)) = (path, &options.folder) else { return filename.to_owned() };
    if filename.contains("://") && !filename.starts_with("file://") {
        return filename.to_owned();
    }
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let (path, folder) = (absolute(path), absolute(folder));
    // Below the folder: relative; elsewhere: absolute.
    path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().into_owned()
}

fn joint_element(xml: &mut Xml, robot: &Robot, joint: &Joint) -> io::Result<()> {
    let element = xml.create_element("joint").with_attribute(("name", joint.name.as_str()));
    element.with_attribute(("type", joint.kind.name())).write_inner_content(|xml| {
        origin_element(xml, &joint.origin)?;
        for (name, link) in [("parent", joint.parent), ("child", joint.child)] {
            xml.create_element(name).with_attribute(("link", robot.links[link].name.as_str())).write_empty()?;
        }
        if !matches!(joint.kind, JointKind::Fixed | JointKind::Floating) || joint.axis != DVec3::X {
            xml.create_element("axis").with_attribute(("xyz", words(&joint.axis.to_array()).as_str())).write_empty()?;
        }
        if let Some(limits) = &joint.limits {
            limit_element(xml, limits)?;
        }
        if let Some(dynamics) = &joint.dynamics {
            let (damping, friction) = (dynamics.damping.to_string(), dynamics.friction.to_string());
            let element = xml.create_element("dynamics").with_attribute(("damping", damping.as_str()));
            element.with_attribute(("friction", friction.as_str())).write_empty()?;
        }
        if let Some(mimic) = &joint.mimic {
            let (multiplier, offset) = (mimic.multiplier.to_string(), mimic.offset.to_string());
            let element =
                xml.create_element("mimic").with_attribute(("joint", robot.joints[mimic.joint].name.as_str()));
            let element = element.with_attribute(("multiplier", multiplier.as_str()));
            element.with_attribute(("offset", offset.as_str())).write_empty()?;
        }
        kept_elements(xml, &joint.kept)
    })?;
    Ok(())
}

/// A number beyond all limits is written as a large one, which other tools read; it is read back as no limit.
fn limit_element(xml: &mut Xml, limits: &Limits) -> io::Result<()> {
    let word = |value: f64| {
        if value.is_infinite() { format!("{}1e+38", if value < 0.0 { "-" } else { "" }) } else { value.to_string() }
    };
    let values = [limits.lower, limits.upper, limits.effort, limits.velocity].map(word);
    let names = ["lower", "upper", "effort", "velocity"].into_iter().zip(values.iter().map(String::as_str));
    names.fold(xml.create_element("limit"), |element, pair| element.with_attribute(pair)).write_empty()?;
    Ok(())
}

/// The file of a smooth shape's mesh, relative to the robot's file.
fn mesh_name(link: &str, kind: &str, number: usize) -> String {
    let safe: String = link.chars().map(|c| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '_' }).collect();
    format!("smooth_meshes/{safe}_{kind}{number}.obj")
}

fn write_meshes(robot: &Robot, folder: &Path) -> Result<(), RobotError> {
    for (name, content) in compat_meshes(robot)? {
        let path = folder.join(name);
        let io = |source| RobotError::Io { path: path.clone(), source };
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(io)?;
        std::fs::write(&path, content).map_err(io)?;
    }
    Ok(())
}

/// The meshes that stand for smooth shapes in a compatible file, by their names beside it.
pub fn compat_meshes(robot: &Robot) -> Result<Vec<(String, Vec<u8>)>, RobotError> {
    let mut made = Vec::new();
    for link in &robot.links {
        for (kind, surfaces) in [("visual", &link.visuals), ("collision", &link.collisions)] {
            for (number, surface) in surfaces.iter().enumerate() {
                let Some(soup) = tessellated(&surface.geometry)? else { continue };
                let name = mesh_name(&link.name, kind, number);
                let object = Object { name: &link.name, positions: &soup.vertices, triangles: &soup.triangles };
                let mut content = Vec::new();
                write_obj(&mut content, &[object])
                    .map_err(|source| RobotError::Io { path: name.clone().into(), source })?;
                made.push((name, content));
            }
        }
    }
    Ok(made)
}

/// A smooth shape as triangles; none for what is not one.
pub(crate) fn tessellated(geometry: &Geometry) -> Result<Option<IndexedTriangles>, RobotError> {
    Ok(match geometry {
        Geometry::Superellipsoid(shape) => Some(shape.tessellate(COMPAT_VERTICES, Spacing::Curvature)?),
        Geometry::Superovoid(shape) => Some(shape.tessellate(COMPAT_VERTICES, Spacing::Curvature)?),
        _ => None,
    })
}
