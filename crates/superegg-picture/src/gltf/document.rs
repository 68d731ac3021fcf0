//! A film as the two parts of a glTF file: a description in JSON and the bytes that it points into.

use glam::{DMat3, DQuat, DVec3, Vec3};
use serde_json::{Value, json};

use super::{Actor, Course, Film};
use crate::{Camera, Mesh, Paint};

pub(super) const FLOAT: u32 = 5126;
pub(super) const UNSIGNED_INT: u32 = 5125;
const UNSIGNED_BYTE: u32 = 5121;
pub(super) const ARRAY_BUFFER: u32 = 34962;
pub(super) const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const NEAREST: u32 = 9728;
const LINEAR_MIPMAP_LINEAR: u32 = 9987;

/// Bytes so far, and the views and accessors that name them.
#[derive(Default)]
pub(super) struct Store {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Store {
    /// Adds bytes; the index of the view on them.
    pub fn view(&mut self, bytes: impl IntoIterator<Item = u8>, target: Option<u32>) -> usize {
        // Numbers of four bytes have to start at whole words.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({"buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start});
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.views.len() - 1
    }

    pub fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Tuples of floats, one type of glTF's for each size.
    pub fn floats<const N: usize>(&mut self, values: &[[f32; N]], target: Option<u32>) -> usize {
        let view = self.view(values.iter().flatten().flat_map(|value| value.to_le_bytes()), target);
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][N];
        self.accessor(json!({"bufferView": view, "componentType": FLOAT, "count": values.len(), "type": kind}))
    }

    /// The same with the bounds that glTF demands of positions and times.
    pub fn bounded<const N: usize>(&mut self, values: &[[f32; N]], target: Option<u32>) -> usize {
        let index = self.floats(values, target);
        let fold = |start: f32, of: fn(f32, f32) -> f32| {
            let bounds: [f32; N] =
                std::array::from_fn(|i| values.iter().fold(start, |bound, value| of(bound, value[i])));
            bounds.to_vec()
        };
        self.accessors[index]["min"] = json!(fold(f32::INFINITY, f32::min));
        self.accessors[index]["max"] = json!(fold(f32::NEG_INFINITY, f32::max));
        index
    }
}

/// Unit normals of vertices, each the sum of its triangles' weighted by their areas.
pub(crate) fn normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for &corners in triangles {
        let [a, b, c] = corners.map(|v| positions[v as usize].as_dvec3());
        let across = (b - a).cross(c - a);
        for v in corners {
            sums[v as usize] += across;
        }
    }
    sums.iter().map(|sum| sum.normalize_or(DVec3::Z).as_vec3().to_array()).collect()
}

pub(super) fn arrays(places: &[Vec3]) -> Vec<[f32; 3]> {
    places.iter().map(|p| p.to_array()).collect()
}

