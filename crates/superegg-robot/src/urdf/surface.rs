//! Visual and collision elements: origins, geometry, materials.

use glam::{DQuat, DVec3};
use roxmltree::Node;
use superegg::Pose;
use superegg::shape::{Superellipsoid, Superovoid};

use crate::error::{RobotError, Severity};
use crate::loaded::ReadOptions;
use crate::mesh_path;
use crate::model::{Geometry, Material, MeshFile, Origin, Surface};
use crate::xml::{Source, elements, plain_name};

/// Begins a comment in a `<geometry>` that says what its mesh stands for.
pub(super) const EXACT: &str = "superegg:exact ";

/// Reads `<origin>`.
pub(super) fn origin(source: &mut Source, node: Node) -> Result<Origin, RobotError> {
    source.allow_attributes(node, &["xyz", "rpy", "quat_xyzw"]);
    let xyz = source.vector(node, "xyz")?.unwrap_or_default();
    let rpy = source.vector(node, "rpy")?;
    let quaternion = source.numbers::<4>(node, "quat_xyzw")?;
    match (rpy, quaternion) {
        (Some(_), Some(_)) => Err(source.refuse(node, "has both rpy and quat_xyzw; leave one of them out")),
        (None, Some(quaternion)) => {
            let pose = Pose::new(DQuat::from_array(quaternion), xyz)
                .map_err(|_| source.refuse(node, "quat_xyzw is zero; give it a rotation"))?;
            Ok(Origin::of(&pose))
        }
        (rpy, None) => Ok(Origin { xyz, rpy: rpy.unwrap_or_default() }),
    }
}

/// Reads a material; one that only names another is completed by the caller.
pub(super) fn material(source: &mut Source, node: Node) -> Result<Material, RobotError> {
    source.allow_attributes(node, &["name"]);
    let mut material =
        Material { name: node.attribute("name").unwrap_or_default().to_owned(), rgba: None, texture: None };
    for child in elements(node) {
        match plain_name(child) {
            "color" => {
                source.allow_attributes(child, &["rgba", "rgb"]);
                if let Some(rgba) = source.numbers::<4>(child, "rgba")? {
                    material.rgba = Some(rgba);
                } else if let Some([r, g, b]) = source.numbers::<3>(child, "rgb")? {
                    source.note(Severity::Repaired, child, "rgb read as an opaque rgba");
                    material.rgba = Some([r, g, b, 1.0]);
                }
                if material.rgba.is_some_and(|rgba| rgba.iter().any(|c| !(0.0..=1.0).contains(c))) {
                    source.note(Severity::Repaired, child, "rgba has components outside [0, 1]; they are cut to it");
                    material.rgba = material.rgba.map(|rgba| rgba.map(|c| c.clamp(0.0, 1.0)));
                }
            }
            "texture" => {
                source.allow_attributes(child, &["filename"]);
                material.texture = child.attribute("filename").map(str::to_owned);
                source.note(Severity::Ignored, child, "kept, not used");
            }
            _ => source.note(Severity::Ignored, child, "is not known in a material and is left out"),
        }
    }
    Ok(material)
}

/// Reads `<visual>` or `<collision>`; nothing if it has no usable geometry, which is reported.
pub(super) fn surface(source: &mut Source, node: Node, options: &ReadOptions) -> Result<Option<Surface>, RobotError> {
    source.allow_attributes(node, &["name"]);
    let is_visual = plain_name(node) == "visual";
    let mut found = None;
    let mut made = Surface::new(Geometry::Sphere { radius: 1.0 }, Origin::default());
    made.name = node.attribute("name").map(str::to_owned);
    made.at = source.place(node);
    for child in elements(node) {
        match plain_name(child) {
            "origin" => made.origin = origin(source, child)?,
            "geometry" if found.is_none() => found = Some(geometry(source, child, options)?),
            "material" if is_visual && made.material.is_none() => made.material = Some(material(source, child)?),
            _ => source.keep(child, &mut made.kept),
        }
    }
    match found {
        None => {
            source.note(Severity::Error, node, "has no <geometry>; it is left out");
            Ok(None)
        }
        Some(None) => Ok(None),
        Some(Some(geometry)) => {
            made.geometry = geometry;
            Ok(Some(made))
        }
    }
}

fn geometry(source: &mut Source, node: Node, options: &ReadOptions) -> Result<Option<Geometry>, RobotError> {
    source.allow_attributes(node, &[]);
    if let Some(exact) = exact_comment(source, node)? {
        return Ok(Some(exact));
    }
    let mut children = elements(node);
    let Some(child) = children.next() else {
        source.note(Severity::Error, node, "is empty; its element is left out");
        return Ok(None);
    };
    for further in children {
        source.note(Severity::Error, further, "a <geometry> holds one shape; this further one is left out");
    }
    shape(source, child, options)
}

