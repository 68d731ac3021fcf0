//! Questions asked of a tree: which leaves overlap a box, which a ray meets, which are nearest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;
use superegg::query::Ray;
use superegg::shape::Aabb;

use super::tree::{NONE, Node, Tree};
use crate::bound::{grown, half_area, overlap};

/// An item with the distance or ray parameter at which it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The item.
    pub item: u32,
    /// Its distance, or t of a ray.
    pub at: f64,
}

/// A node that waits in a queue, nearest first.
struct Waiting {
    at: f64,
    node: u32,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    /// Reversed, since the heap's first is its largest; equal ones by their number, so that answers are reproducible.
    fn cmp(&self, other: &Waiting) -> Ordering {
        other.at.total_cmp(&self.at).then(other.node.cmp(&self.node))
    }
}

impl Tree {
    /// Visits the items whose boxes overlap a box.
    #[inline]
    pub fn overlapping(&self, aabb: &Aabb, mut visit: impl FnMut(u32)) {
        self.descend(|node| overlap(node, aabb), &mut visit);
    }

    /// Visits the items whose boxes, and whose ancestors' boxes, pass a test: any box around one that passes must pass.
    pub fn descend(&self, passes: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        let mut stack = Stack::new();
        stack.push(self.root);
        while let Some(index) = stack.pop() {
            if index == NONE {
                continue;
            }
            let node = &self.nodes[index as usize];
            if !passes(&node.aabb) {
                continue;
            }
            if node.is_leaf() {
                visit(node.item);
            } else {
                stack.push(node.children[1]);
                stack.push(node.children[0]);
            }
        }
    }

    /// The item that a ray meets first. `exact` says where the ray meets an item, if it does; it is asked nearest box
    /// first, and only while a box is met before the nearest item so far. Boxes are grown by `slack`.
    pub fn first_on_ray(&self, ray: &Ray, slack: f64, mut exact: impl FnMut(u32) -> Option<f64>) -> Option<Found> {
        let entry = |aabb: &Aabb| entry(&grown(aabb, slack), ray.origin(), ray.direction());
        self.best_first(1, entry, &mut exact).pop()
    }

    /// The `count` nearest items, nearest first. `bound` is a lower bound of the distance to anything within a box;
    /// `exact` is the distance to an item, or `None` for one that does not count.
    pub fn nearest(
        &self,
        count: usize,
        bound: impl Fn(&Aabb) -> f64,
        mut exact: impl FnMut(u32) -> Option<f64>,
    ) -> Vec<Found> {
        self.best_first(count, |aabb| Some(bound(aabb)), &mut exact)
    }

    /// Best-first branch and bound; equal distances are ordered by item.
    fn best_first(
        &self,
        count: usize,
        bound: impl Fn(&Aabb) -> Option<f64>,
        exact: &mut impl FnMut(u32) -> Option<f64>,
    ) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut queue = BinaryHeap::new();
        let enqueue = |queue: &mut BinaryHeap<Waiting>, node: u32, limit: f64| {
            if node != NONE
                && let Some(at) = bound(&self.nodes[node as usize].aabb)
                && at <= limit
            {
                queue.push(Waiting { at, node });
            }
        };
        let limit = |found: &Vec<Found>| if found.len() < count { f64::INFINITY } else { found[count - 1].at };
        if count == 0 {
            return found;
        }
        enqueue(&mut queue, self.root, f64::INFINITY);
        while let Some(Waiting { at, node }) = queue.pop() {
            if at > limit(&found) {
                break;
            }
            let node = &self.nodes[node as usize];
            if !node.is_leaf() {
                node.children.into_iter().for_each(|child| enqueue(&mut queue, child, limit(&found)));
            } else if let Some(at) = exact(node.item) {
                let new = Found { item: node.item, at };
                let place = found.partition_point(|old| (old.at, old.item) < (new.at, new.item));
                found.insert(place, new);
                found.truncate(count);
            }
        }
        found
    }
}

/// Two nodes that wait in a queue, nearest first; `refined` says that `at` is a leaf pair's sharper bound.
struct WaitingPair {
    at: f64,
    nodes: [u32; 2],
    refined: bool,
}

