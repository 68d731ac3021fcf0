//! How bones hang together: a forest of joints and bones, each tree rooted in its first bone.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::messages::{Bone, Creature};

/// The bones by their places in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The bone that each hangs on; none for roots.
    pub parents: Vec<Option<usize>>,
    /// All of them, parents before children.
    pub order: Vec<usize>,
    /// Whether a bone has to be turned round so that it leads away from its root.
    inward: Vec<bool>,
}

impl Tree {
    /// Of bones that name two joints each; `Err` is a bone that closes a ring.
    pub fn of(bones: &[Bone]) -> Result<Tree, usize> {
        let mut meeting: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (index, bone) in bones.iter().enumerate() {
            for joint in [bone.from, bone.to] {
                meeting.entry(joint).or_default().push(index);
            }
        }
        let mut tree = Tree { parents: vec![None; bones.len()], order: vec![], inward: vec![false; bones.len()] };
        let mut reached = vec![false; bones.len()];
        let mut joints: std::collections::BTreeSet<u32> = Default::default();
        for root in 0..bones.len() {
            if reached[root] {
                continue;
            }
            let mut open = std::collections::VecDeque::from([root]);
            reached[root] = true;
            joints.insert(bones[root].from);
            while let Some(index) = open.pop_front() {
                tree.order.push(index);
                let bone = &bones[index];
                let far = if tree.inward[index] { bone.from } else { bone.to };
                if !joints.insert(far) {
                    return Err(index);
                }
                let ends = if index == root { vec![bone.from, far] } else { vec![far] };
                for joint in ends {
                    for &other in &meeting[&joint] {
                        if !reached[other] {
                            reached[other] = true;
                            tree.parents[other] = Some(index);
                            tree.inward[other] = bones[other].to == joint;
                            open.push_back(other);
                        }
                    }
                }
            }
        }
        Ok(tree)
    }

    /// Whether every bone leads away from its root.
    pub fn leads_outward(&self) -> bool {
        !self.inward.contains(&true)
    }

    /// Whether two bones hang on each other or on the same one at the same joint.
    pub fn are_neighbours(bones: &[Bone], a: usize, b: usize) -> bool {
        let ends = [bones[b].from, bones[b].to];
        ends.contains(&bones[a].from) || ends.contains(&bones[a].to)
    }
}

/// Turns bones round so that all lead away from their roots; false if some make a ring.
pub fn orient(bones: &mut [Bone]) -> bool {
    let Ok(tree) = Tree::of(bones) else { return false };
    for (bone, inward) in bones.iter_mut().zip(tree.inward) {
        if inward {
            std::mem::swap(&mut bone.from, &mut bone.to);
            let half = DQuat::from_axis_angle(DVec3::X, std::f64::consts::PI);
            bone.articulation.axes = (DQuat::from_array(bone.articulation.axes) * half).normalize().to_array();
        }
    }
    true
}

/// The bone of an id, by its place in the list.
pub fn index_of(creature: &Creature, id: u32) -> Option<usize> {
    creature.bones.iter().position(|bone| bone.id == id)
}

/// Where joints are, by their ids.
pub fn positions(creature: &Creature) -> BTreeMap<u32, DVec3> {
    creature.joints.iter().map(|joint| (joint.id, DVec3::from_array(joint.position))).collect()
}

/// Where every bone begins and ends.
pub fn segments(creature: &Creature) -> Vec<[DVec3; 2]> {
    let at = positions(creature);
    let end = |joint: u32| at.get(&joint).copied().unwrap_or_default();
    creature.bones.iter().map(|bone| [end(bone.from), end(bone.to)]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::articulation::FREE;
    use super::*;

    fn bones(ends: &[(u32, u32)]) -> Vec<Bone> {
        let bone =
            |(id, &(from, to)): (u32, &(u32, u32))| Bone { id, name: format!("b{id}"), from, to, articulation: FREE };
        (0..).zip(ends).map(bone).collect()
    }

    #[test]
    fn bones_lead_away_from_the_first() {
        // A stroke that ended where the first began, and one that began at its end.
        let mut drawn = bones(&[(1, 2), (5, 1), (6, 5), (2, 3), (8, 9)]);
        assert!(!Tree::of(&drawn).unwrap().leads_outward() && orient(&mut drawn));
        let ends: Vec<(u32, u32)> = drawn.iter().map(|bone| (bone.from, bone.to)).collect();
        assert_eq!(ends, [(1, 2), (1, 5), (5, 6), (2, 3), (8, 9)]);
        let tree = Tree::of(&drawn).unwrap();
        assert_eq!(tree.parents, [None, Some(0), Some(1), Some(0), None]);
        assert!(tree.leads_outward());
        assert!(Tree::are_neighbours(&drawn, 0, 3) && !Tree::are_neighbours(&drawn, 2, 3));
    }

    #[test]
    fn rings_are_found() {
        assert!(Tree::of(&bones(&[(1, 2), (2, 3), (3, 1)])).is_err());
        assert!(Tree::of(&bones(&[(1, 2), (1, 2)])).is_err());
        assert!(Tree::of(&bones(&[(4, 4)])).is_err());
    }
}