/// Everything but the bytes.
#[derive(Default)]
struct Lists {
    materials: Vec<Value>,
    textures: Vec<Value>,
    images: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

/// The description of a film and its bytes.
pub(super) fn document(film: &Film) -> (Vec<u8>, Vec<u8>) {
    let mut store = Store::default();
    let mut lists = Lists::default();
    let times: Vec<[f32; 1]> = film.times.iter().map(|&time| [time]).collect();
    let clock = if times.len() > 1 { Some(store.bounded(&times, None)) } else { None };
    let shared: Vec<usize> = film.meshes.iter().map(|mesh| add_mesh(mesh, &[], &mut store, &mut lists)).collect();
    for actor in &film.actors {
        add_actor(actor, &shared, clock, &mut store, &mut lists);
    }
    let mut children: Vec<usize> = (0..lists.nodes.len()).collect();
    let mut file = json!({
        "asset": {"version": "2.0", "generator": "Superegg"},
        "scene": 0,
    });
    if let Some(camera) = &film.camera {
        let turned = looking(camera).as_quat().to_array();
        let height = camera.field_of_view.clamp(1.0, 170.0).to_radians();
        let far = camera.eye.distance(camera.target).max(1e-3);
        file["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": height, "znear": 0.01 * far}}]);
        let place = camera.eye.as_vec3().to_array();
        lists.nodes.push(json!({"name": "camera", "camera": 0, "translation": place, "rotation": turned}));
        children.push(lists.nodes.len() - 1);
    }
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut root = json!({"name": film.name, "rotation": [-half, 0.0, 0.0, half]});
    if !children.is_empty() {
        root["children"] = json!(children);
    }
    lists.nodes.push(root);
    file["scenes"] = json!([{"name": film.name, "nodes": [lists.nodes.len() - 1]}]);
    if !lists.channels.is_empty() {
        file["animations"] = json!([{"name": film.name, "samplers": lists.samplers, "channels": lists.channels}]);
    }
    if !lists.textures.is_empty() {
        file["samplers"] = json!([{"magFilter": NEAREST, "minFilter": LINEAR_MIPMAP_LINEAR}]);
    }
    if !store.bytes.is_empty() {
        file["buffers"] = json!([{"byteLength": store.bytes.len()}]);
    }
    for (key, list) in [
        ("nodes", lists.nodes),
        ("meshes", lists.meshes),
        ("materials", lists.materials),
        ("textures", lists.textures),
        ("images", lists.images),
        ("accessors", store.accessors),
        ("bufferViews", store.views),
    ] {
        // The format allows no empty lists.
        if !list.is_empty() {
            file[key] = list.into();
        }
    }
    (file.to_string().into_bytes(), store.bytes)
}

/// The rotation of a camera that looks along its own -z, with its y as far up as that allows.
fn looking(camera: &Camera) -> DQuat {
    let back = (camera.eye - camera.target).normalize_or(DVec3::Z);
    let right = DVec3::Z.cross(back).normalize_or(DVec3::X);
    DQuat::from_mat3(&DMat3::from_cols(right, back.cross(right), back))
}

/// A mesh with a morph target for each shape; its index.
fn add_mesh(mesh: &Mesh, shapes: &[Vec<Vec3>], store: &mut Store, lists: &mut Lists) -> usize {
    let (first, others) = match shapes.split_first() {
        Some((first, others)) => (first.clone(), others),
        None => (mesh.positions.iter().map(|p| p.as_vec3()).collect(), &[][..]),
    };
    let upright = normals(&first, &mesh.triangles);
    let mut attributes = json!({
        "POSITION": store.bounded(&arrays(&first), Some(ARRAY_BUFFER)),
        "NORMAL": store.floats(&upright, Some(ARRAY_BUFFER)),
    });
    let corners = mesh.triangles.iter().flatten();
    let view = store.view(corners.flat_map(|v| v.to_le_bytes()), Some(ELEMENT_ARRAY_BUFFER));
    let count = 3 * mesh.triangles.len();
    let indices =
        store.accessor(json!({"bufferView": view, "componentType": UNSIGNED_INT, "count": count, "type": "SCALAR"}));
    if let Paint::Gingham { coordinates, .. } = &mesh.paint {
        // The picture of the weave is two squares wide.
        let halves: Vec<[f32; 2]> = coordinates.iter().map(|place| place.map(|c| 0.5 * c)).collect();
        attributes["TEXCOORD_0"] = store.floats(&halves, Some(ARRAY_BUFFER)).into();
    }
    let mut targets = Vec::new();
    for shape in others {
        let moved: Vec<[f32; 3]> = shape.iter().zip(&first).map(|(p, q)| (p - q).to_array()).collect();
        let turned = normals(shape, &mesh.triangles);
        let turned: Vec<[f32; 3]> = turned.iter().zip(&upright).map(|(n, m)| [0, 1, 2].map(|i| n[i] - m[i])).collect();
        targets.push(json!({
            "POSITION": store.bounded(&moved, Some(ARRAY_BUFFER)),
            "NORMAL": store.floats(&turned, Some(ARRAY_BUFFER)),
        }));
    }
    let material = add_material(&mesh.paint, store, lists);
    let mut primitive = json!({"attributes": attributes, "indices": indices, "material": material});
    let mut whole = json!({});
    if !targets.is_empty() {
        whole["weights"] = json!(vec![0.0; targets.len()]);
        primitive["targets"] = targets.into();
    }
    whole["primitives"] = json!([primitive]);
    lists.meshes.push(whole);
    lists.meshes.len() - 1
}

