//! Meshes from glTF 2.0 (`.gltf`, `.glb`): the triangles of the default scene, in metres with z up.
//!
//! Read: float positions and their indices, as triangles, strips or fans; node transforms; buffers in the file, as `data:` URIs, or in files
//! beside it. Refused: sparse accessors and compressed meshes. Skins, morph targets, animations and materials are ignored.

use std::path::{Component, Path};

use glam::{DMat4, DVec3};
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::json::validation::Checked;
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Gltf, Node, Primitive, Semantic};

use crate::conventions::{Conventions, UpAxis};
use crate::placed::Assembly;
use crate::polygon::Parts;

/// What the format prescribes.
const CONVENTIONS: Conventions = Conventions { unit: Some(1.0), up: Some(UpAxis::Y) };

/// Reads the default scene as one mesh. `name` tells where files are that it names.
pub(crate) fn parse(name: &Path, bytes: &[u8]) -> Result<(Parts, Conventions), String> {
    let Gltf { document, mut blob } = document(bytes)?;
    for extension in document.extensions_required() {
        if extension.contains("compression") || extension.contains("quantization") {
            return Err(format!("the required extension {extension} is not supported; export without compression"));
        }
    }
    let mut buffers = Vec::new();
    for buffer in document.buffers() {
        let data = match buffer.source() {
            Source::Bin => blob.take().ok_or("buffer 0 is not in the file")?,
            Source::Uri(uri) => {
                read_uri(name, uri).map_err(|message| format!("buffer {}: {message}", buffer.index()))?
            }
        };
        if data.len() < buffer.length() {
            return Err(format!("buffer {}: {} bytes of {}", buffer.index(), data.len(), buffer.length()));
        }
        buffers.push(data);
    }
    let mut assembly = Assembly::new(bytes.len() + buffers.iter().map(Vec::len).sum::<usize>());
    let scene = document.default_scene().or_else(|| document.scenes().next());
    match scene {
        Some(scene) => {
            for node in scene.nodes() {
                add_node(&node, DMat4::IDENTITY, 0, &buffers, &mut assembly)?;
            }
        }
        None => {
            for mesh in document.meshes() {
                for primitive in mesh.primitives() {
                    assembly.add(&DMat4::IDENTITY, &triangles(&primitive, &buffers)?)?;
                }
            }
        }
    }
    Ok((assembly.finish(&UpAxis::Y.to_z_up()), CONVENTIONS))
}

/// The document, checked. The library (gltf 1.4.1) panics on a binary file whose length is less than its own header's, and on
/// positions in an accessor that there is not; so these are looked at first.
fn document(bytes: &[u8]) -> Result<Gltf, String> {
    if let Some((b"glTF", [_, _, _, _, a, b, c, d, ..])) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes([*a, *b, *c, *d]);
        if length < 12 {
            return Err(format!("a length of {length} bytes in the header, which takes 12 itself"));
        }
    }
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(|error| error.to_string())?;
    let root = document.into_json();
    for (mesh, primitive) in
        root.meshes.iter().enumerate().flat_map(|(k, mesh)| mesh.primitives.iter().map(move |p| (k, p)))
    {
        let positions = primitive.attributes.get(&Checked::Valid(Semantic::Positions)).map(|index| index.value());
        if let Some(index) = positions.filter(|&index| index >= root.accessors.len()) {
            return Err(format!("mesh {mesh}: accessor {index} of {}", root.accessors.len()));
        }
    }
    let document = Document::from_json(root).map_err(|error| error.to_string())?;
    Ok(Gltf { document, blob })
}

fn add_node(node: &Node, parent: DMat4, depth: usize, buffers: &[Vec<u8>], to: &mut Assembly) -> Result<(), String> {
    to.visit(depth)?;
    let local = node.transform().matrix().map(|column| column.map(f64::from));
    let place = parent * DMat4::from_cols_array_2d(&local);
    for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
        to.add(&place, &triangles(&primitive, buffers)?)?;
    }
    node.children().try_for_each(|child| add_node(&child, place, depth + 1, buffers, to))
}

