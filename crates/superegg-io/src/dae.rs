//! COLLADA 1.4 and 1.5: the triangles of all geometries, where the scene puts them, in metres with z up.
//!
//! Read: `triangles`, `polylist`, `polygons`, `trifans`, `tristrips` with float positions; node transforms `matrix`, `translate`, `rotate`,
//! `scale`; instances of geometries and nodes; the asset's `unit` and `up_axis`. Skinning, splines and the rest are ignored.

use std::collections::HashMap;

use glam::{DMat4, DQuat, DVec3};
use roxmltree::{Document, Node};

use crate::conventions::{Conventions, UpAxis};
use crate::placed::Assembly;
use crate::polygon::{Parts, cut_polygon};

/// Reads the scene as one mesh.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Parts, Conventions), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("byte {}: not UTF-8 text", error.valid_up_to()))?;
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(format!("line 1: a COLLADA file begins with <COLLADA>, not <{}>", root.tag_name().name()));
    }
    let conventions = conventions(root)?;
    let mut scene = Scene { ids: HashMap::new(), meshes: HashMap::new(), assembly: Assembly::new(bytes.len()) };
    for node in root.descendants().filter(Node::is_element) {
        if let Some(id) = node.attribute("id") {
            scene.ids.insert(id, node);
        }
    }
    for visual in root.descendants().filter(|node| node.has_tag_name2("visual_scene")) {
        for node in children(visual, "node") {
            scene.node(node, DMat4::IDENTITY, 0)?;
        }
    }
    if scene.assembly.is_empty() {
        // Without a scene, every geometry is where it says.
        for geometry in root.descendants().filter(|node| node.has_tag_name2("geometry")) {
            scene.geometry(geometry, &DMat4::IDENTITY)?;
        }
    }
    let upright = conventions.up.map_or(DMat4::IDENTITY, UpAxis::to_z_up);
    let metres = DMat4::from_scale(DVec3::splat(conventions.unit.unwrap_or(1.0)));
    Ok((scene.assembly.finish(&(metres * upright)), conventions))
}

/// Names without their namespace, which differs between versions.
trait Tag {
    fn has_tag_name2(&self, name: &str) -> bool;
}

