//! Geoms and the meshes and materials that they name.

use std::collections::HashMap;
use std::path::Path;

use glam::{DQuat, DVec3};
use roxmltree::Node;
use superegg::Pose;
use superegg::shape::Superellipsoid;

use super::element::{Element, Settings};
use crate::error::{RobotError, Severity};
use crate::loaded::ReadOptions;
use crate::mesh_path;
use crate::model::{Geometry, Material, MeshFile, Origin, Surface};
use crate::xml::{Source, elements};

/// Attributes of geoms that are used.
pub(super) const GEOM: &[&str] = &[
    "name",
    "class",
    "type",
    "size",
    "pos",
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
    "fromto",
    "mesh",
    "contype",
    "conaffinity",
    "group",
    "rgba",
    "material",
];
/// Groups from this one on are not drawn by MuJoCo, unless asked.
const HIDDEN_GROUP: f64 = 3.0;
/// Half the width of a box that stands for an endless plane, in metres.
const ENDLESS: f64 = 50.0;

/// Meshes and materials by name.
#[derive(Default)]
pub(super) struct Assets {
    meshes: HashMap<String, MeshFile>,
    materials: HashMap<String, [f64; 4]>,
}

impl Assets {
    pub fn read(
        source: &mut Source,
        root: Node,
        settings: &Settings,
        options: &ReadOptions,
    ) -> Result<Assets, RobotError> {
        let mut made = Assets::default();
        let assets = elements(root).filter(|child| child.tag_name().name() == "asset").flat_map(elements);
        for node in assets.collect::<Vec<_>>() {
            match node.tag_name().name() {
                "mesh" => made.mesh(source, node, settings, options)?,
                "material" => {
                    source.allow_attributes(node, &["name", "class", "rgba"]);
                    let element = settings.element(source, node, None)?;
                    let rgba = element.numbers(source, "rgba")?.unwrap_or([1.0; 4]);
                    made.materials.insert(source.require_name(node, "name")?, rgba);
                }
                _ => source.note(Severity::Ignored, node, "has no counterpart here and is left out"),
            }
        }
        Ok(made)
    }

    fn mesh(
        &mut self,
        source: &mut Source,
        node: Node,
        settings: &Settings,
        options: &ReadOptions,
    ) -> Result<(), RobotError> {
        source.allow_attributes(node, &["name", "class", "file", "scale"]);
        let Some(file) = node.attribute("file").map(str::trim).filter(|file| !file.is_empty()) else {
            source.note(Severity::Error, node, "has no file; meshes that are written out in the model are not read");
            return Ok(());
        };
        let element = settings.element(source, node, None)?;
        let scale = element.numbers(source, "scale")?.map_or(DVec3::ONE, DVec3::from_array);
        if scale.to_array().contains(&0.0) {
            return Err(source.refuse(node, "scale has a zero, which makes the mesh flat; give it other numbers"));
        }
        let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = node.attribute("name").map(str::to_owned).or(stem).unwrap_or_default();
        let filename = Path::new(&settings.mesh_folder).join(file).to_string_lossy().into_owned();
        let path = mesh_path::find(source, node, &filename, options);
        self.meshes.insert(name, MeshFile { filename, scale, path });
        Ok(())
    }
}

/// A geom, whether others meet it, and whether it is drawn.
pub(super) struct Geom {
    pub surface: Surface,
    pub collides: bool,
    pub seen: bool,
}

/// Reads a geom; nothing where it has no counterpart, which is reported.
pub(super) fn surface(
    source: &mut Source,
    element: &Element,
    pose: &Pose,
    assets: &Assets,
) -> Result<Option<Geom>, RobotError> {
    let node = element.node;
    source.allow_attributes(node, GEOM);
    let Some((geometry, shift)) = geometry(source, element, assets)? else { return Ok(None) };
    let mut surface = Surface::new(geometry, Origin::of(&pose.compose(&shift)));
    surface.name = element.text("name").filter(|name| !name.is_empty()).map(str::to_owned);
    surface.at = source.place(node);
    let named = element.text("material");
    let rgba = match (element.numbers(source, "rgba")?, named) {
        (Some(rgba), _) => Some(rgba),
        (None, Some(name)) => {
            let found = assets.materials.get(name).copied();
            if found.is_none() {
                source.note(Severity::Missing, node, format!("material {name:?} is not defined; drawn in grey"));
            }
            found
        }
        (None, None) => None,
    };
    let material = |rgba: [f64; 4]| Material {
        name: named.unwrap_or_default().to_owned(),
        rgba: Some(rgba.map(|c| c.clamp(0.0, 1.0))),
        texture: None,
    };
    surface.material = rgba.map(material);
    let [meets, met] = [element.number(source, "contype")?, element.number(source, "conaffinity")?];
    let collides = meets.unwrap_or(1.0) != 0.0 || met.unwrap_or(1.0) != 0.0;
    let seen = !collides || element.number(source, "group")?.unwrap_or(0.0) < HIDDEN_GROUP;
    Ok(Some(Geom { surface, collides, seen }))
}