impl PartialEq for WaitingPair {
    fn eq(&self, other: &WaitingPair) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for WaitingPair {}
impl PartialOrd for WaitingPair {
    fn partial_cmp(&self, other: &WaitingPair) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for WaitingPair {
    fn cmp(&self, other: &WaitingPair) -> Ordering {
        other.at.total_cmp(&self.at).then(other.nodes.cmp(&self.nodes)).then(other.refined.cmp(&self.refined))
    }
}

impl Tree {
    /// The pair of items of two trees with the least distance, by branch and bound: `bound` is a lower bound of the
    /// distance between anything in two boxes, `refine` a sharper one for two items, `exact` their distance.
    pub fn nearest_pair(
        &self,
        other: &Tree,
        bound: impl Fn(&Aabb, &Aabb) -> f64,
        refine: impl Fn(u32, u32) -> f64,
        mut exact: impl FnMut(u32, u32) -> f64,
    ) {
        let mut queue = BinaryHeap::new();
        if self.root != NONE && other.root != NONE {
            queue.push(WaitingPair { at: f64::NEG_INFINITY, nodes: [self.root, other.root], refined: false });
        }
        let mut least = f64::INFINITY;
        while let Some(WaitingPair { at, nodes, refined }) = queue.pop() {
            if at >= least {
                break;
            }
            let (a, b) = (&self.nodes[nodes[0] as usize], &other.nodes[nodes[1] as usize]);
            if a.is_leaf() && b.is_leaf() {
                if refined {
                    least = least.min(exact(a.item, b.item));
                } else {
                    queue.push(WaitingPair { at: refine(a.item, b.item).max(at), nodes, refined: true });
                }
                continue;
            }
            for nodes in children_of_pair(nodes, [a, b]) {
                let at = bound(&self.nodes[nodes[0] as usize].aabb, &other.nodes[nodes[1] as usize].aabb);
                if at < least {
                    queue.push(WaitingPair { at, nodes, refined: false });
                }
            }
        }
    }

    /// Visits the pairs of items of two trees whose boxes, and whose ancestors' boxes, pass a test.
    pub fn descend_pairs(&self, other: &Tree, passes: impl Fn(&Aabb, &Aabb) -> bool, mut visit: impl FnMut(u32, u32)) {
        let mut open = Vec::new();
        if self.root != NONE && other.root != NONE {
            open.push([self.root, other.root]);
        }
        while let Some(nodes) = open.pop() {
            let (a, b) = (&self.nodes[nodes[0] as usize], &other.nodes[nodes[1] as usize]);
            if !passes(&a.aabb, &b.aabb) {
                continue;
            }
            if a.is_leaf() && b.is_leaf() {
                visit(a.item, b.item);
            } else {
                open.extend(children_of_pair(nodes, [a, b]));
            }
        }
    }
}

/// Splits the larger of two nodes that are not both leaves.
fn children_of_pair([a, b]: [u32; 2], [node_a, node_b]: [&Node; 2]) -> [[u32; 2]; 2] {
    let split_a = !node_a.is_leaf() && (node_b.is_leaf() || half_area(&node_a.aabb) >= half_area(&node_b.aabb));
    if split_a { node_a.children.map(|child| [child, b]) } else { node_b.children.map(|child| [a, child]) }
}

/// Where a ray enters a box, as a multiple of its direction; `None` if it misses.
fn entry(aabb: &Aabb, origin: DVec3, direction: DVec3) -> Option<f64> {
    let (mut first, mut last) = (0.0f64, f64::INFINITY);
    for axis in 0..3 {
        let (low, high) = (aabb.min[axis] - origin[axis], aabb.max[axis] - origin[axis]);
        if direction[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
        } else {
            let (a, b) = (low / direction[axis], high / direction[axis]);
            first = first.max(a.min(b));
            last = last.min(a.max(b));
        }
    }
    // Quotients are rounded: a ray that only just touches counts as a hit.
    (first <= last + 4.0 * f64::EPSILON * last.abs()).then_some(first)
}

/// A stack that allocates only for trees deeper than any balanced one.
struct Stack {
    few: [u32; 64],
    count: usize,
    rest: Vec<u32>,
}

impl Stack {
    #[inline]
    fn new() -> Stack {
        Stack { few: [0; 64], count: 0, rest: Vec::new() }
    }

    #[inline]
    fn push(&mut self, index: u32) {
        if self.count < self.few.len() {
            self.few[self.count] = index;
            self.count += 1;
        } else {
            self.rest.push(index);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        self.rest.pop().or_else(|| {
            self.count = self.count.checked_sub(1)?;
            Some(self.few[self.count])
        })
    }
}
