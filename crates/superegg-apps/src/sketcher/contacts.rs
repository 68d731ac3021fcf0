//! Which bones overlap or come close, live: certified distances between the hitboxes of bones that are not neighbours.
//!
//! Balls around hitboxes come first: pairs are asked of the distance core by the distance of their balls, as long as they could be among the
//! closest that are wanted. Bones that cannot move against each other, and bones that meet at a joint, are not compared: they overlap there
//! by the way they are made.

use superegg::Pose;
use superegg::query::{Options, distance};
use superegg::shape::Shape;

use super::articulation::freedoms;
use super::messages::{Contact, Creature};
use super::robot::{pose_of, shape_of};
use super::tree::Tree;

/// Clearances that are shown are below this part of the creature's size.
const CLOSE: f64 = 0.04;

struct Ball {
    /// Place of its bone in the list.
    bone: usize,
    shape: Shape,
    rest: Pose,
    reach: f64,
}

/// What is compared.
pub struct Contacts {
    balls: Vec<Ball>,
    /// Ids of the bones.
    ids: Vec<u32>,
    /// Pairs of hitboxes.
    pairs: Vec<(u32, u32)>,
    close: f64,
}

impl Contacts {
    /// Of a creature that was checked.
    pub fn new(creature: &Creature) -> Contacts {
        let index = |id: u32| creature.bones.iter().position(|bone| bone.id == id);
        let ball = |hitbox| -> Option<Ball> {
            let shape = shape_of(hitbox).ok()?;
            Some(Ball { bone: index(hitbox.bone)?, reach: shape.reach(), rest: pose_of(hitbox), shape })
        };
        let balls: Vec<Ball> = creature.hitboxes.iter().filter_map(ball).collect();
        let apart = comparable(creature);
        let mut pairs = vec![];
        for a in 0..balls.len() {
            for b in a + 1..balls.len() {
                if apart[balls[a].bone][balls[b].bone] {
                    pairs.push((a as u32, b as u32));
                }
            }
        }
        let ids = creature.bones.iter().map(|bone| bone.id).collect();
        Contacts { balls, ids, pairs, close: CLOSE * size(creature) }
    }

    /// The closest bones of those that are close or overlap, where each was moved from rest; the deepest first, one pair of hitboxes a
    /// pair of bones.
    pub fn find(&self, places: &[Pose], most: usize) -> Vec<Contact> {
        let placed: Vec<Pose> = self.balls.iter().map(|ball| places[ball.bone].compose(&ball.rest)).collect();
        let mut near: Vec<(f64, usize, usize)> = vec![];
        for &(a, b) in &self.pairs {
            let (a, b) = (a as usize, b as usize);
            let reach = self.balls[a].reach + self.balls[b].reach;
            let apart_sq = placed[a].translation.distance_squared(placed[b].translation);
            if apart_sq <= (reach + self.close) * (reach + self.close) {
                near.push((apart_sq.sqrt() - reach, a, b));
            }
        }
        near.sort_by(|one, other| one.0.total_cmp(&other.0));
        // The closest first.
        let mut found: Vec<Contact> = vec![];
        for (least, a, b) in near {
            if most == 0 || found.len() == most && found.last().is_some_and(|last| last.distance <= least) {
                break;
            }
            let (one, other) = (&self.balls[a], &self.balls[b]);
            let Ok(outcome) = distance(&one.shape, &placed[a], &other.shape, &placed[b], &Options::DEFAULT) else {
                continue;
            };
            if outcome.distance.is_nan() || outcome.distance >= self.close {
                continue;
            }
            let bones = [self.ids[one.bone], self.ids[other.bone]];
            let points = [outcome.point_a.to_array(), outcome.point_b.to_array()];
            let same = |known: &Contact| known.bones == bones || known.bones == [bones[1], bones[0]];
            match found.iter().position(same) {
                Some(known) if found[known].distance <= outcome.distance => continue,
                Some(known) => {
                    found.remove(known);
                }
                None => {}
            }
            let place = found.partition_point(|known| known.distance <= outcome.distance);
            found.insert(place, Contact { bones, distance: outcome.distance, points });
            found.truncate(most);
        }
        found
    }
}

/// Which bones may meet: not those of one rigid body, not those of two that a joint joins, and not those at one joint.
pub fn comparable(creature: &Creature) -> Vec<Vec<bool>> {
    let bones = &creature.bones;
    let count = bones.len();
    let Ok(tree) = Tree::of(bones) else { return vec![vec![false; count]; count] };
    // The bone that each is rigidly part of.
    let mut rigid: Vec<usize> = (0..count).collect();
    for &index in &tree.order {
        if let (Some(parent), None) = (tree.parents[index], freedoms(&bones[index].articulation).next()) {
            rigid[index] = rigid[parent];
        }
    }
    let hangs_on = |a: usize, b: usize| tree.parents[rigid[a]].is_some_and(|parent| rigid[parent] == rigid[b]);
    let may_meet = |a: usize, b: usize| {
        rigid[a] != rigid[b] && !hangs_on(a, b) && !hangs_on(b, a) && !Tree::are_neighbours(bones, a, b)
    };
    (0..count).map(|a| (0..count).map(|b| may_meet(a, b)).collect()).collect()
}

/// The length of the box around all joints, in metres; a metre where there are none.
pub fn size(creature: &Creature) -> f64 {
    let mut places = creature.joints.iter().map(|joint| glam::DVec3::from_array(joint.position));
    let Some(first) = places.next() else { return 1.0 };
    let (low, high) = places.fold((first, first), |(low, high), at| (low.min(at), high.max(at)));
    let length = (high - low).length();
    if length > 0.0 { length } else { 1.0 }
}