impl Tag for Node<'_, '_> {
    fn has_tag_name2(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn children<'a, 'b>(node: Node<'a, 'b>, name: &'static str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children().filter(move |child| child.has_tag_name2(name))
}

fn child<'a, 'b>(node: Node<'a, 'b>, name: &'static str) -> Option<Node<'a, 'b>> {
    children(node, name).next()
}

/// An error with the line where it is.
fn at(node: Node, message: impl std::fmt::Display) -> String {
    format!("line {}: {message}", node.document().text_pos_at(node.range().start).row)
}

fn conventions(root: Node) -> Result<Conventions, String> {
    let Some(asset) = child(root, "asset") else { return Ok(Conventions::default()) };
    let unit = match child(asset, "unit").and_then(|unit| Some((unit, unit.attribute("meter")?))) {
        None => None,
        Some((node, text)) => {
            let unit: f64 = text.trim().parse().map_err(|_| at(node, format!("meter {text:?} is not a number")))?;
            if !(1e-12..=1e12).contains(&unit) {
                return Err(at(node, format!("a unit of {unit} metres is outside [1e-12, 1e12]")));
            }
            Some(unit)
        }
    };
    let up = match child(asset, "up_axis").and_then(|node| Some((node, node.text()?.trim()))) {
        None => UpAxis::Y,
        Some((_, "X_UP")) => UpAxis::X,
        Some((_, "Y_UP")) => UpAxis::Y,
        Some((_, "Z_UP")) => UpAxis::Z,
        Some((node, other)) => return Err(at(node, format!("up_axis {other:?} is none of X_UP, Y_UP, Z_UP"))),
    };
    Ok(Conventions { unit, up: Some(up) })
}

struct Scene<'a, 'b> {
    ids: HashMap<&'a str, Node<'a, 'b>>,
    /// Geometries that have been read, by their place in the document.
    meshes: HashMap<usize, Parts>,
    assembly: Assembly,
}

impl<'a, 'b> Scene<'a, 'b> {
    fn named(&self, node: Node, attribute: &str) -> Result<Node<'a, 'b>, String> {
        let url = node.attribute(attribute).ok_or_else(|| at(node, format!("{attribute} is missing")))?;
        let id = url.strip_prefix('#').ok_or_else(|| at(node, format!("{url:?} is not in this file")))?;
        self.ids.get(id).copied().ok_or_else(|| at(node, format!("there is no {id:?}")))
    }

    fn node(&mut self, node: Node<'a, 'b>, parent: DMat4, depth: usize) -> Result<(), String> {
        self.assembly.visit(depth).map_err(|message| at(node, message))?;
        let mut place = parent;
        for element in node.children().filter(Node::is_element) {
            let name = element.tag_name().name();
            match name {
                "matrix" => place *= DMat4::from_cols_array(&numbers(element)?).transpose(),
                "translate" => place *= DMat4::from_translation(DVec3::from_array(numbers(element)?)),
                "scale" => place *= DMat4::from_scale(DVec3::from_array(numbers(element)?)),
                "rotate" => {
                    let [x, y, z, degrees] = numbers(element)?;
                    let axis =
                        DVec3::new(x, y, z).try_normalize().ok_or_else(|| at(element, "an axis of no length"))?;
                    place *= DMat4::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians()));
                }
                "node" => self.node(element, place, depth + 1)?,
                "instance_node" => self.node(self.named(element, "url")?, place, depth + 1)?,
                "instance_geometry" => self.geometry(self.named(element, "url")?, &place)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: Node<'a, 'b>, place: &DMat4) -> Result<(), String> {
        let key = geometry.range().start;
        if !self.meshes.contains_key(&key) {
            let parts = match child(geometry, "mesh") {
                Some(mesh) => self.mesh(mesh)?,
                None => Parts::default(),
            };
            self.meshes.insert(key, parts);
        }
        self.assembly.add(place, &self.meshes[&key]).map_err(|message| at(geometry, message))
    }

    fn mesh(&self, mesh: Node<'a, 'b>) -> Result<Parts, String> {
        let mut parts = Parts::default();
        // Primitives of a mesh share its positions.
        let mut sources: HashMap<usize, u32> = HashMap::new();
        for primitive in mesh.children().filter(Node::is_element) {
            let kind = primitive.tag_name().name();
            if !["triangles", "polylist", "polygons", "trifans", "tristrips"].contains(&kind) {
                continue;
            }
            let mut stride = 1;
            let mut positions = None;
            for input in children(primitive, "input") {
                let offset: usize = match input.attribute("offset") {
                    None => 0,
                    Some(text) => {
                        text.parse().ok().filter(|&o| o < 64).ok_or_else(|| at(input, "no offset in [0, 63]"))?
                    }
                };
                stride = stride.max(offset + 1);
                if input.attribute("semantic") == Some("VERTEX") {
                    positions = Some((offset, self.positions(self.named(input, "source")?)?));
                }
            }
            let Some((offset, source)) = positions else { return Err(at(primitive, "no input of semantic VERTEX")) };
            let first = match sources.get(&source.range().start) {
                Some(first) => *first,
                None => {
                    let first = parts.0.len() as u32;
                    parts.0.extend(vectors(source)?);
                    sources.insert(source.range().start, first);
                    first
                }
            };
            let count = parts.0.len() as u32 - first;
            let corner = |node: Node, index: u32| {
                if index < count { Ok(index + first) } else { Err(at(node, format!("vertex {index} of {count}"))) }
            };
            let lengths: Option<Vec<u32>> = child(primitive, "vcount").map(|node| list(node)).transpose()?;
            for p in children(primitive, "p") {
                let all: Vec<u32> = list(p)?;
                let corners: Vec<u32> =
                    all.chunks_exact(stride).map(|chunk| corner(p, chunk[offset])).collect::<Result<_, _>>()?;
                polygons(kind, &corners, lengths.as_deref(), &mut parts.1).map_err(|message| at(p, message))?;
            }
        }
        Ok(parts)
    }

    /// The source of positions behind a `vertices` element, or the source itself.
    fn positions(&self, node: Node<'a, 'b>) -> Result<Node<'a, 'b>, String> {
        if !node.has_tag_name2("vertices") {
            return Ok(node);
        }
        let input = children(node, "input").find(|input| input.attribute("semantic") == Some("POSITION"));
        self.named(input.ok_or_else(|| at(node, "no input of semantic POSITION"))?, "source")
    }
}

/// Cuts the primitives of a list of corners into triangles.
fn polygons(kind: &str, corners: &[u32], lengths: Option<&[u32]>, triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
    match (kind, lengths) {
        ("triangles", _) => triangles.extend(corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]])),
        ("tristrips", _) => {
            for (k, t) in corners.windows(3).enumerate() {
                triangles.push(if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
        ("polylist", Some(lengths)) => {
            let mut rest = corners;
            for &length in lengths {
                let (polygon, others) =
                    rest.split_at_checked(length as usize).ok_or("fewer corners than vcount says")?;
                cut_polygon(polygon, triangles);
                rest = others;
            }
        }
        ("polylist", None) => return Err("a polylist without vcount".into()),
        _ => cut_polygon(corners, triangles),
    }
    Ok(())
}

/// Positions of a source: its numbers by the accessor's stride.
fn vectors(source: Node) -> Result<Vec<DVec3>, String> {
    let array = child(source, "float_array").ok_or_else(|| at(source, "no float_array"))?;
    let accessor = child(source, "technique_common").and_then(|technique| child(technique, "accessor"));
    let stride = match accessor.and_then(|accessor| accessor.attribute("stride")) {
        None => 3,
        Some(text) => {
            text.parse().ok().filter(|s| (3..64).contains(s)).ok_or_else(|| at(source, "no stride in [3, 63]"))?
        }
    };
    let values: Vec<f64> = list(array)?;
    Ok(values.chunks_exact(stride).map(|v| DVec3::new(v[0], v[1], v[2])).collect())
}

fn list<T: std::str::FromStr>(node: Node) -> Result<Vec<T>, String> {
    let text = node.text().unwrap_or_default();
    text.split_whitespace()
        .map(|word| word.parse().map_err(|_| at(node, format!("{word:?} is no number here"))))
        .collect()
}

fn numbers<const N: usize>(node: Node) -> Result<[f64; N], String> {
    let values: Vec<f64> = list(node)?;
    let found = values.len();
    values.try_into().map_err(|_| at(node, format!("{found} numbers instead of {N}")))
}
