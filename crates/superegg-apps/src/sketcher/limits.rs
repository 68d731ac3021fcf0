//! What a creature may hold. What is outside is refused, and the refusal names the field.

use std::collections::BTreeMap;

use glam::DVec3;

use super::messages::{Backdrop, Bone, Creature, Hitbox, Keyframe, Stance};
use super::robot::{BASE, MARK, shape_of};
use super::tree::{Tree, positions};
use crate::checks::{limit, unique, within};
use crate::wire::{Quaternion, Refusal};

pub const MOST_BONES: usize = 160;
pub const MOST_HITBOXES: usize = 320;
pub const MOST_MESHES: usize = 40;
pub const MOST_KEYS: usize = 120;
/// Seconds of an animation.
pub const LONGEST: f64 = 60.0;
pub const RADII: [f64; 2] = [1e-3, 20.0];
pub const EXPONENTS: [f64; 2] = [0.1, 1.9];
pub const TAPER: f64 = 0.9;
/// Metres from the middle.
pub const FARTHEST: f64 = 100.0;
/// Shortest bone, in metres.
pub const SHORTEST: f64 = 1e-4;
/// Bytes of a name, and of what is said about a creature.
const MOST_NAME: usize = 80;
const MOST_TEXT: usize = 400;

/// Refuses a creature that is not one.
pub fn check(creature: &Creature) -> Result<(), Refusal> {
    let Creature { name, about, joints, bones, hitboxes, meshes, stance, keys, .. } = creature;
    let lists = [
        ("bones", bones.len(), MOST_BONES),
        ("joints", joints.len(), 2 * MOST_BONES),
        ("hitboxes", hitboxes.len(), MOST_HITBOXES),
        ("meshes", meshes.len(), MOST_MESHES),
        ("keys", keys.len(), MOST_KEYS),
        ("name", name.len(), MOST_TEXT),
        ("about", about.as_ref().map_or(0, String::len), MOST_TEXT),
    ];
    if let Some((field, count, most)) = lists.into_iter().find(|(_, count, most)| count > most) {
        return Err(limit(field, format!("{count}; at most {most}")));
    }
    unique("joints", joints.iter().map(|joint| joint.id))?;
    unique("bones", bones.iter().map(|bone| bone.id))?;
    unique("hitboxes", hitboxes.iter().map(|hitbox| hitbox.id))?;
    unique("meshes", meshes.iter().map(|mesh| mesh.id))?;
    for (index, joint) in joints.iter().enumerate() {
        vector(&format!("joints[{index}].position"), &joint.position, FARTHEST)?;
    }
    let at = positions(creature);
    for (index, bone) in bones.iter().enumerate() {
        check_bone(&format!("bones[{index}]"), bone, bones, &at)?;
    }
    let tree = Tree::of(bones).map_err(|index| Refusal::at(format!("bones[{index}]"), "it closes a ring of bones"))?;
    if !tree.leads_outward() {
        return Err(Refusal::at(
            "bones",
            "each but the first leads away from those before it: from the joint where they meet",
        ));
    }
    for (index, hitbox) in hitboxes.iter().enumerate() {
        check_hitbox(&format!("hitboxes[{index}]"), hitbox, bones)?;
    }
    for (index, mesh) in meshes.iter().enumerate() {
        check_mesh(&format!("meshes[{index}]"), mesh, bones)?;
    }
    check_stance("stance", stance)?;
    check_keys(keys)
}

fn vector(field: &str, values: &[f64], most: f64) -> Result<(), Refusal> {
    let mut checked = values.iter().enumerate();
    checked.try_for_each(|(axis, value)| within(&format!("{field}[{axis}]"), *value, [-most, most]))
}

fn quaternion(field: &str, value: &Quaternion) -> Result<(), Refusal> {
    let length = value.iter().map(|part| part * part).sum::<f64>().sqrt();
    if (length - 1.0).abs() < 1e-3 { Ok(()) } else { Err(Refusal::at(field, "a rotation is a quaternion of length 1")) }
}

fn known_bone(field: &str, id: u32, bones: &[Bone]) -> Result<(), Refusal> {
    let known = bones.iter().any(|bone| bone.id == id);
    if known { Ok(()) } else { Err(Refusal::at(format!("{field}.bone"), format!("there is no bone {id}"))) }
}

