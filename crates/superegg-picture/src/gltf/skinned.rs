//! A rig as the two parts of a glTF file: nodes as joints, one skin over all of them, an animation of their places.

use glam::{DMat4, Vec3};
use serde_json::{Value, json};
use superegg::Pose;

use super::document::{ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, FLOAT, Store, UNSIGNED_INT, arrays, normals};
use crate::rig::Rig;

const UNSIGNED_SHORT: u32 = 5123;

fn local(pose: &Pose) -> ([f32; 3], [f32; 4]) {
    (pose.translation.as_vec3().to_array(), pose.rotation.normalize().as_quat().to_array())
}

/// The description of a rig and its bytes.
pub(crate) fn document(rig: &Rig) -> (Vec<u8>, Vec<u8>) {
    let mut store = Store::default();
    let count = rig.bones.len();
    let mut nodes: Vec<Value> = vec![];
    for (index, bone) in rig.bones.iter().enumerate() {
        let (translation, rotation) = local(&rig.local(index, &rig.rest()));
        let children: Vec<usize> = (0..count).filter(|&other| rig.bones[other].parent == Some(index)).collect();
        let mut node = json!({"name": bone.name, "translation": translation, "rotation": rotation});
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
    }
    let mesh = skin_mesh(rig, &mut store);
    nodes.push(json!({"name": format!("{} skin", rig.name), "mesh": 0, "skin": 0}));
    let roots: Vec<usize> = (0..count).filter(|&index| rig.bones[index].parent.is_none()).chain([count]).collect();
    // glTF has y up.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    nodes.push(json!({"name": rig.name, "rotation": [-half, 0.0, 0.0, half], "children": roots}));
    let inverse: Vec<f32> =
        rig.bones.iter().flat_map(|bone| matrix(&bone.rest.inverse()).as_mat4().to_cols_array()).collect();
    let view = store.view(inverse.iter().flat_map(|value| value.to_le_bytes()), None);
    let inverse = store.accessor(json!({"bufferView": view, "componentType": FLOAT, "count": count, "type": "MAT4"}));
    let mut file = json!({
        "asset": {"version": "2.0", "generator": "Superegg"},
        "scene": 0,
        "scenes": [{"name": rig.name, "nodes": [nodes.len() - 1]}],
        "nodes": nodes,
        "meshes": [mesh],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.75, 0.5, 0.2, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7}}],
        "skins": [{"joints": (0..count).collect::<Vec<_>>(), "inverseBindMatrices": inverse}],
    });
    if let Some(animation) = animation(rig, &mut store) {
        file["animations"] = json!([animation]);
    }
    file["accessors"] = store.accessors.into();
    file["bufferViews"] = store.views.into();
    file["buffers"] = json!([{"byteLength": store.bytes.len()}]);
    (file.to_string().into_bytes(), store.bytes)
}

fn matrix(pose: &Pose) -> DMat4 {
    DMat4::from_rotation_translation(pose.rotation.normalize(), pose.translation)
}

/// All pieces as one surface whose vertices follow a bone each.
fn skin_mesh(rig: &Rig, store: &mut Store) -> Value {
    let (mut places, mut triangles, mut joints) = (Vec::<Vec3>::new(), Vec::<[u32; 3]>::new(), Vec::<[u16; 4]>::new());
    for piece in &rig.pieces {
        let first = places.len() as u32;
        places.extend(piece.positions.iter().map(|at| at.as_vec3()));
        triangles.extend(piece.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
        joints.resize(places.len(), [piece.bone as u16, 0, 0, 0]);
    }
    let upright = normals(&places, &triangles);
    let position = store.bounded(&arrays(&places), Some(ARRAY_BUFFER));
    let normal = store.floats(&upright, Some(ARRAY_BUFFER));
    let view = store.view(joints.iter().flatten().flat_map(|joint| joint.to_le_bytes()), Some(ARRAY_BUFFER));
    let followed = store
        .accessor(json!({"bufferView": view, "componentType": UNSIGNED_SHORT, "count": joints.len(), "type": "VEC4"}));
    let weights = store.floats(&vec![[1.0f32, 0.0, 0.0, 0.0]; joints.len()], Some(ARRAY_BUFFER));
    let view =
        store.view(triangles.iter().flatten().flat_map(|corner| corner.to_le_bytes()), Some(ELEMENT_ARRAY_BUFFER));
    let indices = store.accessor(
        json!({"bufferView": view, "componentType": UNSIGNED_INT, "count": 3 * triangles.len(), "type": "SCALAR"}),
    );
    json!({"name": rig.name, "primitives": [{
        "attributes": {"POSITION": position, "NORMAL": normal, "JOINTS_0": followed, "WEIGHTS_0": weights},
        "indices": indices, "material": 0,
    }]})
}

/// The places of bones that move, at the times of the frames.
fn animation(rig: &Rig, store: &mut Store) -> Option<Value> {
    if rig.frames.len() < 2 {
        return None;
    }
    let times: Vec<[f32; 1]> = rig.frames.iter().map(|frame| [frame.time as f32]).collect();
    let clock = store.bounded(&times, None);
    let (mut samplers, mut channels) = (Vec::<Value>::new(), Vec::<Value>::new());
    for bone in 0..rig.bones.len() {
        let places: Vec<Pose> = rig.frames.iter().map(|frame| rig.local(bone, &frame.places)).collect();
        let mut add = |path: &str, output: usize| {
            samplers.push(json!({"input": clock, "output": output, "interpolation": "LINEAR"}));
            channels.push(json!({"sampler": samplers.len() - 1, "target": {"node": bone, "path": path}}));
        };
        if places.iter().any(|place| place.translation.distance(places[0].translation) > 1e-9) {
            let values: Vec<[f32; 3]> = places.iter().map(|place| place.translation.as_vec3().to_array()).collect();
            add("translation", store.floats(&values, None));
        }
        if places.iter().any(|place| place.rotation.angle_between(places[0].rotation) > 1e-9) {
            let mut turns: Vec<[f32; 4]> = vec![];
            for place in &places {
                let turn = place.rotation.normalize().as_quat();
                // Of the two quaternions of a rotation the one nearer to the last: the short way round.
                let flip = turns.last().is_some_and(|last| turn.dot(glam::Quat::from_array(*last)) < 0.0);
                turns.push(if flip { -turn } else { turn }.to_array());
            }
            add("rotation", store.floats(&turns, None));
        }
    }
    (!channels.is_empty()).then(|| json!({"name": rig.name, "samplers": samplers, "channels": channels}))
}
