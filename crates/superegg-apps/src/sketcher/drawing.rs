//! What strokes do to a creature (paper 001, section 4.1): bones that snap, weld and branch; bones that are split or taken away; hitboxes
//! where ellipses are drawn. In mirror mode the same happens on the other side of the plane x = 0.

use glam::{DQuat, DVec2, DVec3};

use super::articulation::{ball, frame, mirrored, mirrored_frame};
use super::ellipse::{Ellipse, recognise};
use super::messages::{Bone, Creature, Hitbox, Joint, Stroke};
use super::stroke::corners;
use super::tree::{Tree, index_of, orient, positions, segments};
use crate::wire::Refusal;

/// Mirror images are this close to each other, in metres.
const SAME: f64 = 1e-6;
/// A bone is split no nearer to its ends than this part of it.
const NEAREST_SPLIT: f64 = 0.08;
/// Depth of a new hitbox across the view, in parts of its thickness in the view.
const DEPTH: f64 = 1.0;

/// A creature after what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// None if nothing came of it.
    pub creature: Option<Creature>,
    /// Hitboxes that are new.
    pub hitboxes: Vec<u32>,
    /// What to say about it.
    pub hint: Option<String>,
}

impl Drawn {
    fn nothing(hint: &str) -> Drawn {
        Drawn { creature: None, hitboxes: vec![], hint: Some(hint.to_owned()) }
    }

    fn made(creature: Creature) -> Drawn {
        Drawn { creature: Some(creature), hitboxes: vec![], hint: None }
    }
}

/// How a stroke was looked at.
#[derive(Clone, Copy)]
pub struct View {
    right: DVec3,
    up: DVec3,
    toward: DVec3,
}

impl View {
    /// Of a stroke with two unit vectors across each other.
    pub fn of(stroke: &Stroke) -> Result<View, Refusal> {
        let (right, up) = (DVec3::from_array(stroke.right), DVec3::from_array(stroke.up));
        let sound =
            (right.length() - 1.0).abs() < 1e-3 && (up.length() - 1.0).abs() < 1e-3 && right.dot(up).abs() < 1e-3;
        if !sound {
            return Err(Refusal::at("stroke.up", "right and up are unit vectors across each other"));
        }
        if !(stroke.reach > 0.0 && stroke.reach < 1e3) {
            return Err(Refusal::at("stroke.reach", "a reach is in ]0, 1000[ metres"));
        }
        let (right, up) = (right.normalize(), up.reject_from(right).normalize());
        Ok(View { right, up, toward: right.cross(up) })
    }

    /// Where a place is seen.
    pub fn seen(&self, at: DVec3) -> DVec2 {
        DVec2::new(at.dot(self.right), at.dot(self.up))
    }

    /// How near to the eye a place is.
    pub fn depth(&self, at: DVec3) -> f64 {
        at.dot(self.toward)
    }

    /// The place that is seen somewhere, at a depth.
    pub fn place(&self, seen: DVec2, depth: f64) -> DVec3 {
        self.right * seen.x + self.up * seen.y + self.toward * depth
    }
}

/// The points of a stroke.
pub fn points(stroke: &Stroke) -> Vec<DVec2> {
    stroke.points.iter().map(|point| DVec2::from_array(*point)).collect()
}

/// A number that none has.
fn fresh(ids: impl Iterator<Item = u32>) -> u32 {
    ids.max().map_or(1, |most| most + 1)
}

fn add_joint(creature: &mut Creature, at: DVec3) -> u32 {
    let id = fresh(creature.joints.iter().map(|joint| joint.id));
    creature.joints.push(Joint { id, position: at.to_array() });
    id
}

/// The joint at a place.
fn joint_at(creature: &Creature, at: DVec3) -> Option<u32> {
    creature.joints.iter().find(|joint| DVec3::from_array(joint.position).distance(at) < SAME).map(|joint| joint.id)
}

fn mirror_image(at: DVec3) -> DVec3 {
    DVec3::new(-at.x, at.y, at.z)
}

/// The bone on the other side; none for one that lies in the plane.
fn other_bone(creature: &Creature, index: usize) -> Option<usize> {
    let segments = segments(creature);
    let [from, to] = segments[index].map(mirror_image);
    let same = |[a, b]: &[DVec3; 2]| a.distance(from) < SAME && b.distance(to) < SAME;
    segments.iter().position(|segment| same(segment) || same(&[segment[1], segment[0]])).filter(|&other| other != index)
}