/// The shape that a comment says the mesh stands for.
fn exact_comment(source: &mut Source, node: Node) -> Result<Option<Geometry>, RobotError> {
    let comments = node.children().filter(|child| child.is_comment()).filter_map(|child| child.text());
    let Some(text) = comments.map(str::trim).find_map(|text| text.strip_prefix(EXACT)) else { return Ok(None) };
    let Ok(document) = roxmltree::Document::parse(text) else {
        source.note(
            Severity::Error,
            node,
            "has a comment with exact parameters that is not an element; the mesh is used",
        );
        return Ok(None);
    };
    // Its own source: positions in the comment are not positions in the file, so refusals carry the element's line.
    let mut inner = Source::new(source.path, text, &[]);
    let read = shape(&mut inner, document.root_element(), &ReadOptions::default());
    match read {
        Ok(Some(geometry)) if inner.diagnostics.is_empty() => Ok(Some(geometry)),
        _ => {
            source.note(
                Severity::Error,
                node,
                "has a comment with exact parameters that are not valid; the mesh is used",
            );
            Ok(None)
        }
    }
}

fn shape(source: &mut Source, node: Node, options: &ReadOptions) -> Result<Option<Geometry>, RobotError> {
    let refused = |source: &Source, error: superegg::InvalidInput| source.refuse(node, error.to_string());
    let made = match node.tag_name().name() {
        "box" => {
            source.allow_attributes(node, &["size"]);
            let size = source
                .vector(node, "size")?
                .ok_or_else(|| source.refuse(node, "has no size; give it three lengths"))?;
            Geometry::Box { size }
        }
        "cylinder" => {
            source.allow_attributes(node, &["radius", "length"]);
            let [radius, length] = [source.require_number(node, "radius")?, source.require_number(node, "length")?];
            Geometry::Cylinder { radius, length }
        }
        "capsule" => {
            source.allow_attributes(node, &["radius", "length"]);
            let [radius, length] = [source.require_number(node, "radius")?, source.require_number(node, "length")?];
            Geometry::Capsule { radius, length }
        }
        "sphere" => {
            source.allow_attributes(node, &["radius"]);
            Geometry::Sphere { radius: source.require_number(node, "radius")? }
        }
        "ellipsoid" => {
            source.allow_attributes(node, &["a", "b", "c", "radii"]);
            let radii = match source.numbers::<3>(node, "radii")? {
                Some(radii) => radii,
                None => [
                    source.require_number(node, "a")?,
                    source.require_number(node, "b")?,
                    source.require_number(node, "c")?,
                ],
            };
            Geometry::Superellipsoid(Superellipsoid::new(radii, [1.0; 2]).map_err(|e| refused(source, e))?)
        }
        "superellipsoid" => {
            source.allow_attributes(node, &["radii", "exponents"]);
            let (radii, exponents) = radii_and_exponents(source, node)?;
            Geometry::Superellipsoid(Superellipsoid::new(radii, exponents).map_err(|e| refused(source, e))?)
        }
        "superovoid" => {
            source.allow_attributes(node, &["radii", "exponents", "taper"]);
            let (radii, exponents) = radii_and_exponents(source, node)?;
            let taper = source.numbers::<2>(node, "taper")?;
            let taper = taper.ok_or_else(|| source.refuse(node, "has no taper; give it two numbers in [-1, 1]"))?;
            Geometry::Superovoid(Superovoid::new(radii, exponents, taper).map_err(|e| refused(source, e))?)
        }
        "mesh" => Geometry::Mesh(mesh(source, node, options)?),
        other => {
            let known = "box, cylinder, capsule, sphere, ellipsoid, mesh, superellipsoid and superovoid";
            source.note(Severity::Error, node, format!("{other} is not known here and is left out; known are {known}"));
            return Ok(None);
        }
    };
    source.with_extent(node, made)
}

fn radii_and_exponents(source: &mut Source, node: Node) -> Result<([f64; 3], [f64; 2]), RobotError> {
    let radii = source.numbers::<3>(node, "radii")?;
    let radii = radii.ok_or_else(|| source.refuse(node, "has no radii; give it three lengths"))?;
    let exponents = source.numbers::<2>(node, "exponents")?;
    let exponents = exponents.ok_or_else(|| source.refuse(node, "has no exponents; give it two numbers in ]0, 2["))?;
    Ok((radii, exponents))
}

fn mesh(source: &mut Source, node: Node, options: &ReadOptions) -> Result<MeshFile, RobotError> {
    source.allow_attributes(node, &["filename", "scale"]);
    let filename = source.require_name(node, "filename")?;
    let scale = match source.vector(node, "scale") {
        Ok(scale) => scale.unwrap_or(DVec3::ONE),
        // One number for all three is common.
        Err(error) => match source.number(node, "scale") {
            Ok(Some(scale)) => {
                source.note(Severity::Repaired, node, "one number for scale; read as three");
                DVec3::splat(scale)
            }
            _ => return Err(error),
        },
    };
    if scale.to_array().contains(&0.0) {
        return Err(source.refuse(node, "scale has a zero, which makes the mesh flat; give it other numbers"));
    }
    let path = mesh_path::find(source, node, &filename, options);
    Ok(MeshFile { filename, scale, path })
}
