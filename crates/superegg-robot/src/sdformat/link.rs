//! Links: what they weigh, what is seen of them and what others meet.

use glam::DVec3;
use roxmltree::Node;
use superegg::Pose;
use superegg::shape::Superellipsoid;

use super::frames::{Frames, Scope, child_number, child_numbers, child_text, element, length, pose};
use crate::error::{RobotError, Severity};
use crate::loaded::ReadOptions;
use crate::mesh_path;
use crate::model::{Geometry, Inertial, Link, Material, MeshFile, Origin, Surface};
use crate::xml::{Source, elements};

/// Thickness of the box that stands for a plane, in metres.
const PLANE_THICKNESS: f64 = 1.0;

/// Where the link is that is read.
pub(super) struct LinkFrames<'a> {
    pub scope: &'a Scope,
    pub frames: &'a Frames,
    /// The frame of the link of the robot, in the model.
    pub place: Pose,
    /// The link's own frame on it.
    pub own: Pose,
}

/// Reads a link.
pub(super) fn read(
    source: &mut Source,
    node: Node,
    frame: &LinkFrames,
    options: &ReadOptions,
) -> Result<Link, RobotError> {
    source.allow_attributes(node, &["name"]);
    let mut link = Link { name: frame.scope.name(&source.require_name(node, "name")?), ..Link::default() };
    for child in elements(node) {
        match child.tag_name().name() {
            "pose" => {}
            "inertial" => link.inertial = inertial(source, child, frame)?,
            "visual" => link.visuals.extend(surface(source, child, frame, options)?),
            "collision" => link.collisions.extend(surface(source, child, frame, options)?),
            _ => source.note(Severity::Ignored, child, "has no counterpart here and is left out"),
        }
    }
    Ok(link)
}

/// The pose in an element, on the link of the robot.
fn placed(source: &mut Source, node: Node, frame: &LinkFrames) -> Result<Pose, RobotError> {
    let Some(own) = element(node, "pose") else { return Ok(frame.own) };
    let base = match own.attribute("relative_to").filter(|base| !base.is_empty()) {
        Some(base) => frame.place.inverse().compose(&frame.frames.of(source, own, &frame.scope.name(base))?),
        None => frame.own,
    };
    Ok(base.compose(&pose(source, own)?))
}