fn triangles(primitive: &Primitive, buffers: &[Vec<u8>]) -> Result<Parts, String> {
    let Some(accessor) = primitive.get(&Semantic::Positions) else { return Ok(Parts::default()) };
    if accessor.data_type() != DataType::F32 || accessor.dimensions() != Dimensions::Vec3 {
        return Err(format!("accessor {}: positions are not vectors of three floats", accessor.index()));
    }
    let mut positions = Vec::new();
    for bytes in elements(&accessor, buffers)? {
        let at = |k: usize| f64::from(f32::from_le_bytes([bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]]));
        positions.push(DVec3::new(at(0), at(4), at(8)));
    }
    let count = positions.len() as u32;
    let corners: Vec<u32> = match primitive.indices() {
        None => (0..count).collect(),
        Some(accessor) => {
            if accessor.dimensions() != Dimensions::Scalar {
                return Err(format!("accessor {}: indices are no scalars", accessor.index()));
            }
            let mut corners = Vec::new();
            for bytes in elements(&accessor, buffers)? {
                let index = match accessor.data_type() {
                    DataType::U8 => u32::from(bytes[0]),
                    DataType::U16 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
                    DataType::U32 => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
                    _ => return Err(format!("accessor {}: indices are no unsigned integers", accessor.index())),
                };
                if index >= count {
                    return Err(format!("accessor {}: vertex {index} of {count}", accessor.index()));
                }
                corners.push(index);
            }
            corners
        }
    };
    let triangles = match primitive.mode() {
        Mode::Triangles => corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        Mode::TriangleFan => corners.windows(2).skip(1).map(|t| [corners[0], t[0], t[1]]).collect(),
        Mode::TriangleStrip => corners
            .windows(3)
            .enumerate()
            .map(|(k, t)| if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] })
            .collect(),
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => Vec::new(),
    };
    Ok((positions, triangles))
}

/// The bytes of each of an accessor's elements, all of them checked to be there.
fn elements<'a>(accessor: &Accessor, buffers: &'a [Vec<u8>]) -> Result<impl Iterator<Item = &'a [u8]>, String> {
    let within = |message: &str| format!("accessor {}: {message}", accessor.index());
    if accessor.sparse().is_some() {
        return Err(within("sparse accessors are not supported"));
    }
    let view = accessor.view().ok_or_else(|| within("no buffer view"))?;
    let buffer = buffers.get(view.buffer().index()).ok_or_else(|| within("no such buffer"))?;
    let end = view.offset().checked_add(view.length()).filter(|&end| end <= buffer.len());
    let bytes = &buffer[view.offset()..end.ok_or_else(|| within("its view runs over the buffer's end"))?];
    let (size, count) = (accessor.size(), accessor.count());
    let stride = view.stride().unwrap_or(size).max(1);
    let needed = count.checked_sub(1).and_then(|n| n.checked_mul(stride)).and_then(|n| n.checked_add(size));
    let needed = needed.and_then(|n| n.checked_add(accessor.offset()));
    if count > 0 && needed.is_none_or(|needed| needed > bytes.len()) {
        return Err(within("it runs over the end of its view"));
    }
    let bytes = bytes.get(accessor.offset()..).unwrap_or_default();
    Ok((0..count).map(move |k| &bytes[k * stride..k * stride + size]))
}

/// Bytes of a `data:` URI, or of a file in the same folder or below.
fn read_uri(name: &Path, uri: &str) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        use base64::Engine;
        let (_, encoded) = data.split_once(";base64,").ok_or("a data: URI that is not base64")?;
        return base64::engine::general_purpose::STANDARD.decode(encoded).map_err(|error| error.to_string());
    }
    let path = Path::new(uri);
    if uri.contains(':') || !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(format!("{uri:?} is not a file in the same folder"));
    }
    let path = name.parent().unwrap_or(Path::new("")).join(path);
    std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