/// Whether a joint's tree is among those that a chain is part of already.
struct Trees(std::collections::BTreeMap<u32, u32>);

impl Trees {
    /// Joints by the least joint that each hangs together with.
    fn of(creature: &Creature) -> Trees {
        let mut least: std::collections::BTreeMap<u32, u32> =
            creature.joints.iter().map(|joint| (joint.id, joint.id)).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for bone in &creature.bones {
                let (a, b) = (least[&bone.from], least[&bone.to]);
                if a != b {
                    least.insert(bone.from, a.min(b));
                    least.insert(bone.to, a.min(b));
                    changed = true;
                }
            }
        }
        Trees(least)
    }

    fn of_joint(&self, joint: u32) -> u32 {
        self.0.get(&joint).copied().unwrap_or(joint)
    }
}

/// The nearest joint that is seen within a finger's reach.
fn joint_seen(creature: &Creature, view: &View, at: DVec2, reach: f64) -> Option<u32> {
    let far = |joint: &Joint| view.seen(DVec3::from_array(joint.position)).distance(at);
    let nearest = creature.joints.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
    (far(nearest) <= reach).then_some(nearest.id)
}

/// The nearest bone that is seen within a finger's reach, and where along it.
fn bone_seen(creature: &Creature, view: &View, at: DVec2, reach: f64) -> Option<(usize, f64)> {
    let found = segments(creature).into_iter().enumerate().map(|(index, [a, b])| {
        let (from, way) = (view.seen(a), view.seen(b) - view.seen(a));
        let part = if way.length_squared() > 0.0 {
            ((at - from).dot(way) / way.length_squared()).clamp(0.0, 1.0)
        } else {
            0.5
        };
        (index, part, (from + way * part).distance(at))
    });
    let (index, part, far) = found.min_by(|a, b| a.2.total_cmp(&b.2))?;
    (far <= reach).then_some((index, part))
}

/// The creature with a stroke as a chain of bones.
pub fn bones(creature: &Creature, stroke: &Stroke) -> Result<Drawn, Refusal> {
    let view = View::of(stroke)?;
    let Some(corners) = corners(&points(stroke), stroke.reach) else {
        return Ok(Drawn::nothing("That is too short for a bone. Draw a line."));
    };
    let mut made = creature.clone();
    let mut hint = None;
    // What each corner is welded to. A chain meets every tree once: it would close a ring otherwise.
    let mut met = vec![];
    let mut welds: Vec<Option<u32>> = vec![None; corners.len()];
    let last = corners.len() - 1;
    for at in [0, last].into_iter().chain(1..last) {
        let joint = match joint_seen(&made, &view, corners[at], stroke.reach) {
            Some(joint) => Some(joint),
            None if at == 0 || at == last => {
                let seen = bone_seen(&made, &view, corners[at], 0.7 * stroke.reach);
                seen.and_then(|(bone, part)| split_at(&mut made, bone, part))
            }
            None => None,
        };
        let Some(joint) = joint else { continue };
        let tree = Trees::of(&made).of_joint(joint);
        if met.contains(&tree) {
            hint = Some("Bones cannot make a ring: one end stays free.".to_owned());
        } else {
            met.push(tree);
            welds[at] = Some(joint);
        }
    }
    let chain = placed(&mut made, &view, &corners, &welds, stroke.reach);
    add_chain(&mut made, &chain, view.toward);
    if !orient(&mut made.bones) {
        return Ok(Drawn::nothing("Bones cannot make a ring."));
    }
    if made.mirror {
        mirror_chain(&mut made, &chain);
    }
    Ok(Drawn { hint, ..Drawn::made(made) })
}