fn inertial(source: &mut Source, node: Node, frame: &LinkFrames) -> Result<Option<Inertial>, RobotError> {
    source.allow_attributes(node, &[]);
    let origin = Origin::of(&placed(source, node, frame)?);
    let Some(mass) = child_number(source, node, "mass")? else {
        source.note(Severity::Error, node, "has no <mass>; it is left out");
        return Ok(None);
    };
    if mass < 0.0 {
        return Err(source.refuse(node, format!("the mass is {mass}; it is not negative")));
    }
    let mut inertia = [0.0; 6];
    if let Some(moments) = element(node, "inertia") {
        for (value, name) in inertia.iter_mut().zip(["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]) {
            *value = child_number(source, moments, name)?.unwrap_or(0.0);
        }
    }
    let made = Inertial { origin, mass, inertia };
    if mass > 0.0 && !made.is_physical() {
        let message = "the inertia is not positive definite: kept, and simulated as a ball of the same mass";
        source.note(Severity::Repaired, node, message);
    }
    Ok(Some(made))
}

fn surface(
    source: &mut Source,
    node: Node,
    frame: &LinkFrames,
    options: &ReadOptions,
) -> Result<Option<Surface>, RobotError> {
    source.allow_attributes(node, &["name"]);
    let pose = placed(source, node, frame)?;
    let Some(shape) = element(node, "geometry").and_then(|geometry| elements(geometry).next()) else {
        source.note(Severity::Error, node, "has no <geometry>; it is left out");
        return Ok(None);
    };
    let Some((geometry, shift)) = geometry(source, shape, options)? else { return Ok(None) };
    let mut made = Surface::new(geometry, Origin::of(&pose.compose(&shift)));
    made.name = node.attribute("name").map(str::to_owned);
    made.at = source.place(node);
    for child in elements(node) {
        match child.tag_name().name() {
            "pose" | "geometry" => {}
            "material" => {
                let rgba = match child_numbers::<4>(source, child, "diffuse") {
                    Ok(rgba) => rgba,
                    Err(_) => child_numbers::<3>(source, child, "diffuse")?.map(|[r, g, b]| [r, g, b, 1.0]),
                };
                let material =
                    |rgba: [f64; 4]| Material { rgba: Some(rgba.map(|c| c.clamp(0.0, 1.0))), ..Material::default() };
                made.material = rgba.map(material);
            }
            _ => source.note(Severity::Ignored, child, "has no counterpart here and is left out"),
        }
    }
    Ok(Some(made))
}

fn geometry(source: &mut Source, node: Node, options: &ReadOptions) -> Result<Option<(Geometry, Pose)>, RobotError> {
    let missing = |source: &Source, name: &str| source.refuse(node, format!("has no <{name}>; add it"));
    let mut shift = Pose::IDENTITY;
    let made = match node.tag_name().name() {
        "box" => {
            let size = child_numbers(source, node, "size")?.ok_or_else(|| missing(source, "size"))?;
            let size = DVec3::from_array(size);
            Geometry::Box { size }
        }
        "sphere" => Geometry::Sphere { radius: length(source, node, "radius")? },
        "cylinder" => {
            Geometry::Cylinder { radius: length(source, node, "radius")?, length: length(source, node, "length")? }
        }
        "capsule" => {
            Geometry::Capsule { radius: length(source, node, "radius")?, length: length(source, node, "length")? }
        }
        "ellipsoid" => {
            let radii = child_numbers(source, node, "radii")?.ok_or_else(|| missing(source, "radii"))?;
            let made = Superellipsoid::new(radii, [1.0; 2]);
            Geometry::Superellipsoid(made.map_err(|error| source.refuse(node, error.to_string()))?)
        }
        "mesh" => {
            let filename = child_text(node, "uri").ok_or_else(|| missing(source, "uri"))?.to_owned();
            let scale = child_numbers(source, node, "scale")?.map_or(DVec3::ONE, DVec3::from_array);
            if scale.to_array().contains(&0.0) {
                return Err(source.refuse(node, "scale has a zero, which makes the mesh flat; give it other numbers"));
            }
            if element(node, "submesh").is_some() {
                source.note(Severity::Repaired, node, "a part of a mesh file, read as the whole of it");
            }
            let path = mesh_path::find(source, node, &filename, options);
            Geometry::Mesh(MeshFile { filename, scale, path })
        }
        "plane" => {
            let [x, y] = child_numbers(source, node, "size")?.unwrap_or([1.0, 1.0]);
            let normal = child_numbers(source, node, "normal")?.map_or(DVec3::Z, DVec3::from_array);
            let Some(normal) = normal.try_normalize().filter(|_| x > 0.0 && y > 0.0) else {
                return Err(source.refuse(node, "needs a normal and a positive size"));
            };
            let message = format!("a plane, read as a box of {x} × {y} × {PLANE_THICKNESS} m below it");
            source.note(Severity::Repaired, node, message);
            let translation = normal * (-0.5 * PLANE_THICKNESS);
            shift = Pose { rotation: glam::DQuat::from_rotation_arc(DVec3::Z, normal), translation };
            Geometry::Box { size: DVec3::new(x, y, PLANE_THICKNESS) }
        }
        other => {
            let known = "box, sphere, cylinder, capsule, ellipsoid, mesh and plane";
            source.note(Severity::Error, node, format!("{other} is not known here and is left out; known are {known}"));
            return Ok(None);
        }
    };
    Ok(source.with_extent(node, made)?.map(|made| (made, shift)))
}