fn add_material(paint: &Paint, store: &mut Store, lists: &mut Lists) -> usize {
    let mut surface = json!({"metallicFactor": 0.0, "roughnessFactor": 0.8});
    match paint {
        Paint::Plain([r, g, b]) | Paint::Floor([r, g, b]) => surface["baseColorFactor"] = json!([r, g, b, 1.0]),
        Paint::Gingham { light, dark, .. } => {
            let view = store.view(weave(light, dark), None);
            lists.images.push(json!({"bufferView": view, "mimeType": "image/png"}));
            lists.textures.push(json!({"sampler": 0, "source": lists.images.len() - 1}));
            surface["baseColorTexture"] = json!({"index": lists.textures.len() - 1});
        }
    }
    lists.materials.push(json!({"pbrMetallicRoughness": surface, "doubleSided": true}));
    lists.materials.len() - 1
}

/// A picture of two by two pixels: both stripes, one, the other, none.
fn weave(light: &[f32; 3], dark: &[f32; 3]) -> Vec<u8> {
    let encoded = |linear: f32| {
        let value = linear.clamp(0.0, 1.0);
        let bent = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (255.0 * bent).round() as u8
    };
    let pixel = |part: f32| [0, 1, 2].map(|i| encoded(light[i] + (dark[i] - light[i]) * part));
    let pixels: Vec<u8> = [1.0, 0.5, 0.5, 0.0].into_iter().flat_map(pixel).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 2, 2);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
    // Twelve bytes of a fitting size into memory: nothing that can fail.
    written.expect("a picture of four pixels");
    file
}

fn add_actor(actor: &Actor, shared: &[usize], clock: Option<usize>, store: &mut Store, lists: &mut Lists) {
    let node = lists.nodes.len();
    let mut animate = |path: &str, output: usize, clock: usize| {
        lists.samplers.push(json!({"input": clock, "output": output, "interpolation": "LINEAR"}));
        let target = json!({"node": node, "path": path});
        lists.channels.push(json!({"sampler": lists.samplers.len() - 1, "target": target}));
    };
    match &actor.course {
        Course::Rigid(mesh, places) => {
            let (place, turn) = places.first().copied().unwrap_or((Vec3::ZERO, [0.0, 0.0, 0.0, 1.0]));
            if let Some(clock) = clock {
                if places.iter().any(|(other, _)| *other != place) {
                    let values: Vec<[f32; 3]> = places.iter().map(|(p, _)| p.to_array()).collect();
                    animate("translation", store.floats(&values, None), clock);
                }
                if places.iter().any(|(_, other)| *other != turn) {
                    let values: Vec<[f32; 4]> = places.iter().map(|(_, q)| *q).collect();
                    animate("rotation", store.floats(&values, None), clock);
                }
            }
            let mesh = shared[*mesh];
            let place = place.to_array();
            lists.nodes.push(json!({"name": actor.name, "mesh": mesh, "translation": place, "rotation": turn}));
        }
        Course::Soft(mesh, shapes) => {
            if let Some(clock) = clock {
                // Row i has a 1 for target i - 1, the first row none: bytes will do.
                let targets = shapes.len() - 1;
                let weights = (0..shapes.len() * targets).map(|k| if k / targets == k % targets + 1 { 255 } else { 0 });
                let view = store.view(weights, None);
                let weights = store.accessor(json!({
                    "bufferView": view, "componentType": UNSIGNED_BYTE, "normalized": true,
                    "count": shapes.len() * targets, "type": "SCALAR",
                }));
                animate("weights", weights, clock);
            }
            let mesh = add_mesh(mesh, shapes, store, lists);
            lists.nodes.push(json!({"name": actor.name, "mesh": mesh}));
        }
    }
}