/// The joints of a chain: welded ones, and new ones at the depth of what they hang on or are near to.
fn placed(made: &mut Creature, view: &View, corners: &[DVec2], welds: &[Option<u32>], reach: f64) -> Vec<u32> {
    let at = positions(made);
    let known: Vec<(usize, f64)> =
        welds.iter().enumerate().filter_map(|(k, weld)| Some((k, view.depth(*at.get(&(*weld)?)?)))).collect();
    let nearest = |corner: DVec2| {
        let joints = made.joints.iter().map(|joint| DVec3::from_array(joint.position));
        joints.min_by(|a, b| view.seen(*a).distance(corner).total_cmp(&view.seen(*b).distance(corner)))
    };
    let alone = nearest(corners[0]).map_or(0.0, |joint| view.depth(joint));
    let depth = |k: usize| {
        let before = known.iter().rev().find(|(other, _)| *other <= k);
        let after = known.iter().find(|(other, _)| *other >= k);
        match (before, after) {
            (Some((i, a)), Some((j, b))) if j > i => a + (b - a) * (k - i) as f64 / (j - i) as f64,
            (Some((_, depth)), _) | (None, Some((_, depth))) => *depth,
            (None, None) => alone,
        }
    };
    let places: Vec<DVec3> = (0..corners.len())
        .map(|k| {
            let place = view.place(corners[k], depth(k));
            // What is meant for the plane of the mirror lies in it.
            if made.mirror && place.x.abs() < reach { place.with_x(0.0) } else { place }
        })
        .collect();
    let joint = |(k, place): (usize, DVec3), made: &mut Creature| welds[k].unwrap_or_else(|| add_joint(made, place));
    places.into_iter().enumerate().map(|pair| joint(pair, made)).collect()
}

fn add_bone(creature: &mut Creature, name: Option<String>, from: u32, to: u32, toward: DVec3) -> Option<usize> {
    let at = positions(creature);
    let along = *at.get(&to)? - *at.get(&from)?;
    if from == to || along.length() < SAME {
        return None;
    }
    let id = fresh(creature.bones.iter().map(|bone| bone.id));
    let name = name
        .filter(|name| creature.bones.iter().all(|bone| bone.name != *name))
        .unwrap_or_else(|| free_name(creature, id));
    creature.bones.push(Bone { id, name, from, to, articulation: ball(along, toward) });
    Some(creature.bones.len() - 1)
}

/// A name that no bone has.
fn free_name(creature: &Creature, id: u32) -> String {
    let name = |number: u32| format!("bone_{number}");
    let taken = |number: u32| creature.bones.iter().any(|bone| bone.name == name(number));
    name((id..).find(|number| !taken(*number)).unwrap_or(id))
}

fn add_chain(creature: &mut Creature, chain: &[u32], toward: DVec3) {
    for pair in chain.windows(2) {
        add_bone(creature, None, pair[0], pair[1], toward);
    }
}

/// The mirror images of a chain's bones.
fn mirror_chain(creature: &mut Creature, chain: &[u32]) {
    let pairs: Vec<[u32; 2]> = chain.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    for ends in pairs {
        let drawn = creature.bones.iter().position(|bone| ends == [bone.from, bone.to] || ends == [bone.to, bone.from]);
        let Some(drawn) = drawn else { continue };
        let images = [creature.bones[drawn].from, creature.bones[drawn].to].map(|joint| {
            let image = mirror_image(positions(creature).get(&joint).copied().unwrap_or_default());
            joint_at(creature, image).unwrap_or_else(|| add_joint(creature, image))
        });
        let bone = &creature.bones[drawn];
        if images == [bone.from, bone.to] || other_bone(creature, drawn).is_some() {
            continue;
        }
        let articulation = mirrored(&bone.articulation);
        let side = |at: DVec3| if at.x > 0.0 { "left" } else { "right" };
        let [from, to] = segments(creature)[drawn];
        let middle = from.midpoint(to);
        let stem = bone.name.clone();
        let Some(made) =
            add_bone(creature, Some(format!("{stem}_{}", side(mirror_image(middle)))), images[0], images[1], DVec3::X)
        else {
            continue;
        };
        creature.bones[made].articulation = articulation;
        let name = format!("{stem}_{}", side(middle));
        if creature.bones.iter().all(|bone| bone.name != name) {
            creature.bones[drawn].name = name;
        }
        // What would close a ring over the plane is left out.
        if !orient(&mut creature.bones) {
            creature.bones.remove(made);
        }
    }
    drop_lone_joints(creature);
}