/// The geometry of a geom, and where it is in the geom's frame.
fn geometry(source: &mut Source, element: &Element, assets: &Assets) -> Result<Option<(Geometry, Pose)>, RobotError> {
    let node = element.node;
    let kind = element.text("type").unwrap_or(if element.text("mesh").is_some() { "mesh" } else { "sphere" });
    let left_out = |source: &mut Source, message: String| {
        source.note(Severity::Error, node, message);
        Ok(None)
    };
    let mesh = element.text("mesh");
    if kind == "mesh" && mesh.is_none() {
        return Err(source.refuse(node, "names no mesh; add mesh=\"…\""));
    }
    if let Some(name) = mesh {
        if kind != "mesh" {
            source.note(Severity::Repaired, node, format!("a {kind} made to fit a mesh, read as the mesh itself"));
        }
        return match assets.meshes.get(name) {
            Some(mesh) => Ok(Some((Geometry::Mesh(mesh.clone()), Pose::IDENTITY))),
            None => left_out(source, format!("mesh {name:?} is not defined; it is left out")),
        };
    }
    let mut size = element.up_to_three(source, "size")?;
    let mut shift = Pose::IDENTITY;
    if let Some([a, b, c, d, e, f]) = element.numbers(source, "fromto")? {
        let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
        let Some(along) = (to - from).try_normalize() else {
            return Err(source.refuse(node, "fromto begins and ends in the same place; give it a length"));
        };
        shift = Pose { rotation: DQuat::from_rotation_arc(DVec3::Z, along), translation: 0.5 * (from + to) };
        let (radius, half) = (size.first().copied().unwrap_or(0.0), 0.5 * from.distance(to));
        size = if matches!(kind, "capsule" | "cylinder") { vec![radius, half] } else { vec![radius, radius, half] };
    }
    let needed = match kind {
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        "box" | "ellipsoid" | "plane" => 3,
        other => {
            let known = "box, sphere, capsule, cylinder, ellipsoid, mesh and plane";
            return left_out(source, format!("type {other:?} is not known here and is left out; known are {known}"));
        }
    };
    if size.len() < needed {
        return Err(source.refuse(node, format!("size: {} numbers for a {kind}, which needs {needed}", size.len())));
    }
    let geometry = match kind {
        "sphere" => Geometry::Sphere { radius: size[0] },
        "capsule" => Geometry::Capsule { radius: size[0], length: 2.0 * size[1] },
        "cylinder" => Geometry::Cylinder { radius: size[0], length: 2.0 * size[1] },
        "box" => Geometry::Box { size: 2.0 * DVec3::new(size[0], size[1], size[2]) },
        "ellipsoid" => {
            let made = Superellipsoid::new([size[0], size[1], size[2]], [1.0; 2]);
            Geometry::Superellipsoid(made.map_err(|error| source.refuse(node, error.to_string()))?)
        }
        _ => {
            let half = [size[0], size[1]].map(|half| if half > 0.0 { half } else { ENDLESS });
            let thick = half[0].max(half[1]);
            let message =
                format!("a plane, read as a box of {} × {} × {thick} m below it", 2.0 * half[0], 2.0 * half[1]);
            source.note(Severity::Repaired, node, message);
            shift = Pose::from_translation(DVec3::new(0.0, 0.0, -0.5 * thick));
            Geometry::Box { size: DVec3::new(2.0 * half[0], 2.0 * half[1], thick) }
        }
    };
    Ok(source.with_extent(node, geometry)?.map(|geometry| (geometry, shift)))
}