fn check_bone(field: &str, bone: &Bone, bones: &[Bone], at: &BTreeMap<u32, DVec3>) -> Result<(), Refusal> {
    let Bone { name, from, to, articulation, id } = bone;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-. ".contains(c);
    let sound = !name.trim().is_empty()
        && name.len() <= MOST_NAME
        && name.chars().all(plain)
        && !name.contains(MARK)
        && name != BASE;
    if !sound {
        let words = format!(
            "{name:?} is no name of a bone: letters, digits, spaces, - and . are, single _ too; {BASE} is taken"
        );
        return Err(Refusal::at(format!("{field}.name"), words));
    }
    if bones.iter().any(|other| other.name == *name && other.id != *id) {
        return Err(Refusal::at(format!("{field}.name"), format!("two bones are called {name}")));
    }
    let end = |name: &str, joint: &u32| {
        at.get(joint).ok_or_else(|| Refusal::at(format!("{field}.{name}"), format!("there is no joint {joint}")))
    };
    let length = end("from", from)?.distance(*end("to", to)?);
    if length.is_nan() || length < SHORTEST {
        return Err(Refusal::at(field, format!("it is {length} m long; at least {SHORTEST}")));
    }
    quaternion(&format!("{field}.articulation.axes"), &articulation.axes)?;
    for (turn, [low, high]) in articulation.ranges.into_iter().enumerate() {
        let path = format!("{field}.articulation.ranges[{turn}]");
        within(&format!("{path}[0]"), low, [-std::f64::consts::TAU, 0.0])?;
        within(&format!("{path}[1]"), high, [0.0, std::f64::consts::TAU])?;
    }
    Ok(())
}

fn check_hitbox(field: &str, hitbox: &Hitbox, bones: &[Bone]) -> Result<(), Refusal> {
    known_bone(field, hitbox.bone, bones)?;
    vector(&format!("{field}.position"), &hitbox.position, 2.0 * FARTHEST)?;
    quaternion(&format!("{field}.orientation"), &hitbox.orientation)?;
    for (axis, radius) in hitbox.radii.iter().enumerate() {
        within(&format!("{field}.radii[{axis}]"), *radius, RADII)?;
    }
    for (axis, exponent) in hitbox.exponents.iter().enumerate() {
        within(&format!("{field}.exponents[{axis}]"), *exponent, EXPONENTS)?;
    }
    for (axis, taper) in hitbox.taper.iter().enumerate() {
        within(&format!("{field}.taper[{axis}]"), *taper, [-TAPER, TAPER])?;
    }
    shape_of(hitbox).map(|_| ()).map_err(|refused| Refusal::invalid(field, refused))
}

fn check_mesh(field: &str, mesh: &Backdrop, bones: &[Bone]) -> Result<(), Refusal> {
    if let Some(bone) = mesh.bone {
        known_bone(field, bone, bones)?;
    }
    if mesh.file.len() > MOST_TEXT || mesh.hash.len() > MOST_TEXT {
        return Err(limit(&format!("{field}.file"), format!("a name has at most {MOST_TEXT} bytes")));
    }
    vector(&format!("{field}.position"), &mesh.position, 2.0 * FARTHEST)?;
    quaternion(&format!("{field}.orientation"), &mesh.orientation)?;
    for (axis, scale) in mesh.scale.iter().enumerate() {
        within(&format!("{field}.scale[{axis}]"), scale.abs(), [1e-6, 1e6])?;
    }
    Ok(())
}

/// Refuses a stance that is not one. Bones that do not exist are no matter: they may have been taken away since.
pub fn check_stance(field: &str, stance: &Stance) -> Result<(), Refusal> {
    if stance.turns.len() > 2 * MOST_BONES {
        return Err(limit(&format!("{field}.turns"), format!("{}; at most {}", stance.turns.len(), 2 * MOST_BONES)));
    }
    vector(&format!("{field}.position"), &stance.position, FARTHEST)?;
    quaternion(&format!("{field}.orientation"), &stance.orientation)?;
    for (index, turn) in stance.turns.iter().enumerate() {
        vector(&format!("{field}.turns[{index}].angles"), &turn.angles, 2.0 * std::f64::consts::TAU)?;
    }
    Ok(())
}

fn check_keys(keys: &[Keyframe]) -> Result<(), Refusal> {
    for (index, key) in keys.iter().enumerate() {
        within(&format!("keys[{index}].time"), key.time, [0.0, LONGEST])?;
        check_stance(&format!("keys[{index}].stance"), &key.stance)?;
    }
    match keys.windows(2).position(|pair| pair[0].time >= pair[1].time) {
        Some(index) => {
            Err(Refusal::at(format!("keys[{}].time", index + 1), "keyframes are in order of time, no two at once"))
        }
        None => Ok(()),
    }
}