/// Cuts a bone at a part of its length; the joint there.
fn split_at(creature: &mut Creature, index: usize, part: f64) -> Option<u32> {
    let [from, to] = *segments(creature).get(index)?;
    let place = from.lerp(to, part.clamp(NEAREST_SPLIT, 1.0 - NEAREST_SPLIT));
    let joint = add_joint(creature, place);
    let bone = creature.bones[index].clone();
    let id = fresh(creature.bones.iter().map(|bone| bone.id));
    let name = free_name(creature, id);
    let outer = Bone { id, name, from: joint, to: bone.to, articulation: bone.articulation };
    creature.bones[index].to = joint;
    creature.bones.push(outer);
    // Hitboxes stay where they are, on the half that they are on.
    for hitbox in creature.hitboxes.iter_mut().filter(|hitbox| hitbox.bone == bone.id) {
        if (DVec3::from_array(hitbox.position) - place).dot(to - from) > 0.0 {
            hitbox.bone = id;
        }
    }
    Some(joint)
}

/// The creature with a bone in two, and its mirror image too.
pub fn split(creature: &Creature, bone: u32, at: DVec3) -> Result<Drawn, Refusal> {
    let unknown = || Refusal::at("split.bone", format!("there is no bone {bone}"));
    let index = index_of(creature, bone).ok_or_else(unknown)?;
    let [from, to] = segments(creature)[index];
    let part = (at - from).dot(to - from) / (to - from).length_squared().max(f64::MIN_POSITIVE);
    let mut made = creature.clone();
    let other = if creature.mirror { other_bone(creature, index) } else { None };
    split_at(&mut made, index, part);
    if let Some(other) = other {
        let turned = segments(creature)[other][0].distance(mirror_image(from)) > SAME;
        split_at(&mut made, other, if turned { 1.0 - part } else { part });
    }
    orient(&mut made.bones);
    Ok(Drawn::made(made))
}

/// The creature without some joints and bones, and without their mirror images.
pub fn remove(creature: &Creature, joints: &[u32], bones: &[u32]) -> Drawn {
    let gone = |bone: &Bone| bones.contains(&bone.id) || joints.contains(&bone.from) || joints.contains(&bone.to);
    let mut indices: Vec<usize> = (0..creature.bones.len()).filter(|&index| gone(&creature.bones[index])).collect();
    if creature.mirror {
        let others: Vec<usize> = indices.iter().filter_map(|&index| other_bone(creature, index)).collect();
        indices.extend(others);
    }
    let ids: Vec<u32> = indices.iter().map(|&index| creature.bones[index].id).collect();
    let mut made = creature.clone();
    made.bones.retain(|bone| !ids.contains(&bone.id));
    made.hitboxes.retain(|hitbox| !ids.contains(&hitbox.bone));
    made.stance.turns.retain(|turn| !ids.contains(&turn.bone));
    for key in &mut made.keys {
        key.stance.turns.retain(|turn| !ids.contains(&turn.bone));
    }
    for mesh in &mut made.meshes {
        mesh.bone = mesh.bone.filter(|bone| !ids.contains(bone));
    }
    drop_lone_joints(&mut made);
    orient(&mut made.bones);
    Drawn::made(made)
}

/// Joints are ends of bones: others are forgotten.
fn drop_lone_joints(creature: &mut Creature) {
    let bones = &creature.bones;
    creature.joints.retain(|joint| bones.iter().any(|bone| bone.from == joint.id || bone.to == joint.id));
}

/// The creature with a hitbox where an ellipse was drawn over a bone.
pub fn hitbox(creature: &Creature, stroke: &Stroke) -> Result<Drawn, Refusal> {
    let view = View::of(stroke)?;
    let ellipse = match recognise(&points(stroke), stroke.reach) {
        Ok(ellipse) => ellipse,
        Err(hint) => return Ok(Drawn::nothing(hint)),
    };
    let Some(index) = bone_under(creature, &view, &ellipse) else {
        return Ok(Drawn::nothing("Draw the ellipse over a bone: that is what it becomes a part of."));
    };
    let mut made = creature.clone();
    let mut hitbox = over_bone(&segments(creature)[index], &view, &ellipse);
    hitbox.bone = creature.bones[index].id;
    let mut ids = vec![add_hitbox(&mut made, hitbox)];
    let lies_in_plane =
        hitbox.position[0].abs() < stroke.reach && segments(creature)[index].iter().all(|at| at.x.abs() < SAME);
    if creature.mirror && lies_in_plane {
        if let Some(own) = made.hitboxes.last_mut() {
            own.position[0] = 0.0;
        }
    } else if let (true, Some(other)) = (creature.mirror, other_bone(creature, index)) {
        ids.push(add_hitbox(&mut made, mirrored_hitbox(&hitbox, creature.bones[other].id)));
    }
    Ok(Drawn { hitboxes: ids, ..Drawn::made(made) })
}

