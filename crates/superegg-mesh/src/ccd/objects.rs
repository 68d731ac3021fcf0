//! The upper level of the hierarchy: a tree over whole objects, restructured where motion has spoilt it.
//!
//! With few objects the tree is rebuilt for every query. With many it is kept: its bounds are refitted and only
//! subtrees whose bound has outgrown those of their children, compared with when they were built, are built anew (the
//! volume metric of selective restructuring, here with sums of sides, since flat objects have no volume).

use glam::DVec3;

use super::dop::{Dop, Mode};
use super::tree::halve;

/// Up to this many objects the tree is always rebuilt.
const FEW: usize = 64;

/// A subtree is rebuilt when its bound, relative to its children's, has grown by this factor.
const SPOILT: f32 = 1.3;

#[derive(Clone, Copy, Debug)]
struct Node {
    dop: Dop,
    /// Objects `order[first..first + count]`; children as in `tree`, in preorder.
    first: u32,
    count: u32,
    /// Girth relative to the children's when built.
    built: f32,
}

/// A tree over objects.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

/// How many nodes were built anew by an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Restructured {
    pub nodes: usize,
}

impl ObjectTree {
    /// Follows the objects to their new bounds.
    pub fn update(&mut self, bounds: &[Dop]) -> Restructured {
        let count = bounds.len();
        if count == 0 {
            *self = ObjectTree::default();
            return Restructured { nodes: 0 };
        }
        if self.order.len() != count || count <= FEW {
            self.order = (0..count as u32).collect();
            self.nodes = vec![Node { dop: Dop::EMPTY, first: 0, count: 0, built: 0.0 }; 2 * count - 1];
            self.build(0, 0, count, bounds);
            self.refit(bounds, |_| true);
            return Restructured { nodes: self.nodes.len() };
        }
        self.refit(bounds, |_| false);
        // The topmost spoilt subtrees, whose parts are then built anew in place.
        let mut spoilt = Vec::new();
        let mut at = 0;
        while at < self.nodes.len() {
            let node = self.nodes[at];
            if node.count > 2 && self.looseness(at) > SPOILT * node.built {
                spoilt.push(at..at + 2 * node.count as usize - 1);
                at += 2 * node.count as usize - 1;
            } else {
                at += 1;
            }
        }
        for range in &spoilt {
            let node = self.nodes[range.start];
            self.build(range.start, node.first as usize, node.count as usize, bounds);
        }
        if !spoilt.is_empty() {
            self.refit(bounds, |index| spoilt.iter().any(|range| range.contains(&index)));
        }
        Restructured { nodes: spoilt.iter().map(|range| range.len()).sum() }
    }

    /// Lays out the subtree of some objects from the node `at` on.
    fn build(&mut self, at: usize, first: usize, count: usize, bounds: &[Dop]) {
        let middle = |&object: &u32| DVec3::from_array(bounds[object as usize].centre().map(f64::from));
        let mut next = at;
        let mut stack = vec![(first, count)];
        while let Some((first, count)) = stack.pop() {
            let node = &mut self.nodes[next];
            (node.first, node.count) = (first as u32, count as u32);
            next += 1;
            if count > 1 {
                halve(&mut self.order[first..first + count], middle);
                stack.push((first + count / 2, count - count / 2));
                stack.push((first, count / 2));
            }
        }
    }

    fn refit(&mut self, bounds: &[Dop], is_new: impl Fn(usize) -> bool) {
        for index in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[index];
            if count == 1 {
                self.nodes[index].dop = bounds[self.order[first as usize] as usize];
            } else {
                let [left, right] = self.children(index);
                self.nodes[index].dop = self.nodes[left].dop.union(&self.nodes[right].dop);
                if is_new(index) {
                    self.nodes[index].built = self.looseness(index);
                }
            }
        }
    }

    fn children(&self, node: usize) -> [usize; 2] {
        [node + 1, node + 2 * self.nodes[node + 1].count as usize]
    }

    fn looseness(&self, node: usize) -> f32 {
        let [left, right] = self.children(node).map(|child| self.nodes[child].dop.girth());
        self.nodes[node].dop.girth() / (left + right).max(f32::MIN_POSITIVE)
    }

    /// Calls `found` with all pairs of objects whose bounds overlap, the smaller number first, sorted.
    pub fn overlapping_pairs<const MODE: Mode>(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        if self.nodes.is_empty() {
            return pairs;
        }
        let mut stack = vec![(0, 0)];
        while let Some((a, b)) = stack.pop() {
            let (one, other) = (&self.nodes[a], &self.nodes[b]);
            if a == b {
                if one.count > 1 {
                    let [left, right] = self.children(a);
                    stack.extend([(left, left), (right, right), (left, right)]);
                }
            } else if one.dop.overlaps::<MODE>(&other.dop) {
                if one.count == 1 && other.count == 1 {
                    let [a, b] = [one, other].map(|node| self.order[node.first as usize]);
                    pairs.push([a.min(b), a.max(b)]);
                } else if one.count >= other.count {
                    stack.extend(self.children(a).map(|child| (child, b)));
                } else {
                    stack.extend(self.children(b).map(|child| (a, child)));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.order.len() * size_of::<u32>()
    }
}