pub fn add_hitbox(creature: &mut Creature, hitbox: Hitbox) -> u32 {
    let id = fresh(creature.hitboxes.iter().map(|hitbox| hitbox.id));
    creature.hitboxes.push(Hitbox { id, ..hitbox });
    id
}

/// The same on a bone on the other side.
pub fn mirrored_hitbox(hitbox: &Hitbox, bone: u32) -> Hitbox {
    Hitbox {
        bone,
        position: mirror_image(DVec3::from_array(hitbox.position)).to_array(),
        orientation: mirrored_frame(DQuat::from_array(hitbox.orientation)).to_array(),
        ..*hitbox
    }
}

/// The bone of which most is seen in an ellipse, or that passes through it.
fn bone_under(creature: &Creature, view: &View, ellipse: &Ellipse) -> Option<usize> {
    const STEPS: u32 = 32;
    let covered = |[from, to]: [DVec3; 2]| {
        let (a, b) = (view.seen(from), view.seen(to));
        let inside = (0..=STEPS).filter(|k| {
            let part = f64::from(*k) / f64::from(STEPS);
            let local = DVec2::from_angle(-ellipse.tilt).rotate(a.lerp(b, part) - ellipse.center);
            (local / DVec2::from_array(ellipse.radii)).length() < 1.0
        });
        // A bone that is seen from its end counts, too.
        inside.count() as f64 * (a.distance(b) + 0.05 * from.distance(to))
    };
    let found = segments(creature).into_iter().map(covered).enumerate();
    let (index, most) = found.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (most > 0.0).then_some(index)
}

/// A superellipsoid that is seen as an ellipse and lies at the depth of a bone, with its z along it.
fn over_bone(segment: &[DVec3; 2], view: &View, ellipse: &Ellipse) -> Hitbox {
    let [from, to] = *segment;
    let (a, b) = (view.seen(from), view.seen(to));
    let way = b - a;
    let part = if way.length_squared() > 0.0 {
        ((ellipse.center - a).dot(way) / way.length_squared()).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let center = view.place(ellipse.center, view.depth(from.lerp(to, part)));
    let [long, short] = ellipse.radii;
    let axis = |angle: f64| view.place(DVec2::from_angle(angle), 0.0);
    let (along_long, along_short) = (axis(ellipse.tilt), axis(ellipse.tilt + std::f64::consts::FRAC_PI_2));
    let bone = (to - from).normalize_or(view.toward);
    let (orientation, radii) = if way.length() < 0.35 * from.distance(to) {
        // Seen from its end: the ellipse is the cross-section.
        let z = if bone.dot(view.toward) < 0.0 { -view.toward } else { view.toward };
        (frame(z, along_long), [long, short, 0.5 * from.distance(to)])
    } else {
        let (axis, along, across) = if bone.dot(along_long).abs() >= bone.dot(along_short).abs() {
            (along_long, long, short)
        } else {
            (along_short, short, long)
        };
        let z = if axis.dot(bone) < 0.0 { -axis } else { axis };
        (frame(z, view.toward), [DEPTH * across, across, along])
    };
    Hitbox {
        id: 0,
        bone: 0,
        position: center.to_array(),
        orientation: orientation.to_array(),
        radii,
        exponents: [1.0, 1.0],
        taper: [0.0, 0.0],
    }
}

/// The bones on the way from one joint to another, by their places in the list.
pub fn chain_between(creature: &Creature, from: u32, to: u32) -> Vec<usize> {
    let Ok(tree) = Tree::of(&creature.bones) else { return vec![] };
    let upward = |joint: u32| -> Vec<usize> {
        let first = creature.bones.iter().position(|bone| bone.to == joint);
        std::iter::successors(first, |&index| {
            tree.parents[index].filter(|&parent| creature.bones[parent].to == creature.bones[index].from)
        })
        .collect()
    };
    let (up, down) = (upward(from), upward(to));
    let mut chain: Vec<usize> = up.iter().copied().filter(|bone| !down.contains(bone)).collect();
    chain.extend(down.iter().rev().filter(|bone| !up.contains(bone)));
    chain
}
